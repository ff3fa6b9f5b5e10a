#include "passes/Codegen/GpuSharedOperand.h"
#include "passes/Codegen/KernelLoops.h"
#include "passes/Codegen/Workgroup.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace burn;
using namespace burn::compiler;
using arith::CmpIPredicate;
using Place = ContractionOperand::Place;

//===-- Operands ------------------------------------------------------------------------------===//

Place ContractionOperand::start() const {
  Place place{b.index(side == Rows ? contraction.rowsBase : contraction.lanesBase), {}};
  if (isWindowed())
    for (const WindowAxis &axis : contraction.window)
      place.window.push_back(b.index(axis.offset));
  return place;
}

Place ContractionOperand::at(Place place, LoopGroup group, Value linear) const {
  ArrayRef<ContractionLoop> loops = contraction.loops(group);
  SmallVector<int64_t> sizes;
  for (const ContractionLoop &loop : loops)
    sizes.push_back(loop.size);
  for (auto [i, index] : llvm::enumerate(delinearize(b, b.getLoc(), linear, sizes))) {
    if (loops[i].size == 1)
      continue;
    if (const int64_t stride = strideOf(loops[i]); stride != 0)
      place.offset = b.add(place.offset, b.mul(index, stride));
    if (isWindowed())
      for (auto [axis, coordinate] : llvm::zip_equal(contraction.window, place.window))
        for (const WindowAxis::Term &term : axis.terms)
          if (term.group == group && term.loop == i)
            coordinate = b.add(coordinate, b.mul(index, term.step));
  }
  return place;
}

Value ContractionOperand::load(const Place &place, Value exists) const {
  Value offset = place.offset;
  const auto require = [&](Value condition) {
    exists = exists ? Value(arith::AndIOp::create(b, exists, condition)) : condition;
  };
  if (isWindowed())
    for (auto [axis, coordinate] : llvm::zip_equal(contraction.window, place.window)) {
      // As unsigned numbers, negative coordinates are beyond the end too.
      require(b.compare(CmpIPredicate::ult, coordinate, b.index((axis.extent - 1) * axis.dilation + 1)));
      if (axis.dilation != 1)
        require(b.compare(CmpIPredicate::eq, b.rem(coordinate, axis.dilation), b.index(0)));
      offset = b.add(offset, b.mul(axis.dilation == 1 ? coordinate : b.div(coordinate, axis.dilation), axis.stride));
    }
  if (atOnce > 1)
    offset = b.div(offset, atOnce);
  if (exists)
    offset = b.select(exists, offset, b.index(0));
  Value element = memref::LoadOp::create(b, buffer, offset);
  if (narrow)
    element = ir::ScalarOps(b, b.getLoc(), *narrow).convert(element, kind);
  if (!exists)
    return element;
  // Vectors are chosen lane by lane.
  if (auto vector = dyn_cast<VectorType>(element.getType()))
    exists = vector::BroadcastOp::create(b, vector.clone(b.getI1Type()), exists);
  return b.select(exists, element, arith::ConstantOp::create(b, b.getZeroAttr(element.getType())));
}

void ContractionOperand::moveAtOnce(func::FuncOp func, bool asWords) {
  const LoopGroup own = side == Rows ? LoopGroup::Row : LoopGroup::Lane;
  const LoopGroup along = isContiguousInSteps() ? LoopGroup::Contracted : own;
  auto type = cast<MemRefType>(buffer.getType());
  const int64_t width = 128 / type.getElementTypeBitWidth();
  const auto isAligned = [&](int64_t elements) { return elements % width == 0; };
  // The loop along which the elements of a vector lie.
  std::optional<unsigned> fast;
  for (auto [i, loop] : llvm::enumerate(contraction.loops(along)))
    if (loop.size != 1)
      fast = i;
  if (!fast)
    return;
  const ContractionLoop &inner = contraction.loops(along)[*fast];
  if (strideOf(inner) != 1 || !isAligned(inner.size) || !isAligned(type.getNumElements()) ||
      !isAligned(side == Rows ? contraction.rowsBase : contraction.lanesBase))
    return;
  for (LoopGroup group : {LoopGroup::Batch, own, LoopGroup::Contracted})
    for (const ContractionLoop &loop : contraction.loops(group))
      if (&loop != &inner && loop.size != 1 && !isAligned(strideOf(loop)))
        return;
  if (isWindowed())
    for (const WindowAxis &axis : contraction.window)
      if (!isAligned(axis.stride) || llvm::any_of(axis.terms, [&](const WindowAxis::Term &term) {
            return term.group == along && term.loop == *fast;
          }))
        return;
  atOnce = width;
  auto unit = asWords ? VectorType::get({4}, b.getI32Type()) : VectorType::get({width}, type.getElementType());
  buffer.setType(MemRefType::get({type.getNumElements() / width}, unit));
  func.setFunctionType(FunctionType::get(func.getContext(), func.getBody().getArgumentTypes(), {}));
}

bool ContractionOperand::isContiguousInSteps() const {
  for (const ContractionLoop &loop : llvm::reverse(contraction.contracted))
    if (loop.size != 1)
      return strideOf(loop) == 1;
  return false;
}

//===-- Sums ----------------------------------------------------------------------------------===//

Value GpuContractionSums::zero() {
  return arith::ConstantOp::create(b, b.getZeroAttr(kind.getLowered(b.getContext())));
}

Value GpuContractionSums::multiplyAdd(Value sum, Value x, Value y) {
  ir::ScalarOps ops(b, b.getLoc(), kind);
  return ops.add(sum, ops.mul(x, y));
}

