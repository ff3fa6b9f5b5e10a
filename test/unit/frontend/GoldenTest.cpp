// Functions and their gradients against the figures of PyTorch in test/data/tensor_functions.json: by the reference
// interpreter, and compiled in two types.
#include "test/unit/frontend/Backends.h"
#include "test/unit/frontend/GoldenFunctions.h"

#include <set>

using namespace burn;
using nlohmann::json;

namespace {

const json &figures() {
  static const json all = golden::load("tensor_functions.json");
  return all;
}

double trigamma(double x) {
  double sum = 0;
  for (; x < 60; ++x)
    sum += 1 / (x * x);
  const double square = 1 / (x * x);
  return sum + (1 + 1 / (2 * x) + square * (1. / 6 - square * (1. / 30 - square * (1. / 42 - square / 30)))) / x;
}

// The gradient of x of a case. Three reverse rules of PyTorch round to less than f64: hardsigmoid takes 1/6 and celu
// takes 1/alpha from f32, digamma cuts the series of its derivative off. Their derivatives stand here instead.
json gradientOf(const json &test, const std::string &name) {
  json gradient = test["grads"][name];
  const std::string op = test["op"];
  if (op != "hardsigmoid" && op != "celu" && op != "digamma")
    return gradient;
  const std::vector<double> x = golden::numbers(test["inputs"]["x"]), weights = golden::numbers(test["weights"][0]);
  for (size_t i = 0; i < x.size(); ++i) {
    double slope;
    if (op == "hardsigmoid")
      slope = std::abs(x[i]) < 3 ? 1. / 6 : 0;
    else if (op == "celu")
      slope = x[i] > 0 ? 1 : std::exp(x[i] / golden::number(test["attrs"]["alpha"]));
    else
      slope = trigamma(x[i]);
    const double right = weights[i] * slope;
    CHECK(golden::number(gradient["data"][i]) == Approx(right).epsilon(1e-7));
    gradient["data"][i] = right;
  }
  return gradient;
}

void runCase(const json &test, const golden::Function &function, DType dtype, double bound) {
  INFO(test["op"].get<std::string>() << ' ' << test["attrs"].dump());
  const json grads = test.value("grads", json::object());
  golden::Call call{{}, test["attrs"]};
  for (const auto &[name, value] : test["inputs"].items()) {
    call.inputs[name] = from_host(golden::array(value, dtype));
    if (grads.contains(name) && !grads[name].is_null())
      call.inputs[name].requires_grad_();
  }
  try {
    const std::vector<Tensor> outputs = function(call);
    REQUIRE(outputs.size() == test["outputs"].size());
    Tensor total;
    for (size_t i = 0; i < outputs.size() && test.contains("weights"); ++i) {
      if (test["weights"][i].is_null() || !outputs[i].requires_grad())
        continue;
      const Tensor part = sum(outputs[i] * from_host(golden::array(test["weights"][i], dtype)));
      total = total.defined() ? total + part : part;
    }
    if (total.defined())
      total.backward();
    for (size_t i = 0; i < outputs.size(); ++i) {
      INFO("output " << i);
      CHECK(golden::distance(outputs[i], test["outputs"][i]) < bound);
    }
    for (const auto &[name, value] : grads.items()) {
      INFO("gradient of " << name);
      if (value.is_null())
        continue;
      REQUIRE(call.inputs[name].grad().defined());
      CHECK(golden::distance(call.inputs[name].grad(), gradientOf(test, name)) < bound);
    }
  } catch (const Error &error) {
    FAIL_CHECK(error.what());
  }
}

void runAll(DType dtype, double bound) {
  for (const json &test : figures()["cases"])
    runCase(test, golden::functions().at(test["op"]), dtype, bound);
}

} // namespace

TEST_CASE("golden: every function of the figures has its place in the table") {
  std::set<std::string> names;
  for (const json &test : figures()["cases"])
    names.insert(test["op"]);
  CHECK(names.size() == 142);
  for (const std::string &name : names) {
    INFO(name);
    CHECK(golden::functions().contains(name));
  }
}

TEST_CASE("golden: functions and gradients interpreted in f64 are PyTorch's", "[golden]") {
  burn::test::SpyBackend interpreter;
  runAll(DType::F64, 1e-11);
}

TEST_CASE("golden: functions and gradients compiled in f64 are PyTorch's", "[golden]") { runAll(DType::F64, 1e-11); }

TEST_CASE("golden: functions and gradients compiled in f32 are near PyTorch's f64 figures", "[golden]") {
  runAll(DType::F32, 2e-6);
}
