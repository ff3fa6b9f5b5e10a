#include "dialects/Burn/Interpreter/BoundsFormula.h"
#include "dialects/Burn/Interpreter/Evaluation.h"
#include "dialects/Burn/Interpreter/SpecialFunctions.h"

#include <algorithm>
#include <cmath>

using namespace burn;
using namespace burn::ir;

namespace {

// The function of 1 - x, which the formulas left of 0 subtract from one with the poles and the period of the whole. Of
// odd orders that one is several times as large everywhere, so little cancels.
double mirrored(core::OpCode op, int64_t order, double x) {
  switch (op) {
  case core::OpCode::Lgamma:
    return static_cast<double>(meaning::logGamma(1 - x));
  case core::OpCode::Digamma:
    return static_cast<double>(meaning::digamma(1 - x));
  default:
    return order % 2 == 0 ? static_cast<double>(meaning::polygamma(order, 1 - x)) : 0;
  }
}

} // namespace

std::vector<double> bounds::gammaTolerances(core::OpCode op, std::span<const int64_t> words, const HostTensor &input,
                                            const HostTensor &expected) {
  const std::vector<double> x = meaning::load<double>(input), want = meaning::load<double>(expected);
  const double own = unitRoundoff(expected.type.dtype), e = std::min(own, unitRoundoff(DType::F32));
  // Near their zeros right of 0 lgamma and digamma add terms of about 1; polygamma has no zero there.
  const bool isPolygamma = op == core::OpCode::Polygamma;
  const double least = isPolygamma ? 0 : 1;
  const int64_t order = isPolygamma ? core::PolygammaAttrs::decode(words)->n : 0;
  std::vector<double> result(x.size());
  for (size_t i = 0; i < x.size(); ++i) {
    if (!std::isfinite(want[i]))
      continue;
    const double terms = least + (x[i] < 0 ? std::fabs(mirrored(op, order, x[i])) : 0);
    // A unit in the last place is at most two unit roundoffs.
    result[i] = 8 * e * (std::fabs(want[i]) + terms) + 2 * own * std::fabs(want[i]) + leastOf(expected.type.dtype);
  }
  return result;
}
