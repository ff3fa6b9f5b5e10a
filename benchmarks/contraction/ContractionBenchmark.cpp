// Contraction kernels against OpenBLAS, and convolutions of a small net, on one core.
//
//   taskset -c 1 env -u OPENBLAS_CORETYPE -u OPENBLAS_L2_SIZE OPENBLAS_NUM_THREADS=1 bench-contraction CPU [M N K
//   [LAYOUT]]
//
// Runs of both sides alternate; the best of each counts.
#include "test/unit/compiler/ContractionKernels.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>

using namespace burn::compiler;
using namespace burn::compiler::test;

namespace {

using Sgemm = void(int, int, int, int, int, int, float, const float *, int, const float *, int, float, float *, int);

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

std::vector<float> fill(int64_t count) {
  std::vector<float> values(count + 64);
  uint32_t seed = 1;
  for (float &value : values)
    value = float(int32_t(seed = seed * 1664525u + 1013904223u)) * 0x1p-31f;
  return values;
}

std::string describe(const ContractionTiling &t, const ContractionKernel &kernel) {
  char text[160];
  snprintf(text, sizeof text, "tile %ldx%ld block %ld task %ldx%ld pack %d%d exch %d tasks %ld scratch %ldK",
           long(t.tileRows), long(t.tileLanes), long(t.blockSteps), long(t.taskRows), long(t.taskLanes), t.packRows,
           t.packLanes, t.exchange, long(kernel.tasks), long(kernel.scratchElements * 4 / 1024));
  return text;
}

ContractionTiling tilingOf(const Contraction &contraction, const CpuTarget &target) {
  ContractionTiling tiling = chooseContractionTiling(contraction, 4, infoOf(target));
  // TILING=name=value,... overrides single choices.
  if (const char *text = getenv("TILING")) {
    std::pair<const char *, int64_t *> sizes[] = {{"tileRows", &tiling.tileRows},
                                                  {"tileLanes", &tiling.tileLanes},
                                                  {"block", &tiling.blockSteps},
                                                  {"taskRows", &tiling.taskRows},
                                                  {"taskLanes", &tiling.taskLanes}};
    std::pair<const char *, bool *> flags[] = {
        {"packRows", &tiling.packRows}, {"packLanes", &tiling.packLanes}, {"exchange", &tiling.exchange}};
    std::string copy = text;
    for (char *word = strtok(copy.data(), ","); word; word = strtok(nullptr, ",")) {
      char *value = strchr(word, '=');
      *value++ = 0;
      for (auto [name, to] : sizes)
        if (!strcmp(name, word))
          *to = atol(value);
      for (auto [name, to] : flags)
        if (!strcmp(name, word))
          *to = atoi(value);
    }
  }
  return tiling;
}

void product(int64_t m, int64_t n, int64_t k, bool lhsTransposed, bool rhsTransposed, const CpuTarget &target,
             Sgemm *sgemm) {
  std::vector<int64_t> lhsShape = lhsTransposed ? std::vector{k, m} : std::vector{m, k};
  std::vector<int64_t> rhsShape = rhsTransposed ? std::vector{n, k} : std::vector{k, n};
  Contraction contraction = makeDotContraction(
      {lhsShape, rhsShape, {}, {}, {int64_t(lhsTransposed ? 0 : 1)}, {int64_t(rhsTransposed ? 1 : 0)}});
  ContractionTiling tiling = tilingOf(contraction, target);
  double compiled = now();
  ContractionKernel kernel(contraction, tiling, target, [](auto *c) { return mlir::Float32Type::get(c); });
  compiled = now() - compiled;
  std::vector<float> a = fill(m * k), b = fill(k * n), out = fill(m * n), other = fill(m * n),
                     scratch = fill(kernel.scratchElements + 1024);
  void *aligned = reinterpret_cast<void *>((reinterpret_cast<uintptr_t>(scratch.data()) + 63) & ~uintptr_t(63));
  double best = 1e9, rival = 1e9;
  int repeat = int(std::max(1.0, 2e7 / (2.0 * m * n * k)));
  for (int i = 0; i < 20; ++i) {
    double t = now();
    for (int r = 0; r < repeat; ++r)
      kernel.function(a.data(), b.data(), out.data(), nullptr, aligned, 0, kernel.tasks);
    best = std::min(best, (now() - t) / repeat);
    t = now();
    for (int r = 0; r < repeat; ++r)
      sgemm(101, lhsTransposed ? 112 : 111, rhsTransposed ? 112 : 111, m, n, k, 1, a.data(), lhsTransposed ? m : k,
            b.data(), rhsTransposed ? k : n, 0, other.data(), n);
    rival = std::min(rival, (now() - t) / repeat);
  }
  double flops = 2.0 * m * n * k / 1e9;
  printf("%ldx%ldx%ld%s%s: %.1f GF/s, OpenBLAS %.1f, ratio %.2f, compile %.0f ms (%s)\n", long(m), long(n), long(k),
         lhsTransposed ? " A^T" : "", rhsTransposed ? " B^T" : "", flops / best, flops / rival, rival / best,
         compiled * 1e3, describe(tiling, kernel).c_str());
  fflush(stdout);
}

void convolution(const char *name, std::vector<int64_t> lhs, std::vector<int64_t> rhs, std::vector<int64_t> out,
                 std::vector<int64_t> lhsDims, std::vector<int64_t> rhsDims, std::vector<int64_t> outDims, int64_t pad,
                 const CpuTarget &target) {
  std::vector<int64_t> ones = {1, 1}, pads = {pad, pad};
  Contraction contraction =
      makeConvContraction({lhs, rhs, out, lhsDims, rhsDims, outDims, ones, pads, ones, ones, 1, 1});
  ContractionTiling tiling = tilingOf(contraction, target);
  double compiled = now();
  ContractionKernel kernel(contraction, tiling, target, [](auto *c) { return mlir::Float32Type::get(c); });
  compiled = now() - compiled;
  std::vector<float> a = fill(elements(lhs)), b = fill(elements(rhs)), c = fill(elements(out)),
                     scratch = fill(kernel.scratchElements + 1024);
  void *aligned = reinterpret_cast<void *>((reinterpret_cast<uintptr_t>(scratch.data()) + 63) & ~uintptr_t(63));
  double best = 1e9;
  for (int i = 0; i < 20; ++i) {
    double t = now();
    kernel.function(a.data(), b.data(), c.data(), nullptr, aligned, 0, kernel.tasks);
    best = std::min(best, now() - t);
  }
  double flops = 2.0 * elements(out) * contraction.count(LoopGroup::Contracted) / 1e9;
  printf("%s: %.3f ms, %.1f GF/s, compile %.0f ms (%s)\n", name, best * 1e3, flops / best, compiled * 1e3,
         describe(tiling, kernel).c_str());
  fflush(stdout);
}

/// Forward, data gradient and weight gradient of a convolution without padding.
void convolutions(const char *name, int64_t batch, int64_t in, int64_t size, int64_t features, int64_t kernel,
                  const CpuTarget &target) {
  int64_t positions = size - kernel + 1;
  std::vector<int64_t> x = {batch, in, size, size}, w = {features, in, kernel, kernel},
                       y = {batch, features, positions, positions}, plain = {0, 1, 2, 3}, turned = {1, 0, 2, 3};
  std::string prefix = name;
  convolution((prefix + " forward").c_str(), x, w, y, plain, plain, plain, 0, target);
  convolution((prefix + " data gradient").c_str(), y, w, x, plain, turned, plain, kernel - 1, target);
  convolution((prefix + " weight gradient").c_str(), x, y, w, turned, turned, turned, 0, target);
}

} // namespace

