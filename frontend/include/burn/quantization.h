/// Tensors of small integers or floats times scales.
#pragma once

#include <burn/tensor.h>

namespace burn {

/// How quantized elements are stored: integers of 8 or 4 bits (two a byte), or floats of 8 bits.
enum class QuantType : uint8_t { I8, U8, I4, U4, F8E4M3FN, F8E5M2 };

/// A quantized tensor: (q - zero point) * scale, with a scale and a zero point for each block of elements.
struct BURN_API QTensor {
  /// The stored elements: i8 for I8, u8 for the others; elements of 4 bits lie in pairs along the last dimension.
  Tensor packed;
  /// One for each block, in the type of the numbers that were quantized.
  Tensor scales;
  /// i32, of the scales' shape; not defined where all are 0.
  Tensor zero_points;
  QuantType type = QuantType::I8;
  /// Shape of the tensor that was quantized, and of a block.
  Shape shape, block;

  /// The numbers that it stands for. The gradient of the scales flows.
  Tensor dequantize(Where where = Where::current()) const;
};

/// q = round(x / scale) + zero point, to nearest even and saturated; floats are rounded to their type. `block` is the
/// shape of the elements that share a scale and divides x's; scales and zero points (i32, may be undefined) have one
/// element a block. NaN gives the zero point. No gradient flows.
BURN_API QTensor quantize(const Tensor &x, const Tensor &scales, const Tensor &zero_points, Dims block,
                          QuantType type = QuantType::I8, Where where = Where::current());

/// One scale for all elements.
BURN_API QTensor quantize_per_tensor(const Tensor &x, double scale, int64_t zero_point = 0,
                                     QuantType type = QuantType::I8, Where where = Where::current());

/// One scale, [channels], for each index of a dimension.
BURN_API QTensor quantize_per_channel(const Tensor &x, const Tensor &scales, const Tensor &zero_points, int64_t dim,
                                      QuantType type = QuantType::I8, Where where = Where::current());

/// Scales chosen so that the largest magnitude of each block becomes the largest number of the type: symmetric, without
/// zero points.
BURN_API QTensor quantize_dynamic(const Tensor &x, Dims block, QuantType type = QuantType::I8,
                                  Where where = Where::current());

/// dequantize(quantize(x)) whose gradient passes where x is within the range of the type and is 0 elsewhere (a
/// straight-through estimate).
BURN_API Tensor fake_quantize(const Tensor &x, const Tensor &scales, const Tensor &zero_points, Dims block,
                              QuantType type = QuantType::I8, Where where = Where::current());

} // namespace burn
