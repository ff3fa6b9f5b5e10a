// Arguments at the ends of their ranges: an error that names the function, or the value that PyTorch (NumPy for
// searchsorted) gives; never a wrapped number, a crash or an endless loop.
#include "test/unit/frontend/Backends.h"
#include "test/unit/frontend/Misuse.h"

#include <burn/burn.h>

#include <catch2/catch.hpp>

#include <cmath>
#include <functional>
#include <limits>
#include <sstream>

using namespace burn;
using burn::test::checkRefused;
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
      {"quantize_per_tensor: ", [] { quantize_per_tensor(ones({2}), 1, most); }},
      {"pixel_shuffle: ", [] { pixel_shuffle(zeros({1, 4, 2, 2}), int64_t(1) << 33); }},
      {"pixel_unshuffle: ", [] { pixel_unshuffle(zeros({1, 4, 2, 2}), int64_t(1) << 33); }},
      {"diag_embed: ", [] { diag_embed(ones({2}), least); }},
      {"adaptive_avg_pool1d: ", [] { adaptive_avg_pool1d(ones({1, 1, 3}), int64_t(1) << 59); }},
      {"multinomial: ", [] { multinomial(ones({2}), int64_t(1) << 59, true); }},
      {"undefined: ",
       [] { custom_op("undefined", {.decomposition = [](TensorSpan) { return TensorList{Tensor()}; }})({ones({1})}); }},
      {"bincount: ", [] { bincount(tensor<int64_t>({most})); }},
      {"bincount: ", [] { bincount(tensor<int64_t>({0, most - 1})); }},
      {"bincount: ", [] { bincount(tensor<uint64_t>({0, uint64_t(1) << 63})); }},
      {"bincount: ", [] { bincount(tensor<int64_t>({1}), most); }},
      {"tril_indices: ", [] { tril_indices(most, most, most); }},
      {"triu_indices: ", [] { triu_indices(most, most, least); }},
      {"tensor_split: ", [] { arange(4).tensor_split(int64_t(1) << 40); }},
      {"tensor_split: ", [] { arange(4).tensor_split(most); }},
      {"chunk: ", [] { zeros({0}).chunk(most); }},
      {"split: ", [] { split(zeros({int64_t(1) << 40}), 1); }},
      {"unbind: ", [] { unbind(zeros({int64_t(1) << 40})); }},
      {"histc: ", [] { histc(ones({2}), 3, 0, infinity); }},
      {"histc: ", [] { histc(ones({2}), 3, -infinity, 0); }},
      {"histc: ", [] { histc(ones({2}), 3, -1e308, 1e308); }},
      {"histc: ", [] { histc(ones({2}), 3, 0, NaN); }},
      {"index_select: ", [] { zeros({3, 0, 2}).index_select(1, tensor({0})); }},
      {"gather: ", [] { zeros({3, 0}).gather(1, zeros({3, 1}, DType::I64)); }},
  };
  for (const auto &[prefix, misuse] : misuses)
    checkRefused(prefix, misuse, "HostileArgumentsTest.cpp");
}

TEST_CASE("arguments: errors name what was called and what is wrong") {
  SpyBackend spy;
  const Tensor image = ones({1, 1, 4, 4}), wide = zeros({int64_t(1) << 30, 4});
  const std::pair<std::string, std::function<void()>> misuses[] = {
      {"layer_norm: expects at least one dimension to normalize over, got []", [] { layer_norm(ones({2, 3}), {}); }},
      {"gather: a tensor of rank 0 has no dimension to pick from", [] { ones({}).gather(0, zeros({}, DType::I64)); }},
      {"take_along_dim: a tensor of rank 0 has no dimension to pick from",
       [] { ones({}).take_along_dim(zeros({}, DType::I64), 0); }},
      {"max_pool2d: expects windows, strides and dilations from 1 to 2^40, got 9223372036854775807",
       [&] { max_pool2d(image, 2, Pair(most)); }},
      {"conv2d: expects strides and dilations from 1 to 2^40, got 9223372036854775807",
       [&] { conv2d(image, image, {}, 1, 0, Pair(most)); }},
      // Not the subtraction, comparison or product inside alone.
      {"cdist: sub: the result type f32[1073741824, 1073741824, 4] is too large", [&] { cdist(wide, wide); }},
      {"triu_indices: the result of shape [2, ", [] { triu_indices(int64_t(1) << 40, int64_t(1) << 40); }},
      {"pdist: triu_indices: the result of shape [2, ", [&] { pdist(zeros({int64_t(1) << 31, 2})); }},
      {"one_hot: eq: the result type", [] { one_hot(zeros({int64_t(1) << 30}, DType::I64), int64_t(1) << 31); }},
      {"matrix_norm: the order 1.000000 expects at least one column, got shape [3, 0]",
       [] { matrix_norm(zeros({3, 0}), 1.0); }},
      {"matrix_norm: the order -inf expects at least one row, got shape [2, 0, 3]",
       [] { matrix_norm(zeros({2, 0, 3}), -infinity); }},
      {"Linear: linear: ", [] { nn::Linear(2, 3).forward(ones({2, 5})); }},
  };
  for (const auto &[text, misuse] : misuses)
    checkRefused(text, misuse, "HostileArgumentsTest.cpp");
}

