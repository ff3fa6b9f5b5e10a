// Passes from burn IR to burn IR, in alphabetical order.

#ifndef PASSES_GRAPH_PASSES_TD
#define PASSES_GRAPH_PASSES_TD

include "mlir/Pass/PassBase.td"

def Decompose : Pass<"burn-decompose", "::mlir::func::FuncOp"> {
  let summary = "Replaces composites by primitive ops.";
  let description = [{
    Every op with `CompositeOpInterface` gives way to its decomposition, of which code generators
    know each op. f16 and bf16 composites compute in f32 and round once, and so do scatters that add
    or multiply. With `native`, attention of which the CPU has a kernel stays as it is, in f32 or f64.
    A concatenation of more than 32 tensors becomes one of concatenations behind a `burn.barrier`.

    ```mlir
    %r = burn.softmax %x {axis = 0} : tensor<4xf32>
    ```
    ==>
    ```mlir
    %0 = burn.reduce max %x {dims = array<i64: 0>} : tensor<4xf32> to tensor<f32>
    %1 = burn.broadcast %0 {dims = array<i64>} : tensor<f32> to tensor<4xf32>
    %2 = burn.sub %x, %1 : tensor<4xf32>
    %3 = burn.exp %2 : tensor<4xf32>
    %4 = burn.reduce sum %3 {dims = array<i64: 0>} : tensor<4xf32> to tensor<f32>
    %5 = burn.broadcast %4 {dims = array<i64>} : tensor<f32> to tensor<4xf32>
    %r = burn.div %3, %5 : tensor<4xf32>
    ```
  }];
  let options = [
    Option<"native", "native", "bool", "false", "Keep composites of which the CPU has a kernel.">,
    Option<"keepDilated", "keep-dilated", "bool", "false",
           "With `native`: leave convolutions of dilated inputs in one piece">
  ];
  let dependentDialects = ["::burn::ir::BurnDialect"];
}

def ExpandExtrema : Pass<"burn-expand-extrema", "::mlir::func::FuncOp"> {
  let summary = "Writes extrema over windows and their gradients as elementwise ops where channels are last.";
  let description = [{
    Where windows lie side by side, channels are last, and gradients need the places of extrema, extrema and places become
    comparisons of slices: one of the elements that stand first in each window, one of those that stand second, and so on.
    Places count within a window and are bytes. The gradient is a choice between each window's update and zero, which a
    kernel makes as it reads it, so that no tensor of it is stored. Arithmetic in front is applied to slices, which then
    are of what it reads. Results have the same bits.

    ```mlir
    %p = burn.reduce_window max %x {window = array<i64: 1, 2, 1>, strides = array<i64: 1, 2, 1>, ...}
    %v, %i = burn.arg_reduce_window max %x {window = array<i64: 1, 2, 1>, ...}
    %d = burn.scatter add %zeros, %i, %g {...}
    ```
    ==>
    ```mlir
    %a = burn.slice %x {starts = array<i64: 0, 0, 0>, strides = array<i64: 1, 2, 1>, ...}
    %b = burn.slice %x {starts = array<i64: 0, 1, 0>, strides = array<i64: 1, 2, 1>, ...}
    %p = burn.max %a, %b
    %i = burn.select (burn.compare gt %b, %a), 1, 0
    %d = burn.select (burn.compare eq %i of the window, the place within it), %g of the window, 0
    ```
  }];
  let dependentDialects = ["::burn::ir::BurnDialect"];
}

