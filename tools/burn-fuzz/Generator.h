// Random well-typed programs of burn ops.
#pragma once

#include "tools/burn-fuzz/Program.h"
#include "tools/burn-fuzz/Values.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace burn::fuzz {

class Generator;

/// What an op is about, so that programs hold a mixture of kinds however many ops a kind has.
enum class Family {
  Unary,
  Binary,
  Choice,
  Conversion,
  View,
  Reduction,
  Neural,
  Dot,
  Conv,
  Window,
  Indexing,
  Generated,
  Control
};

/// How one op of the op table comes into a program.
struct OpEntry {
  core::OpCode op;
  Family family;
  /// Adds the op on values of the program and on new ones; null where nothing came of it.
  mlir::Value (*add)(Generator &, core::OpCode);
  /// Whether it may stand where derivatives are compared with differences: `add` then takes f64 operands at which the
  /// op is smooth.
  bool isSmooth = false;
};

/// All entries, by op code.
llvm::ArrayRef<OpEntry> opEntries();

/// The reason why an op has no entry; empty for ops that have one, or should.
llvm::StringRef whyNoEntry(core::OpCode op);

/// A program of 3 to 25 ops, now and then of up to 100, over a few common shapes, with values that are read several
/// times, constants, host scalars, donated and frozen arguments, several results, and in part gradients. Program
/// `index` of `seed` holds op `index` of the entries, counted round and round, where its rule can be met. Equal numbers
/// give equal programs.
Program makeProgram(mlir::MLIRContext &context, uint64_t seed, uint64_t index);

/// A program of f64 ops that are smooth at its arguments, which returns one scalar.
Program makeSmoothProgram(mlir::MLIRContext &context, uint64_t seed, uint64_t index);

/// Grows a program from the values that it has so far. Entries are written in its terms.
class Generator {
public:
  Generator(mlir::MLIRContext &context, Random random, bool smooth);

  /// The program with op `focus` in it, if that is possible.
  Program build(const OpEntry &focus);

  using Wanted = llvm::function_ref<bool(const core::TypeDesc &)>;

  // Choices.
  bool isSmooth() const { return smooth_; }
  bool chance(double probability) { return fuzz::chance(random_, probability); }
  int64_t number(int64_t low, int64_t high) { return pick(random_, low, high); }
  template <typename T> T oneOf(std::initializer_list<T> choices) {
    return choices.begin()[number(0, static_cast<int64_t>(choices.size()) - 1)];
  }
  template <typename T> const T &oneOf(const std::vector<T> &choices) {
    return choices[number(0, static_cast<int64_t>(choices.size()) - 1)];
  }
  Random &random() { return random_; }
  Shape shape();
  /// A size that other values of the program have too.
  int64_t size() { return oneOf(sizes_); }
  DType dtype();
  Dims someDims(unsigned rank, bool nonEmpty);
  Dims permutation(unsigned rank);
  bool fits(const Shape &shape) const { return shape.numel() <= mostElements_; }

  // Values.
  /// A new argument or constant of random elements, which later ops may read too.
  mlir::Value fresh(const core::TypeDesc &type);
  /// A new argument for one op alone.
  mlir::Value argument(ir::HostTensor value, llvm::StringRef mark = "");
  mlir::Value argument(const core::TypeDesc &type, Fill fill) { return argument(randomTensor(type, fill, random_)); }
  mlir::Value indices(DType dtype, const Shape &shape, int64_t low, int64_t high) {
    return argument(randomIntegers({dtype, shape}, low, high, random_));
  }
  /// A constant for one op alone.
  mlir::Value constant(const core::TypeDesc &type, Fill fill) {
    return builder_.constant(randomTensor(type, fill, random_));
  }
  /// A constant whose elements are equal.
  mlir::Value splat(DType dtype, const Shape &shape, double value);
  /// A value of the program so far, rather a late one, or null where none fits.
  mlir::Value existing(Wanted fits);
  /// The same, or a new one where none fits.
  mlir::Value some(Wanted fits);
  mlir::Value any() {
    return some([](const core::TypeDesc &) { return true; });
  }
  /// A value for an op that moves data: the one that was just moved where this is the second of two movements in a row,
  /// and any else.
  mlir::Value toMove(Wanted fits);
  mlir::Value toMove() {
    return toMove([](const core::TypeDesc &) { return true; });
  }
  /// A value that the op takes as its only operand, or as both of two.
  mlir::Value takenBy(core::OpCode op, unsigned operands, llvm::ArrayRef<int64_t> words = {});
  /// A value of a type: an existing one, one broadcast to it, or a new one.
  mlir::Value valueOf(const core::TypeDesc &type);

  // Ops.
  /// Adds an op and its results to the program; null where its rule refuses it or an operand is null.
  mlir::Value add(core::OpCode code, llvm::ArrayRef<mlir::Value> operands, llvm::ArrayRef<int64_t> words = {},
                  const core::TypeDesc *type = nullptr);
  template <typename Attrs>
    requires requires { Attrs::op; }
  mlir::Value add(const Attrs &attrs, llvm::ArrayRef<mlir::Value> operands, const core::TypeDesc *type = nullptr) {
    llvm::SmallVector<int64_t> words;
    attrs.encode(words);
    return add(Attrs::op, operands, words, type);
  }
  /// Adds an op with regions. A region's ops are added by `inRegion`.
  mlir::Value add(core::OpCode code, llvm::ArrayRef<mlir::Value> operands, llvm::ArrayRef<int64_t> words,
                  llvm::ArrayRef<core::TypeDesc> results, llvm::ArrayRef<ProgramBuilder::Region> regions);
  template <typename Attrs>
  mlir::Value add(const Attrs &attrs, llvm::ArrayRef<mlir::Value> operands, llvm::ArrayRef<core::TypeDesc> results,
                  llvm::ArrayRef<ProgramBuilder::Region> regions) {
    llvm::SmallVector<int64_t> words;
    attrs.encode(words);
    return add(Attrs::op, operands, words, results, regions);
  }
  /// An op inside of a region that is being made, which values outside never read; its first result.
  mlir::Value inRegion(core::OpCode code, llvm::ArrayRef<mlir::Value> operands, llvm::ArrayRef<int64_t> words = {});
  /// The program has an op whose gradient is not there.
  void leaveOutGradient() { wantsGradient_ = false; }
  mlir::Value broadcastTo(mlir::Value value, const Shape &shape, const Dims &dims);
  /// x * x + offset, or |x| + offset: away from zero.
  mlir::Value awayFromZero(mlir::Value x, double offset);
  mlir::Value totalOf(mlir::Value value);

private:
  void gradient();
  /// A reduction that is computed in blocks, which those of common shapes are not.
  void largeReduction();
  const OpEntry &entryOf(Family family);
  void addRandomOp();
  mlir::Value addEntry(const OpEntry &entry);

  Random random_;
  const bool smooth_;
  ProgramBuilder builder_;
  Tensors arguments_;
  std::vector<mlir::Value> values_;
  mlir::Value moved_; // what the next movement takes
  std::vector<int64_t> sizes_;
  int64_t mostElements_ = 0;
  int64_t ops_ = 0;
  double freshChance_ = 0;
  bool wantsGradient_ = true;
};

} // namespace burn::fuzz
