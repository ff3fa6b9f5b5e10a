#include "GoldenProgram.h"

#include <cstdint>
#include <cstdio>
#include <functional>
#include <map>
#include <numeric>
#include <vector>

using nlohmann::json;

namespace burn::test {
namespace {

using Dims = std::vector<int64_t>;

std::string list(const Dims &dims) {
  std::string text;
  for (size_t i = 0; i < dims.size(); ++i)
    text += (i ? ", " : ": ") + std::to_string(dims[i]);
  return "array<i64" + text + ">";
}

std::string typeName(const Dims &shape, const std::string &element = "f64") {
  std::string text = "tensor<";
  for (int64_t size : shape)
    text += std::to_string(size) + "x";
  return text + element + ">";
}

// MLIR reads no exponent without a point.
std::string decimal(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.17e", value);
  return text;
}

struct Value {
  std::string name;
  Dims shape;
  std::string element = "f64";
  std::string type() const { return typeName(shape, element); }
};

Dims range(int64_t begin, int64_t end) {
  Dims dims(static_cast<size_t>(end - begin));
  std::iota(dims.begin(), dims.end(), begin);
  return dims;
}

Dims repeated(size_t count, int64_t value) { return Dims(count, value); }

Dims without(const Dims &shape, const Dims &dims) {
  Dims result;
  for (int64_t i = 0; i < static_cast<int64_t>(shape.size()); ++i)
    if (std::find(dims.begin(), dims.end(), i) == dims.end())
      result.push_back(shape[static_cast<size_t>(i)]);
  return result;
}

// An integer attribute, or the same for each spatial dimension.
Dims spatial(const json &attrs, const char *name, size_t count, int64_t otherwise = 0) {
  if (!attrs.contains(name))
    return repeated(count, otherwise);
  return attrs[name].is_array() ? attrs[name].get<Dims>() : repeated(count, attrs[name].get<int64_t>());
}

class Program {
public:
  explicit Program(const json &c) : attrs(c["attrs"]) {
    for (const auto &[name, input] : c["inputs"].items()) {
      const std::string kind = input["dtype"];
      Value value{"%" + name, input["shape"].get<Dims>(), kind == "int64" ? "i64" : kind == "bool" ? "i1" : "f64"};
      arguments += (arguments.empty() ? "" : ", ") + value.name + ": " + value.type();
      inputs[name] = value;
    }
    out = c["outputs"][0]["shape"].get<Dims>();
  }

  const Value &operator[](const char *name) const { return inputs.at(name); }
  bool has(const char *name) const { return inputs.contains(name); }

  Value add(const std::string &text, Dims shape, const std::string &element = "f64") {
    Value value{"%v" + std::to_string(count++), std::move(shape), element};
    body += "  " + value.name + " = burn." + text + "\n";
    return value;
  }