TEST_CASE("arguments: a tensor that is not defined is an error of the function that was called") {
  SpyBackend spy;
  const Tensor x = ones({2});
  Tensor none, some = ones({2});
  const std::pair<const char *, std::function<void()>> misuses[] = {
      {"add: ", [&] { add(none, x); }},
      {"unique: ", [&] { unique(none); }},
      {"unique: ", [&] { unique(none, 0); }},
      {"unique_consecutive: ", [&] { unique_consecutive(none); }},
      {"einsum: ", [&] { einsum("i,i->i", std::vector<Tensor>{x, none}); }},
      {"equal: ", [&] { equal(x, none); }},
      {"equal: ", [&] { equal(none, x); }},
      {"copy_: ", [&] { some.copy_(none); }},
      {"copy_: ", [&] { none.copy_(x); }},
      {"fill_: ", [&] { none.fill_(1); }},
      {"requires_grad_: ", [&] { none.requires_grad_(); }},
      {"size: ", [&] { none.size(0); }},
      {"item: ", [&] { none.item<float>(); }},
      {"to_vector: ", [&] { none.to_vector<float>(); }},
      {"data: ", [&] { none.data(); }},
      {"to: ", [&] { none.to(Device("cpu")); }},
  };
  for (const auto &[prefix, misuse] : misuses)
    checkRefused(prefix, misuse, "HostileArgumentsTest.cpp", "not defined");
}

TEST_CASE("arguments: a stream knows no line of its caller, and names none") {
  SpyBackend spy;
  bool isPrinted = true;
  cond(
      ones({}),
      [&] {
        try {
          std::ostringstream() << ones({2});
        } catch (const Error &error) {
          isPrinted = false;
          CHECK(error.file().empty());
          CHECK(std::string(error.what()).find("Print.cpp") == std::string::npos);
          CHECK(error.message().find("control flow is being recorded") != std::string::npos);
        }
        return TensorList{ones({})};
      },
      [] { return TensorList{zeros({})}; });
  CHECK_FALSE(isPrinted);
}

TEST_CASE("arguments: weights that are no distribution draw classes all the same") {
  SpyBackend spy;
  manual_seed(3);
  const auto drawn = [](std::initializer_list<double> weights) {
    return multinomial(tensor(weights), 4, true).to_vector<int64_t>();
  };
  CHECK(drawn({0, 0, 0}) == Longs(4, 2));
  CHECK(drawn({1, infinity, 1}) == Longs(4, 2));
  CHECK(drawn({1, NaN, 1}) == Longs(4, 0));
  for (int64_t drawnClass : drawn({-1, 3, -1}))
    CHECK((drawnClass >= 0 && drawnClass < 3));
  CHECK(multinomial(tensor({0.0, 1.0, 0.0}), 3).to_vector<int64_t>()[0] == 1);
  CHECK(multinomial(tensor({1.0, NaN, -1.0}), 3).to_vector<int64_t>() == Longs{1, 0, 2});
}

