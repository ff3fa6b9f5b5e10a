// Elementary and special functions of each element. Special values as in ISO C Annex F unless said otherwise.

#ifndef DIALECTS_BURN_BURNELEMENTARYOPS_TD
#define DIALECTS_BURN_BURNELEMENTARYOPS_TD

include "dialects/Burn/BurnOpBase.td"

def Burn_CbrtOp : Burn_UnaryOp<"cbrt", 117, Burn_FloatTensor, [CostlyPayload, Differentiable]> {
  let summary = "Cube root.";
  let description = [{
    The real cube root; keeps the sign, also of zero.

    ```mlir
    %r = burn.cbrt %x : tensor<4xf32>
    ```
  }];
}

def Burn_Exp2Op : Burn_UnaryOp<"exp2", 158, Burn_FloatTensor, [CostlyPayload, Differentiable]> {
  let summary = "Power of two.";
  let description = [{
    2^x.

    ```mlir
    %r = burn.exp2 %x : tensor<4xf32>
    ```
  }];
}

def Burn_Log2Op : Burn_UnaryOp<"log2", 159, Burn_FloatTensor, [CostlyPayload, Differentiable]> {
  let summary = "Binary logarithm.";
  let description = [{
    Minus infinity at 0, NaN below. Exact at powers of two.

    ```mlir
    %r = burn.log2 %x : tensor<4xf32>
    ```
  }];
}

def Burn_Log10Op : Burn_UnaryOp<"log10", 160, Burn_FloatTensor, [CostlyPayload, Differentiable]> {
  let summary = "Decimal logarithm.";
  let description = [{
    Minus infinity at 0, NaN below.

    ```mlir
    %r = burn.log10 %x : tensor<4xf32>
    ```
  }];
}

def Burn_SinOp : Burn_UnaryOp<"sin", 118, Burn_FloatTensor, [CostlyPayload, Differentiable]> {
  let summary = "Sine.";
  let description = [{
    Of radians, over the full range of the type; NaN at infinities; sin(-0) = -0.

    ```mlir
    %r = burn.sin %x : tensor<4xf32>
    ```
  }];
}

def Burn_CosOp : Burn_UnaryOp<"cos", 119, Burn_FloatTensor, [CostlyPayload, Differentiable]> {
  let summary = "Cosine.";
  let description = [{
    Of radians, over the full range of the type; NaN at infinities.

    ```mlir
    %r = burn.cos %x : tensor<4xf32>
    ```
  }];
}

def Burn_TanOp : Burn_UnaryOp<"tan", 120, Burn_FloatTensor, [CostlyPayload, Differentiable]> {
  let summary = "Tangent.";
  let description = [{
    Of radians, over the full range of the type; NaN at infinities; tan(-0) = -0.

    ```mlir
    %r = burn.tan %x : tensor<4xf32>
    ```
  }];
}

def Burn_AsinOp : Burn_UnaryOp<"asin", 121, Burn_FloatTensor, [CostlyPayload, Differentiable]> {
  let summary = "Arc sine.";
  let description = [{
    In [-pi/2, pi/2]; NaN outside [-1, 1].

    ```mlir
    %r = burn.asin %x : tensor<4xf32>
    ```
  }];
}

def Burn_AcosOp : Burn_UnaryOp<"acos", 122, Burn_FloatTensor, [CostlyPayload, Differentiable]> {
  let summary = "Arc cosine.";
  let description = [{
    In [0, pi]; NaN outside [-1, 1].

    ```mlir
    %r = burn.acos %x : tensor<4xf32>
    ```
  }];
}

def Burn_AtanOp : Burn_UnaryOp<"atan", 123, Burn_FloatTensor, [CostlyPayload, Differentiable]> {
  let summary = "Arc tangent.";
  let description = [{
    In [-pi/2, pi/2].

    ```mlir
    %r = burn.atan %x : tensor<4xf32>
    ```
  }];
}

def Burn_SinhOp : Burn_UnaryOp<"sinh", 124, Burn_FloatTensor, [CostlyPayload, Differentiable]> {
  let summary = "Hyperbolic sine.";
  let description = [{
    (e^x - e^-x) / 2 without cancellation.

    ```mlir
    %r = burn.sinh %x : tensor<4xf32>
    ```
  }];
}

def Burn_CoshOp : Burn_UnaryOp<"cosh", 125, Burn_FloatTensor, [CostlyPayload, Differentiable]> {
  let summary = "Hyperbolic cosine.";
  let description = [{
    (e^x + e^-x) / 2.

    ```mlir
    %r = burn.cosh %x : tensor<4xf32>
    ```
  }];
}

