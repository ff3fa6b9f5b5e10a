#include "test/unit/frontend/TemporaryFolder.h"

#include "runtime/Memory/MemoryPool.h"

#include <burn/burn.h>

#include <cmath>
#include <string>

using namespace burn;
using Catch::Contains;

namespace {

/// One parameter w whose loss is sum(w * slope): its gradient is `slope`.
struct Line {
  Tensor w = tensor<double>({1.0, -2.0}).requires_grad_();
  void members(nn::Visitor &v) { v("w", w); }
};

std::vector<double> stepOnce(Line &line, optim::Optimizer &optimizer, std::vector<double> slope) {
  sum(line.w * tensor(slope)).backward();
  optimizer.step();
  optimizer.zero_grad();
  return line.w.to_vector<double>();
}

} // namespace

TEST_CASE("schedule: linear to the peak, half a cosine to 0", "[optim]") {
  const optim::WarmupCosine schedule{3e-3, 4, 14};
  CHECK(schedule(0) == Approx(0.75e-3));
  CHECK(schedule(3) == Approx(3e-3));
  CHECK(schedule(4) == Approx(3e-3));
  CHECK(schedule(9) == Approx(1.5e-3));
  CHECK(schedule(13) == Approx(1.5e-3 * (1 + std::cos(0.9 * 3.14159265358979))));
  CHECK(schedule(14) == Approx(0).margin(1e-18));
  CHECK(schedule(100) == Approx(0).margin(1e-18));
  CHECK(optim::WarmupCosine{1, 0, 2}(1) == Approx(0.5));
}

TEST_CASE("sgd: momentum and weight decay as PyTorch has them", "[optim]") {
  Line line;
  optim::Sgd optimizer(nn::named_parameters(line), {.lr = 0.1, .momentum = 0.9, .weight_decay = 0.5});
  // d = g + 0.5 w = {1.5, 0}, v = d, w -= 0.1 v
  std::vector<double> w = stepOnce(line, optimizer, {1, 1});
  CHECK(w[0] == Approx(0.85));
  CHECK(w[1] == Approx(-2));
  // d = {1.425, 0}, v = 0.9 * {1.5, 0} + d = {2.775, 0}
  w = stepOnce(line, optimizer, {1, 1});
  CHECK(w[0] == Approx(0.85 - 0.2775));
  CHECK(w[1] == Approx(-2));
}

TEST_CASE("adamw: decay of every parameter, or only of those that move towards zero", "[optim]") {
  // The first step moves by lr * g / (|g| + eps), whatever the gradient's size.
  {
    Line line;
    optim::AdamW optimizer(nn::named_parameters(line), {.lr = 0.1, .eps = 1e-12, .weight_decay = 0.5});
    const std::vector<double> w = stepOnce(line, optimizer, {3, 7});
    CHECK(w[0] == Approx(1 - 0.1 - 0.05));
    CHECK(w[1] == Approx(-2 - 0.1 + 0.1));
  }
  Line line;
  optim::AdamW optimizer(nn::named_parameters(line),
                         {.lr = 0.1, .eps = 1e-12, .weight_decay = 0.5, .cautious_weight_decay = true});
  const std::vector<double> w = stepOnce(line, optimizer, {3, 7});
  CHECK(w[0] == Approx(1 - 0.1 - 0.05)); // update and parameter agree in sign
  CHECK(w[1] == Approx(-2 - 0.1));       // they differ: no decay
}

TEST_CASE("optimizers: parameters without a gradient stay, the rate may change", "[optim]") {
  Line line;
  optim::Sgd optimizer(nn::named_parameters(line), {.lr = 0.1});
  optimizer.step();
  CHECK(line.w.to_vector<double>() == std::vector<double>{1, -2});
  optimizer.set_learning_rate(1);
  CHECK(stepOnce(line, optimizer, {1, 0}) == std::vector<double>{0, -2});
  CHECK(optimizer.steps() == 2);
  CHECK(line.w.requires_grad());
  CHECK(line.w.is_leaf());
}

TEST_CASE("optimizers: state goes on exactly, and a foreign one is refused", "[optim]") {
  Line line, resumed;
  optim::AdamW optimizer(nn::named_parameters(line)), other(nn::named_parameters(resumed));
  stepOnce(line, optimizer, {1, -3});
  nn::load_state_dict(resumed, nn::state_dict(line));
  other.load_state_dict(optimizer.state_dict());
  CHECK(stepOnce(line, optimizer, {2, 5}) == stepOnce(resumed, other, {2, 5}));

  nn::StateDict wrong = optimizer.state_dict();
  wrong.erase("exp_avg_sq.w");
  const nn::StateDict before = other.state_dict();
  CHECK_THAT(errorOf([&] { other.load_state_dict(wrong, "file"); }),
             Contains("file: ") && Contains("'exp_avg_sq.w' is missing"));
  wrong = optimizer.state_dict();
  wrong["exp_avg.w"] = HostArray(DType::F64, {3});
  CHECK_THAT(errorOf([&] { other.load_state_dict(wrong); }), Contains("f64[3], expected f64[2]"));
  wrong = optimizer.state_dict();
  wrong["more"] = HostArray(DType::F64, {3});
  CHECK_THAT(errorOf([&] { other.load_state_dict(wrong); }), Contains("4 entries, expected 3"));
  CHECK(other.state_dict() == before);
}

