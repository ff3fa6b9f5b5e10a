// The common element type of operands.
#pragma once

#include <burn/dtype.h>
#include <burn/tensor.h>

#include <optional>

namespace burn {

/// The type that both convert to without losing range: booleans below integers below floats, the wider of one kind,
/// f32 for f16 with bf16. None for u64 with a signed integer.
std::optional<DType> promote(DType a, DType b);

/// A host number beside a tensor: it only counts where its kind is above that of the tensor.
DType promote(DType tensor, const Scalar &scalar);

/// The type of a host number alone.
DType defaultType(const Scalar &scalar);

} // namespace burn
