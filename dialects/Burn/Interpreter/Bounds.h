// How far a compiled op may be from the interpreter: one bound per op, the table of every test.
#pragma once

#include "dialects/Burn/Interpreter/Evaluate.h"

#include <string>

namespace burn::ir {

/// The form of an op's bound. Any NaN equals any NaN; elements that are no floats are always equal.
/// e is the unit roundoff of the element type (of f32 where f16 and bf16 accumulate in f32).
enum class BoundKind : uint8_t {
  /// The same bits.
  Exact,
  /// A distance in units in the last place; zeros keep their sign.
  Ulps,
  /// n e sum|x| for a sum of n terms, in any order; products by their logarithms likewise.
  Combination,
  /// Follows the roundings of the documented formula (see BoundsNeural.cpp).
  Formula,
};

struct OpBound {
  core::OpCode op;
  BoundKind kind;
  /// For f32 and f64. Where f16 or bf16 are computed in f32 and rounded once, 1.
  int ulps = 0;
};

/// The row of an op. Ops that the table does not name are exact.
OpBound boundOf(core::OpCode op);

/// The outcome of a comparison: ok, or how many elements are outside the bound and the worst of them.
struct Comparison {
  int64_t mismatches = 0;
  int64_t element = -1; // row-major position of the worst
  double expected = 0, actual = 0;
  double tolerance = 0; // absolute, at that element
  std::string message;  // empty where ok

  explicit operator bool() const { return mismatches == 0; }
};

/// Compares result `index` of an op, as compiled code gave it on `operands`, with the interpreter's.
Comparison compareWithinBound(core::OpCode op, std::span<const HostTensor *const> operands,
                              std::span<const int64_t> words, unsigned index, const HostTensor &expected,
                              const HostTensor &actual);

/// The same without a bound: equal bits, or both NaN.
Comparison compareExact(const HostTensor &expected, const HostTensor &actual);

/// Compares within given absolute tolerances, one per element, or one for all.
Comparison compareWithin(std::span<const double> tolerances, const HostTensor &expected, const HostTensor &actual);

} // namespace burn::ir
