// What one thread has recorded and not yet run.
#pragma once

#include "frontend/Trace/Devices.h"
#include "frontend/Trace/PlanTable.h"
#include "frontend/Trace/Trace.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace burn::trace {

/// A lock for the segment of a thread, nearly always taken by that thread alone. Budget: 10 ns for both steps.
class SegmentLock {
public:
  void lock() {
    uint32_t expected = 0;
    if (state_.compare_exchange_strong(expected, 1, std::memory_order_acquire))
      return;
    while (state_.exchange(2, std::memory_order_acquire) != 0)
      state_.wait(2, std::memory_order_relaxed);
  }
  void unlock() {
    if (state_.exchange(0, std::memory_order_release) == 2)
      state_.notify_one();
  }

private:
  std::atomic<uint32_t> state_{0}; // 1: taken, 2: taken and awaited
};

/// Result types of ops seen before, so that recording them again infers nothing.
class TypeMemo {
public:
  struct Result {
    DType dtype;
    const ShapeEntry *shape;
  };
  static constexpr size_t kMostOperands = 5;
  struct Entry {
    uint64_t words[1 + kMostOperands] = {}; // op, arity, attributes; types of operands
    uint8_t count = 0;                      // results; 0: a free entry
    Result results[3] = {};
  };
  Entry &operator[](uint64_t hash) { return entries_[hash % kSize]; }

  /// Ops without attributes that were seen to give the one type of their operands, by element type. Most ops are such,
  /// and need no entry above.
  bool isElementwise(core::OpCode op, DType dtype) const {
    const auto code = static_cast<size_t>(op);
    return code < kCodes && elementwise_[code] >> static_cast<unsigned>(dtype) & 1;
  }
  void learnElementwise(core::OpCode op, DType dtype) {
    if (const auto code = static_cast<size_t>(op); code < kCodes)
      elementwise_[code] |= 1u << static_cast<unsigned>(dtype);
  }

private:
  static constexpr size_t kSize = 256, kCodes = 1024;
  std::array<uint32_t, kCodes> elementwise_ = {};
  std::vector<Entry> entries_ = std::vector<Entry>(kSize);
};

/// The recorded program of one thread. Its lock guards everything in it; the owner takes it to record, another thread
/// to compute a tensor that it was handed. No thread holds the locks of two segments.
class Segment {
public:
  SegmentLock lock;
  Trace trace;
  TypeMemo types;
  std::vector<Ref> operandScratch;

  /// Runs what has been recorded, as far as somebody holds a result, and forgets it. Under the lock. Where compiling or
  /// running fails, the results carry the failure; where memory is short, everything stays recorded. `place` is set to
  /// the place of the op that an error is about.
  core::Status flush(uint32_t &place);

  /// Looks at the checks of runs on a device that went on when their flush returned; waits for all of them, or takes
  /// those that are known by now. The first error that nobody has raised yet, at `place`. Under the lock.
  core::Status settleRuns(bool wait, uint32_t &place);

  /// Runs on a device whose checks nobody has looked at.
  using Runs = std::vector<std::shared_ptr<runtime::PendingRun>>;
  /// Takes those of the segment. Under the lock.
  Runs takeRuns() { return std::exchange(runs_, {}); }
  /// As settleRuns, waiting, for the runs that threads left behind as they ended. Not under a lock.
  static core::Status settleLeftRuns(uint32_t &place);

  /// Drops what has been recorded. Under the lock.
  void forget() {
    trace.clear();
    streams_.clear();
  }

  /// Takes the next call number of a stream of random numbers: a slot for the counter and the ordinal of this call
  /// above it. Under the lock.
  struct RandomCall {
    Ref counter;
    int64_t ordinal;
  };
  RandomCall randomCall(uint64_t seed, uint64_t call);

  /// The segment of the calling thread for a device; that of the region that it records, where it records one.
  static Segment &current(uint8_t device = 0);
  /// Calls `visit` for each segment of the calling thread.
  template <typename Visit> static void forEachOwn(const Visit &visit) {
    for (uint8_t device = 0; device < kMostDevices; ++device)
      if (Segment *segment = own(device))
        visit(*segment);
  }

  /// The segment in which the ops of a region are recorded, a part of the program that `outer` records: nothing in it
  /// is ever run. Null for any other.
  Segment *outer = nullptr;
  /// Whether `segment` records the program that this one is a part of.
  bool isWithin(const Segment *segment) const {
    for (const Segment *around = outer; around; around = around->outer)
      if (around == segment)
        return true;
    return false;
  }
  /// Makes a new segment inside of the calling thread's for the default device its current one, and ends that.
  static Segment &enterRegion();
  static void leaveRegion(Segment &region);
  /// Hands a region's segment back, after leaveRegion; what still holds a tensor of it finds an error.
  static void dropRegion(Segment &region);

private:
  static Segment *own(uint8_t device);
  struct Stream {
    uint64_t seed, firstCall, calls;
    Ref counter;
  };
  /// `isKept` is set where the error is about something else, and all stays recorded.
  core::Status run(uint32_t &place, bool &isKept);
  void keepRun(const TraceProgram &program);
  core::Expected<std::shared_ptr<const TraceProgram>> program();
  void keepHistories();
  void fail(const core::Status &status, uint32_t place);

  std::vector<Stream> streams_;
  Runs runs_;
  // Scratch of flush; the capacity stays.
  std::vector<uint32_t> results_;
  std::vector<uint8_t> donated_;
  std::vector<uint64_t> scalars_;
  std::vector<runtime::BufferRef> arguments_, outputs_;
};

/// Computes a tensor; throws burn::Error. Where another thread recorded it, that thread's program is run.
void materialize(TensorImpl *impl);

/// Waits for the run that makes a tensor with a buffer; throws where it failed.
void awaitValue(const TensorImpl &impl);

/// Counts over all threads since the process started.
struct Counters {
  std::atomic<uint64_t> flushes{0}, nodes{0}, reused{0}, savedBytes{0}, flushNanoseconds{0};
};
Counters &counters();

} // namespace burn::trace
