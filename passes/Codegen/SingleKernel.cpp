#include "passes/Codegen/GpuKernels.h"
#include "passes/Codegen/SingleKernels.h"
#include "passes/Graph/WindowGradient.h"

using namespace mlir;
using namespace burn;
using namespace burn::compiler;

FailureOr<KernelCode> compiler::buildSingleKernel(OpBuilder &atModule, ir::FusedOp fused, StringRef name,
                                                  const CpuTargetInfo &target) {
  Operation *op = nullptr;
  for (Operation &each : fused.getBody().front().without_terminator()) {
    // Operands may be computed in place by ops that cost nothing.
    if (!op || !isa<ir::ConstantOp>(each))
      op = &each;
  }
  if (!op || isa<ir::ElementwiseOpInterface, ir::ViewOpInterface, ir::ConstantOp, ir::IotaOp, ir::UndefOp,
                 ir::RngBitsOp, ir::StopGradientOp>(op))
    return buildElementwiseKernel(atModule, fused, name, target);
  if (auto attention = dyn_cast<ir::AttentionOp>(op))
    return buildAttentionKernel(atModule, fused, attention, name, target);
  if (auto gradient = dyn_cast<ir::AttentionGradOp>(op))
    return buildAttentionGradKernel(atModule, fused, gradient, name, target);
  if (isa<ir::ReduceOp>(op))
    return target.gpu ? buildGpuRowKernel(atModule, fused, name, *target.gpu)
                      : buildRowKernel(atModule, fused, name, target);
  if (auto argReduce = dyn_cast<ir::ArgReduceOp>(op))
    return target.gpu ? buildGpuArgReduceKernel(atModule, fused, argReduce, name, *target.gpu)
                      : buildArgReduceKernel(atModule, fused, argReduce, name, target);
  if (auto window = dyn_cast<ir::ReduceWindowOp>(op))
    return buildWindowKernel(atModule, fused, window, name, target);
  if (auto window = dyn_cast<ir::ArgReduceWindowOp>(op))
    return buildArgWindowKernel(atModule, fused, window, name, target);
  if (auto gather = dyn_cast<ir::GatherOp>(op))
    return buildGatherKernel(atModule, fused, gather, name, target);
  if (auto scatter = dyn_cast<ir::ScatterOp>(op)) {
    if (auto search = windowGradientOf(scatter))
      return buildWindowGradientKernel(atModule, fused, scatter, search, name);
    return buildScatterKernel(atModule, fused, scatter, name, target);
  }
  if (auto scan = dyn_cast<ir::ScanOp>(op))
    return target.gpu ? buildGpuScanKernel(atModule, fused, scan, name, *target.gpu)
                      : buildScanKernel(atModule, fused, scan, name, target);
  if (auto scan = dyn_cast<ir::LinearScanOp>(op))
    return buildLinearScanKernel(atModule, fused, scan, name, target);
  if (auto sort = dyn_cast<ir::SortOp>(op))
    return buildSortKernel(atModule, fused, sort, name, target);
  if (auto topk = dyn_cast<ir::TopkOp>(op))
    return buildTopkKernel(atModule, fused, topk, name, target);
  if (auto nonzero = dyn_cast<ir::NonzeroOp>(op))
    return buildNonzeroKernel(atModule, fused, nonzero, name, target);
  return op->emitOpError("has no kernel");
}

void compiler::storeYielded(ElementEmitter &emitter, ir::FusedOp fused, ValueRange elements, ValueRange buffers,
                            AffineExpr position) {
  ValueRange yielded = fused.getBody().front().getTerminator()->getOperands();
  for (auto [value, buffer] : llvm::zip_equal(yielded, buffers))
    emitter.store(elements[cast<OpResult>(value).getResultNumber()], buffer, position);
}
