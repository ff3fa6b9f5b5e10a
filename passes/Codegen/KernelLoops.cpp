#include "passes/Codegen/KernelLoops.h"

using namespace mlir;
using namespace burn;
using namespace burn::compiler;

PhaseArguments::PhaseArguments(func::FuncOp func, ir::FusedOp fused, bool hasScratch, bool hasChecks) {
  auto arguments = func.getArguments();
  begin = arguments[0];
  end = arguments[1];
  const unsigned operandCount = fused->getNumOperands(), resultCount = fused->getNumResults();
  operands.assign(arguments.begin() + 2, arguments.begin() + 2 + operandCount);
  results.assign(arguments.begin() + 2 + operandCount, arguments.begin() + 2 + operandCount + resultCount);
  unsigned next = 2 + operandCount + resultCount;
  if (hasScratch)
    scratch = arguments[next++];
  if (hasChecks)
    error = arguments[next];
}

scf::ForOp compiler::openLoop(OpBuilder &b, Location loc, Value from, Value to, Value step, ValueRange init) {
  auto loop = scf::ForOp::create(b, loc, from, to, step, init);
  if (init.empty())
    b.setInsertionPoint(loop.getBody()->getTerminator());
  else
    b.setInsertionPointToEnd(loop.getBody());
  return loop;
}

void compiler::closeLoop(OpBuilder &b, scf::ForOp loop, ValueRange carried) {
  if (!carried.empty())
    scf::YieldOp::create(b, loop.getLoc(), carried);
  b.setInsertionPointAfter(loop);
}

Value compiler::indexConstant(OpBuilder &b, Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(b, loc, value);
}

SmallVector<Value> compiler::delinearize(OpBuilder &b, Location loc, Value position, ArrayRef<int64_t> sizes) {
  SmallVector<Value> index(sizes.size());
  for (size_t i = sizes.size(); i-- != 0;) {
    if (i == 0) {
      index[0] = position;
      break;
    }
    Value size = indexConstant(b, loc, sizes[i]);
    index[i] = arith::RemUIOp::create(b, loc, position, size);
    position = arith::DivUIOp::create(b, loc, position, size);
  }
  return index;
}

SmallVector<AffineExpr> compiler::delinearize(AffineExpr position, ArrayRef<int64_t> sizes) {
  SmallVector<AffineExpr> index(sizes.size());
  int64_t stride = 1;
  for (size_t i = sizes.size(); i-- != 0;) {
    const int64_t size = std::max<int64_t>(sizes[i], 1);
    AffineExpr quotient = position.floorDiv(stride);
    index[i] = size == 1 ? getAffineConstantExpr(0, position.getContext()) : i == 0 ? quotient : quotient % size;
    stride *= size;
  }
  return index;
}

int64_t compiler::wideLanes(Block &body, const CpuTargetInfo &target) {
  unsigned bytes = 4;
  auto consider = [&](Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (type && type.getRank() != 0)
      bytes = std::max(bytes, type.getElementTypeBitWidth() / 8);
  };
  for (Value argument : body.getArguments())
    consider(argument);
  for (Operation &op : body)
    for (Value result : op.getResults())
      consider(result);
  return std::clamp<int64_t>(4 * target.vectorBytes / bytes, 16, 64);
}

Value compiler::leadingMask(OpBuilder &b, Location loc, int64_t count, int64_t active) {
  if (active >= count)
    return {};
  SmallVector<bool> set(count);
  std::fill_n(set.begin(), active, true);
  return arith::ConstantOp::create(b, loc, DenseElementsAttr::get(VectorType::get({count}, b.getI1Type()), set));
}
