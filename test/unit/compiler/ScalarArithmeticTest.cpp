#include "runtime/Core/Philox.h"
#include "test/unit/compiler/ElementValues.h"
#include "test/unit/compiler/PayloadKernels.h"

#include <catch2/catch.hpp>

#include <bit>
#include <random>

using namespace burn::compiler::test;
using namespace burn::ir;
using mlir::Value;

namespace {

constexpr int64_t count = PayloadKernels::block;

struct Named {
  const char *name;
  ScalarKind kind;
};

const std::vector<Named> allKinds = {
    {"f64", floatKind(64)},     {"f32", floatKind(32)},   {"f16", floatKind(16)},     {"bf16", bf16Kind()},
    {"i1", boolKind()},         {"i8", signedKind(8)},    {"i16", signedKind(16)},    {"i32", signedKind(32)},
    {"i64", signedKind(64)},    {"ui8", unsignedKind(8)}, {"ui16", unsignedKind(16)}, {"ui32", unsignedKind(32)},
    {"ui64", unsignedKind(64)},
};

/// Bit patterns of every magnitude, beginning with the edges.
std::vector<uint64_t> elements(ScalarKind kind, int seed) {
  std::mt19937_64 random(seed);
  std::vector<uint64_t> bits(count);
  const long double edges[] = {0,
                               -0.0L,
                               1,
                               -1,
                               0.5L,
                               -0.5L,
                               1.5L,
                               2.5L,
                               -2.5L,
                               127,
                               128,
                               -128,
                               -129,
                               255,
                               256,
                               32767,
                               32768,
                               -32768,
                               65504,
                               65520,
                               65535,
                               65536,
                               0x1p31L,
                               0x1p31L - 1,
                               -0x1p31L,
                               0x1p32L,
                               0x1p32L - 1,
                               0x1p63L,
                               -0x1p63L,
                               0x1p64L,
                               0x1p64L - 1,
                               0x1p53L + 1,
                               0x1p24L + 1,
                               INFINITY,
                               -INFINITY,
                               NAN,
                               1e30L,
                               -1e30L,
                               0x1.008p8L,
                               0x1.01000000001p8L,
                               0x1p62L + 0x1p54L + 1,
                               0x1p62L + 0x1p54L};
  size_t at = 0;
  for (long double edge : edges)
    bits[at++] = encode(kind, edge);
  uint64_t mask = kind.width == 64 ? ~uint64_t(0) : (uint64_t(1) << kind.width) - 1;
  for (; at != bits.size(); ++at) {
    uint64_t word = random();
    // Integers of all lengths, floats of all exponents and some of moderate size.
    if (kind.isFloat() && at % 2)
      bits[at] = encode(kind, std::ldexp((long double)int64_t(word), -int(random() % 70)));
    else if (kind.isFloat())
      bits[at] = word & mask;
    else
      bits[at] = (int64_t(word) >> (random() % 64)) & mask;
  }
  return bits;
}

std::vector<burn::compiler::CpuTarget> targets() {
  if (hostHasAvx512())
    return {avx512Target(), avx2Target()};
  return {avx2Target()};
}

std::vector<uint64_t> runKernel(PayloadKernels &kernels, const std::string &name,
                                const std::vector<std::vector<char>> &inputs, ScalarKind result) {
  std::vector<char> output = pack(result, std::vector<uint64_t>(count));
  if (inputs.size() == 1)
    kernels.run(name, count, inputs[0].data(), output.data());
  else
    kernels.run(name, count, inputs[0].data(), inputs[1].data(), output.data());
  return unpack(result, output);
}

/// Runs `payload` on 1 and 16 lanes on every target, and compares each element
/// with `reference` of the operands' bits.
struct BinaryCase {
  std::string name;
  ScalarKind kind, result;
  std::function<Value(ScalarOps &, Value, Value)> payload;
  std::function<uint64_t(uint64_t, uint64_t)> reference;
};

void check(const std::vector<BinaryCase> &cases) {
  for (const burn::compiler::CpuTarget &target : targets()) {
    PayloadKernels kernels;
    for (const BinaryCase &test : cases)
      for (int64_t lanes : {1, 16})
        kernels.add(test.name + std::to_string(lanes), {test.kind, test.kind}, test.result, lanes,
                    [&](auto &b, auto loc, auto x) {
                      ScalarOps ops(b, loc, test.kind);
                      return test.payload(ops, x[0], x[1]);
                    });
    REQUIRE(kernels.compile(target) == "");
    for (const BinaryCase &test : cases) {
      std::vector<uint64_t> lhs = elements(test.kind, 1), rhs = elements(test.kind, 2);
      // The first elements pair every edge with several others.
      for (size_t i = 0; i != 40 * 40; ++i)
        lhs[i] = lhs[i % 40], rhs[i] = i < 40 ? rhs[i] : lhs[(i / 40) % 40];
      for (const char *lanes : {"1", "16"}) {
        std::vector<uint64_t> got =
            runKernel(kernels, test.name + lanes, {pack(test.kind, lhs), pack(test.kind, rhs)}, test.result);
        size_t wrong = 0;
        for (size_t i = 0; i != got.size(); ++i) {
          uint64_t want = test.reference(lhs[i], rhs[i]);
          if (got[i] == want || (isNaN(test.result, got[i]) && isNaN(test.result, want)))
            continue;
          if (wrong++ == 0)
            UNSCOPED_INFO(test.name << lanes << "(" << decode(test.kind, lhs[i]) << ", " << decode(test.kind, rhs[i])
                                    << ") = " << decode(test.result, got[i]) << ", not " << decode(test.result, want)
                                    << " on " << target.cpu);
        }
        CHECK(wrong == 0);
      }
    }
  }
}

/// A float operation in the precision that the op is defined in.
template <typename Operation>
std::function<uint64_t(uint64_t, uint64_t)> rounded(ScalarKind kind, Operation operation) {
  return [=](uint64_t x, uint64_t y) -> uint64_t {
    if (kind.width == 64)
      return std::bit_cast<uint64_t>(operation(std::bit_cast<double>(x), std::bit_cast<double>(y)));
    float result = operation(float(decode(kind, x)), float(decode(kind, y)));
    return encode(kind, result);
  };
}

} // namespace

