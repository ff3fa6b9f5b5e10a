/// Kernels that a program brings along: C++ functions that compiled programs call by name.
#pragma once

#include <burn/dtype.h>
#include <burn/error.h>
#include <burn/export.h>
#include <burn/shape.h>

#include <cstdint>
#include <functional>
#include <span>
#include <string>

namespace burn {

/// The dense row-major buffer of a tensor, as a kernel of the host sees it.
struct HostBuffer {
  DType dtype = DType::F32;
  Shape shape;
  void *data = nullptr;

  int64_t size(unsigned dim) const { return shape[dim]; }

  /// The elements; an error where they are of another type.
  template <typename T> std::span<T> values() const {
    if (dtypeOf<T> != dtype)
      throw Error(ErrorCode::InvalidArgument,
                  "the buffer holds " + std::string(name(dtype)) + ", not " + std::string(name(dtypeOf<T>)));
    return {static_cast<T *>(data), static_cast<size_t>(shape.numel())};
  }
};

/// One call of a kernel. Inputs must not be written; outputs are to be written in full and hold anything at first.
struct HostCall {
  std::span<const HostBuffer> inputs, outputs;

  template <typename T> std::span<const T> input(size_t i) const { return inputs[i].values<T>(); }
  template <typename T> std::span<T> output(size_t i = 0) const { return outputs[i].values<T>(); }
};

/// Computes outputs from inputs and nothing else. An exception fails the step. It runs while a compiled program does:
/// it may call `parallel_for`, but no function on tensors.
using HostKernel = std::function<void(const HostCall &)>;

/// Makes a kernel known under a name and a version to the programs of this process; another one of that name goes.
/// Thread-safe.
BURN_API void register_host_kernel(const std::string &name, int64_t version, HostKernel kernel);

} // namespace burn
