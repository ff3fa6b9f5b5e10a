#include "passes/Tuning/Tuner.h"

#include "passes/Tuning/ProductSamples.h"
#include "passes/Tuning/ScratchRun.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <new>

#include <pthread.h>

using namespace burn;
using namespace burn::compiler;
using core::Expected;
using core::Status;
using llvm::StringRef;

namespace {

// Measurements disturb each other. The child of a fork has no thread that measures.
std::mutex &measuring() {
  static std::mutex &mutex = []() -> std::mutex & {
    static std::mutex made;
    pthread_atfork(nullptr, nullptr, [] { new (&measuring()) std::mutex; });
    return made;
  }();
  return mutex;
}

/// Ways of one kernel that take turns until the time is over.
class Rounds final : public Stopwatch {
public:
  Rounds(llvm::function_ref<double(size_t)> time, std::chrono::steady_clock::time_point end) : time_(time), end_(end) {}

  double measure(size_t candidate) override { return time_(candidate); }
  bool isOver() override { return std::chrono::steady_clock::now() >= end_; }

private:
  llvm::function_ref<double(size_t)> time_;
  std::chrono::steady_clock::time_point end_;
};

} // namespace

size_t compiler::pickFastest(llvm::MutableArrayRef<double> times, Stopwatch &stopwatch) {
  constexpr int mostRounds = 24, fewRounds = 3;
  constexpr double farBehind = 1.25, behind = 1.06, noise = 0.95;
  size_t best = 0;
  for (size_t i = 1; i < times.size(); ++i)
    if (times[i] >= 0 && times[i] < times[best])
      best = i;
  for (int round = 0; round < mostRounds; ++round) {
    size_t left = 0;
    for (size_t i = 0; i < times.size(); ++i) {
      if (times[i] < 0 || (i != 0 && times[i] > times[best] * (round < fewRounds ? farBehind : behind)))
        continue;
      ++left;
      times[i] = std::min(times[i], stopwatch.measure(i));
      if (times[i] < times[best])
        best = i;
    }
    if (left < 2 || stopwatch.isOver())
      break;
  }
  return times[best] < times[0] * noise ? best : 0;
}

Tuner::Tuner(const CompileOptions &options, TuningHost host) : options_(options), host_(std::move(host)) {
  options_.fused = true;
  options_.relocatable = false;
  options_.dumpDir.clear();
  options_.afterStage = {};
  options_.tuning = {};
}

Tuner::~Tuner() = default;

TuningOptions Tuner::options() {
  TuningOptions options;
  options.choose = [this](const TunableKernel &kernel) { return choose(kernel); };
  options.candidates = host_.mode == TuningMode::Full ? 0 : host_.mode == TuningMode::On ? 8 : 1;
  options.vendors = !options_.deterministic;
  options.threads = host_.threads;
  return options;
}

Expected<Executable> Tuner::compileAlone(StringRef program) {
  // Not the context of the program, whose passes are under way.
  if (!context_)
    context_ = makeContext();
  auto module = parseProgram(*context_, program, "kernel", "main");
  if (!module)
    return module.status();
  return compile(**module, options_);
}

Expected<std::unique_ptr<MeasuredWay>> Tuner::load(StringRef program) {
  auto executable = compileAlone(program);
  if (!executable)
    return executable.status();
  return MeasuredWay::load(*executable);
}

std::string Tuner::find(const TunableKernel &kernel, StringRef key) {
  std::string winner = host_.find(key), why;
  if (winner.empty())
    return winner;
  if (kernel.fits && !kernel.fits(winner, why)) {
    ++counts_.winnersUnfit;
    llvm::raw_string_ostream(report_) << "found " << key << " -> " << winner << ", which cannot be used: " << why
                                      << "\n";
    return "";
  }
  ++counts_.winnersUsed;
  llvm::raw_string_ostream(report_) << "found " << key << " -> " << winner << "\n";
  return winner;
}

std::string Tuner::choose(const TunableKernel &kernel) {
  const std::string exhaustive = kernel.key + " exhaustive";
  const std::string &own = host_.mode == TuningMode::Full ? exhaustive : kernel.key;
  const auto findAny = [&] {
    std::string winner = find(kernel, exhaustive);
    return !winner.empty() || host_.mode == TuningMode::Full ? winner : find(kernel, kernel.key);
  };
  std::string winner = findAny();
  if (!winner.empty() || host_.mode < TuningMode::On || !host_.functions)
    return winner;
  // A host's pool may take up another task of the host, which compiles, on a thread that waits in a measured loop.
  static thread_local bool isMeasuring = false;
  if (isMeasuring)
    return winner;
  isMeasuring = true;
  const llvm::scope_exit done([] { isMeasuring = false; });
  std::lock_guard lock(measuring());
  host_.lock(true);
  const llvm::scope_exit unlock([&] { host_.lock(false); });
  winner = findAny(); // another may have measured it meanwhile
  return winner.empty() ? measure(kernel, own) : winner;
}

