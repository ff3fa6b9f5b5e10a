// BURN_DEBUG: what to watch of a program at work.
#pragma once

#include "frontend/Trace/Trace.h"
#include "runtime/Core/Status.h"

#include <cstdint>
#include <span>
#include <string>

namespace burn::trace {

/// The words of BURN_DEBUG, a comma list.
struct DebugOptions {
  bool ir = false;           // write the IR of each stage of compilation to dumpDirectory
  bool assembly = false;     // "asm": and the assembly
  bool eager = false;        // run op by op, unfused
  bool interpret = false;    // run on the reference interpreter
  bool nan = false;          // eager, and stop at the first op whose result turns NaN or infinite
  bool recompile = false;    // say on stderr why a step is compiled again
  std::string dumpDirectory; // $BURN_DUMP_DIR, else ./burn-dump

  bool opByOp() const { return eager || nan; }
};

/// Reads the words; an unknown one is an error that names those that there are.
core::Expected<DebugOptions> parseDebugOptions(const char *words, const char *dumpDirectory);

/// Those of the environment, read once; throws burn::Error where they are wrong.
const DebugOptions &debugOptions();

/// An error for the first of `results` with a NaN or an infinity; sets the place of its op.
core::Status checkFinite(const Trace &trace, std::span<const uint32_t> results, uint32_t &place);

void reportRecompile(const Trace &trace, const std::string &reason);

} // namespace burn::trace
