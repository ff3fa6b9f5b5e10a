/// Random numbers: the state from which random tensors are made.
#pragma once

#include <burn/export.h>
#include <burn/tensor.h>

#include <array>
#include <cstdint>

namespace burn {

/// A stream of random tensors. A generator is a seed and the number of random calls made so far: call number `c` of a
/// generator with seed `s` gives the same numbers on every device, for every shape and with any number of threads
/// (Philox4x32-10 with key `s` and `c` as the upper half of the counter). Not for use by several threads at once.
class Generator {
public:
  explicit Generator(uint64_t seed = 0) : seed_(seed) {}

  /// Starts the stream of `seed` anew.
  void manual_seed(uint64_t seed) { *this = Generator(seed); }

  uint64_t seed() const { return seed_; }
  /// The seed as the key of Philox, low word first.
  std::array<uint32_t, 2> key() const { return {static_cast<uint32_t>(seed_), static_cast<uint32_t>(seed_ >> 32)}; }
  /// Number of the next call.
  uint64_t calls() const { return calls_; }
  /// Takes `count` call numbers and returns the first.
  uint64_t take(uint64_t count = 1) {
    const uint64_t first = calls_;
    calls_ += count;
    return first;
  }

  /// Puts the stream to call number `calls` of seed `seed`: what a checkpoint keeps of a generator.
  void restore(uint64_t seed, uint64_t calls) {
    seed_ = seed;
    calls_ = calls;
  }

private:
  uint64_t seed_;
  uint64_t calls_ = 0;
};

/// The generator of the calling thread, used where none is named. It starts with seed 0.
BURN_API Generator &default_generator();

/// Seeds the generator of the calling thread.
BURN_API void manual_seed(uint64_t seed);

/// Uniform numbers in [0, 1).
BURN_API Tensor rand(Dims shape, DType dtype = DType::F32, Generator *generator = nullptr,
                     Where where = Where::current());
/// Normal numbers of mean 0 and variance 1.
BURN_API Tensor randn(Dims shape, DType dtype = DType::F32, Generator *generator = nullptr,
                      Where where = Where::current());
/// Integers in [low, high), uniform.
BURN_API Tensor randint(int64_t low, int64_t high, Dims shape, DType dtype = DType::I64, Generator *generator = nullptr,
                        Where where = Where::current());
/// Normal numbers of a mean and a standard deviation.
BURN_API Tensor normal(double mean, double std, Dims shape, DType dtype = DType::F32, Generator *generator = nullptr,
                       Where where = Where::current());
/// rand of the shape and type of x.
BURN_API Tensor rand_like(const Tensor &x, Generator *generator = nullptr, Where where = Where::current());
/// randn of the shape and type of x.
BURN_API Tensor randn_like(const Tensor &x, Generator *generator = nullptr, Where where = Where::current());
/// True with probability `p`.
BURN_API Tensor bernoulli(Dims shape, double p, Generator *generator = nullptr, Where where = Where::current());
/// 1 with the probability that is the element, else 0, in its type.
BURN_API Tensor bernoulli(const Tensor &probability, Generator *generator = nullptr, Where where = Where::current());
/// Classes drawn with the weights of the last dimension, which need not sum to 1: [..., num_samples] for weights
/// [..., classes], i64. With `replacement` they are independent, without it they differ. Weights are numbers that are
/// not negative, with a finite sum above 0. Others give some class, where PyTorch raises an error, since checking them
/// would compute what is recorded: with replacement the last class where all weights are 0 or their sum is infinite,
/// the first one where it is NaN, and any where some are negative; without replacement classes of weight 0 once no
/// other is left, negative ones after those, and NaN first.
BURN_API Tensor multinomial(const Tensor &weights, int64_t num_samples, bool replacement = false,
                            Generator *generator = nullptr, Where where = Where::current());

} // namespace burn
