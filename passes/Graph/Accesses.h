// What an op reads, seen through the ops that only move data.
#pragma once

#include "dialects/Burn/Burn.h"

namespace burn::compiler {

/// How a compute op reads a value that another kernel or op provides.
struct Access {
  mlir::Value source;
  /// Index into the source, over the dims of the reader's domain.
  llvm::SmallVector<mlir::AffineExpr> index;
  /// Whether the read happens under a condition (padding, concatenation).
  bool conditional = false;
};

/// Ops that are copied into every kernel that reads them: data movement, generated values, and
/// arithmetic on scalars.
bool isTransparent(mlir::Operation *op);

/// Whether the op widens elements of 8 or 16 bits to 32 bits that hold each of their values: a product can do that as
/// it reads its operand.
bool canConvertOnRead(mlir::Operation *op);

/// The ops through which a product computes an operand as it reads it, the last first: what widens elements of 8 or 16
/// bits, as above, and sums, differences and products with one number - a dequantization by one scale. Nothing else
/// uses them. Empty where the operand is read as it is.
llvm::SmallVector<mlir::Operation *> readChain(mlir::OpOperand &operand);

/// The value that the product reads in place of the operand: what the chain begins with.
mlir::Value readSource(mlir::OpOperand &operand);

/// The operand of an op of such a chain that is not one number everywhere; nullopt for other ops.
std::optional<unsigned> readOperandOf(mlir::Operation *op);

/// The value behind broadcasts, reshapes and conversions that nothing else uses.
mlir::Value uniformSource(mlir::Value value);

/// Whether the op stands in such a chain, or converts a number for one.
bool isReadConverted(mlir::Operation *op);

/// How much code an op is in a kernel for each element, simple arithmetic being 1: 0 for what only moves data.
unsigned payloadCost(mlir::Operation *op);

/// Ops that are an entry of the program by themselves, outside of any kernel: control flow, kernels of the host,
/// barriers.
bool standsAlone(mlir::Operation *op);

/// The operand whose buffer the result of a reshape, barrier, assert or print shares; null for other values.
mlir::Value sharedBufferOf(mlir::Value value);

/// The value whose buffer holds this one, through any number of such ops.
mlir::Value bufferOf(mlir::Value value);

/// On a kernel: it runs in one parallel loop with the kernel before it. Left by burn-group-kernels.
inline constexpr llvm::StringLiteral kJoinsAttr = "burn.joins";

/// What an op runs over: a reduction over its operand, anything else over its first result.
llvm::ArrayRef<int64_t> iterationShape(mlir::Operation *op);

/// The index of every element itself; 0 along dims of size 1.
llvm::SmallVector<mlir::AffineExpr> identityIndex(llvm::ArrayRef<int64_t> shape, mlir::MLIRContext *context);

/// What `op` reads per element of its iteration shape. Transparent ops are looked through, unless
/// `isSource` holds for them. An op that reads whole buffers or computed places (a contraction, a
/// gather ...) has conditional accesses with an empty index.
llvm::SmallVector<Access> accessesOf(mlir::Operation *op, llvm::function_ref<bool(mlir::Operation *)> isSource);

/// What the elements of `value` at every index of its own are read from.
llvm::SmallVector<Access> accessesOf(mlir::Value value, llvm::function_ref<bool(mlir::Operation *)> isSource);

/// Whether a kernel reads operand `operand` of `fused` only at the index at which it stores results
/// of shape `shape`, so that such a result may take over the operand's memory.
bool isReadAtIdentityOnly(ir::FusedOp fused, unsigned operand, llvm::ArrayRef<int64_t> shape);

} // namespace burn::compiler
