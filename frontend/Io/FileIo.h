// Whole files in and out, with errors that name the file.
#pragma once

#include <burn/error.h>

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace burn::detail {

/// Throws the error "<file>: <what>" of bad content.
[[noreturn]] void failFile(const std::string &file, const std::string &what);

/// Throws the error "<file>: cannot <action>: <text of error>" of a failed system call.
[[noreturn]] void failSystem(const std::string &file, const std::string &action, int error);

std::vector<std::byte> readFile(const std::filesystem::path &path);

/// Replaces `path` by a file of the concatenated `parts`. Readers see the old file or the new one, also after a crash.
void writeFileAtomically(const std::filesystem::path &path, std::span<const std::span<const std::byte>> parts);

} // namespace burn::detail
