// The interpreter against closed forms and figures from the literature. Golden figures of a named peer
// stand in test/unit/frontend/GoldenTest.cpp.
#include "Interpret.h"
#include "SpecialValues.h"

#include <chrono>
#include <cmath>
#include <limits>
#include <numeric>

using namespace burn;
using namespace burn::ir;
using namespace burn::test;

namespace {

std::vector<float> unaryF32(const std::string &op, std::vector<float> x) {
  const std::string type = "tensor<" + std::to_string(x.size()) + "xf32>";
  Program program(oneOp("burn." + op + " %a : " + type, {type}, type));
  return values<float>(program.run({vector(std::move(x))})[0]);
}

template <typename T>
std::vector<T> binaryOf(const std::string &op, const std::string &element, std::vector<T> x, std::vector<T> y) {
  const std::string type = "tensor<" + std::to_string(x.size()) + "x" + element + ">";
  Program program(oneOp("burn." + op + " %a, %b : " + type, {type, type}, type));
  return values<T>(program.run({vector(std::move(x)), vector(std::move(y))})[0]);
}

template <typename To, typename From>
std::vector<To> converted(const std::string &from, const std::string &to, std::vector<From> x) {
  const std::string shape = "tensor<" + std::to_string(x.size()) + "x";
  Program program(
      oneOp("burn.convert %a : " + shape + from + "> to " + shape + to + ">", {shape + from + ">"}, shape + to + ">"));
  return values<To>(program.run({vector(std::move(x))})[0]);
}

} // namespace

TEST_CASE("interpreter: edges of floating-point unary ops") {
  struct Case {
    const char *op;
    float x, y;
  };
  for (const Case &c : std::initializer_list<Case>{
           {"neg", 0.f, -0.f},
           {"abs", -0.f, 0.f},
           {"sign", -0.f, -0.f},
           {"sign", -3.f, -1.f},
           {"sign", notANumber, notANumber},
           {"exp", -infinity, 0.f},
           {"exp", 89.f, infinity},
           {"exp", 1.f, 2.7182817459106445f},
           {"expm1", 1e-10f, 1e-10f},
           {"log", 0.f, -infinity},
           {"log", -1.f, notANumber},
           {"log1p", 1e-10f, 1e-10f},
           {"log1p", -1.f, -infinity},
           {"sqrt", -0.f, -0.f},
           {"sqrt", 2.f, 1.41421354f},
           {"rsqrt", 0.f, infinity},
           {"rsqrt", -0.f, -infinity},
           {"rsqrt", infinity, 0.f},
           {"tanh", infinity, 1.f},
           {"erf", -infinity, -1.f},
           {"erf", 0.5f, 0.5204998778f},
           {"logistic", -infinity, 0.f},
           {"logistic", 0.f, 0.5f},
           {"relu", notANumber, notANumber},
           {"relu", -0.f, 0.f},
           {"relu", -2.f, 0.f},
           {"floor", -0.5f, -1.f},
           {"ceil", -0.5f, -0.f},
           {"round_even", 2.5f, 2.f},
           {"round_even", -0.5f, -0.f},
           {"round_even", 3.5f, 4.f},
       }) {
    INFO(c.op << "(" << c.x << ")");
    CHECK(same(unaryF32(c.op, {c.x})[0], c.y));
  }
}

