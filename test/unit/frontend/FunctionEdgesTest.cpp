// Functions that are made of others at their edges: no elements, rank 0, misuse. Right values are those of PyTorch.
#include "test/unit/frontend/EveryWay.h"
#include "test/unit/frontend/Misuse.h"

#include <burn/burn.h>

#include <catch2/catch.hpp>

#include <functional>
#include <limits>

using namespace burn;
using burn::test::checkRefused;
using burn::test::everyWay;
using burn::test::SpyBackend;

namespace {

using Doubles = std::vector<double>;
using Longs = std::vector<int64_t>;

Doubles doubles(const Tensor &tensor) { return tensor.to_vector<double>(); }

const double infinity = std::numeric_limits<double>::infinity();

// The gradient of the sum of a function at x.
Doubles slope(const std::function<Tensor(const Tensor &)> &function, const Doubles &at) {
  Tensor x = tensor(at);
  x.requires_grad_();
  function(x).sum().backward();
  return doubles(x.grad());
}

} // namespace

TEST_CASE("unique along a dimension: rows in the order of their first elements that differ") {
  everyWay([] {
    const Tensor x = tensor({2, 1, 0, 5, 2, 1, 0, 4, 2, 1}, {5, 2});
    const Unique rows = unique(x, 0);
    CHECK(rows.values.shape() == Shape{3, 2});
    CHECK(rows.values.to_vector<int32_t>() == std::vector<int32_t>{0, 4, 0, 5, 2, 1});
    CHECK(rows.inverse.to_vector<int64_t>() == std::vector<int64_t>{2, 1, 2, 0, 2});
    CHECK(rows.counts.to_vector<int64_t>() == std::vector<int64_t>{1, 1, 3});
    const Unique columns = x.t().unique(-1);
    CHECK(columns.values.shape() == Shape{2, 3});
    CHECK(columns.values.to_vector<int32_t>() == std::vector<int32_t>{0, 0, 2, 4, 5, 1});
    CHECK(columns.inverse.to_vector<int64_t>() == std::vector<int64_t>{2, 1, 2, 0, 2});
    const Unique blocks = unique(tensor({1.0, 2.0, 1.0, 2.0, 0.0, 9.0}, {3, 1, 2}), 0);
    CHECK(blocks.values.to_vector<double>() == std::vector<double>{0, 9, 1, 2});
    CHECK(blocks.counts.to_vector<int64_t>() == std::vector<int64_t>{1, 2});
  });
}

TEST_CASE("unique along a dimension: nothing, one part, and parts of nothing") {
  everyWay([] {
    const Unique none = unique(zeros({0, 3}), 0);
    CHECK(none.values.shape() == Shape{0, 3});
    CHECK(none.inverse.shape() == Shape{0});
    CHECK(none.counts.shape() == Shape{0});
    const Unique one = unique(ones({1, 3}), 0);
    CHECK(one.values.to_vector<float>() == std::vector<float>{1, 1, 1});
    CHECK(one.counts.to_vector<int64_t>() == std::vector<int64_t>{1});
    const Unique empty = unique(zeros({3, 0}), 0); // all equal: no element differs
    CHECK(empty.values.shape() == Shape{1, 0});
    CHECK(empty.counts.to_vector<int64_t>() == std::vector<int64_t>{3});
    CHECK_THROWS_AS(unique(ones({}), 0), Error);
    CHECK_THROWS_AS(unique(ones({2}), 1), Error);
  });
}

