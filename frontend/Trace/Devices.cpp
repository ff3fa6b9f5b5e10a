#include "frontend/Trace/Devices.h"

#include "frontend/Trace/TensorImpl.h"

#include <array>
#include <atomic>
#include <mutex>

namespace burn {
namespace trace {
namespace {

struct Table {
  std::mutex mutex;
  std::array<std::atomic<runtime::Device *>, kMostDevices> devices = {}; // [0] stays null
  std::atomic<uint8_t> count{1};
  static Table &get() {
    static auto *table = new Table; // tensors in static storage outlive any order of destruction
    return *table;
  }
};

std::atomic<uint8_t> processDefault{0};
[[gnu::tls_model("initial-exec")]] thread_local int threadDefault = -1; // -1: that of the process

Device deviceOf(std::span<const Tensor> operands) {
  for (const Tensor &operand : operands)
    if (operand.defined())
      return operand.device();
  return default_device();
}

} // namespace

runtime::Device *deviceAt(uint8_t number) { return Table::get().devices[number].load(std::memory_order_acquire); }

uint8_t numberOf(const runtime::Device *device) {
  Table &table = Table::get();
  for (uint8_t i = 0; i < table.count.load(std::memory_order_acquire); ++i)
    if (table.devices[i].load(std::memory_order_acquire) == device)
      return i;
  return 0;
}

uint8_t defaultDevice() {
  return threadDefault >= 0 ? static_cast<uint8_t>(threadDefault) : processDefault.load(std::memory_order_relaxed);
}

core::Status synchronizeDevices() {
  core::Status status;
  for (uint8_t i = 1; i < Table::get().count.load(std::memory_order_acquire); ++i)
    if (core::Status one = deviceAt(i)->synchronize(); !one && status)
      status = one;
  return status;
}

DeviceScope::DeviceScope(const Tensor &operand) : DeviceScope(std::span(&operand, 1)) {}
DeviceScope::DeviceScope(std::span<const Tensor> operands) : DeviceGuard(deviceOf(operands)) {}

} // namespace trace

using namespace trace;

Device::Device(std::string_view name) {
  if (name == "cpu")
    return;
  const core::Expected<runtime::Device *> opened = runtime::openDevice(name);
  if (!opened)
    throw Error(opened.status().code(), opened.status().message());
  Table &table = Table::get();
  std::lock_guard lock(table.mutex);
  if ((number_ = numberOf(*opened)))
    return;
  const uint8_t count = table.count.load(std::memory_order_relaxed);
  if (count == kMostDevices)
    throw Error(ErrorCode::Unsupported,
                "a process can use " + std::to_string(kMostDevices - 1) + " devices beside the CPU");
  table.devices[count].store(*opened, std::memory_order_release);
  table.count.store(count + 1, std::memory_order_release);
  number_ = count;
}

const std::string &Device::name() const {
  static const std::string cpu = "cpu";
  return number_ ? deviceAt(number_)->name() : cpu;
}

Device default_device() { return Device::numbered(defaultDevice()); }
void set_default_device(const Device &device) { processDefault.store(device.number(), std::memory_order_relaxed); }

DeviceGuard::DeviceGuard(const Device &device) : before_(std::exchange(threadDefault, int(device.number()))) {}
DeviceGuard::~DeviceGuard() { threadDefault = before_; }

} // namespace burn
