// The meaning of ops on numbers as they are represented, at edges whose right values are known.
#include "Interpret.h"
#include "SpecialValues.h"

#include <cmath>
#include <limits>

using namespace burn;
using namespace burn::ir;
using namespace burn::test;

namespace {

template <typename T> T binary(const std::string &op, const std::string &element, T a, T b) {
  const std::string type = "tensor<" + element + ">";
  Program program(oneOp("burn." + op + " %a, %b : " + type, {type, type}, type));
  return values<T>(program.run({scalar(a), scalar(b)})[0])[0];
}

template <typename T> T unary(const std::string &op, const std::string &element, T x) {
  const std::string type = "tensor<" + element + ">";
  Program program(oneOp("burn." + op + " : " + type, {type}, type));
  return values<T>(program.run({scalar(x)})[0])[0];
}

template <typename To, typename From> To bits(const std::string &from, const std::string &to, From x) {
  Program program(oneOp("burn.bitcast %a : tensor<" + from + "> to tensor<" + to + ">", {"tensor<" + from + ">"},
                        "tensor<" + to + ">"));
  return values<To>(program.run({scalar(x)})[0])[0];
}

} // namespace

TEST_CASE("numbers: remainders of floats") {
  auto floor = [](float a, float b) { return binary<float>("rem floor", "f32", a, b); };
  auto trunc = [](float a, float b) { return binary<float>("rem trunc", "f32", a, b); };
  CHECK(floor(-7, 3) == 2);
  CHECK(floor(7, -3) == -2);
  CHECK(floor(-5.5f, 3) == 0.5f);
  CHECK(trunc(-5.5f, 3) == -2.5f);
  CHECK(trunc(5.5f, -3) == 2.5f);
  CHECK(same(trunc(-6, 3), -0.f));
  CHECK(same(floor(-6, 3), 0.f));
  CHECK(same(floor(6, -3), -0.f));
  CHECK(same(trunc(1, 0), notANumber));
  CHECK(same(floor(infinity, 2), notANumber));
  CHECK(trunc(-3, infinity) == -3);
  CHECK(floor(-3, infinity) == infinity);
  CHECK(floor(3, infinity) == 3);
  // 2^100 mod 3 = 1, and a remainder that is subnormal.
  CHECK(trunc(0x1p100f, 3) == 1);
  CHECK(trunc(0x1.8p-125f, 0x1p-125f) == 0x1p-126f);
  CHECK(trunc(0x1.8p-148f, 0x1p-148f) == 0x1p-149f);
}

TEST_CASE("numbers: remainders and quotients of integers") {
  auto i8 = [](const char *op, int8_t a, int8_t b) { return binary<int8_t>(op, "i8", a, b); };
  CHECK(i8("rem floor", -7, 3) == 2);
  CHECK(i8("rem floor", 7, -3) == -2);
  CHECK(i8("rem floor", -6, 3) == 0);
  CHECK(i8("rem trunc", -7, 3) == -1);
  CHECK(i8("rem trunc", 7, -3) == 1);
  CHECK(i8("rem floor", -128, -1) == 0);
  CHECK(i8("rem trunc", -128, -1) == 0);
  CHECK(i8("rem floor", 5, 0) == 5);
  CHECK(i8("rem trunc", -5, 0) == -5);
  CHECK(i8("floor_div", -7, 2) == -4);
  CHECK(i8("floor_div", 7, -2) == -4);
  CHECK(i8("floor_div", -6, 2) == -3);
  CHECK(i8("floor_div", -128, -1) == -128);
  CHECK(i8("floor_div", 5, 0) == -1);
  // Through floats these were 1 and 55.
  CHECK(binary<int32_t>("floor_div", "i32", 110, 55) == 2);
  CHECK(binary<int32_t>("rem trunc", "i32", 110, 55) == 0);
  CHECK(binary<uint8_t>("rem floor", "ui8", 200, 7) == 4);
  CHECK(binary<uint8_t>("floor_div", "ui8", 200, 0) == 255);
  CHECK(binary<int64_t>("rem floor", "i64", INT64_MIN, INT64_MAX) == INT64_MAX - 1);
}

