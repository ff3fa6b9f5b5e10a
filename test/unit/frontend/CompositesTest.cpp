// Norms, attention, resampling and quantization through the tensor interface: closed forms and edges.
#include "test/unit/frontend/Backends.h"

#include <burn/burn.h>
#include <burn/resampling.h>

#include <catch2/catch.hpp>

#include <cmath>

using namespace burn;
using burn::test::SpyBackend;
using Doubles = std::vector<double>;

namespace {

Doubles nearest(std::vector<double> x, ResizeOptions options) {
  return resize(tensor<double>(x), options).to_vector<double>();
}

Doubles ramp(int64_t n) {
  Doubles result;
  for (int64_t i = 0; i < n; ++i)
    result.push_back(static_cast<double>(i));
  return result;
}

} // namespace

TEST_CASE("resize: coordinates that are ratios of sizes are exact") {
  SpyBackend spy;
  CHECK(nearest({10, 20, 30, 40}, {.sizes = {8}, .nearest = ResizeNearest::Floor}) ==
        Doubles{10, 10, 10, 20, 20, 30, 30, 40});
  // Result 4 lies at 14.5 exactly.
  CHECK(nearest(ramp(20), {.sizes = {6}, .nearest = ResizeNearest::RoundPreferCeil}) == Doubles{1, 5, 8, 11, 15, 18});
  CHECK(nearest(ramp(20), {.sizes = {6}, .nearest = ResizeNearest::RoundPreferFloor}) == Doubles{1, 4, 8, 11, 14, 18});
  CHECK(nearest(ramp(20), {.scales = {0.3}, .nearest = ResizeNearest::RoundPreferCeil}) ==
        Doubles{1, 5, 8, 11, 15, 18});
  CHECK(nearest(ramp(4),
                {.sizes = {7}, .coordinates = ResizeCoordinates::AlignCorners, .nearest = ResizeNearest::Ceil}) ==
        Doubles{0, 1, 1, 2, 2, 3, 3});
  CHECK(nearest(ramp(4),
                {.sizes = {1}, .coordinates = ResizeCoordinates::PytorchHalfPixel, .nearest = ResizeNearest::Floor}) ==
        Doubles{0});
  CHECK(
      nearest(ramp(3), {.sizes = {6}, .coordinates = ResizeCoordinates::Asymmetric, .nearest = ResizeNearest::Floor}) ==
      Doubles{0, 0, 1, 1, 2, 2});
}

TEST_CASE("resize: linear and cubic as the examples of ONNX") {
  SpyBackend spy;
  const Tensor x = tensor<double>({1, 2, 3, 4}).reshape({1, 1, 2, 2});
  const Doubles up = resize(x, {.scales = {1, 1, 2, 2}, .mode = ResizeMode::Linear}).to_vector<double>();
  CHECK(up == Doubles{1, 1.25, 1.75, 2, 1.5, 1.75, 2.25, 2.5, 2.5, 2.75, 3.25, 3.5, 3, 3.25, 3.75, 4});
  const Doubles corners =
      resize(x, {.scales = {1, 1, 2, 2}, .mode = ResizeMode::Linear, .coordinates = ResizeCoordinates::AlignCorners})
          .to_vector<double>();
  CHECK(corners[1] == Approx(4.0 / 3));
  CHECK(corners[15] == 4);
  // Keys' kernel of coefficient -1/2 keeps a line inside.
  const Doubles line =
      resize(tensor(ramp(9)), {.sizes = {18}, .mode = ResizeMode::Cubic, .cubic_coeff = -0.5}).to_vector<double>();
  for (size_t i = 4; i < 14; ++i)
    CHECK(line[i] == Approx((static_cast<double>(i) + 0.5) / 2 - 0.5));
  // A factor that is no ratio of the sizes counts itself.
  const Doubles part =
      resize(tensor<double>({0, 10}), {.scales = {1.6}, .mode = ResizeMode::Linear}).to_vector<double>();
  REQUIRE(part.size() == 3);
  CHECK(part[1] == Approx(10 * (1.5 / 1.6 - 0.5)));
  CHECK(part[2] == Approx(10));
}

