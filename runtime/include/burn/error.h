/// `burn::Error`: the one type of exception that libburn throws.
#pragma once

#include <burn/error_code.h>
#include <burn/export.h>

#include <cstdint>
#include <stdexcept>
#include <string>

namespace burn {

/// What went wrong, and where in the user's program. `what()` is the message, after "file:line: " where a line of the
/// user is known. Nothing that the failed call was given has changed.
class BURN_API Error : public std::runtime_error {
public:
  Error(ErrorCode code, const std::string &message);
  Error(ErrorCode code, const std::string &message, const std::string &file, uint32_t line);
  Error(const Error &);
  ~Error() override;

  ErrorCode code() const { return code_; }
  /// Source file of the user's call; empty where the error has none.
  const std::string &file() const { return file_; }
  /// Line in `file()`; 0 where the error has none.
  uint32_t line() const { return line_; }

private:
  ErrorCode code_;
  uint32_t line_ = 0;
  std::string file_;
};

} // namespace burn
