// Attention, embedding and rope in terms of primitive ops.
#include "dialects/Burn/AttentionTerms.h"

#include <limits>

using namespace mlir;
using namespace burn::ir;
using namespace burn::ir::composite;

using Values = SmallVector<Value>;

// A query without keys has the greatest score minus infinity: shifted by 0 instead, its exponentials are 0, and so is
// what they sum and weigh.
Values AttentionOp::decompose(OpBuilder &builder) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  const AttentionTerms terms(b, *this);
  Value greatest = reduce(b, ReduceKind::Max, terms.scores, {3});
  Value none = compare(b, CompareDirection::EQ, greatest, splat(b, greatest, -std::numeric_limits<double>::infinity()));
  greatest = select(b, none, zeros(b, greatest), greatest);
  Value exponential = ExpOp::create(b, sub(b, terms.scores, terms.spread(b, greatest)));
  Value sum = reduce(b, ReduceKind::Sum, exponential, {3});
  Value divisor = select(b, none, splat(b, sum, 1.0), sum);
  Value weights = div(b, exponential, terms.spread(b, divisor));
  Value result = terms.ungroup(b, AttentionTerms::dot(b, terms.group(b, weights), 3, terms.value, 2));
  Value lse = add(b, greatest, LogOp::create(b, sum));
  return {convert(b, result, elementOf(getQuery())), lse};
}

// With p = exp(s - lse) and g the gradient of the result,
//   value: p^T g      score: p (g v^T + delta)      query: ds k      key: ds^T q
Values AttentionGradOp::decompose(OpBuilder &builder) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  const AttentionTerms terms(b, *this);
  Value p = ExpOp::create(b, sub(b, terms.scores, terms.spread(b, AttentionTerms::finite(b, getLse()))));
  Value g = terms.group(b, widen(b, getResultGrad()));
  Value ofValue = AttentionTerms::dot(b, terms.group(b, p), 2, g, 2);
  Value ofWeights = terms.ungroup(b, AttentionTerms::dot(b, g, 3, terms.value, 3));
  Value ofScores = mul(b, p, add(b, ofWeights, terms.spread(b, getDelta())));
  if (terms.allowed) // whatever the values that do not count
    ofScores = select(b, terms.allowed, ofScores, zeros(b, ofScores));
  Value ofProducts = ofScores;
  if (terms.bend)
    ofProducts = mul(b, ofProducts, sub(b, splat(b, terms.bend, 1.0), mul(b, terms.bend, terms.bend)));
  ofProducts = terms.group(b, vjp::scale(b, ofProducts, getScale().convertToDouble()));
  Value ofQuery = terms.ungroup(b, AttentionTerms::dot(b, ofProducts, 3, terms.key, 2));
  Value ofKey = AttentionTerms::dot(b, ofProducts, 2, terms.query, 2);
  return {convert(b, ofQuery, elementOf(getQuery())), convert(b, ofKey, elementOf(getKey())),
          convert(b, ofValue, elementOf(getValue())), ofScores};
}

Values EmbeddingOp::decompose(OpBuilder &builder) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  const int64_t rank = shapeOf(getIndices()).size();
  const DimVector none, row{0}, sizes{1, shapeOf(getTable())[1]};
  return {GatherOp::create(b, getTable(), getIndices(), DimVector{rank}, row, none, none, row, rank, sizes,
                           IndexMode::Check)};
}

namespace {

// A slice of the last dimension.
Value lastDim(ImplicitLocOpBuilder &b, Value x, int64_t start, int64_t size, int64_t stride) {
  DimVector starts(shapeOf(x).size(), 0), sizes(shapeOf(x)), strides(shapeOf(x).size(), 1);
  starts.back() = start;
  sizes.back() = size;
  strides.back() = stride;
  return SliceOp::create(b, x, starts, sizes, strides);
}

} // namespace

Values RopeOp::decompose(OpBuilder &builder) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  Value x = widen(b, getInput());
  const Dims shape = shapeOf(x);
  const int64_t rank = shape.size(), pairs = shapeOf(getCos())[1], rest = shape.back() - 2 * pairs;
  DimVector half(shape);
  half.back() = pairs;
  const auto spread = [&](Value perPosition) {
    return broadcast(b, widen(b, perPosition), half, {rank - 2, rank - 1});
  };
  Value cos = spread(getCos()), sin = spread(getSin());
  Value first = lastDim(b, x, 0, pairs, getInterleaved() ? 2 : 1);
  Value second = lastDim(b, x, getInterleaved() ? (pairs ? 1 : 0) : pairs, pairs, getInterleaved() ? 2 : 1);
  SmallVector<Value> parts{sub(b, mul(b, first, cos), mul(b, second, sin)),
                           add(b, mul(b, second, cos), mul(b, first, sin))};
  if (getInterleaved()) {
    // Rank 3, since the dimension of the pairs might be one too many.
    int64_t lines = 1;
    for (int64_t size : shape.drop_back())
      lines *= size;
    for (Value &part : parts)
      part = reshape(b, part, {lines, pairs, 1});
    DimVector both(shape);
    both.back() = 2 * pairs;
    parts = {reshape(b, ConcatOp::create(b, parts, 2), both)};
  }
  if (rest)
    parts.push_back(lastDim(b, x, 2 * pairs, rest, 1));
  Value result = parts.size() == 1 ? parts[0] : ConcatOp::create(b, parts, rank - 1).getResult();
  return {convert(b, result, elementOf(getInput()))};
}
