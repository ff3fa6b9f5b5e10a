// Gradients of functions of burn ops on the interpreter, and what they are compared with.
#pragma once

#include "Interpret.h"
#include "passes/Autodiff/Passes.h"

#include <set>

namespace burn::test {

using Tensors = std::vector<ir::HostTensor>;

/// Whether a tensor takes part in differentiation.
bool isFloat(mlir::Type type);

/// Makes a function return the gradients of its float results with respect to its float arguments
/// instead; the cotangents of the results become further arguments. burn.grad is left in place.
void takeGradient(mlir::func::FuncOp function);

/// The same with directions of the arguments as further arguments, for J v by double reverse mode:
/// the derivative of <u -> J^T u> along v.
void takeForwardDerivative(mlir::func::FuncOp function);

/// A tensor whose elements are drawn from [-1, 1).
ir::HostTensor randomTensor(mlir::Type type, uint64_t &seed);

/// Sum of the products of the elements of all float tensors.
double inner(const Tensors &a, const Tensors &b);

/// A function and arguments at which its derivatives are checked.
struct GradientCase {
  std::string name;
  std::string text; // one function
  Tensors arguments;
  bool analytic = true;    // also compared with a complex step
  bool twice = true;       // also the gradient of the gradient
  double tolerance = 1e-7; // against differences, relative
};

/// Compares the gradient with central differences and with forward derivatives along random directions.
void checkGradient(const GradientCase &c);

/// The ops that the reverse passes of `c` emit, of first and second order, added to `names`.
void collectOps(const GradientCase &c, std::set<std::string> &names);

/// Cases for every op that has a reverse-mode rule.
std::vector<GradientCase> gradientCases();

} // namespace burn::test
