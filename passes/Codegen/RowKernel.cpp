#include "passes/Codegen/RowKernel.h"
#include "passes/Codegen/StreamedStores.h"
#include "passes/Graph/TurnedReduction.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace burn;
using namespace burn::compiler;

namespace {

// Rows of no more elements have costly values kept between sweeps; they fit the first-level cache.
constexpr int64_t kKeptElements = 4096;
// Values that cost less are computed again.
constexpr unsigned kKeptCost = 10;
// Operands from this size on come from beyond the second-level cache.
constexpr int64_t kPrefetchedBytes = 4 << 20;
// Prefetchers of processors stop at the end of a page; what is asked for further ahead than this may be gone before it
// is used.
constexpr int64_t kPageBytes = 4096, kFarthestBytes = 16384;

} // namespace

FailureOr<KernelCode> compiler::buildRowKernel(OpBuilder &atModule, ir::FusedOp fused, StringRef name,
                                               const CpuTargetInfo &target) {
  return RowKernelBuilder(atModule, fused, name, target).build();
}

RowKernelBuilder::RowKernelBuilder(OpBuilder &atModule, ir::FusedOp fused, StringRef name, const CpuTargetInfo &target)
    : atModule(atModule), fused(fused), name(name), target(target), loc(fused.getLoc()), context(fused.getContext()),
      body(fused.getBody().front()), b(context) {}

int RowKernelBuilder::levelOf(Value value) {
  if (auto found = levels.find(value); found != levels.end())
    return found->second;
  int level = 0;
  if (Operation *op = value.getDefiningOp()) {
    for (Value operand : op->getOperands())
      level = std::max(level, levelOf(operand));
    level += isa<ir::ReduceOp>(op);
  }
  return levels[value] = level;
}

LogicalResult RowKernelBuilder::analyseReductions(SmallVectorImpl<int64_t> &reduceDims) {
  auto walked = fused->getAttrOfType<DenseI64ArrayAttr>(walkAttrName);
  for (ir::ReduceOp reduce : body.getOps<ir::ReduceOp>()) {
    TurnedReduction turned{reduce.getInput(), llvm::to_vector(reduce.getDims()), {}};
    if (walked) {
      std::optional<TurnedReduction> found = turnedReductionOf(reduce);
      if (!found || ArrayRef<int64_t>(found->walk) != walked.asArrayRef())
        return reduce.emitOpError("expects an operand that is transposed as its cluster's '")
               << walkAttrName << "' says";
      turned = std::move(*found);
    }
    auto source = cast<RankedTensorType>(turned.source.getType());
    if (reduces.empty()) {
      domain.assign(source.getShape().begin(), source.getShape().end());
      reduceDims = turned.reduceDims;
      walk = turned.walk;
    } else if (source.getShape() != ArrayRef<int64_t>(domain) ||
               ArrayRef<int64_t>(turned.reduceDims) != ArrayRef<int64_t>(reduceDims)) {
      return reduce.emitOpError("expects the domain and dims of the other reductions of its cluster");
    }
    ReduceInfo info{reduce, Reduction(reduce.getKind(), source.getElementType()), levelOf(reduce.getResult()),
                    turned.source};
    reduces.push_back(info);
    lastLevel = std::max(lastLevel, reduces.back().level);
  }
  if (reduces.empty())
    return fused.emitOpError("expects a reduction in a row cluster");
  return success();
}

