// Activation functions that are made of other functions.
#include "frontend/Tensor/Support.h"

namespace burn {

Tensor softmin(const Tensor &x, int64_t dim, Where where) {
  const LocationScope scope(where);
  return softmax(-x, dim);
}

Tensor softsign(const Tensor &x, Where where) {
  const LocationScope scope(where);
  return x / (1 + abs(x));
}

Tensor hardtanh(const Tensor &x, double low, double high, Where where) {
  const LocationScope scope(where);
  if (!(low <= high))
    raiseInvalid("hardtanh: the lower bound " + std::to_string(low) + " is above the upper one, " +
                 std::to_string(high));
  // Not clamp, whose derivative at the bounds is 1.
  return burn::where(x <= low, low, burn::where(x >= high, high, x));
}

Tensor relu6(const Tensor &x, Where where) { return hardtanh(x, 0, 6, where); }

Tensor leaky_relu(const Tensor &x, double negative_slope, Where where) {
  const LocationScope scope(where);
  return burn::where(x > 0, x, x * negative_slope);
}

Tensor prelu(const Tensor &x, const Tensor &weight, Where where) {
  const LocationScope scope(where);
  const Shape &shape = x.shape();
  const int64_t features = shape.rank() > 1 ? shape[1] : 1;
  if (weight.shape().rank() > 1 || (weight.numel() != 1 && weight.numel() != features))
    raiseInvalid("prelu: expects a weight of shape [1] or [" + std::to_string(features) + "] for input " + shape.str() +
                 ", got " + weight.shape().str());
  Shape beside;
  for (unsigned i = 0; i < shape.rank(); ++i)
    beside.push(i == 1 ? weight.numel() : 1);
  return burn::where(x > 0, x, x * weight.reshape(beside));
}

Tensor glu(const Tensor &x, int64_t dim, Where where) {
  const LocationScope scope(where);
  const unsigned axis = checkedDim("glu", dim, x.shape().rank());
  if (x.shape().rank() == 0 || x.shape()[axis] % 2)
    raiseInvalid("glu: expects an even size of dimension " + std::to_string(dim) + ", got shape " + x.shape().str());
  const int64_t half = x.shape()[axis] / 2;
  return x.narrow(axis, 0, half) * sigmoid(x.narrow(axis, half, half));
}

Tensor threshold(const Tensor &x, double threshold, double value, Where where) {
  const LocationScope scope(where);
  return burn::where(x <= threshold, value, x);
}

Tensor softshrink(const Tensor &x, double lambda, Where where) {
  const LocationScope scope(where);
  if (!(lambda >= 0))
    raiseInvalid("softshrink: expects lambda >= 0, got " + std::to_string(lambda));
  return x - clamp(x, -lambda, lambda);
}

Tensor hardshrink(const Tensor &x, double lambda, Where where) {
  const LocationScope scope(where);
  return masked_fill(x, (x >= -lambda).logical_and(x <= lambda), 0);
}

Tensor tanhshrink(const Tensor &x, Where where) {
  const LocationScope scope(where);
  return x - tanh(x);
}

Tensor logsigmoid(const Tensor &x, Where where) {
  const LocationScope scope(where);
  return -logaddexp(-x, 0);
}

} // namespace burn
