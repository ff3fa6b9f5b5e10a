// burn-tile-matmul: chooses how products and convolutions are tiled.
#include "passes/Codegen/DirectConvolution.h"
#include "passes/Codegen/Passes.h"

namespace burn::compiler {
#define GEN_PASS_DEF_TILEMATMUL
#include "passes/Codegen/Passes.h.inc"
} // namespace burn::compiler

using namespace burn::compiler;

namespace {

struct TileMatmul : burn::compiler::impl::TileMatmulBase<TileMatmul> {
  using TileMatmulBase::TileMatmulBase;

  void runOnOperation() override {
    llvm::Expected<CpuTargetInfo> target = describeTarget({triple, cpu, features});
    if (!target) {
      getOperation().emitError(llvm::toString(target.takeError()));
      return signalPassFailure();
    }
    mlir::WalkResult result = getOperation().walk([&](mlir::Operation *op) {
      std::optional<Contraction> contraction = contractionOf(op);
      // Direct convolutions have tiles of their own, unless a tiling says otherwise.
      if (!contraction || (!op->hasAttr(tilingAttrName) && directConvolutionOf(op)))
        return mlir::WalkResult::advance();
      mlir::FailureOr<ContractionTiling> tiling = tilingFor(op, *contraction, *target, deterministic);
      if (mlir::failed(tiling))
        return mlir::WalkResult::interrupt();
      op->setDiscardableAttr(tilingAttrName, toAttribute(&getContext(), *tiling));
      return mlir::WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
