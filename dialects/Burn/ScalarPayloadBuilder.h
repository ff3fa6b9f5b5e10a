#ifndef BURN_DIALECTS_BURN_SCALARPAYLOADBUILDER_H
#define BURN_DIALECTS_BURN_SCALARPAYLOADBUILDER_H

#include "dialects/Burn/ScalarPayloads.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"

#include <array>
#include <limits>

namespace burn::ir {

/// Formula notation for the payloads of f32 and f64 functions: constants in the
/// shape of the argument, and the bits of a float as integers of equal width.
/// Private to the payload files.
class FloatFormula {
public:
  FloatFormula(mlir::ImplicitLocOpBuilder &b, mlir::Type type)
      : b(b), type(type), wide(mlir::getElementTypeOrSelf(type).isF64()),
        bitsType(withShapeOf(type, wide ? b.getI64Type() : b.getI32Type())) {}

  static constexpr double infinity = std::numeric_limits<double>::infinity();
  static constexpr double notANumber = std::numeric_limits<double>::quiet_NaN();

  bool isF64() const { return wide; }
  /// Stored significand bits, and exponent bias.
  int significandBits() const { return wide ? 52 : 23; }
  int64_t bias() const { return wide ? 1023 : 127; }
  int64_t signMask() const { return wide ? INT64_MIN : int64_t(0x80000000); }

  mlir::Value num(double value);
  mlir::Value bitsNum(int64_t value);

  mlir::Value add(mlir::Value x, mlir::Value y) { return mlir::arith::AddFOp::create(b, x, y); }
  mlir::Value sub(mlir::Value x, mlir::Value y) { return mlir::arith::SubFOp::create(b, x, y); }
  mlir::Value mul(mlir::Value x, mlir::Value y) { return mlir::arith::MulFOp::create(b, x, y); }
  mlir::Value div(mlir::Value x, mlir::Value y) { return mlir::arith::DivFOp::create(b, x, y); }
  mlir::Value sqrt(mlir::Value x) { return mlir::math::SqrtOp::create(b, x); }
  mlir::Value floor(mlir::Value x) { return mlir::math::FloorOp::create(b, x); }
  mlir::Value roundEven(mlir::Value x) { return mlir::math::RoundEvenOp::create(b, x); }
  mlir::Value neg(mlir::Value x) { return mlir::arith::NegFOp::create(b, x); }
  mlir::Value abs(mlir::Value x) { return mlir::math::AbsFOp::create(b, x); }
  /// x * y + z with one rounding.
  mlir::Value mulAdd(mlir::Value x, mlir::Value y, mlir::Value z) { return mlir::math::FmaOp::create(b, x, y, z); }
  mlir::Value copySign(mlir::Value magnitude, mlir::Value sign) {
    return mlir::math::CopySignOp::create(b, magnitude, sign);
  }
  mlir::Value is(mlir::arith::CmpFPredicate predicate, mlir::Value x, mlir::Value y) {
    return mlir::arith::CmpFOp::create(b, predicate, x, y);
  }
  mlir::Value is(mlir::arith::CmpFPredicate predicate, mlir::Value x, double y) { return is(predicate, x, num(y)); }
  mlir::Value select(mlir::Value c, mlir::Value x, mlir::Value y) { return mlir::arith::SelectOp::create(b, c, x, y); }
  mlir::Value either(mlir::Value x, mlir::Value y) { return mlir::arith::OrIOp::create(b, x, y); }
  mlir::Value both(mlir::Value x, mlir::Value y) { return mlir::arith::AndIOp::create(b, x, y); }
  mlir::Value opposite(mlir::Value x);
  /// x bounded below and above; NaN stays.
  mlir::Value atLeast(mlir::Value x, double low);
  mlir::Value atMost(mlir::Value x, double high);

  /// c[0] + x * (c[1] + x * (...)).
  mlir::Value polynomial(llvm::ArrayRef<double> coefficients, mlir::Value x);

