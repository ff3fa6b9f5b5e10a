// Programs run by libburn-compiler: by the reference interpreter, or op by op while they are compiled.
#pragma once

#include "frontend/Trace/Program.h"
#include "runtime/Cache/PlanCache.h"

#include <burn/compiler/evaluation.h>

namespace burn::trace {

class InterpreterBackend : public Backend {
public:
  explicit InterpreterBackend(burn_interpret_precision precision = BURN_INTERPRET_OWN_TYPE) : precision_(precision) {}
  core::Expected<std::shared_ptr<const Program>> prepare(const core::Graph &graph) override;

private:
  burn_interpret_precision precision_;
};

/// The program of a plan that is being compiled, which until then runs op by op. Where the compile has failed each run
/// fails with its error.
core::Expected<std::shared_ptr<const Program>> makeTieredProgram(const core::Graph &graph,
                                                                 std::shared_ptr<const runtime::PendingPlan> pending);

/// The program of a plan.
std::shared_ptr<const Program> makeNativeProgram(runtime::PlanPointer plan);

} // namespace burn::trace
