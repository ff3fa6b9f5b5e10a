// Compiled ops over many arguments, compared with their references.
#include "tools/burn-bench/Accuracy.h"

#include "tools/burn-bench/Bench.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <fstream>
#include <limits>
#include <mutex>
#include <random>
#include <thread>

#include <fmt/format.h>

namespace burn::bench {

namespace {

// Elements of a call: all values of a 16-bit type.
constexpr int64_t kBlock = 65536;

struct FloatType {
  const char *name;
  FloatFormat format;
  int bytes;
  DType dtype;
};
constexpr FloatType kTypes[] = {{"f32", {24, -126, 128}, 4, DType::F32},
                                {"f64", {53, -1022, 1024}, 8, DType::F64},
                                {"f16", {11, -14, 16}, 2, DType::F16},
                                {"bf16", {8, -126, 128}, 2, DType::BF16}};

double valueOf(const FloatType &type, uint64_t bits) {
  if (type.bytes == 8)
    return std::bit_cast<double>(bits);
  if (type.bytes == 4)
    return std::bit_cast<float>(uint32_t(bits));
  if (type.format.digits == 8)
    return std::bit_cast<float>(uint32_t(bits) << 16);
  f16 value;
  value.bits = uint16_t(bits);
  return double(float(value));
}

uint64_t bitsOf(const FloatType &type, double value) {
  if (type.bytes == 8)
    return std::bit_cast<uint64_t>(value);
  if (type.bytes == 4)
    return std::bit_cast<uint32_t>(float(value));
  return type.format.digits == 8 ? bf16(value).bits : f16(value).bits;
}

// One element of memory.
uint64_t load(const FloatType &type, const void *memory, int64_t i) {
  if (type.bytes == 8)
    return static_cast<const uint64_t *>(memory)[i];
  return type.bytes == 4 ? static_cast<const uint32_t *>(memory)[i] : static_cast<const uint16_t *>(memory)[i];
}

void store(const FloatType &type, void *memory, int64_t i, uint64_t bits) {
  if (type.bytes == 8)
    static_cast<uint64_t *>(memory)[i] = bits;
  else if (type.bytes == 4)
    static_cast<uint32_t *>(memory)[i] = uint32_t(bits);
  else
    static_cast<uint16_t *>(memory)[i] = uint16_t(bits);
}

// 2^exponent, of a normal number.
double powerOfTwo(int exponent) { return std::bit_cast<double>(uint64_t(exponent + 1023) << 52); }

// As Big::ulps, from a reference in f64, for the smaller types. Without calls of libm: it runs 2^32 times.
double ulps(double want, double got, const FloatFormat &format) {
  constexpr double wrong = std::numeric_limits<double>::infinity();
  if (std::isnan(want) || std::isnan(got))
    return std::isnan(want) && std::isnan(got) ? 0 : wrong;
  if (want == 0 || std::isinf(want))
    return got == want && std::signbit(got) == std::signbit(want) ? 0 : wrong;
  if (std::signbit(got) != std::signbit(want))
    return got == 0 || std::isinf(got) ? wrong : std::fabs(got - want) * powerOfTwo(-format.least);
  // A subnormal f64 lies below the least exponent of the smaller types in any case.
  const int exponent = int(std::bit_cast<uint64_t>(std::fabs(want)) >> 52) - 1023;
  const int place = std::min(std::max(exponent, format.least), format.greatest - 1) - format.digits + 1;
  const double limit = powerOfTwo(format.greatest);
  const double value = std::min(std::fabs(got), limit), target = std::min(std::fabs(want), limit);
  return std::fabs(value - target) * powerOfTwo(-place);
}

// What was found of an op so far.
struct Tally {
  uint64_t count = 0, hash = 0;
  double worst = 0, sum = 0;
  uint64_t at[2] = {0, 0};

