// Convolution and pooling where no figures of PyTorch stand in test/data: each element computed by its definition, in
// double, and gradients by differences.
#include <burn/burn.h>

#include <catch2/catch.hpp>

#include <cmath>
#include <functional>
#include <limits>
#include <vector>

using namespace burn;

namespace {

// Numbers without a pattern, no two alike.
std::vector<double> numbers(int64_t count, double scale = 1) {
  std::vector<double> values;
  for (int64_t i = 0; i < count; ++i)
    values.push_back(scale * std::sin(static_cast<double>(i) * 12.9898 + 0.3));
  return values;
}

Tensor tensorOf(const std::vector<double> &values, const Shape &shape, DType dtype = DType::F64) {
  HostArray array(DType::F64, shape);
  std::copy(values.begin(), values.end(), array.values<double>().begin());
  return from_host(array).to(dtype);
}

std::vector<double> valuesOf(const Tensor &x) { return x.detach().to(DType::F64).to_vector<double>(); }

void checkNear(const Tensor &actual, const Shape &shape, const std::vector<double> &wanted, double bound = 1e-12) {
  REQUIRE(actual.shape() == shape);
  const std::vector<double> got = valuesOf(actual);
  REQUIRE(got.size() == wanted.size());
  for (size_t i = 0; i < got.size(); ++i) {
    INFO("element " << i);
    CHECK(got[i] == Approx(wanted[i]).epsilon(bound).margin(bound));
  }
}

// The gradient of sum(f(x) * weights) against central differences.
void checkGradient(const std::function<Tensor(const Tensor &)> &f, const std::vector<double> &x, const Shape &shape) {
  Tensor leaf = tensorOf(x, shape);
  leaf.requires_grad_();
  const Tensor y = f(leaf);
  const Tensor weights = tensorOf(numbers(y.numel(), 2), y.shape());
  sum(y * weights).backward();
  const std::vector<double> gradient = valuesOf(leaf.grad());
  for (size_t i = 0; i < x.size(); ++i) {
    constexpr double step = 1e-6;
    std::vector<double> up = x, down = x;
    up[i] += step;
    down[i] -= step;
    const double difference = valuesOf(sum((f(tensorOf(up, shape)) - f(tensorOf(down, shape))) * weights))[0];
    INFO("element " << i);
    CHECK(gradient[i] == Approx(difference / (2 * step)).epsilon(1e-6).margin(1e-6));
  }
}

// One dimension of a pooling as PyTorch defines it: the places of window `i`, clipped, and how many count.
struct Window1d {
  int64_t size, kernel, stride, padding;
  bool ceil;

  int64_t count() const {
    const int64_t room = size + 2 * padding - kernel;
    int64_t n = (ceil ? (room + stride - 1) / stride : room / stride) + 1;
    if (ceil && (n - 1) * stride >= size + padding)
      --n;
    return n;
  }
};

std::vector<double> avgPool1d(const std::vector<double> &x, const Window1d &w, bool countPadding,
                              std::optional<double> divisor = std::nullopt) {
  std::vector<double> result;
  for (int64_t i = 0; i < w.count(); ++i) {
    const int64_t begin = i * w.stride - w.padding, end = std::min(begin + w.kernel, w.size + w.padding);
    const int64_t from = std::max<int64_t>(begin, 0), to = std::min(end, w.size);
    double total = 0;
    for (int64_t k = from; k < to; ++k)
      total += x[k];
    result.push_back(total / divisor.value_or(static_cast<double>(countPadding ? end - begin : to - from)));
  }
  return result;
}

} // namespace

