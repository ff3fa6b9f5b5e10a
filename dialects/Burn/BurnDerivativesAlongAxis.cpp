// Reverse-mode rules of ops that run along an axis: scans, and sorting.
#include "dialects/Burn/Derivatives.h"

using namespace mlir;
using namespace burn::ir;
using namespace burn::ir::vjp;

using Cts = ArrayRef<Value>;
using Needed = const llvm::SmallBitVector &;
using Slots = MutableArrayRef<Value>;

namespace {

/// Element i becomes element i + `distance` along `axis`; 0 moves in, what leaves is lost.
Value shifted(ImplicitLocOpBuilder &b, Value x, int64_t axis, int64_t distance) {
  DimVector low(shapeOf(x).size(), 0), high(low), interior(low);
  low[axis] = distance;
  high[axis] = -distance;
  return PadOp::create(b, x, scalar(b, x, 0.0), low, high, interior);
}

/// Zeros of `shape` to which `ct` is added at `indices` along `axis`; each line has its own indices.
Value scatteredAlong(ImplicitLocOpBuilder &b, Dims shape, Value indices, Value ct, int64_t axis) {
  const int64_t rank = shape.size();
  Value none = splat(b, RankedTensorType::get(shape, typeOf(ct).getElementType()), 0.0);
  DimVector others = otherDims(rank, {axis});
  return ScatterOp::create(b, none, indices, ct, Dims{}, Dims{axis}, others, others, Dims{axis}, rank,
                           ScatterCombiner::Add, IndexMode::AssumeValid);
}

/// The steps of a scan along its axis: 1 forwards, -1 in reverse.
int64_t directionOf(bool reverse) { return reverse ? -1 : 1; }

/// The rule of an inclusive scan by max or min: each cotangent goes to the last element so far that is the extremum.
Value extremumCotangent(ImplicitLocOpBuilder &b, ScanOp op, Value result, Value ct) {
  using enum CompareDirection;
  const int64_t axis = op.getAxis();
  Value x = op.getInput(), places = iota(b, shapeOf(x), axis);
  Value isNaN = compare(b, NE, x, x);
  Value extreme = OrOp::create(b, compare(b, EQ, x, result), isNaN);
  // The first element is an extremum, so its place never stands for another one.
  const int64_t first = op.getReverse() ? shapeOf(x)[axis] - 1 : 0;
  Value candidates = select(b, extreme, places, splat(b, places, first));
  Value last = ScanOp::create(b, op.getReverse() ? ScanKind::Min : ScanKind::Max, candidates, axis,
                              /*exclusive=*/false, op.getReverse());
  return scatteredAlong(b, shapeOf(x), last, ct, axis);
}

/// Where the elements of the sorted lines came from.
Value permutationOf(ImplicitLocOpBuilder &b, SortOp op) {
  const int64_t axis = op.getAxis();
  for (auto [operand, result] : llvm::zip_equal(op.getInputs(), op.getResults()))
    if (auto places = operand.getDefiningOp<IotaOp>();
        places && places.getDim() == op.getAxis() && typeOf(operand).getElementType().isSignlessInteger(64))
      return result;
  Value keys = op.getInputs().front();
  Value operands[] = {keys, iota(b, shapeOf(keys), axis)};
  return SortOp::create(b, operands, axis, op.getDescending()).getResult(1);
}

} // namespace

LogicalResult ScanOp::buildVjp(OpBuilder &builder, Cts cts, Needed, Slots slots) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  Value x = getInput(), ct = cts[0];
  if (typeOf(x).getNumElements() == 0)
    return success();
  const int64_t axis = getAxis(), forward = directionOf(getReverse());
  auto scan = [&](bool exclusive) -> Value { return ScanOp::create(b, getKind(), x, axis, exclusive, getReverse()); };
  if (getKind() == ScanKind::Sum) {
    slots[0] = ScanOp::create(b, ScanKind::Sum, ct, axis, getExclusive(), !getReverse());
    return success();
  }
  // As the cotangent of the inclusive scan, whose results stand one place earlier.
  if (getExclusive())
    ct = shifted(b, ct, axis, -forward);
  if (getKind() == ScanKind::Prod) {
    // x[k] has a part in every result from k on: the product before it, times ct[k] + x[k+1] (ct[k+1] + x[k+2] (...)).
    // Without a division this holds with zeros among the elements.
    Value before = getExclusive() ? getResult() : scan(/*exclusive=*/true);
    Value tail = LinearScanOp::create(b, shifted(b, x, axis, -forward), ct, axis, !getReverse());
    slots[0] = mul(b, before, tail);
    return success();
  }
  slots[0] = extremumCotangent(b, *this, getExclusive() ? scan(/*exclusive=*/false) : getResult(), ct);
  return success();
}

// With y[i] = a[i] y[i-1] + x[i]: dx[i] = ct[i] + a[i+1] dx[i+1], and da[i] = dx[i] y[i-1].
LogicalResult LinearScanOp::buildVjp(OpBuilder &builder, Cts cts, Needed needed, Slots slots) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  if (typeOf(getInput()).getNumElements() == 0)
    return success();
  const int64_t axis = getAxis(), forward = directionOf(getReverse());
  Value next = shifted(b, getFactor(), axis, -forward);
  Value ofInput = LinearScanOp::create(b, next, cts[0], axis, !getReverse());
  if (needed[0])
    slots[0] = mul(b, ofInput, shifted(b, getResult(), axis, forward));
  slots[1] = ofInput;
  return success();
}

LogicalResult SortOp::buildVjp(OpBuilder &builder, Cts cts, Needed needed, Slots slots) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  Value permutation = permutationOf(b, *this);
  for (auto [i, ct] : llvm::enumerate(cts))
    if (ct && needed[i])
      slots[i] = scatteredAlong(b, shapeOf(ct), permutation, ct, getAxis());
  return success();
}

LogicalResult TopkOp::buildVjp(OpBuilder &builder, Cts cts, Needed, Slots slots) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  slots[0] = scatteredAlong(b, shapeOf(getInput()), getIndices(), cts[0], getAxis());
  return success();
}