LogicalResult RowKernelBuilder::analyse() {
  SmallVector<int64_t> reduceDims;
  if (analyseReductions(reduceDims).failed())
    return failure();
  const SmallVector<int64_t> shape = walk.empty() ? llvm::to_vector(domain) : walkedShape(domain, walk),
                             dims = walk.empty() ? reduceDims : walkedDims(reduceDims, walk);
  strategy = rowStrategy(std::span<const int64_t>(shape), std::span<const int64_t>(dims));
  for (auto [i, size] : llvm::enumerate(domain))
    if (!llvm::is_contained(reduceDims, int64_t(i)))
      kept.push_back(size);
  for (auto [i, value] : llvm::enumerate(body.getTerminator()->getOperands())) {
    auto shape = cast<RankedTensorType>(value.getType()).getShape();
    const bool whole = shape == ArrayRef<int64_t>(domain) && !reduceDims.empty();
    if (!whole && shape != ArrayRef<int64_t>(kept))
      return fused.emitOpError("expects results over the domain or its kept dims in a row cluster");
    results.push_back({value, unsigned(i), whole, levelOf(value)});
    if (strategy.split && whole && results.back().level > 0)
      return fused.emitOpError("reads a split reduction over its whole domain");
  }
  if (strategy.split && lastLevel > 1)
    return fused.emitOpError("reads a split reduction over its whole domain");

  for (const ResultInfo &result : results)
    extraSweep |= result.whole && result.level == lastLevel;
  vectorLanes = wideLanes(body, target);
  if (!walk.empty()) {
    analyseTurned(reduceDims);
    return success();
  }
  if (strategy.dims.empty())
    strategy.dims.push_back({1, false, 0, int(domain.size())});
  for (auto [i, dim] : llvm::enumerate(strategy.dims)) {
    sizes.push_back(dim.size);
    auto part = ArrayRef<int64_t>(domain).slice(dim.first, dim.last - dim.first);
    SmallVector<AffineExpr> exprs = compiler::delinearize(getAffineDimExpr(i, context), part);
    for (auto [j, expr] : llvm::enumerate(exprs)) {
      domainIndex.push_back(expr);
      if (!llvm::is_contained(reduceDims, int64_t(dim.first + j)))
        keptIndex.push_back(expr);
    }
    if (!dim.reduced)
      keptSizes.push_back(dim.size);
  }
  wholePosition = linearIndex(domainIndex, domain, context);
  keptPosition = linearIndex(keptIndex, kept, context);
  rowPosition = getAffineConstantExpr(0, context);
  for (auto [i, dim] : llvm::enumerate(strategy.dims))
    if (dim.reduced)
      rowPosition = rowPosition * dim.size + getAffineDimExpr(i, context);
  return success();
}

FailureOr<KernelCode> RowKernelBuilder::build() {
  FailureOr<RowPlan> chosen = rowPlanFor(fused);
  if (mlir::failed(chosen) || analyse().failed())
    return failure();
  plan = *chosen;
  KernelCode code;
  if (!walk.empty()) {
    buildTurned(code);
  } else if (strategy.split) {
    for (ReduceInfo &reduce : reduces) {
      reduce.scratchOffset = scratchBytes;
      const int64_t bytes = std::max<int64_t>(1, reduce.reduction.getAccumulator().width / 8);
      scratchBytes += llvm::alignTo(bytes * strategy.blocks * strategy.keptCount(), 64);
    }
    code.scratchBytes = scratchBytes;
    buildBlocks(code);
    buildCombination(code);
  } else {
    buildRows(code);
  }
  if (failed)
    return failure();
  return code;
}

int64_t RowKernelBuilder::laneChunks() const {
  return strategy.lanesReduced() ? 1 : ceilDivide(sizes.back(), vectorLanes);
}

int64_t RowKernelBuilder::unitCount() const {
  const int64_t count = strategy.keptCount();
  return strategy.lanesReduced() || count == 0 ? count : count / sizes.back() * laneChunks();
}

void RowKernelBuilder::rowScope(Value linear, Value laneBase, int64_t lanes, Value mask, Operation *loop,
                                llvm::function_ref<void(int64_t, Value)> rowBody) {
  SmallVector<int64_t> outer(keptSizes);
  if (!strategy.lanesReduced())
    outer.pop_back();
  SmallVector<Value> index = compiler::delinearize(b, loc, linear, outer);
  SmallVector<std::pair<unsigned, Value>> dims;
  for (auto [i, dim] : llvm::enumerate(strategy.dims))
    if (!dim.reduced && dims.size() < index.size())
      dims.push_back({unsigned(i), index[dims.size()]});
  emitter->openScope(dims, loop);
  if (laneBase) {
    const unsigned laneDim = sizes.size() - 1;
    emitter->openScope({{laneDim, laneBase}}, nullptr, LaneDim{laneDim, lanes, mask});
    rowBody(lanes, mask);
    emitter->closeScope();
  } else {
    rowBody(lanes, mask);
  }
  emitter->closeScope();
}