TEST_CASE("matrix_norm: sums of columns, of rows, and of squares") {
  everyWay([] {
    // Columns sum to 4, 6 and 8 in magnitude, rows to 6 and 12; the squares sum to 72.
    const Tensor x = tensor({1.0, -2.0, 3.0, 3.0, 4.0, -5.0}, {2, 3});
    const double infinity = std::numeric_limits<double>::infinity();
    CHECK(matrix_norm(x).item<double>() == Approx(8));
    CHECK(matrix_norm(x, 1).item<double>() == 8);
    CHECK(matrix_norm(x, -1).item<double>() == 4);
    CHECK(matrix_norm(x, infinity).item<double>() == 12);
    CHECK(matrix_norm(x, -infinity).item<double>() == 6);
    CHECK(matrix_norm(x, 1, {1, 0}).item<double>() == 12); // of the transpose
    CHECK(matrix_norm(x, 1, {-2, -1}, true).shape() == Shape{1, 1});
    const Tensor batch = stack({x, x * 2}, 1); // [2, 2, 3]: the matrices lie in dimensions 0 and 2
    CHECK(matrix_norm(batch, infinity, {0, 2}).to_vector<double>() == std::vector<double>{12, 24});
    CHECK(matrix_norm(x.to(DType::F16), 1).dtype() == DType::F16);
    CHECK_THROWS_AS(matrix_norm(x, 2), Error);
    CHECK_THROWS_AS(matrix_norm(x, 3), Error);
    CHECK_THROWS_AS(matrix_norm(x, 1, {0, -2}), Error);
    CHECK_THROWS_AS(matrix_norm(ones({3})), Error);
    Tensor w = tensor({3.0, 0.0, 0.0, 4.0}, {2, 2}).requires_grad_();
    matrix_norm(w).backward();
    CHECK(w.grad().to_vector<double>()[0] == Approx(0.6)); // w / |w|
    CHECK(w.grad().to_vector<double>()[3] == Approx(0.8));
  });
}

TEST_CASE("functions: no elements") {
  SpyBackend spy;
  const Tensor none = zeros({0, 3}, DType::F64);
  CHECK(none.roll(1, 0).shape() == Shape{0, 3});
  CHECK(none.repeat({2, 2}).shape() == Shape{0, 6});
  CHECK(none.repeat_interleave(2, 0).shape() == Shape{0, 3});
  CHECK(zeros({2, 3}).repeat({0, 1}).shape() == Shape{0, 3});
  CHECK(none.tril().shape() == Shape{0, 3});
  CHECK(none.diagonal().shape() == Shape{0});
  CHECK(none.chunk(2).size() == 2);
  CHECK(none.split(4).size() == 1);
  CHECK(none.unbind().empty());
  CHECK(doubles(none.nansum(0)) == Doubles{0, 0, 0});
  CHECK(none.count_nonzero().item<int64_t>() == 0);
  CHECK(doubles(vector_norm(none, 3.0, 0)) == Doubles{0, 0, 0});
  CHECK(none.diff(1, 0).shape() == Shape{0, 3});
  CHECK(zeros({1, 3}).diff(5, 0).shape() == Shape{0, 3});
  CHECK(doubles(trapezoid(none, 1.0, 0)) == Doubles{0, 0, 0});
  CHECK(doubles(einsum("ij,ik->jk", {none, zeros({0, 2}, DType::F64)})) == Doubles(6, 0.0));
  CHECK(tensordot(none, zeros({3, 0}, DType::F64), 1).shape() == Shape{0, 0});
  CHECK(doubles(outer(tensor({1.0, 2.0}), zeros({0}, DType::F64))).empty());
  CHECK(kron(none, ones({2, 2}, DType::F64)).shape() == Shape{0, 6});
  CHECK(block_diag({none, ones({1, 1}, DType::F64)}).shape() == Shape{1, 4});
  CHECK(vander(zeros({0}, DType::F64)).shape() == Shape{0, 0});
  CHECK(searchsorted(zeros({0}), ones({2})).to_vector<int64_t>() == Longs{0, 0});
  CHECK(one_hot(zeros({0}, DType::I64), 3).shape() == Shape{0, 3});
  CHECK(zeros({0, 4, 3, 2}).numel() == 0);
  CHECK(pixel_shuffle(zeros({0, 4, 3, 2}), 2).shape() == Shape{0, 1, 6, 4});
  CHECK(cdist(none, ones({2, 3}, DType::F64)).shape() == Shape{0, 2});
  CHECK(pdist(none).shape() == Shape{0});
  CHECK(pdist(ones({1, 3}, DType::F64)).shape() == Shape{0});
  // A triangle of sides 3, 4 and 5.
  CHECK(doubles(pdist(tensor<double>({0, 0, 3, 0, 0, 4}).reshape({3, 2}))) == Doubles{3, 4, 5});
  CHECK(doubles(pdist(tensor<double>({0, 0, 3, 0, 0, 4}).reshape({3, 2}), 1)) == Doubles{3, 4, 7});
  CHECK(none.equal(zeros({0, 3}, DType::F64)));
  CHECK(allclose(none, none));
}

