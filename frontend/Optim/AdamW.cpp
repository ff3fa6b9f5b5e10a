#include "frontend/Tensor/Support.h"

#include <burn/ops.h>
#include <burn/optim.h>

#include <cmath>

namespace burn::optim {

namespace {

// The numbers of one step. They are f64 numbers of the host, so they do not round before they must.
struct Factors {
  double stepSize, correction, decay;
};

// The averages are replaced by the new ones.
Tensor recordUpdate(const Tensor &parameter, const Tensor &gradient, Tensor &average, Tensor &averageOfSquares,
                    const AdamWOptions &options, const Factors &factors) {
  Recorder recorder("adamw", {&parameter, &gradient, &average, &averageOfSquares});
  const auto number = [&](double value) { return recorder.scalar(DType::F64, value); };
  const Ref operands[] = {recorder.use(parameter),        recorder.use(gradient),   recorder.use(average),
                          recorder.use(averageOfSquares), number(factors.stepSize), number(factors.correction),
                          number(factors.decay)};
  const Ref first = recorder.emit(core::AdamwUpdateAttrs{options.beta1, options.beta2, options.eps}, operands);
  Tensor next = recorder.tensor(first);
  average = recorder.tensor(Recorder::result(first, 1));
  averageOfSquares = recorder.tensor(Recorder::result(first, 2));
  recorder.finish();
  return next;
}

} // namespace

AdamW::AdamW(std::vector<nn::NamedTensor> parameters, const AdamWOptions &options, Where where)
    : Optimizer(std::move(parameters), options.lr), options_(options), average_(&addState("exp_avg", where)),
      averageOfSquares_(&addState("exp_avg_sq", where)) {}

Tensor AdamW::update(size_t index, const Tensor &parameter, const Tensor &gradient) {
  Tensor &m = (*average_)[index];
  Tensor &v = (*averageOfSquares_)[index];
  const double t = static_cast<double>(steps());
  const Factors factors{learning_rate() / (1 - std::pow(options_.beta1, t)),
                        1 / std::sqrt(1 - std::pow(options_.beta2, t)), learning_rate() * options_.weight_decay};
  if (!options_.cautious_weight_decay || options_.weight_decay == 0)
    return recordUpdate(parameter, gradient, m, v, options_, factors);
  // Which elements decay depends on the direction, which the op keeps to itself.
  m = m * options_.beta1 + gradient * (1 - options_.beta1);
  v = v * options_.beta2 + gradient * gradient * (1 - options_.beta2);
  const Tensor direction = m / (sqrt(v) * factors.correction + options_.eps);
  const Tensor decay = parameter * factors.decay;
  return parameter - direction * factors.stepSize - where(direction * parameter >= 0.0, decay, 0.0);
}

} // namespace burn::optim
