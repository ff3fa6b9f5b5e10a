// Products of 8- and 16-bit integers in 32 bits, as code for each kind of processor that this one can stand for,
// against sums over the definition.
#include "passes/Graph/Import.h"
#include "passes/Pipelines/Compile.h"
#include "runtime/Devices/Cpu/CpuTarget.h"
#include "test/unit/programs/Arguments.h"
#include "tools/burn-fuzz/CompiledProgram.h"

#include <catch2/catch.hpp>

#include <fmt/format.h>

#include <cstring>

using namespace burn;
using namespace burn::fuzz;

namespace {

struct NarrowProduct {
  DType lhs, rhs, result;
  int64_t batch, m, n, k;
  bool lhsTransposed, rhsTransposed;

  Shape shape(int64_t rows, int64_t columns, bool transposed) const {
    Shape shape;
    if (batch > 0)
      shape.push(batch);
    shape.push(transposed ? columns : rows);
    shape.push(transposed ? rows : columns);
    return shape;
  }
  Shape lhsShape() const { return shape(m, k, lhsTransposed); }
  Shape rhsShape() const { return shape(k, n, rhsTransposed); }
  Shape outShape() const { return shape(m, n, false); }
};

std::string nameOf(DType dtype) {
  switch (dtype) {
  case DType::I8:
    return "i8";
  case DType::U8:
    return "ui8";
  case DType::I16:
    return "i16";
  case DType::U16:
    return "ui16";
  case DType::U32:
    return "ui32";
  case DType::BF16:
    return "bf16";
  case DType::F32:
    return "f32";
  default:
    return "i32";
  }
}

std::string typeOf(DType dtype, const Shape &shape) {
  std::string text = "tensor<";
  for (int64_t size : shape)
    text += fmt::format("{}x", size);
  return text + nameOf(dtype) + ">";
}

/// One function with all products; operands of a type other than the result's are converted first.
std::string programOf(const std::vector<NarrowProduct> &products) {
  std::string arguments, body, returned, types;
  for (size_t i = 0; i < products.size(); ++i) {
    const NarrowProduct &p = products[i];
    const char *separator = i ? ", " : "";
    arguments +=
        fmt::format("{}%a{}: {}, %b{}: {}", separator, i, typeOf(p.lhs, p.lhsShape()), i, typeOf(p.rhs, p.rhsShape()));
    const auto widened = [&](const char *name, DType from, const Shape &shape) {
      if (from == p.result)
        return fmt::format("%{}{}", name, i);
      body += fmt::format("  %{0}w{1} = burn.convert %{0}{1} : {2} to {3}\n", name, i, typeOf(from, shape),
                          typeOf(p.result, shape));
      return fmt::format("%{}w{}", name, i);
    };
    const std::string lhs = widened("a", p.lhs, p.lhsShape()), rhs = widened("b", p.rhs, p.rhsShape());
    const int first = p.batch > 0 ? 1 : 0;
    const char *batch = first ? ": 0" : "";
    body += fmt::format("  %c{} = burn.dot_general {}, {} {{lhs_batch = array<i64{}>, rhs_batch = array<i64{}>, "
                        "lhs_contract = array<i64: {}>, rhs_contract = array<i64: {}>}} : {}, {} to {}\n",
                        i, lhs, rhs, batch, batch, first + (p.lhsTransposed ? 0 : 1), first + (p.rhsTransposed ? 1 : 0),
                        typeOf(p.result, p.lhsShape()), typeOf(p.result, p.rhsShape()), typeOf(p.result, p.outShape()));
    returned += fmt::format("{}%c{}", separator, i);
    types += separator + typeOf(p.result, p.outShape());
  }
  return fmt::format("func.func @main({}) -> ({}) {{\n{}  return {} : {}\n}}\n", arguments, types, body, returned,
                     types);
}

int64_t elementAt(const ir::HostTensor &tensor, int64_t i) {
  const auto get = [&](auto type) {
    decltype(type) value;
    std::memcpy(&value, tensor.bytes.data() + i * sizeof value, sizeof value);
    return static_cast<int64_t>(value);
  };
  switch (tensor.type.dtype) {
  case DType::I8:
    return get(int8_t());
  case DType::U8:
    return get(uint8_t());
  case DType::I16:
    return get(int16_t());
  case DType::U16:
    return get(uint16_t());
  case DType::U32:
    return get(uint32_t());
  case DType::BF16: {
    uint32_t bits = static_cast<uint32_t>(get(uint16_t())) << 16;
    float value;
    std::memcpy(&value, &bits, sizeof value);
    return static_cast<int64_t>(value);
  }
  case DType::F32:
    return get(float());
  default:
    return get(int32_t());
  }
}

/// Bytes that take every value, with runs of the extreme ones; small whole numbers where they are floats.
ir::HostTensor filled(DType dtype, const Shape &shape, uint32_t &seed) {
  ir::HostTensor tensor(core::TypeDesc{dtype, shape});
  const bool extreme = seed % 3 == 0;
  for (size_t i = 0; i < tensor.bytes.size(); ++i) {
    seed = seed * 1664525u + 1013904223u;
    tensor.bytes[i] = static_cast<std::byte>(extreme && seed >> 30 ? (dtype == DType::I8 ? 0x80 : 0xff) : seed >> 24);
  }
  if (dtype == DType::BF16)
    for (int64_t i = 0; i < shape.numel(); ++i) {
      const bf16 value(static_cast<float>(static_cast<int>(tensor.bytes[2 * i]) % 17 - 8));
      std::memcpy(tensor.bytes.data() + 2 * i, &value, 2);
    }
  return tensor;
}

/// Elements that differ from the definition.
int64_t countWrong(const NarrowProduct &p, const ir::HostTensor &lhs, const ir::HostTensor &rhs,
                   const ir::HostTensor &out) {
  const unsigned bits = bitWidth(p.result);
  const uint64_t mask = (uint64_t(1) << bits) - 1;
  int64_t wrong = 0;
  for (int64_t b = 0; b < std::max<int64_t>(p.batch, 1); ++b)
    for (int64_t i = 0; i < p.m; ++i)
      for (int64_t j = 0; j < p.n; ++j) {
        uint64_t sum = 0;
        for (int64_t l = 0; l < p.k; ++l)
          sum += uint64_t(elementAt(lhs, b * p.m * p.k + (p.lhsTransposed ? l * p.m + i : i * p.k + l)) *
                          elementAt(rhs, b * p.k * p.n + (p.rhsTransposed ? j * p.k + l : l * p.n + j)));
        wrong += (sum & mask) != (static_cast<uint64_t>(elementAt(out, (b * p.m + i) * p.n + j)) & mask);
      }
  return wrong;
}

using Targets = std::vector<std::pair<std::string, compiler::CpuTarget>>;

/// Targets from SSE2 on that this processor can run code for, and itself without tiles, which would take the place of
/// its other instructions. Says what is left out.
const Targets &targets() {
  static const Targets targets = [] {
    Targets all;
    const runtime::CpuInfo cpu = runtime::readCpu();
    for (const char *name : {"x86-64", "x86-64-v3", "alderlake", "x86-64-v4", "icelake-server", "native"}) {
      const auto target = runtime::selectCpuTarget(cpu, name);
      if (!target) {
        WARN("skipped: " << target.status().message());
        continue;
      }
      compiler::CpuTarget &made = all.emplace_back(name, compiler::CpuTarget()).second;
      made.cpu = target->cpu;
      made.features = target->features;
    }
    if (cpu.has("amx-tile")) {
      all.push_back(all.back());
      all.back().first += " without tiles";
      all.back().second.features += ",-amx-tile";
    } else {
      WARN("skipped: this processor has no tiles (amx-tile)");
    }
    if (!cpu.has("avx512bf16"))
      WARN("skipped: this processor has no instructions for bf16 (avx512bf16)");
    return all;
  }();
  return targets;
}

/// Which operand of the products is a constant, packed when they are compiled.
enum class Constant { None, Lhs, Rhs };

void check(const std::vector<NarrowProduct> &products, bool deterministic, Constant constant = Constant::None) {
  uint32_t seed = 1;
  Tensors arguments;
  for (const NarrowProduct &p : products) {
    arguments.push_back(filled(p.lhs, p.lhsShape(), seed));
    arguments.push_back(filled(p.rhs, p.rhsShape(), seed));
  }
  const std::string text = programOf(products);
  for (const auto &[name, target] : targets()) {
    INFO(name);
    auto context = compiler::makeContext();
    auto module = compiler::parseProgram(*context, text, "products", "");
    REQUIRE(module);
    Tensors given;
    for (size_t i = arguments.size(); i-- > 0;)
      if (constant != Constant::None && i % 2 == (constant == Constant::Lhs ? 0 : 1))
        burn::test::makeConstant(**module, unsigned(i), arguments[i]);
      else
        given.insert(given.begin(), arguments[i]);
    compiler::CompileOptions options;
    options.target = target;
    options.deterministic = deterministic;
    auto program = CompiledProgram::compile(**module, options);
    if (!program)
      FAIL(program.status().message());
    for (Loops loops : {Loops::Serial, Loops::Backward}) {
      auto results = (*program)->run(given, loops);
      if (!results)
        FAIL(results.status().message());
      for (size_t i = 0; i < products.size(); ++i) {
        const NarrowProduct &p = products[i];
        INFO(nameOf(p.lhs) << " " << nameOf(p.rhs) << " " << p.batch << "x" << p.m << "x" << p.n << "x" << p.k << " "
                           << p.lhsTransposed << p.rhsTransposed);
        CHECK(countWrong(p, arguments[2 * i], arguments[2 * i + 1], (*results)[i]) == 0);
      }
    }
  }
}

} // namespace

