#include "passes/Codegen/GpuContraction.h"
#include "passes/Codegen/KernelLoops.h"
#include "passes/Codegen/Workgroup.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

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
  return exists ? b.select(exists, element, arith::ConstantOp::create(b, b.getZeroAttr(element.getType()))) : element;
}

void ContractionOperand::moveAtOnce(func::FuncOp func) {
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
  buffer.setType(MemRefType::get({type.getNumElements() / width}, VectorType::get({4}, b.getI32Type())));
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
                                                      llvm::function_ref<Values(Value, ValueRange)> body) {
  const Values start(count, zero());
  if (std::min(tiling.sliceSteps, contraction.count(LoopGroup::Contracted)) <= kGpuChain)
    return b.loop(from, to, step, start, body);
  return b.loop(from, to, kGpuChain, start, [&](Value first, ValueRange totals) {
    Values sums = b.loop(first, b.min(b.add(first, kGpuChain), to), step, start, body);
    ir::ScalarOps ops(b, b.getLoc(), kind);
    for (auto [sum, total] : llvm::zip_equal(sums, totals))
      sum = ops.add(total, sum);
    return sums;
  });
}

Value GpuContractionSums::element(Value batch, Value row, Value lane, Value from, Value to) {
  const Place rowsAt = rows.at(rows.at(rows.start(), LoopGroup::Batch, batch), LoopGroup::Row, row);
  const Place lanesAt = lanes.at(lanes.at(lanes.start(), LoopGroup::Batch, batch), LoopGroup::Lane, lane);
  return chains(from, to, 1, 1, [&](Value k, ValueRange sums) -> Values {
    Value x = rows.load(rows.at(rowsAt, LoopGroup::Contracted, k));
    return {multiplyAdd(sums[0], x, lanes.load(lanes.at(lanesAt, LoopGroup::Contracted, k)))};
  })[0];
}

// Neighbouring invocations read neighbours in memory. `active` says whether an invocation has slots at all, null where
// each has.
SmallVector<GpuContractionSums::Slot> GpuContractionSums::slots(const ContractionOperand &operand, LoopGroup group,
                                                                int64_t extent, Value invocation, Value batch,
                                                                Value first, Value &active) {
  const int64_t elements = extent * tiling.steps, invocations = tiling.invocations();
  if (elements < invocations)
    active = b.compare(CmpIPredicate::ult, invocation, b.index(elements));
  const Place start = operand.at(operand.start(), LoopGroup::Batch, batch);
  const int64_t count = contraction.count(group);
  const bool stepsFirst = operand.isContiguousInSteps();
  SmallVector<Slot> result;
  for (int64_t i = 0; i < elements; i += invocations) {
    Value number = b.add(invocation, i);
    const int64_t fast = stepsFirst ? tiling.steps : extent;
    Value inner = b.rem(number, fast), outer = b.div(number, fast);
    Value step = stepsFirst ? inner : outer, local = stepsFirst ? outer : inner;
    Value index = b.add(first, local);
    Slot slot{{}, step, nullptr, b.add(b.mul(step, extent), local)};
    if (count % extent != 0)
      slot.exists = b.compare(CmpIPredicate::ult, index, b.index(count));
    slot.place = operand.at(start, group, index);
    result.push_back(slot);
  }
  return result;
}

void GpuContractionSums::fill(const ContractionOperand &operand, ArrayRef<Slot> slots, Value active, Value k,
                              Value memory) {
  const int64_t count = contraction.count(LoopGroup::Contracted);
  const auto bring = [&] {
    for (const Slot &slot : slots) {
      Value step = b.add(k, slot.step), exists = slot.exists;
      if (count % tiling.steps != 0) {
        Value within = b.compare(CmpIPredicate::ult, step, b.index(count));
        exists = exists ? Value(arith::AndIOp::create(b, exists, within)) : within;
      }
      storeShared(b, b.getLoc(), operand.load(operand.at(slot.place, LoopGroup::Contracted, step), exists), memory,
                  slot.index);
    }
  };
  if (active)
    b.when(active, bring);
  else
    bring();
}

SmallVector<GpuContractionSums::Element> GpuContractionSums::tile(Value invocation, Value batch, Value row, Value lane,
                                                                  Value from, Value to) {
  const Location loc = b.getLoc();
  const Type type = kind.getLowered(b.getContext());
  Value rowsMemory = allocateShared(b, loc, tiling.groupRows * tiling.steps, type);
  Value lanesMemory = allocateShared(b, loc, tiling.groupLanes * tiling.steps, type);
  // Elements of an invocation lie apart, so that neighbouring ones work on neighbours.
  const int64_t across = tiling.groupLanes / tiling.ownLanes, down = tiling.groupRows / tiling.ownRows;
  Value ownLane = b.rem(invocation, across), ownRow = b.div(invocation, across);
  Value rowsActive, lanesActive;
  const auto rowSlots = slots(rows, LoopGroup::Row, tiling.groupRows, invocation, batch, row, rowsActive);
  const auto laneSlots = slots(lanes, LoopGroup::Lane, tiling.groupLanes, invocation, batch, lane, lanesActive);

  const unsigned count = tiling.ownRows * tiling.ownLanes;
  const Values sums = chains(from, to, tiling.steps, count, [&](Value k, ValueRange carried) {
    fill(rows, rowSlots, rowsActive, k, rowsMemory);
    fill(lanes, laneSlots, lanesActive, k, lanesMemory);
    workgroupBarrier(b, loc);
    Values next(carried);
    for (int64_t step = 0; step < tiling.steps; ++step) {
      Values x, y;
      for (int64_t i = 0; i < tiling.ownRows; ++i)
        x.push_back(loadShared(b, loc, rowsMemory, b.add(ownRow, step * tiling.groupRows + i * down), type));
      for (int64_t j = 0; j < tiling.ownLanes; ++j)
        y.push_back(loadShared(b, loc, lanesMemory, b.add(ownLane, step * tiling.groupLanes + j * across), type));
      for (int64_t i = 0; i < tiling.ownRows; ++i)
        for (int64_t j = 0; j < tiling.ownLanes; ++j)
          next[i * tiling.ownLanes + j] = multiplyAdd(next[i * tiling.ownLanes + j], x[i], y[j]);
    }
    workgroupBarrier(b, loc);
    return next;
  });

  const int64_t rowCount = contraction.count(LoopGroup::Row), laneCount = contraction.count(LoopGroup::Lane);
  SmallVector<Element> elements;
  for (int64_t i = 0; i < tiling.ownRows; ++i)
    for (int64_t j = 0; j < tiling.ownLanes; ++j) {
      Element element{b.add(row, b.add(ownRow, i * down)), b.add(lane, b.add(ownLane, j * across)),
                      sums[i * tiling.ownLanes + j], nullptr};
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
