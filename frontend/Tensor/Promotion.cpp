#include "frontend/Tensor/Promotion.h"

#include <algorithm>

namespace burn {

std::optional<DType> promote(DType a, DType b) {
  if (a == b || b == DType::Bool)
    return a;
  if (a == DType::Bool)
    return b;
  if (isFloat(a) && isFloat(b)) {
    if (bitWidth(a) == bitWidth(b))
      return DType::F32;
    return bitWidth(a) > bitWidth(b) ? a : b;
  }
  if (isFloat(a) || isFloat(b))
    return isFloat(a) ? a : b;
  if (isSignedInt(a) == isSignedInt(b))
    return bitWidth(a) > bitWidth(b) ? a : b;
  const DType isSigned = isSignedInt(a) ? a : b, isUnsigned = isSignedInt(a) ? b : a;
  if (bitWidth(isSigned) > bitWidth(isUnsigned))
    return isSigned;
  switch (isUnsigned) {
  case DType::U8:
    return DType::I16;
  case DType::U16:
    return DType::I32;
  case DType::U32:
    return DType::I64;
  default:
    return std::nullopt;
  }
}

DType defaultType(const Scalar &scalar) {
  switch (scalar.kind) {
  case Scalar::Kind::Bool:
    return DType::Bool;
  case Scalar::Kind::Int:
    return DType::I64;
  case Scalar::Kind::Float:
    break;
  }
  return DType::F32;
}

DType promote(DType tensor, const Scalar &scalar) {
  const bool tensorBelow = scalar.kind == Scalar::Kind::Float ? !isFloat(tensor) : tensor == DType::Bool;
  return tensorBelow ? defaultType(scalar) : tensor;
}

} // namespace burn