void RowKernelBuilder::forChunk(int64_t length, Value base, Operation *before,
                                llvm::function_ref<void(int64_t, Value, Operation *)> chunkBody) {
  const int64_t rest = length % vectorLanes;
  const auto full = [&](Operation *place) { chunkBody(vectorLanes, {}, place); };
  const auto narrow = [&](Operation *place) {
    const int64_t lanes = maskedLanes(rest);
    chunkBody(lanes, leadingMask(b, loc, lanes, rest), place);
  };
  if (rest == 0)
    return full(before);
  if (length < vectorLanes)
    return narrow(before);
  Value whole = indexConstant(b, loc, length - rest);
  Value isFull = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, base, whole);
  auto choice = scf::IfOp::create(b, loc, isFull, /*withElseRegion=*/true);
  b.setInsertionPoint(choice.thenBlock()->getTerminator());
  full(before);
  b.setInsertionPoint(choice.elseBlock()->getTerminator());
  narrow(before);
  b.setInsertionPointAfter(choice);
}

void RowKernelBuilder::forUnits(Value begin, Value end, llvm::function_ref<void(int64_t, Value)> unitBody) {
  scf::ForOp loop = openLoop(b, loc, begin, end, indexConstant(b, loc, 1));
  Value unit = loop.getInductionVar();
  if (strategy.lanesReduced()) {
    rowScope(unit, {}, 1, {}, loop, unitBody);
    closeLoop(b, loop);
    return;
  }
  // Lanes run along the last kept dim, in chunks of which the last one may be narrower.
  const int64_t length = sizes.back();
  Value chunks = indexConstant(b, loc, laneChunks());
  Value row = arith::DivUIOp::create(b, loc, unit, chunks);
  Value chunk = arith::RemUIOp::create(b, loc, unit, chunks);
  Value base = arith::MulIOp::create(b, loc, chunk, indexConstant(b, loc, vectorLanes));
  forChunk(length, base, loop,
           [&](int64_t lanes, Value mask, Operation *before) { rowScope(row, base, lanes, mask, before, unitBody); });
  closeLoop(b, loop);
}

void RowKernelBuilder::buildRows(KernelCode &code) {
  func::FuncOp func = createPhase(atModule, fused, name, 0, false);
  arguments.emplace(func, fused, false, false);
  b = OpBuilder::atBlockEnd(&func.getBody().front());
  // Buffers on the stack belong to the whole function, not to a turn of its loops.
  chooseKeptValues();
  for (KeptValue &value : keptValues) {
    Type element = memoryType(cast<RankedTensorType>(value.value.getType()).getElementType());
    value.buffer =
        memref::AllocaOp::create(b, loc, MemRefType::get({strategy.reducedCount()}, element), b.getI64IntegerAttr(64));
  }
  emitter.emplace(b, loc, body, arguments->operands, sizes);
  const int64_t units = unitCount();
  const int64_t each = std::max<int64_t>(1, strategy.reducedCount()) * (strategy.lanesReduced() ? 1 : vectorLanes);
  const int64_t unitsPerTask = std::max<int64_t>(1, plan.taskElements / each);
  code.phases.push_back({func, ceilDivide(units, unitsPerTask)});
  if (units != 0) {
    Value perTask = indexConstant(b, loc, unitsPerTask);
    Value begin = arith::MulIOp::create(b, loc, arguments->begin, perTask);
    Value end = arith::MinUIOp::create(b, loc, arith::MulIOp::create(b, loc, arguments->end, perTask),
                                       indexConstant(b, loc, units));
    forUnits(begin, end, [&](int64_t lanes, Value mask) { emitRow(lanes, mask); });
    if (llvm::any_of(results, [&](const ResultInfo &result) { return result.whole && isStreamedRow(result.number); }))
      emitStreamFence(b, loc);
  }
  func::ReturnOp::create(b, loc);
}

