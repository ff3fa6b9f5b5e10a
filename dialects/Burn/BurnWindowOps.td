// Reductions over moving windows.

#ifndef DIALECTS_BURN_BURNWINDOWOPS_TD
#define DIALECTS_BURN_BURNWINDOWOPS_TD

include "dialects/Burn/BurnOpBase.td"

def Burn_ReduceWindowOp : Burn_InferredOp<"reduce_window", 600, [Pure, Differentiable]> {
  let summary = "Combination of the elements in each window.";
  let description = [{
    Every array has one entry per operand dimension. The operand is dilated by `base_dilation` and
    padded by `pad_low` and `pad_high`; padding and gaps count as the combiner's identity. The
    window, dilated by `window_dilation`, moves in steps of `strides`. Sums and products of f16 and bf16 are
    accumulated in f32 and rounded once.

    Constraints: (C1) one entry per dimension in each array; (C2) windows, strides and dilations
    are >= 1; (C3) no result dimension is negative; (C4) kinds and element types as for reduce.

    ```mlir
    %r = burn.reduce_window sum %x {window = array<i64: 2>, strides = array<i64: 2>,
        pad_low = array<i64: 0>, pad_high = array<i64: 0>, base_dilation = array<i64: 1>,
        window_dilation = array<i64: 1>} : tensor<6xf32> to tensor<3xf32>
    ```
  }];
  let arguments = (ins Burn_ReduceKind:$kind, Burn_Tensor:$input, DenseI64ArrayAttr:$window,
      DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$pad_low, DenseI64ArrayAttr:$pad_high,
      DenseI64ArrayAttr:$base_dilation, DenseI64ArrayAttr:$window_dilation);
  let results = (outs Burn_Tensor:$result);
  let assemblyFormat = "$kind $input attr-dict `:` type($input) `to` type($result)";
}

def Burn_ArgReduceWindowOp : Burn_InferredOp<"arg_reduce_window", 601, [Pure, Differentiable]> {
  let summary = "Extremum of each window, and where it stands.";
  let description = [{
    The window is placed as in reduce_window, without base dilation. The index is the row-major
    position in the operand over the dimensions `index_dims` alone, of the first extremum in the
    window; the first NaN wins over everything. A window that holds padding only gives the
    combiner's identity and index -1.

    Constraints: (C1) one entry per dimension in each array; (C2) windows, strides and dilations
    are >= 1; (C3) no result dimension is negative; (C4) `index_dims` are strictly ascending and
    hold every dimension whose window or stride is above 1 or that is padded.

    ```mlir
    %v, %i = burn.arg_reduce_window max %x {window = array<i64: 1, 2>, strides = array<i64: 1, 2>,
        pad_low = array<i64: 0, 0>, pad_high = array<i64: 0, 0>,
        window_dilation = array<i64: 1, 1>, index_dims = array<i64: 1>}
        : tensor<3x6xf32> to tensor<3x3xf32>, tensor<3x3xi64>
    ```
  }];
  let arguments = (ins Burn_ExtremumKind:$kind, Burn_Tensor:$input, DenseI64ArrayAttr:$window,
      DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$pad_low, DenseI64ArrayAttr:$pad_high,
      DenseI64ArrayAttr:$window_dilation, DenseI64ArrayAttr:$index_dims);
  let results = (outs Burn_Tensor:$value, Burn_IntTensor:$index);
  let assemblyFormat = [{
    $kind $input attr-dict `:` type($input) `to` type($value) `,` type($index)
  }];
}

#endif // DIALECTS_BURN_BURNWINDOWOPS_TD
