#include <burn/error.h>

namespace burn {
namespace {

std::string place(const std::string &file, uint32_t line) { return file + ":" + std::to_string(line) + ": "; }

std::string fullText(const std::string &message, const std::string &file, uint32_t line,
                     const std::vector<Error::Note> &notes) {
  std::string text = place(file, line) + message;
  for (const Error::Note &note : notes)
    text += "\n" + place(note.file, note.line) + "note: " + note.message;
  return text;
}

} // namespace

Error::Error(ErrorCode code, const std::string &message)
    : std::runtime_error(message), code_(code), message_(message) {}

Error::Error(ErrorCode code, const std::string &message, const std::string &file, uint32_t line,
             std::vector<Note> notes)
    : std::runtime_error(fullText(message, file, line, notes)), code_(code), line_(line), message_(message),
      file_(file), notes_(std::move(notes)) {}

Error::Error(const Error &) = default;
Error::~Error() = default;

} // namespace burn
