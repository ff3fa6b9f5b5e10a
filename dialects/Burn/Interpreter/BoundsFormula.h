// Shared by the bounds files; not for others.
#pragma once

#include "dialects/Burn/Interpreter/Bounds.h"

namespace burn::ir::bounds {

/// Half the distance from 1 to the next number of the type, 0 for integers.
double unitRoundoff(DType dtype);

/// Absolute tolerances of the elements of a composite's result `index`.
std::vector<double> formulaTolerances(core::OpCode op, std::span<const HostTensor *const> operands,
                                      std::span<const int64_t> words, unsigned index, const HostTensor &expected);

} // namespace burn::ir::bounds
