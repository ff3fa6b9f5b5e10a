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

// The scores of attention, and how far computed ones may be off.
struct Scores {
  struct Pair {
    double score = -kUnbounded, error = 0;  // of a pair that does not count: minus infinity
    double bend = 0, bendError = 0;         // tanh(s / softcap)
    bool counts = false, overflows = false; // the product of finite factors may
  };

  template <typename Attrs>
  Scores(const bounds::FormulaCase &c, const Attrs &attrs)
      : c(c), e(bounds::computeRoundoff(c.operands[0]->type.dtype)),
        greatest(bounds::greatestComputed(c.operands[0]->type.dtype)),
        least(bounds::leastComputed(c.operands[0]->type.dtype)), hasMask(attrs.operandSegmentSizes[3]),
        hasBias(attrs.operandSegmentSizes[4]), causal(attrs.causal), scale(attrs.scale), softcap(attrs.softcap) {
    for (const HostTensor *operand : c.operands)
      values.push_back(meaning::load<double>(*operand));
    const Shape &q = c.operands[0]->type.shape, &v = c.operands[2]->type.shape;
    heads = q[1], queries = q[2], depth = q[3], keys = v[2], width = v[3], lines = q[0] * heads * queries;
    keyHeads = v[1];
  }

  /// The first row of keys and values that query `line` meets.
  int64_t firstKey(int64_t line) const {
    return (line / queries / heads * keyHeads + line / queries % heads / (heads / keyHeads)) * keys;
  }

  Pair at(int64_t line, int64_t j) const {
    const int64_t query = line % queries, head = line / queries % heads, batch = line / queries / heads;
    Pair pair;
    if ((hasMask && pairOf(*c.operands[3], values[3], {batch, head, query, j}) == 0) ||
        (causal && j > query + keys - queries))
      return pair;
    double sum = 0, magnitude = 0;
    bool areFinite = true;
    for (int64_t d = 0; d < depth; ++d) {
      const double x = values[0][line * depth + d], y = values[1][(firstKey(line) + j) * depth + d];
      areFinite &= std::isfinite(x) && std::isfinite(y);
      sum += x * y;
      magnitude += std::fabs(x * y);
    }
    pair.counts = true;
    pair.overflows = areFinite && !(magnitude < greatest / 4);
    pair.score = sum * scale;
    pair.error = (static_cast<double>(depth) + 3) * e * magnitude * std::fabs(scale);
    if (!(magnitude < greatest / 4))
      pair.error = kUnbounded;
    if (softcap > 0) {
      pair.bend = std::tanh(pair.score / softcap);
      pair.bendError = std::min(2.0, pair.error / softcap + 5 * e);
      pair.score = softcap * pair.bend;
      pair.error += 5 * e * std::fabs(pair.score);
    }
    if (hasBias) {
      const int64_t slot = 3 + hasMask;
      const double bias = pairOf(*c.operands[slot], values[slot], {batch, head, query, j});
      pair.score += bias;
      pair.error += 2 * e * (std::fabs(pair.score) + std::fabs(bias));
    }
    return pair;
  }

  const bounds::FormulaCase &c;
  double e, greatest, least;
  bool hasMask, hasBias, causal;
  double scale, softcap;
  int64_t heads, keyHeads, queries, keys, depth, width, lines;
  std::vector<Values> values;
};

struct Attention {
  explicit Attention(const bounds::FormulaCase &c) : c(c), of(c, *core::AttentionAttrs::decode(c.words)) {}

  Values tolerances() const {
    Values result(c.expected.numel());
    for (int64_t line = 0; line < of.lines; ++line) {
      const Line scores = lineOf(line);
      if (c.index == 1) {
        // A score that may overflow makes it infinity, or the NaN of two of them.
        result[line] = std::isnan(scores.ofLogarithm) ? kUnbounded : scores.ofLogarithm;
        continue;
      }
      for (int64_t d = 0; d < of.width; ++d) {
        double &tolerance = result[line * of.width + d];
        for (size_t j = 0; j < scores.weight.size(); ++j)
          tolerance += scores.weight[j] * std::fabs(of.values[2][(of.firstKey(line) + j) * of.width + d]) + of.least;
        if (std::isnan(tolerance))
          tolerance = kUnbounded;
      }
    }
    return result;
  }

private:
  struct Line {
    Values weight;      // the error of each key's weight
    double ofLogarithm; // the error of the logarithm of the sum
  };

  Line lineOf(int64_t line) const {
    const double e = of.e, keys = static_cast<double>(of.keys);
    Line result{Values(of.keys), 0};
    Values scores, errors;
    double most = -kUnbounded, worst = 0;
    for (int64_t j = 0; j < of.keys; ++j) {
      const Scores::Pair pair = of.at(line, j);
      // Its score may be a number, infinite or the NaN of two infinite sums, whatever f64 makes of it.
      if (pair.overflows)
        return {Values(of.keys, kUnbounded), kUnbounded};
      scores.push_back(pair.score);
      errors.push_back(pair.error);
      most = std::max(most, pair.score);
      if (std::isfinite(pair.score))
        worst = std::max(worst, pair.error);
    }
    double sum = 0, sumError = 0;
    for (double score : scores)
      sum += std::isfinite(score) ? std::exp(score - most) : 0;
    Values share(of.keys), relative(of.keys);
    for (int64_t j = 0; j < of.keys; ++j) {
      if (!std::isfinite(scores[j]))
        continue;
      share[j] = std::exp(scores[j] - most) / sum;
      relative[j] = errors[j] + worst + e * (most - scores[j] + 3);
      sumError += share[j] * relative[j];
    }
    sumError += keys * e;
    for (int64_t j = 0; j < of.keys; ++j)
      result.weight[j] = share[j] * (relative[j] + sumError + (keys + 4) * e) +
                         4 * static_cast<double>(std::numeric_limits<float>::denorm_min());
    if (sum > 0)
      result.ofLogarithm = sumError + worst + e * (3 * std::log(sum) + 2 * std::fabs(most));
    return result;
  }

