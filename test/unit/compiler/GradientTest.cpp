// Reverse-mode rules: against central differences, a complex step and forward derivatives, once and twice.
#include "Gradients.h"

#include <algorithm>
#include <limits>

using namespace burn;
using namespace burn::test;

TEST_CASE("gradient: every rule against differences, forward derivatives and a complex step") {
  for (const GradientCase &c : gradientCases()) {
    INFO(c.name << "\n" << c.text);
    checkGradient(c);
  }
}

TEST_CASE("gradient: every op that a rule emits has a rule, and every rule has a case") {
  mlir::MLIRContext context;
  context.loadDialect<ir::BurnDialect>();
  std::set<std::string> emitted;
  for (const GradientCase &c : gradientCases())
    collectOps(c, emitted);
  for (mlir::RegisteredOperationName name : context.getRegisteredOperationsByDialect("burn")) {
    const bool hasRule = name.hasInterface<ir::DifferentiableOpInterface>();
    const std::string text = name.getStringRef().str();
    INFO(text);
    // No difference can see stop_gradient: below. Regions, markers and kernels of the host are differentiated in
    // test/autodiff and in the tests of the interface.
    const core::OpInfo &info = *core::findOp(text.substr(5));
    const std::set<std::string> elsewhere{"burn.stop_gradient", "burn.name",  "burn.barrier",
                                          "burn.assert",        "burn.print", "burn.custom_kernel"};
    const bool isElsewhere = info.regions > 0 || elsewhere.contains(text);
    if (hasRule && !isElsewhere)
      CHECK(emitted.contains(text));
  }
  // Results of integers or booleans have no cotangent.
  const std::set<std::string> withoutCotangents{"burn.compare", "burn.and", "burn.or",
                                                "burn.xor",     "burn.not", "burn.is_nan"};
  for (const std::string &text : emitted) {
    // A yield is the end of a rule's own region, not an op of it.
    if (!text.starts_with("burn.") || text == "burn.yield" || withoutCotangents.contains(text))
      continue;
    INFO(text);
    mlir::OperationName name(text, &context);
    // A composite without a rule is decomposed before it is differentiated.
    CHECK((name.hasInterface<ir::DifferentiableOpInterface>() || name.hasInterface<ir::CompositeOpInterface>()));
  }
}

TEST_CASE("gradient: conventions where a function has no derivative") {
  struct Case {
    std::string op;
    std::vector<std::vector<double>> arguments, gradients;
  };
  const double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  for (const Case &c : std::initializer_list<Case>{
           {"relu %a", {{-1, 0, 2}}, {{0, 0, 1}}},
           {"abs %a", {{-1, 0, 2}}, {{-1, 0, 1}}},
           {"stop_gradient %a", {{-1, 0, 2}}, {{0, 0, 0}}},
           {"max %a, %b", {{1, 2, 3}, {2, 2, 2}}, {{0, 1, 1}, {1, 0, 0}}},
           {"min %a, %b", {{1, 2, 3}, {2, 2, 2}}, {{1, 1, 0}, {0, 0, 1}}},
           // 0^0, 0^2, 2^0: b a^(b-1) and a^b log a, with their limits at 0.
           {"pow %a, %b", {{0, 0, 2}, {0, 2, 0}}, {{0, 0, 0}, {0, 0, 0.69314718055994531}}},
           {"clamp %a, %b, %c", {{-2, 0, 2}, {-1, 0, -1}, {1, 1, 2}}, {{0, 1, 1}, {1, 0, 0}, {0, 0, 0}}},
           {"fmax %a, %b", {{2, nan, 1}, {2, 2, nan}}, {{1, 0, 1}, {0, 1, 0}}},
           {"fmin %a, %b", {{2, nan, 1}, {2, 2, nan}}, {{1, 0, 1}, {0, 1, 0}}},
           {"copysign %a, %b", {{-2, 2, 0}, {-0.0, -0.0, 1}}, {{1, -1, 0}, {0, 0, 0}}},
           {"atan2 %a, %b", {{0, 1, 0}, {0, 0, 2}}, {{0, 0, 0.5}, {0, -1, 0}}},
           {"hypot %a, %b", {{0, 3, -4}, {0, 4, 0}}, {{0, 0.6, -1}, {0, 0.8, 0}}},
           // Limits where an operand is infinite.
           {"atan2 %a, %b", {{1, inf, -inf}, {inf, -2, inf}}, {{0, 0, 0}, {0, 0, 0}}},
           {"hypot %a, %b", {{inf, 1, -inf}, {2, inf, 0}}, {{1, 0, -1}, {0, 1, 0}}},
           {"cbrt %a", {{0, 1, -8}}, {{inf, 1.0 / 3, 1.0 / 12}}},
           {"sqrt %a", {{0, 1, 4}}, {{inf, 0.5, 0.25}}}}) {
    INFO(c.op);
    Tensors arguments;
    for (const std::vector<double> &argument : c.arguments)
      arguments.push_back(vector(argument));
    Program program(oneOp("burn." + c.op + " : tensor<3xf64>",
                          std::vector<std::string>(arguments.size(), "tensor<3xf64>"), "tensor<3xf64>"));
    takeGradient(program.function());
    REQUIRE(succeeded(compiler::differentiate(program.function())));
    arguments.push_back(vector<double>({1, 1, 1}));
    Tensors gradients = program.run(arguments);
    REQUIRE(gradients.size() == c.gradients.size());
    for (size_t i = 0; i < gradients.size(); ++i)
      CHECK(values<double>(gradients[i]) == c.gradients[i]);
  }
}

