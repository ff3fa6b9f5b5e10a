#include "frontend/Io/FileIo.h"

#include "runtime/Cache/FileDescriptor.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <optional>
#include <utility>

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

namespace burn::detail {

using runtime::FileDescriptor;

void failFile(const std::string &file, const std::string &what) {
  throw Error(ErrorCode::DataLoss, file + ": " + what);
}

void failSystem(const std::string &file, const std::string &action, int error) {
  const ErrorCode code = error == ENOENT ? ErrorCode::NotFound : ErrorCode::Io;
  throw Error(code, file + ": cannot " + action + ": " + std::strerror(error));
}

namespace {

/// Removes a file at the end of the scope unless told to keep it.
class TemporaryFile {
public:
  explicit TemporaryFile(std::string path) : path_(std::move(path)) {}
  TemporaryFile(const TemporaryFile &) = delete;
  TemporaryFile &operator=(const TemporaryFile &) = delete;
  ~TemporaryFile() {
    if (!kept_)
      ::unlink(path_.c_str());
  }
  void keep() { kept_ = true; }

private:
  std::string path_;
  bool kept_ = false;
};

/// The permissions a newly created file gets. umask(2) can only be read by setting it, which would disturb other
/// threads, hence the file of the kernel.
mode_t newFileMode() {
  mode_t mask = 022;
  if (FILE *status = std::fopen("/proc/self/status", "re")) {
    char line[256];
    unsigned value;
    while (std::fgets(line, sizeof line, status))
      if (std::sscanf(line, "Umask: %o", &value) == 1)
        mask = value;
    std::fclose(status);
  }
  return 0666 & ~mask;
}

} // namespace

std::vector<std::byte> readFile(const std::filesystem::path &path) {
  const std::string file = path.string();
  const FileDescriptor in(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (!in)
    failSystem(file, "open", errno);
  struct stat info;
  if (::fstat(in.get(), &info) != 0)
    failSystem(file, "read", errno);
  if (S_ISDIR(info.st_mode))
    failSystem(file, "read", EISDIR);
  // Read to the end rather than to st_size: pipes have none, and a file may grow or shrink meanwhile.
  std::vector<std::byte> bytes(static_cast<size_t>(info.st_size) + 1);
  size_t used = 0;
  for (;;) {
    const ssize_t got = ::read(in.get(), bytes.data() + used, bytes.size() - used);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      failSystem(file, "read", errno);
    if (got == 0)
      break;
    used += static_cast<size_t>(got);
    if (used == bytes.size())
      bytes.resize(2 * bytes.size());
  }
  bytes.resize(used);
  return bytes;
}

void writeFileAtomically(const std::filesystem::path &path, std::span<const std::span<const std::byte>> parts) {
  const std::string file = path.string();
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  // A pipe or a device is written to; a file in its place would take it away.
  std::error_code unknown;
  const std::filesystem::file_status status = std::filesystem::status(path, unknown);
  const bool replaces = !std::filesystem::is_other(status);
  // In the same folder, since rename(2) does not cross file systems.
  std::string name = (folder / ("." + path.filename().string() + ".XXXXXX")).string();
  FileDescriptor out(replaces ? ::mkostemp(name.data(), O_CLOEXEC) : ::open(file.c_str(), O_WRONLY | O_CLOEXEC));
  if (!out)
    failSystem(file, replaces ? "create a temporary file beside it" : "open", errno);
  std::optional<TemporaryFile> temporary;
  if (replaces)
    temporary.emplace(name);
  for (std::span<const std::byte> part : parts) {
    while (!part.empty()) {
      const ssize_t put = ::write(out.get(), part.data(), part.size());
      if (put < 0 && errno == EINTR)
        continue;
      if (put < 0)
        failSystem(file, "write", errno);
      part = part.subspan(static_cast<size_t>(put));
    }
  }
  if (!replaces)
    return;
  // Closed here, so that a late write error is seen.
  if (::fchmod(out.get(), newFileMode()) != 0 || ::fsync(out.get()) != 0 || ::close(out.release()) != 0)
    failSystem(file, "write", errno);
  if (::rename(name.c_str(), file.c_str()) != 0)
    failSystem(file, "replace", errno);
  temporary->keep();
  // Make the new name itself last; file systems that cannot synchronise a folder are none the worse.
  const FileDescriptor directory(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (directory)
    ::fsync(directory.get());
}

} // namespace burn::detail