def Burn_AsinhOp : Burn_UnaryOp<"asinh", 126, Burn_FloatTensor, [CostlyPayload, Differentiable]> {
  let summary = "Inverse hyperbolic sine.";
  let description = [{
    Keeps the sign, also of zero.

    ```mlir
    %r = burn.asinh %x : tensor<4xf32>
    ```
  }];
}

def Burn_AcoshOp : Burn_UnaryOp<"acosh", 127, Burn_FloatTensor, [CostlyPayload, Differentiable]> {
  let summary = "Inverse hyperbolic cosine.";
  let description = [{
    NaN below 1.

    ```mlir
    %r = burn.acosh %x : tensor<4xf32>
    ```
  }];
}

def Burn_AtanhOp : Burn_UnaryOp<"atanh", 128, Burn_FloatTensor, [CostlyPayload, Differentiable]> {
  let summary = "Inverse hyperbolic tangent.";
  let description = [{
    Infinite at -1 and 1, NaN outside [-1, 1].

    ```mlir
    %r = burn.atanh %x : tensor<4xf32>
    ```
  }];
}

def Burn_ErfcOp : Burn_UnaryOp<"erfc", 129, Burn_FloatTensor, [CostlyPayload, Differentiable]> {
  let summary = "Complementary error function.";
  let description = [{
    1 - erf(x) without cancellation.

    ```mlir
    %r = burn.erfc %x : tensor<4xf32>
    ```
  }];
}

def Burn_ErfinvOp : Burn_UnaryOp<"erfinv", 154, Burn_FloatTensor, [CostlyPayload, Differentiable]> {
  let summary = "Inverse error function.";
  let description = [{
    Infinite at -1 and 1, NaN outside [-1, 1].

    ```mlir
    %r = burn.erfinv %x : tensor<4xf32>
    ```
  }];
}

def Burn_LgammaOp : Burn_UnaryOp<"lgamma", 155, Burn_FloatTensor, [CostlyPayload, Differentiable]> {
  let summary = "Logarithm of the absolute value of the gamma function.";
  let description = [{
    Plus infinity at 0 and the negative integers, and at infinities.

    ```mlir
    %r = burn.lgamma %x : tensor<4xf32>
    ```
  }];
}

def Burn_DigammaOp : Burn_UnaryOp<"digamma", 156, Burn_FloatTensor, [CostlyPayload, Differentiable]> {
  let summary = "Derivative of the logarithm of the gamma function.";
  let description = [{
    NaN at the negative integers, minus infinity at +0, plus infinity at -0 (as PyTorch).

    ```mlir
    %r = burn.digamma %x : tensor<4xf32>
    ```
  }];
}

def Burn_PolygammaOp : Burn_UnaryOp<"polygamma", 157, Burn_FloatTensor, [CostlyPayload, Differentiable]> {
  let summary = "Derivative of digamma.";
  let description = [{
    The derivative of order `n` of digamma: (-1)^(n+1) n! zeta(n+1, x) with Hurwitz's zeta function.

    Constraints: (C1) `n` is between 1 and 64.

    ```mlir
    %r = burn.polygamma %x {n = 1} : tensor<4xf32>
    ```
  }];
  let arguments = (ins Burn_FloatTensor:$input, I64Attr:$n);
}

def Burn_PowiOp : Burn_UnaryOp<"powi", 142, Burn_NumberTensor, [CostlyPayload, Differentiable]> {
  let summary = "Power with a fixed integer exponent.";
  let hasFolder = 1;
  let description = [{
    x^exponent. x^0 is 1 also where x is NaN. Integers wrap; with a negative exponent they give what
    1 / x^-exponent gives by integer division.

    ```mlir
    %r = burn.powi %x {exponent = 3} : tensor<4xf32>
    ```
  }];
  let arguments = (ins Burn_NumberTensor:$input, I64Attr:$exponent);
}

def Burn_Atan2Op : Burn_BinaryOp<"atan2", 143, Burn_FloatTensor, [CostlyPayload, Differentiable]> {
  let summary = "Angle of a point.";
  let description = [{
    The angle of (b, a) in [-pi, pi]: atan2(y, x) of ISO C, with atan2(0, 0) = 0.

    ```mlir
    %r = burn.atan2 %a, %b : tensor<4xf32>
    ```
  }];
}

def Burn_HypotOp : Burn_BinaryOp<"hypot", 144, Burn_FloatTensor, [CostlyPayload, Differentiable]> {
  let summary = "Euclidean length.";
  let description = [{
    sqrt(a^2 + b^2) without overflow or underflow between; infinite where one operand is, even beside
    NaN. The derivative is 0 where the result is 0.

    ```mlir
    %r = burn.hypot %a, %b : tensor<4xf32>
    ```
  }];
}

#endif // DIALECTS_BURN_BURNELEMENTARYOPS_TD
