// First values of parameters, made on the host: a model is ready before anything is compiled.
#pragma once

#include <burn/creation.h>
#include <burn/random.h>

#include <optional>

namespace burn::nn::detail {

/// A parameter, uniform in [-bound, bound): element i comes from the 24 upper bits of the i-th element of the
/// generator's next call, exactly as a uniform random tensor would.
Tensor uniformParameter(const Shape &shape, double bound, Generator &generator);

/// A parameter of normal numbers of mean 0 and variance 1: those up to which a share u + 2^-25 lies, u the uniform
/// numbers of the generator's next call. Row `zeroRow` of the first dimension is 0.
Tensor normalParameter(const Shape &shape, Generator &generator, std::optional<int64_t> zeroRow);

/// An f32 tensor whose every element is `value`.
Tensor filled(const Shape &shape, float value);

} // namespace burn::nn::detail
