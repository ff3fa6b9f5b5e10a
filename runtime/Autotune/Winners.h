// The records of measurements that kernels won, for the compiler: entries of the kernel cache.
#pragma once

#include "runtime/Cache/DiskCache.h"
#include "runtime/Compiler/PlanKey.h"

#include <burn/compiler_api.h>

#include <string>

namespace burn::runtime {

/// The mode that BURN_AUTOTUNE names; Cached where it is not set or empty. InvalidArgument for other words.
core::Expected<Tuning> environmentTuning();

/// What was done in this process: the counters of burn_tuning.
struct TuningStats {
  uint64_t kernelsMeasured = 0, waysMeasured = 0, waysRejected = 0, winnersUsed = 0, winnersUnfit = 0, measuredNs = 0;
};
TuningStats tuningStats();

/// Tuning of one compile on this machine.
class Winners {
public:
  Winners(const DiskCache &disk, const PlanOptions &options, const PlanTarget &target);
  /// Adds to tuningStats.
  ~Winners();
  Winners(const Winners &) = delete;
  Winners &operator=(const Winners &) = delete;

  /// For burn_compile_options; null where the options do not tune.
  burn_tuning *tuning() { return tuning_.mode == BURN_TUNING_OFF ? nullptr : &tuning_; }

private:
  std::vector<std::byte> keyOf(burn_bytes key) const;

  const DiskCache &disk_;
  PlanOptions options_;
  const PlanTarget &target_;
  burn_tuning tuning_{};
  std::optional<CacheHit> hit_;
  FileLock lock_;
};

} // namespace burn::runtime
