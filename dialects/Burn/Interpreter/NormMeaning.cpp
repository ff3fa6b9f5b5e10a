// Normalisations and logsumexp, each by its formula, two-pass.
#include "dialects/Burn/Interpreter/NeuralFamilies.h"

using namespace burn;
using namespace burn::ir;
using namespace burn::ir::meaning;
using core::OpCode;

namespace {

// Normalises lines of `size` neighbours; `parameterOf(i)` is the place of element i's scale and bias.
template <typename ParameterOf>
Status normalise(Evaluation &e, int64_t size, double epsilon, bool centre, ParameterOf parameterOf) {
  return overFloats(e.operand(0), [&]<typename C>(C) {
    const Elements<C> x = load<C>(e.operand(0));
    const size_t affine = e.operands.size() - 1;
    const Elements<C> scale = affine > 0 ? load<C>(e.operand(1)) : Elements<C>();
    const Elements<C> bias = affine > 1 ? load<C>(e.operand(2)) : Elements<C>();
    const int64_t lines = e.types.back().numel();
    const double count = static_cast<double>(size);
    Elements<C> y(x.size()), means(lines), rstds(lines);
    for (int64_t line = 0; line < lines; ++line) {
      const int64_t begin = line * size, end = begin + size;
      C mean(0), square(0);
      if (centre) {
        for (int64_t i = begin; i < end; ++i)
          mean += x[i];
        mean /= count;
      }
      for (int64_t i = begin; i < end; ++i)
        square += (x[i] - mean) * (x[i] - mean);
      const C rstd = 1.0 / std::sqrt(square / count + epsilon);
      for (int64_t i = begin; i < end; ++i) {
        y[i] = (x[i] - mean) * rstd;
        if (affine > 0)
          y[i] *= scale[parameterOf(i)];
        if (affine > 1)
          y[i] += bias[parameterOf(i)];
      }
      means[line] = mean;
      rstds[line] = rstd;
    }
    store(e.result(0), y);
    if (centre)
      store(e.result(1), means);
    store(e.result(centre ? 2 : 1), rstds);
  });
}

Status overLastDims(Evaluation &e, int64_t axis, double epsilon, bool centre) {
  int64_t size = 1;
  const Shape &shape = e.types[0].shape;
  for (unsigned i = static_cast<unsigned>(axis); i < shape.rank(); ++i)
    size *= shape[i];
  return normalise(e, size, epsilon, centre, [size](int64_t i) { return i % size; });
}

Status layerNorm(Evaluation &e, const core::LayerNormAttrs &attrs) {
  return overLastDims(e, attrs.axis, attrs.epsilon, true);
}

Status rmsNorm(Evaluation &e, const core::RmsNormAttrs &attrs) {
  return overLastDims(e, attrs.axis, attrs.epsilon, false);
}

Status groupNorm(Evaluation &e, const core::GroupNormAttrs &attrs) {
  const Shape &shape = e.types[0].shape;
  const int64_t features = shape[1], spatial = stridesOf(shape)[1];
  return normalise(e, features / attrs.groups * spatial, attrs.epsilon, true,
                   [=](int64_t i) { return i / spatial % features; });
}

Status logsumexp(Evaluation &e, const core::LogsumexpAttrs &attrs) {
  const HostTensor &input = e.operand(0);
  const Shape &shape = input.type.shape;
  Index into{}; // strides of the result, 0 along reduced dimensions
  const Index kept = stridesOf(e.types[0].shape);
  for (unsigned i = 0, next = 0; i < shape.rank(); ++i)
    into[i] = contains(attrs.dims, i) ? 0 : kept[next++];
  return overFloats(input, [&]<typename C>(C) {
    const Elements<C> x = load<C>(input);
    Elements<C> sums(e.types[0].numel());
    std::vector<double> greatest(sums.size(), -std::numeric_limits<double>::infinity());
    size_t at = 0;
    forEachIndex(shape, [&](const Index &index) {
      double &most = greatest[dot(index, into, shape.rank())];
      most = Max::of(most, real(x[at++]));
    });
    for (double &most : greatest)
      if (std::isinf(most))
        most = 0;
    at = 0;
    forEachIndex(shape, [&](const Index &index) {
      const int64_t place = dot(index, into, shape.rank());
      sums[place] += std::exp(x[at++] - greatest[place]);
    });
    for (size_t i = 0; i < sums.size(); ++i)
      sums[i] = greatest[i] + std::log(sums[i]);
    store(e.result(), sums);
  });
}

} // namespace

Function meaning::findNorm(OpCode op) {
  switch (op) {
  case OpCode::LayerNorm:
    return Decoding<layerNorm>::call;
  case OpCode::GroupNorm:
    return Decoding<groupNorm>::call;
  case OpCode::RmsNorm:
    return Decoding<rmsNorm>::call;
  case OpCode::Logsumexp:
    return Decoding<logsumexp>::call;
  default:
    return nullptr;
  }
}
