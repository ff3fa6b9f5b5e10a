// Gradient cases of activations, normalisations, attention, embedding, interpolation, quantization and updates.
#include "GradientCases.h"

using namespace burn;
using namespace burn::ir;

namespace burn::test {
namespace {

void addActivations(Cases &cases) {
  for (const char *op : {"silu", "mish", "selu", "hard_swish", "log_sigmoid"})
    cases.unary(op, -4.0, 4.0);
  for (const char *op :
       {"softplus|{beta = 1.0 : f64, threshold = 20.0 : f64}", "softplus|{beta = 2.5 : f64, threshold = 1.0 : f64}",
        "elu|{alpha = 1.5 : f64}", "celu|{alpha = 0.7 : f64}", "celu|{alpha = -3.0 : f64}",
        "hard_sigmoid|{alpha = 0.3 : f64, beta = 0.4 : f64}", "leaky_relu|{slope = 0.1 : f64}"}) {
    const std::string text(op), name = text.substr(0, text.find('|')), attributes = text.substr(text.find('|') + 1);
    cases.one(name + " " + attributes, "burn." + name + " %a " + attributes + " : tensor<3x4xf64>",
              {{"3x4xf64", -3.0, 3.0}}, "3x4xf64");
  }
}

void addNorms(Cases &cases) {
  for (const char *dims : {"1", "0, 2", ""})
    cases.one(std::string("logsumexp over ") + dims,
              std::string("burn.logsumexp %a {dims = array<i64") + (*dims ? ": " : "") + dims +
                  ">} : tensor<2x3x4xf64> to tensor<" +
                  (*dims == 0     ? "2x3x4xf64"
                   : *dims == '1' ? "2x4xf64"
                                  : "3xf64") +
                  ">",
              {{"2x3x4xf64"}},
              *dims == 0     ? "2x3x4xf64"
              : *dims == '1' ? "2x4xf64"
                             : "3xf64");
  for (int affine : {0, 1, 2}) {
    const std::string names = std::string("%a") + (affine > 0 ? ", %b" : "") + (affine > 1 ? ", %c" : "");
    const auto types = [&](const std::string &x, const std::string &parameter) {
      std::string list = "tensor<" + x + ">";
      for (int i = 0; i < affine; ++i)
        list += ", tensor<" + parameter + ">";
      return list;
    };
    const auto add = [&](const std::string &op, const std::string &attributes, const std::string &x,
                         const std::string &parameter, const std::string &statistics, bool hasMean) {
      std::vector<Arg> args{{x}};
      std::string formal = "%a: tensor<" + x + ">";
      for (int i = 0; i < affine; ++i) {
        args.push_back({parameter});
        formal += std::string(", %") + "bc"[i] + ": tensor<" + parameter + ">";
      }
      const std::string results =
          "tensor<" + x + ">" + (hasMean ? ", tensor<" + statistics + ">" : "") + ", tensor<" + statistics + ">";
      const std::string values = hasMean ? "%y, %m, %r" : "%y, %r";
      cases.whole(op + " " + attributes + " with " + std::to_string(affine) + " parameters", args,
                  "func.func @main(" + formal + ") -> (" + results + ") {\n  " + values + " = burn." + op + " " +
                      names + " " + attributes + " : (" + types(x, parameter) + ") -> (" + results + ")\n  return " +
                      values + " : " + results + "\n}");
    };
    add("layer_norm", "{axis = 1, epsilon = 1.0e-2 : f64}", "3x5xf64", "5xf64", "3xf64", true);
    add("layer_norm", "{axis = 1, epsilon = 1.0e-2 : f64}", "2x3x4xf64", "3x4xf64", "2xf64", true);
    add("group_norm", "{groups = 2, epsilon = 1.0e-2 : f64}", "2x4x3xf64", "4xf64", "2x2xf64", true);
    if (affine < 2)
      add("rms_norm", "{axis = 1, epsilon = 1.0e-2 : f64}", "3x5xf64", "5xf64", "3xf64", false);
  }
}

void addAttention(Cases &cases) {
  const auto add = [&](const std::string &name, const std::string &attributes, const std::string &keys, bool bias,
                       bool mask) {
    const std::string q = "tensor<2x4x3x5xf64>", k = "tensor<2x" + keys + "x4x5xf64>",
                      v = "tensor<2x" + keys + "x4x3xf64>", o = "tensor<2x4x3x3xf64>", lse = "tensor<2x4x3xf64>";
    std::vector<Arg> args{{"2x4x3x5xf64"}, {"2x" + keys + "x4x5xf64"}, {"2x" + keys + "x4x3xf64"}};
    std::string formal = "%q: " + q + ", %k: " + k + ", %v: " + v, types = q + ", " + k + ", " + v, extra, body;
    if (mask) {
      // The second query has no key.
      body = "  %m = burn.constant dense<[[[[true, false, true, true], [false, false, false, false], [false, true, "
             "false, true]]]]> : tensor<1x1x3x4xi1>\n";
      extra += " mask %m";
      types += ", tensor<1x1x3x4xi1>";
    }
    if (bias) {
      args.push_back({"1x4x1x4xf64"});
      formal += ", %b: tensor<1x4x1x4xf64>";
      extra += " bias %b";
      types += ", tensor<1x4x1x4xf64>";
    }
    // A query without keys has lse minus infinity, which no difference can be taken of.
    const std::string results = mask ? o : o + ", " + lse;
    cases.whole("attention, " + name, args,
                "func.func @main(" + formal + ") -> (" + results + ") {\n" + body +
                    "  %o, %l = burn.attention %q, %k, %v" + extra + " " + attributes + " : (" + types + ") -> (" + o +
                    ", " + lse + ")\n  return %o" + (mask ? "" : ", %l") + " : " + results + "\n}");
  };
  add("plain", "{causal = false, scale = 0.5 : f64, softcap = 0.0 : f64}", "4", false, false);
  add("causal, grouped queries", "{causal = true, scale = 0.5 : f64, softcap = 0.0 : f64}", "2", false, false);
  add("bias, softcap", "{causal = false, scale = 0.5 : f64, softcap = 2.0 : f64}", "1", true, false);
  add("mask, bias", "{causal = false, scale = 0.5 : f64, softcap = 0.0 : f64}", "2", true, true);
  for (const char *interleaved : {"false", "true"})
    cases.whole(std::string("rope, interleaved ") + interleaved, {{"2x3x7xf64"}}, std::string(R"(
    func.func @main(%a: tensor<2x3x7xf64>) -> tensor<2x3x7xf64> {
      %c = burn.constant dense<[[0.5, 1.0], [-0.25, 0.0], [0.75, 0.125]]> : tensor<3x2xf64>
      %s = burn.constant dense<[[0.5, 0.25], [0.25, 1.0], [-0.75, 0.5]]> : tensor<3x2xf64>
      %r = burn.rope %a, %c, %s {interleaved = )") + interleaved + R"(} : tensor<2x3x7xf64>, tensor<3x2xf64>
      return %r : tensor<2x3x7xf64>
    })");
  cases.one("embedding",
            "burn.embedding %a, %b {padding_idx = -1} : tensor<4x3xf64>, tensor<2x2xi64> to tensor<2x2x3xf64>",
            {{"4x3xf64"}}, "2x2x3xf64", {{"2x2xi64", tensor<int64_t>({3, 2, 3, 0}, Shape{2, 2})}});
}

void addInterpolation(Cases &cases) {
  const auto add = [&](const std::string &words, const std::string &sizes, const std::string &scales,
                       const std::string &result) {
    cases.one("interpolate " + words + " to " + sizes,
              "burn.interpolate " + words + " %a {sizes = array<i64: " + sizes + ">, scales = array<f64: " + scales +
                  ">, cubic_coeff = -0.75 : f64} : tensor<2x5x4xf64> to tensor<" + result + ">",
              {{"2x5x4xf64"}}, result);
  };
  add("nearest asymmetric floor", "3, 8", "0.6, 2.0", "2x3x8xf64");
  add("linear half_pixel floor", "7, 3", "1.4, 0.75", "2x7x3xf64");
  add("linear align_corners floor", "9", "2.25", "2x5x9xf64");
  add("cubic half_pixel floor", "7, 6", "1.4, 1.5", "2x7x6xf64");
}

void addOthers(Cases &cases) {
  cases.one("dequantize i8",
            "burn.dequantize i8 %b, %a, %c {block = array<i64: 1, 2>} : (tensor<2x4xi8>, tensor<2x2xf64>, "
            "tensor<2x2xi32>) -> tensor<2x4xf64>",
            {{"2x2xf64"}}, "2x4xf64",
            {{"2x4xi8", tensor<int8_t>({1, -5, 127, 3, -128, 9, 0, 44}, Shape{2, 4})},
             {"2x2xi32", tensor<int32_t>({3, 0, -7, 100}, Shape{2, 2})}});
  cases.one("dequantize i4, odd",
            "burn.dequantize i4 %b, %a {block = array<i64: 2, 3>} : (tensor<2x2xui8>, "
            "tensor<1x1xf64>) -> tensor<2x3xf64>",
            {{"1x1xf64"}}, "2x3xf64", {{"2x2xui8", tensor<uint8_t>({0x71, 0x08, 0xf3, 0x02}, Shape{2, 2})}});
  // Without a rule of its own.
  cases.whole("adamw_update", {{"4xf64"}, {"4xf64"}, {"4xf64"}, {"4xf64", 0.5, 2.0}}, R"(
    func.func @main(%p: tensor<4xf64>, %g: tensor<4xf64>, %m: tensor<4xf64>, %v: tensor<4xf64>)
        -> (tensor<4xf64>, tensor<4xf64>, tensor<4xf64>) {
      %s = burn.constant dense<0.1> : tensor<f64>
      %c = burn.constant dense<1.5> : tensor<f64>
      %d = burn.constant dense<0.01> : tensor<f64>
      %q, %n, %w = burn.adamw_update %p, %g, %m, %v, %s, %c, %d
        {beta1 = 0.9 : f64, beta2 = 0.9 : f64, epsilon = 1.0e-3 : f64} : tensor<4xf64>
      return %q, %n, %w : tensor<4xf64>, tensor<4xf64>, tensor<4xf64>
    })");
  cases.whole("uniform, normal", {{"4xf64"}}, R"(
    func.func @main(%a: tensor<4xf64>) -> tensor<4xf64> {
      %key = burn.constant dense<[7, 11]> : tensor<2xui32>
      %counter = burn.constant dense<5> : tensor<ui64>
      %u = burn.uniform %key, %counter {ordinal = 0} : tensor<4xf64>
      %n = burn.normal %key, %counter {ordinal = 1} : tensor<4xf64>
      %x = burn.mul %a, %u : tensor<4xf64>
      %y = burn.add %x, %n : tensor<4xf64>
      %z = burn.tanh %y : tensor<4xf64>
      return %z : tensor<4xf64>
    })");
}

} // namespace

void addNeuralGradients(Cases &cases) {
  addActivations(cases);
  addNorms(cases);
  addAttention(cases);
  addInterpolation(cases);
  addOthers(cases);
}

} // namespace burn::test
