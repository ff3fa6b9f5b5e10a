// Products that a library of the processor's vendor computes: where results need not be deterministic.
#pragma once

#include "dialects/Burn/Burn.h"

#include "mlir/IR/BuiltinAttributes.h"

#include <cstdint>
#include <optional>

namespace burn::compiler {

/// A product by oneDNN, in pieces of one thread each.
struct VendorProduct {
  /// Of oneDNN, as runtime/Core/OneDnn.h counts.
  int64_t version = 0;
  int64_t tasks = 1;
};

mlir::DictionaryAttr toAttribute(mlir::MLIRContext *context, const VendorProduct &vendor);
/// nullopt for an attribute that is none.
std::optional<VendorProduct> readVendor(mlir::Attribute attribute);

/// Whether oneDNN has the product: one of f32 whose operands are matrices, transposed or not, or batches of such.
/// Requires isSeparable.
bool hasVendorProduct(ir::DotGeneralOp product);

/// Puts a call of oneDNN, and a kernel of what follows on the product, in the place of `fused`, which is erased.
/// Requires hasVendorProduct.
void callVendor(ir::FusedOp fused, ir::DotGeneralOp product, const VendorProduct &vendor);

} // namespace burn::compiler
