// From a trace to the serialized graph's form.
#pragma once

#include "frontend/Trace/Trace.h"
#include "runtime/Core/Graph.h"

#include <cstdint>
#include <span>
#include <vector>

namespace burn::trace {

/// Where an op of a graph comes from: a node of the trace (`inner` 0), or the `inner`-th op inside of its regions.
struct OpSource {
  uint32_t node, inner;
};

/// The part of a trace that its results depend on, and what the graph's parts are in the trace.
struct BuiltGraph {
  core::Graph graph;
  std::vector<uint32_t> bufferLeaves; // leaf of each buffer argument
  std::vector<uint32_t> scalarSlots;  // slot of each scalar argument
  std::vector<OpSource> opNodes;      // by ordinal of the op
};

/// The graph that computes the nodes `results`. Arguments are numbered by first use. `donated` has an entry per leaf.
BuiltGraph buildGraph(const Trace &trace, std::span<const uint32_t> results, std::span<const uint8_t> donated);

/// The leaves and slots that some results of a region depend on, in order of first use.
std::vector<Ref> capturedBy(const Trace &region, std::span<const Ref> results);

/// A region as a graph of its own: its arguments are the nodes `arguments`, then `captured`, of which some may be no
/// values of this region (Ref()). `places` gets the places of its ops, in order.
core::Graph buildRegion(const Trace &region, std::span<const Ref> arguments,
                        std::span<const std::pair<Ref, core::TypeDesc>> captured, std::span<const Ref> results,
                        std::vector<uint32_t> &places);

/// What stands for attributes and regions of a node: words to intern. Regions are graphs without scalars.
std::vector<int64_t> encodeRegions(std::span<const int64_t> attributes, std::span<const core::Graph> regions);

} // namespace burn::trace
