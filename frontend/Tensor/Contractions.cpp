#include "frontend/Tensor/Support.h"

#include <algorithm>
#include <vector>

namespace burn {

using namespace trace;

namespace {

using DimList = std::initializer_list<int64_t>;

std::span<const int64_t> span(DimList dims) { return {dims.begin(), dims.size()}; }

Ref product(Recorder &recorder, Ref a, Ref b, DimList batch, DimList left, DimList right) {
  return recorder.emit(core::DotGeneralAttrs{span(batch), span(batch), span(left), span(right)}, {a, b});
}

// Both operands in their common type.
std::pair<Ref, Ref> useBoth(Recorder &recorder, const Tensor &a, const Tensor &b) {
  const auto type = promote(a.dtype(), b.dtype());
  if (!type || *type == DType::Bool)
    recorder.fail("no number type for " + std::string(name(a.dtype())) + a.shape().str() + " and " +
                  std::string(name(b.dtype())) + b.shape().str());
  return {recorder.convert(recorder.use(a), *type), recorder.convert(recorder.use(b), *type)};
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
  auto [left, right] = useBoth(recorder, a, b);
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
  const auto [left, right] = useBoth(recorder, a, b);
  return recorder.finish(product(recorder, left, right, {}, {1}, {0}));
}

Tensor bmm(const Tensor &a, const Tensor &b, Where where) {
  const LocationScope scope(where);
  Recorder recorder("bmm", {&a, &b});
  if (a.shape().rank() != 3 || b.shape().rank() != 3 || a.shape()[0] != b.shape()[0])
    recorder.fail("expects shapes [b, n, k] and [b, k, m], got " + a.shape().str() + " and " + b.shape().str());
  checkInner(recorder, a.shape(), 2, b.shape(), 1);
  const auto [left, right] = useBoth(recorder, a, b);
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
  const auto [left, right] = useBoth(recorder, x, weight);
  const int64_t last = static_cast<int64_t>(from.rank()) - 1;
  Ref out = product(recorder, left, right, {}, {last}, {1});
  if (bias.defined()) {
    const BinaryOperands sum = prepareBinary(recorder, out, recorder.use(bias));
    out = recorder.emit(OpCode::Add, {sum.a, sum.b});
  }
  return recorder.finish(out);
}

namespace {

// What the convolutions share, for `spatial` dimensions behind batch and features.
struct Convolution {
  unsigned spatial;
  int64_t stride[2], padLow[2], padHigh[2], inputDilation[2], kernelDilation[2];
  int64_t groups;

