#include "passes/Codegen/GpuKernels.h"
#include "passes/Codegen/GpuRows.h"
#include "passes/Codegen/KernelLoops.h"
#include "passes/Codegen/Reduction.h"
#include "passes/Codegen/Workgroup.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace burn;
using namespace burn::compiler;
using arith::CmpIPredicate;

namespace {

constexpr unsigned kLine = 0, kStep = 1, kBlock = 2; // dims of the iteration space

// Steps of a lane: lines are cut into blocks where few workgroups have more, or any of them has many.
constexpr int64_t kLaneSteps = 16, kMostLaneSteps = 256;
constexpr int64_t kEnoughGroups = 64;

class GpuScanBuilder {
public:
  GpuScanBuilder(OpBuilder &atModule, ir::FusedOp fused, ir::ScanOp op, StringRef name, const core::GpuTarget &gpu)
      : atModule(atModule), fused(fused), op(op), name(name), context(op.getContext()), b(op.getLoc(), context),
        type(cast<RankedTensorType>(op.getType())), combiner(combinerOf(op.getKind()), type.getElementType()) {
    ArrayRef<int64_t> shape = type.getShape();
    const int64_t axis = op.getAxis();
    SmallVector<int64_t> kept(shape);
    kept.erase(kept.begin() + axis);
    lines = ShapedType::getNumElements(kept);
    length = shape[axis];
    tiling = chooseGpuRowTiling(shape, axis, gpu);
    tiling.blocks = 1;
    tiling.blockLength = length;
    const int64_t each = ceilDivide(length, tiling.lanes);
    const bool isFew = ceilDivide(lines, tiling.columns) < kEnoughGroups;
    if (tiling.lanes > 1 && each > (isFew ? kLaneSteps : kMostLaneSteps)) {
      tiling.blockLength = tiling.lanes * (isFew ? kLaneSteps : kMostLaneSteps);
      tiling.blocks = ceilDivide(length, tiling.blockLength);
    }
    laneLength = ceilDivide(tiling.blockLength, tiling.lanes);
    llvm::append_range(index, delinearize(dim(kLine), kept));
    AffineExpr place = op.getReverse() ? length - 1 - dim(kStep) : dim(kStep);
    index.insert(index.begin() + axis, length == 1 ? getAffineConstantExpr(0, context) : place);
  }

  FailureOr<KernelCode> build() {
    const int64_t states = lines * tiling.blocks;
    if (tiling.blocks > 1) {
      code.scratchBytes = states * combiner.getAccumulator().getStorage(context).getIntOrFloatBitWidth() / 8;
      buildRows("_totals", [&] { storeTotal(); });
      buildOffsets();
    }
    buildRows("", [&] { storeScan(); });
    if (failed)
      return failure();
    return code;
  }

private:
  AffineExpr dim(unsigned d) { return getAffineDimExpr(d, context); }
  /// Where the state of a block stands among those of all blocks.
  AffineExpr blockPlace() { return dim(kLine) * tiling.blocks + dim(kBlock); }
  /// The element type of a state, as burn writes it.
  Type stateType() {
    return combiner.getAccumulator() == combiner.getElement() ? type.getElementType() : Float32Type::get(context);
  }
  Value identity() { return combiner.identity(b, b.getLoc(), b.getI32Type()); }
  Value combine(Value earlier, Value later) { return combiner.combine(b, b.getLoc(), earlier, later); }

  void openPhase(StringRef suffix) {
    func = createPhase(atModule, fused, (name + suffix).str(), code.scratchBytes, false);
    arguments.emplace(func, fused, code.scratchBytes > 0, false);
    b.setInsertionPointToEnd(&func.getBody().front());
    if (code.scratchBytes > 0)
      states = memref::ViewOp::create(b, MemRefType::get({lines * tiling.blocks}, memoryType(stateType())),
                                      arguments->scratch, b.index(0), ValueRange{});
    emitter.emplace(b, b.getLoc(), fused.getBody().front(), arguments->operands,
                    ArrayRef<int64_t>{lines, length, tiling.blocks});
  }

  /// A phase over the lines, or their blocks; `body` emits the code of a lane.
  void buildRows(StringRef suffix, llvm::function_ref<void()> body) {
    openPhase(suffix);
    const bool isEmpty = lines == 0 || length == 0;
    code.phases.push_back(
        {func, isEmpty ? 0 : gpuRowTasks(tiling, lines), tiling.invocations() > 1 ? tiling.invocations() : 0});
    if (!isEmpty) {
      place = placeInRows(b, tiling, lines, length, arguments->begin, arguments->end);
      from = place.begin;
      to = place.end;
      if (tiling.lanes > 1) {
        from = b.add(place.begin, b.mul(place.lane, laneLength));
        to = arith::MinUIOp::create(b, b.add(from, laneLength), place.end);
      }
      emitter->openScope({{kLine, place.row}, {kBlock, place.block}});
      body();
      emitter->closeScope();
    }
    func::ReturnOp::create(b);
  }

  /// Carries a state over steps. `step` gets the state before and returns the one after.
  Value walk(Value start, Value begin, Value end, llvm::function_ref<Value(Value)> step) {
    scf::ForOp loop = openLoop(b, b.getLoc(), begin, end, b.index(1), {start});
    emitter->openScope({{kStep, loop.getInductionVar()}}, loop);
    Value next = step(loop.getRegionIterArg(0));
    emitter->closeScope(loop);
    closeLoop(b, loop, {next});
    return loop.getResult(0);
  }

  Value next(Value state) {
    Value element = emitter->emit(op.getInput(), index);
    failed |= !element;
    return element ? combine(state, combiner.widen(b, b.getLoc(), element)) : state;
  }

