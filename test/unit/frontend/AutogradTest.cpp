// Gradients through the tensor interface, against derivatives worked out by hand.
#include "test/unit/frontend/Backends.h"

#include "frontend/Autograd/History.h"
#include "frontend/Trace/TensorImpl.h"

#include <burn/burn.h>

#include <catch2/catch.hpp>

#include <thread>

using namespace burn;
using burn::test::SpyBackend;

namespace {

Tensor parameter(std::initializer_list<double> values) {
  Tensor result = tensor(values);
  result.requires_grad_();
  return result;
}

std::vector<double> values(const Tensor &tensor) { return tensor.to_vector<double>(); }
using Values = std::vector<double>;

} // namespace

TEST_CASE("backward: accumulates into the leaves until zero_grad") {
  SpyBackend spy;
  Tensor w = parameter({1, 2, 3}), b = parameter({4, 5, 6});
  CHECK_FALSE(w.grad().defined());
  (w * b).sum().backward();
  CHECK(values(w.grad()) == Values{4, 5, 6});
  CHECK(values(b.grad()) == Values{1, 2, 3});
  (w * 10.0).sum().backward();
  CHECK(values(w.grad()) == Values{14, 15, 16});
  CHECK(values(b.grad()) == Values{1, 2, 3});
  w.zero_grad();
  CHECK_FALSE(w.grad().defined());
  w.square().sum().backward();
  CHECK(values(w.grad()) == Values{2, 4, 6});
  CHECK_FALSE(w.grad().requires_grad());
}

TEST_CASE("backward: the value may be read before") {
  SpyBackend spy;
  Tensor w = parameter({1, 2, 3});
  const Tensor loss = (w * w * w).sum();
  CHECK(loss.item<double>() == 36);
  loss.backward();
  CHECK(values(w.grad()) == Values{3, 12, 27});

  // Inner values are read too, and the graph goes on from them.
  w.zero_grad();
  const Tensor y = w * w;
  CHECK(values(y) == Values{1, 4, 9});
  const Tensor z = (y * w).sum();
  CHECK(z.item<double>() == 36);
  const Tensor end = z * z;
  end.backward();
  CHECK(values(w.grad()) == Values{2 * 36 * 3, 2 * 36 * 12, 2 * 36 * 27});
}

TEST_CASE("backward: a read pins what gradients need, and backward lets it go") {
  test::FakeBackend fake;
  Tensor w = zeros({4});
  flush();
  w.requires_grad_();
  Tensor x = ones({4});
  flush();
  Tensor loss = (x * w).sum();
  trace::TensorImpl *input = trace::implOf(x);
  loss.data();
  CHECK(input->references == 2); // the handle and the history
  x = x + 1.f;
  flush();
  CHECK_FALSE(fake.graphs.back().args[0].donated);
  loss.backward();
  flush();
  CHECK_FALSE(trace::hasLiveHistory(*trace::implOf(loss)));
  CHECK(trace::implOf(w)->references == 1);

  // Without gradients nothing is kept.
  const NoGradGuard guard;
  loss = (x * w).sum();
  loss.data();
  CHECK(trace::implOf(x)->references == 1);
  CHECK_FALSE(loss.requires_grad());
}

TEST_CASE("backward: an unread graph lives as long as a result has a handle") {
  test::FakeBackend fake;
  Tensor w = zeros({4});
  flush();
  w.requires_grad_();
  {
    const Tensor y = w * 2.f;
    y.data();
    CHECK(trace::implOf(w)->references == 2);
  }
  CHECK(trace::implOf(w)->references == 1);
}

TEST_CASE("backward: a second one is an error unless the graph was retained") {
  SpyBackend spy;
  Tensor w = parameter({1, 2});
  const Tensor loss = w.square().sum();
  loss.backward(true);
  loss.backward();
  CHECK(values(w.grad()) == Values{4, 8});
  CHECK_THROWS_WITH(loss.backward(), Catch::Matchers::Contains("released by an earlier backward"));
  CHECK(loss.item<double>() == 5);
  CHECK_THROWS_WITH(loss.backward(), Catch::Matchers::Contains("released by an earlier backward"));
  CHECK_THROWS_WITH((loss * 2.0).backward(), Catch::Matchers::Contains("released by an earlier backward"));

  // The same where the value was read first.
  const Tensor read = w.square().sum();
  CHECK(read.item<double>() == 5);
  read.backward();
  CHECK_THROWS_WITH(read.backward(), Catch::Matchers::Contains("released by an earlier backward"));
  CHECK(values(w.grad()) == Values{6, 12});
}