  mlir::Value toBits(mlir::Value x) { return mlir::arith::BitcastOp::create(b, bitsType, x); }
  mlir::Value fromBits(mlir::Value x) { return mlir::arith::BitcastOp::create(b, type, x); }
  mlir::Value bitsAdd(mlir::Value x, int64_t y) { return mlir::arith::AddIOp::create(b, x, bitsNum(y)); }
  mlir::Value bitsAnd(mlir::Value x, int64_t y) { return mlir::arith::AndIOp::create(b, x, bitsNum(y)); }
  mlir::Value bitsPlus(mlir::Value x, mlir::Value y) { return mlir::arith::AddIOp::create(b, x, y); }
  mlir::Value bitsMinus(mlir::Value x, mlir::Value y) { return mlir::arith::SubIOp::create(b, x, y); }
  mlir::Value bitsOr(mlir::Value x, mlir::Value y) { return mlir::arith::OrIOp::create(b, x, y); }
  mlir::Value bitsXor(mlir::Value x, mlir::Value y) { return mlir::arith::XOrIOp::create(b, x, y); }
  /// Logical shifts by fewer places than the width.
  mlir::Value bitsShiftLeft(mlir::Value x, mlir::Value places) { return mlir::arith::ShLIOp::create(b, x, places); }
  mlir::Value bitsShiftRight(mlir::Value x, mlir::Value places) { return mlir::arith::ShRUIOp::create(b, x, places); }
  mlir::Value bitsEqual(mlir::Value x, int64_t y);
  /// As unsigned numbers.
  mlir::Value bitsBelow(mlir::Value x, mlir::Value y);
  /// Low and high half of the unsigned product.
  std::pair<mlir::Value, mlir::Value> bitsProduct(mlir::Value x, mlir::Value y);
  /// The bits as a signed number.
  mlir::Value signedToFloat(mlir::Value x) { return mlir::arith::SIToFPOp::create(b, type, x); }
  /// What `compute` gives where the condition holds for any lane, else `otherwise`: `compute` must give for
  /// each lane outside of the condition what `otherwise` has there.
  using Triple = std::array<mlir::Value, 3>;
  Triple whereAny(mlir::Value condition, const Triple &otherwise, llvm::function_ref<Triple()> compute);
  /// The power of two whose biased exponent is `exponent`.
  mlir::Value powerOfTwo(mlir::Value exponent) { return fromBits(bitsShiftLeft(exponent, bitsNum(significandBits()))); }

  /// The coefficients that fit the width.
  llvm::ArrayRef<double> pick(llvm::ArrayRef<double> narrow, llvm::ArrayRef<double> wideOnes) const {
    return wide ? wideOnes : narrow;
  }
  double pick(double narrow, double wideOne) const { return wide ? wideOne : narrow; }
  /// `result`, but x itself where x is a zero.
  mlir::Value keepZero(mlir::Value x, mlir::Value result) {
    return select(is(mlir::arith::CmpFPredicate::OEQ, x, 0.0), x, result);
  }

  /// x = n ln2 + r with r = high + low, |r| <= ln2 / 2, |low| << |high|;
  /// `biasedTwice` is n + 2 bias as an integer.
  struct ExpReduction {
    mlir::Value high, low, biasedTwice;
  };
  ExpReduction reduceExp(mlir::Value x);
  /// exp(r) - 1 on the reduced range.
  mlir::Value expm1Reduced(const ExpReduction &reduced);
  /// x * 2^n, rounded once where the result is subnormal.
  mlir::Value scale(mlir::Value x, mlir::Value biasedTwice);
  /// exp(x) where neither x nor exp(x) is near the end of the range; NaN stays.
  mlir::Value expInRange(mlir::Value x);
  mlir::Value exp(mlir::Value x);

  /// x = 2^k (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)), for positive normal x.
  struct LogReduction {
    mlir::Value biasedK; ///< k + bias as an integer
    mlir::Value f;
  };
  LogReduction reduceLog(mlir::Value x);
  /// A small non-negative integer as a float, minus `offset`.
  mlir::Value smallToFloat(mlir::Value integer, mlir::Value offset);
  /// The value to subtract so that smallToFloat(biasedK) is k.
  double smallToFloatOffset() const { return (wide ? 0x1p52 : 0x1p23) + double(bias()); }
  /// log(1 + f) - f + f^2 / 2.
  mlir::Value logTail(mlir::Value f, mlir::Value halfSquare);
  /// k ln2 + log(1 + f).
  mlir::Value logReduced(mlir::Value k, mlir::Value f);
  /// Scales subnormal x up; returns x and the smallToFloat offset that fits it.
  std::pair<mlir::Value, mlir::Value> normalize(mlir::Value x);

