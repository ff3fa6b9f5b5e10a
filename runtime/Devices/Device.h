// What the runtime asks of a device whose memory is not the host's.
#pragma once

#include "runtime/Core/Executable.h"
#include "runtime/Core/Status.h"
#include "runtime/Devices/PlanTarget.h"
#include "runtime/Memory/MemoryPool.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace burn::runtime {

class Buffer;

/// A range of a device's memory.
struct DeviceMemory {
  void *block = nullptr; // of the device's own type
  uint64_t offset = 0;
};

/// What the host does not know yet of a run. Thread-safe.
class RunOutcome {
public:
  virtual ~RunOutcome() = default;
  /// Whether `wait` returns at once.
  virtual bool isKnown() const = 0;
  /// Waits for the run: the number of the check that failed, or -1.
  virtual core::Expected<int64_t> wait() = 0;
};

/// How a run ended, or that it has not.
struct RunResult {
  /// The check that failed, or -1.
  int64_t failedCheck = -1;
  /// Of a run that may still fail one; else null.
  std::shared_ptr<RunOutcome> outcome;
};

/// The code of one plan on a device. Used from any thread.
class DeviceCode {
public:
  virtual ~DeviceCode() = default;

  /// Runs the plan on its buffers, the arguments before the results, all on this device. Work may go on after the
  /// return; whatever is asked of the device next comes after it.
  virtual core::Expected<RunResult> run(std::span<Buffer *const> buffers, const void *scalars) const = 0;

  /// Whether a run reads its values in its course, to print them or to decide what comes next.
  virtual bool readsValues() const = 0;

  /// What the driver made of the code, for the next process; empty where it made nothing.
  virtual std::vector<std::byte> driverCache() const = 0;
};

/// A device. Its operations take place in the order in which they are asked for; a host read waits for what it reads.
/// Thread-safe.
class Device {
public:
  virtual ~Device() = default;

  /// "vulkan:0".
  virtual const std::string &name() const = 0;
  /// What code for it depends on.
  virtual const PlanTarget &target() const = 0;

  /// Memory of unspecified contents, aligned for any code. OutOfMemory, with sizes, leaves everything as it was.
  virtual core::Expected<DeviceMemory> allocate(size_t bytes) = 0;
  /// Takes memory back; work that was asked for before may still use it.
  virtual void release(DeviceMemory memory, size_t bytes) noexcept = 0;
  virtual MemoryStats memoryStats() const = 0;

  virtual core::Status upload(const void *from, Buffer &to) = 0;
  virtual core::Status download(Buffer &from, void *to) = 0;
  virtual core::Status copy(Buffer &from, Buffer &to) = 0;
  /// Waits for all that was asked for.
  virtual core::Status synchronize() = 0;

  /// Makes code ready. `driverCache` is what an earlier run of the driver gave for it, or empty.
  virtual core::Expected<std::unique_ptr<DeviceCode>> load(std::span<const std::byte> code, const core::Plan &plan,
                                                           std::span<const std::byte> driverCache) = 0;
};

/// The device of a name such as "vulkan:0", opened on its first use and never closed. InvalidArgument for a name of no
/// kind of device, Unavailable, saying why, where the machine has none.
core::Expected<Device *> openDevice(std::string_view name);

} // namespace burn::runtime
