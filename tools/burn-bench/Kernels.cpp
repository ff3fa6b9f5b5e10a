// What benchmarks of compiled kernels share, and elementwise kernels beside memcpy in the same run.
#include "tools/burn-bench/Bench.h"

#include <burn/program.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <sched.h>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>

#include <fmt/format.h>

namespace burn::bench {

Pinned::Pinned(bool pins) {
  cpu_set_t set;
  if (!pins || sched_getaffinity(0, sizeof set, &set) != 0)
    return;
  before_.assign(reinterpret_cast<unsigned char *>(&set), reinterpret_cast<unsigned char *>(&set) + sizeof set);
  const int cpu = sched_getcpu();
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(cpu < 0 ? 0 : cpu, &one);
  sched_setaffinity(0, sizeof one, &one);
}

Pinned::~Pinned() {
  if (!before_.empty())
    sched_setaffinity(0, before_.size(), reinterpret_cast<const cpu_set_t *>(before_.data()));
}

Program compileText(const std::string &text, const Device &device) {
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / fmt::format("burn-bench-{}.mlir", getpid());
  std::ofstream(path) << text;
  Program program = Program::load(path, "", device);
  std::filesystem::remove(path);
  return program;
}

std::shared_ptr<void> makeArena(const Program &program) {
  // As the runtime allocates: from the size of a huge page on in those, where the system gives them.
  constexpr size_t small = 4096, huge = size_t(2) << 20;
  const size_t alignment = program.arena_bytes() < huge ? small : huge;
  const size_t bytes = (program.arena_bytes() / alignment + 1) * alignment;
  void *data = std::aligned_alloc(alignment, bytes);
  if (alignment == huge)
    madvise(data, bytes, MADV_HUGEPAGE);
  std::memset(data, 0, bytes);
  return {data, std::free};
}

// Chains of costly functions, in nanoseconds an element: what they take beyond the functions by themselves is latency.
static Json benchChains(bool quick) {
  const int64_t count = int64_t(1) << 20;
  const std::pair<const char *, std::vector<const char *>> chains[] = {
      {"tanh", {"tanh"}},
      {"exp", {"exp"}},
      {"erf", {"erf"}},
      {"erf(exp(tanh x)) + x", {"tanh", "exp", "erf"}},
      {"log1p(exp(sin(tanh x))) + x", {"tanh", "sin", "exp", "log1p"}},
  };
  const Pinned pinned;
  const FloatBuffer x = makeBuffer(count, 1), y = makeBuffer(count, 2);
  Json report;
  for (const auto &[name, ops] : chains) {
    const std::string type = fmt::format("tensor<{}xf32>", count);
    std::string text = fmt::format("func.func @main(%v0: {0}) -> {0} {{\n", type);
    size_t last = 0;
    for (const char *op : ops) {
      text += fmt::format("  %v{} = burn.{} %v{} : {}\n", last + 1, op, last, type);
      ++last;
    }
    text += fmt::format("  %r = burn.add %v{}, %v0 : {}\n  return %r : {}\n}}\n", last, type, type);
    const Program program = compileText(text);
    const auto arena = makeArena(program);
    void *const buffers[] = {x.get(), y.get()};
    std::vector<double> times;
    for (int round = 0; round < (quick ? 20 : 200); ++round)
      times.push_back(timeOf([&] { program.call(buffers, nullptr, arena.get(), /*serial=*/true); }) / count);
    report[name] = summary(times);
    fmt::print("{:<28} {:.3f} ns an element\n", name, *std::min_element(times.begin(), times.end()) * 1e9);
  }
  return report;
}

Json benchElementwise(const Options &options) {
  const int64_t count = options.quick ? int64_t(1) << 22 : int64_t(1) << 26;
  const Program program =
      compileText(fmt::format("func.func @main(%x: tensor<{0}xf32>, %b: tensor<f32>) -> tensor<{0}xf32> {{\n"
                              "  %bb = burn.broadcast %b {{dims = array<i64>}} : tensor<f32> to tensor<{0}xf32>\n"
                              "  %s = burn.add %x, %bb : tensor<{0}xf32>\n  %g = burn.gelu none %s : tensor<{0}xf32>\n"
                              "  return %g : tensor<{0}xf32>\n}}\n",
                              count));
  const FloatBuffer x = makeBuffer(count, 1), bias = makeBuffer(16, 2), y = makeBuffer(count, 3);
  const auto arena = makeArena(program);
  void *const buffers[] = {x.get(), bias.get(), y.get()};
  Json report = {{"op", "gelu(x + b)"}, {"elements", count}, {"unit", "bytes read and written per second"}};
  const int cpus = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  for (const bool serial : {true, false}) {
    // The copy is cut into as many pieces as there are threads.
    const int threads = serial ? 1 : (options.threads ? options.threads : cpus);
    if (!serial && threads == 1)
      continue;
    std::vector<double> ours, copies;
    for (int round = 0; round < 12; ++round) {
      const double own = timeOf([&] { program.call(buffers, nullptr, arena.get(), serial); });
      const double copy = timeOf([&] {
        std::vector<std::thread> workers;
        const int64_t part = count / threads;
        for (int i = 1; i < threads; ++i)
          workers.emplace_back([&, i] { std::memcpy(y.get() + i * part, x.get() + i * part, part * 4); });
        std::memcpy(y.get(), x.get(), part * 4);
        for (std::thread &worker : workers)
          worker.join();
      });
      if (round >= 2) {
        ours.push_back(own);
        copies.push_back(copy);
      }
    }
    const double best = *std::min_element(ours.begin(), ours.end());
    const double ratio = *std::min_element(copies.begin(), copies.end()) / best;
    fmt::print("gelu(x + b), {} elements, {} thread{}: {:.1f} GB/s, {:.2f} of memcpy\n", count, threads,
               threads == 1 ? "" : "s", count * 8.0 / best * 1e-9, ratio);
    report[serial ? "one_thread" : "all_threads"] = {
        {"threads", threads}, {"ours", summary(ours)}, {"memcpy", summary(copies)}, {"ratio", ratio}};
  }
  report["chains"] = benchChains(options.quick);
  return report;
}

} // namespace burn::bench
