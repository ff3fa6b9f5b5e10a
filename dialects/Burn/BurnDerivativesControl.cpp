// Reverse-mode rules of ops with regions, and of markers.
#include "dialects/Burn/Derivatives.h"

using namespace mlir;
using namespace burn::ir;
using namespace burn::ir::vjp;

namespace {

// Runs a region on `inputs` and leaves a burn.grad of what it yields: the cotangents of the inputs that are needed.
void differentiateRegion(OpBuilder &builder, Location loc, Region &region, ValueRange inputs, ArrayRef<Value> resultCts,
                         const llvm::SmallBitVector &needed, MutableArrayRef<Value> operandCts) {
  const SmallVector<Value> yielded = inlineRegion(builder, region, inputs);
  SmallVector<Value> outputs, cotangents, wrt;
  for (auto [value, cotangent] : llvm::zip_equal(yielded, resultCts))
    if (cotangent) {
      outputs.push_back(value);
      cotangents.push_back(cotangent);
    }
  for (unsigned i : needed.set_bits())
    wrt.push_back(inputs[i]);
  auto grad = GradOp::create(builder, loc, outputs, cotangents, wrt);
  for (auto [i, gradient] : llvm::zip_equal(needed.set_bits(), grad.getResults()))
    operandCts[i] = gradient;
}

bool holdsFloats(Value value) { return isa<FloatType>(getElementTypeOrSelf(value)); }

} // namespace

LogicalResult BarrierOp::buildVjp(OpBuilder &builder, ArrayRef<Value> resultCts, const llvm::SmallBitVector &needed,
                                  MutableArrayRef<Value> operandCts) {
  SmallVector<unsigned> places;
  SmallVector<Value> cotangents;
  for (unsigned i : needed.set_bits())
    if (resultCts[i]) {
      places.push_back(i);
      cotangents.push_back(resultCts[i]);
    }
  if (cotangents.empty())
    return success();
  auto barrier = BarrierOp::create(builder, getLoc(), cotangents);
  for (auto [i, cotangent] : llvm::zip_equal(places, barrier.getResults()))
    operandCts[i] = cotangent;
  return success();
}

LogicalResult NameOp::buildVjp(OpBuilder &, ArrayRef<Value> resultCts, const llvm::SmallBitVector &,
                               MutableArrayRef<Value> operandCts) {
  operandCts[0] = resultCts[0];
  return success();
}

LogicalResult AssertOp::buildVjp(OpBuilder &, ArrayRef<Value> resultCts, const llvm::SmallBitVector &,
                                 MutableArrayRef<Value> operandCts) {
  operandCts[1] = resultCts[0];
  return success();
}

LogicalResult PrintOp::buildVjp(OpBuilder &, ArrayRef<Value> resultCts, const llvm::SmallBitVector &,
                                MutableArrayRef<Value> operandCts) {
  operandCts[0] = resultCts[0];
  return success();
}

// Runs the region again behind a barrier, which keeps the second run from being merged with the first, and
// differentiates that.
LogicalResult CheckpointOp::buildVjp(OpBuilder &builder, ArrayRef<Value> resultCts, const llvm::SmallBitVector &needed,
                                     MutableArrayRef<Value> operandCts) {
  SmallVector<Value> guarded(getInputs());
  SmallVector<unsigned> outputs;
  for (auto [i, cotangent] : llvm::enumerate(resultCts))
    if (cotangent) {
      outputs.push_back(i);
      guarded.push_back(cotangent);
    }
  auto barrier = BarrierOp::create(builder, getLoc(), guarded);
  const ValueRange inputs = barrier.getResults().take_front(getInputs().size());
  SmallVector<Value> cotangents(resultCts);
  for (auto [i, guardedCotangent] : llvm::zip_equal(outputs, barrier.getResults().drop_front(getInputs().size())))
    cotangents[i] = guardedCotangent;
  differentiateRegion(builder, getLoc(), getBody(), inputs, cotangents, needed, operandCts);
  return success();
}

// The kernel's values stay; the gradient is that of what the kernel says it computes.
LogicalResult CustomKernelOp::buildVjp(OpBuilder &builder, ArrayRef<Value> resultCts,
                                       const llvm::SmallBitVector &needed, MutableArrayRef<Value> operandCts) {
  if (getDecomposition().empty())
    return failure();
  differentiateRegion(builder, getLoc(), getDecomposition(), getInputs(), resultCts, needed, operandCts);
  return success();
}

bool CustomVjpOp::isDifferentiableOperand(unsigned operand) {
  return operand < getInputs().size() && holdsFloats(getInputs()[operand]);
}

LogicalResult CustomVjpOp::buildVjp(OpBuilder &builder, ArrayRef<Value> resultCts, const llvm::SmallBitVector &needed,
                                    MutableArrayRef<Value> operandCts) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  SmallVector<Value> arguments(getInputs());
  arguments.append(result_begin(), result_end());
  for (auto [result, cotangent] : llvm::zip_equal(getResults(), resultCts))
    if (holdsFloats(result))
      arguments.push_back(cotangent ? cotangent : zeros(b, result));
  arguments.append(getCaptured().begin(), getCaptured().end());
  const SmallVector<Value> gradients = inlineRegion(builder, getVjp(), arguments);
  auto next = gradients.begin();
  for (auto [i, input] : llvm::enumerate(getInputs()))
    if (holdsFloats(input)) {
      if (needed.test(i))
        operandCts[i] = *next;
      ++next;
    }
  return success();
}