TEST_CASE("resize: dimensions too long for tables of neighbours") {
  // 37 to 20011 and back: with factors that are ratios of the sizes, and with others.
  Doubles wave;
  for (int i = 0; i < 37; ++i)
    wave.push_back(std::sin(0.7 * i));
  const int64_t size = 20011;
  for (const ResizeMode mode : {ResizeMode::Nearest, ResizeMode::Linear, ResizeMode::Cubic})
    for (const ResizeCoordinates coordinates :
         {ResizeCoordinates::HalfPixel, ResizeCoordinates::AlignCorners, ResizeCoordinates::Asymmetric,
          ResizeCoordinates::PytorchHalfPixel, ResizeCoordinates::HalfPixelSymmetric})
      for (const ResizeNearest nearest :
           {ResizeNearest::RoundPreferFloor, ResizeNearest::RoundPreferCeil, ResizeNearest::Floor, ResizeNearest::Ceil})
        for (const bool bySize : {true, false}) {
          if (mode != ResizeMode::Nearest && nearest != ResizeNearest::Floor)
            continue;
          INFO("mode " << int(mode) << ", coordinates " << int(coordinates) << ", nearest " << int(nearest));
          ResizeOptions options{.mode = mode, .coordinates = coordinates, .nearest = nearest};
          if (bySize)
            options.sizes = {size};
          else
            options.scales = {540.9};
          const auto run = [&] {
            Tensor x = tensor(wave).requires_grad_();
            const Tensor y = resize(x, options);
            sum(y * arange(0.0, static_cast<double>(y.numel()), 1, DType::F64)).backward();
            return std::pair(y.to_vector<double>(), x.grad().to_vector<double>());
          };
          const auto [values, gradient] = run();
          SpyBackend spy;
          const auto [expected, expectedGradient] = run();
          REQUIRE(values.size() == expected.size());
          double error = 0, gradientError = 0;
          for (size_t i = 0; i < values.size(); ++i)
            error = std::max(error, std::fabs(values[i] - expected[i]));
          for (size_t i = 0; i < gradient.size(); ++i)
            gradientError = std::max(gradientError, std::fabs(gradient[i] - expectedGradient[i]) / 1e8);
          CHECK(error < (mode == ResizeMode::Nearest ? 1e-300 : 1e-13));
          CHECK(gradientError < 1e-12);
        }
  // The mean of what lies between neighbours is theirs.
  const Tensor line = interpolate(arange(4, DType::F64).reshape({1, 1, 4}),
                                  {.size = {int64_t(1) << 22}, .mode = InterpolateMode::Linear});
  CHECK(line.mean().item<double>() == Approx(1.5).epsilon(1e-12));
}

TEST_CASE("interpolate: errors and sizes") {
  SpyBackend spy;
  const Tensor x = zeros({1, 2, 4, 6});
  CHECK(interpolate(x, {.scale_factor = {0.5}}).shape() == Shape{1, 2, 2, 3});
  CHECK_THROWS_AS(interpolate(x, {.size = {2}, .scale_factor = {2}}), Error);
  CHECK_THROWS_AS(interpolate(x, {.size = {8, 8}, .mode = InterpolateMode::Linear}), Error);
  CHECK_THROWS_AS(interpolate(x, {.size = {8, 8}, .align_corners = true}), Error);
  CHECK(interpolate(zeros({0, 2, 4, 6}), {.size = {3, 3}, .mode = InterpolateMode::Bilinear}).shape() ==
        Shape{0, 2, 3, 3});
}

