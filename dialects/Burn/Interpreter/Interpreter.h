// The reference interpreter: runs a function of burn ops on host tensors, one op after the other.
#pragma once

#include "dialects/Burn/Interpreter/Evaluate.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinAttributes.h"

#include <functional>

namespace burn::ir {

/// Sees every evaluated op with its operands and results, in program order; ops inside burn.fused
/// before the burn.fused itself. An error that it returns ends the run.
using InterpreterObserver = std::function<core::Status(mlir::Operation *op, std::span<const HostTensor *const> operands,
                                                       std::span<const HostTensor *const> results)>;

struct InterpreterOptions {
  Precision precision = Precision::Own;
  InterpreterObserver observer;
  /// Called by burn.print, if set.
  std::function<void(llvm::StringRef label, const HostTensor &value)> print;
  /// Set to the op at which the run failed.
  mlir::Operation **failedOp = nullptr;
};

/// Runs a function of one block. Arguments have the types of its parameters; under
/// `Precision::Double` and `ComplexStep` floating-point arguments may be given in their own type or
/// as held. Results are as held. A function with burn.grad is refused: run the differentiate pass
/// first.
core::Expected<std::vector<HostTensor>> interpret(mlir::func::FuncOp function, std::span<const HostTensor> arguments,
                                                  const InterpreterOptions &options = {});

/// The tensor under another precision: floats are widened (to own types: rounded, real parts).
HostTensor convertHeld(const HostTensor &tensor, DType ownType, Precision precision);

/// A constant's elements, or the elements as a constant; null or an error where the element type is
/// none of burn's.
core::Expected<HostTensor> toHostTensor(mlir::ElementsAttr elements);
mlir::DenseElementsAttr toElementsAttr(mlir::MLIRContext *context, const HostTensor &tensor);

} // namespace burn::ir
