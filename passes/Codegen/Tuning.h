// Kernels that can be made in several ways, for whoever measures which is the fastest.
#pragma once

#include "passes/Codegen/Contraction.h"
#include "passes/Codegen/Passes.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace burn::compiler {

/// How a way is checked whose sums have another order than those of the usual one: its product, on some elements, with
/// the meaning of the op, and what follows on the product with a kernel of that alone, bit for bit.
struct ProductCheck {
  /// The burn.dot_general: its attribute words and lists of dims, and where its operands stand among the arguments of
  /// the kernel.
  llvm::SmallVector<int64_t> words, lhsBatch, rhsBatch, lhsContract, rhsContract;
  unsigned lhs = 0, rhs = 0;
  /// The kernel made in that way, with the product as a further, last result; of the product alone as it is.
  std::function<std::string(llvm::StringRef configuration)> exposed;
  /// What follows on the product: a program of the kernel's arguments and, last, the product. Empty for a product
  /// alone.
  std::function<std::string()> epilogue;
};

/// A kernel of a program with the ways to make it.
struct TunableKernel {
  /// What decides how fast each way is: the op with the sizes of its loops in buckets, the order of its operands in
  /// memory, element types, and what follows it. Kernels of one key share a winner.
  std::string key;
  /// Ways to make it, as text; the first is the one that is taken unless another is chosen.
  std::vector<std::string> configurations;
  /// Ways besides whose sums have another order, and how they are checked; none where results are to be deterministic.
  std::vector<std::string> reordered;
  ProductCheck check;
  /// Whether a way, which may have been measured on another kernel of this key, can make this one; else `why` not.
  /// Null: each can.
  std::function<bool(llvm::StringRef configuration, std::string &why)> fits;
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
  /// Whether oneDNN may be called where results need not be deterministic, and the threads that its calls may take.
  bool vendors = false;
  int64_t threads = 1;
};

/// burn-tile-matmul that asks for a choice for each kernel that has one, those with most of the work first.
std::unique_ptr<mlir::Pass> createTileMatmul(const TileMatmulOptions &options, const TuningOptions &tuning);

/// A size as keys have it: as it is up to 64, above that rounded up to one of four sizes an octave.
int64_t sizeBucket(int64_t size);

} // namespace burn::compiler
