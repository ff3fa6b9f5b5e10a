// Functions and their gradients against the figures of PyTorch in test/data/tensor_functions.json: by the reference
// interpreter, and compiled in two types.
#include "test/unit/frontend/Backends.h"
#include "test/unit/frontend/GoldenFunctions.h"

#include <algorithm>
#include <set>

using namespace burn;
using nlohmann::json;

namespace {

const json &figures() {
  static const json all = golden::load("tensor_functions.json");
  return all;
}

/// Functions whose derivative PyTorch computes with a constant of f32 (1 / 6, 1 / alpha), as its figures show: the
/// slope of hardsigmoid is 0.1666666716337204 there. The differences of GradientTest hold ours to 1e-12.
bool hasNarrowDerivative(const std::string &op) { return op == "celu" || op == "hardsigmoid"; }

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
      const double most = hasNarrowDerivative(test["op"]) ? std::max(bound, 1e-7) : bound;
      CHECK(golden::distance(call.inputs[name].grad(), value) < most);
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
