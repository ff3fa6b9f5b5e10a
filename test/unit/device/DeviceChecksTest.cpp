// What programs of a GPU say in their course: asserts end them at the user's line, prints come in the order of the
// program, as on the CPU.
#include "test/unit/device/VulkanTest.h"

#include <burn/burn.h>

#include <cstdio>
#include <functional>
#include <string>
#include <thread>

#include <unistd.h>

using namespace burn;
using namespace burn::test;

namespace {

/// What `call` writes to the standard output of the process.
std::string printed(const std::function<void()> &call) {
  std::fflush(stdout);
  std::FILE *file = std::tmpfile();
  REQUIRE(file);
  const int before = dup(STDOUT_FILENO);
  dup2(fileno(file), STDOUT_FILENO);
  call();
  std::fflush(stdout);
  dup2(before, STDOUT_FILENO);
  close(before);
  std::string text;
  std::rewind(file);
  char part[4096];
  for (size_t count; (count = std::fread(part, 1, sizeof part, file)) > 0;)
    text.append(part, count);
  std::fclose(file);
  return text;
}

/// The same program on the CPU and on the GPU.
void onBoth(const std::function<void()> &program) {
  for (const char *device : {"cpu", "vulkan:0"}) {
    INFO("on " << device);
    const DeviceGuard guard{Device(device)};
    program();
  }
}

std::string printedOn(const char *device, const std::function<void()> &program) {
  const DeviceGuard guard{Device(device)};
  return printed(program);
}

std::string failureOf(const std::function<void()> &call, unsigned &line) {
  try {
    call();
  } catch (const Error &error) {
    line = error.line();
    return error.message();
  }
  return "";
}

} // namespace

TEST_CASE("an assert on a GPU gives its value or fails at its line", "[device][vulkan]") {
  if (!hasVulkan())
    return;
  onBoth([] {
    Tensor x = tensor({0.5f, 2.f}).requires_grad_();
    const Tensor y = assert_all(x > 0, x * x, "x is positive");
    sum(y).backward();
    CHECK(y.to_vector<float>() == std::vector<float>{0.25f, 4});
    CHECK(x.grad().to_vector<float>() == std::vector<float>{1, 4});
    unsigned line = 0;
    const unsigned expected = __LINE__ + 1;
    const Tensor failing = assert_all(x > 1, x, "x is greater than 1");
    CHECK_THAT(failureOf([&] { (failing + 1).data(); }, line), Catch::Contains("burn.assert: x is greater than 1"));
    CHECK(line == expected);
    CHECK_THAT(failureOf([&] { failing.data(); }, line), Catch::Contains("burn.assert: x is greater than 1"));
    CHECK(line == expected);
    // The first in the order of the program is the one that fails; what does not hold later is not heard of.
    const Tensor first = assert_all(x < 1, x, "the first"), second = assert_all(first > 5, first, "the second");
    CHECK_THAT(failureOf([&] { (second + 1).data(); }, line), Catch::Contains("burn.assert: the first"));
    CHECK(assert_all(zeros({0, 3}), tensor(1.f), "holds of nothing").item<float>() == 1);
    CHECK((x + 1).to_vector<float>() == std::vector<float>{1.5f, 3});
  });
}

TEST_CASE("a failed assert of values that a GPU had before", "[device][vulkan]") {
  if (!hasVulkan())
    return;
  onBoth([] {
    const Tensor x = tensor({0.5f, 2.f}) + 0;
    flush();
    unsigned line = 0;
    const unsigned expected = __LINE__ + 1;
    const Tensor alone = assert_all(x > 1, x, "alone");
    CHECK_THAT(failureOf([&] { alone.data(); }, line), Catch::Contains("burn.assert: alone"));
    CHECK(line == expected);
    // The same beside a result that is computed.
    const Tensor failing = assert_all(x > 1, x, "beside"), computed = x * 2;
    CHECK_THAT(failureOf([&] { failing.data(); }, line), Catch::Contains("burn.assert: beside"));
    CHECK(line == expected + 4);
    CHECK_THAT(messageOf([&] { computed.data(); }), Catch::Contains("burn.assert: beside"));
    // The values themselves are none the worse, and an assert that holds gives them.
    CHECK(x.to_vector<float>() == std::vector<float>{0.5f, 2});
    CHECK(assert_all(x > 0, x, "holds").to_vector<float>() == std::vector<float>{0.5f, 2});
    CHECK((x + 1).to_vector<float>() == std::vector<float>{1.5f, 3});
    burn::sync();
  });
}

