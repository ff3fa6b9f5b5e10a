// Compiled kernels beside named peers in the same run, interleaved, on memory that was touched before.
#include "tools/burn-bench/Bench.h"

#include <burn/program.h>

#include <cmath>
#include <cstring>
#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <sched.h>
#include <stdexcept>
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

Program compileText(const std::string &text) {
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / fmt::format("burn-bench-{}.mlir", getpid());
  std::ofstream(path) << text;
  Program program = Program::load(path);
  std::filesystem::remove(path);
  return program;
}

std::shared_ptr<void> makeArena(const Program &program) {
  const size_t bytes = (program.arena_bytes() + 8191) / 4096 * 4096;
  void *data = std::aligned_alloc(4096, bytes);
  std::memset(data, 0, bytes);
  return {data, std::free};
}

namespace {

using Sgemm = void (*)(int, int, int, int, int, int, float, const float *, int, const float *, int, float, float *,
                       int);
constexpr int kRowMajor = 101, kNoTranspose = 111;

struct OpenBlas {
  void *library = nullptr;
  Sgemm sgemm = nullptr;
  std::string config;
};

// OpenBLAS with one thread. Settings that force an older kernel on this process are dropped before it looks.
OpenBlas openBlas(const std::string &path) {
  unsetenv("OPENBLAS_CORETYPE");
  unsetenv("OPENBLAS_L2_SIZE");
  setenv("OPENBLAS_NUM_THREADS", "1", 1);
  OpenBlas blas;
  blas.library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!blas.library)
    throw std::runtime_error(fmt::format("cannot open OpenBLAS: {}; name it with --openblas", dlerror()));
  blas.sgemm = reinterpret_cast<Sgemm>(dlsym(blas.library, "cblas_sgemm"));
  if (auto config = reinterpret_cast<char *(*)()>(dlsym(blas.library, "openblas_get_config")))
    blas.config = config();
  if (auto core = reinterpret_cast<char *(*)()>(dlsym(blas.library, "openblas_get_corename")))
    blas.config += fmt::format(" core {}", core());
  if (!blas.sgemm)
    throw std::runtime_error(path + " has no cblas_sgemm");
  return blas;
}

} // namespace

Json benchMatmul(const Options &options) {
  const OpenBlas blas = openBlas(options.openblas);
  const Pinned pinned;
  Json report = {{"peer", blas.config}, {"unit", "s, one thread, pinned, interleaved"}, {"shapes", Json::array()}};
  const int64_t shapes[][3] = {{512, 512, 512}, {64, 512, 784},  {257, 129, 511},
                               {64, 64, 64},    {256, 256, 256}, {1024, 1024, 1024}};
  for (auto [m, n, k] : shapes) {
    if (options.quick && m * n * k > 512 * 512 * 512)
      continue;
    const Program program = compileText(fmt::format(
        "func.func @main(%a: tensor<{0}x{2}xf32>, %b: tensor<{2}x{1}xf32>) -> tensor<{0}x{1}xf32> {{\n"
        "  %c = burn.dot_general %a, %b {{lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: "
        "1>,\n"
        "      rhs_contract = array<i64: 0>}} : tensor<{0}x{2}xf32>, tensor<{2}x{1}xf32> to tensor<{0}x{1}xf32>\n"
        "  return %c : tensor<{0}x{1}xf32>\n}}\n",
        m, n, k));
    const FloatBuffer a = makeBuffer(m * k, 1), b = makeBuffer(k * n, 2), c = makeBuffer(m * n, 3),
                      d = makeBuffer(m * n, 4);
    const auto arena = makeArena(program);
    void *const buffers[] = {a.get(), b.get(), c.get()};
    // Short products are repeated until the clock resolves them.
    const int repeats = static_cast<int>(std::max<double>(1, 2e7 / (2.0 * m * n * k)));
    std::vector<double> ours, peers;
    for (int round = 0; round < 22; ++round) {
      const double own = timeOf([&] {
        for (int i = 0; i < repeats; ++i)
          program.call(buffers, nullptr, arena.get(), /*serial=*/true);
      });
      const double peer = timeOf([&] {
        for (int i = 0; i < repeats; ++i)
          blas.sgemm(kRowMajor, kNoTranspose, kNoTranspose, static_cast<int>(m), static_cast<int>(n),
                     static_cast<int>(k), 1.0f, a.get(), static_cast<int>(k), b.get(), static_cast<int>(n), 0.0f,
                     d.get(), static_cast<int>(n));
      });
      if (round >= 2) {
        ours.push_back(own / repeats);
        peers.push_back(peer / repeats);
      }
    }
    double difference = 0;
    for (int64_t i = 0; i < m * n; ++i)
      difference = std::max(difference, static_cast<double>(std::fabs(c[i] - d[i])));
    const double best = *std::min_element(ours.begin(), ours.end());
    const double ratio = *std::min_element(peers.begin(), peers.end()) / best;
    const double gflops = 2.0 * m * n * k / best * 1e-9;
    fmt::print("matmul {:>5} x {:>4} x {:>4}: {:7.1f} GF/s, {:.2f} of OpenBLAS\n", m, n, k, gflops, ratio);
    report["shapes"].push_back({{"m", m},
                                {"n", n},
                                {"k", k},
                                {"ours", summary(ours)},
                                {"openblas", summary(peers)},
                                {"gflops", gflops},
                                {"ratio", ratio},
                                {"max_difference", difference}});
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
  return report;
}

} // namespace burn::bench
