// The recorded program of one segment: plain arrays, a rolling key, no MLIR.
#pragma once

#include "frontend/Trace/Hash.h"
#include "frontend/Trace/TensorImpl.h"
#include "runtime/Core/OpTable.h"

#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace burn::trace {

/// A value of a trace: a node's result, a leaf (a tensor that was computed before), or a scalar slot.
class Ref {
public:
  enum Kind : uint32_t { Node = 0, Leaf = 2, Slot = 3 };
  constexpr Ref() = default;
  constexpr Ref(Kind kind, uint32_t index) : bits_(static_cast<uint32_t>(kind) << 30 | index) {}
  static constexpr Ref fromBits(uint32_t bits) {
    Ref ref;
    ref.bits_ = bits;
    return ref;
  }
  constexpr bool isNode() const { return bits_ >> 31 == 0; }
  constexpr bool isLeaf() const { return bits_ >> 30 == Leaf; }
  constexpr bool isSlot() const { return bits_ >> 30 == Slot && bits_ != ~0u; }
  constexpr uint32_t index() const { return bits_ & 0x3fffffff; }
  constexpr uint32_t bits() const { return bits_; }
  friend constexpr bool operator==(Ref, Ref) = default;

private:
  uint32_t bits_ = ~0u;
};

/// One op, or one further result of the op `in[0]` (op kExtraResult, `in[1]` its number).
struct Node {
  uint16_t op;
  DType dtype;
  uint8_t arity; // kManyOperands: they stand in the trace's operand list from in[0] on, in[1] of them
  uint32_t shape;
  uint32_t in[3];
  uint32_t attrs;
};
static_assert(sizeof(Node) == 24 && std::has_unique_object_representations_v<Node>);

inline constexpr uint16_t kExtraResult = 0xffff;
/// An argument of the region that the trace is; see RegionRecording.
inline constexpr uint16_t kRegionArgument = 0xfffe;
inline constexpr uint8_t kManyOperands = 0xff;

/// What a plan depends on of a leaf.
struct LeafType {
  uint32_t shape;
  DType dtype;
  uint8_t frozen;
  uint16_t unused;
};
static_assert(sizeof(LeafType) == 8);

/// What differentiation needs to know of a node.
enum NodeFlag : uint8_t {
  NodeRequiresGrad = 1,
  NodeUserLeaf = 2, // requires_grad_ was called on it: gradients end here
  NodeReleased = 4, // backward has been through
  NodeBlocked = 8,  // made without gradients from values that require them: none may flow through it
};

/// A program under recording. Everything that decides the plan's code stands in arrays that are compared byte by byte;
/// the places of calls, scalar values and tensors stand in arrays beside them.
class Trace {
public:
  static constexpr uint32_t kMaxNodes = 65536;

  /// Two 64-bit halves over all that was recorded, in order.
  struct Key {
    uint64_t low = 0x243f6a8885a308d3ull, high = 0x13198a2e03707344ull;
    void add(uint64_t a, uint64_t b, uint64_t c) {
      low = mix(low ^ a, b + 0x452821e638d01377ull);
      high = mix(high ^ b, a ^ (c + 0xbe5466cf34e90c6cull));
      low ^= c * 0x9fb21c651e98df25ull;
    }
    friend bool operator==(const Key &, const Key &) = default;
  };

  uint32_t size() const { return static_cast<uint32_t>(nodes.size()); }
  bool empty() const { return nodes.empty(); }

  /// The leaf of a computed tensor, numbered at its first use.
  Ref leaf(TensorImpl *impl);

  /// A new slot with this value; never merged with another.
  Ref slot(DType dtype, uint64_t bits) {
    const auto index = static_cast<uint32_t>(slotTypes.size());
    slotTypes.push_back(dtype);
    slotValues.push_back(bits);
    key.add(0x51, static_cast<uint64_t>(dtype), index);
    return {Ref::Slot, index};
  }

  /// Appends an op. Operands stay in the node up to three, else in `operandList`.
  Ref append(core::OpCode op, std::span<const Ref> operands, uint32_t attrs, DType dtype, uint32_t shape,
             uint32_t place, uint8_t flags);
  Ref appendRegionArgument(DType dtype, uint32_t shape, uint32_t place);
  Ref appendExtraResult(Ref first, uint32_t number, DType dtype, uint32_t shape, uint8_t flags);

