/// What a training program shows and watches: progress, Ctrl+C, memory.
#pragma once

#include <burn/export.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>

namespace burn {

/// Shows how far a run is: loss, accuracy, images per second and time left. On a terminal one line is redrawn, at most
/// ten times a second; elsewhere (a pipe, a file) each epoch leaves plain lines, at most one every ten seconds and one
/// at its end. Updates allocate no memory.
class BURN_API ProgressBar {
public:
  /// A run of `epochs` epochs of `images` images each, shown on `out`.
  ProgressBar(int64_t epochs, int64_t images, std::FILE *out = stdout);
  /// Ends the line that is being drawn.
  ~ProgressBar();
  ProgressBar(const ProgressBar &) = delete;
  ProgressBar &operator=(const ProgressBar &) = delete;

  /// Starts epoch number `epoch` (the first is 0), of which `done` images were trained in an earlier run.
  void begin_epoch(int64_t epoch, int64_t done = 0);

  /// Whether `update` would draw now: reading the loss may be left out where it would not.
  bool due() const;

  /// `images` more images went through. `loss` is the mean loss, `accuracy` the share of right answers in [0, 1],
  /// both of the epoch so far.
  void advance(int64_t images);
  void update(double loss, double accuracy);

  /// Shows the figures of the whole epoch and ends its line.
  void end_epoch(double loss, double accuracy);

private:
  using Clock = std::chrono::steady_clock;

  void draw(double loss, double accuracy, bool last);

  std::FILE *out_;
  bool terminal_;
  bool lineOpen_ = false;
  int64_t epochs_, images_;
  int64_t epoch_ = 0, done_ = 0;
  /// Images and time of this run alone, on which rate and time left rest.
  int64_t trained_ = 0;
  Clock::time_point begin_, lastDraw_, epochBegin_;
  int64_t epochTrained_ = 0;
};

/// While it lives, the first Ctrl+C (SIGINT) or SIGTERM only sets a flag, so that a training loop ends after the
/// current step; the second has its usual effect. One guard at a time; the old handlers come back at the end.
class BURN_API InterruptGuard {
public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard &) = delete;
  InterruptGuard &operator=(const InterruptGuard &) = delete;

  /// Whether a signal came since the guard began.
  bool interrupted() const;
};

/// The most memory this process has had resident at once, in bytes; 0 where the system does not say.
BURN_API int64_t peak_memory_bytes();

} // namespace burn
