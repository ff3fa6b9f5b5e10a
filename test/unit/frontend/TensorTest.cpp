// Values, shapes and types of the tensor interface. Right values are those of NumPy and PyTorch.
#include "test/unit/frontend/Backends.h"

#include "frontend/Tensor/Promotion.h"

#include <burn/burn.h>

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>

using namespace burn;
using burn::test::SpyBackend;

namespace {

using Floats = std::vector<float>;
using Longs = std::vector<int64_t>;
using Bools = std::vector<bool>;

Floats floats(const Tensor &tensor) { return tensor.to_vector<float>(); }
Longs longs(const Tensor &tensor) { return tensor.to_vector<int64_t>(); }
Bools bools(const Tensor &tensor) { return tensor.to_vector<bool>(); }

// 0 1 2 / 3 4 5
Tensor matrix() { return tensor({0.f, 1.f, 2.f, 3.f, 4.f, 5.f}, {2, 3}); }

void checkClose(const Tensor &actual, const Floats &expected, double margin = 1e-6) {
  const Floats values = floats(actual);
  REQUIRE(values.size() == expected.size());
  for (size_t i = 0; i < values.size(); ++i)
    CHECK(values[i] == Approx(expected[i]).margin(margin));
}

} // namespace

TEST_CASE("promotion: the lattice of PyTorch, f16 and bf16 meeting in f32") {
  using enum DType;
  CHECK(promote(F32, F64) == F64);
  CHECK(promote(F16, BF16) == F32);
  CHECK(promote(F16, F32) == F32);
  CHECK(promote(I64, F16) == F16);
  CHECK(promote(Bool, U8) == U8);
  CHECK(promote(U8, I8) == I16);
  CHECK(promote(U8, I64) == I64);
  CHECK(promote(U32, I32) == I64);
  CHECK(promote(U32, U8) == U32);
  CHECK_FALSE(promote(U64, I64).has_value());
  CHECK(promote(I32, Scalar(2.5)) == F32);
  CHECK(promote(F16, Scalar(2.5)) == F16);
  CHECK(promote(F64, Scalar(2)) == F64);
  CHECK(promote(I8, Scalar(1000)) == I8);
  CHECK(promote(Bool, Scalar(1)) == I64);
  CHECK(promote(Bool, Scalar(true)) == Bool);
}

TEST_CASE("elementwise: types of results") {
  SpyBackend spy;
  const Tensor i = tensor({7, 2}), f = tensor({7.f, 2.f}), d = tensor({1.0, 2.0}), b = tensor({true, false});
  CHECK((i + f).dtype() == DType::F32);
  CHECK((f + d).dtype() == DType::F64);
  CHECK((f * 2.0).dtype() == DType::F32);
  CHECK((i * 2.0).dtype() == DType::F32);
  CHECK((i / i).dtype() == DType::F32);
  CHECK((i + 1).dtype() == DType::I32);
  CHECK((b + i).dtype() == DType::I32);
  CHECK((i < 3).dtype() == DType::Bool);
  CHECK(exp(i).dtype() == DType::F32);
  CHECK(b.sum().dtype() == DType::I64);
  CHECK(floats(i / tensor({2, 4})) == Floats{3.5f, 0.5f});
  CHECK_THROWS_WITH(b + b, Catch::Matchers::Contains("expects numbers"));
  CHECK_THROWS_WITH(tensor({uint64_t(1)}) + tensor({int64_t(1)}), Catch::Matchers::Contains("no integer type"));
}

