// BURN_DEBUG, which a process reads once: the cases named "[.]" run in processes of their own.
#include "test/unit/frontend/Backends.h"

#include "frontend/Trace/Debug.h"

#include <burn/burn.h>

#include <catch2/catch.hpp>

#include <cstdio>
#include <string>

#include <unistd.h>

using namespace burn;

namespace {

// What this program prints when it runs one case under `environment`.
std::string runCase(const std::string &environment, const std::string &name) {
  const std::string command = environment + " /proc/" + std::to_string(getpid()) + "/exe '" + name + "' 2>&1";
  FILE *pipe = popen(command.c_str(), "r");
  REQUIRE(pipe);
  std::string output;
  char buffer[4096];
  for (size_t count; (count = fread(buffer, 1, sizeof(buffer), pipe)) > 0;)
    output.append(buffer, count);
  pclose(pipe);
  return output;
}

} // namespace

TEST_CASE("debug: the words of BURN_DEBUG") {
  const auto options = trace::parseDebugOptions("ir,nan", nullptr);
  REQUIRE(options);
  CHECK(options->ir);
  CHECK(options->nan);
  CHECK(options->opByOp());
  CHECK_FALSE(options->assembly);
  CHECK(options->dumpDirectory == "burn-dump");
  CHECK(trace::parseDebugOptions("", "/tmp/x")->dumpDirectory == "/tmp/x");
  CHECK_FALSE(trace::parseDebugOptions(nullptr, nullptr)->eager);
  const auto wrong = trace::parseDebugOptions("eager,foo", nullptr);
  REQUIRE_FALSE(wrong);
  CHECK_THAT(wrong.status().message(), Catch::Matchers::Contains("'foo'"));
}

TEST_CASE("debug child: a logarithm turns infinite", "[.]") {
  const Tensor x = tensor({1.f, 0.f});
  const Tensor fine = x + 1.f;
  std::printf("expected line %d\n", __LINE__ + 2);
  try {
    const Tensor y = log(x);
    const Tensor z = y * 0.f;
    z.data();
    std::printf("no error\n");
  } catch (const Error &error) {
    std::printf("caught %u: %s\n", error.line(), error.message().c_str());
  }
  std::printf("still %g\n", fine[1].item<double>());
}

TEST_CASE("debug: nan stops at the first op whose result is not finite") {
  const std::string output = runCase("BURN_DEBUG=nan,interpret", "debug child: a logarithm turns infinite");
  INFO(output);
  const size_t expected = output.find("expected line ") + 14;
  const std::string line = output.substr(expected, output.find('\n', expected) - expected);
  CHECK(output.find("caught " + line + ": the result of log, f32[2], is -inf at element 1") != std::string::npos);
  CHECK(output.find("still 1") != std::string::npos);
}

TEST_CASE("debug child: a net is trained op by op", "[.]") {
  Tensor w = tensor({1.0, 2.0});
  w.requires_grad_();
  for (int step = 0; step < 2; ++step) {
    w.zero_grad();
    const Tensor loss = (w * w).sum();
    loss.backward();
    const NoGradGuard guard;
    w -= w.grad() * 0.25;
  }
  std::printf("w %g %g, runs %d\n", w[0].item<double>(), w[1].item<double>(), stats().flushes >= 10);
}

TEST_CASE("debug: eager runs op by op, with the same results") {
  const std::string output = runCase("BURN_DEBUG=eager,interpret", "debug child: a net is trained op by op");
  INFO(output);
  CHECK(output.find("w 0.25 0.5, runs 1") != std::string::npos);
}

TEST_CASE("debug child: a tensor is too large to interpret", "[.]") {
  for (int i = 0; i < 2; ++i) {
    std::printf("expected line %d\n", __LINE__ + 2);
    try {
      const Tensor x = ones({int64_t(1) << 20, int64_t(1) << 20});
      (x + 1.f).data();
    } catch (const Error &error) {
      std::printf("caught %u, code %d: %s\n", error.line(), static_cast<int>(error.code()), error.message().c_str());
    }
  }
  std::printf("then %g\n", (ones({2}) + 1.f).sum().item<double>());
}

TEST_CASE("debug: the interpreter says what it has no memory for, and goes on") {
  const std::string output = runCase("BURN_DEBUG=interpret", "debug child: a tensor is too large to interpret");
  INFO(output);
  const size_t first = output.find("caught"), second = output.find("caught", first + 1);
  REQUIRE(second != std::string::npos);
  const int number = std::stoi(output.substr(output.find("expected line ") + 14));
  for (size_t at : {first, second}) {
    CHECK(output.find("caught " + std::to_string(number) + ", code " +
                          std::to_string(static_cast<int>(ErrorCode::OutOfMemory)) +
                          ": burn.broadcast: out of memory: ",
                      at) == at);
  }
  CHECK(output.find("then 4") != std::string::npos);
}

TEST_CASE("debug child: shapes change", "[.]") {
  for (int64_t rows : {2, 3, 2})
    (zeros({rows}) + 1.f).data();
}

TEST_CASE("debug: recompile says why") {
  const std::string output = runCase("BURN_DEBUG=recompile,interpret", "debug child: shapes change");
  INFO(output);
  CHECK(output.find("DebugTest.cpp") != std::string::npos);
  CHECK(output.find("again: op 0 of ") != std::string::npos);
  CHECK(output.find("is broadcast f32[3], it was broadcast f32[2]") != std::string::npos);
}

TEST_CASE("debug child: a program starts", "[.]") {
  try {
    zeros({2}).data();
  } catch (const Error &error) {
    std::printf("%s\n", error.what());
  }
}

TEST_CASE("debug: a wrong word is an error that names those that there are") {
  const std::string output = runCase("BURN_DEBUG=trace", "debug child: a program starts");
  INFO(output);
  CHECK(output.find("unknown word 'trace'; expected some of ir, asm, eager") != std::string::npos);
}

TEST_CASE("debug: dump_ir prints what is recorded") {
  test::SpyBackend spy;
  const Tensor x = zeros({2, 3});
  x.data();
  const std::string text = dump_ir((x + x).relu());
  INFO(text);
  CHECK(text.find("burn.add %arg0, %arg0 : tensor<2x3xf32>") != std::string::npos);
  CHECK(text.find("burn.relu") != std::string::npos);
  CHECK(dump_ir(x).find("return %arg0") != std::string::npos);
}
