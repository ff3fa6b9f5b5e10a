// Attention, embedding and rope, each by its formula.
#include "dialects/Burn/Interpreter/NeuralFamilies.h"

#include <optional>

using namespace burn;
using namespace burn::ir;
using namespace burn::ir::meaning;
using core::OpCode;

namespace {

// Elements of a mask or bias, whose dimensions of size 1 stand for all.
struct Pairs {
  Index strides;

  explicit Pairs(const Shape &shape) : strides(stridesOf(shape)) {
    for (unsigned i = 0; i < 3; ++i)
      if (shape[i] == 1)
        strides[i] = 0;
  }
  int64_t at(int64_t batch, int64_t head, int64_t query, int64_t key) const {
    return batch * strides[0] + head * strides[1] + query * strides[2] + key * strides[3];
  }
};

Status attention(Evaluation &e, const core::AttentionAttrs &attrs) {
  const HostTensor &query = e.operand(0), &key = e.operand(1), &value = e.operand(2);
  const Shape &q = query.type.shape, &k = key.type.shape, &v = value.type.shape;
  const int64_t heads = q[1], queries = q[2], depth = q[3], keys = k[2], width = v[3];
  const HostTensor *mask = attrs.operandSegmentSizes[3] ? &e.operand(3) : nullptr;
  const HostTensor *bias = attrs.operandSegmentSizes[4] ? &e.operand(mask ? 4 : 3) : nullptr;
  const Elements<bool> allowed = mask ? load<bool>(*mask) : Elements<bool>();
  const Pairs maskAt(mask ? mask->type.shape : q), biasAt(bias ? bias->type.shape : q);
  return overFloats(query, [&]<typename C>(C) {
    const Elements<C> x = load<C>(query), y = load<C>(key), z = load<C>(value);
    const Elements<C> biases = bias ? load<C>(*bias) : Elements<C>();
    Elements<C> result(e.types[0].numel()), lses(e.types[1].numel());
    for (int64_t line = 0; line < static_cast<int64_t>(lses.size()); ++line) {
      const int64_t i = line % queries, head = line / queries % heads, batch = line / queries / heads;
      const int64_t keyHead = batch * k[1] + head / (heads / k[1]);
      std::vector<std::optional<C>> scores(keys); // none where the pair does not count
      double greatest = -std::numeric_limits<double>::infinity();
      for (int64_t j = 0; j < keys; ++j) {
        if ((mask && !allowed[maskAt.at(batch, head, i, j)]) || (attrs.causal && j > i + keys - queries))
          continue;
        C score(0);
        for (int64_t c = 0; c < depth; ++c)
          score += x[line * depth + c] * y[(keyHead * keys + j) * depth + c];
        score *= attrs.scale;
        if (attrs.softcap > 0)
          score = attrs.softcap * std::tanh(score / attrs.softcap);
        if (bias)
          score += biases[biasAt.at(batch, head, i, j)];
        greatest = Max::of(greatest, real(score));
        scores[j] = score;
      }
      C sum(0);
      if (greatest == -std::numeric_limits<double>::infinity())
        greatest = 0; // no pair counts
      for (std::optional<C> &score : scores)
        sum += score ? *(score = std::exp(*score - greatest)) : C(0);
      lses[line] = greatest + std::log(sum);
      for (int64_t j = 0; j < keys; ++j) {
        const C weight = scores[j] && sum != C(0) ? *scores[j] / sum : C(0);
        for (int64_t c = 0; c < width; ++c)
          result[line * width + c] += weight * z[(keyHead * keys + j) * width + c];
      }
    }
    store(e.result(0), result);
    store(e.result(1), lses);
  });
}

Status embedding(Evaluation &e, const core::EmbeddingAttrs &) {
  const HostTensor &table = e.operand(0);
  const int64_t rows = table.type.shape[0], width = table.type.shape[1];
  // As 64 bits without sign, where a negative index is large.
  Elements<uint64_t> indices;
  if (isSignedInt(e.operand(1).type.dtype))
    for (int64_t index : load<int64_t>(e.operand(1)))
      indices.push_back(static_cast<uint64_t>(index));
  else
    indices = load<uint64_t>(e.operand(1));
  for (uint64_t index : indices)
    if (index >= static_cast<uint64_t>(rows))
      return Status::error(core::ErrorCode::OutOfRange, "index " + std::to_string(static_cast<int64_t>(index)) +
                                                            " is outside [0, " + std::to_string(rows - 1) + "] of " +
                                                            table.type.str());
  return overFloats(table, [&]<typename C>(C) {
    const Elements<C> from = load<C>(table);
    Elements<C> result;
    for (uint64_t index : indices)
      for (int64_t c = 0; c < width; ++c)
        result.push_back(from[static_cast<int64_t>(index) * width + c]);
    store(e.result(), result);
  });
}

Status rope(Evaluation &e, const core::RopeAttrs &attrs) {
  const Shape &shape = e.types[0].shape;
  const int64_t width = shape[shape.rank() - 1], positions = shape[shape.rank() - 2];
  const int64_t pairs = e.operand(1).type.shape[1];
  return overFloats(e.operand(0), [&]<typename C>(C) {
    const Elements<C> x = load<C>(e.operand(0)), cos = load<C>(e.operand(1)), sin = load<C>(e.operand(2));
    Elements<C> y = x;
    for (int64_t line = 0; width && line < static_cast<int64_t>(x.size()) / width; ++line)
      for (int64_t j = 0; j < pairs; ++j) {
        const int64_t first = line * width + (attrs.interleaved ? 2 * j : j),
                      second = first + (attrs.interleaved ? 1 : pairs);
        const C c = cos[line % positions * pairs + j], s = sin[line % positions * pairs + j];
        y[first] = x[first] * c - x[second] * s;
        y[second] = x[second] * c + x[first] * s;
      }
    store(e.result(), y);
  });
}

} // namespace

Function meaning::findAttention(OpCode op) {
  switch (op) {
  case OpCode::Attention:
    return Decoding<attention>::call;
  case OpCode::Embedding:
    return Decoding<embedding>::call;
  case OpCode::Rope:
    return Decoding<rope>::call;
  default:
    return nullptr;
  }
}
