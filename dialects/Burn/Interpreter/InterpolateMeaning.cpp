// Interpolation: each result element by itself, as the product of the weights of all dimensions.
#include "dialects/Burn/Interpreter/NeuralFamilies.h"

#include <algorithm>

using namespace burn;
using namespace burn::ir;
using namespace burn::ir::meaning;
using core::OpCode;

namespace {

// A source coordinate times `unit`, so that ties of sizes in a simple ratio are met exactly.
struct Place {
  __int128 scaled;
  __int128 unit;

  int64_t floor() const { return static_cast<int64_t>(scaled >= 0 ? scaled / unit : -((unit - 1 - scaled) / unit)); }
  double fraction() const { return static_cast<double>(scaled - floor() * unit) / static_cast<double>(unit); }
};

// A coordinate that is no ratio of sizes: in steps of 2^-60. All taps are the edge element from 4 beyond the edges on.
Place inexact(double x, double source) {
  x = std::fmax(-4.0, std::fmin(x, source + 4));
  const double below = std::floor(x);
  const __int128 unit = __int128(1) << 60;
  return {static_cast<__int128>(below) * unit + static_cast<int64_t>(std::ldexp(x - below, 60)), unit};
}

Place placeOf(const core::InterpolateAttrs &attrs, unsigned dim, int64_t i, int64_t source) {
  const int64_t size = attrs.sizes[dim];
  const double scale = attrs.scales[dim], in = static_cast<double>(source), out = static_cast<double>(size);
  const bool whole = scale == out / in;
  if (attrs.coordinates == core::CoordinateMode::AlignCorners)
    return {__int128(i) * (source - 1), std::max<int64_t>(size - 1, 1)};
  if (attrs.coordinates == core::CoordinateMode::PytorchHalfPixel && size == 1)
    return {0, 1};
  if (attrs.coordinates == core::CoordinateMode::Asymmetric)
    return whole ? Place{__int128(i) * source, size} : inexact(static_cast<double>(i) / scale, in);
  if (whole)
    return {__int128(source) * (2 * i + 1) - size, 2 * __int128(size)};
  const double x = (static_cast<double>(i) + 0.5) / scale - 0.5;
  if (attrs.coordinates == core::CoordinateMode::HalfPixelSymmetric)
    return inexact(in / 2 * (1 - out / (scale * in)) + x, in);
  return inexact(x, in);
}

int64_t roundedPlace(core::NearestMode mode, const Place &place) {
  const __int128 rest = place.scaled - place.floor() * place.unit;
  const bool up = mode == core::NearestMode::Ceil               ? rest > 0
                  : mode == core::NearestMode::RoundPreferCeil  ? 2 * rest >= place.unit
                  : mode == core::NearestMode::RoundPreferFloor ? 2 * rest > place.unit
                                                                : false;
  return place.floor() + up;
}

double keys(double distance, double a) {
  const double t = std::fabs(distance);
  if (t <= 1)
    return (a + 2) * t * t * t - (a + 3) * t * t + 1;
  return a * t * t * t - 5 * a * t * t + 8 * a * t - 4 * a;
}

using Weighted = std::vector<std::pair<int64_t, double>>;

Weighted neighbours(const core::InterpolateAttrs &attrs, unsigned dim, int64_t i, int64_t source) {
  const Place place = placeOf(attrs, dim, i, source);
  const auto inside = [&](int64_t at) { return std::clamp<int64_t>(at, 0, source - 1); };
  if (attrs.mode == core::InterpolateMode::Nearest)
    return {{inside(roundedPlace(attrs.nearest, place)), 1}};
  const int64_t at = place.floor();
  const double t = place.fraction();
  if (attrs.mode == core::InterpolateMode::Linear)
    return {{inside(at), 1 - t}, {inside(at + 1), t}};
  Weighted result;
  for (int64_t step = -1; step <= 2; ++step)
    result.emplace_back(inside(at + step), keys(t - static_cast<double>(step), attrs.cubic_coeff));
  return result;
}

Status interpolate(Evaluation &e, const core::InterpolateAttrs &attrs) {
  const Shape &from = e.operand(0).type.shape, &to = e.types[0].shape;
  const unsigned count = static_cast<unsigned>(attrs.sizes.size()), first = to.rank() - count;
  std::vector<std::vector<Weighted>> taps(count);
  for (unsigned dim = 0; dim < count && to.numel(); ++dim)
    for (int64_t i = 0; i < attrs.sizes[dim]; ++i)
      taps[dim].push_back(neighbours(attrs, dim, i, from[first + dim]));
  const Index strides = stridesOf(from);
  return overFloats(e.operand(0), [&]<typename C>(C) {
    const Elements<C> x = load<C>(e.operand(0));
    Elements<C> y;
    forEachIndex(to, [&](const Index &index) {
      // From the last dimension on, one sum inside of the other.
      const auto sum = [&](auto &&self, unsigned dim, int64_t offset) -> C {
        if (dim == count)
          return x[offset];
        C total(0);
        const Weighted &here = taps[dim][index[first + dim]];
        for (const auto &[at, weight] : here) {
          const C term = self(self, dim + 1, offset + at * strides[first + dim]);
          total = here.size() == 1 ? term : total + weight * term;
        }
        return total;
      };
      y.push_back(sum(sum, 0, dot(index, strides, first)));
    });
    store(e.result(), y);
  });
}

} // namespace

Function meaning::findInterpolate(OpCode op) {
  return op == OpCode::Interpolate ? Decoding<interpolate>::call : nullptr;
}
