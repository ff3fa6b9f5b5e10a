// Float instructions that processors below AVX2 lack. Right values are those of the host's conversions (burn/dtype.h)
// and of libm's fma.
#include "test/unit/compiler/LoadedModule.h"

#include "mlir/Parser/Parser.h"

#include <burn/dtype.h>
#include <catch2/catch.hpp>

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

using namespace burn::compiler;
using namespace burn::compiler::test;

namespace {

constexpr int64_t kCount = 4096; // elements a call

constexpr const char *program = R"mlir(
func.func @extend(%x: memref<4096xf16>, %y: memref<4096xf32>) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %n = arith.constant 4096 : index
  scf.for %i = %c0 to %n step %c8 {
    %v = vector.load %x[%i] : memref<4096xf16>, vector<8xf16>
    %w = arith.extf %v : vector<8xf16> to vector<8xf32>
    vector.store %w, %y[%i] : memref<4096xf32>, vector<8xf32>
  }
  return
}
func.func @round(%x: memref<4096xf32>, %y: memref<4096xf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 4096 : index
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %x[%i] : memref<4096xf32>
    %w = arith.truncf %v : f32 to f16
    memref.store %w, %y[%i] : memref<4096xf16>
  }
  return
}
func.func @fused(%x: memref<4096xf32>, %y: memref<4096xf32>, %z: memref<4096xf32>, %r: memref<4096xf32>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %n = arith.constant 4096 : index
  scf.for %i = %c0 to %n step %c4 {
    %a = vector.load %x[%i] : memref<4096xf32>, vector<4xf32>
    %b = vector.load %y[%i] : memref<4096xf32>, vector<4xf32>
    %c = vector.load %z[%i] : memref<4096xf32>, vector<4xf32>
    %d = math.fma %a, %b, %c : vector<4xf32>
    vector.store %d, %r[%i] : memref<4096xf32>, vector<4xf32>
  }
  return
}
func.func @fused64(%x: memref<1xf64>) {
  %c0 = arith.constant 0 : index
  %a = memref.load %x[%c0] : memref<1xf64>
  %d = math.fma %a, %a, %a : f64
  memref.store %d, %x[%c0] : memref<1xf64>
  return
}
)mlir";

struct Baseline {
  std::unique_ptr<mlir::MLIRContext> context = makeCpuContext();
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::parseSourceString<mlir::ModuleOp>(program, context.get());
  LoadedModule code{*module, {"x86_64-unknown-linux-gnu", "x86-64", ""}};
};

bool sameNumber(float a, float b) {
  return std::isnan(a) ? std::isnan(b) : std::bit_cast<uint32_t>(a) == std::bit_cast<uint32_t>(b);
}

} // namespace

TEST_CASE("without F16C every f16 becomes the f32 of its value") {
  Baseline baseline;
  REQUIRE(baseline.code.error == "");
  auto *run = baseline.code.find<void(const uint16_t *, float *)>("extend");
  REQUIRE(run);
  std::vector<uint16_t> halves(kCount);
  std::vector<float> values(kCount);
  int wrong = 0;
  for (uint32_t first = 0; first < 0x10000; first += kCount) {
    for (uint32_t i = 0; i < kCount; ++i)
      halves[i] = static_cast<uint16_t>(first + i);
    run(halves.data(), values.data());
    for (uint32_t i = 0; i < kCount; ++i)
      wrong += !sameNumber(values[i], static_cast<float>(burn::f16::fromBits(halves[i])));
  }
  CHECK(wrong == 0);
}