void RowKernelBuilder::emitRow(int64_t lanes, Value mask) {
  for (int level = 1; level <= lastLevel; ++level) {
    const bool storing = level == lastLevel && !extraSweep;
    Accumulators done = sweep(startAccumulators(level, lanes), std::nullopt, lanes, mask,
                              [&](Accumulators &accumulators, unsigned group, int64_t width, Value active) {
                                recallKeptValues(level);
                                accumulate(level, accumulators, group, width, active);
                                prefetchAhead(level, group, width);
                                storeKeptValues(level);
                                if (storing)
                                  storeWhole(lastLevel);
                              });
    unsigned next = 0;
    for (ReduceInfo &reduce : reduces)
      if (reduce.level == level)
        emitter->bind(reduce.op.getResult(),
                      reduce.reduction.narrow(b, loc, combineLanes(reduce.reduction, done[next++])));
  }
  if (extraSweep)
    sweep({}, std::nullopt, lanes, mask, [&](Accumulators &, unsigned group, int64_t width, Value) {
      prefetchAhead(lastLevel + 1, group, width);
      recallKeptValues(lastLevel + 1);
      storeWhole(lastLevel);
    });
  storeKept();
}

int64_t RowKernelBuilder::elementsAhead(int64_t bytes) const {
  const int64_t run = sizes.back();
  if (run == strategy.reducedCount())
    return std::clamp(run * bytes, kPageBytes, kFarthestBytes) / bytes;
  // Runs of a row do not lie side by side: what follows on them in memory belongs to other rows.
  int64_t distance = run;
  for (unsigned dim = sizes.size() - 1; dim-- != 0 && !strategy.dims[dim].reduced;)
    distance *= sizes[dim];
  return ceilDivide(kPageBytes, run * bytes) * distance;
}

void RowKernelBuilder::prefetchAhead(int sweep, unsigned group, int64_t width) {
  if (target.scalar || !plan.prefetches || !strategy.lanesReduced())
    return;
  const int64_t sweeps = lastLevel + extraSweep;
  const auto ask = [&](Type tensor, Value buffer) {
    const core::TypeDesc type = *ir::toTypeDesc(tensor);
    if (cast<RankedTensorType>(tensor).getShape() != ArrayRef<int64_t>(domain) || type.byteSize() < kPrefetchedBytes)
      return;
    const int64_t bytes = byteWidth(type.dtype), line = 64 / bytes;
    const int64_t ahead = elementsAhead(bytes);
    // Each sweep asks for its share of the lines, so that memory works throughout.
    for (int64_t lane = 0; lane < width; lane += line)
      if ((group * width + lane) / line % sweeps == sweep - 1)
        emitter->prefetch(buffer, wholePosition + (ahead + lane));
  };
  for (auto [operand, buffer] : llvm::zip_equal(fused.getInputs(), arguments->operands))
    ask(operand.getType(), buffer);
  // A line is read before a part of it is written.
  for (const ResultInfo &result : results)
    if (result.whole && !isStreamedRow(result.number))
      ask(result.value.getType(), arguments->results[result.number]);
}

