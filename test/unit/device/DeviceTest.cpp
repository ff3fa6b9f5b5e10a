#include "test/unit/device/VulkanTest.h"

#include <burn/burn.h>

#include <thread>

using namespace burn;
using namespace burn::test;

TEST_CASE("tensors are on the CPU unless said otherwise", "[device]") {
  CHECK(Device().is_cpu());
  CHECK(Device("cpu") == Device());
  CHECK(Device().name() == "cpu");
  CHECK(default_device() == Device());
  const Tensor x = tensor({1.f, 2.f});
  CHECK(x.device() == Device("cpu"));
  CHECK((x + 1).device() == Device("cpu"));
  CHECK(x.to(Device("cpu")).is_same(x));
  CHECK_THAT(messageOf([] { Device("gpu"); }), Catch::Contains("no kind of device 'gpu'"));
}

TEST_CASE("tensors move to a device and back with all their bits", "[device][vulkan]") {
  if (!hasVulkan())
    return;
  const Device vulkan("vulkan:0");
  CHECK(vulkan.name() == "vulkan:0");
  CHECK(vulkan == Device("vulkan"));
  const Tensor x = tensor({1.f, -0.f, 3.5f}) * 2;
  const Tensor moved = x.to(vulkan);
  CHECK(moved.device() == vulkan);
  CHECK(moved.shape() == x.shape());
  CHECK(moved.to_vector<float>() == std::vector<float>{2, -0.f, 7});
  CHECK(std::signbit(moved.to_vector<float>()[1]));
  CHECK(moved.to(Device("cpu")).to_vector<float>() == std::vector<float>{2, 0, 7});
  CHECK(tensor(int64_t(1) << 40).to(vulkan).item<int64_t>() == int64_t(1) << 40);
  CHECK(zeros({0, 3}).to(vulkan).to_vector<float>().empty());
  burn::sync();
}

TEST_CASE("operands on different devices are an error at the call", "[device][vulkan]") {
  if (!hasVulkan())
    return;
  const Tensor x = tensor({1.f, 2.f}), y = x.to("vulkan:0");
  CHECK_THAT(messageOf([&] { x + y; }),
             Catch::Contains("operands are on cpu and on vulkan:0; move one with to(device)"));
  CHECK_THAT(messageOf([&] { y.matmul(x); }), Catch::Contains("operands are on vulkan:0 and on cpu"));
  CHECK_THAT(messageOf([&] { cat({y, x}); }), Catch::Contains("operands are on"));
  CHECK((x + 1).to_vector<float>() == std::vector<float>{2, 3});
  Tensor target = zeros({2});
  target.copy_(y); // moves
  CHECK(target.device().is_cpu());
  CHECK(target.to_vector<float>() == std::vector<float>{1, 2});
}

TEST_CASE("no gradient flows between devices", "[device][vulkan]") {
  if (!hasVulkan())
    return;
  const Device vulkan("vulkan:0");
  Tensor x = tensor({1.f, 2.f}).requires_grad_();
  CHECK_THAT(messageOf([&] { x.to(vulkan); }), Catch::Contains("no gradient flows from vulkan:0 to cpu"));
  CHECK_FALSE(x.detach().to(vulkan).requires_grad());
}

TEST_CASE("the default device is where host data goes", "[device][vulkan]") {
  if (!hasVulkan())
    return;
  const Device vulkan("vulkan:0");
  {
    const DeviceGuard guard(vulkan);
    CHECK(default_device() == vulkan);
    const Tensor x = tensor({1.f, 2.f});
    CHECK(x.device() == vulkan);
    CHECK(x.to_vector<float>() == std::vector<float>{1, 2});
    bool released = false;
    alignas(64) static const float blob[] = {5, 6, 7};
    const Tensor y = from_blob(blob, {3}, DType::F32, [&] { released = true; });
    CHECK(released); // copied to the device
    CHECK(y.to_vector<float>() == std::vector<float>{5, 6, 7});
    CHECK(zeros({2}).device() == vulkan);
    {
      const DeviceGuard inner{Device("cpu")};
      CHECK(tensor(1.f).device().is_cpu());
    }
    std::thread([] { CHECK(default_device().is_cpu()); }).join();
    // What functions make for their own use follows their operands, not the default.
    const Tensor cpu = tensor({1.f, 2.f}).to("cpu");
    CHECK(zeros_like(cpu).device().is_cpu());
    CHECK(cpu.new_ones({3}).to_vector<float>() == std::vector<float>{1, 1, 1});
    CHECK(one_hot(tensor({int64_t(1)}).to("cpu"), 2).to_vector<int64_t>() == std::vector<int64_t>{0, 1});
  }
  CHECK(default_device().is_cpu());
  set_default_device(vulkan);
  CHECK(tensor(1.f).device() == vulkan);
  set_default_device(Device("cpu"));
}

TEST_CASE("a module moves with its parameters and buffers", "[device][vulkan]") {
  if (!hasVulkan())
    return;
  const Device vulkan("vulkan:0");
  nn::Linear layer(3, 2);
  const std::vector<float> weight = layer.weight.to_vector<float>();
  nn::to(layer, vulkan);
  CHECK(layer.weight.device() == vulkan);
  CHECK(layer.weight.requires_grad());
  CHECK(layer.weight.is_leaf());
  CHECK(layer.weight.to_vector<float>() == weight);
  const nn::StateDict state = nn::state_dict(layer);
  nn::load_state_dict(layer, state);
  CHECK(layer.weight.device() == vulkan);
}
