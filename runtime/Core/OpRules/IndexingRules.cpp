#include "runtime/Core/OpRules/Rules.h"

namespace burn::core::rules {
namespace {

// The numbers that gather and scatter share, under gather's names.
struct IndexNumbers {
  Dims offsetDims, collapsed, operandBatch, indicesBatch, startIndexMap;
  int64_t indexVectorDim;
};

Status checkNumbers(const TypeDesc &operand, const TypeDesc &indices, const IndexNumbers &numbers) {
  const int64_t rank = operand.shape.rank(), indexRank = indices.shape.rank();
  if (!isInt(indices.dtype)) // (C1)
    return Status::invalid("expects integer indices, got " + indices.str());
  if (numbers.indexVectorDim < 0 || numbers.indexVectorDim > indexRank) // (C2)
    return Status::invalid("expects index_vector_dim in [0, " + std::to_string(indexRank) + "], got " +
                           std::to_string(numbers.indexVectorDim));
  const int64_t vectorSize = numbers.indexVectorDim == indexRank ? 1 : indices.shape[numbers.indexVectorDim];
  if (static_cast<int64_t>(numbers.startIndexMap.size()) != vectorSize) // (C3)
    return Status::invalid("expects " + std::to_string(vectorSize) +
                           " indexed dimensions (the size of the index vector), got " + str(numbers.startIndexMap));
  for (size_t i = 0; i < numbers.startIndexMap.size(); ++i) {
    const int64_t dim = numbers.startIndexMap[i];
    if (dim < 0 || dim >= rank || contains(numbers.startIndexMap.subspan(0, i), dim) ||
        contains(numbers.operandBatch, dim)) // (C5)
      return Status::invalid("expects unique indexed dimensions within rank " + std::to_string(rank) +
                             " that are no batching dimensions, got " + str(numbers.startIndexMap));
  }
  if (!ascendingWithin(numbers.collapsed, rank) || !ascendingWithin(numbers.operandBatch, rank))
    return Status::invalid("expects collapsed and batching dimensions ascending within rank " + std::to_string(rank) +
                           ", got " + str(numbers.collapsed) + " and " + str(numbers.operandBatch)); // (C5)
  for (int64_t dim : numbers.collapsed)
    if (contains(numbers.operandBatch, dim))
      return Status::invalid("dimension " + std::to_string(dim) + " is collapsed and batching");
  if (numbers.operandBatch.size() != numbers.indicesBatch.size()) // (C6)
    return Status::invalid("expects as many batching dimensions in the operand as in the indices, got " +
                           str(numbers.operandBatch) + " and " + str(numbers.indicesBatch));
  for (size_t i = 0; i < numbers.indicesBatch.size(); ++i) {
    const int64_t dim = numbers.indicesBatch[i];
    if (dim < 0 || dim >= indexRank || dim == numbers.indexVectorDim ||
        contains(numbers.indicesBatch.subspan(0, i), dim))
      return Status::invalid("expects unique batching dimensions of the indices, got " + str(numbers.indicesBatch));
    if (indices.shape[dim] != operand.shape[numbers.operandBatch[i]]) // (C6)
      return Status::invalid("batching dimensions differ: " + operand.shape.str() + " dimension " +
                             std::to_string(numbers.operandBatch[i]) + " and " + indices.shape.str() + " dimension " +
                             std::to_string(dim));
  }
  return Status::ok();
}

// The shape of a gather's result and of a scatter's updates.
Expected<Shape> windowedShape(const TypeDesc &operand, const TypeDesc &indices, const IndexNumbers &numbers,
                              Dims sliceSizes) {
  Shape batch, offset, result;
  for (unsigned i = 0; i < indices.shape.rank(); ++i)
    if (i != numbers.indexVectorDim)
      batch.push(indices.shape[i]);
  for (unsigned i = 0; i < operand.shape.rank(); ++i)
    if (!contains(numbers.collapsed, i) && !contains(numbers.operandBatch, i))
      offset.push(sliceSizes[i]);
  const int64_t rank = batch.rank() + offset.rank();
  if (rank > Shape::maxRank)
    return Status::invalid("the result has more than 8 dimensions");
  if (numbers.offsetDims.size() != offset.rank() || !ascendingWithin(numbers.offsetDims, rank))
    return Status::invalid("expects " + std::to_string(offset.rank()) + " window dimensions ascending within rank " +
                           std::to_string(rank) + ", got " + str(numbers.offsetDims)); // (C5)
  unsigned nextBatch = 0, nextOffset = 0;
  for (int64_t i = 0; i < rank; ++i)
    result.push(contains(numbers.offsetDims, i) ? offset[nextOffset++] : batch[nextBatch++]);
  return result;
}

} // namespace

Status Gather(Operands operands, const GatherAttrs &attrs, Results &results) {
  const TypeDesc &input = operands[0], &indices = operands[1];
  const IndexNumbers numbers{attrs.offset_dims,           attrs.collapsed_slice_dims,
                             attrs.operand_batching_dims, attrs.start_indices_batching_dims,
                             attrs.start_index_map,       attrs.index_vector_dim};
  if (Status status = checkNumbers(input, indices, numbers); !status)
    return status;
  if (Status status = checkLength("slice_sizes", attrs.slice_sizes, input.shape.rank()); !status)
    return status;
  for (unsigned i = 0; i < input.shape.rank(); ++i) { // (C4)
    const int64_t size = attrs.slice_sizes[i];
    if (size < 0 || size > input.shape[i])
      return Status::invalid("slice size " + std::to_string(size) + " of dimension " + std::to_string(i) +
                             " is outside [0, " + std::to_string(input.shape[i]) + "]");
    if (size != 1 && (contains(numbers.collapsed, i) || (contains(numbers.operandBatch, i) && size > 1)))
      return Status::invalid("expects slice size 1 in collapsed and batching dimension " + std::to_string(i) +
                             ", got " + std::to_string(size));
  }
  Expected<Shape> shape = windowedShape(input, indices, numbers, attrs.slice_sizes);
  if (!shape)
    return shape.status();
  results.assign(1, TypeDesc{input.dtype, *shape});
  return Status::ok();
}

Status Scatter(Operands operands, const ScatterAttrs &attrs, Results &results) {
  const TypeDesc &input = operands[0], &indices = operands[1], &updates = operands[2];
  const IndexNumbers numbers{attrs.update_window_dims,           attrs.inserted_window_dims,
                             attrs.input_batching_dims,          attrs.scatter_indices_batching_dims,
                             attrs.scatter_dims_to_operand_dims, attrs.index_vector_dim};
  if (Status status = checkNumbers(input, indices, numbers); !status)
    return status;
  if (Status status = checkSameElement(input, updates); !status)
    return status;
  if (input.dtype == DType::Bool && attrs.combiner != ScatterCombiner::Assign)
    return Status::invalid("expects numbers to combine, got " + input.str());
  // The window is what the updates say, within the operand.
  Shape sizes;
  size_t window = 0;
  for (unsigned i = 0; i < input.shape.rank(); ++i) {
    if (contains(numbers.collapsed, i) || contains(numbers.operandBatch, i)) {
      sizes.push(1);
      continue;
    }
    const int64_t dim = window < numbers.offsetDims.size() ? numbers.offsetDims[window++] : -1;
    if (dim < 0 || dim >= updates.shape.rank() || updates.shape[dim] > input.shape[i])
      return Status::invalid("updates of shape " + updates.shape.str() + " do not fit into dimension " +
                             std::to_string(i) + " of " + input.shape.str());
    sizes.push(updates.shape[dim]);
  }
  Expected<Shape> shape = windowedShape(input, indices, numbers, sizes);
  if (!shape)
    return shape.status();
  if (*shape != updates.shape) // (C7)
    return Status::invalid("expects updates of shape " + shape->str() + ", got " + updates.shape.str());
  results.assign(1, input);
  return Status::ok();
}

} // namespace burn::core::rules
