/// The binary interface between generated code and whoever calls it, in plain C.
///
/// A compiled plan is one native function, `burn_run`. It allocates nothing and calls nothing but libc, libm and
/// the functions of the `burn_rt` it is handed, so the same object serves libburn, an AOT build and a
/// microcontroller.
#ifndef BURN_ABI_H
#define BURN_ABI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Version of `burn_rt` and of the entry points. It changes when their layout or meaning changes.
#define BURN_ABI_VERSION 1u

/// Names of the symbols that a compiled plan defines. `burn_prepare` is absent where there is nothing to prepare.
#define BURN_RUN_SYMBOL "burn_run"
#define BURN_PREPARE_SYMBOL "burn_prepare"

/// The body of a parallel loop: runs the tasks `begin` (inclusive) to `end` (exclusive). Each task is independent of
/// all others, so the caller of the body is free to choose ranges, order and threads.
typedef void (*burn_task_fn)(void *arg, int64_t begin, int64_t end);

/// What generated code may ask of its host.
typedef struct burn_rt {
  /// BURN_ABI_VERSION of the host.
  uint32_t abi_version;
  /// Handed back to the functions below.
  void *ctx;
  /// Runs `fn` over [0, tasks), in any split over any threads, and returns when all tasks are done. The number of
  /// tasks is fixed by the shapes of the program, never by the number of threads. Null: generated code runs its
  /// loops serially.
  void (*parallel_for)(void *ctx, int64_t tasks, burn_task_fn fn, void *arg);
  /// Calls host function `id` of the plan with its buffers: the operands, then the results. Returns 0, or another
  /// number where it failed; `burn_run` then returns 1 + the ordinal of the call's check. Null: every call fails, but
  /// for those that print, which are left out.
  int32_t (*host_call)(void *ctx, uint32_t id, void *const *buffers, int64_t count);
} burn_rt;

/// Entry point of a compiled plan.
///
/// \param rt       the host's functions.
/// \param bufs     the buffer arguments, then the results, in the order of the plan, then the derived buffers that
///                 `burn_prepare` has filled; each aligned to 64 bytes.
/// \param dims     values of the symbolic dimensions, null for a static plan.
/// \param scalars  the block of scalar arguments, each at the offset that the plan gives it; null where it is empty.
/// \param arena    scratch memory of the plan's arena size, aligned to 64 bytes; null where that size is 0.
/// \returns 0, or 1 + the ordinal of the first run-time check that failed.
typedef int32_t (*burn_run_fn)(const burn_rt *rt, void *const *bufs, const int64_t *dims, const void *scalars,
                               void *arena);

/// Fills derived buffers (packed operands, converted weights) from frozen arguments, once, before the first
/// `burn_run`. Same parameters, but for the arena, which has a size of its own. Of `bufs` it reads the frozen arguments
/// and writes the derived buffers; all others may be null.
typedef burn_run_fn burn_prepare_fn;

#ifdef __cplusplus
}
#endif

#endif // BURN_ABI_H
