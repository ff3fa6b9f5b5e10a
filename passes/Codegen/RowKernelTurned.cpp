// Reductions that walk their domain in another order than that in which it lies: vectors go along the last dim, which
// is kept, and each lane of the order (RowStrategy) is an accumulator of its own in memory. Lanes are chains that do
// not depend on each other, so tasks share them.
#include "passes/Codegen/RowKernel.h"
#include "passes/Graph/TurnedReduction.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace burn;
using namespace burn::compiler;

namespace {

// Tasks of a sweep, if it is long enough for as many.
constexpr int64_t kTasks = 16;
// Blocks of lanes of which an accumulator takes elements before it is stored.
constexpr int64_t kBlocks = 4;
// Elements of a row of lanes that one task stores results of at most.
constexpr int64_t kStoredElements = 65536;
// Neighbouring lanes that one task takes at least: fewer leave memory in runs too short to be foreseen.
constexpr int64_t kFewestLanes = 4;

int64_t bytesOf(const ir::ScalarKind &kind) { return std::max<int64_t>(1, kind.width / 8); }

} // namespace

void RowKernelBuilder::analyseTurned(ArrayRef<int64_t> reduceDims) {
  const unsigned rank = domain.size();
  laneDims = turnedLaneDims(domain, reduceDims, walk);
  laneElements = 1;
  SmallVector<int64_t> laneSizes;
  for (int64_t dim : laneDims) {
    laneSizes.push_back(domain[dim]);
    laneElements *= domain[dim];
  }
  // The emitter's dims: the domain's, the place in a row of lanes, and the lane of the accumulators.
  sizes.assign(domain.begin(), domain.end());
  sizes.append({laneElements, kReductionLanes});
  const SmallVector<AffineExpr> placed = compiler::delinearize(getAffineDimExpr(rank, context), laneSizes);
  for (unsigned dim = 0; dim != rank; ++dim) {
    auto lane = llvm::find(laneDims, int64_t(dim));
    if (lane != laneDims.end())
      domainIndex.push_back(placed[lane - laneDims.begin()]);
    else
      domainIndex.push_back(domain[dim] == 1 ? getAffineConstantExpr(0, context) : getAffineDimExpr(dim, context));
    const bool reduced = llvm::is_contained(reduceDims, int64_t(dim));
    if (!reduced)
      keptIndex.push_back(domainIndex.back());
    if (!reduced && dim + 1 != rank && domain[dim] != 1)
      outerKept.push_back(dim);
  }
  for (int64_t dim : walk)
    if (llvm::is_contained(reduceDims, dim) && !llvm::is_contained(laneDims, dim) && domain[dim] != 1)
      outerReduced.push_back(dim);
  wholePosition = linearIndex(domainIndex, domain, context);
  keptPosition = linearIndex(keptIndex, kept, context);
  const int64_t count = strategy.keptCount();
  const auto reserve = [&](int64_t &offset, int64_t bytes) {
    offset = scratchBytes;
    scratchBytes += llvm::alignTo(bytes, 64);
  };
  for (ReduceInfo &reduce : reduces) {
    const int64_t filled = std::min(kReductionLanes, laneElements);
    reserve(reduce.scratchOffset, filled * count * bytesOf(reduce.reduction.getAccumulator()));
    reserve(reduce.totalOffset, count * bytesOf(reduce.reduction.getElement()));
  }
}

void RowKernelBuilder::buildTurned(KernelCode &code) {
  code.scratchBytes = scratchBytes;
  for (int level = 1; level <= lastLevel; ++level) {
    buildTurnedSweep(code, level);
    buildTurnedCombination(code, level);
  }
  if (extraSweep) {
    buildTurnedStores(code);
    buildTurnedKept(code);
  }
}

void RowKernelBuilder::beginTurnedPhase(const Twine &suffix) {
  phase = createPhase(atModule, fused, (name + suffix).str(), scratchBytes, false);
  arguments.emplace(phase, fused, true, false);
  b = OpBuilder::atBlockEnd(&phase.getBody().front());
}

