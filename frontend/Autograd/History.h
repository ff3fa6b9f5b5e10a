// What gradients need of a program that has run already.
#pragma once

#include "frontend/Trace/Trace.h"

#include <memory>
#include <mutex>
#include <vector>

namespace burn::trace {

/// The part of a trace that some computed results depend on, kept so that `backward` can record it again. It holds the
/// tensors which that part reads. Shared by those results; gone with the last of their handles.
class History {
public:
  /// Gives each result of the trace that requires gradients and has a handle its history. Results below which backward
  /// has been already are only marked: there is nothing to differentiate any more.
  static void keep(Trace &trace);

  /// Records node `node` of this history again in `trace`, with all that it depends on, once.
  static Ref replay(Trace &trace, const std::shared_ptr<History> &history, uint32_t node);

  /// Marks a node as released by backward; drops everything once all of its kind are.
  void release(uint32_t node);
  bool isReleased(uint32_t node);

private:
  /// A node of a history.
  struct Source {
    std::shared_ptr<History> history;
    uint32_t node;
  };

  /// The nodes that `root` depends on and that are not recorded again in `trace` yet.
  std::vector<uint8_t> unreplayed(const Trace &trace, uint32_t root) const;
  /// Adds what these nodes read of other histories and is not recorded again yet.
  void pushSources(const Trace &trace, const std::vector<uint8_t> &needed, std::vector<Source> &to) const;
  /// Records these nodes; all that they read is recorded already.
  void copyInto(Trace &trace, const std::vector<uint8_t> &needed) const;

  std::mutex lock_;
  Trace trace_;
  uint32_t unreleased_ = 0; // nodes that gradients flow through
};

/// Appends node `node` of `from`, and its further results, to `to`, which may be the same trace. `operand` maps
/// operands and may append what they are; `number` is told the new values.
template <typename MapOperand, typename Number>
void copyNode(const Trace &from, uint32_t node, Trace &to, const MapOperand &operand, const Number &number) {
  // Copies, since the arrays may move.
  const Node n = from.nodes[node];
  const auto list = from.operandsOf(node);
  std::vector<Ref> operands;
  for (uint32_t bits : std::vector<uint32_t>(list.begin(), list.end()))
    operands.push_back(operand(Ref::fromBits(bits)));
  const Ref first = to.append(static_cast<core::OpCode>(n.op), operands, n.attrs, n.dtype, n.shape, from.places[node],
                              from.flags[node]);
  number(node, first);
  const auto isFurther = [&](uint32_t other) {
    return other < from.size() && from.nodes[other].op == kExtraResult &&
           from.nodes[other].in[0] == Ref(Ref::Node, node).bits();
  };
  for (uint32_t extra = node + 1; isFurther(extra); ++extra) {
    const Node e = from.nodes[extra];
    number(extra, to.appendExtraResult(first, e.in[1], e.dtype, e.shape, from.flags[extra]));
  }
}

/// Whether gradients can flow through a computed tensor into what it was made from.
bool hasLiveHistory(const TensorImpl &impl);

} // namespace burn::trace
