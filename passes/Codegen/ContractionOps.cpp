#include "passes/Codegen/ContractionOps.h"

#include "dialects/Burn/Burn.h"
#include "passes/Codegen/ContractionDots.h"
#include "passes/Codegen/DirectConvolution.h"
#include "passes/Graph/Accesses.h"
#include "passes/Graph/Import.h"
#include "passes/Graph/Prepare.h"
#include "passes/Graph/Regions.h"

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
  mlir::RankedTensorType lhs = typeOf(op->getOperand(0)), rhs = typeOf(op->getOperand(1));
  if (!isComputable(lhs.getElementType()) || !lhs.hasStaticShape() || !rhs.hasStaticShape())
    return std::nullopt;
  if (auto dot = mlir::dyn_cast<ir::DotGeneralOp>(op))
    return makeDotContraction({lhs.getShape(), rhs.getShape(), dot.getLhsBatch(), dot.getRhsBatch(),
                               dot.getLhsContract(), dot.getRhsContract()});
  auto conv = mlir::cast<ir::ConvOp>(op);
  return makeConvContraction(geometryOf(conv));
}

mlir::Value contractionSource(mlir::Operation *op, unsigned operand) { return readSource(op->getOpOperand(operand)); }

mlir::Value fixedSourceOf(mlir::Operation *op, unsigned operand) {
  auto fused = mlir::dyn_cast<ir::FusedOp>(op->getParentOp());
  auto func = op->getParentOfType<mlir::func::FuncOp>();
  if (!fused || !func || isPrepare(func))
    return nullptr;
  // What is computed as it is read may depend on other operands of the kernel.
  auto argument = mlir::dyn_cast<mlir::BlockArgument>(contractionSource(op, operand));
  if (!argument || readChain(op->getOpOperand(operand)).size() > 1)
    return nullptr;
  mlir::Value source = outermostBuffer(fused.getInputs()[argument.getArgNumber()]);
  if (isFixedForever(source))
    return source;
  for (mlir::Operation *loop = fused->getParentOp(); loop != func; loop = loop->getParentOp())
    if (mlir::isa<ir::ForOp, ir::WhileOp>(loop) && source.getParentRegion()->isProperAncestor(&loop->getRegion(0)))
      return source;
  return nullptr;
}

bool isFixedForever(mlir::Value source) {
  auto argument = mlir::dyn_cast<mlir::BlockArgument>(source);
  if (!argument)
    return isData(source);
  auto func = mlir::dyn_cast<mlir::func::FuncOp>(argument.getOwner()->getParentOp());
  return func && (func.getArgAttr(argument.getArgNumber(), kFrozenAttr) ||
                  func.getArgAttr(argument.getArgNumber(), kDerivedAttr));
}

FixedOperand fixedOperandOf(mlir::Operation *op) {
  FixedOperand found = FixedOperand::None;
  for (unsigned i : {1u, 0u}) {
    mlir::Value source = fixedSourceOf(op, i);
    const FixedOperand operand = i == 0 ? FixedOperand::Lhs : FixedOperand::Rhs;
    if (source && isFixedForever(source))
      return operand;
    if (source && found == FixedOperand::None)
      found = operand;
  }
  return found;
}

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

bool isRowsOperand(const Contraction &contraction, const ContractionTiling &tiling, unsigned number) {
  const bool lhsIsRows = contraction.lhsIsRows != tiling.exchange;
  return lhsIsRows == (number == 0);
}

bool isReady(const Contraction &contraction, const ContractionTiling &tiling, unsigned number) {
  return isRowsOperand(contraction, tiling, number) ? tiling.readyRows : tiling.readyLanes;
}

