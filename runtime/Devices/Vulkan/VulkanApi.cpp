#include "runtime/Devices/Vulkan/VulkanApi.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <vector>

#include <dlfcn.h>

namespace burn::runtime {

using core::ErrorCode;
using core::Expected;
using core::Status;

namespace {

constexpr const char *kValidationLayer = "VK_LAYER_KHRONOS_validation";

Status unavailable(std::string text) { return Status::error(ErrorCode::Unavailable, std::move(text)); }

/// What the validation layer said.
struct ValidationLog {
  std::mutex mutex;
  std::string text;
  static ValidationLog &get() {
    static auto *log = new ValidationLog; // drivers call until the very end of the process
    return *log;
  }
};

VKAPI_ATTR VkBool32 VKAPI_CALL onMessage(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                         VkDebugUtilsMessageTypeFlagsEXT types,
                                         const VkDebugUtilsMessengerCallbackDataEXT *data, void *) {
  // The loader's own remarks, on libraries that it could not open, are no faults of ours.
  if (types == VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT)
    return VK_FALSE;
  ValidationLog &log = ValidationLog::get();
  std::lock_guard lock(log.mutex);
  log.text.append(log.text.empty() ? "" : "\n").append(data->pMessage ? data->pMessage : "?");
  return VK_FALSE;
}

const char *resultName(VkResult result) {
  switch (result) {
  case VK_ERROR_OUT_OF_HOST_MEMORY:
    return "out of host memory";
  case VK_ERROR_OUT_OF_DEVICE_MEMORY:
    return "out of device memory";
  case VK_ERROR_INITIALIZATION_FAILED:
    return "initialization failed";
  case VK_ERROR_DEVICE_LOST:
    return "the device was lost";
  case VK_ERROR_LAYER_NOT_PRESENT:
    return "layer not present";
  case VK_ERROR_EXTENSION_NOT_PRESENT:
    return "extension not present";
  case VK_ERROR_FEATURE_NOT_PRESENT:
    return "feature not present";
  case VK_ERROR_INCOMPATIBLE_DRIVER:
    return "no driver that works";
  case VK_ERROR_TOO_MANY_OBJECTS:
    return "too many objects";
  default:
    return nullptr;
  }
}

bool isSet(const char *variable) {
  const char *value = std::getenv(variable);
  return value && *value && std::strcmp(value, "0") != 0;
}

} // namespace

Status vulkanError(const std::string &what, VkResult result) {
  const char *name = resultName(result);
  const std::string text = what + ": " + (name ? name : "error " + std::to_string(result) + " of Vulkan");
  switch (result) {
  case VK_ERROR_OUT_OF_HOST_MEMORY:
  case VK_ERROR_OUT_OF_DEVICE_MEMORY:
    return Status::error(ErrorCode::OutOfMemory, text);
  case VK_ERROR_DEVICE_LOST:
  case VK_ERROR_INCOMPATIBLE_DRIVER:
  case VK_ERROR_LAYER_NOT_PRESENT:
  case VK_ERROR_INITIALIZATION_FAILED:
    return unavailable(text);
  case VK_ERROR_FEATURE_NOT_PRESENT:
  case VK_ERROR_EXTENSION_NOT_PRESENT:
    return Status::error(ErrorCode::Unsupported, text);
  default:
    return Status::error(ErrorCode::Internal, text);
  }
}

Status takeValidationErrors() {
  ValidationLog &log = ValidationLog::get();
  std::lock_guard lock(log.mutex);
  if (log.text.empty())
    return Status::ok();
  return Status::error(ErrorCode::Internal, "validation of Vulkan calls: " + std::exchange(log.text, {}));
}

Expected<const VulkanInstance *> VulkanInstance::get() {
  static std::mutex mutex;
  static const VulkanInstance *made = nullptr;
  std::lock_guard lock(mutex);
  if (made)
    return made;
  Expected<const VulkanInstance *> instance = create();
  if (instance)
    made = *instance;
  return instance;
}

Expected<const VulkanInstance *> VulkanInstance::create() {
  // BURN_VULKAN_LOADER names another library; ignored in setuid programs, as LD_LIBRARY_PATH is.
  const char *chosen = secure_getenv("BURN_VULKAN_LOADER");
  const char *name = chosen && *chosen ? chosen : "libvulkan.so.1";
  void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!library) {
    const char *text = dlerror();
    return unavailable(std::string("Vulkan is not available: cannot open its loader (") + (text ? text : name) +
                       "); Debian's package is libvulkan1");
  }
  const auto find = reinterpret_cast<PFN_vkGetInstanceProcAddr>(dlsym(library, "vkGetInstanceProcAddr"));
  const auto global = [&](const char *function) { return find ? find(nullptr, function) : nullptr; };
  const auto create = reinterpret_cast<PFN_vkCreateInstance>(global("vkCreateInstance"));
  const auto version = reinterpret_cast<PFN_vkEnumerateInstanceVersion>(global("vkEnumerateInstanceVersion"));
  const auto layers =
      reinterpret_cast<PFN_vkEnumerateInstanceLayerProperties>(global("vkEnumerateInstanceLayerProperties"));
  const auto extensions =
      reinterpret_cast<PFN_vkEnumerateInstanceExtensionProperties>(global("vkEnumerateInstanceExtensionProperties"));
  uint32_t loaderVersion = 0;
  if (!create || !layers || !extensions || !version || version(&loaderVersion) != VK_SUCCESS ||
      loaderVersion < VK_API_VERSION_1_1)
    return unavailable(std::string("Vulkan is not available: ") + name + " is no loader of Vulkan 1.1 or later");

