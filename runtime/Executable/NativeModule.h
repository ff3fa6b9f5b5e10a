// Machine code mapped from a descriptor.
#pragma once

#include "runtime/Cache/FileDescriptor.h"
#include "runtime/Core/Status.h"

#include <cstddef>
#include <memory>
#include <span>

namespace burn::runtime {

/// A shared object loaded from an open file. The file is loaded through the descriptor that it was checked through,
/// by the name /proc/<pid>/fd/<number>, and the descriptor stays open as long as the code is mapped: the dynamic
/// linker takes two objects of one name for the same, so the number must not be used again before.
class NativeModule {
public:
  static core::Expected<std::unique_ptr<NativeModule>> load(FileDescriptor file);

  NativeModule(const NativeModule &) = delete;
  NativeModule &operator=(const NativeModule &) = delete;
  ~NativeModule();

  /// Address of a symbol that this object defines, or null.
  void *symbol(const char *name) const;

private:
  NativeModule(FileDescriptor file, void *handle) : file_(std::move(file)), handle_(handle) {}

  FileDescriptor file_;
  void *handle_;
};

/// A file in memory that holds `bytes`, for code that no directory can serve.
core::Expected<FileDescriptor> memoryFile(std::span<const std::byte> bytes);

} // namespace burn::runtime