TEST_CASE("elementwise: values") {
  SpyBackend spy;
  const Tensor x = tensor({-1.5f, 0.f, 2.f});
  CHECK(floats(x + 1) == Floats{-0.5f, 1, 3});
  CHECK(floats(1 - x) == Floats{2.5f, 1, -1});
  CHECK(floats(2 * x) == Floats{-3, 0, 4});
  CHECK(floats(1 / tensor({2.f, 4.f})) == Floats{0.5f, 0.25f});
  CHECK(floats(-x) == Floats{1.5f, -0.f, -2});
  CHECK(floats(abs(x)) == Floats{1.5f, 0, 2});
  CHECK(floats(sign(x)) == Floats{-1, 0, 1});
  CHECK(floats(relu(x)) == Floats{0, 0, 2});
  CHECK(floats(square(x)) == Floats{2.25f, 0, 4});
  CHECK(floats(pow(x, 2)) == Floats{2.25f, 0, 4});
  CHECK(floats(maximum(x, 1)) == Floats{1, 1, 2});
  CHECK(floats(minimum(x, 1)) == Floats{-1.5f, 0, 1});
  CHECK(floats(x.clamp(-1, 1)) == Floats{-1, 0, 1});
  CHECK(floats(x.clamp(std::nullopt, 1)) == Floats{-1.5f, 0, 1});
  CHECK(floats(x.clamp(-1.0)) == Floats{-1, 0, 2});
  CHECK(floats(round(tensor({0.5f, 1.5f, -2.5f}))) == Floats{0, 2, -2});
  CHECK(floats(floor(x)) == Floats{-2, 0, 2});
  CHECK(floats(ceil(x)) == Floats{-1, 0, 2});
  checkClose(exp(x), {0.22313016f, 1, 7.389056f});
  checkClose(tanh(x), {-0.9051482f, 0, 0.9640276f});
  checkClose(sigmoid(x), {0.1824255f, 0.5f, 0.8807971f});
  checkClose(erf(x), {-0.9661051f, 0, 0.9953223f});
  checkClose(gelu(x), {-0.1002108f, 0, 1.9544997f});
  checkClose(gelu(x, GeluApproximate::Tanh), {-0.1004284f, 0, 1.9545977f});
  checkClose(silu(x), {-0.2736383f, 0, 1.7615942f});
  checkClose(sqrt(tensor({4.f, 2.f})), {2, 1.4142135f});
  checkClose(rsqrt(tensor({4.f, 16.f})), {0.5f, 0.25f});
  CHECK(bools(x > 0) == Bools{false, false, true});
  CHECK(bools(x == 0) == Bools{false, true, false});
  CHECK(bools(0 != x) == Bools{true, false, true});
  const Tensor odd = tensor({std::nanf(""), std::numeric_limits<float>::infinity(), 1.f});
  CHECK(bools(isnan(odd)) == Bools{true, false, false});
  CHECK(bools(isinf(odd)) == Bools{false, true, false});
  CHECK(bools((x > -1) & (x < 1)) == Bools{false, true, false});
  CHECK(bools(logical_or(x, 0)) == Bools{true, false, true});
  CHECK(bools(logical_not(x)) == Bools{false, true, false});
  CHECK(bools(~(x > 0)) == Bools{true, true, false});
  CHECK(floats(where(x > 0, x, 9)) == Floats{9, 9, 2});
  CHECK(floats(x.masked_fill(x < 0, 5)) == Floats{5, 0, 2});
  CHECK(longs(x.to(DType::I64)) == Longs{-1, 0, 2});
}

TEST_CASE("broadcast: shapes meet from the last dimension on") {
  SpyBackend spy;
  const Tensor x = matrix();
  CHECK(floats(x + tensor({10.f, 20.f, 30.f})) == Floats{10, 21, 32, 13, 24, 35});
  CHECK(floats(x + tensor({10.f, 20.f}, {2, 1})) == Floats{10, 11, 12, 23, 24, 25});
  CHECK((tensor({1.f, 2.f}, {2, 1, 1}) * x.reshape({1, 2, 3})).shape() == Shape{2, 2, 3});
  CHECK((zeros({0, 3}) + ones({1, 3})).shape() == Shape{0, 3});
  CHECK(floats(tensor({1.f, 2.f}, {2, 1}).expand({-1, 2})) == Floats{1, 1, 2, 2});
}

