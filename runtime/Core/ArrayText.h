/// Arrays as text, in the layout of NumPy.
#pragma once

#include "runtime/Core/Types.h"

#include <string>
#include <string_view>

namespace burn::core {

/// The elements in nested brackets: `precision` digits behind the point; of an array of more than `threshold` elements,
/// three at each end of a long dimension.
std::string arrayText(const TypeDesc &type, const std::byte *bytes, int precision = 8, int64_t threshold = 1000);

/// Writes `label: text` to the standard output.
void printArray(std::string_view label, const TypeDesc &type, const std::byte *bytes);

} // namespace burn::core
