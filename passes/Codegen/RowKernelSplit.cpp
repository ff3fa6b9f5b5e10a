// Reductions with few results: blocks in a first phase, their combination in a second.
#include "passes/Codegen/RowKernel.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace burn;
using namespace burn::compiler;

// Partial results lie [block][kept], one array per reduction.
Value RowKernelBuilder::scratchView(const ReduceInfo &reduce) {
  Type element = reduce.reduction.getAccumulator().getStorage(context);
  auto type = MemRefType::get({strategy.blocks * strategy.keptCount()}, element);
  return memref::ViewOp::create(b, loc, type, arguments->scratch, indexConstant(b, loc, reduce.scratchOffset),
                                ValueRange{});
}

void RowKernelBuilder::buildBlocks(KernelCode &code) {
  func::FuncOp func = createPhase(atModule, fused, name + "_blocks", scratchBytes, false);
  arguments.emplace(func, fused, true, false);
  b = OpBuilder::atBlockEnd(&func.getBody().front());
  // The block is one more dim, behind those of the strategy.
  SmallVector<int64_t> extended(sizes);
  extended.push_back(strategy.blocks);
  SmallVector<Value> views;
  for (const ReduceInfo &reduce : reduces)
    views.push_back(scratchView(reduce));
  emitter.emplace(b, loc, body, arguments->operands, extended);
  const unsigned blockDim = sizes.size();
  AffineExpr place = getAffineDimExpr(blockDim, context) * strategy.keptCount() + keptPosition;
  code.phases.push_back({func, strategy.blocks});

  scf::ForOp blockLoop = openLoop(b, loc, arguments->begin, arguments->end, indexConstant(b, loc, 1));
  Value block = blockLoop.getInductionVar();
  Range range;
  range.from = arith::MulIOp::create(b, loc, block, indexConstant(b, loc, strategy.blockLength));
  Value next = arith::AddIOp::create(b, loc, range.from, indexConstant(b, loc, strategy.blockLength));
  range.to = arith::MinUIOp::create(b, loc, next, indexConstant(b, loc, sizes[strategy.outermostReduced()]));
  emitter->openScope({{blockDim, block}}, blockLoop);
  forUnits(indexConstant(b, loc, 0), indexConstant(b, loc, unitCount()), [&](int64_t lanes, Value mask) {
    Accumulators done = sweep(startAccumulators(1, lanes), range, lanes, mask,
                              [&](Accumulators &accumulators, unsigned group, int64_t width, Value active) {
                                accumulate(1, accumulators, group, width, active);
                                storeWhole(0);
                              });
    for (auto [i, reduce] : llvm::enumerate(reduces))
      emitter->store(combineLanes(reduce.reduction, done[i]), views[i], place);
  });
  emitter->closeScope();
  closeLoop(b, blockLoop);
  func::ReturnOp::create(b, loc);
}

void RowKernelBuilder::buildCombination(KernelCode &code) {
  func::FuncOp func = createPhase(atModule, fused, name + "_combine", scratchBytes, false);
  arguments.emplace(func, fused, true, false);
  b = OpBuilder::atBlockEnd(&func.getBody().front());
  const int64_t count = strategy.keptCount();
  SmallVector<Value> views;
  for (const ReduceInfo &reduce : reduces)
    views.push_back(scratchView(reduce));
  code.phases.push_back({func, 1});

  emitter.emplace(b, loc, body, arguments->operands, ArrayRef<int64_t>{count});
  SmallVector<AffineExpr> index = compiler::delinearize(getAffineDimExpr(0, context), kept);
  keptIndex.assign(index.begin(), index.end());
  keptPosition = getAffineDimExpr(0, context);

  // The one task; an empty range of tasks is none.
  const int64_t lanes = 16;
  Value end = arith::MulIOp::create(b, loc, arguments->end, indexConstant(b, loc, count));
  Value begin = arith::MulIOp::create(b, loc, arguments->begin, indexConstant(b, loc, count));
  scf::ForOp loop = openLoop(b, loc, begin, end, indexConstant(b, loc, lanes));
  Value base = loop.getInductionVar();
  Value mask;
  if (count % lanes != 0) {
    Value left = arith::SubIOp::create(b, loc, end, base);
    mask = vector::CreateMaskOp::create(b, loc, VectorType::get({lanes}, b.getI1Type()), left);
  }
  auto load = [&](unsigned i, Value block) -> Value {
    Value place =
        arith::AddIOp::create(b, loc, arith::MulIOp::create(b, loc, block, indexConstant(b, loc, count)), base);
    VectorType type = VectorType::get({lanes}, cast<MemRefType>(views[i].getType()).getElementType());
    Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
    Value loaded = mask ? Value(vector::MaskedLoadOp::create(b, loc, type, views[i], place, mask, zero))
                        : Value(vector::LoadOp::create(b, loc, type, views[i], place));
    if (!reduces[i].reduction.getAccumulator().isBool())
      return loaded;
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, loaded, zero);
  };
  SmallVector<Value> firsts;
  for (unsigned i = 0; i != reduces.size(); ++i)
    firsts.push_back(load(i, indexConstant(b, loc, 0)));
  scf::ForOp blockLoop = openLoop(b, loc, indexConstant(b, loc, 1), indexConstant(b, loc, strategy.blocks),
                                  indexConstant(b, loc, 1), firsts);
  SmallVector<Value> joined;
  for (auto [i, reduce] : llvm::enumerate(reduces))
    joined.push_back(
        reduce.reduction.combine(b, loc, blockLoop.getRegionIterArg(i), load(i, blockLoop.getInductionVar())));
  closeLoop(b, blockLoop, joined);

  emitter->openScope({{0u, base}}, loop, LaneDim{0, lanes, mask});
  for (auto [i, reduce] : llvm::enumerate(reduces))
    emitter->bind(reduce.op.getResult(), reduce.reduction.narrow(b, loc, blockLoop.getResult(i)));
  SmallVector<std::pair<Value, unsigned>> elements;
  for (const ResultInfo &result : results)
    if (!result.whole) {
      elements.push_back({emitter->emitVector(result.value, keptIndex), result.number});
      failed |= !elements.back().first;
    }
  for (auto [element, number] : elements)
    if (element)
      emitter->store(element, arguments->results[number], keptPosition);
  emitter->closeScope();
  closeLoop(b, loop);
  func::ReturnOp::create(b, loc);
}
