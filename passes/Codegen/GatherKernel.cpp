#include "passes/Codegen/IndexMath.h"
#include "passes/Codegen/SingleKernels.h"
#include "passes/Codegen/SlicePlacement.h"

#include "dialects/Burn/ScalarPayloads.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace burn;
using namespace burn::compiler;
using arith::CmpIPredicate;

namespace {

constexpr int64_t kTaskElements = 8192;

/// Emits the elements of a gather. Dims of the iteration space: those of the result, then one per
/// component of the index vector, whose value is read at run time.
class GatherBuilder {
public:
  GatherBuilder(OpBuilder &atModule, ir::FusedOp fused, ir::GatherOp op, StringRef name, const CpuTargetInfo &target)
      : fused(fused), op(op), target(target), loc(op.getLoc()), context(op.getContext()),
        input(cast<RankedTensorType>(op.getInput().getType())),
        indices(cast<RankedTensorType>(op.getIndices().getType())), checked(op.getMode() == ir::IndexMode::Check),
        func(createPhase(atModule, fused, name, 0, checked)), arguments(func, fused, false, checked),
        b(OpBuilder::atBlockEnd(&func.getBody().front())) {
    auto result = cast<RankedTensorType>(op.getType());
    resultShape.assign(result.getShape().begin(), result.getShape().end());
    scalar = resultShape.empty(); // one element, as a row
    numbers = {input.getShape(),
               indices.getShape(),
               result.getShape(),
               op.getOffsetDims(),
               op.getCollapsedSliceDims(),
               op.getOperandBatchingDims(),
               op.getStartIndicesBatchingDims(),
               op.getStartIndexMap(),
               int64_t(op.getIndexVectorDim()),
               llvm::to_vector(op.getSliceSizes())};
  }

  FailureOr<KernelCode> build() {
    SmallVector<int64_t> loops(resultShape);
    if (scalar)
      loops.push_back(1);
    startBase = loops.size();
    SmallVector<int64_t> space(loops);
    for (unsigned k = 0; k != numbers.startIndexMap.size(); ++k)
      space.push_back(numbers.greatestStart(k) + 1);
    emitter.emplace(b, loc, fused.getBody().front(), arguments.operands, space);
    for (unsigned i = 0; i != resultShape.size(); ++i)
      index.push_back(getAffineDimExpr(i, context));
    AffineExpr place = linearIndex(index, resultShape, context);
    const bool lanesAreOffsets = !scalar && numbers.isOffset(resultShape.size() - 1);
    const int64_t wide = lanesAreOffsets || target.scalar ? wideLanes(fused.getBody().front(), target) : 16;
    const bool isUniform = lanesAreOffsets || scalar || target.scalar || numbers.startIndexMap.empty();
    KernelCode code;
    if (checked)
      code.checks.push_back("an index of gather lies outside of its dimension");
    const int64_t tasks = forVectors(b, loc, *emitter, arguments, loops, wide, kTaskElements, [&](const LaneDim &lane) {
      Value element = isUniform ? atUniformStart() : atEachStart(lane);
      if (element)
        emitter->store(element, arguments.results[0], place);
      else
        failed = true;
    });
    code.phases.push_back({func, tasks});
    func::ReturnOp::create(b, loc);
    if (failed)
      return failure();
    return code;
  }

private:
  Value constant(Type type, int64_t value) {
    TypedAttr element = b.getI64IntegerAttr(value);
    if (auto vector = dyn_cast<VectorType>(type))
      return arith::ConstantOp::create(b, loc, DenseElementsAttr::get(vector, element));
    return arith::ConstantOp::create(b, loc, element);
  }

