#include "frontend/Tensor/Support.h"

#include "frontend/Trace/GraphBuilder.h"
#include "frontend/Trace/GraphText.h"
#include "frontend/Trace/HostKernels.h"
#include "runtime/Autotune/Winners.h"
#include "runtime/Compiler/Plans.h"
#include "runtime/Memory/DerivedBuffers.h"
#include "runtime/Memory/MemoryPool.h"

#include <burn/execution.h>

namespace burn {

using namespace trace;

void flush(Where where) {
  const LocationScope scope(where);
  refuseInsideHostKernel("flush");
  Segment::forEachOwn([](Segment &segment) {
    uint32_t place = 0;
    core::Status status;
    {
      std::lock_guard guard(segment.lock);
      status = segment.flush(place);
    }
    if (!status)
      raiseAt(place, status.code(), status.message());
  });
}

void sync(Where where) {
  const LocationScope scope(where);
  flush(where);
  if (const core::Status status = synchronizeDevices(); !status)
    raise(status.code(), status.message());
  Segment::forEachOwn([](Segment &segment) {
    uint32_t place = 0;
    core::Status status;
    {
      std::lock_guard guard(segment.lock);
      status = segment.settleRuns(/*wait=*/true, place);
    }
    if (!status)
      raiseAt(place, status.code(), status.message());
  });
  uint32_t place = 0;
  if (const core::Status status = Segment::settleLeftRuns(place); !status)
    raiseAt(place, status.code(), status.message());
}

void wait_for_compiles() { runtime::planCache().waitUntilDone(); }

std::string dump_ir(const Tensor &tensor, Where where) {
  const LocationScope scope(where);
  if (!tensor.defined())
    raiseInvalid("dump_ir: the tensor is not defined");
  refuseInsideHostKernel("dump_ir");
  core::Graph graph;
  TensorImpl *impl = implOf(tensor);
  if (Segment *segment = impl->segment.load(std::memory_order_acquire)) {
    std::lock_guard guard(segment->lock);
    if (segment->outer)
      raiseInvalid("dump_ir: control flow is being recorded; dump a result of it");
    if (impl->segment.load(std::memory_order_acquire) == segment) {
      const std::vector<uint8_t> donated(segment->trace.leaves.size(), 0);
      graph = buildGraph(segment->trace, {&impl->node, 1}, donated).graph;
    }
  }
  if (graph.results.empty()) { // computed: a program that returns its argument
    graph.args.push_back({impl->type(), core::ArgKind::Buffer, false, false, {}});
    graph.results.push_back(0);
  }
  return printGraph(graph);
}

Stats stats() {
  Stats result;
  const Counters &counts = counters();
  result.flushes = counts.flushes.load();
  result.nodes = counts.nodes.load();
  result.plans_reused = counts.reused.load();
  result.saved_bytes = counts.savedBytes.load();
  const runtime::PlanCacheStats plans = runtime::planCache().stats();
  result.plans_compiled = static_cast<uint64_t>(plans.plansCompiled);
  result.plans_loaded = static_cast<uint64_t>(plans.plansLoaded);
  result.kernels = static_cast<uint64_t>(plans.kernelsCompiled + plans.kernelsLoaded);
  result.preparations = runtime::derived::count();
  const runtime::TuningStats tuning = runtime::tuningStats();
  result.kernels_tuned = tuning.kernelsMeasured;
  result.ways_measured = tuning.waysMeasured;
  result.ways_rejected = tuning.waysRejected;
  result.winners_used = tuning.winnersUsed;
  result.winners_unfit = tuning.winnersUnfit;
  result.tuning_ms = static_cast<double>(tuning.measuredNs) * 1e-6;
  result.compile_ms = static_cast<double>(plans.compileNs) * 1e-6;
  result.flush_ms = static_cast<double>(counts.flushNanoseconds.load()) * 1e-6;
  const runtime::MemoryStats memory = runtime::hostMemory().stats();
  result.live_bytes = memory.liveBytes;
  result.peak_bytes = memory.peakBytes;
  return result;
}

} // namespace burn