TEST_CASE("interpreter: edges of floating-point binary ops") {
  auto f32 = [](const char *op, float a, float b) { return binaryOf<float>(op, "f32", {a}, {b})[0]; };
  CHECK(same(f32("max", -0.f, 0.f), 0.f));
  CHECK(same(f32("min", 0.f, -0.f), -0.f));
  CHECK(same(f32("max", notANumber, 1.f), notANumber));
  CHECK(same(f32("min", 1.f, notANumber), notANumber));
  CHECK(same(f32("mul", infinity, 0.f), notANumber));
  CHECK(same(f32("sub", infinity, infinity), notANumber));
  CHECK(same(f32("div", 1.f, -0.f), -infinity));
  CHECK(same(f32("div", 1.f, 3.f), 0.3333333432674408f));
  CHECK(same(f32("pow", notANumber, 0.f), 1.f));
  CHECK(same(f32("pow", 1.f, notANumber), 1.f));
  CHECK(same(f32("pow", -8.f, 1.f / 3), notANumber));
  CHECK(same(f32("pow", -2.f, 3.f), -8.f));
  // x - (x + 1) for x = 3 is -1 (a reassociation gave 1).
  CHECK(same(f32("sub", 3.f, f32("add", 3.f, 1.f)), -1.f));
}

TEST_CASE("interpreter: integers wrap and division is total") {
  auto i8 = [](const char *op, int8_t a, int8_t b) { return binaryOf<int8_t>(op, "i8", {a}, {b})[0]; };
  CHECK(i8("add", 127, 1) == -128);
  CHECK(i8("mul", 16, 17) == 16);
  CHECK(i8("div", -128, -1) == -128);
  CHECK(i8("div", 5, 0) == -1);
  CHECK(i8("div", -7, 2) == -3);
  CHECK(i8("pow", 3, 5) == static_cast<int8_t>(243));
  CHECK(i8("pow", 2, -1) == 0);
  CHECK(i8("pow", -1, -3) == -1);
  CHECK(binaryOf<uint8_t>("div", "ui8", {200}, {0})[0] == 255);
  CHECK(binaryOf<uint8_t>("max", "ui8", {200}, {100})[0] == 200);
  CHECK(binaryOf<uint8_t>("sub", "ui8", {3}, {5})[0] == 254);
  CHECK(binaryOf<int32_t>("div", "i32", {110}, {55})[0] == 2);
  CHECK(binaryOf<int64_t>("div", "i64", {INT64_MIN}, {-1})[0] == INT64_MIN);
  CHECK(binaryOf<int64_t>("mul", "i64", {INT64_MAX}, {2})[0] == -2);
  CHECK(binaryOf<uint32_t>("xor", "ui32", {0xF0F0F0F0u}, {0xFFFFFFFFu})[0] == 0x0F0F0F0Fu);
}

TEST_CASE("interpreter: conversions") {
  CHECK(converted<int32_t, float>("f32", "i32", {2.9f, -2.9f, 3e9f, -3e9f, notANumber, infinity}) ==
        std::vector<int32_t>{2, -2, INT32_MAX, INT32_MIN, 0, INT32_MAX});
  CHECK(converted<uint8_t, float>("f32", "ui8", {-1.f, 255.9f, 256.f, notANumber}) ==
        std::vector<uint8_t>{0, 255, 255, 0});
  CHECK(converted<int64_t, double>("f64", "i64", {9.3e18, -9.3e18}) == std::vector<int64_t>{INT64_MAX, INT64_MIN});
  CHECK(converted<int8_t, int32_t>("i32", "i8", {200, -129}) == std::vector<int8_t>{-56, 127});
  CHECK(converted<uint8_t, int8_t>("i8", "ui8", {-1}) == std::vector<uint8_t>{255});
  CHECK(converted<float, uint64_t>("ui64", "f32", {UINT64_MAX}) == std::vector<float>{0x1p64f});
  Program fromBool(oneOp("burn.convert %a : tensor<2xi1> to tensor<2xf32>", {"tensor<2xi1>"}, "tensor<2xf32>"));
  CHECK(values<float>(fromBool.run({bools({true, false})})[0]) == std::vector<float>{1, 0});
  // 2^54 + 2^30 + 1: through double the last bit is lost, and f32 would round to even, downwards.
  CHECK(converted<float, int64_t>("i64", "f32", {(int64_t(1) << 54) + (int64_t(1) << 30) + 1}) ==
        std::vector<float>{0x1p54f + 0x1p31f});
  // f32 1/7 through f16 is 0.142822265625.
  auto half = converted<f16, float>("f32", "f16", {1.f / 7});
  CHECK(converted<float, f16>("f16", "f32", half) == std::vector<float>{0.142822265625f});
  Program toBool(oneOp("burn.convert %a : tensor<4xf32> to tensor<4xi1>", {"tensor<4xf32>"}, "tensor<4xi1>"));
  CHECK(values<bool>(toBool.run({vector<float>({0.f, -0.f, notANumber, 0.5f})})[0]) ==
        std::vector<bool>{false, false, true, true});
}