TEST_CASE("attention: a query that sees no key gives 0, and finite gradients") {
  SpyBackend spy;
  Tensor q = rand({1, 1, 3, 4}, DType::F64).requires_grad_(), k = rand({1, 1, 5, 4}, DType::F64).requires_grad_(),
         v = rand({1, 1, 5, 2}, DType::F64).requires_grad_();
  const Tensor mask =
      tensor<bool>({true, true, false, true, true, false, false, false, false, false, true, true, true, true, true})
          .reshape({3, 5});
  const Tensor o = scaled_dot_product_attention(q, k, v, mask);
  sum(o * o).backward();
  const Doubles result = o.to_vector<double>();
  CHECK(result[2] == 0);
  CHECK(result[3] == 0);
  CHECK(result[0] != 0);
  for (const Tensor &x : {q, k, v})
    for (double g : x.grad().to_vector<double>())
      CHECK(std::isfinite(g));
  const Doubles ofQuery = q.grad().to_vector<double>();
  for (size_t i = 4; i < 8; ++i)
    CHECK(ofQuery[i] == 0);
  // More queries than keys: the first ones see none.
  const Doubles causal =
      scaled_dot_product_attention(ones({1, 1, 3, 2}), ones({1, 1, 2, 2}), tensor<float>({1, 3}).reshape({1, 1, 2, 1}),
                                   {}, {.is_causal = true})
          .to(DType::F64)
          .to_vector<double>();
  CHECK(causal == Doubles{0, 1, 2});
  CHECK_THROWS_AS(scaled_dot_product_attention(ones({1, 4, 3, 2}), ones({1, 2, 3, 2}), ones({1, 2, 3, 2})), Error);
  CHECK(scaled_dot_product_attention(ones({3, 2}), ones({5, 2}), ones({5, 7})).shape() == Shape{3, 7});
}

TEST_CASE("activations: edges") {
  SpyBackend spy;
  const double inf = INFINITY, nan = NAN;
  const Tensor x = tensor<double>({-inf, -800, -1, -0.0, 0, 1, 800, inf, nan});
  const auto check = [&](const Tensor &y, const Doubles &want) {
    const Doubles got = y.to_vector<double>();
    for (size_t i = 0; i < want.size(); ++i) {
      INFO("element " << i << ": " << got[i] << ", expected " << want[i]);
      CHECK(((std::isnan(want[i]) && std::isnan(got[i])) || got[i] == Approx(want[i]).epsilon(1e-15)));
    }
  };
  const double e = std::exp(-1.0), l = std::log1p(e), log2 = std::log(2.0);
  check(silu(x), {nan, 0, -e / (1 + e), 0, 0, 1 / (1 + e), 800, inf, nan});
  check(softplus(x), {0, 0, l, log2, log2, 1 + l, 800, inf, nan});
  check(mish(x), {nan, 0, -std::tanh(l), 0, 0, std::tanh(1 + l), 800, inf, nan});
  check(elu(x, 2.0), {-2, -2, 2 * (e - 1), 0, 0, 1, 800, inf, nan});
  check(celu(x, 2.0), {-2, -2, 2 * std::expm1(-0.5), 0, 0, 1, 800, inf, nan});
  check(leaky_relu(x, 0.5), {-inf, -400, -0.5, 0, 0, 1, 800, inf, nan});
  check(logsigmoid(x), {-inf, -800, -1 - l, -log2, -log2, -l, 0, 0, nan});
  check(hardsigmoid(x), {0, 0, 1.0 / 3, 0.5, 0.5, 2.0 / 3, 1, 1, nan});
  check(hardswish(x), {nan, 0, -1.0 / 3, 0, 0, 2.0 / 3, 800, inf, nan});
  check(selu(tensor<double>({-inf, 1})), {-1.0507009873554805 * 1.6732632423543772, 1.0507009873554805});
  check(logsumexp(tensor<double>({-inf, -inf, inf, 0, 1000, 1000}).reshape({3, 2}), 1), {-inf, inf, 1000 + log2});
  // Where all elements are minus infinity no element has a share.
  Tensor none = full({2}, -inf, DType::F64).requires_grad_();
  logsumexp(none, 0).backward();
  CHECK(none.grad().to_vector<double>() == Doubles{0, 0});
}

