// Random numbers, a pure function of key and counter.

#ifndef DIALECTS_BURN_BURNRANDOMOPS_TD
#define DIALECTS_BURN_BURNRANDOMOPS_TD

include "dialects/Burn/BurnOpBase.td"

def Burn_KeyTensor : Burn_FixedTensor<"tensor<2xui32>", "{2}", "$B.getIntegerType(32, false)">;
def Burn_CounterTensor : Burn_FixedTensor<"tensor<ui64>", "{}", "$B.getIntegerType(64, false)">;

def Burn_RngBitsOp : Burn_TypedOp<"rng_bits", 700, [Pure, ZeroDerivative]> {
  let summary = "Random bits from a counter.";
  let description = [{
    Philox4x32-10 (Salmon et al., SC 2011). With call = counter + ordinal, a 32-bit element i (row
    major) is word i mod 4 of the block with counter words {lo32(i/4), hi32(i/4), lo32(call),
    hi32(call)}; a 64-bit element is words 2(i mod 2) (low) and 2(i mod 2) + 1 of the block of i/2.

    Constraints: (C1) the key is tensor<2xui32>, the counter tensor<ui64>; (C2) the result's
    elements are ui32 or ui64.

    ```mlir
    %b = burn.rng_bits %key, %counter {ordinal = 3} : tensor<4x5xui32>
    ```
  }];
  let arguments = (ins Burn_KeyTensor:$key, Burn_CounterTensor:$counter,
                       I64Attr:$ordinal);
  let results = (outs Burn_RandomBitsTensor:$result);
  let assemblyFormat = "$key `,` $counter attr-dict `:` type($result)";
}

def Burn_DropoutOp : Burn_MatchedOp<"dropout", 701, [Pure, DifferentiableSome, Composite,
    AllTypesMatch<["input", "result"]>]> {
  let summary = "Zeroes elements at random and scales the others.";
  let description = [{
    An element is kept iff its random bits (rng_bits with 32-bit elements, same key, counter and
    ordinal) are below floor((1 - rate) * 2^32), and is then multiplied by 1 / (1 - rate), computed
    in f64 and rounded to the element type. The derivative draws the same mask again.

    Constraints: (C1) key and counter as for rng_bits; (C2) the rate is tensor<f64>.

    ```mlir
    %r = burn.dropout %x, %key, %counter, %rate {ordinal = 0} : tensor<4x5xf32>
    ```
  }];
  let arguments = (ins Burn_FloatTensor:$input, Burn_KeyTensor:$key,
      Burn_CounterTensor:$counter, Burn_HostNumber:$rate, I64Attr:$ordinal);
  let results = (outs Burn_FloatTensor:$result);
  let assemblyFormat = "$input `,` $key `,` $counter `,` $rate attr-dict `:` type($result)";
}

def Burn_UniformOp : Burn_TypedOp<"uniform", 702, [Pure, ZeroDerivative, Composite]> {
  let summary = "Uniform random numbers in [0, 1).";
  let description = [{
    The top 24 bits of each element's random bits (rng_bits of the same key, counter and ordinal) times
    2^-24; f64 takes 53 of 64 bits, f16 11 and bf16 8 of 32.

    Constraints: (C1) key and counter as for rng_bits; (C2) the result is a float.

    ```mlir
    %r = burn.uniform %key, %counter {ordinal = 0} : tensor<4x5xf32>
    ```
  }];
  let arguments = (ins Burn_KeyTensor:$key, Burn_CounterTensor:$counter, I64Attr:$ordinal);
  let results = (outs Burn_FloatTensor:$result);
  let assemblyFormat = "$key `,` $counter attr-dict `:` type($result)";
}

def Burn_NormalOp : Burn_TypedOp<"normal", 703, [Pure, ZeroDerivative, Composite]> {
  let summary = "Standard normal random numbers.";
  let description = [{
    sqrt(2) erfinv((2k + 1 - 2^24) 2^-24) with k the top 24 bits of each element's random bits; f64 the same with
    the top 53 of 64 bits. f16 and bf16 are the f32 number rounded.

    Constraints: (C1) key and counter as for rng_bits; (C2) the result is a float.

    ```mlir
    %r = burn.normal %key, %counter {ordinal = 0} : tensor<4x5xf32>
    ```
  }];
  let arguments = (ins Burn_KeyTensor:$key, Burn_CounterTensor:$counter, I64Attr:$ordinal);
  let results = (outs Burn_FloatTensor:$result);
  let assemblyFormat = "$key `,` $counter attr-dict `:` type($result)";
}

def Burn_BernoulliOp : Burn_InferredOp<"bernoulli", 704, [Pure, Composite]> {
  let summary = "True with given probabilities.";
  let description = [{
    True iff the element's random bits (32 of them) are below floor(p * 2^32), p converted to f64. A
    probability outside [0, 1] counts as the nearer end, NaN as 0.

    Constraints: (C1) key and counter as for rng_bits.

    ```mlir
    %r = burn.bernoulli %p, %key, %counter {ordinal = 0} : tensor<4x5xf32>
    ```
  }];
  let arguments = (ins Burn_FloatTensor:$probability, Burn_KeyTensor:$key, Burn_CounterTensor:$counter,
                       I64Attr:$ordinal);
  let results = (outs Burn_BoolTensor:$result);
  let assemblyFormat = "$probability `,` $key `,` $counter attr-dict `:` type($probability)";
}

def Burn_CategoricalOp : Burn_InferredOp<"categorical", 705, [Pure, Composite]> {
  let summary = "Classes drawn with given weights.";
  let description = [{
    For each line of weights along the last dimension `samples` independent draws: the first class whose
    running sum of weights exceeds u times their total, u the uniform number of the result element (as
    burn.uniform of f32 draws it). Computed in f64 for weights of every type. Where no sum does, it is the last
    class, as for weights that are all 0 or have an infinite total; where the total is NaN, it is class 0.

    Constraints: (C1) key and counter as for rng_bits; (C2) the weights have rank 1 at least, and a class; (C3)
    `samples` is not negative.

    ```mlir
    %r = burn.categorical %w, %key, %counter {ordinal = 0, samples = 3} : tensor<4x5xf32> to tensor<4x3xi64>
    ```
  }];
  let arguments = (ins Burn_FloatTensor:$weights, Burn_KeyTensor:$key, Burn_CounterTensor:$counter,
                       I64Attr:$ordinal, I64Attr:$samples);
  let results = (outs Burn_IntTensor:$result);
  let assemblyFormat = "$weights `,` $key `,` $counter attr-dict `:` type($weights) `to` type($result)";
}

#endif // DIALECTS_BURN_BURNRANDOMOPS_TD
