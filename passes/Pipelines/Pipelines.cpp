#include "passes/Pipelines/Pipelines.h"

#include "passes/Autodiff/Passes.h"
#include "passes/Codegen/Passes.h"
#include "passes/Graph/Fuse.h"
#include "passes/Graph/Passes.h"
#include "passes/Lowering/Passes.h"
#include "passes/Targets/Cpu/LowerToLLVM.h"
#include "runtime/Core/GpuPlan.h"
#include "runtime/Core/GpuTarget.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace burn::compiler;

namespace {

void verify(OpPassManager &pm, Stage stage) {
  VerifyStageOptions options;
  options.stage = stage;
  pm.addPass(createVerifyStage(options));
}

} // namespace

void burn::compiler::buildDifferentiatePipeline(OpPassManager &pm) {
  // Gradients flow through calls as through the code that they stand for.
  pm.addPass(createInlineCalls());
  // First of what changes ops: `wrt` names values, and merging two equal ones would change a gradient.
  pm.addNestedPass<func::FuncOp>(createDifferentiate());
  verify(pm, Stage::Differentiated);
}

void burn::compiler::buildSimplifyPipeline(OpPassManager &pm) {
  // Before decomposition, so that what a composite never needed is not taken apart.
  pm.addNestedPass<func::FuncOp>(createSimplify());
  verify(pm, Stage::Simplified);
}

static void buildDecompose(OpPassManager &pm, bool native) {
  DecomposeOptions options;
  options.native = native;
  if (native) {
    // Layouts are those of primitive ops, and decide which convolutions have kernels that skip the gaps of dilated
    // inputs; the others are taken apart behind it.
    options.keepDilated = true;
    pm.addNestedPass<func::FuncOp>(createDecompose(options));
    pm.addNestedPass<func::FuncOp>(createSimplify());
    pm.addNestedPass<func::FuncOp>(createLayout());
    // Layouts decide where channels are last.
    pm.addNestedPass<func::FuncOp>(createExpandExtrema());
    options.keepDilated = false;
  }
  pm.addNestedPass<func::FuncOp>(createDecompose(options));
  // Forward and backward composites share parts, which are equal values only now.
  pm.addNestedPass<func::FuncOp>(createSimplify());
  verify(pm, Stage::Decomposed);
}

void burn::compiler::buildDecomposePipeline(OpPassManager &pm) { buildDecompose(pm, /*native=*/false); }

void burn::compiler::buildCpuDecomposePipeline(OpPassManager &pm) { buildDecompose(pm, /*native=*/true); }

static void buildFuse(OpPassManager &pm, bool fusion, unsigned mostBuffers, bool forCpu) {
  FuseOptions options;
  options.enabled = fusion;
  options.convertOnRead = forCpu;
  options.recompute = forCpu;
  options.turnReductions = forCpu;
  pm.addNestedPass<func::FuncOp>(createFuse(options, mostBuffers));
  verify(pm, Stage::Fused);
}

void burn::compiler::buildFusePipeline(OpPassManager &pm, bool fusion) {
  // Before ops are spread over kernels that compute more than what never changes.
  pm.addPass(createHoistFrozen());
  buildFuse(pm, fusion, 0, /*forCpu=*/true);
}

void burn::compiler::buildGpuFusePipeline(OpPassManager &pm, bool fusion, llvm::StringRef target) {
  // A malformed description is an error of the passes that lower to it.
  const auto gpu = burn::core::GpuTarget::parse(target);
  buildFuse(pm, fusion, gpu ? gpu->fusedBuffers() : 0, /*forCpu=*/false);
}

void burn::compiler::buildTilePipeline(OpPassManager &pm, const CpuTarget &target, const TileOptions &tiles,
                                       const TuningOptions &tuning) {
  // On fused functions, so that a tiling is seen next to what follows the contraction.
  TileMatmulOptions options;
  options.triple = target.triple;
  options.cpu = target.cpu;
  options.features = target.features;
  options.deterministic = tiles.deterministic;
  options.fastMath = tiles.fastMath;
  options.manyThreads = tiles.manyThreads;
  pm.addNestedPass<func::FuncOp>(createTileMatmul(options, tuning));
  // The tilings say which operands are best packed beforehand.
  pm.addPass(createPackFrozen());
}

