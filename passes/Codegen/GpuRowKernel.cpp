#include "passes/Codegen/GpuKernels.h"
#include "passes/Codegen/GpuRows.h"
#include "passes/Codegen/KernelLoops.h"
#include "passes/Codegen/Reduction.h"
#include "passes/Codegen/Workgroup.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace burn;
using namespace burn::compiler;

CpuTargetInfo compiler::scalarTarget(const core::GpuTarget &gpu) {
  CpuTargetInfo target;
  target.vectorBytes = 4;
  target.scalar = true;
  target.gpu = &gpu;
  return target;
}

int64_t compiler::mostSteps(const core::GpuTarget &gpu) {
  return gpu.loopIterations == 0 ? std::numeric_limits<int64_t>::max() : std::max<int64_t>(1, gpu.loopIterations / 2);
}

namespace {

constexpr unsigned kRow = 0, kStep = 1, kBlock = 2; // dims of the iteration space

class GpuRowBuilder {
public:
  GpuRowBuilder(OpBuilder &atModule, ir::FusedOp fused, StringRef name, const core::GpuTarget &gpu)
      : atModule(atModule), fused(fused), name(name), gpu(gpu), loc(fused.getLoc()), context(fused.getContext()),
        body(fused.getBody().front()), b(loc, context) {}

  FailureOr<KernelCode> build() {
    if (analyse().failed())
      return failure();
    KernelCode code;
    if (tiling.blocks > 1)
      for (ReduceInfo &reduce : reduces) {
        reduce.scratchOffset = code.scratchBytes;
        const int64_t bytes = reduce.kind.getAccumulator().getStorage(context).getIntOrFloatBitWidth() / 8;
        code.scratchBytes += llvm::alignTo(tiling.blocks * keptCount * bytes, 8);
      }
    scratchBytes = code.scratchBytes;
    buildRows(code);
    if (tiling.blocks > 1)
      buildCombination(code);
    if (failed)
      return failure();
    return code;
  }

private:
  struct ReduceInfo {
    ir::ReduceOp op;
    Reduction kind;
    int level;
    int64_t scratchOffset = 0;

    Type registerType() const { return kind.getAccumulator().getLowered(op->getContext()); }
  };
  struct ResultInfo {
    Value value;
    unsigned number;
    int level; // reductions that it needs, one after the other
  };

