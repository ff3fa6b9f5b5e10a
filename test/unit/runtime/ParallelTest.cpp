#include "runtime/Parallel/ThreadPool.h"

#include <burn/parallel.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <thread>
#include <vector>

#include <catch2/catch.hpp>

#include <sys/wait.h>
#include <unistd.h>

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define __SANITIZE_THREAD__ 1
#endif
#endif

using namespace burn;

namespace {

// Threads of the pool for one test; the default again at its end.
struct Threads {
  explicit Threads(int threads) { set_num_threads(threads); }
  ~Threads() { set_num_threads(runtime::defaultThreads()); }
};

// Every task exactly once, whatever the split.
bool eachTaskOnce(int64_t tasks) {
  std::vector<std::atomic<int>> count(static_cast<size_t>(tasks));
  std::atomic<bool> outside{false};
  parallel_for(tasks, [&](int64_t begin, int64_t end) {
    if (begin < 0 || end > tasks || begin >= end)
      outside = true;
    for (int64_t i = begin; i < end; ++i)
      ++count[static_cast<size_t>(i)];
  });
  if (outside)
    return false;
  for (auto &c : count)
    if (c != 1)
      return false;
  return true;
}

double processCpuSeconds() {
  timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

} // namespace

TEST_CASE("parallel_for runs each task once, for any number of threads", "[parallel]") {
  for (int threads : {1, 2, 3, 7}) {
    Threads scope(threads);
    CHECK(num_threads() == threads);
    for (int64_t tasks : {0, 1, 2, 3, 6, 7, 8, 63, 64, 1000, 4097})
      CHECK(eachTaskOnce(tasks));
    for (int repeat = 0; repeat < 500; ++repeat)
      REQUIRE(eachTaskOnce(1 + repeat % 20));
  }
}

TEST_CASE("parallel_for in a body runs inline on the same thread", "[parallel]") {
  Threads scope(3);
  std::atomic<int> wrong{0}, inner{0};
  parallel_for(12, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const auto self = std::this_thread::get_id();
      parallel_for(5, [&](int64_t b, int64_t e) {
        inner += static_cast<int>(e - b);
        wrong += std::this_thread::get_id() != self;
      });
    }
  });
  CHECK(wrong == 0);
  CHECK(inner == 60);
}

TEST_CASE("loops of several host threads at once all finish", "[parallel]") {
  Threads scope(2);
  std::atomic<int> failures{0};
  std::vector<std::thread> hosts;
  for (int h = 0; h < 4; ++h)
    hosts.emplace_back([&] {
      for (int repeat = 0; repeat < 300; ++repeat)
        failures += !eachTaskOnce(50);
    });
  for (auto &host : hosts)
    host.join();
  CHECK(failures == 0);
}

TEST_CASE("a second loop runs inline while the first holds the pool", "[parallel]") {
  Threads scope(2);
  std::atomic<bool> held{false}, release{false};
  std::thread first([&] {
    parallel_for(2, [&](int64_t, int64_t) {
      held = true;
      while (!release)
        std::this_thread::yield();
    });
  });
  while (!held)
    std::this_thread::yield();
  std::atomic<int> elsewhere{0};
  const auto self = std::this_thread::get_id();
  parallel_for(16, [&](int64_t, int64_t) { elsewhere += std::this_thread::get_id() != self; });
  release = true;
  first.join();
  CHECK(elsewhere == 0);
}

// ThreadSanitizer ends a forked child that starts a thread.
#if !defined(__SANITIZE_THREAD__)

TEST_CASE("the pool works in a forked child", "[parallel][fork]") {
  Threads scope(3);
  REQUIRE(eachTaskOnce(100));
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    alarm(20);
    bool ok = num_threads() == 3;
    for (int repeat = 0; repeat < 50; ++repeat)
      ok = ok && eachTaskOnce(100);
    _exit(ok ? 0 : 1);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK((WIFEXITED(status) && WEXITSTATUS(status) == 0));
  CHECK(eachTaskOnce(100));
}

TEST_CASE("a fork while another thread is in a loop leaves the child a working pool", "[parallel][fork]") {
  Threads scope(2);
  std::atomic<bool> stop{false};
  std::thread busy([&] {
    while (!stop)
      eachTaskOnce(64);
  });
  for (int repeat = 0; repeat < 20; ++repeat) {
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      alarm(20);
      std::atomic<int> sum{0}; // no allocation: another thread may have held the allocator's lock
      parallel_for(10, [&](int64_t begin, int64_t end) { sum += static_cast<int>(end - begin); });
      _exit(sum == 10 ? 0 : 1);
    }
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK((WIFEXITED(status) && WEXITSTATUS(status) == 0));
  }
  stop = true;
  busy.join();
}

#endif

TEST_CASE("a host backend takes over all loops until it is removed", "[parallel]") {
  Threads scope(2);
  static int calls;
  calls = 0;
  int context = 7;
  set_parallel_backend(
      [](void *ctx, int64_t tasks, ParallelBody body, void *arg) {
        calls += *static_cast<int *>(ctx);
        for (int64_t i = tasks; i-- > 0;) // any order is right
          body(arg, i, i + 1);
      },
      &context);
  CHECK(eachTaskOnce(33));
  CHECK(calls == 7);
  std::atomic<int> inner{0};
  parallel_for(4, [&](int64_t, int64_t) { parallel_for(3, [&](int64_t b, int64_t e) { inner += int(e - b); }); });
  CHECK(inner == 12);
  CHECK(calls == 14); // nested loops run inline, without the backend
  set_parallel_backend(nullptr, nullptr);
  CHECK(eachTaskOnce(33));
  CHECK(calls == 14);
}

TEST_CASE("an idle pool uses no CPU", "[parallel]") {
  Threads scope(2);
  REQUIRE(eachTaskOnce(100));
  std::this_thread::sleep_for(std::chrono::milliseconds(5)); // past the time that workers spin
  const double before = processCpuSeconds();
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  CHECK(processCpuSeconds() - before < 0.01);
}

TEST_CASE("BURN_NUM_THREADS sets the default", "[parallel]") {
  const char *old = std::getenv("BURN_NUM_THREADS");
  const std::string kept = old ? old : "";
  setenv("BURN_NUM_THREADS", "5", 1);
  CHECK(runtime::defaultThreads() == 5);
  setenv("BURN_NUM_THREADS", "many", 1);
  CHECK(runtime::defaultThreads() == std::min(runtime::availableCpus(), 1024));
  setenv("BURN_NUM_THREADS", "0", 1);
  CHECK(runtime::defaultThreads() == std::min(runtime::availableCpus(), 1024));
  if (old)
    setenv("BURN_NUM_THREADS", kept.c_str(), 1);
  else
    unsetenv("BURN_NUM_THREADS");
}
