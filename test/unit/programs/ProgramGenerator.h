// Shared by the files that grow random programs; not for others.
#pragma once

#include "test/unit/programs/RandomPrograms.h"

#include <functional>
#include <optional>

namespace burn::test {

/// Grows a program from the values that it has so far.
class ProgramGenerator {
public:
  ProgramGenerator(mlir::MLIRContext &context, uint64_t seed, bool smooth);

  RandomProgram build();

private:
  template <typename T> const T &oneOf(const std::vector<T> &choices) {
    return choices[pick(random_, 0, static_cast<int64_t>(choices.size()) - 1)];
  }
  template <typename T> T oneOf(std::initializer_list<T> choices) {
    return choices.begin()[pick(random_, 0, static_cast<int64_t>(choices.size()) - 1)];
  }
  bool chance(double probability) { return test::chance(random_, probability); }
  int64_t number(int64_t low, int64_t high) { return pick(random_, low, high); }

  Shape randomShape();
  DType randomDType();
  Dims someDims(unsigned rank, bool nonEmpty);
  Dims permutation(unsigned rank);

  /// A new argument or constant.
  mlir::Value fresh(const core::TypeDesc &type);
  mlir::Value indices(DType dtype, const Shape &shape, int64_t low, int64_t high);
  mlir::Value splat(DType dtype, const Shape &shape, double value);
  /// A value of the program so far, rather a late one, or null where none fits.
  mlir::Value existing(const std::function<bool(const core::TypeDesc &)> &fits);
  mlir::Value any();
  mlir::Value anyFloat();
  /// A value of a type: an existing one, one broadcast to it, or a new one.
  mlir::Value valueOf(const core::TypeDesc &type);

  /// Adds an op and its results to the program; null where its rule refuses it.
  mlir::Value add(core::OpCode code, llvm::ArrayRef<mlir::Value> operands, llvm::ArrayRef<int64_t> words = {},
                  const core::TypeDesc *type = nullptr);
  template <typename Attrs>
  mlir::Value add(const Attrs &attrs, llvm::ArrayRef<mlir::Value> operands, const core::TypeDesc *type = nullptr) {
    llvm::SmallVector<int64_t> words;
    attrs.encode(words);
    return add(Attrs::op, operands, words, type);
  }
  mlir::Value broadcastTo(mlir::Value value, const Shape &shape, const Dims &dims);

  // Each adds an op of a kind; null where nothing came of it.
  mlir::Value unary();
  mlir::Value binary();
  mlir::Value choice();
  mlir::Value conversion();
  mlir::Value view();
  mlir::Value reduction();
  mlir::Value composite();
  mlir::Value dot();
  mlir::Value convolution();
  mlir::Value window();
  mlir::Value indexing();
  mlir::Value generated();
  void gradient();
  mlir::Value totalOf(mlir::Value value);

  bool fits(const Shape &shape) const { return shape.numel() <= mostElements_; }

  Random random_;
  const bool smooth_;
  ProgramBuilder builder_;
  Tensors arguments_;
  std::vector<mlir::Value> values_;
  std::vector<int64_t> sizes_;
  int64_t mostElements_ = 0;
  int64_t ops_ = 0;
  double freshChance_ = 0;
};

} // namespace burn::test
