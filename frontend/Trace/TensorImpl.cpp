#include "frontend/Trace/TensorImpl.h"

#include "frontend/Autograd/History.h"

#include <algorithm>
#include <mutex>
#include <vector>

namespace burn {
namespace trace {
namespace {

constexpr size_t kBatch = 256, kMostLocal = 64 * kBatch;

// Tensors for reuse. Threads exchange whole batches, so that one that makes and one that drops tensors are in balance.
class SharedPool {
public:
  static SharedPool &get() {
    static auto *made = new SharedPool;
    return *made;
  }

  void take(std::vector<TensorImpl *> &to) {
    std::lock_guard lock(mutex_);
    if (free_.empty()) {
      auto *slab = new TensorImpl[kBatch];
      for (size_t i = kBatch; i-- > 0;)
        to.push_back(&slab[i]);
      return;
    }
    const size_t count = std::min(kBatch, free_.size());
    to.insert(to.end(), free_.end() - static_cast<std::ptrdiff_t>(count), free_.end());
    free_.resize(free_.size() - count);
  }

  // Takes the first `count` of `from`.
  void give(std::vector<TensorImpl *> &from, size_t count) {
    std::lock_guard lock(mutex_);
    free_.insert(free_.end(), from.begin(), from.begin() + static_cast<std::ptrdiff_t>(count));
    from.erase(from.begin(), from.begin() + static_cast<std::ptrdiff_t>(count));
  }

  void give(TensorImpl *impl) {
    std::lock_guard lock(mutex_);
    free_.push_back(impl);
  }

private:
  std::mutex mutex_;
  std::vector<TensorImpl *> free_;
};

struct LocalPool {
  std::vector<TensorImpl *> free;

  LocalPool() { free.reserve(kMostLocal + kBatch); }
  ~LocalPool() { SharedPool::get().give(free, free.size()); }

  TensorImpl *take() {
    if (free.empty())
      SharedPool::get().take(free);
    TensorImpl *taken = free.back();
    free.pop_back();
    return taken;
  }

  void give(TensorImpl *impl) {
    free.push_back(impl);
    if (free.size() >= kMostLocal)
      SharedPool::get().give(free, kBatch);
  }

  void prefetch(size_t count) const {
    for (size_t i = free.size(); i > 0 && count > 0; --i, --count)
      __builtin_prefetch(free[i - 1], 1, 2);
  }
};

[[gnu::tls_model("initial-exec")]] thread_local LocalPool *localPool = nullptr;

struct LocalPoolOwner {
  LocalPool pool;
  ~LocalPoolOwner() { localPool = nullptr; }
};

} // namespace

ImplRef makeImpl(DType dtype, const ShapeEntry *shape, uint8_t device) {
  if (!localPool) {
    static thread_local LocalPoolOwner owner;
    localPool = &owner.pool;
  }
  TensorImpl *impl = localPool->take();
  impl->dtype = dtype;
  impl->shape = shape;
  impl->device = device;
  impl->flags.store(0, std::memory_order_relaxed);
  impl->leafTag.store(0, std::memory_order_relaxed);
  return ImplRef(impl);
}

void prefetchImpls(size_t count) {
  if (localPool)
    localPool->prefetch(count);
}

std::mutex &gradientLock() {
  static std::mutex lock;
  return lock;
}

namespace {

// A history holds the tensors that it reads, and these may have histories: a chain as long as the program ran. It is
// taken down in a loop, not by recursion.
void dropRare(std::unique_ptr<TensorImpl::Rare> rare) {
  using Pending = std::vector<std::unique_ptr<TensorImpl::Rare>>;
  static thread_local Pending *draining = nullptr;
  if (draining) {
    draining->push_back(std::move(rare));
    return;
  }
  Pending pending;
  draining = &pending;
  pending.push_back(std::move(rare));
  while (!pending.empty()) {
    const auto last = std::move(pending.back());
    pending.pop_back();
  }
  draining = nullptr;
}

} // namespace
} // namespace trace

void detail::destroyTensor(TensorBase *base) noexcept {
  using namespace trace;
  auto *impl = static_cast<TensorImpl *>(base);
  impl->buffer.reset();
  impl->segment.store(nullptr, std::memory_order_relaxed);
  if (impl->rare)
    dropRare(std::move(impl->rare));
  if (TensorImpl *grad = std::exchange(impl->grad, nullptr))
    if (grad->references.fetch_sub(1, std::memory_order_acq_rel) == 1)
      destroyTensor(grad);
  if (localPool) {
    localPool->give(impl);
    return;
  }
  // A thread that makes no tensors, or is about to end.
  SharedPool::get().give(impl);
}

} // namespace burn
