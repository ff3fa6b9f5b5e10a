#include "tools/burn-cache/Show.h"

#include <burn/error.h>

#include "runtime/Core/Executable.h"
#include "runtime/Core/GpuPlan.h"
#include "runtime/Core/Spirv.h"

#include <memory>

#include <fmt/format.h>
#include <spirv-tools/libspirv.h>

namespace burn::tools {
namespace {

using namespace core;

template <typename T> T orThrow(Expected<T> value) {
  if (!value)
    throw Error(value.status().code(), value.status().message());
  return std::move(*value);
}

class Printer {
public:
  explicit Printer(const Plan &plan) : plan_(plan) {}

  template <typename... Args> void line(int depth, fmt::format_string<Args...> format, Args &&...args) {
    text_.append(2 * depth, ' ');
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
    text_ += '\n';
  }

  void printPlan() {
    for (size_t i = 0; i < plan_.args.size(); ++i) {
      const PlanArg &arg = plan_.args[i];
      const std::string place = arg.kind == ArgKind::Scalar ? fmt::format(", scalar at byte {}", arg.offset)
                                : arg.donated               ? ", donated"
                                : arg.frozen                ? ", frozen"
                                                            : "";
      line(0, "argument {}: {}{}{}", i, arg.type.str(), place, arg.name.empty() ? "" : ", " + arg.name);
    }
    for (size_t i = 0; i < plan_.results.size(); ++i) {
      const PlanResult &result = plan_.results[i];
      const char *source = result.source == ResultSource::Fresh     ? ""
                           : result.source == ResultSource::Donated ? ", in the memory of argument "
                           : result.source == ResultSource::Arg     ? ", argument "
                                                                    : ", result ";
      line(0, "result {}: {}{}{}", i, result.type.str(), source,
           result.source == ResultSource::Fresh ? "" : std::to_string(result.index));
    }
    line(0, "memory: {} bytes of scratch, {} bytes of scalars, {} bytes from forward to backward pass",
         plan_.arenaBytes, plan_.scalarBytes, plan_.savedBytes);
    for (size_t i = 0; i < plan_.derived.size(); ++i)
      line(0, "derived {}: {}, from arguments {}", i, plan_.derived[i].type.str(),
           fmt::join(plan_.derived[i].sources, ", "));
    if (!plan_.derived.empty())
      line(0, "memory to derive: {} bytes of scratch", plan_.prepareArenaBytes);
    for (size_t i = 0; i < plan_.kernels.size(); ++i) {
      const PlanKernel &kernel = plan_.kernels[i];
      line(0, "kernel {}: {}, reads {} bytes, writes {}: {}", i, kernel.name, kernel.bytesRead, kernel.bytesWritten,
           fmt::join(kernel.ops, " "));
    }
    for (size_t i = 0; i < plan_.checks.size(); ++i)
      line(0, "check {}: {}", i, plan_.checks[i].message);
  }

  void print(const GpuPlan &code) {
    std::string features;
    for (uint32_t bit = 1; bit & kGpuAllFeatures; bit <<= 1)
      if (code.features & bit)
        features.append(" ").append(gpuFeatureName(static_cast<GpuFeature>(bit)));
    line(0, "features:{}", features.empty() ? " none" : features);
    line(0, "steps:");
    print(code, code.steps, 1);
    for (const GpuKernel &kernel : code.kernels) {
      line(0, "");
      const std::string part =
          kernel.cluster == kGpuNoCluster ? "" : fmt::format(", a part of kernel {}", kernel.cluster);
      line(0, "shader {}{}: {} bindings, {} bytes of workgroup memory", kernel.entry, part, kernel.bindings.size(),
           kernel.workgroupMemoryBytes);
      text_ += disassemble(code.modules[kernel.module].words);
    }
  }

  std::string take() { return std::move(text_); }

private:
  std::string nameOf(const GpuRange &range) const {
    std::string name;
    switch (range.memory) {
    case GpuMemory::Buffer: {
      // Buffers are the buffer arguments, then the results.
      uint32_t number = range.index;
      for (size_t i = 0; i < plan_.args.size() && name.empty(); ++i)
        if (plan_.args[i].kind == ArgKind::Buffer && number-- == 0)
          name = fmt::format("argument {}", i);
      if (name.empty())
        name = fmt::format("result {}", number);
      break;
    }
    case GpuMemory::Arena:
      name = "scratch";
      break;
    case GpuMemory::Constant:
      name = fmt::format("constant {}", range.index);
      break;
    case GpuMemory::Scalars:
      name = "scalars";
      break;
    case GpuMemory::Error:
      name = "error";
      break;
    }
    return fmt::format("{}[{}, {})", name, range.offset, range.offset + range.bytes);
  }

