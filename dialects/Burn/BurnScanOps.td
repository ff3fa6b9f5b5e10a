// Prefix combinations along an axis.

#ifndef DIALECTS_BURN_BURNSCANOPS_TD
#define DIALECTS_BURN_BURNSCANOPS_TD

include "dialects/Burn/BurnOpBase.td"

def Burn_ScanOp : Burn_MatchedOp<"scan", 403, [Pure, Differentiable, SameOperandsAndResultType]> {
  let summary = "Combination of each element with those before it.";
  let description = [{
    y[i] combines x[0] .. x[i] along `axis`, from the end if `reverse`; with `exclusive` without
    x[i], so that the first result is the combiner's identity. `max` and `min` give NaN from the first NaN
    on; their cotangents go to the last extremum so far. f16 and bf16 are accumulated in f32. The order of
    combination depends on the shape alone. Blelloch, "Prefix sums and their applications", 1990.

    Constraints: (C1) the axis lies within the rank.

    ```mlir
    %r = burn.scan sum %x {axis = 1, exclusive = false, reverse = false} : tensor<2x3xf32>
    ```
  }];
  let arguments = (ins Burn_ScanKind:$kind, Burn_NumberTensor:$input, I64Attr:$axis, BoolAttr:$exclusive,
                       BoolAttr:$reverse);
  let results = (outs Burn_NumberTensor:$result);
  let assemblyFormat = "$kind $input attr-dict `:` type($result)";
}

def Burn_LinearScanOp : Burn_MatchedOp<"linear_scan", 404, [Pure, Differentiable, SameOperandsAndResultType]> {
  let summary = "First-order linear recurrence.";
  let description = [{
    y[i] = a[i] y[i-1] + x[i] along `axis` with y[-1] = 0; from the end if `reverse`. Evaluated in
    that order; f16 and bf16 carry y in f32.

    Constraints: (C1) the axis lies within the rank.

    ```mlir
    %r = burn.linear_scan %a, %x {axis = 1, reverse = false} : tensor<2x3xf32>
    ```
  }];
  let arguments = (ins Burn_NumberTensor:$factor, Burn_NumberTensor:$input, I64Attr:$axis, BoolAttr:$reverse);
  let results = (outs Burn_NumberTensor:$result);
  let assemblyFormat = "$factor `,` $input attr-dict `:` type($result)";
}

#endif // DIALECTS_BURN_BURNSCANOPS_TD
