#include "test/unit/frontend/GoldenFunctions.h"

namespace golden {

using namespace burn;

namespace {

template <typename Reduce> Function reduction(Reduce function) {
  return one([function](const Call &call) {
    return function(call["x"], call.dims("dim"), call.flag("keepdim"), Where::current());
  });
}

Reduction reductionOf(const Call &call) {
  const std::string name = call.attrs.value("reduction", "mean");
  return name == "mean" ? Reduction::Mean : name == "sum" ? Reduction::Sum : Reduction::None;
}

Table elementwise() {
  return {
      {"abs", unary(abs)},
      {"acos", unary(acos)},
      {"acosh", unary(acosh)},
      {"add", binary(add)},
      {"asin", unary(asin)},
      {"asinh", unary(asinh)},
      {"atan", unary(atan)},
      {"atan2", binary(atan2)},
      {"atanh", unary(atanh)},
      {"ceil", unary(ceil)},
      {"clamp", one([](const Call &c) { return clamp(c["x"], c.real("min"), c.real("max")); })},
      {"cos", unary(cos)},
      {"cosh", unary(cosh)},
      {"digamma", unary(digamma)},
      {"div", binary(div)},
      {"erf", unary(erf)},
      {"erfc", unary(erfc)},
      {"erfinv", unary(erfinv)},
      {"exp", unary(exp)},
      {"expm1", unary(expm1)},
      {"floor", unary(floor)},
      {"floor_divide", binary(floor_divide)},
      {"fmod", binary(fmod)},
      {"frac", unary(frac)},
      {"hypot", binary(hypot)},
      {"lerp", one([](const Call &c) { return lerp(c["a"], c["b"], c.real("weight")); })},
      {"lgamma", unary(lgamma)},
      {"log", unary(log)},
      {"log10", unary(log10)},
      {"log1p", unary(log1p)},
      {"log2", unary(log2)},
      {"maximum", binary(maximum)},
      {"minimum", binary(minimum)},
      {"mul", binary(mul)},
      {"neg", unary(neg)},
      {"pow",
       one([](const Call &c) { return c.has("exponent") ? pow(c["a"], c.real("exponent")) : pow(c["a"], c["b"]); })},
      {"reciprocal", unary(reciprocal)},
      {"remainder", binary(remainder)},
      {"round", unary(round)},
      {"rsqrt", unary(rsqrt)},
      {"sign", unary(sign)},
      {"sin", unary(sin)},
      {"sinh", unary(sinh)},
      {"sqrt", unary(sqrt)},
      {"square", unary(square)},
      {"sub", binary(sub)},
      {"tan", unary(tan)},
      {"tanh", unary(tanh)},
      {"trunc", unary(trunc)},
      {"where", one([](const Call &c) { return where(c["c"], c["a"], c["b"]); })},
  };
}

Table activations() {
  return {
      {"celu", one([](const Call &c) { return celu(c["x"], c.real("alpha")); })},
      {"elu", one([](const Call &c) { return elu(c["x"], c.real("alpha")); })},
      {"gelu", one([](const Call &c) {
         return gelu(c["x"], c.text("approximate") == "tanh" ? GeluApproximate::Tanh : GeluApproximate::None);
       })},
      {"glu", one([](const Call &c) { return glu(c["x"], c.integer("dim")); })},
      {"hardshrink", one([](const Call &c) { return hardshrink(c["x"], c.real("lambd")); })},
      {"hardsigmoid", unary(hardsigmoid)},
      {"hardswish", unary(hardswish)},
      {"hardtanh", one([](const Call &c) { return hardtanh(c["x"], c.real("min_val"), c.real("max_val")); })},
      {"leaky_relu", one([](const Call &c) { return leaky_relu(c["x"], c.real("negative_slope")); })},
      {"log_softmax", one([](const Call &c) { return log_softmax(c["x"], c.integer("dim")); })},
      {"logsigmoid", unary(logsigmoid)},
      {"mish", unary(mish)},
      {"prelu", one([](const Call &c) { return prelu(c["x"], c["w"]); })},
      {"relu", unary(relu)},
      {"relu6", unary(relu6)},
      {"selu", unary(selu)},
      {"sigmoid", unary(sigmoid)},
      {"silu", unary(silu)},
      {"softmax", one([](const Call &c) { return softmax(c["x"], c.integer("dim")); })},
      {"softplus", one([](const Call &c) { return softplus(c["x"], c.real("beta"), c.real("threshold")); })},
      {"softshrink", one([](const Call &c) { return softshrink(c["x"], c.real("lambd")); })},
      {"softsign", unary(softsign)},
      {"tanhshrink", unary(tanhshrink)},
      {"threshold", one([](const Call &c) { return threshold(c["x"], c.real("threshold"), c.real("value")); })},
  };
}

Table reductions() {
  return {
      {"amax", reduction(amax)},
      {"amin", reduction(amin)},
      {"argmax", one([](const Call &c) { return argmax(c["x"], c.integer("dim")); })},
      {"argmin", one([](const Call &c) { return argmin(c["x"], c.integer("dim")); })},
      {"logsumexp", reduction(logsumexp)},
      {"mean", reduction(mean)},
      {"prod", one([](const Call &c) { return prod(c["x"], c.integer("dim")); })},
      {"sum", reduction(sum)},
      {"var",
       one([](const Call &c) { return var(c["x"], c.dims("dim"), c.integer("correction"), c.flag("keepdim")); })},
      {"vector_norm", one([](const Call &c) { return vector_norm(c["x"], c.real("ord"), c.integer("dim")); })},
  };
}

// Values and indices along a dimension.
template <typename Pair> Results both(const Pair &pair) { return {pair.values, pair.indices}; }

ScatterReduction scatterReductionOf(const Call &call) {
  const std::string name = call.text("reduce");
  return name == "sum"    ? ScatterReduction::Sum
         : name == "prod" ? ScatterReduction::Prod
         : name == "mean" ? ScatterReduction::Mean
         : name == "amax" ? ScatterReduction::Amax
                          : ScatterReduction::Amin;
}

Table orders() {
  return {
      {"cummax", [](const Call &c) { return both(cummax(c["x"], c.integer("dim"))); }},
      {"cummin", [](const Call &c) { return both(cummin(c["x"], c.integer("dim"))); }},
      {"cumprod", one([](const Call &c) { return cumprod(c["x"], c.integer("dim")); })},
      {"cumsum", one([](const Call &c) { return cumsum(c["x"], c.integer("dim")); })},
      {"logcumsumexp", one([](const Call &c) { return logcumsumexp(c["x"], c.integer("dim")); })},
      {"median", [](const Call &c) { return both(median(c["x"], c.integer("dim"))); }},
      {"nonzero", one([](const Call &c) { return nonzero(c["x"]); })},
      {"scatter_reduce", one([](const Call &c) {
         return scatter_reduce(c["x"], c.integer("dim"), c["i"], c["s"], scatterReductionOf(c), c.flag("include_self"));
       })},
      {"sort", [](const Call &c) { return both(sort(c["x"], c.integer("dim"), c.flag("descending"))); }},
      {"topk", [](const Call &c) { return both(topk(c["x"], c.integer("k"), c.integer("dim"))); }},
  };
}

Tensor padded(const Call &c) {
  std::vector<int64_t> padding = c.dims("last_dim");
  if (c.has("second_last_dim"))
    for (const int64_t size : c.dims("second_last_dim"))
      padding.push_back(size);
  const std::string mode = c.text("mode");
  if (mode == "constant")
    return pad(c["x"], padding, c.real("value"));
  return pad(c["x"], padding,
             mode == "reflect"     ? PadMode::Reflect
             : mode == "replicate" ? PadMode::Replicate
                                   : PadMode::Circular);
}

Tensor sliced(const Call &c) {
  Tensor x = c["x"];
  const std::vector<int64_t> start = c.dims("start"), stop = c.dims("stop"), step = c.dims("step");
  for (size_t i = 0; i < start.size(); ++i)
    x = x.slice(static_cast<int64_t>(i), start[i], stop[i], step[i]);
  return x;
}

Table movements() {
  return {
      {"diagonal", one([](const Call &c) { return diagonal(c["x"], c.integer("offset")); })},
      {"flip", one([](const Call &c) { return flip(c["x"], c.dims("dims")); })},
      {"fold", one([](const Call &c) {
         return fold(c["x"], c.pair("output"), c.pair("kernel"), 1, c.pair("padding"), c.pair("stride"));
       })},
      {"gather", one([](const Call &c) { return gather(c["x"], c.integer("dim"), c["i"]); })},
      {"index_add",
       one([](const Call &c) { return index_add(c["x"], c.integer("dim"), c["i"], c["s"], c.real("alpha")); })},
      {"index_select", one([](const Call &c) { return index_select(c["x"], c.integer("dim"), c["i"]); })},
      {"one_hot", one([](const Call &c) { return one_hot(c["i"], c.integer("num_classes")); })},
      {"pad", one(padded)},
      {"permute", one([](const Call &c) { return permute(c["x"], c.dims("dims")); })},
      {"repeat_interleave",
       one([](const Call &c) { return repeat_interleave(c["x"], c.integer("repeats"), c.integer("dim")); })},
      {"roll", one([](const Call &c) { return roll(c["x"], c.dims("shifts"), c.dims("dims")); })},
      {"scatter", one([](const Call &c) { return scatter(c["x"], c.integer("dim"), c["i"], c["s"]); })},
      {"scatter_add", one([](const Call &c) { return scatter_add(c["x"], c.integer("dim"), c["i"], c["s"]); })},
      {"slice", one(sliced)},
      {"tile", one([](const Call &c) { return tile(c["x"], c.dims("repeats")); })},
      {"tril", one([](const Call &c) { return tril(c["x"], c.integer("diagonal")); })},
      {"triu", one([](const Call &c) { return triu(c["x"], c.integer("diagonal")); })},
      {"unfold", one([](const Call &c) {
         return unfold(c["x"], c.pair("kernel"), c.pair("dilation"), c.pair("padding"), c.pair("stride"));
       })},
  };
}

Tensor summedByEinstein(const Call &c) {
  std::vector<Tensor> tensors;
  for (size_t i = 0; i < c.inputs.size(); ++i)
    tensors.push_back(c["x" + std::to_string(i)]);
  return einsum(c.text("equation"), tensors);
}

Table products() {
  return {
      {"adaptive_avg_pool2d", one([](const Call &c) { return adaptive_avg_pool2d(c["x"], c.pair("output_size")); })},
      {"avg_pool2d", one([](const Call &c) {
         return avg_pool2d(c["x"], c.pair("kernel"), c.pair("stride"), c.pair("padding"), c.flag("ceil_mode"),
                           c.flag("count_include_pad"));
       })},
      {"conv1d", one([](const Call &c) {
         return conv1d(c["x"], c["w"], c["b"], c.integer("stride"), c.integer("padding"), c.integer("dilation"),
                       c.integer("groups"));
       })},
      {"conv2d", one([](const Call &c) {
         return conv2d(c["x"], c["w"], c["b"], c.pair("stride"), c.pair("padding"), c.pair("dilation"),
                       c.integer("groups"));
       })},
      {"conv3d", one([](const Call &c) {
         return conv3d(c["x"], c["w"], c["b"], c.integer("stride"), c.integer("padding"), c.integer("dilation"),
                       c.integer("groups"));
       })},
      {"conv_transpose1d", one([](const Call &c) {
         return conv_transpose1d(c["x"], c["w"], c["b"], c.integer("stride"), c.integer("padding"),
                                 c.integer("output_padding"), c.integer("groups"), c.integer("dilation"));
       })},
      {"conv_transpose2d", one([](const Call &c) {
         return conv_transpose2d(c["x"], c["w"], c["b"], c.pair("stride"), c.pair("padding"), c.pair("output_padding"),
                                 c.integer("groups"), c.pair("dilation"));
       })},
      {"cosine_similarity", one([](const Call &c) { return cosine_similarity(c["a"], c["b"], c.integer("dim")); })},
      {"einsum", one(summedByEinstein)},
      {"linear", one([](const Call &c) { return linear(c["x"], c["w"], c["b"]); })},
      {"matmul", one([](const Call &c) { return matmul(c["a"], c["b"]); })},
      {"max_pool1d", one([](const Call &c) {
         return max_pool1d(c["x"], c.integer("kernel"), c.integer("stride"), c.integer("padding"));
       })},
      {"max_pool2d", one([](const Call &c) {
         return max_pool2d(c["x"], c.pair("kernel"), c.pair("stride"), c.pair("padding"),
                           c.has("dilation") ? c.pair("dilation") : Pair(1), c.flag("ceil_mode"));
       })},
      {"max_pool3d", one([](const Call &c) {
         return max_pool3d(c["x"], c.integer("kernel"), Triple(c.integer("stride")), c.integer("padding"));
       })},
  };
}

Results batchNorm(const Call &c) {
  nn::BatchNorm2d layer(c["x"].size(1), {.eps = c.real("eps"), .momentum = c.real("momentum")});
  layer.weight = c["w"];
  layer.bias = c["b"];
  layer.running_mean = c["m"];
  layer.running_var = c["v"];
  layer.training = c.flag("training");
  const Tensor y = layer(c["x"]);
  if (layer.training)
    return {y, layer.running_mean, layer.running_var};
  return {y};
}

Tensor crossEntropy(const Call &c) {
  // Float targets are scores of the classes, whose probabilities take no gradient.
  const Tensor target = isFloat(c["t"].dtype()) ? softmax(c["t"], 1).detach() : c["t"];
  return cross_entropy(c["x"], target, c["w"], reductionOf(c), c.attrs.value("ignore_index", -100),
                       c.attrs.value("label_smoothing", 0.0));
}

Tensor attention(const Call &c) {
  AttentionOptions options;
  options.is_causal = c.attrs.value("causal", false);
  options.enable_gqa = true;
  return scaled_dot_product_attention(c["q"], c["k"], c["v"], c["m"], options);
}

Tensor resampled(const Call &c) {
  const std::map<std::string, InterpolateMode> modes{{"nearest", InterpolateMode::Nearest},
                                                     {"nearest-exact", InterpolateMode::NearestExact},
                                                     {"bilinear", InterpolateMode::Bilinear},
                                                     {"bicubic", InterpolateMode::Bicubic}};
  InterpolateOptions options;
  options.size = c.dims("size");
  options.mode = modes.at(c.text("mode"));
  options.align_corners = c.has("align_corners") && c.flag("align_corners");
  return interpolate(c["x"], options);
}

Table networks() {
  return {
      {"attention", one(attention)},
      {"batch_norm", batchNorm},
      {"binary_cross_entropy_with_logits",
       one([](const Call &c) { return binary_cross_entropy_with_logits(c["x"], c["t"], Tensor(), reductionOf(c)); })},
      {"cross_entropy", one(crossEntropy)},
      {"embedding", one([](const Call &c) { return embedding(c["i"], c["w"]); })},
      {"group_norm",
       one([](const Call &c) { return group_norm(c["x"], c.integer("num_groups"), c["w"], c["b"], c.real("eps")); })},
      {"instance_norm", one([](const Call &c) { return instance_norm(c["x"], c["w"], c["b"], c.real("eps")); })},
      {"interpolate", one(resampled)},
      {"layer_norm", one([](const Call &c) {
         return layer_norm(c["x"], c.dims("normalized_shape"), c["w"], c["b"], c.real("eps"));
       })},
      {"rms_norm",
       one([](const Call &c) { return rms_norm(c["x"], c.dims("normalized_shape"), c["w"], c.real("eps")); })},
      {"huber_loss", one([](const Call &c) { return huber_loss(c["x"], c["t"], reductionOf(c), c.real("delta")); })},
      {"kl_div",
       one([](const Call &c) { return kl_div(log_softmax(c["x"], 1), softmax(c["t"], 1), Reduction::BatchMean); })},
      {"l1_loss", one([](const Call &c) { return l1_loss(c["x"], c["t"], reductionOf(c)); })},
      {"mse_loss", one([](const Call &c) { return mse_loss(c["x"], c["t"], reductionOf(c)); })},
      {"nll_loss", one([](const Call &c) {
         return nll_loss(c["x"], c["t"], Tensor(), Reduction::Mean, c.integer("ignore_index"));
       })},
      {"smooth_l1_loss",
       one([](const Call &c) { return smooth_l1_loss(c["x"], c["t"], reductionOf(c), c.real("beta")); })},
  };
}

} // namespace

const Table &functions() {
  static const Table all = [] {
    Table table;
    for (Table family : {elementwise(), activations(), reductions(), orders(), movements(), products(), networks()})
      table.merge(family);
    return table;
  }();
  return all;
}

} // namespace golden
