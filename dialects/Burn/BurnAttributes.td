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
  I32EnumAttrCase<"And", 4, "and">, I32EnumAttrCase<"Or", 5, "or">,
  I32EnumAttrCase<"Xor", 6, "xor">]>;

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

def Burn_DivisionRounding : Burn_Enum<"DivisionRounding", "How the quotient of a remainder is rounded", [
  I32EnumAttrCase<"Trunc", 0, "trunc">, I32EnumAttrCase<"Floor", 1, "floor">]>;

def Burn_ScanKind : Burn_Enum<"ScanKind", "Combiner of a scan", [
  I32EnumAttrCase<"Sum", 0, "sum">, I32EnumAttrCase<"Prod", 1, "prod">,
  I32EnumAttrCase<"Max", 2, "max">, I32EnumAttrCase<"Min", 3, "min">]>;

def Burn_QuantStorage : Burn_Enum<"QuantStorage", "How quantized elements are stored", [
  I32EnumAttrCase<"I8", 0, "i8">, I32EnumAttrCase<"U8", 1, "ui8">,
  I32EnumAttrCase<"I4", 2, "i4">, I32EnumAttrCase<"U4", 3, "ui4">,
  I32EnumAttrCase<"F8E4M3FN", 4, "f8E4M3FN">, I32EnumAttrCase<"F8E5M2", 5, "f8E5M2">]>;

def Burn_InterpolateMode : Burn_Enum<"InterpolateMode", "Kernel of an interpolation", [
  I32EnumAttrCase<"Nearest", 0, "nearest">, I32EnumAttrCase<"Linear", 1, "linear">,
  I32EnumAttrCase<"Cubic", 2, "cubic">]>;

def Burn_CoordinateMode : Burn_Enum<"CoordinateMode", "Source coordinate of a result coordinate, as in ONNX Resize", [
  I32EnumAttrCase<"HalfPixel", 0, "half_pixel">, I32EnumAttrCase<"AlignCorners", 1, "align_corners">,
  I32EnumAttrCase<"Asymmetric", 2, "asymmetric">,
  I32EnumAttrCase<"PytorchHalfPixel", 3, "pytorch_half_pixel">,
  I32EnumAttrCase<"HalfPixelSymmetric", 4, "half_pixel_symmetric">]>;

def Burn_NearestMode : Burn_Enum<"NearestMode", "Rounding of a source coordinate, as in ONNX Resize", [
  I32EnumAttrCase<"RoundPreferFloor", 0, "round_prefer_floor">,
  I32EnumAttrCase<"RoundPreferCeil", 1, "round_prefer_ceil">,
  I32EnumAttrCase<"Floor", 2, "floor">, I32EnumAttrCase<"Ceil", 3, "ceil">]>;

def Burn_ClusterKind : Burn_Enum<"ClusterKind", "What a fused cluster is compiled as", [
  I32EnumAttrCase<"Elementwise", 0, "elementwise">, I32EnumAttrCase<"Row", 1, "row">,
  I32EnumAttrCase<"Contraction", 2, "contraction">, I32EnumAttrCase<"Single", 3, "single">]>;

def Burn_CheckpointPolicy : Burn_Enum<"CheckpointPolicy", "Which inner values a checkpoint may keep", [
  I32EnumAttrCase<"SaveNothing", 0, "save_nothing">,
  I32EnumAttrCase<"SaveContractions", 1, "save_contractions">,
  I32EnumAttrCase<"SaveNamed", 2, "save_named">]>;

#endif // DIALECTS_BURN_BURNATTRIBUTES_TD
