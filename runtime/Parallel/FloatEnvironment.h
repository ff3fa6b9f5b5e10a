// The state that floating-point instructions depend on.
#pragma once

#include <cstdint>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace burn::runtime {

/// Rounds to nearest and keeps subnormals while it lives, whatever the host program has set (a library built with
/// -ffast-math turns subnormals off for the whole thread): a plan gives the same bits in every program.
class DefaultFloatEnvironment {
public:
#if defined(__x86_64__)
  DefaultFloatEnvironment() : before_(_mm_getcsr()) {
    if ((before_ & ~kFlags) != kDefault)
      _mm_setcsr(kDefault);
  }
  ~DefaultFloatEnvironment() {
    if ((before_ & ~kFlags) != kDefault)
      _mm_setcsr(before_);
  }

private:
  static constexpr uint32_t kDefault = 0x1f80; // all exceptions masked
  static constexpr uint32_t kFlags = 0x3f;     // of exceptions that have occurred
  uint32_t before_;
#else
  DefaultFloatEnvironment() {}
#endif
  DefaultFloatEnvironment(const DefaultFloatEnvironment &) = delete;
  DefaultFloatEnvironment &operator=(const DefaultFloatEnvironment &) = delete;
};

} // namespace burn::runtime
