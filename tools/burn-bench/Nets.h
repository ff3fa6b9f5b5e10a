// The nets whose whole steps are measured. Weights and data follow a formula, so that other frameworks can compute the
// same: see `formula`.
#pragma once

#include <burn/burn.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace burn::bench {

/// Element `i` of the tensor called `name` before scaling, uniform in [-1, 1): with h the 32-bit FNV-1a hash of the
/// name, the finalizer of MurmurHash3 of h + i * 0x9E3779B9 (modulo 2^32), of which the upper 24 bits count.
std::vector<uint32_t> hashes(std::string_view name, int64_t count);
std::vector<float> formula(std::string_view name, int64_t count, float bound = 1);

/// The net of examples/mlp.
struct Mlp {
  nn::Linear fc1{784, 512}, fc2{512, 512}, fc3{512, 10};

  void members(nn::Visitor &v) { v("fc1", fc1), v("fc2", fc2), v("fc3", fc3); }
  Tensor forward(const Tensor &x) { return fc3(relu(fc2(relu(fc1(x))))); }
};

/// A net, its data and its optimizer (AdamW).
class Step {
public:
  virtual ~Step() = default;
  /// What the case is named for: a training step, whose result is the loss, or logits in evaluation.
  virtual Tensor run() = 0;
  /// Whether there are gradients: else `forward` and `gradient` may not be called.
  virtual bool trains() const = 0;
  /// The loss, without gradients.
  virtual Tensor forward() = 0;
  /// The loss and the gradient of each parameter, which the parameters then hold.
  virtual Tensor gradient() = 0;
  /// Random numbers differ between frameworks: losses are compared without.
  virtual void withoutDropout() = 0;
};

/// Names of the cases, each a net with its batch size.
const std::vector<std::string> &stepNames();
/// The case of a name in `stepNames`, its tensors in memory.
std::unique_ptr<Step> makeStep(const std::string &name);

} // namespace burn::bench
