// From a program to a plan that runs: key, cache, compiler.
#pragma once

#include "runtime/Cache/PlanCache.h"
#include "runtime/Compiler/PlanKey.h"

#include <cstdint>
#include <string>

namespace burn::runtime {

/// How to compile, beside what is in the key.
struct CompileSettings {
  PlanOptions options;
  /// Where the plan is to run; null: the host.
  Device *device = nullptr;
  /// BURN_DEBUG_ bits of burn/compiler_api.h, for `dumpDirectory`.
  uint32_t debug = 0;
  std::string dumpDirectory;
  /// Name of the plan in dumps and messages.
  std::string name;
};

/// Options as the environment has them: BURN_DETERMINISTIC=0 lets sums of products run in another order and precision,
/// BURN_FAST_MATH=1 convolutions take fewer operations at a larger error, and BURN_AUTOTUNE says where the ways to make
/// kernels come from. InvalidArgument for other words in the last two.
core::Expected<PlanOptions> environmentOptions();

/// The plan of a serialized graph for this machine, from the cache of the process or freshly compiled. The compiler
/// is loaded where the plan is in no cache; Unavailable, saying so, where that is impossible. Location ids of an error
/// are those of the graph.
core::Expected<PlanPointer> planForGraph(Bytes graph, const CompileSettings &settings);

/// The same without waiting for a compile, which runs in a thread of the compiler. Only for the host.
core::Expected<std::shared_ptr<const PendingPlan>> startPlan(Bytes graph, const CompileSettings &settings);

/// The same for a function of an MLIR module, text or bytecode. Always loads the compiler, which reads the source.
core::Expected<PlanPointer> planForMlir(Bytes source, const std::string &filename, const std::string &entry,
                                        const CompileSettings &settings);

} // namespace burn::runtime
