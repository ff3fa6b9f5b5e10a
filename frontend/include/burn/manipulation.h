/// Functions that move elements: joining, splitting, padding, reordering.
#pragma once

#include <burn/tensor.h>

namespace burn {

BURN_API Tensor cat(std::span<const Tensor> tensors, int64_t dim = 0, Where where = Where::current()); ///< along `dim`
BURN_API Tensor stack(std::span<const Tensor> tensors, int64_t dim = 0, Where where = Where::current()); ///< new `dim`
inline Tensor cat(std::initializer_list<Tensor> tensors, int64_t dim = 0, Where where = Where::current()) {
  return cat(std::span<const Tensor>(tensors.begin(), tensors.size()), dim, where);
}
inline Tensor stack(std::initializer_list<Tensor> tensors, int64_t dim = 0, Where where = Where::current()) {
  return stack(std::span<const Tensor>(tensors.begin(), tensors.size()), dim, where);
}
/// Pads with `value`. As in PyTorch the list starts with the last dimension: {left, right, top, bottom, ...};
/// negative entries remove elements.
BURN_API Tensor pad(const Tensor &x, std::span<const int64_t> padding, Scalar value = 0.0,
                    Where where = Where::current());
inline Tensor pad(const Tensor &x, std::initializer_list<int64_t> padding, Scalar value = 0.0,
                  Where where = Where::current()) {
  return pad(x, std::span<const int64_t>(padding.begin(), padding.size()), value, where);
}
BURN_API Tensor broadcast_to(const Tensor &x, Dims shape, Where where = Where::current()); ///< -1 keeps a size
BURN_API Tensor flip(const Tensor &x, Dims dims, Where where = Where::current());          ///< reverses dimensions
BURN_API Tensor fliplr(const Tensor &x, Where where = Where::current());                   ///< the second dimension
BURN_API Tensor flipud(const Tensor &x, Where where = Where::current());                   ///< the first dimension

/// How padding is filled: with a number, by reflection that does not repeat the edge, with the edge, or with what
/// stands at the other end.
enum class PadMode : uint8_t { Constant, Reflect, Replicate, Circular };
/// Padding as that of a number, with entries of at least 0 in the other modes.
BURN_API Tensor pad(const Tensor &x, std::span<const int64_t> padding, PadMode mode, Where where = Where::current());
inline Tensor pad(const Tensor &x, std::initializer_list<int64_t> padding, PadMode mode,
                  Where where = Where::current()) {
  return pad(x, std::span<const int64_t>(padding.begin(), padding.size()), mode, where);
}

// ---- shapes ----

BURN_API Tensor reshape(const Tensor &x, Dims shape, Where where = Where::current()); ///< one size may be -1
/// The dimensions from `start` to `end`, both included, as one; rank 0 becomes a vector.
BURN_API Tensor flatten(const Tensor &x, int64_t start = 0, int64_t end = -1, Where where = Where::current());
/// One dimension as several; one size may be -1.
BURN_API Tensor unflatten(const Tensor &x, int64_t dim, Dims sizes, Where where = Where::current());
BURN_API Tensor squeeze(const Tensor &x, Dims dims = {}, Where where = Where::current()); ///< drops sizes of 1
BURN_API Tensor unsqueeze(const Tensor &x, int64_t dim, Where where = Where::current());  ///< a new one of size 1
/// With two dimensions exchanged.
BURN_API Tensor transpose(const Tensor &x, int64_t first, int64_t second, Where where = Where::current());
BURN_API Tensor permute(const Tensor &x, Dims dims, Where where = Where::current()); ///< dimension dims[i] becomes i-th
/// Moves dimensions to other places; the others keep their order.
BURN_API Tensor movedim(const Tensor &x, Dims from, Dims to, Where where = Where::current());
/// At least one (two, three) dimensions. The third is added behind, the second in front.
BURN_API Tensor atleast_1d(const Tensor &x, Where where = Where::current());
BURN_API Tensor atleast_2d(const Tensor &x, Where where = Where::current());
BURN_API Tensor atleast_3d(const Tensor &x, Where where = Where::current());
/// All tensors in their common shape.
BURN_API std::vector<Tensor> broadcast_tensors(std::span<const Tensor> tensors, Where where = Where::current());

// ---- joining ----

/// Along the first dimension, of rank 1 as rows.
BURN_API Tensor vstack(std::span<const Tensor> tensors, Where where = Where::current());
/// Along the second dimension, of rank 1 along the first.
BURN_API Tensor hstack(std::span<const Tensor> tensors, Where where = Where::current());
/// Along the third dimension, after atleast_3d.
BURN_API Tensor dstack(std::span<const Tensor> tensors, Where where = Where::current());
/// Along the second dimension, of rank 1 as columns.
BURN_API Tensor column_stack(std::span<const Tensor> tensors, Where where = Where::current());
inline Tensor vstack(std::initializer_list<Tensor> tensors, Where where = Where::current()) {
  return vstack(std::span<const Tensor>(tensors.begin(), tensors.size()), where);
}
inline Tensor hstack(std::initializer_list<Tensor> tensors, Where where = Where::current()) {
  return hstack(std::span<const Tensor>(tensors.begin(), tensors.size()), where);
}
inline Tensor dstack(std::initializer_list<Tensor> tensors, Where where = Where::current()) {
  return dstack(std::span<const Tensor>(tensors.begin(), tensors.size()), where);
}
inline Tensor column_stack(std::initializer_list<Tensor> tensors, Where where = Where::current()) {
  return column_stack(std::span<const Tensor>(tensors.begin(), tensors.size()), where);
}
/// Matrices along the diagonal of one; numbers and vectors count as matrices of one row.
BURN_API Tensor block_diag(std::span<const Tensor> tensors, Where where = Where::current());
inline Tensor block_diag(std::initializer_list<Tensor> tensors, Where where = Where::current()) {
  return block_diag(std::span<const Tensor>(tensors.begin(), tensors.size()), where);
}
/// Which of the first two dimensions the first two vectors run along.
enum class GridIndexing : uint8_t { IJ, XY };
/// The coordinates of the grid that vectors span, a tensor for each.
BURN_API std::vector<Tensor> meshgrid(std::span<const Tensor> vectors, GridIndexing indexing = GridIndexing::IJ,
                                      Where where = Where::current());
inline std::vector<Tensor> meshgrid(std::initializer_list<Tensor> vectors, GridIndexing indexing = GridIndexing::IJ,
                                    Where where = Where::current()) {
  return meshgrid(std::span<const Tensor>(vectors.begin(), vectors.size()), indexing, where);
}
/// All combinations of elements of the vectors as rows; of one vector itself.
BURN_API Tensor cartesian_prod(std::span<const Tensor> vectors, Where where = Where::current());
inline Tensor cartesian_prod(std::initializer_list<Tensor> vectors, Where where = Where::current()) {
  return cartesian_prod(std::span<const Tensor>(vectors.begin(), vectors.size()), where);
}

// ---- splitting ----

/// Parts of `size` along a dimension, the last one smaller where it does not divide.
BURN_API std::vector<Tensor> split(const Tensor &x, int64_t size, int64_t dim = 0, Where where = Where::current());
BURN_API std::vector<Tensor> split_with_sizes(const Tensor &x, std::span<const int64_t> sizes, int64_t dim = 0,
                                              Where where = Where::current()); ///< parts of the given sizes
inline std::vector<Tensor> split_with_sizes(const Tensor &x, std::initializer_list<int64_t> sizes, int64_t dim = 0,
                                            Where where = Where::current()) {
  return split_with_sizes(x, std::span<const int64_t>(sizes.begin(), sizes.size()), dim, where);
}
/// At most `chunks` parts of one size, but for the last.
BURN_API std::vector<Tensor> chunk(const Tensor &x, int64_t chunks, int64_t dim = 0, Where where = Where::current());
/// `sections` parts whose sizes differ by one at most, the larger ones first.
BURN_API std::vector<Tensor> tensor_split(const Tensor &x, int64_t sections, int64_t dim = 0,
                                          Where where = Where::current());
/// The parts between the positions in `indices`.
BURN_API std::vector<Tensor> tensor_split(const Tensor &x, const std::vector<int64_t> &indices, int64_t dim = 0,
                                          Where where = Where::current());
/// The parts at each position of a dimension, which disappears.
BURN_API std::vector<Tensor> unbind(const Tensor &x, int64_t dim = 0, Where where = Where::current());

// ---- repeating and moving ----

/// The tensor as often as said along each dimension; more numbers than dimensions add some in front.
BURN_API Tensor tile(const Tensor &x, Dims repeats, Where where = Where::current());
/// Each element `repeats` times in a row along a dimension; without one, of the flattened tensor.
BURN_API Tensor repeat_interleave(const Tensor &x, int64_t repeats, std::optional<int64_t> dim = std::nullopt,
                                  Where where = Where::current());
/// Moves elements along dimensions, those that leave at one end coming in at the other. Without dimensions the tensor
/// is flattened for that.
BURN_API Tensor roll(const Tensor &x, Dims shifts, Dims dims = {}, Where where = Where::current());
/// A quarter turn from the first dimension towards the second, `k` times.
BURN_API Tensor rot90(const Tensor &x, int64_t k = 1, Dims dims = {0, 1}, Where where = Where::current());

// ---- triangles and diagonals ----

/// Matrices with 0 above (below) a diagonal; 0 is the main one, positive ones stand above it.
BURN_API Tensor tril(const Tensor &x, int64_t diagonal = 0, Where where = Where::current());
BURN_API Tensor triu(const Tensor &x, int64_t diagonal = 0, Where where = Where::current()); ///< 0 below
/// The diagonal of two dimensions as last dimension.
BURN_API Tensor diagonal(const Tensor &x, int64_t offset = 0, int64_t dim1 = 0, int64_t dim2 = 1,
                         Where where = Where::current());
/// Matrices, in two new dimensions, with the last dimension of x as diagonal.
BURN_API Tensor diag_embed(const Tensor &x, int64_t offset = 0, int64_t dim1 = -2, int64_t dim2 = -1,
                           Where where = Where::current());
/// Of a vector the matrix with that diagonal, of a matrix its diagonal.
BURN_API Tensor diag(const Tensor &x, int64_t diagonal = 0, Where where = Where::current());
/// The matrix with all elements as diagonal.
BURN_API Tensor diagflat(const Tensor &x, int64_t offset = 0, Where where = Where::current());

// ---- images ----

/// [..., features r^2, h, w] -> [..., features, h r, w r]
BURN_API Tensor pixel_shuffle(const Tensor &x, int64_t r, Where where = Where::current());
/// [..., features, h r, w r] -> [..., features r^2, h, w]
BURN_API Tensor pixel_unshuffle(const Tensor &x, int64_t r, Where where = Where::current());
/// Exchanges features [batch, groups x n, ...] between groups: the order is that of [n, groups].
BURN_API Tensor channel_shuffle(const Tensor &x, int64_t groups, Where where = Where::current());
/// The windows of images as columns: [batch, features, h, w] -> [batch, features kh kw, windows].
BURN_API Tensor unfold(const Tensor &x, Pair kernel, Pair dilation = 1, Pair padding = 0, Pair stride = 1,
                       Where where = Where::current());
/// The converse, which sums where windows overlap: [batch, features kh kw, windows] -> [batch, features, h, w].
BURN_API Tensor fold(const Tensor &x, Pair output, Pair kernel, Pair dilation = 1, Pair padding = 0, Pair stride = 1,
                     Where where = Where::current());

} // namespace burn
