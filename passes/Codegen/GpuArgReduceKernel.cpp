#include "passes/Codegen/Extremum.h"
#include "passes/Codegen/GpuKernels.h"
#include "passes/Codegen/GpuRows.h"
#include "passes/Codegen/KernelLoops.h"
#include "passes/Codegen/SingleKernels.h"
#include "passes/Codegen/Workgroup.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace burn;
using namespace burn::compiler;
using arith::CmpIPredicate;
using ir::ScalarKind;

namespace {

constexpr unsigned kRow = 0, kStep = 1, kBlock = 2; // dims of the iteration space

class GpuArgReduceBuilder {
public:
  GpuArgReduceBuilder(OpBuilder &atModule, ir::FusedOp fused, ir::ArgReduceOp op, StringRef name,
                      const core::GpuTarget &gpu)
      : atModule(atModule), fused(fused), op(op), name(name), gpu(gpu), context(op.getContext()),
        b(op.getLoc(), context), elementType(cast<RankedTensorType>(op.getInput().getType()).getElementType()),
        valueType(elementType.isF16() || elementType.isBF16() ? Float32Type::get(context) : elementType),
        search(op.getKind(), valueType) {
    ArrayRef<int64_t> shape = cast<RankedTensorType>(op.getInput().getType()).getShape();
    const int64_t axis = op.getAxis();
    SmallVector<int64_t> kept(shape);
    kept.erase(kept.begin() + axis);
    rows = ShapedType::getNumElements(kept);
    length = shape[axis];
    tiling = chooseGpuRowTiling(shape, axis, gpu);
    llvm::append_range(index, delinearize(dim(kRow), kept));
    index.insert(index.begin() + axis, length == 1 ? getAffineConstantExpr(0, context) : dim(kStep));
  }

  FailureOr<KernelCode> build() {
    if (tiling.blocks > 1) {
      const int64_t partials = tiling.blocks * rows;
      placesOffset = llvm::alignTo(partials * memoryType(valueType).getIntOrFloatBitWidth() / 8, 8);
      code.scratchBytes = placesOffset + partials * 4;
    }
    buildSearch();
    if (tiling.blocks > 1)
      buildCombination();
    if (failed)
      return failure();
    return code;
  }

private:
  /// An element and its place along the axis, as i32.
  using Candidate = IndexEmitter::Values;

  AffineExpr dim(unsigned d) { return getAffineDimExpr(d, context); }
  AffineExpr partialPlace() { return dim(kBlock) * rows + dim(kRow); }

  void openPhase(StringRef suffix) {
    func = createPhase(atModule, fused, (name + suffix).str(), code.scratchBytes, false);
    arguments.emplace(func, fused, code.scratchBytes > 0, false);
    b.setInsertionPointToEnd(&func.getBody().front());
    if (code.scratchBytes > 0) {
      const auto view = [&](Type type, int64_t offset) -> Value {
        auto memref = MemRefType::get({tiling.blocks * rows}, memoryType(type));
        return memref::ViewOp::create(b, memref, arguments->scratch, b.index(offset), ValueRange{});
      };
      values = view(valueType, 0);
      places = view(b.getI32Type(), placesOffset);
    }
    emitter.emplace(b, b.getLoc(), fused.getBody().front(), arguments->operands,
                    ArrayRef<int64_t>{rows, length, tiling.blocks});
  }

  // The candidate at a step, whose scope is open.
  Candidate candidateAt(Value step) {
    Value element = emitter->emit(op.getInput(), index);
    failed |= !element;
    if (!element)
      element = arith::ConstantOp::create(b, b.getZeroAttr(registerType(elementType)));
    if (valueType != elementType)
      element = ir::ScalarOps(b, b.getLoc(), elementType).convert(element, ScalarKind::get(valueType));
    return {element, arith::IndexCastOp::create(b, b.getI32Type(), step)};
  }

  Candidate choose(Value wins, ValueRange winner, ValueRange other) {
    return {b.select(wins, winner[0], other[0]), b.select(wins, winner[1], other[1])};
  }

  void buildSearch() {
    openPhase(tiling.blocks > 1 ? "_blocks" : "");
    code.phases.push_back({func, gpuRowTasks(tiling, rows), tiling.invocations() > 1 ? tiling.invocations() : 0});
    if (rows > 0) {
      const GpuRowPlace place = placeInRows(b, tiling, rows, length, arguments->begin, arguments->end);
      emitter->openScope({{kRow, place.row}, {kBlock, place.block}});
      finish(place, searchLane(place));
      emitter->closeScope();
    }
    func::ReturnOp::create(b);
  }

  // What the lanes found is compared, and the first lane of each row stores it.
  void finish(const GpuRowPlace &place, Candidate best) {
    if (tiling.lanes > 1)
      best = searchLanes(place, best);
    Value condition = place.isFirst(b, tiling);
    if (!condition)
      return store(best);
    b.when(condition, [&] {
      Operation *choice = b.getInsertionBlock()->getParentOp();
      emitter->openScope({}, choice);
      store(best);
      emitter->closeScope(choice);
    });
  }

