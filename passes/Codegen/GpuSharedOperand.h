// The way of a contraction's operand through workgroup memory.
#pragma once

#include "passes/Codegen/GpuContraction.h"

namespace burn::compiler {

/// The rows or lanes of an operand that a workgroup works on, some contracted steps at a time. They lie in lines as the
/// operand's memory runs: lines of steps, one for each row or lane, or lines of rows or lanes, one for each step. A
/// unit is what is brought at once, one element or 16 bytes.
class SharedOperand {
public:
  using Values = IndexEmitter::Values;

  /// `extent` rows or lanes and `steps` steps, brought by `invocations`. `element` is the type of an element there.
  SharedOperand(IndexEmitter &b, const Contraction &contraction, const ContractionOperand &operand, LoopGroup group,
                int64_t extent, int64_t steps, int64_t invocations, mlir::Type element);

  /// Bytes of workgroup memory that such an operand takes at most.
  static int64_t mostBytes(int64_t extent, int64_t steps, int64_t elementBytes);

  /// Says what an invocation brings: of the rows or lanes from `first` on.
  void place(mlir::Value invocation, mlir::Value batch, mlir::Value first);
  /// Its units of the steps from `k` on, out of the operand, and into the memory. Steps, rows and lanes beyond the end
  /// are zeros.
  Values fetch(mlir::Value k) const;
  void keep(mlir::ValueRange units) const;
  size_t units() const { return slots.size(); }

  /// Whether lines are lines of steps.
  bool stepsAreFast() const { return fastSteps; }
  mlir::Value getMemory() const { return memory; }
  /// Units between two lines.
  int64_t getLeading() const { return leading; }
  /// The unit of an element, `offset` rows or lanes behind `first` and at a step, of which a unit's first.
  mlir::Value unitOf(mlir::Value first, int64_t offset, int64_t step) const;

  /// How many neighbouring rows or lanes an invocation should take for its own: those of a unit.
  int64_t neighbours() const { return fastSteps ? 1 : width; }
  /// The elements of an invocation at a step, in the order of `firsts`: each stands for `neighbours` rows or lanes,
  /// from the given one on. Steps are asked for in order.
  Values elements(mlir::ValueRange firsts, int64_t step);

private:
  struct Slot {
    ContractionOperand::Place place;
    mlir::Value step, exists, index; // `index` into the memory
  };

  IndexEmitter &b;
  const Contraction &contraction;
  const ContractionOperand &operand;
  LoopGroup group;
  int64_t extent, steps, invocations, width;
  bool fastSteps;
  int64_t leading = 0;
  mlir::Type element;
  mlir::Value memory;
  llvm::SmallVector<Slot> slots;
  mlir::Value active; // whether the invocation has slots; null: always
  Values loaded;      // units of several steps
};

} // namespace burn::compiler
