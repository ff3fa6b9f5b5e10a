#include <burn/ops.h>
#include <burn/optim.h>

namespace burn::optim {

Sgd::Sgd(std::vector<nn::NamedTensor> parameters, const SgdOptions &options, Where where)
    : Optimizer(std::move(parameters), options.lr), options_(options) {
  if (options.momentum != 0)
    velocity_ = &addState("momentum_buffer", where);
}

Tensor Sgd::update(size_t index, const Tensor &parameter, const Tensor &gradient) {
  Tensor direction = gradient;
  if (options_.weight_decay != 0)
    direction = direction + parameter * options_.weight_decay;
  if (velocity_) {
    // Velocity starts at 0, so the first one is the gradient, as in PyTorch.
    Tensor &velocity = (*velocity_)[index];
    velocity = velocity * options_.momentum + direction;
    direction = options_.nesterov ? direction + velocity * options_.momentum : velocity;
  }
  return parameter - direction * learning_rate();
}

} // namespace burn::optim
