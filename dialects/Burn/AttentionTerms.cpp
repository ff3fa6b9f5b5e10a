#include "dialects/Burn/AttentionTerms.h"

#include <limits>

using namespace mlir;
using namespace burn::ir;
using namespace burn::ir::composite;

namespace {

// Which keys a query may see under `causal`: the last query sees the last key.
Value causalPairs(ImplicitLocOpBuilder &b, Dims shape) {
  const DimVector pairs{shape[2], shape[3]};
  Value queries = iota(b, pairs, 0), keys = iota(b, pairs, 1);
  Value last = add(b, queries, splat(b, queries, static_cast<double>(shape[3] - shape[2])));
  return broadcast(b, compare(b, CompareDirection::LE, keys, last), shape, {2, 3});
}

Value broadcastPairs(ImplicitLocOpBuilder &b, Value value, Dims shape) {
  return broadcast(b, value, shape, {0, 1, 2, 3});
}

} // namespace

AttentionTerms::AttentionTerms(ImplicitLocOpBuilder &b, const AttentionInputs &inputs)
    : shape{shapeOf(inputs.query)[0], shapeOf(inputs.query)[1], shapeOf(inputs.query)[2], shapeOf(inputs.key)[2]},
      keyHeads(shapeOf(inputs.key)[1]), key(widen(b, inputs.key)), value(widen(b, inputs.value)) {
  query = group(b, widen(b, inputs.query));
  scores = ungroup(b, vjp::scale(b, dot(b, query, 3, key, 3), inputs.scale));
  if (inputs.softcap > 0) {
    bend = TanhOp::create(b, div(b, scores, splat(b, scores, inputs.softcap)));
    scores = vjp::scale(b, bend, inputs.softcap);
  }
  if (inputs.bias)
    scores = add(b, scores, broadcastPairs(b, widen(b, inputs.bias), shape));
  if (inputs.causal)
    allowed = causalPairs(b, shape);
  if (inputs.mask) {
    Value mask = broadcastPairs(b, inputs.mask, shape);
    allowed = allowed ? AndOp::create(b, allowed, mask).getResult() : mask;
  }
  if (allowed)
    scores = select(b, allowed, scores, splat(b, scores, -std::numeric_limits<double>::infinity()));
}

Value AttentionTerms::finite(ImplicitLocOpBuilder &b, Value values) {
  Value least = splat(b, values, -std::numeric_limits<double>::infinity());
  return select(b, compare(b, CompareDirection::EQ, values, least), zeros(b, values), values);
}

Value AttentionTerms::group(ImplicitLocOpBuilder &b, Value x) const {
  const int64_t shared = keyHeads ? shape[1] / keyHeads : 0;
  return reshape(b, x, {shape[0], keyHeads, shared * shape[2], shapeOf(x)[3]});
}

Value AttentionTerms::ungroup(ImplicitLocOpBuilder &b, Value x) const {
  return reshape(b, x, {shape[0], shape[1], shape[2], shapeOf(x)[3]});
}

Value AttentionTerms::dot(ImplicitLocOpBuilder &b, Value lhs, int64_t lhsDim, Value rhs, int64_t rhsDim) {
  const DimVector batch{0, 1};
  return DotGeneralOp::create(b, lhs, rhs, batch, batch, DimVector{lhsDim}, DimVector{rhsDim});
}
