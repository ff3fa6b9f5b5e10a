// Arguments at the ends of their ranges: an error that names the function, or the value that PyTorch (NumPy for
// searchsorted) gives; never a wrapped number, a crash or an endless loop.
#include "test/unit/frontend/Backends.h"

#include <burn/burn.h>

#include <catch2/catch.hpp>

#include <functional>
#include <limits>

using namespace burn;
using burn::test::SpyBackend;

namespace {

using Longs = std::vector<int64_t>;

constexpr int64_t least = std::numeric_limits<int64_t>::min(), most = std::numeric_limits<int64_t>::max();
const double NaN = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();

} // namespace

TEST_CASE("arguments: a number that the type does not hold is an error, never another number") {
  SpyBackend spy;
  const std::pair<const char *, std::function<void()>> misuses[] = {
      {"full: ", [] { full({1}, 1e10, DType::I32); }},
      {"full: ", [] { full({1}, -1.0, DType::U64); }},
      {"full: ", [] { full({1}, 256.0, DType::U8); }},
      {"full: ", [] { full({1}, 9223372036854775808.0, DType::I64); }},
      {"full: ", [] { full({1}, NaN, DType::I32); }},
      {"full: ", [] { full({1}, most, DType::I32); }},
      {"full: ", [] { full({1}, std::numeric_limits<uint64_t>::max(), DType::I64); }},
      {"full: ", [] { quantize_per_tensor(ones({2}), 1, most); }},
      {"pixel_shuffle: ", [] { pixel_shuffle(zeros({1, 4, 2, 2}), int64_t(1) << 33); }},
      {"pixel_unshuffle: ", [] { pixel_unshuffle(zeros({1, 4, 2, 2}), int64_t(1) << 33); }},
      {"diag_embed: ", [] { diag_embed(ones({2}), least); }},
      {"adaptive_avg_pool1d: ", [] { adaptive_avg_pool1d(ones({1, 1, 3}), int64_t(1) << 59); }},
      {"multinomial: ", [] { multinomial(ones({2}), int64_t(1) << 59, true); }},
      {"undefined: ",
       [] { custom_op("undefined", {.decomposition = [](TensorSpan) { return TensorList{Tensor()}; }})({ones({1})}); }},
      {"index_select: ", [] { zeros({3, 0, 2}).index_select(1, tensor({0})); }},
      {"gather: ", [] { zeros({3, 0}).gather(1, zeros({3, 1}, DType::I64)); }},
  };
  for (const auto &[prefix, misuse] : misuses) {
    INFO(prefix);
    try {
      misuse();
      FAIL_CHECK("no error");
    } catch (const Error &error) {
      CHECK(error.code() == ErrorCode::InvalidArgument);
      CHECK(error.message().find(prefix) == 0);
      CHECK(error.file().find("HostileArgumentsTest.cpp") != std::string::npos);
    }
  }
}

TEST_CASE("arguments: numbers at the end of a type's range fit") {
  SpyBackend spy;
  CHECK(full({1}, 255.9, DType::U8).item<int64_t>() == 255);
  CHECK(full({1}, -0.9, DType::U8).item<int64_t>() == 0);
  CHECK(full({1}, -2147483648.0, DType::I32).item<int64_t>() == -2147483648);
  CHECK(full({1}, most, DType::I64).item<int64_t>() == most);
  CHECK(full({1}, -9223372036854775808.0, DType::I64).item<int64_t>() == least);
  const uint64_t all = std::numeric_limits<uint64_t>::max();
  CHECK(full({1}, all, DType::U64).to_vector<uint64_t>() == std::vector<uint64_t>{all});
  CHECK(full({1}, 18446744073709549568.0, DType::U64).to_vector<uint64_t>() == std::vector<uint64_t>{all - 2047});
}

TEST_CASE("arguments: offsets of diagonals") {
  SpyBackend spy;
  CHECK(ones({3, 4}).diagonal(least).shape() == Shape{0});
  CHECK(ones({3, 4}).diagonal(most).shape() == Shape{0});
  CHECK(arange(12).reshape({3, 4}).diagonal(-2).to_vector<int64_t>() == Longs{8});
}

TEST_CASE("arguments: no index picks nothing of nothing") {
  SpyBackend spy;
  const Tensor none = zeros({3, 0, 2}), no = zeros({0}, DType::I64);
  CHECK(none.index_select(1, no).shape() == Shape{3, 0, 2});
  CHECK(none.index({Ellipsis, no, 0}).shape() == Shape{3, 0});
  CHECK(zeros({3, 4}).gather(1, zeros({0, 4}, DType::I64)).shape() == Shape{0, 4});
  CHECK(zeros({3, 4}).take_along_dim(zeros({3, 0}, DType::I64), 1).shape() == Shape{3, 0});
  CHECK(take(zeros({0}), zeros({2, 0}, DType::I64)).shape() == Shape{2, 0});
  CHECK(cummax(zeros({0}), 0).values.shape() == Shape{0});
  CHECK(cummin(none, 1).indices.shape() == Shape{3, 0, 2});
  CHECK(none.median(0).values.shape() == Shape{0, 2});
  Tensor x = zeros({0, 2}, DType::F64);
  x.requires_grad_();
  x.index_select(0, no).sum().backward();
  CHECK(x.grad().shape() == Shape{0, 2});
}

TEST_CASE("arguments: NaN stands behind all numbers in a sorted dimension") {
  SpyBackend spy;
  const Tensor sorted = tensor({1.0, 2.0, infinity, NaN}), values = tensor({NaN, infinity, -infinity, 2.0});
  CHECK(searchsorted(sorted, values).to_vector<int64_t>() == Longs{3, 2, 0, 1});
  CHECK(searchsorted(sorted, values, true).to_vector<int64_t>() == Longs{4, 3, 0, 2});
  CHECK(bucketize(values, tensor({1.0, 2.0, 3.0})).to_vector<int64_t>() == Longs{3, 3, 0, 1});
  CHECK(searchsorted(tensor({1, 2}), values, true).to_vector<int64_t>() == Longs{2, 2, 0, 2});
}

TEST_CASE("arguments: bins of every length") {
  SpyBackend spy;
  for (int64_t size = 1; size <= 12; ++size)
    for (int64_t bins = 1; bins <= 14; ++bins) {
      std::vector<double> greatest;
      for (int64_t bin = 0; bin < bins; ++bin) // the last place of ceil((bin + 1) size / bins)
        greatest.push_back(static_cast<double>(((bin + 1) * size + bins - 1) / bins - 1));
      INFO(size << " elements in " << bins << " bins");
      CHECK(adaptive_max_pool1d(arange(size, DType::F64).reshape({1, 1, size}), bins).to_vector<double>() == greatest);
    }
}
