// Windows that lie side by side, read a row of the operand at a time.
#pragma once

#include "passes/Codegen/ElementEmitter.h"
#include "passes/Codegen/Kernel.h"
#include "passes/Codegen/KernelLoops.h"

namespace burn::compiler {

/// Loops over windows, one to a lane, that neither overlap along the last dim nor are padded or dilated. A row of the
/// operand is read as it lies in memory and dealt out to the lanes by shuffles, so that no lane gathers.
///
/// Dims of the iteration space: one for each dim of the operand but the last, in windows; then windows and then
/// elements of the operand along the last dim.
class WindowRows {
public:
  /// Of `reduce_window` or `arg_reduce_window`; an empty `baseDilation` is 1 everywhere. With `singles` also where
  /// windows have one element along the last dim, as of images whose channels are last.
  static bool fit(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> window, llvm::ArrayRef<int64_t> strides,
                  llvm::ArrayRef<int64_t> padLow, llvm::ArrayRef<int64_t> padHigh, llvm::ArrayRef<int64_t> baseDilation,
                  llvm::ArrayRef<int64_t> windowDilation, bool singles = false);

  /// `covering`: the loops also come by elements of the operand that are in no window.
  WindowRows(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> result, llvm::ArrayRef<int64_t> window,
             llvm::ArrayRef<int64_t> strides, bool covering);

  /// The extents of the iteration space.
  llvm::SmallVector<int64_t> sizes() const;

  /// Opens the loops of the tasks and returns their number. `atWindows` runs for every vector of windows, `outside`
  /// (where covering) for every vector of places that would hold windows but for the end of the operand.
  int64_t forWindows(mlir::OpBuilder &b, mlir::Location loc, ElementEmitter &emitter, const PhaseArguments &arguments,
                     llvm::function_ref<void()> atWindows, llvm::function_ref<void()> outside);

  /// The elements of `input` in place `within` of the windows, which counts all dims but the last: one vector for each
  /// place along the last.
  llvm::SmallVector<mlir::Value> deal(mlir::Value input, llvm::ArrayRef<int64_t> within);

  /// Runs `emit` where lanes are windows. The index is that of the result.
  void inWindows(llvm::function_ref<void(llvm::ArrayRef<mlir::AffineExpr>)> emit);

  /// Stores a row of the operand's shape, given like what `deal` returns; what is missing at its end is `otherwise`.
  /// `within` counts steps of the windows, so that the row may lie beyond the operand: then nothing is stored.
  void storeRow(llvm::ArrayRef<mlir::Value> dealt, mlir::Value otherwise, mlir::Value buffer,
                llvm::ArrayRef<int64_t> within);

  /// Lanes of a vector of windows.
  int64_t lanes() const { return lanes_; }

  /// Calls `at` with each place of a box, in row-major order.
  static void forPlaces(llvm::ArrayRef<int64_t> box, llvm::function_ref<void(llvm::ArrayRef<int64_t>)> at);

private:
  unsigned rank() const { return shape_.size(); }
  unsigned windowDim() const { return rank() - 1; }
  unsigned columnDim() const { return rank(); }
  /// The index of an element of the operand.
  ElementIndex operandIndex(llvm::ArrayRef<int64_t> within) const;
  /// Runs `emit` where lanes are elements of the operand.
  void inColumns(llvm::function_ref<void()> emit);
  void forVectorsOfRow(llvm::function_ref<void()> atVector);

  llvm::ArrayRef<int64_t> shape_, result_, window_, strides_;
  llvm::SmallVector<int64_t> blocks_; // windows along each dim, those beyond the operand's end included
  int64_t lanes_;

  mlir::OpBuilder *b_ = nullptr;
  mlir::Location *loc_ = nullptr;
  ElementEmitter *emitter_ = nullptr;
  mlir::Value first_; // window of lane 0
  mlir::Value windowMask_, columnMask_;
};

} // namespace burn::compiler
