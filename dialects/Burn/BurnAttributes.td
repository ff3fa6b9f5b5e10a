// Enum attributes of burn ops. Codes are part of the serialized graph: explicit, never reused.

#ifndef DIALECTS_BURN_BURNATTRIBUTES_TD
#define DIALECTS_BURN_BURNATTRIBUTES_TD

include "mlir/IR/EnumAttr.td"
include "dialects/Burn/BurnDialect.td"

class Burn_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::burn::ir";
}

def Burn_CompareDirection : Burn_Enum<"CompareDirection", "Relation that a comparison tests", [
  I32EnumAttrCase<"EQ", 0, "eq">, I32EnumAttrCase<"NE", 1, "ne">,
  I32EnumAttrCase<"LT", 2, "lt">, I32EnumAttrCase<"LE", 3, "le">,
  I32EnumAttrCase<"GT", 4, "gt">, I32EnumAttrCase<"GE", 5, "ge">]>;

def Burn_ReduceKind : Burn_Enum<"ReduceKind", "Combiner of a reduction", [
  I32EnumAttrCase<"Sum", 0, "sum">, I32EnumAttrCase<"Prod", 1, "prod">,
  I32EnumAttrCase<"Max", 2, "max">, I32EnumAttrCase<"Min", 3, "min">,
  I32EnumAttrCase<"And", 4, "and">, I32EnumAttrCase<"Or", 5, "or">]>;

def Burn_ExtremumKind : Burn_Enum<"ExtremumKind", "Which extremum an index is taken of", [
  I32EnumAttrCase<"Max", 0, "max">, I32EnumAttrCase<"Min", 1, "min">]>;

def Burn_IndexMode : Burn_Enum<"IndexMode", "What an index outside its dimension does", [
  I32EnumAttrCase<"Check", 0, "check">, I32EnumAttrCase<"Clip", 1, "clip">,
  I32EnumAttrCase<"Fill", 2, "fill">, I32EnumAttrCase<"AssumeValid", 3, "assume_valid">]>;

def Burn_ScatterCombiner : Burn_Enum<"ScatterCombiner", "How scatter joins an update with its element", [
  I32EnumAttrCase<"Assign", 0, "assign">, I32EnumAttrCase<"Add", 1, "add">,
  I32EnumAttrCase<"Mul", 2, "mul">, I32EnumAttrCase<"Max", 3, "max">,
  I32EnumAttrCase<"Min", 4, "min">]>;

def Burn_LossReduction : Burn_Enum<"LossReduction", "How a loss is reduced over the batch", [
  I32EnumAttrCase<"None", 0, "none">, I32EnumAttrCase<"Mean", 1, "mean">,
  I32EnumAttrCase<"Sum", 2, "sum">]>;

def Burn_GeluApproximation : Burn_Enum<"GeluApproximation", "Formula of gelu", [
  I32EnumAttrCase<"None", 0, "none">, I32EnumAttrCase<"Tanh", 1, "tanh">]>;

def Burn_ClusterKind : Burn_Enum<"ClusterKind", "What a fused cluster is compiled as", [
  I32EnumAttrCase<"Elementwise", 0, "elementwise">, I32EnumAttrCase<"Row", 1, "row">,
  I32EnumAttrCase<"Contraction", 2, "contraction">, I32EnumAttrCase<"Single", 3, "single">]>;

#endif // DIALECTS_BURN_BURNATTRIBUTES_TD
