#include "passes/Codegen/ContractionOps.h"
#include "passes/Codegen/ElementEmitter.h"
#include "passes/Codegen/GpuKernels.h"
#include "passes/Codegen/IndexEmitter.h"
#include "passes/Codegen/KernelLoops.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace burn;
using namespace burn::compiler;
using arith::CmpIPredicate;

namespace {

// Where the operands are read: what the loops that stand so far add up to.
struct Place {
  Value rows, lanes;
  SmallVector<Value, 3> window; // the coordinate along each checked axis
};

class GpuContractionBuilder {
public:
  GpuContractionBuilder(Operation *root, const Contraction &contraction, Value lhs, Value rhs, OpBuilder &builder)
      : contraction(contraction), lhs(lhs), rhs(rhs), narrow(contractionNarrowKind(root)),
        kind(narrow ? ir::ScalarKind{ir::ScalarKind::Class::Float, 32}
                    : ir::ScalarKind::get(cast<RankedTensorType>(root->getResult(0).getType()).getElementType())),
        b(root->getLoc(), builder) {}

  // The element at the given indices over the batch, row and lane loops, in the type of the result.
  Value element(Value batch, Value row, Value lane) {
    Place place{b.index(contraction.rowsBase), b.index(contraction.lanesBase), {}};
    for (const WindowAxis &axis : contraction.window)
      place.window.push_back(b.index(axis.offset));
    for (auto [group, linear] :
         {std::pair(LoopGroup::Batch, batch), std::pair(LoopGroup::Row, row), std::pair(LoopGroup::Lane, lane)}) {
      SmallVector<int64_t> sizes;
      for (const ContractionLoop &loop : contraction.loops(group))
        sizes.push_back(loop.size);
      for (auto [i, digit] : llvm::enumerate(delinearize(b, b.getLoc(), linear, sizes)))
        place = step(place, group, i, digit);
    }
    Value zero = arith::ConstantOp::create(b, b.getZeroAttr(kind.getLowered(b.getContext())));
    Value sum = contraction.count(LoopGroup::Contracted) == 0 ? zero : contract(0, place, zero);
    return narrow ? ir::ScalarOps(b, b.getLoc(), kind).convert(sum, *narrow) : sum;
  }

private:
  Place step(Place place, LoopGroup group, unsigned number, Value index) {
    const ContractionLoop &loop = contraction.loops(group)[number];
    if (loop.size == 1)
      return place;
    if (loop.rowStride != 0)
      place.rows = b.add(place.rows, b.mul(index, loop.rowStride));
    if (loop.laneStride != 0)
      place.lanes = b.add(place.lanes, b.mul(index, loop.laneStride));
    for (auto [axis, coordinate] : llvm::zip_equal(contraction.window, place.window))
      for (const WindowAxis::Term &term : axis.terms)
        if (term.group == group && term.loop == number)
          coordinate = b.add(coordinate, b.mul(index, term.step));
    return place;
  }

  // The chain over the contracted loops from `number` on, the last one innermost.
  Value contract(unsigned number, Place place, Value sum) {
    if (number == contraction.contracted.size())
      return multiplyAdd(place, sum);
    const int64_t size = contraction.contracted[number].size;
    if (size == 1)
      return contract(number + 1, place, sum);
    return b.loop(b.index(0), b.index(size), 1, sum, [&](Value index, ValueRange carried) -> IndexEmitter::Values {
      return {contract(number + 1, step(place, LoopGroup::Contracted, number, index), carried[0])};
    })[0];
  }

