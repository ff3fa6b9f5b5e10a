#include "frontend/Trace/Segment.h"

#include "frontend/Autograd/History.h"
#include "frontend/Trace/Debug.h"
#include "frontend/Trace/GraphBuilder.h"
#include "frontend/Trace/HostKernels.h"
#include "frontend/Trace/Places.h"
#include "runtime/Memory/PendingRun.h"
#include "runtime/Parallel/HostKernelScope.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <iterator>
#include <utility>

namespace burn::trace {

using core::ErrorCode;
using core::Expected;
using core::Status;

namespace {

// Segments of threads that have ended. Their tensors can still be computed; one without such is used again.
class Orphans {
public:
  static Orphans &get() {
    static auto *made = new Orphans;
    return *made;
  }

  Segment *take() {
    std::lock_guard guard(mutex_);
    std::erase_if(runs_, [](const auto &run) { return run->isKnown() && run->settle(); });
    for (auto it = segments_.begin(); it != segments_.end(); ++it) {
      Segment *segment = *it;
      segment->lock.lock();
      const bool held = std::ranges::any_of(segment->trace.outputs,
                                            [](const ImplRef &output) { return output && output.count() > 1; });
      if (!held) {
        segment->forget();
        keep(segment->takeRuns()); // of threads that computed its tensors meanwhile
      }
      segment->lock.unlock();
      if (held)
        continue;
      segments_.erase(it);
      return segment;
    }
    return new Segment;
  }

  /// Takes a segment, and what its thread leaves behind.
  void give(Segment *segment, Segment::Runs runs = {}) {
    std::lock_guard guard(mutex_);
    segments_.push_back(segment);
    keep(std::move(runs));
  }

  /// The runs that threads have left behind.
  Segment::Runs takeRuns() {
    std::lock_guard guard(mutex_);
    return std::exchange(runs_, {});
  }
  void giveBack(Segment::Runs runs) {
    std::lock_guard guard(mutex_);
    keep(std::move(runs));
  }

private:
  void keep(Segment::Runs runs) { std::ranges::move(runs, std::back_inserter(runs_)); }

