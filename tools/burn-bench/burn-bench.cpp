// burn-bench: measures this machine, and named peers beside it.
#include "tools/RunTool.h"
#include "tools/burn-bench/Accuracy.h"
#include "tools/burn-bench/Bench.h"

#include <burn/version.h>

#include <cstdio>
#include <fstream>
#include <map>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

using namespace burn::bench;

namespace {

std::string processor() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.rfind("model name", 0) == 0)
      return line.substr(line.find(':') + 2);
  return "unknown";
}

int run(int argc, char **argv) {
  const std::vector<std::pair<std::string, Json (*)(const Options &)>> benchmarks = {
      {"tracing", benchTracing},   {"overhead", benchOverhead}, {"start", benchStart},
      {"compiler", benchCompiler}, {"compile", benchCompile},   {"steps", benchSteps},
      {"matmul", benchMatmul},     {"conv", benchConv},         {"elementwise", benchElementwise},
      {"rows", benchRows},         {"math", benchMath},         {"autotune", benchAutotune}};
  std::string names;
  for (const auto &[name, run] : benchmarks)
    names += (names.empty() ? "" : ", ") + name;

  CLI::App app("Measures recording, launching, compiling, starting, whole training steps and kernels; with --accuracy "
               "the errors of the "
               "float ops instead.\n"
               "Benchmarks: " +
               names + ". Without a name all run.");
  Options options;
  std::vector<std::string> chosen;
  std::string json, child;
  app.add_option("BENCHMARK", chosen, "What to run");
  app.add_option("--json", json, "Write the report to this file");
  app.add_option("--openblas", options.openblas, "OpenBLAS to compare matrix products with, once or more");
  app.add_option("--onednn", options.onednn, "oneDNN to compare products, rows and convolutions with, once or more");
  app.add_option("--filter", options.filter,
                 "Matrix products, rows, convolutions and steps whose name holds this text alone");
  app.add_option("--table", options.table, "Append a table of matrix products to this file");
  std::string isa;
  app.add_option("--isa", isa, "Code of this kind on both sides of matrix products: what the processor has, or AVX2")
      ->check(CLI::IsMember({"native", "avx2"}));
  app.add_option("--sleef", options.sleef, "SLEEF to compare math with");
  app.add_option(
      "--threads", options.threads,
      "Threads of --accuracy, of steps, of matrix products (1 by default), and of the copy that elementwise kernels "
      "are compared with");
  app.add_flag("--quick", options.quick, "Smaller sizes and fewer rounds");
  AccuracyOptions accuracy;
  accuracy.mpfr = "libmpfr.so.6";
  app.add_option(
         "--accuracy", accuracy.mode,
         "Measure errors: of samples, or with =full of all values of types of up to 32 bits. BURN_CPU chooses the "
         "code")
      ->expected(0, 1)
      ->default_str("sampled")
      ->check(CLI::IsMember({"sampled", "full"}));
  app.add_option("--ops", accuracy.ops, "Measure these ops alone")->delimiter(',');
  app.add_option("--types", accuracy.types, "Measure these types alone")->delimiter(',');
  app.add_option("--device", accuracy.device, "Measure the ops on this device, such as vulkan:0")
      ->capture_default_str();
  app.add_option("--label", accuracy.label, "What the table calls the device");
  app.add_option("--seconds", accuracy.seconds, "End the measurement of an op after this time");
  app.add_option("--lines", accuracy.lines, "Append measurements to this file, and skip those that it has");
  app.add_option("--report", accuracy.report, "Write a table of all measurements of --lines");
  app.add_option("--mpfr", accuracy.mpfr, "MPFR, the reference");
  app.add_option("--child", child, "Internal: the part of a benchmark that runs in a process of its own")->group("");
  CLI11_PARSE(app, argc, argv);
  // Before any library looks.
  if (isa == "avx2") {
    setenv("BURN_CPU", "x86-64-v3", 1);
    setenv("OPENBLAS_CORETYPE", "Haswell", 1);
    setenv("ONEDNN_MAX_CPU_ISA", "AVX2", 1);
  } else if (child.empty()) {
    unsetenv("OPENBLAS_CORETYPE");
    unsetenv("ONEDNN_MAX_CPU_ISA");
  }
  if (!child.empty())
    return runChild(child);
  if (!accuracy.mode.empty() || app.count("--accuracy") != 0) {
    accuracy.mode = accuracy.mode.empty() ? "sampled" : accuracy.mode;
    accuracy.threads = options.threads;
    return runAccuracy(accuracy);
  }

  Json report = {{"version", burn::version()}, {"processor", processor()}};
  for (const std::string &name : chosen)
    if (std::none_of(benchmarks.begin(), benchmarks.end(), [&](const auto &entry) { return entry.first == name; })) {
      fmt::print(stderr, "burn-bench: no benchmark {}; there are {}\n", name, names);
      return 2;
    }
  for (const auto &[name, run] : benchmarks)
    if (chosen.empty() || std::find(chosen.begin(), chosen.end(), name) != chosen.end())
      report[name] = run(options);
  if (!json.empty()) {
    std::ofstream file(json);
    file << report.dump(2) << "\n";
    if (!file.flush()) {
      fmt::print(stderr, "burn-bench: cannot write {}\n", json);
      return 1;
    }
  }
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  return burn::tools::runTool("burn-bench", [&] { return run(argc, argv); });
}
