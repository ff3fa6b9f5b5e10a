#include "runtime/Memory/Buffer.h"
#include "runtime/Memory/MemoryPool.h"

#include <cstdlib>
#include <cstring>
#include <random>
#include <thread>
#include <vector>

#include <catch2/catch.hpp>

#include <sys/wait.h>
#include <unistd.h>

using namespace burn::runtime;
using burn::core::ErrorCode;
using burn::core::Status;

TEST_CASE("blocks are aligned, distinct and large enough", "[memory]") {
  MemoryPool pool;
  std::mt19937_64 random(1);
  std::vector<std::pair<unsigned char *, size_t>> live;
  const auto check = [](unsigned char *block, size_t bytes) {
    const auto mark = static_cast<unsigned char>(reinterpret_cast<uintptr_t>(block) >> 6);
    return bytes == 0 || (block[0] == mark && block[bytes / 2] == mark && block[bytes - 1] == mark);
  };
  for (int i = 0; i < 4000; ++i) {
    if (live.size() > 40 || (!live.empty() && random() % 3 == 0)) {
      const size_t k = random() % live.size();
      REQUIRE(check(live[k].first, live[k].second));
      pool.release(live[k].first, live[k].second);
      live[k] = live.back();
      live.pop_back();
      continue;
    }
    const size_t bytes = random() % (size_t(1) << (1 + random() % 23));
    auto block = pool.allocate(bytes);
    REQUIRE(block);
    REQUIRE(reinterpret_cast<uintptr_t>(*block) % 64 == 0);
    auto *data = static_cast<unsigned char *>(*block);
    std::memset(data, static_cast<int>(reinterpret_cast<uintptr_t>(data) >> 6 & 0xff), bytes);
    live.emplace_back(data, bytes);
  }
  for (auto [block, bytes] : live) {
    CHECK(check(block, bytes));
    pool.release(block, bytes);
  }
  CHECK(pool.stats().liveBytes == 0);
  CHECK(pool.stats().liveBlocks == 0);
}

TEST_CASE("a steady state takes nothing from the system", "[memory]") {
  MemoryPool pool;
  const auto step = [&] {
    std::vector<std::pair<void *, size_t>> blocks;
    for (size_t bytes : {4, 4, 100, 5000, 70000, 1 << 20, 9 << 20, 3 << 20})
      blocks.emplace_back(*pool.allocate(bytes), bytes);
    for (auto [block, bytes] : blocks)
      pool.release(block, bytes);
  };
  step();
  const int64_t calls = pool.stats().systemCalls;
  for (int i = 0; i < 100; ++i)
    step();
  CHECK(pool.stats().systemCalls == calls);
  CHECK(pool.stats().allocations == 808);
}

TEST_CASE("a large block that is rounded up is kept for the next step", "[memory]") {
  MemoryPool pool;
  constexpr size_t kBytes = (size_t(128) << 20) + 1;
  for (int i = 0; i < 10; ++i)
    pool.release(*pool.allocate(kBytes), kBytes);
  CHECK(pool.stats().reservedBytes > int64_t(kBytes));
  CHECK(pool.stats().systemCalls == 1);
}

TEST_CASE("memory that is no longer asked for makes room for what is", "[memory]") {
  MemoryPool pool;
  constexpr size_t kFirst = size_t(90) << 20, kSecond = size_t(100) << 20;
  pool.release(*pool.allocate(kFirst), kFirst);
  for (int i = 0; i < 10; ++i)
    pool.release(*pool.allocate(kSecond), kSecond);
  CHECK(pool.stats().systemCalls == 2);
  CHECK(pool.stats().reservedBytes < int64_t(kFirst + kSecond));
}

TEST_CASE("live and peak bytes count what was asked for", "[memory]") {
  MemoryPool pool;
  void *a = *pool.allocate(1000), *b = *pool.allocate(500);
  CHECK(pool.stats().liveBytes == 1500);
  pool.release(a, 1000);
  CHECK(pool.stats().liveBytes == 500);
  CHECK(pool.stats().peakBytes == 1500);
  pool.resetPeak();
  CHECK(pool.stats().peakBytes == 500);
  pool.release(b, 500);
}

TEST_CASE("the limit fails with the size and changes nothing", "[memory]") {
  MemoryPool pool;
  pool.setLimit(10000);
  void *a = *pool.allocate(6000);
  auto failed = pool.allocate(4001);
  REQUIRE(!failed);
  CHECK(failed.status().code() == ErrorCode::OutOfMemory);
  CHECK(failed.status().message() == "out of memory: cannot allocate 4001 bytes (6000 bytes in use, limit 10000)");
  CHECK(pool.stats().liveBytes == 6000);
  CHECK(pool.stats().liveBlocks == 1);
  auto fits = pool.allocate(4000);
  REQUIRE(fits);
  pool.release(*fits, 4000);
  pool.release(a, 6000);
}

TEST_CASE("sizes that no machine has are refused", "[memory]") {
  MemoryPool pool;
  for (int64_t limit : {int64_t(0), pool.limit()}) {
    pool.setLimit(limit);
    for (size_t bytes : {SIZE_MAX, SIZE_MAX / 2, size_t(1) << 60, (size_t(1) << 46) + 1}) {
      auto failed = pool.allocate(bytes);
      REQUIRE(!failed);
      CHECK(failed.status().code() == ErrorCode::OutOfMemory);
      CHECK(failed.status().message().find(std::to_string(bytes)) != std::string::npos);
    }
  }
  CHECK(pool.stats().liveBytes == 0);
}

