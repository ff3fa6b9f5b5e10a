// burn-hoist-frozen: what is computed from frozen arguments alone is computed once.
#include "passes/Graph/Accesses.h"
#include "passes/Graph/Import.h"
#include "passes/Graph/Passes.h"
#include "passes/Graph/Prepare.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

namespace burn::compiler {
#define GEN_PASS_DEF_HOISTFROZEN
#include "passes/Graph/Passes.h.inc"
} // namespace burn::compiler

using namespace mlir;
using namespace burn;
using namespace burn::compiler;

namespace {

// Ops that compute the same whenever they run, and cannot fail.
bool isMovable(Operation *op) {
  return op->getNumRegions() == 0 &&
         (isTransparent(op) ||
          isa<ir::ElementwiseOpInterface, ir::ReduceOp, ir::DotGeneralOp, ir::ConvOp, ir::ConstantOp>(op));
}

// Views that another kernel reads through at no cost.
bool isFreeView(Operation *op) {
  if (auto slice = dyn_cast<ir::SliceOp>(op))
    return llvm::all_of(slice.getStrides(), [](int64_t stride) { return stride == 1; });
  return isa<ir::ReshapeOp, ir::BroadcastOp>(op);
}

bool isContraction(Operation *op) { return isa<ir::DotGeneralOp, ir::ConvOp>(op); }

class Hoister {
public:
  explicit Hoister(func::FuncOp func) : func_(func), budget_(func) {}

  void run() {
    Block &body = func_.getBody().front();
    for (BlockArgument argument : body.getArguments())
      if (func_.getArgAttr(argument.getArgNumber(), kFrozenAttr))
        fixed_.insert(argument);
    if (fixed_.empty())
      return;
    for (Operation &op : body.without_terminator())
      classify(&op);
    for (Value value : body.getTerminator()->getOperands())
      markReturned(value);
    for (Operation &op : body.without_terminator())
      if (!isFixed(&op))
        for (Value operand : op.getOperands())
          consider(operand, &op);
    if (hoisted_.empty())
      return;
    move();
  }

private:
  // Fixed values are computed from frozen arguments, free ones from nothing or from constants.
  void classify(Operation *op) {
    if (!isMovable(op))
      return;
    bool known = true, fixed = false;
    for (Value operand : op->getOperands()) {
      fixed |= fixed_.contains(operand);
      known &= fixed_.contains(operand) || free_.contains(operand);
    }
    if (!known)
      return;
    (fixed ? fixed_ : free_).insert(op->result_begin(), op->result_end());
    if (!fixed)
      return;
    // Whether a run is spared more than it costs to read the value. A contraction wants its operands in memory, and
    // takes them in any order of dimensions; others compute cheap arithmetic as they read.
    auto elementwise = dyn_cast<ir::ElementwiseOpInterface>(op);
    const bool isView = isTransparent(op) && !elementwise;
    const auto follows = [&](const llvm::DenseSet<Value> &values) {
      return llvm::any_of(op->getOperands(), [&](Value operand) { return values.contains(operand); });
    };
    if (!isView || follows(computed_))
      computed_.insert(op->result_begin(), op->result_end());
    if ((isView ? !isFreeView(op) : !elementwise || elementwise.getPayloadCost() > 0) || follows(costly_))
      costly_.insert(op->result_begin(), op->result_end());
  }
  bool isFixed(Operation *op) const { return op->getNumResults() > 0 && fixed_.contains(op->getResult(0)); }

  // The buffer of a returned value is the caller's, so the program itself computes it.
  void markReturned(Value value) {
    for (; value; value = sharedBufferOf(value))
      returned_.insert(value);
  }

  // Decides over a fixed value that `reader`, which is not, reads; what stays may have operands that do not.
  void consider(Value first, Operation *firstReader) {
    SmallVector<std::pair<Value, Operation *>> left = {{first, firstReader}};
    while (!left.empty()) {
      const auto [value, reader] = left.pop_back_val();
      const bool isOperand = isContraction(reader);
      Operation *op = value.getDefiningOp();
      if (!op || !fixed_.contains(value) || hoisted_.contains(value) || returned_.contains(value) ||
          !considered_.insert({value, unsigned(isOperand)}).second)
        continue;
      const bool stays = isFreeView(op) || cast<RankedTensorType>(value.getType()).getRank() == 0 ||
                         (isOperand && canConvertOnRead(op) && isReadConverted(op)) ||
                         !(isOperand ? computed_ : costly_).contains(value);
      if (!stays) {
        int64_t sourceBytes = 0;
        for (unsigned argument : argumentsBelow(value))
          sourceBytes += tensorBytes(func_.getArgumentTypes()[argument]);
        if (budget_.take(tensorBytes(value.getType()), sourceBytes)) {
          hoisted_.insert(value);
          continue;
        }
      }
      for (Value operand : op->getOperands())
        left.push_back({operand, op});
    }
  }

  void move() {
    func::FuncOp prepare = makePrepare(func_);
    llvm::SetVector<Operation *> needed;
    for (Value value : hoisted_)
      needed.insert(value.getDefiningOp());
    for (size_t i = 0; i < needed.size(); ++i)
      for (Value operand : needed[i]->getOperands())
        if (Operation *next = operand.getDefiningOp())
          needed.insert(next);
    IRMapping mapping;
    for (BlockArgument argument : prepare.getArguments())
      mapping.map(func_.getArgument(argument.getArgNumber()), argument);
    OpBuilder b(prepare.getBody().front().getTerminator());
    for (Operation &op : func_.getBody().front())
      if (needed.contains(&op))
        b.clone(op, mapping);
    for (Value value : hoisted_)
      value.replaceAllUsesWith(addDerived(func_, prepare, mapping.lookup(value)));
    eraseUnused(func_, [&](Operation *op) { return needed.contains(op); });
  }

  func::FuncOp func_;
  DerivedBudget budget_;
  llvm::DenseSet<Value> fixed_, free_, returned_;
  llvm::DenseSet<Value> computed_,
      costly_; // fixed values behind an op that is no view, or one that is worth the memory
  llvm::DenseSet<std::pair<Value, unsigned>> considered_; // with 1 where a contraction reads it
  llvm::SetVector<Value> hoisted_;
};

struct HoistFrozen : compiler::impl::HoistFrozenBase<HoistFrozen> {
  void runOnOperation() override {
    for (auto func : llvm::to_vector(getOperation().getOps<func::FuncOp>()))
      if (!func.isExternal() && !isPrepare(func) && !prepareOf(func))
        Hoister(func).run();
  }
};

} // namespace
