#include "CacheFixture.h"

#include <chrono>
#include <csignal>
#include <cstring>
#include <random>
#include <thread>

#include <catch2/catch.hpp>

#include <fcntl.h>
#include <sys/stat.h>

using namespace burn::runtime;
using namespace burn::runtime::test;

namespace {

struct StoredEntry {
  std::vector<std::byte> elf, plan, key;
  std::vector<ToolchainFile> toolchain;

  StoredEntry(const std::string &name, size_t bytes = 300)
      : elf(bytesOf("ELF of " + name)), plan(bytesOf("plan of " + name)), key(bytesOf("key " + name)) {
    elf.resize(bytes);
  }
  CacheEntry view() const { return {elf, plan, key, toolchain}; }
};

bool same(Bytes a, Bytes b) { return std::equal(a.begin(), a.end(), b.begin(), b.end()); }

bool holds(const DiskCache &cache, const StoredEntry &entry) {
  const auto hit = cache.lookup(entry.key);
  return hit && same(hit->entry.elf, entry.elf) && same(hit->entry.plan, entry.plan);
}

std::vector<std::string> filesIn(const std::string &folder) {
  std::vector<std::string> names;
  for (const auto &entry : std::filesystem::directory_iterator(folder))
    names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

DiskCacheOptions in(const std::string &folder, uint64_t maxBytes = uint64_t(4) << 30) {
  return {folder, maxBytes, nullptr};
}

mode_t modeOf(const std::string &path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0 ? info.st_mode & 07777 : 0;
}

} // namespace

TEST_CASE("an entry is read back whole, and only by its key", "[cache]") {
  TemporaryFolder folder;
  const DiskCache cache(in(folder / "a/b"));
  const StoredEntry a("a"), b("b");
  CHECK(!cache.lookup(a.key));
  REQUIRE(cache.store(a.view()));
  CHECK(holds(cache, a));
  CHECK(!cache.lookup(b.key));
  CHECK(modeOf(folder / "a/b") == 0700);
  CHECK(modeOf(folder / "a") == 0700);
  CHECK(filesIn(folder / "a/b") == std::vector<std::string>{DiskCache::fileName(a.key)});
  CHECK(modeOf(folder / ("a/b/" + DiskCache::fileName(a.key))) == 0600);
}

TEST_CASE("a file under the name of another key is a miss", "[cache]") {
  TemporaryFolder folder;
  const DiskCache cache(in(folder.path()));
  const StoredEntry a("a"), b("b");
  REQUIRE(cache.store(a.view()));
  std::filesystem::rename(folder / DiskCache::fileName(a.key), folder / DiskCache::fileName(b.key));
  CHECK(!cache.lookup(b.key));
}

TEST_CASE("every byte of an entry, damaged in turn, makes a miss", "[cache]") {
  TemporaryFolder folder;
  const DiskCache cache(in(folder.path()));
  StoredEntry entry("a", 700);
  entry.toolchain = {{"/nowhere/libLLVM.so", 12, 34}};
  REQUIRE(cache.store(entry.view()));
  const std::string path = folder / DiskCache::fileName(entry.key);
  const std::vector<std::byte> sound = readFile(path);
  int hits = 0;
  for (size_t i = 0; i < sound.size(); ++i)
    for (const int change : {0x01, 0x80, 0xff}) {
      std::vector<std::byte> damaged = sound;
      damaged[i] ^= std::byte(change);
      writeFile(path, damaged);
      chmod(path.c_str(), 0600);
      hits += cache.lookup(entry.key).has_value();
      if (parseEntry(damaged))
        ++hits;
    }
  CHECK(hits == 0);
  for (size_t size = 0; size < sound.size(); ++size) {
    writeFile(path, Bytes(sound).first(size));
    chmod(path.c_str(), 0600);
    hits += cache.lookup(entry.key).has_value();
  }
  CHECK(hits == 0);
  std::vector<std::byte> longer = sound;
  longer.push_back(std::byte(0));
  writeFile(path, longer);
  chmod(path.c_str(), 0600);
  CHECK(!cache.lookup(entry.key));
  CHECK(filesIn(folder.path()).empty()); // damaged entries are removed

  writeFile(path, sound);
  chmod(path.c_str(), 0600);
  CHECK(holds(cache, entry));
}

TEST_CASE("sizes in the footer that wrap around are refused", "[cache]") {
  const StoredEntry entry("a");
  std::vector<std::byte> file = entry.elf;
  const auto trailer = makeTrailer(entry.view());
  file.insert(file.end(), trailer.begin(), trailer.end());
  REQUIRE(parseEntry(file));
  // ELF and plan sizes are the first two numbers of the 64-byte footer; their sum stays the same.
  uint64_t sizes[2];
  std::byte *footer = file.data() + file.size() - 64;
  std::memcpy(sizes, footer, sizeof sizes);
  sizes[1] += sizes[0] + 1;
  sizes[0] = UINT64_MAX;
  std::memcpy(footer, sizes, sizeof sizes);
  const auto parsed = parseEntry(file);
  REQUIRE(!parsed);
  CHECK(parsed.status().message() == "sizes do not add up");
}

TEST_CASE("a full disk at any step of a store leaves no entry and no file", "[cache]") {
  TemporaryFolder folder;
  const StoredEntry entry("a", 200000); // several writes
  int steps = 0;
  {
    DiskCacheOptions options = in(folder / "count");
    options.fault = [&](StoreStep) { return ++steps, 0; };
    REQUIRE(DiskCache(options).store(entry.view()));
  }
  CHECK(steps >= 8);
  for (int failing = 0; failing < steps; ++failing) {
    int step = 0;
    DiskCacheOptions options = in(folder / "full");
    options.fault = [&](StoreStep) { return step++ == failing ? ENOSPC : 0; };
    const DiskCache cache(options);
    INFO("step " << failing);
    CHECK(!cache.store(entry.view()));
    CHECK(!cache.lookup(entry.key));
    if (std::filesystem::exists(folder / "full"))
      CHECK(filesIn(folder / "full").empty());
  }
}

TEST_CASE("a failed store keeps the entry that was there", "[cache]") {
  TemporaryFolder folder;
  const StoredEntry entry("a");
  REQUIRE(DiskCache(in(folder.path())).store(entry.view()));
  DiskCacheOptions options = in(folder.path());
  options.fault = [](StoreStep step) { return step == StoreStep::Rename ? EIO : 0; };
  const DiskCache cache(options);
  CHECK(!cache.store(entry.view()));
  CHECK(holds(cache, entry));
}

TEST_CASE("a writer killed at any time leaves whole entries", "[cache]") {
  TemporaryFolder folder;
  const DiskCache cache(in(folder.path()));
  std::vector<StoredEntry> entries;
  for (int i = 0; i < 8; ++i)
    entries.emplace_back("entry " + std::to_string(i), 50000 + 70000 * static_cast<size_t>(i));
  std::mt19937 random(7);
  int notKilled = 0, damaged = 0;
  for (int round = 0; round < 200; ++round) {
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      for (int i = 0;; ++i)
        (void)cache.store(entries[static_cast<size_t>(i) % entries.size()].view());
    }
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 6000));
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    notKilled += !WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL;
    std::string error;
    for (const EntryReport &report : cache.list(&error))
      damaged += report.problem.has_value();
  }
  CHECK(notKilled == 0);
  CHECK(damaged == 0);
  for (const StoredEntry &entry : entries) {
    const auto hit = cache.lookup(entry.key);
    if (hit)
      CHECK(same(hit->entry.elf, entry.elf));
  }
  // What the killed writers left goes with a later store.
  std::this_thread::sleep_for(std::chrono::milliseconds(2100));
  REQUIRE(cache.store(entries[0].view()));
  for (const std::string &name : filesIn(folder.path()))
    CHECK(name.substr(0, 5) != ".tmp-");
}