TEST_CASE("errors: the call, both shapes, and nothing lost") {
  SpyBackend spy;
  const Tensor a = zeros({2, 3}), b = zeros({4, 3});
  const uint32_t line = __LINE__ + 2;
  try {
    const Tensor c = a + b;
    FAIL("no error");
  } catch (const Error &error) {
    CHECK(error.code() == ErrorCode::InvalidArgument);
    CHECK(error.line() == line);
    CHECK_THAT(error.file(), Catch::Matchers::EndsWith("TensorTest.cpp"));
    CHECK_THAT(error.message(), Catch::Matchers::Contains("[2, 3]") && Catch::Matchers::Contains("[4, 3]"));
    CHECK(error.notes().empty());
  }
  CHECK_THROWS_WITH(a.matmul(b), Catch::Matchers::Contains("[2, 3] and [4, 3]"));
  CHECK_THROWS_WITH(a.reshape({4, -1}), Catch::Matchers::Contains("[2, 3] (6 elements) the shape [4, -1]"));
  CHECK_THROWS_WITH(a.sum(2), Catch::Matchers::Contains("dimension 2 is outside [-2, 1]"));
  CHECK_THROWS_WITH(cat({a, b.t()}), Catch::Matchers::Contains("[2, 3] and [3, 4]"));
  CHECK_THROWS_WITH(a.index({5}), Catch::Matchers::Contains("index 5 is outside dimension 0 of shape [2, 3]"));
  CHECK_THROWS_WITH(conv2d(zeros({1, 3, 8, 8}), zeros({4, 2, 3, 3})), Catch::Matchers::Contains("[4, 2, 3, 3]"));
  CHECK_THROWS_WITH(cross_entropy(zeros({2, 5}), zeros({3}, DType::I64)), Catch::Matchers::Contains("got [3]"));
  CHECK_THROWS_WITH(Tensor() + a, Catch::Matchers::Contains("not defined"));
  CHECK_THROWS_WITH(a.item<float>(), Catch::Matchers::Contains("[2, 3]"));
  CHECK_THROWS_WITH(a.to_vector<double>(), Catch::Matchers::Contains("f32, not f64"));
  CHECK_THROWS_WITH(tensor({1.f, 2.f}, {3}), Catch::Matchers::Contains("2 values"));
  CHECK_THROWS_WITH(zeros({-1}), Catch::Matchers::Contains("[-1] is no shape"));
  CHECK_THROWS_WITH(zeros({1, 1, 1, 1, 1, 1, 1, 1, 1}), Catch::Matchers::Contains("9 dimensions"));
  CHECK_THROWS_WITH(matrix().masked_fill(ones({2}), 1), Catch::Matchers::Contains("boolean mask"));
  CHECK(floats(a + 1) == Floats(6, 1.f));
}

TEST_CASE("errors: calls inside a call are notes") {
  SpyBackend spy;
  const auto module = [](const Operand &x) {
    const LocationScope scope(x.where());
    return x.tensor() + zeros({5});
  };
  const Tensor x = zeros({4});
  const uint32_t line = __LINE__ + 2;
  try {
    module(x);
    FAIL("no error");
  } catch (const Error &error) {
    CHECK(error.line() == line);
    REQUIRE(error.notes().size() == 1);
    CHECK(error.notes()[0].line == line - 5);
  }
}

