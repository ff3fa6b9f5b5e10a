// Float operations that drivers do not carry out as IEEE 754 asks, written as ones that they do.
#pragma once

#include "mlir/IR/PatternMatch.h"

namespace burn::compiler {

/// Expands fused multiply-adds, square roots of f32 and roundings to f16 into sums, products and integers. What they
/// compute is the same on every GPU whose sums and products are rounded right.
void populateGpuFloatPatterns(mlir::RewritePatternSet &patterns);

} // namespace burn::compiler