TEST_CASE("functions: rank 0") {
  SpyBackend spy;
  const Tensor x = tensor(2.0);
  CHECK(atleast_3d(x).shape() == Shape{1, 1, 1});
  CHECK(atleast_3d(ones({4})).shape() == Shape{1, 4, 1});
  CHECK(atleast_3d(ones({4, 2})).shape() == Shape{4, 2, 1});
  CHECK(doubles(x.repeat(3)) == Doubles{2, 2, 2});
  CHECK(doubles(x.tile({})) == Doubles{2});
  CHECK(doubles(x.repeat_interleave(2)) == Doubles{2, 2});
  CHECK(doubles(x.roll(1)) == Doubles{2});
  CHECK(doubles(vstack({x, x})) == Doubles{2, 2});
  CHECK(doubles(hstack({x, x})) == Doubles{2, 2});
  CHECK(x.movedim({}, {}).shape() == Shape{});
  CHECK(inner(x, tensor({1.0, 3.0})).to_vector<double>() == Doubles{2, 6});
  CHECK(kron(x, x).shape() == Shape{});
  CHECK(doubles(x.lerp(tensor(4.0), 0.25)) == Doubles{2.5});
  CHECK(doubles(vector_norm(-x, 3.0))[0] == Approx(2));
  CHECK(doubles(x.take(tensor({0, -1}))) == Doubles{2, 2});
  CHECK(x.unfold(0, 1, 1).shape() == Shape{1, 1});
  CHECK(cov(x).shape() == Shape{});
  CHECK(doubles(smooth_l1_loss(x, tensor(0.0))) == Doubles{1.5});
  CHECK(one_hot(tensor(1), 3).to_vector<int64_t>() == Longs{0, 1, 0});
  CHECK(doubles(einsum(",->", {x, x})) == Doubles{4});
}

TEST_CASE("functions: derivatives at kinks and at zero norms") {
  SpyBackend spy;
  CHECK(slope([](const Tensor &x) { return vector_norm(x, 3.0); }, {0, 0}) == Doubles{0, 0});
  CHECK(slope([](const Tensor &x) { return vector_norm(x, 0.5); }, {0, 4}) == Doubles{0, 1});
  CHECK(slope([](const Tensor &x) { return cdist(x.unsqueeze(0), zeros({1, 2}, DType::F64)); }, {0, 0}) ==
        Doubles{0, 0});
  CHECK(slope([](const Tensor &x) { return normalize(x, 2.0, 0); }, {0, 0}) == Doubles{1e12, 1e12});
  CHECK(slope([](const Tensor &x) { return hardtanh(x); }, {-1, 0.5, 1}) == Doubles{0, 1, 0});
  CHECK(slope([](const Tensor &x) { return leaky_relu(x, 0.1); }, {0, 2}) == Doubles{0.1, 1});
  CHECK(slope([](const Tensor &x) { return softshrink(x); }, {-0.5, 0.5, 1}) == Doubles{0, 0, 1});
  CHECK(slope([](const Tensor &x) { return hardshrink(x); }, {-0.5, 0.5, 1}) == Doubles{0, 0, 1});
  CHECK(slope([](const Tensor &x) { return logsigmoid(x); }, {0}) == Doubles{0.5});
  CHECK(slope([](const Tensor &x) { return logaddexp(x, 1.0); }, {1, -infinity, infinity}) == Doubles{0.5, 0, 1});
  CHECK(slope([](const Tensor &x) { return xlogy(x, 3.0); }, {0})[0] == Approx(std::log(3)));
  CHECK(slope([](const Tensor &x) { return binary_cross_entropy_with_logits(x, zeros({1}, DType::F64)); }, {0}) ==
        Doubles{0.5});
  // The limit of the variance takes no part in the gradient.
  CHECK(slope(
            [](const Tensor &v) {
              return gaussian_nll_loss(zeros({1}, DType::F64), zeros({1}, DType::F64), v, false, 0.5);
            },
            {0}) == Doubles{1});
}

