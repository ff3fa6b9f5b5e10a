// What a tensor value is, apart from its data: element type and shape.
#pragma once

#include <burn/dtype.h>
#include <burn/shape.h>

#include <string>

namespace burn::core {

using burn::DType;
using burn::Shape;

/// Element type and shape of one value.
struct TypeDesc {
  DType dtype = DType::F32;
  Shape shape;

  int64_t numel() const { return shape.numel(); }
  int64_t byteSize() const { return shape.numel() * byteWidth(dtype); }
  std::string str() const { return std::string(name(dtype)) + shape.str(); }
  friend bool operator==(const TypeDesc &, const TypeDesc &) = default;
};

} // namespace burn::core