  /// A start (scalar or lanes, i64) brought into range; `outside` collects where it was not.
  Value bounded(Value start, unsigned k, Value &outside) {
    if (op.getMode() == ir::IndexMode::AssumeValid)
      return start;
    Value zero = constant(start.getType(), 0), most = constant(start.getType(), numbers.greatestStart(k));
    if (op.getMode() != ir::IndexMode::Clip) {
      Value beyond = arith::CmpIOp::create(b, loc, CmpIPredicate::ugt, start, most);
      outside = outside ? Value(arith::OrIOp::create(b, loc, outside, beyond)) : beyond;
    }
    return arith::MaxSIOp::create(b, loc, arith::MinSIOp::create(b, loc, start, most), zero);
  }

  /// One start for all lanes: the lanes lie inside of a slice.
  Value atUniformStart() {
    SmallVector<std::pair<unsigned, Value>> dims;
    Value outside;
    for (unsigned k = 0; k != numbers.startIndexMap.size(); ++k) {
      Value start = emitter->emit(op.getIndices(), numbers.startIndex(index, k, context));
      if (!start)
        return {};
      start = bounded(toIndex64(b, loc, start, indices.getElementType()), k, outside);
      dims.push_back({startBase + k, arith::IndexCastOp::create(b, loc, b.getIndexType(), start)});
    }
    ElementIndex place = numbers.offset(index, context);
    for (auto [k, dim] : llvm::enumerate(numbers.startIndexMap))
      place[dim] = place[dim] + getAffineDimExpr(startBase + k, context);
    emitter->openScope(dims);
    Value element = emitter->emitVector(op.getInput(), place);
    emitter->closeScope();
    return settle(element, outside);
  }

  /// Another start in every lane.
  Value atEachStart(const LaneDim &lane) {
    ElementIndex offset = numbers.offset(index, context);
    Value position = emitter->emitIndexVector(linearIndex(offset, input.getShape(), context));
    Value outside;
    for (auto [k, dim] : llvm::enumerate(numbers.startIndexMap)) {
      Value start = emitter->emitVector(op.getIndices(), numbers.startIndex(index, k, context));
      if (!start)
        return {};
      start = toIndex64(b, loc, start, indices.getElementType());
      if (lane.mask) // lanes that do not exist read index 0 of the operand's slices
        start = arith::SelectOp::create(b, loc, lane.mask, start, constant(start.getType(), 0));
      start = bounded(start, k, outside);
      const int64_t stride = ShapedType::getNumElements(input.getShape().drop_front(dim + 1));
      Value step = arith::MulIOp::create(b, loc, start, constant(start.getType(), stride));
      position = arith::AddIOp::create(b, loc, position, step);
    }
    auto argument = cast<BlockArgument>(op.getInput());
    Value element = emitter->loadEach(arguments.operands[argument.getArgNumber()], input.getElementType(), position);
    return settle(element, outside);
  }

  /// What an element is where a start was outside.
  Value settle(Value element, Value outside) {
    if (!outside || !element)
      return element;
    if (checked) {
      Value any = outside;
      if (isa<VectorType>(any.getType()))
        any = vector::ReductionOp::create(b, loc, vector::CombiningKind::OR, any);
      reportBroken(b, loc, any, arguments.error);
      return element;
    }
    Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(element.getType()));
    return arith::SelectOp::create(b, loc, outside, zero, element);
  }

  ir::FusedOp fused;
  ir::GatherOp op;
  const CpuTargetInfo &target;
  Location loc;
  MLIRContext *context;
  RankedTensorType input, indices;
  bool checked, scalar = false, failed = false;
  func::FuncOp func;
  PhaseArguments arguments;
  OpBuilder b;
  SliceNumbers numbers;
  SmallVector<int64_t> resultShape;
  unsigned startBase = 0;
  ElementIndex index;
  std::optional<ElementEmitter> emitter;
};

} // namespace

FailureOr<KernelCode> compiler::buildGatherKernel(OpBuilder &atModule, ir::FusedOp fused, ir::GatherOp op,
                                                  StringRef name, const CpuTargetInfo &target) {
  if (!isa<BlockArgument>(op.getInput()))
    return op.emitOpError("expects an operand that is a buffer");
  return GatherBuilder(atModule, fused, op, name, target).build();
}