TEST_CASE("avg_pool1d divides by the places that count", "[pooling]") {
  const std::vector<double> x = numbers(11);
  const Tensor input = tensorOf(x, Shape{1, 1, 11});
  for (const bool ceil : {false, true})
    for (const bool countPadding : {false, true})
      for (const auto &[kernel, stride, padding] :
           std::vector<std::array<int64_t, 3>>{{3, 2, 1}, {4, 3, 2}, {2, 4, 1}, {5, 5, 0}, {11, 1, 0}}) {
        CAPTURE(ceil, countPadding, kernel, stride, padding);
        const std::vector<double> wanted = avgPool1d(x, {11, kernel, stride, padding, ceil}, countPadding);
        checkNear(avg_pool1d(input, kernel, stride, padding, ceil, countPadding),
                  Shape{1, 1, static_cast<int64_t>(wanted.size())}, wanted);
      }
  checkGradient([](const Tensor &t) { return avg_pool1d(t, 4, 3, 2, true, false); }, x, Shape{1, 11});
}

TEST_CASE("avg_pool2d and avg_pool3d with a divisor of their own, without a batch", "[pooling]") {
  const Tensor ones = burn::ones({2, 4, 5}, DType::F64);
  checkNear(avg_pool2d(ones, Pair(2, 3), Pair(2, 2), 0, false, true, 4), Shape{2, 2, 2}, std::vector<double>(8, 1.5));
  // A cube of ones under 2 x 2 x 2 windows with padding 1: 1, 2, 4 or 8 of 8 places are inside.
  const Tensor cube = avg_pool3d(burn::ones({1, 3, 3, 3}, DType::F64), 2, Triple(1), 1);
  REQUIRE(cube.shape() == Shape{1, 4, 4, 4});
  CHECK(valuesOf(cube)[0] == 0.125);
  CHECK(valuesOf(cube)[1] == 0.25);
  CHECK(valuesOf(cube)[5] == 0.5);
  CHECK(valuesOf(cube)[21] == 1);
  const Tensor inside = avg_pool3d(burn::ones({1, 3, 3, 3}, DType::F64), 2, Triple(1), 1, false, false);
  checkNear(inside, Shape{1, 4, 4, 4}, std::vector<double>(64, 1.0));
  checkGradient([](const Tensor &t) { return avg_pool3d(t, Triple(2, 1, 3), Triple(1, 1, 2), Triple(1, 0, 1), true); },
                numbers(36), Shape{1, 3, 3, 4});
}

TEST_CASE("max_pool gives the first of equal maxima the gradient, and its place", "[pooling]") {
  Tensor x = tensorOf({1, 5, 5, 2, 5, 5}, Shape{1, 2, 3});
  x.requires_grad_();
  const Extremum pooled = max_pool2d_with_indices(x, 2, Pair(1));
  CHECK(valuesOf(pooled.values) == std::vector<double>{5, 5});
  CHECK(pooled.indices.to_vector<int64_t>() == std::vector<int64_t>{1, 1});
  sum(max_pool2d(x, 2, Pair(1))).backward();
  CHECK(valuesOf(x.grad()) == std::vector<double>{0, 2, 0, 0, 0, 0});
  // Padding never wins, not even over the least number; NaN always does.
  const double nan = std::numeric_limits<double>::quiet_NaN(), least = -std::numeric_limits<double>::infinity();
  CHECK(valuesOf(max_pool1d(tensorOf({least, least, least}, Shape{1, 3}), 2, 2, 1)) ==
        std::vector<double>{least, least});
  CHECK(std::isnan(valuesOf(max_pool1d(tensorOf({1, nan, 3}, Shape{1, 3}), 3))[0]));
  const Extremum three = max_pool3d_with_indices(tensorOf(numbers(60), Shape{1, 1, 3, 4, 5}), Triple(3, 4, 5));
  const std::vector<double> all = numbers(60);
  CHECK(three.indices.to_vector<int64_t>()[0] == std::max_element(all.begin(), all.end()) - all.begin());
  // Integers pool too.
  CHECK(max_pool1d(tensorOf({-3, -2, -9}, Shape{1, 3}, DType::I32), 2, 2, 1).to_vector<int32_t>() ==
        std::vector<int32_t>{-3, -2});
}

