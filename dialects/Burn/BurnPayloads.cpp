// The code of each elementwise op, and what it costs.
#include "dialects/Burn/BurnPayloads.h"

using namespace mlir;
using namespace burn::ir;
using namespace burn::ir::payload;

Value NegOp::buildScalarPayload(OpBuilder &b, Location loc, ValueRange x) {
  return opsFor(b, loc, getInput()).neg(x[0]);
}
Value AbsOp::buildScalarPayload(OpBuilder &b, Location loc, ValueRange x) {
  return opsFor(b, loc, getInput()).abs(x[0]);
}
Value SignOp::buildScalarPayload(OpBuilder &b, Location loc, ValueRange x) {
  return opsFor(b, loc, getInput()).sign(x[0]);
}
Value ExpOp::buildScalarPayload(OpBuilder &b, Location loc, ValueRange x) {
  return opsFor(b, loc, getInput()).exp(x[0]);
}
Value Expm1Op::buildScalarPayload(OpBuilder &b, Location loc, ValueRange x) {
  return opsFor(b, loc, getInput()).expm1(x[0]);
}
Value LogOp::buildScalarPayload(OpBuilder &b, Location loc, ValueRange x) {
  return opsFor(b, loc, getInput()).log(x[0]);
}
Value Log1pOp::buildScalarPayload(OpBuilder &b, Location loc, ValueRange x) {
  return opsFor(b, loc, getInput()).log1p(x[0]);
}
Value SqrtOp::buildScalarPayload(OpBuilder &b, Location loc, ValueRange x) {
  return opsFor(b, loc, getInput()).sqrt(x[0]);
}
Value RsqrtOp::buildScalarPayload(OpBuilder &b, Location loc, ValueRange x) {
  return opsFor(b, loc, getInput()).rsqrt(x[0]);
}
Value TanhOp::buildScalarPayload(OpBuilder &b, Location loc, ValueRange x) {
  return opsFor(b, loc, getInput()).tanh(x[0]);
}
Value ErfOp::buildScalarPayload(OpBuilder &b, Location loc, ValueRange x) {
  return opsFor(b, loc, getInput()).erf(x[0]);
}
Value LogisticOp::buildScalarPayload(OpBuilder &b, Location loc, ValueRange x) {
  return opsFor(b, loc, getInput()).logistic(x[0]);
}
Value GeluOp::buildScalarPayload(OpBuilder &b, Location loc, ValueRange x) {
  return opsFor(b, loc, getInput()).gelu(x[0], getApproximate());
}
Value ReluOp::buildScalarPayload(OpBuilder &b, Location loc, ValueRange x) {
  return opsFor(b, loc, getInput()).relu(x[0]);
}
Value FloorOp::buildScalarPayload(OpBuilder &b, Location loc, ValueRange x) {
  return opsFor(b, loc, getInput()).floor(x[0]);
}
Value CeilOp::buildScalarPayload(OpBuilder &b, Location loc, ValueRange x) {
  return opsFor(b, loc, getInput()).ceil(x[0]);
}
Value RoundEvenOp::buildScalarPayload(OpBuilder &b, Location loc, ValueRange x) {
  return opsFor(b, loc, getInput()).roundEven(x[0]);
}
Value NotOp::buildScalarPayload(OpBuilder &b, Location loc, ValueRange x) {
  return opsFor(b, loc, getInput()).bitwiseNot(x[0]);
}

Value AddOp::buildScalarPayload(OpBuilder &b, Location loc, ValueRange x) {
  return opsFor(b, loc, getLhs()).add(x[0], x[1]);
}
Value SubOp::buildScalarPayload(OpBuilder &b, Location loc, ValueRange x) {
  return opsFor(b, loc, getLhs()).sub(x[0], x[1]);
}
Value MulOp::buildScalarPayload(OpBuilder &b, Location loc, ValueRange x) {
  return opsFor(b, loc, getLhs()).mul(x[0], x[1]);
}
Value DivOp::buildScalarPayload(OpBuilder &b, Location loc, ValueRange x) {
  return opsFor(b, loc, getLhs()).div(x[0], x[1]);
}
Value PowOp::buildScalarPayload(OpBuilder &b, Location loc, ValueRange x) {
  return opsFor(b, loc, getLhs()).pow(x[0], x[1]);
}
Value MaxOp::buildScalarPayload(OpBuilder &b, Location loc, ValueRange x) {
  return opsFor(b, loc, getLhs()).max(x[0], x[1]);
}
Value MinOp::buildScalarPayload(OpBuilder &b, Location loc, ValueRange x) {
  return opsFor(b, loc, getLhs()).min(x[0], x[1]);
}
Value AndOp::buildScalarPayload(OpBuilder &b, Location loc, ValueRange x) {
  return opsFor(b, loc, getLhs()).bitwiseAnd(x[0], x[1]);
}
Value OrOp::buildScalarPayload(OpBuilder &b, Location loc, ValueRange x) {
  return opsFor(b, loc, getLhs()).bitwiseOr(x[0], x[1]);
}
Value XorOp::buildScalarPayload(OpBuilder &b, Location loc, ValueRange x) {
  return opsFor(b, loc, getLhs()).bitwiseXor(x[0], x[1]);
}

Value CompareOp::buildScalarPayload(OpBuilder &b, Location loc, ValueRange x) {
  return opsFor(b, loc, getLhs()).compare(getDirection(), x[0], x[1]);
}
Value SelectOp::buildScalarPayload(OpBuilder &b, Location loc, ValueRange x) {
  return opsFor(b, loc, getOnTrue()).select(x[0], x[1], x[2]);
}
Value ClampOp::buildScalarPayload(OpBuilder &b, Location loc, ValueRange x) {
  return opsFor(b, loc, getInput()).clamp(x[0], x[1], x[2]);
}
Value ConvertOp::buildScalarPayload(OpBuilder &b, Location loc, ValueRange x) {
  return opsFor(b, loc, getInput()).convert(x[0], ScalarKind::get(getType().getElementType()));
}

unsigned ExpOp::getPayloadCost() { return kExpCost; }
unsigned Expm1Op::getPayloadCost() { return kExpCost; }
unsigned LogOp::getPayloadCost() { return kLogCost; }
unsigned Log1pOp::getPayloadCost() { return kLogCost; }
unsigned SqrtOp::getPayloadCost() { return kRootCost; }
unsigned RsqrtOp::getPayloadCost() { return kRootCost + kDivideCost; }
unsigned TanhOp::getPayloadCost() { return kRationalCost; }
unsigned ErfOp::getPayloadCost() { return kRationalCost; }
unsigned LogisticOp::getPayloadCost() { return kExpCost + kDivideCost; }
unsigned GeluOp::getPayloadCost() { return kGeluCost; }
unsigned DivOp::getPayloadCost() { return kDivideCost; }
unsigned PowOp::getPayloadCost() { return kPowCost; }
