#include <burn/autograd.h>
#include <burn/error.h>
#include <burn/nn.h>

#include "frontend/Nn/Init.h"

#include <cmath>

namespace burn::nn {

namespace {

double boundOf(int64_t fanIn) { return fanIn > 0 ? 1 / std::sqrt(static_cast<double>(fanIn)) : 0; }

void require(bool condition, const std::string &what) {
  if (!condition)
    throw Error(ErrorCode::InvalidArgument, what);
}

} // namespace

Linear::Linear(int64_t in, int64_t out, const LinearOptions &options, Generator &generator) {
  require(in >= 0 && out >= 0,
          "Linear: expects sizes of at least 0, got " + std::to_string(in) + " and " + std::to_string(out));
  weight = detail::uniformParameter({out, in}, boundOf(in), generator);
  if (options.bias)
    bias = detail::uniformParameter({out}, boundOf(in), generator);
}

Tensor Linear::forward(const Tensor &x, Where where) const {
  const LocationScope scope(where);
  return linear(x, weight, bias);
}

Conv2d::Conv2d(int64_t in, int64_t out, Pair kernel, const Conv2dOptions &options, Generator &generator)
    : options_(options) {
  require(options.groups > 0 && in % options.groups == 0 && out % options.groups == 0,
          "Conv2d: expects channels that are multiples of the groups, got " + std::to_string(in) + " to " +
              std::to_string(out) + " channels in " + std::to_string(options.groups) + " groups");
  const int64_t fanIn = in / options.groups * kernel.first * kernel.second;
  weight = detail::uniformParameter({out, in / options.groups, kernel.first, kernel.second}, boundOf(fanIn), generator);
  if (options.bias)
    bias = detail::uniformParameter({out}, boundOf(fanIn), generator);
}

Tensor Conv2d::forward(const Tensor &x, Where where) const {
  const LocationScope scope(where);
  return conv2d(x, weight, bias, options_.stride, options_.padding, options_.dilation, options_.groups);
}

BatchNorm2d::BatchNorm2d(int64_t channels, const BatchNormOptions &options)
    : weight(detail::filled({channels}, 1)), bias(detail::filled({channels}, 0)),
      running_mean(detail::filled({channels}, 0)), running_var(detail::filled({channels}, 1)), options_(options) {
  weight.requires_grad_();
  bias.requires_grad_();
}

Tensor BatchNorm2d::forward(const Tensor &x, Where where) {
  const LocationScope scope(where);
  if (x.shape().rank() != 4)
    throw Error(ErrorCode::InvalidArgument,
                "BatchNorm2d: expects [batch, channels, height, width], got " + x.shape().str(), where.file_name(),
                where.line());
  if (!training)
    return batch_norm_with(x, running_mean, running_var, weight, bias, options_.eps);
  if (running_mean.is_frozen() || running_var.is_frozen())
    throw Error(ErrorCode::InvalidArgument,
                "BatchNorm2d: the running statistics are frozen, and a training step writes them; call eval first",
                where.file_name(), where.line());
  const int64_t count = x.shape()[0] * x.shape()[2] * x.shape()[3];
  if (count < 2)
    throw Error(ErrorCode::InvalidArgument,
                "BatchNorm2d: expects more than one value per channel to train on, got " + x.shape().str(),
                where.file_name(), where.line());
  BatchNormResult result = batch_norm(x, weight, bias, options_.eps);
  const NoGradGuard guard;
  const double unbiased = static_cast<double>(count) / static_cast<double>(count - 1);
  const double momentum = options_.momentum;
  running_mean = running_mean * (1 - momentum) + result.mean.detach() * momentum;
  running_var = running_var * (1 - momentum) + result.variance.detach() * (momentum * unbiased);
  return result.output;
}

Dropout::Dropout(double p, Generator *generator) : p_(p), generator_(generator) {
  require(p >= 0 && p <= 1, "Dropout: expects a probability in [0, 1], got " + std::to_string(p));
}

Tensor Dropout::forward(const Tensor &x, Where where) const {
  const LocationScope scope(where);
  return dropout(x, p_, training, generator_);
}

Tensor MaxPool2d::forward(const Tensor &x, Where where) const {
  const LocationScope scope(where);
  return max_pool2d(x, kernel_, options_.stride, options_.padding, options_.dilation, options_.ceil_mode);
}

Tensor Flatten::forward(const Tensor &x, Where where) const { return x.flatten(start_, end_, where); }
Tensor ReLU::forward(const Tensor &x, Where where) const { return relu(x, where); }
Tensor GELU::forward(const Tensor &x, Where where) const { return gelu(x, approximate_, where); }
Tensor Tanh::forward(const Tensor &x, Where where) const { return tanh(x, where); }
Tensor Sigmoid::forward(const Tensor &x, Where where) const { return sigmoid(x, where); }

Tensor Sequential::forward(const Tensor &x, Where where) {
  const LocationScope scope(where);
  Tensor result = x;
  for (const auto &part : parts_)
    result = part->forward(result);
  return result;
}

void Sequential::members(Visitor &v) {
  for (size_t i = 0; i < parts_.size(); ++i)
    parts_[i]->visit(v, std::to_string(i));
}

} // namespace burn::nn
