#include "passes/Codegen/LinearIndex.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace burn;
using namespace burn::compiler;

std::optional<int64_t> compiler::constantOf(Value value) {
  APInt number;
  return matchPattern(value, m_ConstantInt(&number)) ? std::optional(number.getSExtValue()) : std::nullopt;
}

void LinearIndex::add(Value value, int64_t factor) {
  Operation *op = value.getDefiningOp();
  if (std::optional<int64_t> number = constantOf(value)) {
    constant += factor * *number;
  } else if (isa_and_nonnull<arith::IndexCastOp, arith::IndexCastUIOp>(op)) {
    add(op->getOperand(0), factor);
  } else if (isa_and_nonnull<arith::AddIOp>(op)) {
    add(op->getOperand(0), factor);
    add(op->getOperand(1), factor);
  } else if (isa_and_nonnull<arith::SubIOp>(op)) {
    add(op->getOperand(0), factor);
    add(op->getOperand(1), -factor);
  } else if (isa_and_nonnull<arith::MulIOp>(op) && constantOf(op->getOperand(1))) {
    add(op->getOperand(0), factor * *constantOf(op->getOperand(1)));
  } else if (isa_and_nonnull<arith::MulIOp>(op) && constantOf(op->getOperand(0))) {
    add(op->getOperand(1), factor * *constantOf(op->getOperand(0)));
  } else if ((terms[value] += factor) == 0) {
    terms.erase(value);
  }
}

LinearIndex LinearIndex::replaced(Value value, Value other) const {
  LinearIndex result = *this;
  const int64_t factor = result.terms.lookup(value);
  result.terms.erase(value);
  result.add(other, factor);
  return result;
}
