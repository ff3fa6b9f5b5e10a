#include "passes/Codegen/Reduction.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <limits>

using namespace mlir;
using namespace burn;
using namespace burn::compiler;
using ir::ReduceKind;
using ir::ScalarKind;
using ir::ScalarOps;

ir::ReduceKind compiler::combinerOf(ir::ScanKind kind) {
  switch (kind) {
  case ir::ScanKind::Sum:
    return ir::ReduceKind::Sum;
  case ir::ScanKind::Prod:
    return ir::ReduceKind::Prod;
  case ir::ScanKind::Max:
    return ir::ReduceKind::Max;
  case ir::ScanKind::Min:
    return ir::ReduceKind::Min;
  }
  llvm_unreachable("covered switch");
}

Reduction::Reduction(ReduceKind kind, Type burnElementType)
    : kind(kind), element(ScalarKind::get(burnElementType)), accumulator(element) {
  if (element.isFloat() && element.width == 16)
    accumulator = {ScalarKind::Class::Float, 32};
}

Value Reduction::identity(OpBuilder &b, Location loc, Type shapedLike) const {
  Type type = accumulator.getLowered(b.getContext());
  TypedAttr attribute;
  const unsigned width = accumulator.width;
  const bool isSigned = accumulator.isSigned();
  auto extremum = [&](bool greatest) -> TypedAttr {
    if (accumulator.isFloat()) {
      const double infinity = std::numeric_limits<double>::infinity();
      return b.getFloatAttr(type, greatest ? infinity : -infinity);
    }
    APInt value = greatest ? (isSigned ? APInt::getSignedMaxValue(width) : APInt::getMaxValue(width))
                           : (isSigned ? APInt::getSignedMinValue(width) : APInt::getMinValue(width));
    return b.getIntegerAttr(type, value);
  };
  switch (kind) {
  case ReduceKind::Sum:
  case ReduceKind::Or:
  case ReduceKind::Xor:
    attribute = b.getZeroAttr(type);
    break;
  case ReduceKind::Prod:
    attribute = accumulator.isFloat() ? TypedAttr(b.getFloatAttr(type, 1)) : TypedAttr(b.getIntegerAttr(type, 1));
    break;
  case ReduceKind::And:
    attribute = b.getIntegerAttr(type, APInt::getAllOnes(width));
    break;
  case ReduceKind::Max:
    attribute = extremum(false);
    break;
  case ReduceKind::Min:
    attribute = extremum(true);
    break;
  }
  if (auto vector = dyn_cast<VectorType>(shapedLike))
    return arith::ConstantOp::create(b, loc,
                                     DenseElementsAttr::get(VectorType::get(vector.getShape(), type), attribute));
  return arith::ConstantOp::create(b, loc, attribute);
}

Value Reduction::widen(OpBuilder &b, Location loc, Value value) const {
  return ScalarOps(b, loc, element).convert(value, accumulator);
}

Value Reduction::narrow(OpBuilder &b, Location loc, Value value) const {
  return ScalarOps(b, loc, accumulator).convert(value, element);
}

Value Reduction::combine(OpBuilder &b, Location loc, Value lhs, Value rhs) const {
  ScalarOps ops(b, loc, accumulator);
  switch (kind) {
  case ReduceKind::Sum:
    return ops.add(lhs, rhs);
  case ReduceKind::Prod:
    return ops.mul(lhs, rhs);
  case ReduceKind::Max:
    return ops.max(lhs, rhs);
  case ReduceKind::Min:
    return ops.min(lhs, rhs);
  case ReduceKind::And:
    return ops.bitwiseAnd(lhs, rhs);
  case ReduceKind::Or:
    return ops.bitwiseOr(lhs, rhs);
  case ReduceKind::Xor:
    return ops.bitwiseXor(lhs, rhs);
  }
  llvm_unreachable("covered switch");
}
