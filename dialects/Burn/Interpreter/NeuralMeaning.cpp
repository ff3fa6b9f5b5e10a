// Composites, evaluated by their documented formulas without rounding in between.
#include "dialects/Burn/Interpreter/NeuralFamilies.h"

#include <cmath>
#include <numbers>
#include <type_traits>

using namespace burn;
using namespace burn::ir;
using namespace burn::ir::meaning;
using core::OpCode;

namespace {

// The lines of a tensor along one axis: element k of line i is at `start(i) + k * step`.
struct Lines {
  int64_t size, step, count;

  Lines(const Shape &shape, int64_t axis)
      : size(shape[axis]), step(stridesOf(shape)[axis]), count(size == 0 ? 0 : shape.numel() / size) {}
  int64_t start(int64_t line) const { return line / step * step * size + line % step; }
};

// (x - max) - log(sum(exp(x - max))) along a line, into `result`.
template <typename C>
void logSoftmaxLine(const Elements<C> &x, const Lines &lines, int64_t start, Elements<C> &result) {
  C most = x[start];
  for (int64_t k = 1; k < lines.size; ++k)
    most = Max::of(most, x[start + k * lines.step]);
  C sum(0);
  for (int64_t k = 0; k < lines.size; ++k)
    sum += std::exp(x[start + k * lines.step] - most);
  for (int64_t k = 0; k < lines.size; ++k)
    result[start + k * lines.step] = (x[start + k * lines.step] - most) - std::log(sum);
}

Status softmax(Evaluation &e, const core::SoftmaxAttrs &attrs) {
  const Lines lines(e.types[0].shape, attrs.axis);
  return overFloats(e.operand(0), [&]<typename C>(C) {
    const Elements<C> x = load<C>(e.operand(0));
    Elements<C> y(x.size());
    for (int64_t line = 0; line < lines.count; ++line) {
      const int64_t start = lines.start(line);
      C most = x[start], sum(0);
      for (int64_t k = 1; k < lines.size; ++k)
        most = Max::of(most, x[start + k * lines.step]);
      for (int64_t k = 0; k < lines.size; ++k)
        sum += y[start + k * lines.step] = std::exp(x[start + k * lines.step] - most);
      for (int64_t k = 0; k < lines.size; ++k)
        y[start + k * lines.step] /= sum;
    }
    store(e.result(), y);
  });
}

Status logSoftmax(Evaluation &e, const core::LogSoftmaxAttrs &attrs) {
  const Lines lines(e.types[0].shape, attrs.axis);
  return overFloats(e.operand(0), [&]<typename C>(C) {
    const Elements<C> x = load<C>(e.operand(0));
    Elements<C> y(x.size());
    for (int64_t line = 0; line < lines.count; ++line)
      logSoftmaxLine<C>(x, lines, lines.start(line), y);
    store(e.result(), y);
  });
}

Status crossEntropy(Evaluation &e, const core::CrossEntropyAttrs &attrs) {
  const HostTensor &logits = e.operand(0);
  const Elements<int64_t> target = load<int64_t>(e.operand(1));
  const Lines lines(logits.type.shape, attrs.axis);
  const double smoothing = attrs.label_smoothing;
  return overFloats(logits, [&]<typename C>(C) {
    const Elements<C> x = load<C>(logits);
    const Elements<C> weight = e.operands.size() > 2 ? load<C>(e.operand(2)) : Elements<C>(lines.size, C(1));
    Elements<C> p(x.size()), losses(target.size());
    C sum(0), weights(0);
    for (size_t i = 0; i < target.size(); ++i) {
      const int64_t t = target[i];
      if (t == attrs.ignore_index)
        continue;
      if (t < 0 || t >= lines.size) {
        losses[i] = C(std::numeric_limits<double>::quiet_NaN());
        sum += losses[i];
        continue;
      }
      const int64_t start = lines.start(static_cast<int64_t>(i));
      logSoftmaxLine<C>(x, lines, start, p);
      losses[i] = -weight[t] * (1 - smoothing) * p[start + t * lines.step];
      if (smoothing != 0) {
        C all(0);
        for (int64_t c = 0; c < lines.size; ++c)
          all += weight[c] * p[start + c * lines.step];
        losses[i] -= smoothing / static_cast<double>(lines.size) * all;
      }
      sum += losses[i];
      weights += weight[t];
    }
    if (attrs.reduction == core::LossReduction::None)
      store(e.result(), losses);
    else
      storeAt<C>(e.result(), 0, attrs.reduction == core::LossReduction::Mean ? sum / weights : sum);
  });
}

Status batchNorm(Evaluation &e, const core::BatchNormAttrs &attrs) {
  const HostTensor &input = e.operand(0);
  const Lines features(input.type.shape, attrs.feature_dim);
  const double count = static_cast<double>(features.count);
  return overFloats(input, [&]<typename C>(C) {
    const Elements<C> x = load<C>(input), scale = load<C>(e.operand(1)), bias = load<C>(e.operand(2));
    Elements<C> y(x.size()), means(features.size), variances(features.size);
    for (int64_t f = 0; f < features.size; ++f) {
      C mean(0), variance(0);
      for (int64_t i = 0; i < features.count; ++i)
        mean += x[features.start(i) + f * features.step];
      mean /= count;
      for (int64_t i = 0; i < features.count; ++i) {
        const C centred = x[features.start(i) + f * features.step] - mean;
        variance += centred * centred;
      }
      variance /= count;
      const C factor = 1.0 / std::sqrt(variance + attrs.epsilon);
      for (int64_t i = 0; i < features.count; ++i) {
        const int64_t at = features.start(i) + f * features.step;
        y[at] = (x[at] - mean) * factor * scale[f] + bias[f];
      }
      means[f] = mean;
      variances[f] = variance;
    }
    store(e.result(0), y);
    store(e.result(1), means);
    store(e.result(2), variances);
  });
}

// In long double, since the exponentials of the left tail magnify the rounding of their arguments.
double geluOf(core::GeluApproximation formula, long double x) {
  if (x == -INFINITY)
    return -0.0;
  if (formula == core::GeluApproximation::Tanh)
    return double(x / (1 + std::exp(-std::sqrt(8 / std::numbers::pi_v<long double>) * (x + 0.044715L * x * x * x))));
  return double(x / 2 * std::erfc(-x / std::numbers::sqrt2_v<long double>));
}

double geluSlope(core::GeluApproximation formula, double x) {
  if (formula == core::GeluApproximation::Tanh) {
    const double k = std::sqrt(8 / M_PI), share = 1 / (1 + std::exp(-k * (x + 0.044715 * x * x * x)));
    return share + x * share * (1 - share) * k * (1 + 3 * 0.044715 * x * x);
  }
  return std::erfc(-x / M_SQRT2) / 2 + x * std::exp(-x * x / 2) / std::sqrt(2 * M_PI);
}

Status gelu(Evaluation &e, const core::GeluAttrs &attrs) {
  return overFloats(e.operand(0), [&]<typename C>(C) {
    Elements<C> x = load<C>(e.operand(0));
    for (C &element : x)
      if constexpr (std::is_same_v<C, double>)
        element = geluOf(attrs.approximate, element);
      else // to first order in the imaginary part, which is infinitesimal
        element = {geluOf(attrs.approximate, element.real()),
                   geluSlope(attrs.approximate, element.real()) * element.imag()};
    store(e.result(), x);
  });
}

} // namespace

Function meaning::findNeural(OpCode op) {
  switch (op) {
  case OpCode::Softmax:
    return Decoding<softmax>::call;
  case OpCode::LogSoftmax:
    return Decoding<logSoftmax>::call;
  case OpCode::CrossEntropy:
    return Decoding<crossEntropy>::call;
  case OpCode::BatchNorm:
    return Decoding<batchNorm>::call;
  case OpCode::Gelu:
    return Decoding<gelu>::call;
  default:
    break;
  }
  for (auto find : {findActivation, findNorm, findAttention, findInterpolate, findQuant, findUpdate})
    if (Function function = find(op))
      return function;
  return nullptr;
}
