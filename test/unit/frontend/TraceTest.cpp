// What is recorded, when it runs, and when it is compiled again.
#include "test/unit/frontend/Backends.h"

#include "frontend/Trace/Segment.h"
#include "frontend/Trace/TensorImpl.h"

#include <burn/burn.h>

#include <catch2/catch.hpp>

#include <thread>

using namespace burn;
using burn::test::FakeBackend;
using burn::test::SpyBackend;
using core::OpCode;

namespace {

int countOps(const core::Graph &graph, OpCode code) {
  int count = 0;
  for (const core::GraphOp &op : graph.ops)
    count += op.code == code;
  return count;
}

} // namespace

TEST_CASE("trace: an op sequence is compiled once, whatever the tensors and numbers are called") {
  SpyBackend spy;
  const auto step = [](const Tensor &x, const Tensor &y, float factor) { return (x + y) * factor; };
  const Tensor a = tensor({1.f, 2.f}), b = tensor({10.f, 20.f});
  CHECK(step(a, b, 2.f).to_vector<float>() == std::vector<float>{22, 44});
  CHECK(step(b, a, 3.f).to_vector<float>() == std::vector<float>{33, 66});
  CHECK(step(tensor({5.f, 6.f}), b, 1.f).to_vector<float>() == std::vector<float>{15, 26});
  REQUIRE(spy.graphs.size() == 1);
  CHECK(spy.graphs[0].args.size() == 3);
}

TEST_CASE("trace: numbers with equal values stay apart") {
  SpyBackend spy;
  const Tensor x = tensor({1.f, 2.f});
  const auto momentum = [&](float rate, float momentum) { return (x * rate + x * momentum).to_vector<float>(); };
  CHECK(momentum(2.f, 3.f) == std::vector<float>{5, 10});
  CHECK(momentum(2.f, 2.f) == std::vector<float>{4, 8});
  CHECK(momentum(0.f, 1.f) == std::vector<float>{1, 2});
  REQUIRE(spy.graphs.size() == 1);
  int scalars = 0;
  for (const core::GraphArg &arg : spy.graphs[0].args)
    scalars += arg.kind == core::ArgKind::Scalar;
  CHECK(scalars == 2);
}

TEST_CASE("trace: what the code depends on makes another program") {
  SpyBackend spy;
  const Tensor x = tensor({1.f, 2.f, 3.f, 4.f}, {2, 2}), y = tensor({1.f, 1.f, 1.f, 1.f}, {2, 2});
  (x + y).data();
  (x + x).data(); // one leaf
  (x - y).data(); // another op
  (x.sum(0)).data();
  (x.sum(1)).data();                            // another attribute
  (x.reshape({4}) + y.reshape({4})).data();     // other shapes
  (x.to(DType::F64) + y.to(DType::F64)).data(); // another type
  CHECK(spy.graphs.size() == 7);
  const Tensor held = x + y;
  const Tensor sum = held * held;
  sum.data(); // held is a result as well
  const Tensor squared = [&] { return (x + y).square(); }();
  squared.data();
  CHECK(spy.graphs.size() == 9);
  CHECK(spy.graphs[7].results.size() == 2);
  CHECK(spy.graphs[8].results.size() == 1);
}

TEST_CASE("trace: leaves are numbered by first use") {
  FakeBackend fake;
  const Tensor a = tensor({1.f}), b = tensor({2.f}), c = tensor({3.f});
  flush();
  const Tensor result = (c + a) * b + c;
  result.data();
  REQUIRE(fake.lastArguments.size() == 3);
  CHECK(fake.lastArguments[0] == c.data());
  CHECK(fake.lastArguments[1] == a.data());
  CHECK(fake.lastArguments[2] == b.data());
}

TEST_CASE("trace: only what somebody holds is computed") {
  SpyBackend spy;
  const Tensor x = tensor({1.f, 2.f});
  {
    const Tensor dropped = exp(x) * 3.f;
  }
  const Tensor kept = x + x;
  flush();
  REQUIRE(spy.graphs.size() == 1);
  CHECK(spy.graphs[0].ops.size() == 1);
  CHECK(kept.is_computed());
  {
    const Tensor dropped = log(x);
  }
  flush();
  CHECK(spy.graphs.size() == 1);
}

