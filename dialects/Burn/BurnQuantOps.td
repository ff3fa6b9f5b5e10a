// Quantization with block scales.

#ifndef DIALECTS_BURN_BURNQUANTOPS_TD
#define DIALECTS_BURN_BURNQUANTOPS_TD

include "dialects/Burn/BurnOpBase.td"

def Burn_QuantizeOp : Burn_InferredOp<"quantize", 830, [Pure, Composite]> {
  let summary = "Numbers as small integers or floats times a scale.";
  let description = [{
    q = round(x / scale) + zero_point, rounded to nearest even and saturated to the range of `storage`; NaN gives
    the zero point. Float storage has no zero point and rounds x / scale to its type; what is too large for it is
    saturated under `saturate`, else infinite (f8E5M2) or NaN (f8E4M3FN). The scale of an element is that of its block:
    `block` holds the block's size in each dimension. The result is i8 for i8 and ui8 for all others; 4-bit elements are
    packed two a byte along the last dimension, the first in the low bits, and padded with 0; f8 elements are bytes.
    No gradient flows.

    Constraints: (C1) one block size a dimension, which divides it; (C2) scale and zero points have one element a
    block, the scale the input's element type, the zero points i32; (C3) zero points only with integer storage; (C4) packed
    tensors have rank 1 at least; (C5) integer storage saturates.

    ```mlir
    %q = burn.quantize i4 %x, %s {block = array<i64: 1, 4>, saturate = true} : (tensor<2x8xf32>, tensor<2x2xf32>) -> tensor<2x4xui8>
    ```
  }];
  let arguments = (ins Burn_QuantStorage:$storage, Burn_FloatTensor:$input, Burn_FloatTensor:$scale,
      Optional<Burn_IntTensor>:$zero_point, DenseI64ArrayAttr:$block, BoolAttr:$saturate);
  let results = (outs Burn_IntTensor:$result);
  let assemblyFormat = [{
    $storage $input `,` $scale (`,` $zero_point^)? attr-dict `:` functional-type(operands, results)
  }];
}

def Burn_DequantizeOp : Burn_TypedOp<"dequantize", 831, [Pure, DifferentiableSome, Composite]> {
  let summary = "The numbers that a quantized tensor stands for.";
  let description = [{
    (q - zero_point) scale, in the layout of quantize. The result's shape is given, since packing hides an odd
    last dimension. The scale's cotangent is the sum of g (q - zero_point) over its block.

    Constraints: as for quantize, (C1) to (C4); (C5) the quantized tensor has the type that quantize would give.

    ```mlir
    %x = burn.dequantize i4 %q, %s {block = array<i64: 1, 4>} : (tensor<2x4xui8>, tensor<2x2xf32>) -> tensor<2x8xf32>
    ```
  }];
  let arguments = (ins Burn_QuantStorage:$storage, Burn_IntTensor:$input, Burn_FloatTensor:$scale,
      Optional<Burn_IntTensor>:$zero_point, DenseI64ArrayAttr:$block);
  let results = (outs Burn_FloatTensor:$result);
  let assemblyFormat = [{
    $storage $input `,` $scale (`,` $zero_point^)? attr-dict `:` functional-type(operands, results)
  }];
}

#endif // DIALECTS_BURN_BURNQUANTOPS_TD