TEST_CASE("conversions between all kinds round once, truncate and saturate") {
  for (const burn::compiler::CpuTarget &target : targets()) {
    for (const Named &from : allKinds) {
      PayloadKernels kernels;
      for (const Named &to : allKinds)
        for (int64_t lanes : {1, 16})
          kernels.add(to.name + std::string("_") + std::to_string(lanes), {from.kind}, to.kind, lanes,
                      [&](auto &b, auto loc, auto x) { return ScalarOps(b, loc, from.kind).convert(x[0], to.kind); });
      REQUIRE(kernels.compile(target) == "");
      std::vector<uint64_t> input = elements(from.kind, 3);
      for (const Named &to : allKinds)
        for (const char *lanes : {"_1", "_16"}) {
          std::vector<uint64_t> got =
              runKernel(kernels, std::string(to.name) + lanes, {pack(from.kind, input)}, to.kind);
          size_t wrong = 0;
          for (size_t i = 0; i != got.size(); ++i) {
            long double value = decode(from.kind, input[i]);
            uint64_t want = encode(to.kind, value);
            // Integers wrap among themselves.
            if (from.kind.isInteger() && to.kind.isInteger())
              want = uint64_t(from.kind.isSigned() ? int64_t(value) : int64_t(input[i])) &
                     (to.kind.width == 64 ? ~uint64_t(0) : (uint64_t(1) << to.kind.width) - 1);
            if (got[i] == want || (isNaN(to.kind, got[i]) && isNaN(to.kind, want)))
              continue;
            if (wrong++ == 0)
              UNSCOPED_INFO(from.name << " " << value << " to " << to.name << lanes << " gave "
                                      << decode(to.kind, got[i]) << ", not " << decode(to.kind, want) << " on "
                                      << target.cpu);
          }
          CHECK(wrong == 0);
        }
    }
  }
}

