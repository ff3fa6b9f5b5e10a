// One or more functions for each op that has a reverse-mode rule.
#include "GradientCases.h"

#include <cmath>

using namespace burn;
using namespace burn::ir;

namespace burn::test {
namespace {

void addElementwise(Cases &cases) {
  for (const char *op :
       {"neg", "exp", "expm1", "tanh", "erf", "logistic", "abs", "relu", "sign", "floor", "ceil", "round_even"})
    cases.unary(op);
  for (const char *op : {"log", "sqrt", "rsqrt"})
    cases.unary(op, 0.3, 2.5);
  cases.unary("log1p", -0.7, 2.0);
  for (const char *op : {"add", "sub", "mul", "max", "min"})
    cases.binary(op);
  cases.binary("div", 0.4, 2.0);
  cases.binary("pow", 0.4, 2.0);
  cases.one("clamp", "burn.clamp %a, %b, %c : tensor<5x4xf64>",
            {{"5x4xf64"}, {"5x4xf64", -1.5, 0.5}, {"5x4xf64", -0.5, 1.5}}, "5x4xf64");
  cases.one("select", "burn.select %c, %a, %b : tensor<4xi1>, tensor<4xf64>", {{"4xf64"}, {"4xf64"}}, "4xf64",
            {{"4xi1", bools({true, false, false, true})}});
  for (const char *approximate : {"none", "tanh"})
    cases.one(std::string("gelu ") + approximate, std::string("burn.gelu ") + approximate + " %a : tensor<3x4xf64>",
              {{"3x4xf64"}}, "3x4xf64");
  cases.one("convert", "burn.convert %a : tensor<4xf64> to tensor<4xf64>", {{"4xf64"}}, "4xf64");
}

void addElementary(Cases &cases) {
  for (const char *op : {"sin", "cos", "atan", "sinh", "cosh", "asinh", "exp2", "erfc"})
    cases.unary(op);
  cases.unary("tan", -1.2, 1.2);
  for (const char *op : {"asin", "acos", "atanh", "erfinv"})
    cases.unary(op, -0.8, 0.8);
  for (const char *op : {"log2", "log10", "cbrt", "digamma", "lgamma"})
    cases.unary(op, 0.3, 2.5);
  cases.unary("acosh", 1.2, 3.0);
  cases.one("lgamma left of 0", "burn.lgamma %a : tensor<3x4xf64>", {{"3x4xf64", -1.8, -1.2}}, "3x4xf64");
  cases.one("polygamma", "burn.polygamma %a {n = 2} : tensor<3x4xf64>", {{"3x4xf64", 0.8, 2.5}}, "3x4xf64");
  for (const char *exponent : {"0", "1", "2", "3", "-2"})
    cases.one(std::string("powi ") + exponent,
              std::string("burn.powi %a {exponent = ") + exponent + "} : tensor<3x4xf64>", {{"3x4xf64", 0.4, 2.0}},
              "3x4xf64");
  for (const char *op : {"atan2", "hypot"})
    cases.binary(op);
}

void addNumber(Cases &cases) {
  cases.unary("trunc");
  for (const char *op : {"copysign", "fmax", "fmin"})
    cases.binary(op);
  for (const char *rounding : {"floor", "trunc"})
    cases.one(std::string("rem ") + rounding, std::string("burn.rem ") + rounding + " %a, %b : tensor<3x4xf64>",
              {{"3x4xf64"}, {"3x4xf64", 0.6, 0.9}}, "3x4xf64");
  // The exponent in the bits of a number: no gradient flows through it, and no difference sees it.
  cases.whole("bitcast", {{"4xf64", 1.1, 1.9}}, R"(
    func.func @main(%a: tensor<4xf64>) -> tensor<4xf64> {
      %bits = burn.bitcast %a : tensor<4xf64> to tensor<4xi64>
      %mask = burn.constant dense<0x7FF0000000000000> : tensor<4xi64>
      %exponent = burn.and %bits, %mask : tensor<4xi64>
      %factor = burn.convert %exponent : tensor<4xi64> to tensor<4xf64>
      %scale = burn.constant dense<1.0e-18> : tensor<4xf64>
      %small = burn.mul %factor, %scale : tensor<4xf64>
      %r = burn.mul %a, %small : tensor<4xf64>
      return %r : tensor<4xf64>
    })");
  cases.one("reduce_precision", "burn.reduce_precision %a {type = f64} : tensor<4xf64>", {{"4xf64"}}, "4xf64");
}

void addShape(Cases &cases) {
  cases.one("broadcast new dimensions",
            "burn.broadcast %a {dims = array<i64: 1, 3>} : tensor<3x2xf64> to "
            "tensor<4x3x5x2xf64>",
            {{"3x2xf64"}}, "4x3x5x2xf64");
  cases.one("broadcast unit dimensions",
            "burn.broadcast %a {dims = array<i64: 0, 2>} : tensor<1x2xf64> to "
            "tensor<4x3x2xf64>",
            {{"1x2xf64"}}, "4x3x2xf64");
  cases.one("broadcast a scalar", "burn.broadcast %a {dims = array<i64>} : tensor<f64> to tensor<3xf64>", {{"f64"}},
            "3xf64");
  cases.one("reshape", "burn.reshape %a : tensor<3x4xf64> to tensor<2x6xf64>", {{"3x4xf64"}}, "2x6xf64");
  cases.one("transpose", "burn.transpose %a {perm = array<i64: 2, 0, 1>} : tensor<2x3x4xf64> to tensor<4x2x3xf64>",
            {{"2x3x4xf64"}}, "4x2x3xf64");
  cases.one("slice",
            "burn.slice %a {starts = array<i64: 1, 0>, sizes = array<i64: 3, 2>, strides = array<i64: 2, 3>} "
            ": tensor<7x5xf64> to tensor<3x2xf64>",
            {{"7x5xf64"}}, "3x2xf64");
  cases.one("slice_update", "burn.slice_update %a, %b {starts = array<i64: 1, 2>} : tensor<4x5xf64>, tensor<2x3xf64>",
            {{"4x5xf64"}, {"2x3xf64"}}, "4x5xf64");
  cases.one("pad",
            "burn.pad %a, %b {low = array<i64: 1, 0>, high = array<i64: 2, 1>, interior = array<i64: 1, 0>} : "
            "tensor<3x2xf64>, tensor<f64> to tensor<8x3xf64>",
            {{"3x2xf64"}, {"f64"}}, "8x3xf64");
  cases.one("pad that removes",
            "burn.pad %a, %b {low = array<i64: -1, 2>, high = array<i64: 1, -2>, interior = "
            "array<i64: 1, 2>} : tensor<4x3xf64>, tensor<f64> to tensor<7x7xf64>",
            {{"4x3xf64"}, {"f64"}}, "7x7xf64");
  cases.one("concat",
            "burn.concat %a, %b, %a {axis = 1} : (tensor<2x3xf64>, tensor<2x1xf64>, tensor<2x3xf64>) -> "
            "tensor<2x7xf64>",
            {{"2x3xf64"}, {"2x1xf64"}}, "2x7xf64");
  cases.one("reverse", "burn.reverse %a {dims = array<i64: 0, 2>} : tensor<2x3x4xf64>", {{"2x3x4xf64"}}, "2x3x4xf64");
}

const char *const rowNumbers = "{offset_dims = array<i64: 1>, collapsed_slice_dims = array<i64: 0>, "
                               "operand_batching_dims = array<i64>, start_indices_batching_dims = array<i64>, "
                               "start_index_map = array<i64: 0>, index_vector_dim = 1 : i64, "
                               "slice_sizes = array<i64: 1, 3>}";
const char *const batchNumbers = "{offset_dims = array<i64: 2>, collapsed_slice_dims = array<i64: 2>, "
                                 "operand_batching_dims = array<i64: 0>, start_indices_batching_dims = array<i64: 1>, "
                                 "start_index_map = array<i64: 2, 1>, index_vector_dim = 2 : i64, "
                                 "slice_sizes = array<i64: 1, 2, 1>}";
const char *const scatterNumbers = "{update_window_dims = array<i64: 1>, inserted_window_dims = array<i64: 0>, "
                                   "input_batching_dims = array<i64>, scatter_indices_batching_dims = array<i64>, "
                                   "scatter_dims_to_operand_dims = array<i64: 0>, index_vector_dim = 1 : i64}";

void addIndexing(Cases &cases) {
  // Repeated rows, and a row that nobody reads.
  HostTensor rows = vector<int64_t>({3, 0, 3, 1}), outside = vector<int64_t>({3, -1, 7, 3});
  for (const auto &[mode, indices] :
       std::vector<std::pair<std::string, HostTensor>>{{"check", rows}, {"clip", outside}, {"fill", outside}})
    cases.one("gather " + mode,
              "burn.gather " + mode + " %a, %b " + rowNumbers + " : tensor<4x3xf64>, tensor<4xi64> to tensor<4x3xf64>",
              {{"4x3xf64"}}, "4x3xf64", {{"4xi64", indices}});
  HostTensor pairs = tensor<int32_t>({0, 1, 2, 0, 5, 1, 1, -3, 1, 9, 0, 0}, Shape{3, 2, 2});
  cases.one("gather with batching dimensions",
            std::string("burn.gather clip %a, %b ") + batchNumbers +
                " : tensor<2x3x4xf64>, tensor<3x2x2xi32> to tensor<3x2x2xf64>",
            {{"2x3x4xf64"}}, "3x2x2xf64", {{"3x2x2xi32", pairs}});
  for (const char *combiner : {"assign", "add", "mul", "max", "min"})
    for (const auto &[mode, indices] :
         std::vector<std::pair<std::string, HostTensor>>{{"check", rows}, {"clip", outside}})
      cases.one(std::string("scatter ") + combiner + " " + mode,
                std::string("burn.scatter ") + combiner + " " + mode + " %a, %c, %b " + scatterNumbers +
                    " : tensor<4x3xf64>, tensor<4xi64>, tensor<4x3xf64>",
                {{"4x3xf64"}, {"4x3xf64"}}, "4x3xf64", {{"4xi64", indices}});
}

void addReductions(Cases &cases) {
  for (const char *kind : {"sum", "prod", "max", "min"}) {
    cases.one(std::string("reduce ") + kind,
              std::string("burn.reduce ") + kind + " %a {dims = array<i64: 0, 2>} : tensor<2x3x4xf64> to tensor<3xf64>",
              {{"2x3x4xf64"}}, "3xf64");
    cases.one(std::string("reduce nothing ") + kind,
              std::string("burn.reduce ") + kind + " %a {dims = array<i64>} : tensor<3xf64> to tensor<3xf64>",
              {{"3xf64"}}, "3xf64");
  }
  GradientCase &zeros = cases.one("reduce prod with zeros",
                                  "burn.reduce prod %a {dims = array<i64: 1>} : tensor<3x5xf64> to tensor<3xf64>",
                                  {{"3x5xf64"}}, "3xf64");
  auto elements = zeros.arguments[0].data<double>();
  elements[1] = elements[5] = elements[8] = 0.0; // none, one and two in a row
  cases.whole("arg_reduce", {{"2x3x4xf64"}}, R"(
    func.func @main(%a: tensor<2x3x4xf64>) -> (tensor<2x4xf64>, tensor<2x4xi64>) {
      %v, %i = burn.arg_reduce min %a {axis = 1} : tensor<2x3x4xf64> to tensor<2x4xf64>, tensor<2x4xi64>
      return %v, %i : tensor<2x4xf64>, tensor<2x4xi64>
    })");
}

void addAlongAxis(Cases &cases) {
  for (const char *kind : {"sum", "prod", "max", "min"})
    for (bool exclusive : {false, true})
      for (bool reverse : {false, true}) {
        const std::string flags = std::string("exclusive = ") + (exclusive ? "true" : "false") +
                                  ", reverse = " + (reverse ? "true" : "false");
        const std::string name = std::string("scan ") + kind + ", " + flags,
                          op = std::string("burn.scan ") + kind + " %a {axis = 1, " + flags + "} : tensor<2x5x2xf64>";
        if (!exclusive || kind[0] != 'm') {
          cases.one(name, op, {{"2x5x2xf64"}}, "2x5x2xf64");
          continue;
        }
        // Without the first result, which is infinite.
        cases.whole(name, {{"2x5x2xf64"}},
                    "func.func @main(%a: tensor<2x5x2xf64>) -> tensor<2x4x2xf64> {\n%s = " + op +
                        "\n%r = burn.slice %s {starts = array<i64: 0, " + (reverse ? "0" : "1") +
                        ", 0>, sizes = array<i64: 2, 4, 2>, strides = array<i64: 1, 1, 1>} : tensor<2x5x2xf64> to "
                        "tensor<2x4x2xf64>\nreturn %r : tensor<2x4x2xf64>\n}");
      }
  GradientCase &zeros = cases.one("scan prod with zeros",
                                  "burn.scan prod %a {axis = 1, exclusive = false, reverse = false} : tensor<3x4xf64>",
                                  {{"3x4xf64"}}, "3x4xf64");
  auto elements = zeros.arguments[0].data<double>();
  elements[1] = elements[4] = elements[6] = 0.0; // one in the first row, two in the second
  for (const char *reverse : {"false", "true"})
    cases.one(std::string("linear_scan, reverse = ") + reverse,
              std::string("burn.linear_scan %a, %b {axis = 1, reverse = ") + reverse + "} : tensor<2x5x2xf64>",
              {{"2x5x2xf64"}, {"2x5x2xf64"}}, "2x5x2xf64");
  cases.whole("sort of several operands", {{"3x4xf64"}, {"3x4xf64"}}, R"(
    func.func @main(%a: tensor<3x4xf64>, %b: tensor<3x4xf64>) -> (tensor<3x4xf64>, tensor<3x4xf64>) {
      %x, %y = burn.sort %a, %b {axis = 0, descending = true}
        : (tensor<3x4xf64>, tensor<3x4xf64>) -> (tensor<3x4xf64>, tensor<3x4xf64>)
      return %x, %y : tensor<3x4xf64>, tensor<3x4xf64>
    })");
  cases.whole("sort with places", {{"3x5xf64"}}, R"(
    func.func @main(%a: tensor<3x5xf64>) -> (tensor<3x5xf64>, tensor<3x5xi64>) {
      %i = burn.iota {dim = 1} : tensor<3x5xi64>
      %x, %y = burn.sort %a, %i {axis = 1, descending = false}
        : (tensor<3x5xf64>, tensor<3x5xi64>) -> (tensor<3x5xf64>, tensor<3x5xi64>)
      return %x, %y : tensor<3x5xf64>, tensor<3x5xi64>
    })");
  for (const char *largest : {"true", "false"})
    cases.whole(std::string("topk, largest = ") + largest, {{"2x5x3xf64"}}, std::string(R"(
    func.func @main(%a: tensor<2x5x3xf64>) -> (tensor<2x2x3xf64>, tensor<2x2x3xi64>) {
      %v, %i = burn.topk %a {axis = 1, k = 2, largest = )") + largest + R"(}
        : tensor<2x5x3xf64> to tensor<2x2x3xf64>, tensor<2x2x3xi64>
      return %v, %i : tensor<2x2x3xf64>, tensor<2x2x3xi64>
    })");
  cases.whole("moments", {{"2x3x4xf64"}}, R"(
    func.func @main(%a: tensor<2x3x4xf64>) -> (tensor<3xf64>, tensor<3xf64>) {
      %m, %v = burn.moments %a {dims = array<i64: 0, 2>, correction = 1} : tensor<2x3x4xf64>
      return %m, %v : tensor<3xf64>, tensor<3xf64>
    })");
}

void addContractions(Cases &cases) {
  cases.one("dot_general",
            "burn.dot_general %a, %b {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = "
            "array<i64: 1>, rhs_contract = array<i64: 0>} : tensor<3x4xf64>, tensor<4x2xf64> to "
            "tensor<3x2xf64>",
            {{"3x4xf64"}, {"4x2xf64"}}, "3x2xf64");
  cases.one("dot_general, a linear layer",
            "burn.dot_general %a, %b {lhs_batch = array<i64>, rhs_batch = array<i64>, "
            "lhs_contract = array<i64: 1>, rhs_contract = array<i64: 1>} : "
            "tensor<3x4xf64>, tensor<2x4xf64> to tensor<3x2xf64>",
            {{"3x4xf64"}, {"2x4xf64"}}, "3x2xf64");
  cases.one("dot_general, everything permuted",
            "burn.dot_general %a, %b {lhs_batch = array<i64: 2, 0>, rhs_batch = array<i64: 1, 4>, lhs_contract = "
            "array<i64: 4, 1>, rhs_contract = array<i64: 0, 3>} : tensor<2x3x5x2x4xf64>, tensor<4x5x3x3x2xf64> to "
            "tensor<5x2x2x3xf64>",
            {{"2x3x5x2x4xf64"}, {"4x5x3x3x2xf64"}}, "5x2x2x3xf64");

  auto conv = [&](const std::string &name, const std::string &lhs, const std::string &rhs, const std::string &out,
                  const std::string &attributes) {
    cases.one("conv, " + name,
              "burn.conv %a, %b {" + attributes + "} : tensor<" + lhs + ">, tensor<" + rhs + "> to tensor<" + out + ">",
              {{lhs}, {rhs}}, out);
  };
  const std::string plainDims = "lhs_dims = array<i64: 0, 1, 2, 3>, rhs_dims = array<i64: 0, 1, 2, 3>, out_dims = "
                                "array<i64: 0, 1, 2, 3>, ";
  conv("plain", "2x3x5x6xf64", "4x3x3x2xf64", "2x4x3x5xf64",
       plainDims + "strides = array<i64: 1, 1>, pad_low = array<i64: 0, 0>, pad_high = array<i64: 0, 0>, lhs_dilation "
                   "= array<i64: 1, 1>, rhs_dilation = array<i64: 1, 1>, feature_groups = 1, batch_groups = 1");
  conv("strides, padding and dilation", "2x2x7x6xf64", "3x2x3x2xf64", "2x3x5x3xf64",
       plainDims + "strides = array<i64: 3, 2>, pad_low = array<i64: 2, -1>, pad_high = array<i64: 2, 3>, lhs_dilation "
                   "= array<i64: 2, 1>, rhs_dilation = array<i64: 1, 2>, feature_groups = 1, batch_groups = 1");
  conv("feature groups and permuted dimensions", "5x4x2xf64", "3x2x6xf64", "6x2x3xf64",
       "lhs_dims = array<i64: 2, 1, 0>, rhs_dims = array<i64: 2, 1, 0>, out_dims = array<i64: 1, 0, 2>, strides = "
       "array<i64: 2>, pad_low = array<i64: 1>, pad_high = array<i64: 1>, lhs_dilation = array<i64: 1>, rhs_dilation "
       "= array<i64: 1>, feature_groups = 2, batch_groups = 1");
  conv("batch groups", "4x2x5xf64", "6x2x3xf64", "2x6x2xf64",
       "lhs_dims = array<i64: 0, 1, 2>, rhs_dims = array<i64: 0, 1, 2>, out_dims = array<i64: 0, 1, 2>, strides = "
       "array<i64: 2>, pad_low = array<i64: 0>, pad_high = array<i64: 0>, lhs_dilation = array<i64: 1>, rhs_dilation "
       "= array<i64: 1>, feature_groups = 1, batch_groups = 2");
  conv("no spatial dimension", "3x2xf64", "4x2xf64", "3x4xf64",
       "lhs_dims = array<i64: 0, 1>, rhs_dims = array<i64: 0, 1>, out_dims = array<i64: 0, 1>, strides = array<i64>, "
       "pad_low = array<i64>, pad_high = array<i64>, lhs_dilation = array<i64>, rhs_dilation = array<i64>, "
       "feature_groups = 1, batch_groups = 1");
  const std::string cubeDims = "lhs_dims = array<i64: 0, 1, 2, 3, 4>, rhs_dims = array<i64: 0, 1, 2, 3, 4>, out_dims = "
                               "array<i64: 0, 1, 2, 3, 4>, ";
  conv("three spatial dimensions in feature groups", "1x2x3x3x4xf64", "4x1x2x2x2xf64", "1x4x2x2x7xf64",
       cubeDims + "strides = array<i64: 1, 2, 1>, pad_low = array<i64: 1, -1, 0>, pad_high = array<i64: 0, 2, 1>, "
                  "lhs_dilation = array<i64: 1, 1, 2>, rhs_dilation = array<i64: 2, 1, 1>, feature_groups = 2, "
                  "batch_groups = 1");
  conv("three spatial dimensions in batch groups", "4x1x2x3x2xf64", "2x1x2x2x1xf64", "2x2x2x3x3xf64",
       cubeDims + "strides = array<i64: 1, 1, 1>, pad_low = array<i64: 1, 0, 0>, pad_high = array<i64: 0, 1, 1>, "
                  "lhs_dilation = array<i64: 1, 1, 1>, rhs_dilation = array<i64: 1, 1, 1>, feature_groups = 1, "
                  "batch_groups = 2");
  // Steps that leave a rest: the last elements have no part in the result.
  conv("a rest", "1x1x11xf64", "1x1x4xf64", "1x1x2xf64",
       "lhs_dims = array<i64: 0, 1, 2>, rhs_dims = array<i64: 0, 1, 2>, out_dims = array<i64: 0, 1, 2>, strides = "
       "array<i64: 4>, pad_low = array<i64: 0>, pad_high = array<i64: 0>, lhs_dilation = array<i64: 1>, rhs_dilation "
       "= array<i64: 1>, feature_groups = 1, batch_groups = 1");
}

void addWindows(Cases &cases) {
  for (const char *kind : {"sum", "prod", "max", "min"}) {
    cases.one(std::string("reduce_window ") + kind,
              std::string("burn.reduce_window ") + kind +
                  " %a {window = array<i64: 1, 3, 2>, strides = array<i64: 1, 2, 2>, pad_low = array<i64: 0, 1, 0>, "
                  "pad_high = array<i64: 0, 1, 0>, base_dilation = array<i64: 1, 1, 1>, window_dilation = array<i64: "
                  "1, 1, 1>} : tensor<2x5x4xf64> to tensor<2x3x2xf64>",
              {{"2x5x4xf64"}}, "2x3x2xf64");
    cases.one(std::string("reduce_window with dilations ") + kind,
              std::string("burn.reduce_window ") + kind +
                  " %a {window = array<i64: 3>, strides = array<i64: 2>, pad_low = array<i64: 2>, pad_high = "
                  "array<i64: -1>, base_dilation = array<i64: 2>, window_dilation = array<i64: 2>} : tensor<6xf64> to "
                  "tensor<4xf64>",
              {{"6xf64"}}, "4xf64");
    cases.one(std::string("reduce_window of three dimensions ") + kind,
              std::string("burn.reduce_window ") + kind +
                  " %a {window = array<i64: 2, 2, 2>, strides = array<i64: 1, 2, 1>, pad_low = array<i64: 1, 0, -1>, "
                  "pad_high = array<i64: 0, 1, 1>, base_dilation = array<i64: 1, 2, 1>, window_dilation = array<i64: "
                  "1, 1, 2>} : tensor<2x3x4xf64> to tensor<2x3x2xf64>",
              {{"2x3x4xf64"}}, "2x3x2xf64");
  }
  cases.whole("arg_reduce_window", {{"3x2x7xf64"}}, R"(
    func.func @main(%a: tensor<3x2x7xf64>) -> (tensor<2x2x4xf64>, tensor<2x2x4xi64>) {
      %v, %i = burn.arg_reduce_window max %a {window = array<i64: 2, 1, 3>, strides = array<i64: 1, 1, 2>,
        pad_low = array<i64: 0, 0, 1>, pad_high = array<i64: 0, 0, 1>, window_dilation = array<i64: 1, 1, 1>,
        index_dims = array<i64: 0, 2>} : tensor<3x2x7xf64> to tensor<2x2x4xf64>, tensor<2x2x4xi64>
      return %v, %i : tensor<2x2x4xf64>, tensor<2x2x4xi64>
    })");
}

void addNeural(Cases &cases) {
  for (const char *op : {"softmax", "log_softmax"})
    cases.one(op, std::string("burn.") + op + " %a {axis = 1} : tensor<2x5x3xf64>", {{"2x5x3xf64"}}, "2x5x3xf64");
  cases.whole("batch_norm", {{"3x2x4xf64"}, {"2xf64"}, {"2xf64"}}, R"(
    func.func @main(%a: tensor<3x2x4xf64>, %b: tensor<2xf64>, %c: tensor<2xf64>)
        -> (tensor<3x2x4xf64>, tensor<2xf64>, tensor<2xf64>) {
      %y, %m, %v = burn.batch_norm %a, %b, %c {feature_dim = 1, epsilon = 1.0e-2 : f64}
        : tensor<3x2x4xf64>, tensor<2xf64>
      return %y, %m, %v : tensor<3x2x4xf64>, tensor<2xf64>, tensor<2xf64>
    })");
  cases.whole("dropout", {{"3x4xf64"}}, R"(
    func.func @main(%a: tensor<3x4xf64>) -> tensor<3x4xf64> {
      %key = burn.constant dense<[7, 11]> : tensor<2xui32>
      %counter = burn.constant dense<5> : tensor<ui64>
      %rate = burn.constant dense<0.5> : tensor<f64>
      %r = burn.dropout %a, %key, %counter, %rate {ordinal = 3} : tensor<3x4xf64>
      return %r : tensor<3x4xf64>
    })");
  // Logits [.., classes, ..], targets of i64 or i32 with one ignored.
  for (const char *reduction : {"none", "mean", "sum"})
    for (const char *smoothing : {"0.0", "0.1"})
      for (bool weighted : {false, true}) {
        const std::string result = std::string(reduction) == "none" ? "4x2xf64" : "f64";
        const std::string weight = weighted ? ", %b" : "", weightType = weighted ? ", tensor<3xf64>" : "";
        const std::string integer = weighted ? "i32" : "i64", targets = weighted ? "%c" : "%b";
        std::vector<Arg> args{{"4x3x2xf64"}};
        if (weighted)
          args.push_back({"3xf64", 0.3, 1.5});
        HostTensor target = tensor<int64_t>({0, 2, 1, -100, 2, 2, 0, 1}, Shape{4, 2});
        if (weighted)
          target = tensor<int32_t>({0, 2, 1, -100, 2, 2, 0, 1}, Shape{4, 2});
        cases.one(std::string("cross_entropy ") + reduction + (weighted ? ", weights" : "") + ", smoothing " +
                      smoothing,
                  std::string("burn.cross_entropy ") + reduction + " %a, " + targets + weight +
                      " {axis = 1, ignore_index = -100, label_smoothing = " + smoothing +
                      " : f64} : (tensor<4x3x2xf64>, "
                      "tensor<4x2x" +
                      integer + ">" + weightType + ") -> tensor<" + result + ">",
                  args, result, {{"4x2x" + integer, target}});
      }
}

// Ops without a derivative of their own, inside of a program.
void addOthers(Cases &cases) {
  cases.whole("constant, iota, undef, rng_bits, stop_gradient, compare", {{"4xf64"}}, R"(
    func.func @main(%a: tensor<4xf64>) -> tensor<4xf64> {
      %c = burn.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf64>
      %i = burn.iota {dim = 0} : tensor<4xf64>
      %key = burn.constant dense<[7, 11]> : tensor<2xui32>
      %counter = burn.constant dense<5> : tensor<ui64>
      %bits = burn.rng_bits %key, %counter {ordinal = 3} : tensor<4xui32>
      %noise = burn.convert %bits : tensor<4xui32> to tensor<4xf64>
      %scale = burn.constant dense<1.0e-9> : tensor<4xf64>
      %small = burn.mul %noise, %scale : tensor<4xf64>
      %s = burn.mul %a, %c : tensor<4xf64>
      %t = burn.add %s, %i : tensor<4xf64>
      %u = burn.mul %t, %small : tensor<4xf64>
      %v = burn.tanh %u : tensor<4xf64>
      %zero = burn.undef : tensor<4xf64>
      %w = burn.compare gt %v, %i : tensor<4xf64>
      %x = burn.select %w, %v, %zero : tensor<4xi1>, tensor<4xf64>
      %y = burn.add %x, %s : tensor<4xf64>
      return %y : tensor<4xf64>
    })");
}

} // namespace

std::vector<GradientCase> gradientCases() {
  Cases cases;
  addElementwise(cases);
  addElementary(cases);
  addNumber(cases);
  addShape(cases);
  addIndexing(cases);
  addReductions(cases);
  addAlongAxis(cases);
  addContractions(cases);
  addWindows(cases);
  addNeural(cases);
  addNeuralGradients(cases);
  addOthers(cases);
  return std::move(cases.cases);
}

} // namespace burn::test
