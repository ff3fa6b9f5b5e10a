#include "passes/Tuning/Tuner.h"

#include "runtime/Core/Executable.h"

#include <catch2/catch.hpp>

#include <atomic>
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

/// Keeps records in memory, and runs everything on the calling thread.
struct Host {
  std::map<std::string, std::string> records;
  std::atomic<int> holders{0}, most{0};
  burn_rt functions = {BURN_ABI_VERSION, nullptr, nullptr, nullptr};

  TuningHost as(TuningMode mode) {
    TuningHost host;
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
