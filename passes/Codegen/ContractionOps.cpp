#include "passes/Codegen/ContractionOps.h"

#include "dialects/Burn/Burn.h"
#include "passes/Codegen/ContractionDots.h"
#include "passes/Graph/Accesses.h"

namespace burn::compiler {
namespace {

bool isComputable(mlir::Type element) {
  if (mlir::isa<mlir::FloatType>(element))
    return element.isF16() || element.isBF16() || element.isF32() || element.isF64();
  auto integer = mlir::dyn_cast<mlir::IntegerType>(element);
  return integer && integer.getWidth() >= 8;
}

mlir::RankedTensorType typeOf(mlir::Value value) { return mlir::cast<mlir::RankedTensorType>(value.getType()); }

} // namespace

std::optional<Contraction> contractionOf(mlir::Operation *op) {
  if (!mlir::isa<ir::DotGeneralOp, ir::ConvOp>(op))
    return std::nullopt;
  mlir::RankedTensorType lhs = typeOf(op->getOperand(0)), rhs = typeOf(op->getOperand(1)),
                         out = typeOf(op->getResult(0));
  if (!isComputable(lhs.getElementType()) || !lhs.hasStaticShape() || !rhs.hasStaticShape())
    return std::nullopt;
  if (auto dot = mlir::dyn_cast<ir::DotGeneralOp>(op))
    return makeDotContraction({lhs.getShape(), rhs.getShape(), dot.getLhsBatch(), dot.getRhsBatch(),
                               dot.getLhsContract(), dot.getRhsContract()});
  auto conv = mlir::cast<ir::ConvOp>(op);
  return makeConvContraction({lhs.getShape(), rhs.getShape(), out.getShape(), conv.getLhsDims(), conv.getRhsDims(),
                              conv.getOutDims(), conv.getStrides(), conv.getPadLow(), conv.getLhsDilation(),
                              conv.getRhsDilation(), static_cast<int64_t>(conv.getFeatureGroups()),
                              static_cast<int64_t>(conv.getBatchGroups())});
}

mlir::Value contractionSource(mlir::Operation *op, unsigned operand) { return readSource(op->getOpOperand(operand)); }

ContractionKinds contractionKinds(mlir::Operation *op) {
  const auto kindOf = [](mlir::Value value) { return ir::ScalarKind::get(typeOf(value).getElementType()); };
  ContractionKinds kinds;
  kinds.lhs = kindOf(contractionSource(op, 0));
  kinds.rhs = kindOf(contractionSource(op, 1));
  kinds.sum = kinds.result = kindOf(op->getResult(0));
  for (unsigned operand : {0, 1})
    kinds.computes |= readChain(op->getOpOperand(operand)).size() > 1;
  if (kinds.sum.width < 32)
    kinds.sum = {kinds.sum.isFloat() ? ir::ScalarKind::Class::Float : ir::ScalarKind::Class::Signed, 32};
  return kinds;
}

mlir::DictionaryAttr toAttribute(mlir::MLIRContext *context, const ContractionTiling &tiling) {
  mlir::Builder b(context);
  llvm::SmallVector<mlir::Attribute> packed;
  if (tiling.packRows)
    packed.push_back(b.getStringAttr("rows"));
  if (tiling.packLanes)
    packed.push_back(b.getStringAttr("lanes"));
  mlir::NamedAttribute entries[] = {
      b.getNamedAttr("vector_lanes", b.getI64IntegerAttr(tiling.vectorLanes)),
      b.getNamedAttr("tile", b.getI64ArrayAttr({tiling.tileRows, tiling.tileLanes})),
      b.getNamedAttr("block_steps", b.getI64IntegerAttr(tiling.blockSteps)),
      b.getNamedAttr("task", b.getI64ArrayAttr({tiling.taskRows, tiling.taskLanes})),
      b.getNamedAttr("pack", b.getArrayAttr(packed)),
      b.getNamedAttr("exchange", b.getBoolAttr(tiling.exchange)),
      b.getNamedAttr("dot", b.getStringAttr(nameOf(tiling.dot))),
  };
  return b.getDictionaryAttr(llvm::ArrayRef(entries).drop_back(tiling.dot == DotInstruction::None ? 1 : 0));
}

mlir::FailureOr<std::optional<ContractionTiling>> tilingOn(mlir::Operation *op, const Contraction &contraction) {
  mlir::Attribute attribute = op->getDiscardableAttr(tilingAttrName);
  if (!attribute)
    return std::optional<ContractionTiling>();
  auto malformed = [&](const llvm::Twine &what) {
    return op->emitOpError() << "has a malformed " << tilingAttrName << ": " << what;
  };
  auto entries = mlir::dyn_cast<mlir::DictionaryAttr>(attribute);
  if (!entries)
    return malformed("expects a dictionary");
  ContractionTiling tiling;
  auto readInteger = [&](llvm::StringRef name, int64_t &to) {
    auto value = entries.getAs<mlir::IntegerAttr>(name);
    if (value)
      to = value.getInt();
    return value != nullptr;
  };
  auto readPair = [&](llvm::StringRef name, int64_t &first, int64_t &second) {
    auto values = entries.getAs<mlir::ArrayAttr>(name);
    if (!values || values.size() != 2 || !llvm::all_of(values, llvm::IsaPred<mlir::IntegerAttr>))
      return false;
    first = mlir::cast<mlir::IntegerAttr>(values[0]).getInt();
    second = mlir::cast<mlir::IntegerAttr>(values[1]).getInt();
    return true;
  };
  if (!readInteger("vector_lanes", tiling.vectorLanes) || !readInteger("block_steps", tiling.blockSteps))
    return malformed("expects integers 'vector_lanes' and 'block_steps'");
  if (!readPair("tile", tiling.tileRows, tiling.tileLanes) || !readPair("task", tiling.taskRows, tiling.taskLanes))
    return malformed("expects 'tile' and 'task' as [rows, lanes]");
  auto packed = entries.getAs<mlir::ArrayAttr>("pack");
  auto exchange = entries.getAs<mlir::BoolAttr>("exchange");
  if (!packed || !exchange)
    return malformed("expects a list 'pack' and a boolean 'exchange'");
  for (mlir::Attribute entry : packed) {
    auto name = mlir::dyn_cast<mlir::StringAttr>(entry);
    if (!name || (name.getValue() != "rows" && name.getValue() != "lanes"))
      return malformed("'pack' lists \"rows\" and \"lanes\"");
    (name.getValue() == "rows" ? tiling.packRows : tiling.packLanes) = true;
  }
  tiling.exchange = exchange.getValue();
  if (mlir::Attribute dot = entries.get("dot")) {
    auto name = mlir::dyn_cast<mlir::StringAttr>(dot);
    const std::optional<DotInstruction> instruction = name ? dotInstruction(name.getValue()) : std::nullopt;
    if (!instruction)
      return malformed("'dot' names no known instruction");
    tiling.dot = *instruction;
  }
  llvm::StringRef why;
  if (!isTilingLegal(contraction, tiling, why))
    return op->emitOpError() << "has a " << tilingAttrName << " that does not fit: " << why;
  return std::optional<ContractionTiling>(tiling);
}

mlir::FailureOr<ContractionTiling> tilingFor(mlir::Operation *op, const Contraction &contraction,
                                             const CpuTargetInfo &target, bool deterministic) {
  mlir::FailureOr<std::optional<ContractionTiling>> standing = tilingOn(op, contraction);
  if (mlir::failed(standing))
    return mlir::failure();
  const ContractionKinds kinds = contractionKinds(op);
  if (*standing) {
    const ContractionTiling &tiling = **standing;
    auto unfit = [&] { return op->emitOpError() << "has a " << tilingAttrName << " that does not fit: "; };
    if (llvm::StringRef why; !isDotComputable(tiling.dot, kinds, target, why))
      return unfit() << why;
    if (tiling.dot != DotInstruction::None && tiling.vectorLanes != dotLanes(target))
      return unfit() << nameOf(tiling.dot) << " takes vectors of " << dotLanes(target) << " lanes on this target";
    return tiling;
  }
  if (std::optional<ContractionTiling> dots = chooseDotTiling(contraction, kinds, target, deterministic))
    return *dots;
  return chooseContractionTiling(contraction, kinds.sum.width / 8, target, kinds.widens());
}

} // namespace burn::compiler
