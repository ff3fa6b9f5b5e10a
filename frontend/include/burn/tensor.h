/// `burn::Tensor`: an immutable array of numbers whose operations are recorded, compiled together and run when a value
/// is asked for.
#pragma once

#include <burn/dtype.h>
#include <burn/error.h>
#include <burn/export.h>
#include <burn/shape.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <iosfwd>
#include <optional>
#include <source_location>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
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

namespace detail {

// The part of a tensor that a handle must see in order to count.
struct TensorBase {
  std::atomic<uint32_t> references{0};
};
BURN_API void destroyTensor(TensorBase *tensor) noexcept;

} // namespace detail

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

class Index;

/// How a loss is reduced over the batch.
enum class Reduction : uint8_t { None, Mean, Sum };

/// Formula of gelu: with erf, or approximated with tanh.
enum class GeluApproximate : uint8_t { None, Tanh };

/// Extreme values along a dimension and where they stand (the first, where there are several).
struct Extremum;

/// A handle to an immutable tensor; 8 bytes, copied by counting. Element type and shape are known at once, the values
/// are computed when one is read, together with everything else that the thread has recorded since.
///
/// A tensor may be used from any thread; each thread records its own program. Functions named with a trailing
/// underscore rebind the handle they are called on to a new value and leave other handles of the old one alone: no two
/// tensors share memory in a way that could be seen.
///
/// All functions throw burn::Error and leave all tensors usable. Binary operations broadcast by the rules of NumPy and
/// promote by those of PyTorch, with two differences: tensors of rank 0 get no special treatment, and f16 with bf16
/// gives f32.
class BURN_API Tensor {
public:
  /// No tensor: `defined()` is false and nothing else may be called.
  Tensor() noexcept : base_(nullptr) {}
  Tensor(const Tensor &other) : base_(other.base_) {
    if (base_)
      base_->references.fetch_add(1, std::memory_order_relaxed);
  }
  Tensor(Tensor &&other) noexcept : base_(std::exchange(other.base_, nullptr)) {}
  Tensor &operator=(const Tensor &other) {
    Tensor copy(other);
    std::swap(base_, copy.base_);
    return *this;
  }
  Tensor &operator=(Tensor &&other) noexcept {
    if (this != &other) {
      release();
      base_ = std::exchange(other.base_, nullptr);
    }
    return *this;
  }
  ~Tensor() { release(); }

  bool defined() const { return base_ != nullptr; }
  explicit operator bool() const = delete;
  /// Whether both are handles of one tensor.
  bool is_same(const Tensor &other) const { return base_ == other.base_; }

  // ---- what it is ----

  DType dtype() const;
  const Shape &shape() const;
  const Shape &sizes() const { return shape(); }
  /// Size of one dimension; -1 is the last.
  int64_t size(int64_t dim, Where where = Where::current()) const;
  int64_t dim() const { return shape().rank(); }
  int64_t numel() const { return shape().numel(); }
  /// Bytes of the elements.
  int64_t nbytes() const { return numel() * byteWidth(dtype()); }

  // ---- values; each computes what is recorded and waits ----

  /// The only element, converted to T.
  template <typename T> T item(Where where = Where::current()) const;
  /// All elements in row-major order. T has to be the tensor's element type.
  template <typename T> std::vector<T> to_vector(Where where = Where::current()) const;
  /// The elements in row-major order, `nbytes()` bytes, valid as long as a handle of this tensor lives.
  const std::byte *data(Where where = Where::current()) const;
  /// Copies all elements to `out`, which must hold `nbytes()` bytes.
  void copy_to(void *out, Where where = Where::current()) const;
  /// As NumPy prints an array: at most `threshold` elements in full, `precision` digits.
  std::string to_string(int precision = 8, int64_t threshold = 1000, Where where = Where::current()) const;
  /// Whether the values are in memory.
  bool is_computed() const;

  // ---- automatic differentiation ----

  bool requires_grad() const;
  /// Makes this a leaf whose gradient `backward` accumulates. Only for floats.
  Tensor &requires_grad_(bool value = true, Where where = Where::current());
  /// Whether the tensor was made by the user, not by an operation on tensors that require gradients.
  bool is_leaf() const;
  /// The accumulated gradient; not defined where there is none.
  Tensor grad() const;
  void set_grad(const Tensor &grad, Where where = Where::current());
  /// Drops the gradient.
  void zero_grad();
  /// Adds the gradient of this tensor by every leaf that requires gradients to that leaf's `grad()`. Without
  /// `gradient` this must hold one element. Afterwards the graph below is released: a second call is an error, unless
  /// `retain_graph` was set.
  void backward(const Tensor &gradient = Tensor(), bool retain_graph = false, Where where = Where::current()) const;
  void backward(bool retain_graph, Where where = Where::current()) const { backward(Tensor(), retain_graph, where); }
  /// The same values, through which no gradient flows.
  Tensor detach(Where where = Where::current()) const;