TEST_CASE("float arithmetic rounds each operation; max and min pass NaN on") {
  std::vector<BinaryCase> cases;
  for (const auto &[name, kind] : allKinds) {
    if (!kind.isFloat())
      continue;
    auto add = [&, kind = kind, prefix = std::string(name)](const char *op, auto payload, auto operation) {
      cases.push_back({prefix + op, kind, kind, payload, rounded(kind, operation)});
    };
    add("add", [](ScalarOps &o, Value x, Value y) { return o.add(x, y); }, [](auto x, auto y) { return x + y; });
    add("sub", [](ScalarOps &o, Value x, Value y) { return o.sub(x, y); }, [](auto x, auto y) { return x - y; });
    add("mul", [](ScalarOps &o, Value x, Value y) { return o.mul(x, y); }, [](auto x, auto y) { return x * y; });
    add("div", [](ScalarOps &o, Value x, Value y) { return o.div(x, y); }, [](auto x, auto y) { return x / y; });
    add(
        "max", [](ScalarOps &o, Value x, Value y) { return o.max(x, y); },
        [](auto x, auto y) {
          return x != x ? x : y != y ? y : x == y ? (std::signbit(x) ? y : x) : y > x ? y : x;
        });
    add(
        "min", [](ScalarOps &o, Value x, Value y) { return o.min(x, y); },
        [](auto x, auto y) {
          return x != x ? x : y != y ? y : x == y ? (std::signbit(x) ? x : y) : y < x ? y : x;
        });
    add("neg", [](ScalarOps &o, Value x, Value) { return o.neg(x); }, [](auto x, auto) { return -x; });
    add("abs", [](ScalarOps &o, Value x, Value) { return o.abs(x); }, [](auto x, auto) { return std::fabs(x); });
    add(
        "sign", [](ScalarOps &o, Value x, Value) { return o.sign(x); },
        [](auto x, auto) { return x > 0   ? decltype(x)(1)
                                  : x < 0 ? decltype(x)(-1)
                                          : x; });
    add(
        "relu", [](ScalarOps &o, Value x, Value) { return o.relu(x); },
        [](auto x, auto) { return x <= 0 ? decltype(x)(0) : x; });
    add("sqrt", [](ScalarOps &o, Value x, Value) { return o.sqrt(x); }, [](auto x, auto) { return std::sqrt(x); });
    add("floor", [](ScalarOps &o, Value x, Value) { return o.floor(x); }, [](auto x, auto) { return std::floor(x); });
    add("ceil", [](ScalarOps &o, Value x, Value) { return o.ceil(x); }, [](auto x, auto) { return std::ceil(x); });
    add(
        "round", [](ScalarOps &o, Value x, Value) { return o.roundEven(x); },
        [](auto x, auto) { return std::nearbyint(x); });
    add("trunc", [](ScalarOps &o, Value x, Value) { return o.trunc(x); }, [](auto x, auto) { return std::trunc(x); });
    add(
        "maxnum", [](ScalarOps &o, Value x, Value y) { return o.maxNumber(x, y); },
        [](auto x, auto y) {
          return x != x ? y : y != y ? x : x == y ? (std::signbit(x) ? y : x) : y > x ? y : x;
        });
    add(
        "minnum", [](ScalarOps &o, Value x, Value y) { return o.minNumber(x, y); },
        [](auto x, auto y) {
          return x != x ? y : y != y ? x : x == y ? (std::signbit(x) ? x : y) : y < x ? y : x;
        });
    // In bits, since a NaN has a sign as well.
    const uint64_t sign = uint64_t(1) << (kind.width - 1);
    cases.push_back({std::string(name) + "copysign", kind, kind,
                     [](ScalarOps &o, Value x, Value y) { return o.copySign(x, y); },
                     [=](uint64_t x, uint64_t y) { return (x & (sign - 1)) | (y & sign); }});
    add(
        "rem", [](ScalarOps &o, Value x, Value y) { return o.rem(x, y, DivideRounding::Trunc); },
        [](auto x, auto y) { return std::fmod(x, y); });
    add(
        "mod", [](ScalarOps &o, Value x, Value y) { return o.rem(x, y, DivideRounding::Floor); },
        [](auto x, auto y) {
          auto rest = std::fmod(x, y);
          return rest == 0 ? std::copysign(rest, y) : std::signbit(rest) != std::signbit(y) ? rest + y : rest;
        });
  }
  check(cases);
}

