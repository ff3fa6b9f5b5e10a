// What a code generator makes of one burn.fused: functions that run one after the other, each over
// a fixed grid of tasks.
//
// Every function takes (index begin, index end), then one flat row-major buffer `memref<numel x T>`
// per operand and per result of the cluster, then `memref<bytes x i8>` where `scratchBytes` > 0, then
// `memref<1xi32>` where it has checks (a failing check stores 1 + its position). Element types are
// signless; booleans are stored as i8. A result may share its memory with an operand that is read at
// the identity index only.
#pragma once

#include "dialects/Burn/Burn.h"
#include "passes/Targets/Cpu/CpuTarget.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace burn::compiler {

/// One parallel loop over [0, tasks). Tasks write disjoint elements and may run in any order.
struct KernelPhase {
  mlir::func::FuncOp func;
  int64_t tasks = 0;
  /// On a GPU: 0 where each task is an invocation of its own, else the invocations of a workgroup that carry out a task
  /// together; `begin` is then the task, and `end` the number of the invocation in its workgroup.
  int64_t invocations = 0;
};

struct KernelCode {
  llvm::SmallVector<KernelPhase, 2> phases;
  /// Bytes of scratch memory, shared by all tasks and phases.
  int64_t scratchBytes = 0;
  /// Messages of the run-time checks of this kernel.
  llvm::SmallVector<std::string> checks;
};

/// The type of a buffer that holds a tensor of `type`.
mlir::MemRefType bufferType(mlir::Type type);

/// The signless element type that stands for a burn element type in registers (`i1` for booleans)
/// and in memory (`i8` for booleans). A bf16 is its bits, an `i16`, in both: ScalarOps::convert
/// widens it (LLVM itself would call a library for some of its operations).
mlir::Type registerType(mlir::Type elementType);
mlir::Type memoryType(mlir::Type elementType);

/// Creates a function of the signature above, with an empty entry block and without a terminator.
mlir::func::FuncOp createPhase(mlir::OpBuilder &atModule, ir::FusedOp fused, llvm::StringRef name, int64_t scratchBytes,
                               bool hasChecks);

/// Generators of one cluster kind each; they create functions at `atModule` named after `name`.
/// Failure comes with a diagnostic at the op that cannot be compiled.
mlir::FailureOr<KernelCode> buildElementwiseKernel(mlir::OpBuilder &atModule, ir::FusedOp fused, llvm::StringRef name,
                                                   const CpuTargetInfo &target);
mlir::FailureOr<KernelCode> buildRowKernel(mlir::OpBuilder &atModule, ir::FusedOp fused, llvm::StringRef name,
                                           const CpuTargetInfo &target);
mlir::FailureOr<KernelCode> buildContractionKernel(mlir::OpBuilder &atModule, ir::FusedOp fused, llvm::StringRef name,
                                                   const CpuTargetInfo &target);
mlir::FailureOr<KernelCode> buildSingleKernel(mlir::OpBuilder &atModule, ir::FusedOp fused, llvm::StringRef name,
                                              const CpuTargetInfo &target);

} // namespace burn::compiler