  Value unary(const std::string &op, const Value &x) { return add(op + " " + x.name + " : " + x.type(), x.shape); }
  Value binary(const std::string &op, const Value &a, const Value &b) {
    return add(op + " " + a.name + ", " + b.name + " : " + a.type(), a.shape);
  }
  Value number(double value, const Dims &shape) {
    return add("constant dense<" + decimal(value) + "> : " + typeName(shape), shape);
  }
  Value scaled(const Value &x, double factor) { return binary("mul", x, number(factor, x.shape)); }
  Value broadcast(const Value &x, const Dims &shape, const Dims &dims) {
    if (x.shape == shape)
      return x;
    return add("broadcast " + x.name + " {dims = " + list(dims) + "} : " + x.type() + " to " +
                   typeName(shape, x.element),
               shape, x.element);
  }
  // Aligned at the last dimension, as NumPy does.
  Value aligned(const Value &x, const Dims &shape) {
    const auto rank = static_cast<int64_t>(shape.size());
    return broadcast(x, shape, range(rank - static_cast<int64_t>(x.shape.size()), rank));
  }
  Value reshape(const Value &x, const Dims &shape) {
    if (x.shape == shape)
      return x;
    return add("reshape " + x.name + " : " + x.type() + " to " + typeName(shape, x.element), shape, x.element);
  }
  Value reduce(const std::string &kind, const Value &x, const Dims &dims) {
    Dims shape = without(x.shape, dims);
    return add("reduce " + kind + " " + x.name + " {dims = " + list(dims) + "} : " + x.type() + " to " +
                   typeName(shape),
               shape);
  }
  Value dot(const Value &a, const Value &b, const Dims &lhsBatch, const Dims &rhsBatch, const Dims &lhsContract,
            const Dims &rhsContract) {
    return add("dot_general " + a.name + ", " + b.name + " {lhs_batch = " + list(lhsBatch) + ", rhs_batch = " +
                   list(rhsBatch) + ", lhs_contract = " + list(lhsContract) + ", rhs_contract = " + list(rhsContract) +
                   "} : " + a.type() + ", " + b.type() + " to " + typeName(out),
               out);
  }
  Value conv(const Value &x, const Value &w, const Dims &rhsDims, const Dims &strides, const Dims &low,
             const Dims &high, const Dims &lhsDilation, const Dims &rhsDilation, int64_t groups) {
    const Dims plain = range(0, static_cast<int64_t>(x.shape.size()));
    return add("conv " + x.name + ", " + w.name + " {lhs_dims = " + list(plain) + ", rhs_dims = " + list(rhsDims) +
                   ", out_dims = " + list(plain) + ", strides = " + list(strides) + ", pad_low = " + list(low) +
                   ", pad_high = " + list(high) + ", lhs_dilation = " + list(lhsDilation) +
                   ", rhs_dilation = " + list(rhsDilation) + ", feature_groups = " + std::to_string(groups) +
                   ", batch_groups = 1} : " + x.type() + ", " + w.type() + " to " + typeName(out),
               out);
  }
  // A pool over the trailing dimensions; the output size says how far it reaches beyond the end.
  Value pool(const std::string &kind, const Value &x, size_t dims) {
    const size_t lead = x.shape.size() - dims;
    Dims window = repeated(lead, 1), strides = window, low = repeated(lead, 0), high = low, dilation = window;
    const Dims k = spatial(attrs, "kernel", dims), s = spatial(attrs, "stride", dims),
               p = spatial(attrs, "padding", dims), d = spatial(attrs, "dilation", dims, 1);
    for (size_t i = 0; i < dims; ++i) {
      window.push_back(k[i]);
      strides.push_back(s[i]);
      low.push_back(p[i]);
      high.push_back((out[lead + i] - 1) * s[i] + (k[i] - 1) * d[i] + 1 - x.shape[lead + i] - p[i]);
      dilation.push_back(d[i]);
    }
    return add("reduce_window " + kind + " " + x.name + " {window = " + list(window) + ", strides = " + list(strides) +
                   ", pad_low = " + list(low) + ", pad_high = " + list(high) +
                   ", base_dilation = " + list(repeated(x.shape.size(), 1)) + ", window_dilation = " + list(dilation) +
                   "} : " + x.type() + " to " + typeName(out),
               out);
  }
  Value gather(const Value &x, const Value &indices, const Dims &offset, const Dims &collapsed, const Dims &batching,
               const Dims &map, const Dims &sizes) {
    return add("gather check " + x.name + ", " + indices.name + " {offset_dims = " + list(offset) +
                   ", collapsed_slice_dims = " + list(collapsed) + ", operand_batching_dims = " + list(batching) +
                   ", start_indices_batching_dims = " + list(batching) + ", start_index_map = " + list(map) +
                   ", index_vector_dim = " + std::to_string(indices.shape.size()) + " : i64, slice_sizes = " +
                   list(sizes) + "} : " + x.type() + ", " + indices.type() + " to " + typeName(out),
               out);
  }
  Value scatter(const std::string &combiner, const Value &x, const Value &indices, const Value &updates,
                const Dims &window, const Dims &inserted, const Dims &batching, const Dims &map) {
    return add("scatter " + combiner + " check " + x.name + ", " + indices.name + ", " + updates.name +
                   " {update_window_dims = " + list(window) + ", inserted_window_dims = " + list(inserted) +
                   ", input_batching_dims = " + list(batching) + ", scatter_indices_batching_dims = " + list(batching) +
                   ", scatter_dims_to_operand_dims = " + list(map) +
                   ", index_vector_dim = " + std::to_string(indices.shape.size()) + " : i64} : " + x.type() + ", " +
                   indices.type() + ", " + updates.type(),
               x.shape);
  }

  std::string finished(const std::vector<Value> &results) const {
    std::string names, types;
    for (const Value &result : results) {
      names += (names.empty() ? "" : ", ") + result.name;
      types += (types.empty() ? "" : ", ") + result.type();
    }
    return "func.func @main(" + arguments + ") -> (" + types + ") {\n" + body + "  return " + names + " : " + types +
           "\n}\n";
  }

