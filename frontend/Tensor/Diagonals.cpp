// Triangles and diagonals of matrices.
#include "frontend/Tensor/Support.h"

#include <algorithm>

namespace burn {

namespace {

// Column less row of each element of a matrix.
Tensor diagonalNumbers(int64_t rows, int64_t columns) { return arange(columns) - arange(rows).unsqueeze(1); }

Tensor triangle(const char *function, const Tensor &x, int64_t diagonal, bool lower, const Where &where) {
  const LocationScope scope(where);
  if (x.shape().rank() < 2)
    raiseInvalid(std::string(function) + ": expects at least two dimensions, got shape " + x.shape().str());
  const DeviceScope device(x);
  const Tensor numbers = diagonalNumbers(x.size(-2), x.size(-1));
  return masked_fill(x, lower ? numbers > diagonal : numbers < diagonal, 0);
}

// The sum over the rows of row + offset, moved into [0, columns].
__int128 elementsBefore(__int128 rows, __int128 columns, __int128 offset) {
  const __int128 first = std::clamp<__int128>(-offset, 0, rows), last = std::clamp(columns - offset, first, rows);
  return (last - first) * (first + last - 1 + 2 * offset) / 2 + (rows - last) * columns;
}

Tensor triangleIndices(const char *function, int64_t rows, int64_t columns, int64_t offset, bool lower,
                       const Where &where) {
  const LocationScope scope(where);
  if (rows < 0 || columns < 0)
    raiseInvalid(std::string(function) + ": expects sizes of at least 0, got " + std::to_string(rows) + " and " +
                 std::to_string(columns));
  offset = std::clamp(offset, -rows, columns);
  const __int128 before = elementsBefore(rows, columns, __int128(offset) + (lower ? 1 : 0));
  const __int128 count = lower ? before : __int128(rows) * columns - before;
  const Shape shape{2, static_cast<int64_t>(std::min<__int128>(count, INT64_MAX))};
  if (!shape.fits())
    raiseInvalid(std::string(function) + ": the result of shape " + shape.str() + " is too large");
  runtime::BufferRef buffer = allocateBuffer(shape.numel() * static_cast<int64_t>(sizeof(int64_t)));
  auto *rowList = static_cast<int64_t *>(buffer->data()), *columnList = rowList + shape[1];
  // The rows that have any: others may be more than can be walked.
  const __int128 beyond = lower ? rows : std::min<__int128>(rows, __int128(columns) - offset);
  const int64_t firstRow = lower ? std::max<int64_t>(-offset, 0) : 0;
  const int64_t lastRow = shape[1] ? static_cast<int64_t>(beyond) : firstRow;
  for (int64_t row = firstRow; row < lastRow; ++row) {
    const int64_t edge = row + offset;
    const int64_t first = lower ? 0 : std::clamp<int64_t>(edge, 0, columns);
    const int64_t last = lower ? std::clamp<int64_t>(edge + 1, 0, columns) : columns;
    for (int64_t column = first; column < last; ++column) {
      *rowList++ = row;
      *columnList++ = column;
    }
  }
  return makeComputed(placed(std::move(buffer), default_device()), DType::I64, shape);
}

} // namespace

Tensor tril(const Tensor &x, int64_t diagonal, Where where) { return triangle("tril", x, diagonal, true, where); }
Tensor triu(const Tensor &x, int64_t diagonal, Where where) { return triangle("triu", x, diagonal, false, where); }

Tensor tril_indices(int64_t rows, int64_t columns, int64_t offset, Where where) {
  return triangleIndices("tril_indices", rows, columns, offset, true, where);
}
Tensor triu_indices(int64_t rows, int64_t columns, int64_t offset, Where where) {
  return triangleIndices("triu_indices", rows, columns, offset, false, where);
}

Tensor diagonal(const Tensor &x, int64_t offset, int64_t dim1, int64_t dim2, Where where) {
  const LocationScope scope(where);
  const unsigned rank = x.shape().rank();
  if (rank < 2 || checkedDim("diagonal", dim1, rank) == checkedDim("diagonal", dim2, rank))
    raiseInvalid("diagonal: expects two dimensions, got " + std::to_string(dim1) + " and " + std::to_string(dim2) +
                 " of shape " + x.shape().str());
  const Tensor last = movedim(x, {dim1, dim2}, {-2, -1});
  const int64_t rows = last.size(-2), columns = last.size(-1);
  // The least integer has no negative.
  const int64_t row = offset < -rows ? rows : std::max<int64_t>(-offset, 0);
  const int64_t column = std::clamp<int64_t>(offset, 0, columns);
  const int64_t length = std::min(rows - row, columns - column);
  // Of the square that it is the diagonal of, row by row, each element is `length` + 1 behind the one before.
  const Tensor square = last.narrow(-2, row, length).narrow(-1, column, length);
  return square.flatten(-2, -1).slice(-1, None, None, length + 1);
}

Tensor diag_embed(const Tensor &x, int64_t offset, int64_t dim1, int64_t dim2, Where where) {
  const LocationScope scope(where);
  const unsigned rank = x.shape().rank();
  if (rank == 0 || rank == Shape::maxRank)
    raiseInvalid("diag_embed: cannot add a dimension to shape " + x.shape().str());
  if (checkedDim("diag_embed", dim1, rank + 1) == checkedDim("diag_embed", dim2, rank + 1))
    raiseInvalid("diag_embed: expects two different dimensions, got " + std::to_string(dim1) + " twice");
  const int64_t length = x.size(-1);
  int64_t size;
  if (offset == INT64_MIN || __builtin_add_overflow(length, offset < 0 ? -offset : offset, &size))
    raiseInvalid("diag_embed: an offset of " + std::to_string(offset) + " is too large");
  // Above the main diagonal elements keep their row, below it their column.
  const Tensor filled = pad(x, {0, size - length}).unsqueeze(offset < 0 ? -2 : -1);
  Shape shape = filled.shape();
  shape[rank - 1] = shape[rank] = size;
  const DeviceScope device(x);
  const Tensor matrices = masked_fill(filled.expand(shape), diagonalNumbers(size, size).ne(offset), 0);
  return movedim(matrices, {-2, -1}, {dim1, dim2});
}

Tensor diag(const Tensor &x, int64_t diagonal, Where where) {
  const LocationScope scope(where);
  if (x.shape().rank() == 1)
    return diag_embed(x, diagonal);
  if (x.shape().rank() != 2)
    raiseInvalid("diag: expects a vector or a matrix, got shape " + x.shape().str());
  return burn::diagonal(x, diagonal);
}

Tensor diagflat(const Tensor &x, int64_t offset, Where where) {
  const LocationScope scope(where);
  return diag_embed(x.flatten(), offset);
}

} // namespace burn
