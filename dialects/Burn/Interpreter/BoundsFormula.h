// Shared by the bounds files; not for others.
#pragma once

#include "dialects/Burn/Interpreter/Bounds.h"

#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace burn::ir::bounds {

/// Half the distance from 1 to the next number of the type, 0 for integers.
double unitRoundoff(DType dtype);

/// That of the type a composite computes in: f16 and bf16 compute in f32.
double computeRoundoff(DType dtype);

/// The greatest number of the type that a composite computes in.
double greatestComputed(DType dtype);

/// The least positive number of the type, and of the type that a composite computes in. A product or quotient that is
/// subnormal is off by half of it, however small it is.
double leastOf(DType dtype);
double leastComputed(DType dtype);

/// Result `index` of a composite, compiled, whose tolerances are wanted.
struct FormulaCase {
  core::OpCode op;
  std::span<const HostTensor *const> operands;
  std::span<const int64_t> words;
  unsigned index;
  const HostTensor &expected;
};

// The tolerances of a family of composites before the last rounding, nothing where the family has no such op.
std::optional<std::vector<double>> activationTolerances(const FormulaCase &c);
std::optional<std::vector<double>> normTolerances(const FormulaCase &c);
std::optional<std::vector<double>> attentionTolerances(const FormulaCase &c);
std::optional<std::vector<double>> mappingTolerances(const FormulaCase &c);

/// Absolute tolerances of the elements of a composite's result `index`.
std::vector<double> formulaTolerances(core::OpCode op, std::span<const HostTensor *const> operands,
                                      std::span<const int64_t> words, unsigned index, const HostTensor &expected);

/// The same of lgamma, digamma and polygamma: 4 units in the last place, and near their zeros as many of the terms that
/// cancel.
std::vector<double> gammaTolerances(core::OpCode op, std::span<const int64_t> words, const HostTensor &input,
                                    const HostTensor &expected);

/// Mean and variance of groups of elements, and how far computed ones may be off: infinite where a step of the formula
/// may leave the range of the type.
struct MomentBounds {
  std::vector<double> mean, variance, meanTolerance, varianceTolerance;

  /// Element i belongs to group `groupOf(i)` of `groups`, each of n elements. Squared distances are divided by `free`.
  MomentBounds(DType dtype, std::span<const double> x, int64_t groups, const std::function<int64_t(int64_t)> &groupOf,
               double n, double free);
};

} // namespace burn::ir::bounds
