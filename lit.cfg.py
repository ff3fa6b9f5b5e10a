"""Test suite of the burn toolchain: `lit -sv build/test`, or a file or folder below test/ with `-Dbuild=build`."""

import ctypes
import os
import shutil

import lit.formats

root = os.path.dirname(os.path.abspath(__file__))

config.name = "burn"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs", "unit", "fuzz", "build", "build-debug", "build-asan", "build-tsan"]

# Set by the generated lit.site.cfg.py; the parameters let a person run from the source tree.
from_build = hasattr(config, "burn_build")
build = getattr(config, "burn_build", None) or os.path.abspath(lit_config.params.get("build", os.path.join(root, "build")))
llvm_tools = getattr(config, "llvm_tools", None) or lit_config.params.get("llvm_tools", "/usr/lib/llvm-22/bin")
config.test_source_root = os.path.join(root, "test") if from_build else root
config.test_exec_root = os.path.join(build, "test") if from_build else build

path = os.pathsep.join([os.path.join(build, "bin"), llvm_tools, config.environment.get("PATH", "")])
config.environment["PATH"] = path
# A FileCheck variable without `$` does not outlive its CHECK-LABEL.
config.environment["FILECHECK_OPTS"] = "-enable-var-scope --dump-input-filter=error"
# Tests share no plans with the user, nor with one another unless a test names a folder.
config.environment["BURN_CACHE_DIR"] = os.path.join(build, "test", "cache")
for key in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS", "BURN_CPU", "BURN_NUM_THREADS", "HOME", "LD_LIBRARY_PATH"):
    if key in os.environ:
        config.environment[key] = os.environ[key]

config.substitutions += [
    ("%root", root),
    ("%build", build),
    ("%llvm_tools", llvm_tools),
    ("%python", shutil.which("python3") or "python3"),
]


# What a test may ask for with `REQUIRES:`.
def feature(name, present):
    if present:
        config.available_features.add(name)


def host_flags():
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as info:
            for line in info:
                if line.startswith("flags"):
                    return set(line.split(":", 1)[1].split())
    except OSError:
        pass
    return set()


def can_load(library):
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


flags = host_flags()
feature("host-x86", os.uname().machine == "x86_64")
feature("host-avx2", {"avx2", "fma", "f16c", "bmi2"} <= flags)
feature("host-avx512", {"avx512f", "avx512bw", "avx512dq", "avx512vl"} <= flags)
feature("qemu-aarch64", shutil.which("qemu-aarch64", path=path) and shutil.which("aarch64-linux-gnu-gcc", path=path))
feature("qemu-x86_64", shutil.which("qemu-x86_64", path=path) is not None)
feature("root", os.geteuid() == 0)
feature("vulkan", can_load("libvulkan.so.1"))
feature("swiftshader", can_load("libvulkan.so.1") and os.path.exists("/usr/lib/chromium/vk_swiftshader_icd.json"))
feature("gxx", shutil.which("g++", path=path) is not None)
sanitizer = getattr(config, "sanitizer", "")
feature("asan", "address" in sanitizer)
feature("tsan", "thread" in sanitizer)
feature("sanitizer", bool(sanitizer))
feature("release", getattr(config, "build_type", "Release") == "Release")
