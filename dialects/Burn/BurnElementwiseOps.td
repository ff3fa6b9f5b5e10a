// Ops that act on each element alone.

#ifndef DIALECTS_BURN_BURNELEMENTWISEOPS_TD
#define DIALECTS_BURN_BURNELEMENTWISEOPS_TD

include "dialects/Burn/BurnOpBase.td"

def Burn_NegOp : Burn_UnaryOp<"neg", 100, Burn_NumberTensor, [ElementwisePayload, Differentiable]> {
  let summary = "Negation.";
  let hasFolder = 1;
  let description = [{
    -x; flips the sign bit of a float (also of NaN), wraps for integers.

    ```mlir
    %r = burn.neg %x : tensor<4xf32>
    ```
  }];
}

def Burn_AbsOp : Burn_UnaryOp<"abs", 101, Burn_NumberTensor, [ElementwisePayload, Differentiable]> {
  let summary = "Absolute value.";
  let hasFolder = 1;
  let description = [{
    Clears the sign bit of a float; wraps for the least integer. The derivative at 0 is 0.

    ```mlir
    %r = burn.abs %x : tensor<4xf32>
    ```
  }];
}

def Burn_SignOp : Burn_UnaryOp<"sign", 102, Burn_NumberTensor, [ElementwisePayload, ZeroDerivative]> {
  let summary = "Sign.";
  let description = [{
    -1, 0 or 1; keeps a zero's sign and NaN. The derivative is 0.

    ```mlir
    %r = burn.sign %x : tensor<4xf32>
    ```
  }];
}

def Burn_ExpOp : Burn_UnaryOp<"exp", 103, Burn_FloatTensor, [CostlyPayload, Differentiable]> {
  let summary = "Natural exponential.";
  let description = [{
    e^x.

    ```mlir
    %r = burn.exp %x : tensor<4xf32>
    ```
  }];
}

def Burn_Expm1Op : Burn_UnaryOp<"expm1", 104, Burn_FloatTensor, [CostlyPayload, Differentiable]> {
  let summary = "Exponential minus one.";
  let description = [{
    e^x - 1, accurate near 0.

    ```mlir
    %r = burn.expm1 %x : tensor<4xf32>
    ```
  }];
}

def Burn_LogOp : Burn_UnaryOp<"log", 105, Burn_FloatTensor, [CostlyPayload, Differentiable]> {
  let summary = "Natural logarithm.";
  let description = [{
    ln(x); -inf at 0, NaN below.

    ```mlir
    %r = burn.log %x : tensor<4xf32>
    ```
  }];
}

def Burn_Log1pOp : Burn_UnaryOp<"log1p", 106, Burn_FloatTensor, [CostlyPayload, Differentiable]> {
  let summary = "Logarithm of one plus x.";
  let description = [{
    ln(1 + x), accurate near 0.

    ```mlir
    %r = burn.log1p %x : tensor<4xf32>
    ```
  }];
}

def Burn_SqrtOp : Burn_UnaryOp<"sqrt", 107, Burn_FloatTensor, [CostlyPayload, Differentiable]> {
  let summary = "Square root.";
  let description = [{
    Correctly rounded square root; NaN below 0.

    ```mlir
    %r = burn.sqrt %x : tensor<4xf32>
    ```
  }];
}

def Burn_RsqrtOp : Burn_UnaryOp<"rsqrt", 108, Burn_FloatTensor, [CostlyPayload, Differentiable]> {
  let summary = "Reciprocal square root.";
  let description = [{
    1 / sqrt(x); inf at 0, with the sign of the zero.

    ```mlir
    %r = burn.rsqrt %x : tensor<4xf32>
    ```
  }];
}

def Burn_TanhOp : Burn_UnaryOp<"tanh", 109, Burn_FloatTensor, [CostlyPayload, Differentiable]> {
  let summary = "Hyperbolic tangent.";
  let description = [{
    tanh(x).

    ```mlir
    %r = burn.tanh %x : tensor<4xf32>
    ```
  }];
}

def Burn_ErfOp : Burn_UnaryOp<"erf", 110, Burn_FloatTensor, [CostlyPayload, Differentiable]> {
  let summary = "Error function.";
  let description = [{
    2/sqrt(pi) times the integral of exp(-t^2) from 0 to x.

    ```mlir
    %r = burn.erf %x : tensor<4xf32>
    ```
  }];
}

def Burn_LogisticOp : Burn_UnaryOp<"logistic", 111, Burn_FloatTensor, [CostlyPayload, Differentiable]> {
  let summary = "Logistic sigmoid.";
  let description = [{
    1 / (1 + exp(-x)).

    ```mlir
    %r = burn.logistic %x : tensor<4xf32>
    ```
  }];
}