TEST_CASE("backward: two losses of one forward pass") {
  SpyBackend spy;
  Tensor w = parameter({1, 2}), v = parameter({3, 4});
  const Tensor first = w.square().sum(), second = v.square().sum();
  CHECK(first.item<double>() == 5); // runs both
  first.backward();
  second.backward();
  CHECK(values(w.grad()) == Values{2, 4});
  CHECK(values(v.grad()) == Values{6, 8});
}

TEST_CASE("backward: from a gradient, for outputs that are no scalars") {
  SpyBackend spy;
  Tensor w = parameter({1, 2, 3});
  const Tensor y = w * w;
  CHECK_THROWS_WITH(y.backward(), Catch::Matchers::Contains("needs a gradient to start from"));
  y.backward(tensor({1.0, 10.0, 100.0}));
  CHECK(values(w.grad()) == Values{2, 40, 600});
  CHECK_THROWS_WITH((w * w).backward(tensor({1.0})), Catch::Matchers::Contains("[3], got [1]"));
}

TEST_CASE("backward: what requires no gradients is refused") {
  SpyBackend spy;
  const Tensor x = tensor({1.0, 2.0});
  CHECK_THROWS_WITH(x.sum().backward(), Catch::Matchers::Contains("does not require gradients"));
  Tensor i = tensor({1, 2});
  CHECK_THROWS_WITH(i.requires_grad_(), Catch::Matchers::Contains("only floats"));
}

TEST_CASE("no_grad and detach: no gradient flows through") {
  SpyBackend spy;
  Tensor w = parameter({1, 2, 3});
  Tensor constant;
  {
    const NoGradGuard guard;
    CHECK_FALSE(is_grad_enabled());
    constant = w * 2.0;
  }
  CHECK(is_grad_enabled());
  CHECK_FALSE(constant.requires_grad());
  (w * constant).sum().backward();
  CHECK(values(w.grad()) == Values{2, 4, 6});
  w.zero_grad();
  (w * w.square().detach()).sum().backward();
  CHECK(values(w.grad()) == Values{1, 4, 9});
  w.zero_grad();
  (w * w.detach()).sum().backward(); // of a computed tensor
  CHECK(values(w.grad()) == Values{1, 2, 3});
}

TEST_CASE("in place: a leaf stays a leaf under no_grad, and is protected outside") {
  SpyBackend spy;
  Tensor w = parameter({1, 2});
  CHECK_THROWS_WITH(w += 1.0, Catch::Matchers::Contains("NoGradGuard"));
  for (int step = 0; step < 3; ++step) {
    w.zero_grad();
    w.square().sum().backward();
    const NoGradGuard guard;
    w -= w.grad() * 0.25; // halves it
    CHECK(w.requires_grad());
    CHECK(w.is_leaf());
  }
  CHECK(values(w) == Values{0.125, 0.25});
  CHECK(values(w.grad()) == Values{0.5, 1});

  // The new value is its own: gradients by it do not reach through to the old one.
  const Tensor old = w;
  {
    const NoGradGuard guard;
    w *= 2.0;
  }
  const std::vector<Tensor> gradients = grad((w * w).sum(), {w, old});
  CHECK(values(gradients[0]) == Values{0.5, 1});
  CHECK(values(gradients[1]) == Values{0, 0});

  Tensor x = tensor({1.f, 2.f});
  const Tensor before = x;
  x += 1;
  x.mul_(x);
  x.index_put_({0}, 7);
  CHECK(x.to_vector<float>() == std::vector<float>{7, 9});
  CHECK(before.to_vector<float>() == std::vector<float>{1, 2});
  Tensor i = tensor({1, 2});
  CHECK_THROWS_AS(i += 0.5, Error);
  CHECK_THROWS_AS(x += tensor({1.f, 2.f, 3.f}), Error);
  CHECK(i.to_vector<int>() == std::vector<int>{1, 2});
}

