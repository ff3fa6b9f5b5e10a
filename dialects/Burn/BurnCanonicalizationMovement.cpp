// Merges of ops that move data: fewer views, and views nearer to what they read.
#include "dialects/Burn/BurnCanonicalization.h"

using namespace mlir;
using namespace burn;
using namespace burn::ir;

namespace {

using Dims = ArrayRef<int64_t>;

Dims shapeOf(Value value) { return cast<RankedTensorType>(value.getType()).getShape(); }
Type elementOf(Value value) { return cast<RankedTensorType>(value.getType()).getElementType(); }

// broadcast(broadcast x) ==> broadcast x.
struct BroadcastOfBroadcast : OpRewritePattern<BroadcastOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(BroadcastOp op, PatternRewriter &rewriter) const override {
    auto inner = op.getInput().getDefiningOp<BroadcastOp>();
    if (!inner)
      return rewriter.notifyMatchFailure(op, "the operand is no broadcast");
    SmallVector<int64_t> dims;
    for (int64_t dim : inner.getDims())
      dims.push_back(op.getDims()[dim]);
    rewriter.replaceOpWithNewOp<BroadcastOp>(op, op.getType(), inner.getInput(), dims);
    return success();
  }
};

// broadcast(reshape x) ==> broadcast x, where the reshape only adds dimensions of size 1.
struct BroadcastOfUnitReshape : OpRewritePattern<BroadcastOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(BroadcastOp op, PatternRewriter &rewriter) const override {
    auto reshape = op.getInput().getDefiningOp<ReshapeOp>();
    if (!reshape)
      return rewriter.notifyMatchFailure(op, "the operand is no reshape");
    Dims source = shapeOf(reshape.getInput()), shape = shapeOf(reshape);
    SmallVector<int64_t> dims;
    for (auto [i, size] : llvm::enumerate(shape)) {
      if (dims.size() < source.size() && source[dims.size()] == size)
        dims.push_back(op.getDims()[i]);
      else if (size != 1)
        return rewriter.notifyMatchFailure(op, "the reshape does more than add dimensions of size 1");
    }
    if (dims.size() != source.size())
      return rewriter.notifyMatchFailure(op, "the reshape drops dimensions");
    rewriter.replaceOpWithNewOp<BroadcastOp>(op, op.getType(), reshape.getInput(), dims);
    return success();
  }
};

// reshape(reshape x) ==> reshape x.
struct ReshapeOfReshape : OpRewritePattern<ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ReshapeOp op, PatternRewriter &rewriter) const override {
    auto inner = op.getInput().getDefiningOp<ReshapeOp>();
    if (!inner)
      return rewriter.notifyMatchFailure(op, "the operand is no reshape");
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), inner.getInput());
    return success();
  }
};

// A view of a broadcast scalar is a broadcast of the scalar.
template <typename View> struct ViewOfBroadcastScalar : OpRewritePattern<View> {
  using OpRewritePattern<View>::OpRewritePattern;

  LogicalResult matchAndRewrite(View op, PatternRewriter &rewriter) const override {
    auto broadcast = op.getInput().template getDefiningOp<BroadcastOp>();
    if (!broadcast || !shapeOf(broadcast.getInput()).empty())
      return rewriter.notifyMatchFailure(op, "the operand is no broadcast of a scalar");
    rewriter.replaceOpWithNewOp<BroadcastOp>(op, op.getType(), broadcast.getInput(), Dims());
    return success();
  }
};

// transpose(transpose x) ==> transpose x.
struct TransposeOfTranspose : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(TransposeOp op, PatternRewriter &rewriter) const override {
    auto inner = op.getInput().getDefiningOp<TransposeOp>();
    if (!inner)
      return rewriter.notifyMatchFailure(op, "the operand is no transpose");
    SmallVector<int64_t> perm;
    for (int64_t dim : op.getPerm())
      perm.push_back(inner.getPerm()[dim]);
    rewriter.replaceOpWithNewOp<TransposeOp>(op, op.getType(), inner.getInput(), perm);
    return success();
  }
};

// A transpose that only moves dimensions of size 1 is a reshape.
struct TransposeOfUnitDims : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(TransposeOp op, PatternRewriter &rewriter) const override {
    int64_t last = -1;
    for (int64_t dim : op.getPerm()) {
      if (shapeOf(op.getInput())[dim] == 1)
        continue;
      if (dim < last)
        return rewriter.notifyMatchFailure(op, "moves data");
      last = dim;
    }
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), op.getInput());
    return success();
  }
};