def Burn_ReluOp : Burn_UnaryOp<"relu", 112, Burn_NumberTensor, [ElementwisePayload, Differentiable]> {
  let summary = "Rectifier.";
  let hasFolder = 1;
  let description = [{
    max(x, 0), NaN kept. The derivative at 0 is 0.

    ```mlir
    %r = burn.relu %x : tensor<4xf32>
    ```
  }];
}

def Burn_FloorOp : Burn_UnaryOp<"floor", 113, Burn_FloatTensor, [ElementwisePayload, ZeroDerivative]> {
  let summary = "Largest integer not above x.";
  let description = [{
    Rounds towards minus infinity. The derivative is 0.

    ```mlir
    %r = burn.floor %x : tensor<4xf32>
    ```
  }];
}

def Burn_CeilOp : Burn_UnaryOp<"ceil", 114, Burn_FloatTensor, [ElementwisePayload, ZeroDerivative]> {
  let summary = "Smallest integer not below x.";
  let description = [{
    Rounds towards plus infinity. The derivative is 0.

    ```mlir
    %r = burn.ceil %x : tensor<4xf32>
    ```
  }];
}

def Burn_RoundEvenOp : Burn_UnaryOp<"round_even", 115, Burn_FloatTensor, [ElementwisePayload, ZeroDerivative]> {
  let summary = "Nearest integer.";
  let description = [{
    Rounds to nearest, ties to even. The derivative is 0.

    ```mlir
    %r = burn.round_even %x : tensor<4xf32>
    ```
  }];
}

def Burn_NotOp : Burn_UnaryOp<"not", 116, Burn_BitsTensor, [ElementwisePayload]> {
  let summary = "Complement.";
  let hasFolder = 1;
  let description = [{
    Logical not of booleans, bitwise complement of integers.

    ```mlir
    %r = burn.not %x : tensor<4xi1>
    ```
  }];
}

def Burn_AddOp : Burn_BinaryOp<"add", 130, Burn_NumberTensor, [Commutative, ElementwisePayload, Differentiable]> {
  let summary = "Sum.";
  let hasFolder = 1;
  let description = [{
    a + b; integers wrap.

    ```mlir
    %r = burn.add %a, %b : tensor<4xf32>
    ```
  }];
}

def Burn_SubOp : Burn_BinaryOp<"sub", 131, Burn_NumberTensor, [ElementwisePayload, Differentiable]> {
  let summary = "Difference.";
  let hasFolder = 1;
  let description = [{
    a - b; integers wrap.

    ```mlir
    %r = burn.sub %a, %b : tensor<4xf32>
    ```
  }];
}

def Burn_MulOp : Burn_BinaryOp<"mul", 132, Burn_NumberTensor, [Commutative, ElementwisePayload, Differentiable]> {
  let summary = "Product.";
  let hasFolder = 1;
  let description = [{
    a * b; integers wrap.

    ```mlir
    %r = burn.mul %a, %b : tensor<4xf32>
    ```
  }];
}

def Burn_DivOp : Burn_BinaryOp<"div", 133, Burn_NumberTensor, [CostlyPayload, Differentiable]> {
  let summary = "Quotient.";
  let hasFolder = 1;
  let description = [{
    a / b. Integers truncate towards 0; x / 0 is -1 (all ones where unsigned) and the least integer / -1 is itself.

    ```mlir
    %r = burn.div %a, %b : tensor<4xf32>
    ```
  }];
}

def Burn_PowOp : Burn_BinaryOp<"pow", 134, Burn_NumberTensor, [CostlyPayload, Differentiable]> {
  let summary = "Power.";
  let description = [{
    a^b with the special cases of IEEE 754 pow; integers: repeated wrapping product, 0 for a negative exponent (1 and -1 as base aside).

    ```mlir
    %r = burn.pow %a, %b : tensor<4xf32>
    ```
  }];
}

def Burn_MaxOp : Burn_BinaryOp<"max", 135, Burn_NumberTensor, [ElementwisePayload, Differentiable]> {
  let summary = "Maximum.";
  let hasFolder = 1;
  let description = [{
    The larger operand; NaN if either is NaN; +0 above -0. Where both are equal the cotangent goes to the left.

    ```mlir
    %r = burn.max %a, %b : tensor<4xf32>
    ```
  }];
}

def Burn_MinOp : Burn_BinaryOp<"min", 136, Burn_NumberTensor, [ElementwisePayload, Differentiable]> {
  let summary = "Minimum.";
  let hasFolder = 1;
  let description = [{
    The smaller operand; NaN if either is NaN; -0 below +0. Where both are equal the cotangent goes to the left.

    ```mlir
    %r = burn.min %a, %b : tensor<4xf32>
    ```
  }];
}

