#include "CacheFixture.h"

#include "runtime/Compiler/PlanKey.h"
#include "runtime/Core/BuildId.h"

#include <burn/cache.h>
#include <burn/error.h>

#include <catch2/catch.hpp>

#include <sys/stat.h>

using namespace burn::runtime;
using namespace burn::runtime::test;

TEST_CASE("the report of a cache says what each plan is", "[cache]") {
  TemporaryFolder folder;
  PlanCache cache({folder.path(), uint64_t(1) << 30, nullptr});
  const auto graph = makePlanKey(SourceKind::Graph, bytesOf("g"), {}, {"x86-64-v3", ""});
  const auto mlir =
      makePlanKey(SourceKind::Mlir, bytesOf("m"), {.fusion = false, .fastMath = true}, {"znver5", "+avx2"});
  REQUIRE(cache.insert(graph, compiled("AddOne")));
  REQUIRE(cache.insert(mlir, compiled("AddTwo")));
  const auto entries = burn::cache_entries(folder.path());
  REQUIRE(entries.size() == 2);
  for (const burn::CacheEntryInfo &entry : entries) {
    const bool isGraph = entry.file == DiskCache::fileName(graph);
    CHECK(entry.state == burn::CacheEntryState::Sound);
    CHECK(entry.kernels == 1);
    CHECK(entry.source == (isGraph ? "graph" : "mlir"));
    CHECK(entry.cpu == (isGraph ? "x86-64-v3" : "znver5"));
    CHECK(entry.options == (isGraph ? "" : "unfused fast-math"));
    CHECK(entry.build_id == burn::core::compilerBuildId());
    CHECK(entry.last_use > 1'700'000'000);
    CHECK(entry.bytes == std::filesystem::file_size(folder / entry.file));
  }
}

TEST_CASE("a missing cache is empty, one that others can write to is an error", "[cache]") {
  TemporaryFolder folder;
  CHECK(burn::cache_entries(folder / "none").empty());
  CHECK(burn::cache_entries(folder.path()).empty());
  REQUIRE(chmod(folder.path().c_str(), 0777) == 0);
  CHECK_THROWS_WITH(burn::cache_entries(folder.path()),
                    "cannot read the kernel cache " + folder.path() + ": not trusted: others can write to it");
}
