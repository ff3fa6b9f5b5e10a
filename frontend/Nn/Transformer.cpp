// Norms, embeddings and attention as layers.
#include <burn/autograd.h>
#include <burn/error.h>
#include <burn/nn.h>

#include "frontend/Nn/Init.h"

#include <cmath>

namespace burn::nn {

namespace {

Tensor parameterOf(const Shape &shape, float value) { return detail::filled(shape, value).requires_grad_(); }

Shape shapeOf(const Dims &dims) { return Shape(std::span<const int64_t>(dims.begin(), dims.end())); }

void require(bool condition, const std::string &what) {
  if (!condition)
    throw Error(ErrorCode::InvalidArgument, what);
}

} // namespace

LayerNorm::LayerNorm(Dims normalized_shape, const LayerNormOptions &options)
    : shape_(shapeOf(normalized_shape)), eps_(options.eps) {
  if (!options.elementwise_affine)
    return;
  weight = parameterOf(shape_, 1);
  if (options.bias)
    bias = parameterOf(shape_, 0);
}

Tensor LayerNorm::forward(const Tensor &x, Where where) const {
  return layer_norm(x, shape_, weight, bias, eps_, where);
}

RMSNorm::RMSNorm(Dims normalized_shape, std::optional<double> eps) : shape_(shapeOf(normalized_shape)), eps_(eps) {
  weight = parameterOf(shape_, 1);
}

Tensor RMSNorm::forward(const Tensor &x, Where where) const { return rms_norm(x, shape_, weight, eps_, where); }

GroupNorm::GroupNorm(int64_t num_groups, int64_t channels, double eps) : groups_(num_groups), eps_(eps) {
  require(num_groups > 0 && channels % num_groups == 0, "GroupNorm: expects groups that divide the channels, got " +
                                                            std::to_string(num_groups) + " groups of " +
                                                            std::to_string(channels) + " channels");
  weight = parameterOf({channels}, 1);
  bias = parameterOf({channels}, 0);
}

Tensor GroupNorm::forward(const Tensor &x, Where where) const {
  return group_norm(x, groups_, weight, bias, eps_, where);
}

Embedding::Embedding(int64_t rows, int64_t size, std::optional<int64_t> padding_idx, Generator &generator)
    : paddingIdx_(padding_idx) {
  require(rows >= 0 && size >= 0,
          "Embedding: expects sizes of at least 0, got " + std::to_string(rows) + " and " + std::to_string(size));
  require(!padding_idx || (*padding_idx >= -rows && *padding_idx < rows),
          "Embedding: padding_idx is outside of " + std::to_string(rows) + " rows");
  if (paddingIdx_ && *paddingIdx_ < 0)
    *paddingIdx_ += rows;
  weight = detail::normalParameter({rows, size}, generator, paddingIdx_);
}

Tensor Embedding::forward(const Tensor &indices, Where where) const {
  return embedding(indices, weight, paddingIdx_, where);
}

MultiheadAttention::MultiheadAttention(int64_t size, int64_t num_heads, Generator &generator)
    : in_proj_weight(detail::uniformParameter({3 * size, size},
                                              size > 0 ? std::sqrt(1.5 / static_cast<double>(size)) : 0, generator)),
      in_proj_bias(parameterOf({3 * size}, 0)), out_proj(size, size, {}, generator), heads_(num_heads) {
  require(num_heads > 0 && size % num_heads == 0,
          "MultiheadAttention: expects a number of heads that divides the size " + std::to_string(size) + ", got " +
              std::to_string(num_heads));
  out_proj.bias = parameterOf({size}, 0);
}

Tensor MultiheadAttention::forward(const Tensor &query, const Tensor &key, const Tensor &value, const Tensor &attn_mask,
                                   bool is_causal, Where where) const {
  const LocationScope scope(where);
  const int64_t size = out_proj.weight.shape()[0];
  for (const Tensor *operand : {&query, &key, &value})
    require(operand->shape().rank() == 3 && operand->shape()[2] == size,
            "MultiheadAttention: expects [batch, length, " + std::to_string(size) + "], got " + operand->shape().str());
  // [batch, heads, length, size of a head]
  const auto projected = [&](const Tensor &x, int64_t part) {
    const Tensor y = linear(x, in_proj_weight.narrow(0, part * size, size), in_proj_bias.narrow(0, part * size, size));
    return y.reshape({x.shape()[0], x.shape()[1], heads_, size / heads_}).permute({0, 2, 1, 3});
  };
  const Tensor result = scaled_dot_product_attention(projected(query, 0), projected(key, 1), projected(value, 2),
                                                     attn_mask, {.is_causal = is_causal});
  return out_proj(result.permute({0, 2, 1, 3}).reshape(query.shape()));
}

} // namespace burn::nn
