#include "passes/Graph/Accesses.h"

#include "dialects/Burn/ScalarPayloads.h"
#include "passes/Codegen/IndexMath.h"
#include "passes/Graph/TurnedReduction.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/PointerIntPair.h"

using namespace mlir;
using namespace burn;
using namespace burn::compiler;

namespace {

using IsSource = llvm::function_ref<bool(Operation *)>;

ArrayRef<int64_t> shapeOf(Value value) { return cast<RankedTensorType>(value.getType()).getShape(); }

bool isSplat(Operation *op) {
  auto constant = dyn_cast<ir::ConstantOp>(op);
  return constant && constant.getValue().isSplat();
}

// Scalars that were followed already, with and without a condition: a scalar has one index, and its operands may be
// shared many times over.
using Seen = llvm::DenseSet<llvm::PointerIntPair<const void *, 1, bool>>;

// Follows a read of `value` at `index` to values that no transparent op computes.
void resolve(Value value, SmallVector<AffineExpr> index, bool conditional, ArrayRef<int64_t> sizes, IsSource isSource,
             Seen &seen, SmallVectorImpl<Access> &accesses) {
  for (AffineExpr &expr : index)
    expr = simplifyIndex(expr, sizes);
  if (index.empty() && !seen.insert({value.getAsOpaquePointer(), conditional}).second)
    return;
  Operation *op = value.getDefiningOp();
  if (!op || isSource(op) || !isTransparent(op)) {
    accesses.push_back({value, std::move(index), conditional});
    return;
  }
  if (auto view = dyn_cast<ir::ViewOpInterface>(op)) {
    SmallVector<ir::IndexedRead> reads = view.getReads(index);
    for (ir::IndexedRead &read : reads)
      resolve(op->getOperand(read.operand), std::move(read.index), conditional || reads.size() > 1, sizes, isSource,
              seen, accesses);
    return;
  }
  for (Value operand : op->getOperands()) // arithmetic on scalars
    resolve(operand, {}, conditional, sizes, isSource, seen, accesses);
}

} // namespace

bool compiler::isTransparent(Operation *op) {
  if (isa<ir::ViewOpInterface, ir::IotaOp, ir::UndefOp>(op) || isSplat(op))
    return true;
  return isa<ir::ElementwiseOpInterface>(op) && shapeOf(op->getResult(0)).empty();
}

bool compiler::canConvertOnRead(Operation *op) {
  auto convert = dyn_cast<ir::ConvertOp>(op);
  if (!convert)
    return false;
  const auto from = ir::ScalarKind::get(convert.getInput().getType().getElementType());
  const auto to = ir::ScalarKind::get(convert.getResult().getType().getElementType());
  if ((from.width != 8 && from.width != 16) || to.width != 32)
    return false;
  return to.isFloat() || (from.isInteger() && (from.isUnsigned() || to.isSigned()));
}

// Whether the value is one number everywhere that a kernel can load or that is known.
static bool isUniform(Value value) {
  value = uniformSource(value);
  if (auto constant = value.getDefiningOp<ir::ConstantOp>()) {
    auto dense = dyn_cast<DenseElementsAttr>(constant.getValue());
    return dense && dense.isSplat();
  }
  Operation *op = value.getDefiningOp();
  return cast<RankedTensorType>(value.getType()).getNumElements() == 1 && (!op || !isTransparent(op));
}

Value compiler::uniformSource(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<ir::BroadcastOp, ir::ReshapeOp>(op) && !(isa<ir::ConvertOp>(op) && op->hasOneUse()))
      break;
    value = op->getOperand(0);
  }
  return value;
}

std::optional<unsigned> compiler::readOperandOf(Operation *op) {
  if (isa<ir::ConvertOp>(op))
    return 0;
  if (isa<ir::AddOp, ir::SubOp, ir::MulOp>(op))
    for (unsigned i : {0, 1})
      if (isUniform(op->getOperand(1 - i)))
        return i;
  return std::nullopt;
}

SmallVector<Operation *> compiler::readChain(OpOperand &operand) {
  constexpr size_t most = 6; // a dequantization with a zero point is 4
  SmallVector<Operation *> chain;
  if (!isa<ir::DotGeneralOp>(operand.getOwner()))
    return chain;
  Value value = operand.get();
  for (Operation *op = value.getDefiningOp(); op && op->hasOneUse() && chain.size() < most;
       op = value.getDefiningOp()) {
    const std::optional<unsigned> next = readOperandOf(op);
    if (!next)
      break;
    chain.push_back(op);
    value = op->getOperand(*next);
    const unsigned width = ir::ScalarKind::get(getElementTypeOrSelf(value.getType())).width;
    if (width != 8 && width != 16)
      continue;
    if (chain.size() == 1 ? canConvertOnRead(op) : getElementTypeOrSelf(operand.get().getType()).isF32())
      return chain;
    break;
  }
  return {};
}

Value compiler::readSource(OpOperand &operand) {
  const SmallVector<Operation *> chain = readChain(operand);
  return chain.empty() ? operand.get() : chain.back()->getOperand(*readOperandOf(chain.back()));
}

bool compiler::isReadConverted(Operation *op) {
  for (Operation *at = op; at->hasOneUse() && readOperandOf(at);) {
    OpOperand &use = *at->use_begin();
    at = use.getOwner();
    if (isa<ir::DotGeneralOp>(at))
      return llvm::is_contained(readChain(use), op);
    // A conversion of one number goes with the op that takes the number.
    if (const std::optional<unsigned> next = readOperandOf(at); next && *next != use.getOperandNumber())
      op = at;
  }
  return false;
}

