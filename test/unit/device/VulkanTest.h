// What tests of a GPU begin with.
#pragma once

#include <burn/error.h>

#include <cstdlib>
#include <functional>
#include <string>

#include <dlfcn.h>

#include <catch2/catch.hpp>

namespace burn::test {

/// Whether the machine has a Vulkan loader; says so where it has none. The validation layer is on from here on, unless
/// BURN_VULKAN_VALIDATION is 0: what it says makes the call fail.
inline bool hasVulkan() {
  setenv("BURN_VULKAN_VALIDATION", "1", 0);
  static const bool found = dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL) != nullptr;
  if (!found)
    WARN("skipped: this machine has no Vulkan loader (libvulkan.so.1)");
  return found;
}

/// The message of the error that a call ends with; empty where it ends with none.
inline std::string messageOf(const std::function<void()> &call) {
  try {
    call();
  } catch (const Error &error) {
    return error.message();
  }
  return "";
}

} // namespace burn::test
