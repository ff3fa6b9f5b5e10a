// Programs run by the reference interpreter of libburn-compiler.
#pragma once

#include "frontend/Trace/Program.h"

#include <burn/compiler_api.h>

namespace burn::trace {

class InterpreterBackend : public Backend {
public:
  explicit InterpreterBackend(burn_interpret_precision precision = BURN_INTERPRET_OWN_TYPE) : precision_(precision) {}
  core::Expected<std::shared_ptr<const Program>> prepare(const core::Graph &graph) override;

private:
  burn_interpret_precision precision_;
};

} // namespace burn::trace