void burn::compiler::buildPlanPipeline(OpPassManager &pm) {
  // Before memory is planned: what runs at the same time shares none.
  pm.addNestedPass<func::FuncOp>(createGroupKernels());
  pm.addNestedPass<func::FuncOp>(createPlanMemory());
  verify(pm, Stage::Planned);
}

void burn::compiler::buildKernelPipeline(OpPassManager &pm, const CpuTarget &target) {
  LowerKernelsOptions options;
  options.triple = target.triple;
  options.cpu = target.cpu;
  options.features = target.features;
  pm.addPass(createLowerKernels(options));
}

void burn::compiler::buildGpuPlanPipeline(OpPassManager &pm) {
  PlanMemoryOptions options;
  options.alignment = core::kGpuBindingAlignment;
  pm.addNestedPass<func::FuncOp>(createPlanMemory(options));
  verify(pm, Stage::Planned);
}

void burn::compiler::buildGpuKernelPipeline(OpPassManager &pm, llvm::StringRef target) {
  LowerKernelsOptions lowering;
  lowering.scalar = true;
  lowering.gpuTarget = target.str();
  pm.addPass(createLowerKernels(lowering));
  // Where each argument of a kernel lies is known now, so that bindings can be made of them.
  GpuKernelsOptions options;
  options.target = target.str();
  pm.addPass(createGpuKernels(options));
}

void burn::compiler::buildGpuCodePipeline(OpPassManager &pm, llvm::StringRef target) {
  // Index arithmetic on constants is folded first: shaders are compiled by the driver, at run time.
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  GpuToSpirvOptions options;
  options.target = target.str();
  pm.addPass(createGpuToSpirv(options));
}

void burn::compiler::buildCodePipeline(OpPassManager &pm, llvm::StringRef entry, bool debugInfo,
                                       llvm::StringRef prepareEntry) {
  LowerToLLVMOptions lowering;
  lowering.debugInfo = debugInfo;
  buildLowerToLLVMPipeline(pm, lowering);
  // Calls kernels by their lowered signatures, so it comes last.
  EmitEntryOptions options;
  options.entry = entry.str();
  options.prepareEntry = prepareEntry.str();
  pm.addPass(createEmitEntry(options));
  verify(pm, Stage::Lowered);
}

void burn::compiler::buildGraphPipeline(OpPassManager &pm, const PipelineOptions &options) {
  buildDifferentiatePipeline(pm);
  buildSimplifyPipeline(pm);
  buildCpuDecomposePipeline(pm);
  buildFusePipeline(pm, options.fusion);
  buildTilePipeline(pm, {options.triple, options.cpu, options.features},
                    {options.deterministic, options.fastMath, options.manyThreads});
  buildPlanPipeline(pm);
}

void burn::compiler::buildCpuPipeline(OpPassManager &pm, const PipelineOptions &options) {
  buildGraphPipeline(pm, options);
  buildKernelPipeline(pm, {options.triple, options.cpu, options.features});
  buildCodePipeline(pm, "burn_run", /*debugInfo=*/false);
}

void burn::compiler::buildGpuPipeline(OpPassManager &pm, const GpuPipelineOptions &options) {
  buildDifferentiatePipeline(pm);
  buildSimplifyPipeline(pm);
  buildDecomposePipeline(pm);
  buildGpuFusePipeline(pm, options.fusion, options.target);
  buildGpuPlanPipeline(pm);
  buildGpuKernelPipeline(pm, options.target);
  buildGpuCodePipeline(pm, options.target);
}

void burn::compiler::registerPipelines() {
  PassPipelineRegistration<GpuPipelineOptions>("burn-gpu-pipeline", "From burn IR to SPIR-V, for a GPU",
                                               buildGpuPipeline);
  PassPipelineRegistration<PipelineOptions>("burn-graph-pipeline", "From burn IR to kernels with planned memory",
                                            buildGraphPipeline);
  PassPipelineRegistration<PipelineOptions>("burn-cpu-pipeline", "From burn IR to the LLVM dialect, for a CPU",
                                            buildCpuPipeline);
}
