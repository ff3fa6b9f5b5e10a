#include "runtime/Core/OpRules/Rules.h"

#include <cstdlib>

namespace burn::core::rules {
namespace {

Status checkCombiner(ReduceKind kind, DType type) {
  const bool logical = kind == ReduceKind::And || kind == ReduceKind::Or || kind == ReduceKind::Xor;
  if (logical && isFloat(type))
    return Status::invalid("expects booleans or integers, got " + std::string(name(type)));
  if ((kind == ReduceKind::Sum || kind == ReduceKind::Prod) && type == DType::Bool)
    return Status::invalid("expects numbers, got i1");
  return Status::ok();
}

struct WindowNumbers {
  Dims window, strides, low, high, base, dilation;
};

Expected<Shape> windowShape(const TypeDesc &input, const WindowNumbers &numbers) {
  const unsigned rank = input.shape.rank();
  for (auto [what, dims] :
       {std::pair{"window", numbers.window}, std::pair{"strides", numbers.strides}, std::pair{"pad_low", numbers.low},
        std::pair{"pad_high", numbers.high}, std::pair{"window_dilation", numbers.dilation}})
    if (Status status = checkLength(what, dims, rank); !status) // (C1)
      return status;
  if (!numbers.base.empty())
    if (Status status = checkLength("base_dilation", numbers.base, rank); !status)
      return status;
  Shape shape;
  for (unsigned i = 0; i < rank; ++i) {
    const int64_t base = numbers.base.empty() ? 1 : numbers.base[i];
    for (int64_t value : {numbers.window[i], numbers.strides[i], numbers.dilation[i], base})
      if (value < 1 || value > kMostSteps) // (C2)
        return Status::invalid("expects windows, strides and dilations from 1 to 2^40, got " + std::to_string(value) +
                               " in dimension " + std::to_string(i));
    if (numbers.low[i] > kMostSteps || numbers.low[i] < -kMostSteps || numbers.high[i] > kMostSteps ||
        numbers.high[i] < -kMostSteps)
      return Status::invalid("padding of dimension " + std::to_string(i) + " is too large");
    if (__int128(numbers.window[i]) * numbers.dilation[i] > kMostSteps || __int128(input.shape[i]) * base > kMostSteps)
      return Status::invalid("window or dilation of dimension " + std::to_string(i) + " is too large");
    const int64_t size = windowedSize(input.shape[i], base, numbers.low[i], numbers.high[i], numbers.window[i],
                                      numbers.dilation[i], numbers.strides[i]);
    if (size < 0) // (C3)
      return Status::invalid("padding removes more than dimension " + std::to_string(i) + " of " + input.shape.str() +
                             " has");
    shape.push(size);
  }
  return shape;
}

} // namespace

Status reducedFloat(const TypeDesc &input, Dims dims, Results &results) {
  if (!isFloat(input.dtype))
    return Status::invalid("expects floats, got " + input.str());
  if (!ascendingWithin(dims, input.shape.rank()))
    return Status::invalid("expects dims ascending within rank " + std::to_string(input.shape.rank()) + ", got " +
                           str(dims));
  TypeDesc result{input.dtype, {}};
  for (unsigned i = 0; i < input.shape.rank(); ++i)
    if (!contains(dims, i))
      result.shape.push(input.shape[i]);
  results.assign(1, result);
  return Status::ok();
}

Status Reduce(Operands operands, const ReduceAttrs &attrs, Results &results) {
  const TypeDesc &input = operands[0];
  if (!ascendingWithin(attrs.dims, input.shape.rank())) // (C1)
    return Status::invalid("expects dims ascending within rank " + std::to_string(input.shape.rank()) + ", got " +
                           str(attrs.dims));
  if (Status status = checkCombiner(attrs.kind, input.dtype); !status) // (C2)
    return status;
  TypeDesc result{input.dtype, {}};
  for (unsigned i = 0; i < input.shape.rank(); ++i)
    if (!contains(attrs.dims, i))
      result.shape.push(input.shape[i]);
  results.assign(1, result);
  return Status::ok();
}

Status Moments(Operands operands, const MomentsAttrs &attrs, Results &results) {
  if (attrs.correction < 0) // (C2)
    return Status::invalid("expects a correction that is not negative, got " + std::to_string(attrs.correction));
  if (Status status = reducedFloat(operands[0], attrs.dims, results); !status) // (C1)
    return status;
  results.push_back(results[0]);
  return Status::ok();
}

Status Scan(Operands operands, const ScanAttrs &attrs, Results &results) {
  if (Status status = checkAxis("axis", attrs.axis, operands[0].shape.rank()); !status) // (C1)
    return status;
  return sameType(operands, Class::Number, results);
}

Status LinearScan(Operands operands, const LinearScanAttrs &attrs, Results &results) {
  if (Status status = checkAxis("axis", attrs.axis, operands[0].shape.rank()); !status) // (C1)
    return status;
  return sameType(operands, Class::Number, results);
}

Status ArgReduce(Operands operands, const ArgReduceAttrs &attrs, Results &results) {
  const TypeDesc &input = operands[0];
  if (Status status = checkAxis("axis", attrs.axis, input.shape.rank()); !status) // (C1)
    return status;
  if (input.shape[attrs.axis] == 0) // (C2)
    return Status::invalid("an empty dimension has no extremum: dimension " + std::to_string(attrs.axis) + " of " +
                           input.shape.str());
  TypeDesc value{input.dtype, {}};
  for (unsigned i = 0; i < input.shape.rank(); ++i)
    if (i != attrs.axis)
      value.shape.push(input.shape[i]);
  results = {value, TypeDesc{DType::I64, value.shape}};
  return Status::ok();
}

Status ReduceWindow(Operands operands, const ReduceWindowAttrs &attrs, Results &results) {
  if (Status status = checkCombiner(attrs.kind, operands[0].dtype); !status) // (C4)
    return status;
  Expected<Shape> shape = windowShape(operands[0], {attrs.window, attrs.strides, attrs.pad_low, attrs.pad_high,
                                                    attrs.base_dilation, attrs.window_dilation});
  if (!shape)
    return shape.status();
  if (attrs.base_dilation.size() != operands[0].shape.rank())
    return checkLength("base_dilation", attrs.base_dilation, operands[0].shape.rank());
  results.assign(1, TypeDesc{operands[0].dtype, *shape});
  return Status::ok();
}

Status ArgReduceWindow(Operands operands, const ArgReduceWindowAttrs &attrs, Results &results) {
  const TypeDesc &input = operands[0];
  Expected<Shape> shape =
      windowShape(input, {attrs.window, attrs.strides, attrs.pad_low, attrs.pad_high, {}, attrs.window_dilation});
  if (!shape)
    return shape.status();
  bool covered = ascendingWithin(attrs.index_dims, input.shape.rank()); // (C4)
  for (unsigned i = 0; covered && i < input.shape.rank(); ++i)
    covered = contains(attrs.index_dims, i) ||
              (attrs.window[i] == 1 && attrs.strides[i] == 1 && attrs.pad_low[i] == 0 && attrs.pad_high[i] == 0);
  if (!covered)
    return Status::invalid("expects index_dims ascending and holding every windowed dimension, got " +
                           str(attrs.index_dims));
  results = {TypeDesc{input.dtype, *shape}, TypeDesc{DType::I64, *shape}};
  return Status::ok();
}

} // namespace burn::core::rules
