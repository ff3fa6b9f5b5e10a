// Programs that must compute the same compiled and on the reference interpreter.
#pragma once

#include "test/unit/frontend/Backends.h"

#include <burn/tensor.h>

#include <catch2/catch.hpp>

#include <vector>

namespace burn::test {

/// Runs the body compiled, then interpreted.
template <typename Body> void everyWay(const Body &body) {
  {
    INFO("compiled");
    body();
  }
  INFO("interpreted");
  SpyBackend spy;
  body();
}

inline std::vector<double> valuesOf(const Tensor &x) { return x.detach().to(DType::F64).to_vector<double>(); }

} // namespace burn::test
