/// Functions that make tensors: of host data, of one number, of ranges.
#pragma once

#include <burn/tensor.h>

#include <functional>

namespace burn {

/// A tensor of host data, which is copied.
BURN_API Tensor from_data(const void *data, Dims shape, DType dtype, Where where = Where::current());
/// A tensor of host data that is not copied: it has to stay as it is until `deleter` runs, once, when nothing uses it
/// any more. Data that is not aligned to 64 bytes is copied, and `deleter` runs at once. It runs on the thread that
/// lets go last, perhaps within a call of this library, and may not use tensors itself.
BURN_API Tensor from_blob(const void *data, Dims shape, DType dtype, std::function<void()> deleter,
                          Where where = Where::current());

template <typename T> Tensor tensor(std::span<const T> values, Dims shape, Where where = Where::current());
/// A tensor of the values and their C++ type; without a shape of rank 1.
template <typename T> Tensor tensor(const std::vector<T> &values, Dims shape, Where where = Where::current());
template <typename T> Tensor tensor(const std::vector<T> &values, Where where = Where::current()) {
  return tensor(values, Dims(static_cast<int64_t>(values.size())), where);
}
template <typename T> Tensor tensor(std::initializer_list<T> values, Dims shape, Where where = Where::current()) {
  return tensor(std::span<const T>(values.begin(), values.size()), shape, where);
}
template <typename T> Tensor tensor(std::initializer_list<T> values, Where where = Where::current()) {
  return tensor(std::span<const T>(values.begin(), values.size()), Dims(static_cast<int64_t>(values.size())), where);
}
/// A tensor of rank 0.
template <typename T>
  requires std::is_arithmetic_v<T>
Tensor tensor(T value, Where where = Where::current()) {
  return from_data(&value, {}, dtypeOf<T>, where);
}

/// Zeros (false) of a shape and type.
BURN_API Tensor zeros(Dims shape, DType dtype = DType::F32, Where where = Where::current());
/// Ones (true) of a shape and type.
BURN_API Tensor ones(Dims shape, DType dtype = DType::F32, Where where = Where::current());
/// Without a dtype: f32 for a float, i64 for an integer, boolean for a bool.
BURN_API Tensor full(Dims shape, Scalar value, std::optional<DType> dtype = std::nullopt,
                     Where where = Where::current());
BURN_API Tensor zeros_like(const Tensor &other, Where where = Where::current()); ///< shape and dtype of `other`
BURN_API Tensor ones_like(const Tensor &other, Where where = Where::current());  ///< likewise
BURN_API Tensor full_like(const Tensor &other, Scalar value, Where where = Where::current()); ///< likewise
/// 0, 1, ..., count - 1.
BURN_API Tensor arange(int64_t count, DType dtype = DType::I64, Where where = Where::current());
/// start, start + step, ... below `stop` (above, where step < 0). Without a dtype: i64 where all three are integers.
BURN_API Tensor arange(Scalar start, Scalar stop, Scalar step = 1, std::optional<DType> dtype = std::nullopt,
                       Where where = Where::current());
BURN_API Tensor linspace(double start, double stop, int64_t count, DType dtype = DType::F32,
                         Where where = Where::current()); ///< `count` numbers at equal distances, both ends included
/// base to the power of linspace(start, stop, count).
BURN_API Tensor logspace(double start, double stop, int64_t count, double base = 10.0, DType dtype = DType::F32,
                         Where where = Where::current());
/// Rows and columns, i64 [2, n], of the elements that tril keeps of a matrix [rows, columns].
BURN_API Tensor tril_indices(int64_t rows, int64_t columns, int64_t offset = 0, Where where = Where::current());
/// Rows and columns, i64 [2, n], of the elements that triu keeps of a matrix [rows, columns].
BURN_API Tensor triu_indices(int64_t rows, int64_t columns, int64_t offset = 0, Where where = Where::current());
/// Integers as vectors with a 1 at their place, i64 [..., classes]; those that are no class give zeros.
BURN_API Tensor one_hot(const Tensor &x, int64_t classes, Where where = Where::current());
/// The identity matrix.
BURN_API Tensor eye(int64_t rows, std::optional<int64_t> columns = std::nullopt, DType dtype = DType::F32,
                    Where where = Where::current());

// ---- templates ----

namespace detail {
BURN_API void checkCount(size_t count, const Dims &shape, const Where &where);
}

template <typename T> Tensor tensor(std::span<const T> values, Dims shape, Where where) {
  detail::checkCount(values.size(), shape, where);
  return from_data(values.data(), shape, dtypeOf<T>, where);
}

template <typename T> Tensor tensor(const std::vector<T> &values, Dims shape, Where where) {
  if constexpr (std::is_same_v<T, bool>) {
    std::vector<uint8_t> bytes(values.begin(), values.end());
    detail::checkCount(bytes.size(), shape, where);
    return from_data(bytes.data(), shape, DType::Bool, where);
  } else {
    return tensor(std::span<const T>(values), shape, where);
  }
}

} // namespace burn
