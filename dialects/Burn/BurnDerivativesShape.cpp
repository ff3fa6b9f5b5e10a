// Reverse-mode rules of ops that move data.
#include "dialects/Burn/Derivatives.h"

using namespace mlir;
using namespace burn::ir;
using namespace burn::ir::vjp;

using Cts = ArrayRef<Value>;
using Needed = const llvm::SmallBitVector &;
using Slots = MutableArrayRef<Value>;

// The only rule that sums over repeated dimensions.
LogicalResult BroadcastOp::buildVjp(OpBuilder &builder, Cts cts, Needed, Slots slots) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  Dims shape = shapeOf(getInput());
  DimVector repeated = otherDims(shapeOf(getResult()).size(), getDims());
  for (auto [i, dim] : llvm::enumerate(getDims()))
    if (shape[i] != shapeOf(getResult())[dim])
      repeated.push_back(dim);
  llvm::sort(repeated);
  slots[0] = reshape(b, sumOver(b, cts[0], repeated), shape);
  return success();
}

LogicalResult ReshapeOp::buildVjp(OpBuilder &builder, Cts cts, Needed, Slots slots) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  slots[0] = reshape(b, cts[0], shapeOf(getInput()));
  return success();
}

LogicalResult TransposeOp::buildVjp(OpBuilder &builder, Cts cts, Needed, Slots slots) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  slots[0] = transpose(b, cts[0], inversePermutation(getPerm()));
  return success();
}

LogicalResult SliceOp::buildVjp(OpBuilder &builder, Cts cts, Needed, Slots slots) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  slots[0] = unslice(b, cts[0], shapeOf(getInput()), getStarts(), getStrides());
  return success();
}

LogicalResult SliceUpdateOp::buildVjp(OpBuilder &builder, Cts cts, Needed needed, Slots slots) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  if (needed[0])
    slots[0] = SliceUpdateOp::create(b, cts[0], zeros(b, getUpdate()), getStarts());
  if (needed[1])
    slots[1] = SliceOp::create(b, cts[0], getStarts(), shapeOf(getUpdate()), DimVector(getStarts().size(), 1));
  return success();
}

LogicalResult PadOp::buildVjp(OpBuilder &builder, Cts cts, Needed needed, Slots slots) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  if (needed[0])
    slots[0] = unpad(b, cts[0], shapeOf(getInput()), getLow(), getHigh(), getInterior());
  if (needed[1]) {
    // Summed over the padding alone: a difference of two sums would cancel.
    auto mask = RankedTensorType::get(shapeOf(getInput()), b.getI1Type());
    Value inside = splat(b, mask, 0.0);
    Value padding = PadOp::create(b, inside, scalar(b, inside, 1.0), getLow(), getHigh(), getInterior());
    slots[1] = sumOver(b, select(b, padding, cts[0], zeros(b, cts[0])), range(0, mask.getRank()));
  }
  return success();
}

LogicalResult ConcatOp::buildVjp(OpBuilder &builder, Cts cts, Needed needed, Slots slots) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  const int64_t axis = getAxis();
  int64_t offset = 0;
  for (auto [i, input] : llvm::enumerate(getInputs())) {
    const int64_t size = shapeOf(input)[axis];
    if (needed[i])
      slots[i] = sliceDim(b, cts[0], axis, offset, size);
    offset += size;
  }
  return success();
}

LogicalResult ReverseOp::buildVjp(OpBuilder &builder, Cts cts, Needed, Slots slots) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  slots[0] = ReverseOp::create(b, cts[0], getDims());
  return success();
}
