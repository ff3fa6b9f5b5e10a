#include "runtime/Core/OpRules/Rules.h"

#include <algorithm>
#include <cstdlib>

namespace burn::core::rules {
namespace {

// Whether the two lists together hold each dimension at most once.
bool disjointWithin(Dims batch, Dims contract, int64_t rank) {
  uint64_t seen = 0;
  for (Dims dims : {batch, contract})
    for (int64_t dim : dims) {
      if (dim < 0 || dim >= rank || (seen >> dim & 1))
        return false;
      seen |= uint64_t(1) << dim;
    }
  return true;
}

Status checkElements(Operands operands) {
  if (Status status = checkSameElement(operands[0], operands[1]); !status)
    return status;
  if (operands[0].dtype == DType::Bool)
    return Status::invalid("expects numbers, got " + operands[0].str());
  return Status::ok();
}

} // namespace

Status DotGeneral(Operands operands, const DotGeneralAttrs &attrs, Results &results) {
  const TypeDesc &lhs = operands[0], &rhs = operands[1];
  if (Status status = checkElements(operands); !status) // (C3)
    return status;
  if (!disjointWithin(attrs.lhs_batch, attrs.lhs_contract, lhs.shape.rank()) ||
      !disjointWithin(attrs.rhs_batch, attrs.rhs_contract, rhs.shape.rank())) // (C1)
    return Status::invalid("expects unique batch and contracted dimensions within rank, got " + str(attrs.lhs_batch) +
                           ", " + str(attrs.lhs_contract) + " and " + str(attrs.rhs_batch) + ", " +
                           str(attrs.rhs_contract));
  if (attrs.lhs_batch.size() != attrs.rhs_batch.size() ||
      attrs.lhs_contract.size() != attrs.rhs_contract.size()) // (C2)
    return Status::invalid("expects as many batch and contracted dimensions left as right");
  TypeDesc result{lhs.dtype, {}};
  bool pushed = true;
  for (size_t i = 0; i < attrs.lhs_batch.size(); ++i) {
    const int64_t size = lhs.shape[attrs.lhs_batch[i]];
    if (size != rhs.shape[attrs.rhs_batch[i]])
      return Status::invalid("batch dimensions differ: " + lhs.shape.str() + " and " + rhs.shape.str());
    pushed &= result.shape.push(size);
  }
  for (size_t i = 0; i < attrs.lhs_contract.size(); ++i)
    if (lhs.shape[attrs.lhs_contract[i]] != rhs.shape[attrs.rhs_contract[i]])
      return Status::invalid("contracted dimensions differ: " + lhs.shape.str() + " dimension " +
                             std::to_string(attrs.lhs_contract[i]) + " and " + rhs.shape.str() + " dimension " +
                             std::to_string(attrs.rhs_contract[i]));
  for (unsigned i = 0; i < lhs.shape.rank(); ++i)
    if (!contains(attrs.lhs_batch, i) && !contains(attrs.lhs_contract, i))
      pushed &= result.shape.push(lhs.shape[i]);
  for (unsigned i = 0; i < rhs.shape.rank(); ++i)
    if (!contains(attrs.rhs_batch, i) && !contains(attrs.rhs_contract, i))
      pushed &= result.shape.push(rhs.shape[i]);
  if (!pushed)
    return Status::invalid("the result has more than 8 dimensions");
  results.assign(1, result);
  return Status::ok();
}

Status Conv(Operands operands, const ConvAttrs &attrs, Results &results) {
  const TypeDesc &lhs = operands[0], &rhs = operands[1];
  const int64_t rank = lhs.shape.rank();
  if (Status status = checkElements(operands); !status) // (C6)
    return status;
  if (rank < 2 || rhs.shape.rank() != rank || !isPermutation(attrs.lhs_dims, rank) ||
      !isPermutation(attrs.rhs_dims, rank) || !isPermutation(attrs.out_dims, rank)) // (C1)
    return Status::invalid("expects operands of one rank >= 2 and dimension lists that are "
                           "permutations, got " +
                           lhs.shape.str() + " " + str(attrs.lhs_dims) + ", " + rhs.shape.str() + " " +
                           str(attrs.rhs_dims) + ", " + str(attrs.out_dims));
  const int64_t spatial = rank - 2;
  for (auto [what, dims] :
       {std::pair{"strides", attrs.strides}, std::pair{"pad_low", attrs.pad_low}, std::pair{"pad_high", attrs.pad_high},
        std::pair{"lhs_dilation", attrs.lhs_dilation}, std::pair{"rhs_dilation", attrs.rhs_dilation}})
    if (Status status = checkLength(what, dims, spatial); !status)
      return status;
  const int64_t featureGroups = attrs.feature_groups, batchGroups = attrs.batch_groups;
  if (featureGroups < 1 || batchGroups < 1 || (featureGroups > 1 && batchGroups > 1)) // (C4)
    return Status::invalid("expects group counts >= 1, at most one above 1, got feature_groups " +
                           std::to_string(featureGroups) + ", batch_groups " + std::to_string(batchGroups));
  const int64_t batch = lhs.shape[attrs.lhs_dims[0]], features = lhs.shape[attrs.lhs_dims[1]];
  const int64_t outFeatures = rhs.shape[attrs.rhs_dims[0]];
  const int64_t kernelFeatures = rhs.shape[attrs.rhs_dims[1]];
  if (features != __int128(kernelFeatures) * featureGroups || outFeatures % featureGroups ||
      outFeatures % batchGroups || batch % batchGroups) // (C3)
    return Status::invalid("feature counts do not fit: input " + lhs.shape.str() + " has " + std::to_string(features) +
                           " features, kernel " + rhs.shape.str() + " takes " + std::to_string(kernelFeatures) +
                           " and gives " + std::to_string(outFeatures) + ", feature_groups " +
                           std::to_string(featureGroups) + ", batch_groups " + std::to_string(batchGroups));
  Shape shape{};
  for (int64_t i = 0; i < rank; ++i)
    shape.push(0);
  shape[attrs.out_dims[0]] = batch / batchGroups;
  shape[attrs.out_dims[1]] = outFeatures;
  for (int64_t i = 0; i < spatial; ++i) {
    const int64_t size = lhs.shape[attrs.lhs_dims[2 + i]];
    const int64_t window = rhs.shape[attrs.rhs_dims[2 + i]];
    for (int64_t value : {attrs.strides[i], attrs.lhs_dilation[i], attrs.rhs_dilation[i]})
      if (value < 1 || value > kMostSteps) // (C2)
        return Status::invalid("expects strides and dilations from 1 to 2^40, got " + std::to_string(value));
    if (attrs.pad_low[i] > kMostSteps || attrs.pad_low[i] < -kMostSteps || attrs.pad_high[i] > kMostSteps ||
        attrs.pad_high[i] < -kMostSteps || __int128(size) * attrs.lhs_dilation[i] > kMostSteps ||
        __int128(window) * attrs.rhs_dilation[i] > kMostSteps)
      return Status::invalid("padding or dilation of spatial dimension " + std::to_string(i) + " is too large");
    // An empty kernel sums nothing at every place of an element.
    const int64_t out = windowedSize(size, attrs.lhs_dilation[i], attrs.pad_low[i], attrs.pad_high[i],
                                     std::max<int64_t>(window, 1), attrs.rhs_dilation[i], attrs.strides[i]);
    if (out < 0) // (C5)
      return Status::invalid("padding removes more than spatial dimension " + std::to_string(i) + " of " +
                             lhs.shape.str() + " has");
    shape[attrs.out_dims[2 + i]] = out;
  }
  results.assign(1, TypeDesc{lhs.dtype, shape});
  return Status::ok();
}

} // namespace burn::core::rules
