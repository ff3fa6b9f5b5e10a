// What a tool that captures the calls of a driver is told: names of objects, and labels around launches.
#include "VulkanFixture.h"

#include <algorithm>

using namespace burn::runtime;
using namespace burn::runtime::test;

namespace {

std::vector<std::pair<VkObjectType, std::string>> named;
std::vector<std::string> said;

PFN_vkSetDebugUtilsObjectNameEXT nameOfDriver;
VKAPI_ATTR VkResult VKAPI_CALL recordName(VkDevice device, const VkDebugUtilsObjectNameInfoEXT *info) {
  named.emplace_back(info->objectType, info->pObjectName);
  return nameOfDriver(device, info);
}
PFN_vkCmdBeginDebugUtilsLabelEXT beginOfDriver;
VKAPI_ATTR void VKAPI_CALL recordBegin(VkCommandBuffer commands, const VkDebugUtilsLabelEXT *label) {
  said.push_back(label->pLabelName);
  beginOfDriver(commands, label);
}
PFN_vkCmdEndDebugUtilsLabelEXT endOfDriver;
VKAPI_ATTR void VKAPI_CALL recordEnd(VkCommandBuffer commands) {
  said.push_back("end");
  endOfDriver(commands);
}
PFN_vkCmdDispatch dispatchOfDriver;
VKAPI_ATTR void VKAPI_CALL recordDispatch(VkCommandBuffer commands, uint32_t x, uint32_t y, uint32_t z) {
  said.push_back("dispatch");
  dispatchOfDriver(commands, x, y, z);
}

/// Puts a function in the place of a driver's while it lives.
template <typename Function> struct Recorded {
  Recorded(const Function &function, Function &driver, Function by) : place(const_cast<Function &>(function)) {
    driver = before = place;
    place = by;
  }
  ~Recorded() { place = before; }
  Recorded(const Recorded &) = delete;
  Recorded &operator=(const Recorded &) = delete;
  Function &place, before;
};

} // namespace

TEST_CASE("capture tools see the names of kernels and memory", "[vulkan]") {
  if (!hasVulkan())
    return;
  const auto device = openVulkan();
  const VulkanInstance &vk = device->instance();
  if (!vk.SetDebugUtilsObjectNameEXT) {
    WARN("skipped: VK_EXT_debug_utils is not in use, as with BURN_VULKAN_VALIDATION=0");
    return;
  }
  named.clear();
  said.clear();
  const Recorded names(vk.SetDebugUtilsObjectNameEXT, nameOfDriver, &recordName);
  const Recorded begins(vk.CmdBeginDebugUtilsLabelEXT, beginOfDriver, &recordBegin);
  const Recorded ends(vk.CmdEndDebugUtilsLabelEXT, endOfDriver, &recordEnd);
  const Recorded dispatches(device->vk().CmdDispatch, dispatchOfDriver, &recordDispatch);

  burn::core::Plan description = scalePlan(50);
  const auto plan = loadOn(*device, scaleProgram(50), description);
  REQUIRE(plan);
  BufferRef x = onDevice(*device, std::vector<float>(50, 1)), y;
  REQUIRE((*plan)->execute({&x, 1}, nullptr, {&y, 1}));
  CHECK(valuesOf(y) == std::vector<float>(50, 6));
  // Two launches of the one kernel.
  CHECK(said == std::vector<std::string>{"scale: mul", "dispatch", "end", "scale: mul", "dispatch", "end"});
  const auto isNamed = [](VkObjectType type, const char *name) {
    return std::find(named.begin(), named.end(), std::pair(type, std::string(name))) != named.end();
  };
  CHECK(isNamed(VK_OBJECT_TYPE_PIPELINE, "scale: mul"));
  CHECK(isNamed(VK_OBJECT_TYPE_BUFFER, "burn device memory"));
  CHECK(isNamed(VK_OBJECT_TYPE_BUFFER, "burn staging memory"));

  // Kernels of many ops are named by the first of them.
  named.clear();
  description.kernels[0].ops = {"add", "mul", "exp", "neg", "sub", "abs", "log", "sin", "cos", "tan"};
  REQUIRE(loadOn(*device, scaleProgram(50), description));
  CHECK(isNamed(VK_OBJECT_TYPE_PIPELINE, "scale: add mul exp neg sub abs log sin and 2 more"));
}
