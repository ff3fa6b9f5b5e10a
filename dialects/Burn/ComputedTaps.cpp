// The taps of long resampled dimensions as ops, with the values that ResampleTaps.cpp has for short ones.
#include "dialects/Burn/Composites.h"
#include "dialects/Burn/ResampleTaps.h"

using namespace mlir;
using namespace burn::ir;
using namespace burn::ir::composite;

namespace {

Value integers(ImplicitLocOpBuilder &b, Value like, int64_t number) {
  return ConstantOp::create(b, typeOf(like), DenseElementsAttr::get(typeOf(like), APInt(64, number, true)));
}

Value shifted(ImplicitLocOpBuilder &b, Value x, int64_t number) {
  return number == 0 ? x : add(b, x, integers(b, x, number));
}

Value clamped(ImplicitLocOpBuilder &b, Value x, int64_t most) {
  return MinOp::create(b, MaxOp::create(b, x, integers(b, x, 0)), integers(b, x, most));
}

// Source coordinates, as ResampleTaps.cpp has them: a whole number and a fraction in [0, 1); and whether the fraction
// is above, or not below, 1/2.
struct Coordinates {
  Value whole, fraction, aboveHalf, fromHalf;
};

Coordinates ratio(ImplicitLocOpBuilder &b, Value numerator, int64_t denominator) {
  const Type f64 = b.getF64Type();
  Value unit = integers(b, numerator, denominator);
  Value whole = FloorDivOp::create(b, numerator, unit);
  Value rest = sub(b, numerator, mul(b, whole, unit)), twice = add(b, rest, rest);
  return {whole, div(b, convert(b, rest, f64), convert(b, unit, f64)), compare(b, CompareDirection::GT, twice, unit),
          compare(b, CompareDirection::GE, twice, unit)};
}

Coordinates rounded(ImplicitLocOpBuilder &b, Value x, int64_t source) {
  constexpr double beyond = 4; // as there
  x = FmaxOp::create(b, FminOp::create(b, x, splat(b, x, static_cast<double>(source) + beyond)), splat(b, x, -beyond));
  Value whole = FloorOp::create(b, x), fraction = sub(b, x, whole), half = splat(b, x, 0.5);
  return {convert(b, whole, b.getI64Type()), fraction, compare(b, CompareDirection::GT, fraction, half),
          compare(b, CompareDirection::GE, fraction, half)};
}

Coordinates coordinatesOf(ImplicitLocOpBuilder &b, CoordinateMode mode, int64_t source, int64_t size, double scale) {
  const double from = static_cast<double>(source), to = static_cast<double>(size);
  const bool isRatio = scale == to / from;
  Value i = iota(b, {size}, 0), place = convert(b, i, b.getF64Type());
  const auto number = [&](double value) { return splat(b, place, value); };
  const auto halfPixel = [&] { return sub(b, div(b, add(b, place, number(0.5)), number(scale)), number(0.5)); };
  if (mode == CoordinateMode::AlignCorners)
    return ratio(b, mul(b, i, integers(b, i, source - 1)), size - 1);
  if (mode == CoordinateMode::Asymmetric)
    return isRatio ? ratio(b, mul(b, i, integers(b, i, source)), size)
                   : rounded(b, div(b, place, number(scale)), source);
  if (mode == CoordinateMode::HalfPixelSymmetric && !isRatio)
    return rounded(b, add(b, number(from / 2 * (1 - to / (scale * from))), halfPixel()), source);
  if (!isRatio)
    return rounded(b, halfPixel(), source);
  Value odd = shifted(b, add(b, i, i), 1);
  return ratio(b, shifted(b, mul(b, odd, integers(b, i, source)), -size), 2 * size);
}

Value nearest(ImplicitLocOpBuilder &b, NearestMode mode, const Coordinates &x) {
  const auto raised = [&](Value where) { return add(b, x.whole, convert(b, where, b.getI64Type())); };
  switch (mode) {
  case NearestMode::RoundPreferFloor:
    return raised(x.aboveHalf);
  case NearestMode::RoundPreferCeil:
    return raised(x.fromHalf);
  case NearestMode::Floor:
    return x.whole;
  case NearestMode::Ceil:
    return raised(compare(b, CompareDirection::GT, x.fraction, zeros(b, x.fraction)));
  }
  return x.whole;
}

Value cubicWeight(ImplicitLocOpBuilder &b, Value distance, double a) {
  Value t = AbsOp::create(b, distance);
  const auto number = [&](double value) { return splat(b, t, value); };
  Value near = sub(b, mul(b, number(a + 2), t), number(a + 3));
  near = add(b, mul(b, mul(b, near, t), t), number(1));
  Value far = add(b, mul(b, sub(b, mul(b, number(a), t), number(5 * a)), t), number(8 * a));
  far = sub(b, mul(b, far, t), number(4 * a));
  return select(b, compare(b, CompareDirection::LE, t, number(1)), near, far);
}

} // namespace

std::optional<TapValues> composite::computedTaps(ImplicitLocOpBuilder &b, InterpolateOp op, unsigned dim,
                                                 int64_t source, Type element) {
  const int64_t size = op.getSizes()[dim];
  // Numerators and twice the rests are computed in i64.
  if (__int128(size) * source >= __int128(1) << 60)
    return std::nullopt;
  const InterpolateMode mode = op.getMode();
  const Coordinates x = coordinatesOf(b, op.getCoordinates(), source, size, op.getScales()[dim]);
  TapValues taps;
  if (mode == InterpolateMode::Nearest) {
    taps.index.push_back(clamped(b, nearest(b, op.getNearest(), x), source - 1));
    return taps;
  }
  const int count = mode == InterpolateMode::Linear ? 2 : 4, first = mode == InterpolateMode::Linear ? 0 : -1;
  SmallVector<Value> weights;
  for (int tap = 0; tap < count; ++tap) {
    taps.index.push_back(clamped(b, shifted(b, x.whole, first + tap), source - 1));
    Value weight = x.fraction;
    if (mode == InterpolateMode::Cubic)
      weight = cubicWeight(b, add(b, x.fraction, splat(b, x.fraction, 1 - tap)), op.getCubicCoeff().convertToDouble());
    else if (tap == 0)
      weight = sub(b, splat(b, x.fraction, 1), x.fraction);
    weights.push_back(convert(b, weight, element));
  }
  // Once a place, not once an element: behind a barrier they are no part of what multiplies by them.
  auto barrier = BarrierOp::create(b, weights);
  taps.weight.assign(barrier.getResults().begin(), barrier.getResults().end());
  return taps;
}
