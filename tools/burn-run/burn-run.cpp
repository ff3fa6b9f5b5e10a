// burn-run: evaluates a function of a .mlir file.

#include <burn/error.h>
#include <burn/io.h>
#include <burn/program.h>

#include "tools/RunTool.h"

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace {

std::string describe(const burn::HostArray &array) {
  return fmt::format("{}{}", burn::name(array.dtype()), array.shape().str());
}

// The elements in row-major order, up to a number that a terminal can show.
void print(const burn::HostArray &array) {
  constexpr int64_t most = 64;
  burn::visitDType(array.dtype(), [&](auto element) {
    using T = decltype(element);
    const auto values = array.values<T>();
    for (int64_t i = 0; i < array.numel() && i < most; ++i) {
      if constexpr (std::is_same_v<T, burn::f16> || std::is_same_v<T, burn::bf16>)
        fmt::print("{}{}", i ? " " : "", static_cast<float>(values[i]));
      else if constexpr (sizeof(T) == 1)
        fmt::print("{}{}", i ? " " : "", static_cast<int>(values[i]));
      else
        fmt::print("{}{}", i ? " " : "", values[i]);
    }
  });
  fmt::print("{}\n", array.numel() > most ? " ..." : "");
}

int run(int argc, char **argv) {
  CLI::App app("Evaluates a function of burn IR: compiled for this machine, or with the reference interpreter.\n"
               "Inputs are .npy files in the order of the function's arguments. Results are printed, or written\n"
               "to the files given with --output.");
  std::string file, entry, device = "cpu";
  std::vector<std::string> inputs, outputs;
  bool reference = false, referenceF64 = false, fastMath = false;
  app.add_option("FILE", file, "MLIR file, text or bytecode")->required();
  app.add_option("--entry", entry, "Function to run; default: main, or the only one");
  app.add_option("--input", inputs, "One .npy file per argument, in order");
  app.add_option("--output", outputs, "One .npy file per result, in order");
  auto *deviceOption =
      app.add_option("--device", device, "Where to run it: cpu, or a GPU such as vulkan:0")->capture_default_str();
  auto *referenceOption =
      app.add_flag("--reference", reference, "Use the reference interpreter")->excludes(deviceOption);
  app.add_flag("--f64", referenceF64, "With --reference: evaluate in f64, round the results")->needs(referenceOption);
  app.add_flag("--fast-math", fastMath, "Convolutions may take fewer operations, at a larger error (BURN_FAST_MATH=1)")
      ->excludes(referenceOption);
  app.footer("Exit code 0: evaluated; 1: an error, which names file, line and reason; 2: wrong usage.");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  if (fastMath)
    setenv("BURN_FAST_MATH", "1", /*overwrite=*/1);
  std::vector<burn::HostArray> arguments;
  for (const std::string &input : inputs)
    arguments.push_back(burn::load_npy(input));
  const auto mode = !reference     ? burn::Program::Mode::Compiled
                    : referenceF64 ? burn::Program::Mode::ReferenceF64
                                   : burn::Program::Mode::Reference;
  const burn::Program program =
      reference ? burn::Program::load(file, entry, mode) : burn::Program::load(file, entry, burn::Device(device));
  const std::vector<burn::HostArray> results = program.run(arguments);
  if (!outputs.empty() && outputs.size() != results.size()) {
    fmt::print(stderr, "burn-run: {}: {} results, but {} files given with --output\n", file, results.size(),
               outputs.size());
    return 1;
  }
  for (size_t i = 0; i < results.size(); ++i) {
    if (!outputs.empty()) {
      burn::save_npy(outputs[i], results[i]);
    } else {
      fmt::print("result {}: {}\n", i, describe(results[i]));
      print(results[i]);
    }
  }
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  return burn::tools::runTool("burn-run", [&] { return run(argc, argv); });
}