  void add(double error, uint64_t x, uint64_t y) {
    ++count;
    sum += error;
    if (error > worst)
      worst = error, at[0] = x, at[1] = y;
  }
  // Order does not matter, so that threads may take blocks as they come.
  void mark(uint64_t x, uint64_t y, uint64_t result) {
    uint64_t v = (x * 0x9e3779b97f4a7c15 + y) ^ (result * 0xd6e8feb86659fd93);
    v = (v ^ (v >> 32)) * 0xd6e8feb86659fd93;
    hash += v ^ (v >> 32);
  }
  void merge(const Tally &other) {
    count += other.count;
    hash += other.hash;
    sum += other.sum;
    if (other.worst > worst)
      worst = other.worst, at[0] = other.at[0], at[1] = other.at[1];
  }
};

// An op of one type, compiled.
class Kernel {
public:
  Kernel(const MathFunction &function, const FloatType &type, const Device &device)
      : function(function), type(type), isOnHost(device.is_cpu()), program(compileText(text(function, type), device)) {}

  const MathFunction &function;
  const FloatType &type;
  bool isOnHost;
  Program program;

private:
  static std::string text(const MathFunction &function, const FloatType &type) {
    const std::string tensor = fmt::format("tensor<{}x{}>", kBlock, type.name);
    const bool two = function.operands == 2;
    return fmt::format(
        "func.func @main(%x: {0}{1}) -> {0} {{\n  %r = burn.{2}{3} %x{4}{5} : {0}\n  return %r : {0}\n}}\n", tensor,
        two ? ", %y: " + tensor : "", function.op, function.before.empty() ? "" : " " + function.before,
        two ? ", %y" : "", function.after.empty() ? "" : " " + function.after);
  }
};

// Memory of one thread for calls of a kernel.
class Caller {
public:
  explicit Caller(const Kernel &kernel)
      : kernel(kernel), arena(makeArena(kernel.program)),
        arguments(size_t(kernel.function.operands), HostArray(kernel.type.dtype, Shape{kBlock})),
        computed(kernel.type.dtype, Shape{kBlock}) {}

