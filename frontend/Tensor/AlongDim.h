// Gather and scatter along one dimension: indices of the rank of what they index, beside all its other dimensions.
#pragma once

#include "frontend/Tensor/Support.h"

namespace burn {

/// Element [i][j][k] of the result is x[i][indices[i][j][k]][k] for dim 1; the other dimensions agree. `mode` is
/// AssumeValid for indices that are right by construction.
Ref gatherAlong(Recorder &recorder, Ref x, Ref indices, unsigned dim, core::IndexMode mode);

/// What scatter, scatter_add and their like record: x with `source` joined at the indices.
Tensor scattered(const char *name, const Tensor &x, int64_t dim, const Tensor &indices, const Operand &source,
                 core::ScatterCombiner combiner);

/// A dimension of x, which becomes a vector where it is a number.
unsigned lineDim(Recorder &recorder, Ref &x, int64_t dim);

/// Places along a dimension, as i64.
Ref placesAlong(Recorder &recorder, const ShapeEntry *shape, unsigned dim);

} // namespace burn
