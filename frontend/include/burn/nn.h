/// Layers. Names of parameters, layouts and first values are PyTorch's; losses are functions in <burn/ops.h>.
#pragma once

#include <burn/module.h>
#include <burn/ops.h>
#include <burn/random.h>
#include <burn/tensor.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace burn::nn {

struct LinearOptions {
  bool bias = true;
};

/// y = x W^T + b over the last dimension: x [..., in] to [..., out].
class BURN_API Linear {
public:
  /// Weight and bias start uniform in [-1/sqrt(in), 1/sqrt(in)).
  Linear(int64_t in, int64_t out, const LinearOptions &options = {}, Generator &generator = default_generator());

  Tensor forward(const Tensor &x, Where where = Where::current()) const;
  Tensor operator()(const Tensor &x, Where where = Where::current()) const { return forward(x, where); }
  void members(Visitor &v) { v("weight", weight), v("bias", bias); }

  /// f32 [out, in]
  Tensor weight;
  /// f32 [out], or not defined
  Tensor bias;
};

struct Conv2dOptions {
  Pair stride = 1;
  Pair padding = 0;
  Pair dilation = 1;
  int64_t groups = 1;
  bool bias = true;
};

/// 2-D convolution (cross-correlation) of x [batch, in, height, width] with zero padding.
class BURN_API Conv2d {
public:
  /// Weight and bias start uniform in [-1/sqrt(n), 1/sqrt(n)), n = in / groups * kernel height * kernel width.
  Conv2d(int64_t in, int64_t out, Pair kernel, const Conv2dOptions &options = {},
         Generator &generator = default_generator());

  Tensor forward(const Tensor &x, Where where = Where::current()) const;
  Tensor operator()(const Tensor &x, Where where = Where::current()) const { return forward(x, where); }
  void members(Visitor &v) { v("weight", weight), v("bias", bias); }

  /// f32 [out, in / groups, kernel height, kernel width]
  Tensor weight;
  /// f32 [out], or not defined
  Tensor bias;

private:
  Conv2dOptions options_;
};

struct BatchNormOptions {
  double eps = 1e-5;
  /// Weight of the batch in the running statistics.
  double momentum = 0.1;
};

/// Normalises each channel of x [batch, channels, height, width] over all else, then scales and shifts it: in training
/// by mean and variance of the batch, which also move the running statistics (there the variance is the unbiased one),
/// in evaluation by the running statistics.
class BURN_API BatchNorm2d {
public:
  explicit BatchNorm2d(int64_t channels, const BatchNormOptions &options = {});

  Tensor forward(const Tensor &x, Where where = Where::current());
  Tensor operator()(const Tensor &x, Where where = Where::current()) { return forward(x, where); }
  void members(Visitor &v) {
    v("weight", weight), v("bias", bias);
    v.buffer("running_mean", running_mean), v.buffer("running_var", running_var);
  }

  /// f32 [channels] each
  Tensor weight, bias, running_mean, running_var;
  bool training = true;

private:
  BatchNormOptions options_;
};

struct LayerNormOptions {
  double eps = 1e-5;
  /// Whether there are a weight and a bias.
  bool elementwise_affine = true;
  bool bias = true;
};

/// Normalisation over the last dimensions of x, which are `normalized_shape`.
class BURN_API LayerNorm {
public:
  explicit LayerNorm(Dims normalized_shape, const LayerNormOptions &options = {});

  Tensor forward(const Tensor &x, Where where = Where::current()) const;
  Tensor operator()(const Tensor &x, Where where = Where::current()) const { return forward(x, where); }
  void members(Visitor &v) { v("weight", weight), v("bias", bias); }

  /// f32 of the normalized shape, or not defined
  Tensor weight, bias;

private:
  Shape shape_;
  double eps_;
};

/// x / sqrt(mean(x^2) + eps) * weight over the last dimensions.
class BURN_API RMSNorm {
public:
  /// Without an eps it is the distance from 1 to the next number of the type computed in.
  explicit RMSNorm(Dims normalized_shape, std::optional<double> eps = std::nullopt);

  Tensor forward(const Tensor &x, Where where = Where::current()) const;
  Tensor operator()(const Tensor &x, Where where = Where::current()) const { return forward(x, where); }
  void members(Visitor &v) { v("weight", weight); }

  /// f32 of the normalized shape
  Tensor weight;

private:
  Shape shape_;
  std::optional<double> eps_;
};

/// Normalisation of groups of channels of x [batch, channels, ...], of each example by itself.
class BURN_API GroupNorm {
public:
  GroupNorm(int64_t num_groups, int64_t channels, double eps = 1e-5);

  Tensor forward(const Tensor &x, Where where = Where::current()) const;
  Tensor operator()(const Tensor &x, Where where = Where::current()) const { return forward(x, where); }
  void members(Visitor &v) { v("weight", weight), v("bias", bias); }

  /// f32 [channels] each
  Tensor weight, bias;

private:
  int64_t groups_;
  double eps_;
};

/// Rows of a table, by their numbers.
class BURN_API Embedding {
public:
  /// The table starts with normal numbers of mean 0 and variance 1, and zeros in row `padding_idx`, which is not
  /// trained.
  Embedding(int64_t rows, int64_t size, std::optional<int64_t> padding_idx = std::nullopt,
            Generator &generator = default_generator());

  /// [..., size] for indices [...]
  Tensor forward(const Tensor &indices, Where where = Where::current()) const;
  Tensor operator()(const Tensor &indices, Where where = Where::current()) const { return forward(indices, where); }
  void members(Visitor &v) { v("weight", weight); }

  /// f32 [rows, size]
  Tensor weight;

private:
  std::optional<int64_t> paddingIdx_;
};

