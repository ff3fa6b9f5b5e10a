#include "passes/Codegen/GpuKernels.h"
#include "passes/Codegen/SingleKernels.h"
#include "passes/Codegen/SlicePlacement.h"

#include "dialects/Burn/ScalarPayloads.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace burn;
using namespace burn::compiler;
using arith::CmpIPredicate;

namespace {

constexpr int64_t kTaskElements = 8192;
// Tasks that share a row of updates on a CPU, at most, where an update is a vector and where it is a number, which
// takes hardly longer than to look at it; updates that each looks at, at least.
constexpr int64_t kMostVectorTasks = 4, kMostNumberTasks = 2, kSharedUpdates = 1024;
// Kernels that the updates are cut into on a GPU, at most.
constexpr int64_t kMostStretches = 64;
// Invocations that a GPU has enough of; how many share a row at most, and updates of a share at least.
constexpr int64_t kEnoughInvocations = 16384, kMostShares = 256, kShareUpdates = 32;

/// Emits a scatter. Dims of the iteration space: those of the updates, then one per component of
/// the index vector, whose value is read at run time.
class ScatterBuilder {
public:
  ScatterBuilder(OpBuilder &atModule, ir::FusedOp fused, ir::ScatterOp op, StringRef name, const CpuTargetInfo &target)
      : atModule(atModule), fused(fused), op(op), target(target), name(name), loc(op.getLoc()),
        context(op.getContext()), type(cast<RankedTensorType>(op.getType())),
        indices(cast<RankedTensorType>(op.getIndices().getType())),
        updates(cast<RankedTensorType>(op.getUpdates().getType())), checked(op.getMode() == ir::IndexMode::Check),
        b(context) {
    numbers = {type.getShape(),
               indices.getShape(),
               updates.getShape(),
               op.getUpdateWindowDims(),
               op.getInsertedWindowDims(),
               op.getInputBatchingDims(),
               op.getScatterIndicesBatchingDims(),
               op.getScatterDimsToOperandDims(),
               int64_t(op.getIndexVectorDim()),
               {}};
    unsigned next = 0;
    for (int64_t dim = 0; dim != type.getRank(); ++dim)
      numbers.sizes.push_back(numbers.isCollapsed(dim) ? 1 : updates.getShape()[numbers.offsetDims[next++]]);
  }

  FailureOr<KernelCode> build() {
    const bool rounds = op.getCombiner() == ir::ScatterCombiner::Add || op.getCombiner() == ir::ScatterCombiner::Mul;
    accumulated = type.getElementType();
    if (rounds && type.getNumElements() != 0 && (accumulated.isF16() || accumulated.isBF16())) {
      accumulated = Float32Type::get(context);
      code.scratchBytes = type.getNumElements() * 4;
    }
    buildCopy("_copy");
    spreadUpdates();
    const int64_t count = walkedCount();
    const int64_t most = target.gpu ? mostSteps(*target.gpu) : count;
    if (count > most && ceilDivide(count, most) <= kMostStretches)
      for (int64_t from = 0; from < count; from += most)
        buildUpdates("_update" + std::to_string(from), {{from, std::min(from + most, count)}});
    else
      buildUpdates("_update", {});
    if (isWidened())
      buildCopy("_round");
    if (checked)
      code.checks.push_back("an index of scatter lies outside of its dimension");
    if (failed)
      return failure();
    return code;
  }

private:
  /// Whether elements are combined in f32 in scratch memory, and rounded once at the end.
  bool isWidened() const { return accumulated != type.getElementType(); }

  void openPhase(StringRef suffix) {
    func = createPhase(atModule, fused, (name + suffix).str(), code.scratchBytes, checked);
    arguments.emplace(func, fused, isWidened(), checked);
    b = OpBuilder::atBlockEnd(&func.getBody().front());
    elements = arguments->results[0];
    if (isWidened())
      elements = memref::ViewOp::create(b, loc, MemRefType::get({type.getNumElements()}, memoryType(accumulated)),
                                        arguments->scratch, indexConstant(b, loc, 0), ValueRange{});
  }

  Value converted(Value element, Type from, Type to) {
    return ir::ScalarOps(b, loc, from).convert(element, ir::ScalarKind::get(to));
  }

