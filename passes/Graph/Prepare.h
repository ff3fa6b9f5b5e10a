// The function that prepares a program, and the memory that it may take.
#pragma once

#include "dialects/Burn/Burn.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace burn::compiler {

/// Whether the function prepares another one.
bool isPrepare(mlir::func::FuncOp func);

/// The function that prepares `func`, or null. Its results are the last arguments of `func`, those marked as derived.
mlir::func::FuncOp prepareOf(mlir::func::FuncOp func);

/// The same; one that computes nothing yet is made where there is none.
mlir::func::FuncOp makePrepare(mlir::func::FuncOp func);

/// Has `func` take `value`, of a top-level value of its `prepare`, as a further derived argument.
mlir::Value addDerived(mlir::func::FuncOp func, mlir::func::FuncOp prepare, mlir::Value value);

/// Drops derived arguments that nothing reads, what is computed for them alone, and a `prepare` without results.
void dropUnusedDerived(mlir::func::FuncOp func);

/// Erases ops of a function, in branches and loops too, that nothing uses, and for which `mayGo` holds.
void eraseUnused(mlir::func::FuncOp func, llvm::function_ref<bool(mlir::Operation *)> mayGo);

/// The positions of the arguments that a value at the top of a function is computed from, in order.
llvm::SmallVector<unsigned> argumentsBelow(mlir::Value value);

/// Whether the value is a constant whose elements stand in the program one by one.
bool isData(mlir::Value value);

/// Bytes that values may take which are computed ahead from what never changes.
class DerivedBudget {
public:
  /// For values derived from frozen arguments of `func`, with what it has already.
  static DerivedBudget ofFrozen(mlir::func::FuncOp func);
  /// For values computed from its constants, which are constants themselves.
  static DerivedBudget ofConstants(mlir::func::FuncOp func);

  /// Takes `bytes` for a value that is computed from `sourceBytes` of them; false where that is too much.
  bool take(int64_t bytes, int64_t sourceBytes);

  /// Whether a value of so many bytes may stand for `sourceBytes`, whatever others take.
  static bool isModest(int64_t bytes, int64_t sourceBytes);

private:
  explicit DerivedBudget(int64_t sourceBytes);

  int64_t left_ = 0;
};

/// Bytes of a tensor.
int64_t tensorBytes(mlir::Type type);

} // namespace burn::compiler
