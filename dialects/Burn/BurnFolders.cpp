// Folds that keep every bit: constants by the interpreter, where the op is exact, and identities.
// Never x * 0, x - x, x + (+0.0) or a transcendental of a constant: those would change results.
#include "dialects/Burn/Burn.h"
#include "dialects/Burn/BurnCanonicalization.h"
#include "dialects/Burn/Interpreter/Bounds.h"
#include "dialects/Burn/Interpreter/Interpreter.h"

using namespace mlir;
using namespace burn;
using namespace burn::ir;

namespace {

// Larger constants than this are not made: they would cost more to read than the op to run.
constexpr int64_t mostBytes = 64 * 1024;

// The one value of a splat constant, null for anything else.
Attribute splatOf(Attribute constant) {
  auto dense = dyn_cast_or_null<DenseElementsAttr>(constant);
  return dense && dense.isSplat() ? dense.getSplatValue<Attribute>() : Attribute();
}

// Whether a constant holds this number everywhere; the sign of a zero counts.
bool isAll(Attribute constant, double number) {
  Attribute value = splatOf(constant);
  if (auto real = dyn_cast_or_null<FloatAttr>(value)) {
    const double held = real.getValueAsDouble();
    return held == number && std::signbit(held) == std::signbit(number);
  }
  if (auto integer = dyn_cast_or_null<IntegerAttr>(value))
    return integer.getValue() == APInt(integer.getValue().getBitWidth(), static_cast<int64_t>(number),
                                       /*isSigned=*/true, /*implicitTrunc=*/true);
  return false;
}

// Whether a constant has every bit set (booleans: is true).
bool isAllOnes(Attribute constant) {
  auto integer = dyn_cast_or_null<IntegerAttr>(splatOf(constant));
  return integer && integer.getValue().isAllOnes();
}

bool holdsFloats(Value value) { return isa<FloatType>(getElementTypeOrSelf(value)); }

bool isIdentity(ArrayRef<int64_t> perm) {
  for (auto [i, dim] : llvm::enumerate(perm))
    if (dim != static_cast<int64_t>(i))
      return false;
  return true;
}

// A splat result from splat operands, null where that cannot be told.
DenseElementsAttr foldSplats(Operation *op, MutableArrayRef<DenseElementsAttr> operands, const core::OpInfo &info,
                             RankedTensorType type) {
  if (isa<ViewOpInterface>(op)) {
    for (DenseElementsAttr &operand : operands)
      if (operand.getSplatValue<Attribute>() != operands[0].getSplatValue<Attribute>())
        return nullptr;
    return operands[0].resizeSplat(type);
  }
  if (!op->hasTrait<OpTrait::Elementwise>())
    return nullptr;
  std::vector<HostTensor> values, results;
  for (DenseElementsAttr &operand : operands) {
    auto value = toHostTensor(operand.resizeSplat(RankedTensorType::get({}, operand.getElementType())));
    if (!value)
      return nullptr;
    values.push_back(*value);
  }
  std::vector<const HostTensor *> pointers;
  for (const HostTensor &value : values)
    pointers.push_back(&value);
  const core::TypeDesc scalar = *toTypeDesc(RankedTensorType::get({}, type.getElementType()));
  if (!evaluate(info.code, pointers, toAttrWords(op), {&scalar, 1}, Precision::Own, results))
    return nullptr;
  return toElementsAttr(op->getContext(), results[0]).resizeSplat(type);
}

} // namespace

bool ir::keepsValues(Type from, Type to) {
  auto digits = [](Type type) -> std::pair<int, int> { // significant bits, exponent bits
    if (type.isF64())
      return {53, 11};
    if (type.isF32())
      return {24, 8};
    if (type.isF16())
      return {11, 5};
    return {8, 8};
  };
  if (from == to || from.isInteger(1))
    return true;
  if (isa<FloatType>(from))
    return isa<FloatType>(to) && digits(from).first <= digits(to).first && digits(from).second <= digits(to).second;
  const bool isSigned = !from.isUnsignedInteger();
  const unsigned bits = from.getIntOrFloatBitWidth() - isSigned;
  // 8-bit exponents reach 2^127, f16 only 65504.
  if (isa<FloatType>(to))
    return bits <= static_cast<unsigned>(digits(to).first);
  if (to.isInteger(1) || (isSigned && to.isUnsignedInteger()))
    return false;
  return bits <= to.getIntOrFloatBitWidth() - !to.isUnsignedInteger();
}

