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

// The operands that scores are made of, and the scores.
template <typename C> struct Scores {
  template <typename Attrs>
  Scores(const Evaluation &e, const Attrs &attrs)
      : query(load<C>(e.operand(0))), key(load<C>(e.operand(1))), value(load<C>(e.operand(2))),
        hasMask(attrs.operandSegmentSizes[3]), hasBias(attrs.operandSegmentSizes[4]), causal(attrs.causal),
        scale(attrs.scale), softcap(attrs.softcap), heads(e.operand(0).type.shape[1]),
        keyHeads(e.operand(1).type.shape[1]), queries(e.operand(0).type.shape[2]), keys(e.operand(1).type.shape[2]),
        depth(e.operand(0).type.shape[3]), width(e.operand(2).type.shape[3]),
        lines(e.operand(0).type.shape[0] * heads * queries), maskAt(e.operand(hasMask ? 3 : 0).type.shape),
        biasAt(e.operand(hasBias ? 3 + hasMask : 0).type.shape) {
    if (hasMask)
      allowed = load<bool>(e.operand(3));
    if (hasBias)
      biases = load<C>(e.operand(3 + hasMask));
  }

  /// The first row of keys and values that query `line` meets.
  int64_t firstKey(int64_t line) const {
    return (line / queries / heads * keyHeads + line / queries % heads / (heads / keyHeads)) * keys;
  }

  /// None where the pair does not count; `bend` is set to tanh(s / softcap).
  std::optional<C> at(int64_t line, int64_t j, C *bend = nullptr) const {
    const int64_t i = line % queries, head = line / queries % heads, batch = line / queries / heads;
    if ((hasMask && !allowed[maskAt.at(batch, head, i, j)]) || (causal && j > i + keys - queries))
      return std::nullopt;
    C score(0);
    for (int64_t c = 0; c < depth; ++c)
      score += query[line * depth + c] * key[(firstKey(line) + j) * depth + c];
    score *= scale;
    if (softcap > 0) {
      const C tanh = std::tanh(score / softcap);
      score = softcap * tanh;
      if (bend)
        *bend = tanh;
    }
    return hasBias ? score + biases[biasAt.at(batch, head, i, j)] : score;
  }

  Elements<C> query, key, value;
  bool hasMask, hasBias, causal;
  double scale, softcap;
  int64_t heads, keyHeads, queries, keys, depth, width, lines;
  Pairs maskAt, biasAt;
  Elements<bool> allowed;
  Elements<C> biases;
};

Status attention(Evaluation &e, const core::AttentionAttrs &attrs) {
  return overFloats(e.operand(0), [&]<typename C>(C) {
    const Scores<C> of(e, attrs);
    Elements<C> result(e.types[0].numel()), lses(e.types[1].numel());
    for (int64_t line = 0; line < of.lines; ++line) {
      std::vector<std::optional<C>> scores(of.keys);
      double greatest = -std::numeric_limits<double>::infinity();
      for (int64_t j = 0; j < of.keys; ++j)
        if ((scores[j] = of.at(line, j)))
          greatest = Max::of(greatest, real(*scores[j]));
      C sum(0);
      if (greatest == -std::numeric_limits<double>::infinity())
        greatest = 0; // no pair counts
      for (std::optional<C> &score : scores)
        sum += score ? *(score = std::exp(*score - greatest)) : C(0);
      lses[line] = greatest + std::log(sum);
      for (int64_t j = 0; j < of.keys; ++j) {
        const C weight = scores[j] && sum != C(0) ? *scores[j] / sum : C(0);
        for (int64_t c = 0; c < of.width; ++c)
          result[line * of.width + c] += weight * of.value[(of.firstKey(line) + j) * of.width + c];
      }
    }
    store(e.result(0), result);
    store(e.result(1), lses);
  });
}

Status attentionGrad(Evaluation &e, const core::AttentionGradAttrs &attrs) {
  return overFloats(e.operand(0), [&]<typename C>(C) {
    const Scores<C> of(e, attrs);
    const size_t next = e.operands.size() - 3;
    const Elements<C> lse = load<C>(e.operand(next)), gradient = load<C>(e.operand(next + 1)),
                      delta = load<C>(e.operand(next + 2));
    Elements<C> ofQuery(of.query.size()), ofKey(of.key.size()), ofValue(of.value.size()), ofScores(e.types[3].numel());
    for (int64_t line = 0; line < of.lines; ++line)
      for (int64_t j = 0; j < of.keys; ++j) {
        C bend(0);
        const std::optional<C> score = of.at(line, j, &bend);
        if (!score)
          continue;
        const int64_t k = of.firstKey(line) + j;
        const bool isEmpty = lse[line] == C(-std::numeric_limits<double>::infinity());
        const C weight = std::exp(*score - (isEmpty ? C(0) : lse[line]));
        C ofWeight(0);
        for (int64_t c = 0; c < of.width; ++c) {
          ofWeight += gradient[line * of.width + c] * of.value[k * of.width + c];
          ofValue[k * of.width + c] += weight * gradient[line * of.width + c];
        }
        const C ofScore = weight * (ofWeight + delta[line]), ofProduct = ofScore * (C(1) - bend * bend) * of.scale;
        ofScores[line * of.keys + j] = ofScore;
        for (int64_t c = 0; c < of.depth; ++c) {
          ofQuery[line * of.depth + c] += ofProduct * of.key[k * of.depth + c];
          ofKey[k * of.depth + c] += ofProduct * of.query[line * of.depth + c];
        }
      }
    store(e.result(0), ofQuery);
    store(e.result(1), ofKey);
    store(e.result(2), ofValue);
    store(e.result(3), ofScores);
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
  case OpCode::AttentionGrad:
    return Decoding<attentionGrad>::call;
  case OpCode::Embedding:
    return Decoding<embedding>::call;
  case OpCode::Rope:
    return Decoding<rope>::call;
  default:
    return nullptr;
  }
}
