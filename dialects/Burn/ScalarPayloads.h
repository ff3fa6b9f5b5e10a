#ifndef BURN_DIALECTS_BURN_SCALARPAYLOADS_H
#define BURN_DIALECTS_BURN_SCALARPAYLOADS_H

#include "dialects/Burn/Burn.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Value.h"

namespace burn::ir {

class FloatFormula;

/// What code generation must know of an element beyond its lowered type.
/// Lowered types are signless, so a payload never asks the lowered type for
/// its signedness; it asks this.
struct ScalarKind {
  enum class Class : uint8_t { Bool, Signed, Unsigned, Float };

  Class elementClass;
  /// Bits of the payload value: 1 for bool, 8 to 64 otherwise.
  unsigned width;
  /// Tells bf16 from f16, which have the same width.
  bool isBF16 = false;

  /// Reads the kind off an element type of the burn dialect: `i1` is bool,
  /// `iN` signed, `uiN` unsigned. The type must be one that burn computes on.
  static ScalarKind get(mlir::Type burnElementType);

  bool isBool() const { return elementClass == Class::Bool; }
  bool isSigned() const { return elementClass == Class::Signed; }
  bool isUnsigned() const { return elementClass == Class::Unsigned; }
  bool isFloat() const { return elementClass == Class::Float; }
  bool isInteger() const { return isSigned() || isUnsigned(); }

  /// The type of a payload value: signless, i1 for bool, and the bits as i16 for
  /// bf16, since LLVM takes even a select of bf16 through library calls.
  mlir::Type getLowered(mlir::MLIRContext *context) const;
  /// The type of an element in memory: as lowered, but i8 for bool.
  mlir::Type getStorage(mlir::MLIRContext *context) const;

  bool operator==(const ScalarKind &) const = default;
};

/// Whether an integer quotient is rounded to zero or to minus infinity.
enum class DivideRounding : uint8_t { Trunc, Floor };

/// Emits the code of elementwise ops on values of one element kind.
///
/// Every method takes scalars or vectors of the lowered type, all of one shape,
/// and emits only arith, math (sqrt, fma, rounding, sign) and vector ops without
/// fast-math flags. The code has no table and no library call, and one kind of
/// branch: what few arguments need (the reduction of huge angles) is skipped where
/// no lane needs it. So the bits of a lane depend neither on the lane count nor on
/// the instruction set. f16 and bf16 compute in f32 and round once per op.
/// Integers wrap; integer division is total.
///
/// Errors over the whole range, subnormals included: at most 1 ulp for exp, log,
/// sin, cos, tan, atan2, cbrt, sqrt, rsqrt and hypot; 2 ulp for the others, but
/// 4 ulp for erfinv, lgamma, digamma and polygamma, where a zero of lgamma or
/// digamma bounds the absolute error only (and the bound of polygamma grows with an
/// order above 10, for negative x). Special values are those of C (Annex F).
class ScalarOps {
public:
  ScalarOps(mlir::OpBuilder &builder, mlir::Location loc, ScalarKind kind) : b(loc, builder), kind(kind) {}
  ScalarOps(mlir::OpBuilder &builder, mlir::Location loc, mlir::Type burnElementType)
      : ScalarOps(builder, loc, ScalarKind::get(burnElementType)) {}

  const ScalarKind &getKind() const { return kind; }

