// Rewrites of arithmetic that keep every bit of every result, and the registration of all patterns.
#include "dialects/Burn/BurnCanonicalization.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace burn;
using namespace burn::ir;

namespace {

// The number that a float constant holds everywhere.
std::optional<double> splatNumber(Value value) {
  DenseElementsAttr constant;
  if (!matchPattern(value, m_Constant(&constant)) || !constant.isSplat() || !isa<FloatType>(constant.getElementType()))
    return std::nullopt;
  return constant.getSplatValue<APFloat>().convertToDouble();
}

// a + (-b) ==> a - b, and a - (-b) ==> a + b: the same sum.
template <typename From, typename To> struct AbsorbNegation : OpRewritePattern<From> {
  using OpRewritePattern<From>::OpRewritePattern;

  LogicalResult matchAndRewrite(From op, PatternRewriter &rewriter) const override {
    if (auto neg = op.getRhs().template getDefiningOp<NegOp>()) {
      rewriter.replaceOpWithNewOp<To>(op, op.getLhs(), neg.getInput());
      return success();
    }
    if constexpr (std::is_same_v<From, AddOp>)
      if (auto neg = op.getLhs().template getDefiningOp<NegOp>()) {
        rewriter.replaceOpWithNewOp<To>(op, op.getRhs(), neg.getInput());
        return success();
      }
    return rewriter.notifyMatchFailure(op, "no operand is a negation");
  }
};

// (-a) * (-b) ==> a * b, and likewise for quotients of floats: the signs cancel.
template <typename Op> struct CancelNegations : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    auto lhs = op.getLhs().template getDefiningOp<NegOp>(), rhs = op.getRhs().template getDefiningOp<NegOp>();
    if (!lhs || !rhs)
      return rewriter.notifyMatchFailure(op, "the operands are not both negations");
    if (std::is_same_v<Op, DivOp> && !isa<FloatType>(op.getType().getElementType()))
      return rewriter.notifyMatchFailure(op, "division of wrapped integers");
    rewriter.replaceOpWithNewOp<Op>(op, lhs.getInput(), rhs.getInput());
    return success();
  }
};

// x * -1 ==> -x.
struct MulByMinusOne : OpRewritePattern<MulOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(MulOp op, PatternRewriter &rewriter) const override {
    if (splatNumber(op.getRhs()) != -1.0)
      return rewriter.notifyMatchFailure(op, "the factor is not -1");
    rewriter.replaceOpWithNewOp<NegOp>(op, op.getLhs());
    return success();
  }
};

// x / 2^k ==> x * 2^-k: both round the same real number.
struct DivByPowerOfTwo : OpRewritePattern<DivOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(DivOp op, PatternRewriter &rewriter) const override {
    DenseElementsAttr constant;
    if (!matchPattern(op.getRhs(), m_Constant(&constant)) || !constant.isSplat() ||
        !isa<FloatType>(constant.getElementType()))
      return rewriter.notifyMatchFailure(op, "the divisor is no float constant");
    APFloat inverse(0.0);
    if (!constant.getSplatValue<APFloat>().getExactInverse(&inverse))
      return rewriter.notifyMatchFailure(op, "the divisor is no power of two with a normal inverse");
    Value factor = ConstantOp::create(rewriter, op.getLoc(), constant.getType(),
                                      DenseElementsAttr::get(constant.getType(), inverse));
    rewriter.replaceOpWithNewOp<MulOp>(op, op.getLhs(), factor);
    return success();
  }
};

// select(not p, a, b) ==> select(p, b, a).
struct SelectOfNot : OpRewritePattern<SelectOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SelectOp op, PatternRewriter &rewriter) const override {
    auto inverted = op.getPredicate().getDefiningOp<NotOp>();
    if (!inverted)
      return rewriter.notifyMatchFailure(op, "the predicate is no complement");
    rewriter.replaceOpWithNewOp<SelectOp>(op, inverted.getInput(), op.getOnFalse(), op.getOnTrue());
    return success();
  }
};

// abs(neg x) ==> abs x, relu and max of the same sort are folds. Unsigned numbers wrap when negated, and abs keeps
// them.
struct AbsOfNeg : OpRewritePattern<AbsOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(AbsOp op, PatternRewriter &rewriter) const override {
    auto neg = op.getInput().getDefiningOp<NegOp>();
    if (!neg || op.getType().getElementType().isUnsignedInteger())
      return rewriter.notifyMatchFailure(op, "the operand is no negation of a signed number");
    rewriter.modifyOpInPlace(op, [&] { op.getInputMutable().assign(neg.getInput()); });
    return success();
  }
};

// An elementwise op on scalars that were broadcast, and on constants, is done once, on the scalars.
struct ElementwiseOfScalars : OpTraitRewritePattern<OpTrait::Elementwise> {
  using OpTraitRewritePattern::OpTraitRewritePattern;

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    if (!opInfo(op) || op->getNumResults() != 1)
      return rewriter.notifyMatchFailure(op, "no burn op of one result");
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    if (type.getRank() == 0)
      return rewriter.notifyMatchFailure(op, "scalar already");
    // Per operand, the scalar behind a broadcast or the value of a constant.
    SmallVector<std::pair<Value, DenseElementsAttr>> sources;
    bool anyBroadcast = false;
    for (Value operand : op->getOperands()) {
      auto broadcast = operand.getDefiningOp<BroadcastOp>();
      DenseElementsAttr constant;
      if (broadcast && broadcast.getInput().getType().getRank() == 0) {
        anyBroadcast = true;
        sources.emplace_back(broadcast.getInput(), nullptr);
      } else if (matchPattern(operand, m_Constant(&constant)) && constant.isSplat()) {
        sources.emplace_back(nullptr, constant.resizeSplat(RankedTensorType::get({}, constant.getElementType())));
      } else {
        return rewriter.notifyMatchFailure(op, "an operand is no scalar");
      }
    }
    if (!anyBroadcast)
      return rewriter.notifyMatchFailure(op, "constants alone are folded");
    SmallVector<Value> scalars;
    for (auto [value, constant] : sources)
      scalars.push_back(value ? value : ConstantOp::create(rewriter, op->getLoc(), constant.getType(), constant));
    auto scalarType = RankedTensorType::get({}, type.getElementType());
    OperationState state(op->getLoc(), op->getName(), scalars, scalarType, op->getAttrs());
    state.propertiesAttr = op->getPropertiesAsAttribute();
    Value scalar = rewriter.create(state)->getResult(0);
    rewriter.replaceOpWithNewOp<BroadcastOp>(op, type, scalar, ArrayRef<int64_t>());
    return success();
  }
};

} // namespace

void BurnDialect::getCanonicalizationPatterns(RewritePatternSet &patterns) const {
  patterns.add<AbsorbNegation<AddOp, SubOp>, AbsorbNegation<SubOp, AddOp>, CancelNegations<MulOp>,
               CancelNegations<DivOp>, MulByMinusOne, DivByPowerOfTwo, SelectOfNot, AbsOfNeg, ElementwiseOfScalars>(
      patterns.getContext());
  populateMovementPatterns(patterns);
  populateContractionPatterns(patterns);
  populateOrderPatterns(patterns);
}
