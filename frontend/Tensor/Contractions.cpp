#include "frontend/Tensor/Support.h"

namespace burn {

using namespace trace;

namespace {

using DimList = std::initializer_list<int64_t>;

std::span<const int64_t> span(DimList dims) { return {dims.begin(), dims.size()}; }

Ref product(Recorder &recorder, Ref a, Ref b, DimList batch, DimList left, DimList right) {
  return recorder.emit(core::DotGeneralAttrs{span(batch), span(batch), span(left), span(right)}, {a, b});
}

void checkInner(const Recorder &recorder, const Shape &a, unsigned left, const Shape &b, unsigned right) {
  if (a[left] != b[right])
    recorder.fail("cannot multiply shapes " + a.str() + " and " + b.str() + ": " + std::to_string(a[left]) +
                  " columns meet " + std::to_string(b[right]) + " rows");
}

// Matrices in the last two dimensions, the others broadcast against each other.
Ref batchedProduct(Recorder &recorder, Ref a, Ref b) {
  const Shape shapeA = recorder.shape(a)->shape, shapeB = recorder.shape(b)->shape;
  const unsigned rankA = shapeA.rank(), rankB = shapeB.rank();
  checkInner(recorder, shapeA, rankA - 1, shapeB, rankB - 2);
  const int64_t rows = shapeA[rankA - 2], inner = shapeA[rankA - 1], columns = shapeB[rankB - 1];
  Shape result(shapeA);
  if (rankB == 2) { // all rows at once
    result[rankA - 1] = columns;
    return recorder.reshape(product(recorder, a, b, {}, {static_cast<int64_t>(rankA) - 1}, {0}), result);
  }
  const Shape batchA(std::span<const int64_t>(shapeA.begin(), rankA - 2));
  const Shape batchB(std::span<const int64_t>(shapeB.begin(), rankB - 2));
  result = broadcastShapes(recorder, batchA, batchB);
  const int64_t batch = result.numel();
  const auto flat = [&](Ref value, const Shape &outer, int64_t first, int64_t second) {
    Shape full(result);
    full.push(first);
    full.push(second);
    return outer == result
               ? recorder.reshape(value, Shape{batch, first, second})
               : recorder.reshape(recorder.broadcast(value, internShape(full)), Shape{batch, first, second});
  };
  if (result.rank() + 2 > Shape::maxRank)
    recorder.fail("the result has too many dimensions");
  const Ref left = flat(a, batchA, rows, inner);
  const Ref right = flat(b, batchB, inner, columns);
  const Ref out = product(recorder, left, right, {0}, {2}, {1});
  result.push(rows);
  result.push(columns);
  return recorder.reshape(out, result);
}

} // namespace

Tensor matmul(const Tensor &a, const Tensor &b, Where where) {
  const LocationScope scope(where);
  Recorder recorder("matmul", {&a, &b});
  const unsigned rankA = a.shape().rank(), rankB = b.shape().rank();
  if (rankA == 0 || rankB == 0)
    recorder.fail("expects at least one dimension, got shapes " + a.shape().str() + " and " + b.shape().str());
  auto [left, right] = useNumbers(recorder, a, b);
  const int64_t last = static_cast<int64_t>(rankA) - 1;
  if (rankB == 1) {
    checkInner(recorder, a.shape(), rankA - 1, b.shape(), 0);
    return recorder.finish(product(recorder, left, right, {}, {last}, {0}));
  }
  if (rankA == 1) {
    checkInner(recorder, a.shape(), 0, b.shape(), rankB - 2);
    if (rankB == 2)
      return recorder.finish(product(recorder, left, right, {}, {0}, {0}));
    left = recorder.reshape(left, Shape{1, a.shape()[0]});
    const Ref out = batchedProduct(recorder, left, right);
    Shape result(std::span<const int64_t>(b.shape().begin(), rankB - 2));
    result.push(b.shape()[rankB - 1]);
    return recorder.finish(recorder.reshape(out, result));
  }
  return recorder.finish(batchedProduct(recorder, left, right));
}

Tensor mm(const Tensor &a, const Tensor &b, Where where) {
  const LocationScope scope(where);
  Recorder recorder("mm", {&a, &b});
  if (a.shape().rank() != 2 || b.shape().rank() != 2)
    recorder.fail("expects two matrices, got shapes " + a.shape().str() + " and " + b.shape().str());
  checkInner(recorder, a.shape(), 1, b.shape(), 0);
  const auto [left, right] = useNumbers(recorder, a, b);
  return recorder.finish(product(recorder, left, right, {}, {1}, {0}));
}

Tensor bmm(const Tensor &a, const Tensor &b, Where where) {
  const LocationScope scope(where);
  Recorder recorder("bmm", {&a, &b});
  if (a.shape().rank() != 3 || b.shape().rank() != 3 || a.shape()[0] != b.shape()[0])
    recorder.fail("expects shapes [b, n, k] and [b, k, m], got " + a.shape().str() + " and " + b.shape().str());
  checkInner(recorder, a.shape(), 2, b.shape(), 1);
  const auto [left, right] = useNumbers(recorder, a, b);
  return recorder.finish(product(recorder, left, right, {0}, {2}, {1}));
}

Tensor linear(const Tensor &x, const Tensor &weight, const Tensor &bias, Where where) {
  const LocationScope scope(where);
  const Tensor *operands[] = {&x, &weight, &bias};
  Recorder recorder("linear", std::span<const Tensor *const>(operands, bias.defined() ? 3 : 2));
  const Shape &from = x.shape();
  if (from.rank() == 0 || weight.shape().rank() != 2 || from[from.rank() - 1] != weight.shape()[1])
    recorder.fail("expects x [..., in] and weight [out, in], got shapes " + from.str() + " and " +
                  weight.shape().str());
  if (bias.defined() && bias.shape() != Shape{weight.shape()[0]})
    recorder.fail("expects a bias of shape [" + std::to_string(weight.shape()[0]) + "] for weight " +
                  weight.shape().str() + ", got " + bias.shape().str());
  const auto [left, right] = useNumbers(recorder, x, weight);
  const int64_t last = static_cast<int64_t>(from.rank()) - 1;
  Ref out = product(recorder, left, right, {}, {last}, {1});
  if (bias.defined()) {
    const BinaryOperands sum = prepareBinary(recorder, out, recorder.use(bias));
    out = recorder.emit(OpCode::Add, {sum.a, sum.b});
  }
  return recorder.finish(out);
}

Tensor Tensor::matmul(const Tensor &other, Where where) const { return burn::matmul(*this, other, where); }
Tensor Tensor::mm(const Tensor &other, Where where) const { return burn::mm(*this, other, where); }
Tensor Tensor::bmm(const Tensor &other, Where where) const { return burn::bmm(*this, other, where); }

Tensor Tensor::dot(const Tensor &other, Where where) const {
  const LocationScope scope(where);
  Recorder recorder("dot", {this, &other});
  if (shape().rank() != 1 || other.shape().rank() != 1)
    recorder.fail("expects two vectors, got shapes " + shape().str() + " and " + other.shape().str());
  checkInner(recorder, shape(), 0, other.shape(), 0);
  const auto [left, right] = useNumbers(recorder, *this, other);
  return recorder.finish(product(recorder, left, right, {}, {0}, {0}));
}

} // namespace burn
