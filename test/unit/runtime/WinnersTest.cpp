#include "CacheFixture.h"

#include "runtime/Autotune/Winners.h"

#include <cstdlib>

#include <catch2/catch.hpp>

using namespace burn::runtime;
using namespace burn::runtime::test;
using burn::core::ErrorCode;

namespace {

burn_bytes bytesOfText(std::string_view text) { return {text.data(), text.size()}; }

std::string find(Winners &winners, std::string_view key) {
  burn_tuning &tuning = *winners.tuning();
  const burn_bytes found = tuning.find(tuning.context, bytesOfText(key));
  return {static_cast<const char *>(found.data), found.size};
}

void store(Winners &winners, std::string_view key, std::string_view winner) {
  burn_tuning &tuning = *winners.tuning();
  tuning.store(tuning.context, bytesOfText(key), bytesOfText(winner), bytesOfText("report"));
}

DiskCache cacheIn(const TemporaryFolder &folder) {
  DiskCacheOptions options;
  options.directory = folder.path();
  return DiskCache(options);
}

PlanOptions tuned(Tuning tuning) {
  PlanOptions options;
  options.tuning = tuning;
  return options;
}

} // namespace

TEST_CASE("BURN_AUTOTUNE is one of four words") {
  const auto modeOf = [](const char *word) {
    if (word)
      setenv("BURN_AUTOTUNE", word, 1);
    else
      unsetenv("BURN_AUTOTUNE");
    const auto mode = environmentTuning();
    unsetenv("BURN_AUTOTUNE");
    return mode;
  };
  CHECK(*modeOf(nullptr) == Tuning::Cached);
  CHECK(*modeOf("") == Tuning::Cached);
  CHECK(*modeOf("off") == Tuning::Off);
  CHECK(*modeOf("cached") == Tuning::Cached);
  CHECK(*modeOf("on") == Tuning::On);
  CHECK(*modeOf("full") == Tuning::Full);
  for (const char *word : {"1", "ON", "on ", "no"}) {
    const auto mode = modeOf(word);
    REQUIRE(!mode);
    CHECK(mode.status().code() == ErrorCode::InvalidArgument);
    CHECK(mode.status().message() ==
          "BURN_AUTOTUNE: expected off, cached, on or full, got '" + std::string(word) + "'");
  }
}

TEST_CASE("plans of different tuning have different keys") {
  const PlanTarget target("x86-64-v3", "");
  const std::vector<std::byte> program(8);
  for (Tuning tuning : {Tuning::Off, Tuning::Cached, Tuning::On, Tuning::Full}) {
    const auto key = makePlanKey(SourceKind::Graph, program, tuned(tuning), target);
    CHECK(parsePlanKey(key)->options.tuning == tuning);
    CHECK((key == makePlanKey(SourceKind::Graph, program, tuned(Tuning::On), target)) == (tuning == Tuning::On));
  }
}

TEST_CASE("winners are kept by kernel, target and mode of determinism") {
  const TemporaryFolder folder;
  const DiskCache disk = cacheIn(folder);
  const PlanTarget target("x86-64-v3", ""), other("x86-64-v4", "");
  Winners winners(disk, tuned(Tuning::On), target);
  CHECK(find(winners, "a kernel").empty());
  store(winners, "a kernel", "its way");
  CHECK(find(winners, "a kernel") == "its way");
  CHECK(find(winners, "another kernel").empty());

  Winners later(disk, tuned(Tuning::Cached), target);
  CHECK(find(later, "a kernel") == "its way");
  Winners elsewhere(disk, tuned(Tuning::Cached), other);
  CHECK(find(elsewhere, "a kernel").empty());
  PlanOptions free = tuned(Tuning::Cached);
  free.deterministic = false;
  Winners freely(disk, free, target);
  CHECK(find(freely, "a kernel").empty());
  CHECK(Winners(disk, tuned(Tuning::Off), target).tuning() == nullptr);
}

TEST_CASE("a damaged winner is none") {
  const TemporaryFolder folder;
  const DiskCache disk = cacheIn(folder);
  const PlanTarget target("x86-64-v3", "");
  Winners winners(disk, tuned(Tuning::On), target);
  store(winners, "a kernel", "its way");
  std::string name;
  for (const auto &entry : std::filesystem::directory_iterator(folder.path()))
    name = entry.path();
  std::vector<std::byte> bytes = readFile(name);
  for (size_t at = 0; at < bytes.size(); at += 7) {
    std::vector<std::byte> damaged = bytes;
    damaged[at] ^= std::byte(1);
    writeFile(name, damaged);
    CHECK(find(winners, "a kernel").empty());
  }
  for (size_t size : {size_t(0), size_t(1), bytes.size() / 2, bytes.size() - 1}) {
    writeFile(name, Bytes(bytes).first(size));
    CHECK(find(winners, "a kernel").empty());
  }
  // What was damaged is gone, and makes room for another.
  store(winners, "a kernel", "its way");
  CHECK(find(winners, "a kernel") == "its way");
}

TEST_CASE("processes measure one after the other") {
  const TemporaryFolder folder;
  const DiskCache disk = cacheIn(folder);
  const std::string order = folder / "order";
  const auto append = [&](char letter) { std::ofstream(order, std::ios::app) << letter; };
  std::optional<FileLock> mine = disk.lockMeasurements();
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    const FileLock theirs = disk.lockMeasurements();
    append('b');
    _exit(0);
  }
  append('a');
  mine.reset();
  int status = 0;
  waitpid(child, &status, 0);
  CHECK(status == 0);
  CHECK(readFile(order) == bytesOf("ab"));
}

TEST_CASE("without a cache on disk nothing is kept, and nobody waits") {
  const DiskCache disk{DiskCacheOptions()};
  const PlanTarget target("x86-64-v3", "");
  Winners winners(disk, tuned(Tuning::On), target);
  store(winners, "a kernel", "its way");
  CHECK(find(winners, "a kernel").empty());
  const FileLock one = disk.lockMeasurements(), two = disk.lockMeasurements();
}