TEST_CASE("the temporary file of a living writer is left alone", "[cache]") {
  TemporaryFolder folder;
  const StoredEntry first("first"), second("second");
  DiskCacheOptions options = in(folder.path());
  bool other = false;
  options.fault = [&](StoreStep step) {
    if (step == StoreStep::Rename) {
      // Another process stores while this one is about to rename a file that is minutes old.
      for (const std::string &name : filesIn(folder.path())) {
        const timespec old[2] = {{1000, 0}, {1000, 0}};
        utimensat(AT_FDCWD, (folder / name).c_str(), old, 0);
      }
      other = DiskCache(in(folder.path())).store(second.view()).has_value();
    }
    return 0;
  };
  CHECK(DiskCache(options).store(first.view()));
  CHECK(other);
  CHECK(holds(DiskCache(in(folder.path())), first));
  CHECK(holds(DiskCache(in(folder.path())), second));
}

TEST_CASE("a directory that others can write to is not used", "[cache]") {
  TemporaryFolder folder;
  const DiskCache cache(in(folder.path()));
  const StoredEntry entry("a");
  REQUIRE(cache.store(entry.view()));
  for (const mode_t mode : {0777, 0720, 01777}) {
    chmod(folder.path().c_str(), mode);
    CHECK(!cache.lookup(entry.key));
    CHECK(!cache.store(entry.view()));
    CHECK(cache.distrust() == std::string("not trusted: others can write to it"));
  }
  chmod(folder.path().c_str(), 0755);
  CHECK(!cache.distrust());
  CHECK(holds(cache, entry));
  // The same for an entry.
  chmod((folder / DiskCache::fileName(entry.key)).c_str(), 0666);
  CHECK(!cache.lookup(entry.key));
}

