#include "frontend/Nn/Init.h"

#include "runtime/Core/Philox.h"

#include <burn/host_array.h>

#include <algorithm>

namespace burn::nn::detail {

Tensor uniformParameter(const Shape &shape, double bound, Generator &generator) {
  HostArray array(DType::F32, shape);
  const std::span<float> values = array.values<float>();
  const uint64_t call = generator.take();
  for (size_t i = 0; i < values.size(); ++i) {
    const double unit = static_cast<double>(core::philoxBits32(i, call, generator.key()) >> 8) * 0x1p-24;
    values[i] = static_cast<float>((2 * unit - 1) * bound);
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
