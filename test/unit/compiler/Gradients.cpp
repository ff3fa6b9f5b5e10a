#include "Gradients.h"

#include "mlir/IR/Verifier.h"

#include <cmath>
#include <complex>

using namespace mlir;
using namespace burn;
using namespace burn::ir;

namespace burn::test {
namespace {

// The float values of a range.
SmallVector<Value> floatsOf(ValueRange values) {
  return llvm::filter_to_vector(values, [](Value value) { return isFloat(value.getType()); });
}

// Appends arguments of the types of `values`.
SmallVector<Value> addArguments(func::FuncOp function, ValueRange values) {
  SmallVector<Value> added;
  for (Value value : values)
    added.push_back(function.getBody().front().addArgument(value.getType(), value.getLoc()));
  return added;
}

void setResults(func::FuncOp function, ValueRange results) {
  Block &body = function.getBody().front();
  body.getTerminator()->setOperands(results);
  function.setFunctionType(
      FunctionType::get(function.getContext(), body.getArgumentTypes(), TypeRange(ValueRange(results))));
}

ValueRange gradient(OpBuilder &builder, ValueRange outputs, ValueRange cotangents, ValueRange wrt) {
  return GradOp::create(builder, wrt.front().getLoc(), outputs, cotangents, wrt).getGradients();
}

Tensors run(func::FuncOp function, const Tensors &arguments, Precision precision = Precision::Double) {
  InterpreterOptions options;
  options.precision = precision;
  auto results = interpret(function, arguments, options);
  INFO((results ? std::string() : results.status().message()));
  REQUIRE(results);
  return *results;
}

Tensors onlyFloats(const Tensors &tensors) {
  Tensors floats;
  for (const HostTensor &tensor : tensors)
    if (burn::isFloat(tensor.type.dtype))
      floats.push_back(tensor);
  return floats;
}

Tensors randomLike(const Tensors &tensors, uint64_t &seed) {
  Tensors result;
  for (const HostTensor &tensor : tensors) {
    HostTensor direction(tensor.type);
    for (double &element : direction.data<double>()) {
      seed = seed * 6364136223846793005u + 1442695040888963407u;
      element = static_cast<double>(seed >> 11) * 0x1p-52 - 1.0;
    }
    result.push_back(std::move(direction));
  }
  return result;
}

// Arguments whose floats are moved by `step` along `direction`.
Tensors moved(const Tensors &arguments, const Tensors &direction, double step) {
  Tensors result = arguments;
  size_t next = 0;
  for (HostTensor &argument : result) {
    if (!burn::isFloat(argument.type.dtype))
      continue;
    auto along = direction[next++].data<double>();
    for (auto [i, element] : llvm::enumerate(argument.data<double>()))
      element += step * along[i];
  }
  return result;
}

Tensors joined(Tensors a, const Tensors &b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

double largest(const Tensors &tensors) {
  double result = 1.0;
  for (const HostTensor &tensor : onlyFloats(tensors))
    for (double element : tensor.data<double>())
      result = std::max(result, std::abs(element));
  return result;
}

// Sum of the absolute products: what the rounding errors of `inner` scale with.
double innerSize(const Tensors &a, const Tensors &b) {
  double sum = 0.0;
  for (size_t i = 0; i < a.size(); ++i)
    for (size_t k = 0; k < a[i].data<double>().size(); ++k)
      sum += std::abs(a[i].data<double>()[k] * b[i].data<double>()[k]);
  return sum;
}

// <u, (f(x + h v) - f(x - h v)) / 2h>
double centralDifference(func::FuncOp function, const Tensors &arguments, const Tensors &direction, const Tensors &u) {
  const double h = 6e-6 * largest(arguments);
  Tensors above = onlyFloats(run(function, moved(arguments, direction, h)));
  Tensors below = onlyFloats(run(function, moved(arguments, direction, -h)));
  return (inner(u, above) - inner(u, below)) / (2.0 * h);
}

// <u, Im f(x + i h v) / h>
double complexStep(func::FuncOp function, const Tensors &arguments, const Tensors &direction, const Tensors &u) {
  constexpr double h = 1e-30;
  Tensors stepped;
  size_t next = 0;
  for (const HostTensor &argument : arguments) {
    if (!burn::isFloat(argument.type.dtype)) {
      stepped.push_back(argument);
      continue;
    }
    HostTensor complex(argument.type, /*complexElements=*/true);
    auto along = direction[next++].data<double>();
    for (auto [i, element] : llvm::enumerate(complex.data<std::complex<double>>()))
      element = {argument.data<double>()[i], h * along[i]};
    stepped.push_back(std::move(complex));
  }
  double sum = 0.0;
  size_t k = 0;
  for (const HostTensor &result : run(function, stepped, Precision::ComplexStep)) {
    if (!burn::isFloat(result.type.dtype))
      continue;
    auto weights = u[k++].data<double>();
    for (auto [i, element] : llvm::enumerate(result.data<std::complex<double>>()))
      sum += weights[i] * element.imag() / h;
  }
  return sum;
}

struct Derived {
  explicit Derived(const std::string &text) : program(text) {}
  func::FuncOp differentiated() {
    INFO(printed());
    REQUIRE(succeeded(verify(*program.module)));
    REQUIRE(succeeded(compiler::differentiate(program.function())));
    REQUIRE(succeeded(verify(*program.module)));
    return program.function();
  }
  std::string printed() {
    std::string text;
    llvm::raw_string_ostream(text) << *program.module;
    return text;
  }
  Program program;
};

void checkOnce(const GradientCase &c, const std::string &text, const Tensors &arguments, bool analytic,
               uint64_t &seed) {
  Derived plain(text), reverse(text), forward(text);
  func::FuncOp f = plain.differentiated();
  takeGradient(reverse.program.function());
  takeForwardDerivative(forward.program.function());

  Tensors direction = randomLike(onlyFloats(arguments), seed);
  Tensors outputs = onlyFloats(run(f, arguments));
  Tensors u = randomLike(outputs, seed);
  Tensors gradients = run(reverse.differentiated(), joined(arguments, u));
  Tensors derivative = run(forward.differentiated(), joined(joined(arguments, u), direction));

  const double byReverse = inner(gradients, direction);
  const double size = 1.0 + innerSize(gradients, direction);
  INFO(c.name);
  CHECK(std::abs(byReverse - centralDifference(f, arguments, direction, u)) <= c.tolerance * size);
  CHECK(std::abs(byReverse - inner(u, derivative)) <= 1e-12 * (size + innerSize(u, derivative)));
  if (analytic)
    CHECK(std::abs(byReverse - complexStep(f, arguments, direction, u)) <= 1e-12 * size);
}

} // namespace

bool isFloat(Type type) { return isa<FloatType>(cast<RankedTensorType>(type).getElementType()); }

void takeGradient(func::FuncOp function) {
  Block &body = function.getBody().front();
  SmallVector<Value> wrt = floatsOf(body.getArguments());
  SmallVector<Value> outputs = floatsOf(body.getTerminator()->getOperands());
  SmallVector<Value> cotangents = addArguments(function, outputs);
  OpBuilder builder(body.getTerminator());
  setResults(function, gradient(builder, outputs, cotangents, wrt));
}

void takeForwardDerivative(func::FuncOp function) {
  Block &body = function.getBody().front();
  SmallVector<Value> wrt = floatsOf(body.getArguments());
  SmallVector<Value> outputs = floatsOf(body.getTerminator()->getOperands());
  SmallVector<Value> cotangents = addArguments(function, outputs);
  SmallVector<Value> directions = addArguments(function, wrt);
  OpBuilder builder(body.getTerminator());
  ValueRange pulled = gradient(builder, outputs, cotangents, wrt);
  setResults(function, gradient(builder, pulled, directions, cotangents));
}

double inner(const Tensors &a, const Tensors &b) {
  REQUIRE(a.size() == b.size());
  double sum = 0.0;
  for (size_t i = 0; i < a.size(); ++i)
    for (size_t k = 0; k < a[i].data<double>().size(); ++k)
      sum += a[i].data<double>()[k] * b[i].data<double>()[k];
  return sum;
}

void checkGradient(const GradientCase &c) {
  uint64_t seed = 0x9e3779b97f4a7c15u;
  for (char letter : c.name)
    seed = seed * 31 + static_cast<unsigned char>(letter);
  for (int repetition = 0; repetition < 3; ++repetition)
    checkOnce(c, c.text, c.arguments, c.analytic, seed);
  if (!c.twice)
    return;
  Derived reverse(c.text);
  takeGradient(reverse.program.function());
  Derived plain(c.text);
  Tensors cotangents = randomLike(onlyFloats(run(plain.differentiated(), c.arguments)), seed);
  checkOnce(c, reverse.printed(), joined(c.arguments, cotangents), false, seed);
}

void collectOps(const GradientCase &c, std::set<std::string> &names) {
  Derived twice(c.text);
  takeGradient(twice.program.function());
  takeGradient(twice.program.function());
  twice.differentiated().walk([&](Operation *op) { names.insert(op->getName().getStringRef().str()); });
}

} // namespace burn::test
