#include "frontend/Trace/Trace.h"

#include "frontend/Autograd/History.h"

#include <algorithm>

namespace burn::trace {
namespace {

size_t slotOf(const TensorImpl *impl, size_t size) { return mix(reinterpret_cast<uintptr_t>(impl), size) & (size - 1); }

} // namespace

uint32_t Trace::scalarShape() {
  static const uint32_t id = internShape(Shape{})->id;
  return id;
}

Ref Trace::leaf(TensorImpl *impl) {
  const uint32_t hint = impl->leafHint.load(std::memory_order_relaxed);
  if (hint < leaves.size() && leaves[hint].get() == impl)
    return {Ref::Leaf, hint};
  if (Ref known = findLeaf(impl); known != Ref())
    return known;
  const auto index = static_cast<uint32_t>(leaves.size());
  const LeafType type{impl->shape->id, impl->dtype, impl->buffer->isFrozen(), 0};
  leaves.push_back(ImplRef(impl));
  leafTypes.push_back(type);
  impl->leafHint.store(index, std::memory_order_relaxed);
  key.add(0x1eaf, uint64_t(type.shape) << 16 | uint64_t(type.dtype) << 8 | type.frozen, index);
  if (2 * leaves.size() > leafTable_.size())
    growLeafTable();
  size_t place = slotOf(impl, leafTable_.size());
  while (leafTable_[place].generation == generation_)
    place = (place + 1) & (leafTable_.size() - 1);
  leafTable_[place] = {impl, index, generation_};
  return {Ref::Leaf, index};
}

Ref Trace::findLeaf(TensorImpl *impl) {
  for (size_t place = slotOf(impl, leafTable_.size()); leafTable_[place].generation == generation_;
       place = (place + 1) & (leafTable_.size() - 1))
    if (leafTable_[place].impl == impl)
      return {Ref::Leaf, leafTable_[place].index};
  return {};
}

void Trace::growLeafTable() {
  std::vector<LeafSlot> old(2 * leafTable_.size());
  old.swap(leafTable_);
  for (const LeafSlot &entry : old) {
    if (entry.generation != generation_)
      continue;
    size_t place = slotOf(entry.impl, leafTable_.size());
    while (leafTable_[place].generation == generation_)
      place = (place + 1) & (leafTable_.size() - 1);
    leafTable_[place] = entry;
  }
}

Ref Trace::append(core::OpCode op, std::span<const Ref> operands, uint32_t attrs, DType dtype, uint32_t shape,
                  uint32_t place, uint8_t nodeFlags) {
  Node node{static_cast<uint16_t>(op), dtype, static_cast<uint8_t>(operands.size()), shape, {~0u, ~0u, ~0u}, attrs};
  if (operands.size() <= 3) {
    for (size_t i = 0; i < operands.size(); ++i)
      node.in[i] = operands[i].bits();
  } else {
    node.arity = kManyOperands;
    node.in[0] = static_cast<uint32_t>(operandList.size());
    node.in[1] = static_cast<uint32_t>(operands.size());
    for (Ref operand : operands) {
      operandList.push_back(operand.bits());
      key.add(0x0b, operand.bits(), 0);
    }
  }
  uint64_t words[3];
  std::memcpy(words, &node, sizeof(node));
  key.add(words[0], words[1], words[2]);
  const uint32_t index = size();
  nodes.push_back(node);
  outputs.emplace_back();
  places.push_back(place);
  flags.push_back(nodeFlags);
  return {Ref::Node, index};
}

Ref Trace::appendExtraResult(Ref first, uint32_t number, DType dtype, uint32_t shape, uint8_t nodeFlags) {
  const uint32_t index = size();
  nodes.push_back(Node{kExtraResult, dtype, 2, shape, {first.bits(), number, ~0u}, 0});
  key.add(kExtraResult, uint64_t(first.bits()) << 32 | number, uint64_t(shape) << 8 | uint64_t(dtype));
  outputs.emplace_back();
  places.push_back(places[first.index()]);
  flags.push_back(nodeFlags);
  return {Ref::Node, index};
}

void Trace::clear() {
  key = Key();
  nodes.clear();
  operandList.clear();
  leafTypes.clear();
  slotTypes.clear();
  outputs.clear();
  places.clear();
  flags.clear();
  leaves.clear();
  slotValues.clear();
  if (!replayed.empty()) {
    replayed.clear();
    replayedHistories.clear();
  }
  if (++generation_ == 0) {
    std::fill(leafTable_.begin(), leafTable_.end(), LeafSlot{});
    generation_ = 1;
  }
}

} // namespace burn::trace
