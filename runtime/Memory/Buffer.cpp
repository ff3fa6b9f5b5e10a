#include "runtime/Memory/Buffer.h"

#include "runtime/Memory/DerivedBuffers.h"
#include "runtime/Memory/PendingRun.h"

#include <cstring>
#include <memory>
#include <mutex>
#include <new>

#include <pthread.h>

namespace burn::runtime {

using core::Expected;
using core::Status;

/// Buffer objects for reuse: a steady state makes tensors without calling the allocator.
class BufferPool {
public:
  static BufferPool &get() {
    static BufferPool &pool = []() -> BufferPool & {
      auto *made = new BufferPool;
      pthread_atfork([] { get().mutex_.lock(); }, [] { get().mutex_.unlock(); }, [] { get().mutex_.unlock(); });
      return *made;
    }();
    return pool;
  }

  Buffer *take() {
    std::lock_guard lock(mutex_);
    if (!free_) {
      constexpr int kSlab = 64;
      auto *slab = new (std::nothrow) Slab<kSlab>;
      if (!slab)
        return nullptr;
      slab->previous = slabs_;
      slabs_ = slab;
      for (Buffer &buffer : slab->buffers)
        buffer.nextFree_ = std::exchange(free_, &buffer);
    }
    return std::exchange(free_, free_->nextFree_);
  }

  void give(Buffer *buffer) {
    std::lock_guard lock(mutex_);
    buffer->nextFree_ = std::exchange(free_, buffer);
  }

private:
  template <int size> struct Slab {
    void *previous;
    Buffer buffers[size];
  };

  std::mutex mutex_;
  Buffer *free_ = nullptr;
  void *slabs_ = nullptr;
};

namespace {

// Guards the copies of all buffers of devices: making one waits for the device, so a lock of each would gain nothing.
std::mutex &copyLock() {
  static auto *lock = new std::mutex;
  return *lock;
}

// Guards what buffers say of the runs that make them. Held for moments, never while something is waited for.
std::mutex &runLock() {
  static auto *lock = new std::mutex;
  return *lock;
}

} // namespace

Expected<BufferRef> Buffer::allocate(size_t bytes, Device *device) {
  if (device) {
    Expected<DeviceMemory> memory = device->allocate(bytes);
    if (!memory)
      return memory.status();
    Buffer *buffer = BufferPool::get().take();
    if (!buffer) {
      device->release(*memory, bytes);
      return Status::error(core::ErrorCode::OutOfMemory, "out of memory: cannot allocate a buffer object");
    }
    buffer->device_ = device;
    buffer->memory_ = *memory;
    buffer->bytes_ = bytes;
    return BufferRef(buffer);
  }
  Expected<void *> memory = hostMemory().allocate(bytes);
  if (!memory)
    return memory.status();
  Buffer *buffer = BufferPool::get().take();
  if (!buffer) {
    hostMemory().release(*memory, bytes);
    return Status::error(core::ErrorCode::OutOfMemory, "out of memory: cannot allocate a buffer object");
  }
  buffer->data_ = *memory;
  buffer->bytes_ = bytes;
  return BufferRef(buffer);
}

Expected<BufferRef> Buffer::borrow(const void *data, size_t bytes, std::function<void()> deleter) {
  if (reinterpret_cast<uintptr_t>(data) % MemoryPool::kAlignment != 0 || !data) {
    Expected<BufferRef> copy = allocate(bytes);
    if (copy && bytes)
      std::memcpy((*copy)->data(), data, bytes);
    if (copy && deleter)
      deleter();
    return copy;
  }
  Buffer *buffer = BufferPool::get().take();
  if (!buffer)
    return Status::error(core::ErrorCode::OutOfMemory, "out of memory: cannot allocate a buffer object");
  buffer->data_ = const_cast<void *>(data);
  buffer->bytes_ = bytes;
  buffer->borrowed_ = true;
  buffer->deleter_ = std::move(deleter);
  return BufferRef(buffer);
}

Expected<const void *> Buffer::read() {
  if (!device_)
    return static_cast<const void *>(data_);
  if (Status status = settle(); !status)
    return status;
  std::lock_guard lock(copyLock());
  if (!copy_) {
    Expected<void *> memory = hostMemory().allocate(bytes_);
    if (!memory)
      return memory.status();
    if (Status status = device_->download(*this, *memory); !status) {
      hostMemory().release(*memory, bytes_);
      return status;
    }
    copy_ = *memory;
  }
  return static_cast<const void *>(copy_);
}

Expected<BufferRef> Buffer::copyTo(Device *device) {
  Expected<BufferRef> copy = allocate(bytes_, device);
  if (!copy)
    return copy;
  Status status;
  if (device_ && device_ == device) {
    status = device->copy(*this, **copy);
    (*copy)->setRun(run());
  } else if (Expected<const void *> contents = read(); !contents) {
    status = contents.status();
  } else if (device) {
    status = device->upload(*contents, **copy);
  } else if (bytes_) {
    std::memcpy((*copy)->data(), *contents, bytes_);
  }
  if (!status)
    return status;
  return copy;
}

void Buffer::forgetCopy() {
  if (!device_)
    return;
  std::lock_guard lock(copyLock());
  if (void *copy = std::exchange(copy_, nullptr))
    hostMemory().release(copy, bytes_);
}

std::shared_ptr<PendingRun> Buffer::run() const {
  if (!hasRun_.load(std::memory_order_acquire))
    return nullptr;
  std::lock_guard lock(runLock());
  return run_;
}

void Buffer::setRun(std::shared_ptr<PendingRun> run) {
  if (!run && !hasRun_.load(std::memory_order_acquire))
    return;
  std::lock_guard lock(runLock());
  run_.swap(run); // the former one ends outside of the lock
  hasRun_.store(run_ != nullptr, std::memory_order_release);
}

Status Buffer::settle() {
  if (const auto pending = run()) {
    Status status = pending->settle();
    if (!status) {
      poison(status);
      pending->takeReport();
    }
    setRun(nullptr);
  }
  const Status *error = poisonError();
  return error ? *error : Status::ok();
}

void Buffer::poison(const Status &error) {
  auto text = std::make_unique<const Status>(error);
  const Status *none = nullptr;
  if (poison_.compare_exchange_strong(none, text.get(), std::memory_order_acq_rel))
    text.release();
}

void Buffer::release() {
  if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1)
    destroy();
}

void Buffer::destroy() {
  if (hasDerived_.exchange(false, std::memory_order_acq_rel))
    derived::forgetSource(this);
  if (borrowed_) {
    // Moved out first: the deleter may destroy the last handle of another buffer.
    if (auto deleter = std::exchange(deleter_, nullptr))
      deleter();
    borrowed_ = false;
  } else if (device_) {
    forgetCopy();
    if (memory_.block)
      device_->release(memory_, bytes_);
    device_ = nullptr;
    memory_ = {};
  } else {
    hostMemory().release(data_, bytes_);
  }
  setRun(nullptr);
  delete poison_.exchange(nullptr, std::memory_order_relaxed);
  frozen_.store(false, std::memory_order_relaxed);
  data_ = nullptr;
  bytes_ = 0;
  BufferPool::get().give(this);
}

} // namespace burn::runtime
