// Bounds of composites: the roundings of their documented formulas, added up to first order. `e` is
// the unit roundoff of f32 where f16 and bf16 compute in f32, and one rounding to the own type is
// added to each result.
#include "dialects/Burn/Interpreter/BoundsFormula.h"
#include "dialects/Burn/Interpreter/Evaluation.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace burn;
using namespace burn::ir;
using bounds::computeRoundoff;
using bounds::greatestComputed;
using core::OpCode;

namespace {

using Values = std::vector<double>;

// One line of a softmax: probabilities, and the tolerances of log_softmax and, relative, of softmax.
struct SoftmaxLine {
  Values probability, logTolerance, relative, logProbability;

  SoftmaxLine(const Values &x, double e) {
    const double most = *std::max_element(x.begin(), x.end());
    double sum = 0, error = 0;
    for (double value : x)
      sum += std::exp(value - most);
    // exp(x - most): the rounding of the difference, and the bound of exp.
    for (double value : x) {
      const double p = std::exp(value - most) / sum;
      probability.push_back(p);
      if (p > 0)
        error += p * e * (std::fabs(value - most) + 3);
    }
    const double sumError = error + static_cast<double>(x.size()) * e;
    for (size_t i = 0; i < x.size(); ++i) {
      const double difference = std::isfinite(x[i]) ? std::fabs(x[i] - most) : 0;
      logProbability.push_back((x[i] - most) - std::log(sum));
      relative.push_back(e * (difference + 6) + sumError);
      logTolerance.push_back(e * (difference + 3 * std::fabs(std::log(sum)) + 2 * std::fabs(logProbability[i])) +
                             sumError);
    }
  }
};

// Calls `fn(first, step)` for each line along an axis.
template <typename Fn> void forEachLine(const Shape &shape, int64_t axis, Fn fn) {
  const int64_t size = shape[axis], step = meaning::stridesOf(shape)[axis];
  const int64_t lines = size == 0 ? 0 : shape.numel() / size;
  for (int64_t i = 0; i < lines; ++i)
    fn(i / step * step * size + i % step, step);
}

Values lineOf(const Values &x, int64_t first, int64_t step, int64_t size) {
  Values line;
  for (int64_t k = 0; k < size; ++k)
    line.push_back(x[first + k * step]);
  return line;
}

Values softmaxTolerances(const HostTensor &input, int64_t axis, bool ofLogarithm) {
  const Values x = meaning::load<double>(input);
  Values result(x.size());
  const int64_t size = input.type.shape[axis];
  forEachLine(input.type.shape, axis, [&](int64_t first, int64_t step) {
    const SoftmaxLine line(lineOf(x, first, step, size), computeRoundoff(input.type.dtype));
    for (int64_t k = 0; k < size; ++k)
      result[first + k * step] = ofLogarithm ? line.logTolerance[k] : line.relative[k] * line.probability[k];
  });
  return result;
}

Values crossEntropyTolerances(std::span<const HostTensor *const> operands, const core::CrossEntropyAttrs &attrs) {
  const HostTensor &logits = *operands[0];
  const double e = computeRoundoff(logits.type.dtype);
  const Values x = meaning::load<double>(logits);
  const std::vector<int64_t> target = meaning::load<int64_t>(*operands[1]);
  const int64_t classes = logits.type.shape[attrs.axis];
  const Values weight = operands.size() > 2 ? meaning::load<double>(*operands[2]) : Values(classes, 1);
  const double smoothing = attrs.label_smoothing;
  Values tolerances(target.size());
  const double most = greatestComputed(logits.type.dtype) / 4, least = bounds::leastComputed(logits.type.dtype);
  const double unbounded = std::numeric_limits<double>::infinity();
  double sum = 0, magnitudes = 0, weights = 0, absoluteWeights = 0;
  size_t example = 0;
  forEachLine(logits.type.shape, attrs.axis, [&](int64_t first, int64_t step) {
    const int64_t t = target[example];
    double &tolerance = tolerances[example++];
    if (t < 0 || t >= classes || t == attrs.ignore_index)
      return;
    const SoftmaxLine line(lineOf(x, first, step, classes), e);
    double magnitude = std::fabs(weight[t] * line.logProbability[t]);
    tolerance = std::fabs(weight[t]) * line.logTolerance[t];
    double whole = 0;
    if (smoothing != 0)
      for (int64_t c = 0; c < classes; ++c) {
        const double share = smoothing / static_cast<double>(classes) * std::fabs(weight[c]);
        whole += std::fabs(weight[c] * line.logProbability[c]);
        magnitude += share * std::fabs(line.logProbability[c]);
        tolerance += share * line.logTolerance[c];
      }
    tolerance += (smoothing != 0 ? static_cast<double>(classes) + 6 : 4) * e * magnitude;
    // Products with small weights may be subnormal.
    tolerance += least * (smoothing != 0 ? static_cast<double>(classes) + 2 : 1);
    if (whole > most)
      tolerance = unbounded;
    sum += tolerance;
    magnitudes += magnitude;
    weights += weight[t];
    absoluteWeights += std::fabs(weight[t]);
  });
  if (attrs.reduction == core::LossReduction::None)
    return tolerances;
  const double n = static_cast<double>(target.size());
  const double total = magnitudes < most ? sum + (n + 2) * e * magnitudes : unbounded;
  if (attrs.reduction == core::LossReduction::Sum)
    return {total};
  // Weights of both signs may cancel.
  const double relativeOfWeights = (n + 2) * e * absoluteWeights / std::fabs(weights);
  if (!(relativeOfWeights < 0.1 && absoluteWeights < most))
    return {unbounded};
  return {(total + 1.2 * relativeOfWeights * magnitudes) / std::fabs(weights)};
}

Values momentsTolerances(const HostTensor &input, const core::MomentsAttrs &attrs, unsigned index,
                         const HostTensor &expected) {
  const Shape &shape = input.type.shape;
  const meaning::Index kept = meaning::stridesOf(expected.type.shape), all = meaning::stridesOf(shape);
  const auto groupOf = [&](int64_t i) {
    int64_t group = 0;
    for (unsigned dim = 0, next = 0; dim < shape.rank(); ++dim)
      if (!meaning::contains(attrs.dims, dim))
        group += i / all[dim] % shape[dim] * kept[next++];
    return group;
  };
  int64_t count = 1;
  for (int64_t dim : attrs.dims)
    count *= shape[dim];
  const Values x = meaning::load<double>(input);
  const bounds::MomentBounds moments(input.type.dtype, x, expected.type.numel(), groupOf, static_cast<double>(count),
                                     static_cast<double>(std::max<int64_t>(count - attrs.correction, 0)));
  return index == 0 ? moments.meanTolerance : moments.varianceTolerance;
}

Values batchNormTolerances(std::span<const HostTensor *const> operands, const core::BatchNormAttrs &attrs,
                           unsigned index) {
  const HostTensor &input = *operands[0];
  const double e = computeRoundoff(input.type.dtype);
  const Values x = meaning::load<double>(input), scale = meaning::load<double>(*operands[1]),
               bias = meaning::load<double>(*operands[2]);
  const int64_t features = input.type.shape[attrs.feature_dim];
  const double n = features == 0 ? 0 : static_cast<double>(input.numel() / features);
  const auto featureOf = [&, step = meaning::stridesOf(input.type.shape)[attrs.feature_dim]](int64_t i) {
    return i / step % features;
  };
  const auto [mean, variance, meanTolerance, varianceTolerance] =
      bounds::MomentBounds(input.type.dtype, x, features, featureOf, n, n);
  const double most = bounds::greatestComputed(input.type.dtype) / 4, least = bounds::leastComputed(input.type.dtype);
  const double unbounded = std::numeric_limits<double>::infinity();
  if (index == 1)
    return meanTolerance;
  if (index == 2)
    return varianceTolerance;
  Values result(x.size());
  for (size_t i = 0; i < x.size(); ++i) {
    const int64_t f = featureOf(i);
    const double spread = variance[f] + attrs.epsilon, centred = std::fabs(x[i] - mean[f]);
    const double factor = std::fabs(scale[f]) / std::sqrt(spread);
    // Where the error of the spread is of its own size, nothing holds.
    if (meanTolerance[f] == unbounded || varianceTolerance[f] > 0.2 * spread || factor > most ||
        factor * centred > most) {
      result[i] = unbounded;
      continue;
    }
    result[i] = factor * (meanTolerance[f] + centred * (8 * e + varianceTolerance[f] / (2 * spread))) +
                2 * e * (factor * centred + std::fabs(bias[f])) + least * (centred + 1);
  }
  return result;
}

} // namespace

