// Ops that move data without computing: they copy each result element from one operand element.

#ifndef DIALECTS_BURN_BURNSHAPEOPS_TD
#define DIALECTS_BURN_BURNSHAPEOPS_TD

include "dialects/Burn/BurnOpBase.td"

def Burn_BroadcastOp : Burn_TypedOp<"broadcast", 200, [Pure, View, Differentiable]> {
  let summary = "Repetition along new or unit dimensions.";
  let hasFolder = 1;
  let description = [{
    Operand dimension `i` becomes result dimension `dims[i]`; all other result dimensions repeat
    the operand. An operand dimension of size 1 repeats as well.

    Constraints: (C1) `dims` has one entry per operand dimension; (C2) entries are strictly
    ascending and within the result's rank; (C3) an operand dimension is 1 or equals the result's.

    ```mlir
    %r = burn.broadcast %x {dims = array<i64: 1>} : tensor<3xf32> to tensor<2x3xf32>
    ```
  }];
  let arguments = (ins Burn_Tensor:$input, DenseI64ArrayAttr:$dims);
  let results = (outs Burn_Tensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `to` type($result)";
}

def Burn_ReshapeOp : Burn_TypedOp<"reshape", 201, [Pure, View, Differentiable]> {
  let summary = "The same elements, in row-major order, in another shape.";
  let hasFolder = 1;
  let description = [{
    Constraints: (C1) both types have the same number of elements and the same element type.

    ```mlir
    %r = burn.reshape %x : tensor<2x3xf32> to tensor<6xf32>
    ```
  }];
  let arguments = (ins Burn_Tensor:$input);
  let results = (outs Burn_Tensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `to` type($result)";
}

def Burn_TransposeOp : Burn_InferredOp<"transpose", 202, [Pure, View, Differentiable]> {
  let summary = "Permutation of dimensions.";
  let hasFolder = 1;
  let description = [{
    Result dimension `i` is operand dimension `perm[i]`.

    Constraints: (C1) `perm` is a permutation of the operand's dimensions.

    ```mlir
    %r = burn.transpose %x {perm = array<i64: 1, 0>} : tensor<2x3xf32> to tensor<3x2xf32>
    ```
  }];
  let arguments = (ins Burn_Tensor:$input, DenseI64ArrayAttr:$perm);
  let results = (outs Burn_Tensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `to` type($result)";
}

def Burn_SliceOp : Burn_InferredOp<"slice", 203, [Pure, View, Differentiable]> {
  let summary = "A strided rectangle of a tensor.";
  let hasFolder = 1;
  let description = [{
    Result element `i` is operand element `starts + i * strides`; `sizes` is the result's shape.

    Constraints: (C1) one entry per dimension in each array; (C2) starts and sizes are >= 0 and
    strides >= 1; (C3) the last element read lies within the operand.

    ```mlir
    %r = burn.slice %x {starts = array<i64: 1>, sizes = array<i64: 2>, strides = array<i64: 2>}
        : tensor<5xf32> to tensor<2xf32>
    ```
  }];
  let arguments = (ins Burn_Tensor:$input, DenseI64ArrayAttr:$starts, DenseI64ArrayAttr:$sizes,
                       DenseI64ArrayAttr:$strides);
  let results = (outs Burn_Tensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `to` type($result)";
}

def Burn_SliceUpdateOp : Burn_InferredOp<"slice_update", 204, [Pure, View, Differentiable]> {
  let summary = "A tensor with one rectangle replaced.";
  let hasFolder = 1;
  let description = [{
    The operand with the window that begins at `starts` and has the shape of `update` replaced.

    Constraints: (C1) one start per dimension; (C2) equal ranks and element types; (C3) the window
    lies within the operand.

    ```mlir
    %r = burn.slice_update %x, %u {starts = array<i64: 1>} : tensor<5xf32>, tensor<2xf32>
    ```
  }];
  let arguments = (ins Burn_Tensor:$input, Burn_Tensor:$update, DenseI64ArrayAttr:$starts);
  let results = (outs Burn_Tensor:$result);
  let assemblyFormat = "$input `,` $update attr-dict `:` type($input) `,` type($update)";
}

def Burn_PadOp : Burn_InferredOp<"pad", 205, [Pure, View, Differentiable]> {
  let summary = "A tensor with a border, and gaps between its elements.";
  let hasFolder = 1;
  let description = [{
    `interior` copies of the padding value between neighbours, then `low` before and `high` after;
    negative `low` or `high` remove elements.

    Constraints: (C1) one entry per dimension in each array; (C2) interior >= 0; (C3) no result
    dimension is negative; (C4) the value is a scalar of the operand's element type.

    ```mlir
    %r = burn.pad %x, %v {low = array<i64: 1>, high = array<i64: 0>, interior = array<i64: 1>}
        : tensor<3xf32> to tensor<6xf32>
    ```
  }];
  let arguments = (ins Burn_Tensor:$input, Burn_Tensor:$value, DenseI64ArrayAttr:$low,
                       DenseI64ArrayAttr:$high, DenseI64ArrayAttr:$interior);
  let results = (outs Burn_Tensor:$result);
  let assemblyFormat = [{
    $input `,` $value attr-dict `:` type($input) `,` type($value) `to` type($result)
  }];
}

def Burn_ConcatOp : Burn_InferredOp<"concat", 206, [Pure, View, Differentiable]> {
  let summary = "Tensors one after the other along one dimension.";
  let hasFolder = 1;
  let description = [{
    Constraints: (C1) at least one operand; (C2) equal ranks and element types; (C3) the axis lies
    within the rank; (C4) shapes agree except along the axis.

    ```mlir
    %r = burn.concat %a, %b {axis = 0} : (tensor<2xf32>, tensor<3xf32>) -> tensor<5xf32>
    ```
  }];
  let arguments = (ins Variadic<Burn_Tensor>:$inputs, I64Attr:$axis);
  let results = (outs Burn_Tensor:$result);
  let assemblyFormat = "$inputs attr-dict `:` functional-type($inputs, results)";
}

def Burn_ReverseOp : Burn_MatchedOp<"reverse", 207, [Pure, View, Differentiable,
    SameOperandsAndResultType]> {
  let summary = "Reversal along dimensions.";
  let hasFolder = 1;
  let description = [{
    Constraints: (C1) `dims` are strictly ascending and within the rank.

    ```mlir
    %r = burn.reverse %x {dims = array<i64: 0>} : tensor<3xf32>
    ```
  }];
  let arguments = (ins Burn_Tensor:$input, DenseI64ArrayAttr:$dims);
  let results = (outs Burn_Tensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($result)";
}

#endif // DIALECTS_BURN_BURNSHAPEOPS_TD
