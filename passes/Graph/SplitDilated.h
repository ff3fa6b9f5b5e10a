#pragma once

#include "dialects/Burn/Burn.h"

namespace burn::compiler {

/// Replaces a convolution of a dilated input, as the gradient of one with strides has it, by one convolution for each
/// residue of the result's coordinates: those of one residue meet the same taps of the kernel, and the others meet
/// gaps. No gap is then multiplied; what it adds, 0 or NaN where the kernel is infinite or NaN, is added once. Where
/// that is not worth it, gaps are multiplied, and 0 is added, so that zeros have the same signs.
void splitDilated(ir::ConvOp conv);

} // namespace burn::compiler
