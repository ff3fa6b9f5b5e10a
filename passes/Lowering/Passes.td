// Passes from planned burn functions to code, in alphabetical order.

#ifndef PASSES_LOWERING_PASSES_TD
#define PASSES_LOWERING_PASSES_TD

include "mlir/Pass/PassBase.td"

def EmitEntry : Pass<"burn-emit-entry", "::mlir::ModuleOp"> {
  let summary = "Writes the entry point that runs the launch plan.";
  let description = [{
    Reads the `burn.launches` that burn-lower-kernels left on a module, whose kernels are in the LLVM
    dialect by now, and adds `burn_run` (see `burn/abi.h`): it finds the buffers of each kernel and
    runs its phases one after the other, through the host's `parallel_for` where there is enough
    work. Where `burn.prepare_launches` say how the program is prepared, `burn_prepare` does the same for
    these. With it, the module holds no trace of burn.
  }];
  let options = [
    Option<"entry", "entry", "std::string", "\"burn_run\"", "Name of the entry point.">,
    Option<"prepareEntry", "prepare-entry", "std::string", "\"burn_prepare\"",
           "Name of the entry point that prepares it.">,
  ];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def GpuKernels : Pass<"burn-gpu-kernels", "::mlir::ModuleOp"> {
  let summary = "Turns the phases of kernels into kernels of a GPU.";
  let description = [{
    Takes what `burn-lower-kernels{scalar}` left: each function becomes a `gpu.module` with one
    `gpu.func`, an invocation or a workgroup per task. Memory becomes bindings: scratch memory one for each element
    type, host scalars the block of scalars as words, data inside of a kernel constants of the plan.
    A check that fails lowers the error word to its number. Types that the target does not have are
    errors at the op that needs them.

    ```mlir
    // burn.launches: func = @kernel_0, tasks = 100
    func.func private @kernel_0(%begin: index, %end: index, %a: memref<100xf32>, %t: memref<100xf32>)
    ```
    ==>
    ```mlir
    // burn.launches: kernel = @kernel_0, workgroup = 64, shared = 0, grid = [2, 1, 1]
    gpu.module @kernel_0 { gpu.func @kernel_0(%a: memref<100xf32>, %t: memref<100xf32>) kernel }
    ```
  }];
  let options = [
    Option<"target", "target", "std::string", "\"\"", "The GPU, as runtime/Core/GpuTarget.h writes it.">,
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect", "::mlir::LLVM::LLVMDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect",
  ];
}

def GpuToSpirv : Pass<"burn-gpu-to-spirv", "::mlir::ModuleOp"> {
  let summary = "Turns each gpu.module into a spirv.module for Vulkan.";
  let description = [{
    Upstream patterns with what they lack: fused multiply-adds, which a driver may round twice, are
    taken apart into a product with its error and a sum with its error; truncation, bit counts and
    rounding divisions are written out; every float operation is marked `no_contraction`, since
    drivers contract and reorder otherwise.
  }];
  let options = [
    Option<"target", "target", "std::string", "\"\"", "The GPU, as runtime/Core/GpuTarget.h writes it.">,
  ];
  let dependentDialects = ["::mlir::spirv::SPIRVDialect"];
}

def LowerKernels : Pass<"burn-lower-kernels", "::mlir::ModuleOp"> {
  let summary = "Turns each burn.fused into functions on flat buffers.";
  let description = [{
    Expects one function, fused and with its memory planned. Every `burn.fused` becomes one function
    per phase in the vector, scf and arith dialects, every constant a global. The function itself
    goes; the module keeps its launch plan in `burn.launches`:

    ```mlir
    %t = burn.fused elementwise (%a) ... // burn.place: result 0
    ```
    ==>
    ```mlir
    // burn.launches: func = @kernel_0, tasks = 1, buffers = buffer 0, buffer 1
    func.func private @kernel_0(%begin: index, %end: index, %a: memref<4xf32>, %t: memref<4xf32>)
    ```
  }];
  let options = [
    Option<"triple", "triple", "std::string", "\"x86_64-unknown-linux-gnu\"", "LLVM target triple.">,
    Option<"cpu", "cpu", "std::string", "\"x86-64-v3\"", "LLVM CPU name.">,
    Option<"features", "features", "std::string", "\"\"", "LLVM feature list.">,
    Option<"scalar", "scalar", "bool", "false",
           "Code for invocations of a GPU: a task is an element, without vectors.">,
    Option<"gpuTarget", "gpu-target", "std::string", "\"\"", "That GPU, as runtime/Core/GpuTarget.h writes it.">,
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect", "::mlir::gpu::GPUDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect",
  ];
}

#endif // PASSES_LOWERING_PASSES_TD
