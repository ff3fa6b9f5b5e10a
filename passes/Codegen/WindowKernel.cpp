#include "passes/Codegen/Extremum.h"
#include "passes/Codegen/KernelLoops.h"
#include "passes/Codegen/Reduction.h"
#include "passes/Codegen/SingleKernels.h"
#include "passes/Codegen/WindowRows.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace burn;
using namespace burn::compiler;

namespace {

constexpr int64_t kTaskElements = 8192;
// Windows of no more elements are written out.
constexpr int64_t kUnrolledElements = 16;

/// Moving windows over an operand. Dims of the iteration space: one per result dim, then one per
/// window dim.
struct Windows {
  ArrayRef<int64_t> shape, window, strides, low, base, dilation;

  unsigned rank() const { return shape.size(); }
  int64_t count() const { return ShapedType::getNumElements(window); }

  /// The operand index, and the expressions that are not negative where it exists.
  void place(ArrayRef<AffineExpr> within, MLIRContext *context, ElementIndex &index,
             SmallVectorImpl<AffineExpr> &when) const {
    for (unsigned i = 0; i != rank(); ++i) {
      AffineExpr position = getAffineDimExpr(i, context) * strides[i] + within[i] * dilation[i] - low[i];
      const int64_t step = base.empty() ? 1 : base[i];
      AffineExpr source = step == 1 ? position : position.floorDiv(step);
      index.push_back(source);
      when.push_back(source);
      when.push_back(shape[i] - 1 - source);
      if (step != 1)
        when.push_back(-(position % step));
    }
  }

  /// Runs `step` for every element of the window in row-major order with carried values, and returns
  /// these. `step` gets the place in the window.
  using Step = llvm::function_ref<SmallVector<Value>(ArrayRef<AffineExpr>, ValueRange)>;
  SmallVector<Value> forEach(OpBuilder &b, Location loc, ElementEmitter &emitter, SmallVector<Value> carried,
                             Step step) const {
    MLIRContext *context = b.getContext();
    if (count() <= kUnrolledElements) {
      for (int64_t position = 0; position != count(); ++position)
        carried = step(delinearize(getAffineConstantExpr(position, context), window), carried);
      return carried;
    }
    SmallVector<AffineExpr> within;
    SmallVector<scf::ForOp> loops;
    for (unsigned i = 0; i != rank(); ++i) {
      if (window[i] == 1) {
        within.push_back(getAffineConstantExpr(0, context));
        continue;
      }
      within.push_back(getAffineDimExpr(rank() + i, context));
      loops.push_back(openLoop(b, loc, indexConstant(b, loc, 0), indexConstant(b, loc, window[i]),
                               indexConstant(b, loc, 1), carried));
      emitter.openScope({{rank() + i, loops.back().getInductionVar()}}, loops.back());
      carried.assign(loops.back().getRegionIterArgs().begin(), loops.back().getRegionIterArgs().end());
    }
    carried = step(within, carried);
    for (scf::ForOp loop : llvm::reverse(loops)) {
      emitter.closeScope(loop);
      closeLoop(b, loop, carried);
      carried.assign(loop.getResults().begin(), loop.getResults().end());
    }
    return carried;
  }

  SmallVector<int64_t> space(ArrayRef<int64_t> result) const {
    SmallVector<int64_t> sizes(result);
    sizes.append(window.begin(), window.end());
    return sizes;
  }
};

/// The frame of a window kernel: result dims, the last one in lanes. A scalar operand has one window.
struct WindowFrame {
  KernelCode code;
  func::FuncOp func;
  PhaseArguments arguments;
  OpBuilder b;
  Location loc;
  ElementEmitter emitter;
  SmallVector<int64_t> result;

  static SmallVector<int64_t> resultShape(ir::FusedOp fused) {
    ArrayRef<int64_t> shape = cast<RankedTensorType>(fused->getResult(0).getType()).getShape();
    return shape.empty() ? SmallVector<int64_t>{1} : SmallVector<int64_t>(shape);
  }

  WindowFrame(OpBuilder &atModule, ir::FusedOp fused, StringRef name, const Windows &windows)
      : func(createPhase(atModule, fused, name, 0, false)), arguments(func, fused, false, false),
        b(OpBuilder::atBlockEnd(&func.getBody().front())), loc(fused.getLoc()),
        emitter(b, loc, fused.getBody().front(), arguments.operands, windows.space(resultShape(fused))),
        result(resultShape(fused)) {}

