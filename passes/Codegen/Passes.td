// Passes that decide how code is generated, in alphabetical order.

#ifndef PASSES_CODEGEN_PASSES_TD
#define PASSES_CODEGEN_PASSES_TD

include "mlir/Pass/PassBase.td"

def PackFrozen : Pass<"burn-pack-frozen", "::mlir::ModuleOp"> {
  let summary = "Has operands that never change packed before the program runs.";
  let description = [{
    Where the tiling of a product or convolution says that panels of an operand are `ready`
    (burn-tile-matmul), the function that prepares the program packs that operand, and the kernel reads
    the panels in its place, as a further argument marked `burn.derived`. Derived values that nothing
    reads any more are dropped.

    Panels of a constant are another constant, and the former goes where nothing else reads it. An
    operand that changes, but not while a loop runs, is packed in front of the loop.

    ```mlir
    func.func @main(%x: tensor<4x8xf32>, %w: tensor<8x16xf32> {burn.frozen}) -> tensor<4x16xf32> {
      %r = burn.fused contraction (%x, %w) : ... {
      ^bb0(%a: tensor<4x8xf32>, %b: tensor<8x16xf32>):
        %d = burn.dot_general %a, %b {..., burn.tiling = {..., ready = "lanes"}} : ...
        burn.yield %d : tensor<4x16xf32>
      }
      return %r : tensor<4x16xf32>
    }
    ```
    ==>
    ```mlir
    func.func @main(%x: tensor<4x8xf32>, %w: tensor<8x16xf32> {burn.frozen}, %p: tensor<512xi8> {burn.derived})
        -> tensor<4x16xf32> {
      %r = burn.fused contraction (%x, %p) : ... {
      ^bb0(%a: tensor<4x8xf32>, %q: tensor<512xi8>):
        %b = burn.unpack_panels %q : tensor<512xi8> to tensor<8x16xf32>
        %d = burn.dot_general %a, %b {..., burn.tiling = {..., ready = "lanes"}} : ...
        burn.yield %d : tensor<4x16xf32>
      }
      return %r : tensor<4x16xf32>
    }
    ```
  }];
  let dependentDialects = ["::burn::ir::BurnDialect"];
}

def TileMatmul : Pass<"burn-tile-matmul", "::mlir::func::FuncOp"> {
  let summary = "Chooses how products and convolutions are tiled.";
  let description = [{
    Writes `burn.tiling` on every `burn.dot_general` and `burn.conv` whose code comes from the contraction
    generator: the register tile, how many steps of the sum run between two visits of a tile, the block of the
    result that is one task, and which operands are copied into panels first. The choice follows from shapes,
    element type and target; it changes speed and never a bit of the result, unless `deterministic` is off. A `burn.tiling` that stands already
    is kept where it fits the op, and an error where it does not. Row kernels, which have little to choose, get a
    `burn.rows` where a measurement chose another way than the usual one.

    An operand that is a frozen argument, or derived from such, is tiled as one whose panels are `ready`
    before the kernel runs, as far as the memory for that goes: four times its bytes (or 64 KiB), and
    four times those of all frozen arguments, and 1 MiB more, for all derived values of a program.

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
    Option<"fastMath", "fast-math", "bool", "false",
           "true: convolutions of 3 x 3 windows over many channels may be computed by Winograd's method, and bear "
           "`burn.winograd` then; false: those with `fast_math` alone">,
    Option<"manyThreads", "many-threads", "bool", "false",
           "true: large products are cut into pieces for more than four threads">,
    Option<"candidates", "candidates", "unsigned", "0",
           "reports this many tilings of each kernel as remarks, the chosen one first and then the best by estimate">,
  ];
}

#endif // PASSES_CODEGEN_PASSES_TD
