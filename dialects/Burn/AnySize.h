// Types of any number of elements, as type inference sees them; not for others.
#pragma once

#include "dialects/Burn/Burn.h"

namespace burn::ir {

/// Element type and shape as `toTypeDesc` gives them, of types of 2^60 elements and more too. A builder has no way to
/// fail, so inference lets what a decomposition or a derivative builds of them pass; it is refused when the pass that
/// built it ends, at the line of the op that it stands for.
std::optional<core::TypeDesc> toTypeDescOfAnySize(mlir::Type type);

} // namespace burn::ir
