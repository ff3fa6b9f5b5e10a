// Transposes of operands and of results become dimension numbers of the product.
#include "dialects/Burn/BurnCanonicalization.h"

using namespace mlir;
using namespace burn;
using namespace burn::ir;

namespace {

using Dims = ArrayRef<int64_t>;

// The dimensions of a transpose's operand behind those of its result.
SmallVector<int64_t> throughPerm(Dims dims, Dims perm) {
  SmallVector<int64_t> result;
  for (int64_t dim : dims)
    result.push_back(perm[dim]);
  return result;
}

SmallVector<int64_t> freeDims(int64_t rank, Dims batch, Dims contract) {
  SmallVector<int64_t> dims;
  for (int64_t i = 0; i < rank; ++i)
    if (!llvm::is_contained(batch, i) && !llvm::is_contained(contract, i))
      dims.push_back(i);
  return dims;
}

// One side of a dot_general, seen through a transpose where that leaves the order of free dimensions.
struct Side {
  Value value;
  SmallVector<int64_t> batch, contract;
  bool changed = false;

  Side(Value operand, Dims batchDims, Dims contractDims) : value(operand), batch(batchDims), contract(contractDims) {
    auto transpose = value.getDefiningOp<TransposeOp>();
    if (!transpose)
      return;
    Dims perm = transpose.getPerm();
    SmallVector<int64_t> free = throughPerm(freeDims(perm.size(), batch, contract), perm);
    if (!llvm::is_sorted(free))
      return;
    value = transpose.getInput();
    batch = throughPerm(batch, perm);
    contract = throughPerm(contract, perm);
    changed = true;
  }
};

// dot(transpose a, b) ==> dot(a, b) with other numbers; the order of each sum is kept.
struct DotOfTranspose : OpRewritePattern<DotGeneralOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(DotGeneralOp op, PatternRewriter &rewriter) const override {
    Side lhs(op.getLhs(), op.getLhsBatch(), op.getLhsContract());
    Side rhs(op.getRhs(), op.getRhsBatch(), op.getRhsContract());
    if (!lhs.changed && !rhs.changed)
      return rewriter.notifyMatchFailure(op, "no operand is a transpose that keeps the free dimensions in order");
    rewriter.replaceOpWithNewOp<DotGeneralOp>(op, op.getType(), lhs.value, rhs.value, lhs.batch, rhs.batch,
                                              lhs.contract, rhs.contract);
    return success();
  }
};

// transpose(dot(a, b)) ==> dot(b, a) where the transpose swaps the free dimensions of both sides.
struct TransposeOfDot : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(TransposeOp op, PatternRewriter &rewriter) const override {
    auto dot = op.getInput().getDefiningOp<DotGeneralOp>();
    if (!dot || !dot->hasOneUse())
      return rewriter.notifyMatchFailure(op, "the operand is no product of a single use");
    const int64_t batch = dot.getLhsBatch().size();
    const int64_t lhsFree = dot.getLhs().getType().getRank() - batch - dot.getLhsContract().size();
    const int64_t rank = dot.getType().getRank();
    SmallVector<int64_t> swap;
    for (int64_t i = 0; i < batch; ++i)
      swap.push_back(i);
    for (int64_t i = batch + lhsFree; i < rank; ++i)
      swap.push_back(i);
    for (int64_t i = batch; i < batch + lhsFree; ++i)
      swap.push_back(i);
    if (op.getPerm() != Dims(swap))
      return rewriter.notifyMatchFailure(op, "does not swap the sides");
    rewriter.replaceOpWithNewOp<DotGeneralOp>(op, op.getType(), dot.getRhs(), dot.getLhs(), dot.getRhsBatch(),
                                              dot.getLhsBatch(), dot.getRhsContract(), dot.getLhsContract());
    return success();
  }
};

} // namespace

void ir::populateContractionPatterns(RewritePatternSet &patterns) {
  patterns.add<DotOfTranspose, TransposeOfDot>(patterns.getContext());
}
