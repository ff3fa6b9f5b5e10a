#include "passes/Tuning/Tuner.h"
#include "passes/Tuning/ProductSamples.h"

#include "runtime/Core/Executable.h"

#include <catch2/catch.hpp>

#include <atomic>
#include <cmath>
#include <map>
#include <mutex>
#include <thread>

using namespace burn;
using namespace burn::compiler;

namespace {

/// Times that a test makes up: each candidate has its own, in turn.
class FakeStopwatch final : public Stopwatch {
public:
  FakeStopwatch(std::vector<std::vector<double>> times, int rounds = 100) : times_(std::move(times)), left_(rounds) {}

  double measure(size_t candidate) override {
    ++measured[candidate];
    const std::vector<double> &own = times_[candidate];
    return own[std::min(measured[candidate] - 1, own.size() - 1)];
  }
  bool isOver() override { return --left_ <= 0; }

  std::map<size_t, size_t> measured;

private:
  std::vector<std::vector<double>> times_;
  int left_;
};

/// A program of one kernel that adds a number to its argument: ways of it that are right where they add 1.
std::string addition(llvm::StringRef number) {
  return (R"(func.func @main(%a: tensor<64xf32>) -> tensor<64xf32> {
  %one = burn.constant dense<)" +
          number + R"(> : tensor<64xf32>
  %r = burn.fused elementwise (%a, %one) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32> {
  ^bb0(%x: tensor<64xf32>, %y: tensor<64xf32>):
    %s = burn.add %x, %y : tensor<64xf32>
    burn.yield %s : tensor<64xf32>
  }
  return %r : tensor<64xf32>
})")
      .str();
}

TunableKernel kernelOf(std::vector<std::string> ways, std::string key = "addition") {
  TunableKernel kernel;
  kernel.key = std::move(key);
  kernel.configurations = std::move(ways);
  kernel.program = [](llvm::StringRef way) { return addition(way); };
  return kernel;
}

/// A program of one product with a bias, whose first element is off by `error` where that is not "0.0". `split` makes
/// it of two kernels that each take half of the steps. `exposed` returns the product as well.
std::string product(llvm::StringRef error, bool split, bool exposed) {
  const std::string dot = split ? R"(
  %a2 = burn.reshape %a : tensor<8x4096xf32> to tensor<8x2x2048xf32>
  %b2 = burn.reshape %b : tensor<4096x16xf32> to tensor<2x2048x16xf32>
  %halves = burn.fused contraction (%a2, %b2) : (tensor<8x2x2048xf32>, tensor<2x2048x16xf32>) -> tensor<2x8x16xf32> {
  ^bb0(%x: tensor<8x2x2048xf32>, %y: tensor<2x2048x16xf32>):
    %d = burn.dot_general %x, %y {lhs_batch = array<i64: 1>, rhs_batch = array<i64: 0>, lhs_contract = array<i64: 2>,
        rhs_contract = array<i64: 1>} : tensor<8x2x2048xf32>, tensor<2x2048x16xf32> to tensor<2x8x16xf32>
    burn.yield %d : tensor<2x8x16xf32>
  }
  %c = burn.fused row (%halves) {domain = array<i64: 2, 8, 16>, reduce_dims = array<i64: 0>}
      : (tensor<2x8x16xf32>) -> tensor<8x16xf32> {
  ^bb0(%x: tensor<2x8x16xf32>):
    %s = burn.reduce sum %x {dims = array<i64: 0>} : tensor<2x8x16xf32> to tensor<8x16xf32>
    burn.yield %s : tensor<8x16xf32>
  })"
                                : R"(
  %c = burn.fused contraction (%a, %b) : (tensor<8x4096xf32>, tensor<4096x16xf32>) -> tensor<8x16xf32> {
  ^bb0(%x: tensor<8x4096xf32>, %y: tensor<4096x16xf32>):
    %d = burn.dot_general %x, %y {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>,
        rhs_contract = array<i64: 0>}
        : tensor<8x4096xf32>, tensor<4096x16xf32> to tensor<8x16xf32>
    burn.yield %d : tensor<8x16xf32>
  })";
  std::string wrong;
  std::string value = "%c";
  if (error != "0.0") {
    wrong = (R"(
  %off = burn.constant dense<)" +
             error + R"(> : tensor<8x16xf32>
  %cw = burn.fused elementwise (%c, %off) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32> {
  ^bb0(%x: tensor<8x16xf32>, %y: tensor<8x16xf32>):
    %s = burn.add %x, %y : tensor<8x16xf32>
    burn.yield %s : tensor<8x16xf32>
  })")
                .str();
    value = "%cw";
  }
  return "func.func @main(%a: tensor<8x4096xf32>, %b: tensor<4096x16xf32>, %bias: tensor<8x16xf32>) -> "
         "(tensor<8x16xf32>" +
         std::string(exposed ? ", tensor<8x16xf32>" : "") + ") {" + dot + wrong + R"(
  %r = burn.fused elementwise ()" +
         value + R"(, %bias) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32> {
  ^bb0(%x: tensor<8x16xf32>, %y: tensor<8x16xf32>):
    %s = burn.add %x, %y : tensor<8x16xf32>
    burn.yield %s : tensor<8x16xf32>
  }
  return %r)" +
         (exposed ? ", " + value : "") + " : tensor<8x16xf32>" + (exposed ? ", tensor<8x16xf32>" : "") + "\n}\n";
}