TEST_CASE("trace: a read runs everything that is recorded, at once") {
  SpyBackend spy;
  const Tensor x = tensor({1.f, 2.f});
  const Tensor a = x + 1.f, b = x * 2.f, c = a + b;
  CHECK_FALSE(a.is_computed());
  CHECK(c.to_vector<float>() == std::vector<float>{4, 7});
  CHECK(a.is_computed());
  CHECK(b.is_computed());
  CHECK(spy.graphs.size() == 1);
  CHECK(a.to_vector<float>() == std::vector<float>{2, 3});
  CHECK(spy.graphs.size() == 1);
}

TEST_CASE("trace: a leaf that only the trace holds is donated, and nothing else") {
  FakeBackend fake;
  Tensor x = tensor({1.f, 2.f});
  const Tensor other = tensor({3.f, 4.f});
  x = x + other;
  flush();
  REQUIRE(fake.graphs.size() == 1);
  CHECK(fake.graphs[0].args[0].donated);
  CHECK_FALSE(fake.graphs[0].args[1].donated);

  const Tensor second = x; // a second handle
  x = x + other;
  flush();
  REQUIRE(fake.graphs.size() == 2);
  CHECK_FALSE(fake.graphs[1].args[0].donated);
  CHECK(second.data() != x.data());

  const float values[16] = {1};
  alignas(64) static const float aligned[16] = {1};
  int deleted = 0;
  Tensor borrowed = from_blob(aligned, {16}, DType::F32, [&] { ++deleted; });
  CHECK(borrowed.data() == reinterpret_cast<const std::byte *>(aligned));
  borrowed = borrowed + from_data(values, {16}, DType::F32);
  flush();
  CHECK_FALSE(fake.graphs[2].args[0].donated);
  CHECK(fake.graphs[2].args[1].donated);
  CHECK(deleted == 1);
}

TEST_CASE("trace: results of two runs of a program do not share memory") {
  FakeBackend fake;
  const Tensor x = tensor({1.f, 2.f});
  const Tensor a = x + 1.f;
  flush();
  const Tensor b = x + 1.f;
  flush();
  CHECK(fake.graphs.size() == 1);
  CHECK(a.data() != b.data());
}

TEST_CASE("trace: after so many ops the program is cut") {
  FakeBackend fake;
  Tensor x = tensor({1.f});
  for (uint32_t i = 0; i <= trace::Trace::kMaxNodes; ++i)
    x = -x;
  REQUIRE(fake.graphs.size() == 1);
  CHECK(fake.graphs[0].ops.size() == trace::Trace::kMaxNodes);
  CHECK(trace::Segment::current().trace.size() == 1);
  flush();
}

TEST_CASE("trace: a program that cannot be compiled fails its results and leaves its inputs") {
  FakeBackend fake;
  const Tensor x = tensor({1.f, 2.f});
  fake.prepareError = core::Status::error(ErrorCode::Unsupported, "no kernel for this", {1});
  const Tensor a = x + x;
  const int line = __LINE__ + 1;
  const Tensor b = exp(a);
  try {
    b.data();
    FAIL("no error");
  } catch (const Error &error) {
    CHECK(error.code() == ErrorCode::Unsupported);
    CHECK(error.line() == static_cast<uint32_t>(line));
    CHECK_THAT(error.file(), Catch::Matchers::EndsWith("TraceTest.cpp"));
  }
  CHECK_THROWS_AS(a.data(), Error);
  CHECK_THROWS_AS(b + 1.f, Error);
  fake.prepareError = core::Status::ok();
  CHECK(x.to_vector<float>() == std::vector<float>{1, 2});
  CHECK_NOTHROW((x + x).data());
}

TEST_CASE("trace: where memory is short nothing is lost and the program can run later") {
  FakeBackend fake;
  Tensor x = tensor({1.f, 2.f});
  x = x + 1.f;
  fake.runError = core::Status::error(ErrorCode::OutOfMemory, "out of memory");
  CHECK_THROWS_AS(x.data(), Error);
  CHECK_THROWS_AS(x.data(), Error);
  fake.runError = core::Status::ok();
  CHECK_NOTHROW(x.data());
  CHECK(fake.graphs.size() == 1);
}

