#include "frontend/Tensor/Support.h"

namespace burn {

using core::CompareDirection;

namespace {

Tensor ofIntegers(const char *name, OpCode op, const Operand &a, const Operand &b) {
  const LocationScope scope(a.where());
  Recorder recorder(name, TensorOperands{&a, &b});
  const BinaryOperands operands = prepareBinary(recorder, a, b, BinaryTypes::Bits);
  if (recorder.dtype(operands.a) == DType::Bool)
    recorder.fail("expects integers, got booleans");
  return recorder.finish(recorder.emit(op, {operands.a, operands.b}));
}

Tensor ofInteger(const char *name, OpCode op, const Tensor &x, const Where &where) {
  const LocationScope scope(where);
  Recorder recorder(name, {&x});
  if (!isInt(x.dtype()))
    recorder.fail("expects integers, got " + std::string(burn::name(x.dtype())) + x.shape().str());
  return recorder.finish(recorder.emit(op, {recorder.use(x)}));
}

Tensor remainderOf(const char *name, core::DivisionRounding rounding, const Operand &a, const Operand &b) {
  const LocationScope scope(a.where());
  Recorder recorder(name, TensorOperands{&a, &b});
  const BinaryOperands operands = prepareBinary(recorder, a, b, BinaryTypes::Numbers);
  return recorder.finish(recorder.emit(core::RemAttrs{rounding}, {operands.a, operands.b}));
}

// Integers are never NaN.
Tensor numberExtremum(const char *name, OpCode ofFloats, OpCode ofIntegers, const Operand &a, const Operand &b) {
  const LocationScope scope(a.where());
  Recorder recorder(name, TensorOperands{&a, &b});
  const BinaryOperands operands = prepareBinary(recorder, a, b, BinaryTypes::Numbers);
  const OpCode op = isFloat(recorder.dtype(operands.a)) ? ofFloats : ofIntegers;
  return recorder.finish(recorder.emit(op, {operands.a, operands.b}));
}

// a / b rounded down or to zero. By way of the remainder, since a / b itself may round up to an integer; where b is 0
// there is none, and the quotient is infinite or NaN.
Ref roundedQuotient(Recorder &recorder, Ref a, Ref b, core::DivisionRounding rounding) {
  const Ref rest = recorder.emit(core::RemAttrs{core::DivisionRounding::Trunc}, {a, b});
  Ref whole =
      recorder.emit(OpCode::RoundEven, {recorder.emit(OpCode::Div, {recorder.emit(OpCode::Sub, {a, rest}), b})});
  const DType type = recorder.dtype(a);
  const ShapeEntry *shape = recorder.shape(a);
  const Ref zero = recorder.filled(type, 0, shape);
  if (rounding == core::DivisionRounding::Floor) {
    const Ref unlike = recorder.emit(OpCode::Xor, {compared(recorder, CompareDirection::LT, rest, zero),
                                                   compared(recorder, CompareDirection::LT, b, zero)});
    const Ref inexact = compared(recorder, CompareDirection::NE, rest, zero);
    const Ref below = recorder.emit(OpCode::Sub, {whole, recorder.filled(type, 1, shape)});
    whole = recorder.emit(OpCode::Select, {recorder.emit(OpCode::And, {inexact, unlike}), below, whole});
  }
  // Rounding keeps infinities and lets no gradient through.
  const Ref beyond = recorder.emit(OpCode::RoundEven, {recorder.emit(OpCode::Div, {a, b})});
  return recorder.emit(OpCode::Select, {compared(recorder, CompareDirection::EQ, b, zero), beyond, whole});
}

} // namespace

Tensor sin(const Tensor &x, Where where) { return unaryReal("sin", OpCode::Sin, x, where); }
Tensor cos(const Tensor &x, Where where) { return unaryReal("cos", OpCode::Cos, x, where); }
Tensor tan(const Tensor &x, Where where) { return unaryReal("tan", OpCode::Tan, x, where); }
Tensor asin(const Tensor &x, Where where) { return unaryReal("asin", OpCode::Asin, x, where); }
Tensor acos(const Tensor &x, Where where) { return unaryReal("acos", OpCode::Acos, x, where); }
Tensor atan(const Tensor &x, Where where) { return unaryReal("atan", OpCode::Atan, x, where); }
Tensor sinh(const Tensor &x, Where where) { return unaryReal("sinh", OpCode::Sinh, x, where); }
Tensor cosh(const Tensor &x, Where where) { return unaryReal("cosh", OpCode::Cosh, x, where); }
Tensor asinh(const Tensor &x, Where where) { return unaryReal("asinh", OpCode::Asinh, x, where); }
Tensor acosh(const Tensor &x, Where where) { return unaryReal("acosh", OpCode::Acosh, x, where); }
Tensor atanh(const Tensor &x, Where where) { return unaryReal("atanh", OpCode::Atanh, x, where); }
Tensor exp2(const Tensor &x, Where where) { return unaryReal("exp2", OpCode::Exp2, x, where); }
Tensor log2(const Tensor &x, Where where) { return unaryReal("log2", OpCode::Log2, x, where); }
Tensor log10(const Tensor &x, Where where) { return unaryReal("log10", OpCode::Log10, x, where); }
Tensor cbrt(const Tensor &x, Where where) { return unaryReal("cbrt", OpCode::Cbrt, x, where); }
Tensor erfc(const Tensor &x, Where where) { return unaryReal("erfc", OpCode::Erfc, x, where); }
Tensor erfinv(const Tensor &x, Where where) { return unaryReal("erfinv", OpCode::Erfinv, x, where); }
Tensor lgamma(const Tensor &x, Where where) { return unaryReal("lgamma", OpCode::Lgamma, x, where); }
Tensor digamma(const Tensor &x, Where where) { return unaryReal("digamma", OpCode::Digamma, x, where); }
Tensor trunc(const Tensor &x, Where where) { return rounding("trunc", OpCode::Trunc, x, where); }

Tensor polygamma(int64_t n, const Tensor &x, Where where) {
  if (n == 0)
    return unaryReal("polygamma", OpCode::Digamma, x, where);
  const LocationScope scope(where);
  Recorder recorder("polygamma", {&x});
  const Ref value = recorder.use(x);
  const Ref real = recorder.convert(value, realType(recorder.dtype(value)));
  return recorder.finish(recorder.emit(core::PolygammaAttrs{n}, {real}));
}

Tensor atan2(const Operand &y, const Operand &x) { return binary("atan2", OpCode::Atan2, y, x, BinaryTypes::Real); }
Tensor hypot(const Operand &a, const Operand &b) { return binary("hypot", OpCode::Hypot, a, b, BinaryTypes::Real); }
Tensor copysign(const Operand &a, const Operand &b) {
  return binary("copysign", OpCode::Copysign, a, b, BinaryTypes::Real);
}

Tensor fmax(const Operand &a, const Operand &b) { return numberExtremum("fmax", OpCode::Fmax, OpCode::Max, a, b); }
Tensor fmin(const Operand &a, const Operand &b) { return numberExtremum("fmin", OpCode::Fmin, OpCode::Min, a, b); }

Tensor div(const Operand &a, const Operand &b, RoundingMode rounding) {
  const LocationScope scope(a.where());
  Recorder recorder("div", TensorOperands{&a, &b});
  const BinaryOperands operands = prepareBinary(recorder, a, b, BinaryTypes::Numbers);
  const bool floor = rounding == RoundingMode::Floor;
  if (isInt(recorder.dtype(operands.a)))
    return recorder.finish(recorder.emit(floor ? OpCode::FloorDiv : OpCode::Div, {operands.a, operands.b}));
  return recorder.finish(roundedQuotient(recorder, operands.a, operands.b,
                                         floor ? core::DivisionRounding::Floor : core::DivisionRounding::Trunc));
}

Tensor fmod(const Operand &a, const Operand &b) { return remainderOf("fmod", core::DivisionRounding::Trunc, a, b); }
Tensor remainder(const Operand &a, const Operand &b) {
  return remainderOf("remainder", core::DivisionRounding::Floor, a, b);
}

Tensor signbit(const Tensor &x, Where where) {
  const LocationScope scope(where);
  Recorder recorder("signbit", {&x});
  Ref value = recorder.use(x);
  const DType type = recorder.dtype(value);
  if (type == DType::Bool)
    value = recorder.convert(value, DType::U8);
  else if (isFloat(type)) // a comparison does not see the sign of a zero
    value = recorder.emit(OpCode::Copysign, {recorder.filled(type, 1, recorder.shape(value)), value});
  const Ref zero = recorder.filled(recorder.dtype(value), 0, recorder.shape(value));
  return recorder.finish(compared(recorder, CompareDirection::LT, value, zero));
}

Tensor bitwise_left_shift(const Operand &a, const Operand &b) {
  return ofIntegers("bitwise_left_shift", OpCode::Shl, a, b);
}
Tensor bitwise_right_shift(const Operand &a, const Operand &b) {
  return ofIntegers("bitwise_right_shift", OpCode::Shr, a, b);
}
Tensor population_count(const Tensor &x, Where where) {
  return ofInteger("population_count", OpCode::Popcnt, x, where);
}
Tensor count_leading_zeros(const Tensor &x, Where where) {
  return ofInteger("count_leading_zeros", OpCode::Clz, x, where);
}

Tensor reduce_precision(const Tensor &x, DType type, Where where) {
  const LocationScope scope(where);
  Recorder recorder("reduce_precision", {&x});
  return recorder.finish(recorder.emit(core::ReducePrecisionAttrs{type}, {recorder.use(x)}));
}

Tensor Tensor::view(DType dtype, Where where) const {
  const LocationScope scope(where);
  Recorder recorder("view", {this});
  const Ref value = recorder.use(*this);
  const DType own = recorder.dtype(value);
  if (own == dtype)
    return recorder.finish(value);
  if (own == DType::Bool || dtype == DType::Bool || bitWidth(own) != bitWidth(dtype))
    recorder.fail("expects a number type of the width of " + std::string(burn::name(own)) + ", got " +
                  std::string(burn::name(dtype)));
  return recorder.finish(recorder.emitTyped(core::BitcastAttrs{}, {value}, dtype, recorder.shape(value)));
}

// ---- methods and operators ----

Tensor Tensor::sin(Where where) const { return burn::sin(*this, where); }
Tensor Tensor::cos(Where where) const { return burn::cos(*this, where); }
Tensor Tensor::tan(Where where) const { return burn::tan(*this, where); }
Tensor Tensor::asin(Where where) const { return burn::asin(*this, where); }
Tensor Tensor::acos(Where where) const { return burn::acos(*this, where); }
Tensor Tensor::atan(Where where) const { return burn::atan(*this, where); }
Tensor Tensor::sinh(Where where) const { return burn::sinh(*this, where); }
Tensor Tensor::cosh(Where where) const { return burn::cosh(*this, where); }
Tensor Tensor::asinh(Where where) const { return burn::asinh(*this, where); }
Tensor Tensor::acosh(Where where) const { return burn::acosh(*this, where); }
Tensor Tensor::atanh(Where where) const { return burn::atanh(*this, where); }
Tensor Tensor::exp2(Where where) const { return burn::exp2(*this, where); }
Tensor Tensor::log2(Where where) const { return burn::log2(*this, where); }
Tensor Tensor::log10(Where where) const { return burn::log10(*this, where); }
Tensor Tensor::erfc(Where where) const { return burn::erfc(*this, where); }
Tensor Tensor::erfinv(Where where) const { return burn::erfinv(*this, where); }
Tensor Tensor::lgamma(Where where) const { return burn::lgamma(*this, where); }
Tensor Tensor::digamma(Where where) const { return burn::digamma(*this, where); }
Tensor Tensor::trunc(Where where) const { return burn::trunc(*this, where); }
Tensor Tensor::signbit(Where where) const { return burn::signbit(*this, where); }
Tensor Tensor::polygamma(int64_t n, Where where) const { return burn::polygamma(n, *this, where); }
Tensor Tensor::atan2(const Operand &other) const { return burn::atan2(Operand(*this, other.where()), other); }
Tensor Tensor::hypot(const Operand &other) const { return burn::hypot(Operand(*this, other.where()), other); }
Tensor Tensor::copysign(const Operand &other) const { return burn::copysign(Operand(*this, other.where()), other); }
Tensor Tensor::fmod(const Operand &other) const { return burn::fmod(Operand(*this, other.where()), other); }
Tensor Tensor::remainder(const Operand &other) const { return burn::remainder(Operand(*this, other.where()), other); }
Tensor Tensor::floor_divide(const Operand &other) const {
  return burn::floor_divide(Operand(*this, other.where()), other);
}
Tensor Tensor::bitwise_left_shift(const Operand &other) const {
  return burn::bitwise_left_shift(Operand(*this, other.where()), other);
}
Tensor Tensor::bitwise_right_shift(const Operand &other) const {
  return burn::bitwise_right_shift(Operand(*this, other.where()), other);
}
Tensor Tensor::div(const Operand &other, RoundingMode rounding) const {
  return burn::div(Operand(*this, other.where()), other, rounding);
}

Tensor operator%(const Operand &a, const Operand &b) { return remainder(a, b); }
Tensor operator<<(const Operand &a, const Operand &b) { return bitwise_left_shift(a, b); }
Tensor operator>>(const Operand &a, const Operand &b) { return bitwise_right_shift(a, b); }

} // namespace burn