LogicalResult ir::foldByMeaning(Operation *op, ArrayRef<Attribute> operands, SmallVectorImpl<OpFoldResult> &folded) {
  const core::OpInfo *info = opInfo(op);
  if (operands.empty() || op->getNumResults() != 1 || isa<PrintOp>(op) || boundOf(info->code).kind != BoundKind::Exact)
    return failure();
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  std::optional<core::TypeDesc> desc = toTypeDesc(type);
  if (!desc)
    return failure();
  SmallVector<DenseElementsAttr> constants;
  bool allSplat = desc->numel() > 0;
  int64_t bytes = desc->byteSize();
  for (Attribute operand : operands) {
    auto constant = dyn_cast_or_null<DenseElementsAttr>(operand);
    if (!constant)
      return failure();
    constants.push_back(constant);
    allSplat &= constant.isSplat() && constant.getNumElements() > 0;
    bytes = std::max(bytes, toTypeDesc(constant.getType())->byteSize());
  }
  if (allSplat)
    if (DenseElementsAttr splat = foldSplats(op, constants, *info, type)) {
      folded.push_back(splat);
      return success();
    }
  // A small constant and its broadcast are cheaper than a larger constant.
  if (bytes > mostBytes || (isa<BroadcastOp>(op) && desc->numel() > constants[0].getNumElements()))
    return failure();
  std::vector<HostTensor> values, results;
  for (DenseElementsAttr constant : constants) {
    core::Expected<HostTensor> value = toHostTensor(constant);
    if (!value)
      return failure();
    values.push_back(std::move(*value));
  }
  std::vector<const HostTensor *> pointers;
  for (const HostTensor &value : values)
    pointers.push_back(&value);
  // Fails for ops without a meaning of their own and for indices outside; those stay.
  if (!evaluate(info->code, pointers, toAttrWords(op), {&*desc, 1}, Precision::Own, results))
    return failure();
  folded.push_back(toElementsAttr(op->getContext(), results[0]));
  return success();
}

//===-- elementwise ---------------------------------------------------------------------------===//

OpFoldResult NegOp::fold(FoldAdaptor) {
  if (auto inner = getInput().getDefiningOp<NegOp>())
    return inner.getInput();
  return {};
}

OpFoldResult AbsOp::fold(FoldAdaptor) {
  return getInput().getDefiningOp<AbsOp>() ? OpFoldResult(getInput()) : OpFoldResult();
}

OpFoldResult ReluOp::fold(FoldAdaptor) {
  return getInput().getDefiningOp<ReluOp>() ? OpFoldResult(getInput()) : OpFoldResult();
}

OpFoldResult NotOp::fold(FoldAdaptor) {
  if (auto inner = getInput().getDefiningOp<NotOp>())
    return inner.getInput();
  return {};
}

OpFoldResult AddOp::fold(FoldAdaptor adaptor) {
  const double zero = holdsFloats(getResult()) ? -0.0 : 0.0;
  if (isAll(adaptor.getRhs(), zero))
    return getLhs();
  return isAll(adaptor.getLhs(), zero) ? OpFoldResult(getRhs()) : OpFoldResult();
}

OpFoldResult SubOp::fold(FoldAdaptor adaptor) {
  return isAll(adaptor.getRhs(), 0.0) ? OpFoldResult(getLhs()) : OpFoldResult();
}

OpFoldResult MulOp::fold(FoldAdaptor adaptor) {
  if (isAll(adaptor.getRhs(), 1))
    return getLhs();
  return isAll(adaptor.getLhs(), 1) ? OpFoldResult(getRhs()) : OpFoldResult();
}

OpFoldResult DivOp::fold(FoldAdaptor adaptor) {
  return isAll(adaptor.getRhs(), 1) ? OpFoldResult(getLhs()) : OpFoldResult();
}

OpFoldResult MaxOp::fold(FoldAdaptor) { return getLhs() == getRhs() ? OpFoldResult(getLhs()) : OpFoldResult(); }

OpFoldResult MinOp::fold(FoldAdaptor) { return getLhs() == getRhs() ? OpFoldResult(getLhs()) : OpFoldResult(); }

OpFoldResult AndOp::fold(FoldAdaptor adaptor) {
  if (getLhs() == getRhs() || isAllOnes(adaptor.getRhs()))
    return getLhs();
  if (isAllOnes(adaptor.getLhs()))
    return getRhs();
  for (Attribute operand : {adaptor.getLhs(), adaptor.getRhs()})
    if (isAll(operand, 0))
      return operand;
  return {};
}

OpFoldResult OrOp::fold(FoldAdaptor adaptor) {
  if (getLhs() == getRhs() || isAll(adaptor.getRhs(), 0))
    return getLhs();
  if (isAll(adaptor.getLhs(), 0))
    return getRhs();
  for (Attribute operand : {adaptor.getLhs(), adaptor.getRhs()})
    if (isAllOnes(operand))
      return operand;
  return {};
}

OpFoldResult XorOp::fold(FoldAdaptor adaptor) {
  if (isAll(adaptor.getRhs(), 0))
    return getLhs();
  return isAll(adaptor.getLhs(), 0) ? OpFoldResult(getRhs()) : OpFoldResult();
}

