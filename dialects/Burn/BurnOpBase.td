// Base classes of burn ops.

#ifndef DIALECTS_BURN_BURNOPBASE_TD
#define DIALECTS_BURN_BURNOPBASE_TD

include "dialects/Burn/BurnAttributes.td"
include "dialects/Burn/BurnInterfaces.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

// The op's reverse-mode rule (methods in BurnDerivatives*.cpp): for all float operands, for some of
// them, or none because the derivative is zero everywhere.
defvar Differentiable = DeclareOpInterfaceMethods<Burn_DifferentiableOpInterface, ["buildVjp"]>;
defvar DifferentiableSome =
    DeclareOpInterfaceMethods<Burn_DifferentiableOpInterface, ["buildVjp", "isDifferentiableOperand"]>;
defvar ZeroDerivative =
    DeclareOpInterfaceMethods<Burn_DifferentiableOpInterface, ["isDifferentiableOperand"]>;
// The decomposition (BurnDecompositions.cpp).
defvar Composite = DeclareOpInterfaceMethods<Burn_CompositeOpInterface, ["decompose"]>;
defvar View = DeclareOpInterfaceMethods<Burn_ViewOpInterface>;
// The code of the op (BurnPayloads.cpp), and its cost where that is not negligible.
defvar ElementwisePayload =
    DeclareOpInterfaceMethods<Burn_ElementwiseOpInterface, ["buildScalarPayload"]>;
defvar CostlyPayload = DeclareOpInterfaceMethods<Burn_ElementwiseOpInterface,
                                                 ["buildScalarPayload", "getPayloadCost"]>;

// A tensor of one fixed type.
class Burn_FixedTensor<string text, string shape, string element>
    : Type<CPred<"$_self == ::mlir::RankedTensorType::get(" # shape # ", " #
                 !subst("$B", "::mlir::Builder($_self.getContext())", element) # ")">, text>,
      BuildableType<"::mlir::RankedTensorType::get(" # shape # ", " #
                    !subst("$B", "$_builder", element) # ")">;

// A number of the host.
def Burn_HostNumber : Burn_FixedTensor<"tensor<f64>", "{}", "$B.getF64Type()">;

// An op that gives floats, but through which no gradient flows yet: one that arrives is an error.
def Burn_NotDifferentiable : NativeOpTrait<"NotDifferentiable"> {
  let cppNamespace = "::burn::ir";
}

// Verifies operands, attributes and result types by the rule of the op in runtime/Core/OpRules.
def Burn_CheckedByRule : NativeOpTrait<"CheckedByRule"> {
  let cppNamespace = "::burn::ir";
}

// Folds an op of constants by its meaning, where that is exact (BurnFolders.cpp).
def Burn_FoldedByMeaning : NativeOpTrait<"FoldedByMeaning"> {
  let cppNamespace = "::burn::ir";
}

// A burn op. `number` identifies the op in serialized graphs: explicit, never reused.
class Burn_Op<string mnemonic, int number, list<Trait> traits = []>
    : Op<Burn_Dialect, mnemonic, !listconcat([Burn_CheckedByRule, Burn_FoldedByMeaning], traits)> {
  int opCode = number;
  // Whether result types follow from operands and attributes; else they are given and checked.
  bit resultsInferred = 1;
  // Whether the op may stand in a serialized graph.
  bit inGraph = 1;

  string head = "static constexpr ::burn::core::OpCode kOpCode = static_cast<::burn::core::OpCode>("
      # !cast<string>(number) # ");\n";
  let extraClassDeclaration = head;
}

// An op whose result types are inferred by its rule.
class Burn_InferredOp<string mnemonic, int number, list<Trait> traits = []>
    : Burn_Op<mnemonic, number, !listconcat([InferTypeOpInterface], traits)> {
  let extraClassDeclaration = head # [{
    static ::llvm::LogicalResult inferReturnTypes(
        ::mlir::MLIRContext *context, std::optional<::mlir::Location> location,
        ::mlir::ValueRange operands, ::mlir::DictionaryAttr attributes,
        ::mlir::OpaqueProperties properties, ::mlir::RegionRange regions,
        ::llvm::SmallVectorImpl<::mlir::Type> &results);
  }];
  let extraClassDefinition = [{
    ::llvm::LogicalResult $cppClass::inferReturnTypes(
        ::mlir::MLIRContext *context, std::optional<::mlir::Location> location,
        ::mlir::ValueRange operands, ::mlir::DictionaryAttr attributes,
        ::mlir::OpaqueProperties properties, ::mlir::RegionRange regions,
        ::llvm::SmallVectorImpl<::mlir::Type> &results) {
      return ::burn::ir::inferByRule<$cppClass>(context, location, operands, attributes, properties,
                                                results);
    }
  }];
}

// An op whose result types follow from a trait that also infers them.
class Burn_MatchedOp<string mnemonic, int number, list<Trait> traits = []>
    : Burn_Op<mnemonic, number, traits>;

// An op whose result types are given and checked.
class Burn_TypedOp<string mnemonic, int number, list<Trait> traits = []>
    : Burn_Op<mnemonic, number, traits> {
  let resultsInferred = 0;
}

// An elementwise op whose operands and result have one type (C1).
class Burn_UnaryOp<string mnemonic, int number, Type type, list<Trait> traits>
    : Burn_MatchedOp<mnemonic, number,
                      !listconcat([Pure, Elementwise, SameOperandsAndResultType], traits)> {
  let arguments = (ins type:$input);
  let results = (outs type:$result);
  let assemblyFormat = "$input attr-dict `:` type($result)";
}

class Burn_BinaryOp<string mnemonic, int number, Type type, list<Trait> traits>
    : Burn_MatchedOp<mnemonic, number,
                      !listconcat([Pure, Elementwise, SameOperandsAndResultType], traits)> {
  let arguments = (ins type:$lhs, type:$rhs);
  let results = (outs type:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($result)";
}

// An elementwise test of each element.
class Burn_TestOp<string mnemonic, int number, Type type, list<Trait> traits>
    : Burn_InferredOp<mnemonic, number,
                       !listconcat([Pure, Elementwise, SameOperandsAndResultShape], traits)> {
  let arguments = (ins type:$input);
  let results = (outs Burn_BoolTensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input)";
}

#endif // DIALECTS_BURN_BURNOPBASE_TD