void RowKernelBuilder::chooseKeptValues() {
  if (!plan.keeps || !strategy.lanesReduced() || strategy.reducedCount() > kKeptElements ||
      strategy.reducedCount() == 0)
    return;
  llvm::SmallPtrSet<Operation *, 16> earlier; // computed by the sweeps so far
  llvm::DenseMap<Operation *, int> firstSweep;
  for (int sweep = 1; sweep <= lastLevel + extraSweep; ++sweep) {
    SmallVector<Value> pending;
    for (ReduceInfo &reduce : reduces)
      if (reduce.level == sweep)
        pending.push_back(reduce.op.getInput());
    if (sweep == lastLevel + extraSweep)
      for (const ResultInfo &result : results)
        if (result.whole)
          pending.push_back(result.value);
    llvm::SmallPtrSet<Operation *, 16> seen;
    while (!pending.empty()) {
      Value value = pending.pop_back_val();
      Operation *op = value.getDefiningOp();
      if (!op || isa<ir::ReduceOp>(op) || !seen.insert(op).second)
        continue;
      auto elementwise = dyn_cast<ir::ElementwiseOpInterface>(op);
      const bool whole = cast<RankedTensorType>(value.getType()).getShape() == ArrayRef<int64_t>(domain);
      if (elementwise && whole && elementwise.getPayloadCost() >= kKeptCost && earlier.contains(op)) {
        if (llvm::none_of(keptValues, [&](const KeptValue &kept) { return kept.value == value; }))
          keptValues.push_back({value, firstSweep[op], {}});
        continue; // what it is computed from is not needed again
      }
      firstSweep.try_emplace(op, sweep);
      llvm::append_range(pending, op->getOperands());
    }
    earlier.insert_range(seen);
  }
}

void RowKernelBuilder::recallKeptValues(int sweep) {
  for (const KeptValue &value : keptValues)
    if (value.sweep < sweep) {
      Type element = cast<RankedTensorType>(value.value.getType()).getElementType();
      emitter->bind(value.value, emitter->loadNow(value.buffer, element, rowPosition));
    }
}

void RowKernelBuilder::storeKeptValues(int sweep) {
  for (const KeptValue &value : keptValues)
    if (value.sweep == sweep)
      if (Value element = emitter->emitVector(value.value, domainIndex))
        emitter->store(element, value.buffer, rowPosition);
}

void RowKernelBuilder::storeWhole(int level) {
  SmallVector<std::pair<Value, unsigned>> elements;
  for (const ResultInfo &result : results) {
    if (!result.whole || result.level > level)
      continue;
    elements.push_back({emitter->emitVector(result.value, domainIndex), result.number});
    failed |= !elements.back().first;
  }
  for (auto [element, number] : elements)
    if (element)
      emitter->store(element, arguments->results[number], wholePosition, isStreamedRow(number));
}

bool RowKernelBuilder::isStreamedRow(unsigned number) const {
  return walk.empty() && strategy.lanesReduced() && !strategy.split && isStreamed(fused, number, sizes, target);
}

void RowKernelBuilder::storeKept() {
  SmallVector<std::pair<Value, unsigned>> elements;
  for (const ResultInfo &result : results) {
    if (result.whole)
      continue;
    Value element = strategy.lanesReduced() && walk.empty() ? emitter->emit(result.value, keptIndex)
                                                            : emitter->emitVector(result.value, keptIndex);
    elements.push_back({element, result.number});
    failed |= !element;
  }
  for (auto [element, number] : elements)
    if (element)
      emitter->store(element, arguments->results[number], keptPosition);
}

RowKernelBuilder::Accumulators RowKernelBuilder::startAccumulators(int level, int64_t lanes) {
  Accumulators accumulators;
  const int64_t groups = strategy.lanesReduced() ? kReductionLanes / vectorLanes : 1;
  const int64_t width = strategy.lanesReduced() ? vectorLanes : lanes;
  VectorType like = VectorType::get({width}, b.getI32Type());
  for (ReduceInfo &reduce : reduces)
    if (reduce.level == level)
      accumulators.emplace_back(groups, reduce.reduction.identity(b, loc, like));
  return accumulators;
}

SmallVector<Value> RowKernelBuilder::flatten(const Accumulators &accumulators) const {
  SmallVector<Value> values;
  for (const auto &groups : accumulators)
    values.append(groups.begin(), groups.end());
  return values;
}

