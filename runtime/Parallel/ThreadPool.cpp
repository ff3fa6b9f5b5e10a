#include "runtime/Parallel/ThreadPool.h"

#include "runtime/Core/Environment.h"
#include "runtime/Core/FloatEnvironment.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstdlib>

#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace burn::runtime {

namespace {

// How long a worker stays awake after a loop. Kernels of one step follow each other within this time.
constexpr auto kWorkerSpin = std::chrono::microseconds(50);
// How long a caller spins for the last worker before it sleeps.
constexpr auto kCallerSpin = std::chrono::microseconds(30);

void cpuRelax() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// Spins until `done()` or until the time is up. True where done. With more threads than CPUs the one waited for may
/// need this CPU, so there the time is a few yields.
template <typename Done> bool spin(std::chrono::nanoseconds limit, bool crowded, Done done) {
  for (int i = 0; i < 64; ++i) {
    if (done())
      return true;
    cpuRelax();
  }
  if (crowded) {
    for (int i = 0; i < 2; ++i) {
      sched_yield();
      if (done())
        return true;
    }
    return false;
  }
  const auto deadline = std::chrono::steady_clock::now() + limit;
  do {
    for (int i = 0; i < 16; ++i) {
      if (done())
        return true;
      cpuRelax();
    }
  } while (std::chrono::steady_clock::now() < deadline);
  return done();
}

// A futex works on 32 bits: for the 64-bit loop state, its lower half.
void *futexWord(void *atomic, bool lowHalf = false) {
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  return static_cast<char *>(atomic) + (lowHalf ? 4 : 0);
#else
  (void)lowHalf;
  return atomic;
#endif
}

void futexWait(void *word, uint32_t expected) {
  syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, expected, nullptr, nullptr, 0);
}

void futexWake(void *word, int count) { syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, count, nullptr, nullptr, 0); }

/// CPUs of the control group's quota, rounded up; INT_MAX where there is none.
int quotaCpus() {
  std::FILE *file = std::fopen("/sys/fs/cgroup/cpu.max", "re");
  if (!file)
    return INT_MAX;
  long long quota = 0, period = 0;
  const int fields = std::fscanf(file, "%lld %lld", &quota, &period);
  std::fclose(file);
  if (fields != 2 || quota <= 0 || period <= 0)
    return INT_MAX;
  return static_cast<int>(std::min<long long>((quota + period - 1) / period, INT_MAX));
}

} // namespace

int availableCpus() {
  int cpus = 0;
  // The kernel refuses a mask smaller than its own, so ask with larger ones.
  for (int bits = 1024; bits <= (1 << 16) && cpus == 0; bits *= 4) {
    cpu_set_t *set = CPU_ALLOC(bits);
    if (!set)
      break;
    if (sched_getaffinity(0, CPU_ALLOC_SIZE(bits), set) == 0)
      cpus = CPU_COUNT_S(CPU_ALLOC_SIZE(bits), set);
    CPU_FREE(set);
  }
  if (cpus == 0)
    cpus = static_cast<int>(std::max<long>(sysconf(_SC_NPROCESSORS_ONLN), 1));
  return std::max(std::min(cpus, quotaCpus()), 1);
}

int defaultThreads() {
  if (const char *text = std::getenv("BURN_NUM_THREADS")) {
    char *end = nullptr;
    const long value = std::strtol(text, &end, 10);
    if (end != text && *end == '\0' && value >= 1)
      return static_cast<int>(std::min<long>(value, ThreadPool::kMaxThreads));
    if (*text)
      core::reportIgnored("BURN_NUM_THREADS", text, "a number from 1 on");
  }
  return std::min(availableCpus(), ThreadPool::kMaxThreads);
}

bool ThreadPool::tryRun(int64_t tasks, ParallelBody body, void *arg) {
  int idle = 0;
  if (!busy_.compare_exchange_strong(idle, 1, std::memory_order_acquire))
    return false;
  const int wanted = threads();
  if (wanted <= 1) {
    unlock();
    return false;
  }
  if (started_.load(std::memory_order_relaxed) == 0)
    startWorkers();
  const int team = started_.load(std::memory_order_relaxed) + 1;

  shareCount_ = static_cast<int>(std::min<int64_t>(team, tasks));
  const int64_t each = tasks / shareCount_, rest = tasks % shareCount_;
  int64_t begin = 0;
  for (int i = 0; i < shareCount_; ++i) {
    const int64_t size = each + (i < rest);
    shares_[i].next.store(begin, std::memory_order_relaxed);
    shares_[i].end = begin += size;
  }
  body_ = body;
  arg_ = arg;

  const uint32_t epoch = signal_.load(std::memory_order_relaxed) + 1;
  const uint64_t places = static_cast<uint64_t>(shareCount_ - 1);
  state_.store(uint64_t(epoch) << 32 | places * kOnePlace, std::memory_order_release);
  // Sequentially consistent against the sleeper's count and its check of signal_: one of the two sees the other.
  signal_.store(epoch, std::memory_order_seq_cst);
  if (sleepers_.load(std::memory_order_seq_cst) > 0)
    futexWake(futexWord(&signal_), shareCount_ - 1);

  work(0);
  waitForWorkers();
  unlock();
  return true;
}

void ThreadPool::work(int share) {
  const int count = shareCount_;
  for (int i = 0; i < count; ++i) {
    Share &from = shares_[(share + i) % count];
    const int64_t end = from.end;
    // Half of what is left: long runs first, which keep what one task prepares for the next, and short ones last, which
    // balance uneven tasks and threads that arrive late.
    for (int64_t begin = from.next.load(std::memory_order_relaxed); begin < end;) {
      const int64_t next = begin + (end - begin + 1) / 2;
      if (!from.next.compare_exchange_weak(begin, next, std::memory_order_relaxed))
        continue;
      body_(arg_, begin, next);
      begin = from.next.load(std::memory_order_relaxed);
    }
  }
}

