#include "dialects/Burn/Interpreter/Evaluation.h"
#include "dialects/Burn/Interpreter/HostBytes.h"
#include "runtime/Core/HostMemory.h"

using namespace burn;
using namespace burn::ir;
using namespace burn::ir::meaning;

namespace {

Function findFunction(core::OpCode op) {
  for (auto find : {findElementwise, findElementary, findNumber, findShape, findIndexing, findOrder, findReduction,
                    findScan, findContraction, findWindow, findRandom, findNeural, findControl})
    if (Function function = find(op))
      return function;
  return nullptr;
}

// Results, and the elements of operands and results as they are computed in.
core::Status checkMemory(std::span<const HostTensor *const> operands, std::span<const core::TypeDesc> resultTypes,
                         Precision precision) {
  const bool isComplex = precision == Precision::ComplexStep;
  const __int128 computed = isComplex ? sizeof(Complex) : sizeof(double);
  __int128 bytes = 0;
  for (const HostTensor *operand : operands)
    bytes += operand->numel() * computed;
  for (const core::TypeDesc &type : resultTypes)
    bytes += hostBytes(heldType(type, precision), isComplex) + type.numel() * computed;
  return core::checkHostMemory(bytes);
}

} // namespace

core::TypeDesc ir::heldType(const core::TypeDesc &type, Precision precision) {
  if (precision == Precision::Own || !isFloat(type.dtype))
    return type;
  return {DType::F64, type.shape};
}

bool ir::hasMeaning(core::OpCode op) { return findFunction(op) != nullptr; }

core::Status ir::evaluate(core::OpCode op, std::span<const HostTensor *const> operands, std::span<const int64_t> words,
                          std::span<const core::TypeDesc> resultTypes, Precision precision,
                          std::vector<HostTensor> &results) {
  Function function = findFunction(op);
  if (!function) {
    const core::OpInfo *info = core::findOp(op);
    const std::string name = info ? std::string(info->name) : "op";
    if (op == core::OpCode::Grad)
      return Status::error(core::ErrorCode::Unsupported, "burn.grad has no meaning of its own: differentiate first");
    return Status::error(core::ErrorCode::Unsupported, "the interpreter does not know burn." + name);
  }
  if (core::Status status = checkMemory(operands, resultTypes, precision); !status)
    return status;
  std::vector<core::TypeDesc> types;
  results.clear();
  for (const core::TypeDesc &type : resultTypes) {
    types.push_back(heldType(type, precision));
    results.emplace_back(types.back(), precision == Precision::ComplexStep);
  }
  Evaluation evaluation{operands, words, types, precision, results};
  return function(evaluation);
}
