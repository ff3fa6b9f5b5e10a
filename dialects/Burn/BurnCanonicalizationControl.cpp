// Canonicalization of control flow: decided branches, loops without iterations, values that nobody needs.
#include "dialects/Burn/Burn.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace burn::ir;

namespace {

std::optional<APInt> scalarConstant(Value value) {
  DenseIntElementsAttr constant;
  if (!matchPattern(value, m_Constant(&constant)) || constant.getNumElements() != 1)
    return std::nullopt;
  return *constant.begin();
}

std::optional<int64_t> integerConstant(Value value) {
  std::optional<APInt> constant = scalarConstant(value);
  return constant ? std::optional(constant->getSExtValue()) : std::nullopt;
}

std::optional<bool> booleanConstant(Value value) {
  std::optional<APInt> constant = scalarConstant(value);
  return constant ? std::optional(!constant->isZero()) : std::nullopt;
}

YieldOp yieldOf(Region &region) { return cast<YieldOp>(region.front().getTerminator()); }

// Which arguments of a block the values depend on.
llvm::BitVector neededArguments(Block &block, ValueRange values) {
  llvm::BitVector needed(block.getNumArguments());
  llvm::SmallPtrSet<Operation *, 16> seen;
  SmallVector<Value> stack(values);
  while (!stack.empty()) {
    Value value = stack.pop_back_val();
    if (auto argument = dyn_cast<BlockArgument>(value))
      needed.set(argument.getArgNumber());
    else if (Operation *op = value.getDefiningOp(); seen.insert(op).second)
      stack.append(op->operand_begin(), op->operand_end());
  }
  return needed;
}

// A change that is none would have the pattern applied again, for ever.
void eraseOperands(PatternRewriter &rewriter, YieldOp yield, const llvm::BitVector &dropped) {
  if (dropped.any())
    rewriter.modifyOpInPlace(yield, [&] { yield->eraseOperands(dropped); });
}

// Puts constants in the place of region arguments that are constant; returns whether there were any.
bool sinkConstants(PatternRewriter &rewriter, Region &region, unsigned firstArgument, ValueRange operands) {
  bool changed = false;
  Block &block = region.front();
  for (auto [i, operand] : llvm::enumerate(operands)) {
    auto constant = operand.getDefiningOp<ConstantOp>();
    BlockArgument argument = block.getArgument(firstArgument + i);
    if (!constant || !constant.getValue().isSplat() || argument.use_empty())
      continue;
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(&block);
    rewriter.replaceAllUsesWith(argument, rewriter.clone(*constant)->getResult(0));
    changed = true;
  }
  return changed;
}

SmallVector<Value> kept(ValueRange values, const llvm::BitVector &dropped) {
  SmallVector<Value> result;
  for (auto [i, value] : llvm::enumerate(values))
    if (!dropped.test(i))
      result.push_back(value);
  return result;
}

// Hands the users of an op over to one without the dropped results, which have no users.
void replaceKept(PatternRewriter &rewriter, Operation *op, Operation *smaller, const llvm::BitVector &dropped) {
  unsigned next = 0;
  for (auto [i, result] : llvm::enumerate(op->getResults()))
    if (!dropped.test(i))
      rewriter.replaceAllUsesWith(result, smaller->getResult(next++));
  rewriter.eraseOp(op);
}

//===-- burn.if -------------------------------------------------------------------------------===//

struct DecidedIf : OpRewritePattern<IfOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(IfOp op, PatternRewriter &rewriter) const override {
    std::optional<bool> predicate = booleanConstant(op.getPredicate());
    if (!predicate)
      return rewriter.notifyMatchFailure(op, "the predicate is no constant");
    rewriter.replaceOp(op, inlineRegion(rewriter, *predicate ? op.getOnTrue() : op.getOnFalse(), op.getInputs()));
    return success();
  }
};

