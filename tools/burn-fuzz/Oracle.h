// Whether a program is compiled right.
#pragma once

#include "tools/burn-fuzz/Coverage.h"
#include "tools/burn-fuzz/Program.h"

namespace burn::fuzz {

struct OracleOptions {
  /// Code for this processor in place of x86-64-v3.
  bool onHost = false;
  /// Also each pass alone, the program without simplification, from the cache, and on several threads.
  bool thorough = false;
  /// What is counted of a program on which all agree; null: nothing.
  Coverage *coverage = nullptr;
};

/// Compiles and runs a program with and without fusion. The unfused one keeps every value, and each op is compared with
/// the interpreter on the operands that the program computed, within the op's bound; the fused one must have its bits.
/// Returns what is wrong, beginning with the name of the check and a colon, or nothing. Gradients are expanded in
/// place.
std::string findFailure(const Program &program, const OracleOptions &options);

/// Compares the gradient of a smooth program with differences of its values. Returns what is wrong, or nothing; sets
/// `compared` where the program has a gradient and finite values.
std::string findWrongGradient(const Program &program, uint64_t seed, bool &compared);

/// The name of the check that a failure begins with.
llvm::StringRef checkOf(llvm::StringRef failure);

} // namespace burn::fuzz
