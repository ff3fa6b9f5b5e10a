// Matrix products beside OpenBLAS and oneDNN. With one thread all sides alternate in one process. Pools of several
// libraries that spin on the same processors would starve each other, so with more threads each side runs in processes
// of its own, which alternate.
#include "tools/burn-bench/Bench.h"
#include "tools/burn-bench/Product.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include <fmt/format.h>

namespace burn::bench {
namespace {

constexpr Product narrow(ProductType type, int64_t m, int64_t n, int64_t k, bool rhsTransposed = false) {
  return {1, m, n, k, false, rhsTransposed, false, type};
}

constexpr Product frozen(Product product) {
  product.frozen = true;
  return product;
}

/// Squares, layers of training steps in both directions, odd sizes, batches, matrix times vector, and layers with
/// their bias and activation.
const Product kProducts[] = {
    {1, 64, 64, 64},
    {1, 128, 128, 128},
    {1, 256, 256, 256},
    {1, 512, 512, 512},
    {1, 1024, 1024, 1024},
    {1, 2048, 2048, 2048},
    {1, 64, 512, 784},
    {1, 64, 10, 512},
    {1, 64, 128, 1600},
    {1, 32, 3072, 768},
    {1, 4096, 64, 1024},
    {1, 257, 129, 511},
    {1, 1000, 1000, 1000},
    {1, 300, 700, 333},
    {1, 784, 512, 64, true, false},
    {1, 512, 784, 1024, true, false},
    {1, 256, 256, 2048, true, false},
    {1, 256, 1024, 2048, true, false},
    {1, 512, 512, 512, true, false},
    {1, 1024, 1024, 1024, true, false},
    {1, 64, 784, 512, false, true},
    {1, 512, 512, 512, false, true},
    {1, 1024, 1024, 1024, false, true},
    {1, 512, 512, 512, true, true},
    {256, 32, 32, 32},
    {96, 128, 64, 128},
    {96, 128, 128, 64, false, true},
    {32, 256, 256, 256},
    {16, 512, 512, 512},
    {8, 1024, 1024, 1024},
    {2, 2048, 2048, 2048},
    {1, 1, 4096, 4096},
    {1, 4096, 1, 4096},
    {1, 8192, 1, 8192},
    {1, 64, 256, 256, false, false, true},
    {1, 256, 1024, 256, false, false, true},
    {1, 512, 3072, 768, false, false, true},
    // Narrow elements.
    narrow(ProductType::Int8, 64, 512, 784),
    narrow(ProductType::Int8, 32, 3072, 768),
    narrow(ProductType::Int8, 257, 129, 511),
    narrow(ProductType::Int8, 256, 256, 256),
    narrow(ProductType::Int8, 512, 512, 512),
    narrow(ProductType::Int8, 512, 512, 512, true),
    narrow(ProductType::Int8, 1024, 1024, 1024),
    narrow(ProductType::Int8, 2048, 2048, 2048),
    narrow(ProductType::BF16, 64, 512, 784),
    narrow(ProductType::BF16, 32, 3072, 768),
    narrow(ProductType::BF16, 257, 129, 511),
    narrow(ProductType::BF16, 256, 256, 256),
    narrow(ProductType::BF16, 512, 512, 512),
    narrow(ProductType::BF16, 512, 512, 512, true),
    narrow(ProductType::BF16, 1024, 1024, 1024),
    narrow(ProductType::BF16, 2048, 2048, 2048),
    narrow(ProductType::F16, 64, 512, 784),
    narrow(ProductType::F16, 32, 3072, 768),
    narrow(ProductType::F16, 257, 129, 511),
    narrow(ProductType::F16, 256, 256, 256),
    narrow(ProductType::F16, 512, 512, 512),
    narrow(ProductType::F16, 512, 512, 512, true),
    narrow(ProductType::F16, 1024, 1024, 1024),
    narrow(ProductType::F16, 2048, 2048, 2048),
    // Weights that never change.
    frozen({1, 256, 256, 256}),
    frozen({1, 512, 512, 512}),
    frozen({1, 1024, 1024, 1024}),
    frozen({1, 64, 512, 784}),
    frozen({1, 32, 3072, 768}),
    frozen({1, 257, 129, 511}),
    frozen({1, 64, 784, 512, false, true}),
    frozen({1, 512, 512, 512, false, true}),
    frozen({1, 1, 4096, 4096, false, true}),
    frozen({1, 8, 4096, 4096, false, true}),
    frozen({1, 512, 3072, 768, false, false, true}),
    frozen(narrow(ProductType::Int8, 64, 512, 784)),
    frozen(narrow(ProductType::Int8, 512, 512, 512)),
    frozen(narrow(ProductType::BF16, 64, 512, 784)),
    frozen(narrow(ProductType::BF16, 512, 512, 512)),
    frozen(narrow(ProductType::F16, 512, 512, 512)),
};

std::string programText(const Product &p) {
  const char *element = p.type == ProductType::F32    ? "f32"
                        : p.type == ProductType::BF16 ? "bf16"
                        : p.type == ProductType::F16  ? "f16"
                                                      : "i8";
  auto type = [&](int64_t rows, int64_t columns, bool transposed) {
    if (transposed)
      std::swap(rows, columns);
    return p.batch > 1 ? fmt::format("tensor<{}x{}x{}x{}>", p.batch, rows, columns, element)
                       : fmt::format("tensor<{}x{}x{}>", rows, columns, element);
  };
  const int first = p.batch > 1 ? 1 : 0;
  std::string lhs = type(p.m, p.k, p.lhsTransposed), rhs = type(p.k, p.n, p.rhsTransposed);
  const std::string batch = first ? ": 0" : "";
  std::string conversions;
  const std::string lhsArgument = lhs, rhsArgument = rhs;
  if (p.type == ProductType::Int8) {
    element = "i32";
    lhs = type(p.m, p.k, p.lhsTransposed);
    rhs = type(p.k, p.n, p.rhsTransposed);
    conversions = fmt::format("  %x = burn.convert %a : {} to {}\n  %y = burn.convert %b : {} to {}\n", lhsArgument,
                              lhs, rhsArgument, rhs);
  }
  const std::string out = type(p.m, p.n, false);
  std::string text = fmt::format("func.func @main(%a: {}, %b: {}{}{}) -> {} {{\n{}"
                                 "  %c = burn.dot_general {} {{lhs_batch = array<i64{}>, rhs_batch = array<i64{}>, "
                                 "lhs_contract = array<i64: {}>, rhs_contract = array<i64: {}>}} : {}, {} to {}\n",
                                 lhsArgument, rhsArgument, p.frozen ? " {burn.frozen}" : "",
                                 p.gelu ? fmt::format(", %bias: tensor<{}xf32>", p.n) : "", out, conversions,
                                 conversions.empty() ? "%a, %b" : "%x, %y", batch, batch,
                                 first + (p.lhsTransposed ? 0 : 1), first + (p.rhsTransposed ? 1 : 0), lhs, rhs, out);
  if (p.gelu)
    text += fmt::format("  %w = burn.broadcast %bias {{dims = array<i64: 1>}} : tensor<{0}xf32> to {1}\n"
                        "  %s = burn.add %c, %w : {1}\n  %g = burn.gelu none %s : {1}\n",
                        p.n, out);
  return text + fmt::format("  return {} : {}\n}}\n", p.gelu ? "%g" : "%c", out);
}

/// Puts elements of a type in the place of the same numbers in f32, which are between -1/2 and 1/2.
void narrowTo(ProductType type, float *buffer, int64_t count) {
  auto *bytes = reinterpret_cast<std::byte *>(buffer);
  const auto put = [&](int64_t i, auto value) { std::memcpy(bytes + i * sizeof value, &value, sizeof value); };
  for (int64_t i = 0; i < count; ++i) {
    if (type == ProductType::BF16)
      put(i, bf16(buffer[i]));
    else if (type == ProductType::F16)
      put(i, f16(buffer[i]));
    else if (type == ProductType::Int8)
      put(i, static_cast<int8_t>(std::lround(buffer[i] * 254)));
  }
}

/// The elements of a result in f64.
std::vector<double> resultOf(const Product &product, const float *out) {
  std::vector<double> values(product.batch * product.m * product.n);
  const auto *bytes = reinterpret_cast<const std::byte *>(out);
  const auto get = [&]<typename T>(size_t i, T) {
    T value;
    std::memcpy(&value, bytes + i * sizeof value, sizeof value);
    return value;
  };
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = product.type == ProductType::F32    ? out[i]
                : product.type == ProductType::BF16 ? static_cast<float>(get(i, bf16()))
                : product.type == ProductType::F16  ? static_cast<float>(get(i, f16()))
                                                    : get(i, int32_t());
  return values;
}

/// Operands, and an output for each side.
struct Memory {
  explicit Memory(const Product &p, size_t sides)
      : lhs(makeBuffer(p.batch * p.m * p.k, 1)), rhs(makeBuffer(p.batch * p.k * p.n, 2)), bias(makeBuffer(p.n, 3)) {
    for (size_t i = 0; i < sides; ++i)
      out.push_back(makeBuffer(p.batch * p.m * p.n, 4));
    for (auto [buffer, count] : {std::pair(lhs.get(), p.batch * p.m * p.k), std::pair(rhs.get(), p.batch * p.k * p.n)})
      narrowTo(p.type, buffer, count);
  }
  ProductBuffers at(size_t side) const { return {lhs.get(), rhs.get(), bias.get(), out[side].get()}; }

