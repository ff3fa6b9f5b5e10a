// Training on a GPU beside training on the CPU.
#include "examples/mnist/net.h"
#include "test/unit/device/VulkanTest.h"

#include <burn/burn.h>

#include <fmt/format.h>

#include <cstdlib>
#include <numeric>
#include <string>

using namespace burn;
using namespace burn::test;

namespace {

/// The folder of the sources, for what tests read of it; BURN_TEST_SOURCES names another place.
std::string sources() {
  const char *folder = std::getenv("BURN_TEST_SOURCES");
  return folder ? folder : BURN_SOURCE_DIR;
}

/// The losses of some steps of the MNIST example on a device, and the logits of the trained net.
struct Course {
  std::vector<double> losses;
  std::vector<float> logits;
};

Course train(const Device &device, int64_t steps, int64_t batchSize, DType dtype = DType::F32) {
  const DeviceGuard onDevice(device);
  manual_seed(42);
  Net net;
  nn::to(net, dtype);
  optim::AdamW optimizer(
      nn::named_parameters(net),
      {.lr = 3e-3, .beta1 = 0.9, .beta2 = 0.999, .eps = 1e-5, .weight_decay = 5e-5, .cautious_weight_decay = true});
  const ImageDataset digits = load_mnist(sources() + "/examples/mnist/data", Split::Train);
  DataLoader loader(digits, {.batch_size = batchSize, .shuffle = true, .max_shift = 2, .seed = 42});
  Course course;
  for (const Batch &batch : loader.epoch(0)) {
    const Tensor images = tensor(batch.images, {batch.size, 1, 28, 28}).to(dtype),
                 labels = tensor(batch.labels, {batch.size});
    CHECK(images.device() == device);
    const Tensor loss = cross_entropy(net.forward(images), labels);
    loss.backward();
    optimizer.step();
    optimizer.zero_grad();
    course.losses.push_back(loss.item<double>());
    if (static_cast<int64_t>(course.losses.size()) == steps) {
      const NoGradGuard guard;
      nn::eval(net);
      course.logits = net.forward(images).to(DType::F32).to_vector<float>();
      break;
    }
  }
  return course;
}

} // namespace

TEST_CASE("twenty steps of MNIST on a GPU lose what they lose on the CPU", "[device][vulkan][training]") {
  if (!hasVulkan())
    return;
  const Course cpu = train("cpu", 20, 16), gpu = train("vulkan:0", 20, 16), exact = train("cpu", 20, 16, DType::F64);
  REQUIRE(cpu.losses.size() == 20);
  REQUIRE(gpu.losses.size() == 20);
  // Rounding is all that may lie between them and f64. The first loss, before any step, shows that of one pass; later
  // ones that of all steps before.
  std::string table = "step: f64, what the CPU and the GPU are off\n";
  for (size_t i = 0; i < 20; ++i)
    table += fmt::format("{}: {:.9g} {:.3e} {:.3e}\n", i, exact.losses[i], cpu.losses[i] - exact.losses[i],
                         gpu.losses[i] - exact.losses[i]);
  INFO(table);
  CHECK(gpu.losses[0] == Approx(exact.losses[0]).epsilon(1e-6).margin(0));
  for (size_t i = 0; i < 20; ++i) {
    CHECK(cpu.losses[i] == Approx(exact.losses[i]).epsilon(1e-5).margin(0));
    CHECK(gpu.losses[i] == Approx(exact.losses[i]).epsilon(1e-4).margin(0));
  }
  const auto sum = [](auto first, auto last) { return std::accumulate(first, last, 0.0); };
  CHECK(sum(gpu.losses.end() - 5, gpu.losses.end()) < 0.8 * sum(gpu.losses.begin(), gpu.losses.begin() + 5));
}

TEST_CASE("a training step on a GPU has the same bits again", "[device][vulkan][training]") {
  if (!hasVulkan())
    return;
  const Course first = train(Device("vulkan:0"), 2, 8), second = train(Device("vulkan:0"), 2, 8);
  CHECK(first.losses == second.losses);
  CHECK(first.logits == second.logits);
}
