// Reductions over whole dimensions.

#ifndef DIALECTS_BURN_BURNREDUCTIONOPS_TD
#define DIALECTS_BURN_BURNREDUCTIONOPS_TD

include "dialects/Burn/BurnOpBase.td"

def Burn_ReduceOp : Burn_InferredOp<"reduce", 400, [Pure, Differentiable]> {
  let summary = "Combination of all elements along dimensions.";
  let description = [{
    The reduced dimensions disappear. Without elements the result is the combiner's identity: 0,
    1, minus/plus infinity (least/largest integer), true, false, false for `xor`. `max` and `min` give NaN if any
    element is NaN; their cotangent goes to the first extremum in row-major order. f16 and bf16 are
    accumulated in f32 and rounded once. The order of combination depends on the shape alone.

    Constraints: (C1) `dims` are strictly ascending and within the rank; (C2) `and`, `or` and `xor` take
    booleans or integers, the others numbers (`max` and `min` also booleans).

    ```mlir
    %r = burn.reduce sum %x {dims = array<i64: 1>} : tensor<2x3xf32> to tensor<2xf32>
    ```
  }];
  let arguments = (ins Burn_ReduceKind:$kind, Burn_Tensor:$input, DenseI64ArrayAttr:$dims);
  let results = (outs Burn_Tensor:$result);
  let assemblyFormat = "$kind $input attr-dict `:` type($input) `to` type($result)";
}

def Burn_ArgReduceOp : Burn_InferredOp<"arg_reduce", 401, [Pure, Differentiable]> {
  let summary = "Extremum along one dimension, and where it stands.";
  let description = [{
    The first extremum in index order; the first NaN wins over everything.

    Constraints: (C1) the axis lies within the rank; (C2) its size is at least 1.

    ```mlir
    %v, %i = burn.arg_reduce max %x {axis = 1} : tensor<2x3xf32> to tensor<2xf32>, tensor<2xi64>
    ```
  }];
  let arguments = (ins Burn_ExtremumKind:$kind, Burn_Tensor:$input, I64Attr:$axis);
  let results = (outs Burn_Tensor:$value, Burn_IntTensor:$index);
  let assemblyFormat = [{
    $kind $input attr-dict `:` type($input) `to` type($value) `,` type($index)
  }];
}

def Burn_MomentsOp : Burn_InferredOp<"moments", 402, [Pure, Differentiable, Composite]> {
  let summary = "Mean and variance along dimensions.";
  let description = [{
    The mean, and the sum of (x - mean)^2 divided by n - `correction`, but at least 0, n the number of elements:
    two passes. Without elements both are NaN. f16 and bf16 are computed in f32 and rounded once.

    Constraints: (C1) `dims` are strictly ascending and within the rank; (C2) the correction is not negative.

    ```mlir
    %m, %v = burn.moments %x {dims = array<i64: 1>, correction = 1} : tensor<2x3xf32>
    ```
  }];
  let arguments = (ins Burn_FloatTensor:$input, DenseI64ArrayAttr:$dims, I64Attr:$correction);
  let results = (outs Burn_FloatTensor:$mean, Burn_FloatTensor:$variance);
  let assemblyFormat = "$input attr-dict `:` type($input)";
}

#endif // DIALECTS_BURN_BURNREDUCTIONOPS_TD