TEST_CASE("shape: views of every kind") {
  SpyBackend spy;
  const Tensor x = matrix();
  CHECK(x.reshape({3, -1}).shape() == Shape{3, 2});
  CHECK(floats(x.t()) == Floats{0, 3, 1, 4, 2, 5});
  CHECK(floats(x.permute({1, 0})) == Floats{0, 3, 1, 4, 2, 5});
  CHECK(x.unsqueeze(-1).shape() == Shape{2, 3, 1});
  CHECK(x.unsqueeze(0).squeeze().shape() == Shape{2, 3});
  CHECK(zeros({1, 2, 1}).squeeze(0).shape() == Shape{2, 1});
  CHECK(zeros({1, 2, 1}).squeeze(1).shape() == Shape{1, 2, 1});
  CHECK(zeros({2, 3, 4, 5}).flatten(1, 2).shape() == Shape{2, 12, 5});
  CHECK(zeros({}).flatten().shape() == Shape{1});
  CHECK(zeros({2, 3, 4}).transpose(0, -1).shape() == Shape{4, 3, 2});
  CHECK(floats(x.flip(1)) == Floats{2, 1, 0, 5, 4, 3});
  CHECK(floats(cat({x, x}, 1)) == Floats{0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5});
  CHECK(stack({x, x}, -1).shape() == Shape{2, 3, 2});
  CHECK(floats(stack({tensor({1.f, 2.f}), tensor({3.f, 4.f})}, 1)) == Floats{1, 3, 2, 4});
  CHECK(cat({tensor({1}), tensor({2.f})}).dtype() == DType::F32);
  CHECK(floats(pad(tensor({1.f, 2.f}, {1, 2}), {1, 0, 0, 1}, 9)) == Floats{9, 1, 2, 9, 9, 9});
}

TEST_CASE("index: integers, slices, None, Ellipsis and tensors") {
  SpyBackend spy;
  const Tensor x = arange(24, DType::F32).reshape({2, 3, 4});
  CHECK(floats(x.index({1, 2, 3})) == Floats{23});
  CHECK(floats(x.index({-1, -1})) == Floats{20, 21, 22, 23});
  CHECK(floats(x.index({0, Slice(1, None), Slice(0, 4, 2)})) == Floats{4, 6, 8, 10});
  CHECK(x.index({None, Ellipsis, 0}).shape() == Shape{1, 2, 3});
  CHECK(x.index({Ellipsis, None}).shape() == Shape{2, 3, 4, 1});
  CHECK(x.index({Slice(5, 9)}).shape() == Shape{0, 3, 4});
  CHECK(x.index({Slice(-1, None)}).shape() == Shape{1, 3, 4});
  CHECK(floats(x[1][0]) == Floats{12, 13, 14, 15});
  CHECK(floats(x.narrow(2, 1, 2)[0][0]) == Floats{1, 2});
  CHECK(floats(x.slice(2, None, None, 3)[0][0]) == Floats{0, 3});
  // Neighbouring index tensors stand in their place, others in front.
  const Tensor rows = tensor({2, -3}), columns = tensor({3, 0});
  CHECK(floats(x.index({0, rows, columns})) == Floats{11, 0});
  CHECK(x.index({Slice(), rows}).shape() == Shape{2, 2, 4});
  CHECK(x.index({tensor({0, 1, 0}), Slice(), tensor({0, 1, 2})}).shape() == Shape{3, 3});
  CHECK(floats(x.index({tensor({1, 0}), Slice(), columns})) == Floats{15, 19, 23, 0, 4, 8});
  CHECK(x.index({tensor({0, 1, 1, 0}, {2, 2})}).shape() == Shape{2, 2, 3, 4});
  CHECK_THROWS_WITH(x.index({x > 3}), Catch::Matchers::Contains("mask"));
  CHECK_THROWS_WITH(x.index({Slice(None, None, -1)}), Catch::Matchers::Contains("flip"));
  CHECK_THROWS_WITH(x.index({0, 0, 0, 0}), Catch::Matchers::Contains("4 indices"));
  CHECK_THROWS_AS(x.index({tensor({5})}).data(), Error); // found when it runs
}

