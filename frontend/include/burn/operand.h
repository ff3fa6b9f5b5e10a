/// What functions on tensors take beside tensors: the place of the call, host numbers, lists of dimensions, slices.
#pragma once

#include <burn/export.h>
#include <burn/shape.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <source_location>
#include <span>
#include <type_traits>
#include <vector>

namespace burn {

class Tensor;

/// The place of a call. Functions that record take one as their last, defaulted parameter.
using Where = std::source_location;

/// While it lives, ops that the calling thread records belong to the call at `where`: errors name that line, and the
/// calls inside as notes. The outermost scope of a thread counts. Modules, losses and optimizers open one.
class BURN_API LocationScope {
public:
  explicit LocationScope(const Where &where);
  ~LocationScope();
  LocationScope(const LocationScope &) = delete;
  LocationScope &operator=(const LocationScope &) = delete;

  // For the library: the number of this chain of calls.
  uint32_t place() const;

private:
  Where where_;
  const LocationScope *parent_;
  mutable uint32_t place_ = 0;
};

/// A host number in an expression. It takes on the dtype of the tensors it meets as far as its kind allows: an integer
/// beside a float tensor is a float of that type, a float beside an integer tensor makes f32. Its value is an argument
/// of the compiled program: another value compiles nothing.
struct Scalar {
  enum class Kind : uint8_t { Bool, Int, Float };
  Kind kind = Kind::Int;
  int64_t integer = 0;
  double real = 0;

  template <typename T>
    requires std::is_arithmetic_v<T>
  constexpr Scalar(T value) : integer(0), real(static_cast<double>(value)) {
    if constexpr (std::is_same_v<T, bool>)
      kind = Kind::Bool;
    else if constexpr (std::is_integral_v<T>)
      kind = Kind::Int;
    else
      kind = Kind::Float;
    if constexpr (std::is_integral_v<T>)
      integer = static_cast<int64_t>(value);
  }
};

/// A tensor or a host number as operand of an operator, with the place where it stands in the user's program.
class Operand {
public:
  Operand(const Tensor &tensor, Where where = Where::current()) : tensor_(&tensor), scalar_(0), where_(where) {}
  template <typename T>
    requires std::is_arithmetic_v<T>
  Operand(T value, Where where = Where::current()) : tensor_(nullptr), scalar_(value), where_(where) {}
  Operand(const Scalar &value, Where where = Where::current()) : tensor_(nullptr), scalar_(value), where_(where) {}

  bool isTensor() const { return tensor_ != nullptr; }
  const Tensor &tensor() const { return *tensor_; }
  const Scalar &scalar() const { return scalar_; }
  const Where &where() const { return where_; }

private:
  const Tensor *tensor_;
  Scalar scalar_;
  Where where_;
};

/// A list of sizes or of dimensions: `2`, `{2, 3}`, a Shape, a vector. Dimensions may count from the end: -1 is last.
class Dims {
public:
  constexpr Dims() = default;
  template <typename T>
    requires(std::is_integral_v<T> && !std::is_same_v<T, bool>)
  constexpr Dims(T dim) : size_(1) {
    dims_[0] = static_cast<int64_t>(dim);
  }
  constexpr Dims(std::initializer_list<int64_t> dims) : Dims(std::span<const int64_t>(dims.begin(), dims.size())) {}
  constexpr Dims(const Shape &shape) : Dims(shape.dims()) {}
  Dims(const std::vector<int64_t> &dims) : Dims(std::span<const int64_t>(dims)) {}
  constexpr Dims(std::span<const int64_t> dims) : size_(static_cast<uint32_t>(dims.size())) {
    for (size_t i = 0; i < dims.size() && i < dims_.size(); ++i)
      dims_[i] = dims[i];
  }

  constexpr size_t size() const { return size_; }
  constexpr bool empty() const { return size_ == 0; }
  /// Whether there are too many to be a shape; the entries above the limit are lost then.
  constexpr bool overflows() const { return size_ > Shape::maxRank; }
  constexpr int64_t operator[](size_t i) const { return dims_[i]; }
  constexpr const int64_t *begin() const { return dims_.data(); }
  constexpr const int64_t *end() const { return dims_.data() + (overflows() ? Shape::maxRank : size_); }

private:
  std::array<int64_t, Shape::maxRank> dims_ = {};
  uint32_t size_ = 0;
};

/// An index with the place where it stands in the user's program.
struct Position {
  int64_t index;
  Where where;
  template <typename T>
    requires(std::is_integral_v<T> && !std::is_same_v<T, bool>)
  constexpr Position(T index, Where where = Where::current()) : index(static_cast<int64_t>(index)), where(where) {}
};

/// Two numbers for the two spatial dimensions: `3` means `{3, 3}`.
struct Pair {
  int64_t first, second;
  constexpr Pair(int64_t both) : first(both), second(both) {}
  constexpr Pair(int64_t first, int64_t second) : first(first), second(second) {}
};

/// In an index: a new dimension of size 1; as a bound of a slice: open.
struct NoneType {};
inline constexpr NoneType None{};

/// In an index: as many full slices as are missing.
struct EllipsisType {};
inline constexpr EllipsisType Ellipsis{};

/// `start:stop:step` of an index. Bounds may count from the end and are clipped; the step is at least 1.
struct Slice {
  struct Bound {
    std::optional<int64_t> value;
    constexpr Bound(NoneType) {}
    constexpr Bound(int64_t value) : value(value) {}
  };
  Bound start, stop;
  int64_t step;
  constexpr Slice(Bound start = None, Bound stop = None, int64_t step = 1) : start(start), stop(stop), step(step) {}
};

/// How a loss is reduced: to the mean or the sum of its elements, or to the sum divided by the size of the first
/// dimension.
enum class Reduction : uint8_t { None, Mean, Sum, BatchMean };

/// What a quantile between two elements is: on the line between them, the lesser, the greater, the nearer (in the
/// middle that of the even place), their mean.
enum class QuantileInterpolation : uint8_t { Linear, Lower, Higher, Nearest, Midpoint };

/// What scatter_reduce does with elements that go to one place. A mean of integers is rounded to zero.
enum class ScatterReduction : uint8_t { Sum, Prod, Mean, Amax, Amin };

/// How a quotient is rounded: to zero, or to minus infinity.
enum class RoundingMode : uint8_t { Trunc, Floor };

/// Formula of gelu: with erf, or approximated with tanh.
enum class GeluApproximate : uint8_t { None, Tanh };

} // namespace burn