  int levelOf(Value value) {
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

  LogicalResult analyse() {
    SmallVector<int64_t> reduceDims;
    for (ir::ReduceOp reduce : body.getOps<ir::ReduceOp>()) {
      auto input = cast<RankedTensorType>(reduce.getInput().getType());
      if (reduces.empty()) {
        domain.assign(input.getShape().begin(), input.getShape().end());
        reduceDims.assign(reduce.getDims().begin(), reduce.getDims().end());
      } else if (input.getShape() != ArrayRef<int64_t>(domain) || reduce.getDims() != ArrayRef<int64_t>(reduceDims)) {
        return reduce.emitOpError("expects the domain and dims of the other reductions of its cluster");
      }
      reduces.push_back({reduce, Reduction(reduce.getKind(), input.getElementType()), levelOf(reduce.getResult())});
      lastLevel = std::max(lastLevel, reduces.back().level);
    }
    if (reduces.empty())
      return fused.emitOpError("expects a reduction in a row cluster");
    SmallVector<int64_t> reduced;
    for (auto [i, size] : llvm::enumerate(domain))
      (llvm::is_contained(reduceDims, int64_t(i)) ? reduced : kept).push_back(size);
    keptCount = ShapedType::getNumElements(kept);
    reducedCount = ShapedType::getNumElements(reduced);
    tiling = chooseGpuRowTiling(domain, reduceDims, gpu);
    keptIndex = ElementIndex(delinearize(getAffineDimExpr(kRow, context), kept));
    ElementIndex reducedIndex(delinearize(getAffineDimExpr(kStep, context), reduced));
    unsigned nextKept = 0, nextReduced = 0;
    for (size_t i = 0; i != domain.size(); ++i)
      domainIndex.push_back(llvm::is_contained(reduceDims, int64_t(i)) ? reducedIndex[nextReduced++]
                                                                       : keptIndex[nextKept++]);
    for (auto [i, value] : llvm::enumerate(body.getTerminator()->getOperands())) {
      auto shape = cast<RankedTensorType>(value.getType()).getShape();
      const bool isWhole = shape == ArrayRef<int64_t>(domain) && !reduceDims.empty();
      if (!isWhole && shape != ArrayRef<int64_t>(kept))
        return fused.emitOpError("expects results over the domain or its kept dims in a row cluster");
      (isWhole ? whole : ofRow).push_back({value, unsigned(i), levelOf(value)});
      if (isWhole && tiling.blocks > 1 && whole.back().level > 0)
        return fused.emitOpError("expects no result over the domain that needs a reduction which is split");
    }
    return success();
  }

  void openPhase(StringRef suffix) {
    func = createPhase(atModule, fused, (name + suffix).str(), scratchBytes, false);
    arguments.emplace(func, fused, scratchBytes > 0, false);
    b.setInsertionPointToEnd(&func.getBody().front());
  }

  // The rows, or the blocks of a split reduction.
  void buildRows(KernelCode &code) {
    const bool isSplit = tiling.blocks > 1, isShared = tiling.invocations() > 1;
    openPhase(isSplit ? "_blocks" : "");
    code.phases.push_back({func, gpuRowTasks(tiling, keptCount), isShared ? tiling.invocations() : 0});
    if (keptCount > 0) {
      emitter.emplace(b, loc, body, arguments->operands, ArrayRef<int64_t>{keptCount, reducedCount, tiling.blocks});
      place = placeInRows(b, tiling, keptCount, reducedCount, arguments->begin, arguments->end);
      from = isShared ? b.add(place.begin, place.lane) : place.begin;
      emitter->openScope({{kRow, place.row}, {kBlock, place.block}});
      for (int level = 1; level <= lastLevel; ++level)
        reduceLevel(level);
      storeWhole();
      if (isSplit)
        storePartials();
      else
        storeOfRow();
      emitter->closeScope();
    }
    func::ReturnOp::create(b, loc);
  }

  // All reductions that need `level` - 1 others before, in one pass over the row.
  void reduceLevel(int level) {
    SmallVector<ReduceInfo *> infos;
    SmallVector<Value> totals;
    for (ReduceInfo &reduce : reduces)
      if (reduce.level == level) {
        infos.push_back(&reduce);
        totals.push_back(reduce.kind.identity(b, loc, b.getI32Type()));
      }
    if (reducedCount > 0) {
      scf::ForOp loop = openSteps(place.end, totals);
      SmallVector<Value> next;
      for (auto [i, reduce] : llvm::enumerate(infos)) {
        Value total = loop.getRegionIterArg(i), element = emitter->emit(reduce->op.getInput(), domainIndex);
        failed |= !element;
        next.push_back(element ? reduce->kind.combine(b, loc, total, reduce->kind.widen(b, loc, element)) : total);
      }
      closeSteps(loop, next);
      totals.assign(loop.getResults().begin(), loop.getResults().end());
    }
    if (tiling.lanes > 1)
      combine(infos, totals, level);
    for (auto [reduce, total] : llvm::zip_equal(infos, totals)) {
      partials.push_back(total);
      emitter->bind(reduce->op.getResult(), reduce->kind.narrow(b, loc, total));
    }
  }

  // Leaves what the lanes of a row have in all of them.
  void combine(ArrayRef<ReduceInfo *> infos, MutableArrayRef<Value> totals, int level) {
    SmallVector<Value> memory;
    llvm::DenseMap<Type, unsigned> used;
    if (tiling.meetsInMemory()) {
      for (ReduceInfo *reduce : infos)
        memory.push_back(sharedMemory(reduce->registerType(), used[reduce->registerType()]++));
      if (level > 1)
        workgroupBarrier(b, loc); // what the level before left there has been read
    }
    combineLanes(b, tiling, place, totals, memory, [&](ValueRange lower, ValueRange upper) {
      IndexEmitter::Values combined;
      for (auto [reduce, x, y] : llvm::zip_equal(infos, lower, upper))
        combined.push_back(reduce->kind.combine(b, loc, x, y));
      return combined;
    });
  }

  // Memory for one value of each invocation, the same for all levels.
  Value sharedMemory(Type registerType, unsigned number) {
    SmallVector<Value> &known = shared[registerType];
    if (number == known.size()) {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(&func.getBody().front());
      known.push_back(allocateShared(b, loc, tiling.invocations(), registerType));
    }
    return known[number];
  }

  void storeWhole() {
    if (whole.empty() || reducedCount == 0)
      return;
    // No step is left to an invocation without a row.
    scf::ForOp loop = openSteps(place.exists ? b.select(place.exists, place.end, from) : place.end, {});
    store(whole, domainIndex, linearIndex(domainIndex, domain, context));
    closeSteps(loop, {});
    // A result of the row may take the place of an operand that other lanes read.
    if (tiling.lanes > 1 && !ofRow.empty())
      workgroupBarrier(b, loc);
  }

  // Runs `body` in the first lane of each row that there is.
  void inFirstLane(llvm::function_ref<void()> body) {
    Value condition = place.isFirst(b, tiling);
    if (!condition) {
      body();
      return;
    }
    auto choice = scf::IfOp::create(b, loc, condition, /*withElseRegion=*/false);
    b.setInsertionPoint(choice.thenBlock()->getTerminator());
    emitter->openScope({}, choice);
    body();
    emitter->closeScope(choice);
    b.setInsertionPointAfter(choice);
  }

  void storeOfRow() {
    if (!ofRow.empty())
      inFirstLane([&] { store(ofRow, keptIndex, getAffineDimExpr(kRow, context)); });
  }

  //===-- Split reductions --------------------------------------------------------------------===//

  // The partial results of a reduction lie [block][row] in scratch memory.
  Value partialsOf(const ReduceInfo &reduce) {
    auto type = MemRefType::get({tiling.blocks * keptCount}, reduce.kind.getAccumulator().getStorage(context));
    return memref::ViewOp::create(b, loc, type, arguments->scratch, b.index(reduce.scratchOffset), ValueRange{});
  }

  void storePartials() {
    AffineExpr position = getAffineDimExpr(kBlock, context) * keptCount + getAffineDimExpr(kRow, context);
    SmallVector<Value> buffers;
    for (const ReduceInfo &reduce : reduces)
      buffers.push_back(partialsOf(reduce));
    inFirstLane([&] {
      for (auto [partial, buffer] : llvm::zip_equal(partials, buffers))
        emitter->store(partial, buffer, position);
    });
  }

  // The blocks of a row are combined as the elements of one.
  void buildCombination(KernelCode &code) {
    const int64_t blocks = tiling.blocks;
    const GpuRowTiling ofBlocks = chooseGpuBlockTiling(blocks, keptCount, gpu);
    openPhase("_combine");
    shared.clear();
    code.phases.push_back(
        {func, gpuRowTasks(ofBlocks, keptCount), ofBlocks.invocations() > 1 ? ofBlocks.invocations() : 0});
    SmallVector<Value> buffers, totals;
    SmallVector<ReduceInfo *> infos;
    for (ReduceInfo &reduce : reduces) {
      infos.push_back(&reduce);
      buffers.push_back(partialsOf(reduce));
      totals.push_back(reduce.kind.identity(b, loc, b.getI32Type()));
    }
    tiling = ofBlocks;
    emitter.emplace(b, loc, body, arguments->operands, ArrayRef<int64_t>{keptCount, reducedCount, blocks});
    place = placeInRows(b, tiling, keptCount, blocks, arguments->begin, arguments->end);
    emitter->openScope({{kRow, place.row}});
    from = tiling.lanes > 1 ? place.lane : place.begin;
    scf::ForOp loop = openLoop(b, loc, from, place.end, b.index(tiling.lanes), totals);
    Value position = b.add(b.mul(loop.getInductionVar(), keptCount), place.row);
    SmallVector<Value> next;
    for (auto [i, reduce] : llvm::enumerate(reduces)) {
      Value partial = memref::LoadOp::create(b, loc, buffers[i], position);
      if (reduce.kind.getAccumulator().isBool())
        partial = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, partial,
                                        arith::ConstantOp::create(b, loc, b.getZeroAttr(partial.getType())));
      next.push_back(reduce.kind.combine(b, loc, loop.getRegionIterArg(i), partial));
    }
    closeLoop(b, loop, next);
    totals.assign(loop.getResults().begin(), loop.getResults().end());
    if (tiling.lanes > 1)
      combine(infos, totals, /*level=*/1);
    emitter->openScope({}, loop);
    for (auto [reduce, total] : llvm::zip_equal(reduces, totals))
      emitter->bind(reduce.op.getResult(), reduce.kind.narrow(b, loc, total));
    storeOfRow();
    emitter->closeScope();
    emitter->closeScope();
    func::ReturnOp::create(b, loc);
  }

