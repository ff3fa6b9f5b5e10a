// burn-hoist-frozen: what is computed from frozen arguments alone is computed once, and from constants at once.
#include "dialects/Burn/Interpreter/Bounds.h"
#include "dialects/Burn/Interpreter/Interpreter.h"
#include "passes/Graph/Accesses.h"
#include "passes/Graph/Import.h"
#include "passes/Graph/Passes.h"
#include "passes/Graph/Prepare.h"
#include "passes/Graph/Regions.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

#include <unordered_map>

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

// What a value is computed from; of several operands the last counts, unless one changes.
enum class Origin {
  Changing,  // also from what changes, or by an op that stays where it is
  Free,      // from nothing, or one number everywhere
  Constants, // from the data of constants, all of it with the bits that the interpreter gives it
  Inexact,   // from no argument, but by ops that may have other bits in code
  Frozen,    // from frozen arguments, whatever else
};

// Whether a value of this origin may be computed before the program runs.
bool isAhead(Origin origin) { return origin == Origin::Constants || origin == Origin::Frozen; }

// Constants that are computed from others by the interpreter may take so much in all: it holds each op's result.
constexpr int64_t kMostFoldedBytes = 64 << 20;

class Hoister {
public:
  explicit Hoister(func::FuncOp func)
      : func_(func), derived_(DerivedBudget::ofFrozen(func)), folded_(DerivedBudget::ofConstants(func)) {}

  void run() {
    Block &body = func_.getBody().front();
    for (BlockArgument argument : body.getArguments())
      if (func_.getArgAttr(argument.getArgNumber(), kFrozenAttr))
        origins_[argument] = Origin::Frozen;
    classify(body);
    for (Value value : body.getTerminator()->getOperands())
      markReturned(value);
    for (Operation *op : ops_)
      if (!isAhead(originOf(op)))
        for (Value operand : op->getOperands())
          consider(operand, op);
    move();
  }

private:
  Origin originOf(Value value) const { return origins_.lookup(outermost(value)); }
  Origin originOf(Operation *op) const {
    return op->getNumResults() > 0 ? origins_.lookup(op->getResult(0)) : Origin::Changing;
  }

  // Regions are classified behind the values that they take.
  void classify(Block &block) {
    for (Operation &op : block.without_terminator()) {
      ops_.push_back(&op);
      classify(&op);
      if (isa<ir::IfOp, ir::ForOp, ir::WhileOp>(op))
        for (Region &region : op.getRegions())
          classify(region.front());
    }
  }

  void classify(Operation *op) {
    if (!isMovable(op))
      return;
    Origin origin = op->getNumResults() == 1 && isData(op->getResult(0)) ? Origin::Constants : Origin::Free;
    for (Value operand : op->getOperands()) {
      if (originOf(operand) == Origin::Changing)
        return;
      origin = std::max(origin, originOf(operand));
    }
    if (!isa<ir::ConstantOp>(op) && ir::boundOf(ir::opInfo(op)->code).kind != ir::BoundKind::Exact)
      origin = std::max(origin, Origin::Inexact);
    for (Value result : op->getResults())
      origins_[result] = origin;
    if (!isAhead(origin) || isa<ir::ConstantOp>(op))
      return;
    // Whether a run is spared more than it costs to read the value. A contraction wants its operands in memory, and
    // takes them in any order of dimensions; others compute cheap arithmetic as they read.
    auto elementwise = dyn_cast<ir::ElementwiseOpInterface>(op);
    const bool isView = isTransparent(op) && !elementwise;
    const auto follows = [&](const llvm::DenseSet<Value> &values) {
      return llvm::any_of(op->getOperands(), [&](Value operand) { return values.contains(outermost(operand)); });
    };
    if (!isView || follows(computed_))
      computed_.insert(op->result_begin(), op->result_end());
    if ((isView ? !isFreeView(op) : !elementwise || elementwise.getPayloadCost() > 0) || follows(costly_))
      costly_.insert(op->result_begin(), op->result_end());
  }

  // The buffer of a returned value is the caller's, so the program itself computes it.
  void markReturned(Value value) {
    for (; value; value = sharedBufferOf(value))
      returned_.insert(value);
  }

  // Decides over a value that `reader`, which changes, reads; what stays may have operands that do not.
  void consider(Value first, Operation *firstReader) {
    SmallVector<std::pair<Value, Operation *>> left = {{first, firstReader}};
    while (!left.empty()) {
      const auto [read, reader] = left.pop_back_val();
      const bool isOperand = isContraction(reader);
      Value value = outermost(read); // what loops and branches hand in is read there
      Operation *op = value.getDefiningOp();
      const Origin origin = originOf(value);
      if (!op || isa<ir::ConstantOp>(op) || !isAhead(origin) || hoisted_.contains(value) || returned_.contains(value) ||
          !considered_.insert({value, unsigned(isOperand)}).second)
        continue;
      const bool stays = isFreeView(op) || cast<RankedTensorType>(value.getType()).getRank() == 0 ||
                         (isOperand && canConvertOnRead(op) && isReadConverted(op)) ||
                         !(isOperand ? computed_ : costly_).contains(value);
      if (!stays &&
          (origin == Origin::Frozen ? derived_ : folded_).take(tensorBytes(value.getType()), sourceBytes(value)) &&
          (origin == Origin::Frozen || isFoldable(value))) {
        hoisted_.insert(value);
        continue;
      }
      for (Value operand : op->getOperands())
        left.push_back({operand, op});
    }
  }

