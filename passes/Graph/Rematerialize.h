// Rematerialization: cheap values are computed again where they are read.
#pragma once

#include "passes/Graph/FusionGraph.h"

namespace burn::compiler {

/// Lets clusters compute values again that others would store for them, where that takes less time: bytes that are not
/// moved against ops that the readers repeat. What is computed again are chains of cheap elementwise ops
/// down to values that have buffers anyway or are small; and never only for some of the readers, since the value would
/// be stored all the same. The values keep their bits, as the same ops run on the same operands.
void rematerialize(const FusionGraph &graph, llvm::MutableArrayRef<Cluster> clusters);

} // namespace burn::compiler
