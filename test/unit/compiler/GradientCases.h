// How gradient cases are written: one op, or a whole function, at arguments drawn from given ranges.
#pragma once

#include "Gradients.h"

namespace burn::test {

/// The type of a float argument and the range of its elements.
struct Arg {
  std::string type; // "3x4xf64"
  double low = -2.0, high = 2.0;
};

/// Elements spread over [low, high), no two close to each other and none close to an integer.
inline ir::HostTensor spread(const Arg &arg, uint64_t &seed) {
  Shape shape;
  std::string digits;
  for (char letter : arg.type) {
    if (letter == 'x') {
      shape.push(std::stoll(digits));
      digits.clear();
    } else {
      digits += letter;
    }
  }
  ir::HostTensor tensor(core::TypeDesc{DType::F64, shape});
  for (double &element : tensor.data<double>()) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    element = arg.low + (arg.high - arg.low) * static_cast<double>(seed >> 11) * 0x1p-53;
  }
  return tensor;
}

/// Cases under construction.
class Cases {
public:
  // A function of one op over %a, %b ... with float arguments, then the given integer ones.
  GradientCase &one(const std::string &name, const std::string &op, const std::vector<Arg> &args,
                    const std::string &result, const std::vector<std::pair<std::string, ir::HostTensor>> &others = {}) {
    GradientCase c;
    c.name = name;
    std::vector<std::string> types;
    for (const Arg &arg : args) {
      types.push_back("tensor<" + arg.type + ">");
      c.arguments.push_back(spread(arg, seed));
    }
    for (const auto &[type, value] : others) {
      types.push_back("tensor<" + type + ">");
      c.arguments.push_back(value);
    }
    c.text = oneOp(op, types, "tensor<" + result + ">");
    cases.push_back(std::move(c));
    return cases.back();
  }

  GradientCase &unary(const std::string &op, double low = -2.0, double high = 2.0) {
    return one(op, "burn." + op + " %a : tensor<3x4xf64>", {{"3x4xf64", low, high}}, "3x4xf64");
  }

  GradientCase &binary(const std::string &op, double low = -2.0, double high = 2.0) {
    return one(op, "burn." + op + " %a, %b : tensor<3x4xf64>", {{"3x4xf64", low, high}, {"3x4xf64", low, high}},
               "3x4xf64");
  }

  // A whole function.
  GradientCase &whole(const std::string &name, const std::vector<Arg> &args, const std::string &text) {
    GradientCase c;
    c.name = name;
    c.text = text;
    for (const Arg &arg : args)
      c.arguments.push_back(spread(arg, seed));
    cases.push_back(std::move(c));
    return cases.back();
  }

  std::vector<GradientCase> cases;

private:
  uint64_t seed = 42;
};

/// Those of activations, normalisations, attention and their like.
void addNeuralGradients(Cases &cases);

} // namespace burn::test
