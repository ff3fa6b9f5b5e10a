// Activation functions, kept whole for their derivatives.

#ifndef DIALECTS_BURN_BURNACTIVATIONOPS_TD
#define DIALECTS_BURN_BURNACTIVATIONOPS_TD

include "dialects/Burn/BurnOpBase.td"

// An elementwise composite on one float tensor, with attributes.
class Burn_ActivationOp<string mnemonic, int number, dag attributes = (ins)>
    : Burn_MatchedOp<mnemonic, number, [Pure, Elementwise, Differentiable, Composite, SameOperandsAndResultType]> {
  let arguments = !con((ins Burn_FloatTensor:$input), attributes);
  let results = (outs Burn_FloatTensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($result)";
}

def Burn_SiluOp : Burn_ActivationOp<"silu", 809> {
  let summary = "Sigmoid linear unit, also called swish.";
  let description = [{
    x / (1 + e^-x).

    ```mlir
    %r = burn.silu %x : tensor<4xf32>
    ```
  }];
}

def Burn_SoftplusOp : Burn_ActivationOp<"softplus", 810, (ins F64Attr:$beta, F64Attr:$threshold)> {
  let summary = "Smooth rectifier.";
  let description = [{
    (max(b x, 0) + log1p(e^-|b x|)) / b with b = `beta`; x where b x is above `threshold`.

    Constraints: (C1) `beta` is finite and not 0, `threshold` is a number.

    ```mlir
    %r = burn.softplus %x {beta = 1.0 : f64, threshold = 20.0 : f64} : tensor<4xf32>
    ```
  }];
}

def Burn_MishOp : Burn_ActivationOp<"mish", 811> {
  let summary = "Mish.";
  let description = [{
    x tanh(softplus(x)).

    ```mlir
    %r = burn.mish %x : tensor<4xf32>
    ```
  }];
}

def Burn_EluOp : Burn_ActivationOp<"elu", 812, (ins F64Attr:$alpha)> {
  let summary = "Exponential linear unit.";
  let description = [{
    x where x > 0, else `alpha` (e^x - 1). The derivative at 0 is `alpha`.

    Constraints: (C1) `alpha` is finite.

    ```mlir
    %r = burn.elu %x {alpha = 1.0 : f64} : tensor<4xf32>
    ```
  }];
}

def Burn_SeluOp : Burn_ActivationOp<"selu", 813> {
  let summary = "Scaled exponential linear unit.";
  let description = [{
    elu with alpha = 1.6732632423543772 times the scale 1.0507009873554805. Klambauer et al., 2017.

    ```mlir
    %r = burn.selu %x : tensor<4xf32>
    ```
  }];
}

def Burn_CeluOp : Burn_ActivationOp<"celu", 814, (ins F64Attr:$alpha)> {
  let summary = "Continuously differentiable exponential linear unit.";
  let description = [{
    x where x > 0, else `alpha` (e^(x / alpha) - 1).

    Constraints: (C1) `alpha` is finite and not 0.

    ```mlir
    %r = burn.celu %x {alpha = 1.0 : f64} : tensor<4xf32>
    ```
  }];
}

def Burn_HardSigmoidOp : Burn_ActivationOp<"hard_sigmoid", 815, (ins F64Attr:$alpha, F64Attr:$beta)> {
  let summary = "Piecewise linear sigmoid.";
  let description = [{
    clamp(`alpha` x + `beta`, 0, 1). PyTorch has alpha 1/6 and beta 1/2. The derivative is 0 at both corners.

    Constraints: (C1) `alpha` and `beta` are finite.

    ```mlir
    %r = burn.hard_sigmoid %x {alpha = 0.2 : f64, beta = 0.5 : f64} : tensor<4xf32>
    ```
  }];
}

def Burn_HardSwishOp : Burn_ActivationOp<"hard_swish", 816> {
  let summary = "Piecewise quadratic swish.";
  let description = [{
    x clamp(x + 3, 0, 6) / 6.

    ```mlir
    %r = burn.hard_swish %x : tensor<4xf32>
    ```
  }];
}

def Burn_LeakyReluOp : Burn_ActivationOp<"leaky_relu", 817, (ins F64Attr:$slope)> {
  let summary = "Rectifier with a slope below zero.";
  let description = [{
    x where x > 0, else `slope` x. The derivative at 0 is `slope`.

    Constraints: (C1) `slope` is finite.

    ```mlir
    %r = burn.leaky_relu %x {slope = 0.01 : f64} : tensor<4xf32>
    ```
  }];
}

def Burn_LogSigmoidOp : Burn_ActivationOp<"log_sigmoid", 818> {
  let summary = "Logarithm of the logistic function.";
  let description = [{
    min(x, 0) - log1p(e^-|x|).

    ```mlir
    %r = burn.log_sigmoid %x : tensor<4xf32>
    ```
  }];
}

#endif // DIALECTS_BURN_BURNACTIVATIONOPS_TD
