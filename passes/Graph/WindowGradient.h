// The gradient of an extremum in each window.
#pragma once

#include "dialects/Burn/Burn.h"

namespace burn::compiler {

/// The search whose places a scatter adds its updates at, where that is the gradient of maxima or minima over windows
/// that do not overlap: a scatter into zeros, one update for each window. A kernel can then go through the windows,
/// find each extremum again and write the update and zeros beside it, so that neither places nor zeros are stored.
/// Null for any other scatter.
ir::ArgReduceWindowOp windowGradientOf(ir::ScatterOp scatter);

} // namespace burn::compiler
