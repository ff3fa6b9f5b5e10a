// Lines longer than what some drivers iterate in one invocation (65,535 steps), and such that no tile divides.
#include "test/unit/device/VulkanTest.h"

#include <burn/burn.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

using namespace burn;
using namespace burn::test;

namespace {

Device gpu() { return Device("vulkan:0"); }

std::vector<float> ramp(int64_t count, int64_t modulus) {
  std::vector<float> values(count);
  for (int64_t i = 0; i < count; ++i)
    values[i] = float(i * 7919 % modulus);
  return values;
}

} // namespace

TEST_CASE("the place of an extremum in a long line of a GPU is the first one's", "[device][vulkan]") {
  if (!hasVulkan())
    return;
  for (const int64_t length : {17, 300, 4097, 200001}) {
    INFO(length);
    std::vector<float> values = ramp(length, 1009);
    const auto expected = std::max_element(values.begin(), values.end()) - values.begin();
    const Tensor x = tensor(values, {length}).to(gpu());
    CHECK(argmax(x).item<int64_t>() == expected);
    CHECK(argmin(-x).item<int64_t>() == expected);
    CHECK(argmax(x.to(DType::F16)).item<int64_t>() == expected); // integers below 2048 are numbers of f16
    values[length - 3] = values[length - 2] = std::nanf("");
    CHECK(argmax(tensor(values, {length}).to(gpu())).item<int64_t>() == length - 3);
  }
  // Along the first dim: neighbouring lines lie side by side.
  const int64_t rows = 70001, columns = 5;
  std::vector<float> values = ramp(rows * columns, 1009);
  std::vector<int64_t> expected(columns, 0);
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t column = 0; column < columns; ++column)
      if (values[row * columns + column] > values[expected[column] * columns + column])
        expected[column] = row;
  CHECK(argmax(tensor(values, {rows, columns}).to(gpu()), 0).to_vector<int64_t>() == expected);
}

TEST_CASE("long scans of a GPU", "[device][vulkan]") {
  if (!hasVulkan())
    return;
  // Sums below 2^24 are exact in any order.
  for (const int64_t length : {16, 17, 1000, 4097, 300007}) {
    INFO(length);
    std::vector<float> values(length), sums(length);
    for (int64_t i = 0; i < length; ++i)
      values[i] = float(i % 7);
    std::partial_sum(values.begin(), values.end(), sums.begin());
    const Tensor x = tensor(values, {length}).to(gpu());
    CHECK(cumsum(x, 0).to_vector<float>() == sums);
    CHECK(cumsum(x.flip({0}), 0).to_vector<float>().back() == sums.back());
  }
  const int64_t rows = 70001, columns = 3;
  const Tensor x = (arange(columns).to(DType::F32) + 1).expand({rows, columns}).to(gpu());
  const std::vector<float> sums = cumsum(x, 0).to_vector<float>();
  bool right = true;
  for (int64_t i = 0; i < rows * columns; ++i)
    right &= sums[i] == float((i / columns + 1) * (i % columns + 1));
  CHECK(right);
  const std::vector<float> greatest = cummax(x * -1, 1).values.to_vector<float>();
  CHECK(std::all_of(greatest.begin(), greatest.end(), [](float value) { return value == -1; }));

  const int64_t steps = 100003;
  const std::vector<float> chain =
      linear_scan(full({steps}, -1.f).to(gpu()), full({steps}, 1.f).to(gpu()), 0).to_vector<float>();
  right = true;
  for (int64_t i = 0; i < steps; ++i)
    right &= chain[i] == float(1 - i % 2);
  CHECK(right);
}

TEST_CASE("long sorts of a GPU keep the order of equal elements", "[device][vulkan]") {
  if (!hasVulkan())
    return;
  for (const int64_t length : {1, 2, 100, 1024, 1025, 5000, 200001}) {
    INFO(length);
    const std::vector<float> values = ramp(length, 1009);
    std::vector<int64_t> order(length);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int64_t i, int64_t j) { return values[i] < values[j]; });
    const Tensor x = tensor(values, {length}).to(gpu());
    CHECK(argsort(x).to_vector<int64_t>() == order);
    CHECK(argsort(x.to(DType::I64)).to_vector<int64_t>() == order); // records of two words
    std::stable_sort(order.begin(), order.end(), [&](int64_t i, int64_t j) { return values[i] > values[j]; });
    CHECK(argsort(x, 0, true).to_vector<int64_t>() == order);
    order.resize(std::min<int64_t>(length, 5));
    CHECK(topk(x, int64_t(order.size())).indices.to_vector<int64_t>() == order);
  }
  // Short lines share a workgroup, and do so along another dim.
  const std::vector<float> values = ramp(37 * 6, 101);
  const Tensor x = tensor(values, {37, 6});
  for (const int64_t dim : {0, 1})
    CHECK(sort(x.to(gpu()), dim).values.to_vector<float>() == sort(x, dim).values.to_vector<float>());
}

TEST_CASE("long scatters of a GPU keep the order of updates", "[device][vulkan]") {
  if (!hasVulkan())
    return;
  const int64_t count = 100001, targets = 9;
  std::vector<int64_t> places(count);
  std::vector<float> values(count), sums(targets), last(targets);
  for (int64_t i = 0; i < count; ++i) {
    places[i] = i * 7919 % targets;
    values[i] = float(i % 5);
    sums[places[i]] += values[i]; // exact
    last[places[i]] = values[i];
  }
  const Tensor into = zeros({targets}).to(gpu()), at = tensor(places, {count}).to(gpu()),
               source = tensor(values, {count}).to(gpu());
  CHECK(index_add(into, 0, at, source).to_vector<float>() == sums);
  CHECK(scatter(into, 0, at, source).to_vector<float>() == last);
}

TEST_CASE("a product of long vectors on a GPU", "[device][vulkan]") {
  if (!hasVulkan())
    return;
  const int64_t length = 5000001;
  const Tensor x = ones({length}).to(gpu());
  CHECK(dot(x, x).item<float>() == float(length));
}
