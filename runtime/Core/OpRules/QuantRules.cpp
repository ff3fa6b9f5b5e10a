#include "runtime/Core/OpRules/Rules.h"

namespace burn::core::rules {
namespace {

bool isPacked(QuantStorage storage) { return storage == QuantStorage::I4 || storage == QuantStorage::U4; }

bool isFloatStorage(QuantStorage storage) {
  return storage == QuantStorage::F8E4M3FN || storage == QuantStorage::F8E5M2;
}

// Checks scale and zero points of `real` and gives the type of its quantized form.
Expected<TypeDesc> quantizedType(const TypeDesc &real, Operands parameters, QuantStorage storage, Dims block) {
  if (Status status = checkFloat(real); !status)
    return status;
  const unsigned rank = real.shape.rank();
  if (Status status = checkLength("block", block, rank); !status) // (C1)
    return status;
  Shape blocks;
  for (unsigned i = 0; i < rank; ++i) {
    if (block[i] < 1 || real.shape[i] % block[i] != 0)
      return Status::invalid("expects a block size that divides dimension " + std::to_string(i) + " of " + real.str() +
                             ", got " + std::to_string(block[i]));
    blocks.push(real.shape[i] / block[i]);
  }
  if (parameters[0] != TypeDesc{real.dtype, blocks}) // (C2)
    return Status::invalid("expects a scale of type " + TypeDesc{real.dtype, blocks}.str() + ", got " +
                           parameters[0].str());
  if (parameters.size() > 1) {
    if (isFloatStorage(storage)) // (C3)
      return Status::invalid("float storage has no zero points");
    if (parameters[1] != TypeDesc{DType::I32, blocks})
      return Status::invalid("expects zero points of type " + TypeDesc{DType::I32, blocks}.str() + ", got " +
                             parameters[1].str());
  }
  TypeDesc result{storage == QuantStorage::I8 ? DType::I8 : DType::U8, {}};
  if (isPacked(storage) && rank == 0) // (C4)
    return Status::invalid("a scalar cannot be packed");
  for (unsigned i = 0; i < rank; ++i)
    result.shape.push(isPacked(storage) && i + 1 == rank ? (real.shape[i] + 1) / 2 : real.shape[i]);
  return result;
}

} // namespace

Status Quantize(Operands operands, const QuantizeAttrs &attrs, Results &results) {
  if (!attrs.saturate && !isFloatStorage(attrs.storage)) // (C5)
    return Status::invalid("integer storage saturates");
  Expected<TypeDesc> type = quantizedType(operands[0], operands.subspan(1), attrs.storage, attrs.block);
  if (!type)
    return type.status();
  results.assign(1, *type);
  return Status::ok();
}

Status Dequantize(Operands operands, const DequantizeAttrs &attrs, Results &results) {
  Expected<TypeDesc> type = quantizedType(results[0], operands.subspan(1), attrs.storage, attrs.block);
  if (!type)
    return type.status();
  if (operands[0] != *type) // (C5)
    return Status::invalid("expects a quantized tensor of type " + type->str() + ", got " + operands[0].str());
  return Status::ok();
}

} // namespace burn::core::rules
