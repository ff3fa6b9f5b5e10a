// Scans along an axis. Lines are spread over tasks, and over lanes where the axis is not the last; each is combined in
// its order. Where there are few and long lines, a scan runs in blocks of a fixed length: their totals first, then what
// stands before each block, then the blocks. On a GPU only linear scans come here, an invocation each, long ones in
// stretches that run one after the other.
#include "passes/Codegen/GpuKernels.h"
#include "passes/Codegen/KernelLoops.h"
#include "passes/Codegen/Reduction.h"
#include "passes/Codegen/SingleKernels.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace burn;
using namespace burn::compiler;

namespace {

constexpr int64_t kTaskElements = 8192;
constexpr int64_t kBlockLength = 4096;
constexpr int64_t kFewLines = 64;
constexpr unsigned kRow = 0, kInner = 1, kStep = 2; // dims of the iteration space; a row is a block of a line

class ScanBuilder {
public:
  ScanBuilder(OpBuilder &atModule, ir::FusedOp fused, Operation *op, int64_t axis, bool reverse,
              const Reduction &combiner, StringRef name, const CpuTargetInfo &target)
      : atModule(atModule), fused(fused), op(op), combiner(combiner), target(target), name(name), loc(op->getLoc()),
        context(op->getContext()), b(context), type(cast<RankedTensorType>(op->getResult(0).getType())) {
    ArrayRef<int64_t> shape = type.getShape();
    length = shape[axis];
    outer = ShapedType::getNumElements(shape.take_front(axis));
    inner = ShapedType::getNumElements(shape.drop_front(axis + 1));
    scan = dyn_cast<ir::ScanOp>(op);
    blockLength = length;
    if (scan && length >= 2 * kBlockLength && outer * inner < kFewLines) {
      blocks = ceilDivide(length, kBlockLength);
      blockLength = kBlockLength;
    } else if (target.gpu && length > mostSteps(*target.gpu)) {
      stretch = mostSteps(*target.gpu);
    }
    AffineExpr line = dim(kRow).floorDiv(blocks), position = dim(kRow) % blocks * blockLength + dim(kStep);
    if (blocks == 1)
      line = dim(kRow), position = dim(kStep);
    AffineExpr place = reverse ? length - 1 - position : position;
    llvm::append_range(index, delinearize(line, shape.take_front(axis)));
    index.push_back(place);
    llvm::append_range(index, delinearize(dim(kInner), shape.drop_front(axis + 1)));
    stored = (line * length + place) * inner + dim(kInner);
  }

  FailureOr<KernelCode> build() {
    if (blocks > 1) {
      code.scratchBytes =
          outer * blocks * inner * combiner.getAccumulator().getStorage(context).getIntOrFloatBitWidth() / 8;
      buildTotals();
      buildOffsets();
    }
    if (stretch) {
      code.scratchBytes = outer * inner * combiner.getAccumulator().getStorage(context).getIntOrFloatBitWidth() / 8;
      for (int64_t from = 0; from < length; from += stretch)
        buildScan(from, std::min(from + stretch, length));
    } else {
      buildScan(0, blockLength);
    }
    if (failed)
      return failure();
    return code;
  }

private:
  AffineExpr dim(unsigned d) { return getAffineDimExpr(d, context); }
  /// Where the state of a block stands among those of all blocks.
  AffineExpr blockPlace() { return dim(kRow) * inner + dim(kInner); }
  /// The element type of a state, as burn writes it.
  Type stateType() {
    Type element = type.getElementType();
    return combiner.getAccumulator() == combiner.getElement() ? element : Float32Type::get(context);
  }

  /// Opens a phase over `rows` x `inner` states; `atState` emits the code of one of them, or of a vector of them.
  void buildPhase(const Twine &suffix, int64_t rows, int64_t steps, llvm::function_ref<void()> atState) {
    func::FuncOp func = createPhase(atModule, fused, (name + suffix).str(), code.scratchBytes, false);
    arguments.emplace(func, fused, code.scratchBytes > 0, false);
    b = OpBuilder::atBlockEnd(&func.getBody().front());
    states = {};
    if (arguments->scratch) {
      Type memory = memoryType(stateType());
      states = memref::ViewOp::create(b, loc, MemRefType::get({outer * blocks * inner}, memory), arguments->scratch,
                                      indexConstant(b, loc, 0), ValueRange{});
    }
    emitter.emplace(b, loc, fused.getBody().front(), arguments->operands, ArrayRef<int64_t>{rows, inner, steps});
    const int64_t weight = std::max<int64_t>(steps, 1);
    int64_t tasks = 0;
    if (inner != 1) {
      const int64_t lanes = wideLanes(fused.getBody().front(), target);
      tasks = forVectors(b, loc, *emitter, *arguments, {rows, inner}, lanes,
                         std::max<int64_t>(lanes, kTaskElements / weight), [&](const LaneDim &lane) {
                           lanesHere = lane.scalar ? 0 : lane.count;
                           atState();
                         });
    } else if (rows * steps != 0) {
      lanesHere = 0;
      const int64_t perTask = target.scalar ? 1 : std::max<int64_t>(1, kTaskElements / weight);
      tasks = ceilDivide(rows, perTask);
      Value each = indexConstant(b, loc, perTask);
      Value first = arith::MulIOp::create(b, loc, arguments->begin, each);
      Value last = arith::MinUIOp::create(b, loc, arith::MulIOp::create(b, loc, arguments->end, each),
                                          indexConstant(b, loc, rows));
      scf::ForOp loop = openLoop(b, loc, first, last, indexConstant(b, loc, 1));
      emitter->openScope({{kRow, loop.getInductionVar()}, {kInner, indexConstant(b, loc, 0)}}, loop);
      atState();
      emitter->closeScope(loop);
      closeLoop(b, loop);
    }
    func::ReturnOp::create(b, loc);
    code.phases.push_back({func, tasks});
  }

