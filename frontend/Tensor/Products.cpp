// Products of matrices and vectors that are made of matmul.
#include "frontend/Tensor/Support.h"

#include <algorithm>

namespace burn {

namespace {

void checkRank(const char *function, const char *what, const Tensor &x, unsigned rank) {
  if (x.shape().rank() != rank)
    raiseInvalid(std::string(function) + ": expects " + what + ", got shape " + x.shape().str());
}

// beta x + alpha product; a beta of 0 drops x.
Tensor addScaled(const Tensor &x, const Tensor &product, const Scalar &beta, const Scalar &alpha) {
  const Tensor scaled = alpha.real == 1 ? product : product * alpha;
  if (beta.real == 0) {
    if (const auto type = promote(x.dtype(), scaled.dtype()))
      return scaled.to(*type);
    return scaled;
  }
  return beta.real == 1 ? x + scaled : x * beta + scaled;
}

} // namespace

Tensor dot(const Tensor &a, const Tensor &b, Where where) { return a.dot(b, where); }

Tensor mv(const Tensor &matrix, const Tensor &vector, Where where) {
  const LocationScope scope(where);
  checkRank("mv", "a matrix", matrix, 2);
  checkRank("mv", "a vector", vector, 1);
  return matmul(matrix, vector);
}

Tensor inner(const Tensor &a, const Tensor &b, Where where) {
  const LocationScope scope(where);
  if (a.shape().rank() == 0 || b.shape().rank() == 0)
    return a * b;
  return tensordot(a, b, Dims(-1), Dims(-1));
}

Tensor outer(const Tensor &a, const Tensor &b, Where where) {
  const LocationScope scope(where);
  checkRank("outer", "vectors", a, 1);
  checkRank("outer", "vectors", b, 1);
  return a.unsqueeze(1) * b;
}

Tensor addmm(const Tensor &x, const Tensor &a, const Tensor &b, Scalar beta, Scalar alpha, Where where) {
  const LocationScope scope(where);
  return addScaled(x, mm(a, b), beta, alpha);
}

Tensor addmv(const Tensor &x, const Tensor &matrix, const Tensor &vector, Scalar beta, Scalar alpha, Where where) {
  const LocationScope scope(where);
  return addScaled(x, mv(matrix, vector), beta, alpha);
}

Tensor addr(const Tensor &x, const Tensor &a, const Tensor &b, Scalar beta, Scalar alpha, Where where) {
  const LocationScope scope(where);
  return addScaled(x, outer(a, b), beta, alpha);
}

Tensor addbmm(const Tensor &x, const Tensor &a, const Tensor &b, Scalar beta, Scalar alpha, Where where) {
  const LocationScope scope(where);
  checkRank("addbmm", "batches of matrices", a, 3);
  checkRank("addbmm", "batches of matrices", b, 3);
  return addScaled(x, tensordot(a, b, {0, 2}, {0, 1}), beta, alpha);
}

Tensor baddbmm(const Tensor &x, const Tensor &a, const Tensor &b, Scalar beta, Scalar alpha, Where where) {
  const LocationScope scope(where);
  return addScaled(x, bmm(a, b), beta, alpha);
}

Tensor tensordot(const Tensor &a, const Tensor &b, int64_t dims, Where where) {
  const LocationScope scope(where);
  const int64_t rank = a.shape().rank();
  if (dims < 0 || dims > rank || dims > b.shape().rank())
    raiseInvalid("tensordot: cannot contract " + std::to_string(dims) + " dimensions of shapes " + a.shape().str() +
                 " and " + b.shape().str());
  std::vector<int64_t> last, first;
  for (int64_t i = 0; i < dims; ++i) {
    last.push_back(rank - dims + i);
    first.push_back(i);
  }
  return tensordot(a, b, Dims(last), Dims(first));
}

Tensor tensordot(const Tensor &a, const Tensor &b, Dims dims_a, Dims dims_b, Where where) {
  const LocationScope scope(where);
  const Shape &left = a.shape(), &right = b.shape();
  if (dims_a.size() != dims_b.size() || dims_a.overflows())
    raiseInvalid("tensordot: expects as many dimensions of one tensor as of the other, got " +
                 std::to_string(dims_a.size()) + " and " + std::to_string(dims_b.size()));
  // No dimensions mean none here, not all.
  const uint32_t contractedA = dims_a.empty() ? 0 : checkedDims("tensordot", dims_a, left.rank());
  const uint32_t contractedB = dims_b.empty() ? 0 : checkedDims("tensordot", dims_b, right.rank());
  std::vector<int64_t> orderA, orderB;
  Shape result;
  int64_t rows = 1, inner = 1, columns = 1;
  bool fits = true;
  for (unsigned i = 0; i < left.rank(); ++i)
    if (!(contractedA >> i & 1)) {
      orderA.push_back(i);
      fits &= result.push(left[i]);
      rows *= left[i];
    }
  for (size_t i = 0; i < dims_a.size(); ++i) {
    const unsigned first = checkedDim("tensordot", dims_a[i], left.rank());
    const unsigned second = checkedDim("tensordot", dims_b[i], right.rank());
    if (left[first] != right[second])
      raiseInvalid("tensordot: dimension " + std::to_string(first) + " of shape " + left.str() + " meets dimension " +
                   std::to_string(second) + " of shape " + right.str());
    orderA.push_back(first);
    orderB.push_back(second);
    inner *= left[first];
  }
  for (unsigned i = 0; i < right.rank(); ++i)
    if (!(contractedB >> i & 1)) {
      orderB.push_back(i);
      fits &= result.push(right[i]);
      columns *= right[i];
    }
  if (!fits)
    raiseInvalid("tensordot: the result of shapes " + left.str() + " and " + right.str() + " has too many dimensions");
  return mm(a.permute(orderA).reshape({rows, inner}), b.permute(orderB).reshape({inner, columns})).reshape(result);
}

Tensor kron(const Tensor &a, const Tensor &b, Where where) {
  const LocationScope scope(where);
  // Dimension by dimension, so that the rank of no value is above that of the operands plus one: all rows of a, then
  // those of b within each.
  const unsigned rank = std::max(a.shape().rank(), b.shape().rank());
  Shape left, right, result;
  for (unsigned i = 0; i < rank; ++i) {
    left.push(i + a.shape().rank() < rank ? 1 : a.shape()[i + a.shape().rank() - rank]);
    right.push(i + b.shape().rank() < rank ? 1 : b.shape()[i + b.shape().rank() - rank]);
    result.push(left[i] * right[i]);
  }
  if (!result.fits())
    raiseInvalid("kron: the result of shapes " + a.shape().str() + " and " + b.shape().str() + " is too large");
  Tensor spread = a.reshape(left);
  for (unsigned i = 0; i < rank; ++i)
    spread = repeat_interleave(spread, right[i], i);
  return spread * tile(b.reshape(right), left);
}

Tensor cross(const Tensor &a, const Tensor &b, int64_t dim, Where where) {
  const LocationScope scope(where);
  const unsigned rank = std::max(a.shape().rank(), b.shape().rank());
  const int64_t fromEnd = static_cast<int64_t>(checkedDim("cross", dim, rank)) - static_cast<int64_t>(rank);
  const auto isThree = [&](const Shape &shape) {
    return -fromEnd <= static_cast<int64_t>(shape.rank()) && shape[static_cast<unsigned>(shape.rank() + fromEnd)] == 3;
  };
  if (rank == 0 || !isThree(a.shape()) || !isThree(b.shape()))
    raiseInvalid("cross: expects a size of 3 of dimension " + std::to_string(dim) + ", got shapes " + a.shape().str() +
                 " and " + b.shape().str());
  return roll(a, -1, fromEnd) * roll(b, -2, fromEnd) - roll(a, -2, fromEnd) * roll(b, -1, fromEnd);
}

Tensor Tensor::trace(Where where) const {
  const LocationScope scope(where);
  checkRank("trace", "a matrix", *this, 2);
  return burn::sum(diagonal());
}

Tensor matrix_power(const Tensor &x, int64_t n, Where where) {
  const LocationScope scope(where);
  const Shape &shape = x.shape();
  if (shape.rank() < 2 || shape[shape.rank() - 1] != shape[shape.rank() - 2])
    raiseInvalid("matrix_power: expects square matrices, got shape " + shape.str());
  if (n < 0)
    raiseInvalid("matrix_power: expects n >= 0, got " + std::to_string(n));
  if (n == 0)
    return eye(shape[shape.rank() - 1], std::nullopt, x.dtype()).expand(shape);
  Tensor square = x, result;
  for (;; square = matmul(square, square)) {
    if (n & 1)
      result = result.defined() ? matmul(result, square) : square;
    if (!(n >>= 1))
      return result;
  }
}

Tensor multi_dot(std::span<const Tensor> matrices, Where where) {
  const LocationScope scope(where);
  const size_t count = matrices.size();
  if (count < 2)
    raiseInvalid("multi_dot: expects at least two matrices, got " + std::to_string(count));
  // The first may be a row, the last a column.
  std::vector<Tensor> list(matrices.begin(), matrices.end());
  const bool isRow = list.front().shape().rank() == 1, isColumn = list.back().shape().rank() == 1;
  if (isRow)
    list.front() = list.front().unsqueeze(0);
  if (isColumn)
    list.back() = list.back().unsqueeze(1);
  for (const Tensor &matrix : list)
    checkRank("multi_dot", "matrices", matrix, 2);
  // cost[i][j] of the product i..j, and behind which matrix it is cut.
  std::vector<std::vector<double>> cost(count, std::vector<double>(count, 0));
  std::vector<std::vector<size_t>> cut(count, std::vector<size_t>(count, 0));
  const auto size = [&](size_t i) {
    return static_cast<double>(i < count ? list[i].shape()[0] : list[count - 1].shape()[1]);
  };
  for (size_t length = 1; length < count; ++length)
    for (size_t i = 0; i + length < count; ++i) {
      const size_t j = i + length;
      for (size_t k = i; k < j; ++k) {
        const double total = cost[i][k] + cost[k + 1][j] + size(i) * size(k + 1) * size(j + 1);
        if (k == i || total < cost[i][j]) {
          cost[i][j] = total;
          cut[i][j] = k;
        }
      }
    }
  const auto product = [&](const auto &self, size_t i, size_t j) -> Tensor {
    return i == j ? list[i] : mm(self(self, i, cut[i][j]), self(self, cut[i][j] + 1, j));
  };
  Tensor result = product(product, 0, count - 1);
  if (isColumn)
    result = result.squeeze(1);
  return isRow ? result.squeeze(0) : result;
}

Tensor bilinear(const Tensor &a, const Tensor &b, const Tensor &weight, const Tensor &bias, Where where) {
  const LocationScope scope(where);
  checkRank("bilinear", "a weight [out, in1, in2]", weight, 3);
  const int64_t left = weight.shape()[1], right = weight.shape()[2];
  if (a.shape().rank() == 0 || b.shape().rank() != a.shape().rank() || a.size(-1) != left || b.size(-1) != right)
    raiseInvalid("bilinear: expects inputs [..., " + std::to_string(left) + "] and [..., " + std::to_string(right) +
                 "] for weight " + weight.shape().str() + ", got shapes " + a.shape().str() + " and " +
                 b.shape().str());
  // [..., out, in2], then the sum with b over in2.
  const Tensor partial = tensordot(a, weight, Dims(-1), Dims(1));
  const Tensor result = sum(partial * b.unsqueeze(-2), -1);
  return bias.defined() ? result + bias : result;
}

Tensor vander(const Tensor &x, std::optional<int64_t> n, bool increasing, Where where) {
  const LocationScope scope(where);
  const DeviceScope device(x);
  checkRank("vander", "a vector", x, 1);
  const int64_t columns = n.value_or(x.numel());
  if (columns < 0)
    raiseInvalid("vander: expects n >= 0, got " + std::to_string(columns));
  const DType type = x.dtype() == DType::Bool ? DType::I64 : x.dtype();
  const Tensor exponents = arange(columns, type);
  return pow(x.unsqueeze(1), increasing ? exponents : exponents.flip(0));
}

} // namespace burn