  Ref record(Recorder &recorder, Ref x, Ref kernel, DimList kernelDims) const {
    const int64_t natural[] = {0, 1, 2, 3};
    const std::span<const int64_t> dims(natural, spatial + 2);
    const auto part = [&](const int64_t *values) { return std::span<const int64_t>(values, spatial); };
    return recorder.emit(core::ConvAttrs{dims, span(kernelDims), dims, part(stride), part(padLow), part(padHigh),
                                         part(inputDilation), part(kernelDilation), groups, 1},
                         {x, kernel});
  }
};

Ref withBias(Recorder &recorder, Ref out, const Tensor &bias) {
  if (!bias.defined())
    return out;
  const ShapeEntry *shape = recorder.shape(out);
  if (bias.shape() != Shape{shape->shape[1]})
    recorder.fail("expects a bias of shape [" + std::to_string(shape->shape[1]) + "], got " + bias.shape().str());
  const int64_t dims[] = {1};
  const Ref value = recorder.convert(recorder.use(bias), recorder.dtype(out));
  const Ref spread = recorder.emitTyped(core::BroadcastAttrs{dims}, {value}, recorder.dtype(out), shape);
  return recorder.emit(OpCode::Add, {out, spread});
}

void checkConvolution(const Recorder &recorder, const Tensor &x, const Tensor &weight, unsigned spatial,
                      std::initializer_list<int64_t> positive, std::initializer_list<int64_t> other) {
  if (x.shape().rank() != spatial + 2 || weight.shape().rank() != spatial + 2)
    recorder.fail("expects input and weight of " + std::to_string(spatial + 2) + " dimensions, got shapes " +
                  x.shape().str() + " and " + weight.shape().str());
  for (int64_t value : positive)
    if (value < 1)
      recorder.fail("expects strides, dilations and groups >= 1, got " + std::to_string(value));
  for (int64_t value : other)
    if (value < 0)
      recorder.fail("expects padding >= 0, got " + std::to_string(value));
}

Tensor convolve(const char *name, const Tensor &x, const Tensor &weight, const Tensor &bias, unsigned spatial,
                Pair stride, Pair padding, Pair dilation, int64_t groups, const Where &where) {
  const LocationScope scope(where);
  const Tensor *operands[] = {&x, &weight, &bias};
  Recorder recorder(name, std::span<const Tensor *const>(operands, bias.defined() ? 3 : 2));
  checkConvolution(recorder, x, weight, spatial, {stride.first, stride.second, dilation.first, dilation.second, groups},
                   {padding.first, padding.second});
  const Shape &from = x.shape(), &kernel = weight.shape();
  if (from[1] != kernel[1] * groups || kernel[0] % groups)
    recorder.fail("input " + from.str() + " has " + std::to_string(from[1]) + " features, weight " + kernel.str() +
                  " takes " + std::to_string(kernel[1]) + " in each of " + std::to_string(groups) + " groups");
  for (unsigned i = 0; i < spatial; ++i) {
    const int64_t pad = i ? padding.second : padding.first, spread = i ? dilation.second : dilation.first;
    if (from[2 + i] + 2 * pad < (kernel[2 + i] - 1) * spread + 1)
      recorder.fail("the kernel of weight " + kernel.str() + " is larger than the padded input " + from.str());
  }
  const auto [input, filter] = useBoth(recorder, x, weight);
  const Convolution conv{spatial,
                         {stride.first, stride.second},
                         {padding.first, padding.second},
                         {padding.first, padding.second},
                         {1, 1},
                         {dilation.first, dilation.second},
                         groups};
  const Ref out = spatial == 1 ? conv.record(recorder, input, filter, {0, 1, 2})
                               : conv.record(recorder, input, filter, {0, 1, 2, 3});
  return recorder.finish(withBias(recorder, out, bias));
}

} // namespace

Tensor conv1d(const Tensor &x, const Tensor &weight, const Tensor &bias, int64_t stride, int64_t padding,
              int64_t dilation, int64_t groups, Where where) {
  return convolve("conv1d", x, weight, bias, 1, stride, padding, dilation, groups, where);
}

Tensor conv2d(const Tensor &x, const Tensor &weight, const Tensor &bias, Pair stride, Pair padding, Pair dilation,
              int64_t groups, Where where) {
  return convolve("conv2d", x, weight, bias, 2, stride, padding, dilation, groups, where);
}

Tensor conv_transpose2d(const Tensor &x, const Tensor &weight, const Tensor &bias, Pair stride, Pair padding,
                        Pair output_padding, int64_t groups, Pair dilation, Where where) {
  const LocationScope scope(where);
  const Tensor *operands[] = {&x, &weight, &bias};
  Recorder recorder("conv_transpose2d", std::span<const Tensor *const>(operands, bias.defined() ? 3 : 2));
  checkConvolution(recorder, x, weight, 2, {stride.first, stride.second, dilation.first, dilation.second, groups},
                   {padding.first, padding.second, output_padding.first, output_padding.second});
  const Shape &from = x.shape(), &kernel = weight.shape();
  if (from[1] != kernel[0] || kernel[0] % groups)
    recorder.fail("input " + from.str() + " has " + std::to_string(from[1]) + " features, weight " + kernel.str() +
                  " takes " + std::to_string(kernel[0]) + " in " + std::to_string(groups) + " groups");
  const auto [input, filter] = useBoth(recorder, x, weight);
  // [in, out / g, kh, kw] -> [g, in / g, out / g, kh, kw] -> [in / g, out, kh, kw], each kernel reversed.
  Ref turned = filter;
  const int64_t in = kernel[0] / groups, out = kernel[1];
  if (groups > 1) {
    const int64_t order[] = {1, 0, 2, 3, 4};
    turned = recorder.reshape(turned, Shape{groups, in, out, kernel[2], kernel[3]});
    turned = recorder.reshape(recorder.transpose(turned, order), Shape{in, groups * out, kernel[2], kernel[3]});
  }
  const int64_t spatialDims[] = {2, 3};
  turned = recorder.emit(core::ReverseAttrs{spatialDims}, {turned});
  Convolution conv{2, {1, 1}, {}, {}, {stride.first, stride.second}, {dilation.first, dilation.second}, groups};
  const int64_t pads[] = {padding.first, padding.second};
  const int64_t extra[] = {output_padding.first, output_padding.second};
  for (unsigned i = 0; i < 2; ++i) {
    conv.padLow[i] = conv.kernelDilation[i] * (kernel[2 + i] - 1) - pads[i];
    conv.padHigh[i] = conv.padLow[i] + extra[i];
  }
  return recorder.finish(withBias(recorder, conv.record(recorder, input, turned, {1, 0, 2, 3}), bias));
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
  const auto [left, right] = useBoth(recorder, *this, other);
  return recorder.finish(product(recorder, left, right, {}, {0}, {0}));
}

} // namespace burn