TEST_CASE("interpreter: each op rounds once to its own type") {
  // 2049 is no f16: 2048 + 1 ties to even.
  auto sum = binaryOf<f16>("add", "f16", {f16(2048)}, {f16(1)})[0];
  CHECK(float(sum) == 2048.f);
  auto product = binaryOf<bf16>("mul", "bf16", {bf16(1.0078125)}, {bf16(1.0078125)})[0];
  CHECK(float(product) == 1.015625f);
  Program program(oneOp("burn.reduce sum %a {dims = array<i64: 0>} : tensor<4096xf16> to tensor<f16>",
                        {"tensor<4096xf16>"}, "tensor<f16>"));
  auto total = program.run({vector(std::vector<f16>(4096, f16(1)))})[0];
  CHECK(float(values<f16>(total)[0]) == 4096.f);
}

TEST_CASE("interpreter: data movement") {
  auto run = [](const std::string &op, const std::string &from, const std::string &to, Shape shape) {
    std::vector<int64_t> x(shape.numel());
    std::iota(x.begin(), x.end(), 0);
    Program program(oneOp(op + " : " + from + " to " + to, {from}, to));
    return values<int64_t>(program.run({tensor(x, shape)})[0]);
  };
  using V = std::vector<int64_t>;
  CHECK(run("burn.transpose %a {perm = array<i64: 2, 0, 1>}", "tensor<2x2x3xi64>", "tensor<3x2x2xi64>", {2, 2, 3}) ==
        V{0, 3, 6, 9, 1, 4, 7, 10, 2, 5, 8, 11});
  CHECK(run("burn.broadcast %a {dims = array<i64: 0, 2>}", "tensor<2x1xi64>", "tensor<2x2x3xi64>", {2, 1}) ==
        V{0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1});
  CHECK(run("burn.slice %a {starts = array<i64: 1, 0>, sizes = array<i64: 2, 2>, strides = array<i64: 1, 2>}",
            "tensor<3x4xi64>", "tensor<2x2xi64>", {3, 4}) == V{4, 6, 8, 10});
  Program pad(oneOp("burn.pad %a, %b {low = array<i64: 1>, high = array<i64: -1>, interior = array<i64: 1>}"
                    " : tensor<3xi64>, tensor<i64> to tensor<5xi64>",
                    {"tensor<3xi64>", "tensor<i64>"}, "tensor<5xi64>"));
  CHECK(values<int64_t>(pad.run({vector<int64_t>({1, 2, 3}), scalar<int64_t>(9)})[0]) == V{9, 1, 9, 2, 9});
  Program update(oneOp("burn.slice_update %a, %b {starts = array<i64: 0, 1>} : tensor<2x3xi64>, tensor<2x1xi64>",
                       {"tensor<2x3xi64>", "tensor<2x1xi64>"}, "tensor<2x3xi64>"));
  CHECK(values<int64_t>(update.run({tensor<int64_t>({0, 1, 2, 3, 4, 5}, {2, 3}),
                                    tensor<int64_t>({-1, -2}, {2, 1})})[0]) == V{0, -1, 2, 3, -2, 5});
  Program concat(oneOp("burn.concat %a, %b {axis = 1} : (tensor<2x1xi64>, tensor<2x2xi64>) -> tensor<2x3xi64>",
                       {"tensor<2x1xi64>", "tensor<2x2xi64>"}, "tensor<2x3xi64>"));
  CHECK(values<int64_t>(concat.run({tensor<int64_t>({1, 2}, {2, 1}), tensor<int64_t>({3, 4, 5, 6}, {2, 2})})[0]) ==
        V{1, 3, 4, 2, 5, 6});
  Program reverse(
      oneOp("burn.reverse %a {dims = array<i64: 0>} : tensor<2x2xi64>", {"tensor<2x2xi64>"}, "tensor<2x2xi64>"));
  CHECK(values<int64_t>(reverse.run({tensor<int64_t>({1, 2, 3, 4}, {2, 2})})[0]) == V{3, 4, 1, 2});
  Program iota("func.func @main() -> tensor<2x3xi64> {\n  %i = burn.iota {dim = 1} : tensor<2x3xi64>\n"
               "  return %i : tensor<2x3xi64>\n}");
  CHECK(values<int64_t>(iota.run({})[0]) == V{0, 1, 2, 0, 1, 2});
}

