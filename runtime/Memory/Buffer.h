// Reference-counted host memory of one tensor.
#pragma once

#include "runtime/Core/Status.h"
#include "runtime/Memory/MemoryPool.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>

namespace burn::runtime {

class BufferRef;

/// The bytes of a tensor. Made by the functions below, held through BufferRef, destroyed with the last one.
class Buffer {
public:
  Buffer(const Buffer &) = delete;
  Buffer &operator=(const Buffer &) = delete;

  /// A buffer of the host pool with unspecified contents. OutOfMemory leaves everything as it was.
  static core::Expected<BufferRef> allocate(size_t bytes);

  /// Memory of the program, read-only for us and never donated. `deleter` runs once, with the last reference. Data
  /// that is not aligned for generated code is copied instead, and the deleter runs before this returns.
  static core::Expected<BufferRef> borrow(const void *data, size_t bytes, std::function<void()> deleter);

  void *data() const { return data_; }
  size_t bytes() const { return bytes_; }
  bool isBorrowed() const { return borrowed_; }

  /// True where the holder of the only reference may let a plan write into this memory.
  bool canDonate() const { return useCount() == 1 && !isBorrowed() && !isFrozen(); }
  uint32_t useCount() const { return references_.load(std::memory_order_acquire); }

  /// Promises that the contents never change again; cannot be taken back.
  void freeze() { frozen_.store(true, std::memory_order_release); }
  bool isFrozen() const { return frozen_.load(std::memory_order_acquire); }

  /// Marks the contents as the output of a failed step. The first error stays.
  void poison(const core::Status &error);
  /// Null, or the error that whoever reads the contents has to raise.
  const core::Status *poisonError() const { return poison_.load(std::memory_order_acquire); }

private:
  friend class BufferRef;
  friend class BufferPool;

  Buffer() = default;
  void retain() { references_.fetch_add(1, std::memory_order_relaxed); }
  void release();
  void destroy();

  void *data_ = nullptr;
  size_t bytes_ = 0;
  std::atomic<uint32_t> references_{0};
  std::atomic<bool> frozen_{false};
  bool borrowed_ = false;
  std::atomic<const core::Status *> poison_{nullptr};
  std::function<void()> deleter_;
  Buffer *nextFree_ = nullptr;
};

/// A counted reference to a Buffer, or none.
class BufferRef {
public:
  BufferRef() = default;
  BufferRef(const BufferRef &other) : buffer_(other.buffer_) {
    if (buffer_)
      buffer_->retain();
  }
  BufferRef(BufferRef &&other) noexcept : buffer_(std::exchange(other.buffer_, nullptr)) {}
  BufferRef &operator=(BufferRef other) noexcept {
    std::swap(buffer_, other.buffer_);
    return *this;
  }
  ~BufferRef() { reset(); }

  void reset() {
    if (Buffer *buffer = std::exchange(buffer_, nullptr))
      buffer->release();
  }
  Buffer *get() const { return buffer_; }
  Buffer *operator->() const { return buffer_; }
  Buffer &operator*() const { return *buffer_; }
  explicit operator bool() const { return buffer_ != nullptr; }
  friend bool operator==(const BufferRef &, const BufferRef &) = default;

private:
  friend class Buffer;
  explicit BufferRef(Buffer *buffer) : buffer_(buffer) { buffer_->retain(); }

  Buffer *buffer_ = nullptr;
};

} // namespace burn::runtime
