// What LLVM 22 makes wrong code of, written in another way before the code generator sees it.
#pragma once

namespace llvm {
class Module;
}

namespace burn::compiler {

/// Makes loads of whole registers out of masked loads of 32 and 64 bit elements of which a register of lanes is masked
/// off by a constant and others by a condition. Without mask registers, LLVM 22 loads the former in full, which may lie
/// behind the end of the buffer.
void splitMaskedLoads(llvm::Module &module, unsigned registerBytes);

/// Makes stores of one lane out of masked stores whose constant mask has one lane. For AVX-512, LLVM 22 joins the
/// truncation of a value with such a masked store, and then writes the lane in the width that it had before: up to
/// seven bytes of what lies behind.
void splitSingleLaneStores(llvm::Module &module);

/// Keeps masked loads apart from the arithmetic on their values. With mask registers, LLVM 22 folds such a load into an
/// instruction under the mask, and where it needs the register back it undoes that by a load without a mask, which may
/// lie behind the end of the buffer. Values that are shuffled or converted first stay as they are.
void holdMaskedLoads(llvm::Module &module);

} // namespace burn::compiler
