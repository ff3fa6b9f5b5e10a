// Differentiation markers and regions.

#ifndef DIALECTS_BURN_BURNCONTROLOPS_TD
#define DIALECTS_BURN_BURNCONTROLOPS_TD

include "dialects/Burn/BurnOpBase.td"

def Burn_StopGradientOp : Burn_MatchedOp<"stop_gradient", 900, [Pure, ZeroDerivative,
    SameOperandsAndResultType]> {
  let summary = "Its operand, through which no gradient flows.";
  let description = [{
    Folded away once no burn.grad is left.

    ```mlir
    %r = burn.stop_gradient %x : tensor<4xf32>
    ```
  }];
  let arguments = (ins Burn_Tensor:$input);
  let results = (outs Burn_Tensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($result)";
}

def Burn_GradOp : Burn_InferredOp<"grad", 901, [Pure, AttrSizedOperandSegments]> {
  let summary = "Gradients of values with respect to other values.";
  let description = [{
    Result k is the sum over outputs o of cotangent(o) times the derivative of o by `wrt` k, zero
    where no output depends on it. Without cotangents there is one output, a scalar, and its
    cotangent is 1. `wrt` names values, inner ones too: a value computed a second time is another
    value. Expanded by the differentiate pass, innermost first.

    Constraints: (C1) outputs and wrt are floats; (C2) cotangents have the outputs' types, or there
    are none and the only output is a scalar.

    ```mlir
    %g = burn.grad(%loss) wrt(%w) : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
  let arguments = (ins Variadic<Burn_FloatTensor>:$outputs, Variadic<Burn_FloatTensor>:$cotangents,
                       Variadic<Burn_FloatTensor>:$wrt);
  let results = (outs Variadic<Burn_FloatTensor>:$gradients);
  let assemblyFormat = [{
    `(` $outputs `)` (`cotangents` `(` $cotangents^ `)`)? `wrt` `(` $wrt `)` attr-dict `:`
    functional-type(operands, results)
  }];
}

def Burn_FusedOp : Burn_Op<"fused", 902, [Pure, IsolatedFromAbove, SingleBlock,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "Ops that are compiled as one kernel.";
  let description = [{
    One entry of the launch plan. The region holds burn ops on its arguments, one per operand, and
    ends in burn.yield. Its meaning is that of its ops, one after the other.

    Constraints: (C1) arguments have the operands' types; (C2) yielded values have the results'
    types.

    ```mlir
    %r = burn.fused elementwise (%a, %b) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%x: tensor<4xf32>, %y: tensor<4xf32>):
      %s = burn.add %x, %y : tensor<4xf32>
      burn.yield %s : tensor<4xf32>
    }
    ```
  }];
  let arguments = (ins Burn_ClusterKind:$kind, Variadic<Burn_Tensor>:$inputs);
  let results = (outs Variadic<Burn_Tensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $kind ` ` `(` $inputs `)` attr-dict `:` functional-type($inputs, results) $body
  }];
  let resultsInferred = 0;
  let inGraph = 0;
  let hasRegionVerifier = 1;
}

def Burn_YieldOp : Burn_Op<"yield", 903, [Pure, Terminator, HasParent<"FusedOp">]> {
  let summary = "The results of a region.";
  let description = [{
    ```mlir
    burn.yield %s : tensor<4xf32>
    ```
  }];
  let arguments = (ins Variadic<Burn_Tensor>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
  let resultsInferred = 0;
  let inGraph = 0;
}

#endif // DIALECTS_BURN_BURNCONTROLOPS_TD
