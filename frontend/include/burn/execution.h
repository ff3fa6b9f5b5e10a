/// When recorded programs run, and what that took.
#pragma once

#include <burn/tensor.h>

#include <filesystem>
#include <span>
#include <string>

namespace burn {

/// Compiles (where this program has not been seen) and runs what the calling thread has recorded. Optimizers call it at
/// the end of a step; reading a value does the same.
///
/// A GPU goes on when `flush` returns, so that a failed assert or index check of a program there is raised later, at
/// the line of the check, to whoever comes first: the reader of a value that depends on it, in any thread; a later
/// `flush` of the thread that ran the program, once the device has told; or `sync`. Nothing is printed before that.
BURN_API void flush(Where where = Where::current());

/// `flush`, and waits for the devices. Raises the first failed check of a program on a GPU of which nobody has heard
/// yet: of the calling thread, then of threads that have ended.
BURN_API void sync(Where where = Where::current());

/// Waits until nothing is being compiled any more. With BURN_DETERMINISTIC=0 a new program runs op by op until the
/// compile behind it is done, which neither `flush` nor `sync` waits for; who measures does.
BURN_API void wait_for_compiles();

/// The burn IR of what has to be computed for `tensor`, as recorded.
BURN_API std::string dump_ir(const Tensor &tensor, Where where = Where::current());

/// An argument of an exported function.
struct NamedArgument {
  std::string name;
  Tensor tensor;
};

/// Writes the function that computes `outputs` from `arguments` as burn IR, for burn-run, burn-compile and other tools:
/// `main` takes exactly these arguments in this order, each with its name as attribute `burn.name`, and returns the
/// outputs; host numbers of the program are constants in it. By convention parameters come first, then buffers, then
/// inputs. The outputs must be recorded and not yet computed, the arguments computed (`flush()` in between); a tensor
/// of host data stands in for an input. Needs the compiler library. The file appears whole or not at all.
BURN_API void save_ir(const std::filesystem::path &path, std::span<const Tensor> outputs,
                      std::span<const NamedArgument> arguments, Where where = Where::current());

/// What this process has done so far.
struct Stats {
  uint64_t flushes = 0;        ///< programs run
  uint64_t nodes = 0;          ///< ops recorded in them
  uint64_t plans_reused = 0;   ///< of the flushes: the plan was in memory
  uint64_t plans_compiled = 0; ///< compiled by this process
  uint64_t plans_loaded = 0;   ///< read from the kernel cache on disk
  uint64_t kernels = 0;        ///< kernels inside the plans compiled and loaded
  uint64_t preparations = 0;   ///< how often a plan computed what it keeps of frozen tensors
  uint64_t kernels_tuned = 0;  ///< kernels whose ways were measured (BURN_AUTOTUNE)
  uint64_t ways_measured = 0;  ///< ways of these that were compiled and run
  uint64_t ways_rejected = 0;  ///< of them: their results had other bits than the usual way's, or were wrong
  uint64_t winners_used = 0;   ///< kernels made in a way that won a measurement before
  uint64_t winners_unfit = 0;  ///< such ways that cannot be used, as where oneDNN is not there any more
  double tuning_ms = 0;        ///< of compile_ms: measuring, and compiling what is measured
  double compile_ms = 0;       ///< time spent compiling, in any thread
  double flush_ms = 0;         ///< time spent running programs, compiling included
  uint64_t saved_bytes = 0;    ///< what forward passes kept for backward passes, of all programs run
  int64_t live_bytes = 0;      ///< memory of tensors now
  int64_t peak_bytes = 0;      ///< most of it so far
};
BURN_API Stats stats();

} // namespace burn
