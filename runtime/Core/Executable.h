// The plan of an executable: everything that the runtime needs to call generated code, apart from
// the code itself. Stored in cache entries behind the ELF file.
//
// The entry point is burn_run (abi.h). Its `bufs` are the buffer arguments in order, then the
// results in order, then the derived buffers; `scalars` is the block of scalar arguments at `PlanArg::offset`; `arena`
// holds `arenaBytes`, aligned to `kArenaAlignment`.
#pragma once

#include "runtime/Core/Graph.h"

#include <string>
#include <vector>

namespace burn::core {

/// Version of the byte format and of the calling convention; another version is a cache miss.
inline constexpr uint32_t kExecutableVersion = 4;

/// Alignment of the arena and of buffers that generated code may assume, in bytes.
inline constexpr size_t kArenaAlignment = 64;

struct PlanArg {
  TypeDesc type;
  ArgKind kind = ArgKind::Buffer;
  /// The plan may overwrite the buffer: the runtime passes it only where nobody else holds it.
  bool donated = false;
  /// Place in the block of scalars, in bytes.
  uint32_t offset = 0;
  std::string name;
  /// The buffer never changes, so that what is computed from it alone can be kept.
  bool frozen = false;
};

/// Where the memory of a result comes from.
enum class ResultSource : uint8_t {
  Fresh = 0,   // a new buffer from the pool
  Donated = 1, // the buffer of the donated argument `index`
  Arg = 2,     // the result is argument `index` itself: share its buffer
  Result = 3,  // the result equals the earlier result `index`: share its buffer
};

struct PlanResult {
  TypeDesc type;
  ResultSource source = ResultSource::Fresh;
  uint32_t index = 0;
};

/// One entry of the launch plan: one burn.fused.
struct PlanKernel {
  std::string name;
  ClusterKind kind = ClusterKind::Single;
  /// Names of the ops inside, in order, without "burn.".
  std::vector<std::string> ops;
  /// Bytes of the operands and of the results, each counted once.
  uint64_t bytesRead = 0;
  uint64_t bytesWritten = 0;
};

/// A check that generated code makes; burn_run returns 1 + its position in the list.
struct PlanCheck {
  /// Ordinal of the op in the graph.
  uint32_t op = 0;
  std::string message;
};

/// A function of the host that generated code calls by its position in the list (`burn_rt::host_call`). One without
/// results prints its operand under the name `kernel`.
struct PlanHostCall {
  std::string kernel;
  int64_t version = 0;
  std::vector<TypeDesc> operands;
  std::vector<TypeDesc> results;
};

/// A buffer that burn_prepare fills from frozen arguments, and burn_run reads.
struct PlanDerived {
  TypeDesc type;
  /// Positions in Plan::args of the frozen arguments that it is computed from; none: from constants alone.
  std::vector<uint32_t> sources;
};

struct Plan {
  std::vector<PlanArg> args;
  std::vector<PlanResult> results;
  std::vector<PlanKernel> kernels;
  std::vector<PlanCheck> checks;
  std::vector<PlanHostCall> hostCalls;
  std::vector<PlanDerived> derived;
  uint64_t arenaBytes = 0;
  /// What kernels of a forward pass write for those of its backward pass.
  uint64_t savedBytes = 0;
  /// Of burn_prepare.
  uint64_t prepareArenaBytes = 0;
  uint32_t scalarBytes = 0;
};

std::vector<std::byte> serialize(const Plan &plan);
Expected<Plan> parsePlan(std::span<const std::byte> bytes);

} // namespace burn::core