TEST_CASE("an assert in the control flow of a GPU", "[device][vulkan]") {
  if (!hasVulkan())
    return;
  onBoth([] {
    unsigned line = 0, expected = 0;
    const auto doubled = [&](const Tensor &, const Tensor &c) {
      expected = __LINE__ + 1;
      return assert_all(c < 8, c * 2, "less than 8");
    };
    CHECK(fori_loop(0, 3, doubled, tensor(1.f)).item<float>() == 8);
    const Tensor outside = fori_loop(0, 4, doubled, tensor(1.f));
    CHECK_THAT(failureOf([&] { outside.data(); }, line), Catch::Contains("less than 8"));
    CHECK(line == expected);
    // In the second iteration the later check of the body fails, in the third the earlier one would.
    const auto two = [](const Tensor &, const Tensor &c) {
      const Tensor low = assert_all(c != 3, c, "is not 3");
      return assert_all(low != 2, low + 1, "is not 2");
    };
    CHECK_THAT(messageOf([&] { fori_loop(0, 3, two, tensor(1.f)).data(); }), Catch::Contains("is not 2"));
    // A loop that would not end, but for the check.
    const auto goesOn = [](const Tensor &c) { return c > 0; };
    const auto grows = [](const Tensor &c) { return assert_all(c < 50, c + 1, "ends"); };
    CHECK_THAT(messageOf([&] { while_loop(goesOn, grows, tensor(1.f)).data(); }), Catch::Contains("ends"));
  });
}

TEST_CASE("prints of a GPU are those of the CPU, in the order of the program", "[device][vulkan]") {
  if (!hasVulkan())
    return;
  const auto program = [] {
    Tensor x = debug_print(tensor({1.f, -2.5f, 3.f, 0.125f}).reshape({2, 2}) * 2, "before");
    const auto body = [](const Tensor &i, const Tensor &c) {
      return debug_print(c + debug_print(i, "index").to(DType::F32), "carried");
    };
    x = fori_loop(0, 3, body, x);
    x = cond(sum(x) > 0, [&] { return debug_print(x * 3, "taken"); }, [&] { return debug_print(x, "not taken"); });
    const auto goesOn = [](const Tensor &c) { return debug_print(c.max(), "largest") < 200; };
    const auto doubled = [](const Tensor &c) { return c * 2; };
    x = while_loop(goesOn, doubled, x);
    debug_print(x > 20, "mask").data();
    debug_print(zeros({2, 0}), "nothing").data();
    debug_print(x.to(DType::F16), "half").data();
    // More than one part of what is read at a time.
    debug_print(arange(3'000'000) * 3, "long").data();
  };
  const std::string expected = printedOn("cpu", program);
  CHECK_THAT(expected, Catch::Contains("before") && Catch::Contains("carried") && Catch::Contains("taken") &&
                           Catch::Contains("8999997"));
  CHECK(printedOn("vulkan:0", program) == expected);
}

TEST_CASE("nothing is printed behind a failed assert of a GPU", "[device][vulkan]") {
  if (!hasVulkan())
    return;
  const auto program = [] {
    const Tensor x = debug_print(tensor({1.f, 2.f}), "seen");
    const Tensor y = assert_all(x > 1, x, "fails");
    CHECK_THAT(messageOf([&] { debug_print(y, "not seen").data(); }), Catch::Contains("burn.assert: fails"));
  };
  const std::string expected = printedOn("cpu", program);
  CHECK_THAT(expected, Catch::Contains("seen") && !Catch::Contains("not seen"));
  CHECK(printedOn("vulkan:0", program) == expected);
}

