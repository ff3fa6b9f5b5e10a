// Bounds of interpolation, quantized numbers, optimizer steps and normal random numbers.
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

// A few roundings of the result itself.
Values relative(const bounds::FormulaCase &c, double roundings) {
  Values result = meaning::load<double>(c.expected);
  for (double &value : result)
    value = std::isfinite(value) ? roundings * bounds::computeRoundoff(c.expected.type.dtype) * std::fabs(value) : 0;
  return result;
}

// Along each dimension a weight is rounded, a product and a sum; what is in between is no larger than the largest
// element times the sum of the weights' magnitudes, below 2 for usual cubic kernels.
Values interpolateTolerances(const bounds::FormulaCase &c) {
  const auto attrs = *core::InterpolateAttrs::decode(c.words);
  Values result(c.expected.numel());
  if (attrs.mode == core::InterpolateMode::Nearest)
    return result;
  double most = 0;
  bool hasInfinite = false;
  for (double value : meaning::load<double>(*c.operands[0])) {
    hasInfinite |= std::isinf(value);
    if (std::isfinite(value))
      most = std::max(most, std::fabs(value));
  }
  const bool isCubic = attrs.mode == core::InterpolateMode::Cubic;
  const double growth = isCubic ? 1 + 2 * std::fabs(attrs.cubic_coeff) : 1;
  const double dims = static_cast<double>(attrs.sizes.size());
  const double e = bounds::computeRoundoff(c.expected.type.dtype);
  // A cubic weight is a sum of four terms up to 16 |cubic_coeff| that cancel, computed in f64; there are four of them.
  const double ofWeights = isCubic ? 4 * 4 * 16 * std::fabs(attrs.cubic_coeff) * bounds::unitRoundoff(DType::F64) : 0;
  const double whole = std::pow(growth, dims), least = bounds::leastComputed(c.expected.type.dtype);
  std::fill(result.begin(), result.end(), dims * whole * (((isCubic ? 8 : 4) * e + ofWeights) * most + 4 * least));
  // What a sum along one dimension that overflows gives along the next is infinite, or with a weight of 0 NaN: the
  // results that elements so large have a part in. A cubic weight that is 0 but for its rounding has any sign, which
  // that of an infinite product is.
  const double limit = bounds::greatestComputed(c.expected.type.dtype) / (4 * whole);
  if (most > limit || (isCubic && hasInfinite)) {
    HostTensor marked(core::TypeDesc{DType::F64, c.operands[0]->type.shape});
    Values values = meaning::load<double>(*c.operands[0]);
    for (double &value : values)
      value = std::fabs(value) > limit ? std::numeric_limits<double>::quiet_NaN() : 0;
    meaning::store(marked, values);
    const HostTensor *operands[] = {&marked};
    const core::TypeDesc types[] = {{DType::F64, c.expected.type.shape}};
    std::vector<HostTensor> reached;
    if (!evaluate(c.op, operands, c.words, types, Precision::Double, reached))
      return Values(result.size(), kUnbounded);
    values = meaning::load<double>(reached[0]);
    for (size_t i = 0; i < result.size(); ++i)
      if (std::isnan(values[i]))
        result[i] = kUnbounded;
  }
  return result;
}

Values adamwTolerances(const bounds::FormulaCase &c) {
  const auto attrs = *core::AdamwUpdateAttrs::decode(c.words);
  const double e = bounds::computeRoundoff(c.expected.type.dtype), least = bounds::leastComputed(c.expected.type.dtype);
  std::vector<Values> values;
  for (const HostTensor *operand : c.operands)
    values.push_back(meaning::load<double>(*operand));
  const double step = std::fabs(values[4][0]), correction = values[5][0], decay = std::fabs(values[6][0]);
  Values result(c.expected.numel());
  for (size_t i = 0; i < result.size(); ++i) {
    const double p = values[0][i], g = values[1][i];
    const double m = std::fabs(attrs.beta1 * values[2][i]) + std::fabs((1 - attrs.beta1) * g);
    const double v = std::fabs(attrs.beta2 * values[3][i]) + std::fabs((1 - attrs.beta2) * g * g);
    // A square that leaves the range of the type is another number, whatever it is multiplied by.
    const double most = bounds::greatestComputed(c.expected.type.dtype) / 4;
    const bool isHeld = g * g < most && v < most;
    if (c.index == 1)
      result[i] = 4 * e * m + least;
    else if (c.index == 2)
      result[i] = isHeld ? 5 * e * v + 2 * least : kUnbounded;
    else {
      const double divisor = std::sqrt(v) * std::fabs(correction) + attrs.epsilon;
      // So is a quotient that does, or one with a divisor near 0.
      const bool isTame = isHeld && m / divisor < most && divisor > 1e-10;
      result[i] = isTame ? 16 * e * step * m / divisor + 4 * e * (std::fabs(p) + decay * std::fabs(p)) +
                               (v < 1e-30 ? step * m / divisor * 1e-15 / divisor : 0)
                         : kUnbounded;
    }
  }
  return result;
}

} // namespace

std::optional<std::vector<double>> bounds::mappingTolerances(const FormulaCase &c) {
  switch (c.op) {
  case OpCode::Interpolate:
    return interpolateTolerances(c);
  case OpCode::Dequantize:
    return relative(c, 3);
  case OpCode::Normal:
    return relative(c, 8);
  case OpCode::AdamwUpdate:
    return adamwTolerances(c);
  default:
    return std::nullopt;
  }
}
