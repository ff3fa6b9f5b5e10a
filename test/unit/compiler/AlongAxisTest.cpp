// Scans, sorting and searching by the interpreter against closed forms, and their gradients where elements tie or are
// 0.
#include "Gradients.h"
#include "Interpret.h"

#include <cmath>
#include <limits>

using namespace burn;
using namespace burn::ir;
using namespace burn::test;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
const double notANumber = std::numeric_limits<double>::quiet_NaN();

bool same(const std::vector<double> &a, const std::vector<double> &b) {
  if (a.size() != b.size())
    return false;
  for (size_t i = 0; i < a.size(); ++i)
    if (!(std::isnan(a[i]) && std::isnan(b[i])) && !(a[i] == b[i] && std::signbit(a[i]) == std::signbit(b[i])))
      return false;
  return true;
}

std::string typeOf(size_t size, const char *element) { return "tensor<" + std::to_string(size) + "x" + element + ">"; }

std::vector<double> scanned(const std::string &kind, const std::string &flags, std::vector<double> x) {
  const std::string type = typeOf(x.size(), "f64");
  Program program(oneOp("burn.scan " + kind + " %a {axis = 0, " + flags + "} : " + type, {type}, type));
  return values<double>(program.run({vector(std::move(x))})[0]);
}

// The gradient of the sum of the op's results by its operands.
Tensors gradientsOf(const std::string &op, const std::vector<std::vector<double>> &arguments) {
  Tensors inputs;
  for (const std::vector<double> &argument : arguments)
    inputs.push_back(vector(argument));
  const std::string type = typeOf(arguments[0].size(), "f64");
  Program program(oneOp("burn." + op + " : " + type, std::vector<std::string>(arguments.size(), type), type));
  takeGradient(program.function());
  REQUIRE(succeeded(compiler::differentiate(program.function())));
  inputs.push_back(vector(std::vector<double>(arguments[0].size(), 1)));
  return program.run(inputs);
}

struct Sorted {
  std::vector<double> values;
  std::vector<int64_t> places;
  bool operator==(const Sorted &other) const { return same(values, other.values) && places == other.places; }
};

Sorted sorted(const std::vector<double> &x, bool descending) {
  const std::string type = typeOf(x.size(), "f64"), places = typeOf(x.size(), "i64");
  Program program(
      "func.func @main(%a: " + type + ") -> (" + type + ", " + places + ") {\n%i = burn.iota {dim = 0} : " + places +
      "\n%v, %j = burn.sort %a, %i {axis = 0, descending = " + (descending ? "true" : "false") + "} : (" + type + ", " +
      places + ") -> (" + type + ", " + places + ")\nreturn %v, %j : " + type + ", " + places + "\n}");
  const Tensors results = program.run({vector(x)});
  return {values<double>(results[0]), values<int64_t>(results[1])};
}

Sorted greatest(const std::vector<double> &x, int64_t k, bool largest) {
  const std::string in = typeOf(x.size(), "f64"), out = typeOf(k, "f64"), places = typeOf(k, "i64");
  Program program("func.func @main(%a: " + in + ") -> (" + out + ", " + places +
                  ") {\n%v, %i = burn.topk %a {axis = 0, k = " + std::to_string(k) +
                  ", largest = " + (largest ? "true" : "false") + "} : " + in + " to " + out + ", " + places +
                  "\nreturn %v, %i : " + out + ", " + places + "\n}");
  const Tensors results = program.run({vector(x)});
  return {values<double>(results[0]), values<int64_t>(results[1])};
}

} // namespace

