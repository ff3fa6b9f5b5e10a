#ifndef BURN_DIALECTS_BURN_SCALARPAYLOADBUILDER_H
#define BURN_DIALECTS_BURN_SCALARPAYLOADBUILDER_H

#include "dialects/Burn/ScalarPayloads.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"

namespace burn::ir {

/// Formula notation for the payloads of f32 and f64 functions: constants in the
/// shape of the argument, and the bits of a float as integers of equal width.
/// Private to the payload files.
class FloatFormula {
public:
  FloatFormula(mlir::ImplicitLocOpBuilder &b, mlir::Type type)
      : b(b), type(type), wide(mlir::getElementTypeOrSelf(type).isF64()),
        bitsType(withShapeOf(type, wide ? b.getI64Type() : b.getI32Type())) {}

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
  /// x bounded below and above; NaN stays.
  mlir::Value atLeast(mlir::Value x, double low);
  mlir::Value atMost(mlir::Value x, double high);

  /// c[0] + x * (c[1] + x * (...)).
  mlir::Value polynomial(llvm::ArrayRef<double> coefficients, mlir::Value x);

  mlir::Value toBits(mlir::Value x) { return mlir::arith::BitcastOp::create(b, bitsType, x); }
  mlir::Value fromBits(mlir::Value x) { return mlir::arith::BitcastOp::create(b, type, x); }
  mlir::Value bitsAdd(mlir::Value x, int64_t y) { return mlir::arith::AddIOp::create(b, x, bitsNum(y)); }
  mlir::Value bitsAnd(mlir::Value x, int64_t y) { return mlir::arith::AndIOp::create(b, x, bitsNum(y)); }
  /// The power of two whose biased exponent is `exponent`.
  mlir::Value powerOfTwo(mlir::Value exponent) {
    return fromBits(mlir::arith::ShLIOp::create(b, exponent, bitsNum(significandBits())));
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
mlir::Value buildLogistic(FloatFormula &m, mlir::Value x);
mlir::Value buildLog(FloatFormula &m, mlir::Value x);
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
