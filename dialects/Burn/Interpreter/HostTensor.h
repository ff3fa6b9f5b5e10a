// Tensor values in host memory, as the interpreter takes and gives them.
#pragma once

#include "runtime/Core/Types.h"

#include <complex>
#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

namespace burn::ir {

/// A dense row-major tensor that owns its elements.
struct HostTensor {
  core::TypeDesc type;
  /// The elements; a boolean is one byte, 0 or 1.
  std::vector<std::byte> bytes;
  /// Elements of a floating-point tensor are `std::complex<double>`: only under
  /// `Precision::ComplexStep`, where `type` keeps dtype F64.
  bool isComplex = false;

  HostTensor() = default;
  /// A tensor of zeros.
  explicit HostTensor(core::TypeDesc desc, bool complexElements = false)
      : type(desc), isComplex(complexElements && isFloat(desc.dtype)) {
    bytes.resize(static_cast<size_t>(numel()) * elementSize());
  }

  int64_t numel() const { return type.numel(); }
  size_t elementSize() const { return isComplex ? sizeof(std::complex<double>) : byteWidth(type.dtype); }

  /// The elements as a C++ type of their size.
  template <typename T> std::span<T> data() { return {reinterpret_cast<T *>(bytes.data()), bytes.size() / sizeof(T)}; }
  template <typename T> std::span<const T> data() const {
    return {reinterpret_cast<const T *>(bytes.data()), bytes.size() / sizeof(T)};
  }

  /// A tensor of `T`'s element type that holds a copy of `values`.
  template <typename T> static HostTensor from(std::span<const T> values, Shape shape) {
    HostTensor result(core::TypeDesc{dtypeOf<T>, shape});
    assert(static_cast<int64_t>(values.size()) == shape.numel());
    if (!values.empty())
      std::memcpy(result.bytes.data(), values.data(), result.bytes.size());
    return result;
  }
};

} // namespace burn::ir
