// What programs do to a GPU that its makers did not have in mind: the right values, or an error after which it works
// on.
#include "runtime/Core/GpuTarget.h"
#include "runtime/Devices/Device.h"
#include "test/unit/device/VulkanTest.h"

#include <burn/burn.h>

#include <cmath>
#include <cstdlib>
#include <functional>
#include <string>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>

using namespace burn;
using namespace burn::test;

namespace {

Device gpu() { return Device("vulkan:0"); }

void checkWorks() { CHECK((tensor({1.f, 2.f}).to(gpu()) * 3).to_vector<float>() == std::vector<float>{3, 6}); }

/// What the device can do.
core::GpuTarget gpuTarget() {
  const auto device = runtime::openDevice("vulkan:0");
  REQUIRE(device);
  const auto target = core::GpuTarget::parse((*device)->target().features);
  REQUIRE(target);
  return *target;
}

} // namespace

TEST_CASE("names of devices that there are not", "[device][vulkan]") {
  if (!hasVulkan())
    return;
  CHECK_THAT(messageOf([] { Device("vulkan:99"); }), Catch::Contains("no device vulkan:99; there are vulkan:0"));
  CHECK_THAT(messageOf([] { tensor(1.f).to("vulkan:4294967295"); }), Catch::Contains("no device vulkan:4294967295"));
  for (const char *name : {"vulkan:4294967296", "vulkan:-1", "vulkan:", "vulkan:0x1", "VULKAN:0", "vulkan:0 ", ""})
    CHECK_THAT(messageOf([&] { Device{name}; }), Catch::Contains("no kind of device '" + std::string(name) + "'"));
  checkWorks();
}

TEST_CASE("tensors of a GPU without elements", "[device][vulkan]") {
  if (!hasVulkan())
    return;
  const DeviceGuard onDevice(gpu());
  const Tensor none = zeros({0, 3});
  CHECK((none + 1).shape() == Shape{0, 3});
  CHECK(sum(none).item<float>() == 0);
  CHECK(none.sum(0).to_vector<float>() == std::vector<float>{0, 0, 0});
  CHECK(none.sum(1).to_vector<float>().empty());
  CHECK(std::isnan(mean(none).item<float>()));
  CHECK(softmax(none, 1).to_vector<float>().empty());
  CHECK(cat({none, ones({1, 3}), none}).to_vector<float>() == std::vector<float>{1, 1, 1});
  // A product over no elements is zero, not what memory held.
  CHECK(zeros({2, 0}).matmul(none).to_vector<float>() == std::vector<float>(6, 0));
  CHECK(none.matmul(ones({3, 2})).shape() == Shape{0, 2});
  CHECK(none.to("cpu").to(gpu()).to(DType::F16).to(DType::F32).to_vector<float>().empty());
  CHECK_THAT(messageOf([&] { argmax(none).item<int64_t>(); }), !Catch::Equals(""));
  checkWorks();
}

TEST_CASE("tensors too large for a kernel of a GPU", "[device][vulkan]") {
  if (!hasVulkan())
    return;
  const auto most = static_cast<int64_t>(gpuTarget().maxBufferBytes());
  const int64_t rows = most / 4096 + 1;
  // Elements that a kernel would have to store, one row more than a binding has.
  const std::string message = messageOf([&] {
    const DeviceGuard onDevice(gpu());
    const Tensor x = zeros({rows, 1024}) + arange(1024).to(DType::F32);
    x.to_vector<float>();
  });
  CHECK_THAT(message, Catch::Contains(std::to_string(most)));
  CHECK_THAT(message, Catch::Contains(std::to_string(rows * 4096)));
  checkWorks();
  // More memory than any machine has.
  const std::string tooLarge = messageOf([&] {
    const DeviceGuard onDevice(gpu());
    (zeros({int64_t(1) << 42}) + 1).to_vector<float>();
  });
  CHECK_FALSE(tooLarge.empty());
  checkWorks();
}

TEST_CASE("tensors larger than what a GPU binds are reached by their addresses", "[device][vulkan]") {
  if (!hasVulkan())
    return;
  const core::GpuTarget target = gpuTarget();
  const int64_t elements = (int64_t(1) << 25) + 4; // a little more than the 128 MiB that each device binds
  if (target.maxBufferBytes() < static_cast<uint64_t>(elements) * 4) {
    WARN("skipped: this device has no larger buffers");
    return;
  }
  const DeviceGuard onDevice(gpu());
  const Tensor x = arange(elements).to(DType::I32) + 1;
  flush();
  CHECK((x.slice(0, elements - 3, elements) * 2).to_vector<int32_t>() ==
        std::vector<int32_t>{67108868, 67108870, 67108872}); // 2 (2^25 + 2), ...
}