/// Reordered ways are named by what they are off by.
TunableKernel productOf(std::vector<std::string> reordered) {
  TunableKernel kernel;
  kernel.key = "product";
  kernel.configurations = {"usual"};
  kernel.reordered = std::move(reordered);
  kernel.program = [](llvm::StringRef way) {
    return way == "usual" ? product("0.0", false, false) : product(way, true, false);
  };
  kernel.check.words = {0, 0, 1, 1, 1, 0};
  kernel.check.lhsContract = {1};
  kernel.check.rhsContract = {0};
  kernel.check.lhs = 0;
  kernel.check.rhs = 1;
  kernel.check.exposed = [](llvm::StringRef way) { return product(way, true, true); };
  kernel.check.epilogue = [] {
    return std::string(R"(func.func @main(%a: tensor<8x4096xf32>, %b: tensor<4096x16xf32>, %bias: tensor<8x16xf32>,
        %c: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %r = burn.fused elementwise (%c, %bias) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32> {
  ^bb0(%x: tensor<8x16xf32>, %y: tensor<8x16xf32>):
    %s = burn.add %x, %y : tensor<8x16xf32>
    burn.yield %s : tensor<8x16xf32>
  }
  return %r : tensor<8x16xf32>
})");
  };
  return kernel;
}

/// Keeps records in memory, and runs everything on the calling thread.
struct Host {
  std::map<std::string, std::string> records;
  std::atomic<int> holders{0}, most{0};
  burn_rt functions = {BURN_ABI_VERSION, nullptr, nullptr, nullptr};

  /// All ways take as long, but for the usual one of productOf.
  static double time(llvm::StringRef way) { return way == "usual" ? 2e-3 : 1e-3; }

  TuningHost as(TuningMode mode) {
    TuningHost host;
    host.time = time;
    host.mode = mode;
    host.functions = &functions;
    host.find = [this](llvm::StringRef key) {
      const auto found = records.find(key.str());
      return found == records.end() ? std::string() : found->second;
    };
    host.store = [this](llvm::StringRef key, llvm::StringRef winner, llvm::StringRef) {
      records[key.str()] = winner.str();
    };
    host.lock = [this](bool locked) {
      holders += locked ? 1 : -1;
      most = std::max(most.load(), holders.load());
    };
    return host;
  }
};

} // namespace

