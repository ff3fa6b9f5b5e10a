#pragma once

#include "dialects/Burn/Burn.h"

namespace burn::compiler {

/// Replaces a concatenation of many tensors by one of concatenations, each a kernel of its own: a kernel looks at all
/// of its operands at each place, so the time of one grows with their number times the elements, and its code with
/// their number. Kernels that join operands of the same shapes are one. Other ops stay.
void splitConcat(ir::ConcatOp concat);

} // namespace burn::compiler
