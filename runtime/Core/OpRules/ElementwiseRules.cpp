#include "runtime/Core/OpRules/Rules.h"

namespace burn::core::rules {

Status Iota(Operands, const IotaAttrs &attrs, Results &results) {
  if (Status status = checkAxis("dim", attrs.dim, results[0].shape.rank()); !status) // (C1)
    return status;
  if (results[0].dtype == DType::Bool) // (C2)
    return Status::invalid("expects a number type, got " + results[0].str());
  return Status::ok();
}

Status Compare(Operands operands, const CompareAttrs &, Results &results) {
  if (operands[0] != operands[1])
    return Status::invalid("expects operands of one type, got " + operands[0].str() + " and " + operands[1].str());
  results.assign(1, TypeDesc{DType::Bool, operands[0].shape});
  return Status::ok();
}

Status Select(Operands operands, const SelectAttrs &, Results &results) {
  if (operands[0].dtype != DType::Bool)
    return Status::invalid("expects a boolean predicate, got " + operands[0].str());
  if (operands[1] != operands[2])
    return Status::invalid("expects both choices of one type, got " + operands[1].str() + " and " + operands[2].str());
  if (operands[0].shape != operands[1].shape) // (C1)
    return Status::invalid("expects a predicate of shape " + operands[1].shape.str() + ", got " +
                           operands[0].shape.str());
  results.assign(1, operands[1]);
  return Status::ok();
}

Status Convert(Operands operands, const ConvertAttrs &, Results &results) {
  if (operands[0].shape != results[0].shape)
    return Status::invalid("expects equal shapes, got " + operands[0].shape.str() + " and " + results[0].shape.str());
  return Status::ok();
}

} // namespace burn::core::rules
