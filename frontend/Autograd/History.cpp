#include "frontend/Autograd/History.h"

#include "frontend/Trace/Places.h"

namespace burn::trace {
namespace {

bool isDifferentiated(uint8_t flags) { return flags & NodeRequiresGrad && !(flags & NodeUserLeaf); }

} // namespace

bool hasLiveHistory(const TensorImpl &impl) {
  return impl.history() && !impl.history()->isReleased(impl.rare->historyNode);
}

void History::keep(Trace &trace) {
  const uint32_t count = trace.size();
  // Whether backward has been somewhere below, by node.
  thread_local std::vector<uint8_t> tainted, needed; // kept: most steps find all released
  tainted.assign(count, 0);
  needed.assign(count, 0);
  bool any = false;
  for (uint32_t node = 0; node < count; ++node) {
    if (!isDifferentiated(trace.flags[node]))
      continue;
    tainted[node] = (trace.flags[node] & NodeReleased) != 0;
    for (uint32_t bits : trace.operandsOf(node)) {
      const Ref operand = Ref::fromBits(bits);
      if (operand.isNode())
        tainted[node] |= tainted[operand.index()];
      else if (operand.isLeaf()) {
        const TensorImpl &leaf = *trace.leaves[operand.index()];
        tainted[node] |= leaf.has(TensorImpl::RequiresGrad) && !leaf.has(TensorImpl::UserLeaf) && !hasLiveHistory(leaf);
      }
    }
    const ImplRef &output = trace.outputs[node];
    if (!output || output.count() <= 1)
      continue;
    if (tainted[node]) {
      output->set(TensorImpl::Released);
      continue;
    }
    needed[node] = 1;
    any = true;
  }
  if (!any)
    return;

  // A value that has a handle anyway and that gradients do not flow through is read, not computed again.
  const auto isBoundary = [&](uint32_t node) {
    const ImplRef &output = trace.outputs[node];
    return trace.flags[node] & NodeUserLeaf || (!(trace.flags[node] & NodeRequiresGrad) &&
                                                trace.nodes[node].op != kExtraResult && output && output.count() > 1);
  };
  const std::vector<uint8_t> results = needed;
  for (uint32_t node = count; node-- > 0;) {
    if (!needed[node] || isBoundary(node))
      continue;
    for (uint32_t bits : trace.operandsOf(node))
      if (const Ref operand = Ref::fromBits(bits); operand.isNode())
        needed[operand.index()] = 1;
  }

  auto history = std::make_shared<History>();
  Trace &kept = history->trace_;
  std::vector<Ref> numbers(count);
  std::vector<Ref> slots(trace.slotTypes.size());
  const auto mapLeaf = [&](TensorImpl *impl) {
    // Numbered here, since a tensor that is only now computed has no buffer to look at.
    for (size_t i = 0; i < kept.leaves.size(); ++i)
      if (kept.leaves[i].get() == impl)
        return Ref(Ref::Leaf, static_cast<uint32_t>(i));
    kept.leaves.push_back(ImplRef(impl));
    kept.leafTypes.push_back({impl->shape->id, impl->dtype, 0, 0});
    return Ref(Ref::Leaf, static_cast<uint32_t>(kept.leaves.size() - 1));
  };
  const auto mapOperand = [&](Ref operand) {
    if (operand.isNode())
      return numbers[operand.index()];
    if (operand.isLeaf())
      return mapLeaf(trace.leaves[operand.index()].get());
    Ref &slot = slots[operand.index()];
    if (slot == Ref())
      slot = kept.slot(trace.slotTypes[operand.index()], trace.slotValues[operand.index()]);
    return slot;
  };
  for (uint32_t node = 0; node < count; ++node) {
    if (!needed[node])
      continue;
    if (isBoundary(node))
      numbers[node] = mapLeaf(trace.outputs[node].get());
    else if (trace.nodes[node].op != kExtraResult)
      copyNode(trace, node, kept, mapOperand, [&](uint32_t from, Ref to) { numbers[from] = to; });
  }
  for (uint8_t flags : kept.flags)
    history->unreleased_ += isDifferentiated(flags);
  for (uint32_t node = 0; node < count; ++node)
    if (results[node]) {
      TensorImpl::Rare &rare = trace.outputs[node]->makeRare();
      rare.history = history;
      rare.historyNode = numbers[node].index();
    }
}

std::vector<uint8_t> History::unreplayed(const Trace &trace, uint32_t root) const {
  std::vector<uint8_t> needed(trace_.size(), 0);
  needed[root] = 1;
  for (uint32_t node = trace_.size(); node-- > 0;) {
    needed[node] = needed[node] && !trace.replayed.contains({this, node});
    if (!needed[node])
      continue;
    for (uint32_t bits : trace_.operandsOf(node))
      if (const Ref operand = Ref::fromBits(bits); operand.isNode())
        needed[operand.index()] = 1;
  }
  return needed;
}

void History::pushSources(const Trace &trace, const std::vector<uint8_t> &needed, std::vector<Source> &to) const {
  for (uint32_t node = 0; node < trace_.size(); ++node) {
    if (!needed[node])
      continue;
    for (uint32_t bits : trace_.operandsOf(node)) {
      const Ref operand = Ref::fromBits(bits);
      if (!operand.isLeaf())
        continue;
      const TensorImpl &leaf = *trace_.leaves[operand.index()];
      if (hasLiveHistory(leaf) && !trace.replayed.contains({leaf.history(), leaf.rare->historyNode}))
        to.push_back({leaf.rare->history, leaf.rare->historyNode});
    }
  }
}

void History::copyInto(Trace &trace, const std::vector<uint8_t> &needed) const {
  std::vector<Ref> slots(trace_.slotTypes.size());
  const auto mapOperand = [&](Ref operand) -> Ref {
    if (operand.isNode())
      return trace.replayed.at({this, operand.index()});
    if (operand.isLeaf()) {
      TensorImpl *leaf = trace_.leaves[operand.index()].get();
      if (const Failure *failure = leaf->failure())
        raiseAt(failure->place, failure->status.code(), failure->status.message());
      return hasLiveHistory(*leaf) ? trace.replayed.at({leaf->history(), leaf->rare->historyNode}) : trace.leaf(leaf);
    }
    Ref &slot = slots[operand.index()];
    if (slot == Ref())
      slot = trace.slot(trace_.slotTypes[operand.index()], trace_.slotValues[operand.index()]);
    return slot;
  };
  for (uint32_t node = 0; node < trace_.size(); ++node)
    if (needed[node] && trace_.nodes[node].op != kExtraResult)
      copyNode(trace_, node, trace, mapOperand, [&](uint32_t old, Ref made) { trace.replayed[{this, old}] = made; });
}

// A history may read what an earlier one gave, and so on through as many steps as values were read: in a loop, since
// the stack is not that deep.
Ref History::replay(Trace &trace, const std::shared_ptr<History> &history, uint32_t root) {
  std::vector<Source> pending{{history, root}};
  while (!pending.empty()) {
    const Source source = pending.back();
    if (trace.replayed.contains({source.history.get(), source.node})) {
      pending.pop_back();
      continue;
    }
    std::lock_guard guard(source.history->lock_);
    const std::vector<uint8_t> needed = source.history->unreplayed(trace, source.node);
    const size_t before = pending.size();
    source.history->pushSources(trace, needed, pending);
    if (pending.size() != before)
      continue;
    source.history->copyInto(trace, needed);
    trace.replayedHistories.push_back(source.history);
    pending.pop_back();
  }
  return trace.replayed.at({history.get(), root});
}

void History::release(uint32_t node) {
  std::lock_guard guard(lock_);
  if (node >= trace_.size() || !isDifferentiated(trace_.flags[node]) || trace_.flags[node] & NodeReleased)
    return;
  trace_.flags[node] |= NodeReleased;
  if (--unreleased_ == 0)
    trace_.clear();
}

bool History::isReleased(uint32_t node) {
  std::lock_guard guard(lock_);
  return node >= trace_.size() || trace_.flags[node] & NodeReleased;
}

} // namespace burn::trace