  KernelCode finish(int64_t window, const CpuTargetInfo &target, Block &body,
                    llvm::function_ref<void(const LaneDim &, AffineExpr)> atVector) {
    SmallVector<AffineExpr> index;
    for (unsigned i = 0; i != result.size(); ++i)
      index.push_back(getAffineDimExpr(i, b.getContext()));
    AffineExpr place = linearIndex(index, result, b.getContext());
    const int64_t grain = std::max<int64_t>(64, kTaskElements / std::max<int64_t>(1, window));
    const int64_t tasks = forVectors(b, loc, emitter, arguments, result, wideLanes(body, target), grain,
                                     [&](const LaneDim &lane) { atVector(lane, place); });
    code.phases.push_back({func, tasks});
    func::ReturnOp::create(b, loc);
    return code;
  }
};

/// The frame of a kernel over windows of which WindowRows reads the rows.
struct RowsFrame {
  KernelCode code;
  func::FuncOp func;
  PhaseArguments arguments;
  OpBuilder b;
  WindowRows rows;
  ElementEmitter emitter;

  RowsFrame(OpBuilder &atModule, ir::FusedOp fused, StringRef name, const Windows &windows)
      : func(createPhase(atModule, fused, name, 0, false)), arguments(func, fused, false, false),
        b(OpBuilder::atBlockEnd(&func.getBody().front())),
        rows(windows.shape, cast<RankedTensorType>(fused->getResult(0).getType()).getShape(), windows.window,
             windows.strides, /*covering=*/false),
        emitter(b, fused.getLoc(), fused.getBody().front(), arguments.operands, rows.sizes()) {}

  KernelCode finish(Location loc, llvm::function_ref<void()> atWindows) {
    const int64_t tasks = rows.forWindows(b, loc, emitter, arguments, atWindows, [] {});
    code.phases.push_back({func, tasks});
    func::ReturnOp::create(b, loc);
    return code;
  }
};

FailureOr<KernelCode> buildOverRows(OpBuilder &atModule, ir::FusedOp fused, ir::ReduceWindowOp op, StringRef name,
                                    const Windows &windows) {
  RowsFrame frame(atModule, fused, name, windows);
  OpBuilder &b = frame.b;
  const Location loc = op.getLoc();
  const Reduction reduction(op.getKind(), op.getInput().getType().getElementType());
  bool failed = false;
  KernelCode code = frame.finish(loc, [&] {
    Value total = reduction.identity(b, loc, VectorType::get({frame.rows.lanes()}, b.getI32Type()));
    WindowRows::forPlaces(windows.window.drop_back(), [&](ArrayRef<int64_t> within) {
      SmallVector<Value> elements = frame.rows.deal(op.getInput(), within);
      failed |= elements.empty();
      for (Value element : elements)
        total = reduction.combine(b, loc, total, reduction.widen(b, loc, element));
    });
    frame.rows.inWindows([&](ArrayRef<AffineExpr> index) {
      frame.emitter.store(reduction.narrow(b, loc, total), frame.arguments.results[0],
                          linearIndex(index, op.getType().getShape(), b.getContext()));
    });
  });
  if (failed)
    return failure();
  return code;
}

FailureOr<KernelCode> buildOverRows(OpBuilder &atModule, ir::FusedOp fused, ir::ArgReduceWindowOp op, StringRef name,
                                    const Windows &windows) {
  RowsFrame frame(atModule, fused, name, windows);
  OpBuilder &b = frame.b;
  const Location loc = op.getLoc();
  const ArrayRef<int64_t> shape = windows.shape;
  const ExtremumSearch search(op.getKind(), op.getInput().getType().getElementType());
  bool failed = false;
  KernelCode code = frame.finish(loc, [&] {
    SmallVector<Value> best;
    WindowRows::forPlaces(windows.window.drop_back(), [&](ArrayRef<int64_t> within) {
      SmallVector<Value> elements = frame.rows.deal(op.getInput(), within);
      failed |= elements.empty();
      for (auto [place, element] : llvm::enumerate(elements)) {
        Value here;
        frame.rows.inWindows([&](ArrayRef<AffineExpr> index) {
          SmallVector<AffineExpr> flat;
          SmallVector<int64_t> flatShape;
          for (int64_t dim : op.getIndexDims()) {
            const int64_t offset = dim + 1 == int64_t(shape.size()) ? int64_t(place) : within[dim];
            flat.push_back(index[dim] * windows.strides[dim] + offset);
            flatShape.push_back(shape[dim]);
          }
          here = frame.emitter.emitIndexVector(linearIndex(flat, flatShape, b.getContext()));
        });
        if (best.empty()) {
          best = {element, here};
          continue;
        }
        Value better = search.replaces(b, loc, best[0], element);
        best = {arith::SelectOp::create(b, loc, better, element, best[0]),
                arith::SelectOp::create(b, loc, better, here, best[1])};
      }
    });
    if (!failed)
      frame.rows.inWindows([&](ArrayRef<AffineExpr> index) {
        storeYielded(frame.emitter, fused, best, frame.arguments.results,
                     linearIndex(index, cast<RankedTensorType>(op.getValue().getType()).getShape(), b.getContext()));
      });
  });
  if (failed)
    return failure();
  return code;
}

} // namespace