def Fuse : Pass<"burn-fuse", "::mlir::func::FuncOp"> {
  let summary = "Groups ops into kernels.";
  let description = [{
    Puts every op into a `burn.fused`, by legality and cost: elementwise groups with several results,
    reductions with what stands before and behind them, contractions with the elementwise ops that
    follow. With `convert-on-read` these also hold the conversions that widen their operands. With
    `recompute` a kernel repeats cheap ops of others rather than read what they store: a value that
    nobody reads any more is not stored. With `turn-reductions` a kernel goes over what is transposed for
    reductions alone as it lies, and combines in the transposed order: `walk` on the `burn.fused`.
    Ops that only move data, generated values and arithmetic on scalars are copied into each
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
    Option<"convertOnRead", "convert-on-read", "bool", "false",
           "Kernels of products widen operands of 8 and 16 bits as they read them">,
    Option<"recompute", "recompute", "bool", "false",
           "Kernels compute cheap values again where that moves fewer bytes than to store and to read them">,
    Option<"turnReductions", "turn-reductions", "bool", "false",
           "Kernels of reductions go over transposed tensors as they lie">,
  ];
}

def GroupKernels : Pass<"burn-group-kernels", "::mlir::func::FuncOp"> {
  let summary = "Marks kernels that run at the same time as the one before.";
  let description = [{
    A `burn.fused` that reads nothing of the kernels just before it gets `burn.joins`: it runs in one parallel loop with
    them. Updates of many small parameters become one loop, and threads that have no part of one product left go on with
    the next. A kernel that could overwrite a dying operand does not join others that read it, and one that moves more
    than 32 MiB stays alone.

    ```mlir
    %w = burn.fused contraction (%dy, %x) : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<4x4xf32> { ... }
    %d = burn.fused contraction (%dy, %p) : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32> { ... }
    ```
    ==>
    ```mlir
    %w = burn.fused contraction (%dy, %x) : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<4x4xf32> { ... }
    %d = burn.fused contraction (%dy, %p) : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32> { ... } {burn.joins}
    ```
  }];
}

def HoistFrozen : Pass<"burn-hoist-frozen", "::mlir::ModuleOp"> {
  let summary = "Moves what is computed from frozen arguments or constants alone out of the program.";
  let description = [{
    Arguments marked `burn.frozen` never change, so what is computed from them (and from constants) alone
    need not be computed by every run. A function `<name>_prepare` with the same arguments computes it
    once; the program takes its results as further arguments, marked `burn.derived`.

    Hoisted is what pays: operands of products and convolutions, and values behind an op that is more
    than cheap arithmetic or a view without a copy. Such views and arithmetic stay with what reads them, and so do
    conversions that a product makes as it reads. A derived value has at most four times the bytes of the
    arguments that it comes from (or 64 KiB), and all of a program together at most four times those of its frozen
    arguments, and 1 MiB more. Ops with regions, ops that can fail and those that are returned stay. Values
    that loops and branches compute are hoisted as those around them, and handed in as invariants.

    What is computed from constants alone, by ops that the interpreter gives the bits of their code, becomes a
    constant under the same rules and bounds, up to 64 MiB in all.

    ```mlir
    func.func @main(%x: tensor<4x8xf32>, %w: tensor<8x8xi8> {burn.frozen}) -> tensor<4x8xf32> {
      %v = burn.convert %w : tensor<8x8xi8> to tensor<8x8xf32>
      %e = burn.exp %v : tensor<8x8xf32>
      %r = burn.dot_general %x, %e {...} : tensor<4x8xf32>, tensor<8x8xf32> to tensor<4x8xf32>
      return %r : tensor<4x8xf32>
    }
    ```
    ==>
    ```mlir
    func.func @main(%x: tensor<4x8xf32>, %w: tensor<8x8xi8> {burn.frozen}, %e: tensor<8x8xf32> {burn.derived})
        -> tensor<4x8xf32> {
      %r = burn.dot_general %x, %e {...} : tensor<4x8xf32>, tensor<8x8xf32> to tensor<4x8xf32>
      return %r : tensor<4x8xf32>
    }
    func.func private @main_prepare(%x: tensor<4x8xf32>, %w: tensor<8x8xi8> {burn.frozen}) -> tensor<8x8xf32>
        attributes {burn.prepares = @main} {
      %v = burn.convert %w : tensor<8x8xi8> to tensor<8x8xf32>
      %e = burn.exp %v : tensor<8x8xf32>
      return %e : tensor<8x8xf32>
    }
    ```
  }];
  let dependentDialects = ["::burn::ir::BurnDialect"];
}

def InlineCalls : Pass<"burn-inline-calls", "::mlir::ModuleOp"> {
  let summary = "Replaces calls by the bodies of their callees.";
  let description = [{
    Every `burn.call`, inside regions too, gives way to the ops of its callee; private functions that
    nothing calls any more go. Fails where a function calls itself, directly or through others.

    ```mlir
    func.func private @square(%x: tensor<4xf32>) -> tensor<4xf32> {
      %r = burn.mul %x, %x : tensor<4xf32>
      return %r : tensor<4xf32>
    }
    func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
      %r = burn.call @square(%a) : (tensor<4xf32>) -> tensor<4xf32>
      return %r : tensor<4xf32>
    }
    ```
    ==>
    ```mlir
    func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
      %r = burn.mul %a, %a : tensor<4xf32>
      return %r : tensor<4xf32>
    }
    ```
  }];
  let dependentDialects = ["::burn::ir::BurnDialect"];
}

def Layout : Pass<"burn-layout", "::mlir::func::FuncOp"> {
  let summary = "Puts the channels of images last where convolutions run faster so.";
  let description = [{
    Convolutions whose channels are neighbours in memory need no gathered pixels. Around those that are not, every value
    that is connected by elementwise ops, broadcasts, reductions, windows, padding, slices, concatenations, reshapes that
    keep dimensions together and scatters is laid out with channels last, and transposes are left where it meets
    something else: arguments, results, other reshapes. A connected part changes where the convolutions gain more than
    its transposes cost, by shapes alone. Bits depend neither on layouts nor on where a program is cut: sums of floats
    keep the order of their terms, so that a reduction such as batch statistics or the gradient of a bias becomes one of
    a transposed value. That counts as no transpose where a kernel goes over the value as it lies (`burn-fuse` with
    `turn-reductions`). Kernels stay as they are, since they are packed in any layout; gradients of
    kernels are turned at the end.

    ```mlir
    %y = burn.conv %x, %w {lhs_dims = array<i64: 0, 1, 2, 3>, out_dims = array<i64: 0, 1, 2, 3>, ...}
    %r = burn.exp %y : tensor<2x64x26x26xf32>
    ```
    ==>
    ```mlir
    %0 = burn.transpose %x {perm = array<i64: 0, 2, 3, 1>}
    %1 = burn.conv %0, %w {lhs_dims = array<i64: 0, 3, 1, 2>, out_dims = array<i64: 0, 3, 1, 2>, ...}
    %2 = burn.exp %1 : tensor<2x26x26x64xf32>
    %r = burn.transpose %2 {perm = array<i64: 0, 3, 1, 2>}
    ```
  }];
  let dependentDialects = ["::burn::ir::BurnDialect"];
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
  let options = [
    Option<"alignment", "alignment", "int64_t", "64", "Offsets into the arena are multiples of this, in bytes.">,
  ];
}

def Simplify : Pass<"burn-simplify", "::mlir::func::FuncOp"> {
  let summary = "Canonical form: exact folds, common subexpressions, dead code.";
  let description = [{
    Removes `burn.stop_gradient`, applies the canonicalization patterns and folders of burn ops,
    merges equal ops and removes those whose results nobody uses, until nothing changes. All of it
    keeps every bit of the results.

    Fails where a `burn.grad` is left: `wrt` names values, and merging two equal values would
    change the gradient.

    ```mlir
    %a = burn.neg %x : tensor<4xf32>
    %b = burn.neg %a : tensor<4xf32>
    %c = burn.stop_gradient %b : tensor<4xf32>
    return %c : tensor<4xf32>
    ```
    ==>
    ```mlir
    return %x : tensor<4xf32>
    ```
  }];
  let dependentDialects = ["::burn::ir::BurnDialect"];
}

def VerifyStage : Pass<"burn-verify-stage"> {
  let summary = "Checks that a stage has left nothing behind.";
  let description = [{
    Stands at the end of each stage of a pipeline and changes nothing. Each stage includes the
    conditions of those before it, as far as these still apply:

    - `differentiated`: no `burn.grad`.
    - `simplified`: no `burn.stop_gradient`.
    - `decomposed`: no composite op (CompositeOpInterface) but those of which the CPU has a kernel.
    - `fused`: function bodies hold `burn.fused`, constants, reshapes between buffers and their
      terminator only.
    - `planned`: every `burn.fused` has its `burn.place`.
    - `lowered`: no burn op and no value of tensor type.
  }];
  let options = [
    Option<"stage", "stage", "::burn::compiler::Stage", "::burn::compiler::Stage::Differentiated",
           "The stage that has ended.", [{::llvm::cl::values(
      clEnumValN(::burn::compiler::Stage::Differentiated, "differentiated", "after burn-differentiate"),
      clEnumValN(::burn::compiler::Stage::Simplified, "simplified", "after burn-simplify"),
      clEnumValN(::burn::compiler::Stage::Decomposed, "decomposed", "after burn-decompose"),
      clEnumValN(::burn::compiler::Stage::Fused, "fused", "after burn-fuse"),
      clEnumValN(::burn::compiler::Stage::Planned, "planned", "after burn-plan-memory"),
      clEnumValN(::burn::compiler::Stage::Lowered, "lowered", "after lowering to the LLVM dialect"))}]>
  ];
}

#endif // PASSES_GRAPH_PASSES_TD