unsigned compiler::payloadCost(Operation *op) {
  constexpr unsigned rounds = 100; // of Philox
  if (auto elementwise = dyn_cast<ir::ElementwiseOpInterface>(op))
    return 1 + elementwise.getPayloadCost();
  return isa<ir::RngBitsOp>(op) ? rounds : 0;
}

bool compiler::standsAlone(Operation *op) {
  return isa<ir::IfOp, ir::ForOp, ir::WhileOp, ir::CustomKernelOp, ir::BarrierOp, ir::AssertOp, ir::PrintOp>(op);
}

Value compiler::sharedBufferOf(Value value) {
  if (auto reshape = value.getDefiningOp<ir::ReshapeOp>())
    return reshape.getInput();
  if (auto barrier = value.getDefiningOp<ir::BarrierOp>())
    return barrier.getOperand(cast<OpResult>(value).getResultNumber());
  if (auto checked = value.getDefiningOp<ir::AssertOp>())
    return checked.getValue();
  if (auto printed = value.getDefiningOp<ir::PrintOp>())
    return printed.getValue();
  return {};
}

Value compiler::bufferOf(Value value) {
  while (Value shared = sharedBufferOf(value))
    value = shared;
  return value;
}

ArrayRef<int64_t> compiler::iterationShape(Operation *op) {
  if (auto reduce = dyn_cast<ir::ReduceOp>(op))
    return shapeOf(reduce.getInput());
  return shapeOf(op->getResult(0));
}

SmallVector<AffineExpr> compiler::identityIndex(ArrayRef<int64_t> shape, MLIRContext *context) {
  SmallVector<AffineExpr> index;
  for (auto [i, size] : llvm::enumerate(shape))
    index.push_back(size == 1 ? getAffineConstantExpr(0, context) : getAffineDimExpr(i, context));
  return index;
}

// Ranges of dims; an empty domain reads nothing.
static SmallVector<int64_t> rangesOf(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> sizes;
  for (int64_t size : shape)
    sizes.push_back(std::max<int64_t>(size, 1));
  return sizes;
}

SmallVector<Access> compiler::accessesOf(Value value, IsSource isSource) {
  SmallVector<Access> accesses;
  Seen seen;
  ArrayRef<int64_t> shape = shapeOf(value);
  resolve(value, identityIndex(shape, value.getContext()), false, rangesOf(shape), isSource, seen, accesses);
  return accesses;
}

SmallVector<Access> compiler::accessesOf(Operation *op, IsSource isSource) {
  SmallVector<Access> accesses;
  Seen seen;
  ArrayRef<int64_t> shape = iterationShape(op);
  const SmallVector<AffineExpr> index = identityIndex(shape, op->getContext());
  const SmallVector<int64_t> sizes = rangesOf(shape);
  if (auto view = dyn_cast<ir::ViewOpInterface>(op)) {
    SmallVector<ir::IndexedRead> reads = view.getReads(index);
    for (ir::IndexedRead &read : reads)
      resolve(op->getOperand(read.operand), std::move(read.index), reads.size() > 1, sizes, isSource, seen, accesses);
    return accesses;
  }
  const bool scalarByScalar = isa<ir::ElementwiseOpInterface, ir::ReduceOp>(op);
  for (Value operand : op->getOperands()) {
    if (scalarByScalar)
      resolve(operand, index, false, sizes, isSource, seen, accesses);
    else
      accesses.push_back({operand, {}, true});
  }
  return accesses;
}

bool compiler::isReadAtIdentityOnly(ir::FusedOp fused, unsigned operand, ArrayRef<int64_t> shape) {
  Block &body = fused.getBody().front();
  Value argument = body.getArgument(operand);
  if (shapeOf(argument) != shape)
    return false;
  // Windows read around them, also what their kernel computes for them.
  if (llvm::any_of(body, [](Operation &op) { return isa<ir::ReduceWindowOp, ir::ArgReduceWindowOp>(op); }))
    return false;
  // Scatter starts from its input, element by element.
  if (auto scatter = dyn_cast<ir::ScatterOp>(body.front()))
    return scatter.getInput() == argument && scatter.getUpdates() != argument && scatter.getIndices() != argument;
  // A scan reads each element before it writes to its place.
  if (isa<ir::ScanOp, ir::LinearScanOp>(body.front()))
    return true;
  const SmallVector<AffineExpr> identity = identityIndex(shape, fused.getContext());
  const auto readsHere = [&](const Access &access, ArrayRef<int64_t> over) {
    return !access.conditional && over == shape && ArrayRef<AffineExpr>(access.index) == ArrayRef<AffineExpr>(identity);
  };
  const auto isNoSource = [](Operation *) { return false; };
  const auto yielded = body.getTerminator()->getOperands();
  for (Operation &op : body.without_terminator()) {
    const bool isYielded = llvm::is_contained(yielded, op.getResult(0));
    if (isTransparent(&op) && !isYielded)
      continue; // counted where it is read
    auto reduce = fused->hasAttr(walkAttrName) ? dyn_cast<ir::ReduceOp>(op) : ir::ReduceOp();
    const std::optional<TurnedReduction> turned = reduce ? turnedReductionOf(reduce) : std::nullopt;
    const ArrayRef<int64_t> over = turned ? shapeOf(turned->source) : iterationShape(&op);
    for (const Access &access : turned ? accessesOf(turned->source, isNoSource) : accessesOf(&op, isNoSource)) {
      if (access.source != argument)
        continue;
      if (isReadConverted(&op))
        return false; // the product reads it, in its own order
      if (!readsHere(access, over))
        return false;
    }
  }
  return true;
}