void RowKernelBuilder::endTurnedPhase(KernelCode &code, int64_t tasks) {
  code.phases.push_back({phase, tasks});
  func::ReturnOp::create(b, loc);
}

Value RowKernelBuilder::scratchPart(int64_t offset, int64_t count, Type element) {
  return memref::ViewOp::create(b, loc, MemRefType::get({count}, element), arguments->scratch,
                                indexConstant(b, loc, offset), ValueRange{});
}

void RowKernelBuilder::recallTotals(int level) {
  for (ReduceInfo &reduce : reduces) {
    if (reduce.level >= level)
      continue;
    Type element = getElementTypeOrSelf(reduce.op.getResult().getType());
    emitter->bind(reduce.op.getResult(), emitter->loadNow(reduce.totals, element, keptPosition));
  }
}

void RowKernelBuilder::forTurnedUnits(ArrayRef<unsigned> outer, int64_t parts, int64_t perTask,
                                      llvm::function_ref<void(int64_t, Value)> unitBody) {
  const unsigned last = domain.size() - 1;
  const int64_t chunkCount = ceilDivide(domain[last], vectorLanes);
  SmallVector<int64_t> outerSizes;
  int64_t units = parts * chunkCount;
  for (unsigned dim : outer) {
    outerSizes.push_back(domain[dim]);
    units *= domain[dim];
  }
  const auto times = [&](Value value, int64_t factor) -> Value {
    return arith::MulIOp::create(b, loc, value, indexConstant(b, loc, factor));
  };
  Value end = arith::MinUIOp::create(b, loc, times(arguments->end, perTask), indexConstant(b, loc, units));
  scf::ForOp loop = openLoop(b, loc, times(arguments->begin, perTask), end, indexConstant(b, loc, 1));
  Value chunks = indexConstant(b, loc, chunkCount), partCount = indexConstant(b, loc, parts);
  Value rest = arith::DivUIOp::create(b, loc, loop.getInductionVar(), chunks);
  Value base = times(arith::RemUIOp::create(b, loc, loop.getInductionVar(), chunks), vectorLanes);
  Value part = arith::RemUIOp::create(b, loc, rest, partCount);
  const SmallVector<Value> index =
      compiler::delinearize(b, loc, arith::DivUIOp::create(b, loc, rest, partCount), outerSizes);
  SmallVector<std::pair<unsigned, Value>> dims;
  for (auto [dim, value] : llvm::zip_equal(outer, index))
    dims.push_back({dim, value});
  forChunk(domain[last], base, loop, [&](int64_t lanes, Value mask, Operation *before) {
    emitter->openScope(dims, before);
    emitter->openScope({{last, base}}, nullptr, LaneDim{last, lanes, mask});
    unitBody(lanes, part);
    emitter->closeScope();
    emitter->closeScope();
  });
  closeLoop(b, loop);
}