// transpose(broadcast x) ==> broadcast x, where x keeps the order of its dimensions.
struct TransposeOfBroadcast : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(TransposeOp op, PatternRewriter &rewriter) const override {
    auto broadcast = op.getInput().getDefiningOp<BroadcastOp>();
    if (!broadcast)
      return rewriter.notifyMatchFailure(op, "the operand is no broadcast");
    SmallVector<int64_t> places(op.getPerm().size()), dims;
    for (auto [i, dim] : llvm::enumerate(op.getPerm()))
      places[dim] = i;
    for (int64_t dim : broadcast.getDims())
      dims.push_back(places[dim]);
    if (!llvm::is_sorted(dims))
      return rewriter.notifyMatchFailure(op, "reorders the dimensions of what is broadcast");
    rewriter.replaceOpWithNewOp<BroadcastOp>(op, op.getType(), broadcast.getInput(), dims);
    return success();
  }
};

// slice(slice x) ==> slice x.
struct SliceOfSlice : OpRewritePattern<SliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SliceOp op, PatternRewriter &rewriter) const override {
    auto inner = op.getInput().getDefiningOp<SliceOp>();
    if (!inner)
      return rewriter.notifyMatchFailure(op, "the operand is no slice");
    SmallVector<int64_t> starts, strides;
    for (auto [size, start, stride, innerStart, innerStride] :
         llvm::zip_equal(op.getSizes(), op.getStarts(), op.getStrides(), inner.getStarts(), inner.getStrides())) {
      // Nothing is read anywhere; the end of the inner slice may lie beyond its operand.
      starts.push_back(size == 0 ? 0 : innerStart + start * innerStride);
      // Of one element the stride does not matter, and so cannot overflow where sizes are small.
      strides.push_back(size > 1 ? stride * innerStride : 1);
    }
    rewriter.replaceOpWithNewOp<SliceOp>(op, op.getType(), inner.getInput(), starts, op.getSizes(), strides);
    return success();
  }
};

// slice(concat(a, b ...)) ==> slice of the one operand that holds all of it.
struct SliceOfConcat : OpRewritePattern<SliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SliceOp op, PatternRewriter &rewriter) const override {
    auto concat = op.getInput().getDefiningOp<ConcatOp>();
    if (!concat)
      return rewriter.notifyMatchFailure(op, "the operand is no concat");
    const int64_t axis = concat.getAxis(), first = op.getStarts()[axis], size = op.getSizes()[axis];
    const int64_t last = first + (size - 1) * op.getStrides()[axis];
    if (size == 0)
      return rewriter.notifyMatchFailure(op, "reads nothing");
    int64_t offset = 0;
    for (Value input : concat.getInputs()) {
      const int64_t end = offset + shapeOf(input)[axis];
      if (first >= offset && last < end) {
        SmallVector<int64_t> starts(op.getStarts());
        starts[axis] -= offset;
        rewriter.replaceOpWithNewOp<SliceOp>(op, op.getType(), input, starts, op.getSizes(), op.getStrides());
        return success();
      }
      offset = end;
    }
    return rewriter.notifyMatchFailure(op, "reads several operands");
  }
};

// slice(pad x) ==> slice x, where no padding is read.
struct SliceOfPad : OpRewritePattern<SliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SliceOp op, PatternRewriter &rewriter) const override {
    auto pad = op.getInput().getDefiningOp<PadOp>();
    if (!pad)
      return rewriter.notifyMatchFailure(op, "the operand is no pad");
    SmallVector<int64_t> starts, strides;
    for (auto [i, size] : llvm::enumerate(shapeOf(pad.getInput()))) {
      const int64_t step = pad.getInterior()[i] + 1, start = op.getStarts()[i] - pad.getLow()[i];
      const int64_t count = op.getSizes()[i], stride = count > 1 ? op.getStrides()[i] : step;
      if (count == 0 || start < 0 || start % step || stride % step || (start + (count - 1) * stride) / step >= size)
        return rewriter.notifyMatchFailure(op, "reads padding");
      starts.push_back(start / step);
      strides.push_back(stride / step);
    }
    rewriter.replaceOpWithNewOp<SliceOp>(op, op.getType(), pad.getInput(), starts, op.getSizes(), strides);
    return success();
  }
};

// slice(broadcast x) ==> broadcast(slice x).
struct SliceOfBroadcast : OpRewritePattern<SliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SliceOp op, PatternRewriter &rewriter) const override {
    auto broadcast = op.getInput().getDefiningOp<BroadcastOp>();
    if (!broadcast)
      return rewriter.notifyMatchFailure(op, "the operand is no broadcast");
    SmallVector<int64_t> starts, sizes, strides;
    for (auto [size, dim] : llvm::zip_equal(shapeOf(broadcast.getInput()), broadcast.getDims())) {
      const bool repeats = size == 1;
      starts.push_back(repeats ? 0 : op.getStarts()[dim]);
      sizes.push_back(repeats ? 1 : op.getSizes()[dim]);
      strides.push_back(repeats ? 1 : op.getStrides()[dim]);
    }
    Value sliced = SliceOp::create(rewriter, op.getLoc(), broadcast.getInput(), starts, sizes, strides);
    rewriter.replaceOpWithNewOp<BroadcastOp>(op, op.getType(), sliced, broadcast.getDims());
    return success();
  }
};

