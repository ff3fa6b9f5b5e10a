// What the runtime adds to the kernels: recording, launching, compiling, starting.
#include "tools/burn-bench/Bench.h"
#include "tools/burn-bench/Nets.h"

#include <burn/burn.h>

#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <functional>
#include <spawn.h>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

extern char **environ;

namespace burn::bench {

TemporaryFolder::TemporaryFolder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "burn-bench-XXXXXX").string();
  if (!mkdtemp(pattern.data()))
    throw std::runtime_error("cannot create a folder in " + pattern);
  path = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code error;
  std::filesystem::remove_all(path, error);
}

double timeOfChild(const std::string &task, const std::string &cache) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    throw std::runtime_error("cannot create a pipe");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  const std::string self = selfPath();
  std::string arguments[] = {self, "--child", task};
  char *argv[] = {arguments[0].data(), arguments[1].data(), arguments[2].data(), nullptr};
  setenv("BURN_CACHE_DIR", cache.c_str(), 1);
  pid_t child = 0;
  char byte = 0;
  ssize_t count = 0;
  const double seconds = timeOf([&] {
    if (posix_spawn(&child, self.c_str(), &actions, nullptr, argv, environ) != 0)
      throw std::runtime_error("cannot start " + self);
    close(ends[1]);
    count = read(ends[0], &byte, 1);
  });
  posix_spawn_file_actions_destroy(&actions);
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (count != 1 || status != 0)
    throw std::runtime_error("the child process of " + task + " failed");
  return seconds;
}

std::string selfPath() { return std::filesystem::read_symlink("/proc/self/exe").string(); }

int runChild(const std::string &task) {
  if (task.rfind("matmul ", 0) == 0)
    return runMatmulChild(task);
  if (task == "mlp-forward") {
    NoGradGuard guard;
    Mlp mlp;
    const float value = mlp.forward(ones({1, 784})).sum().item<float>();
    fmt::print("{}\n", value);
    return 0;
  }
  if (task.rfind("step ", 0) == 0) {
    fmt::print("{}\n", makeStep(task.substr(5))->run().sum().item<float>());
    return 0;
  }
  return 2;
}

// Nanoseconds a node that `work`, which ends with a flush or a read, takes to record.
std::vector<double> recordingTimes(int rounds, uint64_t &nodes, const std::function<void()> &work) {
  std::vector<double> perNode;
  for (int i = 0; i < 5 + rounds; ++i) {
    const Stats before = stats();
    const double whole = timeOf(work);
    const Stats after = stats();
    nodes = after.nodes - before.nodes;
    if (i >= 5)
      perNode.push_back((whole * 1e9 - (after.flush_ms - before.flush_ms) * 1e6) / static_cast<double>(nodes));
  }
  return perNode;
}

Json benchTracing(const Options &) {
  uint64_t nodes = 0, stepNodes = 0;
  // Small tensors leave the caches to the recorder; a training step's kernels take them away from it.
  const Tensor scale = ones({4}), shift = ones({4});
  sync();
  const std::vector<double> chain = recordingTimes(1000, nodes, [&] {
    NoGradGuard guard;
    Tensor y = scale;
    for (int i = 0; i < 100; ++i)
      y = relu(y * scale + shift);
    flush();
  });
  const std::unique_ptr<Step> training = makeStep("mnist-64");
  const std::vector<double> step = recordingTimes(100, stepNodes, [&] { training->run(); });
  fmt::print("traced op: {:.0f} ns in a chain of {} small ones, {:.0f} ns in a training step of {}\n", median(chain),
             nodes, median(step), stepNodes);
  return {{"unit", "ns per node, flush excluded"},
          {"chain", {{"nodes", nodes}, {"ns", summary(chain)}}},
          {"step", {{"nodes", stepNodes}, {"ns", summary(step)}}}};
}

Json benchOverhead(const Options &) {
  NoGradGuard guard;
  Tensor x = ones({16});
  sync();
  std::vector<double> times;
  for (int i = 0; i < 1100; ++i) {
    const Tensor y = x + 1.0;
    const double seconds = timeOf([] { flush(); });
    if (i >= 100)
      times.push_back(seconds * 1e6);
  }
  fmt::print("overhead of a cached plan: {:.2f} us\n", median(times));
  return {{"unit", "us, flush to return, one kernel of 16 elements"}, {"us", summary(times)}};
}

Json benchCompile(const Options &options) {
  Json report = {{"unit", "s, execve to the first result, compiler load included"}};
  for (const std::string &name : stepNames()) {
    if (name.find(options.filter) == std::string::npos)
      continue;
    std::vector<double> cold, warm;
    for (int i = 0; i < (options.quick ? 1 : 5); ++i) {
      const TemporaryFolder cache;
      cold.push_back(timeOfChild("step " + name, cache.path.string()));
      warm.push_back(timeOfChild("step " + name, cache.path.string()));
    }
    fmt::print("first {} step of a process: {:.2f} s from an empty cache, {:.3f} s from a full one\n", name,
               median(cold), median(warm));
    report["cases"][name] = {{"cold", summary(cold)}, {"warm", summary(warm)}};
  }
  // The MNIST step once more with a dump, which holds the time of each stage.
  const TemporaryFolder cache, dump;
  setenv("BURN_DEBUG", "ir", 1);
  setenv("BURN_DUMP_DIR", dump.path.c_str(), 1);
  timeOfChild("step mnist-64", cache.path.string());
  unsetenv("BURN_DEBUG");
  unsetenv("BURN_DUMP_DIR");
  // The largest of the process's programs is the training step.
  std::filesystem::path largest;
  for (const auto &entry : std::filesystem::directory_iterator(dump.path))
    if (entry.path().extension() == ".times") {
      std::filesystem::path imported = entry.path(), best = largest;
      imported.replace_extension(".0-imported.mlir");
      best.replace_extension(".0-imported.mlir");
      if (largest.empty() || std::filesystem::file_size(imported) > std::filesystem::file_size(best))
        largest = entry.path();
    }
  std::ifstream file(largest);
  std::string stage, unit;
  for (double time = 0; file >> stage >> time >> unit;) {
    fmt::print("  {:<15} {:8.1f} ms\n", stage, time);
    report["stages_ms"][stage] = time;
  }
  return report;
}

Json benchStart(const Options &) {
  const TemporaryFolder cache;
  timeOfChild("mlp-forward", cache.path.string());
  std::vector<double> times;
  for (int i = 0; i < 20; ++i)
    times.push_back(timeOfChild("mlp-forward", cache.path.string()) * 1e3);
  fmt::print("warm start to the first value: {:.1f} ms\n", median(times));
  return {{"unit", "ms, execve to the first value of an MLP's forward, warm cache"}, {"ms", summary(times)}};
}

} // namespace burn::bench