double bounds::computeRoundoff(DType dtype) { return std::min(unitRoundoff(dtype), unitRoundoff(DType::F32)); }

double bounds::greatestComputed(DType dtype) {
  return dtype == DType::F64 ? std::numeric_limits<double>::max() : std::numeric_limits<float>::max();
}

bounds::MomentBounds::MomentBounds(DType dtype, std::span<const double> x, int64_t groups,
                                   const std::function<int64_t(int64_t)> &groupOf, double n, double free)
    : mean(groups), variance(groups), meanTolerance(groups), varianceTolerance(groups) {
  const double e = computeRoundoff(dtype), most = greatestComputed(dtype) / 4, least = leastComputed(dtype);
  const double unbounded = std::numeric_limits<double>::infinity();
  Values absolute(groups), deviation(groups);
  for (size_t i = 0; i < x.size(); ++i) {
    mean[groupOf(i)] += x[i] / n;
    absolute[groupOf(i)] += std::fabs(x[i]) / n;
  }
  for (size_t i = 0; i < x.size(); ++i) {
    const double centred = x[i] - mean[groupOf(i)];
    variance[groupOf(i)] += centred * centred / free;
    deviation[groupOf(i)] += std::fabs(centred) / free;
  }
  for (int64_t g = 0; g < groups; ++g) {
    const double m = meanTolerance[g] = n * absolute[g] < most ? (n + 2) * e * absolute[g] + least : unbounded;
    // The square of a mean that overflowed says nothing either, even where no element is away from it.
    varianceTolerance[g] = free > 0 && free * variance[g] < most && m * m < most
                               ? (n + 6) * e * variance[g] + 2 * m * deviation[g] + n / free * (m * m + least) + least
                               : unbounded;
  }
}

