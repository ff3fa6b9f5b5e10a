#include "dialects/Burn/ScalarPayloads.h"
#include "dialects/Burn/ScalarPayloadBuilder.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace burn::ir;
using arith::CmpFPredicate;
using arith::CmpIPredicate;

ScalarKind ScalarKind::get(Type type) {
  if (isa<FloatType>(type))
    return {Class::Float, type.getIntOrFloatBitWidth(), type.isBF16()};
  auto integer = cast<IntegerType>(type);
  if (integer.getWidth() == 1)
    return {Class::Bool, 1};
  return {integer.isUnsigned() ? Class::Unsigned : Class::Signed, integer.getWidth()};
}

Type ScalarKind::getLowered(MLIRContext *context) const {
  if (!isFloat())
    return IntegerType::get(context, width);
  if (width == 64)
    return Float64Type::get(context);
  if (width == 32)
    return Float32Type::get(context);
  return isBF16 ? Type(IntegerType::get(context, 16)) : Type(Float16Type::get(context));
}

Type ScalarKind::getStorage(MLIRContext *context) const {
  return isBool() ? Type(IntegerType::get(context, 8)) : getLowered(context);
}

Type burn::ir::withShapeOf(Type like, Type element) {
  if (auto vector = dyn_cast<VectorType>(like))
    return VectorType::get(vector.getShape(), element);
  return element;
}

Value burn::ir::buildSplat(ImplicitLocOpBuilder &b, Type type, TypedAttr element) {
  if (auto vector = dyn_cast<VectorType>(type))
    return arith::ConstantOp::create(b, DenseElementsAttr::get(vector, element));
  return arith::ConstantOp::create(b, element);
}

Value FloatFormula::num(double value) { return buildSplat(b, type, b.getFloatAttr(getElementTypeOrSelf(type), value)); }

Value FloatFormula::bitsNum(int64_t value) {
  // Masks such as 0x80000000 come as unsigned patterns.
  unsigned width = wide ? 64 : 32;
  APInt bits(64, uint64_t(value));
  return buildSplat(b, bitsType, b.getIntegerAttr(getElementTypeOrSelf(bitsType), bits.trunc(width)));
}

Value FloatFormula::opposite(Value x) {
  return arith::XOrIOp::create(b, x, buildSplat(b, x.getType(), b.getBoolAttr(true)));
}

Value FloatFormula::bitsEqual(Value x, int64_t y) { return arith::CmpIOp::create(b, CmpIPredicate::eq, x, bitsNum(y)); }

Value FloatFormula::bitsBelow(Value x, Value y) { return arith::CmpIOp::create(b, CmpIPredicate::ult, x, y); }

std::pair<Value, Value> FloatFormula::bitsProduct(Value x, Value y) {
  auto product = arith::MulUIExtendedOp::create(b, x, y);
  return {product.getLow(), product.getHigh()};
}

FloatFormula::Triple FloatFormula::whereAny(Value condition, const Triple &otherwise,
                                            llvm::function_ref<Triple()> compute) {
  if (isa<VectorType>(condition.getType()))
    condition = vector::ReductionOp::create(b, vector::CombiningKind::OR, condition);
  auto branch = scf::IfOp::create(b, ValueRange(otherwise).getTypes(), condition, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(b, compute());
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, otherwise);
  return {branch.getResult(0), branch.getResult(1), branch.getResult(2)};
}

// Compare and select in this operand order is one min or max instruction on x86,
// which gives its second operand, x, where x is NaN.
Value FloatFormula::atLeast(Value x, double low) {
  Value bound = num(low);
  return select(is(CmpFPredicate::OGT, bound, x), bound, x);
}

Value FloatFormula::atMost(Value x, double high) {
  Value bound = num(high);
  return select(is(CmpFPredicate::OLT, bound, x), bound, x);
}

Value FloatFormula::polynomial(ArrayRef<double> coefficients, Value x) {
  Value result = num(coefficients.back());
  for (double coefficient : llvm::reverse(coefficients.drop_back()))
    result = mulAdd(result, x, num(coefficient));
  return result;
}

