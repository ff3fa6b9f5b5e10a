// Ops whose result places depend on the values: sorting and searching.

#ifndef DIALECTS_BURN_BURNORDEROPS_TD
#define DIALECTS_BURN_BURNORDEROPS_TD

include "dialects/Burn/BurnOpBase.td"

def Burn_SortOp : Burn_InferredOp<"sort", 302, [Pure, Differentiable]> {
  let summary = "Tensors sorted along an axis by the first of them.";
  let description = [{
    Each line along `axis` of the first operand is brought into ascending order (or descending), and
    the lines of the other operands into the same order. Equal elements keep their order. Numbers
    are ordered totally: -0 equals +0, all NaN are equal and above plus infinity, so they come last in
    ascending order and first in descending. The cotangents return to where the elements came from.

    Constraints: (C1) the axis lies within the rank; (C2) all operands have the first one's shape.

    ```mlir
    %v, %i = burn.sort %x, %j {axis = 1, descending = false} : (tensor<2x3xf32>, tensor<2x3xi64>)
        -> (tensor<2x3xf32>, tensor<2x3xi64>)
    ```
  }];
  let arguments = (ins Variadic<Burn_Tensor>:$inputs, I64Attr:$axis, BoolAttr:$descending);
  let results = (outs Variadic<Burn_Tensor>:$results);
  let assemblyFormat = "$inputs attr-dict `:` functional-type(operands, results)";
}

def Burn_TopkOp : Burn_InferredOp<"topk", 303, [Pure, Differentiable]> {
  let summary = "The k greatest or least elements along an axis, and where they stand.";
  let description = [{
    In the order in which sort puts them, descending if `largest`; of equal elements the first one
    comes first.

    Constraints: (C1) the axis lies within the rank; (C2) k is between 0 and its size.

    ```mlir
    %v, %i = burn.topk %x {axis = 1, k = 2, largest = true} : tensor<2x3xf32> to tensor<2x2xf32>, tensor<2x2xi64>
    ```
  }];
  let arguments = (ins Burn_Tensor:$input, I64Attr:$axis, I64Attr:$k, BoolAttr:$largest);
  let results = (outs Burn_Tensor:$values, Burn_IntTensor:$indices);
  let assemblyFormat = "$input attr-dict `:` type($input) `to` type($values) `,` type($indices)";
}

def Burn_NonzeroOp : Burn_InferredOp<"nonzero", 304, [Pure]> {
  let summary = "Indices of the elements that are not zero.";
  let description = [{
    Row r of `indices` holds the index of the r-th element, in row-major order, that is not zero (NaN
    is not; a boolean counts if true), -1 from row `count` on. Elements beyond `max_count` are not listed but
    counted.

    Constraints: (C1) `max_count` is not negative.

    ```mlir
    %i, %n = burn.nonzero %x {max_count = 6} : tensor<2x3xf32> to tensor<6x2xi64>, tensor<i64>
    ```
  }];
  let arguments = (ins Burn_Tensor:$input, I64Attr:$max_count);
  let results = (outs Burn_IntTensor:$indices, Burn_IntTensor:$count);
  let assemblyFormat = "$input attr-dict `:` type($input) `to` type($indices) `,` type($count)";
}

#endif // DIALECTS_BURN_BURNORDEROPS_TD
