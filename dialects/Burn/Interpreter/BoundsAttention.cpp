// Bounds of attention: the errors of the scores, of the softmax over them and of the weighted sum, to first order.
#include "dialects/Burn/Interpreter/BoundsFormula.h"
#include "dialects/Burn/Interpreter/Evaluation.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace burn;
using namespace burn::ir;
using core::OpCode;

namespace {

using Values = std::vector<double>;
constexpr double kUnbounded = std::numeric_limits<double>::infinity();

// Element [batch, head, query, key] of a mask or bias whose dimensions of size 1 stand for all.
double pairOf(const HostTensor &tensor, const Values &values, std::array<int64_t, 4> index) {
  const meaning::Index strides = meaning::stridesOf(tensor.type.shape);
  int64_t at = 0;
  for (unsigned i = 0; i < 4; ++i)
    at += tensor.type.shape[i] == 1 ? 0 : index[i] * strides[i];
  return values[at];
}

struct Attention {
  explicit Attention(const bounds::FormulaCase &c)
      : c(c), attrs(*core::AttentionAttrs::decode(c.words)), e(bounds::computeRoundoff(c.operands[0]->type.dtype)),
        greatest(bounds::greatestComputed(c.operands[0]->type.dtype)),
        least(bounds::leastComputed(c.operands[0]->type.dtype)) {
    for (const HostTensor *operand : c.operands)
      values.push_back(meaning::load<double>(*operand));
  }

  Values tolerances() const {
    const Shape &q = c.operands[0]->type.shape, &v = c.operands[2]->type.shape;
    const int64_t lines = q[0] * q[1] * q[2], width = v[3];
    Values result(c.expected.numel());
    for (int64_t line = 0; line < lines; ++line) {
      const Line scores = lineOf(line);
      if (c.index == 1) {
        // A score that may overflow makes it infinity, or the NaN of two of them.
        result[line] = std::isnan(scores.ofLogarithm) ? kUnbounded : scores.ofLogarithm;
        continue;
      }
      for (int64_t d = 0; d < width; ++d) {
        double &tolerance = result[line * width + d];
        for (size_t j = 0; j < scores.weight.size(); ++j)
          tolerance += scores.weight[j] * std::fabs(values[2][(scores.firstKey + j) * width + d]) + least;
        if (std::isnan(tolerance))
          tolerance = kUnbounded;
      }
    }
    return result;
  }

private:
  struct Line {
    int64_t firstKey;   // row of the keys of its head
    Values weight;      // the error of each key's weight
    double ofLogarithm; // the error of the logarithm of the sum
  };

  Line lineOf(int64_t line) const {
    const Shape &q = c.operands[0]->type.shape, &k = c.operands[1]->type.shape;
    const int64_t query = line % q[2], head = line / q[2] % q[1], batch = line / q[2] / q[1];
    const int64_t depth = q[3], keys = k[2];
    Line result{(batch * k[1] + head / (q[1] / k[1])) * keys, Values(keys), 0};
    Values scores(keys, -kUnbounded), errors(keys);
    double most = -kUnbounded, worst = 0;
    for (int64_t j = 0; j < keys; ++j) {
      double sum = 0, magnitude = 0;
      for (int64_t d = 0; d < depth; ++d) {
        const double product = values[0][line * depth + d] * values[1][(result.firstKey + j) * depth + d];
        sum += product;
        magnitude += std::fabs(product);
      }
      const bool isMasked = attrs.operandSegmentSizes[3] != 0;
      if ((isMasked && pairOf(*c.operands[3], values[3], {batch, head, query, j}) == 0) ||
          (attrs.causal && j > query + keys - q[2]))
        continue;
      scores[j] = sum * attrs.scale;
      errors[j] = (static_cast<double>(depth) + 3) * e * magnitude * std::fabs(attrs.scale);
      if (!(magnitude < greatest / 4))
        errors[j] = kUnbounded;
      if (attrs.softcap > 0) {
        scores[j] = attrs.softcap * std::tanh(scores[j] / attrs.softcap);
        errors[j] += 5 * e * std::fabs(scores[j]);
      }
      if (attrs.operandSegmentSizes[4]) {
        const double bias = pairOf(*c.operands.back(), values.back(), {batch, head, query, j});
        scores[j] += bias;
        errors[j] += 2 * e * (std::fabs(scores[j]) + std::fabs(bias));
      }
      most = std::max(most, scores[j]);
      if (std::isfinite(scores[j]))
        worst = std::max(worst, errors[j]);
    }
    double sum = 0, sumError = 0;
    for (double score : scores)
      sum += std::isfinite(score) ? std::exp(score - most) : 0;
    Values share(keys), relative(keys);
    for (int64_t j = 0; j < keys; ++j) {
      if (!std::isfinite(scores[j]))
        continue;
      share[j] = std::exp(scores[j] - most) / sum;
      relative[j] = errors[j] + worst + e * (most - scores[j] + 3);
      sumError += share[j] * relative[j];
    }
    sumError += static_cast<double>(keys) * e;
    for (int64_t j = 0; j < keys; ++j)
      result.weight[j] = share[j] * (relative[j] + sumError + (static_cast<double>(keys) + 4) * e) +
                         4 * static_cast<double>(std::numeric_limits<float>::denorm_min());
    if (sum > 0)
      result.ofLogarithm = sumError + worst + e * (3 * std::log(sum) + 2 * std::fabs(most));
    return result;
  }

  const bounds::FormulaCase &c;
  core::AttentionAttrs attrs;
  double e, greatest, least;
  std::vector<Values> values;
};

Values ropeTolerances(const bounds::FormulaCase &c) {
  // Each rotated element has two products; sine and cosine may be of any size.
  const double e = bounds::computeRoundoff(c.operands[0]->type.dtype);
  const Values x = meaning::load<double>(*c.operands[0]);
  double turn = 1;
  for (const HostTensor *angles : c.operands.subspan(1))
    for (double value : meaning::load<double>(*angles))
      turn = std::max(turn, std::fabs(value));
  Values result(x.size());
  const Shape &shape = c.expected.type.shape;
  const int64_t width = shape[shape.rank() - 1];
  for (size_t i = 0; i < x.size(); ++i) {
    double most = 0;
    for (int64_t d = 0; d < width; ++d)
      if (const double value = std::fabs(x[i / width * width + d]); std::isfinite(value))
        most = std::max(most, value);
    result[i] = 6 * e * most * turn;
    if (!(most * turn < bounds::greatestComputed(c.operands[0]->type.dtype) / 4))
      result[i] = kUnbounded;
  }
  return result;
}

} // namespace

std::optional<std::vector<double>> bounds::attentionTolerances(const FormulaCase &c) {
  switch (c.op) {
  case OpCode::Attention:
    return Attention(c).tolerances();
  case OpCode::Rope:
    return ropeTolerances(c);
  default:
    return std::nullopt;
  }
}