Value ScalarOps::constant(double value, Value like) {
  Type lowered = kind.getLowered(b.getContext());
  Type type = withShapeOf(like.getType(), lowered);
  if (kind.isBF16) {
    APFloat rounded(value);
    bool inexact;
    rounded.convert(APFloat::BFloat(), APFloat::rmNearestTiesToEven, &inexact);
    return buildSplat(b, type, b.getIntegerAttr(lowered, rounded.bitcastToAPInt()));
  }
  if (kind.isFloat())
    return buildSplat(b, type, b.getFloatAttr(lowered, value));
  if (kind.isBool())
    return buildSplat(b, type, b.getIntegerAttr(lowered, value != 0));
  uint64_t bits = kind.isUnsigned() ? uint64_t(value) : uint64_t(int64_t(value));
  return buildSplat(b, type, b.getIntegerAttr(lowered, APInt(64, bits).trunc(kind.width)));
}

Value ScalarOps::neg(Value x) {
  if (kind.isBF16)
    return arith::XOrIOp::create(b, x, constant(-0.0, x));
  if (kind.isFloat())
    return arith::NegFOp::create(b, x);
  return arith::SubIOp::create(b, constant(0, x), x);
}

Value ScalarOps::abs(Value x) {
  if (kind.isBF16) {
    Value mask = buildSplat(b, x.getType(), b.getI16IntegerAttr(INT16_MAX));
    return arith::AndIOp::create(b, x, mask);
  }
  if (kind.isFloat())
    return math::AbsFOp::create(b, x);
  if (!kind.isSigned())
    return x;
  Value negative = compare(CompareDirection::LT, x, constant(0, x));
  return select(negative, neg(x), x);
}

Value ScalarOps::sign(Value x) {
  Value zero = constant(0, x);
  Value positive = compare(CompareDirection::GT, x, zero);
  Value result = select(positive, constant(1, x), x);
  if (kind.isUnsigned() || kind.isBool())
    return result;
  Value negative = compare(CompareDirection::LT, x, zero);
  return select(negative, constant(-1, x), result);
}

Value ScalarOps::apply(Value (*build)(FloatFormula &, Value), Value x) {
  return compute(
      [&](Value v) {
        FloatFormula m(b, v.getType());
        return build(m, v);
      },
      x);
}

Value ScalarOps::apply(Value (*build)(FloatFormula &, Value, Value), Value x, Value y) {
  return compute(
      [&](Value v, Value w) {
        FloatFormula m(b, v.getType());
        return build(m, v, w);
      },
      x, y);
}

Value ScalarOps::exp(Value x) {
  return compute([&](Value v) { return FloatFormula(b, v.getType()).exp(v); }, x);
}

Value ScalarOps::expm1(Value x) { return apply(buildExpm1, x); }
Value ScalarOps::log(Value x) { return apply(buildLog, x); }
Value ScalarOps::log1p(Value x) { return apply(buildLog1p, x); }

Value ScalarOps::sqrt(Value x) {
  return compute([&](Value v) -> Value { return math::SqrtOp::create(b, v); }, x);
}

Value ScalarOps::rsqrt(Value x) { return apply(buildRsqrt, x); }
Value ScalarOps::tanh(Value x) { return apply(buildTanh, x); }
Value ScalarOps::erf(Value x) { return apply(buildErf, x); }
Value ScalarOps::logistic(Value x) { return apply(buildLogistic, x); }

