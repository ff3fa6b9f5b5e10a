#include "passes/Targets/Gpu/GpuExecutable.h"

#include "passes/Lowering/GpuAddresses.h"
#include "passes/Lowering/LaunchPlan.h"
#include "passes/Targets/Gpu/SpirvValidation.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVDialect.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/Target/SPIRV/Serialization.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace burn;
using namespace burn::compiler;
using core::ErrorCode;
using core::GpuMemory;
using core::GpuStepKind;
using core::Status;

namespace {

class PlanWriter {
public:
  PlanWriter(ModuleOp module, const core::Plan &plan, bool validate)
      : module_(module), plan_(plan), validate_(validate) {
    for (const core::PlanArg &arg : plan.args)
      if (arg.kind == core::ArgKind::Buffer)
        result_.bufferBytes.push_back(arg.type.byteSize());
    for (const core::PlanResult &result : plan.results)
      result_.bufferBytes.push_back(result.type.byteSize());
    result_.arenaBytes = plan.arenaBytes;
    result_.scalarBytes = plan.scalarBytes;
    result_.features = module->getAttrOfType<IntegerAttr>(kGpuFeaturesAttr).getInt();
    for (auto data : module.getOps<LLVM::GlobalOp>()) {
      constants_[data.getSymName()] = result_.constants.size();
      const StringRef bytes = cast<StringAttr>(data.getValueOrNull()).getValue();
      const auto *first = reinterpret_cast<const std::byte *>(bytes.data());
      result_.constants.emplace_back(first, first + bytes.size());
    }
  }

  core::Expected<core::GpuPlan> write() {
    for (auto shader : module_.getOps<spirv::ModuleOp>()) {
      SmallVector<uint32_t, 0> words;
      if (failed(spirv::serialize(shader, words)))
        return Status::error(ErrorCode::Internal, "a kernel cannot be written as SPIR-V");
      if (validate_)
        if (Status status = validateSpirv({words.data(), words.size()}); !status)
          return status;
      for (auto func : shader.getOps<spirv::FuncOp>())
        modules_[func.getSymName()] = result_.modules.size();
      shaders_.push_back(shader);
      takesZero_.push_back(llvm::any_of(shader.getOps<spirv::GlobalVariableOp>(), [](spirv::GlobalVariableOp variable) {
        return variable.storageClass() == spirv::StorageClass::PushConstant;
      }));
      result_.modules.push_back({std::vector<uint32_t>(words.begin(), words.end())});
    }
    result_.steps = steps(module_->getAttrOfType<ArrayAttr>(kLaunchesAttr));
    return std::move(result_);
  }

private:
  static int64_t number(DictionaryAttr step, StringRef name) { return step.getAs<IntegerAttr>(name).getInt(); }

  std::vector<core::GpuStep> steps(ArrayAttr list) {
    std::vector<core::GpuStep> result;
    for (Attribute attribute : list)
      result.push_back(step(cast<DictionaryAttr>(attribute)));
    return result;
  }

  core::GpuStep step(DictionaryAttr entry) {
    core::GpuStep step;
    if (entry.contains("kernel")) {
      step.kernel = addKernel(entry);
      step.pushConstants.assign(result_.kernels.back().pushConstantBytes / 4, 0);
      for (auto [size, group] : llvm::zip(entry.getAs<ArrayAttr>("grid"), step.grid))
        group = cast<IntegerAttr>(size).getInt();
      for (auto [ref, bytes] : llvm::zip_equal(entry.getAs<ArrayAttr>("buffers"), entry.getAs<ArrayAttr>("bytes")))
        step.ranges.push_back(range(ref, cast<IntegerAttr>(bytes).getInt()));
    } else if (entry.contains("copy")) {
      step.kind = GpuStepKind::Copy;
      for (Attribute ref : entry.getAs<ArrayAttr>("buffers"))
        step.ranges.push_back(range(ref, number(entry, "copy")));
    } else if (entry.contains("host_call")) {
      step.kind = GpuStepKind::Print;
      step.kernel = number(entry, "host_call");
      step.ranges.push_back(
          range(entry.getAs<ArrayAttr>("buffers")[0], plan_.hostCalls[step.kernel].operands[0].byteSize()));
    } else if (entry.contains("bounds")) {
      step.kind = GpuStepKind::For;
      step.indexBytes = number(entry, "bits") / 8;
      step.check = number(entry, "first_check");
      for (Attribute bound : entry.getAs<ArrayAttr>("bounds"))
        step.ranges.push_back(range(bound, step.indexBytes));
      step.ranges.push_back(range(entry.get("index"), step.indexBytes));
      step.first = steps(entry.getAs<ArrayAttr>("body"));
    } else {
      const bool isLoop = entry.contains("cond");
      step.kind = isLoop ? GpuStepKind::While : GpuStepKind::If;
      step.ranges.push_back(range(entry.get("predicate"), 1));
      step.first = steps(entry.getAs<ArrayAttr>(isLoop ? "body" : "then"));
      step.second = steps(entry.getAs<ArrayAttr>(isLoop ? "cond" : "else"));
    }
    return step;
  }

  uint32_t addKernel(DictionaryAttr entry) {
    core::GpuKernel kernel;
    kernel.entry = entry.getAs<StringAttr>("kernel").str();
    kernel.module = modules_.lookup(kernel.entry);
    kernel.workgroup = {uint32_t(number(entry, "workgroup")), 1, 1};
    for (Attribute access : entry.getAs<ArrayAttr>("access"))
      kernel.bindings.push_back(cast<IntegerAttr>(access).getInt());
    kernel.pushConstantBytes = takesZero_[kernel.module] ? 4 : 0;
    if (auto arguments = shaders_[kernel.module]->getAttrOfType<IntegerAttr>(kArgumentsAttr)) {
      kernel.arguments = static_cast<core::GpuArguments>(arguments.getInt());
      result_.features |= core::kGpuAddresses | core::kGpuInt64;
      kernel.pushConstantBytes = 4 * shaders_[kernel.module]->getAttrOfType<IntegerAttr>(kWordsAttr).getInt();
    }
    kernel.workgroupMemoryBytes = number(entry, "shared");
    kernel.subgroupSize = number(entry, "subgroup");
    kernel.cluster = number(entry, "cluster");
    result_.kernels.push_back(std::move(kernel));
    return result_.kernels.size() - 1;
  }

  core::GpuRange range(Attribute attribute, uint64_t bytes) {
    const BufferRef ref = toBufferRef(attribute);
    switch (ref.kind) {
    case BufferRef::Buffer:
      return {GpuMemory::Buffer, uint32_t(ref.index), 0, bytes};
    case BufferRef::Scalar:
      return {GpuMemory::Scalars, 0, uint64_t(ref.index), bytes};
    case BufferRef::Arena:
      return {GpuMemory::Arena, 0, uint64_t(ref.index), bytes};
    case BufferRef::Constant:
      return {GpuMemory::Constant, constants_.lookup(ref.symbol), 0, bytes};
    case BufferRef::Error:
      break;
    }
    return {GpuMemory::Error, 0, 0, bytes};
  }

  ModuleOp module_;
  const core::Plan &plan_;
  bool validate_;
  core::GpuPlan result_;
  llvm::StringMap<uint32_t> constants_, modules_; // by symbol; modules by entry point
  SmallVector<spirv::ModuleOp> shaders_;          // by module
  std::vector<bool> takesZero_;                   // for each module, whether it has the push constant 0
};

} // namespace

core::Expected<core::GpuPlan> compiler::makeGpuPlan(ModuleOp module, const core::Plan &plan, bool validate) {
  return PlanWriter(module, plan, validate).write();
}
