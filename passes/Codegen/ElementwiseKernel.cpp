#include "passes/Codegen/IndexMath.h"
#include "passes/Codegen/KernelLoops.h"
#include "passes/Codegen/Kernel.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace burn;
using namespace burn::compiler;

namespace {

// A lane dim shorter than this is joined with its neighbour, even though some reads then gather.
constexpr int64_t kShortestLaneDim = 12;
// Elements that one task computes at least, a costly op counting as several.
constexpr int64_t kTaskElements = 16384;

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

int64_t payloadCost(Block &body) {
  int64_t cost = 1;
  for (Operation &op : body)
    if (auto elementwise = dyn_cast<ir::ElementwiseOpInterface>(&op))
      cost += 1 + elementwise.getPayloadCost();
    else if (isa<ir::RngBitsOp>(&op))
      cost += 100;
  return cost;
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

  KernelCode code;
  func::FuncOp func = createPhase(atModule, fused, name, 0, false);
  PhaseArguments arguments(func, fused, false, false);
  OpBuilder b = OpBuilder::atBlockEnd(&func.getBody().front());
  const int64_t elements = ShapedType::getNumElements(shape);
  if (elements == 0) {
    func::ReturnOp::create(b, loc);
    code.phases.push_back({func, 0});
    return code;
  }

  LoopSpace space(shape, SmallVector<Value>(yielded), context);
  const unsigned laneDim = space.sizes.size() - 1;
  const int64_t length = space.sizes.back();
  const int64_t rows = elements / length;
  const int64_t wide = wideLanes(body, target);

  // A unit is a row or, where rows are long, a piece of one; a task is a run of units.
  const int64_t grain = std::max<int64_t>(1024, kTaskElements * 8 / (8 + payloadCost(body)) / 64 * 64);
  const int64_t piece = std::min(length, grain);
  const int64_t pieces = ceilDivide(length, piece);
  const int64_t units = rows * pieces;
  const int64_t unitsPerTask = std::max<int64_t>(1, grain / piece);
  code.phases.push_back({func, ceilDivide(units, unitsPerTask)});

  ElementEmitter emitter(b, loc, body, arguments.operands, space.sizes);
  AffineExpr position = linearIndex(space.index, shape, context);
  bool failed = false;
  // Everything at consecutive places, all results being computed before the first is stored: a
  // result may share the memory of an operand.
  auto emitVector = [&](Value base, int64_t lanes, Value mask) {
    emitter.openScope({{laneDim, base}}, nullptr, LaneDim{laneDim, lanes, mask});
    SmallVector<Value> elements;
    for (Value value : yielded)
      elements.push_back(emitter.emitVector(value, space.index));
    for (auto [element, buffer] : llvm::zip_equal(elements, arguments.results))
      if (element)
        emitter.store(element, buffer, position);
      else
        failed = true;
    emitter.closeScope();
  };

  Value one = indexConstant(b, loc, 1);
  Value perTask = indexConstant(b, loc, unitsPerTask);
  Value first = arith::MulIOp::create(b, loc, arguments.begin, perTask);
  Value last = arith::MinUIOp::create(b, loc, arith::MulIOp::create(b, loc, arguments.end, perTask),
                                      indexConstant(b, loc, units));
  scf::ForOp unitLoop = openLoop(b, loc, first, last, one);
  Value unit = unitLoop.getInductionVar();
  Value row = unit, from = indexConstant(b, loc, 0), to = indexConstant(b, loc, length);
  if (pieces > 1) {
    Value count = indexConstant(b, loc, pieces);
    row = arith::DivUIOp::create(b, loc, unit, count);
    from = arith::MulIOp::create(b, loc, arith::RemUIOp::create(b, loc, unit, count), indexConstant(b, loc, piece));
    to = arith::MinUIOp::create(b, loc, to, arith::AddIOp::create(b, loc, from, indexConstant(b, loc, piece)));
  }
  SmallVector<std::pair<unsigned, Value>> rowDims;
  SmallVector<Value> rowIndex = delinearize(b, loc, row, ArrayRef<int64_t>(space.sizes).drop_back());
  for (auto [dim, value] : llvm::enumerate(rowIndex))
    rowDims.push_back({unsigned(dim), value});
  emitter.openScope(rowDims, unitLoop);

  // Wide vectors, then what is left in vectors of 16 lanes of which the last is masked. Pieces are
  // multiples of the wide ones, so only the end of a row has a rest.
  const int64_t rest = length % wide;
  if (length >= wide) {
    Value wideEnd = to;
    if (rest != 0)
      wideEnd = arith::MinUIOp::create(b, loc, to, indexConstant(b, loc, length - rest));
    scf::ForOp loop = openLoop(b, loc, from, wideEnd, indexConstant(b, loc, wide));
    emitter.openScope({}, loop);
    emitVector(loop.getInductionVar(), wide, {});
    emitter.closeScope(loop);
    closeLoop(b, loop);
  }
  if (rest != 0) {
    Value restFrom = arith::MaxUIOp::create(b, loc, from, indexConstant(b, loc, length - rest));
    if (rest < 16) {
      // One vector; empty for pieces that end before it.
      scf::ForOp loop = openLoop(b, loc, restFrom, to, indexConstant(b, loc, 16));
      emitter.openScope({}, loop);
      emitVector(loop.getInductionVar(), 16, leadingMask(b, loc, 16, rest));
      emitter.closeScope(loop);
      closeLoop(b, loop);
    } else {
      scf::ForOp loop = openLoop(b, loc, restFrom, to, indexConstant(b, loc, 16));
      emitter.openScope({}, loop);
      Value left = arith::SubIOp::create(b, loc, to, loop.getInductionVar());
      Value mask;
      if (rest % 16 != 0)
        mask = vector::CreateMaskOp::create(b, loc, VectorType::get({16}, b.getI1Type()), left);
      emitVector(loop.getInductionVar(), 16, mask);
      emitter.closeScope(loop);
      closeLoop(b, loop);
    }
  }
  emitter.closeScope();
  closeLoop(b, unitLoop);
  func::ReturnOp::create(b, loc);
  if (failed)
    return failure();
  return code;
}