TEST_CASE("tensors of a GPU that share their values", "[device][vulkan]") {
  if (!hasVulkan())
    return;
  const DeviceGuard onDevice(gpu());
  Tensor x = tensor({1.f, 2.f, 3.f, 4.f});
  const Tensor before = x, view = x.reshape({2, 2}), turned = view.transpose(0, 1);
  x.add_(x);
  CHECK(x.to_vector<float>() == std::vector<float>{2, 4, 6, 8});
  x.copy_(x);
  x.mul_(before);
  const std::vector<float> product = x.to_vector<float>();
  // Whatever a view means on the CPU it means here.
  const DeviceGuard onHost{Device("cpu")};
  Tensor y = tensor({1.f, 2.f, 3.f, 4.f});
  const Tensor yBefore = y, yView = y.reshape({2, 2}), yTurned = yView.transpose(0, 1);
  y.add_(y);
  y.copy_(y);
  y.mul_(yBefore);
  CHECK(product == y.to_vector<float>());
  CHECK(before.to_vector<float>() == yBefore.to_vector<float>());
  CHECK(view.to_vector<float>() == yView.to_vector<float>());
  CHECK(turned.to_vector<float>() == yTurned.to_vector<float>());
  // One value in many places of a program.
  const Tensor z = tensor({2.f, 3.f}).to(gpu());
  CHECK(cat({z, z, z * z, z}).to_vector<float>() == std::vector<float>{2, 3, 2, 3, 4, 9, 2, 3});
  CHECK(z.reshape({1, 2}).matmul(z.reshape({2, 1})).item<float>() == 13);
}

TEST_CASE("a tensor that was moved or moved into keeps its device", "[device][vulkan]") {
  if (!hasVulkan())
    return;
  Tensor x = tensor({1.f, 2.f}).to(gpu()) + 1;
  Tensor y = std::move(x);
  CHECK_FALSE(x.defined());
  CHECK(y.device() == gpu());
  x = std::move(y); // not run yet
  CHECK_FALSE(y.defined());
  CHECK(x.to_vector<float>() == std::vector<float>{2, 3});
  y = tensor({5.f});
  y = y.to(gpu()).to("cpu").to(gpu());
  CHECK(y.device() == gpu());
  CHECK(y.item<float>() == 5);
  { // The device's memory goes while work on it may be in flight.
    Tensor dropped = x * y;
    flush();
    dropped = Tensor();
  }
  checkWorks();
}

TEST_CASE("threads compile for and compute on one GPU", "[device][vulkan]") {
  if (!hasVulkan())
    return;
  constexpr int kThreads = 6, kRounds = 4;
  std::vector<std::string> problems(kThreads);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] {
      try {
        const DeviceGuard onDevice(gpu());
        for (int round = 0; round < kRounds; ++round) {
          // Programs that are the thread's own, and one that all of them have.
          const int64_t n = 100 + 10 * t;
          const Tensor x = arange(n).to(DType::F32);
          if (const float total = sum(x * 2).item<float>(); total != float(n * (n - 1)))
            problems[t] = "a sum is " + std::to_string(total);
          const Tensor m = ones({16, 16}) * float(t + 1);
          if (const float entry = m.matmul(m).to_vector<float>()[17]; entry != 16.f * float(t + 1) * float(t + 1))
            problems[t] = "a product is " + std::to_string(entry);
        }
      } catch (const Error &error) {
        problems[t] = error.message();
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  CHECK(problems == std::vector<std::string>(kThreads));
}

TEST_CASE("a tensor of a GPU is read by threads at once", "[device][vulkan]") {
  if (!hasVulkan())
    return;
  const Tensor x = arange(5000).to(gpu()).to(DType::F32) * 2;
  const std::vector<float> expected = (arange(5000).to(DType::F32) * 2).to_vector<float>();
  std::vector<int> wrong(4);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] { wrong[t] = x.to_vector<float>() != expected; });
  for (std::thread &thread : threads)
    thread.join();
  CHECK(wrong == std::vector<int>(4));
}

TEST_CASE("the child of a fork is told that it has no GPU, its parent goes on", "[device][vulkan]") {
  if (!hasVulkan())
    return;
  const Tensor x = tensor({1.f, 2.f}).to(gpu());
  CHECK(x.to_vector<float>() == std::vector<float>{1, 2});
  const Tensor pending = assert_all(x > 0, x * 2, "is positive");
  flush();
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    alarm(60); // rather than wait for ever
    const std::string message = messageOf([] { (tensor({1.f}).to(gpu()) + 1).item<float>(); }) + "\n" +
                                messageOf([&] { pending.data(); }) + "\n" + messageOf([] { burn::sync(); });
    const ssize_t written = write(ends[1], message.data(), message.size());
    _exit(written == static_cast<ssize_t>(message.size()) ? 0 : 1);
  }
  close(ends[1]);
  std::string message(1000, ' ');
  message.resize(static_cast<size_t>(std::max<ssize_t>(0, read(ends[0], message.data(), message.size()))));
  close(ends[0]);
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  const std::string expected = "a process that was forked cannot use the Vulkan devices of its parent";
  for (int line = 0; line < 3; ++line) {
    const size_t end = std::min(message.find('\n'), message.size());
    CHECK_THAT(message.substr(0, end), Catch::Contains(expected));
    message.erase(0, end + 1);
  }
  CHECK(pending.to_vector<float>() == std::vector<float>{2, 4});
  checkWorks();
}