TEST_CASE("lp_pool is the root of a sum of powers", "[pooling]") {
  const std::vector<double> x = numbers(10);
  const Tensor input = tensorOf(x, Shape{1, 1, 10});
  std::vector<double> wanted;
  for (int64_t i = 0; i < 4; ++i)
    wanted.push_back(std::sqrt(x[2 * i] * x[2 * i] + x[2 * i + 1] * x[2 * i + 1] + x[2 * i + 2] * x[2 * i + 2]));
  checkNear(lp_pool1d(input, 2, 3, 2), Shape{1, 1, 4}, wanted);
  // A window that leaves the input is scaled up to a whole one: two of three places.
  wanted.push_back(std::sqrt((x[8] * x[8] + x[9] * x[9]) * 3 / 2));
  checkNear(lp_pool1d(input, 2, 3, 2, true), Shape{1, 1, 5}, wanted);
  checkGradient([](const Tensor &t) { return lp_pool2d(t, 4, 2, Pair(1, 2)); }, numbers(20), Shape{1, 4, 5});
  Tensor zeros = burn::zeros({1, 2, 2, 2}, DType::F64);
  zeros.requires_grad_();
  sum(lp_pool3d(zeros, 2, 2)).backward();
  CHECK(valuesOf(zeros.grad()) == std::vector<double>(8, 0.0));
}

TEST_CASE("Adaptive pooling covers bins that may overlap", "[pooling]") {
  for (const auto &[size, bins] :
       std::vector<std::pair<int64_t, int64_t>>{{7, 3}, {7, 5}, {5, 7}, {12, 4}, {1, 3}, {9, 1}, {13, 11}}) {
    CAPTURE(size, bins);
    const std::vector<double> x = numbers(2 * size);
    std::vector<double> means, maxima;
    for (int64_t row = 0; row < 2; ++row)
      for (int64_t i = 0; i < bins; ++i) {
        const auto begin = static_cast<int64_t>(std::floor(static_cast<double>(i * size) / static_cast<double>(bins)));
        const auto end =
            static_cast<int64_t>(std::ceil(static_cast<double>((i + 1) * size) / static_cast<double>(bins)));
        double total = 0, most = -2;
        for (int64_t k = begin; k < end; ++k) {
          total += x[row * size + k];
          most = std::max(most, x[row * size + k]);
        }
        means.push_back(total / static_cast<double>(end - begin));
        maxima.push_back(most);
      }
    const Shape shape{1, 2, size}, wanted{1, 2, bins};
    checkNear(adaptive_avg_pool1d(tensorOf(x, shape), bins), wanted, means);
    checkNear(adaptive_max_pool1d(tensorOf(x, shape), bins), wanted, maxima);
    checkGradient([bins = bins](const Tensor &t) { return adaptive_avg_pool1d(t, bins); }, x, shape);
    checkGradient([bins = bins](const Tensor &t) { return adaptive_max_pool1d(t, bins); }, x, shape);
  }
  // Numbers outside of a bin, whatever they are, do not reach it.
  const double infinity = std::numeric_limits<double>::infinity();
  CHECK(valuesOf(adaptive_avg_pool1d(tensorOf({1, 2, 3, 4, infinity}, Shape{1, 5}), 3)) ==
        std::vector<double>{1.5, 3, infinity});
  CHECK(adaptive_max_pool3d(tensorOf(numbers(60), Shape{1, 3, 4, 5}), Triple(2, 3, 2)).shape() == Shape{1, 2, 3, 2});
  CHECK(adaptive_avg_pool3d(burn::ones({2, 1, 3, 4, 5}, DType::F64), Triple(2, 3, 2)).to_vector<double>() ==
        std::vector<double>(24, 1.0));
  CHECK(adaptive_avg_pool2d(burn::ones({2, 3, 4}), Pair(0, 2)).shape() == Shape{2, 0, 2});
}

