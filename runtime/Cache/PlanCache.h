// Where compiled plans come from: memory, then disk, then the compiler.
#pragma once

#include "runtime/Cache/DiskCache.h"
#include "runtime/Executable/LoadedPlan.h"

#include <atomic>
#include <condition_variable>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <unordered_map>

namespace burn::runtime {

/// What the compiler returns: copied out of its own memory.
struct CompiledPlan {
  std::vector<std::byte> elf, plan;
};

/// Since the process started, or since resetStats.
struct PlanCacheStats {
  int64_t memoryHits = 0;
  int64_t plansLoaded = 0, kernelsLoaded = 0;     // from the cache on disk
  int64_t plansCompiled = 0, kernelsCompiled = 0; // by the compiler
  int64_t compileNs = 0;                          // time spent on the latter, in any thread
};

using PlanPointer = std::shared_ptr<const LoadedPlan>;

/// A plan that is being made, or was.
struct PendingPlan {
  std::vector<std::byte> key;
  Device *device = nullptr; // null: the host
  /// Whether a job is to make it, which survives a fork; under the lock of the cache.
  bool isInBackground = false;
  std::atomic<bool> isDone{false};
  /// Set where isDone. Cancelled: the process ends, and nothing is wrong with the program.
  bool isCancelled = false;
  std::optional<core::Expected<PlanPointer>> result;
};

/// Plans by key and, in memory, by device: two alike share what is on disk. Thread-safe. Never fails because of the
/// state of the disk.
class PlanCache {
public:
  using Compile = std::function<core::Expected<CompiledPlan>()>;

  explicit PlanCache(DiskCacheOptions disk, size_t capacity = 256) : disk_(std::move(disk)), capacity_(capacity) {}

  /// The plan of a key if it is in memory or on disk, else null. `device` is the one that the key is for; null: the
  /// host.
  PlanPointer lookup(Bytes key, Device *device = nullptr);

  /// Loads a compiled plan and keeps it in memory and on disk.
  core::Expected<PlanPointer> insert(Bytes key, const CompiledPlan &compiled, Device *device = nullptr);

  /// lookup, else compile and insert. A key that another thread compiles right now is waited for, so each key is
  /// compiled once; the error of a failed compile goes to all who waited, and is not kept. `skipDisk` compiles what is
  /// on disk alone: a compile that is to dump its stages has to take place.
  core::Expected<PlanPointer> get(Bytes key, const Compile &compile, bool skipDisk = false, Device *device = nullptr);

  /// The same for the host without waiting: what is in no cache is compiled and inserted by a job that `inBackground`
  /// carries out, or cancels, at some time, or in the call where it returns false. The error of a failed compile stays
  /// in the result.
  using Job = std::function<void(bool isCancelled)>;
  std::shared_ptr<const PendingPlan> start(Bytes key, Compile compile, bool (*inBackground)(Job job));
  /// Waits until nothing is being compiled.
  void waitUntilDone();

  PlanCacheStats stats() const;
  void resetStats();
  const DiskCache &disk() const { return disk_; }

  /// For fork handlers: the child has no thread that compiles.
  void lockForFork() { mutex_.lock(); }
  void unlockAfterFork(bool child);

private:
  struct Entry {
    KeyHash hash;
    std::vector<std::byte> key;
    Device *device; // null: the host
    PlanPointer plan;

    bool is(Bytes other, Device *of) const;
  };
  struct HashOfHash {
    size_t operator()(const KeyHash &hash) const { return static_cast<size_t>(hash.low); }
  };

  std::shared_ptr<PendingPlan> claim(Bytes key, Device *device, bool &isMine);
  void finish(PendingPlan &pending, const core::Expected<PlanPointer> &result, bool isCancelled = false);
  core::Expected<PlanPointer> produce(PendingPlan &pending, const Compile &compile);
  PlanPointer findInMemory(const KeyHash &hash, Bytes key, Device *device);
  PlanPointer findLocked(const KeyHash &hash, Bytes key, Device *device);
  void keepLocked(const KeyHash &hash, Bytes key, Device *device, const PlanPointer &plan, std::list<Entry> &dropped);
  PlanPointer loadFromDisk(Bytes key, Device *device) const;
  core::Expected<PlanPointer> make(Bytes key, const CompiledPlan &compiled, Device *device) const;
  core::Expected<PlanPointer> loadOn(Device &device, Bytes key, Bytes code, Bytes plan) const;

  DiskCache disk_;
  size_t capacity_;
  mutable std::mutex mutex_;
  std::condition_variable done_;
  std::list<Entry> entries_; // the most recently used first
  std::unordered_multimap<KeyHash, std::list<Entry>::iterator, HashOfHash> index_;
  std::list<std::shared_ptr<PendingPlan>> inFlight_;
  PlanCacheStats stats_;
};

/// The cache of this process, set up from the environment on first use.
PlanCache &planCache();

} // namespace burn::runtime