TEST_CASE("Sums of narrow integers are exact, whatever instruction adds them up", "[products]") {
  const std::array<DType, 3> types[] = {
      {DType::I8, DType::I8, DType::I32},   {DType::U8, DType::I8, DType::I32},   {DType::I8, DType::U8, DType::I32},
      {DType::U8, DType::U8, DType::I32},   {DType::U8, DType::U8, DType::U32},   {DType::I16, DType::I16, DType::I32},
      {DType::U16, DType::U16, DType::I32}, {DType::I8, DType::I16, DType::I32},  {DType::I8, DType::I8, DType::I8},
      {DType::U8, DType::U8, DType::U8},    {DType::I16, DType::I16, DType::I16}, {DType::U16, DType::U16, DType::U16},
  };
  // Whole tiles and tails of each kind, and batches of some.
  const int64_t sizes[][3] = {{64, 64, 64}, {33, 47, 101}, {4, 130, 8}, {61, 5, 67}, {70, 1, 33}, {5, 31, 9}};
  for (const auto &[lhs, rhs, result] : types) {
    std::vector<NarrowProduct> products;
    for (bool lhsTransposed : {false, true})
      for (bool rhsTransposed : {false, true})
        for (const auto &[m, n, k] : sizes)
          products.push_back(
              {lhs, rhs, result, products.size() % 5 == 0 ? 2 : 0, m, n, k, lhsTransposed, rhsTransposed});
    check(products, true);
  }
}

