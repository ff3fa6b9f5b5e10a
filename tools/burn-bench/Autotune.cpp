// What tuning gives: each program as the compiler makes it, as a few measurements choose it, the same where sums may
// have another order, and as a full search chooses it; and how long whole models take to tune.
#include "tools/burn-bench/Bench.h"
#include "tools/burn-bench/Nets.h"

#include <burn/parallel.h>

#include <cmath>
#include <filesystem>

#include <fmt/format.h>
#include <unistd.h>

namespace burn::bench {
namespace {

struct Side {
  const char *name, *mode, *deterministic;
};
constexpr Side kSides[] = {
    {"untuned", "off", "1"}, {"tuned", "on", "1"}, {"unordered", "on", "0"}, {"exhaustive", "full", "1"}};

/// The program in each way, on the same memory, taking turns. Seconds by side.
std::vector<double> bestTimes(const NamedProgram &program, size_t sides, bool serial, bool quick) {
  std::vector<Program> ways;
  for (size_t i = 0; i < sides; ++i) {
    setenv("BURN_AUTOTUNE", kSides[i].mode, 1);
    setenv("BURN_DETERMINISTIC", kSides[i].deterministic, 1);
    ways.push_back(compileText(program.text));
  }
  const Pinned pinned(serial);
  std::vector<FloatBuffer> owned;
  std::vector<void *> pointers;
  for (const auto *values : {&ways[0].arguments(), &ways[0].results()})
    for (const Program::Value &value : *values) {
      owned.push_back(makeBuffer(value.shape.numel(), static_cast<uint32_t>(owned.size()) + 1));
      pointers.push_back(owned.back().get());
    }
  size_t largest = 0;
  for (size_t i = 1; i < sides; ++i)
    largest = ways[i].arena_bytes() > ways[largest].arena_bytes() ? i : largest;
  const auto arena = makeArena(ways[largest]);
  std::vector<double> best(sides, HUGE_VAL);
  double spent = 0;
  for (int round = 0; round < (quick ? 10 : 60) && (round < 5 || spent < 2); ++round)
    for (size_t i = 0; i < sides; ++i) {
      int repeats = 0;
      const double time = timeOf([&] {
        const auto start = std::chrono::steady_clock::now();
        do {
          ways[i].call(pointers.data(), nullptr, arena.get(), serial);
          ++repeats;
        } while (std::chrono::steady_clock::now() - start < std::chrono::microseconds(200));
      });
      spent += time;
      best[i] = std::min(best[i], time / repeats);
    }
  return best;
}

} // namespace

Json benchAutotune(const Options &options) {
  const int threads = std::max(1, options.threads);
  set_num_threads(threads);
  const size_t sides = options.quick ? 3 : 4;
  Json report = {{"unit", fmt::format("best time of each side, interleaved, {} threads", threads)},
                 {"programs", Json::array()}};
  std::vector<NamedProgram> programs = productPrograms();
  for (auto *more : {convolutionPrograms, rowPrograms})
    for (NamedProgram &program : more())
      programs.push_back(std::move(program));
  double logs[3] = {};
  int count = 0;
  for (const NamedProgram &program : programs) {
    if (program.name.find(options.filter) == std::string::npos)
      continue;
    const std::vector<double> times = bestTimes(program, sides, threads == 1, options.quick);
    Json entry = {{"name", program.name}};
    for (size_t i = 0; i < sides; ++i)
      entry[kSides[i].name] = times[i];
    // Of speeds.
    const double ratios[] = {times[1] / times[0], times[2] / times[1], sides > 3 ? times[3] / times[1] : 1.0};
    std::string line = fmt::format("{:<36} {:9.1f} us untuned, {:.3f} of tuned; tuned {:.3f} of unordered",
                                   program.name, times[0] * 1e6, ratios[0], ratios[1]);
    if (sides > 3)
      line += fmt::format(", {:.3f} of exhaustive", ratios[2]);
    fmt::print("{}\n", line);
    std::fflush(stdout);
    for (size_t i = 0; i < std::size(logs); ++i)
      logs[i] += std::log(ratios[i]);
    ++count;
    report["programs"].push_back(std::move(entry));
  }
  if (count > 0) {
    fmt::print("geometric means of {}: untuned {:.3f} of tuned, tuned {:.3f} of unordered", count,
               std::exp(logs[0] / count), std::exp(logs[1] / count));
    if (sides > 3)
      fmt::print(", tuned {:.3f} of exhaustive", std::exp(logs[2] / count));
    fmt::print("\n");
    report["untuned_of_tuned"] = std::exp(logs[0] / count);
    report["tuned_of_unordered"] = std::exp(logs[1] / count);
    if (sides > 3)
      report["tuned_of_exhaustive"] = std::exp(logs[2] / count);
  }
  // A first step from an empty cache, with and without measurements, and one from the cache that these filled.
  for (const std::string &name : stepNames()) {
    if (name.find(options.filter) == std::string::npos)
      continue;
    const TemporaryFolder untuned, tuned;
    setenv("BURN_AUTOTUNE", "off", 1);
    const double off = timeOfChild("step " + name, untuned.path.string());
    setenv("BURN_AUTOTUNE", "on", 1);
    const double on = timeOfChild("step " + name, tuned.path.string());
    const double again = timeOfChild("step " + name, tuned.path.string());
    fmt::print("first {} step: {:.2f} s untuned, {:.2f} s with tuning, {:.3f} s after that\n", name, off, on, again);
    report["models"][name] = {{"untuned_s", off}, {"tuning_s", on}, {"after_s", again}};
  }
  unsetenv("BURN_AUTOTUNE");
  unsetenv("BURN_DETERMINISTIC");
  return report;
}

} // namespace burn::bench