// An update of a place that the next update covers is dead.
struct DeadSliceUpdate : OpRewritePattern<SliceUpdateOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SliceUpdateOp op, PatternRewriter &rewriter) const override {
    auto inner = op.getInput().getDefiningOp<SliceUpdateOp>();
    if (!inner)
      return rewriter.notifyMatchFailure(op, "the operand is no update");
    for (auto [start, size, innerStart, innerSize] :
         llvm::zip_equal(op.getStarts(), shapeOf(op.getUpdate()), inner.getStarts(), shapeOf(inner.getUpdate())))
      if (innerStart < start || innerStart + innerSize > start + size)
        return rewriter.notifyMatchFailure(op, "the earlier update shows");
    rewriter.modifyOpInPlace(op, [&] { op.getInputMutable().assign(inner.getInput()); });
    return success();
  }
};

// pad(pad x) ==> pad x, for borders of the same value that are not cropped.
struct PadOfPad : OpRewritePattern<PadOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(PadOp op, PatternRewriter &rewriter) const override {
    auto inner = op.getInput().getDefiningOp<PadOp>();
    if (!inner || inner.getValue() != op.getValue())
      return rewriter.notifyMatchFailure(op, "the operand is no pad with the same value");
    auto negative = [](int64_t count) { return count < 0; };
    if (llvm::any_of(op.getInterior(), [](int64_t count) { return count != 0; }) ||
        llvm::any_of(op.getLow(), negative) || llvm::any_of(op.getHigh(), negative))
      return rewriter.notifyMatchFailure(op, "the outer pad crops or spreads");
    SmallVector<int64_t> low, high;
    for (size_t i = 0; i < op.getLow().size(); ++i) {
      low.push_back(op.getLow()[i] + inner.getLow()[i]);
      high.push_back(op.getHigh()[i] + inner.getHigh()[i]);
      // What the inner pad crops must stay cropped.
      if (negative(inner.getLow()[i]) || negative(inner.getHigh()[i]))
        return rewriter.notifyMatchFailure(op, "the inner pad crops");
    }
    rewriter.replaceOpWithNewOp<PadOp>(op, op.getType(), inner.getInput(), op.getValue(), low, high,
                                       inner.getInterior());
    return success();
  }
};

// concat(concat(a, b), c) ==> concat(a, b, c).
struct ConcatOfConcat : OpRewritePattern<ConcatOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ConcatOp op, PatternRewriter &rewriter) const override {
    SmallVector<Value> inputs;
    bool merged = false;
    for (Value input : op.getInputs()) {
      auto inner = input.getDefiningOp<ConcatOp>();
      if (inner && inner.getAxis() == op.getAxis() && inner->hasOneUse()) {
        inputs.append(inner.getInputs().begin(), inner.getInputs().end());
        merged = true;
      } else {
        inputs.push_back(input);
      }
    }
    if (!merged)
      return rewriter.notifyMatchFailure(op, "no operand is a concat of a single use along the same axis");
    rewriter.replaceOpWithNewOp<ConcatOp>(op, op.getType(), inputs, op.getAxisAttr());
    return success();
  }
};

// f16 -> f32 -> f64 ==> f16 -> f64: widening twice keeps the value.
struct ConvertOfWidening : OpRewritePattern<ConvertOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ConvertOp op, PatternRewriter &rewriter) const override {
    auto inner = op.getInput().getDefiningOp<ConvertOp>();
    if (!inner || !keepsValues(elementOf(inner.getInput()), elementOf(inner)))
      return rewriter.notifyMatchFailure(op, "the operand is no conversion that keeps every value");
    // A float saturates where an integer wraps.
    if (elementOf(inner.getInput()).isInteger() && !elementOf(inner.getInput()).isInteger(1) &&
        isa<FloatType>(elementOf(inner)) && elementOf(op).isInteger())
      return rewriter.notifyMatchFailure(op, "saturates in between");
    rewriter.replaceOpWithNewOp<ConvertOp>(op, op.getType(), inner.getInput());
    return success();
  }
};

} // namespace

void ir::populateMovementPatterns(RewritePatternSet &patterns) {
  patterns.add<BroadcastOfBroadcast, BroadcastOfUnitReshape, ReshapeOfReshape, ViewOfBroadcastScalar<ReshapeOp>,
               ViewOfBroadcastScalar<ReverseOp>, TransposeOfTranspose, TransposeOfUnitDims, TransposeOfBroadcast,
               SliceOfSlice, SliceOfConcat, SliceOfPad, SliceOfBroadcast, DeadSliceUpdate, PadOfPad, ConcatOfConcat,
               ConvertOfWidening>(patterns.getContext());
}
