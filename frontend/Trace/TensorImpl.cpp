#include "frontend/Trace/TensorImpl.h"

#include "frontend/Autograd/History.h"

#include <mutex>

namespace burn {
namespace trace {
namespace {

constexpr uint32_t kBatch = 256;

// Tensors for reuse. Threads exchange whole batches, so that one that makes and one that drops tensors are in balance.
class SharedPool {
public:
  static SharedPool &get() {
    static auto *made = new SharedPool;
    return *made;
  }

  TensorImpl *takeBatch() {
    std::lock_guard lock(mutex_);
    if (!batches_) {
      auto *slab = new TensorImpl[kBatch];
      for (uint32_t i = 0; i + 1 < kBatch; ++i)
        slab[i].nextFree = &slab[i + 1];
      return slab;
    }
    // A batch is kept by its first tensor, whose unused `grad` links to the next batch.
    return std::exchange(batches_, std::exchange(batches_->grad, nullptr));
  }

  void giveBatch(TensorImpl *first) {
    std::lock_guard lock(mutex_);
    first->grad = std::exchange(batches_, first);
  }

private:
  std::mutex mutex_;
  TensorImpl *batches_ = nullptr;
};

struct LocalPool {
  TensorImpl *free = nullptr;
  uint32_t count = 0;

  TensorImpl *take() {
    if (!free) {
      free = SharedPool::get().takeBatch();
      count = kBatch; // a batch may be shorter: the count only balances the pools
    }
    if (count)
      --count;
    return std::exchange(free, std::exchange(free->nextFree, nullptr));
  }

  void give(TensorImpl *impl) {
    impl->nextFree = std::exchange(free, impl);
    if (++count < 64 * kBatch)
      return;
    TensorImpl *last = free;
    for (uint32_t i = 1; i < kBatch && last->nextFree; ++i)
      last = last->nextFree;
    TensorImpl *first = std::exchange(free, std::exchange(last->nextFree, nullptr));
    count -= kBatch;
    SharedPool::get().giveBatch(first);
  }

  ~LocalPool() {
    if (free)
      SharedPool::get().giveBatch(std::exchange(free, nullptr));
    count = 0;
  }
};

[[gnu::tls_model("initial-exec")]] thread_local LocalPool *localPool = nullptr;

struct LocalPoolOwner {
  LocalPool pool;
  ~LocalPoolOwner() { localPool = nullptr; }
};

} // namespace

ImplRef makeImpl(DType dtype, const ShapeEntry *shape) {
  if (!localPool) {
    static thread_local LocalPoolOwner owner;
    localPool = &owner.pool;
  }
  TensorImpl *impl = localPool->take();
  impl->dtype = dtype;
  impl->shape = shape;
  impl->flags.store(0, std::memory_order_relaxed);
  impl->leafHint.store(0, std::memory_order_relaxed);
  return ImplRef(impl);
}

std::mutex &gradientLock() {
  static std::mutex lock;
  return lock;
}

} // namespace trace

void detail::destroyTensor(TensorBase *base) noexcept {
  using namespace trace;
  auto *impl = static_cast<TensorImpl *>(base);
  impl->buffer.reset();
  impl->segment.store(nullptr, std::memory_order_relaxed);
  if (impl->history)
    impl->history.reset();
  if (impl->failure)
    impl->failure.reset();
  if (TensorImpl *grad = std::exchange(impl->grad, nullptr))
    if (grad->references.fetch_sub(1, std::memory_order_acq_rel) == 1)
      destroyTensor(grad);
  if (localPool) {
    localPool->give(impl);
    return;
  }
  // A thread that makes no tensors, or is about to end.
  impl->nextFree = nullptr;
  SharedPool::get().giveBatch(impl);
}

} // namespace burn