TEST_CASE("interpreter: extrema and their places") {
  auto arg = [](const std::string &kind, std::vector<float> x) {
    const std::string type = "tensor<" + std::to_string(x.size()) + "xf32>";
    Program program("func.func @main(%a: " + type +
                    ") -> (tensor<f32>, tensor<i64>) {\n  %v, %i = "
                    "burn.arg_reduce " +
                    kind + " %a {axis = 0} : " + type +
                    " to tensor<f32>, tensor<i64>\n  return %v, %i : tensor<f32>, tensor<i64>\n}");
    return values<int64_t>(program.run({vector(std::move(x))})[1])[0];
  };
  CHECK(arg("max", {1, 5, 5, 3}) == 1);
  CHECK(arg("max", {notANumber, 4.6f}) == 0);
  CHECK(arg("min", {2.f, notANumber, notANumber}) == 1);
  CHECK(arg("max", {-infinity, -infinity}) == 0);
  Program anyOf(
      oneOp("burn.reduce max %a {dims = array<i64: 0>} : tensor<2xi1> to tensor<i1>", {"tensor<2xi1>"}, "tensor<i1>"));
  CHECK(values<bool>(anyOf.run({bools({false, true})})[0]) == std::vector<bool>{true});
  // The empty reduction is the combiner's identity.
  Program least(
      oneOp("burn.reduce max %a {dims = array<i64: 0>} : tensor<0xi8> to tensor<i8>", {"tensor<0xi8>"}, "tensor<i8>"));
  CHECK(values<int8_t>(least.run({vector<int8_t>({})})[0]) == std::vector<int8_t>{-128});
}

TEST_CASE("interpreter: reduce xor is the parity of each bit") {
  Program bytes(oneOp("burn.reduce xor %a {dims = array<i64: 0>} : tensor<3xui8> to tensor<ui8>", {"tensor<3xui8>"},
                      "tensor<ui8>"));
  CHECK(values<uint8_t>(bytes.run({vector<uint8_t>({0xf0, 0x3c, 0x81})})[0]) == std::vector<uint8_t>{0x4d});
  Program parity(
      oneOp("burn.reduce xor %a {dims = array<i64: 0>} : tensor<3xi1> to tensor<i1>", {"tensor<3xi1>"}, "tensor<i1>"));
  CHECK(values<bool>(parity.run({bools({true, true, true})})[0]) == std::vector<bool>{true});
  Program none(oneOp("burn.reduce xor %a {dims = array<i64: 0>} : tensor<0xi32> to tensor<i32>", {"tensor<0xi32>"},
                     "tensor<i32>"));
  CHECK(values<int32_t>(none.run({vector<int32_t>({})})[0]) == std::vector<int32_t>{0});
}

