// Row kernels, windows, reductions and attention: beside a copy of as many bytes, and with one thread beside oneDNN,
// interleaved.
#include "tools/burn-bench/Bench.h"
#include "tools/burn-bench/OneDnnLayers.h"

#include <cmath>
#include <cstring>
#include <thread>

#include <fmt/format.h>

namespace burn::bench {
namespace {

struct RowCase {
  std::string name, text;
  double flops = 0; // of products, where they are what takes the time
  /// The same by oneDNN; empty where it has no such kernel.
  std::function<std::function<void()>(const OneDnnLibrary &)> peer = {};
};

std::string shapeText(const std::vector<int64_t> &shape) {
  std::string text;
  for (int64_t size : shape)
    text += fmt::format("{}x", size);
  return "tensor<" + text + "f32>";
}

// `y = op(x)` on one type.
RowCase unary(const std::string &name, const std::string &op, const std::vector<int64_t> &shape,
              const std::string &attributes = "") {
  const std::string type = shapeText(shape);
  return {name, fmt::format("func.func @main(%x: {0}) -> {0} {{\n  %y = burn.{1} %x {2} : {0}\n  return %y : {0}\n}}\n",
                            type, op, attributes)};
}

// The gradient of `y = op(x)`, from x and that of y.
RowCase unaryGradient(const std::string &name, const std::string &op, const std::vector<int64_t> &shape,
                      const std::string &attributes = "") {
  const std::string type = shapeText(shape);
  return {name, fmt::format("func.func @main(%x: {0}, %g: {0}) -> {0} {{\n  %y = burn.{1} %x {2} : {0}\n"
                            "  %d = burn.grad(%y) cotangents(%g) wrt(%x) : ({0}, {0}, {0}) -> {0}\n"
                            "  return %d : {0}\n}}\n",
                            type, op, attributes)};
}

// A norm over the last dimension, or of each feature of an image.
RowCase norm(const std::string &name, const std::vector<int64_t> &shape, bool gradient) {
  const bool isBatch = name == "batch_norm", isRms = name == "rms_norm";
  const std::string type = shapeText(shape), feature = shapeText({isBatch ? shape[1] : shape.back()});
  std::vector<int64_t> rest(shape.begin(), shape.end() - 1);
  const std::string row = isBatch ? feature : shapeText(rest);
  std::string call = isRms     ? "%y, %r = burn.rms_norm %x, %s {axis = 1, epsilon = 1.0e-5 : f64} : "
                     : isBatch ? "%y, %m, %r = burn.batch_norm %x, %s, %b {feature_dim = 1, epsilon = 1.0e-5 : f64} : "
                               : "%y, %m, %r = burn.layer_norm %x, %s, %b {axis = 1, epsilon = 1.0e-5 : f64} : ";
  call += isBatch ? fmt::format("{}, {}", type, feature)
          : isRms ? fmt::format("({0}, {1}) -> ({0}, {2})", type, feature, row)
                  : fmt::format("({0}, {1}, {1}) -> ({0}, {2}, {2})", type, feature, row);
  const std::string bias = isRms ? "" : fmt::format(", %b: {}", feature);
  if (!gradient)
    return {name, fmt::format("func.func @main(%x: {0}, %s: {1}{2}) -> {0} {{\n  {3}\n  return %y : {0}\n}}\n", type,
                              feature, bias, call)};
  const std::string wrt = isRms ? "%x, %s" : "%x, %s, %b",
                    types = isRms ? fmt::format("{}, {}", type, feature)
                                  : fmt::format("{}, {}, {}", type, feature, feature);
  return {name + " gradient",
          fmt::format("func.func @main(%x: {0}, %s: {1}{2}, %g: {0}) -> ({4}) {{\n  {3}\n"
                      "  %d:{5} = burn.grad(%y) cotangents(%g) wrt({6}) : ({0}, {0}, {4}) -> ({4})\n"
                      "  return {7} : {4}\n}}\n",
                      type, feature, bias, call, types, isRms ? 2 : 3, wrt, isRms ? "%d#0, %d#1" : "%d#0, %d#1, %d#2")};
}

RowCase reduction(const std::vector<int64_t> &shape, size_t dim) {
  std::vector<int64_t> rest(shape);
  rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(dim));
  return {
      fmt::format("sum over dim {}", dim),
      fmt::format("func.func @main(%x: {0}) -> {1} {{\n  %y = burn.reduce sum %x {{dims = array<i64: {2}>}} : {0} to "
                  "{1}\n  return %y : {1}\n}}\n",
                  shapeText(shape), shapeText(rest), dim)};
}

RowCase maxPool(const std::vector<int64_t> &shape) {
  const std::string to = shapeText({shape[0], shape[1], shape[2] / 2, shape[3] / 2});
  return {"max_pool 2x2",
          fmt::format("func.func @main(%x: {0}) -> {1} {{\n"
                      "  %y = burn.reduce_window max %x {{window = array<i64: 1, 1, 2, 2>,\n"
                      "      strides = array<i64: 1, 1, 2, 2>, pad_low = array<i64: 0, 0, 0, 0>,\n"
                      "      pad_high = array<i64: 0, 0, 0, 0>, base_dilation = array<i64: 1, 1, 1, 1>,\n"
                      "      window_dilation = array<i64: 1, 1, 1, 1>}} : {0} to {1}\n  return %y : {1}\n}}\n",
                      shapeText(shape), to)};
}

RowCase attention(int64_t heads, int64_t length, int64_t depth, bool causal, bool gradient) {
  const std::string type = shapeText({1, heads, length, depth}), lse = shapeText({1, heads, length});
  const std::string call =
      fmt::format("%y, %l = burn.attention %q, %k, %v {{causal = {2}, scale = {3} : f64, softcap = 0.0 : f64}}\n"
                  "      : ({0}, {0}, {0}) -> ({0}, {1})",
                  type, lse, causal, 1.0 / std::sqrt(static_cast<double>(depth)));
  const double products = 2.0 * static_cast<double>(heads * length * length * depth) * (causal ? 0.5 : 1.0);
  const std::string name = fmt::format("attention {}x{}x{}{}{}", heads, length, depth, causal ? " causal" : "",
                                       gradient ? ", forward and gradient" : "");
  if (!gradient)
    return {
        name,
        fmt::format("func.func @main(%q: {0}, %k: {0}, %v: {0}) -> {0} {{\n  {1}\n  return %y : {0}\n}}\n", type, call),
        2 * products};
  return {name,
          fmt::format("func.func @main(%q: {0}, %k: {0}, %v: {0}, %g: {0}) -> ({0}, {0}, {0}, {0}) {{\n  {1}\n"
                      "  %d:3 = burn.grad(%y) cotangents(%g) wrt(%q, %k, %v) : ({0}, {0}, {0}, {0}, {0}) -> ({0}, {0}, "
                      "{0})\n  return %y, %d#0, %d#1, %d#2 : {0}, {0}, {0}, {0}\n}}\n",
                      type, call),
          7 * products};
}

// The same from products and a softmax, which store a score for each pair.
RowCase attentionOfProducts(int64_t heads, int64_t length, int64_t depth) {
  const std::string type = shapeText({1, heads, length, depth}), scores = shapeText({1, heads, length, length});
  const std::string batch = "lhs_batch = array<i64: 0, 1>, rhs_batch = array<i64: 0, 1>, lhs_contract = array<i64: 3>";
  return {fmt::format("products and softmax {}x{}x{}", heads, length, depth),
          fmt::format("func.func @main(%q: {0}, %k: {0}, %v: {0}) -> {0} {{\n"
                      "  %c = burn.constant dense<{3}> : {1}\n"
                      "  %p = burn.dot_general %q, %k {{{2}, rhs_contract = array<i64: 3>}} : {0}, {0} to {1}\n"
                      "  %s = burn.mul %p, %c : {1}\n  %w = burn.softmax %s {{axis = 3}} : {1}\n"
                      "  %y = burn.dot_general %w, %v {{{2}, rhs_contract = array<i64: 2>}} : {1}, {0} to {0}\n"
                      "  return %y : {0}\n}}\n",
                      type, scores, batch, 1.0 / std::sqrt(static_cast<double>(depth))),
          4.0 * static_cast<double>(heads * length * length * depth)};
}

std::vector<RowCase> rowCases(bool quick) {
  std::vector<RowCase> cases;
  const auto named = [&](const std::vector<int64_t> &shape, RowCase one) {
    std::string sizes;
    for (int64_t size : shape)
      sizes += fmt::format("{}{}", sizes.empty() ? "" : "x", size);
    one.name += " [" + sizes + "]";
    cases.push_back(std::move(one));
  };
  const std::vector<int64_t> large = {8, 1024, 1024}, cube = {256, 256, 256}, gelu = {32, 512, 2048},
                             reduced = {32, 512, 1024}, lines = {8192, 1024}, image = {32, 64, 56, 56};
  for (const char *op : {"softmax", "log_softmax"}) {
    const bool isLog = op != std::string("softmax");
    const auto withPeer = [&](RowCase one, const std::vector<int64_t> &shape, int axis) {
      one.peer = [=](const OneDnnLibrary &library) { return prepareSoftmax(library, shape, axis, isLog); };
      return one;
    };
    named(large, withPeer(unary(op, op, large, "{axis = 2}"), large, 2));
    for (int64_t dim = 0; dim < 3 && (!quick || dim == 2); ++dim)
      named(cube, withPeer(unary(fmt::format("{} of dim {}", op, dim), op, cube, fmt::format("{{axis = {}}}", dim)),
                           cube, static_cast<int>(dim)));
    named(large, unaryGradient(std::string(op) + " gradient", op, large, "{axis = 2}"));
  }
  for (const bool gradient : {false, true}) {
    RowCase layerNorm = norm("layer_norm", lines, gradient);
    if (!gradient)
      layerNorm.peer = [=](const OneDnnLibrary &library) { return prepareLayerNorm(library, lines, 1e-5f); };
    named(lines, std::move(layerNorm));
    named(lines, norm("rms_norm", lines, gradient));
    named(image, norm("batch_norm", image, gradient));
  }
  named(gelu, unary("gelu", "gelu none", gelu));
  named(gelu, unaryGradient("gelu gradient", "gelu none", gelu));
  for (size_t dim = 0; dim < 3; ++dim)
    named(reduced, reduction(reduced, dim));
  named({2, 32, 512, 512}, maxPool({2, 32, 512, 512}));
  cases.push_back(attentionOfProducts(8, 1024, 64));
  for (const bool gradient : {false, true})
    for (const bool causal : {false, true})
      cases.push_back(attention(8, 1024, 64, causal, gradient));
  return cases;
}

// Buffers of a program's arguments and results.
struct CallBuffers {
  std::vector<FloatBuffer> owned;
  std::vector<void *> pointers;
  int64_t elements = 0;