def Burn_AndOp : Burn_BinaryOp<"and", 137, Burn_BitsTensor, [Commutative, ElementwisePayload]> {
  let summary = "Conjunction.";
  let hasFolder = 1;
  let description = [{
    Logical and of booleans, bitwise and of integers.

    ```mlir
    %r = burn.and %a, %b : tensor<4xi1>
    ```
  }];
}

def Burn_OrOp : Burn_BinaryOp<"or", 138, Burn_BitsTensor, [Commutative, ElementwisePayload]> {
  let summary = "Disjunction.";
  let hasFolder = 1;
  let description = [{
    Logical or of booleans, bitwise or of integers.

    ```mlir
    %r = burn.or %a, %b : tensor<4xi1>
    ```
  }];
}

def Burn_XorOp : Burn_BinaryOp<"xor", 139, Burn_BitsTensor, [Commutative, ElementwisePayload]> {
  let summary = "Exclusive or.";
  let hasFolder = 1;
  let description = [{
    Logical or bitwise exclusive or.

    ```mlir
    %r = burn.xor %a, %b : tensor<4xi1>
    ```
  }];
}

def Burn_CompareOp : Burn_InferredOp<"compare", 150, [Pure, Elementwise, SameTypeOperands,
    SameOperandsAndResultShape, ElementwisePayload]> {
  let summary = "Comparison of elements.";
  let description = [{
    True where the relation holds. Floats compare as IEEE 754 says: any relation with NaN is
    false, except `ne`; -0 equals +0. Booleans compare as false < true.

    ```mlir
    %r = burn.compare lt %a, %b : tensor<4xf32>
    ```
  }];
  let arguments = (ins Burn_CompareDirection:$direction, Burn_Tensor:$lhs, Burn_Tensor:$rhs);
  let results = (outs Burn_BoolTensor:$result);
  let assemblyFormat = "$direction $lhs `,` $rhs attr-dict `:` type($lhs)";
}

def Burn_SelectOp : Burn_MatchedOp<"select", 151, [Pure, Elementwise, ElementwisePayload,
    Differentiable, AllTypesMatch<["onTrue", "onFalse", "result"]>]> {
  let summary = "Choice between two elements.";
  let hasFolder = 1;
  let description = [{
    `onTrue` where the predicate is true, else `onFalse`. The operand that is not chosen does not
    count, whatever it holds.

    Constraints: (C1) the predicate has the shape of the other operands.

    ```mlir
    %r = burn.select %p, %a, %b : tensor<4xi1>, tensor<4xf32>
    ```
  }];
  let arguments = (ins Burn_BoolTensor:$predicate, Burn_Tensor:$onTrue, Burn_Tensor:$onFalse);
  let results = (outs Burn_Tensor:$result);
  let assemblyFormat =
      "$predicate `,` $onTrue `,` $onFalse attr-dict `:` type($predicate) `,` type($result)";
}

def Burn_ClampOp : Burn_MatchedOp<"clamp", 152, [Pure, Elementwise, SameOperandsAndResultType,
    ElementwisePayload, Differentiable]> {
  let summary = "Restriction to an interval.";
  let description = [{
    min(max(x, low), high), NaN kept. The cotangent goes to x where low <= x <= high, else to the
    bound that was taken.

    ```mlir
    %r = burn.clamp %x, %low, %high : tensor<4xf32>
    ```
  }];
  let arguments = (ins Burn_NumberTensor:$input, Burn_NumberTensor:$low, Burn_NumberTensor:$high);
  let results = (outs Burn_NumberTensor:$result);
  let assemblyFormat = "$input `,` $low `,` $high attr-dict `:` type($result)";
}

def Burn_ConvertOp : Burn_TypedOp<"convert", 153, [Pure, Elementwise, SameOperandsAndResultShape,
    ElementwisePayload, Differentiable]> {
  let summary = "Change of element type.";
  let hasFolder = 1;
  let description = [{
    Float to float rounds to nearest even. Float to integer truncates and saturates, NaN gives 0.
    Integer to integer wraps. Anything to boolean is `x != 0`, boolean to number is 0 or 1.

    ```mlir
    %r = burn.convert %x : tensor<4xf32> to tensor<4xi32>
    ```
  }];
  let arguments = (ins Burn_Tensor:$input);
  let results = (outs Burn_Tensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `to` type($result)";
}

#endif // DIALECTS_BURN_BURNELEMENTWISEOPS_TD