// Drops results without users and inputs that neither region reads; a result that is one input in both regions is that
// input.
struct ShrinkIf : OpRewritePattern<IfOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(IfOp op, PatternRewriter &rewriter) const override {
    if (op->use_empty())
      return rewriter.notifyMatchFailure(op, "is dead as a whole");
    Region *regions[] = {&op.getOnTrue(), &op.getOnFalse()};
    bool changed = false;
    for (Region *region : regions)
      changed |= sinkConstants(rewriter, *region, 0, op.getInputs());
    llvm::BitVector results(op.getNumResults()), inputs(op.getInputs().size());
    for (auto [i, result] : llvm::enumerate(op.getResults())) {
      auto first = dyn_cast<BlockArgument>(yieldOf(*regions[0]).getOperand(i));
      auto second = dyn_cast<BlockArgument>(yieldOf(*regions[1]).getOperand(i));
      if (first && second && first.getArgNumber() == second.getArgNumber())
        rewriter.replaceAllUsesWith(result, op.getInputs()[first.getArgNumber()]);
      if (result.use_empty())
        results.set(i);
    }
    if (results.all()) {
      rewriter.eraseOp(op);
      return success();
    }
    for (Region *region : regions)
      eraseOperands(rewriter, yieldOf(*region), results);
    for (unsigned i = 0; i < inputs.size(); ++i)
      if (llvm::all_of(regions, [&](Region *region) { return region->getArgument(i).use_empty(); }))
        inputs.set(i);
    if (!results.any() && !inputs.any())
      return success(changed);
    for (Region *region : regions)
      region->front().eraseArguments(inputs);
    auto smaller = IfOp::create(rewriter, op.getLoc(), TypeRange(ValueRange(kept(op.getResults(), results))),
                                op.getPredicate(), kept(op.getInputs(), inputs));
    smaller.getOnTrue().takeBody(op.getOnTrue());
    smaller.getOnFalse().takeBody(op.getOnFalse());
    replaceKept(rewriter, op, smaller, results);
    return success();
  }
};

//===-- Loops ---------------------------------------------------------------------------------===//

// What ShrinkLoop needs to know of a kind of loop.
Region *conditionOf(ForOp) { return nullptr; }
Region *conditionOf(WhileOp op) { return &op.getCond(); }
unsigned firstCarried(ForOp) { return 1; }
unsigned firstCarried(WhileOp) { return 0; }

ForOp recreate(PatternRewriter &rewriter, ForOp op, TypeRange results, ValueRange inits, ValueRange invariants) {
  auto made =
      ForOp::create(rewriter, op.getLoc(), results, op.getLower(), op.getUpper(), op.getStep(), inits, invariants);
  made.getBody().takeBody(op.getBody());
  return made;
}

WhileOp recreate(PatternRewriter &rewriter, WhileOp op, TypeRange results, ValueRange inits, ValueRange invariants) {
  auto made = WhileOp::create(rewriter, op.getLoc(), results, inits, invariants);
  made.getCond().takeBody(op.getCond());
  made.getBody().takeBody(op.getBody());
  return made;
}

