// Rewrites of sorting.
#include "dialects/Burn/BurnCanonicalization.h"

using namespace mlir;
using namespace burn;
using namespace burn::ir;

namespace {

// %v, %i = sort %x, %j with %i unused ==> %v = sort %x: only the first operand decides the order.
struct DropUnusedOperands : OpRewritePattern<SortOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SortOp op, PatternRewriter &rewriter) const override {
    SmallVector<Value> inputs, results;
    for (auto [input, result] : llvm::zip_equal(op.getInputs(), op.getResults()))
      if (inputs.empty() || !result.use_empty()) {
        inputs.push_back(input);
        results.push_back(result);
      }
    if (inputs.size() == op.getInputs().size())
      return rewriter.notifyMatchFailure(op, "all results are used");
    auto smaller = SortOp::create(rewriter, op.getLoc(), inputs, op.getAxis(), op.getDescending());
    for (auto [from, to] : llvm::zip_equal(results, smaller.getResults()))
      rewriter.replaceAllUsesWith(from, to);
    rewriter.eraseOp(op);
    return success();
  }
};

// A line of at most one element is in order.
struct SortOfShortLines : OpRewritePattern<SortOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SortOp op, PatternRewriter &rewriter) const override {
    if (cast<RankedTensorType>(op.getInputs().front().getType()).getDimSize(op.getAxis()) > 1)
      return rewriter.notifyMatchFailure(op, "lines of several elements");
    rewriter.replaceOp(op, op.getInputs());
    return success();
  }
};

} // namespace

void ir::populateOrderPatterns(RewritePatternSet &patterns) {
  patterns.add<DropUnusedOperands, SortOfShortLines>(patterns.getContext());
}