  Value multiplyAdd(const Place &place, Value sum) {
    Value lhsAt = contraction.lhsIsRows ? place.rows : place.lanes;
    Value rhsAt = contraction.lhsIsRows ? place.lanes : place.rows;
    Value exists;
    for (auto [axis, coordinate] : llvm::zip_equal(contraction.window, place.window)) {
      // As unsigned numbers, negative coordinates are beyond the end too.
      Value end = b.index((axis.extent - 1) * axis.dilation + 1);
      Value within = b.compare(CmpIPredicate::ult, coordinate, end);
      if (axis.dilation != 1) {
        Value onElement = b.compare(CmpIPredicate::eq, b.rem(coordinate, axis.dilation), b.index(0));
        within = arith::AndIOp::create(b, within, onElement);
      }
      exists = exists ? Value(arith::AndIOp::create(b, exists, within)) : within;
      lhsAt = b.add(lhsAt, b.mul(axis.dilation == 1 ? coordinate : b.div(coordinate, axis.dilation), axis.stride));
    }
    if (exists)
      lhsAt = b.select(exists, lhsAt, b.index(0));
    Value left = load(lhs, lhsAt), right = load(rhs, rhsAt);
    if (exists)
      left = b.select(exists, left, arith::ConstantOp::create(b, b.getZeroAttr(left.getType())));
    ir::ScalarOps ops(b, b.getLoc(), kind);
    return ops.add(sum, ops.mul(left, right));
  }

  Value load(Value buffer, Value at) {
    Value element = memref::LoadOp::create(b, buffer, at);
    return narrow ? ir::ScalarOps(b, b.getLoc(), *narrow).convert(element, kind) : element;
  }

  const Contraction &contraction;
  Value lhs, rhs;
  std::optional<ir::ScalarKind> narrow; // of operands that are multiplied and added up in f32
  ir::ScalarKind kind;                  // of the sum
  IndexEmitter b;
};

} // namespace

FailureOr<KernelCode> compiler::buildGpuContractionKernel(OpBuilder &atModule, ir::FusedOp fused, StringRef name) {
  Block &body = fused.getBody().front();
  Operation *root = nullptr;
  for (Operation &op : body)
    if (isa<ir::DotGeneralOp, ir::ConvOp>(op))
      root = &op;
  std::optional<Contraction> contraction = contractionOf(root);
  auto type = cast<RankedTensorType>(root->getResult(0).getType());
  if (!contraction)
    return root->emitOpError("is not supported for elements of type ") << type.getElementType() << " on this target";

  func::FuncOp func = createPhase(atModule, fused, name, 0, false);
  PhaseArguments arguments(func, fused, false, false);
  OpBuilder b = OpBuilder::atBlockEnd(&func.getBody().front());
  const Location loc = root->getLoc();
  KernelCode code;
  code.phases.push_back({func, type.getNumElements()});
  bool emitted = true;
  if (type.getNumElements() > 0) {
    const int64_t sizes[] = {contraction->count(LoopGroup::Batch), contraction->count(LoopGroup::Row),
                             contraction->count(LoopGroup::Lane)};
    SmallVector<Value> place = delinearize(b, loc, arguments.begin, sizes);
    ElementEmitter emitter(b, loc, body, arguments.operands, sizes);
    emitter.openScope({{0, place[0]}, {1, place[1]}, {2, place[2]}});
    const auto operand = [&](unsigned i) {
      return arguments.operands[cast<BlockArgument>(root->getOperand(i)).getArgNumber()];
    };
    GpuContractionBuilder builder(root, *contraction, operand(0), operand(1), b);
    Value element = builder.element(place[0], place[1], place[2]);
    b.setInsertionPointToEnd(&func.getBody().front());
    emitter.openScope({}); // what follows stands behind the loops
    emitter.bind(root->getResult(0), element);
    const ElementIndex index = outputIndex(*contraction, type.getRank(), fused.getContext());
    const AffineExpr position = linearIndex(index, type.getShape(), fused.getContext());
    // Results may take the place of inputs: read everything before anything is stored.
    SmallVector<Value> elements;
    for (Value value : body.getTerminator()->getOperands())
      elements.push_back(emitter.emit(value, index));
    for (auto [i, result] : llvm::enumerate(elements)) {
      if (result)
        emitter.store(result, arguments.results[i], position);
      emitted &= result != nullptr;
    }
    emitter.closeScope();
    emitter.closeScope();
  }
  func::ReturnOp::create(b, loc);
  if (!emitted)
    return failure();
  return code;
}