TEST_CASE("index: gather, scatter and their like") {
  SpyBackend spy;
  const Tensor x = matrix();
  CHECK(floats(x.index_select(1, tensor({2, 0}))) == Floats{2, 0, 5, 3});
  CHECK(floats(x.gather(1, tensor({0, 0, 1, 2}, {2, 2}))) == Floats{0, 0, 4, 5});
  CHECK(floats(x.gather(1, tensor({-1}, {1, 1}))) == Floats{2});
  CHECK(floats(x.take_along_dim(tensor({2, 1}, {2, 1}), 1)) == Floats{2, 4});
  CHECK(floats(x.take_along_dim(tensor({1, 0, 1}, {1, 3}), 0)) == Floats{3, 1, 5});
  CHECK(floats(zeros({2, 3}).scatter(1, tensor({1, 2}, {2, 1}), 7)) == Floats{0, 7, 0, 0, 0, 7});
  CHECK(floats(x.scatter_add(0, tensor({0, 0, 0, 1, 1, 0}, {2, 3}), ones({2, 3}))) == Floats{1, 2, 4, 4, 5, 5});
  CHECK(floats(zeros({3, 2}).index_add(0, tensor({1, 1}), tensor({1.f, 2.f, 3.f, 4.f}, {2, 2}))) ==
        Floats{0, 0, 4, 6, 0, 0});
  Tensor y = zeros({2, 3});
  y.index_put_({1, Slice(0, 2)}, tensor({5.f, 6.f}));
  CHECK(floats(y) == Floats{0, 0, 0, 5, 6, 0});
}

TEST_CASE("reductions") {
  SpyBackend spy;
  const Tensor x = matrix();
  CHECK(x.sum().item<float>() == 15);
  CHECK(floats(x.sum(0)) == Floats{3, 5, 7});
  CHECK(x.sum(1, true).shape() == Shape{2, 1});
  CHECK(x.sum({0, 1}, true).shape() == Shape{1, 1});
  CHECK(floats(x.mean(1)) == Floats{1, 4});
  CHECK(floats((x + 1).prod(1)) == Floats{6, 120});
  CHECK(floats(x.amax(0)) == Floats{3, 4, 5});
  CHECK(x.min().item<float>() == 0);
  CHECK(longs(x.argmax(1)) == Longs{2, 2});
  CHECK(x.argmin().item<int>() == 0);
  CHECK(x.argmax(0, true).shape() == Shape{1, 3});
  const Extremum greatest = tensor({1.f, 5.f, 5.f, 9.f, 2.f, 0.f}, {2, 3}).max(1);
  CHECK(floats(greatest.values) == Floats{5, 9});
  CHECK(longs(greatest.indices) == Longs{1, 0});
  CHECK(bools((x > 0).all(1)) == Bools{false, true});
  CHECK((x > 4).any().item<bool>());
  checkClose(x.var(1), {1, 1});
  checkClose(x.var({}, 0), {2.9166667f});
  checkClose(x.std(0), {2.1213203f, 2.1213203f, 2.1213203f});
  checkClose(x.norm(), {7.4161984f});
  checkClose(x.softmax(1), {0.09003057f, 0.24472848f, 0.66524094f, 0.09003057f, 0.24472848f, 0.66524094f});
  checkClose(x.log_softmax(0), {-3.0485873f, -3.0485873f, -3.0485873f, -0.0485873f, -0.0485873f, -0.0485873f});
  checkClose(x.logsumexp(1), {2.407606f, 5.407606f});
  const float infinity = std::numeric_limits<float>::infinity();
  CHECK(floats(tensor({-infinity, -infinity}).logsumexp(0)) == Floats{-infinity});
  CHECK(zeros({0}).sum().item<float>() == 0);
  CHECK_THROWS_WITH(zeros({0}).max(), Catch::Matchers::Contains("empty"));
  CHECK_THROWS_WITH(arange(3).mean(), Catch::Matchers::Contains("expects floats"));
}

TEST_CASE("reductions: the gradient of a deviation of equal values is 0") {
  SpyBackend spy;
  Tensor x = ones({2});
  x.requires_grad_();
  x.std().backward();
  CHECK(floats(x.grad()) == Floats{0, 0});
}