  Candidate searchLane(const GpuRowPlace &place) {
    const Location loc = b.getLoc();
    Value from = place.begin, start = from;
    if (tiling.lanes > 1) {
      from = b.add(place.begin, place.lane);
      // A lane beyond the end looks at the last step as another does.
      start = arith::MinUIOp::create(b, from, b.sub(place.end, b.index(1)));
    }
    emitter->openScope({{kStep, start}});
    const Candidate first = candidateAt(start);
    emitter->closeScope();
    scf::ForOp loop = openLoop(b, loc, b.add(from, tiling.lanes), place.end, b.index(tiling.lanes), first);
    emitter->openScope({{kStep, loop.getInductionVar()}}, loop);
    const Candidate candidate = candidateAt(loop.getInductionVar());
    Value better = search.replaces(b, loc, loop.getRegionIterArg(0), candidate[0]);
    const Candidate next = choose(better, candidate, loop.getRegionIterArgs());
    emitter->closeScope(loop);
    closeLoop(b, loop, next);
    return Candidate(loop.getResults());
  }

  Candidate searchLanes(const GpuRowPlace &place, Candidate best) {
    const Location loc = b.getLoc();
    SmallVector<Value> memory;
    if (tiling.meetsInMemory()) {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(&func.getBody().front());
      for (Value value : best)
        memory.push_back(allocateShared(b, loc, tiling.invocations(), value.getType()));
    }
    combineLanes(b, tiling, place, best, memory, [&](ValueRange lower, ValueRange upper) {
      Value earlier = b.compare(CmpIPredicate::ult, upper[1], lower[1]);
      Value tie = arith::AndIOp::create(b, search.ties(b, loc, lower[0], upper[0]), earlier);
      return choose(arith::OrIOp::create(b, search.replaces(b, loc, lower[0], upper[0]), tie), upper, lower);
    });
    return best;
  }

  void store(const Candidate &best) {
    if (tiling.blocks > 1) {
      emitter->store(best[0], values, partialPlace());
      emitter->store(best[1], places, partialPlace());
      return;
    }
    Value element = best[0];
    if (valueType != elementType)
      element = ir::ScalarOps(b, b.getLoc(), valueType).convert(element, ScalarKind::get(elementType));
    Value place = arith::ExtUIOp::create(b, b.getI64Type(), best[1]);
    storeYielded(*emitter, fused, {element, place}, arguments->results, dim(kRow));
  }

  // The blocks of a row are searched as the elements of one.
  void buildCombination() {
    const Location loc = b.getLoc();
    openPhase("_combine");
    tiling = chooseGpuBlockTiling(tiling.blocks, rows, gpu);
    code.phases.push_back({func, gpuRowTasks(tiling, rows), tiling.invocations() > 1 ? tiling.invocations() : 0});
    const GpuRowPlace place = placeInRows(b, tiling, rows, tiling.blockLength, arguments->begin, arguments->end);
    const auto load = [&](Value block, Operation *loop) -> Candidate {
      emitter->openScope({{kBlock, block}}, loop);
      Candidate candidate{emitter->loadNow(values, valueType, partialPlace()),
                          emitter->loadNow(places, b.getI32Type(), partialPlace())};
      emitter->closeScope(loop);
      return candidate;
    };
    emitter->openScope({{kRow, place.row}});
    Value from = tiling.lanes > 1 ? place.lane : place.begin; // there are no more lanes than blocks
    const Candidate first = load(from, nullptr);
    scf::ForOp loop = openLoop(b, loc, b.add(from, tiling.lanes), place.end, b.index(tiling.lanes), first);
    const Candidate candidate = load(loop.getInductionVar(), loop);
    Value better = search.replaces(b, loc, loop.getRegionIterArg(0), candidate[0]);
    closeLoop(b, loop, choose(better, candidate, loop.getRegionIterArgs()));
    finish(place, Candidate(loop.getResults()));
    emitter->closeScope();
    func::ReturnOp::create(b);
  }

  OpBuilder &atModule;
  ir::FusedOp fused;
  ir::ArgReduceOp op;
  StringRef name;
  const core::GpuTarget &gpu;
  MLIRContext *context;
  IndexEmitter b;
  /// Elements as the op has them, and as they are compared.
  Type elementType, valueType;
  ExtremumSearch search;
  int64_t rows, length, placesOffset = 0;
  GpuRowTiling tiling;
  ElementIndex index;
  func::FuncOp func;
  Value values, places; // of the blocks, [block][row]
  bool failed = false;
  std::optional<PhaseArguments> arguments;
  std::optional<ElementEmitter> emitter;
  KernelCode code;
};

} // namespace

FailureOr<KernelCode> compiler::buildGpuArgReduceKernel(OpBuilder &atModule, ir::FusedOp fused, ir::ArgReduceOp op,
                                                        StringRef name, const core::GpuTarget &gpu) {
  return GpuArgReduceBuilder(atModule, fused, op, name, gpu).build();
}
