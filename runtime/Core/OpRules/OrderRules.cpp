#include "runtime/Core/OpRules/Rules.h"

namespace burn::core::rules {

Status Sort(Operands operands, const SortAttrs &attrs, Results &results) {
  if (operands.empty())
    return Status::invalid("expects a tensor to sort");
  if (Status status = checkAxis("axis", attrs.axis, operands[0].shape.rank()); !status) // (C1)
    return status;
  for (const TypeDesc &operand : operands)
    if (operand.shape != operands[0].shape) // (C2)
      return Status::invalid("expects operands of one shape, got " + operands[0].str() + " and " + operand.str());
  results.assign(operands.begin(), operands.end());
  return Status::ok();
}

Status Topk(Operands operands, const TopkAttrs &attrs, Results &results) {
  const TypeDesc &input = operands[0];
  if (Status status = checkAxis("axis", attrs.axis, input.shape.rank()); !status) // (C1)
    return status;
  if (attrs.k < 0 || attrs.k > input.shape[attrs.axis]) // (C2)
    return Status::invalid("expects k between 0 and " + std::to_string(input.shape[attrs.axis]) +
                           ", the size of dimension " + std::to_string(attrs.axis) + ", got " +
                           std::to_string(attrs.k));
  TypeDesc values{input.dtype, {}};
  for (unsigned i = 0; i < input.shape.rank(); ++i)
    values.shape.push(i == attrs.axis ? attrs.k : input.shape[i]);
  results = {values, TypeDesc{DType::I64, values.shape}};
  return Status::ok();
}

Status Nonzero(Operands operands, const NonzeroAttrs &attrs, Results &results) {
  if (attrs.max_count < 0) // (C1)
    return Status::invalid("expects a max_count that is not negative, got " + std::to_string(attrs.max_count));
  Shape shape;
  shape.push(attrs.max_count);
  shape.push(operands[0].shape.rank());
  results = {TypeDesc{DType::I64, shape}, TypeDesc{DType::I64, Shape{}}};
  return Status::ok();
}

} // namespace burn::core::rules
