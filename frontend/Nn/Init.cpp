#include "frontend/Nn/Init.h"

#include "runtime/Core/Philox.h"

#include <burn/host_array.h>

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

} // namespace

Tensor uniformParameter(const Shape &shape, double bound, Generator &generator) {
  HostArray array(DType::F32, shape);
  const std::span<float> values = array.values<float>();
  const uint64_t call = generator.take();
  core::forPhiloxBits32(values.size(), call, generator.key(), [&](uint64_t i, uint32_t bits) {
    const double unit = static_cast<double>(bits >> 8) * 0x1p-24;
    values[i] = static_cast<float>((2 * unit - 1) * bound);
  });
  Tensor parameter = from_host(array);
  parameter.requires_grad_();
  return parameter;
}

Tensor normalParameter(const Shape &shape, Generator &generator, std::optional<int64_t> zeroRow) {
  HostArray array(DType::F32, shape);
  const std::span<float> values = array.values<float>();
  const uint64_t call = generator.take();
  core::forPhiloxBits32(values.size(), call, generator.key(), [&](uint64_t i, uint32_t bits) {
    const double k = bits >> 8;
    values[i] = static_cast<float>(std::sqrt(2.0) * inverseErf((2 * k + 1) * 0x1p-24 - 1));
  });
  if (zeroRow) {
    const size_t width = values.size() / static_cast<size_t>(shape[0]);
    std::ranges::fill(values.subspan(static_cast<size_t>(*zeroRow) * width, width), 0.f);
  }
  Tensor parameter = from_host(array);
  parameter.requires_grad_();
  return parameter;
}

Tensor filled(const Shape &shape, float value) {
  HostArray array(DType::F32, shape);
  std::ranges::fill(array.values<float>(), value);
  return from_host(array);
}

} // namespace burn::nn::detail
