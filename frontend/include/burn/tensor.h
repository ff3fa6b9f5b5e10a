/// `burn::Tensor`: an immutable array of numbers whose operations are recorded, compiled together and run when a value
/// is asked for.
#pragma once

#include <burn/device.h>
#include <burn/dtype.h>
#include <burn/error.h>
#include <burn/export.h>
#include <burn/operand.h>
#include <burn/shape.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace burn {

namespace detail {

// The part of a tensor that a handle must see in order to count.
struct TensorBase {
  std::atomic<uint32_t> references{0};
};
BURN_API void destroyTensor(TensorBase *tensor) noexcept;

} // namespace detail

class Index;

/// Extreme values along a dimension and where they stand (the first, where there are several).
struct Extremum;

/// Elements of a dimension in order, and where along it they come from.
struct Sorted;

/// Elements without repetition, the position among them of each element of the input, in its shape, and how often each
/// occurs.
struct Unique;

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
  Device device() const;
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

  /// Promises that this tensor never changes, which cannot be taken back: computes what is recorded, and from then on
  /// programs that read the tensor keep what they compute from it and from other frozen tensors alone, such as a
  /// weight in the layout in which a product reads it. That is computed by the first run and lives as long as
  /// the tensor. Results have the same bits; memory is up to five times that of the tensor. All handles of the tensor
  /// are frozen, copies of it on other devices and what is computed from it are not.
  ///
  /// What a training step would write cannot be frozen: an error where the tensor requires gradients, as are
  /// `requires_grad_()` and functions with a trailing underscore on a frozen tensor.
  Tensor &freeze(Where where = Where::current());
  /// Whether freeze() was called on a handle of this tensor.
  bool is_frozen() const;

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
  /// The same values on another device; computes what is recorded. No gradient flows from one device to another: an
  /// error where the tensor requires gradients, outside of no_grad.
  Tensor to(const Device &device, Where where = Where::current()) const;
  /// The bits of each element as another type of the same width; no gradient flows.
  Tensor view(DType dtype, Where where = Where::current()) const;

  // ---- elementwise (see burn/elementwise.h) ----

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
  Tensor sin(Where where = Where::current()) const;
  Tensor cos(Where where = Where::current()) const;
  Tensor tan(Where where = Where::current()) const;
  Tensor asin(Where where = Where::current()) const;
  Tensor acos(Where where = Where::current()) const;
  Tensor atan(Where where = Where::current()) const;
  Tensor sinh(Where where = Where::current()) const;
  Tensor cosh(Where where = Where::current()) const;
  Tensor asinh(Where where = Where::current()) const;
  Tensor acosh(Where where = Where::current()) const;
  Tensor atanh(Where where = Where::current()) const;
  Tensor exp2(Where where = Where::current()) const;
  Tensor log2(Where where = Where::current()) const;
  Tensor log10(Where where = Where::current()) const;
  Tensor erfc(Where where = Where::current()) const;
  Tensor erfinv(Where where = Where::current()) const;
  Tensor lgamma(Where where = Where::current()) const;
  Tensor digamma(Where where = Where::current()) const;
  Tensor trunc(Where where = Where::current()) const;
  Tensor signbit(Where where = Where::current()) const;
  Tensor polygamma(int64_t n, Where where = Where::current()) const;
  Tensor isfinite(Where where = Where::current()) const;
  Tensor atan2(const Operand &other) const;
  Tensor hypot(const Operand &other) const;
  Tensor copysign(const Operand &other) const;
  Tensor fmod(const Operand &other) const;
  Tensor remainder(const Operand &other) const;
  Tensor floor_divide(const Operand &other) const;
  Tensor bitwise_left_shift(const Operand &other) const;
  Tensor bitwise_right_shift(const Operand &other) const;
  Tensor div(const Operand &other, RoundingMode rounding) const;
  /// Elements moved into [low, high]; an absent bound is open.
  Tensor clamp(std::optional<Scalar> low, std::optional<Scalar> high = std::nullopt,
               Where where = Where::current()) const;
  Tensor masked_fill(const Tensor &mask, const Operand &value) const;
  Tensor clamp_min(Scalar low, Where where = Where::current()) const;
  Tensor clamp_max(Scalar high, Where where = Where::current()) const;
  Tensor fmax(const Operand &other) const;
  Tensor fmin(const Operand &other) const;
  Tensor bitwise_and(const Operand &other) const;
  Tensor bitwise_or(const Operand &other) const;
  Tensor bitwise_xor(const Operand &other) const;
  Tensor bitwise_not(Where where = Where::current()) const;
  Tensor addcmul(const Tensor &a, const Tensor &b, Scalar value = 1, Where where = Where::current()) const;
  Tensor addcdiv(const Tensor &a, const Tensor &b, Scalar value = 1, Where where = Where::current()) const;
  Tensor lerp(const Tensor &end, const Operand &weight) const;
  Tensor logaddexp(const Operand &other) const;
  Tensor xlogy(const Operand &other) const;
  Tensor logit(std::optional<double> eps = std::nullopt, Where where = Where::current()) const;
  Tensor deg2rad(Where where = Where::current()) const;
  Tensor rad2deg(Where where = Where::current()) const;
  Tensor frac(Where where = Where::current()) const;
  Tensor nan_to_num(double nan = 0.0, std::optional<double> posinf = std::nullopt,
                    std::optional<double> neginf = std::nullopt, Where where = Where::current()) const;
  Tensor isclose(const Operand &other, double rtol = 1e-5, double atol = 1e-8, bool equal_nan = false) const;
  bool allclose(const Operand &other, double rtol = 1e-5, double atol = 1e-8, bool equal_nan = false) const;
  bool equal(const Tensor &other, Where where = Where::current()) const;

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

  // ---- shape (see burn/manipulation.h); no data moves that need not ----

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
  Tensor fliplr(Where where = Where::current()) const;
  Tensor flipud(Where where = Where::current()) const;
  Tensor unflatten(int64_t dim, Dims sizes, Where where = Where::current()) const;
  Tensor movedim(Dims from, Dims to, Where where = Where::current()) const;
  /// The last two dimensions exchanged.
  Tensor mT(Where where = Where::current()) const;
  Tensor expand_as(const Tensor &other, Where where = Where::current()) const { return expand(other.shape(), where); }
  Tensor reshape_as(const Tensor &other, Where where = Where::current()) const { return reshape(other.shape(), where); }
  Tensor view_as(const Tensor &other, Where where = Where::current()) const { return reshape(other.shape(), where); }
  /// The tensor as often as said along each dimension; more numbers than dimensions add some in front.
  Tensor repeat(Dims repeats, Where where = Where::current()) const;
  Tensor tile(Dims repeats, Where where = Where::current()) const;
  Tensor repeat_interleave(int64_t repeats, std::optional<int64_t> dim = std::nullopt,
                           Where where = Where::current()) const;
  Tensor roll(Dims shifts, Dims dims = {}, Where where = Where::current()) const;
  Tensor rot90(int64_t k = 1, Dims dims = {0, 1}, Where where = Where::current()) const;
  Tensor tril(int64_t diagonal = 0, Where where = Where::current()) const;
  Tensor triu(int64_t diagonal = 0, Where where = Where::current()) const;
  Tensor diagonal(int64_t offset = 0, int64_t dim1 = 0, int64_t dim2 = 1, Where where = Where::current()) const;
  Tensor diag_embed(int64_t offset = 0, int64_t dim1 = -2, int64_t dim2 = -1, Where where = Where::current()) const;
  Tensor diag(int64_t diagonal = 0, Where where = Where::current()) const;
  /// The windows of `size` elements along a dimension, one at each multiple of `step`, as a last dimension.
  Tensor unfold(int64_t dim, int64_t size, int64_t step, Where where = Where::current()) const;
  std::vector<Tensor> split(int64_t size, int64_t dim = 0, Where where = Where::current()) const;
  std::vector<Tensor> split_with_sizes(const std::vector<int64_t> &sizes, int64_t dim = 0,
                                       Where where = Where::current()) const;
  std::vector<Tensor> chunk(int64_t chunks, int64_t dim = 0, Where where = Where::current()) const;
  std::vector<Tensor> tensor_split(int64_t sections, int64_t dim = 0, Where where = Where::current()) const;
  std::vector<Tensor> unbind(int64_t dim = 0, Where where = Where::current()) const;

  // ---- parts (see burn/indexing.h) ----

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
  Tensor take_along_dim(const Tensor &indices, int64_t dim, Where where = Where::current()) const;
  /// The converse of gather: x with source[i][j][k] at x[i][indices[i][j][k]][k].
  Tensor scatter(int64_t dim, const Tensor &indices, const Operand &source) const;
  Tensor scatter_add(int64_t dim, const Tensor &indices, const Tensor &source, Where where = Where::current()) const;
  /// x with the parts of `source`, times alpha, added at the integers of the 1-D tensor `indices`.
  Tensor index_add(int64_t dim, const Tensor &indices, const Tensor &source, Scalar alpha = 1,
                   Where where = Where::current()) const;
  Tensor scatter_reduce(int64_t dim, const Tensor &indices, const Tensor &source, ScatterReduction reduction,
                        bool include_self = true, Where where = Where::current()) const;
  Tensor index_reduce(int64_t dim, const Tensor &indices, const Tensor &source, ScatterReduction reduction,
                      bool include_self = true, Where where = Where::current()) const;
  Tensor put(const Tensor &indices, const Tensor &source, bool accumulate = false,
             Where where = Where::current()) const;
  Tensor take(const Tensor &indices, Where where = Where::current()) const;
  Tensor index_fill(int64_t dim, const Tensor &indices, const Operand &value) const;
  Tensor index_copy(int64_t dim, const Tensor &indices, const Tensor &source, Where where = Where::current()) const;
  Tensor select_scatter(const Tensor &source, int64_t dim, int64_t i, Where where = Where::current()) const;
  Tensor slice_scatter(const Tensor &source, int64_t dim = 0, Slice::Bound start = None, Slice::Bound stop = None,
                       Where where = Where::current()) const;

  // ---- reductions (see burn/reduction.h); without dimensions over all of them ----

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
  Tensor nansum(Dims dims = {}, bool keepdim = false, Where where = Where::current()) const;
  Tensor nanmean(Dims dims = {}, bool keepdim = false, Where where = Where::current()) const;
  Tensor count_nonzero(Dims dims = {}, Where where = Where::current()) const;
  Tensor diff(int64_t n = 1, int64_t dim = -1, Where where = Where::current()) const;
  Tensor dist(const Tensor &other, double p = 2.0, Where where = Where::current()) const;
  Tensor renorm(double p, int64_t dim, double maxnorm, Where where = Where::current()) const;

  // ---- along a dimension (see burn/scan.h, burn/sorting.h) ----

  Tensor cumsum(int64_t dim, Where where = Where::current()) const;
  Tensor cumprod(int64_t dim, Where where = Where::current()) const;
  Extremum cummax(int64_t dim, Where where = Where::current()) const;
  Extremum cummin(int64_t dim, Where where = Where::current()) const;
  Tensor logcumsumexp(int64_t dim, Where where = Where::current()) const;
  Sorted sort(int64_t dim = -1, bool descending = false, Where where = Where::current()) const;
  Tensor argsort(int64_t dim = -1, bool descending = false, Where where = Where::current()) const;
  Tensor msort(Where where = Where::current()) const;
  Sorted topk(int64_t k, int64_t dim = -1, bool largest = true, Where where = Where::current()) const;
  Extremum kthvalue(int64_t k, int64_t dim = -1, bool keepdim = false, Where where = Where::current()) const;
  Tensor median(Where where = Where::current()) const;
  Extremum median(int64_t dim, bool keepdim = false, Where where = Where::current()) const;
  Tensor nanmedian(Where where = Where::current()) const;
  Extremum nanmedian(int64_t dim, bool keepdim = false, Where where = Where::current()) const;
  Tensor quantile(double q, std::optional<int64_t> dim = std::nullopt, bool keepdim = false,
                  QuantileInterpolation interpolation = QuantileInterpolation::Linear,
                  Where where = Where::current()) const;
  Tensor nanquantile(double q, std::optional<int64_t> dim = std::nullopt, bool keepdim = false,
                     QuantileInterpolation interpolation = QuantileInterpolation::Linear,
                     Where where = Where::current()) const;

  // ---- searching (see burn/searching.h); computes ----

  Tensor nonzero(Where where = Where::current()) const;
  Tensor argwhere(Where where = Where::current()) const;
  Tensor masked_select(const Tensor &mask, Where where = Where::current()) const;
  Unique unique(Where where = Where::current()) const;
  Unique unique(int64_t dim, Where where = Where::current()) const;
  Unique unique_consecutive(Where where = Where::current()) const;
  Tensor bincount(int64_t minlength = 0, Where where = Where::current()) const;

  // ---- products (see burn/linalg.h) ----

  Tensor matmul(const Tensor &other, Where where = Where::current()) const;
  Tensor mm(const Tensor &other, Where where = Where::current()) const;
  Tensor bmm(const Tensor &other, Where where = Where::current()) const;
  Tensor dot(const Tensor &other, Where where = Where::current()) const;
  Tensor mv(const Tensor &vector, Where where = Where::current()) const;
  Tensor inner(const Tensor &other, Where where = Where::current()) const;
  Tensor outer(const Tensor &other, Where where = Where::current()) const;
  Tensor addmm(const Tensor &a, const Tensor &b, Scalar beta = 1, Scalar alpha = 1,
               Where where = Where::current()) const;
  Tensor addmv(const Tensor &matrix, const Tensor &vector, Scalar beta = 1, Scalar alpha = 1,
               Where where = Where::current()) const;
  Tensor addr(const Tensor &a, const Tensor &b, Scalar beta = 1, Scalar alpha = 1,
              Where where = Where::current()) const;
  Tensor addbmm(const Tensor &a, const Tensor &b, Scalar beta = 1, Scalar alpha = 1,
                Where where = Where::current()) const;
  Tensor baddbmm(const Tensor &a, const Tensor &b, Scalar beta = 1, Scalar alpha = 1,
                 Where where = Where::current()) const;
  Tensor kron(const Tensor &other, Where where = Where::current()) const;
  Tensor cross(const Tensor &other, int64_t dim = -1, Where where = Where::current()) const;
  /// The sum of the diagonal of a matrix.
  Tensor trace(Where where = Where::current()) const;
  Tensor matrix_power(int64_t n, Where where = Where::current()) const;

  // ---- tensors of this type ----

  Tensor new_zeros(Dims shape, Where where = Where::current()) const;
  Tensor new_ones(Dims shape, Where where = Where::current()) const;
  Tensor new_full(Dims shape, Scalar value, Where where = Where::current()) const;

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

struct Sorted {
  Tensor values;
  Tensor indices;
};

struct Unique {
  Tensor values;
  Tensor inverse;
  Tensor counts;
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
/// The remainder with the sign of b.
BURN_API Tensor operator%(const Operand &a, const Operand &b);
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
/// Shifts of integers.
BURN_API Tensor operator<<(const Operand &a, const Operand &b);
BURN_API Tensor operator>>(const Operand &a, const Operand &b);
BURN_API Tensor &operator+=(Tensor &a, const Operand &b);
BURN_API Tensor &operator-=(Tensor &a, const Operand &b);
BURN_API Tensor &operator*=(Tensor &a, const Operand &b);
BURN_API Tensor &operator/=(Tensor &a, const Operand &b);

/// Prints as NumPy does; computes what is recorded.
BURN_API std::ostream &operator<<(std::ostream &stream, const Tensor &tensor);

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

} // namespace burn
