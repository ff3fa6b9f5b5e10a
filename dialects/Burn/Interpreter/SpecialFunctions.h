// Special functions that the C++ library lacks, to about the precision of long double.
#pragma once

#include <cstdint>

namespace burn::ir::meaning {

/// The x with erf(x) = y: infinite at -1 and 1, NaN beyond.
long double inverseErf(long double y);

/// log |gamma(x)|.
long double logGamma(long double x);

/// The derivative of logGamma: minus infinity at +0, plus infinity at -0, NaN at the other poles.
long double digamma(long double x);

/// The derivative of digamma of an order from 1 on. At the poles infinity for odd orders, minus infinity
/// for even ones: the zeta function in it is infinite there.
long double polygamma(int64_t order, long double x);

} // namespace burn::ir::meaning
