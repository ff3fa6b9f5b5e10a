#include "frontend/Tensor/AlongDim.h"

#include <algorithm>
#include <vector>

namespace burn {

using core::IndexMode;
using core::ScatterCombiner;
using namespace trace;

namespace {

// start:stop:step of a dimension of `size` elements as first element and count.
struct Range {
  int64_t start, count, step;
};

// A rectangle of a tensor, as slices take it: at first everything.
struct Rectangle {
  int64_t starts[Shape::maxRank], sizes[Shape::maxRank], strides[Shape::maxRank];
  unsigned rank;

  explicit Rectangle(const Shape &shape) : rank(shape.rank()) {
    for (unsigned i = 0; i < rank; ++i)
      set(i, {0, shape[i], 1});
  }
  void set(unsigned dim, const Range &range) {
    starts[dim] = range.start;
    sizes[dim] = range.count;
    strides[dim] = range.step;
  }
  std::span<const int64_t> span(const int64_t *values) const { return {values, rank}; }
  Ref slice(Recorder &recorder, Ref x) const { return recorder.slice(x, span(starts), span(sizes), span(strides)); }
  // x with the rectangle, whose steps are 1, replaced.
  Ref update(Recorder &recorder, Ref x, Ref update) const {
    return recorder.emit(core::SliceUpdateAttrs{span(starts)}, {x, update});
  }
};

Range resolve(const Recorder &recorder, const Slice &slice, int64_t size) {
  if (slice.step < 1)
    recorder.fail("the step of a slice is at least 1, got " + std::to_string(slice.step) + "; flip() reverses");
  const auto bound = [&](const Slice::Bound &value, int64_t open) {
    if (!value.value)
      return open;
    return std::clamp<int64_t>(*value.value < 0 ? *value.value + size : *value.value, 0, size);
  };
  const int64_t start = bound(slice.start, 0), stop = bound(slice.stop, size);
  return {start, stop > start ? (stop - start - 1) / slice.step + 1 : 0, slice.step};
}

int64_t resolvePosition(const Recorder &recorder, int64_t position, const Shape &shape, unsigned dim) {
  const int64_t size = shape[dim];
  if (position < -size || position >= size)
    recorder.fail("index " + std::to_string(position) + " is outside dimension " + std::to_string(dim) + " of shape " +
                  shape.str());
  return position < 0 ? position + size : position;
}

// Indices that may count from the end, as numbers from 0 on; the op checks them against the size.
Ref fromFront(Recorder &recorder, Ref indices, int64_t size) {
  if (isUnsignedInt(recorder.dtype(indices)))
    return indices;
  const ShapeEntry *shape = recorder.shape(indices);
  const Ref zero = recorder.filled(recorder.dtype(indices), 0, shape);
  const Ref negative = compared(recorder, core::CompareDirection::LT, indices, zero);
  return recorder.emit(OpCode::Select, {negative, withNumber(recorder, OpCode::Add, indices, size), indices});
}

void checkIndices(const Recorder &recorder, const Tensor &indices) {
  if (indices.dtype() == DType::Bool)
    recorder.fail("a mask picks a number of elements that is not known before it is computed; use where() or "
                  "masked_fill()");
  if (!isInt(indices.dtype()))
    recorder.fail("expects integer indices, got " + std::string(name(indices.dtype())) + indices.shape().str());
}

// What an index does with each dimension of x, in order.
struct Plan {
  Rectangle part;
  Shape sliced; // after slices, integers and None; indexed dimensions are whole
  Shape window; // with the dimensions that integers drop as 1: the shape of the rectangle in x
  std::vector<std::pair<unsigned, const Tensor *>> tensors; // dimension of `sliced`, indices
};

Plan planIndex(const Recorder &recorder, const Shape &shape, std::span<const Index> index) {
  size_t used = 0;
  bool ellipsis = false;
  for (const Index &entry : index) {
    if (std::holds_alternative<EllipsisType>(entry.value())) {
      if (ellipsis)
        recorder.fail("an index holds one Ellipsis at most");
      ellipsis = true;
    } else {
      used += !std::holds_alternative<NoneType>(entry.value());
    }
  }
  if (used > shape.rank())
    recorder.fail(std::to_string(used) + " indices are more than the dimensions of shape " + shape.str());
  Plan plan{Rectangle(shape), {}, {}, {}};
  unsigned dim = 0;
  const auto push = [&](Shape &to, int64_t size) {
    if (!to.push(size))
      recorder.fail("the result has too many dimensions");
  };
  const auto take = [&](const Range &range) {
    plan.part.set(dim, range);
    push(plan.window, range.count);
    ++dim;
  };
  const auto takeWhole = [&] {
    push(plan.sliced, shape[dim]);
    take({0, shape[dim], 1});
  };
  for (const Index &entry : index) {
    if (const auto *position = std::get_if<int64_t>(&entry.value())) {
      take({resolvePosition(recorder, *position, shape, dim), 1, 1});
    } else if (const auto *slice = std::get_if<Slice>(&entry.value())) {
      const Range range = resolve(recorder, *slice, shape[dim]);
      push(plan.sliced, range.count);
      take(range);
    } else if (std::holds_alternative<NoneType>(entry.value())) {
      push(plan.sliced, 1);
    } else if (std::holds_alternative<EllipsisType>(entry.value())) {
      for (size_t missing = shape.rank() - used; missing > 0; --missing)
        takeWhole();
    } else {
      const Tensor &indices = std::get<Tensor>(entry.value());
      checkIndices(recorder, indices);
      plan.tensors.emplace_back(plan.sliced.rank(), &indices);
      takeWhole();
    }
  }
  while (dim < shape.rank())
    takeWhole();
  return plan;
}

// x with the dimensions of `plan.tensors` indexed. As in NumPy the index dimensions stand where the first of them was
// if they are neighbours, else in front.
Ref gatherTensors(Recorder &recorder, Ref x, const Plan &plan) {
  const Shape &from = recorder.shape(x)->shape;
  Shape common;
  for (const auto &[dim, indices] : plan.tensors)
    common = broadcastShapes(recorder, common, indices->shape());
  const unsigned count = static_cast<unsigned>(plan.tensors.size());
  Shape column(common);
  if (common.rank() == Shape::maxRank || common.rank() + from.rank() - count > Shape::maxRank)
    recorder.fail("the result has too many dimensions");
  column.push(1);
  std::vector<Ref> columns;
  int64_t collapsed[Shape::maxRank], sizes[Shape::maxRank], offsets[Shape::maxRank];
  for (unsigned i = 0; i < from.rank(); ++i)
    sizes[i] = from[i];
  for (unsigned i = 0; i < count; ++i) {
    const auto &[dim, indices] = plan.tensors[i];
    Ref value = recorder.convert(recorder.use(*indices), DType::I64);
    value = fromFront(recorder, value, from[dim]);
    columns.push_back(recorder.reshape(recorder.broadcast(value, internShape(common)), column));
    collapsed[i] = dim;
    sizes[dim] = 1;
  }
  const Ref starts =
      count == 1 ? columns[0] : recorder.emit(core::ConcatAttrs{common.rank()}, std::span<const Ref>(columns));
  const bool adjacent = collapsed[count - 1] - collapsed[0] == count - 1;
  const unsigned place = adjacent ? static_cast<unsigned>(collapsed[0]) : 0;
  const unsigned kept = from.rank() - count;
  for (unsigned i = 0; i < kept; ++i)
    offsets[i] = i < place ? i : i + common.rank();
  const std::span<const int64_t> indexed(collapsed, count);
  for (const int64_t dim : indexed)
    if (from[dim] == 0) { // nothing to pick, which only no index at all asks for
      if (common.numel())
        recorder.fail("dimension " + std::to_string(dim) + " of " + from.str() + " is empty: no index lies inside");
      Shape result;
      for (unsigned i = 0, next = 0; i < kept + common.rank(); ++i)
        if (i >= place && i < place + common.rank())
          result.push(common[i - place]);
        else {
          while (std::ranges::find(indexed, next) != indexed.end())
            ++next;
          result.push(from[next++]);
        }
      return recorder.reshape(x, result);
    }
  return recorder.emit(core::GatherAttrs{std::span<const int64_t>(offsets, kept),
                                         indexed,
                                         {},
                                         {},
                                         indexed,
                                         common.rank(),
                                         std::span<const int64_t>(sizes, from.rank()),
                                         IndexMode::Check},
                       {x, starts});
}

// The dimension numbers of an index tensor whose dimensions run beside those of x, but for `dim`.
struct AlongDim {
  int64_t others[Shape::maxRank], ones[Shape::maxRank], dim;
  unsigned rank;
  AlongDim(unsigned rank, unsigned dim) : dim(dim), rank(rank) {
    for (unsigned i = 0, next = 0; i < rank; ++i) {
      ones[i] = 1;
      if (i != dim)
        others[next++] = i;
    }
  }
  std::span<const int64_t> batching() const { return {others, rank - 1}; }
  std::span<const int64_t> axis() const { return {&dim, 1}; }
  std::span<const int64_t> sizes() const { return {ones, rank}; }
};

Ref scatterAlong(Recorder &recorder, Ref x, Ref indices, Ref updates, unsigned dim, ScatterCombiner combiner) {
  const AlongDim along(recorder.shape(x)->shape.rank(), dim);
  return recorder.emit(
      core::ScatterAttrs{
          {}, along.axis(), along.batching(), along.batching(), along.axis(), along.rank, combiner, IndexMode::Check},
      {x, indices, updates});
}

// The part of x beside which the indices run: everything along `dim`, their sizes elsewhere.
Ref partBeside(Recorder &recorder, Ref x, const Shape &indices, unsigned dim) {
  const Shape &shape = recorder.shape(x)->shape;
  Rectangle part(shape);
  for (unsigned i = 0; i < shape.rank(); ++i) {
    if (i != dim)
      part.sizes[i] = indices[i];
    if (part.sizes[i] > shape[i])
      recorder.fail("indices of shape " + indices.str() + " do not fit beside " + shape.str());
  }
  return part.slice(recorder, x);
}

} // namespace

Ref gatherAlong(Recorder &recorder, Ref x, Ref indices, unsigned dim, IndexMode mode) {
  const Shape &from = recorder.shape(x)->shape, &picked = recorder.shape(indices)->shape;
  if (from.numel() == 0) { // nothing to pick, which only no index at all asks for
    if (picked.numel())
      recorder.fail("dimension " + std::to_string(dim) + " of " + from.str() + " is empty: no index lies inside");
    return recorder.reshape(x, picked);
  }
  const AlongDim along(from.rank(), dim);
  return recorder.emit(
      core::GatherAttrs{
          {}, along.axis(), along.batching(), along.batching(), along.axis(), along.rank, along.sizes(), mode},
      {x, indices});
}

Tensor scattered(const char *name, const Tensor &x, int64_t dim, const Tensor &indices, const Operand &source,
                 ScatterCombiner combiner) {
  const LocationScope scope(source.where());
  const Operand input(x, source.where()), picks(indices, source.where());
  Recorder recorder(name, TensorOperands{&input, &picks, &source});
  checkIndices(recorder, indices);
  const Shape &shape = x.shape(), &picked = indices.shape();
  if (shape.rank() != picked.rank() || shape.rank() == 0)
    recorder.fail("expects indices of the input's rank, got shapes " + shape.str() + " and " + picked.str());
  const unsigned axis = checkedDim(name, dim, shape.rank());
  const Ref whole = recorder.use(x);
  const Ref part = partBeside(recorder, whole, picked, axis);
  Ref updates;
  if (source.isTensor()) {
    const Shape &from = source.tensor().shape();
    if (from.rank() != picked.rank())
      recorder.fail("expects a source of rank " + std::to_string(picked.rank()) + ", got " + from.str());
    for (unsigned i = 0; i < from.rank(); ++i)
      if (picked[i] > from[i])
        recorder.fail("the source of shape " + from.str() + " is smaller than the indices of shape " + picked.str());
    updates = Rectangle(picked).slice(recorder, recorder.convert(recorder.use(source.tensor()), x.dtype()));
  } else {
    updates = recorder.filled(x.dtype(), source.scalar(), internShape(picked));
  }
  const Ref position = fromFront(recorder, recorder.convert(recorder.use(indices), DType::I64), shape[axis]);
  Ref result = scatterAlong(recorder, part, position, updates, axis, combiner);
  if (part != whole)
    result = Rectangle(shape).update(recorder, whole, result);
  return recorder.finish(result);
}

unsigned lineDim(Recorder &recorder, Ref &x, int64_t dim) {
  const unsigned rank = recorder.shape(x)->shape.rank();
  if (rank == 0)
    x = recorder.reshape(x, Shape{1});
  return checkedDim(recorder.name(), dim, rank);
}

Ref placesAlong(Recorder &recorder, const ShapeEntry *shape, unsigned dim) {
  return recorder.emitTyped(core::IotaAttrs{dim}, {}, DType::I64, shape);
}

Tensor Tensor::index(std::initializer_list<Index> index, Where where) const {
  const LocationScope scope(where);
  std::vector<const Tensor *> operands{this};
  for (const Index &entry : index)
    if (const auto *indices = std::get_if<Tensor>(&entry.value()))
      operands.push_back(indices);
  Recorder recorder("index", operands);
  const Shape from = shape();
  const Plan plan = planIndex(recorder, from, std::span<const Index>(index.begin(), index.size()));
  const Ref value = recorder.reshape(plan.part.slice(recorder, recorder.use(*this)), plan.sliced);
  return recorder.finish(plan.tensors.empty() ? value : gatherTensors(recorder, value, plan));
}

Tensor Tensor::operator[](Position i) const { return select(0, i.index, i.where); }

Tensor Tensor::select(int64_t dim, int64_t i, Where where) const {
  const LocationScope scope(where);
  Recorder recorder("select", {this});
  const Shape &from = shape();
  if (from.rank() == 0)
    recorder.fail("a tensor of rank 0 has no parts");
  const unsigned axis = checkedDim("select", dim, from.rank());
  Rectangle rectangle(from);
  rectangle.set(axis, {resolvePosition(recorder, i, from, axis), 1, 1});
  const Ref part = rectangle.slice(recorder, recorder.use(*this));
  Shape to;
  for (unsigned k = 0; k < from.rank(); ++k)
    if (k != axis)
      to.push(from[k]);
  return recorder.finish(recorder.reshape(part, to));
}

Tensor Tensor::slice(int64_t dim, Slice::Bound start, Slice::Bound stop, int64_t step, Where where) const {
  const LocationScope scope(where);
  Recorder recorder("slice", {this});
  const Shape &from = shape();
  if (from.rank() == 0)
    recorder.fail("a tensor of rank 0 has no parts");
  const unsigned axis = checkedDim("slice", dim, from.rank());
  Rectangle part(from);
  part.set(axis, resolve(recorder, burn::Slice(start, stop, step), from[axis]));
  return recorder.finish(part.slice(recorder, recorder.use(*this)));
}

Tensor Tensor::narrow(int64_t dim, int64_t start, int64_t length, Where where) const {
  const LocationScope scope(where);
  if (!defined())
    raiseInvalid("narrow: the tensor is not defined");
  const int64_t count = size(dim, where);
  if (start < 0)
    start += count;
  if (start < 0 || length < 0 || start > count - length)
    raiseInvalid("narrow: " + std::to_string(length) + " elements from " + std::to_string(start) + " leave dimension " +
                 std::to_string(dim) + " of shape " + shape().str());
  return slice(dim, start, start + length, 1, where);
}

Tensor Tensor::index_select(int64_t dim, const Tensor &indices, Where where) const {
  const LocationScope scope(where);
  Recorder recorder("index_select", {this, &indices});
  checkIndices(recorder, indices);
  if (indices.shape().rank() > 1 || shape().rank() == 0)
    recorder.fail("expects 1-D indices into at least one dimension, got shapes " + indices.shape().str() + " and " +
                  shape().str());
  Plan plan{Rectangle(shape()), {}, {}, {}};
  plan.tensors.emplace_back(checkedDim("index_select", dim, shape().rank()), &indices);
  Ref result = gatherTensors(recorder, recorder.use(*this), plan);
  if (indices.shape().rank() == 0) { // one index gives one part, the dimension stays
    Shape to(shape());
    to[plan.tensors[0].first] = 1;
    result = recorder.reshape(result, to);
  }
  return recorder.finish(result);
}

Tensor Tensor::gather(int64_t dim, const Tensor &indices, Where where) const {
  const LocationScope scope(where);
  Recorder recorder("gather", {this, &indices});
  checkIndices(recorder, indices);
  if (shape().rank() == 0)
    recorder.fail("a tensor of rank 0 has no dimension to pick from");
  if (shape().rank() != indices.shape().rank())
    recorder.fail("expects indices of the input's rank, got shapes " + shape().str() + " and " + indices.shape().str());
  const unsigned axis = checkedDim("gather", dim, shape().rank());
  const Ref part = partBeside(recorder, recorder.use(*this), indices.shape(), axis);
  const Ref position = fromFront(recorder, recorder.convert(recorder.use(indices), DType::I64), shape()[axis]);
  return recorder.finish(gatherAlong(recorder, part, position, axis, IndexMode::Check));
}

Tensor Tensor::take_along_dim(const Tensor &indices, int64_t dim, Where where) const {
  const LocationScope scope(where);
  Recorder recorder("take_along_dim", {this, &indices});
  checkIndices(recorder, indices);
  const Shape &from = shape(), &picked = indices.shape();
  if (from.rank() == 0)
    recorder.fail("a tensor of rank 0 has no dimension to pick from");
  if (from.rank() != picked.rank())
    recorder.fail("expects indices of the input's rank, got shapes " + from.str() + " and " + picked.str());
  const unsigned axis = checkedDim("take_along_dim", dim, from.rank());
  Shape here(from), there(picked);
  here[axis] = there[axis] = 1;
  here = there = broadcastShapes(recorder, here, there);
  here[axis] = from[axis];
  there[axis] = picked[axis];
  const Ref position = fromFront(recorder, recorder.convert(recorder.use(indices), DType::I64), from[axis]);
  const Ref value = recorder.broadcast(recorder.use(*this), internShape(here));
  return recorder.finish(
      gatherAlong(recorder, value, recorder.broadcast(position, internShape(there)), axis, IndexMode::Check));
}

Tensor Tensor::scatter(int64_t dim, const Tensor &indices, const Operand &source) const {
  return scattered("scatter", *this, dim, indices, source, ScatterCombiner::Assign);
}

Tensor Tensor::scatter_add(int64_t dim, const Tensor &indices, const Tensor &source, Where where) const {
  return scattered("scatter_add", *this, dim, indices, Operand(source, where), ScatterCombiner::Add);
}

Tensor Tensor::index_add(int64_t dim, const Tensor &indices, const Tensor &source, Scalar alpha, Where where) const {
  const LocationScope scope(where);
  Recorder recorder("index_add", {this, &indices, &source});
  checkIndices(recorder, indices);
  const Shape &to = shape(), &from = source.shape();
  bool fits = indices.shape().rank() == 1 && to.rank() == from.rank() && to.rank() > 0;
  const unsigned axis = checkedDim("index_add", dim, to.rank());
  for (unsigned i = 0; fits && i < to.rank(); ++i)
    fits = from[i] == (i == axis ? indices.shape()[0] : to[i]);
  if (!fits)
    recorder.fail("a source of shape " + from.str() + " at " + indices.shape().str() + " indices of dimension " +
                  std::to_string(axis) + " does not fit into " + to.str());
  int64_t window[Shape::maxRank];
  for (unsigned i = 0, next = 0; i < to.rank(); ++i)
    if (i != axis)
      window[next++] = i;
  const int64_t dims[] = {axis};
  const Ref position = fromFront(recorder, recorder.convert(recorder.use(indices), DType::I64), to[axis]);
  Ref updates = recorder.convert(recorder.use(source), dtype());
  if (alpha.real != 1)
    updates = withNumber(recorder, OpCode::Mul, updates, alpha);
  return recorder.finish(recorder.emit(core::ScatterAttrs{std::span<const int64_t>(window, to.rank() - 1),
                                                          dims,
                                                          {},
                                                          {},
                                                          dims,
                                                          1,
                                                          ScatterCombiner::Add,
                                                          IndexMode::Check},
                                       {recorder.use(*this), position, updates}));
}

namespace {

// x with `source` at `range` of a dimension, which the source lacks where it is one position.
Tensor replaced(Recorder &recorder, const Tensor &x, const Tensor &source, unsigned axis, const Range &range,
                bool position) {
  Rectangle part(x.shape());
  part.set(axis, range);
  const Shape window(std::span<const int64_t>(part.sizes, part.rank));
  Shape expected;
  for (unsigned i = 0; i < window.rank(); ++i)
    if (i != axis || !position)
      expected.push(window[i]);
  if (source.shape() != expected)
    recorder.fail("expects a source of shape " + expected.str() + ", got " + source.shape().str());
  const Ref update = recorder.convert(recorder.use(source), x.dtype());
  return recorder.finish(part.update(recorder, recorder.use(x), recorder.reshape(update, window)));
}

} // namespace

Tensor select_scatter(const Tensor &x, const Tensor &source, int64_t dim, int64_t i, Where where) {
  const LocationScope scope(where);
  Recorder recorder("select_scatter", {&x, &source});
  if (x.shape().rank() == 0)
    recorder.fail("a tensor of rank 0 has no parts");
  const unsigned axis = checkedDim("select_scatter", dim, x.shape().rank());
  return replaced(recorder, x, source, axis, {resolvePosition(recorder, i, x.shape(), axis), 1, 1}, true);
}

Tensor slice_scatter(const Tensor &x, const Tensor &source, int64_t dim, Slice::Bound start, Slice::Bound stop,
                     Where where) {
  const LocationScope scope(where);
  Recorder recorder("slice_scatter", {&x, &source});
  if (x.shape().rank() == 0)
    recorder.fail("a tensor of rank 0 has no parts");
  const unsigned axis = checkedDim("slice_scatter", dim, x.shape().rank());
  return replaced(recorder, x, source, axis, resolve(recorder, Slice(start, stop), x.shape()[axis]), false);
}

Tensor &Tensor::index_put_(std::initializer_list<Index> index, const Operand &value) {
  const LocationScope scope(value.where());
  Tensor updated;
  {
    const Operand input(*this, value.where());
    Recorder recorder("index_put_", TensorOperands{&input, &value});
    const Shape from = shape();
    const Plan plan = planIndex(recorder, from, std::span<const Index>(index.begin(), index.size()));
    if (!plan.tensors.empty())
      recorder.fail("expects integers and slices, not tensors; use scatter() or index_add()");
    for (unsigned i = 0; i < from.rank(); ++i)
      if (plan.part.strides[i] != 1 && plan.part.sizes[i] > 1)
        recorder.fail("expects slices of step 1");
    const ShapeEntry *target = internShape(plan.sliced);
    Ref update;
    if (value.isTensor()) {
      const Shape &shape = value.tensor().shape();
      if (broadcastShapes(recorder, shape, plan.sliced) != plan.sliced)
        recorder.fail("a value of shape " + shape.str() + " does not broadcast to " + plan.sliced.str());
      update = recorder.broadcast(recorder.convert(recorder.use(value.tensor()), dtype()), target);
    } else {
      update = recorder.filled(dtype(), value.scalar(), target);
    }
    update = recorder.reshape(update, plan.window);
    updated = recorder.finish(plan.part.update(recorder, recorder.use(*this), update));
  }
  rebind(*this, updated, "index_put_");
  return *this;
}

} // namespace burn