  mlir::ImplicitLocOpBuilder &b;
  const mlir::Type type;

private:
  bool wide;
  mlir::Type bitsType;
};

mlir::Value buildExpm1(FloatFormula &m, mlir::Value x);
mlir::Value buildTanh(FloatFormula &m, mlir::Value x);
mlir::Value buildErf(FloatFormula &m, mlir::Value x);
/// erf(x) / x - 1 of x^2, for |x| < 0.9375.
mlir::Value erfSeries(FloatFormula &m, mlir::Value square);
mlir::Value buildErfc(FloatFormula &m, mlir::Value x);
mlir::Value buildErfInv(FloatFormula &m, mlir::Value x);
mlir::Value buildGelu(FloatFormula &m, mlir::Value x);
mlir::Value buildGeluTanh(FloatFormula &m, mlir::Value x);
mlir::Value buildExp2(FloatFormula &m, mlir::Value x);
mlir::Value buildLog2(FloatFormula &m, mlir::Value x);
mlir::Value buildLog10(FloatFormula &m, mlir::Value x);
mlir::Value buildCbrt(FloatFormula &m, mlir::Value x);
mlir::Value buildSin(FloatFormula &m, mlir::Value x);
mlir::Value buildCos(FloatFormula &m, mlir::Value x);
mlir::Value buildTan(FloatFormula &m, mlir::Value x);
mlir::Value buildAsin(FloatFormula &m, mlir::Value x);
mlir::Value buildAcos(FloatFormula &m, mlir::Value x);
mlir::Value buildAtan(FloatFormula &m, mlir::Value x);
mlir::Value buildAtan2(FloatFormula &m, mlir::Value y, mlir::Value x);
mlir::Value buildSinh(FloatFormula &m, mlir::Value x);
mlir::Value buildCosh(FloatFormula &m, mlir::Value x);
mlir::Value buildAsinh(FloatFormula &m, mlir::Value x);
mlir::Value buildAcosh(FloatFormula &m, mlir::Value x);
mlir::Value buildAtanh(FloatFormula &m, mlir::Value x);
mlir::Value buildLgamma(FloatFormula &m, mlir::Value x);
mlir::Value buildDigamma(FloatFormula &m, mlir::Value x);
mlir::Value buildPolygamma(FloatFormula &m, int64_t order, mlir::Value x);
mlir::Value buildHypot(FloatFormula &m, mlir::Value x, mlir::Value y);
/// x^exponent in f32 or f64.
mlir::Value buildPowi(FloatFormula &m, mlir::Value x, int64_t exponent);
mlir::Value buildLogistic(FloatFormula &m, mlir::Value x);
mlir::Value buildLog(FloatFormula &m, mlir::Value x);
/// `result`, the logarithm of x to some base, but where x is no positive finite number.
mlir::Value fixLog(FloatFormula &m, mlir::Value x, mlir::Value result);
mlir::Value buildLog1p(FloatFormula &m, mlir::Value x);
mlir::Value buildRsqrt(FloatFormula &m, mlir::Value x);
/// The greater or lesser of two floats; NaN where either is; -0 is below +0.
mlir::Value buildExtremum(FloatFormula &m, bool isMax, mlir::Value x, mlir::Value y);
/// x^y in f32 or f64.
mlir::Value buildPow(FloatFormula &m, mlir::Value x, mlir::Value y);

/// f16 or bf16 to f32, exact.
mlir::Value buildExtendToF32(mlir::ImplicitLocOpBuilder &b, mlir::Value x, ScalarKind from);
/// f32 to f16 or bf16, to nearest even.
mlir::Value buildRoundFromF32(mlir::ImplicitLocOpBuilder &b, mlir::Value x, ScalarKind to);
/// A splat in the shape of `type`.
mlir::Value buildSplat(mlir::ImplicitLocOpBuilder &b, mlir::Type type, mlir::TypedAttr element);

template <typename Emit, typename... Operands> mlir::Value ScalarOps::compute(Emit emit, Operands... operands) {
  if (kind.width >= 32)
    return emit(operands...);
  mlir::Value result = emit(buildExtendToF32(b, operands, kind)...);
  return buildRoundFromF32(b, result, kind);
}

} // namespace burn::ir

#endif // BURN_DIALECTS_BURN_SCALARPAYLOADBUILDER_H
