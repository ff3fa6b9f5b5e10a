#include "CacheFixture.h"

#include <atomic>
#include <thread>

#include <catch2/catch.hpp>

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>

using namespace burn::runtime;
using namespace burn::runtime::test;
using burn::core::ErrorCode;
using burn::core::Expected;
using burn::core::Status;

namespace {

DiskCacheOptions in(const std::string &folder) { return {folder, uint64_t(4) << 30, nullptr}; }

const std::vector<std::byte> kOne = bytesOf("key of one"), kTwo = bytesOf("key of two");

/// 0 where the cache serves the plan of `kOne` and ends with `loaded` plans from disk and `compiled` by the compiler.
int servesOne(PlanCache &cache, int64_t loaded, int64_t compiledPlans) {
  const Expected<PlanPointer> plan = cache.get(kOne, [] { return compiled("AddOne"); });
  if (!plan)
    return 1;
  if (stepOf(**plan) != 1)
    return 2;
  const PlanCacheStats stats = cache.stats();
  return stats.plansLoaded == loaded && stats.plansCompiled == compiledPlans ? 0 : 3;
}

} // namespace

TEST_CASE("a plan is compiled once, then comes from memory, then from disk", "[cache]") {
  TemporaryFolder folder;
  PlanCache cache(in(folder.path()));
  CHECK(!cache.lookup(kOne));
  CHECK(servesOne(cache, 0, 1) == 0);
  CHECK(servesOne(cache, 0, 1) == 0);
  CHECK(cache.stats().memoryHits == 1);
  CHECK(cache.stats().kernelsCompiled == 1);

  PlanCache next(in(folder.path()));
  CHECK(servesOne(next, 1, 0) == 0);
  CHECK(next.stats().kernelsLoaded == 1);
  next.resetStats();
  CHECK(next.stats().plansLoaded == 0);
}

TEST_CASE("two plans loaded in turn stay two", "[cache]") {
  // With room for one plan, each load follows the unload of the other and may get its descriptor number.
  TemporaryFolder folder;
  for (const std::string &directory : {folder.path(), std::string()}) {
    PlanCache cache(in(directory), 1);
    for (int i = 0; i < 10; ++i) {
      const auto one = cache.get(kOne, [] { return compiled("AddOne"); });
      REQUIRE(one);
      CHECK(stepOf(**one) == 1);
      const auto two = cache.get(kTwo, [] { return compiled("AddTwo"); });
      REQUIRE(two);
      CHECK(stepOf(**two) == 2);
      CHECK(stepOf(**one) == 1); // dropped by the cache, held here
    }
    CHECK(cache.stats().plansCompiled == (directory.empty() ? 20 : 2));
    CHECK(cache.stats().plansLoaded == (directory.empty() ? 0 : 18));
  }
}

TEST_CASE("memory keeps the most recently used plans", "[cache]") {
  TemporaryFolder folder;
  PlanCache cache(in(folder.path()), 3);
  const auto get = [&](int i) {
    return cache.get(bytesOf("plan " + std::to_string(i)), [] { return compiled("AddOne"); });
  };
  for (int i = 0; i < 3; ++i)
    REQUIRE(get(i));
  REQUIRE(get(0)); // now 1 is the oldest
  REQUIRE(get(3));
  cache.resetStats();
  REQUIRE(get(0));
  REQUIRE(get(2));
  REQUIRE(get(3));
  CHECK(cache.stats().memoryHits == 3);
  REQUIRE(get(1));
  CHECK(cache.stats().plansLoaded == 1);
}

TEST_CASE("threads that ask for one key wait for one compile", "[cache]") {
  TemporaryFolder folder;
  PlanCache cache(in(folder.path()));
  std::atomic<int> compiles{0}, right{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&] {
      const auto plan = cache.get(kOne, [&] {
        ++compiles;
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        return compiled("AddOne");
      });
      right += plan && stepOf(**plan) == 1;
    });
  for (auto &thread : threads)
    thread.join();
  CHECK(right == 8);
  CHECK(compiles == 1);
}

