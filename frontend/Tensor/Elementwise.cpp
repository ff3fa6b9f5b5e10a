#include "frontend/Tensor/Support.h"

namespace burn {

using core::CompareDirection;

namespace {

Tensor comparison(const char *name, CompareDirection direction, const Operand &a, const Operand &b) {
  const LocationScope scope(a.where());
  Recorder recorder(name, TensorOperands{&a, &b});
  const BinaryOperands operands = prepareBinary(recorder, a, b, BinaryTypes::Promoted);
  return recorder.finish(compared(recorder, direction, operands.a, operands.b));
}

// Of integers and booleans, which are finite, `ofIntegers`.
Tensor floatClass(const char *name, OpCode op, bool ofIntegers, const Tensor &x, const Where &where) {
  const LocationScope scope(where);
  Recorder recorder(name, {&x});
  const Ref value = recorder.use(x);
  if (isFloat(recorder.dtype(value)))
    return recorder.finish(recorder.emit(op, {value}));
  return recorder.finish(recorder.filled(DType::Bool, ofIntegers, recorder.shape(value)));
}

// The exponents that have code of their own: they are part of the program, as other host numbers are not.
bool isSmallExponent(const Operand &base, const Operand &exponent) {
  if (!base.isTensor() || exponent.isTensor() || exponent.scalar().kind != Scalar::Kind::Int)
    return false;
  const int64_t n = exponent.scalar().integer;
  return n <= 4 && n >= (isFloat(base.tensor().dtype()) ? -4 : 0) && base.tensor().dtype() != DType::Bool;
}

} // namespace

Tensor add(const Operand &a, const Operand &b) { return binary("add", OpCode::Add, a, b, BinaryTypes::Numbers); }
Tensor sub(const Operand &a, const Operand &b) { return binary("sub", OpCode::Sub, a, b, BinaryTypes::Numbers); }
Tensor mul(const Operand &a, const Operand &b) {
  const LocationScope scope(a.where());
  Recorder recorder("mul", TensorOperands{&a, &b});
  const BinaryOperands operands = prepareBinary(recorder, a, b, BinaryTypes::Promoted);
  // The product of booleans is their conjunction.
  const bool logical = recorder.dtype(operands.a) == DType::Bool;
  return recorder.finish(recorder.emit(logical ? OpCode::And : OpCode::Mul, {operands.a, operands.b}));
}
Tensor div(const Operand &a, const Operand &b) { return binary("div", OpCode::Div, a, b, BinaryTypes::Real); }
Tensor pow(const Operand &base, const Operand &exponent) {
  if (isSmallExponent(base, exponent)) {
    const LocationScope scope(base.where());
    Recorder recorder("pow", {&base.tensor()});
    const core::PowiAttrs attrs{exponent.scalar().integer};
    return recorder.finish(recorder.emit(attrs, {recorder.use(base.tensor())}));
  }
  return binary("pow", OpCode::Pow, base, exponent, BinaryTypes::Numbers);
}
Tensor maximum(const Operand &a, const Operand &b) {
  return binary("maximum", OpCode::Max, a, b, BinaryTypes::Numbers);
}
Tensor minimum(const Operand &a, const Operand &b) {
  return binary("minimum", OpCode::Min, a, b, BinaryTypes::Numbers);
}
Tensor eq(const Operand &a, const Operand &b) { return comparison("eq", CompareDirection::EQ, a, b); }
Tensor ne(const Operand &a, const Operand &b) { return comparison("ne", CompareDirection::NE, a, b); }
Tensor lt(const Operand &a, const Operand &b) { return comparison("lt", CompareDirection::LT, a, b); }
Tensor le(const Operand &a, const Operand &b) { return comparison("le", CompareDirection::LE, a, b); }
Tensor gt(const Operand &a, const Operand &b) { return comparison("gt", CompareDirection::GT, a, b); }
Tensor ge(const Operand &a, const Operand &b) { return comparison("ge", CompareDirection::GE, a, b); }
Tensor logical_and(const Operand &a, const Operand &b) {
  return binary("logical_and", OpCode::And, a, b, BinaryTypes::Logical);
}
Tensor logical_or(const Operand &a, const Operand &b) {
  return binary("logical_or", OpCode::Or, a, b, BinaryTypes::Logical);
}
Tensor logical_xor(const Operand &a, const Operand &b) {
  return binary("logical_xor", OpCode::Xor, a, b, BinaryTypes::Logical);
}

Tensor logical_not(const Tensor &x, Where where) {
  const LocationScope scope(where);
  Recorder recorder("logical_not", {&x});
  return recorder.finish(recorder.emit(OpCode::Not, {recorder.convert(recorder.use(x), DType::Bool)}));
}

Tensor bitwise_and(const Operand &a, const Operand &b) {
  return binary("bitwise_and", OpCode::And, a, b, BinaryTypes::Bits);
}
Tensor bitwise_or(const Operand &a, const Operand &b) {
  return binary("bitwise_or", OpCode::Or, a, b, BinaryTypes::Bits);
}
Tensor bitwise_xor(const Operand &a, const Operand &b) {
  return binary("bitwise_xor", OpCode::Xor, a, b, BinaryTypes::Bits);
}
Tensor bitwise_not(const Tensor &x, Where where) { return unary("bitwise_not", OpCode::Not, x, where); }

Tensor neg(const Tensor &x, Where where) { return unary("neg", OpCode::Neg, x, where); }
Tensor abs(const Tensor &x, Where where) { return unary("abs", OpCode::Abs, x, where); }
Tensor sign(const Tensor &x, Where where) { return unary("sign", OpCode::Sign, x, where); }
Tensor relu(const Tensor &x, Where where) { return unary("relu", OpCode::Relu, x, where); }
Tensor exp(const Tensor &x, Where where) { return unaryReal("exp", OpCode::Exp, x, where); }
Tensor expm1(const Tensor &x, Where where) { return unaryReal("expm1", OpCode::Expm1, x, where); }
Tensor log(const Tensor &x, Where where) { return unaryReal("log", OpCode::Log, x, where); }
Tensor log1p(const Tensor &x, Where where) { return unaryReal("log1p", OpCode::Log1p, x, where); }
Tensor sqrt(const Tensor &x, Where where) { return unaryReal("sqrt", OpCode::Sqrt, x, where); }
Tensor rsqrt(const Tensor &x, Where where) { return unaryReal("rsqrt", OpCode::Rsqrt, x, where); }
Tensor tanh(const Tensor &x, Where where) { return unaryReal("tanh", OpCode::Tanh, x, where); }
Tensor erf(const Tensor &x, Where where) { return unaryReal("erf", OpCode::Erf, x, where); }
Tensor sigmoid(const Tensor &x, Where where) { return unaryReal("sigmoid", OpCode::Logistic, x, where); }
Tensor floor(const Tensor &x, Where where) { return rounding("floor", OpCode::Floor, x, where); }
Tensor ceil(const Tensor &x, Where where) { return rounding("ceil", OpCode::Ceil, x, where); }
Tensor round(const Tensor &x, Where where) { return rounding("round", OpCode::RoundEven, x, where); }

Tensor square(const Tensor &x, Where where) {
  const LocationScope scope(where);
  Recorder recorder("square", {&x});
  const Ref value = recorder.use(x);
  return recorder.finish(multiplied(recorder, value, value));
}

Tensor reciprocal(const Tensor &x, Where where) { return div(Operand(1, where), Operand(x, where)); }

Tensor isnan(const Tensor &x, Where where) { return floatClass("isnan", OpCode::IsNan, false, x, where); }
Tensor isinf(const Tensor &x, Where where) { return floatClass("isinf", OpCode::IsInf, false, x, where); }
Tensor isfinite(const Tensor &x, Where where) { return floatClass("isfinite", OpCode::IsFinite, true, x, where); }

Tensor clamp(const Tensor &x, std::optional<Scalar> low, std::optional<Scalar> high, Where where) {
  const LocationScope scope(where);
  Recorder recorder("clamp", {&x});
  if (!low && !high)
    recorder.fail("expects a lower or an upper bound");
  DType type = x.dtype();
  for (const auto &bound : {low, high})
    if (bound)
      type = promote(type, *bound);
  const Ref value = recorder.convert(recorder.use(x), type);
  if (!low)
    return recorder.finish(withNumber(recorder, OpCode::Min, value, *high));
  if (!high)
    return recorder.finish(withNumber(recorder, OpCode::Max, value, *low));
  const ShapeEntry *shape = recorder.shape(value);
  const Ref lower = recorder.filled(type, *low, shape);
  return recorder.finish(recorder.emit(OpCode::Clamp, {value, lower, recorder.filled(type, *high, shape)}));
}

Tensor where(const Tensor &condition, const Operand &a, const Operand &b) {
  const LocationScope scope(a.where());
  const Operand test(condition, a.where());
  Recorder recorder("where", TensorOperands{&test, &a, &b});
  if (condition.dtype() != DType::Bool)
    recorder.fail("expects a boolean condition, got " + std::string(name(condition.dtype())) + condition.shape().str());
  const BinaryOperands arms = prepareBinary(recorder, a, b, BinaryTypes::Promoted);
  const ShapeEntry *shape = trace::internShape(broadcastShapes(recorder, condition.shape(), arms.shape->shape));
  const Ref predicate = recorder.broadcast(recorder.use(condition), shape);
  const Ref onTrue = recorder.broadcast(arms.a, shape);
  return recorder.finish(recorder.emit(OpCode::Select, {predicate, onTrue, recorder.broadcast(arms.b, shape)}));
}

Tensor masked_fill(const Tensor &x, const Tensor &mask, const Operand &value) {
  const LocationScope scope(value.where());
  const Operand input(x, value.where()), test(mask, value.where());
  Recorder recorder("masked_fill", TensorOperands{&input, &test, &value});
  if (mask.dtype() != DType::Bool)
    recorder.fail("expects a boolean mask, got " + std::string(name(mask.dtype())) + mask.shape().str());
  const Shape &shape = x.shape();
  if (broadcastShapes(recorder, shape, mask.shape()) != shape)
    recorder.fail("the mask of shape " + mask.shape().str() + " does not broadcast to " + shape.str());
  if (value.isTensor() && value.tensor().shape().rank())
    recorder.fail("expects a number or a tensor of rank 0 as value, got " + value.tensor().shape().str());
  const ShapeEntry *entry = trace::internShape(shape);
  const DType type = x.dtype();
  const Ref fill = value.isTensor() ? recorder.broadcast(recorder.convert(recorder.use(value.tensor()), type), entry)
                                    : recorder.filled(type, value.scalar(), entry);
  const Ref predicate = recorder.broadcast(recorder.use(mask), entry);
  return recorder.finish(recorder.emit(OpCode::Select, {predicate, fill, recorder.use(x)}));
}

Tensor Tensor::to(DType dtype, Where where) const {
  const LocationScope scope(where);
  Recorder recorder("to", {this});
  return recorder.finish(recorder.convert(recorder.use(*this), dtype));
}

// ---- methods and operators ----

Tensor Tensor::add(const Operand &other) const { return burn::add(Operand(*this, other.where()), other); }
Tensor Tensor::sub(const Operand &other) const { return burn::sub(Operand(*this, other.where()), other); }
Tensor Tensor::mul(const Operand &other) const { return burn::mul(Operand(*this, other.where()), other); }
Tensor Tensor::div(const Operand &other) const { return burn::div(Operand(*this, other.where()), other); }
Tensor Tensor::pow(const Operand &exponent) const { return burn::pow(Operand(*this, exponent.where()), exponent); }
Tensor Tensor::maximum(const Operand &other) const { return burn::maximum(Operand(*this, other.where()), other); }
Tensor Tensor::minimum(const Operand &other) const { return burn::minimum(Operand(*this, other.where()), other); }
Tensor Tensor::eq(const Operand &other) const { return burn::eq(Operand(*this, other.where()), other); }
Tensor Tensor::ne(const Operand &other) const { return burn::ne(Operand(*this, other.where()), other); }
Tensor Tensor::lt(const Operand &other) const { return burn::lt(Operand(*this, other.where()), other); }
Tensor Tensor::le(const Operand &other) const { return burn::le(Operand(*this, other.where()), other); }
Tensor Tensor::gt(const Operand &other) const { return burn::gt(Operand(*this, other.where()), other); }
Tensor Tensor::ge(const Operand &other) const { return burn::ge(Operand(*this, other.where()), other); }
Tensor Tensor::logical_and(const Operand &other) const {
  return burn::logical_and(Operand(*this, other.where()), other);
}
Tensor Tensor::logical_or(const Operand &other) const { return burn::logical_or(Operand(*this, other.where()), other); }
Tensor Tensor::logical_xor(const Operand &other) const {
  return burn::logical_xor(Operand(*this, other.where()), other);
}
Tensor Tensor::logical_not(Where where) const { return burn::logical_not(*this, where); }
Tensor Tensor::neg(Where where) const { return burn::neg(*this, where); }
Tensor Tensor::abs(Where where) const { return burn::abs(*this, where); }
Tensor Tensor::sign(Where where) const { return burn::sign(*this, where); }
Tensor Tensor::exp(Where where) const { return burn::exp(*this, where); }
Tensor Tensor::expm1(Where where) const { return burn::expm1(*this, where); }
Tensor Tensor::log(Where where) const { return burn::log(*this, where); }
Tensor Tensor::log1p(Where where) const { return burn::log1p(*this, where); }
Tensor Tensor::sqrt(Where where) const { return burn::sqrt(*this, where); }
Tensor Tensor::rsqrt(Where where) const { return burn::rsqrt(*this, where); }
Tensor Tensor::square(Where where) const { return burn::square(*this, where); }
Tensor Tensor::reciprocal(Where where) const { return burn::reciprocal(*this, where); }
Tensor Tensor::tanh(Where where) const { return burn::tanh(*this, where); }
Tensor Tensor::erf(Where where) const { return burn::erf(*this, where); }
Tensor Tensor::sigmoid(Where where) const { return burn::sigmoid(*this, where); }
Tensor Tensor::relu(Where where) const { return burn::relu(*this, where); }
Tensor Tensor::gelu(GeluApproximate approximate, Where where) const { return burn::gelu(*this, approximate, where); }
Tensor Tensor::floor(Where where) const { return burn::floor(*this, where); }
Tensor Tensor::ceil(Where where) const { return burn::ceil(*this, where); }
Tensor Tensor::round(Where where) const { return burn::round(*this, where); }
Tensor Tensor::isnan(Where where) const { return burn::isnan(*this, where); }
Tensor Tensor::isinf(Where where) const { return burn::isinf(*this, where); }
Tensor Tensor::isfinite(Where where) const { return burn::isfinite(*this, where); }
Tensor Tensor::clamp(std::optional<Scalar> low, std::optional<Scalar> high, Where where) const {
  return burn::clamp(*this, low, high, where);
}
Tensor Tensor::masked_fill(const Tensor &mask, const Operand &value) const {
  return burn::masked_fill(*this, mask, value);
}

Tensor operator+(const Operand &a, const Operand &b) { return add(a, b); }
Tensor operator-(const Operand &a, const Operand &b) { return sub(a, b); }
Tensor operator*(const Operand &a, const Operand &b) { return mul(a, b); }
Tensor operator/(const Operand &a, const Operand &b) { return div(a, b); }
Tensor operator==(const Operand &a, const Operand &b) { return eq(a, b); }
Tensor operator!=(const Operand &a, const Operand &b) { return ne(a, b); }
Tensor operator<(const Operand &a, const Operand &b) { return lt(a, b); }
Tensor operator<=(const Operand &a, const Operand &b) { return le(a, b); }
Tensor operator>(const Operand &a, const Operand &b) { return gt(a, b); }
Tensor operator>=(const Operand &a, const Operand &b) { return ge(a, b); }
Tensor operator-(const Operand &a) { return neg(a.tensor(), a.where()); }
Tensor operator&(const Operand &a, const Operand &b) { return bitwise_and(a, b); }
Tensor operator|(const Operand &a, const Operand &b) { return bitwise_or(a, b); }
Tensor operator^(const Operand &a, const Operand &b) { return bitwise_xor(a, b); }
Tensor operator~(const Operand &a) { return bitwise_not(a.tensor(), a.where()); }

} // namespace burn
