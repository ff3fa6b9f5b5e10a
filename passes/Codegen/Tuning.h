// Kernels that can be made in several ways, for whoever measures which is the fastest.
#pragma once

#include "passes/Codegen/Contraction.h"
#include "passes/Codegen/Passes.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace burn::compiler {

/// A kernel of a program with the ways to make it.
struct TunableKernel {
  /// What decides how fast each way is: the op with the sizes of its loops in buckets, the order of its operands in
  /// memory, element types, and what follows it. Kernels of one key share a winner.
  std::string key;
  /// Ways to make it, as text; the first is the one that is taken unless another is chosen.
  std::vector<std::string> configurations;
  /// The part of the program's work that is in kernels of this key, from 0 to 1, by estimate.
  double share = 1;
  /// The kernel alone, as MLIR text: a function `main` of its inputs, made in the way `configuration`.
  std::function<std::string(llvm::StringRef configuration)> program;
};

/// Chooses a configuration for the kernel; empty for the first. One that does not fit the kernel counts as none.
using TuningChoice = std::function<std::string(const TunableKernel &kernel)>;

struct TuningOptions {
  TuningChoice choose;
  /// Configurations of a kernel at most; 0: all that the estimate does not rule out.
  size_t candidates = 8;
};

/// burn-tile-matmul that asks for a choice for each kernel that has one, those with most of the work first.
std::unique_ptr<mlir::Pass> createTileMatmul(const TileMatmulOptions &options, const TuningOptions &tuning);

/// A size as keys have it: as it is up to 64, above that rounded up to one of four sizes an octave.
int64_t sizeBucket(int64_t size);

} // namespace burn::compiler