  Value identity() {
    Type element = combiner.getAccumulator().getLowered(context);
    return combiner.identity(b, loc, lanesHere ? Type(VectorType::get({lanesHere}, element)) : element);
  }

  Value load(Value operand) {
    Value element = emitter->emitVector(operand, index);
    failed |= !element;
    return element ? combiner.widen(b, loc, element) : identity();
  }

  /// Carries a state over steps of a row. `step` gets the state before and returns the one after.
  Value walk(Value start, Value from, Value to, llvm::function_ref<Value(Value)> step) {
    scf::ForOp loop = openLoop(b, loc, from, to, indexConstant(b, loc, 1), {start});
    emitter->openScope({{kStep, loop.getInductionVar()}}, loop);
    Value next = step(loop.getRegionIterArg(0));
    emitter->closeScope(loop);
    closeLoop(b, loop, {next});
    return loop.getResult(0);
  }

  /// The steps of a block: fewer in the last one.
  Value stepsHere() {
    if (blocks == 1)
      return indexConstant(b, loc, length);
    Value begin = emitter->emitIndex(dim(kRow) % blocks * blockLength);
    Value left = arith::SubIOp::create(b, loc, indexConstant(b, loc, length), begin);
    return arith::MinUIOp::create(b, loc, left, indexConstant(b, loc, blockLength));
  }

  void buildTotals() {
    buildPhase("_totals", outer * blocks, blockLength, [&] {
      Value total = walk(identity(), indexConstant(b, loc, 0), stepsHere(),
                         [&](Value state) { return combiner.combine(b, loc, state, load(scan.getInput())); });
      emitter->store(total, states, blockPlace());
    });
  }

  /// Each block's total becomes the combination of all blocks before it.
  void buildOffsets() {
    AffineExpr place = (dim(kRow) * blocks + dim(kStep)) * inner + dim(kInner);
    buildPhase("_offsets", outer, blocks, [&] {
      walk(identity(), indexConstant(b, loc, 0), indexConstant(b, loc, blocks), [&](Value state) {
        Value total = emitter->loadNow(states, stateType(), place);
        emitter->store(state, states, place);
        return combiner.combine(b, loc, state, total);
      });
    });
  }

  /// The steps [from, to) of each row.
  void buildScan(int64_t from, int64_t to) {
    buildPhase(stretch ? "_" + Twine(from) : "", outer * blocks, blockLength, [&] {
      const bool continues = blocks > 1 || from > 0;
      Value start = continues ? emitter->loadNow(states, stateType(), blockPlace()) : identity();
      Value end = walk(start, indexConstant(b, loc, from), blocks > 1 ? stepsHere() : indexConstant(b, loc, to),
                       [&](Value state) {
                         Value next;
                         if (scan) {
                           next = combiner.combine(b, loc, state, load(scan.getInput()));
                         } else {
                           // y = a y' + x, rounded after the product.
                           auto linear = cast<ir::LinearScanOp>(op);
                           ir::ScalarOps ops(b, loc, combiner.getAccumulator());
                           next = ops.add(ops.mul(load(linear.getFactor()), state), load(linear.getInput()));
                         }
                         Value out = scan && scan.getExclusive() ? state : next;
                         emitter->store(combiner.narrow(b, loc, out), arguments->results[0], stored);
                         return next;
                       });
      if (stretch && to < length)
        emitter->store(end, states, blockPlace());
    });
  }

  OpBuilder &atModule;
  ir::FusedOp fused;
  Operation *op;
  ir::ScanOp scan; // null for a linear scan
  bool failed = false;
  Reduction combiner;
  const CpuTargetInfo &target;
  StringRef name;
  Location loc;
  MLIRContext *context;
  OpBuilder b;
  RankedTensorType type;
  int64_t length, outer, inner, blocks = 1, blockLength;
  /// Steps of a phase on a GPU that does not go through whole lines at once, else 0.
  int64_t stretch = 0;
  ElementIndex index;
  AffineExpr stored;
  /// Lanes of the code that is being emitted, 0 for scalars.
  int64_t lanesHere = 0;
  Value states;
  std::optional<PhaseArguments> arguments;
  std::optional<ElementEmitter> emitter;
  KernelCode code;
};

} // namespace

FailureOr<KernelCode> compiler::buildScanKernel(OpBuilder &atModule, ir::FusedOp fused, ir::ScanOp op, StringRef name,
                                                const CpuTargetInfo &target) {
  const Reduction combiner(combinerOf(op.getKind()), cast<RankedTensorType>(op.getType()).getElementType());
  return ScanBuilder(atModule, fused, op, op.getAxis(), op.getReverse(), combiner, name, target).build();
}

FailureOr<KernelCode> compiler::buildLinearScanKernel(OpBuilder &atModule, ir::FusedOp fused, ir::LinearScanOp op,
                                                      StringRef name, const CpuTargetInfo &target) {
  const Reduction carried(ir::ReduceKind::Sum, cast<RankedTensorType>(op.getType()).getElementType());
  return ScanBuilder(atModule, fused, op, op.getAxis(), op.getReverse(), carried, name, target).build();
}