void ThreadPool::waitForWorkers() {
  if ((state_.fetch_or(kClosed, std::memory_order_acq_rel) & kActiveMask) == 0)
    return;
  const auto done = [this] { return (state_.load(std::memory_order_acquire) & kActiveMask) == 0; };
  if (spin(kCallerSpin, crowded_.load(std::memory_order_relaxed), done))
    return;
  uint64_t state = state_.fetch_or(kCallerWaits, std::memory_order_acq_rel) | kCallerWaits;
  while ((state & kActiveMask) != 0) {
    futexWait(futexWord(&state_, true), static_cast<uint32_t>(state));
    state = state_.load(std::memory_order_acquire);
  }
}

bool ThreadPool::join(uint32_t epoch) {
  uint64_t state = state_.load(std::memory_order_acquire);
  while (static_cast<uint32_t>(state >> 32) == epoch && !(state & kClosed) && (state & kPlacesMask))
    if (state_.compare_exchange_weak(state, state + 1 - kOnePlace, std::memory_order_acq_rel,
                                     std::memory_order_acquire))
      return true;
  return false;
}

void ThreadPool::leave() {
  const uint64_t before = state_.fetch_sub(1, std::memory_order_acq_rel);
  if ((before & kCallerWaits) && (before & kActiveMask) == 1)
    futexWake(futexWord(&state_, true), 1);
}

void ThreadPool::workerMain(int index) {
  const core::DefaultFloatEnvironment floats; // not that of the thread which happened to start this one
  // Not the current epoch but 0: the loop that starts the workers comes after, and they are to join it.
  uint32_t seen = 0;
  for (;;) {
    const auto called = [&] { return signal_.load(std::memory_order_acquire) != seen; };
    if (!spin(kWorkerSpin, crowded_.load(std::memory_order_relaxed), called)) {
      sleepers_.fetch_add(1, std::memory_order_seq_cst);
      while (!called())
        futexWait(futexWord(&signal_), seen);
      sleepers_.fetch_sub(1, std::memory_order_relaxed);
    }
    seen = signal_.load(std::memory_order_acquire);
    if (stopping_.load(std::memory_order_acquire))
      break;
    if (join(seen)) {
      work(index % shareCount_);
      leave();
    }
  }
  alive_.fetch_sub(1, std::memory_order_acq_rel);
}

namespace {

struct WorkerArgs {
  ThreadPool *pool;
  int index;
};

} // namespace

void *ThreadPool::workerEntry(void *arg) {
  const WorkerArgs args = *static_cast<WorkerArgs *>(arg);
  delete static_cast<WorkerArgs *>(arg);
  args.pool->workerMain(args.index);
  return nullptr;
}

void ThreadPool::startWorkers() {
  const int wanted = threads();
  crowded_.store(wanted > availableCpus(), std::memory_order_relaxed);
  // Signals go to the threads of the program, which may have handlers or masks for them.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  int started = 0;
  while (started < wanted - 1) {
    auto *args = new (std::nothrow) WorkerArgs{this, started + 1};
    pthread_t thread;
    alive_.fetch_add(1, std::memory_order_relaxed);
    if (!args || pthread_create(&thread, &attributes, workerEntry, args) != 0) {
      // Fewer threads give the same results.
      alive_.fetch_sub(1, std::memory_order_relaxed);
      delete args;
      break;
    }
    pthread_setname_np(thread, "burn-worker");
    ++started;
  }
  pthread_attr_destroy(&attributes);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  started_.store(started, std::memory_order_relaxed);
}

void ThreadPool::lock() {
  int idle = 0;
  while (!busy_.compare_exchange_weak(idle, 1, std::memory_order_acquire)) {
    idle = 0;
    sched_yield();
  }
}

int ThreadPool::threads() {
  int wanted = wanted_.load(std::memory_order_relaxed);
  if (wanted == 0) {
    int unset = 0;
    wanted = defaultThreads();
    if (!wanted_.compare_exchange_strong(unset, wanted, std::memory_order_relaxed))
      wanted = unset;
  }
  return wanted;
}

void ThreadPool::setThreads(int threads) {
  lock();
  stopLocked();
  wanted_.store(std::clamp(threads, 1, kMaxThreads), std::memory_order_relaxed);
  unlock();
}

void ThreadPool::stop() {
  lock();
  stopLocked();
  unlock();
}

void ThreadPool::stopLocked() {
  if (started_.load(std::memory_order_relaxed) == 0)
    return;
  stopping_.store(true, std::memory_order_release);
  signal_.fetch_add(1, std::memory_order_seq_cst);
  futexWake(futexWord(&signal_), INT_MAX);
  while (alive_.load(std::memory_order_acquire) != 0)
    sched_yield();
  stopping_.store(false, std::memory_order_relaxed);
  started_.store(0, std::memory_order_relaxed);
}

void ThreadPool::resetAfterFork() {
  signal_.store(0, std::memory_order_relaxed);
  state_.store(0, std::memory_order_relaxed);
  sleepers_.store(0, std::memory_order_relaxed);
  started_.store(0, std::memory_order_relaxed);
  alive_.store(0, std::memory_order_relaxed);
  stopping_.store(false, std::memory_order_relaxed);
  busy_.store(0, std::memory_order_relaxed);
}

} // namespace burn::runtime