TEST_CASE("an error of the compiler reaches all who wait and is not kept", "[cache]") {
  TemporaryFolder folder;
  PlanCache cache(in(folder.path()));
  std::atomic<int> errors{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      const auto plan = cache.get(kOne, []() -> Expected<CompiledPlan> {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        return Status::error(ErrorCode::Unsupported, "no such op", {5});
      });
      errors += !plan && plan.status().message() == "no such op" && plan.status().locations().at(0) == 5;
    });
  for (auto &thread : threads)
    thread.join();
  CHECK(errors == 4);
  CHECK_THROWS_AS(cache.get(kOne, []() -> Expected<CompiledPlan> { throw std::bad_alloc(); }), std::bad_alloc);
  CHECK(servesOne(cache, 0, 1) == 0);
}

TEST_CASE("what a compiler returns is checked before it is used", "[cache]") {
  PlanCache cache(in(""));
  CHECK(!cache.get(kOne, [] { return CompiledPlan{bytesOf("no ELF file"), burn::core::serialize(addPlan())}; }));
  CHECK(!cache.get(kOne, [] { return CompiledPlan{readFile(fixturePath("AddOne")), bytesOf("no plan")}; }));
  const auto plan = cache.get(kOne, [] { return compiled("NoEntry"); });
  REQUIRE(!plan);
  CHECK(plan.status().message() == "compiled code defines no burn_run");
}

TEST_CASE("a sound entry with unusable contents is a miss", "[cache]") {
  TemporaryFolder folder;
  const auto plan = burn::core::serialize(addPlan());
  const auto elf = readFile(fixturePath("AddOne"));
  const auto noEntry = readFile(fixturePath("NoEntry"));
  const auto other = bytesOf("something else");
  const std::pair<Bytes, Bytes> pairs[] = {{other, plan}, {elf, other}, {noEntry, plan}, {{}, {}}};
  for (const auto &[code, planBytes] : pairs) {
    REQUIRE(DiskCache(in(folder.path())).store({code, planBytes, kOne, {}}));
    PlanCache cache(in(folder.path()));
    CHECK(!cache.lookup(kOne));
    CHECK(servesOne(cache, 0, 1) == 0); // and is replaced
    PlanCache next(in(folder.path()));
    CHECK(servesOne(next, 1, 0) == 0);
  }
}

TEST_CASE("sixteen processes on one key all get the plan", "[cache][fork]") {
  TemporaryFolder folder;
  int go[2];
  REQUIRE(pipe(go) == 0);
  std::vector<pid_t> children;
  for (int i = 0; i < 16; ++i) {
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      setUpChild();
      close(go[1]);
      char byte;
      (void)!read(go[0], &byte, 1); // all start when the pipe closes
      PlanCache cache(in(folder / "cache"));
      const auto plan = cache.get(kOne, [] { return compiled("AddOne"); });
      _exit(plan && stepOf(**plan) == 1 ? 0 : 1);
    }
    children.push_back(child);
  }
  close(go[0]);
  close(go[1]);
  int failures = 0;
  for (const pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    failures += !WIFEXITED(status) || WEXITSTATUS(status) != 0;
  }
  CHECK(failures == 0);
  PlanCache cache(in(folder / "cache"));
  CHECK(servesOne(cache, 1, 0) == 0);
  int files = 0;
  for (const auto &entry : std::filesystem::directory_iterator(folder / "cache"))
    files += entry.is_regular_file();
  CHECK(files == 1);
}

