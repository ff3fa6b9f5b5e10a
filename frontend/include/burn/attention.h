/// Attention, embeddings and positions.
#pragma once

#include <burn/tensor.h>

#include <optional>

namespace burn {

struct AttentionOptions {
  /// A query sees the keys up to its own place, the last query the last key. (PyTorch aligns the first ones.)
  bool is_causal = false;
  /// Factor of the scores, finite; 1 / sqrt(size of the last dimension) where not given.
  std::optional<double> scale = std::nullopt;
  /// Consecutive query heads may share a key head.
  bool enable_gqa = false;
  /// Finite and not negative. Above 0, scores s become softcap tanh(s / softcap).
  double softcap = 0;
};

/// softmax(scale query key^T + mask) value. Query [..., heads, queries, d], key [..., key heads, keys, d] and value
/// [..., key heads, keys, e] have 2 to 4 dimensions. A mask broadcasts to [batch, heads, queries, keys]: a boolean one
/// is true where a query may see a key, another is added to the scores. A query that sees no key gives 0, and the
/// gradient 0. f16 and bf16 are computed in f32. Vaswani et al., 2017.
BURN_API Tensor scaled_dot_product_attention(const Tensor &query, const Tensor &key, const Tensor &value,
                                             const Tensor &attn_mask = {}, const AttentionOptions &options = {},
                                             Where where = Where::current());

/// Rotates pairs of the last dimension of x [..., positions, size] by angles whose cosines and sines are given,
/// [positions, r] with 2r <= size: pairs (j, j + r), or (2j, 2j + 1) where `interleaved`. Su et al., 2021.
BURN_API Tensor rotary_embedding(const Tensor &x, const Tensor &cos, const Tensor &sin, bool interleaved = false,
                                 Where where = Where::current());

/// Rows of `weight` [rows, size]: [..., size] for indices [...]. No gradient flows to row `padding_idx`.
BURN_API Tensor embedding(const Tensor &indices, const Tensor &weight,
                          std::optional<int64_t> padding_idx = std::nullopt, Where where = Where::current());

/// How embedding_bag joins the rows of a bag.
enum class BagMode : uint8_t { Sum, Mean, Max };

/// The rows of each bag of indices [bags, n], joined: [bags, size]. Weights of the rows of a sum have the indices'
/// shape.
BURN_API Tensor embedding_bag(const Tensor &indices, const Tensor &weight, BagMode mode = BagMode::Mean,
                              const Tensor &per_sample_weights = {}, Where where = Where::current());

} // namespace burn
