#include "frontend/Trace/GraphBuilder.h"

namespace burn::trace {
namespace {

constexpr uint32_t kUnnumbered = ~0u;

// Which nodes the results depend on. An extra result stands for its op.
std::vector<uint8_t> reachableNodes(const Trace &trace, std::span<const uint32_t> results) {
  std::vector<uint8_t> reached(trace.size(), 0);
  for (uint32_t result : results)
    reached[result] = 1;
  for (uint32_t node = trace.size(); node-- > 0;)
    if (reached[node])
      for (uint32_t bits : trace.operandsOf(node))
        if (const Ref operand = Ref::fromBits(bits); operand.isNode())
          reached[operand.index()] = 1;
  return reached;
}

} // namespace

BuiltGraph buildGraph(const Trace &trace, std::span<const uint32_t> results, std::span<const uint8_t> donated) {
  BuiltGraph built;
  core::Graph &graph = built.graph;
  const std::vector<uint8_t> reached = reachableNodes(trace, results);
  std::vector<uint32_t> leafValues(trace.leafTypes.size(), kUnnumbered);
  std::vector<uint32_t> slotValues(trace.slotTypes.size(), kUnnumbered);
  std::vector<uint32_t> nodeValues(trace.size(), kUnnumbered);

  for (uint32_t node = 0; node < trace.size(); ++node) {
    if (!reached[node] || trace.nodes[node].op == kExtraResult)
      continue;
    for (uint32_t bits : trace.operandsOf(node)) {
      const Ref operand = Ref::fromBits(bits);
      if (operand.isNode())
        continue;
      uint32_t &value = operand.isLeaf() ? leafValues[operand.index()] : slotValues[operand.index()];
      if (value != kUnnumbered)
        continue;
      value = static_cast<uint32_t>(graph.args.size());
      core::GraphArg arg;
      arg.type = trace.typeOf(operand);
      if (operand.isLeaf()) {
        arg.donated = donated[operand.index()];
        arg.frozen = trace.leafTypes[operand.index()].frozen;
        built.bufferLeaves.push_back(operand.index());
      } else {
        arg.kind = core::ArgKind::Scalar;
        built.scalarSlots.push_back(operand.index());
      }
      graph.args.push_back(std::move(arg));
    }
  }

  auto next = static_cast<uint32_t>(graph.args.size());
  for (uint32_t node = 0; node < trace.size(); ++node) {
    const Node &n = trace.nodes[node];
    if (n.op == kExtraResult || !reached[node])
      continue;
    core::GraphOp op;
    op.code = static_cast<core::OpCode>(n.op);
    for (uint32_t bits : trace.operandsOf(node)) {
      const Ref operand = Ref::fromBits(bits);
      op.operands.push_back(operand.isNode()   ? nodeValues[operand.index()]
                            : operand.isLeaf() ? leafValues[operand.index()]
                                               : slotValues[operand.index()]);
    }
    const auto attrs = attrsOf(n.attrs).span();
    op.attrs.assign(attrs.begin(), attrs.end());
    // The op's further results follow it in the trace.
    for (uint32_t result = node; result == node || (result < trace.size() && trace.nodes[result].op == kExtraResult);
         ++result) {
      op.results.push_back(trace.typeOf({Ref::Node, result}));
      nodeValues[result] = next++;
    }
    graph.ops.push_back(std::move(op));
    built.opNodes.push_back(node);
  }
  for (uint32_t result : results)
    graph.results.push_back(nodeValues[result]);
  return built;
}

} // namespace burn::trace