OpFoldResult SelectOp::fold(FoldAdaptor adaptor) {
  if (getOnTrue() == getOnFalse() || isAllOnes(adaptor.getPredicate()))
    return getOnTrue();
  return isAll(adaptor.getPredicate(), 0) ? OpFoldResult(getOnFalse()) : OpFoldResult();
}

OpFoldResult ConvertOp::fold(FoldAdaptor) {
  if (getInput().getType() == getType())
    return getInput();
  auto inner = getInput().getDefiningOp<ConvertOp>();
  if (!inner)
    return {};
  // There and back through a type that holds every value.
  Type from = getElementTypeOrSelf(inner.getInput()), through = getElementTypeOrSelf(inner.getType());
  if (inner.getInput().getType() == getType() && keepsValues(from, through))
    return inner.getInput();
  return {};
}

OpFoldResult PowiOp::fold(FoldAdaptor) {
  if (getExponent() == 1)
    return getInput();
  if (getExponent() != 0) // x^0 is 1 whatever x
    return {};
  auto type = cast<RankedTensorType>(getType());
  if (auto real = dyn_cast<FloatType>(type.getElementType()))
    return DenseElementsAttr::get(type, FloatAttr::get(real, 1.0).getValue());
  return DenseElementsAttr::get(type, APInt(type.getElementTypeBitWidth(), 1));
}

OpFoldResult FloorDivOp::fold(FoldAdaptor adaptor) {
  return isAll(adaptor.getRhs(), 1) ? OpFoldResult(getLhs()) : OpFoldResult();
}

OpFoldResult ShlOp::fold(FoldAdaptor adaptor) {
  return isAll(adaptor.getRhs(), 0) ? OpFoldResult(getLhs()) : OpFoldResult();
}

OpFoldResult ShrOp::fold(FoldAdaptor adaptor) {
  return isAll(adaptor.getRhs(), 0) ? OpFoldResult(getLhs()) : OpFoldResult();
}

OpFoldResult BitcastOp::fold(FoldAdaptor) {
  if (getInput().getType() == getType())
    return getInput();
  auto inner = getInput().getDefiningOp<BitcastOp>();
  if (!inner)
    return {};
  if (inner.getInput().getType() == getType())
    return inner.getInput();
  getInputMutable().assign(inner.getInput());
  return getResult();
}

//===-- data movement -------------------------------------------------------------------------===//

OpFoldResult BroadcastOp::fold(FoldAdaptor) {
  return getInput().getType() == getType() ? OpFoldResult(getInput()) : OpFoldResult();
}

OpFoldResult ReshapeOp::fold(FoldAdaptor) {
  return getInput().getType() == getType() ? OpFoldResult(getInput()) : OpFoldResult();
}

OpFoldResult TransposeOp::fold(FoldAdaptor) {
  return isIdentity(getPerm()) ? OpFoldResult(getInput()) : OpFoldResult();
}

// The whole operand: starts are 0 and strides do not matter.
OpFoldResult SliceOp::fold(FoldAdaptor) {
  return getInput().getType() == getType() && llvm::all_of(getStarts(), [](int64_t start) { return start == 0; })
             ? OpFoldResult(getInput())
             : OpFoldResult();
}

OpFoldResult SliceUpdateOp::fold(FoldAdaptor) {
  if (getUpdate().getType() == getType())
    return getUpdate();
  return cast<RankedTensorType>(getUpdate().getType()).getNumElements() == 0 ? OpFoldResult(getInput())
                                                                             : OpFoldResult();
}

// Equal shapes alone do not tell: elements may be shifted in and out.
OpFoldResult PadOp::fold(FoldAdaptor) {
  auto isZero = [](int64_t count) { return count == 0; };
  return getInput().getType() == getType() && llvm::all_of(getLow(), isZero) && llvm::all_of(getHigh(), isZero)
             ? OpFoldResult(getInput())
             : OpFoldResult();
}

// One operand, or one among empty ones.
OpFoldResult ConcatOp::fold(FoldAdaptor) {
  Value only;
  for (Value input : getInputs())
    if (cast<RankedTensorType>(input.getType()).getNumElements() != 0) {
      if (only)
        return {};
      only = input;
    }
  return only ? OpFoldResult(only) : OpFoldResult();
}

OpFoldResult ReverseOp::fold(FoldAdaptor) {
  ArrayRef<int64_t> shape = getType().getShape();
  if (llvm::all_of(getDims(), [&](int64_t dim) { return shape[dim] <= 1; }))
    return getInput();
  if (auto inner = getInput().getDefiningOp<ReverseOp>(); inner && inner.getDims() == getDims())
    return inner.getInput();
  return {};
}
