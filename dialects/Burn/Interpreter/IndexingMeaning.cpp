// Gather and scatter, with StableHLO's dimension numbers.
#include "dialects/Burn/Interpreter/Evaluation.h"
#include "dialects/Burn/Interpreter/ScalarMeaning.h"

#include <algorithm>

using namespace burn;
using namespace burn::ir;
using namespace burn::ir::meaning;
using core::IndexMode;
using core::OpCode;

namespace {

using Dims = std::span<const int64_t>;

// The numbers that gather and scatter share, under gather's names, and the index tensor.
struct IndexedWindows {
  const Shape &operand;
  const HostTensor &indices;
  Dims offsetDims, collapsed, operandBatch, indicesBatch, startIndexMap;
  int64_t indexVectorDim;
  Dims sizes; // of the window, one per operand dimension
  IndexMode mode;
  Shape windowed; // of a gather's result, of a scatter's updates

  // Unsigned indices beyond int64 stay out of every range.
  Elements<int64_t> values = [this] {
    if (!isUnsignedInt(indices.type.dtype))
      return load<int64_t>(indices);
    Elements<int64_t> clamped;
    for (uint64_t value : load<uint64_t>(indices))
      clamped.push_back(static_cast<int64_t>(std::min<uint64_t>(value, INT64_MAX)));
    return clamped;
  }();

  // Where an element stands: its index into the operand, and whether the window lies inside.
  struct Place {
    Index index{};
    bool inside = true;
    Status status;
  };

  Place locate(const Index &index) const {
    Place place;
    const unsigned rank = operand.rank();
    // The index into the index tensor, but for the index vector's dimension.
    const Shape &indexShape = indices.type.shape;
    Index batch{};
    unsigned next = 0;
    for (unsigned i = 0; i < windowed.rank(); ++i)
      if (!contains(offsetDims, i)) {
        if (next == indexVectorDim)
          ++next;
        batch[next++] = index[i];
      }
    const Index strides = stridesOf(indexShape);
    Index start{};
    for (size_t k = 0; k < startIndexMap.size(); ++k) {
      if (indexVectorDim < indexShape.rank())
        batch[indexVectorDim] = static_cast<int64_t>(k);
      const int64_t dim = startIndexMap[k];
      const int64_t most = operand[dim] - sizes[dim];
      int64_t value = values[dot(batch, strides, indexShape.rank())];
      if (value < 0 || value > most) {
        if (mode == IndexMode::Check && place.status)
          place.status = Status::error(core::ErrorCode::OutOfRange,
                                       "index " + std::to_string(value) + " is outside [0, " + std::to_string(most) +
                                           "] in dimension " + std::to_string(dim) + " of " + operand.str());
        place.inside = false;
        value = std::clamp<int64_t>(value, 0, most);
      }
      start[dim] = value;
    }
    for (size_t k = 0; k < operandBatch.size(); ++k)
      start[operandBatch[k]] = batch[indicesBatch[k]];
    unsigned offset = 0;
    for (unsigned i = 0; i < rank; ++i) {
      place.index[i] = start[i];
      if (!contains(collapsed, i) && !contains(operandBatch, i))
        place.index[i] += index[offsetDims[offset++]];
    }
    return place;
  }
};

Status gather(Evaluation &e, const core::GatherAttrs &attrs) {
  const HostTensor &input = e.operand(0);
  const IndexedWindows windows{input.type.shape,
                               e.operand(1),
                               attrs.offset_dims,
                               attrs.collapsed_slice_dims,
                               attrs.operand_batching_dims,
                               attrs.start_indices_batching_dims,
                               attrs.start_index_map,
                               attrs.index_vector_dim,
                               attrs.slice_sizes,
                               attrs.mode,
                               e.types[0].shape};
  const Index strides = stridesOf(input.type.shape);
  const size_t width = input.elementSize();
  std::byte *target = e.result().bytes.data();
  Status status;
  forEachIndex(e.types[0].shape, [&](const Index &index) {
    const auto place = windows.locate(index);
    if (status && !place.status)
      status = place.status;
    if (place.inside || attrs.mode != IndexMode::Fill)
      std::memcpy(target, input.bytes.data() + dot(place.index, strides, input.type.shape.rank()) * width, width);
    target += width;
  });
  return status;
}

template <typename C> C combine(core::ScatterCombiner combiner, C element, C update) {
  switch (combiner) {
  case core::ScatterCombiner::Assign:
    break;
  case core::ScatterCombiner::Add:
    return Add::of(element, update);
  case core::ScatterCombiner::Mul:
    return Mul::of(element, update);
  case core::ScatterCombiner::Max:
    return Max::of(element, update);
  case core::ScatterCombiner::Min:
    return Min::of(element, update);
  }
  return update;
}

Status scatter(Evaluation &e, const core::ScatterAttrs &attrs) {
  const Shape &shape = e.operand(0).type.shape;
  const HostTensor &updates = e.operand(2);
  std::vector<int64_t> sizes(shape.rank(), 1);
  unsigned window = 0;
  for (unsigned i = 0; i < shape.rank(); ++i)
    if (!contains(attrs.inserted_window_dims, i) && !contains(attrs.input_batching_dims, i))
      sizes[i] = updates.type.shape[attrs.update_window_dims[window++]];
  const IndexedWindows windows{shape,
                               e.operand(1),
                               attrs.update_window_dims,
                               attrs.inserted_window_dims,
                               attrs.input_batching_dims,
                               attrs.scatter_indices_batching_dims,
                               attrs.scatter_dims_to_operand_dims,
                               attrs.index_vector_dim,
                               sizes,
                               attrs.mode,
                               updates.type.shape};
  const Index strides = stridesOf(shape);
  Status status;
  visitCompute(e.operand(0), [&]<typename C>(C) {
    Elements<C> elements = load<C>(e.operand(0));
    const Elements<C> update = load<C>(updates);
    size_t next = 0;
    forEachIndex(updates.type.shape, [&](const Index &index) {
      const auto place = windows.locate(index);
      if (status && !place.status)
        status = place.status;
      if (place.inside) {
        auto &element = elements[dot(place.index, strides, shape.rank())];
        if constexpr (std::is_same_v<C, bool>)
          element = update[next];
        else
          element = combine<C>(attrs.combiner, element, update[next]);
      }
      ++next;
    });
    store(e.result(), elements);
  });
  return status;
}

} // namespace

Function meaning::findIndexing(OpCode op) {
  switch (op) {
  case OpCode::Gather:
    return Decoding<gather>::call;
  case OpCode::Scatter:
    return Decoding<scatter>::call;
  default:
    return nullptr;
  }
}
