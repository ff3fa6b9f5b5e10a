#ifndef BURN_DIALECTS_BURN_SCALARPAYLOADTRIG_H
#define BURN_DIALECTS_BURN_SCALARPAYLOADTRIG_H

#include "dialects/Burn/ScalarPayloadDouble.h"

namespace burn::ir {

/// An angle of `quadrant` quarter turns, its low two bits counting, and a rest of at
/// most an eighth of a turn either way. Private to the payload files.
struct Angle {
  mlir::Value quadrant;
  Double rest;
};

/// pi x, for |x| below the integers that the type cannot tell apart.
Angle reduceTurns(FloatFormula &m, mlir::Value x);

/// Sine and cosine of the rest of an angle; the parts of the result may overlap.
Double sinOf(FloatFormula &m, Double rest);
Double cosOf(FloatFormula &m, Double rest);
/// Tangent of an angle. At a pole the parts are infinite or NaN.
Double tanOf(FloatFormula &m, const Angle &angle);

} // namespace burn::ir

#endif // BURN_DIALECTS_BURN_SCALARPAYLOADTRIG_H
