#include "dialects/Burn/Interpreter/RegionEvaluation.h"

#include "dialects/Burn/Burn.h"
#include "dialects/Burn/Interpreter/Evaluation.h"

using namespace mlir;
using namespace burn;
using namespace burn::ir;
using core::ErrorCode;
using core::Expected;
using core::Status;

namespace {

Status evaluateBarrier(meaning::Evaluation &evaluation) {
  for (size_t i = 0; i < evaluation.operands.size(); ++i)
    evaluation.result(i) = evaluation.operand(i);
  return Status::ok();
}

Status evaluateAssert(meaning::Evaluation &evaluation, const core::AssertAttrs &attrs) {
  if (!meaning::load<bool>(evaluation.operand(0))[0])
    return Status::error(ErrorCode::OutOfRange, std::string(attrs.message));
  evaluation.result(0) = evaluation.operand(1);
  return Status::ok();
}

int64_t integerOf(const SharedTensor &tensor) { return meaning::load<int64_t>(*tensor)[0]; }

SharedTensors range(const SharedTensors &tensors, size_t begin, size_t count) {
  return {tensors.begin() + begin, tensors.begin() + begin + count};
}

void append(SharedTensors &tensors, const SharedTensors &more) {
  tensors.insert(tensors.end(), more.begin(), more.end());
}

Expected<SharedTensors> evaluateFor(ForOp op, const SharedTensors &operands, RunRegion run) {
  const int64_t lower = integerOf(operands[0]), upper = integerOf(operands[1]), step = integerOf(operands[2]);
  if (step <= 0)
    return Status::error(ErrorCode::OutOfRange, "expects a positive step, got " + std::to_string(step));
  SharedTensors carried = range(operands, 3, op.getInits().size());
  const SharedTensors invariants = range(operands, 3 + carried.size(), op.getInvariants().size());
  // Neither the distance nor the index behind the last one need fit into an i64.
  for (int64_t index = lower; index < upper;) {
    auto indexTensor = std::make_shared<HostTensor>(operands[0]->type);
    meaning::storeAt(*indexTensor, 0, index);
    SharedTensors arguments{indexTensor};
    append(arguments, carried);
    append(arguments, invariants);
    Expected<SharedTensors> next = run(op.getBody(), std::move(arguments));
    if (!next)
      return next.status();
    carried = std::move(*next);
    if (__builtin_add_overflow(index, step, &index))
      break;
  }
  return carried;
}

Expected<SharedTensors> evaluateWhile(WhileOp op, const SharedTensors &operands, RunRegion run) {
  SharedTensors carried = range(operands, 0, op.getInits().size());
  const SharedTensors invariants = range(operands, carried.size(), op.getInvariants().size());
  for (;;) {
    SharedTensors arguments = carried;
    append(arguments, invariants);
    Expected<SharedTensors> condition = run(op.getCond(), arguments);
    if (!condition)
      return condition.status();
    if (!meaning::load<bool>(*condition->front())[0])
      return carried;
    Expected<SharedTensors> next = run(op.getBody(), std::move(arguments));
    if (!next)
      return next.status();
    carried = std::move(*next);
  }
}

} // namespace

meaning::Function meaning::findControl(core::OpCode op) {
  switch (op) {
  case core::OpCode::Barrier:
  case core::OpCode::Print: // who runs it prints
    return &evaluateBarrier;
  case core::OpCode::Assert:
    return &meaning::Decoding<&evaluateAssert>::call;
  default:
    return nullptr;
  }
}

Expected<SharedTensors> ir::evaluateRegions(Operation *op, const SharedTensors &operands, RunRegion run) {
  if (auto branch = dyn_cast<IfOp>(op)) {
    const bool predicate = meaning::load<bool>(*operands[0])[0];
    return run(predicate ? branch.getOnTrue() : branch.getOnFalse(), range(operands, 1, operands.size() - 1));
  }
  if (auto loop = dyn_cast<ForOp>(op))
    return evaluateFor(loop, operands, run);
  if (auto loop = dyn_cast<WhileOp>(op))
    return evaluateWhile(loop, operands, run);
  // The others are what their first region computes.
  if (op->getRegion(0).empty())
    return Status::error(ErrorCode::Unsupported, "has no decomposition that the interpreter could run");
  return run(op->getRegion(0), operands);
}
