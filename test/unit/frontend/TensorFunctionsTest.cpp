// Tensor functions and their gradients against PyTorch's f64 figures in test/data/tensor_functions.json.
#include "test/unit/frontend/Golden.h"

#include <functional>

using namespace burn;
using nlohmann::json;

namespace {

using Inputs = std::map<std::string, Tensor>;
using Function = std::function<std::vector<Tensor>(Inputs &, const json &)>;

std::vector<int64_t> dimsOf(const json &value) { return value.get<std::vector<int64_t>>(); }

Reduction reductionOf(const json &attrs) {
  const std::string name = attrs.value("reduction", "mean");
  return name == "mean" ? Reduction::Mean : name == "sum" ? Reduction::Sum : Reduction::None;
}

Function unary(Tensor (*function)(const Tensor &, Where)) {
  return [function](Inputs &in, const json &) { return std::vector{function(in["x"], Where::current())}; };
}

Function binary(Tensor (*function)(const Operand &, const Operand &)) {
  return [function](Inputs &in, const json &) { return std::vector{function(in["a"], in["b"])}; };
}

template <typename Method> Function overDims(Method method) {
  return [method](Inputs &in, const json &attrs) {
    return std::vector{(in["x"].*method)(dimsOf(attrs["dim"]), attrs["keepdim"].get<bool>(), Where::current())};
  };
}

std::vector<Tensor> batchNorm(Inputs &in, const json &attrs) {
  nn::BatchNorm2d layer(in["x"].size(1), {.eps = attrs["eps"], .momentum = attrs["momentum"]});
  layer.weight = in["w"];
  layer.bias = in["b"];
  layer.running_mean = in["m"];
  layer.running_var = in["v"];
  layer.training = attrs["training"];
  const Tensor y = layer(in["x"]);
  if (layer.training)
    return {y, layer.running_mean, layer.running_var};
  return {y};
}

const std::map<std::string, Function> &functions() {
  static const std::map<std::string, Function> table{
      {"abs", unary(abs)},
      {"ceil", unary(ceil)},
      {"erf", unary(erf)},
      {"exp", unary(exp)},
      {"expm1", unary(expm1)},
      {"floor", unary(floor)},
      {"log", unary(log)},
      {"log1p", unary(log1p)},
      {"neg", unary(neg)},
      {"reciprocal", unary(reciprocal)},
      {"relu", unary(relu)},
      {"round", unary(round)},
      {"rsqrt", unary(rsqrt)},
      {"sigmoid", unary(sigmoid)},
      {"sign", unary(sign)},
      {"silu", unary(silu)},
      {"sqrt", unary(sqrt)},
      {"square", unary(square)},
      {"tanh", unary(tanh)},
      {"add", binary(add)},
      {"sub", binary(sub)},
      {"mul", binary(mul)},
      {"div", binary(div)},
      {"maximum", binary(maximum)},
      {"minimum", binary(minimum)},
      {"pow",
       [](Inputs &in, const json &attrs) {
         return std::vector{attrs.contains("exponent") ? pow(in["a"], attrs["exponent"].get<double>())
                                                       : pow(in["a"], in["b"])};
       }},
      {"where", [](Inputs &in, const json &) { return std::vector{where(in["c"], in["a"], in["b"])}; }},
      {"clamp",
       [](Inputs &in, const json &attrs) {
         return std::vector{clamp(in["x"], attrs["min"].get<double>(), attrs["max"].get<double>())};
       }},
      {"gelu",
       [](Inputs &in, const json &attrs) {
         return std::vector{
             gelu(in["x"], attrs["approximate"] == "tanh" ? GeluApproximate::Tanh : GeluApproximate::None)};
       }},
      {"amax", overDims(&Tensor::amax)},
      {"amin", overDims(&Tensor::amin)},
      {"mean", overDims(&Tensor::mean)},
      {"sum", overDims(&Tensor::sum)},
      {"logsumexp", overDims(&Tensor::logsumexp)},
      {"prod", [](Inputs &in, const json &attrs) { return std::vector{in["x"].prod(attrs["dim"].get<int64_t>())}; }},
      {"var",
       [](Inputs &in, const json &attrs) {
         return std::vector{
             in["x"].var(dimsOf(attrs["dim"]), attrs["correction"].get<int64_t>(), attrs["keepdim"].get<bool>())};
       }},
      {"vector_norm",
       [](Inputs &in, const json &attrs) { return std::vector{in["x"].norm(attrs["dim"].get<int64_t>())}; }},
      {"argmax",
       [](Inputs &in, const json &attrs) { return std::vector{in["x"].argmax(attrs["dim"].get<int64_t>())}; }},
      {"argmin",
       [](Inputs &in, const json &attrs) { return std::vector{in["x"].argmin(attrs["dim"].get<int64_t>())}; }},
      {"softmax",
       [](Inputs &in, const json &attrs) { return std::vector{softmax(in["x"], attrs["dim"].get<int64_t>())}; }},
      {"log_softmax",
       [](Inputs &in, const json &attrs) { return std::vector{log_softmax(in["x"], attrs["dim"].get<int64_t>())}; }},
      {"matmul", [](Inputs &in, const json &) { return std::vector{matmul(in["a"], in["b"])}; }},
      {"linear", [](Inputs &in, const json &) { return std::vector{linear(in["x"], in["w"], in["b"])}; }},
      {"conv1d",
       [](Inputs &in, const json &a) {
         return std::vector{conv1d(in["x"], in["w"], in["b"], a["stride"].get<int64_t>(), a["padding"].get<int64_t>(),
                                   a["dilation"].get<int64_t>(), a["groups"].get<int64_t>())};
       }},
      {"conv2d",
       [](Inputs &in, const json &a) {
         return std::vector{conv2d(in["x"], in["w"], in["b"], a["stride"].get<int64_t>(), a["padding"].get<int64_t>(),
                                   a["dilation"].get<int64_t>(), a["groups"].get<int64_t>())};
       }},
      {"conv_transpose2d",
       [](Inputs &in, const json &a) {
         return std::vector{conv_transpose2d(in["x"], in["w"], in["b"], a["stride"].get<int64_t>(),
                                             a["padding"].get<int64_t>(), a["output_padding"].get<int64_t>(),
                                             a["groups"].get<int64_t>(), a["dilation"].get<int64_t>())};
       }},
      {"max_pool2d",
       [](Inputs &in, const json &a) {
         return std::vector{max_pool2d(in["x"], a["kernel"].get<int64_t>(), Pair(a["stride"].get<int64_t>()),
                                       a["padding"].get<int64_t>(), a.value("dilation", int64_t{1}),
                                       a["ceil_mode"].get<bool>())};
       }},
      {"avg_pool2d",
       [](Inputs &in, const json &a) {
         return std::vector{avg_pool2d(in["x"], a["kernel"].get<int64_t>(), Pair(a["stride"].get<int64_t>()),
                                       a["padding"].get<int64_t>())};
       }},
      {"batch_norm", batchNorm},
      {"cross_entropy",
       [](Inputs &in, const json &a) {
         return std::vector{cross_entropy(in["x"], in["t"], in["w"], reductionOf(a), a.value("ignore_index", -100),
                                          a.value("label_smoothing", 0.0))};
       }},
      {"nll_loss",
       [](Inputs &in, const json &a) {
         return std::vector{nll_loss(in["x"], in["t"], Reduction::Mean, a["ignore_index"].get<int64_t>())};
       }},
      {"mse_loss", [](Inputs &in, const json &a) { return std::vector{mse_loss(in["x"], in["t"], reductionOf(a))}; }},
      {"permute", [](Inputs &in, const json &a) { return std::vector{in["x"].permute(dimsOf(a["dims"]))}; }},
      {"flip", [](Inputs &in, const json &a) { return std::vector{in["x"].flip(dimsOf(a["dims"]))}; }},
      {"pad",
       [](Inputs &in, const json &a) {
         std::vector<int64_t> padding = dimsOf(a["last_dim"]);
         for (const int64_t size : dimsOf(a.value("second_last_dim", json::array())))
           padding.push_back(size);
         return std::vector{pad(in["x"], padding, a["value"].get<double>())};
       }},
      {"slice",
       [](Inputs &in, const json &a) {
         Tensor x = in["x"];
         for (size_t i = 0; i < a["start"].size(); ++i)
           x = x.slice(static_cast<int64_t>(i), a["start"][i].get<int64_t>(), a["stop"][i].get<int64_t>(),
                       a["step"][i].get<int64_t>());
         return std::vector{x};
       }},
      {"gather", [](Inputs &in, const json &a) { return std::vector{in["x"].gather(a["dim"], in["i"])}; }},
      {"index_select", [](Inputs &in, const json &a) { return std::vector{in["x"].index_select(a["dim"], in["i"])}; }},
      {"index_add",
       [](Inputs &in, const json &a) {
         return std::vector{in["x"].index_add(a["dim"], in["i"], in["s"] * a["alpha"].get<double>())};
       }},
      {"scatter", [](Inputs &in, const json &a) { return std::vector{in["x"].scatter(a["dim"], in["i"], in["s"])}; }},
      {"scatter_add",
       [](Inputs &in, const json &a) { return std::vector{in["x"].scatter_add(a["dim"], in["i"], in["s"])}; }},
  };
  return table;
}

/// Whether the figures hold a case for what we do not have.
bool isMissing(const std::string &op, const json &attrs) {
  if (op == "pad")
    return attrs["mode"] != "constant";
  if (op == "avg_pool2d")
    return attrs["ceil_mode"].get<bool>() || (attrs["padding"] != 0 && !attrs["count_include_pad"].get<bool>());
  if (op == "vector_norm")
    return attrs["ord"] != 2.0;
  if (op == "cross_entropy") // probabilities as target
    return attrs.value("note", "").find("no gradient") != std::string::npos;
  return !functions().contains(op);
}

void compareAll(DType dtype, double bound) {
  const json figures = golden::load("tensor_functions.json");
  for (const json &test : figures["cases"]) {
    const std::string op = test["op"];
    INFO(op << ' ' << test["attrs"].dump());
    if (isMissing(op, test["attrs"]))
      continue;
    const auto function = functions().find(op);
    const json grads = test.value("grads", json::object());
    Inputs inputs;
    for (const auto &[name, value] : test["inputs"].items()) {
      inputs[name] = from_host(golden::array(value, dtype));
      if (grads.contains(name) && !grads[name].is_null())
        inputs[name].requires_grad_();
    }
    try {
      const std::vector<Tensor> outputs = function->second(inputs, test["attrs"]);
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
        REQUIRE(inputs[name].grad().defined());
        CHECK(golden::distance(inputs[name].grad(), value) < bound);
      }
    } catch (const Error &error) {
      FAIL_CHECK(error.what());
    }
  }
}

} // namespace

TEST_CASE("tensor functions and gradients in f64 are PyTorch's", "[golden]") { compareAll(DType::F64, 1e-11); }

TEST_CASE("tensor functions and gradients in f32 are near PyTorch's f64 figures", "[golden]") {
  compareAll(DType::F32, 2e-6);
}
