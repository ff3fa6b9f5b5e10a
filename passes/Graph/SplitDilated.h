#pragma once

#include "dialects/Burn/Burn.h"

namespace burn::compiler {

/// Replaces a convolution of a dilated input, as the gradient of one with strides has it, by one convolution for each
/// residue of the result's coordinates: those of one residue meet the same taps of the kernel, and the others meet
/// gaps. No gap is then multiplied; what it adds where the kernel is infinite or NaN is added once. Other ops stay.
void splitDilated(ir::ConvOp conv);

} // namespace burn::compiler