  // ---- element type ----

  Tensor to(DType dtype, Where where = Where::current()) const;

  // ---- elementwise (see burn/ops.h for meanings) ----

  Tensor add(const Operand &other) const;
  Tensor sub(const Operand &other) const;
  Tensor mul(const Operand &other) const;
  Tensor div(const Operand &other) const;
  Tensor pow(const Operand &exponent) const;
  Tensor maximum(const Operand &other) const;
  Tensor minimum(const Operand &other) const;
  Tensor eq(const Operand &other) const;
  Tensor ne(const Operand &other) const;
  Tensor lt(const Operand &other) const;
  Tensor le(const Operand &other) const;
  Tensor gt(const Operand &other) const;
  Tensor ge(const Operand &other) const;
  Tensor logical_and(const Operand &other) const;
  Tensor logical_or(const Operand &other) const;
  Tensor logical_xor(const Operand &other) const;
  Tensor logical_not(Where where = Where::current()) const;
  Tensor neg(Where where = Where::current()) const;
  Tensor abs(Where where = Where::current()) const;
  Tensor sign(Where where = Where::current()) const;
  Tensor exp(Where where = Where::current()) const;
  Tensor expm1(Where where = Where::current()) const;
  Tensor log(Where where = Where::current()) const;
  Tensor log1p(Where where = Where::current()) const;
  Tensor sqrt(Where where = Where::current()) const;
  Tensor rsqrt(Where where = Where::current()) const;
  Tensor square(Where where = Where::current()) const;
  Tensor reciprocal(Where where = Where::current()) const;
  Tensor tanh(Where where = Where::current()) const;
  Tensor erf(Where where = Where::current()) const;
  Tensor sigmoid(Where where = Where::current()) const;
  Tensor relu(Where where = Where::current()) const;
  Tensor gelu(GeluApproximate approximate = GeluApproximate::None, Where where = Where::current()) const;
  Tensor floor(Where where = Where::current()) const;
  Tensor ceil(Where where = Where::current()) const;
  Tensor round(Where where = Where::current()) const;
  Tensor isnan(Where where = Where::current()) const;
  Tensor isinf(Where where = Where::current()) const;
  /// Elements moved into [low, high]; an absent bound is open.
  Tensor clamp(std::optional<Scalar> low, std::optional<Scalar> high = std::nullopt,
               Where where = Where::current()) const;
  Tensor masked_fill(const Tensor &mask, const Operand &value) const;

  // ---- in place: the handle is rebound; a leaf that requires gradients needs a no_grad scope and stays a leaf ----

  Tensor &add_(const Operand &other);
  Tensor &sub_(const Operand &other);
  Tensor &mul_(const Operand &other);
  Tensor &div_(const Operand &other);
  Tensor &zero_(Where where = Where::current());
  Tensor &fill_(const Operand &value);
  /// The values of `source`, converted and broadcast to this dtype and shape.
  Tensor &copy_(const Tensor &source, Where where = Where::current());
  Tensor &clamp_(std::optional<Scalar> low, std::optional<Scalar> high = std::nullopt, Where where = Where::current());
  /// Replaces the elements at `index` (integers, slices of step 1, None, Ellipsis) by `value`, broadcast.
  Tensor &index_put_(std::initializer_list<Index> index, const Operand &value);

  // ---- shape; no data moves that need not ----

  /// One size may be -1 and follows from the others.
  Tensor reshape(Dims shape, Where where = Where::current()) const;
  Tensor view(Dims shape, Where where = Where::current()) const { return reshape(shape, where); }
  Tensor flatten(int64_t start = 0, int64_t end = -1, Where where = Where::current()) const;
  /// Drops all dimensions of size 1, or the named ones where their size is 1.
  Tensor squeeze(Dims dims = {}, Where where = Where::current()) const;
  Tensor unsqueeze(int64_t dim, Where where = Where::current()) const;
  Tensor transpose(int64_t first, int64_t second, Where where = Where::current()) const;
  Tensor permute(Dims dims, Where where = Where::current()) const;
  /// The transpose of a matrix; ranks below 2 stay as they are.
  Tensor t(Where where = Where::current()) const;
  /// Repeats dimensions of size 1, and new ones in front; -1 keeps a size.
  Tensor expand(Dims shape, Where where = Where::current()) const;
  Tensor flip(Dims dims, Where where = Where::current()) const;

  // ---- parts ----

