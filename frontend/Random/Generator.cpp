#include <burn/random.h>

namespace burn {

Generator &default_generator() {
  thread_local Generator generator;
  return generator;
}

void manual_seed(uint64_t seed) { default_generator().manual_seed(seed); }

} // namespace burn
