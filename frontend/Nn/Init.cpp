#include "frontend/Nn/Init.h"

#include "frontend/Tensor/Support.h"
#include "runtime/Core/Philox.h"

#include <burn/device.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace burn::nn::detail {

namespace {

// Where erf is y in (-1, 1): Newton's method, on the side of the tail, whose digits are not lost.
double inverseErf(double y) {
  const double tail = 1 - std::fabs(y);
  double x = std::sqrt(-std::log(tail * (2 - tail)));
  for (int step = 0; step < 20 && tail < 1; ++step)
    x += (std::erfc(x) - tail) * std::sqrt(std::numbers::pi) / 2 * std::exp(x * x);
  return std::copysign(x, y);
}

// A tensor whose elements `fill` writes where they stay: touching fresh pages twice would cost more than the numbers.
template <typename Fill> Tensor made(const Shape &shape, const Fill &fill) {
  if (!shape.fits())
    raiseInvalid("a parameter of shape " + shape.str() + " is too large");
  const int64_t count = shape.numel();
  runtime::BufferRef buffer = allocateBuffer(count * int64_t{sizeof(float)});
  fill(std::span<float>(static_cast<float *>(buffer->data()), static_cast<size_t>(count)));
  return makeComputed(placed(std::move(buffer), default_device()), DType::F32, shape);
}

} // namespace

Tensor uniformParameter(const Shape &shape, double bound, Generator &generator) {
  const uint64_t call = generator.take();
  // As core::forPhiloxBits32, in whole blocks, which compilers turn into vector code: the first weights of a process
  // are what it spends most time on where its plans are in the cache.
  Tensor parameter = made(shape, [&](std::span<float> values) {
    constexpr size_t together = core::kPhiloxTogether;
    uint32_t words[4][together];
    float numbers[4 * together];
    for (size_t first = 0; first < values.size(); first += 4 * together) {
      core::philoxBlocks(first / 4, call, generator.key(), words);
#pragma clang loop unroll(disable)
      for (size_t block = 0; block < together; ++block)
        for (size_t lane = 0; lane < 4; ++lane) {
          // (2 k - 2^24) / 2^24 without rounding.
          const double unit = static_cast<int32_t>(words[lane][block] >> 8) * 0x1p-23 - 1;
          numbers[4 * block + lane] = static_cast<float>(unit * bound);
        }
      std::copy_n(numbers, std::min(values.size() - first, 4 * together), values.data() + first);
    }
  });
  parameter.requires_grad_();
  return parameter;
}

Tensor normalParameter(const Shape &shape, Generator &generator, std::optional<int64_t> zeroRow) {
  const uint64_t call = generator.take();
  Tensor parameter = made(shape, [&](std::span<float> values) {
    core::forPhiloxBits32(values.size(), call, generator.key(), [&](uint64_t i, uint32_t bits) {
      const double k = bits >> 8;
      values[i] = static_cast<float>(std::sqrt(2.0) * inverseErf((2 * k + 1) * 0x1p-24 - 1));
    });
    if (zeroRow) {
      const size_t width = values.size() / static_cast<size_t>(shape[0]);
      std::ranges::fill(values.subspan(static_cast<size_t>(*zeroRow) * width, width), 0.f);
    }
  });
  parameter.requires_grad_();
  return parameter;
}

Tensor filled(const Shape &shape, float value) {
  return made(shape, [&](std::span<float> values) { std::ranges::fill(values, value); });
}

} // namespace burn::nn::detail
