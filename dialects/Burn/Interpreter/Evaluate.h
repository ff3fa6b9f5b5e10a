// Evaluation of one op on host tensors: the meaning of every op of the dialect.
#pragma once

#include "dialects/Burn/Interpreter/HostTensor.h"
#include "runtime/Core/OpTable.h"

namespace burn::ir {

/// In which numbers floating-point values are held.
enum class Precision {
  /// In their own type; every op rounds once to it.
  Own,
  /// All as double, results too; nothing is rounded to a narrower type.
  Double,
  /// All as std::complex<double>, for derivatives by a small imaginary step. Comparisons look at the
  /// real part, and what is not analytic takes its derivative as documented by the op.
  ComplexStep,
};

/// The type under which a value of type `type` is held.
core::TypeDesc heldType(const core::TypeDesc &type, Precision precision);

/// Whether the op has a meaning of its own (all that stand in a graph do, but burn.grad, which is
/// differentiated first).
bool hasMeaning(core::OpCode op);

/// Evaluates an op. `words` are the attribute words, `resultTypes` those of the op; operands and
/// results are held as `precision` says. The op is taken to obey its rule. Floating-point sums and
/// products over elements are formed in double, in row-major order, and rounded once. Fails where an
/// index operand that is checked lies outside its dimension.
core::Status evaluate(core::OpCode op, std::span<const HostTensor *const> operands, std::span<const int64_t> words,
                      std::span<const core::TypeDesc> resultTypes, Precision precision,
                      std::vector<HostTensor> &results);

} // namespace burn::ir