  bool isFoldable(Value value) {
    llvm::SetVector<Value> leaves;
    for (Operation *op : opsBelow(value, leaves))
      if (!isa<ir::ConstantOp>(op))
        foldedBytes_ += tensorBytes(op->getResult(0).getType());
    return foldedBytes_ <= kMostFoldedBytes;
  }

  // The ops that compute the values, and values that they begin with.
  llvm::SetVector<Operation *> opsBelow(ArrayRef<Value> values, llvm::SetVector<Value> &leaves) const {
    llvm::SetVector<Operation *> ops;
    SmallVector<Value> left(values);
    while (!left.empty()) {
      Value value = left.pop_back_val();
      value = outermost(value);
      if (isa<BlockArgument>(value) || isData(value))
        leaves.insert(value);
      if (isa<BlockArgument>(value))
        continue;
      if (ops.insert(value.getDefiningOp()))
        llvm::append_range(left, value.getDefiningOp()->getOperands());
    }
    return ops;
  }

  // Bytes of what the value comes from: of frozen arguments, or else of constants.
  int64_t sourceBytes(Value value) const {
    llvm::SetVector<Value> leaves;
    opsBelow(value, leaves);
    int64_t bytes = 0;
    for (Value leaf : leaves)
      if (isa<BlockArgument>(leaf) == (originOf(value) == Origin::Frozen))
        bytes += tensorBytes(leaf.getType());
    return bytes;
  }

  // Clones what the values are computed by, in the order of the program; what several regions compute once.
  void clone(OpBuilder &b, ArrayRef<Value> values, IRMapping &mapping) const {
    llvm::SetVector<Value> leaves;
    const llvm::SetVector<Operation *> needed = opsBelow(values, leaves);
    std::unordered_multimap<size_t, Operation *> clones;
    for (Operation *op : ops_) {
      if (!needed.contains(op))
        continue;
      for (Value operand : op->getOperands())
        if (Value outside = outermost(operand); outside != operand)
          mapping.map(operand, mapping.lookup(outside));
      Operation *twin = b.clone(*op, mapping);
      const size_t hash = OperationEquivalence::computeHash(twin, OperationEquivalence::directHashValue,
                                                            OperationEquivalence::ignoreHashValue,
                                                            OperationEquivalence::IgnoreLocations);
      const auto [first, last] = clones.equal_range(hash);
      const auto equal = std::find_if(first, last, [&](const auto &one) {
        return OperationEquivalence::isEquivalentTo(one.second, twin, OperationEquivalence::IgnoreLocations);
      });
      if (equal == last) {
        clones.emplace(hash, twin);
        continue;
      }
      mapping.map(op->getResults(), equal->second->getResults());
      twin->erase();
    }
  }

  void move() {
    SmallVector<Value> frozen, constants;
    for (Value value : hoisted_)
      (originOf(value) == Origin::Frozen ? frozen : constants).push_back(value);
    for (Value value : constants)
      fold(value);
    if (!frozen.empty()) {
      func::FuncOp prepare = makePrepare(func_);
      IRMapping mapping;
      for (BlockArgument argument : prepare.getArguments())
        mapping.map(func_.getArgument(argument.getArgNumber()), argument);
      OpBuilder b(prepare.getBody().front().getTerminator());
      clone(b, frozen, mapping);
      llvm::DenseMap<Value, Value> derived;
      for (Value value : frozen) {
        Value &argument = derived[mapping.lookup(value)];
        if (!argument)
          argument = addDerived(func_, prepare, mapping.lookup(value));
        value.replaceAllUsesWith(passInto(argument, value.getParentBlock()));
      }
    }
    if (hoisted_.empty())
      return;
    dropUnusedInvariants(func_);
    eraseUnused(func_, [&](Operation *op) { return originOf(op) > Origin::Changing; });
    dropUnusedInvariants(func_);
  }

  // Computes a value from constants; it stays an op where that fails.
  void fold(Value value) {
    MLIRContext *context = func_.getContext();
    OpBuilder b(context);
    OwningOpRef<func::FuncOp> alone =
        func::FuncOp::create(value.getLoc(), "constant", b.getFunctionType({}, value.getType()));
    b.setInsertionPointToStart(alone->addEntryBlock());
    IRMapping mapping;
    clone(b, value, mapping);
    func::ReturnOp::create(b, value.getLoc(), mapping.lookup(value));
    const auto results = ir::interpret(*alone, {});
    if (!results)
      return;
    Operation *op = value.getDefiningOp();
    b.setInsertionPoint(op);
    auto constant = ir::ConstantOp::create(b, value.getLoc(), ir::toElementsAttr(context, results->front()));
    origins_[constant] = Origin::Constants;
    value.replaceAllUsesWith(constant);
    *llvm::find(ops_, op) = constant;
  }

  func::FuncOp func_;
  DerivedBudget derived_, folded_;
  int64_t foldedBytes_ = 0;
  SmallVector<Operation *> ops_;          // in the order of the program, those of regions too
  llvm::DenseMap<Value, Origin> origins_; // Changing where there is none
  llvm::DenseSet<Value> returned_;
  llvm::DenseSet<Value> computed_,
      costly_; // values behind an op that is no view, or one that is worth the memory
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
