// Graphs as burn IR for people and files.
#pragma once

#include "runtime/Core/Graph.h"

#include <string>

namespace burn::trace {

/// The module of a graph, as the compiler prints it before any pass. Throws burn::Error, also where there is no
/// compiler.
std::string printGraph(const core::Graph &graph);

} // namespace burn::trace