void RowKernelBuilder::buildTurnedSweep(KernelCode &code, int level) {
  const int64_t count = strategy.keptCount(), filled = std::min(kReductionLanes, laneElements);
  const int64_t units = count / domain.back() * ceilDivide(domain.back(), vectorLanes);
  const int64_t elements = strategy.reducedCount() * vectorLanes; // of a unit
  int64_t groupLanes = kReductionLanes;
  while (units * (kReductionLanes / groupLanes) < kTasks && groupLanes > kFewestLanes &&
         elements * groupLanes / kReductionLanes > 2 * plan.taskElements)
    groupLanes /= 2;
  const int64_t groups = ceilDivide(filled, groupLanes);
  const int64_t perTask = std::max<int64_t>(1, plan.taskElements / std::max<int64_t>(1, elements / groups));
  const bool storing = level == lastLevel && !extraSweep;

  beginTurnedPhase("_sweep" + Twine(level));
  SmallVector<Value> buffers, partials;
  for (ReduceInfo &reduce : reduces) {
    Type accumulator = reduce.reduction.getAccumulator().getStorage(context);
    reduce.totals = scratchPart(reduce.totalOffset, count, memoryType(getElementTypeOrSelf(reduce.op.getType())));
    if (reduce.level != level)
      continue;
    buffers.push_back(memref::AllocaOp::create(b, loc, MemRefType::get({groupLanes * vectorLanes}, accumulator),
                                               b.getI64IntegerAttr(64)));
    partials.push_back(scratchPart(reduce.scratchOffset, filled * count, accumulator));
  }
  emitter.emplace(b, loc, body, arguments->operands, sizes);
  const unsigned placeDim = domain.size(), laneDim = placeDim + 1;
  Value one = indexConstant(b, loc, 1), zero = indexConstant(b, loc, 0);
  const auto accumulatorsAt = [&](Value lane) -> Value {
    return arith::MulIOp::create(b, loc, lane, indexConstant(b, loc, vectorLanes));
  };
  const auto typeIn = [&](Value buffer, int64_t lanes) {
    return VectorType::get({lanes}, cast<MemRefType>(buffer.getType()).getElementType());
  };
  const auto forReduces = [&](llvm::function_ref<void(ReduceInfo &, Value, Value)> visit) {
    unsigned next = 0;
    for (ReduceInfo &reduce : reduces)
      if (reduce.level == level) {
        visit(reduce, buffers[next], partials[next]);
        ++next;
      }
  };
  forTurnedUnits(outerKept, groups, perTask, [&](int64_t lanes, Value group) {
    recallTotals(level);
    Value first = arith::MulIOp::create(b, loc, group, indexConstant(b, loc, groupLanes));
    scf::ForOp clearing = openLoop(b, loc, zero, indexConstant(b, loc, groupLanes), one);
    forReduces([&](ReduceInfo &reduce, Value buffer, Value) {
      Value identity = reduce.reduction.identity(b, loc, VectorType::get({lanes}, b.getI32Type()));
      vector::StoreOp::create(b, loc, identity, buffer, accumulatorsAt(clearing.getInductionVar()));
    });
    closeLoop(b, clearing);

    SmallVector<scf::ForOp> loops;
    for (unsigned dim : outerReduced) {
      loops.push_back(openLoop(b, loc, zero, indexConstant(b, loc, domain[dim]), one));
      emitter->openScope({{dim, loops.back().getInductionVar()}}, loops.back());
    }
    // `count` blocks at a time: accumulators take elements of several before they are stored.
    const auto forBlocks = [&](Value from, Value to, int64_t count) {
      scf::ForOp blocks = openLoop(b, loc, from, to, indexConstant(b, loc, count * kReductionLanes));
      emitter->openScope({}, blocks);
      Value left = arith::SubIOp::create(b, loc, indexConstant(b, loc, laneElements), blocks.getInductionVar());
      Value here = count > 1 ? indexConstant(b, loc, groupLanes)
                             : Value(arith::MinUIOp::create(b, loc, left, indexConstant(b, loc, groupLanes)));
      scf::ForOp lane = openLoop(b, loc, zero, here, one);
      emitter->openScope({}, lane);
      Value place = arith::AddIOp::create(b, loc, blocks.getInductionVar(), lane.getInductionVar());
      Value at = accumulatorsAt(lane.getInductionVar());
      SmallVector<Value> sums;
      forReduces([&](ReduceInfo &, Value buffer, Value) {
        sums.push_back(vector::LoadOp::create(b, loc, typeIn(buffer, lanes), buffer, at));
      });
      for (int64_t block = 0; block != count; ++block) {
        Value here = arith::AddIOp::create(b, loc, place, indexConstant(b, loc, block * kReductionLanes));
        emitter->openScope({{placeDim, here}});
        unsigned next = 0;
        forReduces([&](ReduceInfo &reduce, Value, Value) {
          Value element = emitter->emitVector(reduce.source, domainIndex);
          failed |= !element;
          if (element)
            sums[next] = reduce.reduction.combine(b, loc, sums[next], reduce.reduction.widen(b, loc, element));
          ++next;
        });
        if (storing)
          storeWhole(lastLevel);
        emitter->closeScope();
      }
      unsigned next = 0;
      forReduces([&](ReduceInfo &, Value buffer, Value) { vector::StoreOp::create(b, loc, sums[next++], buffer, at); });
      emitter->closeScope(lane);
      closeLoop(b, lane);
      emitter->closeScope(blocks);
      closeLoop(b, blocks);
    };
    Value rest = first;
    if (laneElements > kBlocks * kReductionLanes) {
      const int64_t step = kBlocks * kReductionLanes;
      // Blocks whose last one is whole for the group.
      const int64_t most = (kBlocks - 1) * kReductionLanes + groupLanes;
      Value room = arith::SubIOp::create(b, loc, indexConstant(b, loc, laneElements - most + step), first);
      Value turns = arith::DivUIOp::create(b, loc, room, indexConstant(b, loc, step));
      rest = arith::AddIOp::create(b, loc, first, arith::MulIOp::create(b, loc, turns, indexConstant(b, loc, step)));
      forBlocks(first, rest, kBlocks);
    }
    forBlocks(rest, indexConstant(b, loc, laneElements), 1);
    for (scf::ForOp loop : llvm::reverse(loops)) {
      emitter->closeScope(loop);
      closeLoop(b, loop);
    }

    Value existing = arith::MinUIOp::create(b, loc, indexConstant(b, loc, groupLanes),
                                            arith::SubIOp::create(b, loc, indexConstant(b, loc, filled), first));
    scf::ForOp leaving = openLoop(b, loc, zero, existing, one);
    emitter->openScope({{laneDim, arith::AddIOp::create(b, loc, first, leaving.getInductionVar())}}, leaving);
    forReduces([&](ReduceInfo &, Value buffer, Value partial) {
      Value done =
          vector::LoadOp::create(b, loc, typeIn(buffer, lanes), buffer, accumulatorsAt(leaving.getInductionVar()));
      emitter->store(done, partial, getAffineDimExpr(laneDim, context) * count + keptPosition);
    });
    emitter->closeScope(leaving);
    closeLoop(b, leaving);
  });
  endTurnedPhase(code, ceilDivide(units * groups, perTask));
}

