// Scans, sorting, searching and scatters that reduce: values and gradients by hand.
#include <burn/burn.h>

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>

using namespace burn;

namespace {

using Floats = std::vector<double>;
using Integers = std::vector<int64_t>;

constexpr double infinity = std::numeric_limits<double>::infinity();
const double notANumber = std::numeric_limits<double>::quiet_NaN();

Tensor leaf(const Floats &values) { return tensor(values).requires_grad_(); }
Tensor leaf(const Floats &values, Dims shape) { return tensor(values, shape).requires_grad_(); }
Floats floats(const Tensor &x) { return x.to_vector<double>(); }
Integers integers(const Tensor &x) { return x.to_vector<int64_t>(); }
std::vector<bool> booleans(const Tensor &x) { return x.to_vector<bool>(); }

bool same(const Floats &a, const Floats &b) {
  if (a.size() != b.size())
    return false;
  for (size_t i = 0; i < a.size(); ++i)
    if (!(std::isnan(a[i]) && std::isnan(b[i])) && !(a[i] == b[i]))
      return false;
  return true;
}

bool near(const Floats &a, const Floats &b) {
  if (a.size() != b.size())
    return false;
  for (size_t i = 0; i < a.size(); ++i)
    if (!(std::fabs(a[i] - b[i]) <= 1e-14 * (1 + std::fabs(b[i]))) && a[i] != b[i])
      return false;
  return true;
}

} // namespace

TEST_CASE("cumsum and cumprod: integers, numbers, derivatives with zeros") {
  CHECK(integers(cumsum(tensor<int32_t>({1, 2, 3, 4}, {2, 2}), 0)) == Integers{1, 2, 4, 6});
  CHECK(integers(cumsum(tensor(std::vector<bool>{true, false, true}), -1)) == Integers{1, 1, 2});
  CHECK(cumsum(tensor(5.0), 0).item<double>() == 5);
  CHECK(cumsum(zeros({0, 3}), 0).shape() == Shape{0, 3});
  Tensor x = leaf({2, 0, 3, 4});
  sum(cumprod(x, 0)).backward();
  CHECK(floats(x.grad()) == Floats{1, 32, 0, 0});
  Tensor two = leaf({2, 0, 0, 3});
  sum(cumprod(two, 0)).backward();
  CHECK(floats(two.grad()) == Floats{1, 2, 0, 0});
  CHECK_THROWS_AS(cumsum(x, 1), Error);
}

TEST_CASE("cummax and cummin: the last of equal elements, NaN from the first on") {
  const Extremum most = cummax(tensor<double>({1, 3, 3, notANumber, 5}), 0);
  CHECK(same(floats(most.values), {1, 3, 3, notANumber, notANumber}));
  CHECK(integers(most.indices) == Integers{0, 1, 2, 3, 3});
  const Extremum least = cummin(tensor<int64_t>({3, 1, 2, 1}), 0);
  CHECK(integers(least.values) == Integers{3, 1, 1, 1});
  CHECK(integers(least.indices) == Integers{0, 1, 1, 3});
  CHECK(booleans(cummax(tensor(std::vector<bool>{false, true, false}), 0).values) ==
        std::vector<bool>{false, true, true});
  Tensor x = leaf({1, 5, 2, 7});
  sum(cummax(x, 0).values).backward();
  CHECK(floats(x.grad()) == Floats{1, 2, 0, 1});
}

TEST_CASE("logcumsumexp: no overflow, infinities, derivatives") {
  CHECK(near(floats(logcumsumexp(tensor<double>({0, 0, std::log(2.0)}), 0)), {0, std::log(2.0), std::log(4.0)}));
  CHECK(near(floats(logcumsumexp(tensor<double>({1000, 1000}), 0)), {1000, 1000 + std::log(2.0)}));
  CHECK(near(floats(logcumsumexp(tensor<double>({-infinity, -1000, -1000}), 0)),
             {-infinity, -1000, -1000 + std::log(2.0)}));
  CHECK(floats(logcumsumexp(tensor<double>({0, infinity, 1}), 0)) == Floats{0, infinity, infinity});
  // The last result's derivative is a softmax.
  Tensor x = leaf({0, std::log(3.0)});
  logcumsumexp(x, 0).select(0, 1).backward();
  CHECK(near(floats(x.grad()), {0.25, 0.75}));
}

TEST_CASE("linear_scan and cumulative_trapezoid") {
  CHECK(floats(linear_scan(tensor<double>({2, 2, 2}), tensor<double>({1, 1, 1}), 0)) == Floats{1, 3, 7});
  CHECK(floats(linear_scan(tensor<double>({2, 2, 2}), tensor<double>({1, 1, 1}), 0, true)) == Floats{7, 3, 1});
  CHECK(floats(cumulative_trapezoid(tensor<double>({1, 5, 10}))) == Floats{3, 10.5});
  CHECK(floats(cumulative_trapezoid(tensor<double>({1, 5, 10}), tensor<double>({1, 3, 6}))) == Floats{6, 28.5});
  CHECK(floats(cumulative_trapezoid(tensor<double>({0, 2, 4, 6}, {2, 2}), tensor<double>({0, 2}), 0)) == Floats{4, 8});
}