  //===-- Loops and stores --------------------------------------------------------------------===//

  scf::ForOp openSteps(Value end, ValueRange carried) {
    scf::ForOp loop = openLoop(b, loc, from, end, b.index(tiling.lanes), carried);
    emitter->openScope({{kStep, loop.getInductionVar()}}, loop);
    return loop;
  }

  void closeSteps(scf::ForOp loop, ValueRange carried) {
    emitter->closeScope(loop);
    closeLoop(b, loop, carried);
  }

  // A result may lie in the memory of an operand: all elements are computed before the first is stored.
  void store(ArrayRef<ResultInfo> results, ArrayRef<AffineExpr> index, AffineExpr position) {
    SmallVector<Value> elements;
    for (const ResultInfo &result : results) {
      elements.push_back(emitter->emit(result.value, index));
      failed |= !elements.back();
    }
    for (auto [element, result] : llvm::zip_equal(elements, results))
      if (element)
        emitter->store(element, arguments->results[result.number], position);
  }

  OpBuilder &atModule;
  ir::FusedOp fused;
  StringRef name;
  const core::GpuTarget &gpu;
  Location loc;
  MLIRContext *context;
  Block &body;
  func::FuncOp func;
  std::optional<PhaseArguments> arguments;
  IndexEmitter b;
  std::optional<ElementEmitter> emitter;
  llvm::DenseMap<Value, int> levels;
  SmallVector<ReduceInfo> reduces;
  int lastLevel = 0;
  SmallVector<int64_t> domain, kept;
  int64_t keptCount = 1, reducedCount = 1, scratchBytes = 0;
  GpuRowTiling tiling;
  ElementIndex keptIndex, domainIndex;
  SmallVector<ResultInfo> whole, ofRow; // results over the domain, and one a row
  // In the phase that goes through the rows.
  GpuRowPlace place;
  Value from; // where the steps of the invocation begin
  SmallVector<Value> partials;
  llvm::DenseMap<Type, SmallVector<Value>> shared;
  bool failed = false;
};

} // namespace

FailureOr<KernelCode> compiler::buildGpuRowKernel(OpBuilder &atModule, ir::FusedOp fused, StringRef name,
                                                  const core::GpuTarget &gpu) {
  return GpuRowBuilder(atModule, fused, name, gpu).build();
}
