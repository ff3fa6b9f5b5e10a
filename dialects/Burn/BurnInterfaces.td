// Interfaces through which passes and code generators learn what an op does.

#ifndef DIALECTS_BURN_BURNINTERFACES_TD
#define DIALECTS_BURN_BURNINTERFACES_TD

include "mlir/IR/OpBase.td"

def Burn_DifferentiableOpInterface : OpInterface<"DifferentiableOpInterface"> {
  let cppNamespace = "::burn::ir";
  let description = [{
    An op with a reverse-mode rule. A cotangent is a value of the primal's type, or null for the
    symbolic zero. Operands and results of integer or boolean type never have a cotangent.
  }];
  let methods = [
    InterfaceMethod<[{
      Emits the cotangents of the operands named in `needed`, given those of the results (never all
      of them null). `operandCts` has one slot per operand, all null at entry; a slot left null is
      a symbolic zero. Emits only ops that have a rule.
    }], "::llvm::LogicalResult", "buildVjp",
      (ins "::mlir::OpBuilder &":$builder, "::llvm::ArrayRef<::mlir::Value>":$resultCts,
           "const ::llvm::SmallBitVector &":$needed,
           "::llvm::MutableArrayRef<::mlir::Value>":$operandCts), "", [{
        return ::mlir::failure();
      }]>,
    InterfaceMethod<[{
      Whether a change of the operand can change a float result smoothly: false for indices,
      keys, predicates and for ops whose derivative is zero everywhere.
    }], "bool", "isDifferentiableOperand", (ins "unsigned":$operand), "", [{
      auto type = ::llvm::cast<::mlir::ShapedType>($_op->getOperand(operand).getType());
      return ::llvm::isa<::mlir::FloatType>(type.getElementType());
    }]>,
  ];
}

def Burn_ElementwiseOpInterface : OpInterface<"ElementwiseOpInterface"> {
  let cppNamespace = "::burn::ir";
  let description = [{
    An op whose result element depends on the operand elements at the same index only (rank-0
    operands aside). Its code is one scalar payload, used by every back end.
  }];
  let methods = [
    InterfaceMethod<[{
      Emits the op on lowered values: scalars or vectors of signless element types, `i1` for
      booleans. `operands` are the elements at one index (or at consecutive indices). The same
      operations are emitted for a scalar and for a vector, so that both give the same bits.
    }], "::mlir::Value", "buildScalarPayload",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc,
           "::mlir::ValueRange":$operands), "", [{ return nullptr; }]>,
    InterfaceMethod<[{
      Number of expensive operations per element (exp, erf, divide ...), for the fusion cost model.
    }], "unsigned", "getPayloadCost", (ins), "", [{ return 0; }]>,
  ];
}

def Burn_ViewOpInterface : OpInterface<"ViewOpInterface"> {
  let cppNamespace = "::burn::ir";
  let description = [{
    An op that only moves data: each result element is a copy of one operand element, whose place
    follows from the index. Code generators compose the index maps; no data need move.
  }];
  let methods = [
    InterfaceMethod<[{
      The reads that may provide result element `index` (one expression per result dimension, over
      arbitrary dims and symbols), in order of precedence: the first read whose conditions hold
      provides the element; the last one has no conditions.
    }], "::llvm::SmallVector<::burn::ir::IndexedRead>", "getReads",
      (ins "::llvm::ArrayRef<::mlir::AffineExpr>":$index)>,
  ];
}

def Burn_CompositeOpInterface : OpInterface<"CompositeOpInterface"> {
  let cppNamespace = "::burn::ir";
  let description = [{
    An op that is kept whole for its derivative and for native kernels, and whose exact meaning is
    its decomposition into primitive ops.
  }];
  let methods = [
    InterfaceMethod<"Emits the decomposition and returns one value per result.",
      "::llvm::SmallVector<::mlir::Value>", "decompose", (ins "::mlir::OpBuilder &":$builder), "",
      [{ return {}; }]>,
  ];
}

def Burn_RegionOpInterface : OpInterface<"RegionOpInterface"> {
  let cppNamespace = "::burn::ir";
  let description = [{
    An op with regions of burn ops that see nothing but their arguments.
  }];
  let methods = [
    InterfaceMethod<"The types that a region takes as arguments and those that it yields.", "void",
      "getRegionTypes",
      (ins "unsigned":$region, "::llvm::SmallVectorImpl<::mlir::Type> &":$arguments,
           "::llvm::SmallVectorImpl<::mlir::Type> &":$results), "", [{}]>,
  ];
}

#endif // DIALECTS_BURN_BURNINTERFACES_TD