namespace {

std::string gatherRows(const std::string &mode) {
  return oneOp("burn.gather " + mode + R"( %a, %b {offset_dims = array<i64: 1>,
      collapsed_slice_dims = array<i64: 0>, operand_batching_dims = array<i64>,
      start_indices_batching_dims = array<i64>, start_index_map = array<i64: 0>,
      index_vector_dim = 1 : i64, slice_sizes = array<i64: 1, 2>}
      : tensor<3x2xf32>, tensor<3xi64> to tensor<3x2xf32>)",
               {"tensor<3x2xf32>", "tensor<3xi64>"}, "tensor<3x2xf32>");
}

std::string scatterRows(const std::string &combiner, const std::string &mode) {
  return oneOp("burn.scatter " + combiner + " " + mode + R"( %a, %b, %c {
      update_window_dims = array<i64>, inserted_window_dims = array<i64: 0>,
      input_batching_dims = array<i64>, scatter_indices_batching_dims = array<i64>,
      scatter_dims_to_operand_dims = array<i64: 0>, index_vector_dim = 1 : i64}
      : tensor<3xf32>, tensor<2xi32>, tensor<2xf32>)",
               {"tensor<3xf32>", "tensor<2xi32>", "tensor<2xf32>"}, "tensor<3xf32>");
}

} // namespace

TEST_CASE("interpreter: gather and scatter, and indices outside") {
  using V = std::vector<float>;
  const HostTensor table = tensor<float>({1, 2, 3, 4, 5, 6}, {3, 2});
  const HostTensor inside = vector<int64_t>({2, 0, 2}), outside = vector<int64_t>({3, 0, -1});
  CHECK(values<float>(Program(gatherRows("check")).run({table, inside})[0]) == V{5, 6, 1, 2, 5, 6});
  CHECK(values<float>(Program(gatherRows("clip")).run({table, outside})[0]) == V{5, 6, 1, 2, 1, 2});
  CHECK(values<float>(Program(gatherRows("fill")).run({table, outside})[0]) == V{0, 0, 1, 2, 0, 0});
  auto failed = Program(gatherRows("check")).tryRun({table, outside});
  REQUIRE(!failed);
  CHECK(failed.status().code() == core::ErrorCode::OutOfRange);
  CHECK(failed.status().message() == "burn.gather: index 3 is outside [0, 2] in dimension 0 of [3, 2]");

  // select rows [1, 1] of [3], upstream [10, 20] -> [0, 30, 0]
  const HostTensor twice = vector<int32_t>({1, 1});
  const HostTensor updates = vector<float>({10, 20});
  CHECK(values<float>(Program(scatterRows("add", "check")).run({vector<float>({0, 0, 0}), twice, updates})[0]) ==
        V{0, 30, 0});
  CHECK(values<float>(Program(scatterRows("assign", "check")).run({vector<float>({0, 0, 0}), twice, updates})[0]) ==
        V{0, 20, 0});
  CHECK(values<float>(Program(scatterRows("max", "clip"))
                          .run({vector<float>({1, 2, 30}), vector<int32_t>({7, 0}), updates})[0]) == V{20, 2, 30});
  CHECK(!Program(scatterRows("add", "check")).tryRun({vector<float>({0, 0, 0}), vector<int32_t>({0, 3}), updates}));
}

