// The fuzzer's own parts: what it covers, that its programs can be told again, and that it reduces what fails.
#include "passes/Pipelines/Compile.h"
#include "tools/burn-fuzz/Generator.h"
#include "tools/burn-fuzz/Oracle.h"
#include "tools/burn-fuzz/Reduce.h"
#include "tools/burn-fuzz/Workers.h"

#include <catch2/catch.hpp>
#include <csignal>
#include <unistd.h>

using namespace burn;
using namespace burn::fuzz;

TEST_CASE("Every op of a program has an entry in the fuzzer, or a reason for none") {
  std::set<core::OpCode> entries;
  for (const OpEntry &entry : opEntries()) {
    CAPTURE(core::findOp(entry.op)->name);
    CHECK(entries.insert(entry.op).second);
  }
  for (const core::OpInfo &info : core::allOps()) {
    CAPTURE(info.name);
    CHECK(entries.contains(info.code) == whyNoEntry(info.code).empty());
  }
}

TEST_CASE("Each entry of the fuzzer brings its op into a program") {
  std::unique_ptr<mlir::MLIRContext> context = compiler::makeContext();
  for (size_t i = 0; i < opEntries().size(); ++i) {
    const std::string name(core::findOp(opEntries()[i].op)->name);
    CAPTURE(name);
    int found = 0;
    for (uint64_t round = 0; round < 10; ++round)
      found += opsIn(*makeProgram(*context, 3, i + round * opEntries().size()).module).contains(name);
    CHECK(found >= 9);
  }
}

TEST_CASE("Equal numbers give equal programs, also alone, and other numbers others") {
  const auto textOfProgram = [](uint64_t seed, uint64_t index) {
    std::unique_ptr<mlir::MLIRContext> context = compiler::makeContext();
    return writeProgram(makeProgram(*context, seed, index));
  };
  std::unique_ptr<mlir::MLIRContext> context = compiler::makeContext();
  std::set<std::string> texts;
  for (uint64_t index = 0; index < 20; ++index) {
    const std::string text = writeProgram(makeProgram(*context, 5, index));
    CHECK(text == textOfProgram(5, index));
    CHECK(texts.insert(text).second);
  }
  CHECK(textOfProgram(5, 0) != textOfProgram(6, 0));
}

TEST_CASE("A program that is written to a file is read with the same arguments") {
  std::unique_ptr<mlir::MLIRContext> context = compiler::makeContext();
  for (uint64_t index = 0; index < 40; ++index) {
    const Program program = makeProgram(*context, 9, index);
    const std::string text = writeProgram(program);
    auto read = readProgram(*context, text, "program");
    INFO((read ? text : read.status().message()));
    REQUIRE(read);
    REQUIRE(read->arguments.size() == program.arguments.size());
    for (size_t i = 0; i < program.arguments.size(); ++i) {
      CHECK(read->arguments[i].type == program.arguments[i].type);
      CHECK(read->arguments[i].bytes == program.arguments[i].bytes);
    }
    CHECK(writeProgram(*read) == text);
  }
}

TEST_CASE("A failing program is reduced to the ops that make it fail") {
  std::unique_ptr<mlir::MLIRContext> context = compiler::makeContext();
  auto program = readProgram(*context, R"(
    func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<4xf32>, tensor<f32>, tensor<4xf32>) {
      %0 = burn.add %a, %b : tensor<4xf32>
      %1 = burn.exp %0 : tensor<4xf32>
      %2 = burn.tanh %1 : tensor<4xf32>
      %3 = burn.neg %2 : tensor<4xf32>
      %4 = burn.mul %3, %a : tensor<4xf32>
      %5 = burn.reduce sum %4 {dims = array<i64: 0>} : tensor<4xf32> to tensor<f32>
      return %1, %5, %3 : tensor<4xf32>, tensor<f32>, tensor<4xf32>
    })",
                             "program");
  REQUIRE(program);
  // As if tanh were wrong where a multiplication follows.
  const Program reduced = reduceProgram(*program, [](const Program &candidate) {
    const std::set<std::string> ops = opsIn(*candidate.module);
    return ops.contains("tanh") && ops.contains("mul");
  });
  CHECK(opsIn(*reduced.module) == std::set<std::string>{"tanh", "mul"});
  CHECK(functionOf(*reduced.module).getNumResults() == 1);
  CHECK(functionOf(*reduced.module).getNumArguments() == 2);
  CHECK(reduced.arguments.size() == 2);
}

TEST_CASE("A process that ends does not end the work of others") {
  WorkOptions options;
  options.first = 10;
  options.count = 30;
  options.jobs = 3;
  options.chunk = 7;
  std::vector<uint64_t> done, crashed;
  const uint64_t run = runInWorkers(
      options,
      [] {
        return [](uint64_t number) {
          if (number == 12)
            raise(SIGSEGV);
          if (number == 31)
            _exit(5);
          return llvm::json::Value(static_cast<int64_t>(number * number));
        };
      },
      [&](uint64_t number, const llvm::json::Value &value) {
        CHECK(value.getAsInteger() == static_cast<int64_t>(number * number));
        done.push_back(number);
      },
      [&](uint64_t number, const std::string &how) {
        CHECK(how == (number == 12 ? "killed by SIGSEGV" : "exit code 5"));
        crashed.push_back(number);
      });
  std::ranges::sort(done);
  std::ranges::sort(crashed);
  std::vector<uint64_t> expected;
  for (uint64_t number = 10; number < 40; ++number)
    if (number != 12 && number != 31)
      expected.push_back(number);
  CHECK(done == expected);
  CHECK(crashed == std::vector<uint64_t>{12, 31});
  CHECK(run == 30);
}

TEST_CASE("What a child process returns or how it ends is known") {
  CHECK(inChild([] { return std::string(200000, 'x'); }, 10) == std::string(200000, 'x'));
  CHECK(inChild(
            []() -> std::string {
              raise(SIGILL);
              return "";
            },
            10) == "crash: killed by SIGILL");
  CHECK(inChild(
            []() -> std::string {
              pause();
              return "";
            },
            1) == "crash: no end");
}