/// Attention of several heads between projections of query [batch, queries, size], key and value [batch, keys, size].
class BURN_API MultiheadAttention {
public:
  /// The first projection starts uniform in [-a, a), a = sqrt(6 / (4 size)), all biases with 0.
  MultiheadAttention(int64_t size, int64_t num_heads, Generator &generator = default_generator());

  /// [batch, queries, size]; the mask as for scaled_dot_product_attention.
  Tensor forward(const Tensor &query, const Tensor &key, const Tensor &value, const Tensor &attn_mask = {},
                 bool is_causal = false, Where where = Where::current()) const;
  Tensor operator()(const Tensor &query, const Tensor &key, const Tensor &value, const Tensor &attn_mask = {},
                    bool is_causal = false, Where where = Where::current()) const {
    return forward(query, key, value, attn_mask, is_causal, where);
  }
  void members(Visitor &v) {
    v("in_proj_weight", in_proj_weight), v("in_proj_bias", in_proj_bias), v("out_proj", out_proj);
  }

  /// f32 [3 size, size] and [3 size]: the projections of query, key and value, one below the other
  Tensor in_proj_weight, in_proj_bias;
  Linear out_proj;

private:
  int64_t heads_;
};

/// In training sets each element to 0 with probability p and multiplies the others by 1 / (1 - p); in evaluation x.
class BURN_API Dropout {
public:
  /// `generator` must outlive the layer; without one the layer uses the generator of the calling thread.
  explicit Dropout(double p = 0.5, Generator *generator = nullptr);

  Tensor forward(const Tensor &x, Where where = Where::current()) const;
  Tensor operator()(const Tensor &x, Where where = Where::current()) const { return forward(x, where); }
  void members(Visitor &) {}

  bool training = true;

private:
  double p_;
  Generator *generator_;
};

struct MaxPool2dOptions {
  /// Not given: the size of the window.
  std::optional<Pair> stride = std::nullopt;
  Pair padding = 0;
  Pair dilation = 1;
  bool ceil_mode = false;
};

/// Largest element of each window of x [batch, channels, height, width].
class BURN_API MaxPool2d {
public:
  explicit MaxPool2d(Pair kernel, const MaxPool2dOptions &options = {}) : kernel_(kernel), options_(options) {}

  Tensor forward(const Tensor &x, Where where = Where::current()) const;
  Tensor operator()(const Tensor &x, Where where = Where::current()) const { return forward(x, where); }
  void members(Visitor &) {}

private:
  Pair kernel_;
  MaxPool2dOptions options_;
};

/// Joins the dimensions from `start` to `end` (negative: from the back) into one.
class BURN_API Flatten {
public:
  explicit Flatten(int64_t start = 1, int64_t end = -1) : start_(start), end_(end) {}

  Tensor forward(const Tensor &x, Where where = Where::current()) const;
  Tensor operator()(const Tensor &x, Where where = Where::current()) const { return forward(x, where); }
  void members(Visitor &) {}

private:
  int64_t start_, end_;
};

/// Activations as layers, for `Sequential`; as functions they stand in <burn/ops.h>.
class BURN_API ReLU {
public:
  Tensor forward(const Tensor &x, Where where = Where::current()) const;
  Tensor operator()(const Tensor &x, Where where = Where::current()) const { return forward(x, where); }
  void members(Visitor &) {}
};

class BURN_API GELU {
public:
  /// The exact form with erf, or its approximation with tanh.
  explicit GELU(GeluApproximate approximate = GeluApproximate::None) : approximate_(approximate) {}
  Tensor forward(const Tensor &x, Where where = Where::current()) const;
  Tensor operator()(const Tensor &x, Where where = Where::current()) const { return forward(x, where); }
  void members(Visitor &) {}

private:
  GeluApproximate approximate_;
};

class BURN_API Tanh {
public:
  Tensor forward(const Tensor &x, Where where = Where::current()) const;
  Tensor operator()(const Tensor &x, Where where = Where::current()) const { return forward(x, where); }
  void members(Visitor &) {}
};

class BURN_API Sigmoid {
public:
  Tensor forward(const Tensor &x, Where where = Where::current()) const;
  Tensor operator()(const Tensor &x, Where where = Where::current()) const { return forward(x, where); }
  void members(Visitor &) {}
};

/// A module that maps one tensor to one.
template <typename M>
concept Layer = Module<M> && requires(M &module, const Tensor &x) {
  { module.forward(x) } -> std::convertible_to<Tensor>;
};

/// Layers one after the other, named "0", "1" and so on.
class BURN_API Sequential {
public:
  template <typename... Layers>
    requires(Layer<Layers> && ...) && (sizeof...(Layers) > 0)
  explicit Sequential(Layers... layers) {
    (add(std::move(layers)), ...);
  }

  template <Layer L> void add(L layer) { parts_.push_back(std::make_unique<Part<L>>(std::move(layer))); }
  size_t size() const { return parts_.size(); }

  Tensor forward(const Tensor &x, Where where = Where::current());
  Tensor operator()(const Tensor &x, Where where = Where::current()) { return forward(x, where); }
  void members(Visitor &v);

private:
  struct AnyPart {
    virtual ~AnyPart() = default;
    virtual Tensor forward(const Tensor &x) = 0;
    virtual void visit(Visitor &v, std::string_view name) = 0;
  };
  template <Layer L> struct Part final : AnyPart {
    explicit Part(L layer) : layer(std::move(layer)) {}
    Tensor forward(const Tensor &x) override { return layer.forward(x); }
    void visit(Visitor &v, std::string_view name) override { v(name, layer); }
    L layer;
  };
  std::vector<std::unique_ptr<AnyPart>> parts_;
};

} // namespace burn::nn