int main(int argc, char **argv) {
  CpuTarget target;
  target.cpu = argc > 1 ? argv[1] : "x86-64-v3";
  void *library = dlopen("libopenblas.so.0", RTLD_NOW);
  auto *sgemm = library ? reinterpret_cast<Sgemm *>(dlsym(library, "cblas_sgemm")) : nullptr;
  if (!sgemm) {
    fprintf(stderr, "libopenblas.so.0 is not installed\n");
    return 1;
  }
  if (auto *core = reinterpret_cast<const char *(*)()>(dlsym(library, "openblas_get_corename")))
    printf("OpenBLAS runs its %s kernels; ours are for %s\n", core(), target.cpu.c_str());
  if (argc >= 5) {
    product(atol(argv[2]), atol(argv[3]), atol(argv[4]), argc > 5 && strchr(argv[5], 'a'),
            argc > 5 && strchr(argv[5], 'b'), target, sgemm);
    return 0;
  }
  int64_t sizes[][3] = {{512, 512, 512}, {64, 512, 784},  {257, 129, 511},    {64, 64, 64},
                        {128, 128, 128}, {256, 256, 256}, {1024, 1024, 1024}, {64, 10, 512},
                        {64, 128, 1600}, {64, 128, 128},  {1, 4096, 4096},    {4096, 64, 1024}};
  for (auto [m, n, k] : sizes)
    product(m, n, k, false, false, target, sgemm);
  product(784, 512, 64, true, false, target, sgemm);
  product(512, 512, 512, true, false, target, sgemm);
  product(64, 784, 512, false, true, target, sgemm);
  product(512, 512, 512, false, true, target, sgemm);
  convolutions("conv 64x64x13x13 by 64x64x3x3", 64, 64, 13, 64, 3, target);
  convolutions("conv 64x1x28x28 by 64x1x3x3", 64, 1, 28, 64, 3, target);
}