// Whether a way with another order of sums is right: its product is, by the op's meaning, and what follows on the
// product has the bits that it has apart.
Status Tuner::check(const TunableKernel &kernel, StringRef configuration, const MeasuredWay &way, ScratchData &data) {
  const Status failed = Status::error(core::ErrorCode::Internal, "it fails");
  const ProductCheck &check = kernel.check;
  data.dropSigns();
  if (!data.run(way))
    return failed;
  const core::Plan &plan = way.plan();
  const auto view = [](const core::TypeDesc &type, std::span<const std::byte> bytes) {
    return TensorView{type, bytes};
  };
  const auto checkSamples = [&](const TensorView &product) {
    return checkProduct(check, view(plan.args[check.lhs].type, data.argument(check.lhs)),
                        view(plan.args[check.rhs].type, data.argument(check.rhs)), product);
  };
  if (!check.epilogue)
    return checkSamples(view(plan.results.front().type, data.result(0)));

  auto exposed = load(check.exposed(configuration));
  if (!exposed)
    return exposed.status();
  auto behind = load(check.epilogue());
  if (!behind)
    return behind.status();
  const auto exposedData = ScratchData::make((*exposed)->plan(), *host_.functions),
             behindData = ScratchData::make((*behind)->plan(), *host_.functions);
  if (!exposedData || !behindData)
    return failed;
  exposedData->dropSigns();
  behindData->dropSigns();
  if (!exposedData->run(**exposed))
    return failed;
  const size_t last = plan.results.size();
  const TensorView product = view((*exposed)->plan().results[last].type, exposedData->result(last));
  if (Status status = checkSamples(product); !status)
    return status;
  const std::span<std::byte> given = behindData->argument((*behind)->plan().args.size() - 1);
  std::memcpy(given.data(), product.bytes.data(), given.size());
  if (!behindData->run(**behind))
    return failed;
  for (size_t i = 0; i < last; ++i)
    for (const ScratchData *other : {exposedData.get(), behindData.get()})
      if (!std::ranges::equal(data.result(i), other->result(i)))
        return Status::error(core::ErrorCode::Internal,
                             "what follows on the product has other bits than apart from it");
  return Status::ok();
}

std::string Tuner::measure(const TunableKernel &kernel, StringRef key) {
  // Two ways of each kernel are made whatever its share of the time: the kernels with least work go without.
  if (host_.mode != TuningMode::Full && counts_.time >= kBudget) {
    llvm::raw_string_ostream(report_) << "no time was left for " << key << "\n";
    return "";
  }
  // Each kernel has its share of the time that is left, so that those with most work are measured best.
  const auto start = Clock::now();
  const double share = std::min(1.0, kernel.share / std::max(shareLeft_, 1e-3));
  shareLeft_ -= kernel.share;
  const Clock::duration budget = host_.mode == TuningMode::Full
                                     ? Clock::duration(kFullBudget)
                                     : std::chrono::duration_cast<Clock::duration>((kBudget - counts_.time) * share);
  const llvm::scope_exit account([&] { counts_.time += Clock::now() - start; });

  std::vector<std::string> configurations = kernel.configurations;
  // Those with another order of sums are few, and not to be left out for lack of time.
  configurations.insert(configurations.begin() + 1, kernel.reordered.begin(), kernel.reordered.end());
  const auto isReordered = [&](size_t i) { return i > 0 && i <= kernel.reordered.size(); };
  const auto reject = [&](StringRef configuration, StringRef why) {
    ++counts_.waysRejected;
    llvm::raw_string_ostream(report_) << "rejected for " << why << ": " << key << " -> " << configuration << "\n";
  };
  std::vector<std::unique_ptr<MeasuredWay>> ways;
  std::vector<double> times;
  std::unique_ptr<ScratchData> data;
  double fastest = 0;
  const auto timeOf = [&](size_t i) { return host_.time ? host_.time(configurations[i]) : data->time(*ways[i]); };
  for (const auto &[i, configuration] : llvm::enumerate(configurations)) {
    // The rest of the time is for measuring.
    if (ways.size() > 1 && Clock::now() - start > budget * 2 / 3)
      break;
    ways.push_back(nullptr);
    times.push_back(-1);
    auto way = load(kernel.program(configuration));
    const bool isFirst = !data;
    if (way && isFirst)
      data = ScratchData::make((*way)->plan(), *host_.functions);
    if (isFirst && (!way || !data || !data->keepResults(**way)))
      return ""; // the program itself will say why
    if (!way)
      continue;
    ++counts_.waysMeasured;
    // The others are checked before they win: that takes as long as compiling them.
    if (isReordered(i) ? !data->run(**way) : !isFirst && !data->givesKeptResults(**way)) {
      reject(configuration, isReordered(i) ? "failing" : "other bits");
      continue;
    }
    // Another process may have had the processor once, or twice.
    constexpr double hopeless = 1.5;
    constexpr int chances = 3;
    ways.back() = std::move(*way);
    double time = timeOf(i);
    for (int chance = 1; chance < chances && !isFirst && time > fastest * hopeless; ++chance)
      time = std::min(time, timeOf(i));
    if (!isFirst && time > fastest * hopeless) {
      ways.back() = nullptr;
      continue;
    }
    fastest = isFirst ? time : std::min(time, fastest);
    times.back() = time;
  }
  if (ways.size() < 2)
    return "";
  ++counts_.kernelsMeasured;
  Rounds rounds(timeOf, start + budget);
  size_t best = pickFastest(times, rounds);
  while (isReordered(best)) {
    const Status status = check(kernel, configurations[best], *ways[best], *data);
    if (status)
      break;
    reject(configurations[best], status.message());
    times[best] = -1;
    best = pickFastest(times, rounds);
  }
  const std::string &winner = configurations[best];
  std::string measured;
  llvm::raw_string_ostream(measured) << "usual " << llvm::format("%.2f", times[0] * 1e6) << " us, winner "
                                     << llvm::format("%.2f", times[best] * 1e6) << " us, of " << ways.size() << " ways";
  llvm::raw_string_ostream report(report_);
  report << "measured " << key << " -> " << winner << ": " << measured << "\n";
  for (auto [time, configuration] : llvm::zip(times, configurations))
    if (time >= 0)
      report << "  " << llvm::format("%.2f", time * 1e6) << " us " << configuration << "\n";
  host_.store(key, winner, measured);
  return winner;
}
