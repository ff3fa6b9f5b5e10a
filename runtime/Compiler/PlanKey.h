// The key of a plan: everything that can change its code, compared in full.
#pragma once

#include "runtime/Core/Status.h"
#include "runtime/Devices/PlanTarget.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace burn::runtime {

/// What the program is given as.
enum class SourceKind : uint8_t {
  Graph = 0, // a serialized graph (runtime/Core/Graph.h), canonical as it is
  Mlir = 1,  // canonical bytecode of the compiler
  /// No program: what the driver of a device made of the plan whose key has the hash that stands in the program's
  /// place.
  DriverCache = 2,
  /// No plan: the way to make a kernel that won a measurement. The program is what decides over it.
  Winner = 3,
};

/// Where the ways to make kernels come from (BURN_AUTOTUNE).
enum class Tuning : uint8_t {
  Off = 0,    // what the compiler takes by itself
  Cached = 1, // winners of measurements that were made before
  On = 2,     // winners, of which missing ones are measured
  Full = 3,   // winners among all ways that the compiler knows
};

/// Options that change code.
struct PlanOptions {
  bool fusion = true;
  bool deterministic = true;
  bool fastMath = false;
  /// Whether kernels are cut for more than a few threads. Results have the same bits.
  bool manyThreads = false;
  /// Results that are deterministic have the same bits with each.
  Tuning tuning = Tuning::Off;
  friend bool operator==(const PlanOptions &, const PlanOptions &) = default;
};

/// The bytes of a key: build id of the compiler, options, target, program.
std::vector<std::byte> makePlanKey(SourceKind kind, std::span<const std::byte> program, const PlanOptions &options,
                                   const PlanTarget &target);

/// A key taken apart, for tools.
struct PlanKeyParts {
  SourceKind kind = SourceKind::Graph;
  std::string buildId;
  PlanOptions options;
  PlanTarget target;
  std::span<const std::byte> program; // inside the key
};

/// The key of what the driver made of the plan of a key.
core::Expected<std::vector<std::byte>> makeDriverCacheKey(std::span<const std::byte> planKey);

core::Expected<PlanKeyParts> parsePlanKey(std::span<const std::byte> key);

} // namespace burn::runtime
