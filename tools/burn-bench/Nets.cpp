#include "tools/burn-bench/Nets.h"

#include "examples/mnist/net.h"

#include <cmath>
#include <functional>
#include <stdexcept>

#include <fmt/format.h>

namespace burn::bench {
namespace {

struct EncoderLayer {
  nn::LayerNorm norm1{256}, norm2{256};
  nn::MultiheadAttention attention{256, 4};
  nn::Linear fc1{256, 1024}, fc2{1024, 256};

  void members(nn::Visitor &v) {
    v("norm1", norm1), v("attention", attention), v("norm2", norm2), v("fc1", fc1), v("fc2", fc2);
  }
  Tensor forward(const Tensor &x) {
    const Tensor normed = norm1(x);
    const Tensor y = x + attention(normed, normed, normed);
    return y + fc2(gelu(fc1(norm2(y))));
  }
};

// A transformer's encoder, norms in front of the layers.
struct Encoder {
  EncoderLayer layer0, layer1, layer2, layer3;

  void members(nn::Visitor &v) { v("layer0", layer0), v("layer1", layer1), v("layer2", layer2), v("layer3", layer3); }
  Tensor forward(const Tensor &x) { return layer3.forward(layer2.forward(layer1.forward(layer0.forward(x)))); }
};

// Matrices and kernels uniform in +-1 / sqrt(inputs of an output); biases 0, scales of norms 1.
void setParameters(const std::vector<nn::NamedTensor> &parameters) {
  for (const nn::NamedTensor &item : parameters) {
    const Shape shape = item.tensor->shape();
    std::vector<float> values(static_cast<size_t>(shape.numel()), item.name.ends_with("bias") ? 0.f : 1.f);
    if (shape.rank() > 1)
      values = formula(item.name, shape.numel(),
                       static_cast<float>(1 / std::sqrt(static_cast<double>(shape.numel() / shape[0]))));
    *item.tensor = tensor(values, shape);
    item.tensor->requires_grad_();
  }
}

Tensor dataTensor(std::string_view name, const Shape &shape) { return tensor(formula(name, shape.numel()), shape); }

Tensor labelTensor(int64_t count) {
  std::vector<int64_t> labels;
  for (const uint32_t hash : hashes("labels", count))
    labels.push_back(hash % 10);
  return tensor(labels);
}

template <typename Net> class NetStep final : public Step {
public:
  using Loss = std::function<Tensor(const Tensor &, const Tensor &)>;

  NetStep(Tensor input, Tensor target, Loss loss, bool trains)
      : input_(std::move(input)), target_(std::move(target)), loss_(std::move(loss)), trains_(trains),
        optimizer_(prepare(net_), {.lr = 1e-3, .eps = 1e-5, .weight_decay = 5e-5}) {
    if (!trains)
      nn::eval(net_);
    sync();
  }

  bool trains() const override { return trains_; }

  Tensor run() override {
    if (!trains_) {
      const NoGradGuard guard;
      return net_.forward(input_);
    }
    optimizer_.zero_grad();
    const Tensor loss = loss_(net_.forward(input_), target_);
    loss.backward();
    optimizer_.step();
    return loss;
  }

  Tensor forward() override {
    const NoGradGuard guard;
    return loss_(net_.forward(input_), target_);
  }

  Tensor gradient() override {
    optimizer_.zero_grad();
    const Tensor loss = loss_(net_.forward(input_), target_);
    loss.backward();
    return loss;
  }

  void withoutDropout() override {
    if constexpr (requires { net_.dropout; })
      net_.dropout.training = false;
  }

private:
  static std::vector<nn::NamedTensor> prepare(Net &net) {
    std::vector<nn::NamedTensor> parameters = nn::named_parameters(net);
    setParameters(parameters);
    return parameters;
  }

  Net net_;
  Tensor input_, target_;
  Loss loss_;
  bool trains_;
  optim::AdamW optimizer_;
};

template <typename Net>
std::unique_ptr<Step> classifier(std::string_view input, const Shape &shape, bool trains = true) {
  return std::make_unique<NetStep<Net>>(
      dataTensor(input, shape), labelTensor(shape[0]),
      [](const Tensor &logits, const Tensor &labels) { return cross_entropy(logits, labels); }, trains);
}

} // namespace

std::vector<uint32_t> hashes(std::string_view name, int64_t count) {
  uint32_t start = 2166136261u;
  for (const char letter : name)
    start = (start ^ static_cast<unsigned char>(letter)) * 16777619u;
  std::vector<uint32_t> result(static_cast<size_t>(count));
  for (size_t i = 0; i < result.size(); ++i) {
    uint32_t hash = start + static_cast<uint32_t>(i) * 0x9E3779B9u;
    hash = (hash ^ (hash >> 16)) * 0x85EBCA6Bu;
    hash = (hash ^ (hash >> 13)) * 0xC2B2AE35u;
    result[i] = hash ^ (hash >> 16);
  }
  return result;
}

std::vector<float> formula(std::string_view name, int64_t count, float bound) {
  std::vector<float> values;
  for (const uint32_t hash : hashes(name, count))
    values.push_back((static_cast<float>(hash >> 8) * 0x1p-23f - 1) * bound);
  return values;
}

const std::vector<std::string> &stepNames() {
  static const std::vector<std::string> names = {"mlp-64",   "mlp-1024", "mnist-64", "mnist-256", "mnist-inference-256",
                                                 "encoder-8"};
  return names;
}

std::unique_ptr<Step> makeStep(const std::string &name) {
  if (name == "mlp-64" || name == "mlp-1024")
    return classifier<Mlp>("rows", {name == "mlp-64" ? 64 : 1024, 784});
  if (name == "mnist-64" || name == "mnist-256" || name == "mnist-inference-256")
    return classifier<Net>("images", {name == "mnist-64" ? 64 : 256, 1, 28, 28}, name != "mnist-inference-256");
  if (name == "encoder-8")
    return std::make_unique<NetStep<Encoder>>(
        dataTensor("tokens", {8, 256, 256}), dataTensor("target", {8, 256, 256}),
        [](const Tensor &output, const Tensor &target) { return mse_loss(output, target); }, true);
  throw std::invalid_argument(fmt::format("no step {}", name));
}

} // namespace burn::bench
