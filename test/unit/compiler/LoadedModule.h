#pragma once

#include "passes/Targets/Cpu/CpuTarget.h"
#include "passes/Targets/Cpu/LinkSharedObject.h"
#include "passes/Targets/Cpu/LowerToLLVM.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"

#include <dlfcn.h>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

namespace burn::compiler::test {

/// A context with everything that CPU code generation reads.
inline std::unique_ptr<mlir::MLIRContext> makeCpuContext() {
  mlir::DialectRegistry registry;
  registerCpuCodegenDialects(registry);
  auto context = std::make_unique<mlir::MLIRContext>(registry, mlir::MLIRContext::Threading::DISABLED);
  context->loadAllAvailableDialects();
  return context;
}

/// A module lowered, linked and mapped into this process.
class LoadedModule {
public:
  LoadedModule(mlir::ModuleOp module, const CpuTarget &target) {
    mlir::PassManager passes(module.getContext());
    buildLowerToLLVMPipeline(passes);
    if (mlir::failed(passes.run(module))) {
      error = "lowering failed";
      return;
    }
    auto object = emitObject(module, target);
    if (!object) {
      error = llvm::toString(object.takeError());
      return;
    }
    auto linked = linkSharedObject(*object);
    if (!linked) {
      error = llvm::toString(linked.takeError());
      return;
    }
    descriptor = memfd_create("burn-test", MFD_CLOEXEC);
    if (write(descriptor, linked->data(), linked->size()) != ssize_t(linked->size())) {
      error = "cannot write the shared object";
      return;
    }
    std::string path = "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(descriptor);
    handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle)
      error = dlerror();
  }
  LoadedModule(const LoadedModule &) = delete;
  LoadedModule &operator=(const LoadedModule &) = delete;
  ~LoadedModule() {
    if (handle)
      dlclose(handle);
    if (descriptor >= 0)
      close(descriptor);
  }

  /// The address of a function, null when there is none.
  template <typename Function> Function *find(const char *name) const {
    return handle ? reinterpret_cast<Function *>(dlsym(handle, name)) : nullptr;
  }

  /// Why there is no code; empty when there is.
  std::string error;

private:
  int descriptor = -1;
  void *handle = nullptr;
};

/// Whether this machine runs code for the widest target of the tests.
inline bool hostHasAvx512() {
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq");
}

inline CpuTarget avx2Target() { return {"x86_64-unknown-linux-gnu", "x86-64-v3", ""}; }
inline CpuTarget avx512Target() { return {"x86_64-unknown-linux-gnu", "x86-64-v4", ""}; }

} // namespace burn::compiler::test
