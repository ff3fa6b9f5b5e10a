#include "tools/burn-fuzz/OpEntries.h"

#include <algorithm>

using namespace burn;
using namespace burn::fuzz;
using core::OpCode;
using core::TypeDesc;
using mlir::Value;

namespace {

// To new dims anywhere.
Value broadcast(Generator &g, OpCode) {
  Value x = g.toMove();
  if (!x)
    return nullptr;
  const TypeDesc type = typeOf(x);
  const unsigned rank = type.shape.rank();
  Shape shape;
  Dims dims;
  unsigned next = 0;
  for (unsigned i = 0; i < 5 && (next < rank || shape.rank() < 4); ++i) {
    if (next < rank && g.chance(0.6)) {
      dims.push_back(shape.rank());
      const int64_t size = type.shape[next++];
      shape.push(size == 1 && g.chance(0.5) ? g.size() : size);
    } else if (g.chance(0.5)) {
      shape.push(g.size());
    }
  }
  while (next < rank) {
    dims.push_back(shape.rank());
    shape.push(type.shape[next++]);
  }
  return g.fits(shape) ? g.broadcastTo(x, shape, dims) : nullptr;
}

// Joins neighbours and takes others apart.
Value reshape(Generator &g, OpCode op) {
  Value x = g.toMove();
  if (!x)
    return nullptr;
  const TypeDesc type = typeOf(x);
  Shape shape;
  for (unsigned i = 0; i < type.shape.rank(); ++i) {
    int64_t size = type.shape[i];
    if (shape.rank() > 0 && g.chance(0.4)) {
      shape[shape.rank() - 1] *= size;
      continue;
    }
    for (int64_t factor : {2, 3, 4})
      if (size % factor == 0 && size > factor && g.chance(0.3)) {
        shape.push(factor);
        size /= factor;
        break;
      }
    shape.push(size);
  }
  if (shape.rank() < 6 && g.chance(0.2))
    shape.push(1);
  const TypeDesc to{type.dtype, shape};
  return g.add(op, {x}, {}, &to);
}

Value transpose(Generator &g, OpCode) {
  Value x = g.toMove();
  return x ? g.add(core::TransposeAttrs{g.permutation(typeOf(x).shape.rank())}, {x}) : nullptr;
}

Value slice(Generator &g, OpCode) {
  Value x = g.toMove();
  if (!x)
    return nullptr;
  Dims starts, sizes, strides;
  const Shape shape = typeOf(x).shape;
  for (unsigned i = 0; i < shape.rank(); ++i) {
    strides.push_back(g.chance(0.7) ? 1 : g.number(1, 3));
    starts.push_back(g.number(0, shape[i]));
    const int64_t most = (shape[i] - starts[i] + strides[i] - 1) / strides[i];
    sizes.push_back(g.chance(0.3) ? most : g.number(std::min<int64_t>(1, most), most));
  }
  return g.add(core::SliceAttrs{starts, sizes, strides}, {x});
}

Value sliceUpdate(Generator &g, OpCode) {
  Value x = g.any();
  if (!x)
    return nullptr;
  const TypeDesc type = typeOf(x);
  Shape window;
  Dims starts;
  for (unsigned i = 0; i < type.shape.rank(); ++i) {
    window.push(g.chance(0.4) ? type.shape[i] : g.number(0, type.shape[i]));
    starts.push_back(g.number(0, type.shape[i] - window[i]));
  }
  return g.add(core::SliceUpdateAttrs{starts}, {x, g.valueOf({type.dtype, window})});
}

Value pad(Generator &g, OpCode) {
  Value x = g.toMove();
  if (!x)
    return nullptr;
  const TypeDesc type = typeOf(x);
  Dims low, high, interior;
  for (unsigned i = 0; i < type.shape.rank(); ++i) {
    low.push_back(g.chance(0.5) ? 0 : g.number(-2, 3));
    high.push_back(g.chance(0.5) ? 0 : g.number(-2, 3));
    interior.push_back(g.chance(0.7) ? 0 : g.number(1, 2));
  }
  return g.add(core::PadAttrs{low, high, interior}, {x, g.valueOf({type.dtype, Shape{}})});
}

Value concat(Generator &g, OpCode) {
  Value x = g.toMove([](const TypeDesc &type) { return type.shape.rank() > 0; });
  if (!x)
    return nullptr;
  const TypeDesc type = typeOf(x);
  const int64_t axis = g.number(0, type.shape.rank() - 1);
  std::vector<Value> operands{x};
  for (int64_t i = g.number(1, 3); i > 0; --i) {
    Shape shape = type.shape;
    if (g.chance(0.4))
      shape[axis] = g.size();
    if (g.fits(shape))
      operands.push_back(g.valueOf({type.dtype, shape}));
  }
  std::ranges::shuffle(operands, g.random());
  return g.add(core::ConcatAttrs{axis}, operands);
}

Value reverse(Generator &g, OpCode) {
  Value x = g.toMove();
  return x ? g.add(core::ReverseAttrs{g.someDims(typeOf(x).shape.rank(), true)}, {x}) : nullptr;
}

Value stopGradient(Generator &g, OpCode op) { return g.add(op, {g.any()}); }

} // namespace

void fuzz::addShapeEntries(std::vector<OpEntry> &entries) {
  entries.push_back({OpCode::Broadcast, Family::View, broadcast, true});
  entries.push_back({OpCode::Reshape, Family::View, reshape, true});
  entries.push_back({OpCode::Transpose, Family::View, transpose, true});
  entries.push_back({OpCode::Slice, Family::View, slice, true});
  entries.push_back({OpCode::SliceUpdate, Family::View, sliceUpdate, true});
  entries.push_back({OpCode::Pad, Family::View, pad, true});
  entries.push_back({OpCode::Concat, Family::View, concat, true});
  entries.push_back({OpCode::Reverse, Family::View, reverse, true});
  entries.push_back({OpCode::StopGradient, Family::Generated, stopGradient});
}
