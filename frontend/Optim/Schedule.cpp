#include <burn/optim.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace burn::optim {

double WarmupCosine::operator()(int64_t step) const {
  if (step < warmup_steps)
    return peak * static_cast<double>(step + 1) / static_cast<double>(warmup_steps);
  const int64_t length = std::max<int64_t>(1, total_steps - warmup_steps);
  const double part = std::min(1.0, static_cast<double>(step - warmup_steps) / static_cast<double>(length));
  return peak * (1 + std::cos(std::numbers::pi * part)) / 2;
}

} // namespace burn::optim