TEST_CASE("a directory that cannot be written to serves its entries and takes no others", "[cache][fork]") {
  TemporaryFolder folder;
  {
    PlanCache cache(in(folder.path()));
    REQUIRE(servesOne(cache, 0, 1) == 0);
  }
  REQUIRE(chmod(folder.path().c_str(), 0500) == 0);
  const auto check = [&] {
    PlanCache cache(in(folder.path()));
    if (const int code = servesOne(cache, 1, 0))
      return code;
    const auto two = cache.get(kTwo, [] { return compiled("AddTwo"); });
    if (!two || stepOf(**two) != 2)
      return 10;
    return cache.disk().lookup(kTwo) ? 11 : 0;
  };
  if (geteuid() != 0) {
    CHECK(check() == 0);
    return;
  }
  (void)compiled("AddTwo");
  // Root may write anywhere: act as another user who owns the directory.
  const std::string entry = folder / DiskCache::fileName(kOne);
  REQUIRE(chown(entry.c_str(), 65534, 65534) == 0);
  REQUIRE(chown(folder.path().c_str(), 65534, 65534) == 0);
  CHECK(inChild([&] { return setgid(65534) || setuid(65534) ? 20 : check(); }) == 0);
}

TEST_CASE("the entries of another user are not read, those of root are", "[cache][fork]") {
  if (geteuid() != 0)
    return;
  TemporaryFolder folder;
  REQUIRE(chmod(folder.path().c_str(), 0755) == 0);
  const std::string directory = folder / "cache";
  {
    PlanCache cache(in(directory));
    REQUIRE(servesOne(cache, 0, 1) == 0);
  }
  const std::string entry = directory + "/" + DiskCache::fileName(kOne);
  REQUIRE(chmod(directory.c_str(), 0755) == 0);
  const auto asNobody = [&](int64_t loaded, int64_t compiledPlans) {
    return inChild([&] {
      if (setgid(65534) || setuid(65534))
        return 20;
      PlanCache cache(in(directory));
      return servesOne(cache, loaded, compiledPlans);
    });
  };
  CHECK(asNobody(0, 1) == 0); // 0600 of root: cannot be read
  REQUIRE(chmod(entry.c_str(), 0644) == 0);
  CHECK(asNobody(1, 0) == 0); // a cache that the administrator ships
  REQUIRE(chown(entry.c_str(), 1, 1) == 0);
  CHECK(asNobody(0, 1) == 0);
  REQUIRE(chown(entry.c_str(), 0, 0) == 0);
  REQUIRE(chown(directory.c_str(), 1, 1) == 0);
  CHECK(asNobody(0, 1) == 0);
}

TEST_CASE("a file system that maps no code is served from memory", "[cache][fork]") {
  TemporaryFolder folder;
  constexpr int kCannotMount = 77;
  const int code = inChild([&] {
    if (unshare(CLONE_NEWNS) != 0 || mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        mount("tmpfs", folder.path().c_str(), "tmpfs", MS_NOEXEC | MS_NOSUID, "mode=0700") != 0)
      return kCannotMount;
    {
      PlanCache cache(in(folder.path()));
      if (const int code = servesOne(cache, 0, 1))
        return code;
    }
    PlanCache cache(in(folder.path()));
    return 10 * servesOne(cache, 1, 0);
  });
  CHECK((code == 0 || code == kCannotMount));
}

TEST_CASE("a disk that fails at any step still gives a plan that runs", "[cache]") {
  TemporaryFolder folder;
  for (int failing = 0; failing < 12; ++failing) {
    int step = 0;
    DiskCacheOptions options = in(folder / "cache");
    options.fault = [&](StoreStep) { return step++ == failing ? ENOSPC : 0; };
    PlanCache cache(options);
    const auto plan = cache.insert(kOne, compiled("AddOne"));
    REQUIRE(plan);
    CHECK(stepOf(**plan) == 1);
    std::filesystem::remove_all(folder / "cache");
  }
}

TEST_CASE("a child of a fork uses and fills the cache", "[cache][fork]") {
  TemporaryFolder folder;
  PlanCache cache(in(folder.path()));
  REQUIRE(servesOne(cache, 0, 1) == 0);
  CHECK(inChild([&] {
          if (servesOne(cache, 0, 1))
            return 1;
          const auto two = cache.get(kTwo, [] { return compiled("AddTwo"); });
          return two && stepOf(**two) == 2 ? 0 : 2;
        }) == 0);
  const PlanPointer two = cache.lookup(kTwo);
  REQUIRE(two);
  CHECK(stepOf(*two) == 2);
}