TEST_CASE("interpreter: contractions") {
  // A batched product by hand, the contraction first on the left and last on the right.
  Program dot(oneOp(R"(burn.dot_general %a, %b {lhs_batch = array<i64: 1>, rhs_batch = array<i64: 0>,
      lhs_contract = array<i64: 0>, rhs_contract = array<i64: 2>}
      : tensor<2x2x1xi32>, tensor<2x3x2xi32> to tensor<2x1x3xi32>)",
                    {"tensor<2x2x1xi32>", "tensor<2x3x2xi32>"}, "tensor<2x1x3xi32>"));
  // a[k][batch] = {{1, 2}, {3, 4}}; b[batch][n][k]
  CHECK(values<int32_t>(dot.run({tensor<int32_t>({1, 2, 3, 4}, {2, 2, 1}),
                                 tensor<int32_t>({1, 0, 0, 1, 1, 1, 1, 0, 0, 1, 1, 1}, {2, 3, 2})})[0]) ==
        std::vector<int32_t>{1, 3, 4, 2, 4, 6});

  auto conv = [](const std::string &numbers, const std::string &x, const std::string &w, const std::string &y) {
    return oneOp("burn.conv %a, %b {lhs_dims = array<i64: 0, 1, 2>, rhs_dims = array<i64: 0, 1, 2>, "
                 "out_dims = array<i64: 0, 1, 2>, " +
                     numbers + "} : " + x + ", " + w + " to " + y,
                 {x, w}, y);
  };
  // Input 1 2 3 dilated to 1 0 2 0 3, padded by 1 in front and cropped by 1 behind: 0 1 0 2 0.
  Program dilated(conv("strides = array<i64: 1>, pad_low = array<i64: 1>, pad_high = array<i64: -1>, "
                       "lhs_dilation = array<i64: 2>, rhs_dilation = array<i64: 2>, feature_groups = 1, "
                       "batch_groups = 1",
                       "tensor<1x1x3xi32>", "tensor<1x1x2xi32>", "tensor<1x1x3xi32>"));
  CHECK(values<int32_t>(dilated.run({tensor<int32_t>({1, 2, 3}, {1, 1, 3}), tensor<int32_t>({10, 1}, {1, 1, 2})})[0]) ==
        std::vector<int32_t>{0, 12, 0});
  Program featureGroups(conv("strides = array<i64: 1>, pad_low = array<i64: 0>, pad_high = array<i64: 0>, "
                             "lhs_dilation = array<i64: 1>, rhs_dilation = array<i64: 1>, feature_groups = 2, "
                             "batch_groups = 1",
                             "tensor<1x2x2xi32>", "tensor<4x1x1xi32>", "tensor<1x4x2xi32>"));
  CHECK(values<int32_t>(featureGroups.run(
            {tensor<int32_t>({1, 2, 3, 4}, {1, 2, 2}), tensor<int32_t>({1, 10, 1, 10}, {4, 1, 1})})[0]) ==
        std::vector<int32_t>{1, 2, 10, 20, 3, 4, 30, 40});
  Program batchGroups(conv("strides = array<i64: 1>, pad_low = array<i64: 0>, pad_high = array<i64: 0>, "
                           "lhs_dilation = array<i64: 1>, rhs_dilation = array<i64: 1>, feature_groups = 1, "
                           "batch_groups = 2",
                           "tensor<2x1x2xi32>", "tensor<2x1x1xi32>", "tensor<1x2x2xi32>"));
  CHECK(values<int32_t>(
            batchGroups.run({tensor<int32_t>({1, 2, 3, 4}, {2, 1, 2}), tensor<int32_t>({1, 10}, {2, 1, 1})})[0]) ==
        std::vector<int32_t>{1, 2, 30, 40});
}

TEST_CASE("interpreter: windows") {
  Program sum(oneOp(R"(burn.reduce_window sum %a {window = array<i64: 2>, strides = array<i64: 1>,
      pad_low = array<i64: 1>, pad_high = array<i64: 1>, base_dilation = array<i64: 2>,
      window_dilation = array<i64: 2>} : tensor<3xi64> to tensor<5xi64>)",
                    {"tensor<3xi64>"}, "tensor<5xi64>"));
  // Dilated and padded: 0 1 0 2 0 3 0; a window takes places p and p + 2.
  CHECK(values<int64_t>(sum.run({vector<int64_t>({1, 2, 3})})[0]) == std::vector<int64_t>{0, 3, 0, 5, 0});
  Program arg(R"(func.func @main(%a: tensor<1x4xf32>) -> (tensor<1x3xf32>, tensor<1x3xi64>) {
    %v, %i = burn.arg_reduce_window max %a {window = array<i64: 1, 2>, strides = array<i64: 1, 2>,
        pad_low = array<i64: 0, 2>, pad_high = array<i64: 0, 0>, window_dilation = array<i64: 1, 1>,
        index_dims = array<i64: 1>} : tensor<1x4xf32> to tensor<1x3xf32>, tensor<1x3xi64>
    return %v, %i : tensor<1x3xf32>, tensor<1x3xi64>
  })");
  auto results = arg.run({tensor<float>({5, 5, notANumber, 7}, {1, 4})});
  CHECK(values<int64_t>(results[1]) == std::vector<int64_t>{-1, 0, 2});
  CHECK(same(values<float>(results[0])[0], -infinity));
  CHECK(same(values<float>(results[0])[2], notANumber));
}

