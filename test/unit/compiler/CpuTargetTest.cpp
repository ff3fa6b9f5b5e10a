#include "test/unit/compiler/LoadedModule.h"

#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringRef.h"

#include <catch2/catch.hpp>

#include <csignal>
#include <thread>

using namespace burn::compiler;
using namespace burn::compiler::test;

namespace {

// y[i] += a * x[i] with a separate multiply and add; the tail is masked.
constexpr const char *axpy = R"mlir(
func.func @axpy(%a: memref<1xf32>, %x: memref<21xf32>, %y: memref<21xf32>) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %n = arith.constant 21 : index
  %zero = arith.constant dense<0.0> : vector<8xf32>
  %s = memref.load %a[%c0] : memref<1xf32>
  %sv = vector.broadcast %s : f32 to vector<8xf32>
  scf.for %i = %c0 to %n step %c8 {
    %left = arith.subi %n, %i : index
    %mask = vector.create_mask %left : vector<8xi1>
    %xv = vector.maskedload %x[%i], %mask, %zero : memref<21xf32>, vector<8xi1>, vector<8xf32> into vector<8xf32>
    %yv = vector.maskedload %y[%i], %mask, %zero : memref<21xf32>, vector<8xi1>, vector<8xf32> into vector<8xf32>
    %p = arith.mulf %sv, %xv : vector<8xf32>
    %r = arith.addf %p, %yv : vector<8xf32>
    vector.maskedstore %y[%i], %mask, %r : memref<21xf32>, vector<8xi1>, vector<8xf32>
  }
  return
}
)mlir";

llvm::SmallVector<char, 0> axpyObject(const CpuTarget &target, bool assembly = false) {
  auto context = makeCpuContext();
  auto module = mlir::parseSourceString<mlir::ModuleOp>(axpy, context.get());
  REQUIRE(module);
  mlir::PassManager passes(context.get());
  buildLowerToLLVMPipeline(passes);
  REQUIRE(mlir::succeeded(passes.run(*module)));
  EmitOptions options;
  options.assembly = assembly;
  auto object = emitObject(*module, target, options);
  if (!object)
    FAIL(llvm::toString(object.takeError()));
  return std::move(*object);
}

std::string targetError(const CpuTarget &target) {
  auto info = describeTarget(target);
  return info ? std::string() : llvm::toString(info.takeError());
}

} // namespace

TEST_CASE("a module becomes code that rounds each operation") {
  for (const CpuTarget &target : {avx2Target(), avx512Target()}) {
    if (target.cpu == avx512Target().cpu && !hostHasAvx512())
      continue;
    auto context = makeCpuContext();
    auto module = mlir::parseSourceString<mlir::ModuleOp>(axpy, context.get());
    LoadedModule code(*module, target);
    REQUIRE(code.error == "");
    auto *run = code.find<void(const float *, const float *, float *)>("axpy");
    REQUIRE(run);
    // (1 + 2^-12)^2 = 1 + 2^-11 + 2^-24: the product alone rounds to
    // 1 + 2^-11, so that adding -1 - 2^-11 gives 0; a fused operation would
    // keep 2^-24.
    float a = 1 + 0x1p-12f, x[21], y[22];
    for (int i = 0; i < 21; ++i) {
      x[i] = 1 + 0x1p-12f;
      y[i] = -1 - 0x1p-11f;
    }
    y[21] = 7;
    run(&a, x, y);
    for (int i = 0; i < 21; ++i)
      CHECK(y[i] == 0.0f);
    CHECK(y[21] == 7);
  }
}

TEST_CASE("assembly text is emitted on request") {
  llvm::SmallVector<char, 0> text = axpyObject(avx2Target(), true);
  llvm::StringRef assembly(text.data(), text.size());
  CHECK(assembly.contains("axpy:"));
  CHECK(assembly.contains("vmulps"));
  CHECK(!assembly.contains("vfmadd"));
}

