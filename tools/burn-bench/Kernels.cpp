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

Pinned::Pinned() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) != 0)
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
  return report;
}

} // namespace burn::bench
