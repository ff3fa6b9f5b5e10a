// Values that the gradient of a checkpoint keeps.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace burn::ir {

/// On a burn.custom_vjp that stands between a value that is computed again and its readers: the value that it captures
/// equals its input and is there already.
inline constexpr llvm::StringLiteral kKeptAttr = "burn.kept";

} // namespace burn::ir
