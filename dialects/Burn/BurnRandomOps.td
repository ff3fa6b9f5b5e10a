// Random numbers, a pure function of key and counter.

#ifndef DIALECTS_BURN_BURNRANDOMOPS_TD
#define DIALECTS_BURN_BURNRANDOMOPS_TD

include "dialects/Burn/BurnOpBase.td"

class Burn_FixedTensor<string text, string shape, string element>
    : Type<CPred<"$_self == ::mlir::RankedTensorType::get(" # shape # ", " #
                 !subst("$B", "::mlir::Builder($_self.getContext())", element) # ")">, text>,
      BuildableType<"::mlir::RankedTensorType::get(" # shape # ", " #
                    !subst("$B", "$_builder", element) # ")">;

def Burn_KeyTensor : Burn_FixedTensor<"tensor<2xui32>", "{2}", "$B.getIntegerType(32, false)">;
def Burn_CounterTensor : Burn_FixedTensor<"tensor<ui64>", "{}", "$B.getIntegerType(64, false)">;
def Burn_RateTensor : Burn_FixedTensor<"tensor<f64>", "{}", "$B.getF64Type()">;

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
      Burn_CounterTensor:$counter, Burn_RateTensor:$rate, I64Attr:$ordinal);
  let results = (outs Burn_FloatTensor:$result);
  let assemblyFormat = "$input `,` $key `,` $counter `,` $rate attr-dict `:` type($result)";
}

#endif // DIALECTS_BURN_BURNRANDOMOPS_TD
