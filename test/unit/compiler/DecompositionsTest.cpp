// The decomposition of each composite against its formula, both evaluated by the interpreter: in f32 within
// the composite's bound, held as double within rounding.
#include "Interpret.h"

#include "dialects/Burn/Interpreter/Bounds.h"
#include "passes/Graph/Passes.h"

#include "mlir/Pass/PassManager.h"

#include <cmath>
#include <random>

using namespace burn;
using namespace burn::ir;
using namespace burn::test;

namespace {

void decompose(Program &program) {
  mlir::PassManager passes(&program.context);
  passes.addNestedPass<mlir::func::FuncOp>(compiler::createDecompose());
  REQUIRE(mlir::succeeded(passes.run(*program.module)));
  program.module->walk([](CompositeOpInterface op) { FAIL("left " << op->getName().getStringRef().str()); });
}

HostTensor random(DType dtype, Shape shape, double scale = 3) {
  std::mt19937_64 generator(shape.numel() + 7);
  std::normal_distribution<double> normal(0, scale);
  HostTensor result(core::TypeDesc{dtype, shape});
  visitDType(dtype, [&]<typename T>(T) {
    if constexpr (!std::is_same_v<T, bool>)
      for (T &element : result.data<T>())
        element = static_cast<T>(normal(generator));
  });
  return result;
}

HostTensor classes(std::vector<int64_t> values, DType dtype) {
  HostTensor result(core::TypeDesc{dtype, Shape{static_cast<int64_t>(values.size())}});
  for (size_t i = 0; i < values.size(); ++i)
    dtype == DType::I32 ? void(result.data<int32_t>()[i] = static_cast<int32_t>(values[i]))
                        : void(result.data<int64_t>()[i] = values[i]);
  return result;
}

// Runs the first op of the function and its decomposition.
void check(const std::string &text, std::vector<HostTensor> arguments) {
  INFO(text);
  Program whole(text), parts(text);
  decompose(parts);
  mlir::Operation &op = whole.function().getBody().front().front();
  std::vector<const HostTensor *> operands;
  for (const HostTensor &argument : arguments)
    operands.push_back(&argument);
  const auto expected = whole.run(arguments), actual = parts.run(arguments);
  const auto words = toAttrWords(&op);
  for (unsigned i = 0; i < expected.size(); ++i) {
    const Comparison own = compareWithinBound(opInfo(&op)->code, operands, words, i, expected[i], actual[i]);
    INFO("result " << i << ": " << own.message);
    CHECK(own);
  }
  // Constants of an f32 program are f32 whatever their values are held in.
  if (expected[0].type.dtype != DType::F64)
    return;
  const auto exact = whole.run(arguments, Precision::Double), held = parts.run(arguments, Precision::Double);
  for (unsigned i = 0; i < exact.size(); ++i) {
    const double tolerance[] = {1e-12};
    const Comparison wide = compareWithin(tolerance, exact[i], held[i]);
    INFO("result " << i << " as double: " << wide.message);
    CHECK(wide);
  }
}

} // namespace

TEST_CASE("decompose: softmax and log_softmax") {
  for (const char *op : {"softmax", "log_softmax"})
    for (auto [element, dtype] : {std::pair{"f32", DType::F32}, {"f64", DType::F64}, {"bf16", DType::BF16}})
      for (auto [shape, dims, axis] :
           {std::tuple{"5x7", Shape{5, 7}, 1}, {"3x1", Shape{3, 1}, 1}, {"4x3x2", Shape{4, 3, 2}, 0}}) {
        const std::string type = "tensor<" + std::string(shape) + "x" + element + ">";
        const std::string text =
            oneOp("burn." + std::string(op) + " %a {axis = " + std::to_string(axis) + "} : " + type, {type}, type);
        if (dtype == DType::BF16) { // in f32, one rounding at the end: the formula's bits
          Program whole(text), parts(text);
          decompose(parts);
          const HostTensor x = random(dtype, dims);
          CHECK(compareExact(whole.run({x})[0], parts.run({x})[0]));
        } else {
          check(text, {random(dtype, dims)});
        }
      }
  // One class has all the probability, one has none.
  check(oneOp("burn.softmax %a {axis = 0} : tensor<3xf32>", {"tensor<3xf32>"}, "tensor<3xf32>"),
        {vector<float>({100, -200, -INFINITY})});
}

