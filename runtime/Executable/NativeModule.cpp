#include "runtime/Executable/NativeModule.h"

#include <cerrno>
#include <cstring>
#include <string>

#include <dlfcn.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace burn::runtime {

using core::ErrorCode;
using core::Expected;
using core::Status;

Expected<std::unique_ptr<NativeModule>> NativeModule::load(FileDescriptor file) {
  const std::string number = std::to_string(file.get());
  std::string path = "/proc/" + std::to_string(getpid()) + "/fd/" + number;
  struct stat ours, found;
  // A /proc of another process namespace shows some other process under our number.
  if (fstat(file.get(), &ours) != 0 || stat(path.c_str(), &found) != 0 || ours.st_ino != found.st_ino ||
      ours.st_dev != found.st_dev)
    path = "/proc/self/fd/" + number;
  void *handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    const char *text = dlerror();
    return Status::error(ErrorCode::Unavailable, std::string("cannot load compiled code: ") + (text ? text : path));
  }
  return std::unique_ptr<NativeModule>(new NativeModule(std::move(file), handle));
}

NativeModule::~NativeModule() { dlclose(handle_); }

void *NativeModule::symbol(const char *name) const { return dlsym(handle_, name); }

Expected<FileDescriptor> memoryFile(std::span<const std::byte> bytes) {
#ifdef MFD_EXEC
  // Said outright, where the kernel knows it: some systems default to files that cannot be mapped as code.
  FileDescriptor file(memfd_create("burn-plan", MFD_CLOEXEC | MFD_EXEC));
  if (!file && errno == EINVAL)
    file = FileDescriptor(memfd_create("burn-plan", MFD_CLOEXEC));
#else
  FileDescriptor file(memfd_create("burn-plan", MFD_CLOEXEC));
#endif
  while (file && !bytes.empty()) {
    const ssize_t written = write(file.get(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0) {
      file = FileDescriptor();
      break;
    }
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
  if (!file)
    return Status::error(ErrorCode::OutOfMemory,
                         std::string("cannot keep compiled code in memory: ") + std::strerror(errno));
  return file;
}

} // namespace burn::runtime
