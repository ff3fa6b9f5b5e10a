// What the parser of MLIR cannot be given: it recurses, and text that nests too deep ends the process.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <string>

namespace burn::compiler {

/// Says which limit a program's text exceeds, empty where it keeps to all: 256 brackets within each other, counted
/// through aliases (`#a = [#b]`); 1000 operators of an affine expression in a row; a million uses of aliases, counted
/// through aliases. No program comes near; the parser, and everything that walks or prints attributes, is safe below.
std::string exceededNesting(llvm::StringRef text);

} // namespace burn::compiler
