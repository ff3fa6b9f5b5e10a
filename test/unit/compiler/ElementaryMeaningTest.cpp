// The meaning of elementary and special functions, in f64, against figures computed with 60 digits, and their special
// values against ISO C.
#include "Interpret.h"

#include <cmath>
#include <cstring>
#include <limits>

using namespace burn;
using namespace burn::ir;
using namespace burn::test;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
const double notANumber = std::numeric_limits<double>::quiet_NaN();

double valueOf(const std::string &op, const std::string &attributes, std::vector<double> operands) {
  const std::vector<std::string> types(operands.size(), "tensor<f64>");
  Program program(oneOp("burn." + op + (operands.size() == 1 ? " %a" : " %a, %b") + attributes + " : tensor<f64>",
                        types, "tensor<f64>"));
  std::vector<HostTensor> arguments;
  for (double operand : operands)
    arguments.push_back(scalar(operand));
  return values<double>(program.run(arguments)[0])[0];
}

template <typename T> T integerPower(const std::string &element, T x, int64_t exponent) {
  const std::string type = "tensor<" + element + ">";
  Program program(oneOp("burn.powi %a {exponent = " + std::to_string(exponent) + "} : " + type, {type}, type));
  return values<T>(program.run({scalar(x)})[0])[0];
}

// At most one unit in the last place apart.
bool isNext(double actual, double expected) {
  return actual == expected || actual == std::nextafter(expected, infinity) ||
         actual == std::nextafter(expected, -infinity);
}

bool same(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
}

} // namespace

TEST_CASE("elementary functions: figures of 60 digits") {
  struct Case {
    const char *op;
    double x, y;
  };
  for (const Case &c : std::initializer_list<Case>{
           {"sin", 1e-300, 1e-300},
           {"sin", 0.5, 0.479425538604203},
           {"sin", 3.141592653589793, 1.2246467991473532e-16},
           {"sin", 1e+22, -0.8522008497671888},
           {"sin", -7.25, -0.8230808790115055},
           {"cos", 1.5707963267948966, 6.123233995736766e-17},
           {"cos", 1e+22, 0.523214785395139},
           {"cos", -2.5, -0.8011436155469337},
           {"cos", 5.319372648326541e+255, -4.687165924254628e-19},
           {"tan", 1.5707963267948966, 1.633123935319537e+16},
           {"tan", 0.7853981633974483, 0.9999999999999999},
           {"tan", -1000000000000000.0, 1.672414782127583},
           {"asin", 0.5, 0.5235987755982989},
           {"asin", -0.9999999999999999, -1.5707963118937354},
           {"asin", 1e-10, 1e-10},
           {"acos", 0.5, 1.0471975511965979},
           {"acos", 0.9999999999999999, 1.4901161193847656e-08},
           {"acos", -0.25, 1.8234765819369754},
           {"atan", 1.0, 0.7853981633974483},
           {"atan", -1e+300, -1.5707963267948966},
           {"atan", 1e-20, 1e-20},
           {"atan", 0.3, 0.2914567944778671},
           {"sinh", 1e-08, 1e-08},
           {"sinh", -1.0, -1.1752011936438014},
           {"sinh", 710.0, 1.1169973830808555e+308},
           {"cosh", 1e-08, 1.0},
           {"cosh", -1.0, 1.5430806348152437},
           {"cosh", 710.0, 1.1169973830808555e+308},
           {"asinh", 1e-08, 1e-08},
           {"asinh", -1.0, -0.881373587019543},
           {"asinh", 1e+300, 691.4686750787737},
           {"acosh", 1.0000000000000002, 2.1073424255447014e-08},
           {"acosh", 2.0, 1.3169578969248168},
           {"acosh", 1e+300, 691.4686750787737},
           {"atanh", 1e-08, 1e-08},
           {"atanh", -0.5, -0.5493061443340549},
           {"atanh", 0.9999999999999999, 18.714973875118524},
           {"exp2", 0.5, 1.4142135623730951},
           {"exp2", -1073.5, 5e-324},
           {"exp2", 1023.75, 1.5116737128319338e+308},
           {"log2", 3.0, 1.584962500721156},
           {"log2", 5e-324, -1074.0},
           {"log2", 1.0000000000000002, 3.203426503814917e-16},
           {"log10", 2.0, 0.3010299956639812},
           {"log10", 5e-324, -323.3062153431158},
           {"log10", 1.0000000000000002, 9.64327466553287e-17},
           {"cbrt", 2.0, 1.2599210498948732},
           {"cbrt", -5e-324, -1.7031839360032603e-108},
           {"cbrt", 1.7e+308, 5.539658256754465e+102},
           {"erfc", 0.5, 0.4795001221869535},
           {"erfc", -3.0, 1.9999779095030015},
           {"erfc", 26.0, 5.663192408856143e-296},
           {"erfinv", 0.5, 0.4769362762044699},
           {"erfinv", -0.9999999999999999, -5.8635847487551676},
           {"erfinv", 1e-300, 8.86226925452758e-301},
           {"erfinv", 0.999, 2.3267537655135246},
           {"lgamma", 0.5, 0.5723649429247001},
           {"lgamma", 1e-300, 690.7755278982137},
           {"lgamma", 171.5, 709.1431630309282},
           {"lgamma", -0.5, 1.2655121234846454},
           {"lgamma", -10.25, -14.20399790093109},
           {"lgamma", 3.5, 1.2009736023470743},
           {"digamma", 1.0, -0.5772156649015329},
           {"digamma", 0.25, -4.2274535333762655},
           {"digamma", 1e-300, -9.999999999999999e+299},
           {"digamma", 10000000000.0, 23.025850929890456},
           {"digamma", -0.5, 0.03648997397857652},
           {"digamma", -20.75, -0.08514352173418716},
       }) {
    INFO(c.op << "(" << c.x << ")");
    CHECK(isNext(valueOf(c.op, "", {c.x}), c.y));
  }
}

