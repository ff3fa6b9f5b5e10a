#include "runtime/Cache/Toolchain.h"

#include <cstring>
#include <optional>

#include <link.h>
#include <sys/stat.h>

namespace burn::runtime {

namespace {

std::optional<ToolchainFile> describeFile(const char *path) {
  struct stat info;
  if (stat(path, &info) != 0)
    return std::nullopt;
  return ToolchainFile{path, static_cast<uint64_t>(info.st_size),
                       info.st_mtim.tv_sec * int64_t(1'000'000'000) + info.st_mtim.tv_nsec};
}

} // namespace

std::vector<ToolchainFile> loadedToolchain() {
  std::vector<ToolchainFile> files;
  dl_iterate_phdr(
      [](dl_phdr_info *info, size_t, void *result) {
        const char *slash = info->dlpi_name ? std::strrchr(info->dlpi_name, '/') : nullptr;
        if (slash && (std::strncmp(slash, "/libLLVM", 8) == 0 || std::strncmp(slash, "/libMLIR", 8) == 0))
          if (auto file = describeFile(info->dlpi_name))
            static_cast<std::vector<ToolchainFile> *>(result)->push_back(std::move(*file));
        return 0;
      },
      &files);
  return files;
}

bool isCurrent(const std::vector<ToolchainFile> &files) {
  for (const ToolchainFile &file : files)
    if (const auto now = describeFile(file.path.c_str()); now && *now != file)
      return false;
  return true;
}

} // namespace burn::runtime
