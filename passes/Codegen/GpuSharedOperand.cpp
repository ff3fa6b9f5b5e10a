#include "passes/Codegen/GpuSharedOperand.h"

#include "passes/Codegen/Workgroup.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <cassert>

using namespace mlir;
using namespace burn;
using namespace burn::compiler;
using arith::CmpIPredicate;

namespace {

constexpr int64_t kUnitBytes = 16;

// A line is 16 bytes longer than what it holds, so that neighbouring ones begin in different banks.
int64_t leadingOf(int64_t line, int64_t width, int64_t elementBytes) {
  return line / width + kUnitBytes / (elementBytes * width);
}

} // namespace

SharedOperand::SharedOperand(IndexEmitter &b, const Contraction &contraction, const ContractionOperand &operand,
                             LoopGroup group, int64_t extent, int64_t steps, int64_t invocations, Type element)
    : b(b), contraction(contraction), operand(operand), group(group), extent(extent), steps(steps),
      invocations(invocations), width(operand.elementsAtOnce()), fastSteps(operand.isContiguousInSteps()),
      element(element) {
  const int64_t line = fastSteps ? steps : extent, lines = fastSteps ? extent : steps;
  leading = leadingOf(line, width, element.getIntOrFloatBitWidth() / 8);
  auto space = gpu::AddressSpaceAttr::get(b.getContext(), gpu::AddressSpace::Workgroup);
  const Type unit = width == 1 ? element : operand.unitType();
  memory = memref::AllocOp::create(b, MemRefType::get({lines * leading}, unit, AffineMap(), space));
}

int64_t SharedOperand::mostBytes(int64_t extent, int64_t steps, int64_t elementBytes) {
  return std::max(extent * leadingOf(steps, 1, elementBytes), steps * leadingOf(extent, 1, elementBytes)) *
         elementBytes;
}

// Neighbouring invocations take neighbours along the lines.
void SharedOperand::place(Value invocation, Value batch, Value first) {
  const int64_t count = contraction.count(group), units = extent * steps / width;
  assert((units < invocations || units % invocations == 0) && "invocations bring equally many units");
  if (units < invocations)
    active = b.compare(CmpIPredicate::ult, invocation, b.index(units));
  const auto start = operand.at(operand.start(), LoopGroup::Batch, batch);
  const int64_t line = (fastSteps ? steps : extent) / width;
  for (int64_t i = 0; i < units; i += invocations) {
    Value number = b.add(invocation, i);
    Value along = b.rem(number, line), across = b.div(number, line);
    Value begin = b.mul(along, width);
    Slot slot{{}, fastSteps ? begin : across, active, b.add(b.mul(across, leading), along)};
    Value index = b.add(first, fastSteps ? across : begin);
    if (count % extent != 0) {
      Value within = b.compare(CmpIPredicate::ult, index, b.index(count));
      slot.exists = slot.exists ? Value(arith::AndIOp::create(b, slot.exists, within)) : within;
    }
    slot.place = operand.at(start, group, index);
    slots.push_back(slot);
  }
}

SharedOperand::Values SharedOperand::fetch(Value k) const {
  Values units;
  for (const Slot &slot : slots) {
    Value step = b.add(k, slot.step);
    Value exists = b.compare(CmpIPredicate::ult, step, b.index(contraction.count(LoopGroup::Contracted)));
    if (slot.exists)
      exists = arith::AndIOp::create(b, exists, slot.exists);
    units.push_back(operand.load(operand.at(slot.place, LoopGroup::Contracted, step), exists));
  }
  return units;
}

void SharedOperand::keep(ValueRange units) const {
  const auto store = [&] {
    for (auto [slot, unit] : llvm::zip_equal(slots, units))
      if (unit.getType() == cast<MemRefType>(memory.getType()).getElementType())
        memref::StoreOp::create(b, unit, memory, slot.index);
      else
        storeShared(b, b.getLoc(), unit, memory, slot.index);
  };
  if (active)
    b.when(active, store);
  else
    store();
}

Value SharedOperand::unitOf(Value first, int64_t offset, int64_t step) const {
  return fastSteps ? b.add(b.mul(b.add(first, offset), leading), step / width)
                   : b.add(b.div(b.add(first, offset), width), step * leading);
}

SharedOperand::Values SharedOperand::elements(ValueRange firsts, int64_t step) {
  const auto load = [&](Value first) -> Value {
    Value at = unitOf(first, 0, step);
    return width == 1 ? loadShared(b, b.getLoc(), memory, at, element) : memref::LoadOp::create(b, memory, at);
  };
  if (!fastSteps || step % width == 0) {
    loaded.clear();
    for (Value first : firsts)
      loaded.push_back(load(first));
  }
  if (width == 1)
    return loaded;
  Values values;
  for (Value unit : loaded) {
    if (fastSteps)
      values.push_back(vector::ExtractOp::create(b, unit, step % width));
    else
      for (int64_t i = 0; i < width; ++i)
        values.push_back(vector::ExtractOp::create(b, unit, i));
  }
  return values;
}