TEST_CASE("backward: a leaf that was changed in place after its use is an error, and no gradient is lost unseen") {
  SpyBackend spy;
  for (const bool isRead : {false, true}) {
    Tensor w = parameter({1, 2});
    const Tensor loss = w.square().sum();
    if (isRead)
      CHECK(loss.item<double>() == 5);
    {
      const NoGradGuard guard;
      w += 1.0;
    }
    CHECK_THROWS_WITH(loss.backward(), Catch::Matchers::Contains("changed in place after it was used"));
    CHECK_FALSE(w.grad().defined());
    w.square().sum().backward(); // the new value is fine
    CHECK(values(w.grad()) == Values{4, 6});
  }
}

TEST_CASE("backward: through many thousand values that were read one by one") {
  SpyBackend spy;
  Tensor w = parameter({1});
  Tensor x = w * 1.0;
  constexpr int steps = 20000;
  for (int i = 0; i < steps; ++i) {
    x = x + w;
    if (i % 2)
      x.data();
  }
  x.sum().backward();
  CHECK(values(w.grad()) == Values{steps + 1.0});
}

TEST_CASE("grad: by leaves and inner values, and again") {
  SpyBackend spy;
  Tensor x = parameter({1, 2, 3});
  const Tensor y = x * x;
  const Tensor z = (y * x).sum();
  const std::vector<Tensor> first = grad(z, {x, y});
  CHECK(values(first[0]) == Values{3, 12, 27}); // 3 x^2
  CHECK(values(first[1]) == Values{1, 2, 3});   // x
  CHECK_FALSE(x.grad().defined());
  const Tensor second = grad(first[0].sum(), x);
  CHECK(values(second) == Values{6, 12, 18}); // 6 x
  CHECK(values(grad(second.sum(), x)) == Values{6, 6, 6});
  // Nothing was released.
  CHECK(values(grad(z, x)) == Values{3, 12, 27});
}

TEST_CASE("grad: equal values are told apart") {
  SpyBackend spy;
  Tensor x = parameter({2});
  const Tensor a = x * 3.0, b = x * 3.0;
  CHECK(values(grad((a * b).sum(), a)) == Values{6}); // b, not 2a
}

TEST_CASE("backward: dropout draws the same mask when it is recorded again") {
  SpyBackend spy;
  Tensor x = ones({64}, DType::F64);
  flush();
  x.requires_grad_();
  Generator generator(3);
  const Tensor y = dropout(x, 0.5, true, &generator);
  const Tensor loss = y.sum();
  const Values forward = values(y);
  loss.backward();
  CHECK(values(x.grad()) == forward); // both 0 or 2
}

TEST_CASE("backward: an error names the call and leaves everything usable") {
  SpyBackend spy;
  Tensor w = parameter({1, 2});
  const Tensor loss = (w * w).sum();
  const uint32_t line = __LINE__ + 2;
  try {
    (w * w).backward();
    FAIL("no error");
  } catch (const Error &error) {
    CHECK(error.line() == line);
    CHECK(error.code() == ErrorCode::InvalidArgument);
  }
  loss.backward();
  CHECK(values(w.grad()) == Values{2, 4});
}

TEST_CASE("backward: threads that share a leaf lose no gradient") {
  SpyBackend spy;
  constexpr int kThreads = 8, kRounds = 20;
  Tensor leaf = tensor({1.f, 2.f});
  leaf.requires_grad_();
  leaf.data();
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&] {
      for (int round = 0; round < kRounds; ++round)
        sum(leaf * tensor({1.f, 3.f})).backward();
    });
  for (std::thread &thread : threads)
    thread.join();
  CHECK(leaf.grad().to_vector<float>() == std::vector<float>{kThreads * kRounds, 3 * kThreads * kRounds});
}
