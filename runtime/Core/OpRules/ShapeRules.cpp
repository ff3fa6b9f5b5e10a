#include "runtime/Core/OpRules/Rules.h"

namespace burn::core::rules {

Status Broadcast(Operands operands, const BroadcastAttrs &attrs, Results &results) {
  const TypeDesc &input = operands[0], &result = results[0];
  if (Status status = checkSameElement(input, result); !status)
    return status;
  if (Status status = checkLength("dims", attrs.dims, input.shape.rank()); !status) // (C1)
    return status;
  if (!ascendingWithin(attrs.dims, result.shape.rank())) // (C2)
    return Status::invalid("expects dims ascending within rank " + std::to_string(result.shape.rank()) + ", got " +
                           str(attrs.dims));
  for (unsigned i = 0; i < input.shape.rank(); ++i) // (C3)
    if (input.shape[i] != 1 && input.shape[i] != result.shape[attrs.dims[i]])
      return Status::invalid("cannot broadcast " + input.shape.str() + " to " + result.shape.str() + ": dimension " +
                             std::to_string(i) + " is " + std::to_string(input.shape[i]) + ", expected 1 or " +
                             std::to_string(result.shape[attrs.dims[i]]));
  return Status::ok();
}

Status Reshape(Operands operands, const ReshapeAttrs &, Results &results) {
  if (Status status = checkSameElement(operands[0], results[0]); !status)
    return status;
  if (!results[0].shape.fits() || operands[0].numel() != results[0].numel()) // (C1)
    return Status::invalid("cannot reshape " + operands[0].shape.str() + " (" + std::to_string(operands[0].numel()) +
                           " elements) to " + results[0].shape.str());
  return Status::ok();
}

Status Transpose(Operands operands, const TransposeAttrs &attrs, Results &results) {
  const TypeDesc &input = operands[0];
  if (!isPermutation(attrs.perm, input.shape.rank())) // (C1)
    return Status::invalid("expects perm to be a permutation of " + std::to_string(input.shape.rank()) +
                           " dimensions, got " + str(attrs.perm));
  TypeDesc result{input.dtype, {}};
  for (int64_t dim : attrs.perm)
    result.shape.push(input.shape[dim]);
  results.assign(1, result);
  return Status::ok();
}

Status Slice(Operands operands, const SliceAttrs &attrs, Results &results) {
  const TypeDesc &input = operands[0];
  const unsigned rank = input.shape.rank();
  for (auto [what, dims] :
       {std::pair{"starts", attrs.starts}, std::pair{"sizes", attrs.sizes}, std::pair{"strides", attrs.strides}})
    if (Status status = checkLength(what, dims, rank); !status) // (C1)
      return status;
  for (unsigned i = 0; i < rank; ++i) {
    const int64_t start = attrs.starts[i], size = attrs.sizes[i], stride = attrs.strides[i];
    const int64_t bound = input.shape[i];
    if (start < 0 || size < 0 || stride < 1) // (C2)
      return Status::invalid("expects starts and sizes >= 0 and strides >= 1, got start " + std::to_string(start) +
                             ", size " + std::to_string(size) + ", stride " + std::to_string(stride) +
                             " in dimension " + std::to_string(i));
    // (C3), written so that nothing overflows
    if (start > bound || (size > 0 && (start >= bound || size - 1 > (bound - 1 - start) / stride)))
      return Status::invalid("slice of " + std::to_string(size) + " elements from " + std::to_string(start) +
                             " in steps of " + std::to_string(stride) + " leaves dimension " + std::to_string(i) +
                             " of " + input.shape.str());
  }
  results.assign(1, TypeDesc{input.dtype, Shape(attrs.sizes)});
  return Status::ok();
}

Status SliceUpdate(Operands operands, const SliceUpdateAttrs &attrs, Results &results) {
  const TypeDesc &input = operands[0], &update = operands[1];
  const unsigned rank = input.shape.rank();
  if (Status status = checkLength("starts", attrs.starts, rank); !status) // (C1)
    return status;
  if (Status status = checkSameElement(input, update); !status) // (C2)
    return status;
  if (update.shape.rank() != rank)
    return Status::invalid("expects an update of rank " + std::to_string(rank) + ", got " + update.shape.str());
  for (unsigned i = 0; i < rank; ++i) // (C3)
    if (attrs.starts[i] < 0 || update.shape[i] > input.shape[i] || attrs.starts[i] > input.shape[i] - update.shape[i])
      return Status::invalid("update of shape " + update.shape.str() + " at " + str(attrs.starts) +
                             " leaves dimension " + std::to_string(i) + " of " + input.shape.str());
  results.assign(1, input);
  return Status::ok();
}

Status Pad(Operands operands, const PadAttrs &attrs, Results &results) {
  const TypeDesc &input = operands[0], &value = operands[1];
  const unsigned rank = input.shape.rank();
  for (auto [what, dims] :
       {std::pair{"low", attrs.low}, std::pair{"high", attrs.high}, std::pair{"interior", attrs.interior}})
    if (Status status = checkLength(what, dims, rank); !status) // (C1)
      return status;
  if (value.dtype != input.dtype || value.shape.rank() != 0) // (C4)
    return Status::invalid("expects a scalar " + std::string(name(input.dtype)) + " as padding value, got " +
                           value.str());
  TypeDesc result{input.dtype, {}};
  for (unsigned i = 0; i < rank; ++i) {
    const int64_t interior = attrs.interior[i];
    if (interior < 0 || interior > kMostSteps || attrs.low[i] > kMostSteps || attrs.low[i] < -kMostSteps ||
        attrs.high[i] > kMostSteps || attrs.high[i] < -kMostSteps) // (C2)
      return Status::invalid("expects interior padding >= 0 and padding below 2^40, got interior " +
                             std::to_string(interior) + ", low " + std::to_string(attrs.low[i]) + ", high " +
                             std::to_string(attrs.high[i]));
    const int64_t gaps = input.shape[i] > 1 ? input.shape[i] - 1 : 0;
    const __int128 wide = __int128(input.shape[i]) + __int128(gaps) * interior + attrs.low[i] + attrs.high[i];
    if (wide < 0 || wide >= (__int128(1) << 60)) // (C3)
      return Status::invalid("padding dimension " + std::to_string(i) + " of " + input.shape.str() +
                             " gives an impossible size");
    result.shape.push(static_cast<int64_t>(wide));
  }
  results.assign(1, result);
  return Status::ok();
}

Status Concat(Operands operands, const ConcatAttrs &attrs, Results &results) {
  if (operands.empty()) // (C1)
    return Status::invalid("expects at least one operand");
  TypeDesc result = operands[0];
  if (Status status = checkAxis("axis", attrs.axis, result.shape.rank()); !status) // (C3)
    return status;
  for (const TypeDesc &operand : operands.subspan(1)) {
    if (Status status = checkSameElement(operands[0], operand); !status) // (C2)
      return status;
    bool agrees = operand.shape.rank() == result.shape.rank(); // (C2), (C4)
    for (unsigned i = 0; agrees && i < result.shape.rank(); ++i)
      agrees = i == attrs.axis || operand.shape[i] == result.shape[i];
    if (!agrees)
      return Status::invalid("cannot concatenate " + operands[0].shape.str() + " and " + operand.shape.str() +
                             " along dimension " + std::to_string(attrs.axis));
    // Sizes are below 2^60, so that a sum of two cannot overflow, but one of many could.
    result.shape[attrs.axis] += operand.shape[attrs.axis];
    if (!result.shape.fits())
      return Status::invalid("the result type is too large");
  }
  results.assign(1, result);
  return Status::ok();
}

Status Reverse(Operands operands, const ReverseAttrs &attrs, Results &results) {
  if (!ascendingWithin(attrs.dims, operands[0].shape.rank())) // (C1)
    return Status::invalid("expects dims ascending within rank " + std::to_string(operands[0].shape.rank()) + ", got " +
                           str(attrs.dims));
  results.assign(1, operands[0]);
  return Status::ok();
}

} // namespace burn::core::rules
