#include "tools/burn-fuzz/OpEntries.h"

#include <algorithm>

using namespace burn;
using namespace burn::fuzz;
using core::IndexMode;
using core::OpCode;
using core::TypeDesc;
using mlir::Value;

namespace {

// Slices across all dims of a value but one, at places in that one.
struct Places {
  Value of, index;
  TypeDesc type;
  int64_t axis = 0, vectorDim = 0;
  IndexMode mode = IndexMode::Check;
  Dims sliceSizes, sliceDims;
  Shape result;
};

bool choosePlaces(Generator &g, Places &p) {
  p.of = g.some(
      [](const TypeDesc &type) { return type.shape.rank() >= 1 && type.shape.rank() <= 3 && type.shape.numel() > 0; });
  if (!p.of)
    return false;
  p.type = typeOf(p.of);
  p.axis = g.number(0, p.type.shape.rank() - 1);
  p.mode = static_cast<IndexMode>(g.number(0, 3));
  const int64_t size = p.type.shape[p.axis];
  Shape places;
  if (g.chance(0.8))
    places.push(g.size());
  // The dims of a slice stand behind those of the indices.
  p.result = places;
  for (int64_t i = 0; i < p.type.shape.rank(); ++i) {
    p.sliceSizes.push_back(i == p.axis ? 1 : p.type.shape[i]);
    if (i == p.axis)
      continue;
    p.sliceDims.push_back(p.result.rank());
    p.result.push(p.type.shape[i]);
  }
  p.vectorDim = places.rank();
  if (!g.fits(p.result))
    return false;
  const bool mayLeave = p.mode == IndexMode::Clip || p.mode == IndexMode::Fill;
  const DType dtype = g.oneOf({DType::I64, DType::I32});
  p.index = mayLeave && g.chance(0.2) ? g.argument({dtype, places}, Fill::Wild)
                                      : g.indices(dtype, places, mayLeave ? -2 : 0, mayLeave ? size + 1 : size - 1);
  return true;
}

Value gather(Generator &g, OpCode) {
  Places p;
  if (!choosePlaces(g, p))
    return nullptr;
  return g.add(core::GatherAttrs{.offset_dims = p.sliceDims,
                                 .collapsed_slice_dims = Dims{p.axis},
                                 .operand_batching_dims = {},
                                 .start_indices_batching_dims = {},
                                 .start_index_map = Dims{p.axis},
                                 .index_vector_dim = p.vectorDim,
                                 .slice_sizes = p.sliceSizes,
                                 .mode = p.mode},
               {p.of, p.index});
}

Value scatter(Generator &g, OpCode) {
  Places p;
  if (!choosePlaces(g, p))
    return nullptr;
  const bool assigns = !isNumber(p.type);
  const auto combiner = g.isSmooth() ? core::ScatterCombiner::Add
                        : assigns    ? core::ScatterCombiner::Assign
                                     : static_cast<core::ScatterCombiner>(g.number(0, 4));
  return g.add(core::ScatterAttrs{.update_window_dims = p.sliceDims,
                                  .inserted_window_dims = Dims{p.axis},
                                  .input_batching_dims = {},
                                  .scatter_indices_batching_dims = {},
                                  .scatter_dims_to_operand_dims = Dims{p.axis},
                                  .index_vector_dim = p.vectorDim,
                                  .combiner = combiner,
                                  .mode = p.mode},
               {p.of, p.index, g.valueOf({p.type.dtype, p.result})});
}

// Along an axis, with up to two values that are sorted alongside.
Value sort(Generator &g, OpCode) {
  Value x = g.some([](const TypeDesc &type) { return type.shape.rank() > 0; });
  if (!x)
    return nullptr;
  const TypeDesc type = typeOf(x);
  std::vector<Value> operands{x};
  for (int64_t i = g.number(0, 2); i > 0; --i)
    operands.push_back(g.valueOf({g.chance(0.5) ? type.dtype : g.dtype(), type.shape}));
  return g.add(core::SortAttrs{g.number(0, type.shape.rank() - 1), g.chance(0.5)}, operands);
}

Value topk(Generator &g, OpCode) {
  Value x = g.some([](const TypeDesc &type) { return type.shape.rank() > 0; });
  if (!x)
    return nullptr;
  const Shape shape = typeOf(x).shape;
  const int64_t axis = g.number(0, shape.rank() - 1);
  const int64_t k = g.chance(0.2) ? shape[axis] : g.number(std::min<int64_t>(1, shape[axis]), shape[axis]);
  return g.add(core::TopkAttrs{axis, k, g.chance(0.5)}, {x});
}

// Of values among which there are zeros.
Value nonzero(Generator &g, OpCode) {
  Value x = g.any();
  if (!x)
    return nullptr;
  const TypeDesc type = typeOf(x);
  if (g.chance(0.6) && isFloat(type.dtype))
    x = g.add(OpCode::Relu, {x});
  return g.add(core::NonzeroAttrs{g.chance(0.3) ? type.shape.numel() : g.number(0, type.shape.numel())}, {x});
}

} // namespace

void fuzz::addIndexingEntries(std::vector<OpEntry> &entries) {
  entries.push_back({OpCode::Gather, Family::Indexing, gather, true});
  entries.push_back({OpCode::Scatter, Family::Indexing, scatter, true});
  entries.push_back({OpCode::Sort, Family::Indexing, sort});
  entries.push_back({OpCode::Topk, Family::Indexing, topk});
  entries.push_back({OpCode::Nonzero, Family::Indexing, nonzero});
}