TEST_CASE("integer arithmetic wraps and is total") {
  std::vector<BinaryCase> cases;
  for (const auto &[name, kind] : allKinds) {
    if (!kind.isInteger())
      continue;
    uint64_t mask = kind.width == 64 ? ~uint64_t(0) : (uint64_t(1) << kind.width) - 1;
    auto add = [&, kind = kind, prefix = std::string(name)](const char *op, auto payload, auto operation) {
      // Arithmetic in 128 bits: every quotient is exact, every product wraps as wanted.
      cases.push_back({prefix + op, kind, kind, payload, [=](uint64_t x, uint64_t y) {
                         return uint64_t(operation(__int128(decode(kind, x)), __int128(decode(kind, y)))) & mask;
                       }});
    };
    add("add", [](ScalarOps &o, Value x, Value y) { return o.add(x, y); }, [](auto x, auto y) { return x + y; });
    add("sub", [](ScalarOps &o, Value x, Value y) { return o.sub(x, y); }, [](auto x, auto y) { return x - y; });
    add(
        "mul", [](ScalarOps &o, Value x, Value y) { return o.mul(x, y); },
        [](auto x, auto y) { return __int128(uint64_t(x) * uint64_t(y)); });
    add(
        "div", [](ScalarOps &o, Value x, Value y) { return o.div(x, y); },
        [](auto x, auto y) { return y == 0 ? __int128(-1) : x / y; });
    add(
        "fdiv", [](ScalarOps &o, Value x, Value y) { return o.div(x, y, DivideRounding::Floor); },
        [](auto x, auto y) { return y == 0 ? __int128(-1) : x / y - (x % y != 0 && (x < 0) != (y < 0)); });
    add(
        "max", [](ScalarOps &o, Value x, Value y) { return o.max(x, y); },
        [](auto x, auto y) { return std::max(x, y); });
    add(
        "min", [](ScalarOps &o, Value x, Value y) { return o.min(x, y); },
        [](auto x, auto y) { return std::min(x, y); });
    add("abs", [](ScalarOps &o, Value x, Value) { return o.abs(x); }, [](auto x, auto) { return x < 0 ? -x : x; });
    add(
        "sign", [](ScalarOps &o, Value x, Value) { return o.sign(x); },
        [](auto x, auto) { return __int128((x > 0) - (x < 0)); });
    add(
        "rem", [](ScalarOps &o, Value x, Value y) { return o.rem(x, y, DivideRounding::Trunc); },
        [](auto x, auto y) { return y == 0 ? x : x % y; });
    add(
        "mod", [](ScalarOps &o, Value x, Value y) { return o.rem(x, y, DivideRounding::Floor); },
        [](auto x, auto y) { return y == 0 ? x : (x % y + y) % y; });
    const int width = static_cast<int>(kind.width);
    add(
        "shl", [](ScalarOps &o, Value x, Value y) { return o.shiftLeft(x, y); },
        [=](auto x, auto y) { return y < 0 || y >= width ? __int128(0) : x << int(y); });
    add(
        "shr", [](ScalarOps &o, Value x, Value y) { return o.shiftRight(x, y); },
        [=](auto x, auto y) { return x >> (y < 0 || y >= width ? width : int(y)); });
    add(
        "popcount", [](ScalarOps &o, Value x, Value) { return o.popCount(x); },
        [=](auto x, auto) { return __int128(std::popcount(uint64_t(x) & mask)); });
    add(
        "clz", [](ScalarOps &o, Value x, Value) { return o.countLeadingZeros(x); },
        [=](auto x, auto) { return __int128(std::countl_zero(uint64_t(x) & mask) - (64 - width)); });
    add("not", [](ScalarOps &o, Value x, Value) { return o.bitwiseNot(x); }, [](auto x, auto) { return ~x; });
    add(
        "pow", [](ScalarOps &o, Value x, Value y) { return o.pow(x, y); },
        [](auto x, auto y) {
          if (y < 0)
            return __int128(x == 1 ? 1 : x == -1 ? (y % 2 ? -1 : 1) : 0);
          uint64_t result = 1, base = uint64_t(x);
          for (; y; y /= 2, base *= base)
            if (y % 2)
              result *= base;
          return __int128(result);
        });
  }
  check(cases);
}

