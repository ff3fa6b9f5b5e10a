// burn-tile-matmul: chooses how products and convolutions are tiled.
#include "passes/Codegen/DirectConvolution.h"
#include "passes/Codegen/Passes.h"
#include "passes/Graph/Prepare.h"

namespace burn::compiler {
#define GEN_PASS_DEF_TILEMATMUL
#include "passes/Codegen/Passes.h.inc"
} // namespace burn::compiler

using namespace burn::compiler;

namespace {

int64_t readyBytes(mlir::Operation *op, const Contraction &contraction, const ContractionTiling &tiling) {
  const int64_t elements = (tiling.readyRows ? readyPanelElements(contraction, tiling, true) : 0) +
                           (tiling.readyLanes ? readyPanelElements(contraction, tiling, false) : 0);
  return elements * (contractionKinds(op).sum.width / 8);
}

int64_t sourceBytes(mlir::Operation *op, FixedOperand fixed) {
  return tensorBytes(contractionSource(op, fixed == FixedOperand::Lhs ? 0 : 1).getType());
}

struct TileMatmul : burn::compiler::impl::TileMatmulBase<TileMatmul> {
  using TileMatmulBase::TileMatmulBase;

  void runOnOperation() override {
    llvm::Expected<CpuTargetInfo> target = describeTarget({triple, cpu, features});
    if (!target) {
      getOperation().emitError(llvm::toString(target.takeError()));
      return signalPassFailure();
    }
    DerivedBudget budget(getOperation());
    mlir::WalkResult result = getOperation().walk([&](mlir::Operation *op) {
      std::optional<Contraction> contraction = contractionOf(op);
      if (!contraction)
        return mlir::WalkResult::advance();
      // Direct convolutions have tiles of their own, unless a tiling says otherwise.
      if (const auto direct = op->hasAttr(tilingAttrName) ? std::nullopt : directConvolutionOf(op)) {
        if (fastMath && winogradPays(*direct, contractionKinds(op)))
          op->setDiscardableAttr(winogradAttrName, mlir::UnitAttr::get(&getContext()));
        return mlir::WalkResult::advance();
      }
      const FixedOperand fixed = fixedOperandOf(op);
      mlir::FailureOr<ContractionTiling> tiling = tilingFor(op, *contraction, *target, deterministic, fixed);
      if (mlir::failed(tiling))
        return mlir::WalkResult::interrupt();
      if (!op->hasAttr(tilingAttrName) && !budget.take(readyBytes(op, *contraction, *tiling), sourceBytes(op, fixed)))
        tiling = tilingFor(op, *contraction, *target, deterministic);
      // Such a kernel of its own stands in front of another one. What runs once needs none.
      if (!op->hasAttr(tilingAttrName) && mlir::isa<burn::ir::FusedOp>(op->getParentOp()) &&
          !contractionKinds(op).computes && !isPrepare(getOperation()))
        *tiling = packedAhead(*contraction, *tiling);
      op->setDiscardableAttr(tilingAttrName, toAttribute(&getContext(), *tiling));
      return mlir::WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