TEST_CASE("products") {
  SpyBackend spy;
  const Tensor a = matrix(), v = tensor({1.f, 10.f, 100.f});
  CHECK(floats(a.matmul(v)) == Floats{210, 543});
  CHECK(floats(tensor({1.f, 2.f}).matmul(a)) == Floats{6, 9, 12});
  CHECK(floats(v.matmul(v)) == Floats{10101});
  CHECK(floats(mm(a, a.t())) == Floats{5, 14, 14, 50});
  const Tensor batch = stack({a, a + 1});
  CHECK(floats(bmm(batch, batch.transpose(1, 2))) == Floats{5, 14, 14, 50, 14, 32, 32, 77});
  CHECK(batch.matmul(zeros({3, 7})).shape() == Shape{2, 2, 7});
  CHECK(zeros({5, 1, 2, 3}).matmul(zeros({4, 3, 6})).shape() == Shape{5, 4, 2, 6});
  CHECK(v.matmul(zeros({4, 3, 6})).shape() == Shape{4, 6});
  CHECK(floats(linear(a, tensor({1.f, 0.f, 0.f, 0.f, 1.f, 1.f}, {2, 3}), tensor({10.f, 20.f}))) ==
        Floats{10, 23, 13, 29});
  CHECK(linear(zeros({2, 5, 3}), zeros({4, 3})).shape() == Shape{2, 5, 4});
}

TEST_CASE("convolution and pooling") {
  SpyBackend spy;
  const Tensor x = arange(16, DType::F32).reshape({1, 1, 4, 4});
  const Tensor k = tensor({1.f, 0.f, 0.f, -1.f}, {1, 1, 2, 2});
  CHECK(floats(conv2d(x, k)) == Floats(9, -5.f));
  CHECK(floats(conv2d(x, k, tensor({1.f}), 2, 0)) == Floats(4, -4.f));
  CHECK(conv2d(zeros({2, 4, 9, 9}), zeros({6, 2, 3, 3}), {}, 2, 1, 1, 2).shape() == Shape{2, 6, 5, 5});
  CHECK(floats(conv1d(tensor({1.f, 2.f, 3.f}, {1, 1, 3}), tensor({1.f, 1.f}, {1, 1, 2}))) == Floats{3, 5});
  // PyTorch: conv_transpose2d([[1, 2], [3, 4]], [[1, 2], [3, 4]], stride 2)
  const Tensor small = tensor({1.f, 2.f, 3.f, 4.f}, {1, 1, 2, 2});
  CHECK(floats(conv_transpose2d(small, small, {}, 2)) == Floats{1, 2, 2, 4, 3, 4, 6, 8, 3, 6, 4, 8, 9, 12, 12, 16});
  CHECK(floats(conv_transpose2d(small, small)) == Floats{1, 4, 4, 6, 20, 16, 9, 24, 16});
  CHECK(conv_transpose2d(zeros({1, 4, 3, 3}), zeros({4, 3, 3, 3}), {}, 2, 1, 1, 2).shape() == Shape{1, 6, 6, 6});
  CHECK(floats(max_pool2d(x, 2)) == Floats{5, 7, 13, 15});
  CHECK(floats(max_pool2d(x, 3, 2, 0, 1, true)) == Floats{10, 11, 14, 15});
  CHECK(floats(max_pool2d(x, 2, 2, 1)) == Floats{0, 2, 3, 8, 10, 11, 12, 14, 15});
  CHECK(floats(avg_pool2d(x, 2)) == Floats{2.5f, 4.5f, 10.5f, 12.5f});
  CHECK(max_pool2d(zeros({3, 5, 5}), {2, 1}).shape() == Shape{3, 2, 5});
}

TEST_CASE("losses and normalisation") {
  SpyBackend spy;
  const Tensor logits = tensor({1.f, 2.f, 3.f, 1.f, 1.f, 1.f}, {2, 3}), target = tensor({2, 0});
  // -log softmax: 0.40760595 and log 3
  checkClose(cross_entropy(logits, target), {(0.40760595f + 1.0986123f) / 2});
  checkClose(cross_entropy(logits, target, {}, Reduction::None), {0.40760595f, 1.0986123f});
  checkClose(cross_entropy(logits, tensor({-100, 0})), {1.0986123f});
  checkClose(nll_loss(log_softmax(logits, 1), target), {(0.40760595f + 1.0986123f) / 2});
  checkClose(nll_loss(log_softmax(logits, 1), tensor({-100, 0}), Tensor(), Reduction::Sum), {1.0986123f});
  checkClose(mse_loss(tensor({1.f, 3.f}), tensor({0.f, 1.f})), {2.5f});
  const Tensor x = tensor({1.f, 3.f, 2.f, 6.f}, {2, 2});
  const BatchNormResult norm = batch_norm(x, ones({2}), zeros({2}), 0);
  CHECK(floats(norm.mean) == Floats{1.5f, 4.5f});
  CHECK(floats(norm.variance) == Floats{0.25f, 2.25f});
  checkClose(norm.output, {-1, -1, 1, 1});
  checkClose(batch_norm_with(x, norm.mean, norm.variance, tensor({2.f, 2.f}), ones({2}), 0), {-1, -1, 3, 3});
}