  mlir::Value neg(mlir::Value x);
  mlir::Value abs(mlir::Value x);
  /// -1, 1, or x itself where x is a zero or NaN.
  mlir::Value sign(mlir::Value x);
  mlir::Value exp(mlir::Value x);
  mlir::Value expm1(mlir::Value x);
  mlir::Value log(mlir::Value x);
  mlir::Value log1p(mlir::Value x);
  mlir::Value sqrt(mlir::Value x);
  mlir::Value rsqrt(mlir::Value x);
  mlir::Value tanh(mlir::Value x);
  mlir::Value erf(mlir::Value x);
  mlir::Value erfc(mlir::Value x);
  /// The x with erf(x) = y: infinities at -1 and 1, NaN beyond.
  mlir::Value erfinv(mlir::Value y);
  /// 1 / (1 + exp(-x)), accurate down to subnormal results.
  mlir::Value logistic(mlir::Value x);
  /// x times the normal distribution function of x, accurate down to subnormal
  /// results; or the approximation of it with tanh, as accurate.
  mlir::Value gelu(mlir::Value x, GeluApproximation approximation);
  mlir::Value exp2(mlir::Value x);
  mlir::Value log2(mlir::Value x);
  mlir::Value log10(mlir::Value x);
  mlir::Value cbrt(mlir::Value x);
  mlir::Value sin(mlir::Value x);
  mlir::Value cos(mlir::Value x);
  mlir::Value tan(mlir::Value x);
  mlir::Value asin(mlir::Value x);
  mlir::Value acos(mlir::Value x);
  mlir::Value atan(mlir::Value x);
  mlir::Value sinh(mlir::Value x);
  mlir::Value cosh(mlir::Value x);
  mlir::Value asinh(mlir::Value x);
  mlir::Value acosh(mlir::Value x);
  mlir::Value atanh(mlir::Value x);
  /// log |gamma(x)|: infinity at the poles 0, -1, -2 ...
  mlir::Value lgamma(mlir::Value x);
  /// The derivative of lgamma: -copysign(infinity, x) at 0, NaN at the other poles.
  mlir::Value digamma(mlir::Value x);
  /// The derivative of digamma of the given order: (-1)^(order + 1) order! zeta(order + 1, x),
  /// with the Hurwitz zeta function infinite at the poles. Order 0 is digamma.
  mlir::Value polygamma(int64_t order, mlir::Value x);
  /// max(x, 0), NaN kept.
  mlir::Value relu(mlir::Value x);
  mlir::Value floor(mlir::Value x);
  mlir::Value ceil(mlir::Value x);
  mlir::Value roundEven(mlir::Value x);
  mlir::Value trunc(mlir::Value x);
  /// Classes of floats, as i1 of the operand's shape.
  mlir::Value isNaN(mlir::Value x);
  mlir::Value isInfinite(mlir::Value x);
  mlir::Value isFinite(mlir::Value x);
  /// Of integers: how many bits are one, and how many before the first such one are zero.
  mlir::Value popCount(mlir::Value x);
  mlir::Value countLeadingZeros(mlir::Value x);
  /// Bitwise complement; logical negation of bool.
  mlir::Value bitwiseNot(mlir::Value x);

  mlir::Value add(mlir::Value lhs, mlir::Value rhs);
  mlir::Value sub(mlir::Value lhs, mlir::Value rhs);
  mlir::Value mul(mlir::Value lhs, mlir::Value rhs);
  /// Integers: x / 0 is all ones, the least integer / -1 is itself.
  mlir::Value div(mlir::Value lhs, mlir::Value rhs, DivideRounding rounding = DivideRounding::Trunc);
  /// The remainder that belongs to the rounded quotient, exact for floats (`Floor`: rounded once). It has the sign of
  /// the left operand (`Floor`: of the right one), also where it is zero. Integers: the left operand where the right
  /// one is 0.
  mlir::Value rem(mlir::Value lhs, mlir::Value rhs, DivideRounding rounding);
  /// Floats: C99 `pow`. Integers: wrapping product of `rhs` factors; a negative
  /// exponent gives 0, but for the bases 1 and -1.
  mlir::Value pow(mlir::Value lhs, mlir::Value rhs);
  /// `pow` for an exponent known to the compiler, a product of few factors.
  mlir::Value powi(mlir::Value x, int64_t exponent);
  /// The angle of the point (x, y), signed zeros and infinities as in C.
  mlir::Value atan2(mlir::Value y, mlir::Value x);
  /// sqrt(x^2 + y^2) without overflow in between; infinity beats NaN.
  mlir::Value hypot(mlir::Value x, mlir::Value y);
  /// NaN if either operand is NaN; +0 is above -0.
  mlir::Value max(mlir::Value lhs, mlir::Value rhs);
  mlir::Value min(mlir::Value lhs, mlir::Value rhs);
  /// The same where both are numbers; the other operand where one is NaN.
  mlir::Value maxNumber(mlir::Value lhs, mlir::Value rhs);
  mlir::Value minNumber(mlir::Value lhs, mlir::Value rhs);
  mlir::Value copySign(mlir::Value magnitude, mlir::Value sign);
  /// Shifts of integers. By less than 0 or by the width and more they leave nothing but the fill: zeros, or the sign of
  /// a signed integer that is shifted to the right.
  mlir::Value shiftLeft(mlir::Value lhs, mlir::Value rhs);
  mlir::Value shiftRight(mlir::Value lhs, mlir::Value rhs);
  mlir::Value bitwiseAnd(mlir::Value lhs, mlir::Value rhs);
  mlir::Value bitwiseOr(mlir::Value lhs, mlir::Value rhs);
  mlir::Value bitwiseXor(mlir::Value lhs, mlir::Value rhs);

