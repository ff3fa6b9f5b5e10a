// A program with arguments to run it on, and its form as a file.
#pragma once

#include "tools/burn-fuzz/ProgramBuilder.h"

namespace burn::fuzz {

struct Program {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  Tensors arguments;

  Program clone() const { return {module.get().clone(), arguments}; }
};

/// The program as MLIR text. Each argument carries its elements in an attribute, `burn.value`, so that the file says
/// all there is to know of a failure.
std::string writeProgram(const Program &program);

/// Reads such a file. An argument without `burn.value` gets tame elements that depend on its position alone.
core::Expected<Program> readProgram(mlir::MLIRContext &context, llvm::StringRef text, llvm::StringRef filename);

} // namespace burn::fuzz