  std::mutex mutex_;
  std::vector<Segment *> segments_;
  Segment::Runs runs_;
};

// By device; null until used.
[[gnu::tls_model("initial-exec")]] thread_local Segment *ownSegments[kMostDevices] = {};
[[gnu::tls_model("initial-exec")]] thread_local Segment *ownRegion = nullptr; // the innermost that is recorded

struct SegmentOwner {
  ~SegmentOwner() {
    for (Segment *&segment : ownSegments)
      if (segment) {
        Segment::Runs runs;
        {
          std::lock_guard guard(segment->lock);
          runs = segment->takeRuns();
        }
        Orphans::get().give(std::exchange(segment, nullptr), std::move(runs));
      }
  }
};

} // namespace

Segment &Segment::current(uint8_t device) {
  if (ownRegion)
    return *ownRegion;
  if (!ownSegments[device]) {
    static thread_local SegmentOwner owner;
    (void)&owner; // constructed here, so that it is destroyed
    ownSegments[device] = Orphans::get().take();
    ownSegments[device]->trace.device = device;
  }
  return *ownSegments[device];
}

Segment *Segment::own(uint8_t device) { return ownRegion && device == 0 ? ownRegion : ownSegments[device]; }

Segment &Segment::enterRegion() {
  Segment *outer = &current(defaultDevice());
  Segment *region = Orphans::get().take();
  region->outer = outer;
  region->trace.device = outer->trace.device;
  return *(ownRegion = region);
}

void Segment::leaveRegion(Segment &region) { ownRegion = region.outer->outer ? region.outer : nullptr; }

void Segment::dropRegion(Segment &region) {
  std::lock_guard guard(region.lock);
  std::shared_ptr<const Failure> failure;
  Trace &trace = region.trace;
  for (uint32_t node = 0; node < trace.size(); ++node) {
    const ImplRef &output = trace.outputs[node];
    if (!output || output.count() == 1)
      continue;
    if (!failure)
      failure = std::make_shared<const Failure>(
          Failure{Status::invalid("the tensor belongs to a region of control flow that has ended; a function that is "
                                  "recorded hands tensors out as its results"),
                  trace.places[node]});
    output->makeRare().failure = failure;
    output->segment.store(nullptr, std::memory_order_release);
  }
  region.forget();
  region.outer = nullptr;
  Orphans::get().give(&region);
}

Counters &counters() {
  static Counters counters;
  return counters;
}

Segment::RandomCall Segment::randomCall(uint64_t seed, uint64_t call) {
  for (Stream &stream : streams_)
    if (stream.seed == seed && stream.firstCall + stream.calls == call)
      return {stream.counter, static_cast<int64_t>(stream.calls++)};
  const Ref counter = trace.slot(DType::U64, call);
  streams_.push_back({seed, call, 1, counter});
  return {counter, 0};
}

Status Segment::flush(uint32_t &place) {
  if (outer) {
    place = currentPlace();
    return Status::invalid("control flow is being recorded: its tensors have no values until the program runs");
  }
  if (trace.empty()) {
    forget();
    return settleRuns(/*wait=*/false, place);
  }
  keepHistories();
  results_.clear();
  for (uint32_t node = 0; node < trace.size(); ++node)
    if (const ImplRef &output = trace.outputs[node]; output && output.count() > 1)
      results_.push_back(node);
  Status status;
  if (!results_.empty()) {
    const auto start = std::chrono::steady_clock::now();
    bool isKept = false;
    status = run(place, isKept);
    const auto taken = std::chrono::steady_clock::now() - start;
    counters().flushNanoseconds.fetch_add(std::chrono::nanoseconds(taken).count(), std::memory_order_relaxed);
    if (status.code() == ErrorCode::OutOfMemory || isKept)
      return status;
  }
  forget();
  return status;
}

namespace {

// Takes out the runs that have ended, up to the first of whose failure nobody has heard.
Status settle(Segment::Runs &runs, bool wait, uint32_t &place) {
  Status status;
  std::erase_if(runs, [&](const auto &run) {
    if (!status || (!wait && !run->isKnown()))
      return false;
    if (Status failure = run->settle(); !failure && run->takeReport()) {
      place = failure.locations().empty() ? currentPlace() : failure.locations()[0];
      status = std::move(failure);
    }
    return true;
  });
  return status;
}

} // namespace

Status Segment::settleRuns(bool wait, uint32_t &place) { return settle(runs_, wait, place); }

Status Segment::settleLeftRuns(uint32_t &place) {
  Runs runs = Orphans::get().takeRuns(); // waited for without the lock
  Status status = settle(runs, /*wait=*/true, place);
  Orphans::get().giveBack(std::move(runs));
  return status;
}

// What the checks of a run that goes on are called when they fail.
void Segment::keepRun(const TraceProgram &bound) {
  for (const runtime::BufferRef &output : outputs_) {
    const auto run = output->run();
    if (!run || run->isLocated())
      continue;
    std::vector<uint32_t> places;
    for (uint32_t ordinal : bound.program->checkOps)
      places.push_back(ordinal < bound.opNodes.size()
                           ? trace.placeOf(bound.opNodes[ordinal].node, bound.opNodes[ordinal].inner)
                           : trace.places[results_[0]]);
    run->locate(std::move(places));
    runs_.push_back(run);
    return;
  }
}

Status Segment::run(uint32_t &place, bool &isKept) {
  donated_.assign(trace.leaves.size(), 0);
  for (size_t i = 0; i < trace.leaves.size(); ++i)
    donated_[i] = trace.leaves[i].count() == 1 && trace.leaves[i]->buffer->canDonate();

  Expected<std::shared_ptr<const TraceProgram>> found = program();
  if (!found) {
    place = found.status().locations().empty() ? trace.places[results_[0]] : found.status().locations()[0];
    if (found.status().code() != ErrorCode::OutOfMemory)
      fail(found.status(), place);
    return found.status();
  }
  const TraceProgram &bound = **found;
  // What failed before is said before anything is printed; the program here runs when it is asked for again.
  if (Status status = settleRuns(bound.program->readsValues, place); !status) {
    isKept = true;
    return status;
  }

  const Program &program = bound.program->current();
  scalars_.resize((program.scalarBytes + 7) / 8);
  auto *block = reinterpret_cast<std::byte *>(scalars_.data());
  for (size_t i = 0; i < bound.scalarSlots.size(); ++i) {
    const uint32_t slot = bound.scalarSlots[i];
    std::memcpy(block + program.scalarOffsets[i], &trace.slotValues[slot], byteWidth(trace.slotTypes[slot]));
  }
  arguments_.clear();
  for (uint32_t leaf : bound.bufferLeaves) {
    runtime::BufferRef &buffer = trace.leaves[leaf]->buffer;
    arguments_.push_back(donated_[leaf] ? std::move(buffer) : buffer);
  }
  outputs_.assign(results_.size(), {});
  const Status status = program.execute(arguments_, scalars_.data(), outputs_);

  // Poison of an argument is the failure of a run before, which names the places itself.
  const bool failedBefore = trace.device && std::ranges::any_of(arguments_, [](const runtime::BufferRef &argument) {
                              return argument && argument->poisonError();
                            });
  for (size_t i = 0; i < bound.bufferLeaves.size(); ++i)
    if (const uint32_t leaf = bound.bufferLeaves[i]; donated_[leaf] && arguments_[i])
      trace.leaves[leaf]->buffer = std::move(arguments_[i]);
  arguments_.clear();
  if (!status) {
    const auto &ordinals = status.locations();
    const bool known = !ordinals.empty() && ordinals[0] < bound.opNodes.size();
    place = !ordinals.empty() && failedBefore ? ordinals[0]
            : known ? trace.placeOf(bound.opNodes[ordinals[0]].node, bound.opNodes[ordinals[0]].inner)
                    : trace.places[results_[0]];
    if (status.code() != ErrorCode::OutOfMemory)
      fail(status, place);
    outputs_.clear();
    return status;
  }
  if (trace.device)
    keepRun(bound);
  for (size_t i = 0; i < results_.size(); ++i) {
    TensorImpl *output = trace.outputs[results_[i]].get();
    output->buffer = std::move(outputs_[i]);
    output->segment.store(nullptr, std::memory_order_release);
  }
  outputs_.clear();
  counters().flushes.fetch_add(1, std::memory_order_relaxed);
  counters().nodes.fetch_add(trace.size(), std::memory_order_relaxed);
  counters().savedBytes.fetch_add(program.savedBytes, std::memory_order_relaxed);
  if (debugOptions().nan)
    return checkFinite(trace, results_, place);
  return Status::ok();
}

// The program for what is recorded. Locations of an error are places.
Expected<std::shared_ptr<const TraceProgram>> Segment::program() {
  if (auto known = planTable().find(trace, results_, donated_)) {
    counters().reused.fetch_add(1, std::memory_order_relaxed);
    return known;
  }
  if (debugOptions().recompile)
    reportRecompile(trace, planTable().explainMiss(trace, results_, donated_));
  BuiltGraph built = buildGraph(trace, results_, donated_);
  runtime::Device *device = deviceAt(trace.device);
  Expected<std::shared_ptr<const Program>> prepared =
      device ? backend().prepareFor(*device, built.graph) : backend().prepare(built.graph);
  if (!prepared) {
    std::vector<uint32_t> locations;
    for (uint32_t ordinal : prepared.status().locations())
      if (ordinal < built.opNodes.size())
        locations.push_back(trace.placeOf(built.opNodes[ordinal].node, built.opNodes[ordinal].inner));
    return Status::error(prepared.status().code(), prepared.status().message(), std::move(locations));
  }
  auto made = std::make_shared<TraceProgram>();
  made->program = std::move(*prepared);
  made->bufferLeaves = std::move(built.bufferLeaves);
  made->scalarSlots = std::move(built.scalarSlots);
  made->opNodes = std::move(built.opNodes);
  made->key = trace.key;
  made->device = trace.device;
  made->nodes = trace.nodes;
  made->operandList = trace.operandList;
  made->results = results_;
  made->leafTypes = trace.leafTypes;
  made->slotTypes = trace.slotTypes;
  made->donated = donated_;
  made->places = trace.places;
  planTable().insert(made);
  return std::shared_ptr<const TraceProgram>(std::move(made));
}

void Segment::fail(const Status &status, uint32_t place) {
  const auto failure = std::make_shared<const Failure>(Failure{status, place});
  for (uint32_t result : results_) {
    TensorImpl *output = trace.outputs[result].get();
    output->makeRare().failure = failure;
    output->segment.store(nullptr, std::memory_order_release);
  }
}

// Results that require gradients and have a handle can meet `backward` later: what they depend on is kept, and with
// it the tensors that it reads. Those are not donated then, since they have a second holder.
void Segment::keepHistories() {
  bool any = false;
  for (uint32_t node = 0; !any && node < trace.size(); ++node)
    any = trace.flags[node] & NodeRequiresGrad && !(trace.flags[node] & NodeUserLeaf) && trace.outputs[node] &&
          trace.outputs[node].count() > 1;
  if (any)
    History::keep(trace);
}

void refuseInsideHostKernel(std::string_view name) {
  if (runtime::HostKernelScope::isActive())
    raiseInvalid(std::string(name) + ": a kernel of the host is running, which may call no functions on tensors");
}

void materialize(TensorImpl *impl) {
  while (Segment *segment = impl->segment.load(std::memory_order_acquire)) {
    refuseInsideHostKernel("reading a tensor");
    uint32_t place = 0;
    Status status;
    {
      std::lock_guard guard(segment->lock);
      if (impl->segment.load(std::memory_order_acquire) != segment)
        continue;
      status = segment->flush(place);
    }
    if (!status)
      raiseAt(place, status.code(), status.message());
  }
  if (const Failure *failure = impl->failure())
    raiseAt(failure->place, failure->status.code(), failure->status.message());
}

void awaitValue(const TensorImpl &impl) {
  if (const Status status = impl.buffer->settle(); !status) {
    if (status.locations().empty())
      raise(status.code(), status.message());
    raiseAt(status.locations()[0], status.code(), status.message());
  }
}

} // namespace burn::trace