TEST_CASE("the fastest candidate wins by its best time") {
  // The second is faster in the end, for all that its first times were disturbed.
  FakeStopwatch watch({{10}, {12, 8}, {11}});
  std::vector<double> times = {10, 12, 11};
  CHECK(pickFastest(times, watch) == 1);
  CHECK(times[1] == 8);
}

TEST_CASE("a candidate that is not faster by more than clocks err does not win") {
  FakeStopwatch watch({{10}, {9.9}});
  std::vector<double> times = {10, 9.9};
  CHECK(pickFastest(times, watch) == 0);
}

TEST_CASE("candidates that are far behind are not measured again, and those that must not win never") {
  FakeStopwatch watch({{10}, {20}, {1}, {9}});
  std::vector<double> times = {10, 20, -1, 9};
  CHECK(pickFastest(times, watch) == 3);
  CHECK(watch.measured[1] == 0);
  CHECK(watch.measured[2] == 0);
  CHECK(watch.measured[3] > 3);
}

TEST_CASE("measuring ends when the time is over") {
  FakeStopwatch watch({{10}, {9}}, 2);
  std::vector<double> times = {10, 9};
  CHECK(pickFastest(times, watch) == 1);
  CHECK(watch.measured[0] == 2);
}

TEST_CASE("a way whose results have other bits cannot win") {
  Host host;
  Tuner tuner(CompileOptions(), host.as(TuningMode::On));
  // The next number after 1.
  const std::string chosen = tuner.choose(kernelOf({"1.0", "1.00000012", "1.0e0"}));
  CHECK(tuner.counts().waysMeasured == 3);
  CHECK(tuner.counts().waysRejected == 1);
  CHECK(chosen != "1.00000012");
  CHECK(host.records.size() == 1);
  CHECK(tuner.report().contains("rejected for other bits: addition -> 1.00000012"));
  CHECK(host.most == 1);
  CHECK(host.holders == 0);
}

TEST_CASE("a way with another order of sums wins where its product is right") {
  Host host;
  Tuner tuner(CompileOptions(), host.as(TuningMode::On));
  CHECK(tuner.choose(productOf({"0.0"})) == "0.0");
  CHECK(tuner.counts().waysRejected == 0);
}

TEST_CASE("a way whose product is wrong never wins, however fast it is") {
  Host host;
  Tuner tuner(CompileOptions(), host.as(TuningMode::On));
  // The sums of 4096 products from 0 to 1 are known to 4096 * 2^-24 of them, 0.25 at most where all are 1.
  CHECK(tuner.choose(productOf({"1.0"})) == "usual");
  CHECK(tuner.counts().waysRejected == 1);
  INFO(tuner.report().str());
  CHECK(tuner.report().contains("rejected for"));
  CHECK(host.records["product"] == "usual");
}

TEST_CASE("what follows on a product has to have its own bits") {
  Host host;
  Tuner tuner(CompileOptions(), host.as(TuningMode::On));
  TunableKernel kernel = productOf({"0.0"});
  // As if the kernel added another bias: the product that it shows is right.
  kernel.program = [](llvm::StringRef way) {
    return way == "usual" ? product("0.0", false, false) : product("0.001", true, false);
  };
  CHECK(tuner.choose(kernel) == "usual");
  CHECK(tuner.report().contains("rejected for what follows on the product has other bits than apart from it"));
}

