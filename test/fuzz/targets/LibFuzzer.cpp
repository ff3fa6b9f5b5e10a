// The entry of libFuzzer, for the target that BURN_FUZZ_TARGET names.
#include "test/fuzz/targets/Targets.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const std::string wrong = burn::fuzz::BURN_FUZZ_TARGET(std::as_bytes(std::span(data, size)));
  if (wrong.empty())
    return 0;
  std::fprintf(stderr, "%s\n", wrong.c_str());
  std::abort();
}
