// Activation functions: ops of their own, and those that are made of other functions.
#include "frontend/Tensor/Support.h"

namespace burn {

namespace {

// Integers and booleans become f32.
template <typename Attrs> Tensor activation(const char *name, const Attrs &attrs, const Tensor &x, const Where &where) {
  const LocationScope scope(where);
  Recorder recorder(name, {&x});
  return recorder.finish(recorder.emit(attrs, {recorder.convert(recorder.use(x), realType(x.dtype()))}));
}

} // namespace

Tensor gelu(const Tensor &x, GeluApproximate approximate, Where where) {
  const auto formula =
      approximate == GeluApproximate::Tanh ? core::GeluApproximation::Tanh : core::GeluApproximation::None;
  return activation("gelu", core::GeluAttrs{formula}, x, where);
}

Tensor silu(const Tensor &x, Where where) { return activation("silu", core::SiluAttrs{}, x, where); }

Tensor softplus(const Tensor &x, double beta, double threshold, Where where) {
  return activation("softplus", core::SoftplusAttrs{beta, threshold}, x, where);
}

Tensor mish(const Tensor &x, Where where) { return activation("mish", core::MishAttrs{}, x, where); }

Tensor elu(const Tensor &x, double alpha, Where where) { return activation("elu", core::EluAttrs{alpha}, x, where); }

Tensor selu(const Tensor &x, Where where) { return activation("selu", core::SeluAttrs{}, x, where); }

Tensor celu(const Tensor &x, double alpha, Where where) { return activation("celu", core::CeluAttrs{alpha}, x, where); }

Tensor hardsigmoid(const Tensor &x, Where where) {
  return activation("hardsigmoid", core::HardSigmoidAttrs{1.0 / 6, 0.5}, x, where);
}

Tensor hardswish(const Tensor &x, Where where) { return activation("hardswish", core::HardSwishAttrs{}, x, where); }

Tensor leaky_relu(const Tensor &x, double negative_slope, Where where) {
  return activation("leaky_relu", core::LeakyReluAttrs{negative_slope}, x, where);
}

Tensor logsigmoid(const Tensor &x, Where where) { return activation("logsigmoid", core::LogSigmoidAttrs{}, x, where); }

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

} // namespace burn
