#include "passes/Tuning/ScratchRun.h"

#include "runtime/Core/HostMemory.h"
#include "runtime/Core/OneDnn.h"

#include <chrono>
#include <cstring>

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace burn;
using namespace burn::compiler;
using core::ErrorCode;
using core::Expected;
using core::Status;

namespace {

void put(std::byte *to, DType type, uint32_t random) {
  const auto store = [&](auto value) { std::memcpy(to, &value, sizeof value); };
  const float unit = static_cast<float>(random >> 8) * 0x1p-23f - 1.0f;
  switch (type) {
  case DType::F64:
    return store(double(unit));
  case DType::F32:
    return store(unit);
  case DType::F16:
    return store(f16(unit));
  case DType::BF16:
    return store(bf16(unit));
  case DType::Bool:
    return store(uint8_t(random >> 31));
  default: { // little-endian integers
    const uint64_t value = random >> 29;
    std::memcpy(to, &value, byteWidth(type));
  }
  }
}

} // namespace

Expected<std::unique_ptr<MeasuredWay>> MeasuredWay::load(const Executable &executable) {
  const Status failed = Status::error(ErrorCode::Unavailable, "code that is to be measured cannot be loaded");
  std::unique_ptr<MeasuredWay> way(new MeasuredWay);
  way->plan_ = executable.plan;
  way->file_ = memfd_create("burn-measured", MFD_CLOEXEC);
  if (way->file_ < 0)
    return failed;
  for (size_t done = 0; done < executable.object.size();) {
    const ssize_t written = write(way->file_, executable.object.data() + done, executable.object.size() - done);
    if (written <= 0)
      return failed;
    done += static_cast<size_t>(written);
  }
  const std::string path = "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(way->file_);
  way->handle_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (way->handle_) {
    way->run_ = reinterpret_cast<burn_run_fn>(dlsym(way->handle_, BURN_RUN_SYMBOL));
    way->prepare_ = reinterpret_cast<burn_prepare_fn>(dlsym(way->handle_, BURN_PREPARE_SYMBOL));
  }
  if (!way->run_ || (!way->prepare_ && !way->plan_.derived.empty()))
    return failed;
  return way;
}

MeasuredWay::~MeasuredWay() {
  if (handle_)
    dlclose(handle_);
  if (file_ >= 0)
    close(file_);
}

ScratchData::Block ScratchData::allocate(size_t bytes) {
  constexpr size_t page = 4096;
  const size_t whole = std::max(page, (bytes + page - 1) / page * page);
  Block block{std::unique_ptr<std::byte, Free>(static_cast<std::byte *>(std::aligned_alloc(page, whole))), bytes};
  if (block.memory)
    std::memset(block.memory.get(), 0, whole); // no page is met for the first time while the clock runs
  return block;
}

std::unique_ptr<ScratchData> ScratchData::make(const core::Plan &plan, const burn_rt &functions) {
  // Results are there twice. Memory that is met but not there would end the process.
  __int128 bytes = plan.arenaBytes;
  for (const core::PlanArg &arg : plan.args)
    bytes += arg.type.byteSize();
  for (const core::PlanResult &result : plan.results)
    bytes += 2 * static_cast<__int128>(result.type.byteSize());
  if (!core::checkHostMemory(bytes))
    return nullptr;
  auto data = std::make_unique<ScratchData>();
  data->functions_ = &functions;
  uint32_t state = 1;
  for (const core::PlanArg &arg : plan.args) {
    if (arg.kind != core::ArgKind::Buffer || arg.donated)
      return nullptr;
    Block block = allocate(static_cast<size_t>(arg.type.byteSize()));
    if (!block.memory)
      return nullptr;
    const size_t size = byteWidth(arg.type.dtype);
    for (size_t at = 0; at + size <= block.bytes; at += size) {
      state = state * 1664525u + 1013904223u;
      put(block.memory.get() + at, arg.type.dtype, state);
    }
    data->buffers_.push_back(block.memory.get());
    data->arguments_.push_back(std::move(block));
    data->types_.push_back(arg.type.dtype);
  }
  for (const core::PlanResult &result : plan.results) {
    if (result.source != core::ResultSource::Fresh)
      return nullptr;
    for (std::vector<Block> *blocks : {&data->results_, &data->kept_}) {
      blocks->push_back(allocate(static_cast<size_t>(result.type.byteSize())));
      if (!blocks->back().memory)
        return nullptr;
    }
    data->buffers_.push_back(data->results_.back().memory.get());
  }
  return data;
}

