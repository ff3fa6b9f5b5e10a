// Sums of products.

#ifndef DIALECTS_BURN_BURNCONTRACTIONOPS_TD
#define DIALECTS_BURN_BURNCONTRACTIONOPS_TD

include "dialects/Burn/BurnOpBase.td"

def Burn_DotGeneralOp : Burn_InferredOp<"dot_general", 500, [Pure, Differentiable]> {
  let summary = "Batched product of two tensors over contracted dimensions.";
  let description = [{
    The result's dimensions are the batch dimensions, the free dimensions of the left, then those
    of the right operand. Each element is the sum of products over the contracted dimensions.
    f16 and bf16 accumulate in f32.

    Constraints: (C1) batch and contracted dimensions are unique and within rank; (C2) their
    numbers and sizes agree between the operands; (C3) equal element types, no boolean.

    ```mlir
    %r = burn.dot_general %a, %b {lhs_batch = array<i64>, rhs_batch = array<i64>,
        lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>}
        : tensor<4x8xf32>, tensor<8x2xf32> to tensor<4x2xf32>
    ```
  }];
  let arguments = (ins Burn_NumberTensor:$lhs, Burn_NumberTensor:$rhs,
      DenseI64ArrayAttr:$lhs_batch, DenseI64ArrayAttr:$rhs_batch, DenseI64ArrayAttr:$lhs_contract,
      DenseI64ArrayAttr:$rhs_contract);
  let results = (outs Burn_NumberTensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs) `to` type($result)
  }];
}

def Burn_ConvOp : Burn_InferredOp<"conv", 501, [Pure, Differentiable]> {
  let summary = "Convolution of any rank, in the form that is closed under differentiation.";
  let description = [{
    `lhs_dims`, `rhs_dims` and `out_dims` name the dimensions of the operands and of the result:
    [batch, feature, spatial...], [output feature, input feature, spatial...] and [batch, feature,
    spatial...]. Along each spatial dimension the input is dilated by `lhs_dilation`, padded by
    `pad_low` and `pad_high` (negative: cropped), and the window, dilated by `rhs_dilation`, moves
    in steps of `strides`. The kernel is not reversed (a correlation). Padding and the gaps of a dilated input are
    zeros that are multiplied like other elements; an input without elements gives zeros, whatever the kernel holds.
    Elements of f16 and bf16 are added up in f32 and rounded once.

    `feature_groups` > 1: group g of the output features sees group g of the input features.
    `batch_groups` > 1: group g of the output features sees group g of the batch.

    `fast_math`: fewer operations at a larger error are allowed (Winograd's method), for the gradients as well. A
    compile under fast math allows it everywhere.

    Constraints: (C1) dimension lists are permutations and spatial ranks agree; (C2) strides and
    dilations lie between 1 and 2^40; (C3) input features = kernel input features * feature_groups, and output
    features divide by both group counts, the batch by batch_groups; (C4) at most one group count
    is above 1; (C5) no result dimension is negative; (C6) equal element types, no boolean.

    ```mlir
    %r = burn.conv %x, %w {lhs_dims = array<i64: 0, 1, 2, 3>, rhs_dims = array<i64: 0, 1, 2, 3>,
        out_dims = array<i64: 0, 1, 2, 3>, strides = array<i64: 1, 1>, pad_low = array<i64: 0, 0>,
        pad_high = array<i64: 0, 0>, lhs_dilation = array<i64: 1, 1>,
        rhs_dilation = array<i64: 1, 1>, feature_groups = 1, batch_groups = 1}
        : tensor<2x1x28x28xf32>, tensor<64x1x3x3xf32> to tensor<2x64x26x26xf32>
    ```
  }];
  let arguments = (ins Burn_NumberTensor:$lhs, Burn_NumberTensor:$rhs, DenseI64ArrayAttr:$lhs_dims,
      DenseI64ArrayAttr:$rhs_dims, DenseI64ArrayAttr:$out_dims, DenseI64ArrayAttr:$strides,
      DenseI64ArrayAttr:$pad_low, DenseI64ArrayAttr:$pad_high, DenseI64ArrayAttr:$lhs_dilation,
      DenseI64ArrayAttr:$rhs_dilation, I64Attr:$feature_groups, I64Attr:$batch_groups, UnitAttr:$fast_math);
  let results = (outs Burn_NumberTensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs) `to` type($result)
  }];
}

def Burn_PackPanelsOp : Burn_TypedOp<"pack_panels", 502, [Pure, ParentOneOf<["FusedOp"]>]> {
  let summary = "An operand of a contraction, as its kernel reads it.";
  let description = [{
    Stands in the kernels of the function that prepares a program (burn-pack-frozen). The input is a
    contraction with the `burn.tiling` of the kernel that will compute it; the result is its operand
    number `number` in the order in which that kernel reads it. Only the generator of contractions
    knows that order, so the result is a row of bytes. It does not depend on the values of the other
    operand.

    Constraints: (C1) the input is the result of a `burn.dot_general` or `burn.conv`; (C2) `number` is
    0 or 1; (C3) the result is a tensor of i8 of rank 1.

    ```mlir
    %p = burn.pack_panels 1 of %r : tensor<4x2xf32> to tensor<1024xi8>
    ```
  }];
  let arguments = (ins Burn_NumberTensor:$input, I64Attr:$number);
  let results = (outs Burn_Tensor:$result);
  let assemblyFormat = "$number `of` $input attr-dict `:` type($input) `to` type($result)";
  let hasVerifier = 1;
  let inGraph = 0;
}

def Burn_UnpackPanelsOp : Burn_TypedOp<"unpack_panels", 503, [Pure, ParentOneOf<["FusedOp"]>]> {
  let summary = "The operand of a contraction that panels were packed from.";
  let description = [{
    The inverse of `burn.pack_panels`, as an operand of the contraction whose kernel reads the panels; it
    may be converted in between as that kernel does. No code is made of it.

    Constraints: (C1) the input is a tensor of i8 of rank 1.

    ```mlir
    %w = burn.unpack_panels %p : tensor<1024xi8> to tensor<8x2xf32>
    ```
  }];
  let arguments = (ins Burn_Tensor:$input);
  let results = (outs Burn_NumberTensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `to` type($result)";
  let hasVerifier = 1;
  let inGraph = 0;
}

#endif // DIALECTS_BURN_BURNCONTRACTIONOPS_TD