TEST_CASE("comparisons read signedness off the burn type") {
  std::vector<BinaryCase> cases;
  for (const auto &[name, kind] : allKinds) {
    auto add = [&, kind = kind, prefix = std::string(name)](const char *op, CompareDirection direction,
                                                            auto operation) {
      cases.push_back(
          {prefix + op, kind, boolKind(), [=](ScalarOps &o, Value x, Value y) { return o.compare(direction, x, y); },
           [=](uint64_t x, uint64_t y) -> uint64_t { return operation(decode(kind, x), decode(kind, y)); }});
    };
    add("eq", CompareDirection::EQ, [](auto x, auto y) { return x == y; });
    add("ne", CompareDirection::NE, [](auto x, auto y) { return x != y; });
    add("lt", CompareDirection::LT, [](auto x, auto y) { return x < y; });
    add("le", CompareDirection::LE, [](auto x, auto y) { return x <= y; });
    add("gt", CompareDirection::GT, [](auto x, auto y) { return x > y; });
    add("ge", CompareDirection::GE, [](auto x, auto y) { return x >= y; });
  }
  check(cases);
}

TEST_CASE("random words are Philox4x32-10 of the element number") {
  for (const burn::compiler::CpuTarget &target : targets()) {
    PayloadKernels kernels;
    const uint64_t call = 0x123456789abcdef0, key0 = 0xdeadbeef, key1 = 0x01234567;
    for (unsigned width : {32u, 64u})
      for (int64_t lanes : {1, 16})
        kernels.add("bits" + std::to_string(width) + "_" + std::to_string(lanes), {unsignedKind(64)},
                    unsignedKind(width), lanes, [&](mlir::OpBuilder &b, mlir::Location loc, auto x) {
                      mlir::ImplicitLocOpBuilder builder(loc, b);
                      auto splat = [&](uint64_t bits, unsigned width) -> Value {
                        mlir::Type element = b.getIntegerType(width);
                        mlir::Type type = withShapeOf(x[0].getType(), element);
                        auto attribute = b.getIntegerAttr(element, llvm::APInt(64, bits).trunc(width));
                        if (auto vector = mlir::dyn_cast<mlir::VectorType>(type))
                          return mlir::arith::ConstantOp::create(b, loc,
                                                                 mlir::DenseElementsAttr::get(vector, attribute));
                        return mlir::arith::ConstantOp::create(b, loc, attribute);
                      };
                      auto build = width == 32 ? buildPhiloxWord : buildPhiloxDoubleWord;
                      return build(builder, splat(key0, 32), splat(key1, 32), splat(call, 64), x[0]);
                    });
    REQUIRE(kernels.compile(target) == "");
    std::vector<uint64_t> index(count);
    for (int64_t i = 0; i != count; ++i)
      index[i] = i < 2048 ? i : uint64_t(i) * 0x9e3779b97f4a7c15;
    for (unsigned width : {32u, 64u})
      for (const char *lanes : {"_1", "_16"}) {
        std::vector<uint64_t> got = runKernel(kernels, "bits" + std::to_string(width) + lanes,
                                              {pack(unsignedKind(64), index)}, unsignedKind(width));
        const std::array<uint32_t, 2> key = {uint32_t(key0), uint32_t(key1)};
        size_t wrong = 0;
        for (int64_t i = 0; i != count; ++i)
          wrong += got[i] != (width == 32 ? burn::core::philoxBits32(index[i], call, key)
                                          : burn::core::philoxBits64(index[i], call, key));
        CHECK(wrong == 0);
      }
  }
}
