// f16 and bf16: sums run in f32 and are rounded once; results and gradients beside those in double.
#include <burn/burn.h>

#include <catch2/catch.hpp>

#include <cmath>
#include <vector>

using namespace burn;

namespace {

Tensor randomLike(const Shape &shape, DType dtype, uint32_t seed) {
  HostArray array(DType::F64, shape);
  for (double &value : array.values<double>()) {
    seed = seed * 1664525u + 1013904223u;
    value = static_cast<double>(seed >> 8) * 0x1p-23 - 1;
  }
  return from_host(array).to(dtype);
}

std::vector<double> valuesOf(const Tensor &x) { return x.detach().to(DType::F64).to_vector<double>(); }

double unit(DType dtype) { return dtype == DType::F16 ? 0x1p-11 : 0x1p-8; }

// f in `dtype` and in f64 on the same numbers: one rounding apart, but for `slack` in absolute terms (what f32 sums
// lose). Gradients are rounded at each op, `roundings` of them.
template <typename F>
void checkAgainstDouble(DType dtype, std::vector<Shape> shapes, double slack, double roundings, F f) {
  std::vector<Tensor> narrow, wide;
  for (const Shape &shape : shapes) {
    narrow.push_back(randomLike(shape, dtype, static_cast<uint32_t>(narrow.size()) + 7));
    wide.push_back(narrow.back().to(DType::F64));
    narrow.back().requires_grad_();
    wide.back().requires_grad_();
  }
  const Tensor y = f(narrow), exact = f(wide);
  REQUIRE(y.dtype() == dtype);
  const std::vector<double> got = valuesOf(y), want = valuesOf(exact);
  for (size_t i = 0; i < got.size(); ++i)
    CHECK(std::fabs(got[i] - want[i]) <= 1.01 * unit(dtype) * std::fabs(want[i]) + slack);
  const Tensor seed = randomLike(y.shape(), dtype, 99);
  y.backward(seed);
  exact.backward(seed.to(DType::F64));
  for (size_t k = 0; k < narrow.size(); ++k) {
    REQUIRE(narrow[k].grad().dtype() == dtype);
    const std::vector<double> gradient = valuesOf(narrow[k].grad()), right = valuesOf(wide[k].grad());
    double error = 0, norm = 0;
    for (size_t i = 0; i < right.size(); ++i) {
      error = std::max(error, std::fabs(gradient[i] - right[i]));
      norm = std::max(norm, std::fabs(right[i]));
    }
    INFO("gradient " << k);
    CHECK(error <= roundings * unit(dtype) * norm + slack);
  }
}

} // namespace

TEST_CASE("Products and convolutions of f16 and bf16 add up in f32", "[precision]") {
  for (const DType dtype : {DType::F16, DType::BF16}) {
    CAPTURE(name(dtype));
    checkAgainstDouble(dtype, {Shape{37, 300}, Shape{300, 21}}, 1e-5, 2,
                       [](const std::vector<Tensor> &in) { return matmul(in[0], in[1]); });
    checkAgainstDouble(dtype, {Shape{3, 5, 64}, Shape{3, 64, 9}}, 1e-5, 2,
                       [](const std::vector<Tensor> &in) { return bmm(in[0], in[1]); });
    checkAgainstDouble(dtype, {Shape{1000}, Shape{1000}}, 1e-4, 2,
                       [](const std::vector<Tensor> &in) { return matmul(in[0], in[1]); });
    checkAgainstDouble(dtype, {Shape{2, 4, 9, 8}, Shape{6, 2, 3, 3}}, 1e-5, 2,
                       [](const std::vector<Tensor> &in) { return conv2d(in[0], in[1], Tensor(), 2, 1, 1, 2); });
    checkAgainstDouble(dtype, {Shape{2, 4, 5, 4, 5}, Shape{4, 3, 2, 3, 2}}, 1e-5, 2, [](const std::vector<Tensor> &in) {
      return conv_transpose3d(in[0], in[1], Tensor(), Triple(1, 2, 1), 1);
    });
  }
}

