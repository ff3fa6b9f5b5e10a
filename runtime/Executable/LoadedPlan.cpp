#include "runtime/Executable/LoadedPlan.h"

#include "runtime/Core/FloatEnvironment.h"
#include "runtime/Core/OneDnn.h"
#include "runtime/Executable/HostKernels.h"
#include "runtime/Memory/PendingRun.h"
#include "runtime/Parallel/Parallel.h"

#include <algorithm>
#include <cstring>
#include <new>

namespace burn::runtime {

using core::ErrorCode;
using core::Expected;
using core::Plan;
using core::PlanArg;
using core::PlanResult;
using core::ResultSource;
using core::Status;

namespace {

constexpr uint32_t kNoBuffer = UINT32_MAX;

/// A list of pointers or references that lives on the stack unless it is very long.
template <typename T> class StackArray {
public:
  explicit StackArray(size_t size) : size_(size) {
    if (size > kInline)
      heap_ = std::make_unique<T[]>(size);
  }
  T *data() { return heap_ ? heap_.get() : inline_; }
  T &operator[](size_t i) { return data()[i]; }
  size_t size() const { return size_; }

private:
  static constexpr size_t kInline = 256;
  size_t size_;
  T inline_[kInline] = {};
  std::unique_ptr<T[]> heap_;
};

// What host_call needs to know of the run: its `ctx`.
struct HostCalls {
  const Plan &plan;
  const burn_rt &loops; // what calls run their own loops with
  Status status = {};   // of the call that failed
};

int32_t callHost(void *ctx, uint32_t id, void *const *buffers, int64_t count) {
  auto &calls = *static_cast<HostCalls *>(ctx);
  if (id >= calls.plan.hostCalls.size() || count < 0)
    calls.status = Status::error(ErrorCode::DataLoss, "compiled code calls an unknown host kernel");
  else
    calls.status = callHostKernel(calls.plan.hostCalls[id], buffers, static_cast<size_t>(count), calls.loops);
  return calls.status.isOk() ? 0 : 1;
}

} // namespace

const burn_rt &hostFunctions() {
  static constexpr burn_rt functions = {BURN_ABI_VERSION, nullptr, burn_parallel_for, nullptr};
  return functions;
}

// Reads the plan and checks what it says of arguments and results.
Status LoadedPlan::describe(std::span<const std::byte> bytes) {
  Expected<Plan> plan = core::parsePlan(bytes);
  if (!plan)
    return plan.status();
  for (uint32_t i = 0; i < plan->args.size(); ++i) {
    const bool isBuffer = plan->args[i].kind == core::ArgKind::Buffer;
    ordinals_.push_back(isBuffer ? static_cast<uint32_t>(bufferArgs_.size()) : kNoBuffer);
    if (isBuffer)
      bufferArgs_.push_back(i);
  }
  for (const core::PlanDerived &derived : plan->derived)
    for (uint32_t source : derived.sources) {
      if (ordinals_[source] == kNoBuffer)
        return Status::error(ErrorCode::DataLoss, "malformed plan: a buffer is derived from a scalar");
      if (std::ranges::find(sources_, ordinals_[source]) == sources_.end())
        sources_.push_back(ordinals_[source]);
    }
  for (size_t i = 0; i < plan->results.size(); ++i) {
    const PlanResult &result = plan->results[i];
    bool valid = true;
    switch (result.source) {
    case ResultSource::Fresh:
      break;
    case ResultSource::Donated:
    case ResultSource::Arg:
      valid = result.index < plan->args.size() && ordinals_[result.index] != kNoBuffer &&
              plan->args[result.index].type.byteSize() == result.type.byteSize() &&
              plan->args[result.index].donated >= (result.source == ResultSource::Donated);
      break;
    case ResultSource::Result:
      valid = result.index < i;
      break;
    }
    if (!valid)
      return Status::error(ErrorCode::DataLoss, "malformed plan: result " + std::to_string(i) + " has no such source");
  }
  plan_ = std::move(*plan);
  return Status::ok();
}

Expected<std::shared_ptr<const LoadedPlan>> LoadedPlan::load(FileDescriptor file, std::span<const std::byte> bytes) {
  auto loaded = std::shared_ptr<LoadedPlan>(new LoadedPlan);
  if (Status status = loaded->describe(bytes); !status)
    return status;
  for (const core::PlanHostCall &call : loaded->plan_.hostCalls)
    if (core::isOneDnnKernel(call.kernel))
      if (Status status = core::checkOneDnn(call.version); !status)
        return status;
  Expected<std::unique_ptr<NativeModule>> module = NativeModule::load(std::move(file));
  if (!module)
    return module.status();
  loaded->run_ = reinterpret_cast<burn_run_fn>((*module)->symbol(BURN_RUN_SYMBOL));
  loaded->prepare_ = reinterpret_cast<burn_prepare_fn>((*module)->symbol(BURN_PREPARE_SYMBOL));
  if (!loaded->run_)
    return Status::error(ErrorCode::DataLoss, "compiled code defines no " BURN_RUN_SYMBOL);
  if (!loaded->prepare_ && !loaded->plan_.derived.empty())
    return Status::error(ErrorCode::DataLoss, "compiled code defines no " BURN_PREPARE_SYMBOL);
  loaded->module_ = std::move(*module);
  return std::shared_ptr<const LoadedPlan>(std::move(loaded));
}

Expected<std::shared_ptr<const LoadedPlan>> LoadedPlan::load(Device &device, std::span<const std::byte> code,
                                                             std::span<const std::byte> bytes,
                                                             std::span<const std::byte> driverCache) {
  auto loaded = std::shared_ptr<LoadedPlan>(new LoadedPlan);
  if (Status status = loaded->describe(bytes); !status)
    return status;
  for (const core::PlanHostCall &call : loaded->plan_.hostCalls)
    if (!call.results.empty())
      return Status::error(ErrorCode::Unsupported,
                           "kernel '" + call.kernel + "' of the host cannot run on " + device.name());
  if (!loaded->plan_.derived.empty())
    return Status::error(ErrorCode::DataLoss, "malformed plan: a device derives no buffers");
  Expected<std::unique_ptr<DeviceCode>> made = device.load(code, loaded->plan_, driverCache);
  if (!made)
    return made.status();
  loaded->device_ = &device;
  loaded->deviceCode_ = std::move(*made);
  return std::shared_ptr<const LoadedPlan>(std::move(loaded));
}

LoadedPlan::~LoadedPlan() {
  if (!plan_.derived.empty())
    derived::forgetOwner(this);
}

// Whether a result is the buffer of an argument that the caller keeps: what a run ends with says nothing of it.
bool LoadedPlan::isCallers(size_t result) const {
  while (plan_.results[result].source == ResultSource::Result)
    result = plan_.results[result].index;
  const PlanResult &first = plan_.results[result];
  return first.source == ResultSource::Arg && !plan_.args[first.index].donated && !copiesArguments();
}

Status LoadedPlan::bindResults(std::span<BufferRef> arguments, std::span<BufferRef> results) const {
  for (size_t i = 0; i < results.size(); ++i) {
    const PlanResult &result = plan_.results[i];
    switch (result.source) {
    case ResultSource::Fresh: {
      Expected<BufferRef> fresh = Buffer::allocate(static_cast<size_t>(result.type.byteSize()), device_);
      if (!fresh)
        return fresh.status();
      results[i] = std::move(*fresh);
      break;
    }
    case ResultSource::Donated:
    case ResultSource::Arg: {
      const BufferRef &argument = arguments[ordinals_[result.index]];
      if (result.source == ResultSource::Donated || plan_.args[result.index].donated || !copiesArguments()) {
        results[i] = argument;
        break;
      }
      Expected<BufferRef> copy = argument->copyTo(device_);
      if (!copy)
        return copy.status();
      results[i] = std::move(*copy);
      break;
    }
    case ResultSource::Result:
      results[i] = results[result.index];
      break;
    }
  }
  return Status::ok();
}

// Runs burn_prepare on buffers of their own.
Expected<std::shared_ptr<const derived::Buffers>> LoadedPlan::derive(std::span<BufferRef> arguments) const {
  auto made = std::make_shared<derived::Buffers>();
  const size_t first = arguments.size() + plan_.results.size();
  StackArray<void *> pointers(first + plan_.derived.size());
  for (uint32_t source : sources_)
    pointers[source] = arguments[source]->data();
  for (const core::PlanDerived &derived : plan_.derived) {
    Expected<BufferRef> buffer = Buffer::allocate(static_cast<size_t>(derived.type.byteSize()));
    if (!buffer)
      return buffer.status();
    pointers[first + made->size()] = (*buffer)->data();
    made->push_back(std::move(*buffer));
  }
  BufferRef arena;
  if (plan_.prepareArenaBytes) {
    Expected<BufferRef> allocated = Buffer::allocate(plan_.prepareArenaBytes);
    if (!allocated)
      return allocated.status();
    arena = std::move(*allocated);
  }
  const core::DefaultFloatEnvironment floats;
  // On this thread: a pool of the host might take up another first run while it waits, under the same lock.
  burn_rt serial = hostFunctions();
  serial.parallel_for = nullptr;
  if (prepare_(&serial, pointers.data(), nullptr, nullptr, arena ? arena->data() : nullptr) != 0)
    return Status::error(ErrorCode::Internal, BURN_PREPARE_SYMBOL " failed");
  return std::shared_ptr<const derived::Buffers>(std::move(made));
}

Expected<std::shared_ptr<const derived::Buffers>> LoadedPlan::derivedFrom(std::span<BufferRef> arguments) const {
  StackArray<Buffer *> sources(sources_.size());
  bool areFrozen = true;
  for (size_t i = 0; i < sources_.size(); ++i) {
    sources[i] = arguments[sources_[i]].get();
    areFrozen &= sources[i]->isFrozen();
  }
  if (!areFrozen)
    return derive(arguments);
  const std::span<Buffer *const> key(sources.data(), sources.size());
  if (auto known = derived::find(this, key))
    return known;
  const auto lock = derived::lockPreparation();
  if (auto known = derived::find(this, key))
    return known;
  auto made = derive(arguments);
  if (made)
    derived::add(this, key, *made);
  return made;
}

int32_t LoadedPlan::callNative(std::span<BufferRef> arguments, std::span<BufferRef> results,
                               const derived::Buffers *derived, const void *scalars, void *arena,
                               Status &status) const {
  StackArray<void *> pointers(arguments.size() + results.size() + plan_.derived.size());
  for (size_t i = 0; i < arguments.size(); ++i)
    pointers[i] = arguments[i]->data();
  for (size_t i = 0; i < results.size(); ++i)
    pointers[arguments.size() + i] = results[i]->data();
  for (size_t i = 0; i < plan_.derived.size(); ++i)
    pointers[arguments.size() + results.size() + i] = (*derived)[i]->data();
  HostCalls calls{plan_, hostFunctions()};
  burn_rt functions = hostFunctions();
  functions.ctx = &calls;
  functions.host_call = callHost;
  int32_t code = 0;
  {
    const core::DefaultFloatEnvironment floats;
    code = call(&functions, pointers.data(), scalars, arena);
  }
  status = std::move(calls.status);
  return code;
}

int32_t LoadedPlan::call(bool serial, void *const *bufs, const void *scalars, void *arena) const {
  burn_rt loops = hostFunctions();
  if (serial)
    loops.parallel_for = nullptr;
  HostCalls calls{plan_, loops};
  burn_rt functions = loops;
  functions.ctx = &calls;
  functions.host_call = callHost;
  return call(&functions, bufs, scalars, arena);
}

Status LoadedPlan::execute(std::span<BufferRef> arguments, const void *scalars, std::span<BufferRef> results) const {
  if (arguments.size() != bufferArgs_.size() || results.size() != plan_.results.size())
    return Status::invalid("the plan takes " + std::to_string(bufferArgs_.size()) + " buffers and gives " +
                           std::to_string(plan_.results.size()) + " results, it was called with " +
                           std::to_string(arguments.size()) + " and " + std::to_string(results.size()));
  std::vector<std::shared_ptr<PendingRun>> before;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const PlanArg &arg = plan_.args[bufferArgs_[i]];
    if (!arguments[i] || arguments[i]->bytes() < static_cast<size_t>(arg.type.byteSize()))
      return Status::invalid("argument " + std::to_string(i) + " of the plan is a " + arg.type.str() +
                             ", the buffer is smaller");
    if (arguments[i]->device() != device_)
      return Status::invalid("argument " + std::to_string(i) + " of the plan is not in the memory of " +
                             (device_ ? device_->name() : "the host"));
    if (auto run = arguments[i]->run()) {
      // What a failed run has left may be anything: a loop that it decides over need not end.
      if (deviceCode_->readsValues() || run->isKnown())
        (void)arguments[i]->settle();
      else if (std::ranges::find(before, run) == before.end())
        before.push_back(std::move(run));
    }
    if (const Status *error = arguments[i]->poisonError())
      return *error;
  }

