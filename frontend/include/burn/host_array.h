/// `burn::HostArray`: elements in host memory with their type and shape, as files hold them.
#pragma once

#include <burn/dtype.h>
#include <burn/error.h>
#include <burn/shape.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <source_location>
#include <span>
#include <string>

namespace burn {

/// A dense row-major array in host memory: what the readers and writers of files exchange with tensors. Copies copy
/// the elements. The buffer is aligned to 64 bytes.
class HostArray {
public:
  HostArray() = default;

  /// An array of `shape` with every byte 0. `shape` must fit (`Shape::fits`).
  HostArray(DType dtype, const Shape &shape) : dtype_(dtype), shape_(shape) {
    if (!shape.fits())
      throw Error(ErrorCode::InvalidArgument, "array of shape " + shape.str() + " is too large");
    size_ = static_cast<size_t>(shape.numel()) * byteWidth(dtype);
    data_.reset(static_cast<std::byte *>(::operator new(std::max<size_t>(size_, 1), alignment)));
    std::memset(data_.get(), 0, size_);
  }

  /// A copy of `values` in row-major order; their number must be that of `shape`.
  template <typename T> static HostArray of(const Shape &shape, std::span<const T> values) {
    HostArray array(dtypeOf<T>, shape);
    if (values.size() != static_cast<size_t>(shape.numel()))
      throw Error(ErrorCode::InvalidArgument,
                  std::to_string(values.size()) + " values do not fill an array of shape " + shape.str());
    std::copy(values.begin(), values.end(), array.values<T>().begin());
    return array;
  }
  template <typename T> static HostArray of(const Shape &shape, std::initializer_list<T> values) {
    return of(shape, std::span<const T>(values.begin(), values.size()));
  }

  HostArray(const HostArray &other) : HostArray() {
    if (other.data_) {
      HostArray copy(other.dtype_, other.shape_);
      std::memcpy(copy.data_.get(), other.data_.get(), size_ = other.size_);
      *this = std::move(copy);
    }
  }
  HostArray(HostArray &&) = default;
  HostArray &operator=(const HostArray &other) { return *this = HostArray(other); }
  HostArray &operator=(HostArray &&) = default;

  DType dtype() const { return dtype_; }
  const Shape &shape() const { return shape_; }
  int64_t numel() const { return data_ ? shape_.numel() : 0; }
  std::span<std::byte> bytes() { return {data_.get(), data_ ? size_ : 0}; }
  std::span<const std::byte> bytes() const { return {data_.get(), data_ ? size_ : 0}; }

  /// The elements in row-major order. `T` must be the array's element type.
  template <typename T> std::span<T> values() {
    checkType(dtypeOf<T>);
    return {reinterpret_cast<T *>(data_.get()), bytes().size() / sizeof(T)};
  }
  template <typename T> std::span<const T> values() const {
    checkType(dtypeOf<T>);
    return {reinterpret_cast<const T *>(data_.get()), bytes().size() / sizeof(T)};
  }

  /// Same type, same shape, same bytes.
  friend bool operator==(const HostArray &a, const HostArray &b) {
    return a.dtype_ == b.dtype_ && a.shape_ == b.shape_ && std::ranges::equal(a.bytes(), b.bytes());
  }

private:
  static constexpr std::align_val_t alignment{64};
  struct Free {
    void operator()(std::byte *data) const { ::operator delete(data, alignment); }
  };

  void checkType(DType wanted) const {
    if (wanted != dtype_)
      throw Error(ErrorCode::InvalidArgument,
                  "array of " + std::string(name(dtype_)) + " read as " + std::string(name(wanted)));
  }

  DType dtype_ = DType::F32;
  Shape shape_;
  size_t size_ = 0;
  std::unique_ptr<std::byte, Free> data_;
};

class Tensor;

/// A tensor with the elements of `array`, which are copied.
BURN_API Tensor from_host(const HostArray &array, std::source_location where = std::source_location::current());

/// The elements of `tensor`; computes what is recorded.
BURN_API HostArray to_host(const Tensor &tensor, std::source_location where = std::source_location::current());

} // namespace burn
