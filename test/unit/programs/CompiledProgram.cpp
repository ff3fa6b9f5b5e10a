#include "test/unit/programs/CompiledProgram.h"

#include "runtime/Devices/Cpu/CpuTarget.h"
#include "test/unit/programs/GuardedMemory.h"

#include <catch2/catch.hpp>
#include <thread>

using namespace burn;
using namespace burn::test;

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

} // namespace

core::Expected<std::unique_ptr<CompiledProgram>> CompiledProgram::compile(mlir::ModuleOp module,
                                                                          const compiler::CompileOptions &options) {
  mlir::OwningOpRef<mlir::ModuleOp> copy = module.clone();
  core::Expected<compiler::Executable> executable = compiler::compile(*copy, options);
  if (!executable)
    return executable.status();
  auto program = std::make_unique<CompiledProgram>();
  // The plan is used as the runtime sees it: written and read back.
  core::Expected<core::Plan> plan = core::parsePlan(core::serialize(executable->plan));
  if (!plan)
    return plan.status();
  program->plan_ = std::move(*plan);
  auto file = runtime::memoryFile(std::as_bytes(std::span(executable->object.data(), executable->object.size())));
  if (!file)
    return file.status();
  auto loaded = runtime::NativeModule::load(std::move(*file));
  if (!loaded)
    return loaded.status();
  program->module_ = std::move(*loaded);
  program->run_ = reinterpret_cast<burn_run_fn>(program->module_->symbol(BURN_RUN_SYMBOL));
  if (!program->run_)
    return core::Status::error(core::ErrorCode::Internal, "the program has no entry point");
  return program;
}

core::Expected<Tensors> CompiledProgram::run(std::span<const ir::HostTensor> arguments, Loops loops) const {
  REQUIRE(arguments.size() == plan_.args.size());
  std::vector<std::byte> scalars(plan_.scalarBytes);
  std::vector<GuardedMemory> memory;
  std::vector<void *> buffers;
  std::vector<std::byte *> ofArgument;
  memory.reserve(arguments.size() + plan_.results.size() + 1);
  for (size_t i = 0; i < arguments.size(); ++i) {
    const core::PlanArg &arg = plan_.args[i];
    REQUIRE(arguments[i].type == arg.type);
    const std::vector<std::byte> &bytes = arguments[i].bytes;
    if (arg.kind == core::ArgKind::Scalar) {
      std::memcpy(scalars.data() + arg.offset, bytes.data(), bytes.size());
      ofArgument.push_back(nullptr);
      continue;
    }
    GuardedMemory &buffer = memory.emplace_back(bytes.size(), std::byte(0), byteWidth(arg.type.dtype));
    std::copy(bytes.begin(), bytes.end(), buffer.data());
    buffers.push_back(buffer.data());
    ofArgument.push_back(buffer.data());
  }
  std::vector<std::byte *> ofResult;
  for (const core::PlanResult &result : plan_.results) {
    switch (result.source) {
    case core::ResultSource::Fresh:
      ofResult.push_back(
          memory
              .emplace_back(static_cast<size_t>(result.type.byteSize()), std::byte(0xc3), byteWidth(result.type.dtype))
              .data());
      break;
    case core::ResultSource::Donated:
      REQUIRE(plan_.args[result.index].donated);
      [[fallthrough]];
    case core::ResultSource::Arg:
      REQUIRE(ofArgument[result.index]);
      ofResult.push_back(ofArgument[result.index]);
      break;
    case core::ResultSource::Result:
      REQUIRE(result.index < ofResult.size());
      ofResult.push_back(ofResult[result.index]);
      break;
    }
    buffers.push_back(ofResult.back());
  }
  // Scratch memory holds NaN at first: whoever reads before writing is found out.
  GuardedMemory &arena = memory.emplace_back(plan_.arenaBytes, std::byte(0xff), core::kArenaAlignment);

  burn_rt rt{BURN_ABI_VERSION, nullptr, loops == Loops::Backward ? runBackward : runOnThreads, nullptr};
  const int32_t code =
      run_(loops == Loops::Serial ? nullptr : &rt, buffers.data(), nullptr, scalars.data(), arena.data());
  for (const GuardedMemory &buffer : memory)
    REQUIRE(buffer.intact());
  for (size_t i = 0; i < arguments.size(); ++i)
    if (ofArgument[i] && !plan_.args[i].donated && !arguments[i].bytes.empty())
      REQUIRE(std::memcmp(ofArgument[i], arguments[i].bytes.data(), arguments[i].bytes.size()) == 0);
  if (code != 0) {
    REQUIRE(code > 0);
    REQUIRE(static_cast<size_t>(code) <= plan_.checks.size());
    return core::Status::error(core::ErrorCode::OutOfRange, plan_.checks[code - 1].message);
  }
  Tensors results;
  for (size_t i = 0; i < ofResult.size(); ++i) {
    ir::HostTensor &result = results.emplace_back(plan_.results[i].type);
    std::copy_n(ofResult[i], result.bytes.size(), result.bytes.begin());
  }
  return results;
}

compiler::CompileOptions test::portableOptions(bool fusion) {
  compiler::CompileOptions options;
  options.fusion = fusion;
  return options;
}

compiler::CompileOptions test::hostOptions(bool fusion) {
  compiler::CompileOptions options;
  options.fusion = fusion;
  const auto &target = runtime::hostCpuTarget();
  REQUIRE(target);
  options.target.cpu = target->cpu;
  options.target.features = target->features;
  return options;
}
