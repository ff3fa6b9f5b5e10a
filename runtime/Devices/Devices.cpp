#include "runtime/Devices/Device.h"
#include "runtime/Devices/Vulkan/VulkanDevice.h"

#include <charconv>
#include <cstdlib>
#include <mutex>

namespace burn::runtime {

using core::Expected;
using core::Status;

namespace {

// Devices by name. Those that are open stay so: tensors in static storage outlive any order of destruction.
struct Registry {
  std::mutex mutex;
  std::vector<std::unique_ptr<VulkanDevice>> open;
  static Registry &get() {
    static auto *registry = new Registry;
    return *registry;
  }
};

} // namespace

Expected<uint32_t> vulkanIndex(std::string_view name) {
  constexpr std::string_view kind = "vulkan";
  uint32_t index = 0;
  bool known = name.substr(0, kind.size()) == kind;
  if (std::string_view rest = known ? name.substr(kind.size()) : ""; !rest.empty()) {
    const auto [end, error] = std::from_chars(rest.data() + 1, rest.data() + rest.size(), index);
    known = rest[0] == ':' && rest.size() > 1 && error == std::errc() && end == rest.data() + rest.size();
  }
  if (!known)
    return Status::invalid("there is no kind of device '" + std::string(name) + "'; expected cpu or vulkan:N");
  return index;
}

Expected<Device *> openDevice(std::string_view name) {
  const Expected<uint32_t> index = vulkanIndex(name);
  if (!index)
    return index.status();
  const std::string full = "vulkan:" + std::to_string(*index);
  Registry &registry = Registry::get();
  std::lock_guard lock(registry.mutex);
  for (const auto &device : registry.open)
    if (device->name() == full)
      return device.get();
  Expected<std::unique_ptr<VulkanDevice>> device = VulkanDevice::open(*index, VulkanOptions::fromEnvironment());
  if (!device)
    return device.status();
  // A driver's threads end before its library does.
  if (registry.open.empty())
    std::atexit([] {
      Registry &all = Registry::get();
      std::lock_guard guard(all.mutex);
      for (const auto &open : all.open) {
        (void)open->synchronize();
        open->reportTimes();
      }
    });
  registry.open.push_back(std::move(*device));
  return registry.open.back().get();
}

} // namespace burn::runtime