  const bounds::FormulaCase &c;
  Scores of;
};

// A number and how far a computed one may be off.
struct Off {
  double value, error;
};

// A sum of products in any order, and how far a computed one may be off.
struct OffSum {
  double terms = 0, magnitude = 0, error = 0;

  void add(Off x, double y, double least) {
    terms += 1;
    magnitude += std::fabs(x.value * y);
    error += x.error * std::fabs(y) + least;
  }
  /// Unbounded where partial sums may leave the range of the type.
  double tolerance(double e, double greatest) const {
    const double total = error + (terms + 1) * e * (magnitude + error);
    return magnitude + error < greatest / 4 && std::isfinite(total) ? total : kUnbounded;
  }
};

Values attentionGradTolerances(const bounds::FormulaCase &c) {
  const Scores of(c, *core::AttentionGradAttrs::decode(c.words));
  const double e = of.e, least = of.least;
  const Values &lse = of.values[of.values.size() - 3], &gradient = of.values[of.values.size() - 2],
               &delta = of.values.back();
  std::vector<OffSum> sums(c.index == 3 ? 0 : c.expected.numel());
  Values result(c.expected.numel());
  for (int64_t line = 0; line < of.lines; ++line)
    for (int64_t j = 0; j < of.keys; ++j) {
      const Scores::Pair pair = of.at(line, j);
      const int64_t k = of.firstKey(line) + j;
      const double shifted = pair.score - (std::isinf(lse[line]) && lse[line] < 0 ? 0 : lse[line]);
      Off weight{pair.counts ? std::exp(shifted) : 0, 0};
      // Large scores leave nothing of their difference to lse: what vanishes here may be anything there.
      if (const double off = pair.error + e * (std::fabs(shifted) + 4); pair.counts && pair.score != -kUnbounded)
        weight.error = weight.value != 0 ? weight.value * std::expm1(off) : std::exp(shifted + off);
      // The least exponentials vanish in parts.
      weight.error += 4 * static_cast<double>(std::numeric_limits<float>::denorm_min());
      if (!(weight.value + weight.error < of.greatest / 4) || std::isnan(lse[line]))
        weight.error = kUnbounded;
      if (c.index == 2) {
        for (int64_t d = 0; d < of.width; ++d)
          sums[k * of.width + d].add(weight, gradient[line * of.width + d], least);
        continue;
      }
      if (!pair.counts) {
        // Nothing, unless it is multiplied by what is not finite: a factor, or the slope of a softcap.
        double magnitude = 0;
        for (int64_t d = 0; of.softcap > 0 && d < of.depth; ++d)
          magnitude += std::fabs(of.values[0][line * of.depth + d] * of.values[1][k * of.depth + d]);
        const double error = magnitude < of.greatest / 4 ? least : kUnbounded;
        for (int64_t d = 0; c.index < 2 && d < of.depth; ++d)
          if (c.index == 0)
            sums[line * of.depth + d].add({0, error}, of.values[1][k * of.depth + d], least);
          else
            sums[k * of.depth + d].add({0, error}, of.values[0][line * of.depth + d], least);
        continue;
      }
      double product = 0;
      OffSum products;
      for (int64_t d = 0; d < of.width; ++d) {
        product += gradient[line * of.width + d] * of.values[2][k * of.width + d];
        products.add({gradient[line * of.width + d], 0}, of.values[2][k * of.width + d], least);
      }
      const Off sum{product + delta[line],
                    products.tolerance(e, of.greatest) + 2 * e * std::fabs(product + delta[line])};
      Off score{weight.value * sum.value, 0};
      score.error = weight.error * (std::fabs(sum.value) + sum.error) + weight.value * sum.error +
                    e * std::fabs(score.value) + least;
      if (c.index == 3) {
        result[line * of.keys + j] = std::isnan(score.error) ? kUnbounded : score.error;
        continue;
      }
      const Off slope{1 - pair.bend * pair.bend,
                      pair.bendError * (2 * std::fabs(pair.bend) + pair.bendError) + (of.softcap > 0 ? 3 * e : 0)};
      Off scaled{score.value * slope.value * of.scale, 0};
      scaled.error = (score.error * (slope.value + slope.error) + std::fabs(score.value) * slope.error + least) *
                         std::fabs(of.scale) +
                     3 * e * std::fabs(scaled.value) + least;
      for (int64_t d = 0; d < of.depth; ++d)
        if (c.index == 0)
          sums[line * of.depth + d].add(scaled, of.values[1][k * of.depth + d], least);
        else
          sums[k * of.depth + d].add(scaled, of.values[0][line * of.depth + d], least);
    }
  for (size_t i = 0; i < sums.size(); ++i)
    result[i] = sums[i].tolerance(e, of.greatest);
  return result;
}

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
  case OpCode::AttentionGrad:
    return attentionGradTolerances(c);
  case OpCode::Rope:
    return ropeTolerances(c);
  default:
    return std::nullopt;
  }
}