TEST_CASE("functions: values far out") {
  SpyBackend spy;
  CHECK(doubles(logsigmoid(tensor({-1000.0, 1000.0}))) == Doubles{-1000, 0});
  CHECK(doubles(frac(tensor({-1.25, 2.5}))) == Doubles{-0.25, 0.5});
  CHECK(doubles(lerp(tensor({0.1}), tensor({0.3}), 1.0)) == Doubles{0.3});
  CHECK(doubles(nan_to_num(tensor({infinity, -infinity, std::nan("")}))) ==
        Doubles{std::numeric_limits<double>::max(), std::numeric_limits<double>::lowest(), 0});
  CHECK(nan_to_num(full({}, infinity, DType::BF16)).item<float>() == 0x1.fep127f);
  CHECK(nan_to_num(full({}, infinity, DType::F16)).item<float>() == 65504.f);
  CHECK(softsign(tensor({1e300})).item<double>() == 1);
  CHECK(one_hot(tensor({2, -1}), 2).to_vector<int64_t>() == Longs{0, 0, 0, 0});
  CHECK_FALSE(allclose(tensor({1.0}), tensor({1.1})));
  CHECK_FALSE(equal(tensor({1.0}), tensor({1.0, 1.0})));
  CHECK_FALSE(equal(tensor({std::nan("")}), tensor({std::nan("")})));
}

