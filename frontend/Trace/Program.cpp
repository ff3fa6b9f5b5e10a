#include "frontend/Trace/Program.h"

#include "frontend/Trace/Debug.h"
#include "frontend/Trace/Interpreted.h"
#include "frontend/Trace/PlanTable.h"
#include "runtime/Compiler/Plans.h"

#include <burn/compiler_api.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

namespace burn::trace {

using core::Expected;
using core::Status;

namespace {

class NativeProgram : public Program {
public:
  explicit NativeProgram(runtime::PlanPointer plan) : plan_(std::move(plan)) {
    for (const core::PlanArg &arg : plan_->plan().args)
      if (arg.kind == core::ArgKind::Scalar)
        scalarOffsets.push_back(arg.offset);
    scalarBytes = plan_->plan().scalarBytes;
    savedBytes = plan_->plan().savedBytes;
    for (const core::PlanCheck &check : plan_->plan().checks)
      checkOps.push_back(check.op);
    readsValues = plan_->deviceCode() && plan_->deviceCode()->readsValues();
  }

  Status execute(std::span<runtime::BufferRef> arguments, const void *scalars,
                 std::span<runtime::BufferRef> results) const override {
    return plan_->execute(arguments, scalars, results);
  }

private:
  runtime::PlanPointer plan_;
};

// Compiled code, from the cache where it is there.
class NativeBackend : public Backend {
public:
  NativeBackend() {
    const DebugOptions &debug = debugOptions();
    const Expected<runtime::PlanOptions> options = runtime::environmentOptions();
    environment_ = options.status();
    if (options)
      settings_.options = *options;
    settings_.options.fusion = !debug.opByOp();
    settings_.debug = (debug.ir ? BURN_DEBUG_IR : 0u) | (debug.assembly ? BURN_DEBUG_ASM : 0u);
    if (settings_.debug) {
      settings_.dumpDirectory = debug.dumpDirectory;
      std::error_code ignored; // the compiler says what it cannot write
      std::filesystem::create_directories(debug.dumpDirectory, ignored);
    }
  }

  Expected<std::shared_ptr<const Program>> prepare(const core::Graph &graph) override {
    return settings_.options.deterministic || settings_.debug ? compile(graph, nullptr) : start(graph);
  }
  Expected<std::shared_ptr<const Program>> prepareFor(runtime::Device &device, const core::Graph &graph) override {
    return compile(graph, &device);
  }

private:
  // Compiles in the background and runs op by op meanwhile, where a run may give other bits than the next.
  Expected<std::shared_ptr<const Program>> start(const core::Graph &graph) {
    Expected<std::shared_ptr<const runtime::PendingPlan>> pending =
        runtime::startPlan(core::serialize(graph), settings_);
    if (!pending)
      return pending.status();
    if (!(*pending)->isDone.load(std::memory_order_acquire)) {
      Expected<std::shared_ptr<const Program>> tiered = makeTieredProgram(graph, *pending);
      // The compile tells what is wrong with a program, and makes one that cannot run op by op.
      return tiered ? tiered : compile(graph, nullptr);
    }
    const Expected<runtime::PlanPointer> &plan = *(*pending)->result;
    if (!plan)
      return plan.status();
    return makeNativeProgram(*plan);
  }

  Expected<std::shared_ptr<const Program>> compile(const core::Graph &graph, runtime::Device *device) {
    if (!environment_)
      return environment_;
    // Names dumps in the order of compilation.
    runtime::CompileSettings settings = settings_;
    settings.device = device;
    if (settings.debug)
      settings.name = "step-" + std::to_string(++count_);
    Expected<runtime::PlanPointer> plan = runtime::planForGraph(core::serialize(graph), settings);
    if (!plan)
      return plan.status();
    return makeNativeProgram(std::move(*plan));
  }

  runtime::CompileSettings settings_;
  core::Status environment_;
  std::atomic<int> count_{0};
};

Backend *replacement = nullptr;

} // namespace

std::shared_ptr<const Program> makeNativeProgram(runtime::PlanPointer plan) {
  return std::make_shared<NativeProgram>(std::move(plan));
}

Expected<std::shared_ptr<const Program>> Backend::prepareFor(runtime::Device &device, const core::Graph &) {
  return Status::error(core::ErrorCode::Unsupported, "the interpreter does not run on " + device.name() +
                                                         "; move its operands to the CPU with to(Device(\"cpu\"))");
}

Backend &backend() {
  if (replacement)
    return *replacement;
  if (debugOptions().interpret) {
    static InterpreterBackend interpreter;
    return interpreter;
  }
  static NativeBackend native;
  return native;
}

void setBackend(Backend *backend) {
  replacement = backend;
  planTable().clear();
}

} // namespace burn::trace