TEST_CASE("Means, norms and softmax of f16 and bf16 are computed in f32", "[precision]") {
  for (const DType dtype : {DType::F16, DType::BF16}) {
    CAPTURE(name(dtype));
    checkAgainstDouble(dtype, {Shape{7, 301}}, 1e-6, 4, [](const std::vector<Tensor> &in) { return in[0].mean(1); });
    checkAgainstDouble(dtype, {Shape{7, 301}}, 1e-6, 8, [](const std::vector<Tensor> &in) { return in[0].var(1); });
    checkAgainstDouble(dtype, {Shape{7, 301}}, 1e-6, 8, [](const std::vector<Tensor> &in) { return in[0].std(1); });
    checkAgainstDouble(dtype, {Shape{7, 301}}, 1e-6, 8, [](const std::vector<Tensor> &in) { return in[0].norm(1); });
    checkAgainstDouble(dtype, {Shape{7, 301}}, 1e-6, 8,
                       [](const std::vector<Tensor> &in) { return logsumexp(in[0], 1); });
    checkAgainstDouble(dtype, {Shape{7, 33}}, 1e-6, 16,
                       [](const std::vector<Tensor> &in) { return softmax(in[0], 1); });
    checkAgainstDouble(dtype, {Shape{4, 3, 9}, Shape{3}, Shape{3}}, 2e-3, 30,
                       [](const std::vector<Tensor> &in) { return batch_norm(in[0], in[1], in[2]).output; });
    checkAgainstDouble(dtype, {Shape{2, 3, 9, 7}}, 1e-6, 4,
                       [](const std::vector<Tensor> &in) { return avg_pool2d(in[0], 3, Pair(2), 1, true, false); });
    checkAgainstDouble(dtype, {Shape{2, 3, 9, 7}}, 1e-6, 4,
                       [](const std::vector<Tensor> &in) { return adaptive_avg_pool2d(in[0], Pair(4, 3)); });
  }
}

TEST_CASE("Sums of f16 overflow, means do not", "[precision]") {
  const Tensor ones = burn::ones({70000}, DType::F16);
  CHECK(std::isinf(sum(ones).to(DType::F32).item<float>())); // 70000 is beyond f16
  CHECK(mean(ones).to(DType::F32).item<float>() == 1);
  CHECK(mean(ones * 60000).to(DType::F32).item<float>() == 60000);
  CHECK((ones * 300).std().to(DType::F32).item<float>() == 0);
  CHECK(mse_loss(ones * 200, ones * 0).to(DType::F32).item<float>() == 40000);
  CHECK(nanmean(ones).to(DType::F32).item<float>() == 1);
  CHECK(vector_norm(burn::ones({16}, DType::F16) * 1000, 3).to(DType::F32).item<float>() == 2520); // 16^(1/3) 1000
  // 4096 ones, where f16 would stop counting at 2048 and bf16 at 256.
  CHECK(sum(burn::ones({4096}, DType::F16)).to(DType::F32).item<float>() == 4096);
  CHECK(sum(burn::ones({4096}, DType::BF16)).to(DType::F32).item<float>() == 4096);
  CHECK(avg_pool1d(burn::ones({1, 4096}, DType::BF16), 4096).to(DType::F32).item<float>() == 1);
}

TEST_CASE("Integer products wrap", "[precision]") {
  // 100 * 100 * 4 = 40000 = 156 * 256 + 64
  const Tensor a = (burn::ones({2, 4}, DType::F32) * 100).to(DType::I8);
  CHECK(matmul(a, a.t()).to_vector<int8_t>() == std::vector<int8_t>(4, 64));
  // Zero points by ops: (130 - 128) * 3 in i32, and not what sign extension would give.
  HostArray left(DType::U8, Shape{1, 1});
  left.values<uint8_t>()[0] = 130;
  HostArray right(DType::I8, Shape{1, 1});
  right.values<int8_t>()[0] = 3;
  const Tensor shifted = from_host(left).to(DType::I32) - 128;
  CHECK(matmul(shifted, from_host(right).to(DType::I32)).item<int32_t>() == 6);
}
