// Shape and dtype rules of burn ops: the one place that decides which operands an op takes and what
// its results are. Called by the tracer, by the dialect's type inference and by its verifier.
#pragma once

#include "runtime/Core/OpTable.h"
#include "runtime/Core/Types.h"

#include <span>
#include <vector>

namespace burn::core {

/// The most that a stride, a dilation or a padding may be, so that sizes can be computed with.
inline constexpr int64_t kMostSteps = int64_t(1) << 40;

/// Computes the result types of an op, or says why the op is ill-formed. `words` are the attribute
/// words. Where `OpInfo::resultsInferred` is false, `results` holds the proposed types at entry and
/// is checked. The message does not repeat the op's name.
Status inferTypes(OpCode op, std::span<const TypeDesc> operands, std::span<const int64_t> words,
                  std::vector<TypeDesc> &results);

/// The same of types that may be larger than any tensor: what a decomposition builds on the way is looked at when it is
/// whole. Sizes that do not fit may give wrong ones.
Status inferTypesOfAnySize(OpCode op, std::span<const TypeDesc> operands, std::span<const int64_t> words,
                           std::vector<TypeDesc> &results);

} // namespace burn::core
