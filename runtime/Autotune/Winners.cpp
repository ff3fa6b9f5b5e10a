#include "runtime/Autotune/Winners.h"

#include "runtime/Executable/LoadedPlan.h"

#include <burn/parallel.h>

#include <cstdlib>
#include <mutex>

namespace burn::runtime {

using core::Expected;
using core::Status;

namespace {

std::mutex statsMutex;
TuningStats stats;

Bytes asBytes(const burn_bytes &bytes) { return {static_cast<const std::byte *>(bytes.data), bytes.size}; }

} // namespace

static_assert(static_cast<int>(Tuning::Full) == BURN_TUNING_FULL && static_cast<int>(Tuning::On) == BURN_TUNING_ON &&
              static_cast<int>(Tuning::Cached) == BURN_TUNING_CACHED);

Expected<Tuning> environmentTuning() {
  const char *value = std::getenv("BURN_AUTOTUNE");
  const std::string_view word = value && *value ? value : "cached";
  static constexpr const char *words[] = {"off", "cached", "on", "full"};
  for (size_t i = 0; i < std::size(words); ++i)
    if (word == words[i])
      return static_cast<Tuning>(i);
  return Status::invalid("BURN_AUTOTUNE: expected off, cached, on or full, got '" + std::string(word) + "'");
}

TuningStats tuningStats() {
  std::lock_guard lock(statsMutex);
  return stats;
}

Winners::Winners(const DiskCache &disk, const PlanOptions &options, const PlanTarget &target)
    : disk_(disk), options_(options), target_(target) {
  tuning_.struct_size = sizeof tuning_;
  tuning_.mode = static_cast<uint32_t>(options.tuning);
  // The same records for all modes.
  options_.tuning = Tuning::Off;
  tuning_.context = this;
  tuning_.functions = &hostFunctions();
  tuning_.threads = static_cast<uint32_t>(num_threads());
  tuning_.find = [](void *context, burn_bytes key) -> burn_bytes {
    auto &self = *static_cast<Winners *>(context);
    self.hit_ = self.disk_.lookup(self.keyOf(key));
    if (!self.hit_)
      return {};
    return {self.hit_->entry.plan.data(), self.hit_->entry.plan.size()};
  };
  tuning_.store = [](void *context, burn_bytes key, burn_bytes winner, burn_bytes report) {
    auto &self = *static_cast<Winners *>(context);
    self.disk_.store({asBytes(report), asBytes(winner), self.keyOf(key), {}});
  };
  tuning_.lock = [](void *context, int locked) {
    auto &self = *static_cast<Winners *>(context);
    self.lock_ = locked ? self.disk_.lockMeasurements() : FileLock();
  };
}

Winners::~Winners() {
  std::lock_guard lock(statsMutex);
  stats.kernelsMeasured += tuning_.kernels_measured;
  stats.waysMeasured += tuning_.ways_measured;
  stats.waysRejected += tuning_.ways_rejected;
  stats.winnersUsed += tuning_.winners_used;
  stats.winnersUnfit += tuning_.winners_unfit;
  stats.measuredNs += tuning_.measured_ns;
}

// What the compiler says of the kernel, and what it cannot know of this machine.
std::vector<std::byte> Winners::keyOf(burn_bytes key) const {
  std::string text(static_cast<const char *>(key.data), key.size);
  text += ", model " + std::to_string(cpuModel()) + ", threads " + std::to_string(num_threads());
  return makePlanKey(SourceKind::Winner, std::as_bytes(std::span(text)), options_, target_);
}

} // namespace burn::runtime
