// The pipelines: which passes run in which order, and why.
#pragma once

#include "passes/Codegen/Tuning.h"
#include "passes/Targets/Cpu/CpuTarget.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"

namespace burn::compiler {

/// Options of the pipelines that `burn-opt` names.
struct PipelineOptions : mlir::PassPipelineOptions<PipelineOptions> {
  Option<bool> fusion{*this, "fusion", llvm::cl::desc("Fuse ops into kernels"), llvm::cl::init(true)};
  Option<bool> deterministic{*this, "deterministic",
                             llvm::cl::desc("false: sums of products may run in another order and precision"),
                             llvm::cl::init(true)};
  Option<bool> fastMath{*this, "fast-math",
                        llvm::cl::desc("Convolutions may take fewer operations, at a larger error (Winograd)"),
                        llvm::cl::init(false)};
  Option<bool> manyThreads{*this, "many-threads",
                           llvm::cl::desc("Kernels are cut into pieces for more than four threads; the same results"),
                           llvm::cl::init(false)};
  Option<std::string> triple{*this, "triple", llvm::cl::desc("LLVM target triple"), llvm::cl::init(CpuTarget().triple)};
  Option<std::string> cpu{*this, "cpu", llvm::cl::desc("LLVM CPU name"), llvm::cl::init(CpuTarget().cpu)};
  Option<std::string> features{*this, "features", llvm::cl::desc("LLVM feature list"), llvm::cl::init("")};
};

/// The stages of a compilation, in order. Each ends with a check that it left nothing behind.
///
/// `burn.grad` becomes the gradient, on IR that is as it was recorded.
void buildDifferentiatePipeline(mlir::OpPassManager &pm);
/// Folds, merges equal values and removes unused ones.
void buildSimplifyPipeline(mlir::OpPassManager &pm);
/// Composites become primitive ops.
void buildDecomposePipeline(mlir::OpPassManager &pm);
/// The same, but for composites of which the CPU has a kernel.
void buildCpuDecomposePipeline(mlir::OpPassManager &pm);
/// Ops become kernels.
void buildFusePipeline(mlir::OpPassManager &pm, bool fusion);
/// The same into kernels of as many buffers as the GPU binds.
void buildGpuFusePipeline(mlir::OpPassManager &pm, bool fusion, llvm::StringRef target);
/// What tilings may be, and for whom.
struct TileOptions {
  /// Where not deterministic, or with fast math, they may be such that change bits.
  bool deterministic = true, fastMath = false;
  /// For more than a few threads.
  bool manyThreads = false;
};
/// Products and convolutions get their tiling. `tuning` may choose another than the usual one.
void buildTilePipeline(mlir::OpPassManager &pm, const CpuTarget &target, const TileOptions &tiles,
                       const TuningOptions &tuning = {});
/// Values get their places in memory.
void buildPlanPipeline(mlir::OpPassManager &pm);
/// Kernels become functions of vector, scf and arith ops.
void buildKernelPipeline(mlir::OpPassManager &pm, const CpuTarget &target);
/// The same for a GPU: values at places that can be bound, kernels in the gpu dialect, SPIR-V.
void buildGpuPlanPipeline(mlir::OpPassManager &pm);
void buildGpuKernelPipeline(mlir::OpPassManager &pm, llvm::StringRef target);
void buildGpuCodePipeline(mlir::OpPassManager &pm, llvm::StringRef target);
/// Everything becomes LLVM dialect, with an entry point.
void buildCodePipeline(mlir::OpPassManager &pm, llvm::StringRef entry, bool debugInfo,
                       llvm::StringRef prepareEntry = "burn_prepare");

/// `burn-graph-pipeline`: burn IR to kernels with planned memory.
void buildGraphPipeline(mlir::OpPassManager &pm, const PipelineOptions &options);
/// `burn-cpu-pipeline`: burn IR to the LLVM dialect.
void buildCpuPipeline(mlir::OpPassManager &pm, const PipelineOptions &options);

/// Options of `burn-gpu-pipeline`.
struct GpuPipelineOptions : mlir::PassPipelineOptions<GpuPipelineOptions> {
  Option<bool> fusion{*this, "fusion", llvm::cl::desc("Fuse ops into kernels"), llvm::cl::init(true)};
  Option<std::string> target{*this, "target", llvm::cl::desc("The GPU, as runtime/Core/GpuTarget.h writes it"),
                             llvm::cl::init("")};
};

/// `burn-gpu-pipeline`: burn IR to SPIR-V.
void buildGpuPipeline(mlir::OpPassManager &pm, const GpuPipelineOptions &options);

/// Makes the named pipelines known to `burn-opt`.
void registerPipelines();

} // namespace burn::compiler