TEST_CASE("interpreter: random bits are Philox4x32-10 of key, call and index") {
  Program program(R"(func.func @main(%k: tensor<2xui32>, %c: tensor<ui64>) -> (tensor<4xui32>, tensor<2xui64>) {
    %a = burn.rng_bits %k, %c {ordinal = 0} : tensor<4xui32>
    %b = burn.rng_bits %k, %c {ordinal = 0} : tensor<2xui64>
    return %a, %b : tensor<4xui32>, tensor<2xui64>
  })");
  // Random123's known answer for key 0, counter 0.
  auto results = program.run({vector<uint32_t>({0, 0}), scalar<uint64_t>(0)});
  CHECK(values<uint32_t>(results[0]) == std::vector<uint32_t>{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  CHECK(values<uint64_t>(results[1]) == std::vector<uint64_t>{0xe169c58d6627e8d5, 0x9b00dbd8bc57ac4c});
}

TEST_CASE("interpreter: dropout keeps by the bits and scales") {
  Program program(oneOp("burn.dropout %a, %b, %c, %d {ordinal = 0} : tensor<4xf32>",
                        {"tensor<4xf32>", "tensor<2xui32>", "tensor<ui64>", "tensor<f64>"}, "tensor<4xf32>"));
  const HostTensor ones = vector<float>({1, 1, 1, 1}), key = vector<uint32_t>({0, 0}), counter = scalar<uint64_t>(0);
  // 0x6627e8d5 / 2^32 is 0.399, the others are 0.88, 0.736 and 0.606.
  CHECK(values<float>(program.run({ones, key, counter, scalar(0.5)})[0]) == std::vector<float>{2, 0, 0, 0});
  CHECK(values<float>(program.run({ones, key, counter, scalar(0.25)})[0]) ==
        std::vector<float>{1 / 0.75f, 0, 1 / 0.75f, 1 / 0.75f});
  CHECK(values<float>(program.run({ones, key, counter, scalar(0.0)})[0]) == std::vector<float>{1, 1, 1, 1});
  CHECK(values<float>(program.run({ones, key, counter, scalar(1.0)})[0]) == std::vector<float>{0, 0, 0, 0});
}

TEST_CASE("interpreter: a target outside the classes is no number, an ignored one is no example") {
  Program program(oneOp("burn.cross_entropy mean %a, %b {axis = 1, ignore_index = -100, label_smoothing = 0.0 : f64}"
                        " : (tensor<2x2xf64>, tensor<2xi64>) -> tensor<f64>",
                        {"tensor<2x2xf64>", "tensor<2xi64>"}, "tensor<f64>"));
  const HostTensor logits = tensor<double>({0, 0, 1, 1}, {2, 2});
  CHECK(values<double>(program.run({logits, vector<int64_t>({1, -100})})[0])[0] == Approx(std::log(2.)).epsilon(1e-15));
  CHECK(std::isnan(values<double>(program.run({logits, vector<int64_t>({1, 2})})[0])[0]));
}

TEST_CASE("interpreter: fused regions, observers and refusals") {
  Program fused(R"(func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
    %r = burn.fused elementwise (%a, %a) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32> {
    ^bb0(%x: tensor<2xf32>, %y: tensor<2xf32>):
      %s = burn.add %x, %y : tensor<2xf32>
      %c = burn.constant dense<0.5> : tensor<2xf32>
      %t = burn.mul %s, %c : tensor<2xf32>
      burn.yield %t : tensor<2xf32>
    }
    return %r : tensor<2xf32>
  })");
  InterpreterOptions options;
  std::vector<std::string> seen;
  options.observer = [&](mlir::Operation *op, auto operands, auto results) {
    seen.push_back(op->getName().stripDialect().str());
    CHECK(operands.size() == op->getNumOperands());
    CHECK(results.size() == op->getNumResults());
    return core::Status::ok();
  };
  const std::vector<HostTensor> arguments = {vector<float>({1, 2})};
  auto results = interpret(fused.function(), arguments, options);
  REQUIRE(results);
  CHECK(values<float>((*results)[0]) == std::vector<float>{1, 2});
  CHECK(seen == std::vector<std::string>{"add", "constant", "mul", "fused"});

  Program grad(R"(func.func @main(%a: tensor<f32>) -> tensor<f32> {
    %g = burn.grad(%a) wrt(%a) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    return %g : tensor<f32>
  })");
  CHECK(grad.tryRun({scalar(1.f)}).status().message() ==
        "function 'main' holds burn.grad: it must be differentiated before it is run");
  CHECK(fused.tryRun({scalar(1.f)}).status().message() == "argument 0 of function 'main' is f32[2], got f32[]");
  CHECK(fused.tryRun({}).status().message() == "function 'main' takes 1 arguments, got 0");
}

