// Functions and their gradients in f64 against figures from PyTorch (test/data/README.md).
#include "GoldenProgram.h"
#include "Gradients.h"

#include <cmath>
#include <fstream>
#include <limits>

using namespace burn;
using namespace burn::test;
using nlohmann::json;

namespace {

double number(const json &value) {
  if (value.is_boolean())
    return value.get<bool>() ? 1.0 : 0.0;
  if (!value.is_string())
    return value.get<double>();
  const std::string text = value;
  const double infinity = std::numeric_limits<double>::infinity();
  return text == "nan" ? std::numeric_limits<double>::quiet_NaN() : text == "inf" ? infinity : -infinity;
}

ir::HostTensor tensorOf(const json &value) {
  const auto dims = value["shape"].get<std::vector<int64_t>>();
  const std::string kind = value["dtype"];
  const DType dtype = kind == "int64" ? DType::I64 : kind == "bool" ? DType::Bool : DType::F64;
  ir::HostTensor result(core::TypeDesc{dtype, Shape(std::span<const int64_t>(dims))});
  for (size_t i = 0; i < value["data"].size(); ++i) {
    const json &element = value["data"][i];
    if (dtype == DType::I64)
      result.data<int64_t>()[i] = element.get<int64_t>();
    else if (dtype == DType::Bool)
      result.data<bool>()[i] = element.is_boolean() ? element.get<bool>() : element.get<int>() != 0;
    else
      result.data<double>()[i] = number(element);
  }
  return result;
}

// Within 1e-11 of the largest element.
void checkClose(const ir::HostTensor &actual, const json &wanted) {
  const ir::HostTensor right = tensorOf(wanted);
  REQUIRE(actual.type == right.type);
  double largest = 1.0;
  for (double element : right.data<double>())
    if (std::isfinite(element))
      largest = std::max(largest, std::abs(element));
  bool close = true;
  for (size_t i = 0; i < right.data<double>().size(); ++i) {
    const double a = actual.data<double>()[i], b = right.data<double>()[i];
    close &= a == b || (std::isnan(a) && std::isnan(b)) || std::abs(a - b) <= 1e-11 * largest;
  }
  CHECK(close);
}

} // namespace

TEST_CASE("golden: functions and gradients of PyTorch in f64") {
  std::ifstream file(std::string(BURN_SOURCE_DIR) + "/test/data/tensor_functions.json");
  REQUIRE(file.good());
  int functions = 0, gradients = 0;
  const json all = json::parse(file);
  for (const json &c : all["cases"]) {
    std::optional<std::string> text = goldenProgram(c);
    if (!text)
      continue;
    INFO(c["op"].get<std::string>() << " " << c["attrs"].dump() << "\n" << *text);
    Tensors arguments;
    for (const auto &[name, input] : c["inputs"].items())
      arguments.push_back(tensorOf(input));
    Tensors outputs = burn::test::Program(*text).run(arguments);
    REQUIRE(outputs.size() == c["outputs"].size());
    for (size_t i = 0; i < outputs.size(); ++i)
      checkClose(outputs[i], c["outputs"][i]);
    ++functions;
    if (!c.contains("grads"))
      continue;

    burn::test::Program reverse(*text);
    takeGradient(reverse.function());
    REQUIRE(succeeded(compiler::differentiate(reverse.function())));
    for (size_t i = 0; i < outputs.size(); ++i)
      arguments.push_back(c["weights"][i].is_null() ? ir::HostTensor(outputs[i].type) : tensorOf(c["weights"][i]));
    Tensors results = reverse.run(arguments);
    size_t next = 0;
    for (const auto &[name, input] : c["inputs"].items()) {
      if (input["dtype"] != "float64")
        continue;
      const ir::HostTensor &gradient = results[next++];
      INFO("gradient of " << name);
      if (c["grads"].contains(name) && !c["grads"][name].is_null())
        checkClose(gradient, c["grads"][name]);
    }
    ++gradients;
  }
  CHECK(functions > 100);
  CHECK(gradients > 90);
}