  /// `x.index({0, Slice(1, 3), None, Ellipsis, rows})`: as `x[0, 1:3, None, ..., rows]` in NumPy.
  Tensor index(std::initializer_list<Index> index, Where where = Where::current()) const;
  /// The part at `i` of the first dimension.
  Tensor operator[](Position i) const;
  /// `length` elements of a dimension from `start` on.
  Tensor narrow(int64_t dim, int64_t start, int64_t length, Where where = Where::current()) const;
  Tensor slice(int64_t dim, Slice::Bound start = None, Slice::Bound stop = None, int64_t step = 1,
               Where where = Where::current()) const;
  /// The part at `i` of a dimension, which disappears.
  Tensor select(int64_t dim, int64_t i, Where where = Where::current()) const;
  /// The parts at the integers of the 1-D tensor `indices`.
  Tensor index_select(int64_t dim, const Tensor &indices, Where where = Where::current()) const;
  /// result[i][j][k] = x[i][indices[i][j][k]][k] for dim 1; `indices` has the rank of x.
  Tensor gather(int64_t dim, const Tensor &indices, Where where = Where::current()) const;
  /// As gather, with all dimensions but `dim` broadcast against each other.
  Tensor take_along(const Tensor &indices, int64_t dim, Where where = Where::current()) const;
  /// The converse of gather: x with source[i][j][k] at x[i][indices[i][j][k]][k].
  Tensor scatter(int64_t dim, const Tensor &indices, const Operand &source) const;
  Tensor scatter_add(int64_t dim, const Tensor &indices, const Tensor &source, Where where = Where::current()) const;
  /// x with the parts of `source` added at the integers of the 1-D tensor `indices`.
  Tensor index_add(int64_t dim, const Tensor &indices, const Tensor &source, Where where = Where::current()) const;

  // ---- reductions; without dimensions over all of them ----

  Tensor sum(Dims dims = {}, bool keepdim = false, Where where = Where::current()) const;
  Tensor mean(Dims dims = {}, bool keepdim = false, Where where = Where::current()) const;
  Tensor prod(Dims dims = {}, bool keepdim = false, Where where = Where::current()) const;
  Tensor amax(Dims dims = {}, bool keepdim = false, Where where = Where::current()) const;
  Tensor amin(Dims dims = {}, bool keepdim = false, Where where = Where::current()) const;
  Tensor all(Dims dims = {}, bool keepdim = false, Where where = Where::current()) const;
  Tensor any(Dims dims = {}, bool keepdim = false, Where where = Where::current()) const;
  Tensor max(Where where = Where::current()) const;
  Tensor min(Where where = Where::current()) const;
  Extremum max(int64_t dim, bool keepdim = false, Where where = Where::current()) const;
  Extremum min(int64_t dim, bool keepdim = false, Where where = Where::current()) const;
  /// Position of the extremum, i64; without a dimension in the flattened tensor.
  Tensor argmax(std::optional<int64_t> dim = std::nullopt, bool keepdim = false, Where where = Where::current()) const;
  Tensor argmin(std::optional<int64_t> dim = std::nullopt, bool keepdim = false, Where where = Where::current()) const;
  /// Squared deviation from the mean, divided by the count less `correction`.
  Tensor var(Dims dims = {}, int64_t correction = 1, bool keepdim = false, Where where = Where::current()) const;
  Tensor std(Dims dims = {}, int64_t correction = 1, bool keepdim = false, Where where = Where::current()) const;
  /// Euclidean norm of all elements along the dimensions.
  Tensor norm(Dims dims = {}, bool keepdim = false, Where where = Where::current()) const;
  Tensor softmax(int64_t dim, Where where = Where::current()) const;
  Tensor log_softmax(int64_t dim, Where where = Where::current()) const;
  Tensor logsumexp(Dims dims, bool keepdim = false, Where where = Where::current()) const;

  // ---- products ----

  Tensor matmul(const Tensor &other, Where where = Where::current()) const;
  Tensor mm(const Tensor &other, Where where = Where::current()) const;
  Tensor bmm(const Tensor &other, Where where = Where::current()) const;
  Tensor dot(const Tensor &other, Where where = Where::current()) const;

  // For the library.
  explicit Tensor(detail::TensorBase *base) : base_(base) {}
  detail::TensorBase *base() const { return base_; }

private:
  void release() noexcept {
    if (base_ && base_->references.fetch_sub(1, std::memory_order_acq_rel) == 1)
      detail::destroyTensor(base_);
  }
  double realItem(const Where &where) const;
  int64_t integerItem(const Where &where) const;
  const std::byte *typedData(DType dtype, const Where &where) const;

  detail::TensorBase *base_;
};

static_assert(sizeof(Tensor) == 8);

struct Extremum {
  Tensor values;
  Tensor indices;
};

