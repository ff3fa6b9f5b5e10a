// From a trace to the serialized graph's form.
#pragma once

#include "frontend/Trace/Trace.h"
#include "runtime/Core/Graph.h"

#include <cstdint>
#include <span>
#include <vector>

namespace burn::trace {

/// The part of a trace that its results depend on, and what the graph's parts are in the trace.
struct BuiltGraph {
  core::Graph graph;
  std::vector<uint32_t> bufferLeaves; // leaf of each buffer argument
  std::vector<uint32_t> scalarSlots;  // slot of each scalar argument
  std::vector<uint32_t> opNodes;      // node of each op
};

/// The graph that computes the nodes `results`. Arguments are numbered by first use. `donated` has an entry per leaf.
BuiltGraph buildGraph(const Trace &trace, std::span<const uint32_t> results, std::span<const uint8_t> donated);

} // namespace burn::trace
