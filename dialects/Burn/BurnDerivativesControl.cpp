// Reverse-mode rules of ops with regions, and of markers.
#include "dialects/Burn/Derivatives.h"
#include "dialects/Burn/KeptValues.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace burn::ir;
using namespace burn::ir::vjp;

namespace {

// Leaves a burn.grad of what a region yields for `inputs`: the cotangents of the inputs that are needed.
void differentiateYielded(OpBuilder &builder, Location loc, ArrayRef<Value> yielded, ValueRange inputs,
                          ArrayRef<Value> resultCts, const llvm::SmallBitVector &needed,
                          MutableArrayRef<Value> operandCts) {
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

// Whether a checkpoint may keep the results of an op in its region.
bool isKept(CheckpointPolicy policy, Operation &op) {
  switch (policy) {
  case CheckpointPolicy::SaveNothing:
    return false;
  case CheckpointPolicy::SaveContractions:
    return isa<DotGeneralOp, ConvOp, AttentionOp>(op);
  case CheckpointPolicy::SaveNamed:
    return isa<NameOp>(op);
  }
  return false;
}

// The values that the policy of a checkpoint keeps, with copies in front of the op of what computes them: these merge
// with the region's own ops once that is inlined. What has effects is not run twice, so nothing behind it is kept.
llvm::MapVector<Value, Value> keptValues(CheckpointOp checkpoint) {
  Block &block = checkpoint.getBody().front();
  llvm::SetVector<Operation *> ops;
  SmallVector<Value> wanted;
  for (Operation &op : block.without_terminator()) {
    if (!isKept(checkpoint.getPolicy(), op))
      continue;
    llvm::SetVector<Operation *> slice;
    SmallVector<Operation *> pending{&op};
    while (!pending.empty()) {
      Operation *next = pending.pop_back_val();
      if (!slice.insert(next))
        continue;
      for (Value operand : next->getOperands())
        if (Operation *source = operand.getDefiningOp())
          pending.push_back(source);
    }
    if (!llvm::all_of(slice, [](Operation *each) { return isMemoryEffectFree(each); }))
      continue;
    ops.insert_range(slice);
    llvm::append_range(wanted, op.getResults());
  }
  OpBuilder builder(checkpoint);
  IRMapping copies;
  copies.map(block.getArguments(), checkpoint.getInputs());
  for (Operation &op : block.without_terminator())
    if (ops.contains(&op))
      builder.clone(op, copies);
  llvm::MapVector<Value, Value> kept;
  for (Value value : wanted)
    kept[value] = copies.lookup(value);
  return kept;
}

// The value `kept`, whose cotangent is that of `computed`, which it equals: burn-differentiate lets derivatives that
// read the one read the other in the end.
Value substitute(OpBuilder &builder, Location loc, Value computed, Value kept) {
  const Type type = computed.getType();
  if (!isa<FloatType>(getElementTypeOrSelf(type)))
    return kept;
  auto op = CustomVjpOp::create(builder, loc, TypeRange(type), ValueRange(computed), ValueRange(kept));
  op->setAttr(kKeptAttr, builder.getUnitAttr());
  OpBuilder::InsertionGuard guard(builder);
  Block *forward = builder.createBlock(&op.getForward(), {}, {type, type}, {loc, loc});
  YieldOp::create(builder, loc, forward->getArgument(1));
  // The arguments: input, result, cotangent, what is captured.
  Block *vjp = builder.createBlock(&op.getVjp(), {}, SmallVector<Type>(4, type), SmallVector<Location>(4, loc));
  YieldOp::create(builder, loc, vjp->getArgument(2));
  return op.getResult(0);
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
// differentiates that. Kept values of the first run take the places of those that would be computed again.
LogicalResult CheckpointOp::buildVjp(OpBuilder &builder, ArrayRef<Value> resultCts, const llvm::SmallBitVector &needed,
                                     MutableArrayRef<Value> operandCts) {
  SmallVector<Value> guarded(getInputs());
  SmallVector<unsigned> outputs;
  for (auto [i, cotangent] : llvm::enumerate(resultCts))
    if (cotangent) {
      outputs.push_back(i);
      guarded.push_back(cotangent);
    }
  llvm::MapVector<Value, Value> kept = keptValues(*this);
  for (auto &[value, copy] : kept)
    guarded.push_back(copy);
  auto barrier = BarrierOp::create(builder, getLoc(), guarded);
  const ValueRange inputs = barrier.getResults().take_front(getInputs().size());
  ValueRange behind = barrier.getResults().drop_front(getInputs().size());
  SmallVector<Value> cotangents(resultCts);
  for (auto [i, guardedCotangent] : llvm::zip_equal(outputs, behind.take_front(outputs.size())))
    cotangents[i] = guardedCotangent;
  for (auto [entry, guardedCopy] : llvm::zip_equal(kept, behind.drop_front(outputs.size())))
    entry.second = guardedCopy;

  Block &block = getBody().front();
  IRMapping mapping;
  mapping.map(block.getArguments(), inputs);
  for (Operation &op : block.without_terminator()) {
    builder.clone(op, mapping);
    for (Value result : op.getResults())
      if (Value copy = kept.lookup(result))
        mapping.map(result, substitute(builder, op.getLoc(), mapping.lookup(result), copy));
  }
  const SmallVector<Value> yielded = llvm::map_to_vector(block.getTerminator()->getOperands(),
                                                         [&](Value value) { return mapping.lookupOrDefault(value); });
  differentiateYielded(builder, getLoc(), yielded, inputs, cotangents, needed, operandCts);
  return success();
}

// The kernel's values stay; the gradient is that of what the kernel says it computes.
LogicalResult CustomKernelOp::buildVjp(OpBuilder &builder, ArrayRef<Value> resultCts,
                                       const llvm::SmallBitVector &needed, MutableArrayRef<Value> operandCts) {
  if (getDecomposition().empty())
    return failure();
  differentiateYielded(builder, getLoc(), inlineRegion(builder, getDecomposition(), getInputs()), getInputs(),
                       resultCts, needed, operandCts);
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
