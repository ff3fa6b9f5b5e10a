#include "tools/burn-fuzz/OpEntries.h"

#include <algorithm>

using namespace burn;
using namespace burn::fuzz;
using core::OpCode;

llvm::ArrayRef<OpEntry> fuzz::opEntries() {
  static const std::vector<OpEntry> table = [] {
    std::vector<OpEntry> entries;
    for (auto *add : {addElementwiseEntries, addShapeEntries, addReductionEntries, addContractionEntries,
                      addIndexingEntries, addNeuralEntries, addGeneratedEntries, addControlEntries})
      add(entries);
    std::ranges::sort(entries, {}, &OpEntry::op);
    return entries;
  }();
  return table;
}

llvm::StringRef fuzz::whyNoEntry(OpCode op) {
  switch (op) {
  case OpCode::Constant:
    return "the generator makes constants as it makes arguments";
  case OpCode::Grad:
    return "the generator ends programs with gradients";
  case OpCode::Undef:
    return "its value is whatever the compiler likes";
  case OpCode::Call:
    return "a program is one function, and calls are inlined before anything else";
  case OpCode::CustomKernel:
    return "the process that runs the program must have registered the kernel";
  case OpCode::Fused:
  case OpCode::PackPanels:
  case OpCode::UnpackPanels:
  case OpCode::Yield:
    return "compilation makes it";
  default:
    return "";
  }
}
