#include "runtime/Parallel/Parallel.h"

#include "runtime/Parallel/HostKernelScope.h"
#include "runtime/Parallel/ThreadPool.h"

#include <burn/error.h>

#include <mutex>
#include <string>

#include <pthread.h>

namespace burn {

namespace {

struct Backend {
  ParallelBackend run;
  void *ctx;
  // Nodes are never freed: a loop may have read the pointer before it was replaced.
  const Backend *previous;
};

constinit runtime::ThreadPool pool;
constinit std::atomic<const Backend *> hostBackend{nullptr};
constinit thread_local bool insideLoop = false;

// A body may call parallel_for again; the flag makes that call run inline.
class InsideLoop {
public:
  InsideLoop() { insideLoop = true; }
  ~InsideLoop() { insideLoop = before_; }

private:
  bool before_ = insideLoop;
};

struct Loop {
  ParallelBody body;
  void *arg;
  bool insideHostKernel;
};

void runFlagged(void *loop, int64_t begin, int64_t end) {
  const Loop &given = *static_cast<Loop *>(loop);
  InsideLoop scope;
  const runtime::HostKernelScope kernel(given.insideHostKernel);
  given.body(given.arg, begin, end);
}

void installForkHandler() {
  static std::once_flag once;
  std::call_once(once, [] { pthread_atfork(nullptr, nullptr, [] { pool.resetAfterFork(); }); });
}

// Both functions below wait for loops to end, so a loop that called them would wait for itself.
void refuseInsideLoop(const char *function) {
  if (insideLoop)
    throw Error(ErrorCode::InvalidArgument, std::string(function) + ": called from the body of a parallel loop");
}

} // namespace

void parallel_for(int64_t tasks, ParallelBody body, void *arg) {
  if (tasks <= 0)
    return;
  if (tasks == 1 || insideLoop) {
    InsideLoop scope;
    body(arg, 0, tasks);
    return;
  }
  Loop loop{body, arg, runtime::HostKernelScope::isActive()};
  if (const Backend *backend = hostBackend.load(std::memory_order_acquire)) {
    backend->run(backend->ctx, tasks, runFlagged, &loop);
    return;
  }
  installForkHandler();
  if (!pool.tryRun(tasks, runFlagged, &loop))
    runFlagged(&loop, 0, tasks);
}

int num_threads() { return pool.threads(); }

void set_num_threads(int threads) {
  refuseInsideLoop("set_num_threads");
  pool.setThreads(threads);
}

void set_parallel_backend(ParallelBackend run, void *ctx) {
  refuseInsideLoop("set_parallel_backend");
  static std::mutex mutex;
  std::lock_guard lock(mutex);
  const Backend *before = hostBackend.load(std::memory_order_relaxed);
  // A null callback is kept as a node too, so that earlier nodes stay reachable from the list.
  static const Backend *list = nullptr;
  if (run)
    list = new Backend{run, ctx, list};
  hostBackend.store(run ? list : nullptr, std::memory_order_release);
  if (run && !before)
    pool.stop();
}

} // namespace burn

extern "C" void burn_parallel_for(void *, int64_t tasks, burn_task_fn body, void *arg) {
  burn::parallel_for(tasks, body, arg);
}