TEST_CASE("functions: misuse is an error that names the function and the line of the call") {
  SpyBackend spy;
  const Tensor m = zeros({2, 3}), v = zeros({3});
  const std::pair<const char *, std::function<void()>> misuses[] = {
      {"split: ", [&] { m.split(0); }},
      {"split_with_sizes: ", [&] { m.split_with_sizes({1, 2}); }},
      {"chunk: ", [&] { m.chunk(0); }},
      {"tensor_split: ", [&] { m.tensor_split(-1); }},
      {"unbind: ", [&] { tensor(1.0).unbind(); }},
      {"unflatten: ", [&] { m.unflatten(1, {2, -1}); }},
      {"movedim: ", [&] { m.movedim({0, 0}, {0, 1}); }},
      {"repeat: ", [&] { m.repeat(2); }},
      {"repeat_interleave: ", [&] { m.repeat_interleave(-1, 0); }},
      {"roll: ", [&] { m.roll({1, 2}, 0); }},
      {"rot90: ", [&] { v.rot90(); }},
      {"fliplr: ", [&] { v.fliplr(); }},
      {"tril: ", [&] { v.tril(); }},
      {"diagonal: ", [&] { m.diagonal(0, 1, -1); }},
      {"diag: ", [&] { zeros({1, 1, 1}).diag(); }},
      {"diag_embed: ", [&] { v.diag_embed(0, 0, 0); }},
      {"block_diag: ", [&] { block_diag({zeros({1, 1, 1})}); }},
      {"meshgrid: ", [&] { meshgrid({m}); }},
      {"pad: ", [&] { pad(m, {3, 0}, PadMode::Reflect); }},
      {"pad: ", [&] { pad(zeros({0}), {1, 0}, PadMode::Replicate); }},
      {"pixel_shuffle: ", [&] { pixel_shuffle(zeros({3, 2, 2}), 2); }},
      {"pixel_unshuffle: ", [&] { pixel_unshuffle(zeros({3, 3, 2}), 2); }},
      {"channel_shuffle: ", [&] { channel_shuffle(zeros({1, 3}), 2); }},
      {"unfold: ", [&] { v.unfold(0, 4, 1); }},
      {"unfold: ", [&] { unfold(zeros({1, 1, 2, 2}), 3); }},
      {"fold: ", [&] { fold(zeros({1, 4, 3}), 2, 2); }},
      {"select_scatter: ", [&] { m.select_scatter(v, 1, 0); }},
      {"slice_scatter: ", [&] { m.slice_scatter(m, 1, 0, 2); }},
      {"index_copy: ", [&] { m.index_copy(0, tensor({0}), m); }},
      {"index_fill: ", [&] { m.index_fill(0, zeros({1, 1}, DType::I64), 1); }},
      {"searchsorted: ", [&] { searchsorted(m, v); }},
      {"bucketize: ", [&] { bucketize(v, m); }},
      {"one_hot: ", [&] { one_hot(v, 3); }},
      {"vector_norm: ", [&] { vector_norm(v, std::nan("")); }},
      {"diff: ", [&] { v.diff(-1); }},
      {"trapezoid: ", [&] { trapezoid(tensor(1.0)); }},
      {"cov: ", [&] { cov(zeros({1, 1, 1})); }},
      {"histc: ", [&] { histc(v, 3, 1, 1); }},
      {"nanmean: ", [&] { zeros({2}, DType::I64).nanmean(); }},
      {"mv: ", [&] { v.mv(v); }},
      {"outer: ", [&] { outer(m, v); }},
      {"addmm: ", [&] { addmm(m, v, m); }},
      {"addbmm: ", [&] { addbmm(m, m, m); }},
      {"tensordot: ", [&] { tensordot(m, m, 1); }},
      {"tensordot: ", [&] { tensordot(m, m, {0, 1}, {0}); }},
      {"cross: ", [&] { m.cross(m, 0); }},
      {"trace: ", [&] { v.trace(); }},
      {"matrix_power: ", [&] { m.matrix_power(2); }},
      {"matrix_power: ", [&] { zeros({2, 2}).matrix_power(-1); }},
      {"multi_dot: ", [&] { multi_dot({m}); }},
      {"bilinear: ", [&] { bilinear(m, m, zeros({1, 2, 3})); }},
      {"cdist: ", [&] { cdist(m, zeros({2, 2})); }},
      {"pdist: ", [&] { pdist(v); }},
      {"vander: ", [&] { vander(m); }},
      {"renorm: ", [&] { v.renorm(2, 0, 1); }},
      {"einsum: ", [&] { einsum("ij,jk", {m}); }},
      {"einsum: ", [&] { einsum("ij", {v}); }},
      {"einsum: ", [&] { einsum("i->j", {v}); }},
      {"einsum: ", [&] { einsum("i->ii", {v}); }},
      {"einsum: ", [&] { einsum("ii", {m}); }},
      {"einsum: ", [&] { einsum("ij,ji", {m, m}); }},
      {"einsum: ", [&] { einsum("i1", {m}); }},
      {"glu: ", [&] { glu(m); }},
      {"prelu: ", [&] { prelu(m, zeros({2})); }},
      {"hardtanh: ", [&] { hardtanh(m, 1, -1); }},
      {"softshrink: ", [&] { softshrink(m, -1); }},
      {"isclose: ", [&] { isclose(m, m, -1); }},
      {"huber_loss: ", [&] { huber_loss(m, m, Reduction::Mean, 0); }},
      {"smooth_l1_loss: ", [&] { smooth_l1_loss(m, m, Reduction::Mean, -1); }},
      {"multi_margin_loss: ", [&] { multi_margin_loss(m, zeros({2}, DType::I64), 3); }},
      {"gaussian_nll_loss: ", [&] { gaussian_nll_loss(m, m, m, false, 0); }},
      {"cross_entropy: ", [&] { cross_entropy(m, v); }},
      {"nll_loss: ", [&] { nll_loss(m, zeros({2}, DType::I64), zeros({2})); }},
  };
  for (const auto &[prefix, misuse] : misuses)
    checkRefused(prefix, misuse, "FunctionEdgesTest.cpp");
}
