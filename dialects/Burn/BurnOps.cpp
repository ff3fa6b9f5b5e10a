// Type inference and verification of burn ops: all by the rules of runtime/Core/OpRules.
#include "dialects/Burn/AnySize.h"

using namespace mlir;
using namespace burn;
using namespace burn::ir;

namespace {

// Operand types for a rule; false where `convert` refuses one.
bool toTypeDescs(TypeRange types, std::optional<core::TypeDesc> (*convert)(Type),
                 SmallVectorImpl<core::TypeDesc> &descs) {
  for (Type type : types) {
    std::optional<core::TypeDesc> desc = convert(type);
    if (!desc)
      return false;
    descs.push_back(*desc);
  }
  return true;
}

} // namespace

LogicalResult ir::inferByRule(StringRef name, MLIRContext *context, std::optional<Location> location,
                              ValueRange operands, DictionaryAttr attributes, Attribute inherent,
                              SmallVectorImpl<Type> &results) {
  OperationName opName(name, context);
  const core::OpInfo *info = opInfo(opName);
  SmallVector<core::TypeDesc> types;
  if (!toTypeDescs(operands.getTypes(), toTypeDescOfAnySize, types))
    return emitOptionalError(location, "'", name, "' op expects operands of static shape and rank 8 at most");
  // Attributes live in properties; a generic form may pass them as a dictionary instead.
  NamedAttrList all(attributes);
  if (auto dictionary = dyn_cast_or_null<DictionaryAttr>(inherent))
    for (NamedAttribute attr : dictionary)
      all.set(attr.getName(), attr.getValue());
  FailureOr<SmallVector<int64_t>> words = toAttrWords(*info, all.getDictionary(context));
  if (failed(words))
    return emitOptionalError(location, "'", name, "' op lacks an attribute or has one of a wrong type");
  std::vector<core::TypeDesc> inferred;
  const core::Status status = core::inferTypesOfAnySize(info->code, std::span<const core::TypeDesc>(types),
                                                        std::span<const int64_t>(*words), inferred);
  const auto fits = [](const core::TypeDesc &type) { return type.shape.fits(); };
  // Sizes that wrapped around may disagree; verification says what is wrong.
  if (!status && !types.empty() && !llvm::all_of(types, fits))
    inferred.assign(info->results < 0 ? types.size() : size_t(std::max(info->results, 1)), types.front());
  else if (!status)
    return emitOptionalError(location, "'", name, "' op ", StringRef(status.message()));
  for (const core::TypeDesc &desc : inferred)
    results.push_back(toTensorType(context, desc));
  return success();
}

LogicalResult ir::verifyByRule(Operation *op) {
  const core::OpInfo *info = opInfo(op);
  SmallVector<core::TypeDesc> operands, given;
  if (!toTypeDescs(op->getOperandTypes(), toTypeDesc, operands) ||
      !toTypeDescs(op->getResultTypes(), toTypeDesc, given))
    return op->emitOpError("expects operands and results of static shape, rank 8 at most and less than 2^60 elements");
  if (!info->inGraph)
    return success();
  FailureOr<SmallVector<int64_t>> words = toAttrWords(*info, op->getAttrDictionary());
  if (failed(words))
    return op->emitOpError("lacks an attribute or has one of a wrong type");
  std::vector<core::TypeDesc> results;
  if (!info->resultsInferred)
    results.assign(given.begin(), given.end());
  core::Status status = core::inferTypes(info->code, std::span<const core::TypeDesc>(operands),
                                         std::span<const int64_t>(*words), results);
  if (!status)
    return op->emitOpError(StringRef(status.message()));
  if (results.size() != given.size())
    return op->emitOpError("expects ") << results.size() << " results, got " << given.size();
  for (auto [i, want] : llvm::enumerate(results))
    if (want != given[i])
      return op->emitOpError("expects result ")
             << i << " of type " << toTensorType(op->getContext(), want) << ", got " << op->getResult(i).getType();
  return success();
}

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }
