#include "tools/burn-fuzz/DeviceOracle.h"

#include "passes/Pipelines/Compile.h"
#include "runtime/Executable/LoadedPlan.h"
#include "tools/burn-fuzz/OpByOp.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace burn;
using namespace burn::fuzz;

namespace {

core::Status broken(std::string message) { return core::Status::error(core::ErrorCode::Internal, std::move(message)); }

class DeviceProgram {
public:
  static core::Expected<DeviceProgram> compile(ModuleOp module, GuardedDevice &device,
                                               const compiler::CompileOptions &options) {
    OwningOpRef<ModuleOp> copy = module.clone();
    auto executable = compiler::compile(*copy, options);
    if (!executable)
      return executable.status();
    auto plan = runtime::LoadedPlan::load(
        device, std::as_bytes(std::span(executable->object.data(), executable->object.size())),
        core::serialize(executable->plan), {});
    if (!plan)
      return plan.status();
    return DeviceProgram(device, std::move(*plan));
  }

  /// As CompiledProgram::run.
  core::Expected<Tensors> run(const Tensors &arguments) const {
    const core::Plan &plan = plan_->plan();
    if (arguments.size() != plan.args.size())
      return broken("the plan has another number of arguments than the program");
    std::vector<std::byte> scalars(plan.scalarBytes);
    std::vector<runtime::BufferRef> buffers;
    std::vector<size_t> ofBuffer;
    size_t poisoned = plan.arenaBytes + (1 << 16);
    for (size_t i = 0; i < arguments.size(); ++i) {
      const std::vector<std::byte> &bytes = arguments[i].bytes;
      if (arguments[i].type != plan.args[i].type)
        return broken("the plan has another type of argument " + std::to_string(i));
      if (plan.args[i].kind == core::ArgKind::Scalar) {
        std::copy(bytes.begin(), bytes.end(), scalars.begin() + plan.args[i].offset);
        continue;
      }
      auto buffer = runtime::Buffer::allocate(bytes.size(), &device_);
      if (!buffer)
        return buffer.status();
      if (core::Status status = device_.upload(bytes.data(), **buffer); !status)
        return status;
      buffers.push_back(std::move(*buffer));
      ofBuffer.push_back(i);
    }
    for (const core::PlanResult &result : plan.results)
      poisoned += static_cast<size_t>(result.type.byteSize()) + (1 << 12);
    // Whoever reads scratch memory before writing to it is found out.
    if (core::Status status = device_.poisonFreeMemory(poisoned); !status)
      return status;

    std::vector<runtime::BufferRef> results(plan.results.size());
    core::Status status = plan_->execute(buffers, scalars.data(), results);
    Tensors values;
    for (size_t i = 0; i < results.size() && status; ++i)
      status = results[i]->settle();
    for (size_t i = 0; i < results.size() && status; ++i)
      status = readInto(*results[i], values.emplace_back(plan.results[i].type));
    for (size_t i = 0; i < buffers.size(); ++i) {
      const ir::HostTensor &given = arguments[ofBuffer[i]];
      if (plan.args[ofBuffer[i]].donated)
        continue;
      ir::HostTensor after(given.type);
      if (core::Status read = readInto(*buffers[i], after); !read)
        return read;
      if (after.bytes != given.bytes)
        return broken("the program writes to argument " + std::to_string(ofBuffer[i]) + ", which is not donated");
    }
    buffers.clear();
    results.clear();
    if (device_.takeDamage())
      return broken("the program writes around a buffer");
    if (!status)
      return status;
    return values;
  }

private:
  DeviceProgram(GuardedDevice &device, std::shared_ptr<const runtime::LoadedPlan> plan)
      : device_(device), plan_(std::move(plan)) {}

  core::Status readInto(runtime::Buffer &buffer, ir::HostTensor &value) const {
    return device_.download(buffer, value.bytes.data());
  }

  GuardedDevice &device_;
  std::shared_ptr<const runtime::LoadedPlan> plan_;
};

// The reason of a refusal without what differs from program to program, or empty where this is none. Refusals name the
// GPU; another error of the compiler is a fault of it.
std::string refusalOf(const core::Status &status) {
  if (status.code() != core::ErrorCode::Unsupported)
    return "";
  StringRef line = StringRef(status.message()).split('\n').first;
  if (!line.contains("GPU"))
    return "";
  if (const size_t begin = line.find("error: "); begin != StringRef::npos)
    line = line.drop_front(begin + StringRef("error: ").size());
  std::string reason;
  for (const char c : line)
    if (!llvm::isDigit(c))
      reason.push_back(c);
    else if (reason.empty() || reason.back() != '#')
      reason.push_back('#');
  return reason;
}

} // namespace

std::string fuzz::findFailureOnDevice(const Program &program, GuardedDevice &device, Coverage *coverage) {
  ModuleOp module = *program.module;
  const Tensors &arguments = program.arguments;
  std::set<std::string> ops = opsIn(module), kinds;
  if (core::Status status = compiler::expandGradients(module); !status)
    return "differentiation: " + status.message();
  ops.merge(opsIn(module));

  compiler::CompileOptions options;
  options.gpu = device.capabilities();
  options.validate = true;
  const auto failure = [&](const char *check, const core::Status &status) -> std::string {
    const std::string reason = refusalOf(status);
    if (reason.empty())
      return std::string(check) + ": " + status.message();
    if (coverage)
      ++coverage->refusals[reason];
    return "";
  };
  options.fusion = false;
  OwningOpRef<ModuleOp> everything = returnEverything(module);
  auto unfused = DeviceProgram::compile(*everything, device, options);
  if (!unfused)
    return failure("unfused", unfused.status());
  auto values = unfused->run(arguments);
  if (!values)
    return "unfused: " + values.status().message();
  if (const auto lines = compareOpByOp(functionOf(module), arguments, *values); !lines.empty())
    return "outside of bounds: " + llvm::join(lines, "\n");

  const Tensors expected = resultsFrom(module, arguments, *values);
  options.fusion = true;
  options.afterStage = [&](StringRef stage, ModuleOp after) {
    if (stage == "fused")
      kinds = kernelKindsIn(after);
  };
  auto fused = DeviceProgram::compile(module, device, options);
  if (!fused)
    return failure("fused", fused.status());
  // Twice: a race need not show the first time.
  for (const char *check : {"fused against unfused: ", "a second run: "}) {
    auto results = fused->run(arguments);
    if (!results)
      return check + results.status().message();
    if (const auto lines = compareBits(expected, *results); !lines.empty())
      return check + llvm::join(lines, "\n");
  }
  if (coverage)
    coverage->count(ops, kinds);
  return "";
}