TEST_CASE("scan: inclusive and exclusive, from both ends") {
  using V = std::vector<double>;
  CHECK(scanned("sum", "exclusive = false, reverse = false", {1, 2, 3, 4}) == V{1, 3, 6, 10});
  CHECK(scanned("sum", "exclusive = true, reverse = false", {1, 2, 3, 4}) == V{0, 1, 3, 6});
  CHECK(scanned("sum", "exclusive = false, reverse = true", {1, 2, 3, 4}) == V{10, 9, 7, 4});
  CHECK(scanned("sum", "exclusive = true, reverse = true", {1, 2, 3, 4}) == V{9, 7, 4, 0});
  CHECK(scanned("prod", "exclusive = true, reverse = false", {2, 0, 3, 4}) == V{1, 2, 0, 0});
  CHECK(scanned("max", "exclusive = true, reverse = false", {2, 5, 3}) == V{-infinity, 2, 5});
  CHECK(scanned("min", "exclusive = false, reverse = true", {2, 5, 3}) == V{2, 3, 3});
  CHECK(same(scanned("max", "exclusive = false, reverse = false", {1, notANumber, 7}), {1, notANumber, notANumber}));
  CHECK(same(scanned("min", "exclusive = false, reverse = false", {0.0, -0.0, 0.0}), {0.0, -0.0, -0.0}));
}

TEST_CASE("scan: integers wrap, bf16 is accumulated in f32") {
  Program bytes(oneOp("burn.scan sum %a {axis = 0, exclusive = false, reverse = false} : tensor<3xi8>",
                      {"tensor<3xi8>"}, "tensor<3xi8>"));
  CHECK(values<int8_t>(bytes.run({vector<int8_t>({100, 27, 1})})[0]) == std::vector<int8_t>{100, 127, -128});
  Program least(oneOp("burn.scan max %a {axis = 0, exclusive = true, reverse = false} : tensor<2xi8>", {"tensor<2xi8>"},
                      "tensor<2xi8>"));
  CHECK(values<int8_t>(least.run({vector<int8_t>({5, 1})})[0]) == std::vector<int8_t>{-128, 5});
  // In bf16 the sum of ones would stay at 256.
  Program ones(oneOp("burn.scan sum %a {axis = 0, exclusive = false, reverse = false} : tensor<512xbf16>",
                     {"tensor<512xbf16>"}, "tensor<512xbf16>"));
  CHECK(static_cast<float>(values<bf16>(ones.run({vector(std::vector<bf16>(512, bf16(1.f)))})[0])[511]) == 512);
}

TEST_CASE("linear_scan: powers of two, and the recurrence from the end") {
  const std::string type = "tensor<4xf64>";
  for (const auto &[reverse, expected] : std::initializer_list<std::pair<std::string, std::vector<double>>>{
           {"false", {1, 3, 7, 15}}, {"true", {15, 7, 3, 1}}}) {
    Program program(
        oneOp("burn.linear_scan %a, %b {axis = 0, reverse = " + reverse + "} : " + type, {type, type}, type));
    CHECK(values<double>(program.run({vector<double>({2, 2, 2, 2}), vector<double>({1, 1, 1, 1})})[0]) == expected);
  }
}

TEST_CASE("sort: ties keep their order, zeros are equal, NaN come last") {
  const std::vector<double> x{3, notANumber, -0.0, 0.0, -infinity, 3, infinity, -0.0};
  CHECK(sorted(x, false) == Sorted{{-infinity, -0.0, 0.0, -0.0, 3, 3, infinity, notANumber}, {4, 2, 3, 7, 0, 5, 6, 1}});
  CHECK(sorted(x, true) == Sorted{{notANumber, infinity, 3, 3, -0.0, 0.0, -0.0, -infinity}, {1, 6, 0, 5, 2, 3, 7, 4}});
}

TEST_CASE("topk: the first of equal elements, NaN above all") {
  const std::vector<double> x{1, 5, notANumber, 5, 2};
  CHECK(greatest(x, 3, true) == Sorted{{notANumber, 5, 5}, {2, 1, 3}});
  CHECK(greatest(x, 3, false) == Sorted{{1, 2, 5}, {0, 4, 1}});
}

