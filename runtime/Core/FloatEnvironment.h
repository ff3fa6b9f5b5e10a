// The state that floating-point instructions depend on.
#pragma once

#include <cstdint>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace burn::core {

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
#elif defined(__aarch64__)
  DefaultFloatEnvironment() : before_(read()) {
    if (before_ & kMode)
      write(before_ & ~kMode);
  }
  ~DefaultFloatEnvironment() {
    if (before_ & kMode)
      write(before_);
  }

private:
  // Of FPCR: other NaNs, flushing of subnormals (also of f16), rounding, traps.
  static constexpr uint64_t kMode = 0x7f89f07;
  static uint64_t read() {
    uint64_t value = 0;
    asm volatile("mrs %0, fpcr" : "=r"(value));
    return value;
  }
  static void write(uint64_t value) { asm volatile("msr fpcr, %0" : : "r"(value)); }
  uint64_t before_;
#else
  DefaultFloatEnvironment() {}
#endif
  DefaultFloatEnvironment(const DefaultFloatEnvironment &) = delete;
  DefaultFloatEnvironment &operator=(const DefaultFloatEnvironment &) = delete;
};

} // namespace burn::core
