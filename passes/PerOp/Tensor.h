// Tensors of the per-op tier, their memory, and the threads of the host.
#pragma once

#include "runtime/Core/Status.h"
#include "runtime/Core/Types.h"

#include <burn/abi.h>

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>

namespace burn::compiler::perop {

/// Memory of tensors, kept for the next one when a tensor ends: fresh pages cost more than what most ops compute.
/// Thread-safe.
class BlockPool : public std::enable_shared_from_this<BlockPool> {
public:
  ~BlockPool();
  /// A block of at least `bytes`, aligned to 64, with anything in it. OutOfMemory where there is none.
  core::Expected<std::shared_ptr<std::byte>> allocate(int64_t bytes);

private:
  void giveBack(std::byte *block, int64_t bytes);

  std::mutex mutex_;
  std::multimap<int64_t, std::byte *> free_; // by size
};

/// A dense row-major tensor. Whoever holds one does not write to it, but the op that makes it.
struct Tensor {
  core::TypeDesc type;
  std::shared_ptr<std::byte> data;

  template <typename T> T *as() const { return reinterpret_cast<T *>(data.get()); }
};

/// Loops in the threads of the host.
class Threads {
public:
  explicit Threads(const burn_rt *rt) : rt_(rt) {}

  /// Runs `body(begin, end)` for ranges that make up [0, tasks).
  template <typename Body> void run(int64_t tasks, const Body &body) const {
    if (tasks <= 1 || !rt_ || !rt_->parallel_for) {
      if (tasks > 0)
        body(int64_t(0), tasks);
      return;
    }
    rt_->parallel_for(
        rt_->ctx, tasks, [](void *arg, int64_t begin, int64_t end) { (*static_cast<const Body *>(arg))(begin, end); },
        const_cast<void *>(static_cast<const void *>(&body)));
  }

private:
  const burn_rt *rt_;
};

} // namespace burn::compiler::perop
