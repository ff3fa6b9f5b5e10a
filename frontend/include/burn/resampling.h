/// Change of spatial sizes.
#pragma once

#include <burn/tensor.h>

#include <vector>

namespace burn {

/// Kernel of an interpolation: which elements around a place count. `NearestExact` takes the nearest element,
/// `Nearest` that whose cell begins before it, as PyTorch has them; Linear, Bilinear and Trilinear are one kernel, by
/// the number of dimensions.
enum class InterpolateMode : uint8_t { Nearest, NearestExact, Linear, Bilinear, Trilinear, Bicubic };

struct InterpolateOptions {
  /// Sizes of the spatial dimensions, or the factors to multiply them with: one for each, or one for all.
  std::vector<int64_t> size = {};
  std::vector<double> scale_factor = {};
  InterpolateMode mode = InterpolateMode::Nearest;
  /// Whether the outermost elements of both grids coincide; not for the nearest modes.
  bool align_corners = false;
};

/// x [batch, features, spatial ...] with other spatial sizes, as PyTorch's without antialiasing.
BURN_API Tensor interpolate(const Tensor &x, const InterpolateOptions &options, Where where = Where::current());

/// Kernels, source coordinates and roundings of ONNX's Resize.
enum class ResizeMode : uint8_t { Nearest, Linear, Cubic };
enum class ResizeCoordinates : uint8_t { HalfPixel, AlignCorners, Asymmetric, PytorchHalfPixel, HalfPixelSymmetric };
enum class ResizeNearest : uint8_t { RoundPreferFloor, RoundPreferCeil, Floor, Ceil };

struct ResizeOptions {
  /// Sizes of all dimensions, or the factors to multiply them with (rounded down).
  std::vector<int64_t> sizes = {};
  std::vector<double> scales = {};
  ResizeMode mode = ResizeMode::Nearest;
  ResizeCoordinates coordinates = ResizeCoordinates::HalfPixel;
  ResizeNearest nearest = ResizeNearest::RoundPreferFloor;
  double cubic_coeff = -0.75;
};

/// x with other sizes, as Resize of ONNX opset 19 without antialiasing. Coordinates that are a ratio of sizes are
/// exact.
BURN_API Tensor resize(const Tensor &x, const ResizeOptions &options, Where where = Where::current());

} // namespace burn
