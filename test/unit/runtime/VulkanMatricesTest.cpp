// What a driver may answer when it is asked for its products of matrices.
#include "runtime/Devices/Vulkan/VulkanMatrices.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include <catch2/catch.hpp>

using namespace burn::runtime;
using burn::core::GpuMatrixShape;

namespace {

/// The driver.
struct Driver {
  VkShaderStageFlags stages = VK_SHADER_STAGE_COMPUTE_BIT;
  std::vector<VulkanMatrixShape> counted, listed; // how many there are, and what the second call finds
  VkResult result = VK_SUCCESS;
} driver;

VKAPI_ATTR void VKAPI_CALL giveProperties(VkPhysicalDevice, VkPhysicalDeviceProperties2 *properties) {
  auto *stages = static_cast<VulkanMatrixStages *>(properties->pNext);
  REQUIRE(stages->sType == 1000506002); // of VkPhysicalDeviceCooperativeMatrixPropertiesKHR
  stages->supportedStages = driver.stages;
}

VKAPI_ATTR VkResult VKAPI_CALL listShapes(VkPhysicalDevice, uint32_t *count, VulkanMatrixShape *shapes) {
  if (!shapes) {
    *count = static_cast<uint32_t>(driver.counted.size());
    return VK_SUCCESS;
  }
  const size_t room = *count;
  *count = static_cast<uint32_t>(std::min(room, driver.listed.size()));
  std::copy_n(driver.listed.begin(), *count, shapes);
  return driver.listed.size() > room ? VK_INCOMPLETE : driver.result;
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL find(VkInstance, const char *name) {
  return std::strcmp(name, "vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR") == 0
             ? reinterpret_cast<PFN_vkVoidFunction>(&listShapes)
             : nullptr;
}

std::vector<GpuMatrixShape> shapesOf(const Driver &given) {
  driver = given;
  VulkanInstance vk;
  vk.GetInstanceProcAddr = find;
  vk.GetPhysicalDeviceProperties2 = giveProperties;
  return matrixShapes(vk, VK_NULL_HANDLE);
}

VulkanMatrixShape halves(uint32_t m) {
  VulkanMatrixShape shape;
  shape.m = m;
  shape.n = shape.k = 16;
  shape.a = shape.b = kVulkanFloat16;
  shape.c = shape.result = kVulkanFloat32;
  shape.scope = kVulkanSubgroupScope;
  return shape;
}

} // namespace

TEST_CASE("the shapes of matrices that a driver lists", "[vulkan]") {
  const std::vector<VulkanMatrixShape> two = {halves(8), halves(16)};
  const std::vector<GpuMatrixShape> both = {{GpuMatrixShape::F16, 8, 16, 16}, {GpuMatrixShape::F16, 16, 16, 16}};
  const std::vector<GpuMatrixShape> one(both.begin(), both.begin() + 1);
  Driver given;
  given.counted = given.listed = two;
  CHECK(shapesOf(given) == both);
  // In other stages than that of kernels.
  given.stages = VK_SHADER_STAGE_FRAGMENT_BIT;
  CHECK(shapesOf(given).empty());
  given.stages = VK_SHADER_STAGE_FRAGMENT_BIT | VK_SHADER_STAGE_COMPUTE_BIT;
  CHECK(shapesOf(given) == both);
  // The list grows or shrinks between the calls. Shapes that nobody wrote would be products of 0 x 0.
  given.counted = {two[0]};
  CHECK(shapesOf(given) == one);
  given.counted = two;
  given.listed = {two[0]};
  CHECK(shapesOf(given) == one);
  given.result = VK_ERROR_OUT_OF_HOST_MEMORY;
  CHECK(shapesOf(given).empty());
}

TEST_CASE("shapes of matrices that kernels do not use are left out", "[vulkan]") {
  VulkanMatrixShape bytes = halves(16);
  bytes.a = bytes.b = kVulkanSigned8;
  bytes.c = bytes.result = kVulkanSigned32;
  VulkanMatrixShape saturating = bytes, ofDevice = halves(16), mixed = halves(16), narrow = halves(16);
  saturating.saturates = VK_TRUE;
  ofDevice.scope = 1; // VK_SCOPE_DEVICE_KHR
  mixed.b = kVulkanFloat32;
  narrow.c = narrow.result = kVulkanFloat16;
  Driver given;
  given.counted = given.listed = {saturating, ofDevice, mixed, narrow, bytes};
  CHECK(shapesOf(given) == std::vector<GpuMatrixShape>{{GpuMatrixShape::I8, 16, 16, 16}});
}
