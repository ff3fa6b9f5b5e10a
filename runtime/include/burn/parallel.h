#ifndef BURN_PARALLEL_H
#define BURN_PARALLEL_H

#include <burn/export.h>

#include <cstdint>

namespace burn {

/// Body of a parallel loop: runs the tasks `begin` (inclusive) to `end` (exclusive).
using ParallelBody = void (*)(void *arg, int64_t begin, int64_t end);

/// Runs `body` over [0, tasks), each task exactly once, in any split over any threads, and returns when all are done.
using ParallelBackend = void (*)(void *ctx, int64_t tasks, ParallelBody body, void *arg);

/// Runs `body` over [0, tasks) on the process-wide pool, the calling thread included, and returns when all tasks are
/// done. A call from inside a body, and a call while another thread's loop holds the pool, run inline on the calling
/// thread. Allocates nothing. The body must not throw.
BURN_API void parallel_for(int64_t tasks, ParallelBody body, void *arg);

/// The same for a callable `void(int64_t begin, int64_t end)`.
template <typename Callable> void parallel_for(int64_t tasks, Callable &&callable) {
  parallel_for(
      tasks, [](void *arg, int64_t begin, int64_t end) { (*static_cast<decltype(&callable)>(arg))(begin, end); },
      const_cast<void *>(static_cast<const void *>(&callable)));
}

/// Threads that a parallel loop uses, the calling one included: the last `set_num_threads`, else BURN_NUM_THREADS, else
/// the CPUs that this process may run on. Results never depend on it.
BURN_API int num_threads();

/// Sets the number of threads, from 1 to 1024; values outside are clamped. Waits for a loop in progress;
/// throws `burn::Error` inside one.
BURN_API void set_num_threads(int threads);

/// Makes all parallel loops run through `backend(ctx, ...)`, for hosts that bring a thread pool of their own; the
/// threads of libburn's pool end. Null returns to libburn's pool. Waits for a loop in progress; call it between steps.
BURN_API void set_parallel_backend(ParallelBackend backend, void *ctx);

} // namespace burn

#endif // BURN_PARALLEL_H
