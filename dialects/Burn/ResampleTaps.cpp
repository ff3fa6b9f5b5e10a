#include "dialects/Burn/ResampleTaps.h"

#include <algorithm>
#include <cmath>

using namespace burn::ir;
using namespace burn::ir::composite;

namespace {

// A source coordinate: a whole number, a fraction in [0, 1), and how the fraction compares with 1/2.
struct Coordinate {
  int64_t whole;
  double fraction;
  int half; // -1, 0, 1
};

// Sizes reach 2^63, products of two of them twice as many bits.
using Wide = __int128;

// Ties between two neighbours are common, so ratios of sizes are not rounded.
Coordinate ratio(Wide numerator, Wide denominator) {
  Wide whole = numerator / denominator, rest = numerator % denominator;
  if (rest < 0) {
    rest += denominator;
    --whole;
  }
  const Wide twice = 2 * rest;
  return {static_cast<int64_t>(whole), static_cast<double>(rest) / static_cast<double>(denominator),
          twice < denominator   ? -1
          : twice > denominator ? 1
                                : 0};
}

// Beyond the edges by so much all taps are the edge element, and the place counts no further: it may lie outside of
// i64.
constexpr double kBeyond = 4;

Coordinate rounded(double x, int64_t source) {
  x = std::fmax(-kBeyond, std::fmin(x, static_cast<double>(source) + kBeyond));
  const double whole = std::floor(x), fraction = x - whole;
  return {static_cast<int64_t>(whole), fraction, fraction < 0.5 ? -1 : fraction > 0.5 ? 1 : 0};
}

Coordinate coordinateOf(CoordinateMode mode, int64_t i, int64_t source, int64_t size, double scale) {
  const bool isRatio = scale == static_cast<double>(size) / static_cast<double>(source);
  const double place = static_cast<double>(i), from = static_cast<double>(source), to = static_cast<double>(size);
  switch (mode) {
  case CoordinateMode::AlignCorners:
    return size == 1 ? ratio(0, 1) : ratio(Wide(i) * (source - 1), size - 1);
  case CoordinateMode::Asymmetric:
    return isRatio ? ratio(Wide(i) * source, size) : rounded(place / scale, source);
  case CoordinateMode::PytorchHalfPixel:
    if (size == 1)
      return ratio(0, 1);
    break;
  case CoordinateMode::HalfPixelSymmetric:
    if (!isRatio)
      return rounded(from / 2 * (1 - to / (scale * from)) + ((place + 0.5) / scale - 0.5), source);
    break;
  case CoordinateMode::HalfPixel:
    break;
  }
  return isRatio ? ratio((2 * Wide(i) + 1) * source - size, 2 * Wide(size))
                 : rounded((place + 0.5) / scale - 0.5, source);
}

int64_t nearest(NearestMode mode, const Coordinate &x) {
  switch (mode) {
  case NearestMode::RoundPreferFloor:
    return x.whole + (x.half > 0);
  case NearestMode::RoundPreferCeil:
    return x.whole + (x.half >= 0);
  case NearestMode::Floor:
    return x.whole;
  case NearestMode::Ceil:
    return x.whole + (x.fraction > 0);
  }
  return x.whole;
}

// Keys, "Cubic convolution interpolation for digital image processing", 1981.
double cubicWeight(double distance, double a) {
  const double t = std::fabs(distance);
  return t <= 1 ? ((a + 2) * t - (a + 3)) * t * t + 1 : ((a * t - 5 * a) * t + 8 * a) * t - 4 * a;
}

} // namespace

bool ResampleTaps::isIdentity(int64_t source) const {
  if (index.size() != 1 || static_cast<int64_t>(index[0].size()) != source)
    return false;
  for (int64_t i = 0; i < source; ++i)
    if (index[0][i] != i)
      return false;
  return true;
}

ResampleTaps composite::resampleTaps(InterpolateOp op, unsigned dim, int64_t source) {
  const InterpolateMode mode = op.getMode();
  const int64_t size = op.getSizes()[dim];
  const int taps = mode == InterpolateMode::Nearest ? 1 : mode == InterpolateMode::Linear ? 2 : 4;
  const double a = op.getCubicCoeff().convertToDouble();
  ResampleTaps result;
  result.index.resize(taps);
  result.weight.resize(taps == 1 ? 0 : taps);
  for (int64_t i = 0; i < size; ++i) {
    const Coordinate x = coordinateOf(op.getCoordinates(), i, source, size, op.getScales()[dim]);
    const int64_t first = taps == 1 ? nearest(op.getNearest(), x) : taps == 2 ? x.whole : x.whole - 1;
    for (int tap = 0; tap < taps; ++tap) {
      result.index[tap].push_back(std::clamp<int64_t>(first + tap, 0, source - 1));
      if (taps == 2)
        result.weight[tap].push_back(tap == 0 ? 1 - x.fraction : x.fraction);
      if (taps == 4)
        result.weight[tap].push_back(cubicWeight(x.fraction + 1 - tap, a));
    }
  }
  return result;
}