  json attrs;
  Dims out; // shape of the first output

private:
  std::map<std::string, Value> inputs;
  std::string arguments, body;
  int count = 0;
};

using Results = std::vector<Value>;
using Rule = std::function<Results(Program &)>;

void addElementwise(std::map<std::string, Rule> &rules) {
  const std::map<std::string, std::string> unary{
      {"exp", "exp"},          {"expm1", "expm1"}, {"tanh", "tanh"},        {"erf", "erf"},
      {"sigmoid", "logistic"}, {"relu", "relu"},   {"neg", "neg"},          {"abs", "abs"},
      {"log", "log"},          {"log1p", "log1p"}, {"sqrt", "sqrt"},        {"rsqrt", "rsqrt"},
      {"floor", "floor"},      {"ceil", "ceil"},   {"round", "round_even"}, {"sign", "sign"}};
  for (const auto &[name, op] : unary)
    rules[name] = [op](Program &p) { return Results{p.unary(op, p["x"])}; };
  const std::map<std::string, std::string> binary{{"add", "add"}, {"sub", "sub"},     {"mul", "mul"},    {"div", "div"},
                                                  {"pow", "pow"}, {"maximum", "max"}, {"minimum", "min"}};
  for (const auto &[name, op] : binary)
    rules[name] = [op](Program &p) {
      if (!p.has("b"))
        return Results{}; // a host scalar
      return Results{p.binary(op, p.aligned(p["a"], p.out), p.aligned(p["b"], p.out))};
    };
  rules["square"] = [](Program &p) { return Results{p.binary("mul", p["x"], p["x"])}; };
  rules["reciprocal"] = [](Program &p) { return Results{p.binary("div", p.number(1.0, p.out), p["x"])}; };
  rules["gelu"] = [](Program &p) {
    return Results{p.unary("gelu " + p.attrs["approximate"].get<std::string>(), p["x"])};
  };
  rules["clamp"] = [](Program &p) {
    Value low = p.number(p.attrs["min"], p.out), high = p.number(p.attrs["max"], p.out);
    return Results{p.add("clamp " + p["x"].name + ", " + low.name + ", " + high.name + " : " + p["x"].type(), p.out)};
  };
  rules["where"] = [](Program &p) {
    Value a = p.aligned(p["a"], p.out), b = p.aligned(p["b"], p.out);
    return Results{p.add(
        "select " + p["c"].name + ", " + a.name + ", " + b.name + " : " + p["c"].type() + ", " + a.type(), p.out)};
  };
}

void addShape(std::map<std::string, Rule> &rules) {
  rules["permute"] = [](Program &p) {
    return Results{p.add("transpose " + p["x"].name + " {perm = " + list(p.attrs["dims"]) + "} : " + p["x"].type() +
                             " to " + typeName(p.out),
                         p.out)};
  };
  rules["flip"] = [](Program &p) {
    return Results{
        p.add("reverse " + p["x"].name + " {dims = " + list(p.attrs["dims"]) + "} : " + p["x"].type(), p.out)};
  };
  rules["slice"] = [](Program &p) {
    return Results{p.add("slice " + p["x"].name + " {starts = " + list(p.attrs["start"]) + ", sizes = " + list(p.out) +
                             ", strides = " + list(p.attrs["step"]) + "} : " + p["x"].type() + " to " + typeName(p.out),
                         p.out)};
  };
  rules["pad"] = [](Program &p) {
    if (p.attrs["mode"] != "constant")
      return Results{};
    const size_t rank = p.out.size();
    Dims low = repeated(rank, 0), high = low;
    const char *const names[] = {"last_dim", "second_last_dim"};
    for (size_t i = 0; i < 2; ++i)
      if (p.attrs.contains(names[i])) {
        low[rank - 1 - i] = p.attrs[names[i]][0];
        high[rank - 1 - i] = p.attrs[names[i]][1];
      }
    Value value = p.number(p.attrs["value"], {});
    return Results{p.add("pad " + p["x"].name + ", " + value.name + " {low = " + list(low) + ", high = " + list(high) +
                             ", interior = " + list(repeated(rank, 0)) + "} : " + p["x"].type() + ", tensor<f64> to " +
                             typeName(p.out),
                         p.out)};
  };
}

void addReductions(std::map<std::string, Rule> &rules) {
  for (const auto &[name, kind] : std::map<std::string, std::string>{
           {"sum", "sum"}, {"mean", "sum"}, {"amax", "max"}, {"amin", "min"}, {"prod", "prod"}})
    rules[name] = [name, kind](Program &p) {
      const auto rank = static_cast<int64_t>(p["x"].shape.size());
      Dims dims = p.attrs["dim"].is_array() ? p.attrs["dim"].get<Dims>() : Dims{p.attrs["dim"].get<int64_t>()};
      double elements = 1.0;
      for (int64_t &dim : dims) {
        dim = dim < 0 ? dim + rank : dim;
        elements *= static_cast<double>(p["x"].shape[static_cast<size_t>(dim)]);
      }
      std::sort(dims.begin(), dims.end());
      Value result = p.reshape(p.reduce(kind, p["x"], dims), p.out);
      return Results{name == "mean" ? p.scaled(result, 1.0 / elements) : result};
    };
  for (const std::string name : {"softmax", "log_softmax"})
    rules[name] = [name](Program &p) {
      int64_t axis = p.attrs["dim"];
      axis = axis < 0 ? axis + static_cast<int64_t>(p.out.size()) : axis;
      return Results{
          p.add(name + " " + p["x"].name + " {axis = " + std::to_string(axis) + "} : " + p["x"].type(), p.out)};
    };
}

void addIndexing(std::map<std::string, Rule> &rules) {
  rules["gather"] = [](Program &p) { return Results{p.gather(p["x"], p["i"], {}, {1}, {0}, {1}, {1, 1})}; };
  rules["index_select"] = [](Program &p) {
    return Results{p.gather(p["x"], p["i"], {1}, {0}, {}, {0}, {1, p["x"].shape[1]})};
  };
  rules["embedding"] = [](Program &p) {
    return Results{p.gather(p["w"], p["i"], {2}, {0}, {}, {0}, {1, p["w"].shape[1]})};
  };
  auto elements = [](const std::string &combiner) {
    return [combiner](Program &p) { return Results{p.scatter(combiner, p["x"], p["i"], p["s"], {}, {1}, {0}, {1})}; };
  };
  rules["scatter"] = elements("assign");
  rules["scatter_add"] = elements("add");
  rules["scatter_reduce"] = [elements](Program &p) {
    const std::map<std::string, std::string> combiners{{"prod", "mul"}, {"amax", "max"}, {"amin", "min"}};
    auto found = combiners.find(p.attrs["reduce"].get<std::string>());
    return p.attrs["include_self"].get<bool>() && found != combiners.end() ? elements(found->second)(p) : Results{};
  };
  rules["index_add"] = [](Program &p) {
    return Results{p.scatter("add", p["x"], p["i"], p.scaled(p["s"], p.attrs["alpha"]), {1}, {0}, {}, {0})};
  };
}

void addContractions(std::map<std::string, Rule> &rules) {
  rules["matmul"] = [](Program &p) {
    const size_t a = p["a"].shape.size(), b = p["b"].shape.size();
    if (a > 2 && b > 2)
      return Results{}; // batch dimensions that are broadcast
    const auto last = static_cast<int64_t>(a) - 1, first = b > 1 ? static_cast<int64_t>(b) - 2 : 0;
    return b > 2 ? Results{} : Results{p.dot(p["a"], p["b"], {}, {}, {last}, {first})};
  };
  rules["linear"] = [](Program &p) {
    return Results{p.binary("add", p.dot(p["x"], p["w"], {}, {}, {2}, {1}), p.aligned(p["b"], p.out))};
  };
  rules["einsum"] = [](Program &p) {
    const std::string equation = p.attrs["equation"];
    if (equation == "bij,bjk->bik")
      return Results{p.dot(p["x0"], p["x1"], {0}, {0}, {2}, {1})};
    if (equation == "ij,kj->ik")
      return Results{p.dot(p["x0"], p["x1"], {}, {}, {1}, {1})};
    if (equation == "bhqd,bhkd->bhqk")
      return Results{p.dot(p["x0"], p["x1"], {0, 1}, {0, 1}, {3}, {3})};
    return Results{};
  };
  for (const std::string name : {"conv1d", "conv2d", "conv3d"})
    rules[name] = [](Program &p) {
      const size_t n = p.out.size() - 2;
      const Dims padding = spatial(p.attrs, "padding", n);
      Value y = p.conv(p["x"], p["w"], range(0, static_cast<int64_t>(n) + 2), spatial(p.attrs, "stride", n), padding,
                       padding, repeated(n, 1), spatial(p.attrs, "dilation", n), p.attrs["groups"]);
      return Results{p.binary("add", y, p.broadcast(p["b"], p.out, {1}))};
    };
  for (const std::string name : {"conv_transpose1d", "conv_transpose2d"})
    rules[name] = [](Program &p) {
      if (p.attrs["groups"] != 1)
        return Results{}; // needs the kernel in another layout
      const size_t n = p.out.size() - 2;
      const Dims padding = spatial(p.attrs, "padding", n), dilation = spatial(p.attrs, "dilation", n),
                 output = spatial(p.attrs, "output_padding", n);
      Dims low, high, rhsDims = range(0, static_cast<int64_t>(n) + 2);
      std::swap(rhsDims[0], rhsDims[1]);
      for (size_t i = 0; i < n; ++i) {
        low.push_back(dilation[i] * (p["w"].shape[2 + i] - 1) - padding[i]);
        high.push_back(low.back() + output[i]);
      }
      Value w = p.add("reverse " + p["w"].name + " {dims = " + list(range(2, static_cast<int64_t>(n) + 2)) +
                          "} : " + p["w"].type(),
                      p["w"].shape);
      Value y = p.conv(p["x"], w, rhsDims, repeated(n, 1), low, high, spatial(p.attrs, "stride", n), dilation, 1);
      return Results{p.binary("add", y, p.broadcast(p["b"], p.out, {1}))};
    };
}

void addNeural(std::map<std::string, Rule> &rules) {
  for (size_t dims : {1, 2, 3})
    rules["max_pool" + std::to_string(dims) + "d"] = [dims](Program &p) {
      return Results{p.pool("max", p["x"], dims)};
    };
  rules["avg_pool2d"] = [](Program &p) {
    const Dims window = spatial(p.attrs, "kernel", 2);
    if (p.attrs["ceil_mode"].get<bool>() || !p.attrs["count_include_pad"].get<bool>())
      return Results{}; // divides by a count that differs from place to place
    return Results{p.scaled(p.pool("sum", p["x"], 2), 1.0 / static_cast<double>(window[0] * window[1]))};
  };
  rules["batch_norm"] = [](Program &p) {
    if (!p.attrs["training"].get<bool>())
      return Results{};
    const Value &x = p["x"];
    const double count = static_cast<double>(x.shape[0] * x.shape[2] * x.shape[3]), momentum = p.attrs["momentum"];
    Value y = p.add("batch_norm " + x.name + ", " + p["w"].name + ", " + p["b"].name + " {feature_dim = 1, epsilon = " +
                        decimal(p.attrs["eps"]) + " : f64} : " + x.type() + ", " + p["w"].type(),
                    p.out);
    // No gradient flows into running statistics.
    Value mean = p.unary("stop_gradient", {y.name + "#1", p["m"].shape});
    Value variance = p.unary("stop_gradient", {y.name + "#2", p["v"].shape});
    return Results{
        {y.name + "#0", p.out},
        p.binary("add", p.scaled(p["m"], 1.0 - momentum), p.scaled(mean, momentum)),
        p.binary("add", p.scaled(p["v"], 1.0 - momentum), p.scaled(variance, momentum * count / (count - 1.0)))};
  };
  rules["cross_entropy"] = [](Program &p) {
    if (p["t"].element != "i64")
      return Results{}; // probabilities as target
    const std::string weight = p.has("w") ? ", " + p["w"].name : "",
                      weightType = p.has("w") ? ", " + p["w"].type() : "";
    const std::string smoothing = decimal(p.attrs.value("label_smoothing", 0.0));
    return Results{p.add("cross_entropy " + p.attrs.value("reduction", "mean") + " " + p["x"].name + ", " +
                             p["t"].name + weight +
                             " {axis = 1, ignore_index = " + std::to_string(p.attrs.value("ignore_index", -100)) +
                             ", label_smoothing = " + smoothing + " : f64} : (" + p["x"].type() + ", " + p["t"].type() +
                             weightType + ") -> " + typeName(p.out),
                         p.out)};
  };
}

} // namespace

std::optional<std::string> goldenProgram(const json &c) {
  static const std::map<std::string, Rule> rules = [] {
    std::map<std::string, Rule> all;
    addElementwise(all);
    addShape(all);
    addReductions(all);
    addIndexing(all);
    addContractions(all);
    addNeural(all);
    return all;
  }();
  auto rule = rules.find(c["op"].get<std::string>());
  if (rule == rules.end())
    return std::nullopt;
  Program program(c);
  const Results results = rule->second(program);
  if (results.empty())
    return std::nullopt;
  std::string text = program.finished(results);
  // A result of several is written with its number.
  if (c["op"] == "batch_norm") {
    const size_t at = text.find(" = burn.batch_norm");
    text.insert(at, ":3");
  }
  return text;
}

} // namespace burn::test
