// What the benchmarks of burn-bench share: timing, statistics, the report.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <burn/program.h>

#include <nlohmann/json.hpp>

namespace burn::bench {

using Json = nlohmann::ordered_json;

/// What the command line asks for.
struct Options {
  /// Peers of matrix products; those that are not there are an error only where they were named.
  std::vector<std::string> openblas, onednn;
  /// Matrix products, rows, convolutions and steps whose name holds this alone.
  std::string filter;
  /// File to which a table of matrix products is appended.
  std::string table;
  int threads = 0; // 0: as the library decides
  bool quick = false;
  std::string sleef = "libsleef.so.3";
};

/// Seconds that `fn` takes.
template <typename Fn> double timeOf(Fn &&fn) {
  const auto start = std::chrono::steady_clock::now();
  fn();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const size_t half = values.size() / 2;
  return values.size() % 2 ? values[half] : (values[half - 1] + values[half]) / 2;
}

/// Best, median and the distance between the quartiles over the median.
inline Json summary(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const double middle = median(values);
  const double spread = values[values.size() * 3 / 4] - values[values.size() / 4];
  return {{"best", values.front()}, {"median", middle}, {"spread", middle > 0 ? spread / middle : 0.0}};
}

/// Memory of a benchmark: aligned, every page written before the clock runs.
struct AlignedFree {
  void operator()(float *data) const { std::free(data); }
};
using FloatBuffer = std::unique_ptr<float[], AlignedFree>;
inline FloatBuffer makeBuffer(int64_t count, uint32_t seed) {
  FloatBuffer buffer(static_cast<float *>(std::aligned_alloc(4096, (count * 4 + 4095) / 4096 * 4096)));
  uint32_t state = seed * 2654435761u + 1;
  for (int64_t i = 0; i < count; ++i) {
    state = state * 1664525u + 1013904223u;
    buffer[i] = static_cast<float>(state >> 8) * 0x1p-24f - 0.5f;
  }
  return buffer;
}

/// A program from its text, compiled for a device through the kernel cache.
Program compileText(const std::string &text, const Device &device = Device());
/// Scratch memory of a call.
std::shared_ptr<void> makeArena(const Program &program);

/// Keeps the calling thread on one processor while it lives.
class Pinned {
public:
  /// Where `pins` is false, the thread stays free.
  explicit Pinned(bool pins = true);
  ~Pinned();

private:
  std::vector<unsigned char> before_;
};

// Each benchmark returns its part of the report and prints a line as it goes.
Json benchMatmul(const Options &options);
Json benchElementwise(const Options &options);
Json benchTracing(const Options &options);
Json benchOverhead(const Options &options);
Json benchCompile(const Options &options);
Json benchCompiler(const Options &options);
Json benchStart(const Options &options);
Json benchSteps(const Options &options);
Json benchRows(const Options &options);
Json benchConv(const Options &options);
Json benchMath(const Options &options);
Json benchAutotune(const Options &options);

/// A program with the name of its case.
struct NamedProgram {
  std::string name, text;
};
/// The programs of benchMatmul, benchConv, and the rows of benchRows.
std::vector<NamedProgram> productPrograms();
std::vector<NamedProgram> convolutionPrograms();
std::vector<NamedProgram> rowPrograms();

/// A folder that is gone when the benchmark ends.
class TemporaryFolder {
public:
  TemporaryFolder();
  ~TemporaryFolder();
  std::filesystem::path path;
};

/// Seconds from execve of this program with `--child TASK` to the first byte that it writes.
double timeOfChild(const std::string &task, const std::string &cache);

/// What a child process of burn-bench does: named by benchCompile and benchStart.
int runChild(const std::string &task);
/// The same for benchMatmul: times one product on one side.
int runMatmulChild(const std::string &task);

/// Path of this program.
std::string selfPath();

} // namespace burn::bench
