// Reverse-mode rules of attention, embedding and rope.
#include "dialects/Burn/AttentionTerms.h"

#include <limits>

using namespace mlir;
using namespace burn::ir;
using namespace burn::ir::composite;

using Cts = ArrayRef<Value>;
using Needed = const llvm::SmallBitVector &;
using Slots = MutableArrayRef<Value>;

// From the results o and lse, as FlashAttention has it (Dao et al., 2022): with p = exp(s - lse) and g = do,
//   v: p^T g      s: p (g v^T - D + dlse), D = sum(g o)      q: scale ds k      k: scale ds^T q
// and ds times 1 - tanh^2 under a softcap. A query without keys has p = 0.
LogicalResult AttentionOp::buildVjp(OpBuilder &builder, Cts cts, Needed needed, Slots slots) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  const AttentionTerms terms(b, *this);
  Value lse = getLse();
  Value none = compare(b, CompareDirection::EQ, lse, splat(b, lse, -std::numeric_limits<double>::infinity()));
  lse = select(b, none, zeros(b, lse), lse);
  Value p = ExpOp::create(b, sub(b, terms.scores, terms.spread(b, lse)));
  Value outer = cts[1], ofScores;
  if (Value g = cts[0]) {
    if (needed[2])
      slots[2] = AttentionTerms::dot(b, terms.group(b, p), 2, terms.group(b, g), 2);
    Value alike = neg(b, sumOver(b, mul(b, g, getResult()), {3}));
    outer = plus(b, alike, outer);
    ofScores = terms.ungroup(b, AttentionTerms::dot(b, terms.group(b, g), 3, terms.value, 3));
  }
  ofScores = mul(b, p, plus(b, ofScores, terms.spread(b, outer)));
  const unsigned biasAt = getMask() ? 4 : 3;
  if (getBias() && needed[biasAt]) {
    const Dims bias = shapeOf(getBias());
    DimVector repeated;
    for (int64_t dim : range(0, 3))
      if (bias[dim] != terms.shape[dim])
        repeated.push_back(dim);
    slots[biasAt] = reshape(b, sumOver(b, ofScores, repeated), bias);
  }
  if (!needed[0] && !needed[1])
    return success();
  if (terms.bend)
    ofScores = mul(b, ofScores, sub(b, splat(b, terms.bend, 1.0), mul(b, terms.bend, terms.bend)));
  ofScores = terms.group(b, vjp::scale(b, ofScores, getScale().convertToDouble()));
  if (needed[0])
    slots[0] = terms.ungroup(b, AttentionTerms::dot(b, ofScores, 3, terms.key, 2));
  if (needed[1])
    slots[1] = AttentionTerms::dot(b, ofScores, 2, terms.query, 2);
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