  /// The result starts as the operand, in whose memory it may be, and ends as what was accumulated.
  void buildCopy(StringRef suffix) {
    const bool ends = suffix == "_round";
    openPhase(suffix);
    const int64_t count = type.getNumElements();
    // Where the operand is in the result's memory already, there is nothing to copy.
    scf::IfOp elsewhere;
    auto operand = dyn_cast<BlockArgument>(op.getInput());
    if (operand && !isWidened() && !target.gpu) {
      const auto addressOf = [&](Value buffer) -> Value {
        return memref::ExtractAlignedPointerAsIndexOp::create(b, loc, buffer);
      };
      Value differs = arith::CmpIOp::create(
          b, loc, CmpIPredicate::ne, addressOf(arguments->operands[operand.getArgNumber()]), addressOf(elements));
      elsewhere = scf::IfOp::create(b, loc, differs, /*withElseRegion=*/false);
      b.setInsertionPoint(elsewhere.thenBlock()->getTerminator());
    }
    emitter.emplace(b, loc, fused.getBody().front(), arguments->operands, ArrayRef<int64_t>{count});
    AffineExpr position = getAffineDimExpr(0, context);
    ElementIndex place;
    llvm::append_range(place, delinearize(position, type.getShape()));
    const int64_t tasks = forVectors(
        b, loc, *emitter, *arguments, {count}, wideLanes(fused.getBody().front(), target), 4 * kTaskElements,
        [&](const LaneDim &) {
          if (ends) {
            Value sum = emitter->loadNow(elements, accumulated, position);
            emitter->store(converted(sum, accumulated, type.getElementType()), arguments->results[0], position);
            return;
          }
          Value element = emitter->emitVector(op.getInput(), place);
          failed |= !element;
          if (element)
            emitter->store(converted(element, type.getElementType(), accumulated), elements, position);
        });
    if (elsewhere)
      b.setInsertionPointAfter(elsewhere);
    func::ReturnOp::create(b, loc);
    code.phases.push_back({func, tasks});
  }

  /// Dims of the updates whose indices never share an element of the result: batching dims, and
  /// those along a dim of the operand that every slice covers from its beginning.
  bool isIndependent(int64_t dim) const {
    if (numbers.isOffset(dim))
      return !llvm::is_contained(numbers.startIndexMap, numbers.operandDimOf(dim));
    int64_t position = 0; // among the dims of the index tensor
    for (int64_t other = 0; other != dim; ++other)
      position += !numbers.isOffset(other);
    position += position >= numbers.indexVectorDim;
    return llvm::is_contained(numbers.indicesBatchDims, position);
  }

  /// Independent dims are spread over tasks, the last of them over lanes too if it is the last dim of both tensors; the
  /// others are walked in row-major order within a task.
  void spreadUpdates() {
    const int64_t rank = updates.getRank();
    for (int64_t i = 0; i != rank; ++i)
      index.push_back(getAffineDimExpr(i, context));
    inLanes = !target.scalar && rank != 0 && numbers.isOffset(rank - 1) && isIndependent(rank - 1) &&
              numbers.operandDimOf(rank - 1) == type.getRank() - 1;
    for (int64_t dim = 0; dim != rank; ++dim) {
      if (!isIndependent(dim))
        walked.push_back(dim), walkedSizes.push_back(updates.getDimSize(dim));
      else if (!inLanes || dim != rank - 1)
        spread.push_back(dim), spreadSizes.push_back(updates.getDimSize(dim));
    }
  }

  int64_t walkedCount() const { return ShapedType::getNumElements(walkedSizes); }

