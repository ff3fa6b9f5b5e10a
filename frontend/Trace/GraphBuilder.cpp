#include "frontend/Trace/GraphBuilder.h"

#include <cstring>

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

std::vector<uint32_t> nodesOf(std::span<const Ref> values) {
  std::vector<uint32_t> nodes;
  for (Ref value : values)
    if (value.isNode())
      nodes.push_back(value.index());
  return nodes;
}

// Words of a region: its length in bytes, then the bytes of a graph.
void appendRegion(std::vector<int64_t> &words, const core::Graph &region) {
  const std::vector<std::byte> bytes = core::serialize(region);
  const size_t begin = words.size();
  words.push_back(static_cast<int64_t>(bytes.size()));
  words.resize(begin + 1 + (bytes.size() + 7) / 8);
  std::memcpy(words.data() + begin + 1, bytes.data(), bytes.size());
}

// Numbers of values within a region begin at 0; in the graph they begin at `base`.
void shiftValues(std::vector<core::GraphOp> &ops, uint32_t base) {
  const auto shift = [&](std::vector<uint32_t> &values) {
    for (uint32_t &value : values)
      value += base;
  };
  for (core::GraphOp &op : ops) {
    shift(op.operands);
    for (core::GraphRegion &region : op.regions) {
      shiftValues(region.ops, base);
      shift(region.results);
    }
  }
}

uint32_t valueCount(const core::GraphRegion &region) {
  auto count = static_cast<uint32_t>(region.args.size());
  for (const core::GraphOp &op : region.ops) {
    count += static_cast<uint32_t>(op.results.size());
    for (const core::GraphRegion &inner : op.regions)
      count += valueCount(inner);
  }
  return count;
}

uint32_t opCount(const core::GraphRegion &region) {
  auto count = static_cast<uint32_t>(region.ops.size());
  for (const core::GraphOp &op : region.ops)
    for (const core::GraphRegion &inner : op.regions)
      count += opCount(inner);
  return count;
}

// The inverse of encodeRegions: attributes and regions of a node, with values numbered from `next` on.
void decodeRegions(std::span<const int64_t> words, core::GraphOp &op, uint32_t &next) {
  size_t position = 0;
  const auto attributes = words.subspan(1, static_cast<size_t>(words[0]));
  op.attrs.assign(attributes.begin(), attributes.end());
  position = 1 + attributes.size();
  while (position < words.size()) {
    const auto size = static_cast<size_t>(words[position++]);
    const auto *bytes = reinterpret_cast<const std::byte *>(words.data() + position);
    position += (size + 7) / 8;
    core::Graph graph = *core::parseGraph({bytes, size}); // as appendRegion wrote it
    core::GraphRegion region;
    for (const core::GraphArg &arg : graph.args)
      region.args.push_back(arg.type);
    region.ops = std::move(graph.ops);
    region.results = std::move(graph.results);
    shiftValues(region.ops, next);
    for (uint32_t &result : region.results)
      result += next;
    next += valueCount(region);
    op.regions.push_back(std::move(region));
  }
}

// Writes the reached nodes of a trace as ops.
class OpWriter {
public:
  explicit OpWriter(const Trace &trace)
      : leafValues(trace.leafTypes.size(), kUnnumbered), slotValues(trace.slotTypes.size(), kUnnumbered),
        nodeValues(trace.size(), kUnnumbered), trace_(trace) {}

  uint32_t &valueOf(Ref ref) {
    return ref.isNode() ? nodeValues[ref.index()] : ref.isLeaf() ? leafValues[ref.index()] : slotValues[ref.index()];
  }

