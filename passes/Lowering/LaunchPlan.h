// The launch plan: what runs in which order on which memory.
#pragma once

#include "dialects/Burn/Burn.h"
#include "runtime/Core/Executable.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace burn::compiler {

/// Where a kernel argument lies at run time.
struct BufferRef {
  enum Kind {
    Buffer,   // bufs[index] of the entry point
    Scalar,   // `index` bytes into the block of scalars
    Arena,    // `index` bytes into the arena
    Constant, // the global `symbol`
    Error,    // the error word
  } kind = Buffer;
  int64_t index = 0;
  llvm::StringRef symbol;
};

/// The plan of a function that is fused and has its memory planned: arguments, results, kernels and derived buffers.
/// Arena size and checks are added by burn-lower-kernels.
core::Plan makePlan(mlir::func::FuncOp func);

/// Attributes of the module that burn-lower-kernels leaves: the steps of the plan, the arena in bytes, and the
/// run-time checks. A step is a dictionary:
///
///   {func, tasks, buffers, inline?, invocations?, first_check?, checks?}      one phase of a kernel, which makes
///                                                      `checks` checks beginning with that one
///   {kernel, cluster, workgroup, subgroup, shared, grid = [x, y, z], access, bytes, buffers}      the same on a GPU,
///                                                      with the invocations of a workgroup, those of the subgroups
///                                                      that it has to be made of (0: any), and the bytes they share
///   {together = steps}                                 such phases of kernels of which none waits for another, whose
///                                                      tasks take about `weight` times as long as the shortest ones
///   {copy = bytes, buffers = [from, to]}
///   {host_call = id, buffers, first_check}
///   {predicate, then = steps, else = steps}
///   {bounds = [lower, upper, step], bits, index, body = steps, first_check}
///   {cond = steps, predicate, body = steps}            a loop while the predicate holds after `cond`
///
/// Memory is given as `toAttribute` writes a BufferRef.
inline constexpr llvm::StringLiteral kLaunchesAttr = "burn.launches";
inline constexpr llvm::StringLiteral kArenaAttr = "burn.arena_bytes";
inline constexpr llvm::StringLiteral kChecksAttr = "burn.checks";
/// Steps and arena of the function that prepares the program, where there is one.
inline constexpr llvm::StringLiteral kPrepareLaunchesAttr = "burn.prepare_launches";
inline constexpr llvm::StringLiteral kPrepareArenaAttr = "burn.prepare_arena_bytes";
/// Bytes of the block of scalars.
inline constexpr llvm::StringLiteral kScalarBytesAttr = "burn.scalar_bytes";
/// GpuFeature bits that the kernels need, left by burn-gpu-kernels.
inline constexpr llvm::StringLiteral kGpuFeaturesAttr = "burn.gpu_features";

mlir::Attribute toAttribute(mlir::Builder &builder, const BufferRef &ref);
BufferRef toBufferRef(mlir::Attribute attribute);

} // namespace burn::compiler