  /// i1 of the operands' shape. NaN is unequal to all and unordered.
  mlir::Value compare(CompareDirection direction, mlir::Value lhs, mlir::Value rhs);
  mlir::Value select(mlir::Value condition, mlir::Value onTrue, mlir::Value onFalse);
  /// min(max(x, low), high).
  mlir::Value clamp(mlir::Value x, mlir::Value low, mlir::Value high);

  /// To another kind. Float to integer truncates, saturates and takes NaN to 0;
  /// anything to bool is `x != 0`; anything to float rounds to nearest even once.
  mlir::Value convert(mlir::Value x, ScalarKind to);

  /// The bits as an element of another kind of the same width.
  mlir::Value bitcast(mlir::Value x, ScalarKind to);
  /// Rounds to a narrower float kind and back.
  mlir::Value reducePrecision(mlir::Value x, ScalarKind to);

  /// A constant in the shape of `like`, rounded to this kind.
  mlir::Value constant(double value, mlir::Value like);

private:
  /// Runs `emit` on f32 when the kind is f16 or bf16, else directly.
  template <typename Emit, typename... Operands> mlir::Value compute(Emit emit, Operands... operands);
  /// The same for the formula of a function.
  mlir::Value apply(mlir::Value (*build)(FloatFormula &, mlir::Value), mlir::Value x);
  mlir::Value apply(mlir::Value (*build)(FloatFormula &, mlir::Value, mlir::Value), mlir::Value x, mlir::Value y);
  mlir::Value integerPow(mlir::Value lhs, mlir::Value rhs);
  mlir::Value integerPow(mlir::Value x, int64_t exponent);

  mlir::ImplicitLocOpBuilder b;
  ScalarKind kind;
};

/// The two random words of each element number in `index` (i64) for 64-bit elements,
/// low word first, as one i64; arguments as for buildPhiloxWord.
mlir::Value buildPhiloxDoubleWord(mlir::ImplicitLocOpBuilder &b, mlir::Value key0, mlir::Value key1, mlir::Value call,
                                  mlir::Value index);

/// The 32-bit random word of each element number in `index` (i64): Philox4x32-10
/// under `key` (two i32), counter {lo32(i/4), hi32(i/4), lo32(call), hi32(call)},
/// word i % 4. `key0`, `key1` (i32) and `call` (i64) have the shape of `index`.
mlir::Value buildPhiloxWord(mlir::ImplicitLocOpBuilder &b, mlir::Value key0, mlir::Value key1, mlir::Value call,
                            mlir::Value index);

/// The type of `like`'s shape (scalar, or vector of the same lanes) over `element`.
mlir::Type withShapeOf(mlir::Type like, mlir::Type element);

} // namespace burn::ir

#endif // BURN_DIALECTS_BURN_SCALARPAYLOADS_H
