#include "CacheFixture.h"

#include "runtime/Parallel/ThreadPool.h"

#include <cstring>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include <catch2/catch.hpp>

using namespace burn::runtime;
using namespace burn::runtime::test;
using burn::DType;
using burn::core::ArgKind;
using burn::core::ErrorCode;
using burn::core::Plan;
using burn::core::ResultSource;
using burn::core::Status;

namespace {

PlanPointer load(const Plan &plan, const std::string &fixture = "AddOne") {
  auto loaded = LoadedPlan::load(std::move(*memoryFile(readFile(fixturePath(fixture)))), burn::core::serialize(plan));
  REQUIRE(loaded);
  return *loaded;
}

BufferRef filled(float value, size_t bytes = 4000) {
  BufferRef buffer = std::move(*Buffer::allocate(bytes));
  for (size_t i = 0; i < bytes / 4; ++i)
    static_cast<float *>(buffer->data())[i] = value;
  return buffer;
}

float first(const BufferRef &buffer) { return *static_cast<const float *>(buffer->data()); }

Plan donatingPlan() {
  Plan plan = addPlan();
  plan.args[0].donated = true;
  plan.results[0] = {plan.args[0].type, ResultSource::Donated, 0};
  return plan;
}

} // namespace

TEST_CASE("a plan runs into a fresh result", "[plan]") {
  const PlanPointer plan = load(addPlan());
  CHECK(plan->prepare() == nullptr);
  CHECK(load(addPlan(), "AddTwo")->prepare() != nullptr);
  BufferRef x = filled(4), y;
  REQUIRE(plan->execute({&x, 1}, nullptr, {&y, 1}));
  CHECK(first(y) == 5);
  CHECK(x->useCount() == 1);
  CHECK(y->useCount() == 1);
  CHECK(first(x) == 4);
}

#if defined(__x86_64__)
TEST_CASE("a plan keeps subnormals whatever the host thread has set", "[plan]") {
  Plan plan = addPlan();
  plan.args.push_back({{DType::F32, {}}, ArgKind::Scalar, false, 0, "scale"});
  plan.scalarBytes = 4;
  const PlanPointer loaded = load(plan);
  const float scale = 1e-40f;
  const uint32_t flushToZero = 0x1f80 | 0x8040; // FTZ and DAZ
  for (int threads : {1, 2}) {
    burn::set_num_threads(threads);
    BufferRef x = filled(0), y;
    const uint32_t before = _mm_getcsr();
    _mm_setcsr(flushToZero);
    const Status status = loaded->execute({&x, 1}, &scale, {&y, 1});
    const uint32_t after = _mm_getcsr();
    _mm_setcsr(before);
    REQUIRE(status);
    CHECK(after == flushToZero);
    int wrong = 0;
    for (int i = 0; i < 1000; ++i)
      wrong += std::memcmp(static_cast<const float *>(y->data()) + i, &scale, 4) != 0;
    CHECK(wrong == 0);
  }
  burn::set_num_threads(defaultThreads());
}
#endif

TEST_CASE("a plan gets its scalars and its arena", "[plan]") {
  Plan plan = addPlan();
  plan.args.insert(plan.args.begin(), {{DType::F32, {}}, ArgKind::Scalar, false, 0, "scale"});
  plan.scalarBytes = 4;
  plan.arenaBytes = 256;
  const PlanPointer loaded = load(plan);
  CHECK(loaded->bufferCount() == 1);
  const float scale = 3;
  BufferRef x = filled(4), y;
  const auto before = hostMemory().stats();
  REQUIRE(loaded->execute({&x, 1}, &scale, {&y, 1}));
  CHECK(first(y) == 7);
  CHECK(hostMemory().stats().allocations == before.allocations + 2);
  CHECK(hostMemory().stats().liveBytes == before.liveBytes + 4000);
}

TEST_CASE("a donated argument becomes the result", "[plan]") {
  const PlanPointer plan = load(donatingPlan());
  BufferRef x = filled(4), y;
  const void *memory = x->data();
  REQUIRE(plan->execute({&x, 1}, nullptr, {&y, 1}));
  CHECK(!x);
  CHECK(y->data() == memory);
  CHECK(first(y) == 5);
  CHECK(y->useCount() == 1);
}

