#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

#include <string>

namespace burn::compiler {

/// Names of the symbols that an ELF object expects from elsewhere, sorted.
llvm::Expected<llvm::SmallVector<std::string>> undefinedSymbols(llvm::ArrayRef<char> object);

/// Links one relocatable ELF object into a shared object, in this process.
/// Undefined symbols are left to the loader; undefinedSymbols() names them.
/// May be called from any thread: calls take turns, because lld keeps global
/// state. Signal handlers are as before when it returns.
llvm::Expected<llvm::SmallVector<char, 0>> linkSharedObject(llvm::ArrayRef<char> object);

/// The same of several objects, which may refer to one another.
llvm::Expected<llvm::SmallVector<char, 0>> linkSharedObjects(llvm::ArrayRef<llvm::SmallVector<char, 0>> objects);

} // namespace burn::compiler