RowKernelBuilder::Accumulators RowKernelBuilder::unflatten(ValueRange values, const Accumulators &like) const {
  Accumulators accumulators;
  size_t next = 0;
  for (const auto &groups : like) {
    accumulators.emplace_back(values.begin() + next, values.begin() + next + groups.size());
    next += groups.size();
  }
  return accumulators;
}

RowKernelBuilder::Accumulators RowKernelBuilder::sweep(Accumulators initial, std::optional<Range> range, int64_t lanes,
                                                       Value mask, AtVector atVector) {
  if (strategy.reducedCount() == 0)
    return initial;
  return sweepDims(0, std::move(initial), range, lanes, mask, atVector);
}

RowKernelBuilder::Accumulators RowKernelBuilder::sweepDims(unsigned dim, Accumulators carried,
                                                           std::optional<Range> range, int64_t lanes, Value mask,
                                                           AtVector atVector) {
  const unsigned count = strategy.dims.size();
  while (dim != count && !strategy.dims[dim].reduced)
    ++dim;
  if (dim == count) { // all reduced indices stand; the lanes are those of the kept dim
    atVector(carried, 0, lanes, mask);
    return carried;
  }
  std::optional<Range> own = int(dim) == strategy.outermostReduced() ? range : std::nullopt;
  if (dim + 1 == count)
    return sweepLanes(std::move(carried), own, atVector);
  Value from = own ? own->from : indexConstant(b, loc, 0);
  Value to = own ? own->to : indexConstant(b, loc, sizes[dim]);
  scf::ForOp loop = openLoop(b, loc, from, to, indexConstant(b, loc, 1), flatten(carried));
  emitter->openScope({{dim, loop.getInductionVar()}}, loop);
  Accumulators inner =
      sweepDims(dim + 1, unflatten(loop.getRegionIterArgs(), carried), std::nullopt, lanes, mask, atVector);
  emitter->closeScope(loop);
  closeLoop(b, loop, flatten(inner));
  return unflatten(loop.getResults(), carried);
}

RowKernelBuilder::Accumulators RowKernelBuilder::sweepLanes(Accumulators carried, std::optional<Range> range,
                                                            AtVector atVector) {
  const unsigned laneDim = sizes.size() - 1;
  const int64_t length = sizes.back(), rest = length % kReductionLanes, whole = length - rest;
  const int64_t groups = kReductionLanes / vectorLanes;
  Value from = range ? range->from : indexConstant(b, loc, 0);
  if (whole != 0) {
    Value to = indexConstant(b, loc, whole);
    if (range)
      to = arith::MinUIOp::create(b, loc, range->to, to);
    scf::ForOp loop = openLoop(b, loc, from, to, indexConstant(b, loc, kReductionLanes), flatten(carried));
    emitter->openScope({}, loop);
    Accumulators inner = unflatten(loop.getRegionIterArgs(), carried);
    for (int64_t group = 0; group != groups; ++group) {
      Value base = arith::AddIOp::create(b, loc, loop.getInductionVar(), indexConstant(b, loc, group * vectorLanes));
      emitter->openScope({{laneDim, base}}, nullptr, LaneDim{laneDim, vectorLanes, {}});
      atVector(inner, group, vectorLanes, {});
      emitter->closeScope();
    }
    emitter->closeScope(loop);
    closeLoop(b, loop, flatten(inner));
    carried = unflatten(loop.getResults(), carried);
  }
  if (rest == 0)
    return carried;
  auto tail = [&](Accumulators accumulators, Operation *before) {
    emitter->openScope({}, before);
    for (int64_t group = 0; group * vectorLanes < rest; ++group) {
      const int64_t active = std::min(vectorLanes, rest - group * vectorLanes);
      const int64_t lanes = maskedLanes(active);
      Value base = indexConstant(b, loc, whole + group * vectorLanes);
      Value mask = leadingMask(b, loc, lanes, active);
      emitter->openScope({{laneDim, base}}, nullptr, LaneDim{laneDim, lanes, mask});
      atVector(accumulators, group, lanes, mask);
      emitter->closeScope();
    }
    emitter->closeScope();
    return accumulators;
  };
  if (!range)
    return tail(std::move(carried), nullptr);
  // Only the last block reaches the rest.
  Value end = indexConstant(b, loc, length);
  Value reaches = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, range->to, end);
  SmallVector<Value> before = flatten(carried);
  SmallVector<Type> types;
  for (Value value : before)
    types.push_back(value.getType());
  auto choice = scf::IfOp::create(b, loc, types, reaches, /*withElseRegion=*/true);
  auto place = [&](Block *block) {
    if (types.empty())
      b.setInsertionPoint(block->getTerminator());
    else
      b.setInsertionPointToEnd(block);
  };
  place(choice.thenBlock());
  Accumulators after = tail(carried, choice);
  if (!types.empty()) {
    scf::YieldOp::create(b, loc, flatten(after));
    place(choice.elseBlock());
    scf::YieldOp::create(b, loc, before);
  }
  b.setInsertionPointAfter(choice);
  return unflatten(choice.getResults(), carried);
}

