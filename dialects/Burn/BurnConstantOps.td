// Ops without tensor operands.

#ifndef DIALECTS_BURN_BURNCONSTANTOPS_TD
#define DIALECTS_BURN_BURNCONSTANTOPS_TD

include "dialects/Burn/BurnOpBase.td"

def Burn_ConstantOp : Burn_TypedOp<"constant", 1,
    [ConstantLike, Pure, ZeroDerivative, AllTypesMatch<["value", "result"]>]> {
  let summary = "A tensor known at compile time.";
  let description = [{
    ```mlir
    %c = burn.constant dense<[1.0, 2.0]> : tensor<2xf32>
    ```
  }];
  let arguments = (ins ElementsAttr:$value);
  let results = (outs Burn_Tensor:$result);
  let assemblyFormat = "$value attr-dict";
  let hasFolder = 1;
  let inGraph = 0;
}

def Burn_IotaOp : Burn_TypedOp<"iota", 2, [Pure, ZeroDerivative]> {
  let summary = "Indices along one dimension.";
  let description = [{
    Element `[i0, ..., in]` is `i_dim`, in the result's element type.

    Constraints: (C1) `0 <= dim < rank(result)`; (C2) the element type is no boolean.

    ```mlir
    %i = burn.iota {dim = 1} : tensor<2x3xi64>
    ```
  }];
  let arguments = (ins I64Attr:$dim);
  let results = (outs Burn_NumberTensor:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def Burn_UndefOp : Burn_TypedOp<"undef", 3, [Pure, ZeroDerivative]> {
  let summary = "A tensor whose values are never used.";
  let description = [{
    Stands for a value that nothing may depend on, such as the cotangent of an integer. The
    interpreter gives zeros.

    ```mlir
    %u = burn.undef : tensor<4xi32>
    ```
  }];
  let results = (outs Burn_Tensor:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

#endif // DIALECTS_BURN_BURNCONSTANTOPS_TD