TEST_CASE("gradient: ties of reductions go to the first element, zeros in a product are exact") {
  struct Case {
    std::string op;
    std::vector<double> argument, gradient;
  };
  for (const Case &c : std::initializer_list<Case>{
           {"reduce max", {1, 5, 5, 3}, {0, 1, 0, 0}},
           {"reduce min", {1, 5, 1, 3}, {1, 0, 0, 0}},
           {"reduce prod", {2, 0, 3, 4}, {0, 24, 0, 0}},
           {"reduce prod", {0, 0, 3, 4}, {0, 0, 0, 0}},
       }) {
    INFO(c.op);
    Program program(oneOp("burn." + c.op + " %a {dims = array<i64: 0>} : tensor<4xf64> to tensor<f64>",
                          {"tensor<4xf64>"}, "tensor<f64>"));
    takeGradient(program.function());
    REQUIRE(succeeded(compiler::differentiate(program.function())));
    CHECK(values<double>(program.run({vector(c.argument), scalar(1.0)})[0]) == c.gradient);
  }

  // d2/dx0dx1 of the product of [0, 0, 3] is 3.
  Program program(R"(
    func.func @main(%a: tensor<3xf64>) -> tensor<3xf64> {
      %p = burn.reduce prod %a {dims = array<i64: 0>} : tensor<3xf64> to tensor<f64>
      %g = burn.grad(%p) wrt(%a) : (tensor<f64>, tensor<3xf64>) -> tensor<3xf64>
      %first = burn.slice %g {starts = array<i64: 0>, sizes = array<i64: 1>, strides = array<i64: 1>}
        : tensor<3xf64> to tensor<1xf64>
      %s = burn.reshape %first : tensor<1xf64> to tensor<f64>
      %h = burn.grad(%s) wrt(%a) : (tensor<f64>, tensor<3xf64>) -> tensor<3xf64>
      return %h : tensor<3xf64>
    })");
  REQUIRE(succeeded(compiler::differentiate(program.function())));
  CHECK(values<double>(program.run({vector<double>({0, 0, 3})})[0]) == std::vector<double>{0, 3, 0});
}

