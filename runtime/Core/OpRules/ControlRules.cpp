#include "runtime/Core/OpRules/Rules.h"

// Regions are no part of a rule: what they take and yield is checked by the verifier.
namespace burn::core::rules {
namespace {

/// Whether `count` segments make up the operands.
Status checkSegments(Operands operands, Dims segments, size_t count) {
  // One by one, so that no sum of sizes wraps around.
  size_t rest = operands.size();
  bool fits = segments.size() == count;
  for (size_t i = 0; fits && i < count; ++i) {
    fits = segments[i] >= 0 && static_cast<uint64_t>(segments[i]) <= rest;
    rest -= fits ? static_cast<size_t>(segments[i]) : 0;
  }
  if (fits && rest == 0)
    return Status::ok();
  return Status::invalid("expects " + std::to_string(count) + " segments that make up the " +
                         std::to_string(operands.size()) + " operands, got " + str(segments));
}

Status checkPredicate(const TypeDesc &type) {
  return type.dtype == DType::Bool && type.shape.rank() == 0
             ? Status::ok()
             : Status::invalid("expects a boolean scalar as predicate, got " + type.str());
}

Status checkHasResult(const Results &results) {
  return results.empty() ? Status::invalid("expects at least one result") : Status::ok();
}

/// A loop gives its carried values back.
Status checkCarried(Operands inits, const Results &results) {
  if (inits.empty())
    return Status::invalid("expects at least one carried value");
  if (inits.size() != results.size())
    return Status::invalid("expects a result for each of " + std::to_string(inits.size()) + " carried values, got " +
                           std::to_string(results.size()));
  for (size_t i = 0; i < inits.size(); ++i)
    if (inits[i] != results[i])
      return Status::invalid("expects result " + std::to_string(i) + " of the carried value's type " + inits[i].str() +
                             ", got " + results[i].str());
  return Status::ok();
}

} // namespace

Status If(Operands operands, const IfAttrs &, Results &results) {
  if (Status status = checkPredicate(operands[0]); !status) // (C1)
    return status;
  return checkHasResult(results); // (C2)
}

Status For(Operands operands, const ForAttrs &attrs, Results &results) {
  if (Status status = checkSegments(operands, attrs.operandSegmentSizes, 5); !status)
    return status;
  const Dims segments = attrs.operandSegmentSizes;
  if (segments[0] != 1 || segments[1] != 1 || segments[2] != 1)
    return Status::invalid("expects one lower bound, one upper bound and one step");
  for (const TypeDesc &bound : operands.first(3)) // (C1)
    if ((bound.dtype != DType::I32 && bound.dtype != DType::I64) || bound.shape.rank() != 0 || bound != operands[0])
      return Status::invalid("expects bounds and step to be scalars of one type, i32 or i64, got " + operands[0].str() +
                             ", " + operands[1].str() + " and " + operands[2].str());
  return checkCarried(operands.subspan(3, segments[3]), results); // (C2), (C3)
}

Status While(Operands operands, const WhileAttrs &attrs, Results &results) {
  if (Status status = checkSegments(operands, attrs.operandSegmentSizes, 2); !status)
    return status;
  return checkCarried(operands.first(attrs.operandSegmentSizes[0]), results); // (C1), (C2)
}

Status Checkpoint(Operands, const CheckpointAttrs &, Results &results) { return checkHasResult(results); } // (C1)

Status CustomVjp(Operands operands, const CustomVjpAttrs &attrs, Results &results) {
  if (Status status = checkSegments(operands, attrs.operandSegmentSizes, 2); !status)
    return status;
  return checkHasResult(results); // (C1)
}

Status Name(Operands operands, const NameAttrs &attrs, Results &results) {
  if (attrs.name.empty()) // (C1)
    return Status::invalid("expects a name that is not empty");
  results.assign(operands.begin(), operands.end());
  return Status::ok();
}

Status Assert(Operands operands, const AssertAttrs &attrs, Results &results) {
  if (attrs.message.empty()) // (C1)
    return Status::invalid("expects a message that is not empty");
  results = {operands[1]};
  return checkPredicate(operands[0]); // (C2)
}

Status Print(Operands operands, const PrintAttrs &attrs, Results &results) {
  if (attrs.label.empty()) // (C1)
    return Status::invalid("expects a label that is not empty");
  results = {operands[0]};
  return Status::ok();
}

Status CustomKernel(Operands, const CustomKernelAttrs &attrs, Results &results) {
  if (attrs.kernel.empty()) // (C1)
    return Status::invalid("expects the name of a kernel");
  return checkHasResult(results); // (C2)
}

Status Barrier(Operands operands, const BarrierAttrs &, Results &results) {
  if (operands.empty()) // (C1)
    return Status::invalid("expects at least one operand");
  results.assign(operands.begin(), operands.end());
  return Status::ok();
}

Status Grad(Operands operands, const GradAttrs &attrs, Results &results) {
  const Dims segments = attrs.operandSegmentSizes;
  if (Status status = checkSegments(operands, segments, 3); !status)
    return status;
  for (const TypeDesc &operand : operands) // (C1)
    if (Status status = checkFloat(operand); !status)
      return status;
  const Operands outputs = operands.subspan(0, segments[0]);
  const Operands cotangents = operands.subspan(segments[0], segments[1]);
  if (cotangents.empty()) { // (C2)
    if (outputs.size() != 1 || outputs[0].shape.rank() != 0)
      return Status::invalid("expects one scalar output where no cotangents are given, got " +
                             (outputs.size() == 1 ? outputs[0].str() : std::to_string(outputs.size()) + " outputs"));
  } else {
    if (cotangents.size() != outputs.size())
      return Status::invalid("expects one cotangent per output");
    for (size_t i = 0; i < outputs.size(); ++i)
      if (outputs[i] != cotangents[i])
        return Status::invalid("expects a cotangent " + outputs[i].str() + ", got " + cotangents[i].str());
  }
  const Operands wrt = operands.subspan(segments[0] + segments[1]);
  results.assign(wrt.begin(), wrt.end());
  return Status::ok();
}

} // namespace burn::core::rules