void RowKernelBuilder::buildTurnedCombination(KernelCode &code, int level) {
  const int64_t count = strategy.keptCount(), filled = std::min(kReductionLanes, laneElements);
  beginTurnedPhase("_combine" + Twine(level));
  SmallVector<Value> partials;
  for (ReduceInfo &reduce : reduces) {
    reduce.totals = scratchPart(reduce.totalOffset, count, memoryType(getElementTypeOrSelf(reduce.op.getType())));
    partials.push_back(
        scratchPart(reduce.scratchOffset, filled * count, reduce.reduction.getAccumulator().getStorage(context)));
  }
  emitter.emplace(b, loc, body, arguments->operands, sizes);
  const int64_t units = count / domain.back() * ceilDivide(domain.back(), vectorLanes);
  const int64_t perTask = std::max<int64_t>(1, plan.taskElements / (kReductionLanes * vectorLanes));
  forTurnedUnits(outerKept, 1, perTask, [&](int64_t, Value) {
    recallTotals(level);
    for (auto [reduce, partial] : llvm::zip_equal(reduces, partials)) {
      if (reduce.level != level)
        continue;
      const Reduction &reduction = reduce.reduction;
      Type accumulator = cast<MemRefType>(partial.getType()).getElementType();
      // As combineLanes does: pairs of sixteen lanes, then the halves of these. Lanes beyond those filled hold the
      // identity.
      SmallVector<Value> lanes;
      for (int64_t lane = 0; lane != 16; ++lane) {
        SmallVector<Value> parts;
        for (int64_t each = lane; each < filled; each += 16)
          parts.push_back(
              emitter->loadNow(partial, accumulator, keptPosition + getAffineConstantExpr(each * count, context)));
        while (parts.size() > 1) {
          SmallVector<Value> joined;
          for (size_t i = 0; i < parts.size(); i += 2)
            joined.push_back(i + 1 < parts.size() ? reduction.combine(b, loc, parts[i], parts[i + 1]) : parts[i]);
          parts = joined;
        }
        lanes.push_back(parts.empty() ? Value() : parts[0]);
      }
      for (int64_t half = 8; half != 0; half /= 2)
        for (int64_t lane = 0; lane != half; ++lane)
          if (lanes[lane + half])
            lanes[lane] = reduction.combine(b, loc, lanes[lane], lanes[lane + half]);
      Value total = reduction.narrow(b, loc, lanes[0]);
      emitter->bind(reduce.op.getResult(), total);
      emitter->store(total, reduce.totals, keptPosition);
    }
    if (level == lastLevel && !extraSweep)
      storeKept();
  });
  endTurnedPhase(code, ceilDivide(units, perTask));
}

