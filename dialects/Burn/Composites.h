// What decompositions and derivatives of composites are written with, so that a forward and a reverse pass which need
// the same value write it the same way and share it; not for others.
#pragma once

#include "dialects/Burn/Derivatives.h"

namespace burn::ir::composite {

using namespace vjp;

inline mlir::Type elementOf(Value value) { return typeOf(value).getElementType(); }

/// `value` with another element type; itself where that is its own.
Value convert(ImplicitLocOpBuilder &b, Value value, mlir::Type element);

/// The element type that a composite computes in: f32 for f16 and bf16.
mlir::Type computeElement(Value value);
inline Value widen(ImplicitLocOpBuilder &b, Value value) { return convert(b, value, computeElement(value)); }

/// `value` as the type of `like` has it: its shape and its elements, rounded once.
Value shapedLike(ImplicitLocOpBuilder &b, Value value, Value like);

Value reduce(ImplicitLocOpBuilder &b, ReduceKind kind, Value value, Dims dims);

/// The constants of selu, for which activations keep mean 0 and variance 1.
inline constexpr double kSeluAlpha = 1.6732632423543772, kSeluScale = 1.0507009873554805;

/// log(1 + exp(x)), without overflow.
Value softplus(ImplicitLocOpBuilder &b, Value x);

/// A constant of one dimension.
Value constantVector(ImplicitLocOpBuilder &b, llvm::ArrayRef<int64_t> values);
Value constantVector(ImplicitLocOpBuilder &b, mlir::Type element, llvm::ArrayRef<double> values);

/// How a normalisation sees its input: as lines along the dimensions `reduced` of `shape`, with affine parameters that
/// have the dimensions `affine` of the input.
struct NormLines {
  DimVector input, shape, reduced, affine;
  int64_t count; // of elements of a line

  /// Lines over the dimensions from `axis` on.
  static NormLines lastDims(Dims input, int64_t axis);
  /// Lines over a group of features (dimension 1) and the dimensions from 2 on.
  static NormLines featureGroups(Dims input, int64_t groups);

  /// A tensor like the input, widened.
  Value view(ImplicitLocOpBuilder &b, Value x) const { return reshape(b, widen(b, x), shape); }
  Value spread(ImplicitLocOpBuilder &b, Value perLine) const { return broadcastAlong(b, perLine, shape, reduced); }
  Value spreadAffine(ImplicitLocOpBuilder &b, Value parameter) const {
    return reshape(b, broadcast(b, widen(b, parameter), input, affine), shape);
  }
  Value sum(ImplicitLocOpBuilder &b, Value x) const { return reduce(b, ReduceKind::Sum, x, reduced); }
  /// The sum of what belongs to each affine parameter.
  Value sumToAffine(ImplicitLocOpBuilder &b, Value x) const {
    return sumOver(b, reshape(b, x, input), otherDims(input.size(), affine));
  }
};

} // namespace burn::ir::composite
