// Devices by number, as tensors and segments name them; 0 is the host.
#pragma once

#include "runtime/Devices/Device.h"

#include <burn/device.h>
#include <burn/tensor.h>

#include <cstdint>
#include <span>

namespace burn::trace {

inline constexpr uint8_t kMostDevices = 8;

/// Null for the host.
runtime::Device *deviceAt(uint8_t number);
/// The number of a device that a tensor lives on.
uint8_t numberOf(const runtime::Device *device);
/// Where the calling thread makes tensors of no others.
uint8_t defaultDevice();
/// Waits for all devices in use; the first failure.
core::Status synchronizeDevices();

/// While it lives, tensors that a function makes for its own use are on the device of its operands.
class DeviceScope : DeviceGuard {
public:
  explicit DeviceScope(const Tensor &operand);
  /// The first of several, or the default where there is none.
  explicit DeviceScope(std::span<const Tensor> operands);
};

} // namespace burn::trace