  Value laneTotal() {
    return walk(identity(), from, to, [&](Value state) { return next(state); });
  }

  // Null where lanes do not meet there.
  Value laneMemory(Type type) {
    if (!tiling.meetsInMemory())
      return nullptr;
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&func.getBody().front());
    return allocateShared(b, b.getLoc(), tiling.invocations(), type);
  }

  void storeTotal() {
    Value total = laneTotal();
    combineLanes(b, tiling, place, total, laneMemory(total.getType()),
                 [&](ValueRange lower, ValueRange upper) { return IndexEmitter::Values{combine(lower[0], upper[0])}; });
    const auto store = [&] { emitter->store(total, states, blockPlace()); };
    Value condition = place.isFirst(b, tiling);
    b.when(condition, [&] {
      Operation *choice = b.getInsertionBlock()->getParentOp();
      emitter->openScope({}, choice);
      store();
      emitter->closeScope(choice);
    });
  }

  /// Each block's total becomes the combination of all blocks before it.
  void buildOffsets() {
    openPhase("_offsets");
    code.phases.push_back({func, lines});
    emitter->openScope({{kLine, arguments->begin}});
    scf::ForOp loop = openLoop(b, b.getLoc(), b.index(0), b.index(tiling.blocks), b.index(1), {identity()});
    emitter->openScope({{kBlock, loop.getInductionVar()}}, loop);
    Value state = loop.getRegionIterArg(0), total = emitter->loadNow(states, stateType(), blockPlace());
    emitter->store(state, states, blockPlace());
    Value after = combine(state, total);
    emitter->closeScope(loop);
    closeLoop(b, loop, {after});
    emitter->closeScope();
    func::ReturnOp::create(b);
  }

  /// What the lanes before have, combined: the upper lanes of each 2, 4, 8 ... take over what the last of the lower
  /// ones has (Sklansky, 1960). In the first lane it is `start`.
  Value beforeLane(Value start) {
    const Location loc = b.getLoc();
    Value total = laneTotal();
    const Type type = total.getType();
    const int64_t stride = tiling.laneStride();
    Value memory = laneMemory(type);
    const auto keep = [&] { storeShared(b, loc, total, memory, place.invocation); };
    for (int64_t distance = 1; distance < tiling.lanes; distance *= 2) {
      Value within = b.rem(place.lane, 2 * distance);
      Value isUpper = b.compare(CmpIPredicate::uge, within, b.index(distance));
      // To the last of the lower ones, and for these to a lane that there is.
      const auto source = [&](Value from) {
        return b.add(b.sub(from, b.mul(within, stride)), (distance - 1) * stride);
      };
      if (2 * distance * stride <= tiling.subgroup) {
        Value before = shuffleFrom(b, loc, total, source(place.subgroupLane), tiling.subgroup);
        total = b.select(isUpper, combine(before, total), total);
        continue;
      }
      // No other step writes to the places of this one.
      b.when(b.compare(CmpIPredicate::eq, within, b.index(distance - 1)), keep);
      workgroupBarrier(b, loc);
      total = b.either(
          isUpper, type,
          [&] {
            return IndexEmitter::Values{combine(loadShared(b, loc, memory, source(place.invocation), type), total)};
          },
          [&] { return IndexEmitter::Values{total}; })[0];
    }
    Value isFirst = b.compare(CmpIPredicate::eq, place.lane, b.index(0));
    if (!memory) {
      // The first lanes read their own.
      Value at = b.select(isFirst, place.subgroupLane, b.sub(place.subgroupLane, b.index(stride)));
      Value before = shuffleFrom(b, loc, total, at, tiling.subgroup);
      return b.select(isFirst, start, combine(start, before));
    }
    workgroupBarrier(b, loc); // what the last step left there has been read
    keep();
    workgroupBarrier(b, loc);
    return b.either(
        isFirst, type, [&] { return IndexEmitter::Values{start}; },
        [&] {
          Value at = b.sub(place.invocation, b.index(stride));
          return IndexEmitter::Values{combine(start, loadShared(b, loc, memory, at, type))};
        })[0];
  }

  void storeScan() {
    Value start = tiling.blocks > 1 ? emitter->loadNow(states, stateType(), blockPlace()) : identity();
    if (tiling.lanes > 1)
      start = beforeLane(start);
    Value end = place.exists ? b.select(place.exists, to, from) : to;
    AffineExpr stored = linearIndex(index, type.getShape(), context);
    walk(start, from, end, [&](Value state) {
      Value after = next(state);
      emitter->store(combiner.narrow(b, b.getLoc(), op.getExclusive() ? state : after), arguments->results[0], stored);
      return after;
    });
  }

  OpBuilder &atModule;
  ir::FusedOp fused;
  ir::ScanOp op;
  StringRef name;
  MLIRContext *context;
  IndexEmitter b;
  RankedTensorType type;
  Reduction combiner;
  int64_t lines, length, laneLength;
  GpuRowTiling tiling;
  ElementIndex index;
  func::FuncOp func;
  Value states; // of the blocks, [line][block]
  GpuRowPlace place;
  Value from, to; // the steps of a lane
  bool failed = false;
  std::optional<PhaseArguments> arguments;
  std::optional<ElementEmitter> emitter;
  KernelCode code;
};

} // namespace

FailureOr<KernelCode> compiler::buildGpuScanKernel(OpBuilder &atModule, ir::FusedOp fused, ir::ScanOp op,
                                                   StringRef name, const core::GpuTarget &gpu) {
  return GpuScanBuilder(atModule, fused, op, name, gpu).build();
}
