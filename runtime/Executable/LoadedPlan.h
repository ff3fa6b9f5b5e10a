// A compiled program, loaded and ready to run.
#pragma once

#include "runtime/Core/Executable.h"
#include "runtime/Executable/NativeModule.h"
#include "runtime/Memory/Buffer.h"
#include "runtime/Memory/DerivedBuffers.h"

#include <burn/abi.h>

#include <memory>
#include <span>

namespace burn::runtime {

/// The code of a plan and what is needed to call it. Immutable, used from any thread.
class LoadedPlan : public std::enable_shared_from_this<LoadedPlan> {
public:
  /// Loads the code from `file` and reads the plan from its serialized form.
  static core::Expected<std::shared_ptr<const LoadedPlan>> load(FileDescriptor file, std::span<const std::byte> plan);

  /// Makes the code of a plan for a device ready. `driverCache` as for Device::load.
  static core::Expected<std::shared_ptr<const LoadedPlan>> load(Device &device, std::span<const std::byte> code,
                                                                std::span<const std::byte> plan,
                                                                std::span<const std::byte> driverCache);

  const core::Plan &plan() const { return plan_; }
  /// The device that it runs on, where its buffers have to be; null: the host.
  Device *device() const { return device_; }
  const DeviceCode *deviceCode() const { return deviceCode_.get(); }

  /// Number of buffer arguments.
  size_t bufferCount() const { return bufferArgs_.size(); }

  /// Calls the code as it is, on pointers as burn/abi.h asks for them. Only on the host.
  int32_t call(const burn_rt *rt, void *const *bufs, const void *scalars, void *arena) const {
    return run_(rt, bufs, nullptr, scalars, arena);
  }

  /// The same with the functions of this process, on the pool of parallel_for or on the calling thread.
  int32_t call(bool serial, void *const *bufs, const void *scalars, void *arena) const;

  /// The entry that fills derived buffers from frozen ones, or null.
  burn_prepare_fn prepare() const { return prepare_; }

  /// Runs the plan on the pool of parallel_for.
  ///
  /// \param arguments  the buffer arguments in order. References of donated arguments are taken: each is null
  ///                   afterwards. One that is not the only reference of its buffer is copied first.
  /// \param scalars    the block of scalar arguments, `plan().scalarBytes` bytes.
  /// \param results    set to the results in order; one for each of `plan().results`.
  ///
  /// All allocation comes before the launch: where it fails, arguments and results are as they were. Where a check of
  /// the program fails while it runs, the results are set, they and donated arguments are poisoned, and the error
  /// names the op by the location id of the plan. Poisoned arguments are an error at once. On a device the call may
  /// return before that is known: the results then have a PendingRun, and so have those of plans that are run on them.
  /// So that each of them can, a plan with checks copies arguments that it gives back and the caller keeps.
  ///
  /// What the plan derives from frozen arguments is computed by the first run on them and kept as long as they live;
  /// from arguments that are not frozen buffers it is computed by every run.
  ///
  /// Budget beyond the code itself, on the host: 1 us; no call of the allocator.
  core::Status execute(std::span<BufferRef> arguments, const void *scalars, std::span<BufferRef> results) const;

  ~LoadedPlan();
  LoadedPlan(const LoadedPlan &) = delete;
  LoadedPlan &operator=(const LoadedPlan &) = delete;

private:
  LoadedPlan() = default;
  core::Status describe(std::span<const std::byte> plan);
  int32_t callNative(std::span<BufferRef> arguments, std::span<BufferRef> results, const derived::Buffers *derived,
                     const void *scalars, void *arena, core::Status &status) const;
  core::Expected<std::shared_ptr<const derived::Buffers>> derivedFrom(std::span<BufferRef> arguments) const;
  core::Expected<std::shared_ptr<const derived::Buffers>> derive(std::span<BufferRef> arguments) const;
  bool copiesArguments() const { return device_ && !plan_.checks.empty(); }
  bool isCallers(size_t result) const;
  core::Status bindResults(std::span<BufferRef> arguments, std::span<BufferRef> results) const;

  std::unique_ptr<NativeModule> module_;
  core::Plan plan_;
  burn_run_fn run_ = nullptr;
  burn_prepare_fn prepare_ = nullptr;
  Device *device_ = nullptr;
  std::unique_ptr<DeviceCode> deviceCode_;
  std::vector<uint32_t> bufferArgs_; // positions of the buffer arguments in plan_.args
  std::vector<uint32_t> sources_;    // places among the buffers of what derived buffers are computed from
  std::vector<uint32_t> ordinals_;   // for each argument of the plan, its place among the buffers
};

/// The functions that libburn hands to generated code.
const burn_rt &hostFunctions();

} // namespace burn::runtime
