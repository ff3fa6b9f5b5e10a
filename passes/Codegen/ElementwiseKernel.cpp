#include "passes/Codegen/GpuVectors.h"
#include "passes/Codegen/IndexMath.h"
#include "passes/Codegen/Kernel.h"
#include "passes/Codegen/KernelLoops.h"
#include "passes/Codegen/StreamedStores.h"
#include "passes/Graph/Accesses.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace burn;
using namespace burn::compiler;

namespace {

// A lane dim shorter than this is joined with its neighbour, even though some reads then gather.
constexpr int64_t kShortestLaneDim = 12;
// Elements that one task computes at least, a costly op counting as several.
constexpr int64_t kTaskElements = 16384;
// A row of costly functions of each other is longer than what a processor looks ahead: each runs over a block that
// stays in the first-level cache before the next does. Fewer values of a row are not worth it, nor are more functions.
constexpr unsigned kCostlyOp = 16, kMostStages = 6;
constexpr int64_t kBlockElements = 1024;
// On a GPU an invocation computes several elements of large results, if little code computes one: all it waits for is
// memory. Where these do not divide the elements, a second kernel computes the rest, of larger results.
constexpr int64_t kLargeElements = 1024, kLargeWithRest = 1 << 16;
constexpr int64_t kLittleCost = 64;

/// Collects the positions at which a cluster reads, without emitting anything.
class ReadCollector {
public:
  ReadCollector(ArrayRef<int64_t> sizes) : sizes(sizes) {}

  void visit(Value value, ArrayRef<AffineExpr> index) {
    ElementIndex simple;
    for (AffineExpr expr : index)
      simple.push_back(simplifyIndex(expr, sizes));
    std::pair<Value, ElementIndex> key{value, simple};
    if (llvm::is_contained(visited, key))
      return;
    visited.push_back(key);
    auto type = cast<RankedTensorType>(value.getType());
    Operation *op = value.getDefiningOp();
    if (!op || isa<ir::ConstantOp, ir::RngBitsOp>(op)) {
      note(linearIndex(simple, type.getShape(), value.getContext()));
    } else if (auto iota = dyn_cast<ir::IotaOp>(op)) {
      note(simple[iota.getDim()]);
    } else if (auto view = dyn_cast<ir::ViewOpInterface>(op)) {
      for (const ir::IndexedRead &read : view.getReads(simple)) {
        for (AffineExpr expr : read.nonNegative)
          note(expr);
        for (AffineExpr expr : read.zero)
          note(expr);
        visit(op->getOperand(read.operand), read.index);
      }
    } else {
      for (Value operand : op->getOperands()) {
        const bool scalar = cast<RankedTensorType>(operand.getType()).getRank() == 0;
        visit(operand, scalar ? ArrayRef<AffineExpr>() : ArrayRef<AffineExpr>(simple));
      }
    }
  }

  SmallVector<AffineExpr> expressions;

private:
  void note(AffineExpr expr) {
    expr = simplifyIndex(expr, sizes);
    if (!isa<AffineConstantExpr>(expr) && !llvm::is_contained(expressions, expr))
      expressions.push_back(expr);
  }

  ArrayRef<int64_t> sizes;
  SmallVector<std::pair<Value, ElementIndex>, 0> visited;
};

/// The dims that an elementwise kernel loops over: those of the results, neighbours joined where no
/// read tells them apart.
struct LoopSpace {
  SmallVector<int64_t> sizes;
  ElementIndex index; // of the results, over the loop dims

