// The serialized graph: what a trace hands to the compiler, and what a plan key is made from.
//
// Values are numbered in order of definition: first the arguments, then the results of each op in
// turn (the values of an op's regions come before its results). The bytes are canonical: equal
// graphs have equal bytes. User locations stay outside; the id of a location is the ordinal of its
// op, counted over the whole graph in order, ops inside regions included.
#pragma once

#include "runtime/Core/OpTable.h"
#include "runtime/Core/Types.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace burn::core {

/// Version of the byte format; graphs of another version are refused.
inline constexpr uint32_t kGraphVersion = 1;

enum class ArgKind : uint8_t {
  Buffer = 0,
  /// A host scalar of rank 0, passed in the packed block of scalars.
  Scalar = 1,
};

struct GraphArg {
  TypeDesc type;
  ArgKind kind = ArgKind::Buffer;
  /// Nobody else holds the buffer: its memory may be used for results.
  bool donated = false;
  /// The buffer never changes while it lives (AOT weights, `freeze()`).
  bool frozen = false;
  /// Name in exported programs (`fc1.weight`); empty in traces.
  std::string name;
  /// The bits of a scalar that the program holds itself: no argument of the function that the graph becomes, but a
  /// constant in it. For exported programs; traces hold none.
  std::optional<uint64_t> constant = std::nullopt;
};

struct GraphOp;

/// A straight-line list of ops.
struct GraphRegion {
  std::vector<TypeDesc> args;
  std::vector<GraphOp> ops;
  std::vector<uint32_t> results;
};

struct GraphOp {
  OpCode code = OpCode::Invalid;
  std::vector<uint32_t> operands;
  /// Attribute words in ODS order (OpTable.h).
  std::vector<int64_t> attrs;
  std::vector<TypeDesc> results;
  std::vector<GraphRegion> regions;
};

struct Graph {
  std::vector<GraphArg> args;
  std::vector<GraphOp> ops;
  std::vector<uint32_t> results;
};

/// The canonical bytes of a graph.
std::vector<std::byte> serialize(const Graph &graph);

/// Reads a graph back and checks its form: version, known op codes, operands defined before use,
/// counts. Whether ops obey their rules is left to the verifier.
Expected<Graph> parseGraph(std::span<const std::byte> bytes);

} // namespace burn::core