TEST_CASE("a donated argument with another holder, frozen or borrowed is copied", "[plan]") {
  const PlanPointer plan = load(donatingPlan());
  BufferRef held = filled(4);
  BufferRef x = held, y;
  REQUIRE(plan->execute({&x, 1}, nullptr, {&y, 1}));
  CHECK(first(held) == 4);
  CHECK(first(y) == 5);
  CHECK(!x);

  x = filled(6);
  x->freeze();
  const Buffer *frozen = x.get();
  REQUIRE(plan->execute({&x, 1}, nullptr, {&y, 1}));
  CHECK(y.get() != frozen);
  CHECK(first(y) == 7);

  alignas(64) static float data[1000] = {8};
  x = std::move(*Buffer::borrow(data, sizeof data, nullptr));
  REQUIRE(plan->execute({&x, 1}, nullptr, {&y, 1}));
  CHECK(data[0] == 8);
  CHECK(first(y) == 9);
}

TEST_CASE("a result may be an argument or an earlier result", "[plan]") {
  Plan plan = addPlan();
  plan.results.push_back({plan.args[0].type, ResultSource::Arg, 0});
  plan.results.push_back({plan.args[0].type, ResultSource::Result, 0});
  const PlanPointer loaded = load(plan);
  BufferRef x = filled(1), results[3];
  REQUIRE(loaded->execute({&x, 1}, nullptr, results));
  CHECK(results[1].get() == x.get());
  CHECK(results[2].get() == results[0].get());
}

TEST_CASE("a failing check poisons what the step would have made", "[plan]") {
  const PlanPointer plan = load(donatingPlan());
  BufferRef x = filled(-1), y;
  const Status status = plan->execute({&x, 1}, nullptr, {&y, 1});
  REQUIRE(!status);
  CHECK(status.code() == ErrorCode::OutOfRange);
  CHECK(status.message() == "x is negative");
  CHECK(status.locations() == std::vector<uint32_t>{9});
  CHECK(!x);
  REQUIRE(y);
  REQUIRE(y->poisonError());
  CHECK(y->poisonError()->message() == "x is negative");

  // A poisoned input is the same error.
  BufferRef z;
  const Status again = load(addPlan())->execute({&y, 1}, nullptr, {&z, 1});
  CHECK(again.message() == "x is negative");
  CHECK(!z);
}

TEST_CASE("a failing check leaves arguments that are not donated sound", "[plan]") {
  Plan plan = addPlan();
  plan.results.push_back({plan.args[0].type, ResultSource::Arg, 0});
  BufferRef x = filled(-1), results[2];
  CHECK(!load(plan)->execute({&x, 1}, nullptr, results));
  CHECK(x->poisonError() == nullptr);
  CHECK(results[0]->poisonError() != nullptr);
}

TEST_CASE("running out of memory leaves everything as it was", "[plan]") {
  Plan plan = donatingPlan();
  plan.arenaBytes = 1 << 20;
  plan.results.push_back({plan.args[0].type, ResultSource::Fresh, 0});
  const PlanPointer loaded = load(plan);
  BufferRef x = filled(4), results[2];
  const auto before = hostMemory().stats();
  const int64_t limit = hostMemory().limit();
  // The result fits, the arena does not; then neither does.
  for (const int64_t room : {10000, 100}) {
    hostMemory().setLimit(before.liveBytes + room);
    const Status status = loaded->execute({&x, 1}, nullptr, results);
    hostMemory().setLimit(limit);
    REQUIRE(!status);
    CHECK(status.code() == ErrorCode::OutOfMemory);
    REQUIRE(x);
    CHECK(x->canDonate());
    CHECK(x->poisonError() == nullptr);
    CHECK(!results[0]);
    CHECK(hostMemory().stats().liveBytes == before.liveBytes);
  }
}

TEST_CASE("wrong counts and sizes of arguments are errors", "[plan]") {
  const PlanPointer plan = load(addPlan());
  BufferRef x = filled(1), small = filled(1, 3996), none, y;
  CHECK(!plan->execute({}, nullptr, {&y, 1}));
  CHECK(!plan->execute({&x, 1}, nullptr, {}));
  CHECK(!plan->execute({&none, 1}, nullptr, {&y, 1}));
  const Status status = plan->execute({&small, 1}, nullptr, {&y, 1});
  REQUIRE(!status);
  CHECK(status.code() == ErrorCode::InvalidArgument);
}