  explicit CallBuffers(const Program &program) {
    for (const auto *values : {&program.arguments(), &program.results()})
      for (const Program::Value &value : *values) {
        owned.push_back(makeBuffer(value.shape.numel(), static_cast<uint32_t>(owned.size()) + 1));
        pointers.push_back(owned.back().get());
        elements += value.shape.numel();
      }
  }
};

void copyInParallel(float *to, const float *from, int64_t count, int threads) {
  std::vector<std::thread> workers;
  const int64_t part = count / threads;
  for (int i = 1; i < threads; ++i)
    workers.emplace_back([=] { std::memcpy(to + i * part, from + i * part, static_cast<size_t>(part) * 4); });
  std::memcpy(to, from, static_cast<size_t>(part) * 4);
  for (std::thread &worker : workers)
    worker.join();
}

Json measure(const RowCase &one, const Options &options, int threads, const std::vector<OneDnnLibrary> &libraries) {
  const Program program = compileText(one.text);
  const CallBuffers buffers(program);
  const auto arena = makeArena(program);
  // As much is read and written by the copy.
  const int64_t half = std::max<int64_t>(64, buffers.elements / 2);
  const FloatBuffer from = makeBuffer(half, 1), to = makeBuffer(half, 2);
  const bool serial = threads == 1;
  std::vector<double> ours, copies;
  // Pools of two libraries would starve each other, so peers are compared with one thread alone.
  std::vector<std::function<void()>> peers;
  if (one.peer && threads == 1)
    for (const OneDnnLibrary &library : libraries)
      peers.push_back(one.peer(library));
  std::vector<std::vector<double>> peerTimes(peers.size());
  double spent = 0;
  for (int round = 0; round < (options.quick ? 6 : 14) && (round < 4 || spent < 3); ++round) {
    const double own = timeOf([&] { program.call(buffers.pointers.data(), nullptr, arena.get(), serial); });
    const double copy = timeOf([&] { copyInParallel(to.get(), from.get(), half, threads); });
    spent += own + copy;
    for (size_t i = 0; i < peers.size(); ++i) {
      const double time = timeOf(peers[i]);
      spent += time;
      if (round >= 2)
        peerTimes[i].push_back(time);
    }
    if (round >= 2) {
      ours.push_back(own);
      copies.push_back(copy);
    }
  }
  const double best = *std::min_element(ours.begin(), ours.end());
  Json entry = {{"name", one.name},
                {"threads", threads},
                {"bytes", buffers.elements * 4},
                {"arena_bytes", program.arena_bytes()},
                {"ours", summary(ours)},
                {"copy", summary(copies)},
                {"of_copy", *std::min_element(copies.begin(), copies.end()) / best}};
  std::string line = fmt::format("{:<44} {} thread{}: {:8.3f} ms, {:5.2f} of copy rate", one.name, threads,
                                 serial ? " " : "s", best * 1e3, entry["of_copy"].get<double>());
  if (one.flops > 0) {
    entry["gflops"] = one.flops / best * 1e-9;
    line += fmt::format(", {:.1f} GF/s, arena {} KiB", one.flops / best * 1e-9, program.arena_bytes() / 1024);
  }
  for (size_t i = 0; i < peers.size(); ++i) {
    const double ratio = *std::min_element(peerTimes[i].begin(), peerTimes[i].end()) / best;
    entry[libraries[i].name()] = summary(peerTimes[i]);
    entry["ratio to " + libraries[i].name()] = ratio;
    line += fmt::format(", {:.2f} of {}", ratio, libraries[i].name());
  }
  fmt::print("{}\n", line);
  return entry;
}

} // namespace

std::vector<NamedProgram> rowPrograms() {
  std::vector<NamedProgram> programs;
  for (const RowCase &one : rowCases(/*quick=*/true))
    programs.push_back({one.name, one.text});
  return programs;
}

Json benchRows(const Options &options) {
  Json report = {{"unit", "s; of_copy: bytes of arguments and results per second over those of a copy"},
                 {"cases", Json::array()}};
  const std::vector<OneDnnLibrary> libraries = openOneDnnLibraries(options.onednn, 1);
  const int cpus = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  for (const RowCase &one : rowCases(options.quick)) {
    if (one.name.find(options.filter) == std::string::npos)
      continue;
    for (const int threads : {1, options.threads ? options.threads : cpus})
      if (threads != 1 || report["cases"].empty() || report["cases"].back()["name"] != one.name)
        report["cases"].push_back(measure(one, options, threads, libraries));
  }
  return report;
}

} // namespace burn::bench
