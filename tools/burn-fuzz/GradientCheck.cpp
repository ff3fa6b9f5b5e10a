// Derivatives of smooth programs against differences.
#include "passes/Pipelines/Compile.h"
#include "tools/burn-fuzz/Oracle.h"
#include "tools/burn-fuzz/Values.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace mlir;
using namespace burn;
using namespace burn::fuzz;

namespace {

// The same program, which returns the gradient of its one result with respect to `wrt`.
OwningOpRef<ModuleOp> makeGradient(ModuleOp module, ArrayRef<unsigned> wrt) {
  OwningOpRef<ModuleOp> gradient = module.clone();
  func::FuncOp function = functionOf(*gradient);
  Operation *end = function.getBody().front().getTerminator();
  SmallVector<Value> variables;
  for (unsigned number : wrt)
    variables.push_back(function.getArgument(number));
  OpBuilder builder(end);
  auto grad = ir::GradOp::create(builder, builder.getUnknownLoc(), TypeRange(ValueRange(variables)),
                                 ValueRange(end->getOperand(0)), ValueRange(), variables);
  end->setOperands(grad.getGradients());
  function.setFunctionType(builder.getFunctionType(function.getArgumentTypes(), end->getOperandTypes()));
  return gradient;
}

} // namespace

std::string fuzz::findWrongGradient(const Program &program, uint64_t seed, bool &compared) {
  compared = false;
  func::FuncOp function = functionOf(*program.module);
  SmallVector<unsigned> wrt;
  for (BlockArgument argument : function.getArguments())
    if (typeOf(argument).dtype == DType::F64)
      wrt.push_back(argument.getArgNumber());
  // Rules leave out what no variable needs, so some arguments are none.
  Random random(seed);
  for (size_t i = wrt.size(); i-- > 0;)
    if (wrt.size() > 1 && chance(random, 0.3))
      wrt.erase(wrt.begin() + i);
  std::string error;
  ir::InterpreterOptions options;
  const auto valueAt = [&](const Tensors &arguments) {
    auto results = ir::interpret(function, arguments, options);
    if (!results) {
      error = "interpreter: " + results.status().message();
      return std::nan("");
    }
    return (*results)[0].data<double>()[0];
  };
  // Where a value left the range of f64, the chain rule multiplies infinity by 0, and no difference tells what it is.
  bool isFinite = true;
  options.observer = [&](Operation *, std::span<const ir::HostTensor *const>,
                         std::span<const ir::HostTensor *const> values) {
    for (const ir::HostTensor *each : values)
      if (each->type.dtype == DType::F64)
        for (double element : each->data<double>())
          isFinite = isFinite && std::isfinite(element);
    return core::Status::ok();
  };
  const double value = valueAt(program.arguments);
  options.observer = nullptr;
  if (!error.empty() || wrt.empty() || !isFinite) // the mean of no examples is none, too
    return error;

  OwningOpRef<ModuleOp> gradient = makeGradient(*program.module, wrt);
  if (core::Status status = compiler::expandGradients(*gradient); !status)
    return "differentiation: " + status.message();
  auto slopes = ir::interpret(functionOf(*gradient), program.arguments);
  if (!slopes)
    return "interpreter: " + slopes.status().message();

  // Along a random direction, with the error of the second power of the step taken out.
  Tensors directions;
  double expected = 0, magnitude = 0;
  for (auto [k, number] : llvm::enumerate(wrt)) {
    directions.push_back(randomTensor(program.arguments[number].type, Fill::Tame, random));
    const auto slope = (*slopes)[k].data<double>(), direction = directions.back().data<double>();
    for (size_t i = 0; i < slope.size(); ++i) {
      expected += slope[i] * direction[i];
      magnitude += std::fabs(slope[i] * direction[i]);
    }
  }
  const auto moved = [&](double step) {
    Tensors arguments = program.arguments;
    for (auto [k, number] : llvm::enumerate(wrt)) {
      auto elements = arguments[number].data<double>();
      for (size_t i = 0; i < elements.size(); ++i)
        elements[i] += step * directions[k].data<double>()[i];
    }
    return valueAt(arguments);
  };
  // The slope over a step to both sides, and by how much the slopes on the two sides differ.
  const auto difference = [&](double step) {
    const double above = moved(step), below = moved(-step);
    return std::pair((above - below) / (2 * step), (above - 2 * value + below) / step);
  };
  // Where a function turns over within a step its differences mean nothing: the two steps then disagree, or agree by
  // chance, and shorter ones are tried. One that bends at a point has sides whose difference is not proportional to the
  // step. A wrong derivative is wrong by all of them, and noise cannot hide by how much:
  // what a step found off stays found unless a shorter one could tell. Nothing is compared where none of them agree.
  double gap = std::numeric_limits<double>::infinity();
  for (const double h : {1e-4, 1e-5, 1e-6}) {
    const auto [wide, wideBend] = difference(2 * h);
    const auto [narrow, narrowBend] = difference(h);
    const double noise = 1e-15 * std::fabs(value) / h;
    if (std::fabs(wide - narrow) > 1e-2 * std::max(std::fabs(wide), std::fabs(narrow)) + 1e3 * noise + 1e-9)
      continue;
    const double actual = (4 * narrow - wide) / 3;
    const double tolerance = 1e-6 * magnitude + 1e-2 * std::fabs(wide - narrow) + 1e3 * noise + 1e-9;
    if (std::fabs(wideBend - 2 * narrowBend) > tolerance)
      continue;
    compared = true;
    if (tolerance > gap / 2)
      break;
    if (std::fabs(expected - actual) <= tolerance)
      return "";
    gap = std::fabs(expected - actual);
    error = "gradient: along a direction it is " + std::to_string(expected) + ", by differences " +
            std::to_string(actual) + " with a tolerance of " + std::to_string(tolerance);
  }
  return error;
}
