// What a handle points to.
#pragma once

#include "frontend/Trace/Interning.h"
#include "runtime/Core/Types.h"
#include "runtime/Memory/Buffer.h"

#include <burn/tensor.h>

#include <atomic>
#include <memory>
#include <utility>

namespace burn::trace {

class Segment;
class History;

/// Why a tensor has no value: the step that should have made it could not be compiled.
struct Failure {
  core::Status status;
  uint32_t place = 0;
};

/// A tensor. It is recorded (`segment` set, `node` its number there), computed (`buffer` set) or failed.
///
/// The segment counts as a holder of the tensors that it records and reads, so a tensor with a count of 1 there has no
/// handle any more: it need not be computed, or may be overwritten.
///
/// One cache line: between two steps the kernels have emptied the caches, and recording is bound by such lines.
struct alignas(64) TensorImpl : burn::detail::TensorBase {
  enum Flag : uint8_t {
    RequiresGrad = 1, // gradients flow to it
    UserLeaf = 2,     // marked by requires_grad_: backward accumulates its gradient
    Released = 4,     // backward released the graph below it
    Frozen = 8,       // its buffer never changes while it lives
    Replaced = 16,    // a leaf whose handle was changed in place and holds another tensor now
  };
  /// What few tensors have.
  struct Rare {
    /// How to record again what gradients need, for a result that was computed before backward.
    std::shared_ptr<History> history;
    uint32_t historyNode = 0;
    std::shared_ptr<const Failure> failure;
  };

  uint32_t node = 0;
  /// Which trace used it last as a leaf, when, and under what number; see Trace::leaf.
  std::atomic<uint64_t> leafTag{0};
  DType dtype = DType::F32;
  std::atomic<uint8_t> flags{0};
  uint8_t device = 0; // its number; see Devices.h
  const ShapeEntry *shape = nullptr;
  std::atomic<Segment *> segment{nullptr};
  runtime::BufferRef buffer;
  /// Owned; guarded by gradientLock().
  TensorImpl *grad = nullptr;
  std::unique_ptr<Rare> rare;

  bool has(Flag flag) const { return flags.load(std::memory_order_relaxed) & flag; }
  void set(uint8_t flag) { flags.fetch_or(flag, std::memory_order_relaxed); }
  void clear(uint8_t flag) { flags.fetch_and(static_cast<uint8_t>(~flag), std::memory_order_relaxed); }
  const Failure *failure() const { return rare ? rare->failure.get() : nullptr; }
  History *history() const { return rare ? rare->history.get() : nullptr; }
  Rare &makeRare() {
    if (!rare)
      rare = std::make_unique<Rare>();
    return *rare;
  }
  core::TypeDesc type() const { return {dtype, shape->shape}; }
  int64_t byteSize() const { return shape->numel * byteWidth(dtype); }
};
static_assert(sizeof(TensorImpl) == 64);

/// A counted reference; what Tensor is inside the library.
class ImplRef {
public:
  ImplRef() = default;
  explicit ImplRef(TensorImpl *impl) : impl_(impl) {
    if (impl_)
      impl_->references.fetch_add(1, std::memory_order_relaxed);
  }
  ImplRef(const ImplRef &other) : ImplRef(other.impl_) {}
  ImplRef(ImplRef &&other) noexcept : impl_(std::exchange(other.impl_, nullptr)) {}
  ImplRef &operator=(ImplRef other) noexcept {
    std::swap(impl_, other.impl_);
    return *this;
  }
  ~ImplRef() { reset(); }

  void reset() {
    if (TensorImpl *impl = std::exchange(impl_, nullptr))
      if (impl->references.fetch_sub(1, std::memory_order_acq_rel) == 1)
        burn::detail::destroyTensor(impl);
  }
  TensorImpl *get() const { return impl_; }
  TensorImpl *operator->() const { return impl_; }
  TensorImpl &operator*() const { return *impl_; }
  explicit operator bool() const { return impl_ != nullptr; }
  uint32_t count() const { return impl_->references.load(std::memory_order_acquire); }

private:
  TensorImpl *impl_ = nullptr;
};

/// A new tensor without value, from the pool of the calling thread. Budget: 6 ns.
ImplRef makeImpl(DType dtype, const ShapeEntry *shape, uint8_t device = 0);

/// Brings the next `count` new tensors into the caches.
void prefetchImpls(size_t count);

inline TensorImpl *implOf(const Tensor &tensor) { return static_cast<TensorImpl *>(tensor.base()); }

/// A handle of `impl`.
inline Tensor handleOf(TensorImpl *impl) {
  impl->references.fetch_add(1, std::memory_order_relaxed);
  return Tensor(impl);
}

/// Guards the gradients of all tensors.
std::mutex &gradientLock();

} // namespace burn::trace
