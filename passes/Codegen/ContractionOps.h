// Contractions and tilings of burn ops.
#pragma once

#include "passes/Codegen/Contraction.h"
#include "passes/Codegen/ElementEmitter.h"
#include "passes/Targets/Cpu/CpuTarget.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

#include <optional>
#include <string>

namespace burn::compiler {

/// Name of the attribute that holds the tiling of an op.
inline constexpr llvm::StringLiteral tilingAttrName = "burn.tiling";

/// The contraction of a `burn.dot_general` or `burn.conv`; nullopt for other ops and for element types that have no
/// arithmetic.
std::optional<Contraction> contractionOf(mlir::Operation *op);

/// The kinds of the op's elements, where operands stand for what they are computed from as they are read (readChain).
ContractionKinds contractionKinds(mlir::Operation *op);

/// The value whose buffer the operand is read from, where that changes less often than the op runs: a frozen argument
/// of the function, or one derived from such (burn-hoist-frozen), the data of a constant, or what is the same in all
/// iterations of a loop around the op; else null. The op stands in a burn.fused.
mlir::Value fixedSourceOf(mlir::Operation *op, unsigned operand);

/// Whether it is such an argument, or a constant: it never changes.
bool isFixedForever(mlir::Value source);

/// The operand with a source of that kind; one that never changes, where one is.
FixedOperand fixedOperandOf(mlir::Operation *op);

/// The value that operand `operand` is read from.
mlir::Value contractionSource(mlir::Operation *op, unsigned operand);

mlir::DictionaryAttr toAttribute(mlir::MLIRContext *context, const ContractionTiling &tiling);

/// A tiling from its attribute; nullopt for a malformed one, with `why`. It may not fit what it is for.
std::optional<ContractionTiling> readTiling(mlir::Attribute attribute, std::string &why);

/// The tiling that stands on the op, or nullopt where none does. A malformed one, or one that does not fit the
/// contraction, is an error reported at the op.
mlir::FailureOr<std::optional<ContractionTiling>> tilingOn(mlir::Operation *op, const Contraction &contraction);

/// The tiling on the op, else the chosen one. Instructions that add up in another order, or in another precision, are
/// chosen where `deterministic` is false alone; those that the target does not have are an error.
mlir::FailureOr<ContractionTiling> tilingFor(mlir::Operation *op, const Contraction &contraction,
                                             const CpuTargetInfo &target, bool deterministic = true,
                                             FixedOperand fixed = FixedOperand::None);

/// Whether an operand has the role of rows in the kernel, or else that of lanes.
bool isRowsOperand(const Contraction &contraction, const ContractionTiling &tiling, unsigned number);

/// Whether the tiling has the panels of an operand ready.
bool isReady(const Contraction &contraction, const ContractionTiling &tiling, unsigned number);

/// The place in the output, one expression per dimension, over the indices of the batch, row and lane loops as dims 0
/// to 2.
ElementIndex outputIndex(const Contraction &contraction, unsigned rank, mlir::MLIRContext *context);

} // namespace burn::compiler
