#include "tools/burn-fuzz/ProgramBuilder.h"

#include "runtime/Core/OpRules/OpRules.h"

using namespace mlir;
using namespace burn;
using namespace burn::fuzz;

ProgramBuilder::ProgramBuilder(MLIRContext &context) : builder_(&context) {
  context.loadDialect<ir::BurnDialect, func::FuncDialect>();
  module_ = ModuleOp::create(builder_.getUnknownLoc());
  builder_.setInsertionPointToEnd(module_->getBody());
  function_ = func::FuncOp::create(builder_, builder_.getUnknownLoc(), "main", builder_.getFunctionType({}, {}));
  builder_.setInsertionPointToEnd(function_.addEntryBlock());
}

Value ProgramBuilder::argument(const core::TypeDesc &type, StringRef mark) {
  if (!mark.empty())
    marks_.emplace_back(function_.getBody().front().getNumArguments(), mark.str());
  return function_.getBody().front().addArgument(ir::toTensorType(builder_.getContext(), type),
                                                 builder_.getUnknownLoc());
}

Value ProgramBuilder::constant(const ir::HostTensor &value) {
  return ir::ConstantOp::create(builder_, builder_.getUnknownLoc(), ir::toElementsAttr(builder_.getContext(), value));
}

Operation *ProgramBuilder::op(core::OpCode code, ArrayRef<Value> operands, ArrayRef<int64_t> words,
                              const core::TypeDesc *type) {
  const core::OpInfo &info = *core::findOp(code);
  std::vector<core::TypeDesc> types, results;
  for (Value operand : operands)
    types.push_back(typeOf(operand));
  if (type)
    results.push_back(*type);
  if (core::Status status = core::inferTypes(code, types, {words.data(), words.size()}, results); !status) {
    refusal_ = std::string(info.name) + ": " + status.message();
    return nullptr;
  }
  return op(code, operands, words, results, {});
}

Operation *ProgramBuilder::op(core::OpCode code, ArrayRef<Value> operands, ArrayRef<int64_t> words,
                              ArrayRef<core::TypeDesc> results, ArrayRef<Region> regions) {
  const core::OpInfo &info = *core::findOp(code);
  FailureOr<SmallVector<NamedAttribute>> attributes = ir::toAttributes(builder_.getContext(), info, words);
  if (failed(attributes)) {
    refusal_ = std::string(info.name) + ": malformed attributes";
    return nullptr;
  }
  OperationState state(builder_.getUnknownLoc(), "burn." + std::string(info.name));
  state.addOperands(operands);
  state.addAttributes(*attributes);
  for (const core::TypeDesc &result : results)
    state.addTypes(ir::toTensorType(builder_.getContext(), result));
  for (const Region &region : regions) {
    OpBuilder::InsertionGuard guard(builder_);
    Block *block = builder_.createBlock(state.addRegion());
    for (const core::TypeDesc &type : region.arguments)
      block->addArgument(ir::toTensorType(builder_.getContext(), type), builder_.getUnknownLoc());
    const std::vector<Value> yielded = region.body(SmallVector<Value>(block->args_begin(), block->args_end()));
    ir::YieldOp::create(builder_, builder_.getUnknownLoc(), yielded);
  }
  return builder_.create(state);
}

ResultRange ProgramBuilder::gradient(Value loss, ArrayRef<Value> wrt) {
  return ir::GradOp::create(builder_, builder_.getUnknownLoc(), TypeRange(ValueRange(wrt)), loss, ValueRange(), wrt)
      .getGradients();
}

OwningOpRef<ModuleOp> ProgramBuilder::finish(ArrayRef<Value> results) {
  func::ReturnOp::create(builder_, builder_.getUnknownLoc(), results);
  function_.setFunctionType(
      builder_.getFunctionType(function_.getBody().front().getArgumentTypes(), TypeRange(ValueRange(results))));
  for (const auto &[number, mark] : marks_)
    function_.setArgAttr(number, mark, builder_.getUnitAttr());
  return std::move(module_);
}
