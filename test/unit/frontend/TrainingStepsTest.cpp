// A small convolutional network trained for four steps, against PyTorch's f64 figures in test/data/training_steps.json.
#include "test/unit/frontend/Golden.h"

using namespace burn;
using nlohmann::json;

namespace {

struct Net {
  nn::Conv2d conv1{1, 6, 3, {.bias = false}};
  nn::BatchNorm2d bn1{6};
  nn::Conv2d conv2{6, 5, 3, {.bias = false}};
  nn::BatchNorm2d bn2{5};
  nn::Linear fc1{45, 12}, fc2{12, 12}, fc3{12, 10};

  void members(nn::Visitor &v) {
    v("conv1", conv1), v("bn1", bn1), v("conv2", conv2), v("bn2", bn2);
    v("fc1", fc1), v("fc2", fc2), v("fc3", fc3);
  }
  Tensor forward(const Tensor &images) {
    Tensor x = max_pool2d(relu(bn1(conv1(images))), 2);
    x = max_pool2d(relu(bn2(conv2(x))), 2);
    return fc3(gelu(fc2(gelu(fc1(x.flatten(1))))));
  }
};

/// Trains as the figures were made; `bound` is for what one step computes, `drift` for what four steps lead to.
void follow(DType dtype, double bound, double drift) {
  const json figures = golden::load("training_steps.json");
  Net net;
  nn::to(net, dtype);
  nn::StateDict initial;
  for (const auto &[name, value] : figures["initial"].items())
    initial.emplace(name, golden::array(value, dtype));
  nn::load_state_dict(net, initial);
  const json &settings = figures["adamw"];
  optim::AdamW optimizer(nn::named_parameters(net), {.lr = settings["lr"],
                                                     .beta1 = settings["betas"][0],
                                                     .beta2 = settings["betas"][1],
                                                     .eps = settings["eps"],
                                                     .weight_decay = settings["weight_decay"],
                                                     .cautious_weight_decay = true});
  const Tensor x = from_host(golden::array(figures["x"], dtype));
  const Tensor labels = tensor(figures["labels"].get<std::vector<int64_t>>());

  const json &steps = figures["steps"];
  for (size_t step = 0; step < steps.size(); ++step) {
    INFO("step " << step);
    const json &right = steps[step];
    const double limit = step == 0 ? bound : drift;
    const Tensor logits = net.forward(x);
    const Tensor loss = cross_entropy(logits, labels);
    loss.backward();
    CHECK(loss.item<double>() == Approx(right["loss"].get<double>()).epsilon(limit).margin(0));
    CHECK(golden::distance(logits, right["logits"]) < limit);
    if (right.contains("grads")) {
      for (const nn::NamedTensor &parameter : nn::named_parameters(net)) {
        INFO(parameter.name);
        CHECK(golden::distance(parameter.tensor->grad(), right["grads"][parameter.name]) < 10 * limit);
      }
    }
    for (const nn::NamedTensor &buffer : nn::named_buffers(net)) {
      INFO(buffer.name);
      CHECK(golden::distance(*buffer.tensor, right["running"][buffer.name]) < limit);
    }
    optimizer.step();
    optimizer.zero_grad();
  }
  for (const nn::NamedTensor &parameter : nn::named_parameters(net)) {
    INFO(parameter.name);
    CHECK(golden::distance(*parameter.tensor, figures["final"][parameter.name]) < drift);
  }
  nn::eval(net);
  const NoGradGuard guard;
  CHECK(golden::distance(net.forward(x), figures["eval_logits"]) < drift);
}

} // namespace

TEST_CASE("training steps in f64 follow PyTorch", "[train]") { follow(DType::F64, 1e-11, 1e-9); }

TEST_CASE("training steps in f32 follow PyTorch's f64 figures", "[train]") { follow(DType::F32, 2e-6, 1e-4); }