mlir::DictionaryAttr toAttribute(mlir::MLIRContext *context, const ContractionTiling &tiling) {
  mlir::Builder b(context);
  const auto roles = [&](bool rows, bool lanes) {
    llvm::SmallVector<mlir::Attribute> names;
    if (rows)
      names.push_back(b.getStringAttr("rows"));
    if (lanes)
      names.push_back(b.getStringAttr("lanes"));
    return b.getArrayAttr(names);
  };
  llvm::SmallVector<mlir::NamedAttribute> entries = {
      b.getNamedAttr("vector_lanes", b.getI64IntegerAttr(tiling.vectorLanes)),
      b.getNamedAttr("tile", b.getI64ArrayAttr({tiling.tileRows, tiling.tileLanes})),
      b.getNamedAttr("block_steps", b.getI64IntegerAttr(tiling.blockSteps)),
      b.getNamedAttr("task", b.getI64ArrayAttr({tiling.taskRows, tiling.taskLanes})),
      b.getNamedAttr("pack", roles(tiling.packRows, tiling.packLanes)),
      b.getNamedAttr("exchange", b.getBoolAttr(tiling.exchange)),
  };
  if (tiling.dot != DotInstruction::None)
    entries.push_back(b.getNamedAttr("dot", b.getStringAttr(nameOf(tiling.dot))));
  if (tiling.readyRows || tiling.readyLanes)
    entries.push_back(b.getNamedAttr("ready", roles(tiling.readyRows, tiling.readyLanes)));
  return b.getDictionaryAttr(entries);
}

std::optional<ContractionTiling> readTiling(mlir::Attribute attribute, std::string &why) {
  const auto malformed = [&](llvm::StringRef what) {
    why = what.str();
    return std::nullopt;
  };
  auto entries = mlir::dyn_cast_or_null<mlir::DictionaryAttr>(attribute);
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
  const auto readRoles = [](mlir::ArrayAttr names, bool &rows, bool &lanes) {
    for (mlir::Attribute entry : names) {
      auto name = mlir::dyn_cast<mlir::StringAttr>(entry);
      if (!name || (name.getValue() != "rows" && name.getValue() != "lanes"))
        return false;
      (name.getValue() == "rows" ? rows : lanes) = true;
    }
    return true;
  };
  if (!readRoles(packed, tiling.packRows, tiling.packLanes))
    return malformed("'pack' lists \"rows\" and \"lanes\"");
  tiling.exchange = exchange.getValue();
  if (mlir::Attribute dot = entries.get("dot")) {
    auto name = mlir::dyn_cast<mlir::StringAttr>(dot);
    const std::optional<DotInstruction> instruction = name ? dotInstruction(name.getValue()) : std::nullopt;
    if (!instruction)
      return malformed("'dot' names no known instruction");
    tiling.dot = *instruction;
  }
  if (mlir::Attribute ready = entries.get("ready")) {
    auto names = mlir::dyn_cast<mlir::ArrayAttr>(ready);
    if (!names || !readRoles(names, tiling.readyRows, tiling.readyLanes))
      return malformed("'ready' lists \"rows\" and \"lanes\"");
  }
  return tiling;
}

mlir::FailureOr<std::optional<ContractionTiling>> tilingOn(mlir::Operation *op, const Contraction &contraction) {
  mlir::Attribute attribute = op->getDiscardableAttr(tilingAttrName);
  if (!attribute)
    return std::optional<ContractionTiling>();
  std::string malformed;
  const std::optional<ContractionTiling> tiling = readTiling(attribute, malformed);
  if (!tiling)
    return op->emitOpError() << "has a malformed " << tilingAttrName << ": " << malformed;
  llvm::StringRef why;
  if (!isTilingLegal(contraction, *tiling, why))
    return op->emitOpError() << "has a " << tilingAttrName << " that does not fit: " << why;
  return tiling;
}

mlir::FailureOr<ContractionTiling> tilingFor(mlir::Operation *op, const Contraction &contraction,
                                             const CpuTargetInfo &target, bool deterministic, FixedOperand fixed) {
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
  if (std::optional<ContractionTiling> dots = chooseDotTiling(contraction, kinds, target, deterministic, fixed))
    return *dots;
  return chooseContractionTiling(contraction, kinds.sum.width / 8, target, kinds.widens(), fixed);
}

} // namespace burn::compiler