TEST_CASE("decompose: cross_entropy") {
  for (const char *reduction : {"none", "mean", "sum"})
    for (const char *smoothing : {"0.0", "0.1"})
      for (bool weighted : {false, true})
        for (auto [index, dtype] : {std::pair{"i64", DType::I64}, {"i32", DType::I32}}) {
          const std::string targets = "tensor<6x" + std::string(index) + ">";
          const DType own = dtype == DType::I32 ? DType::F32 : DType::F64;
          const std::string element = std::string(burn::name(own)) + ">";
          std::vector<std::string> types = {"tensor<6x4x" + element, targets};
          std::vector<HostTensor> arguments = {random(own, {6, 4}), classes({0, 3, 1, -1, 2, 2}, dtype)};
          if (weighted) {
            types.push_back("tensor<4x" + element);
            arguments.push_back(random(own, {4}));
          }
          const std::string result = (std::string(reduction) == "none" ? "tensor<6x" : "tensor<") + element;
          std::string operands = types[0] + ", " + targets + (weighted ? ", " + types[2] : "");
          check(oneOp("burn.cross_entropy " + std::string(reduction) + " %a, %b" + (weighted ? ", %c" : "") +
                          " {axis = 1, ignore_index = -1, label_smoothing = " + smoothing + " : f64} : (" + operands +
                          ") -> " + result,
                      types, result),
                arguments);
        }
  // Logits of more dimensions, an ignore_index beyond i32, a target outside.
  check(oneOp("burn.cross_entropy none %a, %b {axis = 1, ignore_index = 1099511627776, label_smoothing = 0.0 : f64}"
              " : (tensor<2x3x2xf64>, tensor<2x2xi32>) -> tensor<2x2xf64>",
              {"tensor<2x3x2xf64>", "tensor<2x2xi32>"}, "tensor<2x2xf64>"),
        {random(DType::F64, {2, 3, 2}), tensor<int32_t>({0, 2, 3, -1}, {2, 2})});
}

TEST_CASE("decompose: batch_norm") {
  for (auto [x, shape, features, axis] :
       {std::tuple{"4x3x5", Shape{4, 3, 5}, 3, 1}, {"7x2", Shape{7, 2}, 2, 1}, {"2x9", Shape{2, 9}, 2, 0}})
    for (const char *element : {"f32", "f64"}) {
      const DType dtype = element[1] == '3' ? DType::F32 : DType::F64;
      const std::string type = "tensor<" + std::string(x) + "x" + element + ">",
                        feature = "tensor<" + std::to_string(features) + "x" + element + ">";
      const std::string results = type + ", " + feature + ", " + feature;
      check("func.func @main(%a: " + type + ", %b: " + feature + ", %c: " + feature + ") -> (" + results +
                ") {\n  %y, %m, %v = burn.batch_norm %a, %b, %c {feature_dim = " + std::to_string(axis) +
                ", epsilon = 1.0e-5 : f64} : " + type + ", " + feature + "\n  return %y, %m, %v : " + results + "\n}",
            {random(dtype, shape, 50), random(dtype, Shape{features}, 1), random(dtype, Shape{features}, 2)});
    }
}

TEST_CASE("decompose: moments") {
  for (auto [x, shape, kept, dims] :
       {std::tuple{"4x3x5", Shape{4, 3, 5}, "3", "0, 2"}, {"7x2", Shape{7, 2}, "2", "0"}, {"9", Shape{9}, "", "0"}})
    for (const char *element : {"f32", "f64"})
      for (int correction : {0, 1}) {
        const std::string type = "tensor<" + std::string(x) + "x" + element + ">";
        const std::string result = "tensor<" + std::string(kept) + (*kept ? "x" : "") + element + ">";
        check("func.func @main(%a: " + type + ") -> (" + result + ", " + result +
                  ") {\n  %m, %v = burn.moments %a {dims = array<i64: " + dims + ">, correction = " +
                  std::to_string(correction) + "} : " + type + "\n  return %m, %v : " + result + ", " + result + "\n}",
              {random(element[1] == '3' ? DType::F32 : DType::F64, shape, 50)});
      }
}

TEST_CASE("decompose: dropout") {
  for (double rate : {0.0, 0.25, 0.9999, 1.0})
    check(oneOp("burn.dropout %a, %b, %c, %d {ordinal = 3} : tensor<64xf32>",
                {"tensor<64xf32>", "tensor<2xui32>", "tensor<ui64>", "tensor<f64>"}, "tensor<64xf32>"),
          {random(DType::F32, {64}), vector<uint32_t>({5, 6}), scalar<uint64_t>(40), scalar(rate)});
}
