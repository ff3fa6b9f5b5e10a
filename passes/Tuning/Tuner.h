// Measures which way of making a kernel is the fastest, and keeps what it found.
//
// Whoever compiles says whether to measure, brings the threads and keeps the records; here is what needs the compiler:
// making the ways of a kernel, running them and comparing what they give.
#pragma once

#include "passes/Codegen/Tuning.h"
#include "passes/Pipelines/Compile.h"

#include <burn/abi.h>

#include <chrono>
#include <functional>
#include <string>

namespace burn::compiler {

/// As burn_tuning_mode.
enum class TuningMode { Off, Cached, On, Full };

/// What tuning needs of whoever compiles: burn_tuning of burn/compiler_api.h.
struct TuningHost {
  TuningMode mode = TuningMode::Off;
  const burn_rt *functions = nullptr;
  /// Threads of its loops.
  int64_t threads = 1;
  std::function<std::string(llvm::StringRef key)> find;
  std::function<void(llvm::StringRef key, llvm::StringRef winner, llvm::StringRef report)> store;
  std::function<void(bool locked)> lock;
  /// Seconds that a way takes, in place of measuring it: for tests. Else null.
  std::function<double(llvm::StringRef configuration)> time;
};

struct TuningCounts {
  uint64_t kernelsMeasured = 0, waysMeasured = 0, waysRejected = 0, winnersUsed = 0, winnersUnfit = 0;
  std::chrono::nanoseconds time{};
};

/// How long candidates take. Tests have clocks of their own.
class Stopwatch {
public:
  virtual ~Stopwatch() = default;
  /// Seconds of one run of a candidate.
  virtual double measure(size_t candidate) = 0;
  /// Whether it is time to come to an end.
  virtual bool isOver() = 0;
};

/// The fastest of the candidates, the first of which is the usual one: they take turns, those that are far behind drop
/// out, and the best time of each counts. Another than the first has to be faster by more than clocks err. `times` has
/// a first time of each, less than 0 for those that must not win, and gets the best.
size_t pickFastest(llvm::MutableArrayRef<double> times, Stopwatch &stopwatch);

class MeasuredWay;
class ScratchData;

/// Chooses the ways of the kernels of one program. Several tuners of a process measure one after the other.
class Tuner {
public:
  /// `options` are those of the program.
  Tuner(const CompileOptions &options, TuningHost host);
  ~Tuner();

  /// For the options of the program, while the tuner lives.
  TuningOptions options();

  std::string choose(const TunableKernel &kernel);

  const TuningCounts &counts() const { return counts_; }
  /// One line a kernel: its key, the way that was chosen and why.
  llvm::StringRef report() const { return report_; }

  /// What the measurements of a program take at most, with the compiling of what is measured; and those of one kernel
  /// where the search is a full one.
  static constexpr std::chrono::milliseconds kBudget{1200}, kFullBudget{60'000};

private:
  using Clock = std::chrono::steady_clock;

  std::string find(const TunableKernel &kernel, llvm::StringRef key);
  std::string measure(const TunableKernel &kernel, llvm::StringRef key);
  core::Expected<Executable> compileAlone(llvm::StringRef program);
  core::Expected<std::unique_ptr<MeasuredWay>> load(llvm::StringRef program);
  core::Status check(const TunableKernel &kernel, llvm::StringRef configuration, const MeasuredWay &way,
                     ScratchData &data);

  CompileOptions options_;
  TuningHost host_;
  TuningCounts counts_;
  std::string report_;
  std::unique_ptr<mlir::MLIRContext> context_;
  double shareLeft_ = 1;
};

} // namespace burn::compiler
