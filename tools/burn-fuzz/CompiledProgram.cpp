#include "tools/burn-fuzz/CompiledProgram.h"

#include "runtime/Cache/DiskCache.h"
#include "runtime/Devices/Cpu/CpuTarget.h"
#include "tools/burn-fuzz/GuardedMemory.h"

#include <algorithm>
#include <thread>

using namespace burn;
using namespace burn::fuzz;

namespace {

void runBackward(void *, int64_t tasks, burn_task_fn fn, void *arg) {
  for (int64_t i = tasks - 1; i >= 0; --i)
    fn(arg, i, i + 1);
}

void runOnThreads(void *, int64_t tasks, burn_task_fn fn, void *arg) {
  constexpr int64_t kThreads = 3;
  std::vector<std::thread> threads;
  for (int64_t i = 0; i < kThreads; ++i)
    threads.emplace_back(fn, arg, tasks * i / kThreads, tasks * (i + 1) / kThreads);
  for (std::thread &thread : threads)
    thread.join();
}

core::Status broken(std::string message) { return core::Status::error(core::ErrorCode::Internal, std::move(message)); }

} // namespace

core::Expected<std::unique_ptr<CompiledProgram>> CompiledProgram::load(std::span<const std::byte> plan,
                                                                       runtime::FileDescriptor file) {
  auto program = std::make_unique<CompiledProgram>();
  // The plan is used as the runtime sees it: written and read back.
  core::Expected<core::Plan> parsed = core::parsePlan(plan);
  if (!parsed)
    return parsed.status();
  program->plan_ = std::move(*parsed);
  program->planBytes_.assign(plan.begin(), plan.end());
  auto loaded = runtime::NativeModule::load(std::move(file));
  if (!loaded)
    return loaded.status();
  program->module_ = std::move(*loaded);
  program->run_ = reinterpret_cast<burn_run_fn>(program->module_->symbol(BURN_RUN_SYMBOL));
  if (!program->run_)
    return broken("the program has no entry point");
  program->prepare_ = reinterpret_cast<burn_prepare_fn>(program->module_->symbol(BURN_PREPARE_SYMBOL));
  if (!program->prepare_ != program->plan_.derived.empty())
    return broken("the program derives buffers and has no entry point for it, or the other way round");
  return program;
}

core::Expected<std::unique_ptr<CompiledProgram>> CompiledProgram::compile(mlir::ModuleOp module,
                                                                          const compiler::CompileOptions &options) {
  mlir::OwningOpRef<mlir::ModuleOp> copy = module.clone();
  core::Expected<compiler::Executable> executable = compiler::compile(*copy, options);
  if (!executable)
    return executable.status();
  const auto bytes = std::as_bytes(std::span(executable->object.data(), executable->object.size()));
  auto file = runtime::memoryFile(bytes);
  if (!file)
    return file.status();
  auto program = load(core::serialize(executable->plan), std::move(*file));
  if (program)
    (*program)->object_.assign(bytes.begin(), bytes.end());
  return program;
}

core::Expected<std::unique_ptr<CompiledProgram>> CompiledProgram::throughCache(const std::string &directory) const {
  runtime::DiskCacheOptions options;
  options.directory = directory;
  const runtime::DiskCache cache(options);
  const std::string_view key = "program";
  runtime::CacheEntry entry;
  entry.elf = object_;
  entry.plan = planBytes_;
  entry.key = std::as_bytes(std::span(key));
  if (!cache.store(entry))
    return broken("the cache does not take the program");
  std::optional<runtime::CacheHit> hit = cache.lookup(entry.key);
  if (!hit)
    return broken("the cache does not find the program");
  if (!std::ranges::equal(hit->entry.elf, object_))
    return broken("the cache gives another object");
  return load(hit->entry.plan, std::move(hit->file));
}