TEST_CASE("samples of a product are compared with the meaning of the op") {
  // Two batches of [3, 64] x [64, 5]: small enough for all elements to be looked at.
  const core::TypeDesc lhsType{DType::F32, {2, 3, 64}}, rhsType{DType::F32, {2, 64, 5}}, type{DType::F32, {2, 3, 5}};
  std::vector<float> lhs(384), rhs(640), right(30);
  uint32_t state = 3;
  for (std::vector<float> *values : {&lhs, &rhs})
    for (float &value : *values) {
      state = state * 1664525u + 1013904223u;
      value = static_cast<float>(state >> 8) * 0x1p-23f - 1.0f;
    }
  for (size_t batch = 0; batch < 2; ++batch)
    for (size_t row = 0; row < 3; ++row)
      for (size_t lane = 0; lane < 5; ++lane) {
        double sum = 0; // from the last step to the first
        for (size_t step = 64; step-- > 0;)
          sum += double(lhs[(batch * 3 + row) * 64 + step]) * double(rhs[(batch * 64 + step) * 5 + lane]);
        right[(batch * 3 + row) * 5 + lane] = float(sum);
      }
  ProductCheck check;
  check.words = {1, 0, 1, 0, 1, 2, 1, 1};
  check.lhsBatch = check.rhsBatch = {0};
  check.lhsContract = {2};
  check.rhsContract = {1};
  const auto bytes = [](const std::vector<float> &values) { return std::as_bytes(std::span(values)); };
  const auto status = [&](const std::vector<float> &product) {
    return checkProduct(check, {lhsType, bytes(lhs)}, {rhsType, bytes(rhs)}, {type, bytes(product)});
  };
  CHECK(status(right));
  std::vector<float> near = right;
  near[7] = std::nextafter(near[7], 2.0f);
  CHECK(status(near));
  for (size_t i : {0, 14, 29}) {
    std::vector<float> wrong = right;
    wrong[i] += 0.01f; // the bound is 64 * 2^-24 times a sum of at most 64, 2.5e-4
    CHECK_FALSE(status(wrong));
  }
}

TEST_CASE("a way that leaves a part of a long sum out is wrong") {
  // As a kernel in 16 slices that forgets one: without signs the sum of 65536 products is known to 0.4 %.
  constexpr int64_t steps = 65536;
  std::vector<float> lhs(steps), rhs(steps);
  uint32_t state = 3;
  double sum = 0, part = 0;
  for (int64_t i = 0; i < steps; ++i) {
    state = state * 1664525u + 1013904223u;
    lhs[i] = static_cast<float>(state >> 8) * 0x1p-24f;
    rhs[i] = static_cast<float>((state >> 4) & 0xffff) * 0x1p-16f;
    sum += double(lhs[i]) * double(rhs[i]);
    part += i < steps / 16 ? 0.0 : double(lhs[i]) * double(rhs[i]);
  }
  ProductCheck check;
  check.words = {0, 0, 1, 1, 1, 0};
  check.lhsContract = {1};
  check.rhsContract = {0};
  const auto status = [&](double product) {
    const float value = float(product);
    return checkProduct(check, {{DType::F32, {1, steps}}, std::as_bytes(std::span(lhs))},
                        {{DType::F32, {steps, 1}}, std::as_bytes(std::span(rhs))},
                        {{DType::F32, {1, 1}}, std::as_bytes(std::span(&value, 1))});
  };
  CHECK(status(sum));
  CHECK_FALSE(status(part));
}

TEST_CASE("the usual way that won a measurement is the usual one") {
  // 32 rows are no whole tiles of 6.
  constexpr const char *text = R"(
func.func @main(%a: tensor<32x768xf16>, %b: tensor<768x3072xf16>) -> tensor<32x3072xf16> {
  %c = burn.dot_general %a, %b {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>,
      rhs_contract = array<i64: 0>} : tensor<32x768xf16>, tensor<768x3072xf16> to tensor<32x3072xf16>
  return %c : tensor<32x3072xf16>
})";
  for (const char *cpu : {"x86-64-v3", "x86-64-v4"}) {
    std::string tiled[2], usual;
    for (bool chooses : {false, true}) {
      CompileOptions options;
      options.target.cpu = cpu;
      if (chooses)
        options.tuning.choose = [&](const TunableKernel &kernel) { return usual = kernel.configurations.front(); };
      options.afterStage = [&](llvm::StringRef stage, mlir::ModuleOp module) {
        if (stage == "tiled")
          llvm::raw_string_ostream(tiled[chooses]) << module;
      };
      const auto context = makeContext();
      auto module = parseProgram(*context, text, "product", "main");
      REQUIRE(module);
      REQUIRE(compile(**module, options));
    }
    CHECK_FALSE(usual.empty());
    CHECK(tiled[0] == tiled[1]);
  }
}

