// Whether a thread is inside of a kernel of the host.
#pragma once

namespace burn::runtime {

/// Marks the calling thread as one that runs a kernel of the host: the program that calls the kernel holds the locks of
/// what was recorded, so that a function on tensors would wait for itself. Loops hand the mark on to their threads.
class HostKernelScope {
public:
  explicit HostKernelScope(bool active = true) : before_(active_) { active_ = active; }
  ~HostKernelScope() { active_ = before_; }
  HostKernelScope(const HostKernelScope &) = delete;
  HostKernelScope &operator=(const HostKernelScope &) = delete;

  static bool isActive() { return active_; }

private:
  [[gnu::tls_model("initial-exec")]] static inline constinit thread_local bool active_ = false;

  bool before_;
};

} // namespace burn::runtime
