// What the payloads of elementwise ops are written with (BurnPayloads*.cpp); not for others.
#pragma once

#include "dialects/Burn/Burn.h"
#include "dialects/Burn/ScalarPayloads.h"

namespace burn::ir::payload {

/// The emitter for the element kind of an op's first operand.
inline ScalarOps opsFor(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value operand) {
  return ScalarOps(builder, loc, llvm::cast<mlir::ShapedType>(operand.getType()).getElementType());
}

/// A rough count of instructions on a vector register, a division counting as several.
inline constexpr unsigned kRootCost = 6, kDivideCost = 5, kExpCost = 16, kLogCost = 22, kRationalCost = 28,
                          kPowCost = 60, kGeluCost = 90, kGammaCost = 120;

} // namespace burn::ir::payload
