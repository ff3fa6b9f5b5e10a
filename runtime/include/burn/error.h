/// `burn::Error`: the one type of exception that libburn throws.
#pragma once

#include <burn/error_code.h>
#include <burn/export.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace burn {

/// What went wrong, and where in the user's program. `what()` is the message, after "file:line: " where a line of the
/// user is known, then a line for each note. Nothing that the failed call was given has changed.
class BURN_API Error : public std::runtime_error {
public:
  /// A call inside the one that failed: the op within a module's forward.
  struct Note {
    std::string file;
    uint32_t line = 0;
    std::string message;
  };

  Error(ErrorCode code, const std::string &message);
  Error(ErrorCode code, const std::string &message, const std::string &file, uint32_t line,
        std::vector<Note> notes = {});
  Error(const Error &);
  ~Error() override;

  ErrorCode code() const { return code_; }
  /// The message alone.
  const std::string &message() const { return message_; }
  /// Source file of the user's call, the outermost one into the library; empty where the error has none.
  const std::string &file() const { return file_; }
  /// Line in `file()`; 0 where the error has none.
  uint32_t line() const { return line_; }
  /// Calls inside that one, from the outer to the inner.
  const std::vector<Note> &notes() const { return notes_; }

private:
  ErrorCode code_;
  uint32_t line_ = 0;
  std::string message_;
  std::string file_;
  std::vector<Note> notes_;
};

} // namespace burn
