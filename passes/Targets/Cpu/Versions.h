// Code of one program for several processors in one object, which chooses among them when it first runs.
#pragma once

#include "passes/Targets/Cpu/CpuTarget.h"

namespace llvm {
class MCSubtargetInfo;
class Triple;
} // namespace llvm

namespace burn::compiler {

/// One version: the program lowered for a processor, with an entry point of a name of its own.
struct CodeVersion {
  mlir::ModuleOp module;
  CpuTarget target;
  std::string entry;
  /// Of the function that prepares the program; empty where there is none.
  std::string prepareEntry;
};

/// One object with the code of all versions. The function `entry` runs the last one that the processor and its
/// operating system can run, or else that which the environment variable BURN_AOT_CPU names by its processor; it
/// returns -1 where there is no such version. `prepareEntry`, if any, prepares for the same version. All are for one
/// triple. Nothing of the object but these is visible, and constants that versions have in common are there once.
llvm::Expected<llvm::SmallVector<char, 0>> emitVersions(llvm::ArrayRef<CodeVersion> versions, llvm::StringRef entry,
                                                        llvm::StringRef prepareEntry, const EmitOptions &options = {});

/// The LLVM IR of `entry`, `prepareEntry` and of what they need, the entry points of the versions aside. Fails for
/// architectures whose processors nobody can ask.
llvm::Expected<std::string> chooserSource(llvm::ArrayRef<CodeVersion> versions,
                                          llvm::ArrayRef<const llvm::MCSubtargetInfo *> subtargets,
                                          const llvm::Triple &triple, llvm::StringRef entry,
                                          llvm::StringRef prepareEntry);

/// The width of SVE's vectors that a target's code is made for, in bits; 0: no vectors of SVE.
unsigned sveBits(const CpuTarget &target, const llvm::MCSubtargetInfo &subtarget);

} // namespace burn::compiler