  const bool validate = isSet("BURN_VULKAN_VALIDATION");
  uint32_t validationVersion = 0;
  if (validate) {
    uint32_t count = 0;
    layers(&count, nullptr);
    std::vector<VkLayerProperties> found(count);
    layers(&count, found.data());
    for (const VkLayerProperties &layer : found)
      if (std::strcmp(layer.layerName, kValidationLayer) == 0)
        validationVersion = layer.specVersion;
    if (validationVersion == 0)
      return unavailable("BURN_VULKAN_VALIDATION is set, but the validation layer is not installed; Debian's package "
                         "is vulkan-validationlayers");
  }
  // Labels for tools such as RenderDoc, and messages of the validation layer.
  bool debugUtils = false;
  if (validate || isSet("BURN_VULKAN_LABELS")) {
    uint32_t count = 0;
    extensions(nullptr, &count, nullptr);
    std::vector<VkExtensionProperties> found(count);
    extensions(nullptr, &count, found.data());
    for (const VkExtensionProperties &extension : found)
      debugUtils |= std::strcmp(extension.extensionName, VK_EXT_DEBUG_UTILS_EXTENSION_NAME) == 0;
  }

  VkApplicationInfo application = vulkanInfo<VkApplicationInfo>(VK_STRUCTURE_TYPE_APPLICATION_INFO);
  application.pEngineName = "burn";
  // Code uses 1.1, and of later versions what a device has.
  application.apiVersion = std::min<uint32_t>(loaderVersion, VK_API_VERSION_1_3);
  VkDebugUtilsMessengerCreateInfoEXT messages =
      vulkanInfo<VkDebugUtilsMessengerCreateInfoEXT>(VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT);
  messages.messageSeverity =
      VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT;
  messages.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT;
  messages.pfnUserCallback = onMessage;
  const char *debugExtension = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
  VkInstanceCreateInfo info = vulkanInfo<VkInstanceCreateInfo>(VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO);
  info.pApplicationInfo = &application;
  info.enabledLayerCount = validate;
  info.ppEnabledLayerNames = &kValidationLayer;
  info.enabledExtensionCount = debugUtils;
  info.ppEnabledExtensionNames = &debugExtension;
  if (validate && debugUtils)
    info.pNext = &messages;
  VkInstance handle = VK_NULL_HANDLE;
  if (const VkResult result = create(&info, nullptr, &handle); result != VK_SUCCESS) {
    // Loaders report a manifest that they cannot read as one thing or another.
    std::string text = "Vulkan is not available: no driver makes an instance";
    for (const char *variable : {"VK_DRIVER_FILES", "VK_ICD_FILENAMES"})
      if (const char *files = secure_getenv(variable))
        text.append(", with ").append(variable).append("=").append(files);
    return unavailable(vulkanError(text, result).message());
  }

  auto *made = new VulkanInstance;
  made->instance = handle;
  made->version = application.apiVersion;
  made->validationVersion = validationVersion;
  made->GetInstanceProcAddr = find;
#define BURN_VULKAN_LOAD(function) made->function = reinterpret_cast<PFN_vk##function>(find(handle, "vk" #function));
  BURN_VULKAN_INSTANCE_FUNCTIONS(BURN_VULKAN_LOAD)
  if (debugUtils) {
    BURN_VULKAN_LOAD(CmdBeginDebugUtilsLabelEXT)
    BURN_VULKAN_LOAD(CmdEndDebugUtilsLabelEXT)
    BURN_VULKAN_LOAD(SetDebugUtilsObjectNameEXT)
    const auto listen =
        reinterpret_cast<PFN_vkCreateDebugUtilsMessengerEXT>(find(handle, "vkCreateDebugUtilsMessengerEXT"));
    VkDebugUtilsMessengerEXT messenger = VK_NULL_HANDLE;
    if (validate && listen)
      listen(handle, &messages, nullptr, &messenger);
  }
#undef BURN_VULKAN_LOAD
  return made;
}

void VulkanInstance::setName(VkDevice device, VkObjectType type, uint64_t object, const std::string &name) const {
  if (!SetDebugUtilsObjectNameEXT)
    return;
  VkDebugUtilsObjectNameInfoEXT info =
      vulkanInfo<VkDebugUtilsObjectNameInfoEXT>(VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT);
  info.objectType = type;
  info.objectHandle = object;
  info.pObjectName = name.c_str();
  (void)SetDebugUtilsObjectNameEXT(device, &info); // a name that cannot be kept is lost alone
}

void VulkanFunctions::load(const VulkanInstance &instance, VkDevice device) {
#define BURN_VULKAN_LOAD(function)                                                                                     \
  function = reinterpret_cast<PFN_vk##function>(instance.GetDeviceProcAddr(device, "vk" #function));
  BURN_VULKAN_DEVICE_FUNCTIONS(BURN_VULKAN_LOAD)
#undef BURN_VULKAN_LOAD
  // The same function, of the extension and of Vulkan 1.2.
  for (const char *name : {"vkGetBufferDeviceAddress", "vkGetBufferDeviceAddressKHR"})
    if (!GetBufferDeviceAddress)
      GetBufferDeviceAddress = reinterpret_cast<PFN_vkGetBufferDeviceAddress>(instance.GetDeviceProcAddr(device, name));
}

} // namespace burn::runtime
