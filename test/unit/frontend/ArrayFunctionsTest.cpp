// Functions that are made of others against the figures of NumPy in test/data/array_functions.json, and their gradients
// against differences.
#include "test/unit/frontend/ArrayFunctions.h"
#include "test/unit/frontend/Backends.h"

#include <algorithm>

using namespace burn;
using nlohmann::json;

namespace {

golden::Call callOf(const json &test, DType dtype) {
  golden::Call call{{}, test["attrs"]};
  for (const auto &[name, value] : test["inputs"].items())
    call.inputs[name] = from_host(golden::array(value, dtype));
  return call;
}

void checkValues(DType dtype, double bound) {
  const json figures = golden::load("array_functions.json");
  for (const json &test : figures["cases"]) {
    const std::string op = test["op"];
    INFO(op << ' ' << test["attrs"].dump());
    const auto function = golden::arrayFunctions().find(op);
    REQUIRE(function != golden::arrayFunctions().end());
    try {
      const golden::Results results = function->second(callOf(test, dtype));
      REQUIRE(results.size() == test["outputs"].size());
      for (size_t i = 0; i < results.size(); ++i)
        CHECK(golden::distance(results[i], test["outputs"][i]) < bound);
    } catch (const Error &error) {
      FAIL_CHECK(error.what());
    }
  }
}

// The sum over all results, each element with another weight.
Tensor weighted(const golden::Results &results) {
  Tensor total = full({}, 0.0, DType::F64);
  for (const Tensor &result : results)
    if (isFloat(result.dtype()))
      total = total + sum(result.flatten() * (arange(result.numel(), DType::F64) * 0.37 + 1.0));
  return total;
}

// Whether a function may be differenced at these values: none of them is at a kink or infinite.
bool isSmooth(const json &test) {
  for (const auto &[name, value] : test["inputs"].items())
    for (const double element : golden::numbers(value))
      if (value["dtype"] == "float64" && (element == 0 || !std::isfinite(element)))
        return false;
  return true;
}

} // namespace

TEST_CASE("array functions: interpreted in f64 as in NumPy", "[golden]") {
  burn::test::SpyBackend interpreter;
  checkValues(DType::F64, 1e-11);
}

TEST_CASE("array functions: compiled in f64 as in NumPy", "[golden]") { checkValues(DType::F64, 1e-11); }

TEST_CASE("array functions: compiled in f32 near NumPy's f64 figures", "[golden]") { checkValues(DType::F32, 4e-6); }

TEST_CASE("array functions: gradients are the limits of differences", "[golden]") {
  burn::test::SpyBackend interpreter;
  const json figures = golden::load("array_functions.json");
  int checked = 0;
  for (const json &test : figures["cases"]) {
    if (!isSmooth(test))
      continue;
    INFO(test["op"].get<std::string>() << ' ' << test["attrs"].dump());
    const golden::Function &function = golden::arrayFunctions().at(test["op"]);
    golden::Call call = callOf(test, DType::F64);
    for (auto &[name, tensor] : call.inputs)
      if (isFloat(tensor.dtype()))
        tensor.requires_grad_();
    const Tensor total = weighted(function(call));
    if (!total.requires_grad())
      continue;
    total.backward();
    const NoGradGuard guard;
    for (auto &[name, tensor] : call.inputs) {
      if (!isFloat(tensor.dtype()))
        continue;
      INFO("gradient of " << name);
      const Tensor gradient = tensor.grad();
      const std::vector<double> values = tensor.to_vector<double>();
      const std::vector<double> actual =
          gradient.defined() ? gradient.to_vector<double>() : std::vector<double>(values.size(), 0.0);
      double largest = 1;
      for (const double element : actual)
        largest = std::max(largest, std::abs(element));
      for (size_t i = 0; i < values.size(); ++i) {
        const auto at = [&](double step) {
          std::vector<double> moved = values;
          moved[i] += step;
          golden::Call other = call;
          other.inputs[name] = burn::tensor(moved, tensor.shape());
          return weighted(function(other)).item<double>();
        };
        const double step = 1e-5;
        CHECK(actual[i] == Approx((at(step) - at(-step)) / (2 * step)).margin(1e-6 * largest));
      }
      ++checked;
    }
  }
  CHECK(checked > 100);
}