Value ScalarOps::sin(Value x) { return apply(buildSin, x); }
Value ScalarOps::cos(Value x) { return apply(buildCos, x); }
Value ScalarOps::erfc(Value x) { return apply(buildErfc, x); }
Value ScalarOps::erfinv(Value y) { return apply(buildErfInv, y); }
Value ScalarOps::gelu(Value x, GeluApproximation approximation) {
  return apply(approximation == GeluApproximation::Tanh ? buildGeluTanh : buildGelu, x);
}
Value ScalarOps::tan(Value x) { return apply(buildTan, x); }
Value ScalarOps::exp2(Value x) { return apply(buildExp2, x); }
Value ScalarOps::log2(Value x) { return apply(buildLog2, x); }
Value ScalarOps::log10(Value x) { return apply(buildLog10, x); }
Value ScalarOps::cbrt(Value x) { return apply(buildCbrt, x); }
Value ScalarOps::asin(Value x) { return apply(buildAsin, x); }
Value ScalarOps::acos(Value x) { return apply(buildAcos, x); }
Value ScalarOps::atan(Value x) { return apply(buildAtan, x); }
Value ScalarOps::sinh(Value x) { return apply(buildSinh, x); }
Value ScalarOps::cosh(Value x) { return apply(buildCosh, x); }
Value ScalarOps::asinh(Value x) { return apply(buildAsinh, x); }
Value ScalarOps::acosh(Value x) { return apply(buildAcosh, x); }
Value ScalarOps::atanh(Value x) { return apply(buildAtanh, x); }

Value ScalarOps::relu(Value x) {
  // Not at most 0 covers NaN, and -0 becomes +0.
  Value zero = constant(0, x);
  return select(compare(CompareDirection::LE, x, zero), zero, x);
}

Value ScalarOps::floor(Value x) {
  if (!kind.isFloat())
    return x;
  return compute([&](Value v) -> Value { return math::FloorOp::create(b, v); }, x);
}

Value ScalarOps::ceil(Value x) {
  if (!kind.isFloat())
    return x;
  return compute([&](Value v) -> Value { return math::CeilOp::create(b, v); }, x);
}

Value ScalarOps::roundEven(Value x) {
  if (!kind.isFloat())
    return x;
  return compute([&](Value v) -> Value { return math::RoundEvenOp::create(b, v); }, x);
}

Value ScalarOps::bitwiseNot(Value x) {
  Type element = getElementTypeOrSelf(x.getType());
  Value ones = buildSplat(b, x.getType(), b.getIntegerAttr(element, APInt::getAllOnes(kind.width)));
  return arith::XOrIOp::create(b, x, ones);
}

Value ScalarOps::add(Value lhs, Value rhs) {
  if (kind.isBool())
    return arith::OrIOp::create(b, lhs, rhs);
  if (kind.isInteger())
    return arith::AddIOp::create(b, lhs, rhs);
  return compute([&](Value x, Value y) -> Value { return arith::AddFOp::create(b, x, y); }, lhs, rhs);
}

Value ScalarOps::sub(Value lhs, Value rhs) {
  if (!kind.isFloat())
    return arith::SubIOp::create(b, lhs, rhs);
  return compute([&](Value x, Value y) -> Value { return arith::SubFOp::create(b, x, y); }, lhs, rhs);
}

Value ScalarOps::mul(Value lhs, Value rhs) {
  if (!kind.isFloat())
    return arith::MulIOp::create(b, lhs, rhs);
  return compute([&](Value x, Value y) -> Value { return arith::MulFOp::create(b, x, y); }, lhs, rhs);
}

Value ScalarOps::pow(Value lhs, Value rhs) {
  if (!kind.isFloat())
    return integerPow(lhs, rhs);
  return apply(buildPow, lhs, rhs);
}

Value ScalarOps::powi(Value x, int64_t exponent) {
  if (!kind.isFloat())
    return integerPow(x, exponent);
  return compute(
      [&](Value v) {
        FloatFormula m(b, v.getType());
        return buildPowi(m, v, exponent);
      },
      x);
}

Value ScalarOps::lgamma(Value x) { return apply(buildLgamma, x); }
Value ScalarOps::digamma(Value x) { return apply(buildDigamma, x); }

Value ScalarOps::polygamma(int64_t order, Value x) {
  return compute(
      [&](Value v) {
        FloatFormula m(b, v.getType());
        return buildPolygamma(m, order, v);
      },
      x);
}

Value ScalarOps::atan2(Value y, Value x) { return apply(buildAtan2, y, x); }
Value ScalarOps::hypot(Value x, Value y) { return apply(buildHypot, x, y); }