TEST_CASE("var and std: correction, one element, gradients") {
  CHECK(tensor<double>({1, 2, 3, 6}).var().item<double>() == 14.0 / 3);
  CHECK(std::isnan(tensor<double>({1}).var().item<double>()));
  CHECK_THROWS_AS(tensor<double>({1, 2}).var({}, -1), Error);
  Tensor x = leaf({1, 3});
  x.var().backward();
  CHECK(floats(x.grad()) == Floats{-2, 2});
}

TEST_CASE("sort, argsort, msort: stable, NaN last, gradients return") {
  const Sorted up = sort(tensor<double>({3, notANumber, 1, 3}));
  CHECK(same(floats(up.values), {1, 3, 3, notANumber}));
  CHECK(integers(up.indices) == Integers{2, 0, 3, 1});
  CHECK(integers(argsort(tensor<double>({3, notANumber, 1, 3}), 0, true)) == Integers{1, 0, 3, 2});
  CHECK(floats(msort(tensor<double>({3, 1, 2, 4}, {2, 2}))) == Floats{2, 1, 3, 4});
  CHECK(sort(tensor(2.0)).values.shape() == Shape{});
  Tensor x = leaf({3, 1, 2});
  sum(sort(x).values * tensor<double>({10, 20, 30})).backward();
  CHECK(floats(x.grad()) == Floats{30, 10, 20});
}

TEST_CASE("topk and kthvalue") {
  Tensor x = leaf({1, 5, 3, 5});
  const Sorted two = topk(x, 2);
  CHECK(floats(two.values) == Floats{5, 5});
  CHECK(integers(two.indices) == Integers{1, 3});
  sum(two.values * tensor<double>({2, 7})).backward();
  CHECK(floats(x.grad()) == Floats{0, 2, 0, 7});
  CHECK(integers(topk(tensor<int64_t>({4, 2, 3}), 2, 0, false).values) == Integers{2, 3});
  const Extremum third = kthvalue(tensor<double>({9, 7, 8, 1, 2, 3}, {2, 3}), 2, 1, true);
  CHECK(third.values.shape() == Shape{2, 1});
  CHECK(floats(third.values) == Floats{8, 2});
  CHECK(integers(third.indices) == Integers{2, 1});
  CHECK_THROWS_AS(topk(x, 5), Error);
  CHECK_THROWS_AS(kthvalue(x, 0), Error);
}

TEST_CASE("median and nanmedian") {
  CHECK(median(tensor<double>({4, 1, 3, 2})).item<double>() == 2);
  const Extremum middle = median(tensor<double>({5, notANumber, 1, 3, 2, 4}, {2, 3}), 1);
  CHECK(same(floats(middle.values), {notANumber, 3}));
  CHECK(integers(middle.indices) == Integers{1, 0});
  const Extremum valid = nanmedian(tensor<double>({5, notANumber, 1, notANumber, notANumber, notANumber}, {2, 3}), 1);
  CHECK(same(floats(valid.values), {1, notANumber}));
  CHECK(integers(median(tensor<int64_t>({7, 5, 6}), 0).values) == Integers{6});
  Tensor x = leaf({5, 1, 3});
  median(x).backward();
  CHECK(floats(x.grad()) == Floats{0, 0, 1});
  CHECK_THROWS_AS(median(zeros({0})), Error);
}

TEST_CASE("quantile and nanquantile: every interpolation") {
  using enum QuantileInterpolation;
  const Tensor x = tensor<double>({4, 1, 3, 2});
  const auto at = [&](double q, QuantileInterpolation mode) { return quantile(x, q, {}, false, mode).item<double>(); };
  CHECK(at(0.5, Linear) == 2.5);
  CHECK(at(0.25, Linear) == 1.75);
  CHECK(at(0.4, Lower) == 2);
  CHECK(at(0.4, Higher) == 3);
  CHECK(at(0.4, Nearest) == 2);
  CHECK(at(0.5, Nearest) == 3); // place 1.5: the even one
  CHECK(at(0.4, Midpoint) == 2.5);
  CHECK(at(1, Linear) == 4);
  const Tensor both = quantile(tensor<double>({1, 2, 3, 4, 5, 6}, {2, 3}), std::vector{0.0, 0.75}, 1, true);
  CHECK(both.shape() == Shape{2, 2, 1});
  CHECK(floats(both) == Floats{1, 4, 2.5, 5.5});
  CHECK(std::isnan(quantile(tensor<double>({1, notANumber, 2}), 0.0).item<double>()));
  CHECK(nanquantile(tensor<double>({1, notANumber, 2}), 0.5).item<double>() == 1.5);
  CHECK(std::isnan(nanquantile(tensor<double>({notANumber, notANumber}), 0.5).item<double>()));
  CHECK(quantile(tensor<double>({infinity, infinity}), 0.5).item<double>() == infinity);
  Tensor y = leaf({4, 1, 3, 2});
  quantile(y, 0.25).backward();
  CHECK(floats(y.grad()) == Floats{0, 0.25, 0, 0.75});
  CHECK_THROWS_AS(quantile(x, 1.5), Error);
}

