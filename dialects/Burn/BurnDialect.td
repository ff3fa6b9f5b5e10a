// The burn dialect itself, and the base classes of its ops.

#ifndef DIALECTS_BURN_BURNDIALECT_TD
#define DIALECTS_BURN_BURNDIALECT_TD

include "mlir/IR/OpBase.td"

def Burn_Dialect : Dialect {
  let name = "burn";
  let summary = "Tensor programs with value semantics.";
  let description = [{
    The `burn` dialect holds a tensor program as it leaves a front end: a function of
    ranked tensors, one op per operation of the tensor API, without implicit broadcast and
    without implicit type promotion.

    Element types are builtin: `f64`, `f32`, `f16`, `bf16`, `i1` (boolean), `iN` (signed
    integers) and `uiN` (unsigned integers). Integer arithmetic wraps and is total: no op
    has undefined results. Every floating-point op rounds once to its own type.

    An op's shape and dtype rules live in `runtime/Core/OpRules` and are shared by the
    tracer, type inference and the verifier. Its meaning is defined by the reference
    interpreter.
  }];
  let cppNamespace = "::burn::ir";
  let hasConstantMaterializer = 1;
  let hasCanonicalizer = 1;
  let useDefaultTypePrinterParser = 0;
}

// Element types: builtin signless `iN` stands for a signed integer, `uiN` for an unsigned one.
defvar burnFloats = [F64, F32, F16, BF16];
defvar burnInts = [I8, I16, I32, I64, UI8, UI16, UI32, UI64];

// A ranked tensor of some element types, under a name that diagnostics can show.
class Burn_TensorOf<list<Type> elements, string text>
    : Type<RankedTensorOf<elements>.predicate, text, "::mlir::RankedTensorType">;

def Burn_Tensor : Burn_TensorOf<!listconcat(burnFloats, [I1], burnInts), "ranked tensor of numbers or booleans">;
def Burn_FloatTensor : Burn_TensorOf<burnFloats, "ranked tensor of floats">;
def Burn_NumberTensor : Burn_TensorOf<!listconcat(burnFloats, burnInts), "ranked tensor of numbers">;
def Burn_BoolTensor : Burn_TensorOf<[I1], "ranked tensor of booleans">;
def Burn_IntTensor : Burn_TensorOf<burnInts, "ranked tensor of integers">;
def Burn_BitsTensor : Burn_TensorOf<!listconcat([I1], burnInts), "ranked tensor of booleans or integers">;
def Burn_RandomBitsTensor : Burn_TensorOf<[UI32, UI64], "ranked tensor of ui32 or ui64">;

#endif // DIALECTS_BURN_BURNDIALECT_TD
