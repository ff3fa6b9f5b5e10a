// The burn dialect: ops, interfaces, and the bridge between MLIR and the types of runtime/Core.
#pragma once

#include "runtime/Core/OpRules/OpRules.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SmallBitVector.h"

namespace burn::ir {

/// One operand element that may provide a result element of a data-moving op: which operand, where,
/// and under which conditions.
struct IndexedRead {
  unsigned operand = 0;
  /// Index into the operand, one expression per dimension.
  llvm::SmallVector<mlir::AffineExpr> index;
  /// Each must be >= 0.
  llvm::SmallVector<mlir::AffineExpr> nonNegative;
  /// Each must be 0.
  llvm::SmallVector<mlir::AffineExpr> zero;
};

/// Element type and shape of a static ranked tensor type with an element type of burn; nullopt else.
std::optional<core::TypeDesc> toTypeDesc(mlir::Type type);
std::optional<core::DType> toDType(mlir::Type elementType);

/// The tensor and element types of a `TypeDesc`.
mlir::RankedTensorType toTensorType(mlir::MLIRContext *context, const core::TypeDesc &desc);
mlir::Type toElementType(mlir::MLIRContext *context, core::DType dtype);

/// The attribute words of a burn op (runtime/Core/OpTable.h), from its attributes.
mlir::FailureOr<llvm::SmallVector<int64_t>> toAttrWords(const core::OpInfo &info, mlir::DictionaryAttr attributes);
llvm::SmallVector<int64_t> toAttrWords(mlir::Operation *op);

/// The attributes behind attribute words; failure where the words are malformed.
mlir::FailureOr<llvm::SmallVector<mlir::NamedAttribute>>
toAttributes(mlir::MLIRContext *context, const core::OpInfo &info, llvm::ArrayRef<int64_t> words);

/// The op table's row of a burn op, or null for ops of other dialects.
const core::OpInfo *opInfo(mlir::Operation *op);
const core::OpInfo *opInfo(mlir::OperationName name);

/// Type inference by the op's rule in runtime/Core/OpRules. `inherent` holds the attributes that live
/// in properties.
mlir::LogicalResult inferByRule(llvm::StringRef name, mlir::MLIRContext *context,
                                std::optional<mlir::Location> location, mlir::ValueRange operands,
                                mlir::DictionaryAttr attributes, mlir::Attribute inherent,
                                llvm::SmallVectorImpl<mlir::Type> &results);

/// The same for one op class, whose properties are read.
template <typename ConcreteOp>
mlir::LogicalResult inferByRule(mlir::MLIRContext *context, std::optional<mlir::Location> location,
                                mlir::ValueRange operands, mlir::DictionaryAttr attributes,
                                mlir::OpaqueProperties properties, llvm::SmallVectorImpl<mlir::Type> &results) {
  mlir::Attribute inherent;
  if constexpr (ConcreteOp::hasProperties())
    if (properties)
      inherent = ConcreteOp::getPropertiesAsAttr(context, *properties.as<typename ConcreteOp::Properties *>());
  return inferByRule(ConcreteOp::getOperationName(), context, location, operands, attributes, inherent, results);
}

/// Verifies a burn op by its rule.
mlir::LogicalResult verifyByRule(mlir::Operation *op);

/// Operands, attributes and results obey the op's rule in runtime/Core/OpRules.
template <typename ConcreteOp> class CheckedByRule : public mlir::OpTrait::TraitBase<ConcreteOp, CheckedByRule> {
public:
  static llvm::LogicalResult verifyTrait(mlir::Operation *op) { return verifyByRule(op); }
};

/// Declares that an op that gives floats has no derivative yet.
template <typename ConcreteOp>
class NotDifferentiable : public mlir::OpTrait::TraitBase<ConcreteOp, NotDifferentiable> {};

/// Verifies the regions of an op by RegionOpInterface::getRegionTypes: arguments, yielded values, burn ops only.
mlir::LogicalResult verifyRegionTypes(mlir::Operation *op);

/// Names of region arguments in printed IR.
void nameRegionArguments(mlir::Region &region, mlir::OpAsmSetValueNameFn setName);

/// Copies the ops of a region of one block, with `arguments` in place of its own, and returns what it yields.
llvm::SmallVector<mlir::Value> inlineRegion(mlir::OpBuilder &builder, mlir::Region &region, mlir::ValueRange arguments);

/// Folds an exact op whose operands are all constants by the interpreter.
mlir::LogicalResult foldByMeaning(mlir::Operation *op, llvm::ArrayRef<mlir::Attribute> operands,
                                  llvm::SmallVectorImpl<mlir::OpFoldResult> &folded);

/// Constants fold by the op's meaning.
template <typename ConcreteOp> class FoldedByMeaning : public mlir::OpTrait::TraitBase<ConcreteOp, FoldedByMeaning> {
public:
  static llvm::LogicalResult foldTrait(mlir::Operation *op, llvm::ArrayRef<mlir::Attribute> operands,
                                       llvm::SmallVectorImpl<mlir::OpFoldResult> &folded) {
    return foldByMeaning(op, operands, folded);
  }
};

} // namespace burn::ir

#include "dialects/Burn/BurnDialect.h.inc"
#include "dialects/Burn/BurnEnums.h.inc"

#include "dialects/Burn/BurnInterfaces.h.inc"

#define GET_OP_CLASSES
#include "dialects/Burn/BurnOps.h.inc"