void RowKernelBuilder::accumulate(int level, Accumulators &accumulators, unsigned group, int64_t lanes, Value mask) {
  unsigned next = 0;
  for (ReduceInfo &reduce : reduces) {
    if (reduce.level != level)
      continue;
    Value &all = accumulators[next++][group];
    Value element = emitter->emitVector(reduce.source, domainIndex);
    if (!element) {
      failed = true;
      continue;
    }
    const Reduction &reduction = reduce.reduction;
    element = reduction.widen(b, loc, element);
    const int64_t width = cast<VectorType>(all.getType()).getNumElements();
    Value part = all;
    if (lanes != width)
      part = vector::ExtractStridedSliceOp::create(b, loc, all, ArrayRef<int64_t>{0}, ArrayRef<int64_t>{lanes},
                                                   ArrayRef<int64_t>{1});
    Value combined = reduction.combine(b, loc, part, element);
    // Lanes beyond the end keep what they had.
    if (mask && strategy.lanesReduced())
      combined = arith::SelectOp::create(b, loc, mask, combined, part);
    all = lanes == width
              ? combined
              : vector::InsertStridedSliceOp::create(b, loc, combined, all, ArrayRef<int64_t>{0}, ArrayRef<int64_t>{1});
  }
}

Value RowKernelBuilder::combineLanes(const Reduction &reduction, ArrayRef<Value> groups) {
  if (!strategy.lanesReduced())
    return groups[0];
  auto slice = [&](Value vector, int64_t offset, int64_t count) -> Value {
    return vector::ExtractStridedSliceOp::create(b, loc, vector, ArrayRef<int64_t>{offset}, ArrayRef<int64_t>{count},
                                                 ArrayRef<int64_t>{1});
  };
  // Sixteen lanes at a time, leaving out those that the row is too short for: they hold the
  // identity, and combining with it would change nothing.
  const int64_t filled = std::min(kReductionLanes, sizes.back());
  SmallVector<Value> parts;
  for (Value group : groups)
    for (int64_t offset = 0; offset != vectorLanes; offset += 16)
      if (parts.empty() || int64_t(parts.size()) * 16 < filled)
        parts.push_back(vectorLanes == 16 ? group : slice(group, offset, 16));
  while (parts.size() > 1) {
    SmallVector<Value> joined;
    for (size_t i = 0; i < parts.size(); i += 2)
      joined.push_back(i + 1 < parts.size() ? reduction.combine(b, loc, parts[i], parts[i + 1]) : parts[i]);
    parts = joined;
  }
  Value lanes = parts[0];
  for (int64_t half = 8; half != 0; half /= 2)
    lanes = reduction.combine(b, loc, slice(lanes, 0, half), slice(lanes, half, half));
  return vector::ExtractOp::create(b, loc, lanes, ArrayRef<int64_t>{0});
}
