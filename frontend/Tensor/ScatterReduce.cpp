// Scatters that reduce, and scatters into the flattened tensor.
#include "frontend/Tensor/AlongDim.h"

namespace burn {

using core::ScatterCombiner;
using namespace trace;

namespace {

Tensor scatterReduced(const char *name, const Tensor &x, int64_t dim, const Tensor &indices, const Tensor &source,
                      ScatterReduction reduction, bool includeSelf, const Where &where) {
  const LocationScope scope(where);
  const Operand updates(source, where);
  const auto join = [&](const Tensor &into, const Operand &what, ScatterCombiner combiner) {
    return scattered(name, into, dim, indices, what, combiner);
  };
  // Without the elements of x: those that updates go to start as the identity.
  const auto start = [&](int identity) {
    return includeSelf ? x : join(x, Operand(identity, where), ScatterCombiner::Assign);
  };
  switch (reduction) {
  case ScatterReduction::Sum:
    return join(start(0), updates, ScatterCombiner::Add);
  case ScatterReduction::Prod:
    return join(start(1), updates, ScatterCombiner::Mul);
  case ScatterReduction::Mean: {
    const Tensor sum = join(start(0), updates, ScatterCombiner::Add);
    const Tensor counted = join(full_like(x, includeSelf ? 1 : 0), Operand(1, where), ScatterCombiner::Add);
    const Tensor count = counted.maximum(1);
    if (isFloat(x.dtype()))
      return sum / count;
    Recorder recorder(name, {&sum, &count});
    return recorder.finish(recorder.emit(OpCode::Div, {recorder.use(sum), recorder.use(count)}));
  }
  case ScatterReduction::Amax:
  case ScatterReduction::Amin:
    break;
  }
  // An extremum does not change when it is joined twice: one of the updates serves as start.
  const Tensor from = includeSelf ? x : join(x, updates, ScatterCombiner::Assign);
  return join(from, updates, reduction == ScatterReduction::Amax ? ScatterCombiner::Max : ScatterCombiner::Min);
}

} // namespace

Tensor scatter_reduce(const Tensor &x, int64_t dim, const Tensor &indices, const Tensor &source,
                      ScatterReduction reduction, bool include_self, Where where) {
  return scatterReduced("scatter_reduce", x, dim, indices, source, reduction, include_self, where);
}

Tensor index_reduce(const Tensor &x, int64_t dim, const Tensor &indices, const Tensor &source,
                    ScatterReduction reduction, bool include_self, Where where) {
  const LocationScope scope(where);
  const Shape &shape = x.shape();
  if (shape.rank() == 0 || indices.shape().rank() != 1)
    raiseInvalid("index_reduce: expects 1-D indices into at least one dimension, got shapes " + indices.shape().str() +
                 " and " + shape.str());
  const unsigned axis = checkedDim("index_reduce", dim, shape.rank());
  Shape beside, full = shape;
  for (unsigned i = 0; i < shape.rank(); ++i)
    beside.push(i == axis ? indices.numel() : 1);
  full[axis] = indices.numel();
  if (source.shape() != full)
    raiseInvalid("index_reduce: expects a source of shape " + full.str() + ", got " + source.shape().str());
  return scatterReduced("index_reduce", x, axis, indices.reshape(beside).expand(full), source, reduction, include_self,
                        where);
}

Tensor put(const Tensor &x, const Tensor &indices, const Tensor &source, bool accumulate, Where where) {
  const LocationScope scope(where);
  if (source.numel() != indices.numel())
    raiseInvalid("put: expects as many elements as indices, got shapes " + source.shape().str() + " and " +
                 indices.shape().str());
  return scattered("put", x.flatten(), 0, indices.flatten(), Operand(source.flatten(), where),
                   accumulate ? ScatterCombiner::Add : ScatterCombiner::Assign)
      .reshape(x.shape());
}

Tensor Tensor::scatter_reduce(int64_t dim, const Tensor &indices, const Tensor &source, ScatterReduction reduction,
                              bool include_self, Where where) const {
  return burn::scatter_reduce(*this, dim, indices, source, reduction, include_self, where);
}
Tensor Tensor::index_reduce(int64_t dim, const Tensor &indices, const Tensor &source, ScatterReduction reduction,
                            bool include_self, Where where) const {
  return burn::index_reduce(*this, dim, indices, source, reduction, include_self, where);
}
Tensor Tensor::put(const Tensor &indices, const Tensor &source, bool accumulate, Where where) const {
  return burn::put(*this, indices, source, accumulate, where);
}

} // namespace burn
