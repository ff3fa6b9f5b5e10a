#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace burn::core {
struct GpuTarget;
}

namespace burn::compiler {

/// The processor that code is made for. The compiler never looks at the
/// machine it runs on: whoever asks for code says what it is for.
struct CpuTarget {
  std::string triple = "x86_64-unknown-linux-gnu";
  /// A CPU name of LLVM, such as "x86-64" (SSE2 alone), "x86-64-v3" or "sapphirerapids".
  std::string cpu = "x86-64-v3";
  /// Additional features in LLVM's form, such as "+avx512f,-avx512vnni".
  std::string features;
};

/// What code generators need to know of a target.
struct CpuTargetInfo {
  /// Width of the widest usable vector register, in bytes.
  unsigned vectorBytes = 16;
  /// Number of vector registers.
  unsigned vectorRegisters = 16;
  /// Fused multiply-add in hardware; elsewhere it takes a dozen instructions.
  bool hasFma = false;
  /// Conversions between f16 and f32 in hardware.
  bool hasHalfConversions = false;
  /// Masked loads, stores and arithmetic on every vector (AVX-512 with VL,
  /// BW and DQ); elsewhere masks cost instructions.
  bool hasMaskRegisters = false;
  /// Multiply-adds of several steps on whole vectors: pairs of 16-bit integers, whose sum is added by another
  /// instruction or by the same, which then also takes four 8-bit integers; pairs of bf16.
  bool hasPairProducts = false, hasDotProducts = false, hasBFloat16DotProducts = false;
  /// Squares of 16 x 16 sums (AMX).
  bool hasInt8Tiles = false, hasBFloat16Tiles = false;
  /// Code for one invocation of a GPU: a task is one element, and nothing runs in lanes.
  bool scalar = false;
  /// That GPU; null for a CPU.
  const core::GpuTarget *gpu = nullptr;
};

/// Checks triple, CPU name and features, and describes the target. Names that
/// LLVM does not know, and CPUs that the triple cannot run on, are errors here;
/// the code generator would end the process over some of them.
llvm::Expected<CpuTargetInfo> describeTarget(const CpuTarget &target);

struct EmitOptions {
  /// Text assembly in place of a relocatable object.
  bool assembly = false;
  /// Name of the LLVM module, seen in assembly and debug information.
  std::string moduleName = "burn";
};

/// Makes a position-independent relocatable object, or assembly text, from a
/// module in the LLVM dialect. Floating-point operations are never contracted
/// or reordered. The module is left as it was.
llvm::Expected<llvm::SmallVector<char, 0>> emitObject(mlir::ModuleOp module, const CpuTarget &target,
                                                      const EmitOptions &options = {});

/// The same as several objects, which are generated at the same time where the module is large. They
/// refer to one another: link them together.
llvm::Expected<std::vector<llvm::SmallVector<char, 0>>> emitObjects(mlir::ModuleOp module, const CpuTarget &target,
                                                                    const EmitOptions &options = {});

} // namespace burn::compiler