TEST_CASE("interpreter: held as double, nothing is rounded between ops") {
  Program program(R"(func.func @main(%a: tensor<f32>) -> tensor<f32> {
    %h = burn.convert %a : tensor<f32> to tensor<f16>
    %e = burn.exp %h : tensor<f16>
    %r = burn.convert %e : tensor<f16> to tensor<f32>
    return %r : tensor<f32>
  })");
  auto results = program.run({scalar(0.1f)}, Precision::Double);
  CHECK(values<double>(results[0])[0] == std::exp(static_cast<double>(0.1f)));
}

TEST_CASE("interpreter: derivatives by a complex step") {
  struct Case {
    const char *op;
    double x, slope;
  };
  for (const Case &c : std::initializer_list<Case>{
           {"neg", 0.3, -1},
           {"abs", -0.3, -1},
           {"abs", 0, 0},
           {"exp", 0.3, std::exp(0.3)},
           {"expm1", 1e-3, std::exp(1e-3)},
           {"log", 0.3, 1 / 0.3},
           {"log1p", -0.4, 1 / 0.6},
           {"sqrt", 0.3, 0.5 / std::sqrt(0.3)},
           {"rsqrt", 0.3, -0.5 * std::pow(0.3, -1.5)},
           {"tanh", 0.3, 1 - std::tanh(0.3) * std::tanh(0.3)},
           {"erf", 0.3, 2 / std::sqrt(M_PI) * std::exp(-0.09)},
           {"logistic", 0.3, 1 / (2 + std::exp(0.3) + std::exp(-0.3))},
           {"relu", 0.3, 1},
           {"relu", 0, 0},
           {"floor", 0.3, 0},
           {"gelu none", 0.3, 0.5 * (1 + std::erf(0.3 / M_SQRT2)) + 0.3 * std::exp(-0.045) / std::sqrt(2 * M_PI)},
       }) {
    INFO(c.op << " at " << c.x);
    Program program(oneOp("burn." + std::string(c.op) + " %a : tensor<f64>", {"tensor<f64>"}, "tensor<f64>"));
    constexpr double h = 1e-30;
    HostTensor x(core::TypeDesc{DType::F64, Shape{}}, true);
    x.data<std::complex<double>>()[0] = {c.x, h};
    auto results = program.run({x}, Precision::ComplexStep);
    CHECK(results[0].data<std::complex<double>>()[0].imag() / h == Approx(c.slope).epsilon(1e-14));
  }
}