  /// Calls `source(node, inner)` for every op in order, those inside of regions too.
  template <typename Source>
  void write(std::span<const uint8_t> reached, uint32_t next, std::vector<core::GraphOp> &ops, const Source &source) {
    for (uint32_t node = 0; node < trace_.size(); ++node) {
      const Node &n = trace_.nodes[node];
      if (n.op == kExtraResult || n.op == kRegionArgument || !reached[node])
        continue;
      core::GraphOp op;
      op.code = static_cast<core::OpCode>(n.op);
      for (uint32_t bits : trace_.operandsOf(node))
        op.operands.push_back(valueOf(Ref::fromBits(bits)));
      const auto words = attrsOf(n.attrs).span();
      uint32_t inside = 0;
      if (core::findOp(op.code)->regions) {
        decodeRegions(words, op, next);
        for (const core::GraphRegion &region : op.regions)
          inside += opCount(region);
      } else {
        op.attrs.assign(words.begin(), words.end());
      }
      // The op's further results follow it in the trace.
      for (uint32_t result = node;
           result == node || (result < trace_.size() && trace_.nodes[result].op == kExtraResult); ++result) {
        op.results.push_back(trace_.typeOf({Ref::Node, result}));
        nodeValues[result] = next++;
      }
      ops.push_back(std::move(op));
      for (uint32_t inner = 0; inner <= inside; ++inner)
        source(node, inner);
    }
  }

  std::vector<uint32_t> leafValues, slotValues, nodeValues;

private:
  const Trace &trace_;
};

} // namespace

BuiltGraph buildGraph(const Trace &trace, std::span<const uint32_t> results, std::span<const uint8_t> donated) {
  BuiltGraph built;
  core::Graph &graph = built.graph;
  const std::vector<uint8_t> reached = reachableNodes(trace, results);
  OpWriter writer(trace);
  for (uint32_t node = 0; node < trace.size(); ++node) {
    if (!reached[node] || trace.nodes[node].op == kExtraResult)
      continue;
    for (uint32_t bits : trace.operandsOf(node)) {
      const Ref operand = Ref::fromBits(bits);
      if (operand.isNode())
        continue;
      uint32_t &value = writer.valueOf(operand);
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
  writer.write(reached, static_cast<uint32_t>(graph.args.size()), graph.ops,
               [&](uint32_t node, uint32_t inner) { built.opNodes.push_back({node, inner}); });
  for (uint32_t result : results)
    graph.results.push_back(writer.nodeValues[result]);
  return built;
}

std::vector<Ref> capturedBy(const Trace &region, std::span<const Ref> results) {
  const std::vector<uint8_t> reached = reachableNodes(region, nodesOf(results));
  std::vector<uint8_t> seenLeaves(region.leafTypes.size(), 0), seenSlots(region.slotTypes.size(), 0);
  std::vector<Ref> captured;
  const auto add = [&](Ref value) {
    if (value.isNode())
      return;
    uint8_t &seen = value.isLeaf() ? seenLeaves[value.index()] : seenSlots[value.index()];
    if (!std::exchange(seen, uint8_t(1)))
      captured.push_back(value);
  };
  for (uint32_t node = 0; node < region.size(); ++node)
    if (reached[node] && region.nodes[node].op != kExtraResult)
      for (uint32_t bits : region.operandsOf(node))
        add(Ref::fromBits(bits));
  for (Ref result : results)
    add(result);
  return captured;
}

core::Graph buildRegion(const Trace &region, std::span<const Ref> arguments,
                        std::span<const std::pair<Ref, core::TypeDesc>> captured, std::span<const Ref> results,
                        std::vector<uint32_t> &places) {
  core::Graph graph;
  OpWriter writer(region);
  const auto addArgument = [&](Ref value, const core::TypeDesc &type) {
    if (value != Ref())
      writer.valueOf(value) = static_cast<uint32_t>(graph.args.size());
    core::GraphArg arg;
    arg.type = type;
    graph.args.push_back(std::move(arg));
  };
  for (Ref argument : arguments)
    addArgument(argument, region.typeOf(argument));
  for (const auto &[value, type] : captured)
    addArgument(value, type);
  writer.write(reachableNodes(region, nodesOf(results)), static_cast<uint32_t>(graph.args.size()), graph.ops,
               [&](uint32_t node, uint32_t inner) { places.push_back(region.placeOf(node, inner)); });
  for (Ref result : results)
    graph.results.push_back(writer.valueOf(result));
  return graph;
}

std::vector<int64_t> encodeRegions(std::span<const int64_t> attributes, std::span<const core::Graph> regions) {
  std::vector<int64_t> words{static_cast<int64_t>(attributes.size())};
  words.insert(words.end(), attributes.begin(), attributes.end());
  for (const core::Graph &region : regions)
    appendRegion(words, region);
  return words;
}

} // namespace burn::trace
