// Reverse-mode rules of normalisations and logsumexp, from their statistics.
#include "dialects/Burn/Composites.h"

#include <limits>

using namespace mlir;
using namespace burn::ir;
using namespace burn::ir::composite;

using Cts = ArrayRef<Value>;
using Needed = const llvm::SmallBitVector &;
using Slots = MutableArrayRef<Value>;

namespace {

// With n = (x - mean) rstd, or x rstd without a mean, h = g scale and sums over the N elements of a line:
//   bias: sum(g)      scale: sum(g n)
//   x: rstd (h - sum(h)/N - n sum(h n)/N)  +  g_mean/N  -  n rstd^2 g_rstd/N
struct NormRule {
  ImplicitLocOpBuilder &b;
  const NormLines &lines;
  Value input, mean, rstd, scaling; // mean and scaling may be null
  Value g, gMean, gRstd;            // each may be null
  Value normal = {};

  void build(Needed needed, Slots slots) {
    if (g)
      g = lines.view(b, g);
    const auto wants = [&](unsigned i) { return g && needed.size() > i && needed[i]; };
    if (needed[0] || wants(1)) {
      Value x = lines.view(b, input);
      normal = mul(b, mean ? sub(b, x, lines.spread(b, mean)) : x, lines.spread(b, rstd));
    }
    if (wants(1))
      slots[1] = lines.sumToAffine(b, mul(b, g, normal));
    if (wants(2))
      slots[2] = lines.sumToAffine(b, g);
    if (needed[0])
      slots[0] = reshape(b, ofInput(), shapeOf(input));
  }

  Value ofInput() {
    const double share = 1.0 / static_cast<double>(std::max<int64_t>(lines.count, 1));
    Value result;
    if (g) {
      Value h = scaling ? mul(b, g, lines.spreadAffine(b, scaling)) : g;
      Value along = vjp::scale(b, lines.sum(b, mul(b, h, normal)), share);
      Value inner = sub(b, h, mul(b, normal, lines.spread(b, along)));
      if (mean)
        inner = sub(b, inner, lines.spread(b, vjp::scale(b, lines.sum(b, h), share)));
      result = mul(b, inner, lines.spread(b, rstd));
    }
    if (gMean)
      result = plus(b, result, lines.spread(b, vjp::scale(b, gMean, share)));
    if (gRstd) {
      Value factor = vjp::scale(b, mul(b, gRstd, mul(b, rstd, rstd)), -share);
      result = plus(b, result, mul(b, normal, lines.spread(b, factor)));
    }
    return result;
  }
};

template <typename Op>
LogicalResult normalisation(Op op, OpBuilder &builder, const NormLines &lines, Cts cts, Needed needed, Slots slots) {
  ImplicitLocOpBuilder b(op.getLoc(), builder);
  Value scaling = op.getAffine().empty() ? Value() : op.getAffine()[0];
  NormRule{b, lines, op.getInput(), op.getMean(), op.getRstd(), scaling, cts[0], cts[1], cts[2]}.build(needed, slots);
  return success();
}

} // namespace

LogicalResult LayerNormOp::buildVjp(OpBuilder &builder, Cts cts, Needed needed, Slots slots) {
  return normalisation(*this, builder, NormLines::lastDims(shapeOf(getInput()), getAxis()), cts, needed, slots);
}

LogicalResult GroupNormOp::buildVjp(OpBuilder &builder, Cts cts, Needed needed, Slots slots) {
  return normalisation(*this, builder, NormLines::featureGroups(shapeOf(getInput()), getGroups()), cts, needed, slots);
}

LogicalResult RmsNormOp::buildVjp(OpBuilder &builder, Cts cts, Needed needed, Slots slots) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  const NormLines lines = NormLines::lastDims(shapeOf(getInput()), getAxis());
  NormRule{b, lines, getInput(), {}, getRstd(), getScale(), cts[0], {}, cts[1]}.build(needed, slots);
  return success();
}

// g exp(x - y). Where all elements are minus infinity, so is y, and none of them has a share.
LogicalResult LogsumexpOp::buildVjp(OpBuilder &builder, Cts cts, Needed, Slots slots) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  Value x = getInput(), y = getResult();
  Value none = compare(b, CompareDirection::EQ, y, splat(b, y, -std::numeric_limits<double>::infinity()));
  y = select(b, none, zeros(b, y), y);
  const auto spread = [&](Value perLine) { return broadcastAlong(b, perLine, shapeOf(x), getDims()); };
  Value share = ExpOp::create(b, sub(b, x, spread(y)));
  slots[0] = mul(b, spread(cts[0]), share);
  return success();
}
