// Reverse-mode rules of attention, embedding and rope.
#include "dialects/Burn/Composites.h"

using namespace mlir;
using namespace burn::ir;
using namespace burn::ir::composite;

using Cts = ArrayRef<Value>;
using Needed = const llvm::SmallBitVector &;
using Slots = MutableArrayRef<Value>;

// From the results o and lse, as FlashAttention has it (Dao et al., 2022): burn.attention_grad computes the weights
// again from lse, and the gradient of the scores from delta = dlse - sum(g o).
LogicalResult AttentionOp::buildVjp(OpBuilder &builder, Cts cts, Needed needed, Slots slots) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  Value delta = cts[1], g = cts[0];
  if (g)
    delta = plus(b, neg(b, sumOver(b, mul(b, g, getResult()), {3})), delta);
  else
    g = zeros(b, getResult());
  auto gradients = AttentionGradOp::create(b, getQuery(), getKey(), getValue(), getMask(), getBias(), getLse(), g,
                                           delta, getCausal(), getScale(), getSoftcap());
  for (unsigned i : {0u, 1u, 2u})
    if (needed[i])
      slots[i] = gradients.getResult(i);
  const unsigned biasAt = getMask() ? 4 : 3;
  if (getBias() && needed[biasAt]) {
    const Dims bias = shapeOf(getBias()), scores = shapeOf(gradients.getScoreGrad());
    DimVector repeated;
    for (int64_t dim : range(0, 3))
      if (bias[dim] != scores[dim])
        repeated.push_back(dim);
    slots[biasAt] = reshape(b, sumOver(b, gradients.getScoreGrad(), repeated), bias);
  }
  return success();
}

bool EmbeddingOp::isDifferentiableOperand(unsigned operand) { return operand == 0; }

// Rows that were read several times add up.
LogicalResult EmbeddingOp::buildVjp(OpBuilder &builder, Cts cts, Needed, Slots slots) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  Value ct = cts[0], indices = getIndices();
  const Dims shape = shapeOf(ct);
  const int64_t rank = shapeOf(indices).size(), padding = getPaddingIdx();
  if (padding >= 0) {
    Value wide = convert(b, indices, b.getI64Type()); // where any row can be written
    Value counts = compare(b, CompareDirection::NE, wide, splat(b, wide, static_cast<double>(padding)));
    ct = select(b, broadcast(b, counts, shape, range(0, rank)), ct, zeros(b, ct));
  }
  const DimVector none, row{0};
  slots[0] = ScatterOp::create(b, zeros(b, getTable()), indices, ct, DimVector{rank}, row, none, none, row, rank,
                               ScatterCombiner::Add, IndexMode::Check);
  return success();
}

bool RopeOp::isDifferentiableOperand(unsigned operand) { return operand == 0; }

// The rotation backwards.
LogicalResult RopeOp::buildVjp(OpBuilder &builder, Cts cts, Needed, Slots slots) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  slots[0] = RopeOp::create(b, cts[0], getCos(), neg(b, getSin()), getInterleaved());
  return success();
}
