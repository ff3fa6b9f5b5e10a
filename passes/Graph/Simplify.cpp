#include "passes/Graph/Passes.h"

#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace burn::compiler {
#define GEN_PASS_DEF_SIMPLIFY
#include "passes/Graph/Passes.h.inc"
} // namespace burn::compiler

using namespace mlir;
using namespace burn;

namespace {

struct SimplifyPass : compiler::impl::SimplifyBase<SimplifyPass> {
  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet set(context);
    Dialect *dialect = context->getLoadedDialect<ir::BurnDialect>();
    dialect->getCanonicalizationPatterns(set);
    for (RegisteredOperationName op : context->getRegisteredOperationsByDialect(dialect->getNamespace()))
      op.getCanonicalizationPatterns(set, context);
    patterns = FrozenRewritePatternSet(std::move(set));
    return success();
  }

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    WalkResult grads = function.walk([](ir::GradOp grad) {
      grad.emitOpError("must be expanded before simplification: merging equal values changes what it means");
      return WalkResult::interrupt();
    });
    if (grads.wasInterrupted())
      return signalPassFailure();
    removeMarkers(function);

    IRRewriter rewriter(&getContext());
    DominanceInfo dominance(function);
    GreedyRewriteConfig config;
    config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
    // A merge may make way for another pattern, which in turn leaves equal ops.
    for (bool merged = true; merged;) {
      (void)applyPatternsGreedily(function, patterns, config);
      eliminateCommonSubExpressions(rewriter, dominance, function, &merged);
    }
  }

  FrozenRewritePatternSet patterns;

private:
  // Marks for differentiation have served: a marked value is the value, a marked region what it computes.
  static void removeMarkers(func::FuncOp function) {
    function.walk([](Operation *op) {
      OpBuilder builder(op);
      if (isa<ir::StopGradientOp, ir::NameOp>(op))
        op->replaceAllUsesWith(op->getOperands());
      else if (isa<ir::CheckpointOp, ir::CustomVjpOp>(op))
        op->replaceAllUsesWith(ir::inlineRegion(builder, op->getRegion(0), op->getOperands()));
      else
        return;
      op->erase();
    });
  }
};

} // namespace