/// One entry of an index.
class Index {
public:
  template <typename T>
    requires(std::is_integral_v<T> && !std::is_same_v<T, bool>)
  Index(T position) : value_(static_cast<int64_t>(position)) {}
  Index(NoneType none) : value_(none) {}
  Index(EllipsisType ellipsis) : value_(ellipsis) {}
  Index(Slice slice) : value_(slice) {}
  /// Integers pick elements, negative ones from the end; several such tensors are broadcast against each other.
  Index(const Tensor &indices) : value_(indices) {}

  const std::variant<int64_t, NoneType, EllipsisType, Slice, Tensor> &value() const { return value_; }

private:
  std::variant<int64_t, NoneType, EllipsisType, Slice, Tensor> value_;
};

// ---- operators ----

BURN_API Tensor operator+(const Operand &a, const Operand &b);
BURN_API Tensor operator-(const Operand &a, const Operand &b);
BURN_API Tensor operator*(const Operand &a, const Operand &b);
BURN_API Tensor operator/(const Operand &a, const Operand &b);
BURN_API Tensor operator-(const Operand &a);
/// Comparisons of elements; the result is boolean.
BURN_API Tensor operator==(const Operand &a, const Operand &b);
BURN_API Tensor operator!=(const Operand &a, const Operand &b);
BURN_API Tensor operator<(const Operand &a, const Operand &b);
BURN_API Tensor operator<=(const Operand &a, const Operand &b);
BURN_API Tensor operator>(const Operand &a, const Operand &b);
BURN_API Tensor operator>=(const Operand &a, const Operand &b);
/// Logical on booleans, bitwise on integers.
BURN_API Tensor operator&(const Operand &a, const Operand &b);
BURN_API Tensor operator|(const Operand &a, const Operand &b);
BURN_API Tensor operator^(const Operand &a, const Operand &b);
BURN_API Tensor operator~(const Operand &a);
BURN_API Tensor &operator+=(Tensor &a, const Operand &b);
BURN_API Tensor &operator-=(Tensor &a, const Operand &b);
BURN_API Tensor &operator*=(Tensor &a, const Operand &b);
BURN_API Tensor &operator/=(Tensor &a, const Operand &b);

/// Prints as NumPy does; computes what is recorded.
BURN_API std::ostream &operator<<(std::ostream &stream, const Tensor &tensor);

// ---- making tensors ----

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

BURN_API Tensor zeros(Dims shape, DType dtype = DType::F32, Where where = Where::current());
BURN_API Tensor ones(Dims shape, DType dtype = DType::F32, Where where = Where::current());
/// Without a dtype: f32 for a float, i64 for an integer, boolean for a bool.
BURN_API Tensor full(Dims shape, Scalar value, std::optional<DType> dtype = std::nullopt,
                     Where where = Where::current());
BURN_API Tensor zeros_like(const Tensor &other, Where where = Where::current());
BURN_API Tensor ones_like(const Tensor &other, Where where = Where::current());
BURN_API Tensor full_like(const Tensor &other, Scalar value, Where where = Where::current());
/// 0, 1, ..., count - 1.
BURN_API Tensor arange(int64_t count, DType dtype = DType::I64, Where where = Where::current());
/// start, start + step, ... below `stop` (above, where step < 0). Without a dtype: i64 where all three are integers.
BURN_API Tensor arange(Scalar start, Scalar stop, Scalar step = 1, std::optional<DType> dtype = std::nullopt,
                       Where where = Where::current());
BURN_API Tensor linspace(double start, double stop, int64_t count, DType dtype = DType::F32,
                         Where where = Where::current());
/// The identity matrix.
BURN_API Tensor eye(int64_t rows, std::optional<int64_t> columns = std::nullopt, DType dtype = DType::F32,
                    Where where = Where::current());

// ---- templates ----

template <typename T> T Tensor::item(Where where) const {
  if constexpr (std::is_same_v<T, f16> || std::is_same_v<T, bf16>)
    return T(realItem(where));
  else if constexpr (std::is_floating_point_v<T>)
    return static_cast<T>(realItem(where));
  else if constexpr (std::is_same_v<T, bool>)
    return realItem(where) != 0;
  else
    return static_cast<T>(integerItem(where));
}

template <typename T> std::vector<T> Tensor::to_vector(Where where) const {
  const std::byte *bytes = typedData(dtypeOf<T>, where);
  const size_t count = static_cast<size_t>(numel());
  if constexpr (std::is_same_v<T, bool>) {
    std::vector<bool> values(count);
    for (size_t i = 0; i < count; ++i)
      values[i] = bytes[i] != std::byte(0);
    return values;
  } else {
    const T *first = reinterpret_cast<const T *>(bytes);
    return std::vector<T>(first, first + count);
  }
}

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
