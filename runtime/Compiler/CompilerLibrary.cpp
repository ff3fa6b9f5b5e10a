#include "runtime/Compiler/CompilerLibrary.h"

#include "runtime/Core/BuildId.h"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <mutex>

#include <dlfcn.h>
#include <sys/stat.h>
#include <unistd.h>

namespace burn::runtime {

using core::ErrorCode;
using core::Expected;
using core::Status;

namespace {

constexpr const char *kLibraryName = "libburn-compiler.so";

// The numbers cross the interface.
static_assert(BURN_STATUS_INVALID_ARGUMENT == static_cast<int>(ErrorCode::InvalidArgument) &&
              BURN_STATUS_NOT_FOUND == static_cast<int>(ErrorCode::NotFound) &&
              BURN_STATUS_IO == static_cast<int>(ErrorCode::Io) &&
              BURN_STATUS_DATA_LOSS == static_cast<int>(ErrorCode::DataLoss) &&
              BURN_STATUS_OUT_OF_MEMORY == static_cast<int>(ErrorCode::OutOfMemory) &&
              BURN_STATUS_UNSUPPORTED == static_cast<int>(ErrorCode::Unsupported) &&
              BURN_STATUS_UNAVAILABLE == static_cast<int>(ErrorCode::Unavailable) &&
              BURN_STATUS_INTERNAL == static_cast<int>(ErrorCode::Internal) &&
              BURN_STATUS_OUT_OF_RANGE == static_cast<int>(ErrorCode::OutOfRange));

std::atomic<const burn_compiler_api *> loadedApi{nullptr};

bool isFile(const std::string &path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode);
}

/// The folder of the library or program that this function was linked into, links resolved.
std::string ownFolder() {
  Dl_info info;
  if (!dladdr(reinterpret_cast<const void *>(&isFile), &info) || !info.dli_fname)
    return "";
  char *real = realpath(info.dli_fname, nullptr);
  if (!real)
    return "";
  std::string path = real;
  std::free(real);
  return path.substr(0, path.rfind('/'));
}

Status unavailable(std::string text) { return Status::error(ErrorCode::Unavailable, std::move(text)); }

} // namespace

std::vector<std::string> compilerPaths() {
  if (const char *path = secure_getenv("BURN_COMPILER_PATH"); path && *path) {
    struct stat info;
    if (stat(path, &info) == 0 && S_ISDIR(info.st_mode))
      return {std::string(path) + "/" + kLibraryName};
    return {path};
  }
  std::vector<std::string> paths;
  if (const std::string folder = ownFolder(); !folder.empty())
    paths.push_back(folder + "/" + kLibraryName);
  paths.push_back(std::string(BURN_INSTALL_LIBDIR "/") + kLibraryName);
  return paths;
}

Expected<const burn_compiler_api *> loadCompiler(const std::vector<std::string> &paths) {
  std::string tried;
  for (const std::string &path : paths) {
    tried.append(tried.empty() ? "" : ", ").append(path);
    if (!isFile(path))
      continue;
    void *handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!handle) {
      const char *text = dlerror();
      return unavailable("cannot load the compiler library: " + std::string(text ? text : path.c_str()));
    }
    const auto getApi = reinterpret_cast<burn_compiler_get_api_fn>(dlsym(handle, BURN_COMPILER_SYMBOL));
    const burn_compiler_api *api = getApi ? getApi(BURN_COMPILER_ABI) : nullptr;
    if (!getApi)
      return unavailable(path + " is not a compiler library: it has no " BURN_COMPILER_SYMBOL);
    if (!api || api->abi_version != BURN_COMPILER_ABI || api->struct_size < sizeof(burn_compiler_table))
      return unavailable("the compiler library " + path + " does not speak version " +
                         std::to_string(BURN_COMPILER_ABI) + " of the interface");
    if (!api->build_id || std::strcmp(api->build_id, core::compilerBuildId()) != 0)
      return unavailable("the compiler library " + path + " is of build " +
                         std::string(api->build_id ? api->build_id : "unknown") + ", this libburn belongs to build " +
                         core::compilerBuildId() + "; install both from the same build");
    return api;
  }
  return unavailable("the compiler library was not found; looked for " + tried);
}

Expected<const burn_compiler_api *> compiler() {
  if (const burn_compiler_api *api = loadedApi.load(std::memory_order_acquire))
    return api;
  static std::mutex mutex;
  std::lock_guard lock(mutex);
  if (const burn_compiler_api *api = loadedApi.load(std::memory_order_acquire))
    return api;
  Expected<const burn_compiler_api *> api = loadCompiler(compilerPaths());
  if (api)
    loadedApi.store(*api, std::memory_order_release);
  return api;
}

Status takeStatus(const burn_compiler_api &api, burn_status *status) {
  if (!status)
    return Status::ok();
  Status taken = Status::error(
      status->code == BURN_STATUS_OK ? ErrorCode::Internal : static_cast<ErrorCode>(status->code),
      status->text ? status->text : "", {status->location_ids, status->location_ids + status->location_count});
  api.free_status(status);
  return taken;
}

} // namespace burn::runtime
