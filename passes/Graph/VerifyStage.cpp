#include "passes/Codegen/AttentionTiles.h"
#include "passes/Graph/Accesses.h"
#include "passes/Graph/Passes.h"

namespace burn::compiler {
#define GEN_PASS_DEF_VERIFYSTAGE
#include "passes/Graph/Passes.h.inc"
} // namespace burn::compiler

using namespace mlir;
using namespace burn;
using namespace burn::compiler;

namespace {

struct VerifyStagePass : compiler::impl::VerifyStageBase<VerifyStagePass> {
  using VerifyStageBase::VerifyStageBase;

  void runOnOperation() override {
    bool clean = true;
    getOperation()->walk([&](Operation *op) { clean &= succeeded(check(op)); });
    if (!clean)
      signalPassFailure();
  }

  // Reports an op that the stage should have removed.
  LogicalResult check(Operation *op) {
    if (stage == Stage::Lowered)
      return checkLowered(op);
    if (isa<ir::GradOp, ir::CallOp>(op))
      return op->emitOpError("must not be left after differentiation");
    if (stage >= Stage::Simplified && isa<ir::StopGradientOp, ir::NameOp, ir::CheckpointOp, ir::CustomVjpOp>(op))
      return op->emitOpError("must not be left after simplification");
    if (stage >= Stage::Decomposed && isa<ir::CompositeOpInterface>(op) && !hasAttentionKernel(op))
      return op->emitOpError("must not be left after decomposition");
    const bool isCode = isa_and_present<func::FuncOp, ir::RegionOpInterface>(op->getParentOp()) &&
                        !isa<ir::FusedOp, ir::CustomKernelOp>(op->getParentOp());
    if (stage >= Stage::Fused && isCode && !isa<ir::FusedOp, ir::ConstantOp, ir::ReshapeOp>(op) && !standsAlone(op) &&
        !op->hasTrait<OpTrait::IsTerminator>())
      return op->emitOpError("must stand in a burn.fused after fusion");
    if (stage == Stage::Planned && isa<ir::RegionOpInterface>(op) && !op->hasAttr("burn.place"))
      return op->emitOpError("must have places for its results after memory planning");
    return success();
  }

  static LogicalResult checkLowered(Operation *op) {
    if (isa_and_present<ir::BurnDialect>(op->getDialect()))
      return op->emitOpError("must not be left after lowering");
    auto isTensor = [](Type type) { return isa<TensorType>(type); };
    if (llvm::any_of(op->getOperandTypes(), isTensor) || llvm::any_of(op->getResultTypes(), isTensor))
      return op->emitOpError("must not have values of tensor type after lowering");
    return success();
  }
};

} // namespace
