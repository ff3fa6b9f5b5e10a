#pragma once

#include <chrono>

namespace burn::trace {

/// Adds to Stats::compile_ms.
void addCompileTime(std::chrono::nanoseconds time);

} // namespace burn::trace