bool ScratchData::prepare(const MeasuredWay &way) {
  if (arena_.bytes < way.plan().arenaBytes || !arena_.memory)
    arena_ = allocate(way.plan().arenaBytes);
  return arena_.memory && way.plan().args.size() == arguments_.size() && way.plan().results.size() == results_.size() &&
         derive(way);
}

// Fills the derived buffers of a way where it has not run before, and has it find them.
bool ScratchData::derive(const MeasuredWay &way) {
  buffers_.resize(arguments_.size() + results_.size());
  if (way.plan().derived.empty())
    return true;
  const auto [place, isNew] = derived_.try_emplace(&way);
  if (isNew)
    for (const core::PlanDerived &derived : way.plan().derived) {
      Block block = core::checkHostMemory(derived.type.byteSize())
                        ? allocate(static_cast<size_t>(derived.type.byteSize()))
                        : Block();
      if (!block.memory) {
        derived_.erase(place);
        return false;
      }
      place->second.push_back(std::move(block));
    }
  for (const Block &block : place->second)
    buffers_.push_back(block.memory.get());
  if (!isNew)
    return true;
  const Block arena = allocate(way.plan().prepareArenaBytes);
  return arena.memory && way.prepare()(functions_, buffers_.data(), nullptr, nullptr, arena.memory.get()) == 0;
}

bool ScratchData::call(const MeasuredWay &way) {
  if (way.plan().hostCalls.empty())
    return way.run()(functions_, buffers_.data(), nullptr, nullptr, arena_.memory.get()) == 0;
  // Code that the compiler itself has made calls no other functions of the host than oneDNN's.
  struct Context {
    const burn_rt *host;
    const core::Plan *plan;
  } context{functions_, &way.plan()};
  burn_rt functions = *functions_;
  functions.ctx = &context;
  if (functions.parallel_for)
    functions.parallel_for = [](void *ctx, int64_t tasks, burn_task_fn body, void *arg) {
      const burn_rt &host = *static_cast<Context *>(ctx)->host;
      host.parallel_for(host.ctx, tasks, body, arg);
    };
  functions.host_call = [](void *ctx, uint32_t id, void *const *buffers, int64_t count) -> int32_t {
    const auto &context = *static_cast<Context *>(ctx);
    const core::PlanHostCall &call = context.plan->hostCalls[id];
    return core::callOneDnn(call.kernel, call.version, {buffers, static_cast<size_t>(count)}, *context.host) ? 0 : 1;
  };
  return way.run()(&functions, buffers_.data(), nullptr, nullptr, arena_.memory.get()) == 0;
}

void ScratchData::dropSigns() {
  for (auto [block, type] : llvm::zip_equal(arguments_, types_))
    for (size_t size = byteWidth(type), at = size - 1; isFloat(type) && at < block.bytes; at += size)
      block.memory.get()[at] &= std::byte{0x7f}; // little-endian
  derived_.clear();
}

bool ScratchData::run(const MeasuredWay &way) {
  // What a way does not write must not be what the one before has left.
  for (Block &result : results_)
    std::memset(result.memory.get(), 0xff, result.bytes);
  return prepare(way) && call(way);
}

bool ScratchData::keepResults(const MeasuredWay &way) {
  if (!run(way))
    return false;
  for (auto [result, kept] : llvm::zip_equal(results_, kept_))
    std::memcpy(kept.memory.get(), result.memory.get(), result.bytes);
  return true;
}

bool ScratchData::givesKeptResults(const MeasuredWay &way) {
  if (!run(way))
    return false;
  for (auto [result, kept] : llvm::zip_equal(results_, kept_))
    if (std::memcmp(kept.memory.get(), result.memory.get(), result.bytes) != 0)
      return false;
  return true;
}

double ScratchData::time(const MeasuredWay &way) {
  using Clock = std::chrono::steady_clock;
  constexpr double shortest = 40e-6;
  double spent = 0;
  int runs = 0;
  const auto start = Clock::now();
  do {
    call(way);
    ++runs;
    spent = std::chrono::duration<double>(Clock::now() - start).count();
  } while (spent < shortest);
  return spent / runs;
}
