// The code of ops on numbers as they are represented, and what it costs.
#include "dialects/Burn/BurnPayloads.h"

using namespace mlir;
using namespace burn::ir;
using namespace burn::ir::payload;

Value TruncOp::buildScalarPayload(OpBuilder &b, Location loc, ValueRange x) {
  return opsFor(b, loc, getInput()).trunc(x[0]);
}
Value IsNanOp::buildScalarPayload(OpBuilder &b, Location loc, ValueRange x) {
  return opsFor(b, loc, getInput()).isNaN(x[0]);
}
Value IsInfOp::buildScalarPayload(OpBuilder &b, Location loc, ValueRange x) {
  return opsFor(b, loc, getInput()).isInfinite(x[0]);
}
Value IsFiniteOp::buildScalarPayload(OpBuilder &b, Location loc, ValueRange x) {
  return opsFor(b, loc, getInput()).isFinite(x[0]);
}
Value PopcntOp::buildScalarPayload(OpBuilder &b, Location loc, ValueRange x) {
  return opsFor(b, loc, getInput()).popCount(x[0]);
}
Value ClzOp::buildScalarPayload(OpBuilder &b, Location loc, ValueRange x) {
  return opsFor(b, loc, getInput()).countLeadingZeros(x[0]);
}

Value CopysignOp::buildScalarPayload(OpBuilder &b, Location loc, ValueRange x) {
  ScalarOps ops = opsFor(b, loc, getLhs());
  Value number = ops.select(ops.isNaN(x[1]), ops.constant(1, x[1]), x[1]);
  return ops.copySign(x[0], number);
}
Value FmaxOp::buildScalarPayload(OpBuilder &b, Location loc, ValueRange x) {
  return opsFor(b, loc, getLhs()).maxNumber(x[0], x[1]);
}
Value FminOp::buildScalarPayload(OpBuilder &b, Location loc, ValueRange x) {
  return opsFor(b, loc, getLhs()).minNumber(x[0], x[1]);
}
Value ShlOp::buildScalarPayload(OpBuilder &b, Location loc, ValueRange x) {
  return opsFor(b, loc, getLhs()).shiftLeft(x[0], x[1]);
}
Value ShrOp::buildScalarPayload(OpBuilder &b, Location loc, ValueRange x) {
  return opsFor(b, loc, getLhs()).shiftRight(x[0], x[1]);
}
Value FloorDivOp::buildScalarPayload(OpBuilder &b, Location loc, ValueRange x) {
  return opsFor(b, loc, getLhs()).div(x[0], x[1], DivideRounding::Floor);
}
Value RemOp::buildScalarPayload(OpBuilder &b, Location loc, ValueRange x) {
  const bool floor = getRounding() == DivisionRounding::Floor;
  return opsFor(b, loc, getLhs()).rem(x[0], x[1], floor ? DivideRounding::Floor : DivideRounding::Trunc);
}
Value BitcastOp::buildScalarPayload(OpBuilder &b, Location loc, ValueRange x) {
  return opsFor(b, loc, getInput()).bitcast(x[0], ScalarKind::get(getType().getElementType()));
}
Value ReducePrecisionOp::buildScalarPayload(OpBuilder &b, Location loc, ValueRange x) {
  return opsFor(b, loc, getInput()).reducePrecision(x[0], ScalarKind::get(getTypeAttr().getValue()));
}

unsigned FloorDivOp::getPayloadCost() { return kDivideCost; }
// A division and a loop.
unsigned RemOp::getPayloadCost() { return 4 * kDivideCost; }
