// Bounds of activation functions: each rounding of the formula, to first order.
#include "dialects/Burn/Interpreter/BoundsFormula.h"
#include "dialects/Burn/Interpreter/Evaluation.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace burn;
using namespace burn::ir;
using core::OpCode;

namespace {

// Roundings of the result that an exponential of an argument of size t brings: those of the argument count t times.
// Beyond 800 an exponential of any type is 0 or infinite.
double exponentialRoundings(double t) { return std::min(std::fabs(t), 800.0) + 8; }

} // namespace

std::optional<std::vector<double>> bounds::activationTolerances(const FormulaCase &c) {
  const std::vector<double> x = meaning::load<double>(*c.operands[0]), y = meaning::load<double>(c.expected);
  const DType dtype = c.operands[0]->type.dtype;
  const double e = computeRoundoff(dtype);
  const double least = dtype == DType::F64 ? std::numeric_limits<double>::denorm_min() : 0x1p-149;
  const auto each = [&](auto tolerance) {
    std::vector<double> result(x.size());
    for (size_t i = 0; i < x.size(); ++i)
      result[i] = std::isfinite(x[i]) ? tolerance(x[i], std::fabs(y[i])) : 0;
    return result;
  };
  // An exponential that becomes subnormal is off by a few of the least numbers, whatever it is multiplied with.
  const auto exponential = [&](double factor) {
    return each([=](double x, double y) {
      return e * exponentialRoundings(factor * x) * y + 4 * least * std::max(1.0, std::fabs(x));
    });
  };
  switch (c.op) {
  case OpCode::Softplus:
    return exponential(core::SoftplusAttrs::decode(c.words)->beta);
  case OpCode::Celu:
    return exponential(1 / core::CeluAttrs::decode(c.words)->alpha);
  case OpCode::Silu:
  case OpCode::Mish:
  case OpCode::Elu:
  case OpCode::Selu:
  case OpCode::LogSigmoid:
    return exponential(1);
  case OpCode::HardSigmoid: {
    const auto attrs = *core::HardSigmoidAttrs::decode(c.words);
    return each([=](double x, double) {
      const double line = std::fabs(attrs.alpha * x) + std::fabs(attrs.beta);
      return std::fabs(attrs.alpha * x + attrs.beta) > line / 2 && line > 4 ? 0 : 4 * e * line;
    });
  }
  case OpCode::HardSwish:
    // x + 3 is rounded, and may cancel.
    return each([=](double x, double y) { return 4 * e * y + (std::fabs(x) > 4 ? 0 : e * std::fabs(x)); });
  case OpCode::LeakyRelu:
    return each([=](double, double y) { return 2 * e * y + least; });
  default:
    return std::nullopt;
  }
}