  void *argument(int i) { return arguments[size_t(i)].bytes().data(); }
  const void *result() const { return computed.bytes().data(); }
  void call() {
    if (!kernel.isOnHost) {
      computed = std::move(kernel.program.run(arguments)[0]);
      return;
    }
    std::vector<void *> buffers;
    for (HostArray &argument : arguments)
      buffers.push_back(argument.bytes().data());
    buffers.push_back(computed.bytes().data());
    if (kernel.program.call(buffers.data(), nullptr, arena.get(), /*serial=*/true) != 0)
      throw std::runtime_error("a check of the program failed");
  }

private:
  const Kernel &kernel;
  std::shared_ptr<void> arena;
  std::vector<HostArray> arguments;
  HostArray computed;
};

// The error that counts: where zeros bound the absolute error only, units of the last place of 1.
double counted(const Kernel &kernel, double x, double want, double error, double got) {
  if (!kernel.function.zerosBelow || x >= 0 || !(std::fabs(want) < 1) || !std::isfinite(got))
    return error;
  return std::fabs(got - want) * std::ldexp(1.0, kernel.type.format.digits - 1);
}

// Calls `block(index, caller, tally)` for index 0 to `blocks` in threads until `deadline`.
template <typename Block>
Tally inThreads(const Kernel &kernel, uint64_t blocks, int threads, double seconds, const Block &block) {
  std::atomic<uint64_t> next{0};
  std::mutex mutex;
  Tally total;
  std::string failure;
  const auto start = std::chrono::steady_clock::now();
  auto work = [&] {
    Tally tally;
    try {
      Caller caller(kernel);
      for (uint64_t i; (i = next++) < blocks;) {
        const double elapsed = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        if (i != 0 && seconds > 0 && elapsed > seconds)
          break;
        block(i, caller, tally);
      }
    } catch (const std::exception &error) {
      std::lock_guard lock(mutex);
      failure = error.what();
    }
    std::lock_guard lock(mutex);
    total.merge(tally);
  };
  std::vector<std::thread> pool;
  for (int i = 1; i < threads; ++i)
    pool.emplace_back(work);
  work();
  for (std::thread &thread : pool)
    thread.join();
  if (!failure.empty())
    throw std::runtime_error(failure);
  return total;
}

// Whether results are compared with the reference, or only their bits collected.
enum class Judge { Errors, Bits };

// All values of a type of up to 32 bits, or with a stride some of them, against the f64 reference.
Tally sweep(const Kernel &kernel, bool full, int threads, double seconds, Judge judge) {
  const FloatType &type = kernel.type;
  const uint64_t all = uint64_t(1) << (8 * type.bytes);
  const uint64_t blocks = full ? all / kBlock : std::min<uint64_t>(all / kBlock, 8);
  const uint64_t stride = all / (blocks * kBlock);
  const int bits = std::countr_zero(blocks);
  return inThreads(kernel, blocks, threads, seconds, [&](uint64_t index, Caller &caller, Tally &tally) {
    // In an order that spreads over the range, for a run that is cut off.
    uint64_t place = 0;
    for (int bit = 0; bit < bits; ++bit)
      place |= (index >> bit & 1) << (bits - 1 - bit);
    std::mt19937_64 random(index);
    for (int64_t i = 0; i < kBlock; ++i)
      store(type, caller.argument(0), i,
            (place * kBlock + uint64_t(i)) * stride + (stride > 1 ? random() % stride : 0));
    caller.call();
    for (int64_t i = 0; i < kBlock; ++i) {
      const uint64_t argument = load(type, caller.argument(0), i), result = load(type, caller.result(), i);
      const double x = valueOf(type, argument), got = valueOf(type, result);
      tally.mark(std::isnan(x) ? 0 : argument, 0, std::isnan(got) ? 0 : result);
      if (judge == Judge::Bits) {
        ++tally.count;
        continue;
      }
      const double want = kernel.function.narrow(x);
      tally.add(counted(kernel, x, want, ulps(want, got, type.format), got), argument, 0);
    }
  });
}

// Where functions change their behaviour, or implementations of them do.
constexpr double kSpecial[] = {0,
                               1,
                               2,
                               0.5,
                               std::numeric_limits<double>::infinity(),
                               std::numeric_limits<double>::quiet_NaN(),
                               3,
                               4,
                               1.5,
                               0x1p-12,
                               1e-3,
                               10,
                               100,
                               709.7,
                               745.1,
                               88.7,
                               9.01,
                               27.2,
                               0.6931471805,
                               1.25,
                               0.46875,
                               6.25,
                               16,
                               1e-45};
constexpr int64_t kSpecials = 2 * std::size(kSpecial);
double special(uint64_t i) { return (i % 2 == 0 ? 1 : -1) * kSpecial[i / 2 % std::size(kSpecial)]; }

// Arguments over the whole range, in the middle of it, and around special values.
uint64_t adversarial(const FloatType &type, std::mt19937_64 &random) {
  auto unit = [&] { return double(random() >> 11) * 0x1p-53; };
  auto sign = [&] { return random() % 2 == 0 ? 1.0 : -1.0; };
  switch (random() % 8) {
  case 0:
  case 1:
    return random() >> (64 - 8 * type.bytes);
  case 2: // around a special value
    return bitsOf(type, special(random())) + random() % 9 - 4;
  case 3:
    return bitsOf(type, special(random()) * (1 + unit() * 0x1p-10));
  case 4: // around a multiple of pi / 4
    return bitsOf(type, double(int64_t(random() % 4096) - 2048) * 0.78539816339744830962) + random() % 5 - 2;
  case 5:
    return bitsOf(type, 64 * unit() - 32);
  case 6:
    return bitsOf(type, sign() * std::ldexp(1 + unit(), int(random() % 60) - 40));
  default:
    return bitsOf(type, 4 * unit() - 2);
  }
}

// Samples, against MPFR.
Tally sample(const Kernel &kernel, uint64_t count, int threads, double seconds, Judge judge) {
  const FloatType &type = kernel.type;
  const uint64_t mask = type.bytes == 8 ? ~uint64_t(0) : (uint64_t(1) << (8 * type.bytes)) - 1;
  const uint64_t part = std::min<uint64_t>(kBlock, std::max<uint64_t>(count / 64, kSpecials * kSpecials));
  return inThreads(
      kernel, (count + part - 1) / part, threads, seconds, [&](uint64_t index, Caller &caller, Tally &tally) {
        std::mt19937_64 random(index);
        for (int operand = 0; operand < kernel.function.operands; ++operand)
          for (int64_t i = 0; i < kBlock; ++i)
            store(type, caller.argument(operand), i, i < int64_t(part) ? adversarial(type, random) & mask : 0);
        if (kernel.function.operands == 2) // one in eight pairs is nearly equal
          for (int64_t i = 0; i < int64_t(part); i += 8)
            store(type, caller.argument(1), i, (load(type, caller.argument(0), i) + random() % 2048 - 1024) & mask);
        caller.call();
        for (int64_t i = 0; i < int64_t(part); ++i) {
          uint64_t arguments[2] = {load(type, caller.argument(0), i), 0};
          if (kernel.function.operands == 2)
            arguments[1] = load(type, caller.argument(1), i);
          const uint64_t result = load(type, caller.result(), i);
          const double x = valueOf(type, arguments[0]), y = valueOf(type, arguments[1]), got = valueOf(type, result);
          if (x < kernel.function.from)
            continue;
          tally.mark(std::isnan(x) ? 0 : arguments[0], std::isnan(y) ? 0 : arguments[1], std::isnan(got) ? 0 : result);
          if (judge == Judge::Bits) {
            ++tally.count;
            continue;
          }
          const Big want = kernel.function.exact(Big(x), Big(y));
          tally.add(counted(kernel, x, want.toDouble(), want.ulps(got, type.format), got), arguments[0], arguments[1]);
        }
      });
}

// How far the f64 reference is off, in units of the last place of the type.
double referenceError(const Kernel &kernel) {
  std::mt19937_64 random(3);
  const FloatType &type = kernel.type;
  double worst = 0;
  for (int i = 0; i < 500; ++i) {
    const double x = valueOf(type, adversarial(type, random) & ((uint64_t(1) << (8 * type.bytes)) - 1));
    if (x < kernel.function.from)
      continue;
    double value = kernel.function.narrow(x);
    if (std::fabs(value) >= std::ldexp(1.0, type.format.greatest))
      value = std::copysign(std::numeric_limits<double>::infinity(), value);
    const Big want = kernel.function.exact(Big(x), Big());
    worst = std::max(worst, counted(kernel, x, want.toDouble(), want.ulps(value, type.format), value));
  }
  return worst;
}

std::string keyOf(const Json &line) {
  return fmt::format("{} {} {} {}", line["op"].get<std::string>(), line["type"].get<std::string>(),
                     line["cpu"].get<std::string>(), line["mode"].get<std::string>());
}

bool chosen(const std::vector<std::string> &names, const std::string &name) {
  return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
}

std::string hashOf(const Tally &tally) { return fmt::format("{:016x}", tally.hash); }

// `others` are the measurements of the same op by the code for other processors.
Json measure(const MathFunction &function, const FloatType &type, const AccuracyOptions &options,
             const std::vector<Json> &others) {
  const bool full = options.mode == "full";
  const Kernel kernel(function, type, Device(options.device));
  const auto start = std::chrono::steady_clock::now();
  auto elapsed = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); };
  const bool swept = function.narrow && function.operands == 1 && type.bytes < 8;
  auto tallied = [&](Judge judge) {
    if (!swept)
      return sample(kernel, full ? 1 << 22 : 1 << 13, options.threads, options.seconds, judge);
    Tally tally = sweep(kernel, full || type.bytes == 2, options.threads, options.seconds, judge);
    // Where the arguments are hard the reference is MPFR.
    tally.merge(sample(kernel, full ? 1 << 18 : 1 << 11, options.threads, options.seconds, judge));
    return tally;
  };
  // Code with the same results has the same errors.
  if (!others.empty()) {
    const Tally tally = tallied(Judge::Bits);
    for (Json line : others)
      if (line["hash"] == hashOf(tally) && line["count"] == tally.count) {
        line["seconds"] = elapsed();
        return line;
      }
  }
  Json line = {{"op", function.label()}, {"type", type.name}};
  const double reference = swept ? referenceError(kernel) : 0;
  const Tally tally = tallied(Judge::Errors);
  const double bound = type.bytes == 8   ? function.bound64
                       : type.bytes == 4 ? function.bound32
                                         : 0.5 + function.bound32 * std::ldexp(1.0, type.format.digits - 24);
  line["max"] = tally.worst;
  line["mean"] = tally.sum / double(std::max<uint64_t>(tally.count, 1));
  line["bound"] = bound;
  line["count"] = tally.count;
  line["swept"] = swept;
  line["reference"] = reference;
  line["at"] = fmt::format("{:a}{}", valueOf(type, tally.at[0]),
                           function.operands == 2 ? fmt::format(", {:a}", valueOf(type, tally.at[1])) : "");
  line["hash"] = hashOf(tally);
  line["jax"] = type.bytes == 8 ? function.jax64 : type.bytes == 4 ? function.jax32 : 0;
  line["seconds"] = elapsed();
  return line;
}

} // namespace