  DType dtypeOf(Ref ref) const {
    return ref.isNode()   ? nodes[ref.index()].dtype
           : ref.isLeaf() ? leafTypes[ref.index()].dtype
                          : slotTypes[ref.index()];
  }
  uint32_t shapeIdOf(Ref ref) const {
    return ref.isNode() ? nodes[ref.index()].shape : ref.isLeaf() ? leafTypes[ref.index()].shape : scalarShape();
  }
  core::TypeDesc typeOf(Ref ref) const { return {dtypeOf(ref), shapeOf(shapeIdOf(ref)).shape}; }
  /// The place of an op: a node's own (`inner` 0), or of the `inner`-th op inside its regions.
  uint32_t placeOf(uint32_t node, uint32_t inner) const {
    const auto inside = inner ? regionPlaces.find(node) : regionPlaces.end();
    return inside != regionPlaces.end() && inner <= inside->second.size() ? inside->second[inner - 1] : places[node];
  }
  std::span<const uint32_t> operandsOf(uint32_t node) const {
    const Node &n = nodes[node];
    if (n.op == kExtraResult)
      return {n.in, 1};
    return n.arity == kManyOperands ? std::span<const uint32_t>(operandList).subspan(n.in[0], n.in[1])
                                    : std::span<const uint32_t>(n.in, n.arity);
  }

  /// Whether gradients flow into a value.
  bool requiresGrad(Ref ref) const {
    if (ref.isNode())
      return flags[ref.index()] & NodeRequiresGrad;
    return ref.isLeaf() && leaves[ref.index()]->has(TensorImpl::RequiresGrad);
  }

  /// Before the first op of a program: kernels have emptied the caches since the last one was recorded, and what it
  /// took is what this one will take. Halves the time of recording between steps.
  void prefetch() const;

  /// Forgets everything; capacities stay.
  void clear();

  static uint32_t scalarShape();

  Key key;
  /// Where the program runs; see Devices.h. Stays when all else is forgotten.
  uint8_t device = 0;
  // compared
  std::vector<Node> nodes;
  std::vector<uint32_t> operandList;
  std::vector<LeafType> leafTypes;
  std::vector<DType> slotTypes;
  // beside
  std::vector<ImplRef> outputs; // by node; empty where no handle was made
  std::vector<uint32_t> places; // by node
  std::vector<uint8_t> flags;   // by node
  std::vector<ImplRef> leaves;
  std::vector<uint64_t> slotValues;
  /// Places of the ops inside the regions of a node, in order, the ops of inner regions behind their op.
  std::map<uint32_t, std::vector<uint32_t>> regionPlaces;
  /// Copies made so far for gradients: of a history's value, or (null) of a value of this trace that reads one.
  std::map<std::pair<const History *, uint32_t>, Ref> replayed;
  std::vector<std::shared_ptr<History>> replayedHistories;

private:
  Ref findLeaf(TensorImpl *impl);
  void addToLeafTable(TensorImpl *impl, uint32_t index);

  // What a tensor's tag holds: the trace, its generation (which clear() advances) and the number of the leaf.
  static constexpr unsigned kIndexBits = 24, kGenerationBits = 16;
  uint64_t tagOf(uint32_t index) const {
    return id_ << (kIndexBits + kGenerationBits) | uint64_t(generation_) << kIndexBits | index;
  }
  static uint64_t nextId();

  // From tensor to leaf, open addressing; entries of an earlier generation are free. Filled and looked at only where
  // the tag of a tensor is that of another trace.
  struct LeafSlot {
    TensorImpl *impl;
    uint32_t index;
    uint32_t generation;
  };
  std::vector<LeafSlot> leafTable_;
  size_t lastSize_ = 0, lastLeaves_ = 0; // of the program before this one
  size_t tabled_ = 0;                    // leaves in the table
  uint64_t id_ = 0;                      // 0 until the first leaf
  uint32_t generation_ = 1;
};

} // namespace burn::trace