TEST_CASE("trace: a check that fails while a program runs fails its results") {
  FakeBackend fake;
  const Tensor x = tensor({1.f, 2.f});
  fake.runError = core::Status::error(ErrorCode::OutOfRange, "index 7 is outside", {0});
  fake.failsWhileRunning = true;
  const int line = __LINE__ + 1;
  const Tensor y = x * x;
  for (int i = 0; i < 2; ++i)
    try {
      y.data();
      FAIL("no error");
    } catch (const Error &error) {
      CHECK(error.code() == ErrorCode::OutOfRange);
      CHECK(error.line() == static_cast<uint32_t>(line));
    }
  CHECK(x.to_vector<float>() == std::vector<float>{1, 2});
}

TEST_CASE("trace: a tensor that another thread recorded runs that thread's program") {
  SpyBackend spy;
  const Tensor x = tensor({1.f, 2.f});
  const Tensor mine = x + 1.f;
  Tensor theirs;
  std::thread([&] {
    theirs = x * 10.f;
    const Tensor sum = theirs + mine; // runs the other thread's program
    CHECK(sum.to_vector<float>() == std::vector<float>{12, 23});
  }).join();
  CHECK(mine.is_computed());
  CHECK(theirs.to_vector<float>() == std::vector<float>{10, 20});

  Tensor left; // recorded by a thread that has ended
  std::thread([&] { left = x - 1.f; }).join();
  CHECK_FALSE(left.is_computed());
  CHECK(left.to_vector<float>() == std::vector<float>{0, 1});
}

TEST_CASE("trace: threads record and read each other's tensors at once") {
  SpyBackend spy;
  const Tensor x = tensor({1.f, 2.f, 3.f});
  std::vector<std::thread> threads;
  std::vector<Tensor> shared;
  for (int i = 0; i < 4; ++i)
    shared.push_back(x + static_cast<float>(i));
  std::atomic<int> wrong{0};
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int round = 0; round < 50; ++round) {
        const Tensor y = shared[static_cast<size_t>((t + round) % 4)] * 2.f;
        wrong += y.to_vector<float>()[0] != 2.f * (1.f + static_cast<float>((t + round) % 4));
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  CHECK(wrong == 0);
}

TEST_CASE("trace: a value that is returned unchanged costs nothing") {
  FakeBackend fake;
  const Tensor x = tensor({1.f, 2.f});
  CHECK(x.reshape({2}).is_same(x));
  CHECK(x.to(DType::F32).is_same(x));
  CHECK(x.expand({2}).is_same(x));
  CHECK(x.index({Slice()}).is_same(x));
  CHECK(trace::Segment::current().trace.empty());
}

TEST_CASE("trace: a multi-result op is one op with all its results") {
  FakeBackend fake;
  const Tensor x = zeros({4, 3, 2, 2}), scale = ones({3}), bias = zeros({3});
  const BatchNormResult norm = batch_norm(x, scale, bias);
  const Tensor mean = norm.mean + 1.f;
  flush();
  REQUIRE(fake.graphs.size() == 1);
  CHECK(countOps(fake.graphs[0], OpCode::BatchNorm) == 1);
  for (const core::GraphOp &op : fake.graphs[0].ops)
    if (op.code == OpCode::BatchNorm) {
      REQUIRE(op.results.size() == 3);
      CHECK(op.results[1].shape == Shape{3});
    }
}

TEST_CASE("trace: the canonical bytes of equal programs are equal") {
  FakeBackend fake;
  const auto record = [&](bool extra) {
    trace::setBackend(&fake); // forgets the programs in memory
    const Tensor a = tensor({1.f, 2.f}), b = tensor({1.f, 2.f});
    if (extra)
      (void)exp(b); // dead
    const Tensor c = a + b;
    flush();
    return core::serialize(fake.graphs.back());
  };
  CHECK(record(false) == record(true));
}
