// Passes that differentiate, in alphabetical order.

#ifndef PASSES_AUTODIFF_PASSES_TD
#define PASSES_AUTODIFF_PASSES_TD

include "mlir/Pass/PassBase.td"

def Differentiate : Pass<"burn-differentiate", "::mlir::func::FuncOp"> {
  let summary = "Expands burn.grad into the ops of the reverse pass.";
  let description = [{
    Each `burn.grad` of the function body is replaced, from first to last, by a reverse sweep over
    the ops in front of it: an op that lies on a way from a `wrt` value to an output hands the
    cotangents of its results to its operands (DifferentiableOpInterface). Zeros stay symbolic.
    Cotangents of one value are added in program order of its uses, so results do not depend on
    anything but the program; more than two terms of f16 or bf16 are added in f32. A `wrt` value
    that no output depends on has the gradient 0. A composite without a rule of its own is decomposed first.

    Runs on the program as it was written: merging equal values first would change what `wrt`
    names. A later `burn.grad` sees the expansion of an earlier one, which gives derivatives of
    higher order.

    ```mlir
    %y = burn.exp %x : tensor<f32>
    %g = burn.grad(%y) wrt(%x) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    ```
    ==>
    ```mlir
    %y = burn.exp %x : tensor<f32>
    %one = burn.constant dense<1.0> : tensor<f32>
    %g = burn.mul %one, %y : tensor<f32>
    ```
  }];
  let dependentDialects = ["::burn::ir::BurnDialect"];
}

#endif // PASSES_AUTODIFF_PASSES_TD