TEST_CASE("creation") {
  SpyBackend spy;
  CHECK(floats(zeros({2})) == Floats{0, 0});
  CHECK(full({2}, 7).dtype() == DType::I64);
  CHECK(full({2}, 7, DType::F16).to(DType::F32).to_vector<float>() == Floats{7, 7});
  CHECK(full({}, 2.5).item<double>() == 2.5);
  CHECK(longs(arange(4)) == Longs{0, 1, 2, 3});
  CHECK(longs(arange(2, 9, 3)) == Longs{2, 5, 8});
  CHECK(longs(arange(5, 0, -2)) == Longs{5, 3, 1});
  CHECK(floats(arange(0, 1, 0.25)) == Floats{0, 0.25f, 0.5f, 0.75f});
  checkClose(linspace(0, 1, 5), {0, 0.25f, 0.5f, 0.75f, 1});
  CHECK(floats(eye(2, 3)) == Floats{1, 0, 0, 0, 1, 0});
  CHECK(bools(tensor(std::vector<bool>{true, false})) == Bools{true, false});
  CHECK(ones_like(tensor({1, 2})).dtype() == DType::I32);
  CHECK(tensor(2.5f).item<int>() == 2);
  CHECK(tensor({f16(1.5)}).to(DType::F32).item<float>() == 1.5f);
}

TEST_CASE("printing: as NumPy does") {
  SpyBackend spy;
  const auto text = [](const Tensor &tensor) { return tensor.to_string(); };
  CHECK(text(tensor({1.f, 2.5f, 3.125f})) == "[1.    2.5   3.125]");
  CHECK(text(matrix()) == "[[0. 1. 2.]\n [3. 4. 5.]]");
  CHECK(text(arange(8).reshape({2, 2, 2})) == "[[[0 1]\n  [2 3]]\n\n [[4 5]\n  [6 7]]]");
  CHECK(text(tensor({-1, 10, 100})) == "[ -1  10 100]");
  CHECK(text(tensor({1e-6f, 1.f})) == "[1.e-06 1.e+00]");
  CHECK(text(tensor({0.1, 1234567.0})) == "[1.000000e-01 1.234567e+06]");
  CHECK(text(tensor({0.1f, 0.2f})) == "[0.1 0.2]");
  CHECK(text(tensor({1.0 / 3, 2.0})) == "[0.33333333 2.        ]");
  CHECK(text(tensor({true, false})) == "[ True False]");
  CHECK(text(tensor({std::nanf(""), 1.5f, -std::numeric_limits<float>::infinity()})) == "[ nan  1.5 -inf]");
  CHECK(text(tensor(1.f)) == "1.0");
  CHECK(text(tensor(7)) == "7");
  CHECK(text(zeros({0, 3})) == "[]");
  CHECK(text(tensor({-1.5f, 2.f})) == "[-1.5  2. ]");
  CHECK(text(arange(2000)) == "[   0    1    2 ... 1997 1998 1999]");
  CHECK(text(arange(30)) ==
        "[ 0  1  2  3  4  5  6  7  8  9 10 11 12 13 14 15 16 17 18 19 20 21 22 23\n 24 25 26 27 28 29]");
  CHECK(text(zeros({1001, 1})) == "[[0.]\n [0.]\n [0.]\n ...\n [0.]\n [0.]\n [0.]]");
}