TEST_CASE("a way that does not compile is passed over") {
  Host host;
  Tuner tuner(CompileOptions(), host.as(TuningMode::On));
  const std::string chosen = tuner.choose(kernelOf({"1.0", "no number", "1.0e0"}));
  CHECK(tuner.counts().waysMeasured == 2);
  CHECK((chosen == "1.0" || chosen == "1.0e0"));
}

TEST_CASE("a second run measures nothing") {
  Host host;
  const TunableKernel kernel = kernelOf({"1.0", "1.0e0"});
  Tuner first(CompileOptions(), host.as(TuningMode::On));
  const std::string winner = first.choose(kernel);
  CHECK(first.counts().kernelsMeasured == 1);
  for (TuningMode mode : {TuningMode::On, TuningMode::Cached}) {
    Tuner second(CompileOptions(), host.as(mode));
    CHECK(second.choose(kernel) == winner);
    CHECK(second.counts().waysMeasured == 0);
    CHECK(second.counts().winnersUsed == 1);
  }
}

TEST_CASE("cached measurements are all that is used where none may be made") {
  Host host;
  Tuner tuner(CompileOptions(), host.as(TuningMode::Cached));
  CHECK(tuner.choose(kernelOf({"1.0", "1.0e0"})).empty());
  CHECK(tuner.counts().waysMeasured == 0);
  CHECK(host.records.empty());
}

TEST_CASE("a winner that does not fit is counted, and measured anew where that is allowed") {
  Host host;
  host.records["addition"] = "of another library";
  TunableKernel kernel = kernelOf({"1.0", "1.0e0"});
  kernel.fits = [](llvm::StringRef way, std::string &why) {
    why = "the library is missing";
    return way != "of another library";
  };
  Tuner cached(CompileOptions(), host.as(TuningMode::Cached));
  CHECK(cached.choose(kernel).empty());
  CHECK(cached.counts().winnersUnfit == 1);
  CHECK(cached.counts().winnersUsed == 0);
  CHECK(cached.report().contains("-> of another library, which cannot be used: the library is missing"));
  Tuner on(CompileOptions(), host.as(TuningMode::On));
  CHECK(on.choose(kernel) == "1.0");
  CHECK(on.counts().kernelsMeasured == 1);
  CHECK(host.records["addition"] == "1.0");
}

TEST_CASE("a full search takes no winner of a short one, and its own serves all") {
  Host host;
  const TunableKernel kernel = kernelOf({"1.0", "1.0e0"});
  host.records["addition"] = "1.0e0";
  Tuner full(CompileOptions(), host.as(TuningMode::Full));
  full.choose(kernel);
  CHECK(full.counts().kernelsMeasured == 1);
  CHECK(host.records.size() == 2);
  host.records["addition exhaustive"] = "way of the full search";
  Tuner after(CompileOptions(), host.as(TuningMode::On));
  CHECK(after.choose(kernel) == "way of the full search");
}

TEST_CASE("threads measure one after the other") {
  Host host;
  std::mutex records;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&, i] {
      TuningHost own = host.as(TuningMode::On);
      own.find = [&](llvm::StringRef key) {
        std::lock_guard lock(records);
        return host.records[key.str()];
      };
      Tuner tuner(CompileOptions(), own);
      tuner.choose(kernelOf({"1.0", "1.0e0"}, i % 2 ? "odd" : "even"));
    });
  for (std::thread &thread : threads)
    thread.join();
  CHECK(host.most == 1);
  CHECK(host.holders == 0);
}
