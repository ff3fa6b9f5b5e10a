// Host memory for tensors and arenas.
#pragma once

#include "runtime/Core/Status.h"

#include <cstddef>
#include <cstdint>
#include <mutex>

namespace burn::runtime {

/// What a pool holds, in bytes asked for (not rounded).
struct MemoryStats {
  int64_t liveBytes = 0;
  int64_t peakBytes = 0; // most liveBytes since the last resetPeak
  int64_t liveBlocks = 0;
  int64_t allocations = 0;   // blocks handed out
  int64_t systemCalls = 0;   // of those, how often the system was asked for memory
  int64_t reservedBytes = 0; // taken from the system: live, cached and rounding
};

/// Hands out blocks aligned to kAlignment. Freed blocks are kept in size classes (eight per doubling, so a block is
/// at most an eighth larger than asked for) and given back to the system only under pressure, those first whose size
/// was not used for longest: a steady state takes nothing from it. Thread-safe; a forked child may go on using it.
/// Contents of a new block are unspecified.
///
/// Budget of allocate and release: 40 ns each.
class MemoryPool {
public:
  static constexpr size_t kAlignment = 64;

  MemoryPool();
  ~MemoryPool();
  MemoryPool(const MemoryPool &) = delete;
  MemoryPool &operator=(const MemoryPool &) = delete;

  /// A block of at least `bytes` bytes (a real, distinct block for 0). OutOfMemory, naming the size, where the limit
  /// or the system says no; nothing has changed then.
  core::Expected<void *> allocate(size_t bytes);

  /// Takes back a block; `bytes` is the size it was asked for with.
  void release(void *block, size_t bytes);

  MemoryStats stats() const;
  void resetPeak();

  /// Most live bytes; 0 means no limit. The default is BURN_MEMORY_LIMIT (bytes, with an optional K, M or G), else
  /// the memory of the machine or of its control group.
  void setLimit(int64_t bytes);
  int64_t limit() const;

  /// Gives cached blocks above the small sizes back to the system.
  void trim();

  /// For fork handlers.
  void lockForFork() { mutex_.lock(); }
  void unlockAfterFork() { mutex_.unlock(); }

private:
  struct FreeBlock {
    FreeBlock *next;
  };
  struct Chunk {
    Chunk *next;
    size_t bytes;
  };

  static constexpr int kClasses = 336;

  void *takeSmall(size_t capacity);
  void *mapLarge(size_t capacity);
  void trimLocked(int64_t keepBytes);

  mutable std::mutex mutex_;
  FreeBlock *free_[kClasses] = {};
  Chunk *chunks_ = nullptr; // 1 MiB each, cut into small blocks
  char *chunkNext_ = nullptr;
  char *chunkEnd_ = nullptr;
  // Of large blocks, in capacities: what is asked for may be an eighth less.
  int64_t cachedLargeBytes_ = 0;
  int64_t liveLargeBytes_ = 0;
  int64_t peakLargeBytes_ = 0;
  // When a large block of a class was last taken or given back, by a clock that ticks with each.
  uint64_t lastUse_[kClasses] = {};
  uint64_t clock_ = 0;
  int64_t limit_ = 0;
  MemoryStats stats_;
};

/// The pool of the CPU device.
MemoryPool &hostMemory();

} // namespace burn::runtime