  LoopSpace(ArrayRef<int64_t> shape, ArrayRef<Value> values, MLIRContext *context) {
    sizes.assign(shape.begin(), shape.end());
    for (size_t i = 0; i != shape.size(); ++i)
      index.push_back(getAffineDimExpr(i, context));
    if (sizes.empty()) {
      sizes.push_back(1);
      return;
    }
    ReadCollector collector(sizes);
    for (Value value : values)
      collector.visit(value, index);
    SmallVector<AffineExpr> reads = collector.expressions;
    for (size_t i = sizes.size() - 1; i-- != 0;) {
      const bool needed = i + 2 == sizes.size() && sizes[i + 1] < kShortestLaneDim;
      join(i, reads, needed);
    }
  }

private:
  // Joins dims i and i + 1 unless a read then needs a division or remainder of the joint dim.
  void join(size_t i, SmallVector<AffineExpr> &reads, bool needed) {
    MLIRContext *context = index[0].getContext();
    SmallVector<AffineExpr> dims(sizes.size());
    SmallVector<int64_t> joint(sizes);
    joint[i] *= joint[i + 1];
    joint.erase(joint.begin() + i + 1);
    for (size_t dim = 0; dim != sizes.size(); ++dim)
      dims[dim] = getAffineDimExpr(dim > i ? dim - 1 : dim, context);
    AffineExpr whole = getAffineDimExpr(i, context);
    dims[i] = whole.floorDiv(sizes[i + 1]);
    dims[i + 1] = whole % sizes[i + 1];
    SmallVector<AffineExpr> joined;
    bool simple = true;
    for (AffineExpr read : reads) {
      joined.push_back(simplifyIndex(read.replaceDims(dims), joint));
      simple &= coefficientOf(joined.back(), i).has_value() ||
                (!coefficientOf(read, i).has_value() && !coefficientOf(read, i + 1).has_value());
    }
    if (!simple && !needed)
      return;
    for (AffineExpr &expr : index)
      expr = simplifyIndex(expr.replaceDims(dims), joint);
    sizes = joint;
    reads = joined;
  }
};

int64_t costOf(Block &body) {
  int64_t cost = 1;
  for (Operation &op : body)
    cost += payloadCost(&op);
  return cost;
}

/// Costly functions in front of others, in order: what the kernel computes in loops of their own.
SmallVector<Value> stagedValues(Block &body, ArrayRef<int64_t> shape, ArrayRef<int64_t> sizes) {
  SmallVector<Value> staged;
  if (sizes.back() < 4 * kBlockElements)
    return staged;
  const auto isCostly = [&](Operation &op) {
    return isa<ir::ElementwiseOpInterface>(op) && payloadCost(&op) > kCostlyOp &&
           cast<RankedTensorType>(op.getResult(0).getType()).getShape() == shape;
  };
  // What a costly function is computed from, however far back.
  llvm::SmallPtrSet<Operation *, 16> before;
  for (Operation &op : llvm::reverse(body.without_terminator())) {
    const bool isBefore = before.contains(&op);
    if (isBefore && isCostly(op) &&
        isa<Float32Type, Float64Type>(cast<RankedTensorType>(op.getResult(0).getType()).getElementType()))
      staged.push_back(op.getResult(0));
    if (isBefore || isCostly(op))
      for (Value operand : op.getOperands())
        if (Operation *source = operand.getDefiningOp())
          before.insert(source);
  }
  std::reverse(staged.begin(), staged.end());
  if (staged.size() > kMostStages)
    staged.truncate(kMostStages);
  return staged;
}

/// Elements of an invocation: one vector of the narrowest results and operands.
int64_t gpuElements(ir::FusedOp fused, ArrayRef<int64_t> sizes) {
  const int64_t elements = ShapedType::getNumElements(sizes);
  if (elements < kLargeElements || costOf(fused.getBody().front()) > kLittleCost)
    return 1;
  int64_t lanes = 1;
  for (Type type : llvm::concat<const Type>(fused.getOperandTypes(), fused.getResultTypes()))
    lanes = std::max(lanes, gpuVectorLanes(memoryType(cast<RankedTensorType>(type).getElementType())));
  const bool hasRest = sizes.back() % lanes != 0;
  return hasRest && (sizes.size() > 1 || elements < kLargeWithRest) ? 1 : lanes;
}

/// An invocation computes `each` neighbours along the last loop dim, and another kernel what is left there.
FailureOr<KernelCode> buildOnGpu(OpBuilder &atModule, ir::FusedOp fused, StringRef name, const LoopSpace &space,
                                 int64_t each) {
  Location loc = fused.getLoc();
  MLIRContext *context = fused.getContext();
  auto yielded = fused.getBody().front().getTerminator()->getOperands();
  auto shape = cast<RankedTensorType>(fused->getResult(0).getType()).getShape();
  const unsigned last = space.sizes.size() - 1;
  KernelCode code;
  bool failed = false;
  // Elements [first, first + count * lanes) along the last dim.
  const auto build = [&](const Twine &suffix, int64_t lanes, int64_t first, int64_t count) {
    func::FuncOp func = createPhase(atModule, fused, (name + suffix).str(), 0, false);
    PhaseArguments arguments(func, fused, false, false);
    OpBuilder b = OpBuilder::atBlockEnd(&func.getBody().front());
    SmallVector<int64_t> sizes(space.sizes);
    sizes.back() = count;
    ElementEmitter emitter(b, loc, fused.getBody().front(), arguments.operands, sizes);
    SmallVector<std::pair<unsigned, Value>> dims;
    for (auto [dim, value] : llvm::enumerate(delinearize(b, loc, arguments.begin, sizes)))
      dims.push_back({unsigned(dim), value});
    emitter.openScope(dims);
    SmallVector<SmallVector<Value>> elements(lanes);
    SmallVector<AffineExpr> positions;
    // All results are computed before the first is stored: one may share the memory of an operand.
    for (int64_t lane = 0; lane != lanes; ++lane) {
      ElementIndex index;
      for (AffineExpr expr : space.index)
        index.push_back(
            expr.replace(getAffineDimExpr(last, context), getAffineDimExpr(last, context) * lanes + (first + lane)));
      positions.push_back(linearIndex(index, shape, context));
      for (Value value : yielded)
        elements[lane].push_back(emitter.emit(value, index));
    }
    for (int64_t lane = 0; lane != lanes; ++lane)
      for (auto [element, buffer] : llvm::zip_equal(elements[lane], arguments.results))
        if (element)
          emitter.store(element, buffer, positions[lane]);
        else
          failed = true;
    emitter.closeScope();
    func::ReturnOp::create(b, loc);
    if (lanes > 1)
      accessByVectors(func);
    code.phases.push_back({func, ShapedType::getNumElements(sizes)});
  };
  const int64_t length = space.sizes.back(), rest = length % each;
  build("", each, 0, length / each);
  if (rest != 0)
    build("_rest", 1, length - rest, rest);
  if (failed)
    return failure();
  return code;
}

// Asks for what a large operand holds a page further on: prefetchers of processors stop at the end of one.
void prefetchAhead(ElementEmitter &emitter, Value operand, Value buffer, AffineExpr position, int64_t lanes) {
  const core::TypeDesc type = *ir::toTypeDesc(operand.getType());
  if (type.byteSize() < kStreamedBytes)
    return;
  const int64_t width = byteWidth(type.dtype), ahead = 4096 / width, line = 64 / width;
  for (int64_t i = 0; i < lanes; i += line)
    emitter.prefetch(buffer, position + (ahead + i));
}

} // namespace

