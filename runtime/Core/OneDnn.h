// oneDNN where it is installed: opened at run time, so that neither library needs it. Versions 2 and 3 share all that
// is used here; no header is needed.
#pragma once

#include "runtime/Core/Status.h"

#include <burn/abi.h>

#include <span>
#include <string>
#include <string_view>

namespace burn::core {

/// An opened oneDNN, which is never closed.
class OneDnnLibrary {
public:
  /// Opens a file, or what the dynamic linker finds under a name. An error where that is no oneDNN of version 2 or 3.
  static Expected<OneDnnLibrary> open(const char *path);
  /// The newest one installed.
  static Expected<OneDnnLibrary> openInstalled();

  /// 2.6.3 is 20603.
  int64_t version() const { return version_; }
  int64_t majorVersion() const { return version_ / 10000; }
  /// "oneDNN 2.6.3".
  std::string name() const { return nameOf(version_); }
  static std::string nameOf(int64_t version);

  /// A function of the library, or of the libraries that it needs; null where there is none.
  void *entry(const char *name) const;
  /// Whether its threads are OpenMP's, and so can be left alone by omp_set_num_threads, or there are none at all.
  bool canBeSerial() const { return canBeSerial_; }

private:
  void *handle_ = nullptr;
  int64_t version_ = 0;
  bool canBeSerial_ = false;
};

/// The oneDNN that programs may call: BURN_ONEDNN names its file, "off" forbids it; else the newest one installed. An
/// error says why there is none. The first call opens it.
const Expected<OneDnnLibrary> &programOneDnn();

/// A product of row-major matrices of f32, as often as there are batches: c = a b.
struct OneDnnProduct {
  int64_t batch = 1, rows = 0, lanes = 0, steps = 0;
  /// Whether the steps of a, and the lanes of b, are those that lie apart.
  int64_t transposesA = 0, transposesB = 0;
  /// Distance of rows of the matrices as they lie in memory, and of batches, in elements.
  int64_t pitchA = 0, pitchB = 0, pitchC = 0, strideA = 0, strideB = 0, strideC = 0;
  /// Pieces that are computed by one thread each.
  int64_t tasks = 1;

  /// The name of a host call that computes it, whose version is that of oneDNN, and whose buffers are a, b, c.
  std::string kernel() const;
};

/// Whether a host call is one of those.
bool isOneDnnKernel(std::string_view kernel);

/// Ok where the library is there in that version, so that such host calls can run.
Status checkOneDnn(int64_t version);

/// Runs one. oneDNN computes on the calling thread and those of `functions.parallel_for` alone.
Status callOneDnn(const std::string &kernel, int64_t version, std::span<void *const> buffers, const burn_rt &functions);

} // namespace burn::core