TEST_CASE("norms: statistics of each line") {
  SpyBackend spy;
  const Tensor x = tensor<double>({1, 2, 3, 4, 10, 10, 10, 10}).reshape({2, 4});
  const double r = 1 / std::sqrt(1.25 + 1e-5);
  const Doubles y = layer_norm(x, 4).to_vector<double>();
  CHECK(y[0] == Approx(-1.5 * r));
  CHECK(y[3] == Approx(1.5 * r));
  CHECK(y[4] == 0);
  const Doubles z = rms_norm(x, 4, full({4}, 2.0, DType::F64), 0.0).to_vector<double>();
  CHECK(z[1] == Approx(4 / std::sqrt(7.5)));
  CHECK(z[4] == Approx(2));
  CHECK_THROWS_AS(layer_norm(x, 3), Error);
  CHECK_THROWS_AS(group_norm(x, 3), Error);
  // f16 is computed in f32: the squares would overflow.
  const Tensor big = full({1, 4}, 300.0, DType::F16);
  CHECK(static_cast<float>(rms_norm(big, 4).to(DType::F32).to_vector<float>()[0]) == 1.0f);
  CHECK(layer_norm(zeros({0, 4}), 4).shape() == Shape{0, 4});
}

TEST_CASE("embedding: rows, padding without gradient, bags") {
  SpyBackend spy;
  Tensor table = tensor<double>({1, 2, 3, 4, 5, 6}).reshape({3, 2}).requires_grad_();
  const Tensor rows = embedding(tensor<int64_t>({2, 0, 2}), table, -1);
  CHECK(rows.to_vector<double>() == Doubles{5, 6, 1, 2, 5, 6});
  sum(embedding(tensor<int64_t>({2, 0, 2, 0}), table, 2)).backward();
  CHECK(table.grad().to_vector<double>() == Doubles{2, 2, 0, 0, 0, 0});
  const Tensor bags = tensor<int64_t>({0, 1, 2, 2}).reshape({2, 2});
  CHECK(embedding_bag(bags, table).to_vector<double>() == Doubles{2, 3, 5, 6});
  CHECK(embedding_bag(bags, table, BagMode::Sum).to_vector<double>() == Doubles{4, 6, 10, 12});
  CHECK(embedding_bag(bags, table, BagMode::Max).to_vector<double>() == Doubles{3, 4, 5, 6});
  const Tensor weights = tensor<double>({1, 2, 0, -1}).reshape({2, 2});
  CHECK(embedding_bag(bags, table, BagMode::Sum, weights).to_vector<double>() == Doubles{7, 10, -5, -6});
}

TEST_CASE("quantize: rounding, saturation, NaN, packing and blocks") {
  SpyBackend spy;
  const float nan = std::nanf("");
  const Tensor x = tensor<float>({-300, -1.25f, 0.25f, 0.75f, 1.25f, 200, nan, INFINITY});
  const QTensor q = quantize_per_tensor(x, 0.5, 3, QuantType::I8);
  // -2.5, 0.5, 1.5 and 2.5 round to even.
  CHECK(q.packed.to_vector<int8_t>() == std::vector<int8_t>{-128, 1, 3, 5, 5, 127, 3, 127});
  CHECK(q.dequantize().to_vector<float>() == std::vector<float>{-65.5f, -1, 0, 1, 1, 62, 0, 62});
  // Two a byte, the first in the low bits; an odd last element stands alone.
  const QTensor packed = quantize(tensor<float>({-8, 7, 3, 1, -1, 20}).reshape({2, 3}),
                                  tensor<float>({1, 2}).reshape({2, 1}), {}, {1, 3}, QuantType::I4);
  CHECK(packed.packed.shape() == Shape{2, 2});
  CHECK(packed.packed.to_vector<uint8_t>() == std::vector<uint8_t>{0x78, 0x03, 0x00, 0x07});
  CHECK(packed.dequantize().to_vector<float>() == std::vector<float>{-8, 7, 3, 0, 0, 14});
  const QTensor channels =
      quantize_per_channel(tensor<float>({1, 2, 30, 40}).reshape({2, 2}), tensor<float>({1, 10}), {}, 0, QuantType::U8);
  CHECK(channels.packed.to_vector<uint8_t>() == std::vector<uint8_t>{1, 2, 3, 4});
  const QTensor dynamic = quantize_dynamic(tensor<float>({127, -64, 0, 0}), {2});
  CHECK(dynamic.scales.to_vector<float>() == std::vector<float>{1, 1});
  CHECK(dynamic.packed.to_vector<int8_t>() == std::vector<int8_t>{127, -64, 0, 0});
}

