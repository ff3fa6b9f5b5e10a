// The code of elementary and special functions, and what it costs.
#include "dialects/Burn/BurnPayloads.h"

using namespace mlir;
using namespace burn::ir;
using namespace burn::ir::payload;

Value CbrtOp::buildScalarPayload(OpBuilder &b, Location loc, ValueRange x) {
  return opsFor(b, loc, getInput()).cbrt(x[0]);
}
Value Exp2Op::buildScalarPayload(OpBuilder &b, Location loc, ValueRange x) {
  return opsFor(b, loc, getInput()).exp2(x[0]);
}
Value Log2Op::buildScalarPayload(OpBuilder &b, Location loc, ValueRange x) {
  return opsFor(b, loc, getInput()).log2(x[0]);
}
Value Log10Op::buildScalarPayload(OpBuilder &b, Location loc, ValueRange x) {
  return opsFor(b, loc, getInput()).log10(x[0]);
}
Value SinOp::buildScalarPayload(OpBuilder &b, Location loc, ValueRange x) {
  return opsFor(b, loc, getInput()).sin(x[0]);
}
Value CosOp::buildScalarPayload(OpBuilder &b, Location loc, ValueRange x) {
  return opsFor(b, loc, getInput()).cos(x[0]);
}
Value TanOp::buildScalarPayload(OpBuilder &b, Location loc, ValueRange x) {
  return opsFor(b, loc, getInput()).tan(x[0]);
}
Value AsinOp::buildScalarPayload(OpBuilder &b, Location loc, ValueRange x) {
  return opsFor(b, loc, getInput()).asin(x[0]);
}
Value AcosOp::buildScalarPayload(OpBuilder &b, Location loc, ValueRange x) {
  return opsFor(b, loc, getInput()).acos(x[0]);
}
Value AtanOp::buildScalarPayload(OpBuilder &b, Location loc, ValueRange x) {
  return opsFor(b, loc, getInput()).atan(x[0]);
}
Value SinhOp::buildScalarPayload(OpBuilder &b, Location loc, ValueRange x) {
  return opsFor(b, loc, getInput()).sinh(x[0]);
}
Value CoshOp::buildScalarPayload(OpBuilder &b, Location loc, ValueRange x) {
  return opsFor(b, loc, getInput()).cosh(x[0]);
}
Value AsinhOp::buildScalarPayload(OpBuilder &b, Location loc, ValueRange x) {
  return opsFor(b, loc, getInput()).asinh(x[0]);
}
Value AcoshOp::buildScalarPayload(OpBuilder &b, Location loc, ValueRange x) {
  return opsFor(b, loc, getInput()).acosh(x[0]);
}
Value AtanhOp::buildScalarPayload(OpBuilder &b, Location loc, ValueRange x) {
  return opsFor(b, loc, getInput()).atanh(x[0]);
}
Value ErfcOp::buildScalarPayload(OpBuilder &b, Location loc, ValueRange x) {
  return opsFor(b, loc, getInput()).erfc(x[0]);
}
Value ErfinvOp::buildScalarPayload(OpBuilder &b, Location loc, ValueRange x) {
  return opsFor(b, loc, getInput()).erfinv(x[0]);
}
Value LgammaOp::buildScalarPayload(OpBuilder &b, Location loc, ValueRange x) {
  return opsFor(b, loc, getInput()).lgamma(x[0]);
}
Value DigammaOp::buildScalarPayload(OpBuilder &b, Location loc, ValueRange x) {
  return opsFor(b, loc, getInput()).digamma(x[0]);
}
Value PolygammaOp::buildScalarPayload(OpBuilder &b, Location loc, ValueRange x) {
  return opsFor(b, loc, getInput()).polygamma(getN(), x[0]);
}
// An integer power wraps before it is inverted; beyond 2^62 such powers repeat.
Value PowiOp::buildScalarPayload(OpBuilder &b, Location loc, ValueRange x) {
  ScalarOps ops = opsFor(b, loc, getInput());
  const int64_t exponent = getExponent();
  if (ops.getKind().isFloat() || exponent >= 0)
    return ops.powi(x[0], exponent);
  Value power = ops.powi(x[0], exponent == INT64_MIN ? int64_t(1) << 62 : -exponent);
  return ops.div(ops.constant(1, power), power);
}
Value Atan2Op::buildScalarPayload(OpBuilder &b, Location loc, ValueRange x) {
  return opsFor(b, loc, getLhs()).atan2(x[0], x[1]);
}
Value HypotOp::buildScalarPayload(OpBuilder &b, Location loc, ValueRange x) {
  return opsFor(b, loc, getLhs()).hypot(x[0], x[1]);
}

unsigned CbrtOp::getPayloadCost() { return kLogCost; }
unsigned Exp2Op::getPayloadCost() { return kExpCost; }
unsigned Log2Op::getPayloadCost() { return kLogCost; }
unsigned Log10Op::getPayloadCost() { return kLogCost; }
unsigned SinOp::getPayloadCost() { return kRationalCost; }
unsigned CosOp::getPayloadCost() { return kRationalCost; }
unsigned TanOp::getPayloadCost() { return kRationalCost + kDivideCost; }
unsigned AsinOp::getPayloadCost() { return kRationalCost; }
unsigned AcosOp::getPayloadCost() { return kRationalCost; }
unsigned AtanOp::getPayloadCost() { return kRationalCost; }
unsigned SinhOp::getPayloadCost() { return kExpCost + kDivideCost; }
unsigned CoshOp::getPayloadCost() { return kExpCost + kDivideCost; }
unsigned AsinhOp::getPayloadCost() { return kLogCost + kRootCost; }
unsigned AcoshOp::getPayloadCost() { return kLogCost + kRootCost; }
unsigned AtanhOp::getPayloadCost() { return kLogCost + kDivideCost; }
unsigned ErfcOp::getPayloadCost() { return kRationalCost + kExpCost; }
unsigned ErfinvOp::getPayloadCost() { return kRationalCost + kLogCost; }
unsigned LgammaOp::getPayloadCost() { return kGammaCost; }
unsigned DigammaOp::getPayloadCost() { return kGammaCost; }
unsigned PolygammaOp::getPayloadCost() { return kGammaCost; }
unsigned Atan2Op::getPayloadCost() { return kRationalCost + kDivideCost; }
unsigned HypotOp::getPayloadCost() { return kRootCost + kDivideCost; }
// Some multiplications, and a division.
unsigned PowiOp::getPayloadCost() { return getExponent() < 0 ? 2 * kDivideCost : kDivideCost; }