FailureOr<KernelCode> compiler::buildWindowKernel(OpBuilder &atModule, ir::FusedOp fused, ir::ReduceWindowOp op,
                                                  StringRef name, const CpuTargetInfo &target) {
  auto type = cast<RankedTensorType>(op.getInput().getType());
  Windows windows{type.getShape(), op.getWindow(),       op.getStrides(),
                  op.getPadLow(),  op.getBaseDilation(), op.getWindowDilation()};
  if (!target.scalar && WindowRows::fit(windows.shape, windows.window, windows.strides, windows.low, op.getPadHigh(),
                                        windows.base, windows.dilation))
    return buildOverRows(atModule, fused, op, name, windows);
  WindowFrame frame(atModule, fused, name, windows);
  OpBuilder &b = frame.b;
  Location loc = op.getLoc();
  Reduction reduction(op.getKind(), type.getElementType());
  // Places outside of the operand count as the identity; as an element, it is exact.
  bool failed = false;
  KernelCode code =
      frame.finish(windows.count(), target, fused.getBody().front(), [&](const LaneDim &lane, AffineExpr place) {
        Type like = lane.of(b.getI32Type());
        Value otherwise = reduction.narrow(b, loc, reduction.identity(b, loc, b.getI32Type()));
        auto step = [&](ArrayRef<AffineExpr> within, ValueRange carried) -> SmallVector<Value> {
          ElementIndex index;
          SmallVector<AffineExpr> when;
          windows.place(within, b.getContext(), index, when);
          Value element = frame.emitter.emitWhere(op.getInput(), index, when, otherwise);
          if (!element) {
            failed = true;
            return {carried[0]};
          }
          return {reduction.combine(b, loc, carried[0], reduction.widen(b, loc, element))};
        };
        SmallVector<Value> total = windows.forEach(b, loc, frame.emitter, {reduction.identity(b, loc, like)}, step);
        frame.emitter.store(reduction.narrow(b, loc, total[0]), frame.arguments.results[0], place);
      });
  if (failed)
    return failure();
  return code;
}

FailureOr<KernelCode> compiler::buildArgWindowKernel(OpBuilder &atModule, ir::FusedOp fused, ir::ArgReduceWindowOp op,
                                                     StringRef name, const CpuTargetInfo &target) {
  auto type = cast<RankedTensorType>(op.getInput().getType());
  Windows windows{type.getShape(), op.getWindow(), op.getStrides(), op.getPadLow(), {}, op.getWindowDilation()};
  if (!target.scalar && WindowRows::fit(windows.shape, windows.window, windows.strides, windows.low, op.getPadHigh(),
                                        windows.base, windows.dilation))
    return buildOverRows(atModule, fused, op, name, windows);
  WindowFrame frame(atModule, fused, name, windows);
  OpBuilder &b = frame.b;
  Location loc = op.getLoc();
  ExtremumSearch search(op.getKind(), type.getElementType());
  Reduction reduction(search.isMax ? ir::ReduceKind::Max : ir::ReduceKind::Min, type.getElementType());
  bool failed = false;
  KernelCode code =
      frame.finish(windows.count(), target, fused.getBody().front(), [&](const LaneDim &lane, AffineExpr place) {
        Type like = lane.of(b.getI32Type());
        Value otherwise = reduction.narrow(b, loc, reduction.identity(b, loc, b.getI32Type()));
        TypedAttr minusOne = b.getI64IntegerAttr(-1);
        if (!lane.scalar)
          minusOne = DenseElementsAttr::get(cast<VectorType>(lane.of(b.getI64Type())), minusOne);
        Value none = arith::ConstantOp::create(b, loc, minusOne);
        auto step = [&](ArrayRef<AffineExpr> within, ValueRange carried) -> SmallVector<Value> {
          ElementIndex index;
          SmallVector<AffineExpr> when;
          windows.place(within, b.getContext(), index, when);
          Value exists;
          Value element = frame.emitter.emitWhere(op.getInput(), index, when, otherwise, &exists);
          if (!element) {
            failed = true;
            return SmallVector<Value>(carried);
          }
          SmallVector<AffineExpr> flat;
          SmallVector<int64_t> flatShape;
          for (int64_t dim : op.getIndexDims()) {
            flat.push_back(index[dim]);
            flatShape.push_back(type.getShape()[dim]);
          }
          Value here = frame.emitter.emitIndexVector(linearIndex(flat, flatShape, b.getContext()));
          Value empty = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, carried[1], none);
          Value better = arith::OrIOp::create(b, loc, empty, search.replaces(b, loc, carried[0], element));
          if (exists)
            better = arith::AndIOp::create(b, loc, better, exists);
          return {arith::SelectOp::create(b, loc, better, element, carried[0]),
                  arith::SelectOp::create(b, loc, better, here, carried[1])};
        };
        Value start = reduction.narrow(b, loc, reduction.identity(b, loc, like));
        SmallVector<Value> best = windows.forEach(b, loc, frame.emitter, {start, none}, step);
        storeYielded(frame.emitter, fused, best, frame.arguments.results, place);
      });
  if (failed)
    return failure();
  return code;
}