TEST_CASE("gradient: duplicate rows, unread elements, windows of padding") {
  // Rows [1, 1] of [3] with cotangents [10, 20] give [0, 30, 0].
  Program gather(oneOp("burn.gather check %a, %b {offset_dims = array<i64>, collapsed_slice_dims = array<i64: 0>, "
                       "operand_batching_dims = array<i64>, start_indices_batching_dims = array<i64>, start_index_map "
                       "= array<i64: 0>, index_vector_dim = 1 : i64, slice_sizes = array<i64: 1>} : tensor<3xf64>, "
                       "tensor<2xi64> to tensor<2xf64>",
                       {"tensor<3xf64>", "tensor<2xi64>"}, "tensor<2xf64>"));
  takeGradient(gather.function());
  REQUIRE(succeeded(compiler::differentiate(gather.function())));
  CHECK(values<double>(gather.run({vector<double>({1, 2, 3}), vector<int64_t>({1, 1}), vector<double>({10, 20})})[0]) ==
        std::vector<double>{0, 30, 0});

  // An update that a later one overwrites has no gradient.
  Program scatter(oneOp("burn.scatter assign check %a, %c, %b {update_window_dims = array<i64>, inserted_window_dims = "
                        "array<i64: 0>, input_batching_dims = array<i64>, scatter_indices_batching_dims = array<i64>, "
                        "scatter_dims_to_operand_dims = array<i64: 0>, index_vector_dim = 1 : i64} : tensor<3xf64>, "
                        "tensor<2xi64>, tensor<2xf64>",
                        {"tensor<3xf64>", "tensor<2xf64>", "tensor<2xi64>"}, "tensor<3xf64>"));
  takeGradient(scatter.function());
  REQUIRE(succeeded(compiler::differentiate(scatter.function())));
  Tensors gradients = scatter.run(
      {vector<double>({1, 2, 3}), vector<double>({4, 5}), vector<int64_t>({1, 1}), vector<double>({10, 20, 30})});
  CHECK(values<double>(gradients[0]) == std::vector<double>{10, 0, 30});
  CHECK(values<double>(gradients[1]) == std::vector<double>{0, 20});

  // A window of padding alone takes nothing; the last element lies in no window.
  Program pool(oneOp("burn.reduce_window max %a {window = array<i64: 2>, strides = array<i64: 2>, pad_low = array<i64: "
                     "2>, pad_high = array<i64: 0>, base_dilation = array<i64: 1>, window_dilation = array<i64: 1>} : "
                     "tensor<5xf64> to tensor<3xf64>",
                     {"tensor<5xf64>"}, "tensor<3xf64>"));
  takeGradient(pool.function());
  REQUIRE(succeeded(compiler::differentiate(pool.function())));
  CHECK(values<double>(pool.run({vector<double>({3, 3, 1, 2, 9}), vector<double>({7, 10, 20})})[0]) ==
        std::vector<double>{10, 0, 0, 20, 0});
}

TEST_CASE("gradient: dropout keeps the mask") {
  Program program(R"(
    func.func @main(%a: tensor<4096xf64>) -> (tensor<4096xf64>, tensor<4096xf64>) {
      %key = burn.constant dense<[7, 11]> : tensor<2xui32>
      %counter = burn.constant dense<5> : tensor<ui64>
      %rate = burn.constant dense<0.5> : tensor<f64>
      %y = burn.dropout %a, %key, %counter, %rate {ordinal = 3} : tensor<4096xf64>
      %g = burn.grad(%y) cotangents(%a) wrt(%a)
        : (tensor<4096xf64>, tensor<4096xf64>, tensor<4096xf64>) -> tensor<4096xf64>
      return %y, %g : tensor<4096xf64>, tensor<4096xf64>
    })");
  REQUIRE(succeeded(compiler::differentiate(program.function())));
  Tensors results = program.run({vector(std::vector<double>(4096, 1.0))});
  CHECK(values<double>(results[0]) == values<double>(results[1]));
  CHECK(std::ranges::count(values<double>(results[0]), 2.0) > 1900);
  CHECK(std::ranges::count(values<double>(results[0]), 0.0) > 1900);
}

TEST_CASE("gradient: many f16 terms are added in f32") {
  // 2048 + 1 + 1 is 2048 in a chain of f16 sums.
  Program program(R"(
    func.func @main(%a: tensor<f16>, %big: tensor<f16>) -> tensor<f16> {
      %p = burn.mul %a, %big : tensor<f16>
      %q = burn.add %p, %a : tensor<f16>
      %r = burn.add %q, %a : tensor<f16>
      %g = burn.grad(%r) wrt(%a) : (tensor<f16>, tensor<f16>) -> tensor<f16>
      return %g : tensor<f16>
    })");
  REQUIRE(succeeded(compiler::differentiate(program.function())));
  Tensors results = program.run({scalar(f16::fromBits(0x3c00)), scalar(f16::fromBits(0x6800))});
  CHECK(results[0].data<uint16_t>()[0] == 0x6801); // 2050
}
