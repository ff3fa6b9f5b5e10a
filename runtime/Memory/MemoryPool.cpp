#include "runtime/Memory/MemoryPool.h"

#include "runtime/Core/HostMemory.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>

#include <pthread.h>
#include <sys/mman.h>

namespace burn::runtime {

using core::ErrorCode;
using core::Expected;
using core::Status;

namespace {

constexpr size_t kChunkBytes = size_t(1) << 20;
// Blocks up to here are cut from chunks; larger ones are mappings of their own, which can be given back.
constexpr size_t kLargestSmall = size_t(64) << 10;
constexpr size_t kHugePage = size_t(2) << 20;
constexpr size_t kLargestBlock = size_t(1) << 46;
// Cached large blocks beyond this and beyond the most that were live at once go back to the system.
constexpr int64_t kCacheFloor = int64_t(64) << 20;

// Until the environment gives a limit that can be read: no block is handed out, not one of 0 bytes.
constexpr int64_t kUnknownLimit = -1;

struct SizeClass {
  int index;
  size_t capacity;
};

/// Multiples of 64 up to 512, then eight steps per doubling.
SizeClass classOf(size_t bytes) {
  const size_t units = std::max<size_t>((bytes + 63) / 64, 1);
  if (units <= 8)
    return {static_cast<int>(units) - 1, units * 64};
  const int octave = std::bit_width(units - 1) - 1; // units in (2^octave, 2^(octave+1)], octave >= 3
  const size_t step = size_t(1) << (octave - 3);
  const size_t steps = (units - (size_t(1) << octave) + step - 1) / step; // 1..8
  return {8 + (octave - 3) * 8 + static_cast<int>(steps) - 1, ((size_t(1) << octave) + steps * step) * 64};
}

} // namespace

MemoryPool::MemoryPool() {
  const Expected<int64_t> limit = core::hostMemoryLimit();
  limit_ = limit ? *limit : kUnknownLimit;
}

MemoryPool::~MemoryPool() {
  trimLocked(0);
  while (chunks_) {
    Chunk *chunk = chunks_;
    chunks_ = chunk->next;
    munmap(chunk, chunk->bytes);
  }
}

Expected<void *> MemoryPool::allocate(size_t bytes) {
  const auto outOfMemory = [&](int64_t live, int64_t limit) {
    std::string text =
        "out of memory: cannot allocate " + std::to_string(bytes) + " bytes (" + std::to_string(live) + " bytes in use";
    if (limit)
      text += ", limit " + std::to_string(limit);
    return Status::error(ErrorCode::OutOfMemory, text + ")");
  };
  std::unique_lock lock(mutex_);
  if (limit_ == kUnknownLimit) {
    const Expected<int64_t> limit = core::hostMemoryLimit();
    if (!limit)
      return limit.status();
    limit_ = *limit;
  }
  if (bytes > kLargestBlock)
    return outOfMemory(stats_.liveBytes, limit_);
  if (limit_ && static_cast<int64_t>(bytes) > limit_ - stats_.liveBytes)
    return outOfMemory(stats_.liveBytes, limit_);

  const auto [index, capacity] = classOf(bytes);
  const bool large = capacity > kLargestSmall;
  void *block = free_[index];
  if (block) {
    free_[index] = free_[index]->next;
    if (large)
      cachedLargeBytes_ -= static_cast<int64_t>(capacity);
  } else {
    block = large ? mapLarge(capacity) : takeSmall(capacity);
    if (!block) {
      trimLocked(0);
      block = large ? mapLarge(capacity) : takeSmall(capacity);
    }
    if (!block)
      return outOfMemory(stats_.liveBytes, limit_);
  }
  ++stats_.allocations;
  ++stats_.liveBlocks;
  stats_.liveBytes += static_cast<int64_t>(bytes);
  stats_.peakBytes = std::max(stats_.peakBytes, stats_.liveBytes);
  if (large) {
    lastUse_[index] = ++clock_;
    liveLargeBytes_ += static_cast<int64_t>(capacity);
    peakLargeBytes_ = std::max(peakLargeBytes_, liveLargeBytes_);
  }
  return block;
}

void MemoryPool::release(void *block, size_t bytes) {
  if (!block)
    return;
  std::lock_guard lock(mutex_);
  const auto [index, capacity] = classOf(bytes);
  --stats_.liveBlocks;
  stats_.liveBytes -= static_cast<int64_t>(bytes);
  auto *node = static_cast<FreeBlock *>(block);
  node->next = free_[index];
  free_[index] = node;
  if (capacity > kLargestSmall) {
    lastUse_[index] = ++clock_;
    liveLargeBytes_ -= static_cast<int64_t>(capacity);
    cachedLargeBytes_ += static_cast<int64_t>(capacity);
    const int64_t keep = std::max(kCacheFloor, peakLargeBytes_);
    if (cachedLargeBytes_ > keep)
      trimLocked(keep);
  }
}

void *MemoryPool::takeSmall(size_t capacity) {
  if (static_cast<size_t>(chunkEnd_ - chunkNext_) < capacity) {
    void *memory = mmap(nullptr, kChunkBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
      return nullptr;
    ++stats_.systemCalls;
    stats_.reservedBytes += kChunkBytes;
    chunks_ = new (memory) Chunk{chunks_, kChunkBytes};
    static_assert(sizeof(Chunk) <= kAlignment);
    chunkNext_ = static_cast<char *>(memory) + kAlignment;
    chunkEnd_ = static_cast<char *>(memory) + kChunkBytes;
  }
  void *block = chunkNext_;
  chunkNext_ += capacity;
  return block;
}

void *MemoryPool::mapLarge(size_t capacity) {
  const auto map = [](size_t bytes) {
    void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? nullptr : static_cast<char *>(memory);
  };
  char *block = nullptr;
  if (capacity < kHugePage) {
    block = map(capacity);
  } else if (char *memory = map(capacity + kHugePage)) {
    // Aligned to a huge page, for a few TLB entries instead of thousands.
    const size_t head = -reinterpret_cast<uintptr_t>(memory) % kHugePage;
    if (head)
      munmap(memory, head);
    munmap(memory + head + capacity, kHugePage - head);
    block = memory + head;
    madvise(block, capacity, MADV_HUGEPAGE);
  }
  if (block) {
    ++stats_.systemCalls;
    stats_.reservedBytes += static_cast<int64_t>(capacity);
  }
  return block;
}

void MemoryPool::trimLocked(int64_t keepBytes) {
  // What the program no longer asks for goes before what it has just given back and will ask for in its next step.
  const int firstLarge = classOf(kLargestSmall + 1).index;
  while (cachedLargeBytes_ > keepBytes) {
    int index = -1;
    for (int i = firstLarge; i < kClasses; ++i)
      if (free_[i] && (index < 0 || lastUse_[i] < lastUse_[index]))
        index = i;
    if (index < 0)
      return;
    const size_t octave = static_cast<size_t>(index - 8) / 8 + 3, steps = static_cast<size_t>(index - 8) % 8 + 1;
    const size_t capacity = ((size_t(1) << octave) + (steps << (octave - 3))) * 64;
    while (free_[index] && cachedLargeBytes_ > keepBytes) {
      FreeBlock *block = free_[index];
      free_[index] = block->next;
      munmap(block, capacity);
      cachedLargeBytes_ -= static_cast<int64_t>(capacity);
      stats_.reservedBytes -= static_cast<int64_t>(capacity);
    }
  }
}

MemoryStats MemoryPool::stats() const {
  std::lock_guard lock(mutex_);
  return stats_;
}

void MemoryPool::resetPeak() {
  std::lock_guard lock(mutex_);
  stats_.peakBytes = stats_.liveBytes;
  peakLargeBytes_ = liveLargeBytes_;
}

void MemoryPool::setLimit(int64_t bytes) {
  std::lock_guard lock(mutex_);
  limit_ = std::max<int64_t>(bytes, 0);
}

int64_t MemoryPool::limit() const {
  std::lock_guard lock(mutex_);
  return limit_;
}

void MemoryPool::trim() {
  std::lock_guard lock(mutex_);
  trimLocked(0);
}

MemoryPool &hostMemory() {
  // Never destroyed: tensors in static storage release their blocks after static destructors have begun.
  static MemoryPool &pool = []() -> MemoryPool & {
    auto *made = new MemoryPool;
    pthread_atfork([] { hostMemory().lockForFork(); }, [] { hostMemory().unlockAfterFork(); },
                   [] { hostMemory().unlockAfterFork(); });
    return *made;
  }();
  return pool;
}

} // namespace burn::runtime
