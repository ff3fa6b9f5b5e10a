#include "frontend/Tensor/Support.h"

#include <burn/resampling.h>

#include <cmath>

namespace burn {

using namespace trace;

namespace {

// Sizes and factors of the last dimensions, each from the other.
struct Resampling {
  std::vector<int64_t> sizes;
  std::vector<double> scales;

  Resampling(const Recorder &recorder, const Shape &shape, size_t count, const std::vector<int64_t> &wanted,
             const std::vector<double> &factors) {
    if (wanted.empty() == factors.empty() && count > 0)
      recorder.fail("expects sizes or factors, and not both");
    const size_t given = wanted.empty() ? factors.size() : wanted.size();
    if (given != count && given != 1)
      recorder.fail("expects one number or " + std::to_string(count) + " for input " + shape.str() + ", got " +
                    std::to_string(given));
    for (size_t i = 0; i < count; ++i) {
      const int64_t source = shape[static_cast<unsigned>(shape.rank() - count + i)];
      const size_t at = given == 1 ? 0 : i;
      if (!wanted.empty()) {
        sizes.push_back(wanted[at]);
        scales.push_back(source ? static_cast<double>(wanted[at]) / static_cast<double>(source) : 1);
      } else {
        if (!(factors[at] > 0) || factors[at] > 1e9)
          recorder.fail("expects factors above 0, got " + std::to_string(factors[at]));
        sizes.push_back(static_cast<int64_t>(std::floor(static_cast<double>(source) * factors[at])));
        scales.push_back(factors[at]);
      }
      if (source > 0 && sizes.back() == 0)
        recorder.fail("cannot resample " + std::to_string(source) + " elements to none");
      // Where all results read one element, no factor is needed but one above 0.
      if (!(scales.back() > 0))
        scales.back() = 1;
    }
  }
};

} // namespace

Tensor interpolate(const Tensor &x, const InterpolateOptions &options, Where where) {
  const LocationScope scope(where);
  Recorder recorder("interpolate", {&x});
  const unsigned rank = x.shape().rank();
  if (rank < 3 || !isFloat(x.dtype()))
    recorder.fail("expects floats [batch, features, spatial ...], got " + std::string(name(x.dtype())) +
                  x.shape().str());
  const size_t spatial = rank - 2;
  const bool isNearest = options.mode == InterpolateMode::Nearest || options.mode == InterpolateMode::NearestExact;
  const size_t wanted = options.mode == InterpolateMode::Linear      ? 1
                        : options.mode == InterpolateMode::Trilinear ? 3
                        : isNearest                                  ? spatial
                                                                     : 2;
  if (wanted != spatial)
    recorder.fail("the mode is for " + std::to_string(wanted) + " spatial dimensions, got input " + x.shape().str());
  if (isNearest && options.align_corners)
    recorder.fail("align_corners is not for the nearest modes");
  const Resampling resampling(recorder, x.shape(), spatial, options.size, options.scale_factor);
  const auto mode = isNearest                                  ? core::InterpolateMode::Nearest
                    : options.mode == InterpolateMode::Bicubic ? core::InterpolateMode::Cubic
                                                               : core::InterpolateMode::Linear;
  const auto coordinates = options.mode == InterpolateMode::Nearest ? core::CoordinateMode::Asymmetric
                           : options.align_corners                  ? core::CoordinateMode::AlignCorners
                                                                    : core::CoordinateMode::HalfPixel;
  const auto nearest =
      options.mode == InterpolateMode::NearestExact ? core::NearestMode::RoundPreferCeil : core::NearestMode::Floor;
  const core::InterpolateAttrs attrs{mode, coordinates, nearest, resampling.sizes, resampling.scales, -0.75};
  return recorder.finish(recorder.emit(attrs, {recorder.use(x)}));
}

Tensor resize(const Tensor &x, const ResizeOptions &options, Where where) {
  const LocationScope scope(where);
  Recorder recorder("resize", {&x});
  if (!isFloat(x.dtype()))
    recorder.fail("expects floats, got " + std::string(name(x.dtype())) + x.shape().str());
  const Resampling resampling(recorder, x.shape(), x.shape().rank(), options.sizes, options.scales);
  // Both enumerations list the same cases in the same order.
  static_assert(static_cast<int>(ResizeMode::Cubic) == static_cast<int>(core::InterpolateMode::Cubic) &&
                static_cast<int>(ResizeCoordinates::HalfPixelSymmetric) ==
                    static_cast<int>(core::CoordinateMode::HalfPixelSymmetric) &&
                static_cast<int>(ResizeNearest::Ceil) == static_cast<int>(core::NearestMode::Ceil));
  const core::InterpolateAttrs attrs{static_cast<core::InterpolateMode>(options.mode),
                                     static_cast<core::CoordinateMode>(options.coordinates),
                                     static_cast<core::NearestMode>(options.nearest),
                                     resampling.sizes,
                                     resampling.scales,
                                     options.cubic_coeff};
  return recorder.finish(recorder.emit(attrs, {recorder.use(x)}));
}

} // namespace burn