// Makes carried values that do not change invariants, and drops those that no used result depends on, and invariants
// that are not read.
template <typename LoopOp> struct ShrinkLoop : OpRewritePattern<LoopOp> {
  using OpRewritePattern<LoopOp>::OpRewritePattern;

  LogicalResult matchAndRewrite(LoopOp op, PatternRewriter &rewriter) const override {
    if (op->use_empty())
      return rewriter.notifyMatchFailure(op, "is dead as a whole");
    SmallVector<Region *, 2> regions{&op.getBody()};
    if (Region *condition = conditionOf(op))
      regions.push_back(condition);
    const unsigned first = firstCarried(op), carried = op.getInits().size();
    YieldOp yield = yieldOf(op.getBody());
    bool changed = false;
    if (isa<ForOp>(op.getOperation()) && mayFail(op) && isKnown(op, yield, first))
      return rewriter.notifyMatchFailure(op, "its step may be none, which is an error");
    for (Region *region : regions)
      changed |= sinkConstants(rewriter, *region, first + carried, op.getInvariants());

    llvm::BitVector dropped(carried);
    SmallVector<Value> invariants(op.getInvariants());
    for (unsigned i = 0; i < carried; ++i) {
      if (yield.getOperand(i) != op.getBody().getArgument(first + i))
        continue;
      // Unchanged: the initial value is an invariant.
      dropped.set(i);
      Value init = op.getInits()[i];
      invariants.push_back(init);
      for (Region *region : regions) {
        Value argument = region->front().addArgument(init.getType(), init.getLoc());
        rewriter.replaceAllUsesWith(region->getArgument(first + i), argument);
      }
      rewriter.replaceAllUsesWith(op.getResult(i), init);
    }
    dropped |= deadCarried(op, first);
    if (dropped.all()) { // all results are known
      rewriter.eraseOp(op);
      return success();
    }
    llvm::BitVector arguments(op.getBody().getNumArguments()), unread(invariants.size());
    for (unsigned i : dropped.set_bits())
      arguments.set(first + i);
    eraseOperands(rewriter, yield, dropped);
    if (dropped.any())
      eraseDead(rewriter, op.getBody().front());
    for (unsigned i = 0; i < invariants.size(); ++i)
      if (llvm::all_of(regions, [&](Region *region) { return region->getArgument(first + carried + i).use_empty(); })) {
        unread.set(i);
        arguments.set(first + carried + i);
      }
    if (!arguments.any())
      return success(changed);
    for (Region *region : regions)
      region->front().eraseArguments(arguments);
    LoopOp smaller = recreate(rewriter, op, TypeRange(ValueRange(kept(op.getResults(), dropped))),
                              kept(op.getInits(), dropped), kept(invariants, unread));
    replaceKept(rewriter, op, smaller, dropped);
    return success();
  }

private:
  // Whether the run of a loop may be an error, which must not go with the loop: a step that is not positive.
  static bool mayFail(Operation *op) {
    auto loop = dyn_cast<ForOp>(op);
    const std::optional<int64_t> step = loop ? integerConstant(loop.getStep()) : std::nullopt;
    return !step || *step <= 0;
  }

  // Whether all results that are used are known without a run of the loop: it does not change them.
  static bool isKnown(LoopOp op, YieldOp yield, unsigned first) {
    llvm::BitVector known = deadCarried(op, first);
    for (unsigned i = 0; i < known.size(); ++i)
      if (yield.getOperand(i) == op.getBody().getArgument(first + i))
        known.set(i);
    return known.all();
  }

  // Carried values on which neither a used result nor the condition depends.
  static llvm::BitVector deadCarried(LoopOp op, unsigned first) {
    YieldOp yield = yieldOf(op.getBody());
    const unsigned carried = op.getInits().size();
    llvm::BitVector live(carried);
    for (auto [i, result] : llvm::enumerate(op.getResults()))
      if (!result.use_empty())
        live.set(i);
    if (Region *condition = conditionOf(op)) {
      const llvm::BitVector needed = neededArguments(condition->front(), yieldOf(*condition).getOperands());
      for (unsigned i = 0; i < carried; ++i)
        if (needed.test(first + i))
          live.set(i);
    }
    for (bool grown = true; grown;) {
      SmallVector<Value> yielded;
      for (unsigned i : live.set_bits())
        yielded.push_back(yield.getOperand(i));
      const llvm::BitVector needed = neededArguments(op.getBody().front(), yielded);
      grown = false;
      for (unsigned i = 0; i < carried; ++i)
        if (needed.test(first + i) && !live.test(i)) {
          live.set(i);
          grown = true;
        }
    }
    return live.flip();
  }

  // What computed dropped values; the driver would come too late, since the arguments that it reads go now.
  static void eraseDead(PatternRewriter &rewriter, Block &block) {
    SmallVector<Operation *> ops;
    for (Operation &op : block.without_terminator())
      ops.push_back(&op);
    for (Operation *op : llvm::reverse(ops))
      if (op->use_empty() && (isOpTriviallyDead(op) || isa<BarrierOp, AssertOp, PrintOp>(op)))
        rewriter.eraseOp(op);
  }
};

struct ForWithoutIterations : OpRewritePattern<ForOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ForOp op, PatternRewriter &rewriter) const override {
    const std::optional<int64_t> lower = integerConstant(op.getLower()), upper = integerConstant(op.getUpper()),
                                 step = integerConstant(op.getStep());
    // A step that is not positive is an error of the run, not of ours.
    if (!lower || !upper || !step || *lower < *upper || *step <= 0)
      return rewriter.notifyMatchFailure(op, "may run");
    rewriter.replaceOp(op, op.getInits());
    return success();
  }
};

struct WhileNever : OpRewritePattern<WhileOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(WhileOp op, PatternRewriter &rewriter) const override {
    if (booleanConstant(yieldOf(op.getCond()).getOperand(0)) != false)
      return rewriter.notifyMatchFailure(op, "may run");
    rewriter.replaceOp(op, op.getInits());
    return success();
  }
};

//===-- burn.barrier, burn.assert, burn.print --------------------------------------------------===//

template <typename OpTy> struct Unused : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op, PatternRewriter &rewriter) const override {
    if (!op->use_empty())
      return rewriter.notifyMatchFailure(op, "has users");
    rewriter.eraseOp(op);
    return success();
  }
};

struct HeldAssert : OpRewritePattern<AssertOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(AssertOp op, PatternRewriter &rewriter) const override {
    if (booleanConstant(op.getPredicate()) != true)
      return rewriter.notifyMatchFailure(op, "may fail");
    rewriter.replaceOp(op, op.getValue());
    return success();
  }
};

} // namespace

void IfOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<DecidedIf, ShrinkIf>(context);
}

void ForOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<ForWithoutIterations, ShrinkLoop<ForOp>>(context);
}

void WhileOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<WhileNever, ShrinkLoop<WhileOp>>(context);
}

void BarrierOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<Unused<BarrierOp>>(context);
}

void AssertOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<Unused<AssertOp>, HeldAssert>(context);
}

void PrintOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<Unused<PrintOp>>(context);
}
