#include "passes/Codegen/KernelLoops.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

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
  if (target.scalar)
    return 1;
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

int64_t compiler::forVectors(OpBuilder &b, Location loc, ElementEmitter &emitter, const PhaseArguments &arguments,
                             ArrayRef<int64_t> sizes, int64_t wide, int64_t grain,
                             llvm::function_ref<void(const LaneDim &)> atVector, const LoopStages *stages) {
  const unsigned laneDim = sizes.size() - 1;
  const int64_t length = sizes.back();
  const int64_t rows = ShapedType::getNumElements(sizes.drop_back());
  if (rows == 0 || length == 0)
    return 0;
  if (wide == 1) {
    SmallVector<std::pair<unsigned, Value>> dims;
    for (auto [dim, value] : llvm::enumerate(delinearize(b, loc, arguments.begin, sizes)))
      dims.push_back({unsigned(dim), value});
    emitter.openScope(dims);
    atVector(LaneDim{laneDim, 1, {}, /*scalar=*/true});
    emitter.closeScope();
    return rows * length;
  }
  // A unit is a row or, where rows are long, a piece of one; a task is a run of units.
  const int64_t piece = std::min<int64_t>(length, llvm::alignTo(grain, 64));
  const int64_t pieces = ceilDivide(length, piece);
  const int64_t units = rows * pieces;
  const int64_t unitsPerTask = std::max<int64_t>(1, grain / piece);

  auto vectorAt = [&](Value base, int64_t lanes, Value mask) {
    LaneDim lane{laneDim, lanes, mask};
    emitter.openScope({{laneDim, base}}, nullptr, lane);
    atVector(lane);
    emitter.closeScope();
  };
  Value one = indexConstant(b, loc, 1);
  Value perTask = indexConstant(b, loc, unitsPerTask);
  Value first = arith::MulIOp::create(b, loc, arguments.begin, perTask);
  Value last = arith::MinUIOp::create(b, loc, arith::MulIOp::create(b, loc, arguments.end, perTask),
                                      indexConstant(b, loc, units));
  scf::ForOp unitLoop = openLoop(b, loc, first, last, one);
  Value unit = unitLoop.getInductionVar();
  Value row = unit, from = indexConstant(b, loc, 0), to = indexConstant(b, loc, length);
  if (pieces > 1) {
    Value count = indexConstant(b, loc, pieces), size = indexConstant(b, loc, piece);
    row = arith::DivUIOp::create(b, loc, unit, count);
    from = arith::MulIOp::create(b, loc, arith::RemUIOp::create(b, loc, unit, count), size);
    to = arith::MinUIOp::create(b, loc, to, arith::AddIOp::create(b, loc, from, size));
  }
  SmallVector<std::pair<unsigned, Value>> rowDims;
  for (auto [dim, value] : llvm::enumerate(delinearize(b, loc, row, sizes.drop_back())))
    rowDims.push_back({unsigned(dim), value});
  emitter.openScope(rowDims, unitLoop);

  // Wide vectors, then what is left in vectors of 16 lanes of which the last is masked. Pieces are
  // multiples of the wide ones, so only the end of a row has a rest.
  const int64_t rest = length % wide;
  if (length >= wide) {
    Value wideEnd = to;
    if (rest != 0)
      wideEnd = arith::MinUIOp::create(b, loc, to, indexConstant(b, loc, length - rest));
    Value begin = from;
    if (stages) {
      Value block = indexConstant(b, loc, stages->block);
      Value blocks = arith::DivUIOp::create(b, loc, arith::SubIOp::create(b, loc, wideEnd, from), block);
      begin = arith::AddIOp::create(b, loc, from, arith::MulIOp::create(b, loc, blocks, block));
      scf::ForOp outer = openLoop(b, loc, from, begin, block);
      emitter.openScope({}, outer);
      for (unsigned stage = 0; stage != stages->count; ++stage) {
        scf::ForOp inner = openLoop(b, loc, indexConstant(b, loc, 0), block, indexConstant(b, loc, wide));
        emitter.openScope({}, inner);
        Value within = inner.getInductionVar();
        LaneDim lane{laneDim, wide, {}};
        Value place = arith::AddIOp::create(b, loc, outer.getInductionVar(), within);
        emitter.openScope({{laneDim, place}}, nullptr, lane);
        stages->atVector(lane, stage, within);
        emitter.closeScope();
        emitter.closeScope(inner);
        closeLoop(b, inner);
      }
      emitter.closeScope(outer);
      closeLoop(b, outer);
    }
    scf::ForOp loop = openLoop(b, loc, begin, wideEnd, indexConstant(b, loc, wide));
    emitter.openScope({}, loop);
    vectorAt(loop.getInductionVar(), wide, {});
    emitter.closeScope(loop);
    closeLoop(b, loop);
  }
  if (rest != 0) {
    // Empty for pieces that end before it.
    Value restFrom = arith::MaxUIOp::create(b, loc, from, indexConstant(b, loc, length - rest));
    scf::ForOp loop = openLoop(b, loc, restFrom, to, indexConstant(b, loc, 16));
    emitter.openScope({}, loop);
    Value mask = leadingMask(b, loc, 16, rest);
    if (rest > 16 && rest % 16 != 0) {
      Value left = arith::SubIOp::create(b, loc, to, loop.getInductionVar());
      mask = vector::CreateMaskOp::create(b, loc, VectorType::get({16}, b.getI1Type()), left);
    }
    vectorAt(loop.getInductionVar(), 16, mask);
    emitter.closeScope(loop);
    closeLoop(b, loop);
  }
  emitter.closeScope();
  closeLoop(b, unitLoop);
  return ceilDivide(units, unitsPerTask);
}
