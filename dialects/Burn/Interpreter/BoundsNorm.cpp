// Bounds of normalisations and logsumexp: the roundings of sums of n terms and of what follows, to first order.
#include "dialects/Burn/Interpreter/BoundsFormula.h"
#include "dialects/Burn/Interpreter/Evaluation.h"

#include <cmath>
#include <limits>

using namespace burn;
using namespace burn::ir;
using core::OpCode;

namespace {

using Values = std::vector<double>;
constexpr double kUnbounded = std::numeric_limits<double>::infinity();

// The statistics of a line and how far they may be off.
struct LineStatistics {
  double mean = 0, meanTolerance = 0, rstd, rstdTolerance;

  LineStatistics(std::span<const double> x, bool centre, double epsilon, double e, double greatest, double least) {
    const double n = static_cast<double>(x.size());
    double absolute = 0, square = 0, deviation = 0;
    for (double value : x) {
      mean += centre ? value / n : 0;
      absolute += std::fabs(value) / n;
    }
    for (double value : x) {
      square += (value - mean) * (value - mean) / n;
      deviation += std::fabs(value - mean) / n;
    }
    if (centre)
      meanTolerance = n * absolute < greatest / 4 ? (n + 2) * e * absolute + least : kUnbounded;
    const double spread = square + epsilon;
    rstd = 1 / std::sqrt(spread);
    const double squareTolerance = n * square < greatest / 4 ? (n + 6) * e * square + 2 * meanTolerance * deviation +
                                                                   meanTolerance * meanTolerance + 2 * least
                                                             : kUnbounded;
    // Where the error of the spread is of its own size, nothing holds.
    const double relative = squareTolerance / (2 * spread);
    rstdTolerance = relative < 0.1 && rstd < greatest / 4 ? rstd * (1.2 * relative + 4 * e) : kUnbounded;
  }
};

struct Norm {
  int64_t size = 1;
  double epsilon;
  bool centre;
  int64_t spatial = 0, features = 0; // of group_norm
  int64_t parameterOf(int64_t i) const { return features ? i / spatial % features : i % size; }
};

Values normTolerancesOf(const bounds::FormulaCase &c, const Norm &norm) {
  const HostTensor &input = *c.operands[0];
  const double e = bounds::computeRoundoff(input.type.dtype), greatest = bounds::greatestComputed(input.type.dtype),
               least = bounds::leastComputed(input.type.dtype);
  const Values x = meaning::load<double>(input);
  const Values scale = c.operands.size() > 1 ? meaning::load<double>(*c.operands[1]) : Values();
  const Values bias = c.operands.size() > 2 ? meaning::load<double>(*c.operands[2]) : Values();
  const bool ofElements = c.index == 0;
  Values result(c.expected.numel());
  const int64_t lines = ofElements ? (norm.size ? static_cast<int64_t>(x.size()) / norm.size : 0) : c.expected.numel();
  for (int64_t line = 0; line < lines; ++line) {
    const LineStatistics s(std::span(x).subspan(line * norm.size, norm.size), norm.centre, norm.epsilon, e, greatest,
                           least);
    if (!ofElements) {
      result[line] = norm.centre && c.index == 1 ? s.meanTolerance : s.rstdTolerance;
      continue;
    }
    for (int64_t i = line * norm.size; i < (line + 1) * norm.size; ++i) {
      const double factor = scale.empty() ? 1 : std::fabs(scale[norm.parameterOf(i)]);
      const double centred = std::fabs(x[i] - s.mean), normal = centred * s.rstd;
      const double ofBias = bias.empty() ? 0 : std::fabs(bias[norm.parameterOf(i)]);
      result[i] = factor * (s.rstd * s.meanTolerance + centred * s.rstdTolerance + 4 * e * normal + least) +
                  2 * e * ofBias + least;
      if (std::isnan(result[i]) || factor * normal > greatest / 4)
        result[i] = kUnbounded;
    }
  }
  return result;
}

Values logsumexpTolerances(const bounds::FormulaCase &c) {
  const HostTensor &input = *c.operands[0];
  const double e = bounds::computeRoundoff(input.type.dtype);
  const auto attrs = *core::LogsumexpAttrs::decode(c.words);
  const Values x = meaning::load<double>(input), y = meaning::load<double>(c.expected);
  const Shape &shape = input.type.shape;
  meaning::Index into{};
  const meaning::Index kept = meaning::stridesOf(c.expected.type.shape);
  int64_t terms = 1;
  for (unsigned i = 0, next = 0; i < shape.rank(); ++i) {
    into[i] = meaning::contains(attrs.dims, i) ? 0 : kept[next++];
    terms *= meaning::contains(attrs.dims, i) ? shape[i] : 1;
  }
  // The error of each term weighs as its share exp(x - y).
  Values result(y.size());
  size_t at = 0;
  meaning::forEachIndex(shape, [&](const meaning::Index &index) {
    const int64_t place = meaning::dot(index, into, shape.rank());
    const double difference = x[at++] - y[place], share = std::exp(difference);
    if (share > 0 && std::isfinite(difference))
      result[place] += e * share * (std::fabs(difference) + std::log(static_cast<double>(terms)) + 3);
  });
  for (size_t i = 0; i < y.size(); ++i)
    result[i] += e * (static_cast<double>(terms) + 3 * std::log(static_cast<double>(terms) + 1) + 2 * std::fabs(y[i]));
  return result;
}

Norm overLastDims(const bounds::FormulaCase &c, int64_t axis, double epsilon, bool centre) {
  Norm norm{.epsilon = epsilon, .centre = centre};
  const Shape &shape = c.operands[0]->type.shape;
  for (unsigned i = static_cast<unsigned>(axis); i < shape.rank(); ++i)
    norm.size *= shape[i];
  return norm;
}

} // namespace

std::optional<std::vector<double>> bounds::normTolerances(const FormulaCase &c) {
  switch (c.op) {
  case OpCode::LayerNorm: {
    const auto attrs = *core::LayerNormAttrs::decode(c.words);
    return normTolerancesOf(c, overLastDims(c, attrs.axis, attrs.epsilon, true));
  }
  case OpCode::RmsNorm: {
    const auto attrs = *core::RmsNormAttrs::decode(c.words);
    return normTolerancesOf(c, overLastDims(c, attrs.axis, attrs.epsilon, false));
  }
  case OpCode::GroupNorm: {
    const auto attrs = *core::GroupNormAttrs::decode(c.words);
    const Shape &shape = c.operands[0]->type.shape;
    Norm norm{.epsilon = attrs.epsilon, .centre = true};
    norm.spatial = meaning::stridesOf(shape)[1];
    norm.features = shape[1];
    norm.size = norm.features / attrs.groups * norm.spatial;
    return normTolerancesOf(c, norm);
  }
  case OpCode::Logsumexp:
    return logsumexpTolerances(c);
  default:
    return std::nullopt;
  }
}
