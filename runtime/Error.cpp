#include <burn/error.h>

namespace burn {

Error::Error(ErrorCode code, const std::string &message) : std::runtime_error(message), code_(code) {}

Error::Error(ErrorCode code, const std::string &message, const std::string &file, uint32_t line)
    : std::runtime_error(file + ":" + std::to_string(line) + ": " + message), code_(code), line_(line), file_(file) {}

Error::Error(const Error &) = default;
Error::~Error() = default;

} // namespace burn
