// Products that are made of several kernels, whose sums have another order than that of one: where results need not be
// deterministic.
#pragma once

#include "dialects/Burn/Burn.h"
#include "passes/Codegen/ContractionCost.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>

namespace burn::compiler {

/// A product in slices of its steps: each slice is summed up apart, by a batch more of the product, and then the slices
/// are, in their order, by a row kernel that takes what follows on the product.
struct ProductSplit {
  int64_t slices = 0;
};

mlir::DictionaryAttr toAttribute(mlir::MLIRContext *context, const ProductSplit &split);
/// nullopt for an attribute that is no split.
std::optional<ProductSplit> readSplit(mlir::Attribute attribute);

/// Whether a product may be taken out of its kernel: one of f32 or f64 that reads whole tensors as they are, and on
/// whose result only elementwise ops follow.
bool isSeparable(ir::FusedOp fused, mlir::Operation *op);

/// Whether the kernel is the product and nothing else.
bool isProductAlone(ir::FusedOp fused, mlir::Operation *op);

/// Whether the product has that many slices of equal length. Requires isSeparable.
bool canSplit(ir::DotGeneralOp product, const ProductSplit &split);

/// Puts the kernels of a split product in the place of `fused`, which is erased, and returns the product of slices.
ir::DotGeneralOp splitProduct(ir::FusedOp fused, ir::DotGeneralOp product, const ProductSplit &split);

/// Splits that an estimate likes, the best first and at most `most`: of few results with long sums.
llvm::SmallVector<ProductSplit> splitCandidates(ir::DotGeneralOp product, const ContractionTiling &usual,
                                                const CpuTargetInfo &target, size_t most);

/// A copy of a kernel in place of `fused`, which is erased, with the product as a further, last result.
ir::FusedOp exposeProduct(ir::FusedOp fused, ir::DotGeneralOp &product);

/// Puts in front of `fused` a kernel of what follows on the product, which `source` then holds, made by `result` from
/// the argument that stands for `source`; returns it. Its inputs are `source` and those of `fused` that it reads.
ir::FusedOp buildBehindProduct(mlir::OpBuilder &builder, ir::FusedOp fused, ir::DotGeneralOp product,
                               mlir::Value source, ir::ClusterKind kind, mlir::ValueRange inputs,
                               llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::Value)> result);

} // namespace burn::compiler
