// Reference-counted memory of one tensor, of the host or of a device.
#pragma once

#include "runtime/Core/Status.h"
#include "runtime/Devices/Device.h"
#include "runtime/Memory/MemoryPool.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

namespace burn::runtime {

class BufferRef;
class PendingRun;

/// The bytes of a tensor. Made by the functions below, held through BufferRef, destroyed with the last one.
class Buffer {
public:
  Buffer(const Buffer &) = delete;
  Buffer &operator=(const Buffer &) = delete;

  /// A buffer with unspecified contents, of the host pool or of `device`. OutOfMemory leaves everything as it was.
  static core::Expected<BufferRef> allocate(size_t bytes, Device *device = nullptr);

  /// Memory of the program, read-only for us and never donated. `deleter` runs once, with the last reference. Data
  /// that is not aligned for generated code is copied instead, and the deleter runs before this returns.
  static core::Expected<BufferRef> borrow(const void *data, size_t bytes, std::function<void()> deleter);

  /// Memory of the host; null for a buffer of a device.
  void *data() const { return data_; }
  /// Null for a buffer of the host.
  Device *device() const { return device_; }
  DeviceMemory memory() const { return memory_; }
  /// The contents as the host sees them, valid while the buffer lives and no plan writes to it. For a buffer of a
  /// device waits for it, and keeps the copy; the error where they come from a run that failed.
  core::Expected<const void *> read();
  /// A copy of the contents on another device, or on the host.
  core::Expected<BufferRef> copyTo(Device *device);
  /// Drops the copy that `read` made, since the contents are about to change.
  void forgetCopy();
  /// Takes the memory of the device out of the buffer, which is left without any.
  DeviceMemory takeMemory() {
    bytes_ = 0;
    return std::exchange(memory_, {});
  }
  size_t bytes() const { return bytes_; }
  bool isBorrowed() const { return borrowed_; }

  /// True where the holder of the only reference may let a plan write into this memory.
  bool canDonate() const { return useCount() == 1 && !isBorrowed() && !isFrozen(); }
  uint32_t useCount() const { return references_.load(std::memory_order_acquire); }

  /// Promises that the contents never change again; cannot be taken back.
  void freeze() { frozen_.store(true, std::memory_order_release); }
  bool isFrozen() const { return frozen_.load(std::memory_order_acquire); }
  /// There are buffers computed from this one, which end with it (DerivedBuffers).
  void setHasDerived() { hasDerived_.store(true, std::memory_order_release); }

  /// The run that makes the contents, while it is not known whether its checks hold; else null.
  std::shared_ptr<PendingRun> run() const;
  void setRun(std::shared_ptr<PendingRun> run);
  /// Waits for that run. Where it failed, the buffer is poisoned from there on; OK unless it is.
  core::Status settle();

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
  Device *device_ = nullptr;
  DeviceMemory memory_;
  void *copy_ = nullptr; // of a device's contents, in memory of the host pool
  std::atomic<uint32_t> references_{0};
  std::atomic<bool> frozen_{false};
  std::atomic<bool> hasDerived_{false};
  bool borrowed_ = false;
  std::atomic<const core::Status *> poison_{nullptr};
  std::atomic<bool> hasRun_{false};
  std::shared_ptr<PendingRun> run_;
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