TEST_CASE("a link, a folder or a pipe in the place of an entry is a miss", "[cache]") {
  TemporaryFolder folder;
  const DiskCache cache(in(folder / "cache"));
  const StoredEntry entry("a");
  REQUIRE(cache.store(entry.view()));
  const std::string path = folder / ("cache/" + DiskCache::fileName(entry.key));
  std::filesystem::rename(path, folder / "elsewhere");
  std::filesystem::create_symlink(folder / "elsewhere", path);
  CHECK(!cache.lookup(entry.key));
  std::filesystem::remove(path);
  std::filesystem::create_directory(path);
  CHECK(!cache.lookup(entry.key));
  CHECK(!cache.store(entry.view()));
  std::filesystem::remove(path);
  mkfifo(path.c_str(), 0600);
  CHECK(!cache.lookup(entry.key));
  CHECK(cache.store(entry.view()));
  CHECK(holds(cache, entry));
}

TEST_CASE("no directory, a missing one and one that cannot be made are misses", "[cache]") {
  TemporaryFolder folder;
  const StoredEntry entry("a");
  CHECK(!DiskCache(in("")).lookup(entry.key));
  CHECK(!DiskCache(in("")).store(entry.view()));
  CHECK(!DiskCache(in(folder / "none")).lookup(entry.key));
  CHECK(!std::filesystem::exists(folder / "none")); // reading makes nothing
  writeFile(folder / "file", {});
  CHECK(!DiskCache(in(folder / "file/cache")).store(entry.view()));
  CHECK(!DiskCache(in(folder / "file")).store(entry.view()));

  // Removed while in use.
  const DiskCache cache(in(folder / "cache"));
  REQUIRE(cache.store(entry.view()));
  std::filesystem::remove_all(folder / "cache");
  CHECK(!cache.lookup(entry.key));
  CHECK(cache.store(entry.view()));
  CHECK(holds(cache, entry));
}

TEST_CASE("an entry of a library that has changed since is a miss", "[cache]") {
  TemporaryFolder folder;
  const DiskCache cache(in(folder / "cache"));
  StoredEntry entry("a");
  const std::string library = folder / "libLLVM.so";
  writeFile(library, bytesOf("version one"));
  const timespec before[2] = {{1000, 5}, {1000, 5}}, after[2] = {{1000, 6}, {1000, 6}};
  utimensat(AT_FDCWD, library.c_str(), before, 0);
  entry.toolchain = {{library, 11, 1'000'000'000'005}};
  REQUIRE(cache.store(entry.view()));
  CHECK(holds(cache, entry));
  utimensat(AT_FDCWD, library.c_str(), after, 0);
  CHECK(!cache.lookup(entry.key));
  writeFile(library, bytesOf("version two."));
  utimensat(AT_FDCWD, library.c_str(), before, 0);
  CHECK(!cache.lookup(entry.key));
  // A machine without the library uses what another one compiled.
  std::filesystem::remove(library);
  CHECK(holds(cache, entry));
}

TEST_CASE("the least recently used entries go when the cache is full", "[cache]") {
  TemporaryFolder folder;
  std::vector<StoredEntry> entries;
  for (int i = 0; i < 6; ++i)
    entries.emplace_back("entry " + std::to_string(i), 10000);
  const DiskCache cache(in(folder.path(), 45000)); // four of them
  const auto pause = [] { std::this_thread::sleep_for(std::chrono::milliseconds(20)); };
  for (int i = 0; i < 4; ++i, pause())
    REQUIRE(cache.store(entries[static_cast<size_t>(i)].view()));
  CHECK(filesIn(folder.path()).size() == 4);
  CHECK(holds(cache, entries[0])); // used again: now entry 1 is the oldest
  pause();
  REQUIRE(cache.store(entries[4].view()));
  CHECK(filesIn(folder.path()).size() == 4);
  CHECK(!cache.lookup(entries[1].key));
  CHECK(holds(cache, entries[0]));
  CHECK(holds(cache, entries[4]));

  // An entry larger than the cache is not written.
  CHECK(!cache.store(StoredEntry("huge", 50000).view()));
  CHECK(filesIn(folder.path()).size() == 4);
}

