// The stack of calls into the library that a thread is in, and errors that name them.
#pragma once

#include "runtime/Core/Status.h"

#include <burn/tensor.h>

#include <string>

namespace burn::trace {

/// Id of the place where the calling thread is: the chain of its location scopes.
uint32_t currentPlace();

/// Throws burn::Error for the chain of places `place`.
[[noreturn]] void raiseAt(uint32_t place, ErrorCode code, const std::string &message);

/// Throws burn::Error for the place where the calling thread is.
[[noreturn]] void raise(ErrorCode code, const std::string &message);
[[noreturn]] inline void raiseInvalid(const std::string &message) { raise(ErrorCode::InvalidArgument, message); }

} // namespace burn::trace