TEST_CASE("quantize: floats of 8 bits") {
  SpyBackend spy;
  const auto through = [](std::vector<float> x, QuantType type) {
    return quantize_per_tensor(tensor<float>(x), 1, 0, type).dequantize().to_vector<float>();
  };
  CHECK(through({464, 465, 1000, -1000, INFINITY}, QuantType::F8E4M3FN) ==
        std::vector<float>{448, 448, 448, -448, 448});
  // 1.0625 and 1.1875 are ties; 2^-9 is the least number, 2^-10 ties to 0.
  CHECK(through({1.0625f, 1.1875f, 0x1p-9f, 0x1p-10f, 0x1.8p-9f, 0x1p-6f}, QuantType::F8E4M3FN) ==
        std::vector<float>{1, 1.25f, 0x1p-9f, 0, 0x1p-8f, 0x1p-6f});
  CHECK(through({57344, 61440, 1e9f, 0x1p-16f, 0x1p-17f, -3.5f}, QuantType::F8E5M2) ==
        std::vector<float>{57344, 57344, 57344, 0x1p-16f, 0, -3.5f});
  CHECK(std::isnan(through({std::nanf("")}, QuantType::F8E4M3FN)[0]));
  // Every number of the type comes back.
  std::vector<uint8_t> bytes;
  for (int i = 0; i < 256; ++i)
    if ((i & 0x7f) < 0x7c)
      bytes.push_back(static_cast<uint8_t>(i));
  for (QuantType type : {QuantType::F8E4M3FN, QuantType::F8E5M2}) {
    QTensor all;
    all.packed = tensor(bytes);
    all.scales = ones({1});
    all.type = type;
    all.shape = all.block = Shape{static_cast<int64_t>(bytes.size())};
    CHECK(quantize_per_tensor(all.dequantize(), 1, 0, type).packed.to_vector<uint8_t>() == bytes);
  }
}

TEST_CASE("fake_quantize: the gradient passes inside of the range") {
  SpyBackend spy;
  Tensor x = tensor<double>({-200, -0.3, 0.3, 200}).requires_grad_();
  const Tensor y = fake_quantize(x, full({1}, 1.0, DType::F64), {}, 4);
  CHECK(y.to_vector<double>() == Doubles{-128, 0, 0, 127});
  sum(y * tensor<double>({1, 2, 3, 4})).backward();
  CHECK(x.grad().to_vector<double>() == Doubles{0, 2, 3, 0});
}

TEST_CASE("rotary_embedding: halves and neighbours") {
  SpyBackend spy;
  const Tensor x = tensor<double>({1, 2, 3, 4, 5}).reshape({1, 5});
  const Tensor cos = tensor<double>({0, 1}).reshape({1, 2}), sin = tensor<double>({1, 0}).reshape({1, 2});
  CHECK(rotary_embedding(x, cos, sin).to_vector<double>() == Doubles{-3, 2, 1, 4, 5});
  CHECK(rotary_embedding(x, cos, sin, true).to_vector<double>() == Doubles{-2, 1, 3, 4, 5});
}
