// A GPU: bytes per second of kernels beside a copy by the device itself, products, a training step, a launch.
//
//   bench-device [--device vulkan:0] [--elements N] [--rounds N] [--json FILE]
#include "examples/mnist/net.h"
#include "runtime/Devices/Vulkan/VulkanDevice.h"
#include "runtime/Memory/Buffer.h"
#include "tools/burn-bench/Bench.h"

#include <burn/burn.h>

#include <ctime>
#include <fstream>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

using namespace burn;
using bench::Json;
using bench::timeOf;

namespace {

struct Settings {
  std::string device = "vulkan:0", json;
  int64_t elements = int64_t(1) << 24, size = 1024, batch = 64;
  int rounds = 10;
};

// Runs of a kernel between two waits: the device stays busy, and the wait does not count.
constexpr int kRuns = 10;

/// Seconds of one run: the best over the rounds. The first round, which compiles, does not count.
template <typename Fn> double secondsOf(const Settings &settings, Fn &&run) {
  double best = 0;
  for (int round = 0; round <= settings.rounds; ++round) {
    burn::sync();
    const double seconds = timeOf([&] {
                             for (int i = 0; i < kRuns; ++i)
                               run();
                             burn::sync();
                           }) /
                           kRuns;
    if (round == 1 || (round > 1 && seconds < best))
      best = seconds;
  }
  return best;
}

double copySeconds(const Settings &settings, runtime::Device &device) {
  const auto bytes = static_cast<size_t>(settings.elements) * sizeof(float);
  core::Expected<runtime::BufferRef> from = runtime::Buffer::allocate(bytes, &device),
                                     to = runtime::Buffer::allocate(bytes, &device);
  for (const auto *buffer : {&from, &to})
    if (!*buffer)
      throw Error(buffer->status().code(), buffer->status().message());
  return secondsOf(settings, [&] {
    if (const core::Status status = device.copy(**from, **to); !status)
      throw Error(status.code(), status.message());
  });
}

struct Kernel {
  const char *name;
  /// Tensors of `elements` that it reads and writes.
  double tensors;
  std::function<Tensor()> run;
};

Json measureKernels(const Settings &settings, double copyRate) {
  const int64_t n = settings.elements, row = 1024;
  const Tensor x = rand({n}), y = rand({n}), b = tensor(0.5f), rows = x.reshape({n / row, row});
  const Tensor half = x.to(DType::F16);
  const Kernel kernels[] = {
      {"x + y", 3, [&] { return x + y; }},
      {"x * 2 + y", 3, [&] { return x * 2.0 + y; }},
      {"relu(x)", 2, [&] { return relu(x); }},
      {"gelu(x + b)", 2, [&] { return gelu(x + b); }},
      {"tanh(x) * sigmoid(y) + x", 3, [&] { return tanh(x) * sigmoid(y) + x; }},
      {"f16: x * 2", 1, [&] { return half * 2.0; }},
      {"sum(x)", 1, [&] { return sum(x); }},
      {"sum of rows of 1024", 1, [&] { return rows.sum(1); }},
      {"softmax of rows of 1024", 2, [&] { return softmax(rows, 1); }},
      {"transpose", 2, [&] { return rows.transpose(0, 1); }},
  };
  Json report;
  for (const Kernel &kernel : kernels) {
    try {
      const double rate = kernel.tensors * static_cast<double>(n) * sizeof(float) / secondsOf(settings, [&] {
                            const Tensor result = kernel.run();
                            flush();
                          });
      fmt::print("{:28} {:9.1f} GB/s, {:.2f} of a copy\n", kernel.name, rate * 1e-9, rate / copyRate);
      report[kernel.name] = {{"bytes_per_second", rate}, {"of_copy", rate / copyRate}};
    } catch (const Error &error) {
      fmt::print("{:28} {}\n", kernel.name, error.what());
      report[kernel.name] = {{"error", error.what()}};
    }
    std::fflush(stdout);
  }
  return report;
}

Json measureProduct(const Settings &settings) {
  Json report;
  for (const DType dtype : {DType::F32, DType::F16}) {
    const std::string label = fmt::format("matmul {0}x{0} {1}", settings.size, name(dtype));
    try {
      const Tensor x = rand({settings.size, settings.size}).to(dtype),
                   y = rand({settings.size, settings.size}).to(dtype);
      const double seconds = secondsOf(settings, [&] {
        const Tensor result = x.matmul(y);
        flush();
      });
      const auto size = static_cast<double>(settings.size);
      const double rate = 2 * size * size * size / seconds;
      fmt::print("{:28} {:9.1f} GFLOP/s\n", label, rate * 1e-9);
      report[label] = rate;
    } catch (const Error &error) {
      fmt::print("{:28} {}\n", label, error.what());
      report[label] = {{"error", error.what()}};
    }
    std::fflush(stdout);
  }
  return report;
}

Json measureTraining(const Settings &settings) {
  Net net;
  optim::AdamW optimizer(nn::named_parameters(net), {.lr = 1e-3});
  const Tensor images = randn({settings.batch, 1, 28, 28}), labels = randint(0, 10, {settings.batch});
  const double seconds = secondsOf(settings, [&] {
    const Tensor loss = cross_entropy(net.forward(images), labels);
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
    flush();
  });
  fmt::print("MNIST step, batch {}: {:.2f} ms, {:.0f} images/s\n", settings.batch, seconds * 1e3,
             static_cast<double>(settings.batch) / seconds);
  return {{"batch", settings.batch}, {"seconds", seconds}};
}

Json measureLaunch(const Settings &settings) {
  const Tensor x = ones({16});
  const double seconds = secondsOf(settings, [&] {
    const Tensor y = x + 1.0;
    flush();
  });
  fmt::print("a launch of 16 elements: {:.1f} us\n", seconds * 1e6);
  return {{"seconds", seconds}};
}

double threadSeconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

// What the thread of the program spends to record and submit a launch, without waiting for the device.
Json measureRecording(const Settings &settings) {
  constexpr int launches = 1000;
  const Tensor x = ones({16}), y = full({16}, 0.5), z = full({16}, 2.0);
  double best = 0;
  for (int round = 0; round <= settings.rounds; ++round) {
    const Tensor result = fori_loop(0, launches, [&](const Tensor &, const Tensor &c) { return c * y + z; }, x);
    burn::sync();
    const double start = threadSeconds();
    const Tensor again = fori_loop(0, launches, [&](const Tensor &, const Tensor &c) { return c * y + z; }, x);
    flush();
    const double seconds = (threadSeconds() - start) / launches;
    if (round == 1 || (round > 1 && seconds < best))
      best = seconds;
  }
  fmt::print("the host's time for a launch in a loop: {:.2f} us\n", best * 1e6);
  return {{"seconds", best}};
}

int run(const Settings &settings) {
  const Device device(settings.device);
  core::Expected<runtime::Device *> opened = runtime::openDevice(settings.device);
  if (!opened)
    throw Error(opened.status().code(), opened.status().message());
  const runtime::PlanTarget &target = (*opened)->target();
  fmt::print("{}: {}, driver {}\n  {}\n", device.name(), target.cpu, target.driver, target.features);
  set_default_device(device);
  const NoGradGuard guard;
  manual_seed(1);
  const double copyRate =
      2.0 * static_cast<double>(settings.elements) * sizeof(float) / copySeconds(settings, **opened);
  fmt::print("{:28} {:9.1f} GB/s read and written\n", "a copy by the device", copyRate * 1e-9);
  Json report = {{"device", target.cpu},
                 {"driver", target.driver},
                 {"features", target.features},
                 {"elements", settings.elements},
                 {"copy_bytes_per_second", copyRate}};
  report["launch"] = measureLaunch(settings);
  report["recording"] = measureRecording(settings);
  report["kernels"] = measureKernels(settings, copyRate);
  report["products"] = measureProduct(settings);
  {
    const GradModeGuard enabled(true);
    report["training"] = measureTraining(settings);
  }
  if (settings.json.empty())
    return 0;
  std::ofstream file(settings.json);
  file << report.dump(2) << "\n";
  if (!file.flush())
    throw Error(ErrorCode::Io, "cannot write " + settings.json);
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  Settings settings;
  CLI::App app("Measures a GPU: kernels beside a copy by the device, products, a training step.", "bench-device");
  app.add_option("--device", settings.device, "The GPU")->capture_default_str();
  app.add_option("--elements", settings.elements, "f32 elements of the tensors, a multiple of 1024")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--size", settings.size, "Rows and columns of products")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--batch", settings.batch, "Images of a training step")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--rounds", settings.rounds, "Rounds, of which the best counts")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--json", settings.json, "Write the report to this file");
  CLI11_PARSE(app, argc, argv);
  settings.elements = (settings.elements + 1023) / 1024 * 1024;
  try {
    return run(settings);
  } catch (const std::exception &error) {
    fmt::print(stderr, "bench-device: {}\n", error.what());
    return 1;
  }
}