int runAccuracy(AccuracyOptions options) {
  if (!Big::open(options.mpfr)) {
    fmt::print(stderr, "burn-bench: cannot open {}; name MPFR with --mpfr\n", options.mpfr);
    return 1;
  }
  if (options.threads == 0)
    options.threads = int(std::max(1u, std::thread::hardware_concurrency()));
  const char *cpu = std::getenv("BURN_CPU");
  const Device device(options.device);
  const std::string target = device.is_cpu()         ? (cpu ? cpu : "native")
                             : options.label.empty() ? device.name()
                                                     : options.label;

  std::vector<Json> done;
  if (!options.lines.empty())
    for (std::ifstream file(options.lines); file;) {
      std::string text;
      if (std::getline(file, text); !text.empty())
        done.push_back(Json::parse(text));
    }
  int failed = 0, measured = 0;
  const std::vector<MathFunction> functions = mathFunctions();
  for (const std::string &op : uncoveredOps(functions)) {
    fmt::print("burn.{} has no reference\n", op);
    ++failed;
  }
  for (const FloatType &type : kTypes) {
    if (!chosen(options.types, type.name))
      continue;
    for (const MathFunction &function : functions) {
      if (!chosen(options.ops, function.op))
        continue;
      const std::string key = fmt::format("{} {} {} {}", function.label(), type.name, target, options.mode);
      std::vector<Json> others;
      bool measuredBefore = false;
      for (const Json &line : done) {
        measuredBefore = measuredBefore || keyOf(line) == key;
        if (line["op"] == function.label() && line["type"] == type.name && line["mode"] == options.mode)
          others.push_back(line);
      }
      if (measuredBefore)
        continue;
      Json line;
      try {
        line = measure(function, type, options, others);
      } catch (const Error &error) {
        if (device.is_cpu() || error.code() != ErrorCode::Unsupported)
          throw;
        fmt::print("{:24} {:5} unsupported: {}\n", function.label(), type.name, error.message());
        continue;
      }
      line["cpu"] = target;
      line["mode"] = options.mode;
      line.erase("device"); // where the figures are those of another processor with the same bits
      if (!device.is_cpu())
        line["device"] = device.name();
      ++measured;
      // The reference of a rounded result has an error of its own.
      const double worst = line["max"], bound = line["bound"], reference = line["reference"];
      const bool good = worst <= bound + reference && reference < 0.02;
      failed += !good;
      fmt::print("{:24} {:5} max {:8.4f} mean {:.4f} of {} at {}{}, {:.2f} s\n", function.label(), type.name, worst,
                 line["mean"].get<double>(), line["count"].get<uint64_t>(), line["at"].get<std::string>(),
                 good ? "" : fmt::format("  ABOVE {} (reference {:.3f})", bound, reference),
                 line["seconds"].get<double>());
      std::fflush(stdout);
      if (!options.lines.empty()) {
        std::ofstream file(options.lines, std::ios::app);
        file << line.dump() << "\n";
        if (!file.flush()) {
          fmt::print(stderr, "burn-bench: cannot write {}\n", options.lines);
          return 1;
        }
      }
    }
  }
  fmt::print("{} measured on {}, {} above their bound\n", measured, target, failed);
  if (!options.report.empty())
    writeAccuracyReport(options.lines, options.report);
  return failed == 0 ? 0 : 1;
}

} // namespace burn::bench
