// Calls that have to fail.
#pragma once

#include <burn/burn.h>

#include <catch2/catch.hpp>

#include <functional>
#include <string>

namespace burn::test {

/// Checks that a call is refused as an invalid argument, at a line of `file`, with a message that begins with `prefix`
/// and holds `part`.
inline void checkRefused(const std::string &prefix, const std::function<void()> &misuse, const std::string &file,
                         const std::string &part = "") {
  INFO(prefix);
  try {
    misuse();
    FAIL_CHECK("no error");
  } catch (const Error &error) {
    INFO(error.message());
    CHECK(error.code() == ErrorCode::InvalidArgument);
    CHECK(error.message().find(prefix) == 0);
    CHECK(error.message().find(part) != std::string::npos);
    CHECK(error.file().find(file) != std::string::npos);
  }
}

} // namespace burn::test