void RowKernelBuilder::buildTurnedStores(KernelCode &code) {
  const int64_t count = strategy.keptCount();
  beginTurnedPhase("_store");
  for (ReduceInfo &reduce : reduces)
    reduce.totals = scratchPart(reduce.totalOffset, count, memoryType(getElementTypeOrSelf(reduce.op.getType())));
  emitter.emplace(b, loc, body, arguments->operands, sizes);
  SmallVector<unsigned> outer;
  int64_t units = ceilDivide(domain.back(), vectorLanes);
  for (unsigned dim = 0; dim + 1 != domain.size(); ++dim)
    if (domain[dim] != 1 && !llvm::is_contained(laneDims, int64_t(dim))) {
      outer.push_back(dim);
      units *= domain[dim];
    }
  const int64_t length = std::min(laneElements, std::max<int64_t>(1, kStoredElements / vectorLanes)),
                parts = ceilDivide(laneElements, length);
  const int64_t perTask = std::max<int64_t>(1, plan.taskElements / (length * vectorLanes));
  forTurnedUnits(outer, parts, perTask, [&](int64_t, Value part) {
    recallTotals(lastLevel + 1);
    Value step = indexConstant(b, loc, length);
    Value from = arith::MulIOp::create(b, loc, part, step);
    Value to =
        arith::MinUIOp::create(b, loc, arith::AddIOp::create(b, loc, from, step), indexConstant(b, loc, laneElements));
    scf::ForOp place = openLoop(b, loc, from, to, indexConstant(b, loc, 1));
    emitter->openScope({{unsigned(domain.size()), place.getInductionVar()}}, place);
    storeWhole(lastLevel);
    emitter->closeScope(place);
    closeLoop(b, place);
  });
  endTurnedPhase(code, ceilDivide(units * parts, perTask));
}

void RowKernelBuilder::buildTurnedKept(KernelCode &code) {
  if (llvm::all_of(results, [](const ResultInfo &result) { return result.whole; }))
    return;
  const int64_t count = strategy.keptCount();
  beginTurnedPhase("_keep");
  for (ReduceInfo &reduce : reduces)
    reduce.totals = scratchPart(reduce.totalOffset, count, memoryType(getElementTypeOrSelf(reduce.op.getType())));
  emitter.emplace(b, loc, body, arguments->operands, sizes);
  const int64_t units = count / domain.back() * ceilDivide(domain.back(), vectorLanes);
  const int64_t perTask = std::max<int64_t>(1, plan.taskElements / vectorLanes);
  forTurnedUnits(outerKept, 1, perTask, [&](int64_t, Value) {
    recallTotals(lastLevel + 1);
    storeKept();
  });
  endTurnedPhase(code, ceilDivide(units, perTask));
}
