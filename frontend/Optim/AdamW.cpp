#include <burn/ops.h>
#include <burn/optim.h>

#include <cmath>

namespace burn::optim {

AdamW::AdamW(std::vector<nn::NamedTensor> parameters, const AdamWOptions &options)
    : Optimizer(std::move(parameters), options.lr), options_(options), average_(&addState("exp_avg")),
      averageOfSquares_(&addState("exp_avg_sq")) {}

Tensor AdamW::update(size_t index, const Tensor &parameter, const Tensor &gradient) {
  Tensor &m = (*average_)[index];
  Tensor &v = (*averageOfSquares_)[index];
  m = m * options_.beta1 + gradient * (1 - options_.beta1);
  v = v * options_.beta2 + gradient * gradient * (1 - options_.beta2);
  // The corrections are numbers of the host in f64, so they do not round to the parameters' type before they must.
  const double t = static_cast<double>(steps());
  const double stepSize = learning_rate() / (1 - std::pow(options_.beta1, t));
  const double correction = 1 / std::sqrt(1 - std::pow(options_.beta2, t));
  const Tensor direction = m / (sqrt(v) * correction + options_.eps);
  Tensor next = parameter - direction * stepSize;
  if (options_.weight_decay != 0) {
    const Tensor decay = parameter * (learning_rate() * options_.weight_decay);
    next = next - (options_.cautious_weight_decay ? where(direction * parameter >= 0.0, decay, 0.0) : decay);
  }
  return next;
}

} // namespace burn::optim