// Not arith.maximumf: its expansion upstream forgets the signs of zeros.
Value burn::ir::buildExtremum(FloatFormula &m, bool isMax, Value x, Value y) {
  // One instruction, which gives y where the operands are equal or unordered.
  CmpFPredicate beyond = isMax ? CmpFPredicate::OGT : CmpFPredicate::OLT;
  Value result = m.select(m.is(beyond, x, y), x, y);
  // Equal operands have equal bits, but for the signs of zeros.
  Value xBits = m.toBits(x), yBits = m.toBits(y);
  Value joined =
      isMax ? Value(arith::AndIOp::create(m.b, xBits, yBits)) : Value(arith::OrIOp::create(m.b, xBits, yBits));
  result = m.select(m.is(CmpFPredicate::OEQ, x, y), m.fromBits(joined), result);
  return m.select(m.is(CmpFPredicate::UNO, x, x), x, result);
}

Value ScalarOps::max(Value lhs, Value rhs) {
  if (kind.isBool())
    return arith::OrIOp::create(b, lhs, rhs);
  if (!kind.isFloat())
    return select(compare(CompareDirection::GT, rhs, lhs), rhs, lhs);
  return compute(
      [&](Value x, Value y) {
        FloatFormula m(b, x.getType());
        return buildExtremum(m, true, x, y);
      },
      lhs, rhs);
}

Value ScalarOps::min(Value lhs, Value rhs) {
  if (kind.isBool())
    return arith::AndIOp::create(b, lhs, rhs);
  if (!kind.isFloat())
    return select(compare(CompareDirection::LT, rhs, lhs), rhs, lhs);
  return compute(
      [&](Value x, Value y) {
        FloatFormula m(b, x.getType());
        return buildExtremum(m, false, x, y);
      },
      lhs, rhs);
}

Value ScalarOps::bitwiseAnd(Value lhs, Value rhs) { return arith::AndIOp::create(b, lhs, rhs); }
Value ScalarOps::bitwiseOr(Value lhs, Value rhs) { return arith::OrIOp::create(b, lhs, rhs); }
Value ScalarOps::bitwiseXor(Value lhs, Value rhs) { return arith::XOrIOp::create(b, lhs, rhs); }

static CmpFPredicate floatPredicate(CompareDirection direction) {
  switch (direction) {
  case CompareDirection::EQ:
    return CmpFPredicate::OEQ;
  case CompareDirection::NE:
    return CmpFPredicate::UNE;
  case CompareDirection::LT:
    return CmpFPredicate::OLT;
  case CompareDirection::LE:
    return CmpFPredicate::OLE;
  case CompareDirection::GT:
    return CmpFPredicate::OGT;
  case CompareDirection::GE:
    return CmpFPredicate::OGE;
  }
  llvm_unreachable("covered switch");
}

static CmpIPredicate integerPredicate(CompareDirection direction, bool isSigned) {
  switch (direction) {
  case CompareDirection::EQ:
    return CmpIPredicate::eq;
  case CompareDirection::NE:
    return CmpIPredicate::ne;
  case CompareDirection::LT:
    return isSigned ? CmpIPredicate::slt : CmpIPredicate::ult;
  case CompareDirection::LE:
    return isSigned ? CmpIPredicate::sle : CmpIPredicate::ule;
  case CompareDirection::GT:
    return isSigned ? CmpIPredicate::sgt : CmpIPredicate::ugt;
  case CompareDirection::GE:
    return isSigned ? CmpIPredicate::sge : CmpIPredicate::uge;
  }
  llvm_unreachable("covered switch");
}

Value ScalarOps::compare(CompareDirection direction, Value lhs, Value rhs) {
  if (!kind.isFloat())
    return arith::CmpIOp::create(b, integerPredicate(direction, kind.isSigned()), lhs, rhs);
  if (kind.width == 16) {
    lhs = buildExtendToF32(b, lhs, kind);
    rhs = buildExtendToF32(b, rhs, kind);
  }
  return arith::CmpFOp::create(b, floatPredicate(direction), lhs, rhs);
}

Value ScalarOps::select(Value condition, Value onTrue, Value onFalse) {
  return arith::SelectOp::create(b, condition, onTrue, onFalse);
}

Value ScalarOps::clamp(Value x, Value low, Value high) { return min(max(x, low), high); }
