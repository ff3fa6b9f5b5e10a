#include "passes/Codegen/Kernel.h"

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
  if (isa<ir::ReduceOp>(op))
    return buildRowKernel(atModule, fused, name, target);
  return op->emitOpError("has no kernel");
}