TEST_CASE("files of others in the directory are neither listed nor removed", "[cache]") {
  TemporaryFolder folder;
  writeFile(folder / "notes.txt", bytesOf(std::string(100000, 'x')));
  const DiskCache cache(in(folder.path(), 2000));
  REQUIRE(cache.store(StoredEntry("a").view()));
  std::string error;
  CHECK(cache.list(&error).size() == 1);
  CHECK(std::filesystem::exists(folder / "notes.txt"));
}

TEST_CASE("list tells sound entries from others and why", "[cache]") {
  TemporaryFolder folder;
  const DiskCache cache(in(folder.path()));
  StoredEntry sound("sound"), broken("broken"), stale("stale");
  const std::string library = folder / "libMLIR.so";
  writeFile(library, bytesOf("x"));
  stale.toolchain = {{library, 2, 0}};
  REQUIRE(cache.store(sound.view()));
  REQUIRE(cache.store(broken.view()));
  REQUIRE(cache.store(stale.view()));
  const std::string path = folder / DiskCache::fileName(broken.key);
  auto bytes = readFile(path);
  bytes[3] ^= std::byte(1);
  writeFile(path, bytes);
  std::string error;
  const auto reports = cache.list(&error);
  CHECK(error.empty());
  REQUIRE(reports.size() == 3);
  for (const EntryReport &report : reports) {
    if (report.name == DiskCache::fileName(sound.key)) {
      CHECK(!report.problem);
      CHECK(!report.isStale);
      CHECK(report.contents);
    } else if (report.name == DiskCache::fileName(broken.key)) {
      CHECK(report.problem == std::string("checksum mismatch"));
      CHECK(!report.isStale);
    } else {
      CHECK(report.isStale);
      CHECK(report.problem == std::string("made by another build of LLVM or MLIR than the one installed"));
    }
  }
  CHECK(DiskCache(in(folder / "none")).list(&error).empty());
  CHECK(error == "No such file or directory");
}

TEST_CASE("the environment places, sizes and disables the cache", "[cache]") {
  const auto with = [](std::vector<std::pair<const char *, const char *>> values) {
    DiskCacheOptions options;
    const char *names[] = {"BURN_CACHE", "BURN_CACHE_DIR", "BURN_CACHE_SIZE", "XDG_CACHE_HOME", "HOME"};
    std::vector<std::pair<std::string, std::optional<std::string>>> kept;
    for (const char *name : names) {
      const char *value = std::getenv(name);
      kept.emplace_back(name, value ? std::optional<std::string>(value) : std::nullopt);
      unsetenv(name);
    }
    for (const auto &[name, value] : values)
      setenv(name, value, 1);
    options = DiskCacheOptions::fromEnvironment();
    for (const auto &[name, value] : kept)
      value ? setenv(name.c_str(), value->c_str(), 1) : unsetenv(name.c_str());
    return options;
  };
  CHECK(with({{"HOME", "/home/u"}}).directory == "/home/u/.cache/burn");
  CHECK(with({{"HOME", "/home/u"}, {"XDG_CACHE_HOME", "/x"}}).directory == "/x/burn");
  CHECK(with({{"HOME", "/home/u"}, {"XDG_CACHE_HOME", "relative"}}).directory == "/home/u/.cache/burn");
  CHECK(with({{"HOME", "/home/u"}, {"XDG_CACHE_HOME", "/x"}, {"BURN_CACHE_DIR", "/d/"}}).directory == "/d");
  CHECK(with({{"HOME", "/home/u"}, {"BURN_CACHE", "off"}}).directory.empty());
  CHECK(with({}).directory.empty());
  CHECK(with({}).maxBytes == uint64_t(4) << 30);
  CHECK(with({{"BURN_CACHE_SIZE", "100M"}}).maxBytes == 100u << 20);
  CHECK(with({{"BURN_CACHE_SIZE", "much"}}).maxBytes == uint64_t(4) << 30);
}
