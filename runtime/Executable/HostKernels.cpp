#include "runtime/Executable/HostKernels.h"

#include "runtime/Core/ArrayText.h"
#include "runtime/Core/OneDnn.h"
#include "runtime/Parallel/HostKernelScope.h"

#include <burn/host_kernel.h>

#include <memory>
#include <mutex>
#include <unordered_map>

namespace burn {
namespace runtime {
namespace {

using core::Status;

struct Registered {
  int64_t version;
  HostKernel kernel;
};

class Registry {
public:
  static Registry &get() {
    static auto *made = new Registry; // programs may run while the process ends
    return *made;
  }

  void add(const std::string &name, int64_t version, HostKernel kernel) {
    auto made = std::make_shared<const Registered>(Registered{version, std::move(kernel)});
    std::lock_guard lock(mutex_);
    kernels_[name] = std::move(made);
  }

  std::shared_ptr<const Registered> find(const std::string &name) {
    std::lock_guard lock(mutex_);
    const auto found = kernels_.find(name);
    return found == kernels_.end() ? nullptr : found->second;
  }

private:
  std::mutex mutex_;
  std::unordered_map<std::string, std::shared_ptr<const Registered>> kernels_;
};

std::string describe(const core::PlanHostCall &call) {
  return "host kernel '" + call.kernel + "' of version " + std::to_string(call.version);
}

Status run(const core::PlanHostCall &call, void *const *buffers, size_t count, const burn_rt &loops) {
  if (call.results.empty()) {
    if (count != 1 || call.operands.size() != 1)
      return Status::error(ErrorCode::DataLoss,
                           "a print of '" + call.kernel + "' was called with a wrong number of buffers");
    core::printArray(call.kernel, call.operands[0], static_cast<const std::byte *>(buffers[0]));
    return Status::ok();
  }
  if (core::isOneDnnKernel(call.kernel))
    return core::callOneDnn(call.kernel, call.version, {buffers, count}, loops);
  const auto found = Registry::get().find(call.kernel);
  if (!found)
    return Status::error(ErrorCode::NotFound, describe(call) + " is not registered in this process");
  if (found->version != call.version)
    return Status::error(ErrorCode::NotFound, describe(call) + " is not registered in this process: it has version " +
                                                  std::to_string(found->version));
  if (count != call.operands.size() + call.results.size())
    return Status::error(ErrorCode::DataLoss, describe(call) + " was called with a wrong number of buffers");
  std::vector<HostBuffer> inputs, outputs;
  for (const core::TypeDesc &type : call.operands)
    inputs.push_back({type.dtype, type.shape, *buffers++});
  for (const core::TypeDesc &type : call.results)
    outputs.push_back({type.dtype, type.shape, *buffers++});
  const HostKernelScope scope;
  found->kernel({inputs, outputs});
  return Status::ok();
}

} // namespace

Status callHostKernel(const core::PlanHostCall &call, void *const *buffers, size_t count,
                      const burn_rt &loops) noexcept {
  try {
    return run(call, buffers, count, loops);
  } catch (const std::exception &error) {
    return Status::error(ErrorCode::Internal, describe(call) + " failed: " + error.what());
  } catch (...) {
    return Status::error(ErrorCode::Internal, describe(call) + " failed");
  }
}

} // namespace runtime

void register_host_kernel(const std::string &name, int64_t version, HostKernel kernel) {
  if (name.empty() || !kernel)
    throw Error(ErrorCode::InvalidArgument, "register_host_kernel: expects a name and a function");
  runtime::Registry::get().add(name, version, std::move(kernel));
}

} // namespace burn
