// How long the compiler takes from a graph to the bytes of its executable.
#include "tools/burn-bench/Bench.h"

#include "runtime/Core/Graph.h"

#include <burn/compiler_api.h>

#include <stdexcept>
#include <utility>

#include <dlfcn.h>

#include <fmt/format.h>

namespace burn::bench {
namespace {

using core::OpCode;
using core::TypeDesc;

// The compiler of this build or installation, whose folders of programs and libraries stand side by side.
const burn_compiler_api &compiler() {
  static const burn_compiler_api *api = [] {
    const std::string self = selfPath();
    const char *path = std::getenv("BURN_COMPILER_PATH");
    const std::string file = path && *path ? path : self.substr(0, self.rfind('/')) + "/../lib/libburn-compiler.so";
    void *handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!handle)
      throw std::runtime_error(dlerror());
    const auto get = reinterpret_cast<burn_compiler_get_api_fn>(dlsym(handle, BURN_COMPILER_SYMBOL));
    return get ? get(BURN_COMPILER_ABI) : nullptr;
  }();
  if (!api)
    throw std::runtime_error("libburn-compiler is of another version");
  return *api;
}

core::GraphOp op(OpCode code, std::vector<uint32_t> operands, TypeDesc result, std::vector<int64_t> words = {}) {
  return {code, std::move(operands), std::move(words), {result}, {}};
}

// tanh(x * y) + x over 100,000 elements.
core::Graph simpleKernel() {
  const TypeDesc type{DType::F32, {100000}};
  core::Graph graph;
  graph.args = {{type, core::ArgKind::Buffer, false, false, {}}, {type, core::ArgKind::Buffer, false, false, {}}};
  graph.ops = {op(OpCode::Mul, {0, 1}, type), op(OpCode::Tanh, {2}, type), op(OpCode::Add, {3, 0}, type)};
  graph.results = {4};
  return graph;
}

// A product of 512 by 512, whose operands are packed.
core::Graph packedProduct() {
  const TypeDesc type{DType::F32, {512, 512}};
  core::Graph graph;
  graph.args = {{type, core::ArgKind::Buffer, false, false, {}}, {type, core::ArgKind::Buffer, false, false, {}}};
  std::vector<int64_t> words;
  const int64_t left[] = {1}, right[] = {0};
  core::DotGeneralAttrs{{}, {}, left, right}.encode(words);
  graph.ops = {op(OpCode::DotGeneral, {0, 1}, type, words)};
  graph.results = {2};
  return graph;
}

double timeOfCompile(const std::vector<std::byte> &graph, const char *cpu) {
  burn_compile_options options{};
  options.struct_size = sizeof options;
  options.cpu = cpu;
  options.features = "";
  options.fusion = options.deterministic = 1;
  burn_compiled result{};
  burn_status *status = nullptr;
  const double seconds =
      timeOf([&] { status = compiler().compile_graph({graph.data(), graph.size()}, &options, &result); });
  if (status) {
    const std::string text = status->text;
    compiler().free_status(status);
    throw std::runtime_error(text);
  }
  compiler().free_blob(&result.object);
  compiler().free_blob(&result.plan);
  return seconds;
}

} // namespace

Json benchCompiler(const Options &options) {
  Json report = {
      {"unit", "ms, serialized graph to executable, linking included, in a process that has compiled before"}};
  const std::pair<const char *, core::Graph> graphs[] = {{"elementwise", simpleKernel()},
                                                         {"product 512", packedProduct()}};
  for (const char *cpu : {"x86-64-v3", "x86-64-v4"})
    for (const auto &[name, graph] : graphs) {
      const std::vector<std::byte> bytes = core::serialize(graph);
      timeOfCompile(bytes, cpu);
      std::vector<double> times;
      for (int i = 0; i < (options.quick ? 5 : 20); ++i)
        times.push_back(timeOfCompile(bytes, cpu) * 1e3);
      const Json figures = summary(times);
      fmt::print("compile of {} for {}: best {:.1f} ms, median {:.1f}\n", name, cpu, figures["best"].get<double>(),
                 figures["median"].get<double>());
      report["cases"][name][cpu] = figures;
    }
  return report;
}

} // namespace burn::bench
