#include "dialects/Burn/Interpreter/BoundsFormula.h"
#include "dialects/Burn/Interpreter/Evaluation.h"
#include "dialects/Burn/Interpreter/SpecialFunctions.h"

#include <algorithm>
#include <cmath>

using namespace burn;
using namespace burn::ir;

std::vector<double> bounds::gammaTolerances(core::OpCode op, const HostTensor &input, const HostTensor &expected) {
  const std::vector<double> x = meaning::load<double>(input), want = meaning::load<double>(expected);
  const double own = unitRoundoff(expected.type.dtype), e = std::min(own, unitRoundoff(DType::F32));
  std::vector<double> result(x.size());
  for (size_t i = 0; i < x.size(); ++i) {
    if (!std::isfinite(want[i]))
      continue;
    // Left of 0 the reflection formula subtracts the function of 1 - x.
    double terms = 1;
    if (x[i] < 0)
      terms += std::fabs(
          static_cast<double>(op == core::OpCode::Lgamma ? meaning::logGamma(1 - x[i]) : meaning::digamma(1 - x[i])));
    // A unit in the last place is at most two unit roundoffs.
    result[i] = 8 * e * (std::fabs(want[i]) + terms) + 2 * own * std::fabs(want[i]);
  }
  return result;
}
