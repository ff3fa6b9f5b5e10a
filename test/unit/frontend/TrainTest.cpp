#include "test/unit/frontend/TemporaryFolder.h"

#include <burn/train.h>

#include <csignal>
#include <cstring>

#include <sys/wait.h>
#include <unistd.h>

using Catch::Contains;

TEST_CASE("progress: where the output is no terminal, an epoch ends in one plain line", "[train]") {
  const TemporaryFolder folder;
  std::FILE *out = std::fopen((folder / "log").c_str(), "w");
  {
    burn::ProgressBar bar(2, 100, out);
    bar.begin_epoch(0);
    bar.advance(64);
    bar.update(2.0, 0.1);
    bar.advance(36);
    bar.end_epoch(1.25, 0.5);
    bar.begin_epoch(1);
    bar.advance(100);
    bar.end_epoch(0.5, 0.975);
  }
  std::fclose(out);
  const std::string log = readBytes(folder / "log");
  CHECK(std::count(log.begin(), log.end(), '\n') == 2);
  CHECK_THAT(log, Contains("epoch 1/2  100 %  loss 1.2500  accuracy 50.00 %  "));
  CHECK_THAT(log, Contains("epoch 2/2  100 %  loss 0.5000  accuracy 97.50 %  ") && Contains("images/s"));
  CHECK_THAT(log, !Contains("\r"));
}

TEST_CASE("interrupt: the first signal sets a flag, the old handling returns at the end", "[train]") {
  static int counted;
  counted = 0;
  std::signal(SIGINT, [](int) { ++counted; });
  {
    const burn::InterruptGuard guard;
    CHECK_FALSE(guard.interrupted());
    std::raise(SIGINT);
    CHECK(guard.interrupted());
  }
  CHECK(counted == 0);
  std::raise(SIGINT);
  CHECK(counted == 1);
  const burn::InterruptGuard guard;
  CHECK_FALSE(guard.interrupted());
  std::signal(SIGINT, SIG_DFL);
}

TEST_CASE("interrupt: the second signal ends the process", "[train]") {
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    const burn::InterruptGuard guard;
    std::raise(SIGINT);
    if (!guard.interrupted())
      _exit(1);
    std::raise(SIGINT);
    _exit(2);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  REQUIRE(WIFSIGNALED(status));
  CHECK(WTERMSIG(status) == SIGINT);
}

TEST_CASE("memory: the peak covers memory that was in use", "[train]") {
  constexpr size_t size = 64 << 20;
  {
    std::string block(size, 'x');
    CHECK(block.find('y') == block.npos);
  }
  const int64_t peak = burn::peak_memory_bytes();
  CHECK(peak > static_cast<int64_t>(size));
  CHECK(peak < int64_t{1} << 40);
}
