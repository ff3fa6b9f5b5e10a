// Float operations that drivers do not carry out as IEEE 754 asks, written as ones that they do.
#pragma once

#include "runtime/Core/GpuTarget.h"

#include "mlir/IR/PatternMatch.h"

namespace burn::compiler {

/// Expands square roots of f32, roundings to f16, and fused multiply-adds that the GPU does not round once, into sums,
/// products and integers. What they compute is the same on every GPU whose sums and products are rounded right.
void populateGpuFloatPatterns(mlir::RewritePatternSet &patterns, const core::GpuTarget &target);

} // namespace burn::compiler