  void print(const GpuPlan &code, const std::vector<GpuStep> &steps, int depth) {
    for (const GpuStep &step : steps) {
      std::vector<std::string> ranges;
      for (const GpuRange &range : step.ranges)
        ranges.push_back(nameOf(range));
      switch (step.kind) {
      case GpuStepKind::Launch: {
        const GpuKernel &kernel = code.kernels[step.kernel];
        line(depth, "launch {}, {} groups of {}: {}", kernel.entry, fmt::join(step.grid, "x"), kernel.workgroup[0],
             fmt::join(ranges, ", "));
        break;
      }
      case GpuStepKind::Copy:
        line(depth, "copy {} to {}", ranges[0], ranges[1]);
        break;
      case GpuStepKind::If:
        line(depth, "if {}", ranges[0]);
        print(code, step.first, depth + 1);
        line(depth, "else");
        print(code, step.second, depth + 1);
        break;
      case GpuStepKind::For:
        line(depth, "for {} from {} to {} by {}", ranges[3], ranges[0], ranges[1], ranges[2]);
        print(code, step.first, depth + 1);
        break;
      case GpuStepKind::While:
        line(depth, "loop");
        print(code, step.second, depth + 1);
        line(depth, "while {}", ranges[0]);
        print(code, step.first, depth + 1);
        break;
      case GpuStepKind::Print:
        if (step.kernel < plan_.hostCalls.size())
          line(depth, "print {} as '{}'", ranges[0], plan_.hostCalls[step.kernel].kernel);
        break;
      }
    }
  }

  static std::string disassemble(const std::vector<uint32_t> &words) {
    const std::unique_ptr<spv_context_t, void (*)(spv_context)> context(spvContextCreate(SPV_ENV_VULKAN_1_1),
                                                                        spvContextDestroy);
    constexpr uint32_t options = SPV_BINARY_TO_TEXT_OPTION_INDENT | SPV_BINARY_TO_TEXT_OPTION_FRIENDLY_NAMES |
                                 SPV_BINARY_TO_TEXT_OPTION_NO_HEADER;
    spv_text text = nullptr;
    spv_diagnostic diagnostic = nullptr;
    const spv_result_t result = spvBinaryToText(context.get(), words.data(), words.size(), options, &text, &diagnostic);
    const std::unique_ptr<spv_text_t, void (*)(spv_text)> textOwner(text, spvTextDestroy);
    const std::unique_ptr<spv_diagnostic_t, void (*)(spv_diagnostic)> owner(diagnostic, spvDiagnosticDestroy);
    if (result != SPV_SUCCESS && declaresCapability(words, kSpirvCooperativeMatrix))
      return fmt::format("; {} words with matrices, which the SPIRV-Tools of this machine cannot print\n",
                         words.size());
    if (result != SPV_SUCCESS)
      throw Error(ErrorCode::DataLoss,
                  fmt::format("a shader is no SPIR-V: {}", diagnostic ? diagnostic->error : "no reason is given"));
    return std::string(text->str, text->length);
  }

  const Plan &plan_;
  std::string text_;
};

} // namespace

std::string show(const CacheEntryContents &entry) {
  const CacheEntryInfo &info = entry.info;
  std::string head =
      fmt::format("{}: {} for {}, {} bytes of code\n", info.file, info.source, info.cpu, entry.code.size());
  if (info.source == "winner") {
    const auto text = [](const std::vector<std::byte> &bytes) {
      return std::string(reinterpret_cast<const char *>(bytes.data()), bytes.size());
    };
    return fmt::format("{}: winner for {}\n{}\n{}\n{}\n", info.file, info.cpu, info.kernel, text(entry.plan),
                       text(entry.code));
  }
  if (entry.plan.empty())
    return head + "what a driver keeps of another plan\n";
  const Plan plan = orThrow(parsePlan(entry.plan));
  Printer printer(plan);
  printer.printPlan();
  if (isGpuPlan(entry.code))
    printer.print(orThrow(parseGpuPlan(entry.code)));
  return head + printer.take();
}

} // namespace burn::tools