TEST_CASE("BURN_MEMORY_LIMIT sets the limit of a new pool", "[memory]") {
  const auto limitWith = [](const char *text) {
    setenv("BURN_MEMORY_LIMIT", text, 1);
    MemoryPool pool;
    unsetenv("BURN_MEMORY_LIMIT");
    return pool.limit();
  };
  CHECK(limitWith("12345") == 12345);
  CHECK(limitWith("3K") == 3072);
  CHECK(limitWith("2M") == 2097152);
  CHECK(limitWith("1G") == 1073741824);
  const int64_t machine = MemoryPool().limit();
  CHECK(machine > 0);
  CHECK(limitWith("") == machine);
  CHECK(limitWith("0") == machine);
}

TEST_CASE("a BURN_MEMORY_LIMIT that is no number of bytes is an error at the first use", "[memory]") {
  for (const char *text : {"abc", "-1", "99999999999999999999", "3KB", "9000000000G"}) {
    INFO(text);
    setenv("BURN_MEMORY_LIMIT", text, 1);
    MemoryPool pool;
    for (size_t bytes : {size_t(0), size_t(64), size_t(1) << 30}) {
      auto failed = pool.allocate(bytes);
      REQUIRE(!failed);
      CHECK(failed.status().code() == ErrorCode::InvalidArgument);
      CHECK(failed.status().message() ==
            "BURN_MEMORY_LIMIT: expects bytes, with an optional K, M or G, got \"" + std::string(text) + "\"");
    }
    CHECK(pool.stats().liveBytes == 0);
    unsetenv("BURN_MEMORY_LIMIT");
    pool.setLimit(1000); // in place of the environment's
    auto block = pool.allocate(64);
    REQUIRE(block);
    pool.release(*block, 64);
    CHECK(!pool.allocate(1001));
  }
}

TEST_CASE("cached memory beyond the peak goes back to the system", "[memory]") {
  MemoryPool pool;
  constexpr size_t kBytes = 40 << 20;
  std::vector<void *> blocks;
  for (int i = 0; i < 4; ++i)
    blocks.push_back(*pool.allocate(kBytes + static_cast<size_t>(i) * (6 << 20)));
  pool.resetPeak();
  for (size_t i = 0; i < 4; ++i)
    pool.release(blocks[i], kBytes + i * (6 << 20));
  CHECK(pool.stats().reservedBytes <= int64_t(kBytes + (18 << 20)) * 5);
  pool.trim();
  CHECK(pool.stats().reservedBytes == 0);
}

TEST_CASE("a pool serves several threads", "[memory]") {
  MemoryPool pool;
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      std::mt19937 random(t);
      for (int i = 0; i < 3000; ++i) {
        const size_t bytes = random() % 200000;
        void *block = *pool.allocate(bytes);
        std::memset(block, int(t), std::min<size_t>(bytes, 64));
        pool.release(block, bytes);
      }
    });
  for (auto &thread : threads)
    thread.join();
  CHECK(pool.stats().liveBytes == 0);
  CHECK(pool.stats().allocations == 12000);
}

TEST_CASE("a buffer returns its memory with the last reference", "[memory]") {
  const auto before = hostMemory().stats();
  {
    BufferRef a = *Buffer::allocate(1234);
    CHECK(a->bytes() == 1234);
    CHECK(a->canDonate());
    BufferRef b = a;
    CHECK(a->useCount() == 2);
    CHECK(!a->canDonate());
    a.reset();
    CHECK(b->canDonate());
    b->freeze();
    CHECK(!b->canDonate());
    CHECK(hostMemory().stats().liveBytes == before.liveBytes + 1234);
  }
  CHECK(hostMemory().stats().liveBytes == before.liveBytes);
  BufferRef again = *Buffer::allocate(8);
  CHECK(!again->isFrozen()); // a reused object starts afresh
  CHECK(again->poisonError() == nullptr);
}

TEST_CASE("a borrowed buffer reads the program's memory and runs the deleter once", "[memory]") {
  alignas(64) static const float data[32] = {1, 2, 3};
  int deleted = 0;
  {
    BufferRef a = *Buffer::borrow(data, sizeof data, [&] { ++deleted; });
    CHECK(a->data() == static_cast<const void *>(data));
    CHECK(a->isBorrowed());
    CHECK(!a->canDonate());
    BufferRef b = a;
    a.reset();
    CHECK(deleted == 0);
  }
  CHECK(deleted == 1);

  // Unaligned data is copied, and let go at once.
  BufferRef c = *Buffer::borrow(data + 1, 2 * sizeof(float), [&] { ++deleted; });
  CHECK(deleted == 2);
  CHECK(!c->isBorrowed());
  CHECK(static_cast<const float *>(c->data())[1] == 3.0f);
}

TEST_CASE("a poisoned buffer keeps its first error", "[memory]") {
  BufferRef a = *Buffer::allocate(16);
  a->poison(Status::error(ErrorCode::OutOfRange, "index 7 is out of range"));
  a->poison(Status::error(ErrorCode::Internal, "later"));
  REQUIRE(a->poisonError());
  CHECK(a->poisonError()->message() == "index 7 is out of range");
}

TEST_CASE("an allocation that fails leaves no buffer behind", "[memory]") {
  const auto before = hostMemory().stats();
  const int64_t limit = hostMemory().limit();
  hostMemory().setLimit(before.liveBytes + 100);
  auto failed = Buffer::allocate(101);
  hostMemory().setLimit(limit);
  CHECK(!failed);
  CHECK(hostMemory().stats().liveBytes == before.liveBytes);
  CHECK(hostMemory().stats().liveBlocks == before.liveBlocks);
}

TEST_CASE("the host pool works in a forked child", "[memory]") {
  BufferRef a = *Buffer::allocate(64);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    alarm(20);
    auto b = Buffer::allocate(1 << 20);
    _exit(b ? 0 : 1);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK((WIFEXITED(status) && WEXITSTATUS(status) == 0));
}
