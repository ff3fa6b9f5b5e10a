// The bridge between MLIR types and attributes and those of runtime/Core.
#include "dialects/Burn/AnySize.h"

using namespace mlir;
using namespace burn;
using namespace burn::ir;

std::optional<core::DType> ir::toDType(Type type) {
  if (type.isF64())
    return DType::F64;
  if (type.isF32())
    return DType::F32;
  if (type.isF16())
    return DType::F16;
  if (type.isBF16())
    return DType::BF16;
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer || integer.isSigned())
    return std::nullopt;
  const bool isUnsigned = integer.isUnsigned();
  switch (integer.getWidth()) {
  case 1:
    return isUnsigned ? std::nullopt : std::optional(DType::Bool);
  case 8:
    return isUnsigned ? DType::U8 : DType::I8;
  case 16:
    return isUnsigned ? DType::U16 : DType::I16;
  case 32:
    return isUnsigned ? DType::U32 : DType::I32;
  case 64:
    return isUnsigned ? DType::U64 : DType::I64;
  }
  return std::nullopt;
}

std::optional<core::TypeDesc> ir::toTypeDescOfAnySize(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape() || tensor.getRank() > Shape::maxRank)
    return std::nullopt;
  std::optional<core::DType> dtype = toDType(tensor.getElementType());
  if (!dtype)
    return std::nullopt;
  return core::TypeDesc{*dtype, Shape(std::span<const int64_t>(tensor.getShape()))};
}

std::optional<core::TypeDesc> ir::toTypeDesc(Type type) {
  std::optional<core::TypeDesc> desc = toTypeDescOfAnySize(type);
  return desc && desc->shape.fits() ? desc : std::nullopt;
}

Type ir::toElementType(MLIRContext *context, core::DType dtype) {
  switch (dtype) {
  case DType::F64:
    return Float64Type::get(context);
  case DType::F32:
    return Float32Type::get(context);
  case DType::F16:
    return Float16Type::get(context);
  case DType::BF16:
    return BFloat16Type::get(context);
  case DType::Bool:
    return IntegerType::get(context, 1);
  default:
    break;
  }
  return IntegerType::get(context, bitWidth(dtype),
                          isUnsignedInt(dtype) ? IntegerType::Unsigned : IntegerType::Signless);
}

RankedTensorType ir::toTensorType(MLIRContext *context, const core::TypeDesc &desc) {
  return RankedTensorType::get(ArrayRef<int64_t>(desc.shape.begin(), desc.shape.rank()),
                               toElementType(context, desc.dtype));
}

const core::OpInfo *ir::opInfo(OperationName name) {
  if (name.getDialectNamespace() != BurnDialect::getDialectNamespace())
    return nullptr;
  return core::findOp(std::string_view(name.stripDialect()));
}

const core::OpInfo *ir::opInfo(Operation *op) { return opInfo(op->getName()); }

