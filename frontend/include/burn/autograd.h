/// Automatic differentiation.
#pragma once

#include <burn/tensor.h>

namespace burn {

/// Whether the calling thread keeps what is needed for gradients.
BURN_API bool is_grad_enabled();

/// Switches gradients on or off for the calling thread while it lives.
class BURN_API GradModeGuard {
public:
  explicit GradModeGuard(bool enabled);
  ~GradModeGuard();
  GradModeGuard(const GradModeGuard &) = delete;
  GradModeGuard &operator=(const GradModeGuard &) = delete;

private:
  bool before_;
};

/// While it lives, results of the calling thread's ops do not require gradients.
class NoGradGuard : public GradModeGuard {
public:
  NoGradGuard() : GradModeGuard(false) {}
};

/// Gradients of the sum over `outputs` (weighted by `grad_outputs`, which may be left out where every output holds one
/// element) by each tensor of `wrt`, which may be inner values. Zero where no output depends on it. Accumulates nothing
/// and releases nothing; the results can be differentiated again.
BURN_API std::vector<Tensor> grad(std::span<const Tensor> outputs, std::span<const Tensor> wrt,
                                  std::span<const Tensor> grad_outputs = {}, Where where = Where::current());
inline std::vector<Tensor> grad(const Tensor &output, std::initializer_list<Tensor> wrt,
                                Where where = Where::current()) {
  return grad(std::span<const Tensor>(&output, 1), std::span<const Tensor>(wrt.begin(), wrt.size()), {}, where);
}
inline std::vector<Tensor> grad(const Tensor &output, const std::vector<Tensor> &wrt, Where where = Where::current()) {
  return grad(std::span<const Tensor>(&output, 1), std::span<const Tensor>(wrt), {}, where);
}
inline Tensor grad(const Tensor &output, const Tensor &wrt, Where where = Where::current()) {
  return grad(std::span<const Tensor>(&output, 1), std::span<const Tensor>(&wrt, 1), {}, where)[0];
}

} // namespace burn
