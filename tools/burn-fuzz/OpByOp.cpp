#include "tools/burn-fuzz/OpByOp.h"

#include "dialects/Burn/Interpreter/Bounds.h"

using namespace mlir;
using namespace burn;
using namespace burn::fuzz;

OwningOpRef<ModuleOp> fuzz::returnEverything(ModuleOp module) {
  OwningOpRef<ModuleOp> copy = module.clone();
  func::FuncOp function = functionOf(*copy);
  Block &block = function.getBody().front();
  SmallVector<Value> values;
  for (Operation &op : block.without_terminator())
    values.append(op.result_begin(), op.result_end());
  block.getTerminator()->setOperands(values);
  function.setFunctionType(
      FunctionType::get(copy->getContext(), block.getArgumentTypes(), TypeRange(ValueRange(values))));
  return copy;
}

namespace {

// An op with regions, in a function of its own.
core::Status interpretAlone(Operation *op, std::span<const ir::HostTensor *const> operands,
                            std::vector<ir::HostTensor> &results) {
  OpBuilder builder(op->getContext());
  OwningOpRef<ModuleOp> module = ModuleOp::create(builder.getUnknownLoc());
  builder.setInsertionPointToEnd(module->getBody());
  auto function = func::FuncOp::create(builder, builder.getUnknownLoc(), "main",
                                       builder.getFunctionType(op->getOperandTypes(), op->getResultTypes()));
  Block *block = function.addEntryBlock();
  builder.setInsertionPointToEnd(block);
  Operation *copy = builder.clone(*op);
  copy->setOperands(block->getArguments());
  func::ReturnOp::create(builder, builder.getUnknownLoc(), copy->getResults());
  Tensors arguments;
  for (const ir::HostTensor *operand : operands)
    arguments.push_back(*operand);
  core::Expected<Tensors> values = ir::interpret(function, arguments);
  if (!values)
    return values.status();
  results = std::move(*values);
  return core::Status::ok();
}

// What the interpreter makes of an op on given operands.
core::Status evaluate(Operation *op, std::span<const ir::HostTensor *const> operands, std::span<const int64_t> words,
                      std::vector<ir::HostTensor> &results) {
  if (auto constant = dyn_cast<ir::ConstantOp>(op)) {
    core::Expected<ir::HostTensor> value = ir::toHostTensor(constant.getValue());
    if (!value)
      return value.status();
    results.push_back(std::move(*value));
    return core::Status::ok();
  }
  if (op->getNumRegions() != 0)
    return interpretAlone(op, operands, results);
  std::vector<core::TypeDesc> types;
  for (Value result : op->getResults())
    types.push_back(typeOf(result));
  return ir::evaluate(ir::opInfo(op)->code, operands, words, types, ir::Precision::Own, results);
}

std::string describe(Operation &op, const Twine &what) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  op.print(stream, OpPrintingFlags().elideLargeElementsAttrs(64));
  stream << ": " << what;
  return text;
}

} // namespace

std::vector<std::string> fuzz::compareOpByOp(func::FuncOp function, std::span<const ir::HostTensor> arguments,
                                             std::span<const ir::HostTensor> values) {
  std::vector<std::string> failures;
  llvm::DenseMap<Value, const ir::HostTensor *> known;
  Block &block = function.getBody().front();
  for (auto [argument, value] : llvm::zip_equal(block.getArguments(), arguments))
    known[argument] = &value;
  size_t next = 0;
  for (Operation &op : block.without_terminator())
    for (Value result : op.getResults()) {
      if (next == values.size())
        return {"the compiled program returns too few values"};
      known[result] = &values[next++];
    }
  if (next != values.size())
    return {"the compiled program returns too many values"};
  for (Operation &op : block.without_terminator()) {
    if (isa<ir::UndefOp>(op))
      continue;
    SmallVector<const ir::HostTensor *> operands;
    for (Value operand : op.getOperands())
      operands.push_back(known.at(operand));
    const SmallVector<int64_t> words = isa<ir::ConstantOp>(op) ? SmallVector<int64_t>() : ir::toAttrWords(&op);
    std::vector<ir::HostTensor> expected;
    if (core::Status status = evaluate(&op, operands, {words.data(), words.size()}, expected); !status) {
      failures.push_back(describe(op, "the interpreter: " + status.message()));
      continue;
    }
    for (auto [i, result] : llvm::enumerate(op.getResults()))
      if (const ir::Comparison comparison = ir::compareWithinBound(
              ir::opInfo(&op)->code, operands, {words.data(), words.size()}, i, expected[i], *known.at(result));
          !comparison)
        failures.push_back(describe(op, "result " + Twine(i) + ": " + comparison.message));
  }
  return failures;
}

Tensors fuzz::resultsFrom(ModuleOp module, const Tensors &arguments, const Tensors &values) {
  Block &block = functionOf(module).getBody().front();
  llvm::DenseMap<Value, size_t> positions;
  for (Operation &op : block.without_terminator())
    for (Value result : op.getResults())
      positions.try_emplace(result, positions.size());
  Tensors results;
  for (Value result : block.getTerminator()->getOperands()) {
    auto argument = dyn_cast<BlockArgument>(result);
    results.push_back(argument ? arguments[argument.getArgNumber()] : values[positions.at(result)]);
  }
  return results;
}

std::vector<std::string> fuzz::compareBits(std::span<const ir::HostTensor> expected,
                                           std::span<const ir::HostTensor> actual) {
  if (expected.size() != actual.size())
    return {std::to_string(actual.size()) + " results in place of " + std::to_string(expected.size())};
  std::vector<std::string> failures;
  for (size_t i = 0; i < expected.size(); ++i)
    if (const ir::Comparison comparison = ir::compareExact(expected[i], actual[i]); !comparison)
      failures.push_back("result " + std::to_string(i) + ": " + comparison.message);
  return failures;
}
