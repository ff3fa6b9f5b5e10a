// A folder of a test's own, removed at the end of the scope.
#pragma once

#include <burn/error.h>

#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <stdlib.h>

class TemporaryFolder {
public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "burn-test-XXXXXX").string();
    if (!mkdtemp(name.data()))
      throw std::runtime_error("cannot create a temporary folder");
    path_ = name;
  }
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  std::filesystem::path operator/(const std::string &name) const { return path_ / name; }
  const std::filesystem::path &path() const { return path_; }

private:
  std::filesystem::path path_;
};

inline void writeBytes(const std::filesystem::path &path, const std::string &bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

inline std::string readBytes(const std::filesystem::path &path) {
  std::ifstream in(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

/// Runs `call`, which must throw a `burn::Error`, and returns its message.
template <typename Call> std::string errorOf(Call &&call) {
  try {
    call();
  } catch (const burn::Error &error) {
    return error.what();
  }
  FAIL("no burn::Error was thrown");
  return "";
}
