// Whole steps: training and evaluation of nets, from the forward pass to the updated weights.
#include "tools/burn-bench/Bench.h"
#include "tools/burn-bench/Nets.h"

#include <burn/parallel.h>

#include <fmt/format.h>

namespace burn::bench {
namespace {

// Losses that show that another framework computes the same.
constexpr int kLosses = 5;

// The mean of the squares of logits stands for the loss where nothing is trained.
std::vector<double> losses(const std::string &name) {
  const std::unique_ptr<Step> step = makeStep(name);
  step->withoutDropout();
  std::vector<double> values;
  for (int i = 0; i < (step->trains() ? kLosses : 1); ++i) {
    const Tensor result = step->run();
    const NoGradGuard guard;
    values.push_back(step->trains() ? result.item<float>() : result.square().mean().item<float>());
  }
  return values;
}

// Seconds of each call of `run` and the wait for its result, for at least `seconds` in all and five calls.
template <typename Fn> Json measure(double seconds, Fn &&run) {
  const auto once = [&] {
    return timeOf([&] {
      const Tensor result = run();
      sync();
    });
  };
  // What is compiled, and the memory that a first call brings, is not what is measured.
  for (int i = 0; i < 3; ++i)
    once();
  wait_for_compiles(); // with BURN_DETERMINISTIC=0 they go on
  std::vector<double> times;
  for (double sum = 0; sum < seconds || times.size() < 5; sum += times.back())
    times.push_back(once());
  return summary(times);
}

} // namespace

Json benchSteps(const Options &options) {
  if (options.threads > 0)
    set_num_threads(options.threads);
  Json report = {{"unit", "s; step: forward, backward and AdamW, or evaluation"}, {"threads", num_threads()}};
  const double seconds = options.quick ? 0.2 : 1;
  for (const std::string &name : stepNames()) {
    if (name.find(options.filter) == std::string::npos)
      continue;
    Json &entry = report["cases"][name];
    entry["losses"] = losses(name);
    const std::unique_ptr<Step> step = makeStep(name);
    entry["step"] = measure(seconds, [&] { return step->run(); });
    std::string more;
    if (step->trains()) {
      const uint64_t before = stats().saved_bytes;
      step->run();
      sync();
      const uint64_t saved = stats().saved_bytes - before;
      entry["saved_bytes"] = saved;
      entry["forward"] = measure(seconds / 4, [&] { return step->forward(); });
      entry["gradient"] = measure(seconds / 4, [&] { return step->gradient(); });
      more = fmt::format(", forward {:.2f}, with gradients {:.2f}, {:.1f} MiB saved between them",
                         entry["forward"]["best"].get<double>() * 1e3, entry["gradient"]["best"].get<double>() * 1e3,
                         static_cast<double>(saved) / (1 << 20));
    }
    fmt::print("{:<20} best {:.2f} ms, median {:.2f}, spread {:.0f} %{}\n", name,
               entry["step"]["best"].get<double>() * 1e3, entry["step"]["median"].get<double>() * 1e3,
               entry["step"]["spread"].get<double>() * 100, more);
  }
  return report;
}

} // namespace burn::bench
