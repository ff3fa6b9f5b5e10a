// Products whose sums are exact in any order: what a GPU computes, by matrices or without, is what integers say.
#include "test/unit/device/VulkanTest.h"

#include <burn/burn.h>

#include <numeric>

using namespace burn;
using namespace burn::test;

namespace {

// Small integers, few of them equal to their neighbours.
int64_t elementOf(int64_t i, int64_t seed) { return (i * (seed + 4) + i / 7 + seed) % 5 - 2; }

struct Operand {
  std::vector<int64_t> values;
  Tensor tensor;
};

Operand makeOperand(int64_t count, const Dims &shape, DType dtype, int64_t seed) {
  Operand operand;
  std::vector<float> floats;
  for (int64_t i = 0; i < count; ++i) {
    operand.values.push_back(elementOf(i, seed));
    floats.push_back(static_cast<float>(operand.values.back()));
  }
  operand.tensor = tensor(floats, shape).to(dtype);
  return operand;
}

// Elements of `relu(x y + 1)`, x being [batch, m, k] and y [batch, k, n], either with its last dims the other way
// round.
void checkProduct(DType dtype, int64_t batch, int64_t m, int64_t n, int64_t k, bool turnX, bool turnY) {
  INFO(name(dtype) << ": " << batch << " x " << m << " x " << n << " x " << k << ", turned " << turnX << turnY);
  const Operand x = makeOperand(batch * m * k, turnX ? Dims{batch, k, m} : Dims{batch, m, k}, dtype, 1);
  const Operand y = makeOperand(batch * k * n, turnY ? Dims{batch, n, k} : Dims{batch, k, n}, dtype, 2);
  const Tensor left = turnX ? x.tensor.transpose(1, 2) : x.tensor, right = turnY ? y.tensor.transpose(1, 2) : y.tensor;
  const std::vector<float> got = relu(left.matmul(right) + 1).to(DType::F32).to_vector<float>();
  REQUIRE(got.size() == size_t(batch * m * n));
  int64_t wrong = 0;
  for (int64_t b = 0; b < batch; ++b)
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) {
        int64_t sum = 1;
        for (int64_t s = 0; s < k; ++s)
          sum += x.values[size_t(b * m * k + (turnX ? s * m + i : i * k + s))] *
                 y.values[size_t(b * k * n + (turnY ? j * k + s : s * n + j))];
        wrong += got[size_t((b * m + i) * n + j)] != static_cast<float>(std::max<int64_t>(sum, 0));
      }
  CHECK(wrong == 0);
}

} // namespace

TEST_CASE("products on a GPU in every layout, and with ends that fill no tile", "[device][vulkan]") {
  if (!hasVulkan())
    return;
  const DeviceGuard guard(Device("vulkan:0"));
  for (const DType dtype : {DType::F32, DType::F16, DType::BF16}) {
    // Sums stay below 2^11, of f16 the integers, and of bf16 below 2^8 where they are longer than its digits.
    const int64_t k = dtype == DType::BF16 ? 48 : 104;
    for (const bool turnX : {false, true})
      for (const bool turnY : {false, true}) {
        checkProduct(dtype, 1, 64, 96, k, turnX, turnY);
        checkProduct(dtype, 1, 67, 79, k + 3, turnX, turnY);
        checkProduct(dtype, 3, 72, 40, k, turnX, turnY);
      }
    checkProduct(dtype, 1, 17, 19, 16, false, false);
    checkProduct(dtype, 2, 5, 300, 33, false, true);
  }
  // In slices that are combined afterwards.
  checkProduct(DType::F16, 1, 48, 64, 1500, false, false);
  checkProduct(DType::F32, 1, 48, 64, 1500, false, true);
  // By the largest tiles.
  checkProduct(DType::F16, 1, 1416, 1544, 40, false, false);
  checkProduct(DType::F32, 1, 1416, 1544, 24, true, false);
}
