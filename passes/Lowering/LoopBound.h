#pragma once

#include "mlir/IR/Block.h"

namespace burn::compiler {

/// How often the loops in a block of a GPU's kernel iterate at most, all together, as drivers count that limit it: a
/// loop of 10 iterations counts 11, since it is entered once more to find its end, and one of 5 in it 60 more. What
/// searches by halving (scf.while) goes over 32-bit indices. Infinite where the bounds of a loop say nothing.
double mostLoopIterations(mlir::Block &block);

} // namespace burn::compiler