  /// The updates; of those that a task walks, if given, the ones in a range.
  void buildUpdates(const std::string &suffix, std::optional<std::pair<int64_t, int64_t>> range) {
    openPhase(suffix);
    SmallVector<int64_t> space(updates.getShape());
    for (unsigned k = 0; k != numbers.startIndexMap.size(); ++k)
      space.push_back(std::max<int64_t>(1, numbers.greatestStart(k) + 1));
    emitter.emplace(b, loc, fused.getBody().front(), arguments->operands, space);
    const int64_t rank = updates.getRank();
    if (updates.getNumElements() == 0) {
      func::ReturnOp::create(b, loc);
      code.phases.push_back({func, 0});
      return;
    }
    const int64_t length = inLanes ? updates.getShape().back() : 1;
    wide = inLanes ? std::min<int64_t>(wideLanes(fused.getBody().front(), target), maskedLanes(length)) : 1;
    const int64_t pieces = inLanes ? ceilDivide(length, wide) : 1;
    const int64_t rows = ShapedType::getNumElements(spreadSizes);
    shares = shareCount(rows * pieces);
    const int64_t units = rows * pieces * shares;
    const int64_t unitsPerTask = target.scalar ? 1 : std::max<int64_t>(1, kTaskElements / (wide * walkedCount()));
    code.phases.push_back({func, ceilDivide(units, unitsPerTask)});

    Value perTask = indexConstant(b, loc, unitsPerTask);
    Value first = arith::MulIOp::create(b, loc, arguments->begin, perTask);
    Value last = arith::MinUIOp::create(b, loc, arith::MulIOp::create(b, loc, arguments->end, perTask),
                                        indexConstant(b, loc, units));
    scf::ForOp loop = openLoop(b, loc, first, last, indexConstant(b, loc, 1));
    Value count = indexConstant(b, loc, pieces);
    Value unit = loop.getInductionVar();
    if (shares > 1) { // neighbours have the same share
      share = arith::DivUIOp::create(b, loc, unit, indexConstant(b, loc, rows * pieces));
      unit = arith::RemUIOp::create(b, loc, unit, indexConstant(b, loc, rows * pieces));
    }
    Value row = arith::DivUIOp::create(b, loc, unit, count);
    Value piece = arith::RemUIOp::create(b, loc, unit, count);
    SmallVector<std::pair<unsigned, Value>> dims;
    for (auto [dim, value] : llvm::zip_equal(spread, delinearize(b, loc, row, spreadSizes)))
      dims.push_back({unsigned(dim), value});
    emitter->openScope(dims, loop);
    if (inLanes) {
      Value base = arith::MulIOp::create(b, loc, piece, indexConstant(b, loc, wide));
      LaneDim lane{unsigned(rank - 1), wide, {}};
      if (length % wide != 0) {
        Value left = arith::SubIOp::create(b, loc, indexConstant(b, loc, length), base);
        lane.mask = vector::CreateMaskOp::create(b, loc, VectorType::get({wide}, b.getI1Type()), left);
      }
      emitter->openScope({{lane.dim, base}}, nullptr, lane);
      walk(0);
      emitter->closeScope();
    } else if (range) {
      walkRange(range->first, range->second);
    } else {
      walk(0);
    }
    emitter->closeScope();
    closeLoop(b, loop);
    func::ReturnOp::create(b, loc);
  }

  /// Elements of the result along the dims that are indexed.
  int64_t targetCount() const {
    int64_t targets = 1;
    for (int64_t dim : numbers.startIndexMap)
      targets *= type.getDimSize(dim);
    return targets;
  }

  /// How many tasks, or invocations of a GPU, share the updates of a row: each looks at all of them and applies those
  /// to its own elements, in the same order.
  int64_t shareCount(int64_t rows) const {
    if (numbers.startIndexMap.empty())
      return 1;
    const int64_t targets = targetCount();
    if (!target.gpu)
      return std::max<int64_t>(1, std::min({(wide > 1 ? kMostVectorTasks : kMostNumberTasks) / rows,
                                            walkedCount() / kSharedUpdates, targets}));
    return std::max<int64_t>(
        1, std::min({kEnoughInvocations / rows, kMostShares, walkedCount() / kShareUpdates, targets}));
  }

  void walk(unsigned depth) {
    if (depth == walked.size()) {
      applyUpdate();
      return;
    }
    const unsigned dim = walked[depth];
    scf::ForOp loop = openLoop(b, loc, indexConstant(b, loc, 0), indexConstant(b, loc, updates.getDimSize(dim)),
                               indexConstant(b, loc, 1));
    emitter->openScope({{dim, loop.getInductionVar()}}, loop);
    walk(depth + 1);
    emitter->closeScope(loop);
    closeLoop(b, loop);
  }

  void walkRange(int64_t from, int64_t to) {
    scf::ForOp loop =
        openLoop(b, loc, indexConstant(b, loc, from), indexConstant(b, loc, to), indexConstant(b, loc, 1));
    SmallVector<std::pair<unsigned, Value>> dims;
    for (auto [dim, value] : llvm::zip_equal(walked, delinearize(b, loc, loop.getInductionVar(), walkedSizes)))
      dims.push_back({unsigned(dim), value});
    emitter->openScope(dims, loop);
    applyUpdate();
    emitter->closeScope(loop);
    closeLoop(b, loop);
  }