  FloatBuffer lhs, rhs, bias;
  std::vector<FloatBuffer> out;
};

std::function<void()> prepareOwn(const Product &product, const ProductBuffers &at, bool serial) {
  const auto program = std::make_shared<Program>(compileText(programText(product)));
  const std::shared_ptr<void> arena = makeArena(*program);
  std::vector<void *> buffers = {const_cast<float *>(at.lhs), const_cast<float *>(at.rhs)};
  if (product.gelu)
    buffers.push_back(const_cast<float *>(at.bias));
  buffers.push_back(at.out);
  std::vector<std::shared_ptr<float[]>> derived;
  for (size_t bytes : program->derived_bytes()) {
    derived.push_back(makeBuffer(static_cast<int64_t>((bytes + 3) / 4), 5));
    buffers.push_back(derived.back().get());
  }
  program->prepare(buffers.data(), makeBuffer(static_cast<int64_t>(program->prepare_arena_bytes() / 4 + 1), 6).get(),
                   serial);
  return [=, derived = std::move(derived)] { program->call(buffers.data(), nullptr, arena.get(), serial); };
}

/// Short products are repeated until the clock resolves them.
int repeatsOf(const Product &product) { return static_cast<int>(std::max(1.0, 4e7 / product.flops())); }

double timeOfRound(const Product &product, const std::function<void()> &call) {
  const int repeats = repeatsOf(product);
  return timeOf([&] {
           for (int i = 0; i < repeats; ++i)
             call();
         }) /
         repeats;
}

/// One library, and how a child process opens it.
struct Side {
  std::string kind, path, name;
  std::unique_ptr<ProductPeer> peer;
};

std::unique_ptr<ProductPeer> open(const std::string &kind, const std::string &path, int threads) {
  return kind == "openblas" ? openOpenBlas(path, threads) : openOneDnn(path, threads);
}

/// Peers as the command line names them, else as the system has them.
std::vector<Side> openPeers(const Options &options, int threads) {
  std::vector<Side> sides;
  auto add = [&](const char *kind, const std::vector<std::string> &named, std::vector<std::string> usual) {
    std::string missing;
    for (const std::string &path : named.empty() ? usual : named) {
      try {
        sides.push_back({kind, path, "", open(kind, path, threads)});
        sides.back().name = sides.back().peer->name();
        if (named.empty())
          return;
      } catch (const std::runtime_error &error) {
        if (!named.empty())
          throw;
        missing = error.what();
      }
    }
    if (!missing.empty())
      fmt::print(stderr, "{}\n", missing);
  };
  add("openblas", options.openblas, {"libopenblas.so.0"});
  add("onednn", options.onednn, {"libdnnl.so.3", "libdnnl.so.2"});
  if (sides.empty())
    throw std::runtime_error("no library to compare matrix products with");
  return sides;
}

/// Largest difference between two outputs over the largest that rounding in another order makes: 0 for integers, else
/// that of sums in f32, and of both results to their type.
double difference(const Product &product, const float *a, const float *b) {
  const std::vector<double> left = resultOf(product, a), right = resultOf(product, b);
  const double roundoff = product.type == ProductType::BF16 ? 0x1p-8 : product.type == ProductType::F16 ? 0x1p-11 : 0;
  double largest = 0;
  for (size_t i = 0; i < left.size(); ++i) {
    const double error = std::fabs(left[i] - right[i]);
    if (product.type == ProductType::Int8 && error != 0)
      return HUGE_VAL;
    const double bound = 1e-6 + static_cast<double>(product.k) * 0x1p-24 + 2 * roundoff * std::fabs(left[i]);
    largest = std::max(largest, error / bound);
  }
  return largest;
}

constexpr double kSeconds = 1.2;
constexpr int kFewestRounds = 5, kMostRounds = 40;

struct Times {
  std::vector<std::vector<double>> bySide;
};

Times measureTogether(const Product &product, std::vector<Side> &peers) {
  const Pinned pinned;
  const Memory memory(product, peers.size() + 1);
  std::vector<std::function<void()>> calls = {prepareOwn(product, memory.at(0), true)};
  for (size_t i = 0; i < peers.size(); ++i)
    calls.push_back(peers[i].peer->prepare(product, memory.at(i + 1)));
  Times times;
  times.bySide.resize(calls.size());
  double once = 0;
  for (const auto &call : calls)
    if (call)
      once += timeOfRound(product, call);
  for (size_t i = 1; i < calls.size(); ++i)
    if (calls[i] && difference(product, memory.out[0].get(), memory.out[i].get()) > 1)
      throw std::runtime_error(fmt::format("{}: {} gives another result", product.name(), peers[i - 1].name));
  const int rounds = std::clamp(static_cast<int>(kSeconds / once), kFewestRounds, kMostRounds);
  for (int round = 0; round < rounds; ++round)
    for (size_t i = 0; i < calls.size(); ++i)
      if (calls[i])
        times.bySide[i].push_back(timeOfRound(product, calls[i]));
  return times;
}

/// The times that a child process prints.
std::vector<double> timesOfChild(const std::string &task) {
  FILE *pipe = popen(fmt::format("'{}' --child '{}'", selfPath(), task).c_str(), "r");
  if (!pipe)
    throw std::runtime_error("cannot start " + selfPath());
  std::vector<double> times;
  for (double seconds; std::fscanf(pipe, "%lf", &seconds) == 1;)
    times.push_back(seconds);
  if (pclose(pipe) != 0)
    throw std::runtime_error("the child process of " + task + " failed");
  return times;
}

Times measureApart(size_t index, const std::vector<Side> &peers, int threads) {
  Times times;
  times.bySide.resize(peers.size() + 1);
  for (int round = 0; round < 3; ++round)
    for (size_t i = 0; i < times.bySide.size(); ++i) {
      const std::string side = i == 0 ? "ours -" : peers[i - 1].kind + " " + peers[i - 1].path;
      const std::vector<double> more = timesOfChild(fmt::format("matmul {} {} {}", index, threads, side));
      times.bySide[i].insert(times.bySide[i].end(), more.begin(), more.end());
    }
  return times;
}

/// The table of a report, as it stands in docs/benchmarks.md.
std::string tableOf(const Json &report) {
  std::string text = fmt::format("## Matrix products, {}\n\n{}. Billions of operations a second, best of all rounds; "
                                 "the ratio is to the fastest peer, above 1 where we are faster.\n\n| product | ours |",
                                 report["code"].get<std::string>(), report["unit"].get<std::string>());
  std::string rule = "|---|---:|";
  for (const Json &peer : report["peers"]) {
    text += fmt::format(" {} |", peer.get<std::string>());
    rule += "---:|";
  }
  text += " ratio | spread |\n" + rule + "---:|---:|\n";
  for (const Json &entry : report["shapes"]) {
    text += fmt::format("| {} | {:.1f} |", entry["name"].get<std::string>(), entry["gflops"].get<double>());
    for (const Json &peer : report["peers"]) {
      const auto times = entry.find(peer.get<std::string>());
      const double scale = entry["gflops"].get<double>() * entry["ours"]["best"].get<double>();
      text += times == entry.end() ? " |" : fmt::format(" {:.1f} |", scale / (*times)["best"].get<double>());
    }
    text += fmt::format(" {:.2f} | {:.0f} % |\n", entry["ratio"].get<double>(),
                        100 * entry["ours"]["spread"].get<double>());
  }
  return text + fmt::format("\nGeometric mean of the ratios: {:.3f}.\n\n", report["geomean"].get<double>());
}

} // namespace

std::string Product::name() const {
  std::string text = batch > 1 ? fmt::format("{}x", batch) : "";
  text += fmt::format("{}x{}x{}", m, n, k);
  if (lhsTransposed)
    text += " A^T";
  if (rhsTransposed)
    text += " B^T";
  constexpr const char *types[] = {"", " bf16", " f16", " int8"};
  return text + types[static_cast<int>(type)] + (gelu ? " bias gelu" : "") + (frozen ? " frozen" : "");
}

std::vector<NamedProgram> productPrograms() {
  std::vector<NamedProgram> programs;
  for (const Product &product : kProducts)
    programs.push_back({product.name(), programText(product)});
  return programs;
}

int runMatmulChild(const std::string &task) {
  std::istringstream words(task);
  std::string name, kind, path;
  size_t index = 0;
  int threads = 1;
  if (!(words >> name >> index >> threads >> kind >> path) || index >= std::size(kProducts))
    return 2;
  const Product &product = kProducts[index];
  const Memory memory(product, 1);
  std::unique_ptr<ProductPeer> peer;
  std::function<void()> call;
  if (kind == "ours") {
    setenv("BURN_NUM_THREADS", std::to_string(threads).c_str(), 1);
    call = prepareOwn(product, memory.at(0), threads == 1);
  } else {
    peer = open(kind, path, threads);
    call = peer->prepare(product, memory.at(0));
  }
  if (!call)
    return 0;
  const double once = timeOfRound(product, call);
  const int rounds = std::clamp(static_cast<int>(0.25 / once), 3, 200);
  for (int round = 0; round < rounds; ++round)
    fmt::print("{:.9g}\n", timeOfRound(product, call));
  return 0;
}

Json benchMatmul(const Options &options) {
  const int threads = std::max(1, options.threads);
  std::vector<Side> peers = openPeers(options, threads);
  const char *cpu = std::getenv("BURN_CPU");
  Json report = {{"code", cpu ? cpu : "the code of this processor"},
                 {"unit", threads == 1 ? "One thread, pinned, all sides interleaved"
                                       : fmt::format("{} threads, a process for each side, alternating", threads)},
                 {"peers", Json::array()},
                 {"shapes", Json::array()}};
  for (const Side &side : peers) {
    report["peers"].push_back(side.name);
    fmt::print("peer {}\n", side.name);
  }
  double logs = 0;
  int count = 0;
  for (size_t index = 0; index < std::size(kProducts); ++index) {
    const Product &product = kProducts[index];
    if ((options.quick && product.flops() > 4e8) || product.name().find(options.filter) == std::string::npos)
      continue;
    const Times times = threads == 1 ? measureTogether(product, peers) : measureApart(index, peers, threads);
    auto best = [&](size_t side) { return *std::min_element(times.bySide[side].begin(), times.bySide[side].end()); };
    const double own = best(0);
    Json entry = {
        {"name", product.name()}, {"ours", summary(times.bySide[0])}, {"gflops", product.flops() / own * 1e-9}};
    double rival = 0;
    std::string line;
    for (size_t i = 0; i < peers.size(); ++i) {
      if (times.bySide[i + 1].empty())
        continue;
      const double theirs = best(i + 1);
      rival = rival == 0 ? theirs : std::min(rival, theirs);
      entry[peers[i].name] = summary(times.bySide[i + 1]);
      line += fmt::format(", {} {:.1f}", peers[i].kind, product.flops() / theirs * 1e-9);
    }
    if (rival == 0) {
      fmt::print("{:<28} {:7.1f} GF/s, no peer has it\n", product.name(), product.flops() / own * 1e-9);
      continue;
    }
    const double ratio = rival / own;
    entry["ratio"] = ratio;
    logs += std::log(ratio);
    ++count;
    fmt::print("{:<28} {:7.1f} GF/s, {:.2f} of the best peer ({})\n", product.name(), product.flops() / own * 1e-9,
               ratio, line.substr(std::min<size_t>(2, line.size())));
    std::fflush(stdout);
    report["shapes"].push_back(std::move(entry));
  }
  if (count > 0) {
    report["geomean"] = std::exp(logs / count);
    fmt::print("geometric mean {:.3f} over {} products\n", std::exp(logs / count), count);
    if (!options.table.empty() && !(std::ofstream(options.table, std::ios::app) << tableOf(report)).flush())
      throw std::runtime_error("cannot write " + options.table);
  }
  return report;
}

} // namespace burn::bench