TEST_CASE("arguments: float options that are no numbers to compute with are errors") {
  SpyBackend spy;
  const Tensor x = ones({2, 3}), q = ones({1, 1, 2, 4});
  const auto attention = [&](const AttentionOptions &options) { scaled_dot_product_attention(q, q, q, {}, options); };
  for (const double number : {NaN, infinity, -infinity}) {
    const std::pair<const char *, std::function<void()>> misuses[] = {
        {"scaled_dot_product_attention: ", [&] { attention({.softcap = number}); }},
        {"scaled_dot_product_attention: ", [&] { attention({.scale = number}); }},
        {"softplus: ", [&] { softplus(x, number); }},
        {"elu: ", [&] { elu(x, number); }},
        {"celu: ", [&] { celu(x, number); }},
        {"leaky_relu: ", [&] { leaky_relu(x, number); }},
        {"layer_norm: ", [&] { layer_norm(x, {3}, {}, {}, number); }},
        {"rms_norm: ", [&] { rms_norm(x, {3}, {}, number); }},
        {"group_norm: ", [&] { group_norm(x, 1, {}, {}, number); }},
        {"batch_norm: ", [&] { batch_norm(x, ones({3}), zeros({3}), number); }},
        {"batch_norm_with: ", [&] { batch_norm_with(x, ones({3}), ones({3}), ones({3}), zeros({3}), number); }},
    };
    INFO(number);
    for (const auto &[prefix, misuse] : misuses)
      checkRefused(prefix, misuse, "HostileArgumentsTest.cpp");
  }
  CHECK_THROWS_AS(attention({.softcap = -1}), Error);
  // No product is too large to see: the rectifier bends at every place.
  CHECK(softplus(ones({1}, DType::F64), 1, infinity).item<double>() == Approx(std::log1p(std::exp(1.0))));
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

TEST_CASE("arguments: triangles of every shape have as many indices as elements") {
  SpyBackend spy;
  for (int64_t rows = 0; rows < 5; ++rows)
    for (int64_t columns = 0; columns < 5; ++columns)
      for (int64_t offset : {least, int64_t(-5), int64_t(-2), int64_t(0), int64_t(1), int64_t(4), int64_t(9), most}) {
        Longs lower, upper;
        for (int dim = 0; dim < 2; ++dim)
          for (int64_t row = 0; row < rows; ++row)
            for (int64_t column = 0; column < columns; ++column)
              (__int128(column) - row <= offset ? lower : upper).push_back(dim ? column : row);
        INFO(rows << " rows, " << columns << " columns, offset " << offset);
        CHECK(tril_indices(rows, columns, offset).to_vector<int64_t>() == lower);
        if (offset < most)
          CHECK(triu_indices(rows, columns, offset + 1).to_vector<int64_t>() == upper);
      }
}

TEST_CASE("arguments: rows of a triangle that hold nothing are not walked through") {
  SpyBackend spy;
  constexpr int64_t rows = int64_t(1) << 40, half = int64_t(1) << 62;
  for (const Tensor &empty : {triu_indices(most, 0, 0), tril_indices(most, 0, 0), triu_indices(half, half, half),
                              tril_indices(most, most, least), triu_indices(0, most, least)})
    CHECK(empty.shape() == Shape{2, 0});
  // The last three rows of a tall matrix, the first three of a wide one.
  CHECK(tril_indices(rows, 3, 3 - rows).to_vector<int64_t>() ==
        Longs{rows - 3, rows - 2, rows - 2, rows - 1, rows - 1, rows - 1, 0, 0, 1, 0, 1, 2});
  CHECK(triu_indices(rows, rows, rows - 3).to_vector<int64_t>() ==
        Longs{0, 0, 0, 1, 1, 2, rows - 3, rows - 2, rows - 1, rows - 2, rows - 1, rows - 1});
}

TEST_CASE("arguments: more parts than there are elements") {
  SpyBackend spy;
  for (int64_t chunks : {int64_t(4), int64_t(5), most}) {
    const std::vector<Tensor> parts = arange(4).chunk(chunks);
    REQUIRE(parts.size() == 4);
    for (size_t i = 0; i < 4; ++i)
      CHECK(parts[i].to_vector<int64_t>() == Longs{static_cast<int64_t>(i)});
  }
  CHECK(arange(4).chunk(3).size() == 2);
  const std::vector<Tensor> whole = split(arange(4), most), uneven = split(arange(5), 3), none = split(zeros({0}), 2);
  REQUIRE(whole.size() == 1);
  CHECK(whole[0].to_vector<int64_t>() == Longs{0, 1, 2, 3});
  REQUIRE(uneven.size() == 2);
  CHECK(uneven[0].to_vector<int64_t>() == Longs{0, 1, 2});
  CHECK(uneven[1].to_vector<int64_t>() == Longs{3, 4});
  REQUIRE(none.size() == 1);
  CHECK(none[0].shape() == Shape{0});
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
