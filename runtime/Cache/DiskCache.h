// The kernel cache on disk: one directory of entries, shared by processes.
//
// Writers make a private temporary file, sync it and rename it, so a reader sees whole entries or none; readers open
// an entry once and check it through that descriptor. Whatever is odd (damage, another schema, another key, foreign
// owner, stale toolchain, a full disk) is a miss, never an error and never a wrong plan.
#pragma once

#include "runtime/Cache/CacheEntry.h"
#include "runtime/Cache/FileDescriptor.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace burn::runtime {

/// Steps of a store that the system may refuse.
enum class StoreStep { OpenDirectory, Create, Write, Sync, Rename };

struct DiskCacheOptions {
  /// Empty: no cache on disk.
  std::string directory;
  /// Entries beyond this go, the least recently used first.
  uint64_t maxBytes = uint64_t(4) << 30;
  /// For tests: called before each step of a store; an errno other than 0 takes the place of the step.
  std::function<int(StoreStep)> fault;

  /// $BURN_CACHE_DIR, else $XDG_CACHE_HOME/burn, else ~/.cache/burn; BURN_CACHE=off for none; BURN_CACHE_SIZE (bytes,
  /// with an optional K, M or G).
  static DiskCacheOptions fromEnvironment();
};

/// An entry whose bytes were read and checked through the descriptor `file`.
struct CacheHit {
  FileDescriptor file;
  std::vector<std::byte> bytes;
  CacheEntry entry; // views of `bytes`
};

/// What `list` says of one file.
struct EntryReport {
  std::string name;
  uint64_t bytes = 0;
  int64_t lastUse = 0;                            // seconds since the epoch
  std::optional<std::string> problem;             // why it would be a miss
  bool isStale = false;                           // the problem is another toolchain alone
  std::optional<std::vector<std::byte>> contents; // of a sound entry
};

/// Keeps other processes, and other threads, from a lock of the same name while it lives; none where it could not be
/// had, as without a cache on disk.
class FileLock {
public:
  FileLock() = default;
  explicit FileLock(FileDescriptor file) : file_(std::move(file)) {}
  FileLock(FileLock &&) noexcept = default;
  FileLock &operator=(FileLock &&) noexcept = default;
  // A child of a fork may hold the file open still.
  ~FileLock();

private:
  FileDescriptor file_;
};

class DiskCache {
public:
  explicit DiskCache(DiskCacheOptions options) : options_(std::move(options)) {}

  /// The entry of a key, or none. Marks it as used.
  std::optional<CacheHit> lookup(Bytes key) const;

  /// Writes an entry and then removes what is over the size limit. Returns a descriptor to load the entry's code
  /// from, or none where it could not be written.
  std::optional<FileDescriptor> store(const CacheEntry &entry) const;

  /// All entries with what is wrong with them; `error` says why the directory cannot be read.
  std::vector<EntryReport> list(std::string *error) const;

  /// Waits until no process measures kernels of this machine; the lock keeps others from it.
  FileLock lockMeasurements() const;

  const std::string &directory() const { return options_.directory; }

  /// Why the directory is not used, if it is not: missing, of another owner, open for others to write.
  std::optional<std::string> distrust() const;

  /// True where there is no such directory.
  bool isMissing() const;

  static std::string fileName(Bytes key);

private:
  FileDescriptor openDirectory(bool create, std::string *reason) const;
  int fault(StoreStep step) const;
  void evict(int directory, const std::string &keep) const;

  DiskCacheOptions options_;
};

} // namespace burn::runtime
