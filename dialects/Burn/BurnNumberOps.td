// Ops on numbers as they are represented: parts, classes, bits, remainders.

#ifndef DIALECTS_BURN_BURNNUMBEROPS_TD
#define DIALECTS_BURN_BURNNUMBEROPS_TD

include "dialects/Burn/BurnOpBase.td"

def Burn_TruncOp : Burn_UnaryOp<"trunc", 161, Burn_FloatTensor, [ElementwisePayload, ZeroDerivative]> {
  let summary = "Rounding towards zero.";
  let description = [{
    Keeps the sign of zero, infinities and NaN. The derivative is 0.

    ```mlir
    %r = burn.trunc %x : tensor<4xf32>
    ```
  }];
}

def Burn_IsNanOp : Burn_TestOp<"is_nan", 162, Burn_FloatTensor, [ElementwisePayload]> {
  let summary = "Whether an element is NaN.";
  let description = [{
    True at NaN alone.

    ```mlir
    %r = burn.is_nan %x : tensor<4xf32>
    ```
  }];
}

def Burn_IsInfOp : Burn_TestOp<"is_inf", 163, Burn_FloatTensor, [ElementwisePayload]> {
  let summary = "Whether an element is infinite.";
  let description = [{
    True at both infinities.

    ```mlir
    %r = burn.is_inf %x : tensor<4xf32>
    ```
  }];
}

def Burn_IsFiniteOp : Burn_TestOp<"is_finite", 164, Burn_FloatTensor, [ElementwisePayload]> {
  let summary = "Whether an element is finite.";
  let description = [{
    False at infinities and NaN.

    ```mlir
    %r = burn.is_finite %x : tensor<4xf32>
    ```
  }];
}

def Burn_PopcntOp : Burn_UnaryOp<"popcnt", 165, Burn_IntTensor, [ElementwisePayload]> {
  let summary = "Number of one bits.";
  let description = [{
    In the representation of an integer (two's complement), as a number of its type.

    ```mlir
    %r = burn.popcnt %x : tensor<4xi32>
    ```
  }];
}

def Burn_ClzOp : Burn_UnaryOp<"clz", 166, Burn_IntTensor, [ElementwisePayload]> {
  let summary = "Number of leading zero bits.";
  let description = [{
    The width of the type for 0.

    ```mlir
    %r = burn.clz %x : tensor<4xi32>
    ```
  }];
}

def Burn_RemOp : Burn_MatchedOp<"rem", 140, [Pure, Elementwise, SameOperandsAndResultType, CostlyPayload,
    Differentiable]> {
  let summary = "Remainder of a division.";
  let description = [{
    a - b q with the quotient q = a / b rounded as `rounding` says, exact for floats: `trunc` is fmod
    of ISO C and has the sign of a, `floor` has the sign of b (also of a zero result). Floats: NaN where a is
    infinite or b is 0; a where b is infinite (`floor` with unlike signs: b). Integers: a where b
    is 0; 0 where the quotient wraps. The cotangent of b is -g q.

    ```mlir
    %r = burn.rem floor %a, %b : tensor<4xf32>
    ```
  }];
  let arguments = (ins Burn_DivisionRounding:$rounding, Burn_NumberTensor:$lhs, Burn_NumberTensor:$rhs);
  let results = (outs Burn_NumberTensor:$result);
  let assemblyFormat = "$rounding $lhs `,` $rhs attr-dict `:` type($result)";
}

def Burn_FloorDivOp : Burn_BinaryOp<"floor_div", 141, Burn_IntTensor, [CostlyPayload]> {
  let summary = "Integer division rounded to minus infinity.";
  let hasFolder = 1;
  let description = [{
    floor(a / b). As for div, x / 0 is -1 (all ones where unsigned), and the least integer by -1 wraps to
    itself.

    ```mlir
    %r = burn.floor_div %a, %b : tensor<4xi32>
    ```
  }];
}

def Burn_CopysignOp : Burn_BinaryOp<"copysign", 145, Burn_FloatTensor, [ElementwisePayload, DifferentiableSome]> {
  let summary = "Magnitude of one number, sign of another.";
  let description = [{
    |a| with the sign bit of b, also where b is zero. A NaN counts as positive: which NaN an operation gives is
    not specified, and no result may depend on it. The cotangent of a is g sign(a) sign(b); b has none.

    ```mlir
    %r = burn.copysign %a, %b : tensor<4xf32>
    ```
  }];
}

def Burn_FmaxOp : Burn_BinaryOp<"fmax", 148, Burn_FloatTensor, [ElementwisePayload, Differentiable]> {
  let summary = "Greater element that is a number.";
  let description = [{
    maximumNumber of IEEE 754-2019: NaN only where both are; +0 above -0. At a tie the cotangent goes to a.

    ```mlir
    %r = burn.fmax %a, %b : tensor<4xf32>
    ```
  }];
}

def Burn_FminOp : Burn_BinaryOp<"fmin", 149, Burn_FloatTensor, [ElementwisePayload, Differentiable]> {
  let summary = "Lesser element that is a number.";
  let description = [{
    minimumNumber of IEEE 754-2019: NaN only where both are; -0 below +0. At a tie the cotangent goes to a.

    ```mlir
    %r = burn.fmin %a, %b : tensor<4xf32>
    ```
  }];
}

def Burn_ShlOp : Burn_BinaryOp<"shl", 146, Burn_IntTensor, [ElementwisePayload]> {
  let summary = "Shift to the left.";
  let hasFolder = 1;
  let description = [{
    a times 2^b, wrapped. A shift below 0, or by the width or more, leaves 0.

    ```mlir
    %r = burn.shl %a, %b : tensor<4xi32>
    ```
  }];
}

def Burn_ShrOp : Burn_BinaryOp<"shr", 147, Burn_IntTensor, [ElementwisePayload]> {
  let summary = "Shift to the right.";
  let hasFolder = 1;
  let description = [{
    Fills with the sign of a signed integer, with zeros otherwise. A shift below 0, or by the width or more,
    leaves nothing but the fill.

    ```mlir
    %r = burn.shr %a, %b : tensor<4xi32>
    ```
  }];
}

def Burn_BitcastOp : Burn_TypedOp<"bitcast", 167, [Pure, Elementwise, SameOperandsAndResultShape,
    ElementwisePayload, ZeroDerivative]> {
  let summary = "The bits of an element as another type.";
  let hasFolder = 1;
  let description = [{
    No gradient flows.

    Constraints: (C1) both types have the same width; (C2) neither is boolean.

    ```mlir
    %r = burn.bitcast %x : tensor<4xf32> to tensor<4xi32>
    ```
  }];
  let arguments = (ins Burn_NumberTensor:$input);
  let results = (outs Burn_NumberTensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `to` type($result)";
}

def Burn_ReducePrecisionOp : Burn_UnaryOp<"reduce_precision", 168, Burn_FloatTensor,
    [ElementwisePayload, Differentiable]> {
  let summary = "Rounding to a narrower float type, kept in the wider one.";
  let description = [{
    The result of converting to `type` and back, which no simplification removes. The cotangent is
    rounded likewise.

    Constraints: (C1) `type` is a float type that is not wider than the operand's.

    ```mlir
    %r = burn.reduce_precision %x {type = bf16} : tensor<4xf32>
    ```
  }];
  let arguments = (ins Burn_FloatTensor:$input, TypeAttr:$type);
}

#endif // DIALECTS_BURN_BURNNUMBEROPS_TD
