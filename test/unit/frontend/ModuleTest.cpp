#include "test/unit/frontend/TemporaryFolder.h"

#include <burn/burn.h>

#include <algorithm>
#include <cmath>

using namespace burn;
using Catch::Contains;

namespace {

struct Block {
  nn::Linear inner{3, 2};
  nn::BatchNorm2d norm{4};
  nn::Dropout dropout{0.5};
  void members(nn::Visitor &v) { v("inner", inner), v("norm", norm), v("dropout", dropout); }
};

struct Net {
  Block block;
  nn::Sequential head{nn::Linear(2, 5, {.bias = false}), nn::ReLU(), nn::Linear(5, 1)};
  void members(nn::Visitor &v) { v("block", block), v("head", head); }
};

std::vector<std::string> namesOf(const std::vector<nn::NamedTensor> &tensors) {
  std::vector<std::string> names;
  for (const nn::NamedTensor &item : tensors)
    names.push_back(item.name);
  return names;
}

} // namespace

TEST_CASE("modules: names of parameters and buffers are PyTorch's", "[nn]") {
  Net net;
  CHECK(namesOf(nn::named_parameters(net)) ==
        std::vector<std::string>{"block.inner.weight", "block.inner.bias", "block.norm.weight", "block.norm.bias",
                                 "head.0.weight", "head.2.weight", "head.2.bias"});
  CHECK(namesOf(nn::named_buffers(net)) ==
        std::vector<std::string>{"block.norm.running_mean", "block.norm.running_var"});
  for (const nn::NamedTensor &parameter : nn::named_parameters(net))
    CHECK(parameter.tensor->requires_grad());
  for (const nn::NamedTensor &buffer : nn::named_buffers(net))
    CHECK_FALSE(buffer.tensor->requires_grad());
}

TEST_CASE("modules: train and eval reach every part", "[nn]") {
  Net net;
  nn::eval(net);
  CHECK_FALSE(net.block.norm.training);
  CHECK_FALSE(net.block.dropout.training);
  nn::train(net);
  CHECK(net.block.norm.training);
  CHECK(net.block.dropout.training);
}

TEST_CASE("modules: first values are uniform within PyTorch's bound and follow from the generator", "[nn]") {
  Generator first(5), same(5), other(6);
  const nn::Linear layer(100, 300, {}, first);
  CHECK(layer.weight.shape() == Shape{300, 100});
  std::vector<float> values = layer.weight.to_vector<float>();
  CHECK(*std::ranges::max_element(values) < 0.1f);
  CHECK(*std::ranges::max_element(values) > 0.0999f);
  CHECK(*std::ranges::min_element(values) >= -0.1f);
  CHECK(*std::ranges::min_element(values) < -0.0999f);
  double sum = 0, squares = 0;
  for (const float value : values) {
    sum += value;
    squares += value * value;
  }
  // Variance of a uniform number in [-b, b): b^2 / 3. Five standard deviations of 30,000 samples.
  CHECK(std::abs(sum / 30000) < 5 * 0.1 / std::sqrt(3.0 * 30000));
  CHECK(squares / 30000 == Approx(0.01 / 3).epsilon(0.03));
  CHECK(nn::Linear(100, 300, {}, same).weight.to_vector<float>() == values);
  CHECK(nn::Linear(100, 300, {}, other).weight.to_vector<float>() != values);
  CHECK(nn::Linear(100, 300, {}, first).weight.to_vector<float>() != values);

  const nn::Conv2d conv(4, 8, {3, 2}, {.groups = 2}, first);
  CHECK(conv.weight.shape() == Shape{8, 2, 3, 2});
  for (const float value : conv.weight.to_vector<float>())
    CHECK(std::abs(value) <= 1 / std::sqrt(12.0f));
  CHECK_THAT(errorOf([] { nn::Conv2d(3, 8, 3, {.groups = 2}); }), Contains("groups"));
}

TEST_CASE("modules: state survives a file, and the state of another model is refused whole", "[nn]") {
  const TemporaryFolder folder;
  manual_seed(1);
  Net net, copy;
  save_safetensors(folder / "net.safetensors", {nn::state_dict(net), {}});
  const nn::StateDict state = load_safetensors(folder / "net.safetensors").tensors;
  nn::load_state_dict(copy, state, "net.safetensors");
  CHECK(nn::state_dict(copy) == state);
  CHECK(copy.head.size() == 3);
  CHECK(nn::named_parameters(copy)[0].tensor->requires_grad());

  nn::StateDict wrong = state;
  wrong.erase("head.0.weight");
  wrong["extra"] = HostArray(DType::F32, {1});
  wrong["block.inner.bias"] = HostArray(DType::F32, {3});
  wrong["block.norm.bias"] = HostArray(DType::F64, {4});
  const std::string message = errorOf([&] { nn::load_state_dict(copy, wrong, "wrong.safetensors"); });
  CHECK_THAT(message, Contains("wrong.safetensors: holds the state of another model"));
  CHECK_THAT(message, Contains("'head.0.weight' is missing"));
  CHECK_THAT(message, Contains("'extra' is not in the model"));
  CHECK_THAT(message, Contains("'block.inner.bias' is f32[3], the model has f32[2]"));
  CHECK_THAT(message, Contains("'block.norm.bias' is f64[4], the model has f32[4]"));
  CHECK(nn::state_dict(copy) == state);
}