TEST_CASE("checkpoint: a run goes on bit for bit", "[train]") {
  const TemporaryFolder folder;
  struct Net {
    nn::Linear fc{4, 3};
    nn::Dropout dropout{0.5};
    void members(nn::Visitor &v) { v("fc", fc), v("dropout", dropout); }
  };
  const auto train = [](Net &net, optim::Optimizer &optimizer, int steps) {
    for (int i = 0; i < steps; ++i) {
      const Tensor x = tensor<float>({1, 2, 3, 4, -1, 0, 1, 2}, {2, 4});
      cross_entropy(net.dropout(net.fc(x)), tensor<int64_t>({0, 2})).backward();
      optimizer.step();
      optimizer.zero_grad();
    }
  };
  manual_seed(9);
  Net whole;
  optim::AdamW optimizer(nn::named_parameters(whole));
  train(whole, optimizer, 3);
  save_checkpoint(folder / "a", whole, optimizer, {{"step", "3"}});
  train(whole, optimizer, 4);
  save_checkpoint(folder / "b", whole, optimizer);

  manual_seed(1234);
  Net resumed;
  optim::AdamW other(nn::named_parameters(resumed));
  CHECK(load_checkpoint(folder / "a", resumed, other) == Metadata{{"step", "3"}});
  train(resumed, other, 4);
  save_checkpoint(folder / "c", resumed, other);
  CHECK(readBytes(folder / "b") == readBytes(folder / "c"));

  nn::Linear foreign(4, 3);
  optim::AdamW foreignOptimizer(nn::named_parameters(foreign));
  CHECK_THAT(errorOf([&] { load_checkpoint(folder / "a", foreign, foreignOptimizer); }),
             Contains((folder / "a").string()) && Contains("another model") && Contains("'weight' is missing"));
  save_safetensors(folder / "d", {nn::state_dict(foreign), {}});
  CHECK_THAT(errorOf([&] { load_checkpoint(folder / "d", foreign, foreignOptimizer); }), Contains("no checkpoint"));
}

TEST_CASE("adamw: two steps against the formula, and the decay that is not cautious is one op", "[optim]") {
  Line line;
  optim::AdamW optimizer(nn::named_parameters(line),
                         {.lr = 0.1, .beta1 = 0.8, .beta2 = 0.9, .eps = 1e-3, .weight_decay = 0.25});
  std::vector<double> w{1, -2}, m(2, 0), v(2, 0);
  for (int t = 1; t <= 2; ++t) {
    const std::vector<double> slope{3.0 * t, -0.5};
    const std::vector<double> next = stepOnce(line, optimizer, slope);
    for (size_t i = 0; i < 2; ++i) {
      m[i] = 0.8 * m[i] + 0.2 * slope[i];
      v[i] = 0.9 * v[i] + 0.1 * slope[i] * slope[i];
      const double first = m[i] / (1 - std::pow(0.8, t)), second = v[i] / (1 - std::pow(0.9, t));
      w[i] -= 0.1 * 0.25 * w[i] + 0.1 * first / (std::sqrt(second) + 1e-3);
      CHECK(next[i] == Approx(w[i]).epsilon(1e-13));
    }
  }
}

TEST_CASE("optim: where the state finds no memory, the error is at the user's line", "[optim]") {
  Line line;
  line.w = zeros({100000}, DType::F64);
  line.w.to_vector<double>();
  line.w.requires_grad_();
  runtime::MemoryPool &pool = runtime::hostMemory();
  pool.trim();
  const int64_t limit = pool.limit();
  pool.setLimit(static_cast<int64_t>(pool.stats().liveBytes) + 1000);
  uint32_t at = 0, expected = 0;
  std::string file;
  try {
    expected = __LINE__ + 1;
    optim::AdamW optimizer(nn::named_parameters(line));
  } catch (const Error &error) {
    CHECK(error.code() == ErrorCode::OutOfMemory);
    at = error.line();
    file = error.file();
  }
  pool.setLimit(limit);
  CHECK(at == expected);
  CHECK_THAT(file, Catch::Matchers::EndsWith("OptimTest.cpp"));
}
