// First values of parameters, made on the host: a model is ready before anything is compiled.
#pragma once

#include <burn/creation.h>
#include <burn/random.h>

namespace burn::nn::detail {

/// A parameter, uniform in [-bound, bound): element i comes from the 24 upper bits of the i-th element of the
/// generator's next call, exactly as a uniform random tensor would.
Tensor uniformParameter(const Shape &shape, double bound, Generator &generator);

/// An f32 tensor whose every element is `value`.
Tensor filled(const Shape &shape, float value);

} // namespace burn::nn::detail
