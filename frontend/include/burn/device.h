/// `burn::Device`: where tensors live and programs run.
#pragma once

#include <burn/export.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace burn {

/// The CPU, or a GPU. Operations run where their operands are, which all have to be on one device; results stay there.
/// `Tensor::to(device)` moves values. What a device cannot do is an error, never run elsewhere.
class BURN_API Device {
public:
  /// The CPU.
  Device() = default;
  /// "cpu", "vulkan:1", or "vulkan" for the first one. A device is opened at its first use; burn::Error says why where
  /// that is impossible: no loader, no driver, no such device.
  Device(std::string_view name);
  Device(const char *name) : Device(std::string_view(name)) {}
  Device(const std::string &name) : Device(std::string_view(name)) {}

  bool is_cpu() const { return number_ == 0; }
  /// "cpu" or "vulkan:0".
  const std::string &name() const;

  friend bool operator==(const Device &, const Device &) = default;

  // For the library: devices are numbered in the order of their first use.
  static Device numbered(uint8_t number) {
    Device device;
    device.number_ = number;
    return device;
  }
  uint8_t number() const { return number_; }

private:
  uint8_t number_ = 0;
};

/// Where tensors are made that are made of no others (host data, numbers, ranges, random values): the CPU until
/// `set_default_device`, or the device of the calling thread's innermost DeviceGuard.
BURN_API Device default_device();
/// For all threads.
BURN_API void set_default_device(const Device &device);

/// Makes tensors of the calling thread on a device while it lives.
class BURN_API DeviceGuard {
public:
  explicit DeviceGuard(const Device &device);
  ~DeviceGuard();
  DeviceGuard(const DeviceGuard &) = delete;
  DeviceGuard &operator=(const DeviceGuard &) = delete;

private:
  int before_;
};

} // namespace burn
