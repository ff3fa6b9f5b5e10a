#include "frontend/Tensor/Support.h"

#include <cmath>

namespace burn {

using namespace trace;

namespace {

// With dimensions of size 1 in front, four in all.
Shape padded(const Shape &shape) {
  Shape result;
  for (unsigned i = shape.rank(); i < 4; ++i)
    result.push(1);
  for (int64_t size : shape.dims())
    result.push(size);
  return result;
}

} // namespace

Tensor scaled_dot_product_attention(const Tensor &query, const Tensor &key, const Tensor &value,
                                    const Tensor &attn_mask, const AttentionOptions &options, Where where) {
  const LocationScope scope(where);
  const Tensor *operands[] = {&query, &key, &value, &attn_mask};
  Recorder recorder("scaled_dot_product_attention",
                    std::span<const Tensor *const>(operands, attn_mask.defined() ? 4 : 3));
  const unsigned rank = query.shape().rank();
  for (const Tensor *operand : {&query, &key, &value})
    if (operand->shape().rank() != rank || rank < 2 || rank > 4 || operand->dtype() != query.dtype() ||
        !isFloat(query.dtype()))
      recorder.fail("expects query, key and value of one float type and rank, 2 to 4, got " +
                    std::string(name(query.dtype())) + query.shape().str() + ", " + std::string(name(key.dtype())) +
                    key.shape().str() + " and " + std::string(name(value.dtype())) + value.shape().str());
  const Shape q = padded(query.shape()), k = padded(key.shape());
  if (!options.enable_gqa && q[1] != k[1])
    recorder.fail("expects as many key heads as query heads without enable_gqa, got " + query.shape().str() + " and " +
                  key.shape().str());
  Ref refs[4] = {recorder.reshape(recorder.use(query), q), recorder.reshape(recorder.use(key), k),
                 recorder.reshape(recorder.use(value), padded(value.shape()))};
  int64_t segments[] = {1, 1, 1, 0, 0};
  size_t count = 3;
  if (attn_mask.defined()) {
    const bool isMask = attn_mask.dtype() == DType::Bool;
    if (attn_mask.shape().rank() > 4 || (!isMask && !isFloat(attn_mask.dtype())))
      recorder.fail("expects a boolean or float mask of at most 4 dimensions, got " +
                    std::string(name(attn_mask.dtype())) + attn_mask.shape().str());
    segments[isMask ? 3 : 4] = 1;
    Shape shape = padded(attn_mask.shape());
    Ref mask = recorder.reshape(recorder.use(attn_mask), shape);
    if (shape[3] == 1 && k[2] != 1) { // the op wants a column for each key
      shape = Shape{shape[0], shape[1], shape[2], k[2]};
      mask = recorder.broadcast(mask, internShape(shape));
    }
    refs[count++] = isMask ? mask : recorder.convert(mask, query.dtype());
  }
  // Products of no elements are 0 under any scale.
  const double scale = options.scale.value_or(1 / std::sqrt(static_cast<double>(std::max<int64_t>(q[3], 1))));
  const Ref result = recorder.emit(core::AttentionAttrs{options.is_causal, scale, options.softcap, segments},
                                   std::span<const Ref>(refs, count));
  Shape shape = query.shape();
  Shape out;
  for (unsigned i = 0; i + 1 < rank; ++i)
    out.push(shape[i]);
  out.push(value.shape()[rank - 1]);
  return recorder.finish(recorder.reshape(result, out));
}

Tensor rotary_embedding(const Tensor &x, const Tensor &cos, const Tensor &sin, bool interleaved, Where where) {
  const LocationScope scope(where);
  Recorder recorder("rotary_embedding", {&x, &cos, &sin});
  const auto angles = [&](const Tensor &tensor) { return recorder.convert(recorder.use(tensor), x.dtype()); };
  const Ref input = recorder.use(x);
  return recorder.finish(recorder.emit(core::RopeAttrs{interleaved}, {input, angles(cos), angles(sin)}));
}

Tensor embedding(const Tensor &indices, const Tensor &weight, std::optional<int64_t> padding_idx, Where where) {
  const LocationScope scope(where);
  Recorder recorder("embedding", {&indices, &weight});
  if (weight.shape().rank() != 2)
    recorder.fail("expects a weight [rows, size], got " + weight.shape().str());
  const int64_t rows = weight.shape()[0];
  int64_t padding = padding_idx.value_or(-1);
  if (padding_idx) {
    if (padding < -rows || padding >= rows)
      recorder.fail("padding_idx " + std::to_string(padding) + " is outside of " + std::to_string(rows) + " rows");
    padding += padding < 0 ? rows : 0;
  }
  return recorder.finish(recorder.emit(core::EmbeddingAttrs{padding}, {recorder.use(weight), recorder.use(indices)}));
}

Tensor embedding_bag(const Tensor &indices, const Tensor &weight, BagMode mode, const Tensor &per_sample_weights,
                     Where where) {
  const LocationScope scope(where);
  if (indices.shape().rank() != 2)
    raiseInvalid("embedding_bag: expects indices [bags, n], got " + indices.shape().str());
  Tensor rows = embedding(indices, weight);
  if (per_sample_weights.defined()) {
    if (mode != BagMode::Sum || per_sample_weights.shape() != indices.shape())
      raiseInvalid("embedding_bag: weights of rows are for sums, and of the indices' shape " + indices.shape().str() +
                   ", got " + per_sample_weights.shape().str());
    rows = rows * per_sample_weights.unsqueeze(-1);
  }
  switch (mode) {
  case BagMode::Sum:
    return sum(rows, 1);
  case BagMode::Mean:
    // An empty bag gives 0.
    return indices.shape()[1] ? mean(rows, 1) : sum(rows, 1);
  case BagMode::Max:
    return indices.shape()[1] ? rows.amax(1) : sum(rows, 1);
  }
  return rows;
}

} // namespace burn