  void applyUpdate() {
    const unsigned startBase = updates.getRank();
    Value inside;
    SmallVector<std::pair<unsigned, Value>> dims;
    for (unsigned k = 0; k != numbers.startIndexMap.size(); ++k) {
      Value start = emitter->emit(op.getIndices(), numbers.startIndex(index, k, context));
      if (!start) {
        failed = true;
        return;
      }
      start = toIndex64(b, loc, start, indices.getElementType());
      // As unsigned numbers, negative starts are beyond the greatest too.
      const int64_t most = numbers.greatestStart(k);
      Value limit = arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(std::max<int64_t>(most, 0)));
      Value within = most < 0 ? Value(arith::ConstantOp::create(b, loc, b.getBoolAttr(false)))
                              : Value(arith::CmpIOp::create(b, loc, CmpIPredicate::ule, start, limit));
      inside = inside ? Value(arith::AndIOp::create(b, loc, inside, within)) : within;
      dims.push_back({startBase + k, arith::IndexCastOp::create(b, loc, b.getIndexType(), start)});
    }
    ElementIndex place = numbers.offset(index, context);
    for (auto [k, dim] : llvm::enumerate(numbers.startIndexMap))
      place[dim] = place[dim] + getAffineDimExpr(startBase + k, context);
    if (!inside) {
      emitter->openScope(dims);
      combineAt(place);
      emitter->closeScope();
      return;
    }
    auto choice = scf::IfOp::create(b, loc, inside, /*withElseRegion=*/checked);
    b.setInsertionPoint(choice.thenBlock()->getTerminator());
    emitter->openScope(dims, choice);
    if (shares > 1)
      combineOwn(place);
    else
      combineAt(place);
    emitter->closeScope(choice);
    if (checked) {
      b.setInsertionPoint(choice.elseBlock()->getTerminator());
      Value one = arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(1));
      memref::StoreOp::create(b, loc, one, arguments->error, indexConstant(b, loc, 0));
    }
    b.setInsertionPointAfter(choice);
  }

  /// Combines at elements that are of the task's share along the indexed dims: on a CPU neighbours, whose cache lines
  /// are its own, on a GPU every shares-th.
  void combineOwn(ArrayRef<AffineExpr> place) {
    ElementIndex indexed;
    SmallVector<int64_t> sizes;
    for (int64_t dim : numbers.startIndexMap) {
      indexed.push_back(place[dim]);
      sizes.push_back(type.getDimSize(dim));
    }
    Value number = emitter->emitIndex(linearIndex(indexed, sizes, context));
    Value isOwn;
    if (target.gpu) {
      Value ofShare = arith::RemUIOp::create(b, loc, number, indexConstant(b, loc, shares));
      isOwn = arith::CmpIOp::create(b, loc, CmpIPredicate::eq, ofShare, share);
    } else {
      Value span = indexConstant(b, loc, ceilDivide(targetCount(), shares));
      Value within = arith::SubIOp::create(b, loc, number, arith::MulIOp::create(b, loc, share, span));
      isOwn = arith::CmpIOp::create(b, loc, CmpIPredicate::ult, within, span);
    }
    auto choice = scf::IfOp::create(b, loc, isOwn, /*withElseRegion=*/false);
    b.setInsertionPoint(choice.thenBlock()->getTerminator());
    emitter->openScope({}, choice);
    combineAt(place);
    emitter->closeScope(choice);
    b.setInsertionPointAfter(choice);
  }

  void combineAt(ArrayRef<AffineExpr> place) {
    AffineExpr position = linearIndex(place, type.getShape(), context);
    Value update = wide > 1 ? emitter->emitVector(op.getUpdates(), index) : emitter->emit(op.getUpdates(), index);
    if (!update) {
      failed = true;
      return;
    }
    update = converted(update, type.getElementType(), accumulated);
    if (op.getCombiner() != ir::ScatterCombiner::Assign) {
      Value old = emitter->loadNow(elements, accumulated, position);
      ir::ScalarOps ops(b, loc, accumulated);
      switch (op.getCombiner()) {
      case ir::ScatterCombiner::Assign:
        break;
      case ir::ScatterCombiner::Add:
        update = ops.add(old, update);
        break;
      case ir::ScatterCombiner::Mul:
        update = ops.mul(old, update);
        break;
      case ir::ScatterCombiner::Max:
        update = ops.max(old, update);
        break;
      case ir::ScatterCombiner::Min:
        update = ops.min(old, update);
        break;
      }
    }
    emitter->store(update, elements, position);
  }

  OpBuilder &atModule;
  ir::FusedOp fused;
  ir::ScatterOp op;
  const CpuTargetInfo &target;
  StringRef name;
  Location loc;
  MLIRContext *context;
  RankedTensorType type, indices, updates;
  bool checked, failed = false;
  OpBuilder b;
  SliceNumbers numbers;
  ElementIndex index;
  /// Dims of the updates, and their sizes.
  SmallVector<int64_t> spread, spreadSizes, walked, walkedSizes;
  bool inLanes = false;
  int64_t wide = 1;
  /// Invocations that share the updates of a row; which one this is.
  int64_t shares = 1;
  Value share;
  /// The element type that is combined in, and the buffer that holds it.
  Type accumulated;
  Value elements;
  func::FuncOp func;
  std::optional<PhaseArguments> arguments;
  std::optional<ElementEmitter> emitter;
  KernelCode code;
};

} // namespace

FailureOr<KernelCode> compiler::buildScatterKernel(OpBuilder &atModule, ir::FusedOp fused, ir::ScatterOp op,
                                                   StringRef name, const CpuTargetInfo &target) {
  return ScatterBuilder(atModule, fused, op, name, target).build();
}