TEST_CASE("plans whose results have no source are refused", "[plan]") {
  const auto refused = [](auto change) {
    Plan plan = addPlan();
    change(plan);
    return !LoadedPlan::load(std::move(*memoryFile(readFile(fixturePath("AddOne")))), burn::core::serialize(plan));
  };
  CHECK(!refused([](Plan &) {}));
  CHECK(refused([](Plan &plan) { plan.results[0].source = ResultSource::Result; }));
  CHECK(refused([](Plan &plan) { plan.results[0].source = ResultSource::Donated; })); // not donated
  CHECK(refused([](Plan &plan) {
    plan.results[0].source = ResultSource::Arg;
    plan.results[0].index = 1;
  }));
  CHECK(refused([](Plan &plan) {
    plan.args[0].kind = ArgKind::Scalar;
    plan.results[0].source = ResultSource::Arg;
  }));
}

namespace {

Plan derivingPlan() {
  Plan plan = addPlan();
  plan.args.push_back(plan.args[0]);
  plan.args[1].frozen = true;
  plan.derived = {{plan.args[1].type, {1}}};
  plan.prepareArenaBytes = 64;
  return plan;
}

// The first element of the result counts how often the plan was prepared, the second is x + w + 10.
std::pair<float, float> runDeriving(const PlanPointer &plan, BufferRef x, BufferRef w) {
  BufferRef arguments[] = {std::move(x), std::move(w)}, y;
  REQUIRE(plan->execute(arguments, nullptr, {&y, 1}));
  const float *values = static_cast<const float *>(y->data());
  return {values[0] - first(arguments[0]), values[1]};
}

} // namespace

TEST_CASE("a plan derives from frozen buffers once, and from others for each run", "[plan]") {
  const PlanPointer plan = load(derivingPlan(), "Derive");
  CHECK(plan->plan().derived.size() == 1);
  CHECK(plan->plan().derived[0].sources == std::vector<uint32_t>{1});
  CHECK(plan->plan().args[1].frozen);
  CHECK(plan->plan().prepareArenaBytes == 64);
  const BufferRef x = filled(1), w = filled(100), v = filled(200), open = filled(300);
  w->freeze(), v->freeze();
  const int64_t before = hostMemory().stats().liveBytes;
  const auto expect = [&](const BufferRef &from, float count, float value) {
    CHECK(runDeriving(plan, x, from) == std::pair(count, value));
  };
  expect(w, 1, 111);
  expect(w, 1, 111);
  expect(v, 2, 211);
  expect(w, 1, 111);
  expect(v, 2, 211);
  CHECK(hostMemory().stats().liveBytes == before + 2 * 4000);
  expect(open, 3, 311);
  expect(open, 4, 311);
  CHECK(hostMemory().stats().liveBytes == before + 2 * 4000);
}

TEST_CASE("what a plan derives ends with the buffer, and with the plan", "[plan]") {
  const int64_t start = hostMemory().stats().liveBytes;
  PlanPointer plan = load(derivingPlan(), "Derive");
  const BufferRef x = filled(1);
  {
    const BufferRef w = filled(100);
    w->freeze();
    runDeriving(plan, x, w);
    CHECK(hostMemory().stats().liveBytes == start + 3 * 4000);
  }
  CHECK(hostMemory().stats().liveBytes == start + 4000);
  const BufferRef w = filled(100);
  w->freeze();
  runDeriving(plan, x, w);
  CHECK(hostMemory().stats().liveBytes == start + 3 * 4000);
  plan.reset();
  CHECK(hostMemory().stats().liveBytes == start + 2 * 4000);
}

TEST_CASE("a plan that derives and has no code for it is damaged", "[plan]") {
  const auto loaded =
      LoadedPlan::load(std::move(*memoryFile(readFile(fixturePath("AddOne")))), burn::core::serialize(derivingPlan()));
  REQUIRE(!loaded);
  CHECK(loaded.status().code() == ErrorCode::DataLoss);
  Plan plan = derivingPlan();
  plan.args[1].frozen = false; // derived from what may change
  CHECK_FALSE(burn::core::parsePlan(burn::core::serialize(plan)));
}
