// Runs on a device whose checks the host has not looked at yet.
#pragma once

#include "runtime/Core/Executable.h"
#include "runtime/Devices/Device.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

namespace burn::runtime {

/// A run that has been handed to a device, after the runs that make its arguments. The buffers of its results hold it
/// until it is known that no check has failed in any of them. Thread-safe.
class PendingRun {
public:
  /// `own` is null for a run that makes no checks itself; `plan` is the one that was run.
  PendingRun(std::shared_ptr<RunOutcome> own, std::shared_ptr<const core::Plan> plan,
             std::vector<std::shared_ptr<PendingRun>> before)
      : own_(std::move(own)), plan_(std::move(plan)), before_(std::move(before)) {}

  /// Whether `settle` returns at once.
  bool isKnown() const;
  /// Waits for the run. OK, or why the results are not to be used: the failed check of the first run that had one, with
  /// what `locate` said of its place, else the ordinal of its op. The same each time.
  core::Status settle();

  /// Says where the checks of the plan stand, in terms of whoever raises errors: once, by whoever started the run.
  void locate(std::vector<uint32_t> places);
  bool isLocated() const;

  /// True once, of whoever is to raise the error.
  bool takeReport() { return !isReported_.exchange(true, std::memory_order_relaxed); }

private:
  core::Status statusOf(int64_t failed) const;

  mutable std::mutex mutex_;
  bool isSettled_ = false, isLocated_ = false;
  core::Status status_;
  std::shared_ptr<RunOutcome> own_;
  std::shared_ptr<const core::Plan> plan_;
  std::vector<std::shared_ptr<PendingRun>> before_;
  std::vector<uint32_t> places_; // of the checks
  std::atomic<bool> isReported_{false};
};

} // namespace burn::runtime
