// Which shared libraries made a cache entry. Their names and versions are in the build id already, but a security
// update of the distribution replaces a library in place: entries that the old one made must not stay in use.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace burn::runtime {

/// A library file as it was when an entry was made.
struct ToolchainFile {
  std::string path;
  uint64_t bytes = 0;
  int64_t modifiedNs = 0; // nanoseconds since the epoch
  friend bool operator==(const ToolchainFile &, const ToolchainFile &) = default;
};

/// libLLVM and libMLIR as loaded into this process; empty where neither is.
std::vector<ToolchainFile> loadedToolchain();

/// False where one of the files exists with another size or time. Absent files are accepted: a cache may be shipped
/// to machines without LLVM.
bool isCurrent(const std::vector<ToolchainFile> &files);

} // namespace burn::runtime
