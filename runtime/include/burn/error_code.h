/// `burn::ErrorCode`: the kinds of failure.
#pragma once

#include <cstdint>

namespace burn {

/// Kinds of failure. The numbers cross the C interface: explicit, never reused.
enum class ErrorCode : int32_t {
  Ok = 0,
  InvalidArgument = 1, // shapes, dtypes, attributes, malformed input
  NotFound = 2,        // a file, a symbol, an entry
  Io = 3,              // reading or writing failed
  DataLoss = 4,        // truncated or corrupt bytes
  OutOfMemory = 5,
  Unsupported = 6, // well-formed, but not built for this target or op
  Unavailable = 7, // compiler library, device or driver missing
  Internal = 8,    // a fault of ours
  OutOfRange = 9,  // an index operand outside its dimension, found at run time
};

} // namespace burn