TEST_CASE("without F16C an f32 rounds to the nearest f16, ties to even") {
  Baseline baseline;
  REQUIRE(baseline.code.error == "");
  auto *run = baseline.code.find<void(const float *, uint16_t *)>("round");
  REQUIRE(run);
  std::vector<float> values;
  // Each f16, the points halfway to its neighbours, and what lies next to those.
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const uint32_t exact =
        std::bit_cast<uint32_t>(static_cast<float>(burn::f16::fromBits(static_cast<uint16_t>(bits))));
    const bool isNormal = (bits & 0x7c00) != 0 && (bits & 0x7c00) != 0x7c00;
    for (uint32_t offset : {0x0000u, 0x0001u, 0x0fffu, 0x1000u, 0x1001u, 0x1fffu})
      values.push_back(std::bit_cast<float>(exact + (isNormal ? offset : 0)));
    const float unit = 0x1p-24f; // of subnormal numbers
    for (float part : {0.49999997f, 0.5f, 0.50000006f})
      values.push_back(static_cast<float>(bits & 0x7ff) * unit + part * unit);
  }
  const float infinity = std::numeric_limits<float>::infinity(), most = std::numeric_limits<float>::max();
  for (float value : {65504.0f, 65519.996f, 65520.0f, 65536.0f, most, infinity, 0x1p-25f, 0x1.000002p-25f, 0x1p-149f})
    values.insert(values.end(), {value, -value});
  values.push_back(std::numeric_limits<float>::quiet_NaN());
  values.resize((values.size() + kCount - 1) / kCount * kCount);
  std::vector<uint16_t> halves(kCount);
  int wrong = 0;
  for (size_t first = 0; first < values.size(); first += kCount) {
    run(&values[first], halves.data());
    for (size_t i = 0; i < kCount; ++i) {
      const burn::f16 want(static_cast<double>(values[first + i]));
      const bool isNaN = std::isnan(values[first + i]);
      wrong += isNaN ? (halves[i] & 0x7fff) <= 0x7c00 : halves[i] != want.bits;
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("without FMA a fused multiply-add of f32 still rounds once") {
  Baseline baseline;
  REQUIRE(baseline.code.error == "");
  auto *run = baseline.code.find<void(const float *, const float *, const float *, float *)>("fused");
  REQUIRE(run);
  std::mt19937_64 random(7);
  std::vector<float> x(kCount), y(kCount), z(kCount), r(kCount);
  const float special[] = {0.0f,
                           -0.0f,
                           1.0f,
                           std::numeric_limits<float>::infinity(),
                           std::numeric_limits<float>::quiet_NaN(),
                           0x1p-149f,
                           std::numeric_limits<float>::max(),
                           1 + 0x1p-12f,
                           -1 - 0x1p-11f};
  int wrong = 0;
  for (int round = 0; round < 200; ++round) {
    for (int64_t i = 0; i < kCount; ++i) {
      const auto any = [&] { return std::bit_cast<float>(static_cast<uint32_t>(random())); };
      const auto some = [&] { return special[random() % std::size(special)]; };
      x[i] = round % 4 == 3 ? some() : any();
      y[i] = round % 4 == 3 ? some() : any();
      z[i] = round % 4 == 3 ? some() : any();
      if (round % 4 == 1) // halfway cases: the addend is small beside the product, or nearly cancels it
        z[i] = std::ldexp(any(), -int(random() % 60));
      if (round % 4 == 2)
        z[i] = -x[i] * y[i];
    }
    run(x.data(), y.data(), z.data(), r.data());
    for (int64_t i = 0; i < kCount; ++i)
      wrong += !sameNumber(r[i], std::fma(x[i], y[i], z[i]));
  }
  CHECK(wrong == 0);
  auto *run64 = baseline.code.find<void(double *)>("fused64");
  REQUIRE(run64);
  double value = 1 + 0x1p-30;
  run64(&value);
  CHECK(value == std::fma(1 + 0x1p-30, 1 + 0x1p-30, 1 + 0x1p-30));
}

TEST_CASE("code for SSE2 alone uses nothing above it") {
  auto info = describeTarget({"x86_64-unknown-linux-gnu", "x86-64", ""});
  REQUIRE(!!info);
  CHECK(info->vectorBytes == 16);
  CHECK(!info->hasFma);
  CHECK(!info->hasHalfConversions);
  Baseline baseline;
  auto object = emitObject(*baseline.module, {"x86_64-unknown-linux-gnu", "x86-64", ""}, {.assembly = true});
  REQUIRE(!!object);
  const llvm::StringRef assembly(object->data(), object->size());
  CHECK(!assembly.contains("ymm"));
  CHECK(!assembly.contains("__extendhfsf2"));
  CHECK(!assembly.contains("__truncsfhf2"));
  CHECK(!assembly.contains("fmaf"));
}
