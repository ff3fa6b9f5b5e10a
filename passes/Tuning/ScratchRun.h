// Running a kernel on data of no meaning.
#pragma once

#include "passes/Pipelines/Compile.h"

#include <burn/abi.h>

#include <cstdlib>
#include <map>
#include <memory>
#include <span>
#include <vector>

namespace burn::compiler {

/// One way to make a kernel, loaded.
class MeasuredWay {
public:
  static core::Expected<std::unique_ptr<MeasuredWay>> load(const Executable &executable);
  ~MeasuredWay();
  MeasuredWay(const MeasuredWay &) = delete;
  MeasuredWay &operator=(const MeasuredWay &) = delete;

  const core::Plan &plan() const { return plan_; }
  burn_run_fn run() const { return run_; }
  /// What fills derived buffers from frozen arguments; null where there are none.
  burn_prepare_fn prepare() const { return prepare_; }

private:
  MeasuredWay() = default;

  core::Plan plan_;
  burn_run_fn run_ = nullptr;
  burn_prepare_fn prepare_ = nullptr;
  void *handle_ = nullptr;
  // Open while the code is mapped: the dynamic linker takes two objects of one name for the same.
  int file_ = -1;
};

/// Arguments and results for all ways of a kernel.
class ScratchData {
public:
  /// Arguments are pseudorandom, the same for the same types: finite numbers of both signs, and integers from 0 to 7,
  /// so that a sum in another order shows. Null for programs that take host scalars or more memory than there is.
  static std::unique_ptr<ScratchData> make(const core::Plan &plan, const burn_rt &functions);

  /// Runs a way, and keeps its results to compare with; false where it fails.
  bool keepResults(const MeasuredWay &way);
  /// Runs a way; true where its results are those, bit for bit.
  bool givesKeptResults(const MeasuredWay &way);
  /// Gives the arguments no signs: sums of such products are as large as the sums of their magnitudes, of which their
  /// error bound is a part.
  void dropSigns();
  /// Runs a way; false where it fails.
  bool run(const MeasuredWay &way);
  /// The bytes of an argument, and of a result as the last run has left it.
  std::span<std::byte> argument(size_t i) { return bytesOf(arguments_[i]); }
  std::span<const std::byte> result(size_t i) const { return bytesOf(results_[i]); }
  /// Seconds of a run, over several where the clock would not resolve one.
  double time(const MeasuredWay &way);

private:
  struct Free {
    void operator()(std::byte *memory) const { std::free(memory); }
  };
  struct Block {
    std::unique_ptr<std::byte, Free> memory;
    size_t bytes = 0;
  };
  static Block allocate(size_t bytes);
  static std::span<std::byte> bytesOf(const Block &block) { return {block.memory.get(), block.bytes}; }
  bool prepare(const MeasuredWay &way);
  bool derive(const MeasuredWay &way);
  bool call(const MeasuredWay &way);

  const burn_rt *functions_ = nullptr;
  std::vector<Block> results_, kept_;
  std::vector<DType> types_; // of arguments
  std::vector<Block> arguments_;
  /// The pointers that ways get: arguments, results, and derived buffers of the way that runs.
  std::vector<void *> buffers_;
  /// Derived buffers of each way, filled once.
  std::map<const MeasuredWay *, std::vector<Block>> derived_;
  Block arena_;
};

} // namespace burn::compiler