TEST_CASE("targets are checked before LLVM sees them") {
  CHECK(targetError(avx2Target()) == "");
  CHECK(targetError({"x86_64-unknown-linux-gnu", "pentagram", ""}) ==
        "unknown CPU 'pentagram' for target triple 'x86_64-unknown-linux-gnu'");
  CHECK(targetError({"vax-dec-vms", "", ""}) == "unknown target triple 'vax-dec-vms'");
  CHECK(targetError({"x86_64-unknown-linux-gnu", "x86-64", "+magic"}) ==
        "unknown CPU feature '+magic' for target triple "
        "'x86_64-unknown-linux-gnu'");
  CHECK(targetError({"x86_64-unknown-linux-gnu", "i486", ""}) ==
        "CPU 'i486' cannot run 64-bit code of 'x86_64-unknown-linux-gnu'");
}

TEST_CASE("a target description names vector width and features") {
  auto avx2 = describeTarget(avx2Target());
  REQUIRE(!!avx2);
  CHECK(avx2->vectorBytes == 32);
  CHECK(avx2->vectorRegisters == 16);
  CHECK(avx2->hasFma);
  CHECK(!avx2->hasMaskRegisters);
  auto avx512 = describeTarget(avx512Target());
  REQUIRE(!!avx512);
  CHECK(avx512->vectorBytes == 64);
  CHECK(avx512->vectorRegisters == 32);
  CHECK(avx512->hasMaskRegisters);
}

TEST_CASE("undefined symbols of an object are named") {
  auto context = makeCpuContext();
  auto module = mlir::parseSourceString<mlir::ModuleOp>("func.func private @outer(f32) -> f32\n"
                                                        "func.func @f(%x: f32) -> f32 {\n"
                                                        "  %y = math.exp %x : f32\n"
                                                        "  %z = func.call @outer(%y) : (f32) -> f32\n"
                                                        "  return %z : f32 }",
                                                        context.get());
  mlir::PassManager passes(context.get());
  buildLowerToLLVMPipeline(passes);
  REQUIRE(mlir::succeeded(passes.run(*module)));
  auto object = emitObject(*module, avx2Target());
  REQUIRE(!!object);
  auto names = undefinedSymbols(*object);
  REQUIRE(!!names);
  REQUIRE(names->size() == 2);
  CHECK((*names)[0] == "expf");
  CHECK((*names)[1] == "outer");
}

TEST_CASE("linking restores signal actions and bears concurrent calls") {
  struct sigaction mine = {}, before[NSIG], after;
  mine.sa_handler = [](int) {};
  sigemptyset(&mine.sa_mask);
  sigaddset(&mine.sa_mask, SIGUSR1);
  mine.sa_flags = SA_RESTART;
  struct sigaction old;
  sigaction(SIGINT, &mine, &old);
  for (int signal = 1; signal < NSIG; ++signal)
    sigaction(signal, nullptr, &before[signal]);

  llvm::SmallVector<char, 0> object = axpyObject(avx2Target());
  std::string errors[2];
  auto link = [&](int which) {
    for (int i = 0; i < 5; ++i) {
      auto linked = linkSharedObject(object);
      if (!linked)
        errors[which] = llvm::toString(linked.takeError());
    }
  };
  std::thread first(link, 0), second(link, 1);
  first.join();
  second.join();
  CHECK(errors[0] == "");
  CHECK(errors[1] == "");

  for (int signal = 1; signal < NSIG; ++signal) {
    if (sigaction(signal, nullptr, &after) != 0)
      continue;
    INFO("signal " << signal);
    CHECK(after.sa_handler == before[signal].sa_handler);
    // libc sets this one by itself whenever an action is written.
    constexpr int restorer = 0x04000000;
    CHECK((after.sa_flags | restorer) == (before[signal].sa_flags | restorer));
    for (int masked = 1; masked < NSIG; ++masked)
      if (sigismember(&after.sa_mask, masked) != sigismember(&before[signal].sa_mask, masked))
        FAIL_CHECK("the mask differs in signal " << masked);
  }
  sigaction(SIGINT, &old, nullptr);
}

TEST_CASE("what is no object is refused and the linker stays usable") {
  const char text[] = "this is no object";
  auto linked = linkSharedObject({text, sizeof text});
  REQUIRE(!linked);
  CHECK(llvm::StringRef(llvm::toString(linked.takeError())).starts_with("linking failed: "));
  CHECK(!!linkSharedObject(axpyObject(avx2Target())));
}