TEST_CASE("numbers: shifts of any distance") {
  auto i8 = [](const char *op, int8_t a, int8_t b) { return binary<int8_t>(op, "i8", a, b); };
  CHECK(i8("shl", 3, 2) == 12);
  CHECK(i8("shl", 3, 7) == -128);
  CHECK(i8("shl", 3, 8) == 0);
  CHECK(i8("shl", 3, -1) == 0);
  CHECK(i8("shr", -8, 1) == -4);
  CHECK(i8("shr", -8, 100) == -1);
  CHECK(i8("shr", -8, -1) == -1);
  CHECK(i8("shr", 8, 8) == 0);
  CHECK(binary<uint8_t>("shr", "ui8", 200, 1) == 100);
  CHECK(binary<uint8_t>("shr", "ui8", 200, 200) == 0);
  CHECK(binary<uint64_t>("shl", "ui64", 1, 63) == uint64_t(1) << 63);
  CHECK(binary<int64_t>("shr", "i64", INT64_MIN, 63) == -1);
}

TEST_CASE("numbers: bits") {
  CHECK(unary<int8_t>("popcnt %a", "i8", -1) == 8);
  CHECK(unary<int64_t>("popcnt %a", "i64", INT64_MIN) == 1);
  CHECK(unary<uint16_t>("popcnt %a", "ui16", 0x0f0f) == 8);
  CHECK(unary<int8_t>("clz %a", "i8", 0) == 8);
  CHECK(unary<int8_t>("clz %a", "i8", -1) == 0);
  CHECK(unary<uint32_t>("clz %a", "ui32", 1) == 31);
  CHECK(bits<int32_t, float>("f32", "i32", -1.f) == static_cast<int32_t>(0xbf800000));
  CHECK(bits<float, uint32_t>("ui32", "f32", 0x40490fdb) == 3.14159274f);
  CHECK(bits<uint16_t, f16>("f16", "ui16", f16(1.0)) == 0x3c00);
  CHECK(bits<uint16_t, bf16>("bf16", "ui16", bf16(1.0)) == 0x3f80);
  CHECK(bits<int64_t, double>("f64", "i64", -0.0) == INT64_MIN);
  CHECK(bits<int8_t, uint8_t>("ui8", "i8", 200) == -56);
}

TEST_CASE("numbers: signs, classes, parts") {
  auto copysign = [](float a, float b) { return binary<float>("copysign", "f32", a, b); };
  CHECK(same(copysign(3, -0.f), -3.f));
  CHECK(same(copysign(-3, notANumber), 3.f));
  CHECK(same(copysign(-3, -notANumber), 3.f));
  CHECK(same(copysign(0, -1), -0.f));
  auto fmax = [](float a, float b) { return binary<float>("fmax", "f32", a, b); };
  auto fmin = [](float a, float b) { return binary<float>("fmin", "f32", a, b); };
  CHECK(same(fmax(notANumber, -infinity), -infinity));
  CHECK(same(fmax(1, notANumber), 1));
  CHECK(same(fmax(notANumber, notANumber), notANumber));
  CHECK(same(fmax(-0.f, 0.f), 0.f));
  CHECK(same(fmin(0.f, -0.f), -0.f));
  CHECK(same(fmin(notANumber, 2), 2));
  CHECK(same(unary<float>("trunc %a", "f32", -0.5f), -0.f));
  CHECK(unary<float>("trunc %a", "f32", 2.9f) == 2);
  CHECK(same(unary<float>("trunc %a", "f32", -infinity), -infinity));
  auto classes = [](const std::string &op) {
    Program program(oneOp("burn." + op + " %a : tensor<4xf32>", {"tensor<4xf32>"}, "tensor<4xi1>"));
    return values<bool>(program.run({vector<float>({notANumber, infinity, -infinity, 3e38f})})[0]);
  };
  CHECK(classes("is_nan") == std::vector<bool>{true, false, false, false});
  CHECK(classes("is_inf") == std::vector<bool>{false, true, true, false});
  CHECK(classes("is_finite") == std::vector<bool>{false, false, false, true});
}

TEST_CASE("numbers: reduced precision") {
  // 1/7 through f16; 65520 is the least number that f16 rounds to infinity; bf16 keeps the range of f32.
  CHECK(unary<float>("reduce_precision %a {type = f16}", "f32", 1.f / 7) == 0.142822265625f);
  CHECK(unary<float>("reduce_precision %a {type = f16}", "f32", 65519.f) == 65504.f);
  CHECK(unary<float>("reduce_precision %a {type = f16}", "f32", 65520.f) == infinity);
  CHECK(unary<float>("reduce_precision %a {type = bf16}", "f32", 1.00390625f) == 1.f);
  CHECK(unary<float>("reduce_precision %a {type = bf16}", "f32", 1.01171875f) == 1.015625f);
  // Rounded once: through f32 this would tie and go down.
  CHECK(unary<double>("reduce_precision %a {type = bf16}", "f64", 1.00390625 + 0x1p-40) == 1.0078125);
}
