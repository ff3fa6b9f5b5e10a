/// Fewer operations at a larger error, where the program says so.
#pragma once

#include <burn/export.h>

namespace burn {

/// Whether what the calling thread records may be computed so.
BURN_API bool is_fast_math_enabled();

/// Allows it, or takes it back, for what the calling thread records while it lives, and for gradients of that, wherever
/// they are asked for. Convolutions make use of it on the CPU: the guide has their error. What is recorded
/// outside keeps its bits, in the same program too. BURN_FAST_MATH=1 allows it everywhere.
class BURN_API FastMathGuard {
public:
  explicit FastMathGuard(bool enabled = true);
  ~FastMathGuard();
  FastMathGuard(const FastMathGuard &) = delete;
  FastMathGuard &operator=(const FastMathGuard &) = delete;

private:
  bool before_;
};

} // namespace burn