TEST_CASE("nonzero: in row-major order, the rest is -1, all are counted") {
  for (const auto &[most, expected] : std::initializer_list<std::pair<int64_t, std::vector<int64_t>>>{
           {4, {0, 1, 1, 0, 1, 2, -1, -1}}, {2, {0, 1, 1, 0}}, {0, {}}}) {
    const std::string out = "tensor<" + std::to_string(most) + "x2xi64>";
    Program program("func.func @main(%a: tensor<2x3xf64>) -> (" + out +
                    ", tensor<i64>) {\n%i, %n = burn.nonzero %a {max_count = " + std::to_string(most) +
                    "} : tensor<2x3xf64> to " + out + ", tensor<i64>\nreturn %i, %n : " + out + ", tensor<i64>\n}");
    const Tensors results = program.run({tensor<double>({0, 2, -0.0, notANumber, 0, -1}, Shape{2, 3})});
    CHECK(values<int64_t>(results[0]) == expected);
    CHECK(values<int64_t>(results[1]) == std::vector<int64_t>{3});
  }
}

TEST_CASE("moments: two passes, and no degrees of freedom") {
  const auto moments = [](std::vector<double> x, int64_t correction) {
    const std::string type = typeOf(x.size(), "f64");
    Program program("func.func @main(%a: " + type +
                    ") -> (tensor<f64>, tensor<f64>) {\n%m, %v = burn.moments %a {dims = array<i64: 0>, correction = " +
                    std::to_string(correction) + "} : " + type + "\nreturn %m, %v : tensor<f64>, tensor<f64>\n}");
    const Tensors results = program.run({vector(std::move(x))});
    return std::vector<double>{values<double>(results[0])[0], values<double>(results[1])[0]};
  };
  CHECK(moments({1, 2, 3, 6}, 0) == std::vector<double>{3, 3.5});
  CHECK(moments({1, 2, 3, 6}, 2) == std::vector<double>{3, 7});
  // The sum of squares less the square of the sum would give 0 here.
  CHECK(moments({1e9, 1e9 + 1, 1e9 + 2}, 1) == std::vector<double>{1e9 + 1, 1});
  CHECK(same(moments({5}, 1), {5, notANumber}));
  CHECK(same(moments({1, 3}, 4), {2, infinity}));
  CHECK(same(moments({}, 0), {notANumber, notANumber}));
}

TEST_CASE("gradient: products with zeros, ties of prefix extrema") {
  const std::string prod = "scan prod %a {axis = 0, exclusive = false, reverse = false}";
  CHECK(values<double>(gradientsOf(prod, {{2, 0, 3, 4}})[0]) == std::vector<double>{1, 32, 0, 0});
  CHECK(values<double>(gradientsOf(prod, {{2, 0, 0, 3}})[0]) == std::vector<double>{1, 2, 0, 0});
  // y = 1, 5, 5, 5, 7: the fourth element is the last 5.
  CHECK(values<double>(gradientsOf("scan max %a {axis = 0, exclusive = false, reverse = false}",
                                   {{1, 5, 2, 5, 7}})[0]) == std::vector<double>{1, 2, 0, 1, 1});
  CHECK(values<double>(gradientsOf("scan max %a {axis = 0, exclusive = true, reverse = true}", {{1, 5, 2, 5, 7}})[0]) ==
        std::vector<double>{0, 0, 0, 0, 4});
  // y = x0, a1 x0 + x1, a2 (a1 x0 + x1) + x2.
  const Tensors linear = gradientsOf("linear_scan %a, %b {axis = 0, reverse = false}", {{9, 2, 3}, {5, 7, 11}});
  CHECK(values<double>(linear[0]) == std::vector<double>{0, 5 + 3 * 5, 2 * 5 + 7});
  CHECK(values<double>(linear[1]) == std::vector<double>{1 + 2 + 3 * 2, 1 + 3, 1});
}