TEST_CASE("batch norm: training normalises by the batch and moves the running statistics", "[nn]") {
  nn::BatchNorm2d norm(2);
  // Channel 0 holds 1, 2, 3, 4: mean 2.5, variance 1.25 biased, 5/3 unbiased. Channel 1 holds 0, 0, 0, 4.
  const Tensor x = tensor<float>({1, 2, 3, 4, 0, 0, 0, 4}, {1, 2, 2, 2});
  const std::vector<float> y = norm(x).to_vector<float>();
  CHECK(y[0] == Approx(-1.5 / std::sqrt(1.25001)).epsilon(1e-6));
  CHECK(y[7] == Approx(3 / std::sqrt(3.00001)).epsilon(1e-6));
  const std::vector<float> mean = norm.running_mean.to_vector<float>(), variance = norm.running_var.to_vector<float>();
  CHECK(mean[0] == Approx(0.25));
  CHECK(mean[1] == Approx(0.1));
  CHECK(variance[0] == Approx(0.9 + 0.1 * 5 / 3));
  CHECK(variance[1] == Approx(0.9 + 0.1 * 4));
  nn::eval(norm);
  const std::vector<float> z = norm(x).to_vector<float>();
  CHECK(z[3] == Approx((4 - 0.25) / std::sqrt(0.9 + 0.5 / 3 + 1e-5)).epsilon(1e-6));
  CHECK(norm.running_mean.to_vector<float>() == mean);
  nn::train(norm);
  CHECK_THAT(errorOf([&] { norm(tensor<float>({1, 2}, {1, 2, 1, 1})); }), Contains("more than one value per channel"));
}

TEST_CASE("dropout: drops and scales in training only", "[nn]") {
  manual_seed(3);
  nn::Dropout dropout(0.25);
  const Tensor x = ones({10000});
  int64_t zeros = 0;
  for (const float value : dropout(x).to_vector<float>()) {
    CHECK((value == 0.0f || value == 1.0f / 0.75f));
    zeros += value == 0.0f;
  }
  CHECK(std::abs(zeros - 2500) < 5 * 43.3); // sqrt(10000 * 0.25 * 0.75)
  nn::eval(dropout);
  CHECK(dropout(x).to_vector<float>() == std::vector<float>(10000, 1.0f));
  CHECK_THAT(errorOf([] { nn::Dropout(1.5); }), Contains("[0, 1]"));
}

TEST_CASE("modules: norms, embeddings and attention", "[nn]") {
  struct Parts {
    nn::LayerNorm layer{8};
    nn::RMSNorm rms{8};
    nn::GroupNorm group{2, 4};
    nn::Embedding table{50, 8, 3};
    nn::MultiheadAttention attention{8, 2};
    void members(nn::Visitor &v) {
      v("layer", layer), v("rms", rms), v("group", group), v("table", table), v("attention", attention);
    }
  } parts;
  CHECK(namesOf(nn::named_parameters(parts)) ==
        std::vector<std::string>{"layer.weight", "layer.bias", "rms.weight", "group.weight", "group.bias",
                                 "table.weight", "attention.in_proj_weight", "attention.in_proj_bias",
                                 "attention.out_proj.weight", "attention.out_proj.bias"});
  const std::vector<float> table = parts.table.weight.to_vector<float>();
  double sum = 0, squares = 0;
  for (float x : table)
    sum += x, squares += double(x) * x;
  CHECK(std::fabs(sum / 392) < 0.2);
  CHECK(squares / 392 == Approx(1).margin(0.3));
  CHECK(table[3 * 8 + 5] == 0);
  const Tensor x = parts.layer(parts.table(tensor<int64_t>({1, 3, 2, 2}).reshape({2, 2})));
  const Tensor y = parts.attention(x, x, x, {}, true);
  CHECK(y.shape() == Shape{2, 2, 8});
  // The first query sees itself alone: its value, projected.
  const Tensor value = linear(x, parts.attention.in_proj_weight.narrow(0, 16, 8));
  const std::vector<float> want = parts.attention.out_proj(value).to_vector<float>(), got = y.to_vector<float>();
  for (size_t i = 0; i < 8; ++i)
    CHECK(got[i] == Approx(want[i]).margin(1e-6));
  burn::sum(y * y).backward();
  CHECK(parts.attention.in_proj_weight.grad().defined());
  CHECK_THROWS_AS(nn::MultiheadAttention(8, 3), Error);
  CHECK_THROWS_AS(nn::GroupNorm(3, 4), Error);
}
