// The process-wide pool behind burn::parallel_for.
//
// Hot path: an empty fork and join of two awake threads takes about 0.2 us. Workers spin for a moment after a loop,
// then sleep in a futex; a loop never waits for a worker that has not joined it, so a sleeping pool costs one system
// call and nothing else.
#pragma once

#include <burn/parallel.h>

#include <atomic>
#include <cstdint>

namespace burn::runtime {

/// CPUs that this process may run on: its affinity mask, cut to the CPU quota of its control group.
int availableCpus();

/// Threads that BURN_NUM_THREADS asks for, else availableCpus().
int defaultThreads();

/// A fork/join pool. All members are constant-initialized and trivially destroyed: workers may outlive static
/// destructors, and a forked child starts again from the same state. All are 0, so that the pool takes no place in a
/// file.
class ThreadPool {
public:
  static constexpr int kMaxThreads = 1024;

  constexpr ThreadPool() = default;
  ThreadPool(const ThreadPool &) = delete;
  ThreadPool &operator=(const ThreadPool &) = delete;

  /// Runs the loop on the pool. False, with nothing done, where another loop holds the pool or it has one thread.
  bool tryRun(int64_t tasks, ParallelBody body, void *arg);

  /// Threads of a loop, the calling one included.
  int threads();
  void setThreads(int threads);

  /// Ends all workers and waits for them; the next loop starts them again.
  void stop();

  /// Forgets workers and locks, in the child of a fork.
  void resetAfterFork();

private:
  // One thread's share of the tasks, a contiguous range so that consecutive loops over the same data find it in the
  // same core's cache. Others take from it when their own is empty.
  struct alignas(64) Share {
    std::atomic<int64_t> next{0};
    int64_t end = 0;
  };

  // Loop state: epoch in the upper half; in the lower one closed, caller waits, places left for workers to join, and
  // workers now at work.
  static constexpr uint64_t kClosed = 1u << 31;
  static constexpr uint64_t kCallerWaits = 1u << 30;
  static constexpr uint64_t kOnePlace = 1u << 16;
  static constexpr uint64_t kPlacesMask = 0x3fff * kOnePlace;
  static constexpr uint64_t kActiveMask = 0xffff;

  void lock();
  void unlock() { busy_.store(0, std::memory_order_release); }
  void startWorkers();
  void stopLocked();
  void workerMain(int index);
  bool join(uint32_t epoch);
  void leave();
  void work(int share);
  void waitForWorkers();
  static void *workerEntry(void *arg);

  alignas(64) std::atomic<uint32_t> signal_{0}; // epoch of the latest loop; workers wait on it
  alignas(64) std::atomic<uint64_t> state_{0};  // without places: as good as closed
  alignas(64) std::atomic<int> sleepers_{0};

  // Written by the thread that holds busy_, read by workers that have joined.
  alignas(64) ParallelBody body_ = nullptr;
  void *arg_ = nullptr;
  int shareCount_ = 0;

  alignas(64) std::atomic<int> busy_{0};
  std::atomic<int> wanted_{0}; // 0: not yet read from the environment
  std::atomic<int> started_{0};
  std::atomic<int> alive_{0};
  std::atomic<bool> stopping_{false};
  std::atomic<bool> crowded_{false}; // more threads than CPUs: spinning would keep others from working

  Share shares_[kMaxThreads];
};

} // namespace burn::runtime
