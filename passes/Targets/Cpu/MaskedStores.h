#pragma once

namespace llvm {
class Module;
}

namespace burn::compiler {

/// Makes stores of one lane out of masked stores whose constant mask has one lane. For AVX-512, LLVM 22 joins the
/// truncation of a value with such a masked store, and then writes the lane in the width that it had before: up to
/// seven bytes of what lies behind.
void splitSingleLaneStores(llvm::Module &module);

} // namespace burn::compiler
