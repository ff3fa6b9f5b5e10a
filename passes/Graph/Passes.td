// Passes from burn IR to burn IR, in alphabetical order.

#ifndef PASSES_GRAPH_PASSES_TD
#define PASSES_GRAPH_PASSES_TD

include "mlir/Pass/PassBase.td"

def Fuse : Pass<"burn-fuse", "::mlir::func::FuncOp"> {
  let summary = "Groups ops into kernels.";
  let description = [{
    Puts every op into a `burn.fused`, by legality and cost: elementwise groups with several results,
    reductions with what stands before and behind them, contractions with the elementwise ops that
    follow. Ops that only move data, generated values and arithmetic on scalars are copied into each
    kernel that reads them. Reshapes between buffers and constants stay outside.

    ```mlir
    %s = burn.add %a, %b : tensor<4xf32>
    %t = burn.tanh %s : tensor<4xf32>
    return %t : tensor<4xf32>
    ```
    ==>
    ```mlir
    %t = burn.fused elementwise (%a, %b) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%in: tensor<4xf32>, %in_0: tensor<4xf32>):
      %0 = burn.add %in, %in_0 : tensor<4xf32>
      %1 = burn.tanh %0 : tensor<4xf32>
      burn.yield %1 : tensor<4xf32>
    }
    return %t : tensor<4xf32>
    ```
  }];
  let options = [
    Option<"enabled", "enabled", "bool", "true",
           "false: every op becomes a kernel of its own; results have the same bits">,
  ];
}

def PlanMemory : Pass<"burn-plan-memory", "::mlir::func::FuncOp"> {
  let summary = "Decides where every value of a fused function lives.";
  let description = [{
    Every result of a `burn.fused` gets a place, written as `burn.place` on the op: a new buffer of
    the caller (`result k`), the buffer of a donated argument (`arg k`), or an offset into the arena.
    Values share memory where their lives do not overlap, and a result takes over the memory of an
    operand that dies there, where the kernel reads that operand at the identity index only. The
    function gets `burn.arena_bytes` and `burn.results`, which says what each returned value is.
  }];
}

#endif // PASSES_GRAPH_PASSES_TD