TEST_CASE("elementary functions: polygamma") {
  struct Case {
    int order;
    double x, y;
  };
  for (const Case &c : std::initializer_list<Case>{{1, 1.0, 1.6449340668482264},
                                                   {1, 0.25, 17.19732915450711},
                                                   {1, -0.5, 8.934802200544679},
                                                   {2, 1.0, -2.4041138063191885},
                                                   {2, -1.75, -124.21382135423057},
                                                   // In the middle between poles, where the sides cancel, and beside.
                                                   {4, -2.5, -0.06799599950673137},
                                                   {4, -8388607.5, -1.2116903504194598e-27},
                                                   {2, -3.5 + 0x1p-30, -0.06155663991069683},
                                                   {3, 100.5, 1.9999000087487087e-06},
                                                   {7, 2.5, 3.565236352523131},
                                                   {64, 3.0, -1.2317862271446003e+58},
                                                   {1, 1e10, 1.00000000005e-10},
                                                   {1, -3.0, infinity},
                                                   {2, -3.0, -infinity},
                                                   {1, 0.0, infinity}}) {
    INFO(c.order << ", " << c.x);
    const double actual = valueOf("polygamma", " {n = " + std::to_string(c.order) + "}", {c.x});
    CHECK((same(actual, c.y) || isNext(actual, c.y)));
  }
}

