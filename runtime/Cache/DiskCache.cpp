#include "runtime/Cache/DiskCache.h"

#include "runtime/Core/ByteSize.h"
#include "runtime/Core/Environment.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <memory>
#include <new>

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace burn::runtime {

namespace {

constexpr std::string_view kSuffix = ".so";
constexpr std::string_view kTemporaryPrefix = ".tmp-";
// No plan comes near; a larger file is not ours.
constexpr off_t kLargestEntry = off_t(1) << 30;
constexpr size_t kWritePiece = size_t(1) << 16;

bool isEntryName(std::string_view name) {
  return name.size() == 32 + kSuffix.size() && name.substr(32) == kSuffix &&
         name.find_first_not_of("0123456789abcdef") == 32;
}

/// Only root and this user may have had a say in what a file or directory holds.
bool isTrusted(const struct stat &info) {
  return (info.st_uid == geteuid() || info.st_uid == 0) && (info.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/// Makes a directory and those above it, 0700 each.
void makeDirectories(const std::string &path) {
  for (size_t slash = path.find('/', 1); slash != std::string::npos; slash = path.find('/', slash + 1))
    mkdir(path.substr(0, slash).c_str(), 0700);
  mkdir(path.c_str(), 0700);
}

/// The whole of a file; none where it changes its size or cannot be read.
std::optional<std::vector<std::byte>> readAll(int file, off_t size) {
  std::vector<std::byte> bytes;
  try {
    bytes.resize(static_cast<size_t>(size));
  } catch (const std::bad_alloc &) {
    return std::nullopt;
  }
  size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t got = pread(file, bytes.data() + done, bytes.size() - done, static_cast<off_t>(done));
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      return std::nullopt;
    done += static_cast<size_t>(got);
  }
  return bytes;
}

struct OpenEntry {
  FileDescriptor file;
  struct stat info;
  std::vector<std::byte> bytes;
};

/// Opens and reads one file of the directory; `problem` says why not.
std::optional<OpenEntry> openEntry(int directory, const std::string &name, std::string &problem) {
  OpenEntry entry;
  // Not to be held up by a pipe, nor led elsewhere by a link.
  // Reading is no use: lookups say themselves what was used. Files of others may be read in no other way.
  for (int quiet : {O_NOATIME, 0})
    if (!entry.file)
      entry.file =
          FileDescriptor(openat(directory, name.c_str(), quiet | O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!entry.file || fstat(entry.file.get(), &entry.info) != 0) {
    problem = std::strerror(errno);
    return std::nullopt;
  }
  if (!S_ISREG(entry.info.st_mode) || entry.info.st_size > kLargestEntry) {
    problem = "not a file of a plan";
    return std::nullopt;
  }
  if (!isTrusted(entry.info)) {
    problem = "not trusted: others can write to it";
    return std::nullopt;
  }
  auto bytes = readAll(entry.file.get(), entry.info.st_size);
  if (!bytes) {
    problem = "cannot be read";
    return std::nullopt;
  }
  entry.bytes = std::move(*bytes);
  return entry;
}

/// Removes a damaged file unless another process has put a new one in its place.
void removeDamaged(int directory, const std::string &name, const struct stat &seen) {
  struct stat now;
  if (fstatat(directory, name.c_str(), &now, AT_SYMLINK_NOFOLLOW) == 0 && now.st_ino == seen.st_ino &&
      now.st_dev == seen.st_dev)
    unlinkat(directory, name.c_str(), 0);
}

struct CloseDirectory {
  void operator()(DIR *directory) const { closedir(directory); }
};

std::vector<std::string> namesIn(int directory) {
  std::vector<std::string> names;
  const int copy = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  std::unique_ptr<DIR, CloseDirectory> stream(copy >= 0 ? fdopendir(copy) : nullptr);
  if (!stream) {
    if (copy >= 0)
      close(copy);
    return names;
  }
  while (const dirent *entry = readdir(stream.get()))
    names.emplace_back(entry->d_name);
  return names;
}

std::string temporaryName() {
  static std::atomic<uint32_t> counter{0};
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return std::string(kTemporaryPrefix) + std::to_string(getpid()) + "-" + std::to_string(counter++) + "-" +
         std::to_string(now.tv_sec * 1'000'000'000LL + now.tv_nsec);
}

/// Removes what a writer that was killed left behind. A living writer holds a lock on its file; a file of this second
/// may not be locked yet.
void removeAbandoned(int directory, const std::string &name) {
  FileDescriptor file(openat(directory, name.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat info;
  if (file && fstat(file.get(), &info) == 0 && std::time(nullptr) - info.st_mtim.tv_sec > 1 &&
      flock(file.get(), LOCK_EX | LOCK_NB) == 0)
    unlinkat(directory, name.c_str(), 0);
}

} // namespace

DiskCacheOptions DiskCacheOptions::fromEnvironment() {
  DiskCacheOptions options;
  // A setuid program must not be told where to load code from.
  const auto get = [](const char *name) -> std::string {
    const char *value = secure_getenv(name);
    return value ? value : "";
  };
  const std::string enabled = get("BURN_CACHE");
  if (enabled == "off" || enabled == "0")
    return options;
  if (const std::string size = get("BURN_CACHE_SIZE"); !size.empty()) {
    if (const auto bytes = core::parseByteSize(size.c_str()))
      options.maxBytes = static_cast<uint64_t>(*bytes);
    else
      core::reportIgnored("BURN_CACHE_SIZE", size, core::kByteSizeText);
  }
  if (std::string directory = get("BURN_CACHE_DIR"); !directory.empty()) {
    options.directory = std::move(directory);
  } else if (std::string cache = get("XDG_CACHE_HOME"); cache.starts_with('/')) {
    options.directory = cache + "/burn";
  } else if (std::string home = get("HOME"); home.starts_with('/')) {
    options.directory = home + "/.cache/burn";
  }
  while (options.directory.size() > 1 && options.directory.ends_with('/'))
    options.directory.pop_back();
  return options;
}

int DiskCache::fault(StoreStep step) const { return options_.fault ? options_.fault(step) : 0; }

std::string DiskCache::fileName(Bytes key) { return hashKey(key).hex() + std::string(kSuffix); }

FileDescriptor DiskCache::openDirectory(bool create, std::string *reason) const {
  const auto refuse = [&](std::string text) {
    if (reason)
      *reason = std::move(text);
    return FileDescriptor();
  };
  if (options_.directory.empty())
    return refuse("disabled");
  const auto open = [&] {
    return FileDescriptor(::open(options_.directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  };
  FileDescriptor directory = open();
  if (!directory && errno == ENOENT && create) {
    makeDirectories(options_.directory);
    directory = open();
  }
  if (!directory)
    return refuse(std::strerror(errno));
  struct stat info;
  if (fstat(directory.get(), &info) != 0)
    return refuse(std::strerror(errno));
  if (info.st_uid != geteuid() && info.st_uid != 0)
    return refuse("not trusted: it belongs to another user");
  if (!isTrusted(info))
    return refuse("not trusted: others can write to it");
  return directory;
}

std::optional<std::string> DiskCache::distrust() const {
  std::string reason;
  if (openDirectory(false, &reason))
    return std::nullopt;
  return reason;
}

bool DiskCache::isMissing() const { return access(options_.directory.c_str(), F_OK) != 0 && errno == ENOENT; }

std::optional<CacheHit> DiskCache::lookup(Bytes key) const {
  const FileDescriptor directory = openDirectory(false, nullptr);
  if (!directory)
    return std::nullopt;
  const std::string name = fileName(key);
  std::string problem;
  std::optional<OpenEntry> open = openEntry(directory.get(), name, problem);
  if (!open)
    return std::nullopt;
  core::Expected<CacheEntry> entry = parseEntry(open->bytes);
  if (!entry) {
    removeDamaged(directory.get(), name, open->info);
    return std::nullopt;
  }
  // In full: a file name is a digest alone.
  if (!std::equal(entry->key.begin(), entry->key.end(), key.begin(), key.end()) || !isCurrent(entry->toolchain))
    return std::nullopt;
  // The time of use for the size limit; file systems are often mounted without keeping it.
  const timespec times[2] = {{0, UTIME_NOW}, {0, UTIME_OMIT}};
  futimens(open->file.get(), times);

  CacheHit hit;
  hit.file = std::move(open->file);
  hit.bytes = std::move(open->bytes);
  hit.entry = std::move(*entry);
  return hit;
}

std::optional<FileDescriptor> DiskCache::store(const CacheEntry &entry) const {
  if (fault(StoreStep::OpenDirectory))
    return std::nullopt;
  const FileDescriptor directory = openDirectory(true, nullptr);
  if (!directory)
    return std::nullopt;
  const std::vector<std::byte> trailer = makeTrailer(entry);
  if (entry.elf.size() + trailer.size() > options_.maxBytes)
    return std::nullopt;

  const std::string temporary = temporaryName(), name = fileName(entry.key);
  FileDescriptor file;
  if (!fault(StoreStep::Create))
    file = FileDescriptor(
        openat(directory.get(), temporary.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file)
    return std::nullopt;
  const auto abandon = [&] {
    unlinkat(directory.get(), temporary.c_str(), 0);
    return std::nullopt;
  };
  flock(file.get(), LOCK_SH | LOCK_NB);
  for (Bytes part : {entry.elf, Bytes(trailer)}) {
    while (!part.empty()) {
      if (fault(StoreStep::Write))
        return abandon();
      const ssize_t written = write(file.get(), part.data(), std::min(part.size(), kWritePiece));
      if (written < 0 && errno == EINTR)
        continue;
      if (written <= 0)
        return abandon();
      part = part.subspan(static_cast<size_t>(written));
    }
  }
  if (fault(StoreStep::Sync) || fsync(file.get()) != 0)
    return abandon();
  // The descriptor that code is loaded from does not write.
  const std::string self = "/proc/self/fd/" + std::to_string(file.get());
  FileDescriptor readable(open(self.c_str(), O_RDONLY | O_CLOEXEC));
  if (!readable)
    return abandon();
  if (fault(StoreStep::Rename) || renameat(directory.get(), temporary.c_str(), directory.get(), name.c_str()) != 0)
    return abandon();
  evict(directory.get(), name);
  return readable;
}

FileLock::~FileLock() {
  if (file_)
    flock(file_.get(), LOCK_UN);
}

FileLock DiskCache::lockMeasurements() const {
  const FileDescriptor directory = openDirectory(true, nullptr);
  if (!directory)
    return {};
  FileDescriptor file(openat(directory.get(), ".measuring", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file)
    return {};
  while (flock(file.get(), LOCK_EX) != 0)
    if (errno != EINTR)
      return {};
  return FileLock(std::move(file));
}

void DiskCache::evict(int directory, const std::string &keep) const {
  struct Candidate {
    std::string name;
    timespec lastUse;
    uint64_t bytes;
  };
  std::vector<Candidate> candidates;
  uint64_t total = 0;
  for (std::string &name : namesIn(directory)) {
    if (name.starts_with(kTemporaryPrefix)) {
      removeAbandoned(directory, name);
      continue;
    }
    struct stat info;
    if (!isEntryName(name) || fstatat(directory, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0 ||
        !S_ISREG(info.st_mode))
      continue;
    total += static_cast<uint64_t>(info.st_size);
    if (name != keep)
      candidates.push_back({std::move(name), info.st_atim, static_cast<uint64_t>(info.st_size)});
  }
  if (total <= options_.maxBytes)
    return;
  std::sort(candidates.begin(), candidates.end(), [](const Candidate &a, const Candidate &b) {
    return a.lastUse.tv_sec != b.lastUse.tv_sec ? a.lastUse.tv_sec < b.lastUse.tv_sec
                                                : a.lastUse.tv_nsec < b.lastUse.tv_nsec;
  });
  for (const Candidate &candidate : candidates) {
    if (total <= options_.maxBytes)
      break;
    // A process that has the entry open or mapped keeps it.
    if (unlinkat(directory, candidate.name.c_str(), 0) == 0 || errno == ENOENT)
      total -= candidate.bytes;
  }
}

std::vector<EntryReport> DiskCache::list(std::string *error) const {
  std::vector<EntryReport> reports;
  const FileDescriptor directory = openDirectory(false, error);
  if (!directory)
    return reports;
  std::vector<std::string> names = namesIn(directory.get());
  std::sort(names.begin(), names.end());
  for (const std::string &name : names) {
    if (!isEntryName(name))
      continue;
    EntryReport report;
    report.name = name;
    std::string problem;
    std::optional<OpenEntry> open = openEntry(directory.get(), name, problem);
    if (!open) {
      report.problem = problem;
      reports.push_back(std::move(report));
      continue;
    }
    report.bytes = static_cast<uint64_t>(open->info.st_size);
    report.lastUse = open->info.st_atim.tv_sec;
    const core::Expected<CacheEntry> entry = parseEntry(open->bytes);
    if (!entry)
      report.problem = entry.status().message();
    else if (fileName(entry->key) != name)
      report.problem = "holds the plan of another key";
    else if (report.isStale = !isCurrent(entry->toolchain); report.isStale)
      report.problem = "made by another build of LLVM or MLIR than the one installed";
    if (!report.problem || report.isStale)
      report.contents = std::move(open->bytes);
    reports.push_back(std::move(report));
  }
  return reports;
}

} // namespace burn::runtime
