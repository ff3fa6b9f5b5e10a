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

Value weighted(ImplicitLocOpBuilder &b, Value x, int64_t dim, ArrayRef<double> weights) {
  return mul(b, x, broadcast(b, constantVector(b, elementOf(x), weights), shapeOf(x), {dim}));
}

// Resampled dimensions are the last ones; calls `fn(dimension, taps, source size)` for those that change something.
template <typename Fn> void forEachDim(InterpolateOp op, bool backwards, Fn fn) {
  const Dims source = shapeOf(op.getInput());
  const unsigned count = op.getSizes().size(), first = source.size() - count;
  if (typeOf(op.getResult()).getNumElements() == 0)
    return;
  for (unsigned step = 0; step < count; ++step) {
    const unsigned i = backwards ? count - 1 - step : step;
    const ResampleTaps taps = resampleTaps(op, i, source[first + i]);
    if (!taps.isIdentity(source[first + i]))
      fn(first + i, taps, source[first + i]);
  }
}

} // namespace

SmallVector<Value> InterpolateOp::decompose(OpBuilder &builder) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  const int64_t rank = typeOf(getInput()).getRank();
  const bool copies = getMode() == InterpolateMode::Nearest;
  Value x = copies ? getInput() : widen(b, getInput());
  forEachDim(*this, false, [&](int64_t dim, const ResampleTaps &taps, int64_t) {
    const Across across(rank, dim);
    Value sum;
    for (size_t tap = 0; tap < taps.index.size(); ++tap) {
      Value term = across.gather(b, x, constantVector(b, taps.index[tap]));
      if (!copies)
        term = weighted(b, term, dim, taps.weight[tap]);
      sum = plus(b, sum, term);
    }
    x = sum;
  });
  return {shapedLike(b, x, getResult())};
}

LogicalResult InterpolateOp::buildVjp(OpBuilder &builder, ArrayRef<Value> cts, const llvm::SmallBitVector &,
                                      MutableArrayRef<Value> slots) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  const int64_t rank = typeOf(getInput()).getRank();
  Value ct = cts[0];
  forEachDim(*this, true, [&](int64_t dim, const ResampleTaps &taps, int64_t source) {
    const Across across(rank, dim);
    DimVector shape(shapeOf(ct));
    shape[dim] = source;
    Value sum = splat(b, RankedTensorType::get(shape, elementOf(ct)), 0.0);
    for (size_t tap = 0; tap < taps.index.size(); ++tap) {
      Value term = taps.weight.empty() ? ct : weighted(b, ct, dim, taps.weight[tap]);
      sum = across.scatterAdd(b, sum, constantVector(b, taps.index[tap]), term);
    }
    ct = sum;
  });
  slots[0] = typeOf(getResult()).getNumElements() == 0 ? zeros(b, getInput()) : ct;
  return success();
}
