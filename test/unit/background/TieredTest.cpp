// Programs that run op by op until their compile is done.
#include "frontend/Trace/Interpreted.h"
#include "runtime/Compiler/Plans.h"

#include <burn/burn.h>

#include <catch2/catch.hpp>

#include <atomic>
#include <thread>

using namespace burn;

namespace {

// Hands out programs of plans that the test finishes.
class PendingBackend : public trace::Backend {
public:
  PendingBackend() { trace::setBackend(this); }
  ~PendingBackend() override { trace::setBackend(nullptr); }

  core::Expected<std::shared_ptr<const trace::Program>> prepare(const core::Graph &graph) override {
    ++prepared;
    bytes = core::serialize(graph);
    pending = std::make_shared<runtime::PendingPlan>();
    return trace::makeTieredProgram(graph, pending);
  }

  void finish(core::Expected<runtime::PlanPointer> result) {
    pending->result = std::move(result);
    pending->isDone = true;
  }

  int prepared = 0;
  std::vector<std::byte> bytes;
  std::shared_ptr<runtime::PendingPlan> pending;
};

Tensor layer(const Tensor &x, const Tensor &w, double scale) { return relu(matmul(x, w) * scale + 1.0).sum(1); }

} // namespace

TEST_CASE("A program runs op by op, and its compiled code once that is there") {
  PendingBackend backend;
  const Tensor x = tensor(std::vector<float>{1, 2, 3, 4, 5, 6}, {2, 3});
  const Tensor w = tensor(std::vector<float>{1, -1, 0.5F, 2, -3, 0.25F}, {3, 2});
  // x w by hand: [1 + 1 - 9, -1 + 4 + .75], [4 + 2.5 - 18, -4 + 10 + 1.5].
  const auto check = [&] {
    const std::vector<float> values = layer(x, w, 2).to_vector<float>();
    CHECK(values[0] == std::max(0.F, 2 * -7.F + 1) + 2 * 3.75F + 1);
    CHECK(values[1] == std::max(0.F, 2 * -11.5F + 1) + 2 * 7.5F + 1);
  };
  check();
  check();
  CHECK(backend.prepared == 1);
  auto plan = runtime::planForGraph(backend.bytes, {});
  REQUIRE(plan);
  backend.finish(*plan);
  check();
  // Scalars have other places in compiled code.
  CHECK(layer(x, w, 0).to_vector<float>() == std::vector<float>{2, 2});
  CHECK(backend.prepared == 1);
}

TEST_CASE("The error of a compile in the background is raised by the next run, at its line, and the one after") {
  PendingBackend backend;
  const Tensor x = tensor(std::vector<float>{1, 2}, {2});
  const auto step = [&] { return (x + 1.0).to_vector<float>(); };
  CHECK(step() == std::vector<float>{2, 3});
  backend.finish(core::Status::error(ErrorCode::Unsupported, "too large for this processor", {0}));
  for (int i = 0; i < 2; ++i)
    try {
      step();
      FAIL("no error");
    } catch (const Error &error) {
      CHECK(error.code() == ErrorCode::Unsupported);
      CHECK(std::string(error.what()).find("too large for this processor") != std::string::npos);
      CHECK(std::string(error.what()).find("TieredTest.cpp") != std::string::npos);
    }
  CHECK(backend.prepared == 1);
  CHECK(x.to_vector<float>() == std::vector<float>{1, 2});
}

TEST_CASE("Checks of a program that runs op by op are raised at their line") {
  PendingBackend backend;
  const Tensor x = tensor(std::vector<float>{1, 2}, {2});
  const Tensor index = tensor(std::vector<int64_t>{5}, {1});
  try {
    x.index_select(0, index).to_vector<float>();
    FAIL("no error");
  } catch (const Error &error) {
    CHECK(error.code() == ErrorCode::OutOfRange);
    CHECK(std::string(error.what()).find("TieredTest.cpp") != std::string::npos);
  }
}

TEST_CASE("Gradients, loops and optimizers run op by op") {
  PendingBackend backend;
  Tensor w = tensor(std::vector<float>{3}, {1}).requires_grad_();
  Tensor loss = (w * w * w).sum();
  loss.backward();
  CHECK(w.grad().item<float>() == 27);
}

TEST_CASE("Threads run a program while its compile ends") {
  PendingBackend backend;
  const Tensor x = tensor(std::vector<float>{1, 2, 3}, {3});
  const auto step = [&] { return (x * 2.0 + 1.0).sum().item<float>(); };
  for (int round = 0; round < 20; ++round) {
    trace::setBackend(&backend); // forgets what was made before
    CHECK(step() == 15);
    std::atomic<int> begun{0}, wrong{0};
    std::atomic<bool> ends{false};
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; ++i)
      threads.emplace_back([&] {
        ++begun;
        while (!ends)
          wrong += step() != 15;
      });
    while (begun < 3)
      std::this_thread::yield();
    auto plan = runtime::planForGraph(backend.bytes, {});
    REQUIRE(plan);
    backend.finish(*plan);
    CHECK(step() == 15);
    ends = true;
    for (std::thread &thread : threads)
      thread.join();
    CHECK(wrong == 0);
  }
}