FailureOr<KernelCode> compiler::buildElementwiseKernel(OpBuilder &atModule, ir::FusedOp fused, StringRef name,
                                                       const CpuTargetInfo &target) {
  Location loc = fused.getLoc();
  MLIRContext *context = fused.getContext();
  Block &body = fused.getBody().front();
  auto yielded = body.getTerminator()->getOperands();
  auto shape = cast<RankedTensorType>(fused->getResult(0).getType()).getShape();
  for (Type type : fused->getResultTypes())
    if (cast<RankedTensorType>(type).getShape() != shape)
      return fused.emitOpError("expects results of one shape in an elementwise cluster");

  const int64_t elements = ShapedType::getNumElements(shape);
  if (target.gpu && elements != 0) {
    const LoopSpace space(shape, SmallVector<Value>(yielded), context);
    return buildOnGpu(atModule, fused, name, space, gpuElements(fused, space.sizes));
  }

  KernelCode code;
  func::FuncOp func = createPhase(atModule, fused, name, 0, false);
  PhaseArguments arguments(func, fused, false, false);
  OpBuilder b = OpBuilder::atBlockEnd(&func.getBody().front());
  if (elements == 0) {
    func::ReturnOp::create(b, loc);
    code.phases.push_back({func, 0});
    return code;
  }

  LoopSpace space(shape, SmallVector<Value>(yielded), context);
  int64_t grain = std::max<int64_t>(1024, kTaskElements * 8 / (8 + costOf(body)) / 64 * 64);
  const SmallVector<Value> staged = target.scalar ? SmallVector<Value>() : stagedValues(body, shape, space.sizes);
  SmallVector<Value> buffers; // of the stages, on the stack of the whole function
  for (Value value : staged) {
    grain = llvm::alignTo(grain, kBlockElements);
    Type element = memoryType(cast<RankedTensorType>(value.getType()).getElementType());
    buffers.push_back(
        memref::AllocaOp::create(b, loc, MemRefType::get({kBlockElements}, element), b.getI64IntegerAttr(64)));
  }
  ElementEmitter emitter(b, loc, body, arguments.operands, space.sizes);
  AffineExpr position = linearIndex(space.index, shape, context);
  SmallVector<bool> streamed;
  for (unsigned i = 0; i < fused->getNumResults(); ++i)
    streamed.push_back(isStreamed(fused, i, space.sizes, target));
  bool failed = false;
  const auto prefetch = [&](const LaneDim &lane) {
    for (auto [operand, buffer] : llvm::zip_equal(fused.getInputs(), arguments.operands))
      prefetchAhead(emitter, operand, buffer, position, lane.count);
  };
  const auto storeResults = [&] {
    // All results are computed before the first is stored: one may share the memory of an operand.
    SmallVector<Value> elements;
    for (Value value : yielded)
      elements.push_back(emitter.emitVector(value, space.index));
    for (auto [i, element] : llvm::enumerate(elements))
      if (element)
        emitter.store(element, arguments.results[i], position, streamed[i]);
      else
        failed = true;
  };
  const auto atStage = [&](const LaneDim &lane, unsigned stage, Value within) {
    if (stage == 0)
      prefetch(lane);
    for (unsigned done = 0; done != stage; ++done) {
      auto type = VectorType::get({lane.count}, cast<MemRefType>(buffers[done].getType()).getElementType());
      emitter.bind(staged[done], vector::LoadOp::create(b, loc, type, buffers[done], within));
    }
    if (stage == staged.size())
      return storeResults();
    Value element = emitter.emitVector(staged[stage], space.index);
    failed |= !element;
    if (element)
      vector::StoreOp::create(b, loc, element, buffers[stage], within);
  };
  const LoopStages stages{kBlockElements, unsigned(staged.size() + 1), atStage};
  const int64_t tasks = forVectors(
      b, loc, emitter, arguments, space.sizes, wideLanes(body, target), grain,
      [&](const LaneDim &lane) {
        if (!lane.mask && !lane.scalar)
          prefetch(lane);
        storeResults();
      },
      staged.empty() ? nullptr : &stages);
  if (llvm::is_contained(streamed, true))
    emitStreamFence(b, loc);
  code.phases.push_back({func, tasks});
  func::ReturnOp::create(b, loc);
  if (failed)
    return failure();
  return code;
}
