// Decomposition and derivative of interpolate: dimension by dimension, a weighted sum of gathers, and its transpose.
#include "dialects/Burn/Composites.h"
#include "dialects/Burn/ResampleTaps.h"

using namespace mlir;
using namespace burn::ir;
using namespace burn::ir::composite;

namespace {

// The numbers of a gather and a scatter of slices across one dimension.
struct Across {
  DimVector others, dim, none;

  Across(int64_t rank, int64_t at) : others(otherDims(rank, {at})), dim{at} {}

  Value gather(ImplicitLocOpBuilder &b, Value x, Value indices) const {
    DimVector sizes(shapeOf(x));
    sizes[dim[0]] = 1;
    return GatherOp::create(b, x, indices, others, dim, none, none, dim, /*index_vector_dim=*/1, sizes,
                            IndexMode::AssumeValid);
  }
  Value scatterAdd(ImplicitLocOpBuilder &b, Value into, Value indices, Value updates) const {
    return ScatterOp::create(b, into, indices, updates, others, dim, none, none, dim, /*index_vector_dim=*/1,
                             ScatterCombiner::Add, IndexMode::AssumeValid);
  }
};

Value weighted(ImplicitLocOpBuilder &b, Value x, int64_t dim, Value weights) {
  return mul(b, x, broadcast(b, weights, shapeOf(x), {dim}));
}

TapValues constantTaps(ImplicitLocOpBuilder &b, const ResampleTaps &taps, Type element) {
  TapValues values;
  for (const std::vector<int64_t> &index : taps.index)
    values.index.push_back(constantVector(b, index));
  for (const std::vector<double> &weight : taps.weight)
    values.weight.push_back(constantVector(b, element, weight));
  return values;
}

// Resampled dimensions are the last ones; calls `fn(dimension, taps, source size)` for those that change something.
// Weights are of type `element`. Fails where the coordinates of a dimension are too large.
template <typename Fn>
LogicalResult forEachDim(ImplicitLocOpBuilder &b, InterpolateOp op, Type element, bool backwards, Fn fn) {
  const Dims source = shapeOf(op.getInput());
  const unsigned count = op.getSizes().size(), first = source.size() - count;
  if (typeOf(op.getResult()).getNumElements() == 0)
    return success();
  for (unsigned step = 0; step < count; ++step) {
    const unsigned i = backwards ? count - 1 - step : step;
    const int64_t size = source[first + i];
    if (op.getSizes()[i] > kLongestTable) {
      const std::optional<TapValues> taps = computedTaps(b, op, i, size, element);
      if (!taps)
        return failure();
      fn(first + i, *taps, size);
    } else if (const ResampleTaps taps = resampleTaps(op, i, size); !taps.isIdentity(size)) {
      fn(first + i, constantTaps(b, taps, element), size);
    }
  }
  return success();
}

} // namespace

SmallVector<Value> InterpolateOp::decompose(OpBuilder &builder) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  const int64_t rank = typeOf(getInput()).getRank();
  Value x = getMode() == InterpolateMode::Nearest ? getInput() : widen(b, getInput());
  const LogicalResult resampled =
      forEachDim(b, *this, elementOf(x), false, [&](int64_t dim, const TapValues &taps, int64_t) {
        const Across across(rank, dim);
        Value sum;
        for (size_t tap = 0; tap < taps.index.size(); ++tap) {
          Value term = across.gather(b, x, taps.index[tap]);
          if (!taps.weight.empty())
            term = weighted(b, term, dim, taps.weight[tap]);
          sum = plus(b, sum, term);
        }
        x = sum;
      });
  if (failed(resampled))
    return {};
  return {shapedLike(b, x, getResult())};
}

LogicalResult InterpolateOp::buildVjp(OpBuilder &builder, ArrayRef<Value> cts, const llvm::SmallBitVector &,
                                      MutableArrayRef<Value> slots) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  const int64_t rank = typeOf(getInput()).getRank();
  Value ct = cts[0];
  const LogicalResult spread =
      forEachDim(b, *this, elementOf(ct), true, [&](int64_t dim, const TapValues &taps, int64_t source) {
        const Across across(rank, dim);
        DimVector shape(shapeOf(ct));
        shape[dim] = source;
        Value sum = splat(b, RankedTensorType::get(shape, elementOf(ct)), 0.0);
        for (size_t tap = 0; tap < taps.index.size(); ++tap) {
          Value term = taps.weight.empty() ? ct : weighted(b, ct, dim, taps.weight[tap]);
          sum = across.scatterAdd(b, sum, taps.index[tap], term);
        }
        ct = sum;
      });
  if (failed(spread))
    return failure();
  slots[0] = typeOf(getResult()).getNumElements() == 0 ? zeros(b, getInput()) : ct;
  return success();
}