std::vector<double> bounds::formulaTolerances(OpCode op, std::span<const HostTensor *const> operands,
                                              std::span<const int64_t> words, unsigned index,
                                              const HostTensor &expected) {
  const Values want = meaning::load<double>(expected);
  Values result(want.size(), std::numeric_limits<double>::infinity());
  switch (op) {
  case OpCode::Softmax:
    result = softmaxTolerances(*operands[0], core::SoftmaxAttrs::decode(words)->axis, false);
    break;
  case OpCode::LogSoftmax:
    result = softmaxTolerances(*operands[0], core::LogSoftmaxAttrs::decode(words)->axis, true);
    break;
  case OpCode::CrossEntropy:
    result = crossEntropyTolerances(operands, *core::CrossEntropyAttrs::decode(words));
    break;
  case OpCode::BatchNorm:
    result = batchNormTolerances(operands, *core::BatchNormAttrs::decode(words), index);
    break;
  case OpCode::Moments:
    result = momentsTolerances(*operands[0], *core::MomentsAttrs::decode(words), index, expected);
    break;
  case OpCode::Lgamma:
  case OpCode::Digamma:
  case OpCode::Polygamma:
    return bounds::gammaTolerances(op, words, *operands[0], expected);
  default:
    for (auto family : {activationTolerances, normTolerances, attentionTolerances, mappingTolerances})
      if (auto tolerances = family({op, operands, words, index, expected}))
        result = std::move(*tolerances);
    break;
  }
  for (size_t i = 0; i < want.size(); ++i)
    if (std::isfinite(want[i]))
      result[i] +=
          2 * unitRoundoff(expected.type.dtype) * std::fabs(want[i]) + std::max(leastOf(expected.type.dtype), 0x1p-149);
  return result;
}