GpuContractionSums::Values GpuContractionSums::chains(Value from, Value to, int64_t step, unsigned count,
                                                      ValueRange carried,
                                                      llvm::function_ref<Values(Value, ValueRange)> body) {
  const auto begin = [&](ValueRange rest) {
    Values values(count, zero());
    llvm::append_range(values, rest);
    return values;
  };
  Values results;
  if (std::min(tiling.sliceSteps, contraction.count(LoopGroup::Contracted)) <= kGpuChain)
    results = b.loop(from, to, step, begin(carried), body);
  else
    results = b.loop(from, to, kGpuChain, begin(carried), [&](Value first, ValueRange before) {
      Values next = b.loop(first, b.min(b.add(first, kGpuChain), to), step, begin(before.drop_front(count)), body);
      ir::ScalarOps ops(b, b.getLoc(), kind);
      for (unsigned i = 0; i < count; ++i)
        next[i] = ops.add(before[i], next[i]);
      return next;
    });
  results.truncate(count);
  return results;
}

Value GpuContractionSums::element(Value batch, Value row, Value lane, Value from, Value to) {
  const Place rowsAt = rows.at(rows.at(rows.start(), LoopGroup::Batch, batch), LoopGroup::Row, row);
  const Place lanesAt = lanes.at(lanes.at(lanes.start(), LoopGroup::Batch, batch), LoopGroup::Lane, lane);
  return chains(from, to, 1, 1, {}, [&](Value k, ValueRange sums) -> Values {
    Value x = rows.load(rows.at(rowsAt, LoopGroup::Contracted, k));
    return {multiplyAdd(sums[0], x, lanes.load(lanes.at(lanesAt, LoopGroup::Contracted, k)))};
  })[0];
}

SmallVector<GpuContractionSums::Element> GpuContractionSums::tile(Value invocation, Value batch, Value row, Value lane,
                                                                  Value from, Value to) {
  const Location loc = b.getLoc();
  const Type type = kind.getLowered(b.getContext());
  const Type shared = type.isInteger() && type.getIntOrFloatBitWidth() < 32 ? Type(b.getI32Type()) : type;
  SharedOperand x(b, contraction, rows, LoopGroup::Row, tiling.groupRows, tiling.steps, tiling.invocations(), shared);
  SharedOperand y(b, contraction, lanes, LoopGroup::Lane, tiling.groupLanes, tiling.steps, tiling.invocations(),
                  shared);
  x.place(invocation, batch, row);
  y.place(invocation, batch, lane);
  // Elements of an invocation lie apart by as much as all invocations have, so that neighbouring ones work on
  // neighbours.
  const int64_t across = tiling.groupLanes / tiling.ownLanes, down = tiling.groupRows / tiling.ownRows;
  const auto firstsOf = [&](const SharedOperand &operand, Value own, int64_t count, int64_t apart) {
    Values firsts;
    for (int64_t i = 0; i < count; i += operand.neighbours())
      firsts.push_back(b.add(b.mul(own, operand.neighbours()), i * apart));
    return firsts;
  };
  const Values xFirsts = firstsOf(x, b.div(invocation, across), tiling.ownRows, down);
  const Values yFirsts = firstsOf(y, b.rem(invocation, across), tiling.ownLanes, across);
  const auto elementsOf = [&](SharedOperand &operand, ValueRange firsts, int64_t step) {
    Values elements = operand.elements(firsts, step);
    if (shared != type)
      for (Value &element : elements)
        element = arith::TruncIOp::create(b, type, element);
    return elements;
  };

  const unsigned count = tiling.ownRows * tiling.ownLanes;
  Values fetched = x.fetch(from);
  llvm::append_range(fetched, y.fetch(from));
  const Values sums = chains(from, to, tiling.steps, count, fetched, [&](Value k, ValueRange before) {
    const ValueRange units = before.drop_front(count);
    workgroupBarrier(b, loc);
    x.keep(units.take_front(x.units()));
    y.keep(units.drop_front(x.units()));
    workgroupBarrier(b, loc);
    // What the next visit needs is on its way while this one computes.
    Values next(before.take_front(count)), after = x.fetch(b.add(k, tiling.steps));
    llvm::append_range(after, y.fetch(b.add(k, tiling.steps)));
    for (int64_t step = 0; step < tiling.steps; ++step) {
      const Values ofRows = elementsOf(x, xFirsts, step), ofLanes = elementsOf(y, yFirsts, step);
      for (int64_t i = 0; i < tiling.ownRows; ++i)
        for (int64_t j = 0; j < tiling.ownLanes; ++j)
          next[i * tiling.ownLanes + j] = multiplyAdd(next[i * tiling.ownLanes + j], ofRows[i], ofLanes[j]);
    }
    llvm::append_range(next, after);
    return next;
  });

  const int64_t rowCount = contraction.count(LoopGroup::Row), laneCount = contraction.count(LoopGroup::Lane);
  SmallVector<Element> elements;
  for (int64_t i = 0; i < tiling.ownRows; ++i)
    for (int64_t j = 0; j < tiling.ownLanes; ++j) {
      Value ownRow = b.add(xFirsts[i / x.neighbours()], i % x.neighbours());
      Value ownLane = b.add(yFirsts[j / y.neighbours()], j % y.neighbours());
      Element element{b.add(row, ownRow), b.add(lane, ownLane), sums[i * tiling.ownLanes + j], nullptr};
      if (rowCount % tiling.groupRows != 0)
        element.exists = b.compare(CmpIPredicate::ult, element.row, b.index(rowCount));
      if (laneCount % tiling.groupLanes != 0) {
        Value within = b.compare(CmpIPredicate::ult, element.lane, b.index(laneCount));
        element.exists = element.exists ? Value(arith::AndIOp::create(b, element.exists, within)) : within;
      }
      elements.push_back(element);
    }
  return elements;
}