TEST_CASE("nonzero, argwhere and masked_select") {
  const Tensor x = tensor<double>({0, 2, -0.0, notANumber, 0, -1}, {2, 3});
  CHECK(nonzero(x).shape() == Shape{3, 2});
  CHECK(integers(nonzero(x)) == Integers{0, 1, 1, 0, 1, 2});
  CHECK(argwhere(zeros({3, 2})).shape() == Shape{0, 2});
  CHECK(nonzero(tensor(1.0)).shape() == Shape{1, 0});
  Tensor y = leaf({1, 2, 3, 4}, {2, 2});
  const Tensor picked = masked_select(y, tensor(std::vector<bool>{true, false}));
  CHECK(floats(picked) == Floats{1, 3});
  sum(picked * picked).backward();
  CHECK(floats(y.grad()) == Floats{2, 0, 6, 0});
  CHECK(masked_select(y, y.gt(10)).shape() == Shape{0});
}

TEST_CASE("unique, unique_consecutive, isin, bincount") {
  const Unique all = unique(tensor<int64_t>({3, 1, 3, 2, 1, 3}, {2, 3}));
  CHECK(integers(all.values) == Integers{1, 2, 3});
  CHECK(integers(all.inverse) == Integers{2, 0, 2, 1, 0, 2});
  CHECK(all.inverse.shape() == Shape{2, 3});
  CHECK(integers(all.counts) == Integers{2, 1, 3});
  const Unique runs = unique_consecutive(tensor<int64_t>({1, 1, 2, 2, 1}));
  CHECK(integers(runs.values) == Integers{1, 2, 1});
  CHECK(integers(runs.inverse) == Integers{0, 0, 1, 1, 2});
  CHECK(integers(runs.counts) == Integers{2, 2, 1});
  CHECK(unique(zeros({0}, DType::I64)).values.numel() == 0);
  CHECK(unique(tensor<double>({notANumber, notANumber})).values.numel() == 2);
  CHECK(booleans(isin(tensor<int64_t>({1, 2, 3}), tensor<int64_t>({3, 1}))) == std::vector<bool>{true, false, true});
  CHECK(booleans(isin(tensor<int64_t>({1, 2}), tensor<int64_t>({2}), true)) == std::vector<bool>{true, false});
  CHECK(integers(bincount(tensor<int64_t>({1, 3, 1}))) == Integers{0, 2, 0, 1});
  CHECK(floats(bincount(tensor<int64_t>({1, 0, 1}), tensor<double>({0.5, 2, 0.25}), 3)) == Floats{2, 0.75, 0});
  CHECK(bincount(zeros({0}, DType::I64)).shape() == Shape{0});
  CHECK_THROWS_AS(bincount(tensor<int64_t>({-1})), Error);
}

TEST_CASE("scatter_reduce, index_reduce and put") {
  using enum ScatterReduction;
  const Tensor x = tensor<double>({1, 2, 3}), at = tensor<int64_t>({0, 0, 2}), s = tensor<double>({5, 4, 1});
  CHECK(floats(scatter_reduce(x, 0, at, s, Sum)) == Floats{10, 2, 4});
  CHECK(floats(scatter_reduce(x, 0, at, s, Sum, false)) == Floats{9, 2, 1});
  CHECK(floats(scatter_reduce(x, 0, at, s, Prod)) == Floats{20, 2, 3});
  CHECK(floats(scatter_reduce(x, 0, at, s, Prod, false)) == Floats{20, 2, 1});
  CHECK(floats(scatter_reduce(x, 0, at, s, Mean, false)) == Floats{4.5, 2, 1});
  CHECK(floats(scatter_reduce(x, 0, at, s, Mean)) == Floats{10.0 / 3, 2, 2});
  CHECK(floats(scatter_reduce(x, 0, at, s, Amax)) == Floats{5, 2, 3});
  CHECK(floats(scatter_reduce(x, 0, at, s, Amin, false)) == Floats{4, 2, 1});
  CHECK(integers(scatter_reduce(tensor<int64_t>({1, 2}), 0, tensor<int64_t>({0, 0}), tensor<int64_t>({4, 2}), Mean)) ==
        Integers{2, 2});
  CHECK(floats(index_reduce(tensor<double>({1, 2, 3, 4}, {2, 2}), 0, tensor<int64_t>({1, 1}),
                            tensor<double>({5, 1, 2, 9}, {2, 2}), Amax)) == Floats{1, 2, 5, 9});
  CHECK(floats(put(tensor<double>({1, 2, 3, 4}, {2, 2}), tensor<int64_t>({3, 0}), tensor<double>({7, 8}))) ==
        Floats{8, 2, 3, 7});
  CHECK(floats(put(tensor<double>({1, 2}), tensor<int64_t>({1, 1}), tensor<double>({7, 8}), true)) == Floats{1, 17});
  // The product's derivative with a zero among the factors.
  Tensor source = leaf({5, 0, 2});
  sum(scatter_reduce(x, 0, at, source, Prod)).backward();
  CHECK(floats(source.grad()) == Floats{0, 5, 3});
}
