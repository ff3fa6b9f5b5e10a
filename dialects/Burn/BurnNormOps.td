// Normalisations, attention and other composites of networks.

#ifndef DIALECTS_BURN_BURNNORMOPS_TD
#define DIALECTS_BURN_BURNNORMOPS_TD

include "dialects/Burn/BurnOpBase.td"

def Burn_LogsumexpOp : Burn_InferredOp<"logsumexp", 808, [Pure, Differentiable, Composite]> {
  let summary = "Logarithm of the sum of exponentials along dimensions.";
  let description = [{
    max(x) + log(sum(exp(x - max(x)))), minus infinity where all elements are, or where there are none; the
    maximum counts as 0 where it is infinite.

    Constraints: (C1) `dims` are strictly ascending and within the rank.

    ```mlir
    %r = burn.logsumexp %x {dims = array<i64: 1>} : tensor<2x3xf32> to tensor<2xf32>
    ```
  }];
  let arguments = (ins Burn_FloatTensor:$input, DenseI64ArrayAttr:$dims);
  let results = (outs Burn_FloatTensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `to` type($result)";
}

def Burn_LayerNormOp : Burn_InferredOp<"layer_norm", 805, [Pure, Differentiable, Composite]> {
  let summary = "Normalisation over the last dimensions.";
  let description = [{
    (x - mean) * rstd * scale + bias with mean and rstd = rsqrt(var + epsilon), var biased, over the dimensions from
    `axis` on. `affine` holds the scale, or scale and bias, or nothing. Mean and rstd, also results, have the
    dimensions before `axis`; they are f32 for f16 and bf16. Ba et al., 2016.

    Constraints: (C1) the axis lies within the rank; (C2) at most two of `affine`, with the input's element
    type and its dimensions from `axis` on; (C3) epsilon is finite and >= 0.

    ```mlir
    %y, %m, %r = burn.layer_norm %x, %s, %b {axis = 1, epsilon = 1.0e-5 : f64}
        : (tensor<2x8xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<2x8xf32>, tensor<2xf32>, tensor<2xf32>)
    ```
  }];
  let arguments = (ins Burn_FloatTensor:$input, Variadic<Burn_FloatTensor>:$affine, I64Attr:$axis,
                       F64Attr:$epsilon);
  let results = (outs Burn_FloatTensor:$result, Burn_FloatTensor:$mean, Burn_FloatTensor:$rstd);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

def Burn_GroupNormOp : Burn_InferredOp<"group_norm", 806, [Pure, Differentiable, Composite]> {
  let summary = "Normalisation of groups of features of each example.";
  let description = [{
    As layer_norm, over the features of a group and all dimensions from 2 on: dimension 0 is the batch, dimension
    1 holds the features, which form `groups` groups of neighbours. Scale and bias have one element a feature; mean
    and rstd have shape [batch, groups]. With one feature a group it is instance normalisation. Wu and He, 2018.

    Constraints: (C1) the rank is 2 at least, and `groups` >= 1 divides the number of features; (C2) at most two of
    `affine`, with the input's element type and one element a feature; (C3) epsilon is finite and >= 0.

    ```mlir
    %y, %m, %r = burn.group_norm %x {groups = 2, epsilon = 1.0e-5 : f64}
        : (tensor<2x4x3xf32>) -> (tensor<2x4x3xf32>, tensor<2x2xf32>, tensor<2x2xf32>)
    ```
  }];
  let arguments = (ins Burn_FloatTensor:$input, Variadic<Burn_FloatTensor>:$affine, I64Attr:$groups,
                       F64Attr:$epsilon);
  let results = (outs Burn_FloatTensor:$result, Burn_FloatTensor:$mean, Burn_FloatTensor:$rstd);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

def Burn_RmsNormOp : Burn_InferredOp<"rms_norm", 807, [Pure, Differentiable, Composite]> {
  let summary = "Division by the root of the mean square over the last dimensions.";
  let description = [{
    x * rstd * scale with rstd = rsqrt(mean(x * x) + epsilon) over the dimensions from `axis` on. rstd, also a result,
    has the dimensions before `axis`; it is f32 for f16 and bf16. Zhang and Sennrich, 2019.

    Constraints: (C1) the axis lies within the rank; (C2) at most one of `scale`, with the input's element type
    and its dimensions from `axis` on; (C3) epsilon is finite and >= 0.

    ```mlir
    %y, %r = burn.rms_norm %x, %s {axis = 1, epsilon = 1.0e-5 : f64}
        : (tensor<2x8xf32>, tensor<8xf32>) -> (tensor<2x8xf32>, tensor<2xf32>)
    ```
  }];
  let arguments = (ins Burn_FloatTensor:$input, Optional<Burn_FloatTensor>:$scale, I64Attr:$axis,
                       F64Attr:$epsilon);
  let results = (outs Burn_FloatTensor:$result, Burn_FloatTensor:$rstd);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

def Burn_AttentionOp : Burn_InferredOp<"attention", 819, [Pure, AttrSizedOperandSegments, Differentiable,
    Composite]> {
  let summary = "Scaled dot-product attention.";
  let description = [{
    softmax(s + bias) v with s = scale q k^T, capped to softcap tanh(s / softcap) where `softcap` is above 0. A pair
    of a query and a key counts only where `mask` is true, and under `causal` only where key <= query + keys -
    queries (the last query sees the last key). A query without keys gives 0 and has the gradient 0. Values of pairs
    that do not count have to be finite: else what they stand beside may become NaN, as 0 times infinity does. q is
    [batch, heads, queries, d], k [batch, key heads, keys, d] and v [batch, key heads, keys, e]; consecutive heads /
    key heads heads share a key head (grouped queries). Mask and bias have the shape [batch or 1, heads or 1,
    queries or 1, keys]. The second result is the logarithm of the sum of exponentials of each query's scores, minus
    infinity without keys. f16 and bf16 are computed in f32; lse is f32 then. As Attention of ONNX opset 23 and
    Vaswani et al., 2017.

    Constraints: (C1) q, k, v have rank 4 and one element type; (C2) batches agree, d agrees, keys agree, key heads divide
    heads; (C3) mask and bias have a shape as above, the bias the element type of q; (C4) the scale is finite, softcap
    finite and >= 0.

    ```mlir
    %o, %lse = burn.attention %q, %k, %v {causal = true, scale = 0.125 : f64, softcap = 0.0 : f64}
        : (tensor<1x2x3x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5x4xf32>)
        -> (tensor<1x2x3x4xf32>, tensor<1x2x3xf32>)
    ```
  }];
  let arguments = (ins Burn_FloatTensor:$query, Burn_FloatTensor:$key, Burn_FloatTensor:$value,
      Optional<Burn_BoolTensor>:$mask, Optional<Burn_FloatTensor>:$bias, BoolAttr:$causal, F64Attr:$scale,
      F64Attr:$softcap);
  let results = (outs Burn_FloatTensor:$result, Burn_FloatTensor:$lse);
  let assemblyFormat = [{
    $query `,` $key `,` $value (`mask` $mask^)? (`bias` $bias^)? attr-dict `:` functional-type(operands, results)
  }];
}

def Burn_AttentionGradOp : Burn_InferredOp<"attention_grad", 824, [Pure, AttrSizedOperandSegments, Composite]> {
  let summary = "Gradients of scaled dot-product attention.";
  let description = [{
    The reverse rule of `burn.attention` in one op, so that a back end may compute it without storing anything for each
    pair of a query and a key. With the scores s and the pairs that count as `burn.attention` has them, g the gradient of
    its result, and p = exp(s - lse), 0 where a pair does not count (a lse of minus infinity stands for 0):

        value_grad = p^T g        score_grad = p (g v^T + delta)
        query_grad = ds k         key_grad = ds^T q         ds = scale score_grad (1 - tanh^2 (scale q k^T / softcap))

    without the last factor where `softcap` is 0. A pair that does not count adds 0 where the values it would
    multiply, and lse, are finite; else it may add NaN, as 0 times infinity does. `delta` is, for each query, the
    gradient of lse less the sum of g times the result. `score_grad` is the gradient of the scores behind the bias,
    [batch, heads, queries, keys]; summed to the shape of the bias it is that of the bias. f16 and bf16 are computed
    in f32; lse, delta and score_grad are f32 then. As in Dao et al., 2022. The op is decomposed before it is
    differentiated.

    Constraints: (C1) query, key, value, mask, bias and the attributes are as in `burn.attention`; (C2) lse and delta have
    the type of its second result, result_grad that of its first.

    ```mlir
    %dq, %dk, %dv, %ds = burn.attention_grad %q, %k, %v lse %lse of %g, %delta
        {causal = true, scale = 0.125 : f64, softcap = 0.0 : f64}
        : (tensor<1x2x3x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5x4xf32>, tensor<1x2x3xf32>, tensor<1x2x3x4xf32>,
           tensor<1x2x3xf32>)
        -> (tensor<1x2x3x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5x4xf32>, tensor<1x2x3x5xf32>)
    ```
  }];
  let arguments = (ins Burn_FloatTensor:$query, Burn_FloatTensor:$key, Burn_FloatTensor:$value,
      Optional<Burn_BoolTensor>:$mask, Optional<Burn_FloatTensor>:$bias, Burn_FloatTensor:$lse,
      Burn_FloatTensor:$result_grad, Burn_FloatTensor:$delta, BoolAttr:$causal, F64Attr:$scale, F64Attr:$softcap);
  let results = (outs Burn_FloatTensor:$query_grad, Burn_FloatTensor:$key_grad, Burn_FloatTensor:$value_grad,
      Burn_FloatTensor:$score_grad);
  let assemblyFormat = [{
    $query `,` $key `,` $value (`mask` $mask^)? (`bias` $bias^)? `lse` $lse `of` $result_grad `,` $delta attr-dict `:`
    functional-type(operands, results)
  }];
}

def Burn_EmbeddingOp : Burn_InferredOp<"embedding", 820, [Pure, DifferentiableSome, Composite]> {
  let summary = "Rows of a table.";
  let description = [{
    Row i of the table for each index i, which must lie within the table. The row `padding_idx` gets no gradient (-1: none
    is so).

    Constraints: (C1) the table has rank 2; (C2) `padding_idx` is -1 or a row.

    ```mlir
    %r = burn.embedding %t, %i {padding_idx = -1} : tensor<10x8xf32>, tensor<4x3xi64> to tensor<4x3x8xf32>
    ```
  }];
  let arguments = (ins Burn_FloatTensor:$table, Burn_IntTensor:$indices, I64Attr:$padding_idx);
  let results = (outs Burn_FloatTensor:$result);
  let assemblyFormat = "$table `,` $indices attr-dict `:` type($table) `,` type($indices) `to` type($result)";
}

def Burn_InterpolateOp : Burn_InferredOp<"interpolate", 821, [Pure, Differentiable, Composite]> {
  let summary = "Resampling of spatial dimensions.";
  let description = [{
    The last dimensions get the sizes `sizes`. The source coordinate of result index i is, with the scale s of its
    dimension: (i + 0.5) / s - 0.5 (`half_pixel`; `pytorch_half_pixel` is the same but 0 for a result of size 1;
    `half_pixel_symmetric` keeps the centre where the size was rounded), i (source - 1) / (size - 1) (`align_corners`) or
    i / s (`asymmetric`). `scales` holds s for each of these dimensions. `nearest` takes the element at the rounded
    coordinate, `linear` and `cubic` (coefficient `cubic_coeff`, Keys 1981) weigh 2 or 4 neighbours a dimension;
    coordinates beyond the edge take the edge element. As Resize of ONNX opset 19, without antialiasing.

    Constraints: (C1) as many scales as sizes, at most the rank; (C2) sizes are not negative, and 0 only where the
    operand is empty there too; (C3) scales are finite and above 0, `cubic_coeff` is finite.

    ```mlir
    %r = burn.interpolate nearest half_pixel floor %x {sizes = array<i64: 8>, scales = array<f64: 2.0>,
        cubic_coeff = -0.75 : f64} : tensor<1x2x4xf32> to tensor<1x2x8xf32>
    ```
  }];
  let arguments = (ins Burn_InterpolateMode:$mode, Burn_CoordinateMode:$coordinates,
      Burn_NearestMode:$nearest, Burn_FloatTensor:$input, DenseI64ArrayAttr:$sizes, DenseF64ArrayAttr:$scales,
      F64Attr:$cubic_coeff);
  let results = (outs Burn_FloatTensor:$result);
  let assemblyFormat = "$mode $coordinates $nearest $input attr-dict `:` type($input) `to` type($result)";
}

def Burn_RopeOp : Burn_MatchedOp<"rope", 822, [Pure, DifferentiableSome, Composite,
    AllTypesMatch<["input", "result"]>, AllTypesMatch<["cos", "sin"]>]> {
  let summary = "Rotary position embedding.";
  let description = [{
    Rotates pairs of the first 2r elements of the last dimension by an angle whose cosine and sine are row l
    of `cos` and `sin`, of shape [positions, r], l the index in the dimension before the last: pair j is
    (j, j + r), or (2j, 2j + 1) if `interleaved`; (a, b) becomes (a cos - b sin, b cos + a sin). Other elements
    stay. Cosine and sine are constants to the derivative. Su et al., 2021.

    Constraints: (C1) cos and sin have shape [positions, r] with 2r <= the last dimension; (C2) element
    types are equal.

    ```mlir
    %r = burn.rope %x, %c, %s {interleaved = false} : tensor<2x4x8xf32>, tensor<4x4xf32>
    ```
  }];
  let arguments = (ins Burn_FloatTensor:$input, Burn_FloatTensor:$cos, Burn_FloatTensor:$sin,
                       BoolAttr:$interleaved);
  let results = (outs Burn_FloatTensor:$result);
  let assemblyFormat = "$input `,` $cos `,` $sin attr-dict `:` type($result) `,` type($cos)";
}

def Burn_AdamwUpdateOp : Burn_InferredOp<"adamw_update", 823, [Pure, Composite,
    AllTypesMatch<["parameter", "gradient", "average", "average_of_squares"]>]> {
  let summary = "One step of AdamW on one parameter.";
  let description = [{
    m' = beta1 m + (1 - beta1) g, v' = beta2 v + (1 - beta2) g^2 and
    p' = p - step_size (m' / (sqrt(v') correction + epsilon)) - decay p, the scalars being f64 numbers of the host
    rounded to p's type: step_size = lr / (1 - beta1^t), correction = 1 / sqrt(1 - beta2^t), decay = lr
    weight_decay. f16 and bf16 are computed in f32, the scalars rounded to it, and each result rounded once. Loshchilov
    and Hutter, 2019.

    Constraints: (C1) parameter, gradient and both averages have one type; (C2) the scalars are tensor<f64>; (C3)
    betas lie in [0, 1), epsilon is finite and >= 0.

    ```mlir
    %q, %n, %w = burn.adamw_update %p, %g, %m, %v, %step, %correction, %decay
        {beta1 = 0.9 : f64, beta2 = 0.999 : f64, epsilon = 1.0e-8 : f64} : tensor<4xf32>
    ```
  }];
  let arguments = (ins Burn_FloatTensor:$parameter, Burn_FloatTensor:$gradient, Burn_FloatTensor:$average,
      Burn_FloatTensor:$average_of_squares, Burn_HostNumber:$step_size, Burn_HostNumber:$correction,
      Burn_HostNumber:$decay, F64Attr:$beta1, F64Attr:$beta2, F64Attr:$epsilon);
  let results = (outs Burn_FloatTensor:$new_parameter, Burn_FloatTensor:$new_average,
                      Burn_FloatTensor:$new_average_of_squares);
  let assemblyFormat = [{
    $parameter `,` $gradient `,` $average `,` $average_of_squares `,` $step_size `,` $correction `,` $decay
    attr-dict `:` type($parameter)
  }];
}

#endif // DIALECTS_BURN_BURNNORMOPS_TD
