// Whole processes with BURN_DETERMINISTIC=0: compiles in the background, forks and ends of processes meanwhile.
#include <burn/burn.h>

#include <catch2/catch.hpp>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

using namespace burn;

namespace {

// Before anything looks at the environment.
const struct Environment {
  Environment() {
    std::string pattern = (std::filesystem::temp_directory_path() / "burn-background-XXXXXX").string();
    folder = mkdtemp(pattern.data());
    setenv("BURN_DETERMINISTIC", "0", 1);
    setenv("BURN_CACHE_DIR", folder.c_str(), 1);
    owner = getpid();
  }
  ~Environment() {
    std::error_code ignored;
    if (getpid() == owner)
      std::filesystem::remove_all(folder, ignored);
  }
  std::string folder;
  pid_t owner = 0;
} environment;

// A program of its own for each size, with some kernels to compile.
float step(int64_t size) {
  const Tensor x = ones({size, 8}), w = full({8, size}, 0.5);
  const Tensor y = tanh(matmul(x, w)).softmax(1).sum() + exp(x).sum() * 0.0;
  return y.item<float>();
}

// The exit code of a child, 100 + the number of the signal that ended it.
int inChild(const std::function<void()> &body) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(120);
    // The XML reporter of Catch has put buffers of its own under them, which are freed before exit flushes the streams.
    for (std::ostream *stream : {&std::cout, &std::cerr, &std::clog})
      stream->rdbuf(nullptr);
    body();
    _exit(98);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 100 + WTERMSIG(status);
}

bool isNear(float value, int64_t size) { return std::abs(value - static_cast<float>(size)) < 1e-3F * float(size); }

size_t entries() {
  size_t count = 0;
  for (const auto &entry : std::filesystem::directory_iterator(environment.folder))
    count += entry.path().extension() == ".so";
  return count;
}

} // namespace

TEST_CASE("A program runs before it is compiled, and is compiled once") {
  const Stats before = stats();
  for (int i = 0; i < 3; ++i)
    CHECK(isNear(step(16), 16));
  wait_for_compiles();
  CHECK(isNear(step(16), 16));
  const Stats after = stats();
  CHECK(after.plans_compiled - before.plans_compiled == 1);
  CHECK(after.plans_reused - before.plans_reused == 3);
  CHECK(after.compile_ms > before.compile_ms);
  CHECK(entries() == 1);
}

TEST_CASE("Threads that come to one program at the same time compile it once") {
  const Stats before = stats();
  std::vector<std::thread> threads;
  std::atomic<int> right{0};
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] { right += isNear(step(17), 17); });
  for (std::thread &thread : threads)
    thread.join();
  wait_for_compiles();
  CHECK(right == 4);
  CHECK(stats().plans_compiled - before.plans_compiled == 1);
}

TEST_CASE("A fork during a compile leaves both processes able to compile") {
  CHECK(isNear(step(18), 18));
  CHECK(isNear(step(19), 19)); // waits behind the first
  CHECK(inChild([] {
          const bool right = isNear(step(18), 18) && isNear(step(20), 20);
          wait_for_compiles();
          _exit(right && isNear(step(19), 19) && isNear(step(20), 20) ? 0 : 1);
        }) == 0);
  wait_for_compiles();
  CHECK(isNear(step(19), 19));
}

TEST_CASE("A fork waits for the compile under way alone") {
  const int64_t sizes[] = {31, 32, 33, 34, 35, 36};
  for (int64_t size : sizes)
    CHECK(isNear(step(size), size));
  CHECK(inChild([&] {
          wait_for_compiles();
          for (int64_t size : sizes)
            if (!isNear(step(size), size))
              _exit(1);
          _exit(0);
        }) == 0);
  wait_for_compiles();
}

TEST_CASE("What is dropped at the end of a process is not waited for") {
  CHECK(inChild([] {
          std::atexit([] { wait_for_compiles(); });
          bool right = true;
          for (int64_t size = 41; size < 45; ++size)
            right &= isNear(step(size), size);
          std::exit(right ? 0 : 1);
        }) == 0);
}

TEST_CASE("A process may end during a compile") {
  const size_t before = entries();
  CHECK(inChild([] {
          static Tensor kept = ones({21}); // destroyed as the process ends
          kept = kept + step(21);
          std::exit(step(22) > 0 ? 0 : 1);
        }) == 0);
  // What was under way is in the cache.
  CHECK(entries() > before);
  CHECK(inChild([] { _exit(isNear(step(23), 23) ? 0 : 1); }) == 0);
}

TEST_CASE("A thread may end the process during a compile") {
  CHECK(inChild([] { std::thread([] { std::exit(isNear(step(24), 24) ? 0 : 1); }).join(); }) == 0);
}