TEST_CASE("Products of 8-bit integers in all four layouts, of long sums and of nothing", "[products]") {
  std::vector<NarrowProduct> products;
  for (bool lhsTransposed : {false, true})
    for (bool rhsTransposed : {false, true})
      for (auto [m, n, k] : {std::array<int64_t, 3>{97, 83, 2600}, {0, 5, 7}, {7, 5, 0}, {1, 1, 1}, {17, 300, 3}})
        products.push_back({DType::I8, DType::I8, DType::I32, 0, m, n, k, lhsTransposed, rhsTransposed});
  products.push_back({DType::I8, DType::I8, DType::I32, 0, 700, 90, 70, false, false});
  products.push_back({DType::I8, DType::I8, DType::I32, 0, 40, 1100, 70, false, true});
  check(products, true);
}

TEST_CASE("Sums of narrow integers are exact where an operand is a constant", "[products][constants]") {
  const std::array<DType, 3> types[] = {
      {DType::I8, DType::I8, DType::I32},   {DType::U8, DType::I8, DType::I32},  {DType::I8, DType::U8, DType::I32},
      {DType::U8, DType::U8, DType::U32},   {DType::I16, DType::I8, DType::I32}, {DType::U16, DType::U16, DType::I32},
      {DType::I16, DType::I16, DType::I16},
  };
  const int64_t sizes[][3] = {{64, 64, 64}, {33, 47, 101}, {4, 130, 8}, {1, 1, 1}, {7, 5, 0}, {0, 5, 7}};
  for (const auto &[lhs, rhs, result] : types) {
    std::vector<NarrowProduct> products;
    for (bool transposed : {false, true})
      for (const auto &[m, n, k] : sizes)
        products.push_back({lhs, rhs, result, products.size() % 5 == 0 ? 2 : 0, m, n, k, transposed, transposed});
    for (Constant constant : {Constant::Lhs, Constant::Rhs})
      check(products, true, constant);
  }
  std::vector<NarrowProduct> products;
  for (auto [m, n, k] : {std::array<int64_t, 3>{64, 64, 64}, {33, 47, 101}, {97, 35, 1200}, {5, 3, 11}})
    products.push_back({DType::BF16, DType::BF16, DType::F32, 0, m, n, k, false, true});
  for (Constant constant : {Constant::Lhs, Constant::Rhs})
    check(products, false, constant);
}

TEST_CASE("Products of bf16 whose order is free are exact where sums are", "[products]") {
  std::vector<NarrowProduct> products;
  for (bool lhsTransposed : {false, true})
    for (bool rhsTransposed : {false, true})
      for (auto [m, n, k] : {std::array<int64_t, 3>{64, 64, 64}, {33, 47, 101}, {97, 35, 1200}, {5, 3, 11}})
        products.push_back({DType::BF16, DType::BF16, DType::F32, 0, m, n, k, lhsTransposed, rhsTransposed});
  for (bool deterministic : {false, true})
    check(products, deterministic);
}
