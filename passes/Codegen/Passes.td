// Passes that decide how code is generated, in alphabetical order.

#ifndef PASSES_CODEGEN_PASSES_TD
#define PASSES_CODEGEN_PASSES_TD

include "mlir/Pass/PassBase.td"

def TileMatmul : Pass<"burn-tile-matmul", "::mlir::func::FuncOp"> {
  let summary = "Chooses how products and convolutions are tiled.";
  let description = [{
    Writes `burn.tiling` on every `burn.dot_general` and `burn.conv` whose code comes from the contraction
    generator: the register tile, how many steps of the sum run between two visits of a tile, the block of the
    result that is one task, and which operands are copied into panels first. The choice follows from shapes,
    element type and target; it changes speed and never a bit of the result, unless `deterministic` is off. A `burn.tiling` that stands already
    is kept where it fits the op, and an error where it does not.

    ```mlir
    %c = burn.dot_general %a, %b {...} : tensor<512x512xf32>, tensor<512x512xf32> to tensor<512x512xf32>
    ```
    ==>
    ```mlir
    %c = burn.dot_general %a, %b {..., burn.tiling = {vector_lanes = 16, tile = [6, 64], block_steps = 512,
        task = [78, 64], pack = ["lanes"], exchange = false}} : ...
    ```
  }];
  let options = [
    Option<"triple", "triple", "std::string", "\"x86_64-unknown-linux-gnu\"", "LLVM target triple">,
    Option<"cpu", "cpu", "std::string", "\"x86-64-v3\"", "CPU name of LLVM">,
    Option<"features", "features", "std::string", "", "further CPU features, such as +avx512f">,
    Option<"deterministic", "deterministic", "bool", "true",
           "false: sums of bf16 products may run in another order and precision">,
  ];
}

#endif // PASSES_CODEGEN_PASSES_TD
