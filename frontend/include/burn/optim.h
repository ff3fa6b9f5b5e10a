/// Optimizers and learning-rate schedules.
#pragma once

#include <burn/module.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace burn::optim {

/// What all optimizers share. A step is recorded like any other tensor program and belongs to the same trace as the
/// forward and backward pass before it, so all three are compiled and fused together; parameters and state are updated
/// in place. `step()` ends the trace.
class BURN_API Optimizer {
public:
  virtual ~Optimizer();

  /// Updates every parameter that has a gradient, then sends the recorded program on its way.
  void step(Where where = Where::current());
  /// Drops the gradients of all parameters.
  void zero_grad();

  double learning_rate() const { return learningRate_; }
  void set_learning_rate(double rate) { learningRate_ = rate; }
  /// Number of steps taken.
  int64_t steps() const { return steps_; }

  /// The state of the optimizer by name ("exp_avg.fc1.weight"), with "steps" as an i64 scalar.
  nn::StateDict state_dict() const;
  /// Takes over a state of the same kind of optimizer for the same parameters; else throws `burn::Error`, which
  /// begins with `source`, and changes nothing.
  void load_state_dict(const nn::StateDict &state, const std::string &source = "state", Where where = Where::current());

protected:
  Optimizer(std::vector<nn::NamedTensor> parameters, double learningRate);

  /// Records the update of parameter number `index` by `gradient`; `steps()` counts this step already.
  virtual Tensor update(size_t index, const Tensor &parameter, const Tensor &gradient) = 0;

  /// A tensor of zeros for each parameter under the name `name`: state that `update` reads and replaces. Errors point
  /// to `where`.
  std::vector<Tensor> &addState(std::string name, Where where);

private:
  std::vector<nn::NamedTensor> parameters_;
  double learningRate_;
  int64_t steps_ = 0;
  struct Slot {
    std::string name;
    std::vector<Tensor> tensors;
  };
  /// By pointer: `addState` hands out references.
  std::vector<std::unique_ptr<Slot>> state_;
};

struct SgdOptions {
  double lr = 1e-3;
  double momentum = 0;
  /// Added to the gradient: weight_decay * parameter.
  double weight_decay = 0;
  bool nesterov = false;
};

/// Stochastic gradient descent as PyTorch has it: velocity = momentum * velocity + gradient,
/// parameter -= lr * velocity. (The first velocity is the gradient itself.)
class BURN_API Sgd final : public Optimizer {
public:
  explicit Sgd(std::vector<nn::NamedTensor> parameters, const SgdOptions &options = {}, Where where = Where::current());

private:
  Tensor update(size_t index, const Tensor &parameter, const Tensor &gradient) override;
  SgdOptions options_;
  std::vector<Tensor> *velocity_ = nullptr;
};

struct AdamWOptions {
  double lr = 1e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double eps = 1e-8;
  double weight_decay = 1e-2;
  /// Decay a parameter only where it goes in the direction of the update, update * parameter >= 0 (cautious weight
  /// decay, arXiv 2510.12402).
  bool cautious_weight_decay = false;
};

/// Adam with decoupled weight decay (arXiv 1711.05101), in PyTorch's form: with m and v the moving averages of gradient
/// and squared gradient, u = (m / (1 - beta1^t)) / (sqrt(v / (1 - beta2^t)) + eps),
/// parameter = parameter - lr * weight_decay * parameter - lr * u.
class BURN_API AdamW final : public Optimizer {
public:
  explicit AdamW(std::vector<nn::NamedTensor> parameters, const AdamWOptions &options = {},
                 Where where = Where::current());

private:
  Tensor update(size_t index, const Tensor &parameter, const Tensor &gradient) override;
  AdamWOptions options_;
  std::vector<Tensor> *average_;
  std::vector<Tensor> *averageOfSquares_;
};

/// Linear warm-up from near 0 to `peak`, then half a cosine down to 0.
struct WarmupCosine {
  double peak;
  int64_t warmup_steps;
  int64_t total_steps;

  /// The rate of step number `step`, the first being 0: peak * (step + 1) / warmup_steps while step < warmup_steps,
  /// afterwards peak * (1 + cos(pi * (step - warmup_steps) / (total_steps - warmup_steps))) / 2.
  BURN_API double operator()(int64_t step) const;
};

} // namespace burn::optim