TEST_CASE("a program of a GPU goes on while its checks are not known", "[device][vulkan]") {
  if (!hasVulkan())
    return;
  const DeviceGuard onDevice(Device("vulkan:0"));
  unsigned line = 0;
  const Tensor x = tensor({1.f, 2.f});
  const unsigned expected = __LINE__ + 1;
  const Tensor failing = assert_all(x > 1, x * 2, "fails");
  const Tensor held = failing + 1;
  flush(); // raises nothing, since it does not wait
  // What is computed of it fails for the same reason, in this program and in the next.
  const Tensor next = held * 3;
  CHECK_THAT(failureOf([&] { next.data(); }, line), Catch::Contains("burn.assert: fails"));
  CHECK(line == expected);
  for (int again = 0; again < 2; ++again) {
    CHECK_THAT(failureOf([&] { held.data(); }, line), Catch::Contains("burn.assert: fails"));
    CHECK(line == expected);
  }
  CHECK_THAT(messageOf([&] { held.to("cpu").data(); }), Catch::Contains("burn.assert: fails"));
  const Tensor other = held + x;
  CHECK_THAT(failureOf([&] { other.data(); }, line), Catch::Contains("burn.assert: fails"));
  CHECK(line == expected);
  CHECK((x + 1).to_vector<float>() == std::vector<float>{2, 3});
  burn::sync(); // all of it has been raised
}

TEST_CASE("a failure that nobody reads is raised where the program waits", "[device][vulkan]") {
  if (!hasVulkan())
    return;
  const DeviceGuard onDevice(Device("vulkan:0"));
  const Tensor x = tensor({1.f, 2.f});
  unsigned line = 0, expected = __LINE__ + 1;
  Tensor lost = assert_all(x > 1, x * 2, "lost") + 1;
  flush();
  CHECK_THAT(failureOf([] { burn::sync(); }, line), Catch::Contains("burn.assert: lost"));
  CHECK(line == expected);
  burn::sync();
  // Nothing is printed behind it, by a program that has nothing to do with it either; asked again, that one runs.
  lost = assert_all(x > 1, x * 3, "lost again") + 1;
  flush();
  const Tensor apart = debug_print(x + 5, "apart");
  CHECK(printed([&] { CHECK_THAT(messageOf([&] { apart.data(); }), Catch::Contains("lost again")); }).empty());
  std::vector<float> values;
  CHECK(printed([&] { values = apart.to_vector<float>(); }) == "apart: [6. 7.]\n");
  CHECK(values == std::vector<float>{6, 7});
}

TEST_CASE("what a thread leaves behind on a GPU is raised by sync and by nothing else", "[device][vulkan]") {
  if (!hasVulkan())
    return;
  const DeviceGuard onDevice(Device("vulkan:0"));
  const Tensor x = tensor({1.f, 2.f});
  flush();
  unsigned line = 0, expected = 0;
  Tensor kept;
  const auto inThread = [](const std::function<void()> &body) {
    std::string problem;
    std::thread([&] {
      const DeviceGuard guard(Device("vulkan:0"));
      problem = messageOf(body);
    }).join();
    return problem;
  };
  const auto fails = [&] {
    expected = __LINE__ + 1;
    kept = assert_all(x > 1, x * 2, "left behind") + 1;
    flush();
  };
  CHECK(inThread(fails) == "");
  // A thread after it, which is given its place, waits for its own checks before it prints.
  CHECK(printed([&] { CHECK(inThread([&] { debug_print(x + 5, "apart").data(); }) == ""); }) == "apart: [6. 7.]\n");
  CHECK_THAT(failureOf([] { burn::sync(); }, line), Catch::Contains("burn.assert: left behind"));
  CHECK(line == expected);
  burn::sync(); // once
  CHECK_THAT(failureOf([&] { kept.data(); }, line), Catch::Contains("burn.assert: left behind"));
  // What a reader has heard of, sync does not say again.
  CHECK(inThread(fails) == "");
  CHECK_THAT(messageOf([&] { kept.data(); }), Catch::Contains("burn.assert: left behind"));
  burn::sync();
}

TEST_CASE("steps with checks follow each other on a GPU without a read", "[device][vulkan]") {
  if (!hasVulkan())
    return;
  const DeviceGuard onDevice(Device("vulkan:0"));
  Tensor table = arange(12).to(DType::F32).reshape({4, 3});
  const Tensor rows = tensor(std::vector<int64_t>{3, 0});
  for (int step = 0; step < 40; ++step) {
    table = table + sum(index_select(table, 0, rows)) * 0;
    table = assert_all(isfinite(table), table + 1, "is finite");
    flush();
  }
  std::vector<float> expected(12);
  for (int i = 0; i < 12; ++i)
    expected[i] = static_cast<float>(i + 40);
  CHECK(table.to_vector<float>() == expected);
}
