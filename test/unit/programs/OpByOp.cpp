#include "test/unit/programs/OpByOp.h"

#include "dialects/Burn/Interpreter/Bounds.h"

#include <catch2/catch.hpp>

using namespace mlir;
using namespace burn;
using namespace burn::test;

OwningOpRef<ModuleOp> test::returnEverything(ModuleOp module) {
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

std::vector<std::string> test::compareOpByOp(func::FuncOp function, std::span<const ir::HostTensor> arguments,
                                             std::span<const ir::HostTensor> values) {
  std::vector<std::string> failures;
  llvm::DenseMap<Value, const ir::HostTensor *> known;
  Block &block = function.getBody().front();
  for (auto [argument, value] : llvm::zip_equal(block.getArguments(), arguments))
    known[argument] = &value;
  size_t next = 0;
  for (Operation &op : block.without_terminator())
    for (Value result : op.getResults()) {
      REQUIRE(next < values.size());
      known[result] = &values[next++];
    }
  REQUIRE(next == values.size());
  for (Operation &op : block.without_terminator()) {
    if (isa<ir::UndefOp>(op))
      continue;
    SmallVector<const ir::HostTensor *> operands;
    for (Value operand : op.getOperands())
      operands.push_back(known.at(operand));
    std::vector<ir::HostTensor> expected;
    const core::OpInfo &info = *ir::opInfo(&op);
    SmallVector<int64_t> words;
    if (auto constant = dyn_cast<ir::ConstantOp>(op)) {
      expected.push_back(*ir::toHostTensor(constant.getValue()));
    } else {
      words = ir::toAttrWords(&op);
      std::vector<core::TypeDesc> types;
      for (Value result : op.getResults())
        types.push_back(typeOf(result));
      core::Status status =
          ir::evaluate(info.code, operands, {words.data(), words.size()}, types, ir::Precision::Own, expected);
      INFO(status.message());
      REQUIRE(status);
    }
    for (auto [i, result] : llvm::enumerate(op.getResults())) {
      const ir::Comparison comparison =
          ir::compareWithinBound(info.code, operands, {words.data(), words.size()}, i, expected[i], *known.at(result));
      if (comparison)
        continue;
      std::string text;
      llvm::raw_string_ostream(text) << op << ": result " << i << ": " << comparison.message;
      failures.push_back(text);
    }
  }
  return failures;
}

std::vector<std::string> test::compareBits(std::span<const ir::HostTensor> expected,
                                           std::span<const ir::HostTensor> actual) {
  REQUIRE(expected.size() == actual.size());
  std::vector<std::string> failures;
  for (size_t i = 0; i < expected.size(); ++i)
    if (const ir::Comparison comparison = ir::compareExact(expected[i], actual[i]); !comparison)
      failures.push_back("result " + std::to_string(i) + ": " + comparison.message);
  return failures;
}