TEST_CASE("elementary functions: special values") {
  struct Case {
    const char *op;
    double x, y;
  };
  for (const Case &c : std::initializer_list<Case>{
           {"sin", -0.0, -0.0},
           {"sin", infinity, notANumber},
           {"cos", infinity, notANumber},
           {"cos", 0.0, 1.0},
           {"tan", -0.0, -0.0},
           {"tan", -infinity, notANumber},
           {"asin", 1.5, notANumber},
           {"asin", -0.0, -0.0},
           {"acos", -1.5, notANumber},
           {"acos", 1.0, 0.0},
           {"atan", -0.0, -0.0},
           {"atan", infinity, 1.5707963267948966},
           {"sinh", -infinity, -infinity},
           {"sinh", -0.0, -0.0},
           {"cosh", -infinity, infinity},
           {"asinh", -0.0, -0.0},
           {"asinh", -infinity, -infinity},
           {"acosh", 0.5, notANumber},
           {"acosh", 1.0, 0.0},
           {"atanh", 1.0, infinity},
           {"atanh", -1.0, -infinity},
           {"atanh", 1.5, notANumber},
           {"exp2", -infinity, 0.0},
           {"exp2", 10.0, 1024.0},
           {"exp2", 1024.0, infinity},
           {"log2", 8.0, 3.0},
           {"log2", 0.0, -infinity},
           {"log2", -1.0, notANumber},
           {"log10", 1000.0, 3.0},
           {"log10", 0.0, -infinity},
           {"log10", -1.0, notANumber},
           {"cbrt", -0.0, -0.0},
           {"cbrt", -27.0, -3.0},
           {"cbrt", -infinity, -infinity},
           {"erfc", infinity, 0.0},
           {"erfc", -infinity, 2.0},
           {"erfinv", 1.0, infinity},
           {"erfinv", -1.0, -infinity},
           {"erfinv", 1.5, notANumber},
           {"erfinv", -0.0, -0.0},
           {"lgamma", 0.0, infinity},
           {"lgamma", -2.0, infinity},
           {"lgamma", -infinity, infinity},
           {"lgamma", 1.0, 0.0},
           {"digamma", 0.0, -infinity},
           {"digamma", -0.0, infinity},
           {"digamma", -2.0, notANumber},
           {"digamma", -infinity, notANumber},
           {"digamma", infinity, infinity},
       }) {
    INFO(c.op << "(" << c.x << ")");
    CHECK(same(valueOf(c.op, "", {c.x}), c.y));
    CHECK(std::isnan(valueOf(c.op, "", {notANumber})));
  }
}

TEST_CASE("elementary functions: angles and lengths") {
  const double pi = 3.141592653589793;
  auto atan2 = [](double y, double x) { return valueOf("atan2", "", {y, x}); };
  CHECK(isNext(atan2(1, -1), 2.356194490192345));
  CHECK(isNext(atan2(3, 1e-10), 1.5707963267615632));
  CHECK(same(atan2(0.0, 0.0), 0.0));
  CHECK(same(atan2(-0.0, 0.0), -0.0));
  CHECK(same(atan2(0.0, -0.0), pi));
  CHECK(same(atan2(-0.0, -1.0), -pi));
  CHECK(same(atan2(infinity, infinity), 0.7853981633974483));
  CHECK(same(atan2(notANumber, 1.0), notANumber));
  auto hypot = [](double a, double b) { return valueOf("hypot", "", {a, b}); };
  CHECK(isNext(hypot(3e200, 4e200), 4.9999999999999995e+200));
  CHECK(hypot(3, -4) == 5);
  CHECK(hypot(1e-320, 1e-320) == 1.414e-320);
  CHECK(same(hypot(-infinity, notANumber), infinity));
  CHECK(same(hypot(notANumber, 1.0), notANumber));
  CHECK(same(hypot(-0.0, 0.0), 0.0));
}

TEST_CASE("elementary functions: integer powers") {
  auto power = [](double x, int64_t n) { return valueOf("powi", " {exponent = " + std::to_string(n) + "}", {x}); };
  CHECK(power(-1.5, 3) == -3.375);
  CHECK(power(2, -3) == 0.125);
  CHECK(power(notANumber, 0) == 1);
  CHECK(same(power(-0.0, 3), -0.0));
  CHECK(same(power(-0.0, -3), -infinity));
  // Whether an exponent is odd counts at any size.
  CHECK(power(-1, INT64_MAX) == -1);
  CHECK(power(-1, INT64_MIN) == 1);
  CHECK(isNext(power(1.0000000000000002, int64_t(1) << 50), 1.2840254166877414));
  CHECK(integerPower<int8_t>("i8", 3, 5) == -13);
  CHECK(integerPower<int32_t>("i32", 0, 0) == 1);
  CHECK(integerPower<uint32_t>("ui32", 3, 20) == 3486784401u);
  // 1 / x^n by integer division, which is total.
  CHECK(integerPower<int32_t>("i32", -1, -3) == -1);
  CHECK(integerPower<int32_t>("i32", 2, -1) == 0);
  CHECK(integerPower<int32_t>("i32", 0, -1) == -1);
  CHECK(integerPower<int8_t>("i8", 16, -2) == -1);
  CHECK(integerPower<uint8_t>("ui8", 1, INT64_MIN) == 1);
}