  // Bound apart from the caller's references, so that a failure below leaves those alone.
  StackArray<BufferRef> bound(arguments.size());
  StackArray<BufferRef> made(results.size());
  for (size_t i = 0; i < arguments.size(); ++i) {
    Buffer &buffer = *arguments[i];
    if (!plan_.args[bufferArgs_[i]].donated || buffer.canDonate()) {
      bound[i] = arguments[i];
      continue;
    }
    Expected<BufferRef> copy = buffer.copyTo(device_);
    if (!copy)
      return copy.status();
    bound[i] = std::move(*copy);
  }
  if (Status status = bindResults({bound.data(), bound.size()}, {made.data(), made.size()}); !status)
    return status;
  std::shared_ptr<const derived::Buffers> derived;
  if (!plan_.derived.empty()) {
    auto prepared = derivedFrom({bound.data(), bound.size()});
    if (!prepared)
      return prepared.status();
    derived = std::move(*prepared);
  }
  BufferRef arena;
  if (plan_.arenaBytes && !device_) {
    Expected<BufferRef> allocated = Buffer::allocate(plan_.arenaBytes);
    if (!allocated)
      return allocated.status();
    arena = std::move(*allocated);
  }

  int64_t code = 0;
  Status callStatus;                   // of what the code called
  std::shared_ptr<PendingRun> pending; // where more is to be known later
  if (!device_) {
    code = callNative({bound.data(), bound.size()}, {made.data(), made.size()}, derived.get(), scalars,
                      arena ? arena->data() : nullptr, callStatus);
  } else {
    StackArray<Buffer *> buffers(arguments.size() + results.size());
    for (size_t i = 0; i < arguments.size(); ++i) {
      buffers[i] = bound[i].get();
      if (plan_.args[bufferArgs_[i]].donated)
        bound[i]->forgetCopy();
    }
    for (size_t i = 0; i < results.size(); ++i)
      buffers[arguments.size() + i] = made[i].get();
    Expected<RunResult> ran = deviceCode_->run({buffers.data(), buffers.size()}, scalars);
    if (ran) {
      code = ran->failedCheck + 1;
      if (!ran->outcome && before.size() == 1)
        pending = std::move(before[0]);
      else if (ran->outcome || !before.empty())
        pending = std::make_shared<PendingRun>(
            std::move(ran->outcome), std::shared_ptr<const Plan>(shared_from_this(), &plan_), std::move(before));
    } else if (ran.status().code() == ErrorCode::OutOfMemory) {
      return ran.status(); // before the launch
    } else {
      code = -1;
      callStatus = ran.status();
    }
    for (size_t i = 0; i < results.size(); ++i)
      if (!isCallers(i))
        made[i]->setRun(pending);
  }

  Status status;
  if (code != 0) {
    const auto check = static_cast<size_t>(code) - 1;
    status =
        code > 0 && check < plan_.checks.size()
            ? Status::error(ErrorCode::OutOfRange, plan_.checks[check].message, {plan_.checks[check].op})
            : Status::error(ErrorCode::Internal, "compiled code ended with the unknown error " + std::to_string(code));
    if (!callStatus)
      status = Status::error(callStatus.code(), callStatus.message(), status.locations());
    for (size_t i = 0; i < results.size(); ++i)
      if (!isCallers(i))
        made[i]->poison(status);
  }
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (!plan_.args[bufferArgs_[i]].donated)
      continue;
    if (!status)
      bound[i]->poison(status);
    arguments[i].reset();
  }
  for (size_t i = 0; i < results.size(); ++i)
    results[i] = std::move(made[i]);
  return status;
}

} // namespace burn::runtime