core::Expected<Tensors> CompiledProgram::run(std::span<const ir::HostTensor> arguments, Loops loops) const {
  if (arguments.size() != plan_.args.size())
    return broken("the plan has another number of arguments than the program");
  std::vector<std::byte> scalars(plan_.scalarBytes);
  std::vector<GuardedMemory> memory;
  std::vector<void *> buffers;
  std::vector<std::byte *> ofArgument;
  memory.reserve(arguments.size() + plan_.results.size() + plan_.derived.size() + 2);
  const auto allocate = [&](size_t bytes, std::byte fill, size_t alignment) {
    return memory.emplace_back(bytes, fill, alignment).isMapped();
  };
  const core::Status outOfMemory = core::Status::error(core::ErrorCode::OutOfMemory, "no memory for a buffer");
  for (size_t i = 0; i < arguments.size(); ++i) {
    const core::PlanArg &arg = plan_.args[i];
    if (arguments[i].type != arg.type)
      return broken("the plan has another type of argument " + std::to_string(i));
    const std::vector<std::byte> &bytes = arguments[i].bytes;
    if (arg.kind == core::ArgKind::Scalar) {
      std::memcpy(scalars.data() + arg.offset, bytes.data(), bytes.size());
      ofArgument.push_back(nullptr);
      continue;
    }
    if (!allocate(bytes.size(), std::byte(0), byteWidth(arg.type.dtype)))
      return outOfMemory;
    std::ranges::copy(bytes, memory.back().data());
    buffers.push_back(memory.back().data());
    ofArgument.push_back(memory.back().data());
  }
  std::vector<std::byte *> ofResult;
  for (const core::PlanResult &result : plan_.results) {
    switch (result.source) {
    case core::ResultSource::Fresh:
      if (!allocate(static_cast<size_t>(result.type.byteSize()), std::byte(0xc3), byteWidth(result.type.dtype)))
        return outOfMemory;
      ofResult.push_back(memory.back().data());
      break;
    case core::ResultSource::Donated:
      if (!plan_.args[result.index].donated)
        return broken("the plan writes to an argument that is not donated");
      [[fallthrough]];
    case core::ResultSource::Arg:
      if (!ofArgument[result.index])
        return broken("the plan returns the buffer of a host scalar");
      ofResult.push_back(ofArgument[result.index]);
      break;
    case core::ResultSource::Result:
      if (result.index >= ofResult.size())
        return broken("the plan returns a later result again");
      ofResult.push_back(ofResult[result.index]);
      break;
    }
    buffers.push_back(ofResult.back());
  }
  const size_t firstDerived = buffers.size();
  for (const core::PlanDerived &derived : plan_.derived) {
    if (!allocate(static_cast<size_t>(derived.type.byteSize()), std::byte(0xff), byteWidth(derived.type.dtype)))
      return outOfMemory;
    buffers.push_back(memory.back().data());
  }
  // Scratch memory holds NaN at first: whoever reads before writing is found out.
  if (!allocate(plan_.arenaBytes, std::byte(0xff), core::kArenaAlignment))
    return outOfMemory;

  std::byte *const arena = memory.back().data();
  burn_rt functions{BURN_ABI_VERSION, nullptr, loops == Loops::Backward ? runBackward : runOnThreads, nullptr};
  const burn_rt *rt = loops == Loops::Serial ? nullptr : &functions;
  std::vector<std::vector<std::byte>> derived;
  if (prepare_) {
    if (!allocate(plan_.prepareArenaBytes, std::byte(0xff), core::kArenaAlignment))
      return outOfMemory;
    // It may look at frozen arguments alone.
    std::vector<void *> visible = buffers;
    for (size_t i = 0, buffer = 0; i < plan_.args.size(); ++i)
      if (plan_.args[i].kind == core::ArgKind::Buffer && !plan_.args[i].frozen)
        visible[buffer++] = nullptr;
      else
        buffer += plan_.args[i].kind == core::ArgKind::Buffer;
    for (size_t i = 0; i < plan_.results.size(); ++i)
      visible[firstDerived - 1 - i] = nullptr;
    if (prepare_(rt, visible.data(), nullptr, nullptr, memory.back().data()) != 0)
      return broken("the program fails to derive its buffers");
    for (size_t i = 0; i < plan_.derived.size(); ++i) {
      const auto *first = static_cast<const std::byte *>(buffers[firstDerived + i]);
      derived.emplace_back(first, first + plan_.derived[i].type.byteSize());
    }
  }
  const int32_t code = run_(rt, buffers.data(), nullptr, scalars.data(), arena);
  for (size_t i = 0; i < derived.size(); ++i)
    if (!std::ranges::equal(derived[i],
                            std::span(static_cast<const std::byte *>(buffers[firstDerived + i]), derived[i].size())))
      return broken("the program writes to derived buffer " + std::to_string(i));
  for (const GuardedMemory &buffer : memory)
    if (!buffer.intact())
      return broken("the program writes around a buffer");
  for (size_t i = 0; i < arguments.size(); ++i)
    if (ofArgument[i] && !plan_.args[i].donated &&
        !std::equal(arguments[i].bytes.begin(), arguments[i].bytes.end(), ofArgument[i]))
      return broken("the program writes to argument " + std::to_string(i) + ", which is not donated");
  if (code != 0) {
    if (code < 0 || static_cast<size_t>(code) > plan_.checks.size())
      return broken("the program reports a check that its plan does not have");
    return core::Status::error(core::ErrorCode::OutOfRange, plan_.checks[code - 1].message);
  }
  Tensors results;
  for (size_t i = 0; i < ofResult.size(); ++i) {
    ir::HostTensor &result = results.emplace_back(plan_.results[i].type);
    std::copy_n(ofResult[i], result.bytes.size(), result.bytes.begin());
  }
  return results;
}

compiler::CompileOptions fuzz::portableOptions(bool fusion) {
  compiler::CompileOptions options;
  options.fusion = fusion;
  return options;
}

compiler::CompileOptions fuzz::hostOptions(bool fusion) {
  compiler::CompileOptions options = portableOptions(fusion);
  if (const auto &target = runtime::hostCpuTarget()) {
    options.target.cpu = target->cpu;
    options.target.features = target->features;
  }
  return options;
}
