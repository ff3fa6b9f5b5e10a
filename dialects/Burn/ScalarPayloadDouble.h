#ifndef BURN_DIALECTS_BURN_SCALARPAYLOADDOUBLE_H
#define BURN_DIALECTS_BURN_SCALARPAYLOADDOUBLE_H

#include "dialects/Burn/ScalarPayloadBuilder.h"

namespace burn::ir {

/// A value as an unevaluated sum of two floats, the second of them small beside the
/// first. Twice the precision of the type where the two do not overlap. Neither
/// part may overflow. Private to the payload files.
struct Double {
  mlir::Value high, low;
};

inline Double constant(FloatFormula &m, double high, double low) { return {m.num(high), m.num(low)}; }

inline mlir::Value collapse(FloatFormula &m, Double x) { return m.add(x.high, x.low); }
inline Double negated(FloatFormula &m, Double x) { return {m.neg(x.high), m.neg(x.low)}; }
/// Times a power of two.
inline Double scaled(FloatFormula &m, Double x, mlir::Value factor) {
  return {m.mul(x.high, factor), m.mul(x.low, factor)};
}
inline Double select(FloatFormula &m, mlir::Value c, Double x, Double y) {
  return {m.select(c, x.high, y.high), m.select(c, x.low, y.low)};
}

/// x + y without error.
inline Double exactSum(FloatFormula &m, mlir::Value x, mlir::Value y) {
  mlir::Value high = m.add(x, y);
  mlir::Value part = m.sub(high, x);
  return {high, m.add(m.sub(x, m.sub(high, part)), m.sub(y, part))};
}

/// large + small without error, where |large| >= |small| or large is 0.
inline Double quickSum(FloatFormula &m, mlir::Value large, mlir::Value small) {
  mlir::Value high = m.add(large, small);
  return {high, m.add(m.sub(large, high), small)};
}

/// x * y without error.
inline Double exactProduct(FloatFormula &m, mlir::Value x, mlir::Value y) {
  mlir::Value high = m.mul(x, y);
  return {high, m.mulAdd(x, y, m.neg(high))};
}

inline Double product(FloatFormula &m, Double x, mlir::Value y) {
  Double result = exactProduct(m, x.high, y);
  result.low = m.mulAdd(x.low, y, result.low);
  return result;
}

inline Double product(FloatFormula &m, Double x, Double y) {
  Double result = exactProduct(m, x.high, y.high);
  result.low = m.mulAdd(x.high, y.low, result.low);
  result.low = m.mulAdd(x.low, y.high, result.low);
  return result;
}

/// large + small, where |large| >= |small.high| or large is 0.
inline Double sum(FloatFormula &m, mlir::Value large, Double small) {
  Double result = quickSum(m, large, small.high);
  result.low = m.add(result.low, small.low);
  return result;
}

inline Double sum(FloatFormula &m, Double x, Double y) {
  Double result = exactSum(m, x.high, y.high);
  result.low = m.add(result.low, m.add(x.low, y.low));
  return result;
}

/// x / y. The parts of x may overlap, those of y not.
inline Double quotient(FloatFormula &m, Double x, Double y) {
  mlir::Value inverse = m.div(m.num(1), y.high);
  mlir::Value high = m.mul(x.high, inverse);
  mlir::Value negated = m.neg(high);
  mlir::Value remainder = m.mulAdd(negated, y.high, x.high);
  remainder = m.add(remainder, m.mulAdd(negated, y.low, x.low));
  return {high, m.mul(remainder, inverse)};
}

/// value 2^n.
struct ScaledDouble {
  Double value;
  mlir::Value biasedTwice; ///< n + 2 bias as an integer
};
/// exp(x); the value is in [sqrt(1/2), sqrt(2)].
ScaledDouble expOf(FloatFormula &m, Double x);

/// log(1 + f) for 1 + f in [sqrt(1/2), sqrt(2)].
Double log1pOf(FloatFormula &m, Double f);
/// log(x) for positive x.
Double logOf(FloatFormula &m, mlir::Value x);
/// log(x) + powers ln2, for normal x below the last power of two and a small integer.
Double logOf(FloatFormula &m, Double x, mlir::Value powers);

} // namespace burn::ir

#endif // BURN_DIALECTS_BURN_SCALARPAYLOADDOUBLE_H
