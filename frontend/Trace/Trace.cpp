#include "frontend/Trace/Trace.h"

#include "frontend/Autograd/History.h"

#include <burn/error.h>

#include <algorithm>
#include <atomic>

namespace burn::trace {
namespace {

size_t slotOf(const TensorImpl *impl, size_t size) { return mix(reinterpret_cast<uintptr_t>(impl), size) & (size - 1); }

} // namespace

uint32_t Trace::scalarShape() {
  static const uint32_t id = internShape(Shape{})->id;
  return id;
}

uint64_t Trace::nextId() {
  static std::atomic<uint64_t> last{0};
  const uint64_t id = last.fetch_add(1, std::memory_order_relaxed) + 1;
  if (id >> (64 - kIndexBits - kGenerationBits))
    throw Error(ErrorCode::Unsupported, "too many threads have recorded programs");
  return id;
}

// Budget of a known leaf: 2 ns; of a new one: 10 ns. The tag tells both: a tensor with a tag of this trace, but of an
// earlier generation or another tensor's number, is new here.
Ref Trace::leaf(TensorImpl *impl) {
  const uint64_t tag = impl->leafTag.load(std::memory_order_relaxed);
  const auto hint = static_cast<uint32_t>(tag & ((1u << kIndexBits) - 1));
  if (tag == tagOf(hint) && hint < leaves.size() && leaves[hint].get() == impl)
    return {Ref::Leaf, hint};
  if (!id_)
    id_ = nextId();
  const bool isForeign = tag != 0 && tag >> (kIndexBits + kGenerationBits) != id_;
  if (isForeign)
    if (Ref known = findLeaf(impl); known != Ref())
      return known;
  const auto index = static_cast<uint32_t>(leaves.size());
  if (index >> kIndexBits)
    throw Error(ErrorCode::Unsupported, "a recorded program reads too many tensors");
  const LeafType type{impl->shape->id, impl->dtype, impl->has(TensorImpl::Frozen), 0};
  leaves.push_back(ImplRef(impl));
  leafTypes.push_back(type);
  impl->leafTag.store(tagOf(index), std::memory_order_relaxed);
  key.add(0x1eaf, uint64_t(type.shape) << 16 | uint64_t(type.dtype) << 8 | type.frozen, index);
  return {Ref::Leaf, index};
}

Ref Trace::findLeaf(TensorImpl *impl) {
  while (leafTable_.size() < 2 * leaves.size() + 2) {
    leafTable_.assign(std::max<size_t>(256, 2 * leafTable_.size()), LeafSlot{});
    tabled_ = 0;
  }
  for (; tabled_ < leaves.size(); ++tabled_)
    addToLeafTable(leaves[tabled_].get(), static_cast<uint32_t>(tabled_));
  for (size_t place = slotOf(impl, leafTable_.size()); leafTable_[place].generation == generation_;
       place = (place + 1) & (leafTable_.size() - 1))
    if (leafTable_[place].impl == impl)
      return {Ref::Leaf, leafTable_[place].index};
  return {};
}

void Trace::addToLeafTable(TensorImpl *impl, uint32_t index) {
  size_t place = slotOf(impl, leafTable_.size());
  while (leafTable_[place].generation == generation_)
    place = (place + 1) & (leafTable_.size() - 1);
  leafTable_[place] = {impl, index, generation_};
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

Ref Trace::appendRegionArgument(DType dtype, uint32_t shape, uint32_t place) {
  const uint32_t index = size();
  nodes.push_back(Node{kRegionArgument, dtype, 0, shape, {~0u, ~0u, ~0u}, 0});
  outputs.emplace_back();
  places.push_back(place);
  flags.push_back(0);
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

void Trace::prefetch() const {
  if (lastSize_ < 32)
    return;
  const auto bring = [](const auto &list, size_t count) {
    prefetchRange(list.data(), std::min(count, list.capacity()) * sizeof(list[0]));
  };
  bring(nodes, lastSize_);
  bring(outputs, lastSize_);
  bring(places, lastSize_);
  bring(flags, lastSize_);
  bring(leafTypes, lastLeaves_);
  bring(leaves, lastLeaves_);
  prefetchInterned();
  prefetchImpls(lastSize_);
}

void Trace::clear() {
  if (!nodes.empty()) {
    lastSize_ = nodes.size();
    lastLeaves_ = leaves.size();
  }
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
  if (!regionPlaces.empty())
    regionPlaces.clear();
  if (!replayed.empty()) {
    replayed.clear();
    replayedHistories.clear();
  }
  tabled_ = 0;
  if (++generation_ >> kGenerationBits) {
    std::fill(leafTable_.begin(), leafTable_.end(), LeafSlot{});
    generation_ = 1;
  }
}

} // namespace burn::trace
