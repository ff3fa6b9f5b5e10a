// Composites of neural networks, kept whole for their derivatives.

#ifndef DIALECTS_BURN_BURNNEURALOPS_TD
#define DIALECTS_BURN_BURNNEURALOPS_TD

include "dialects/Burn/BurnOpBase.td"

class Burn_SoftmaxLikeOp<string mnemonic, int number>
    : Burn_MatchedOp<mnemonic, number, [Pure, Differentiable, Composite,
                                         SameOperandsAndResultType]> {
  let arguments = (ins Burn_FloatTensor:$input, I64Attr:$axis);
  let results = (outs Burn_FloatTensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($result)";
}

def Burn_SoftmaxOp : Burn_SoftmaxLikeOp<"softmax", 800> {
  let summary = "Exponentials along an axis, normalised to sum 1.";
  let description = [{
    e / sum(e) with e = exp(x - max(x)).

    Constraints: (C1) the axis lies within the rank.

    ```mlir
    %r = burn.softmax %x {axis = 1} : tensor<2x3xf32>
    ```
  }];
}

def Burn_LogSoftmaxOp : Burn_SoftmaxLikeOp<"log_softmax", 801> {
  let summary = "Logarithm of softmax.";
  let description = [{
    (x - max(x)) - log(sum(exp(x - max(x)))).

    Constraints: (C1) the axis lies within the rank.

    ```mlir
    %r = burn.log_softmax %x {axis = 1} : tensor<2x3xf32>
    ```
  }];
}

def Burn_CrossEntropyOp : Burn_InferredOp<"cross_entropy", 802, [Pure, Differentiable,
    Composite]> {
  let summary = "Cross entropy of logits against class indices.";
  let description = [{
    With p = log_softmax(logits) along `axis` and w the weight of a target's class (1 without
    weights), the loss of an example is
    -w[target] (1 - s) p[target] - s/C sum_c w[c] p[c], s the label smoothing and C the number of
    classes; 0 where the target is `ignore_index`, NaN where it is no class. `mean` divides the sum by the sum of w[target] of
    the examples that count. As PyTorch's cross_entropy.

    Constraints: (C1) the axis lies within the rank; (C2) targets are i32 or i64 and have the logits'
    shape without the axis; (C3) weights have shape [C] and the logits' element type.

    ```mlir
    %l = burn.cross_entropy mean %x, %t {axis = 1, ignore_index = -100, label_smoothing = 0.0 : f64}
        : (tensor<4x10xf32>, tensor<4xi64>) -> tensor<f32>
    ```
  }];
  let arguments = (ins Burn_LossReduction:$reduction, Burn_FloatTensor:$logits,
      Burn_IntTensor:$target, Optional<Burn_FloatTensor>:$weight, I64Attr:$axis,
      I64Attr:$ignore_index, F64Attr:$label_smoothing);
  let results = (outs Burn_FloatTensor:$result);
  let assemblyFormat = [{
    $reduction $logits `,` $target (`,` $weight^)? attr-dict `:` functional-type(operands, results)
  }];
}

def Burn_BatchNormOp : Burn_InferredOp<"batch_norm", 803, [Pure, Differentiable, Composite,
    AllTypesMatch<["scale", "bias"]>]> {
  let summary = "Normalisation of each feature over the batch.";
  let description = [{
    (x - mean) * rsqrt(var + epsilon) * scale + bias with mean and biased variance of the batch, over
    all dimensions but `feature_dim`; both are results too. Two passes: the variance is the mean of
    (x - mean)^2.

    Constraints: (C1) the feature dimension lies within the rank; (C2) scale and bias have its shape
    and the input's element type; (C3) epsilon is finite and >= 0.

    ```mlir
    %y, %m, %v = burn.batch_norm %x, %s, %b {feature_dim = 1, epsilon = 1.0e-5 : f64}
        : tensor<2x3x4x4xf32>, tensor<3xf32>
    ```
  }];
  let arguments = (ins Burn_FloatTensor:$input, Burn_FloatTensor:$scale, Burn_FloatTensor:$bias,
                       I64Attr:$feature_dim, F64Attr:$epsilon);
  let results = (outs Burn_FloatTensor:$result, Burn_FloatTensor:$mean,
                      Burn_FloatTensor:$variance);
  let assemblyFormat = "$input `,` $scale `,` $bias attr-dict `:` type($input) `,` type($scale)";
}

def Burn_GeluOp : Burn_MatchedOp<"gelu", 804, [Pure, Elementwise, CostlyPayload, Differentiable,
    SameOperandsAndResultType]> {
  let summary = "Gaussian error linear unit.";
  let description = [{
    x/2 (1 + erf(x / sqrt 2)), or with `tanh` x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))), as accurate for
    large negative x, where these sums cancel. -0 at minus infinity.

    ```mlir
    %r = burn.gelu none %x : tensor<4xf32>
    ```
  }];
  let arguments = (ins Burn_GeluApproximation:$approximate, Burn_FloatTensor:$input);
  let results = (outs Burn_FloatTensor:$result);
  let assemblyFormat = "$approximate $input attr-dict `:` type($result)";
}

#endif // DIALECTS_BURN_BURNNEURALOPS_TD
