// The families of canonicalization patterns; registered by the dialect (BurnCanonicalization.cpp).
#pragma once

#include "dialects/Burn/Burn.h"

namespace burn::ir {

/// Merges of ops that move data.
void populateMovementPatterns(mlir::RewritePatternSet &patterns);

/// Transposes around products.
void populateContractionPatterns(mlir::RewritePatternSet &patterns);

/// Sorting.
void populateOrderPatterns(mlir::RewritePatternSet &patterns);

/// Whether every value of one element type survives a conversion to the other.
bool keepsValues(mlir::Type from, mlir::Type to);

} // namespace burn::ir