FailureOr<SmallVector<int64_t>> ir::toAttrWords(const core::OpInfo &info, DictionaryAttr attributes) {
  SmallVector<int64_t> words;
  for (const core::AttrInfo &attr : info.attributes) {
    Attribute value = attributes.get(StringRef(attr.name));
    if (attr.kind == core::AttrKind::Unit) { // set where it is there
      words.push_back(value ? 1 : 0);
      continue;
    }
    if (!value)
      return failure();
    switch (attr.kind) {
    case core::AttrKind::I64:
    case core::AttrKind::Bool:
    case core::AttrKind::Enum: {
      auto integer = dyn_cast<IntegerAttr>(value);
      if (!integer)
        return failure();
      words.push_back(attr.kind == core::AttrKind::Bool ? int64_t(integer.getValue().getZExtValue())
                                                        : integer.getInt());
      break;
    }
    case core::AttrKind::F64: {
      auto number = dyn_cast<FloatAttr>(value);
      if (!number || !number.getType().isF64())
        return failure();
      words.push_back(std::bit_cast<int64_t>(number.getValueAsDouble()));
      break;
    }
    case core::AttrKind::Type: {
      auto type = dyn_cast<TypeAttr>(value);
      std::optional<core::DType> dtype = type ? toDType(type.getValue()) : std::nullopt;
      if (!dtype)
        return failure();
      words.push_back(static_cast<int64_t>(*dtype));
      break;
    }
    case core::AttrKind::I64Array: {
      auto array = dyn_cast<DenseI64ArrayAttr>(value);
      if (!array)
        return failure();
      core::encodeArray(words, std::span<const int64_t>(array.asArrayRef()));
      break;
    }
    case core::AttrKind::F64Array: {
      auto array = dyn_cast<DenseF64ArrayAttr>(value);
      if (!array)
        return failure();
      core::encodeArray(words, std::span<const double>(array.asArrayRef()));
      break;
    }
    case core::AttrKind::String: {
      auto text = dyn_cast<StringAttr>(value);
      if (!text)
        return failure();
      core::encodeArray(words, std::string_view(text.getValue()));
      break;
    }
    case core::AttrKind::Unit:
      break;
    case core::AttrKind::Segments: {
      auto array = dyn_cast<DenseI32ArrayAttr>(value);
      if (!array)
        return failure();
      words.push_back(array.size());
      for (int32_t size : array.asArrayRef())
        words.push_back(size);
      break;
    }
    }
  }
  return words;
}

SmallVector<int64_t> ir::toAttrWords(Operation *op) {
  FailureOr<SmallVector<int64_t>> words = toAttrWords(*opInfo(op), op->getAttrDictionary());
  return succeeded(words) ? *words : SmallVector<int64_t>();
}

FailureOr<SmallVector<NamedAttribute>> ir::toAttributes(MLIRContext *context, const core::OpInfo &info,
                                                        ArrayRef<int64_t> words) {
  Builder b(context);
  SmallVector<NamedAttribute> attributes;
  size_t position = 0;
  for (const core::AttrInfo &attr : info.attributes) {
    if (position >= words.size())
      return failure();
    const int64_t word = words[position++];
    ArrayRef<int64_t> entries;
    if (attr.kind >= core::AttrKind::I64Array) {
      const uint64_t count = attr.kind == core::AttrKind::String ? llvm::divideCeil(uint64_t(word), 8) : uint64_t(word);
      if (word < 0 || count > words.size() - position)
        return failure();
      entries = words.slice(position, count);
      position += count;
    }
    Attribute value;
    switch (attr.kind) {
    case core::AttrKind::I64:
      value = b.getI64IntegerAttr(word);
      break;
    case core::AttrKind::Unit:
      if (word)
        value = b.getUnitAttr();
      break;
    case core::AttrKind::Bool:
      value = b.getBoolAttr(word != 0);
      break;
    case core::AttrKind::Enum:
      value = b.getI32IntegerAttr(static_cast<int32_t>(word));
      break;
    case core::AttrKind::F64:
      value = b.getF64FloatAttr(std::bit_cast<double>(word));
      break;
    case core::AttrKind::Type:
      if (!isValidDType(static_cast<uint64_t>(word)))
        return failure();
      value = TypeAttr::get(toElementType(context, static_cast<core::DType>(word)));
      break;
    case core::AttrKind::I64Array:
      value = b.getDenseI64ArrayAttr(entries);
      break;
    case core::AttrKind::F64Array:
      value = b.getDenseF64ArrayAttr(
          llvm::map_to_vector(entries, [](int64_t bits) { return std::bit_cast<double>(bits); }));
      break;
    case core::AttrKind::String:
      value = b.getStringAttr(StringRef(reinterpret_cast<const char *>(entries.data()), word));
      break;
    case core::AttrKind::Segments:
      value = b.getDenseI32ArrayAttr(SmallVector<int32_t>(entries.begin(), entries.end()));
      break;
    }
    if (value)
      attributes.push_back(b.getNamedAttr(StringRef(attr.name), value));
  }
  if (position != words.size())
    return failure();
  return attributes;
}