TEST_CASE("Convolutions of three dimensions, transposed and without a batch", "[pooling]") {
  // A transposed convolution is the gradient of the convolution by its input.
  const Tensor w = tensorOf(numbers(2 * 2 * 2 * 3 * 2), Shape{4, 1, 2, 3, 2});
  Tensor x = tensorOf(numbers(2 * 4 * 5 * 6), Shape{1, 2, 4, 5, 6});
  x.requires_grad_();
  const Tensor y = conv3d(x, w, Tensor(), Triple(1, 2, 2), Triple(1, 0, 1), Triple(1, 1, 2), 2);
  const Tensor g = tensorOf(numbers(y.numel(), 3), y.shape());
  sum(y * g).backward();
  // What the strides left over at the end of each dimension comes back as output padding.
  const Shape out = y.shape();
  const auto rest = [&](unsigned i, int64_t stride, int64_t padding, int64_t dilation) {
    return x.shape()[i] - ((out[i] - 1) * stride - 2 * padding + dilation * (w.shape()[i] - 1) + 1);
  };
  const Tensor back =
      conv_transpose3d(g, w, Tensor(), Triple(1, 2, 2), Triple(1, 0, 1),
                       Triple(rest(2, 1, 1, 1), rest(3, 2, 0, 1), rest(4, 2, 1, 2)), 2, Triple(1, 1, 2));
  checkNear(back, x.shape(), valuesOf(x.grad()));
  checkGradient([&](const Tensor &t) { return conv_transpose3d(t, w, Tensor(), 2, 1, 1, 2); }, numbers(4 * 8),
                Shape{1, 4, 2, 2, 2});
  const Tensor plain = conv1d(tensorOf({1, 2, 3, 4}, Shape{1, 4}), tensorOf({1, -1}, Shape{1, 1, 2}));
  checkNear(plain, Shape{1, 3}, {-1, -1, -1});
}

TEST_CASE("Misuse of convolution and pooling is named", "[pooling]") {
  const Tensor x = burn::ones({1, 1, 4});
  CHECK_THROWS_WITH(max_pool1d(x, 3, 1, 2), Catch::Contains("at most half the kernel"));
  CHECK_THROWS_WITH(max_pool2d(x, 5), Catch::Contains("larger than the padded dimension"));
  CHECK_THROWS_WITH(avg_pool1d(x.to(DType::I32), 2), Catch::Contains("expects floats"));
  CHECK_THROWS_WITH(conv1d(x, burn::ones({1, 1, 5})), Catch::Contains("larger than the padded input"));
  CHECK_THROWS_WITH(conv2d(x, burn::ones({1, 1, 5})), Catch::Contains("weight of 4 dimensions"));
  CHECK_THROWS_WITH(conv_transpose1d(x, burn::ones({1, 1, 2}), Tensor(), 2, 0, 2), Catch::Contains("output padding"));
}

TEST_CASE("convolution: padding that keeps the size") {
  // A kernel of one 1 shifts; an even kernel has its one more element of padding behind.
  const Tensor x = tensor<double>({1, 2, 3, 4}).reshape({1, 1, 4});
  const auto kernel = [](std::vector<double> values) {
    return tensorOf(values, {1, 1, static_cast<int64_t>(values.size())});
  };
  checkNear(conv1d(x, kernel({1, 0, 0}), Tensor(), same_padding), {1, 1, 4}, {0, 1, 2, 3});
  checkNear(conv1d(x, kernel({1, 0}), Tensor(), same_padding), {1, 1, 4}, {1, 2, 3, 4});
  checkNear(conv1d(x, kernel({0, 1}), Tensor(), same_padding), {1, 1, 4}, {2, 3, 4, 0});
  checkNear(conv1d(x, kernel({1, 0, 1}), tensor<double>({10}), same_padding, 2), {1, 1, 4}, {13, 14, 11, 12});
  const Tensor image = tensorOf(numbers(30), {1, 5, 6}), weight = tensorOf(numbers(12), {2, 1, 2, 3});
  CHECK(conv2d(image, weight, Tensor(), same_padding, Pair(1, 2)).shape() == Shape{2, 5, 6});
  // The same as zeros around it by hand: one behind along the kernel of 2, two on each side of that of 3 spread by 2.
  checkNear(conv2d(image, weight, Tensor(), same_padding, Pair(1, 2)), {2, 5, 6},
            valuesOf(conv2d(pad(image, {2, 2, 0, 1}), weight, Tensor(), 1, 0, Pair(1, 2))));
  CHECK(conv3d(burn::ones({1, 3, 4, 5}), burn::ones({2, 1, 3, 2, 1}), Tensor(), same_padding).shape() ==
        Shape{2, 3, 4, 5});
}

TEST_CASE("max_unpool: maxima go back, the rest is 0") {
  const Tensor x = tensor<double>({1, 5, 2, 7, 8, 3, 4, 6, 9}).reshape({1, 1, 9});
  const Extremum pooled = max_pool1d_with_indices(x, 2, 2);
  checkNear(max_unpool1d(pooled.values, pooled.indices, 2), {1, 1, 8}, {0, 5, 0, 7, 8, 0, 0, 6});
  checkNear(max_unpool1d(pooled.values, pooled.indices, 2, 2, 0, 9), {1, 1, 9}, {0, 5, 0, 7, 8, 0, 0, 6, 0});
  // Unlike positions in each feature, and no batch dimension.
  const Tensor image = tensor<double>({1, 2, 3, 4, 9, 8, 7, 6, 5, 4, 0, 1, 2, 9, 3, 0}).reshape({2, 2, 4});
  const Extremum planes = max_pool2d_with_indices(image, 2);
  checkNear(max_unpool2d(planes.values, planes.indices, 2), {2, 2, 4},
            {0, 0, 0, 0, 9, 0, 7, 0, 0, 0, 0, 0, 0, 9, 3, 0});
  const Tensor cube = tensorOf(numbers(64), {1, 4, 4, 4});
  const Extremum corners = max_pool3d_with_indices(cube, 2);
  const Tensor back = max_unpool3d(corners.values, corners.indices, 2);
  checkNear(max_pool3d(back.maximum(-1.0), 2), {1, 2, 2, 2}, valuesOf(corners.values.maximum(0.0)));
  checkGradient([&](const Tensor &y) { return max_unpool1d(y, pooled.indices, 2); }, {1, 2, 3, 4}, {1, 1, 4});
  CHECK_THROWS_WITH(max_unpool2d(planes.values, pooled.indices, 2), Catch::Contains("as many indices"));
}

TEST_CASE("local_response_norm: each element by its definition") {
  const Shape shape{2, 5, 3, 2};
  const std::vector<double> x = numbers(60, 3);
  for (const int64_t size : {1, 2, 3, 7}) {
    INFO("size " << size);
    std::vector<double> wanted;
    for (int64_t i = 0; i < 60; ++i) {
      const int64_t feature = i / 6 % 5;
      double squares = 0;
      for (int64_t c = feature - size / 2; c < feature - size / 2 + size; ++c)
        if (c >= 0 && c < 5)
          squares += x[i + (c - feature) * 6] * x[i + (c - feature) * 6];
      wanted.push_back(x[i] / std::pow(2 + 0.3 * squares / static_cast<double>(size), 0.6));
    }
    checkNear(local_response_norm(tensorOf(x, shape), size, 0.3, 0.6, 2), shape, wanted);
  }
  checkGradient([](const Tensor &y) { return local_response_norm(y, 2, 0.5); }, numbers(12), {1, 3, 4});
  CHECK_THROWS_WITH(local_response_norm(burn::ones({2, 3}), 2), Catch::Contains("[batch, features, spatial...]"));
}
