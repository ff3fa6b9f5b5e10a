// oneDNN's primitives. Versions 2 and 3 differ in how operations are described, so the few entry points are declared
// here and looked up by name; no header is needed.
#pragma once

#include "runtime/Core/OneDnn.h"

#include <array>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace burn::bench {

class OneDnnLibrary {
public:
  using Handle = void *;
  /// A description of memory or of an operation of version 2, which are plain structs there; larger than any of them.
  struct alignas(16) Description {
    std::array<char, 8192> bytes = {};
  };
  /// What a primitive reads or writes: its role, and memory.
  struct Argument {
    int which;
    Handle memory;
  };

  // Roles of memory.
  static constexpr int kSource = 1, kDestination = 17, kWeights = 33, kBias = 41, kScale = 51, kShift = 52,
                       kSourceGradient = 129, kDestinationGradient = 145, kWeightsGradient = 161;
  // Types of elements.
  static constexpr int kF16 = 1, kBF16 = 2, kF32 = 3, kS32 = 4, kS8 = 5;
  static constexpr int kTraining = 64, kInference = 96;

  /// Throws where the file is no oneDNN. `threads` is for all later calls.
  OneDnnLibrary(const std::string &path, int threads);

  std::string name() const { return library_.name(); }
  bool isVersion2() const { return library_.majorVersion() == 2; }
  Handle engine() const { return engine_; }

  template <typename Fn> Fn *entry(const char *name) const {
    void *found = library_.entry(name);
    if (!found)
      throw std::runtime_error(std::string("oneDNN has no ") + name);
    return reinterpret_cast<Fn *>(found);
  }
  /// Calls the entry `name` with the given arguments, of exactly the types that it has; throws where it fails.
  template <typename... Args> void call(const char *name, Args... args) const {
    check(entry<int(Args...)>(name)(args...), name);
  }
  static void check(int status, const char *what) {
    if (status != 0)
      throw std::runtime_error(fmt::format("oneDNN: {} failed with status {}", what, status));
  }

  /// A description of memory by its dimensions and strides: a handle of version 3, bytes of version 2.
  const void *describe(Description &storage, const std::vector<int64_t> &dims, const std::vector<int64_t> &strides,
                       int type = kF32) const;
  /// The same of f32, row-major.
  const void *describe(Description &storage, const std::vector<int64_t> &dims) const;
  /// The same, in a layout that the primitive chooses.
  const void *describeAny(Description &storage, const std::vector<int64_t> &dims, int type = kF32) const;

  /// The primitive description of version 2 for an operation's description.
  Handle primitiveOf(const void *operation, Handle attributes = nullptr, Handle forward = nullptr) const;
  /// Memory at `data`; where that is null, memory of the library's own.
  Handle memory(const void *description, const float *data) const;
  /// Memory in the layout that a primitive wants for a role.
  Handle memoryFor(Handle primitiveDescription, int role) const;
  /// The same, filled from memory in the layout of `description`.
  Handle memoryFor(Handle primitiveDescription, int role, const void *description, const float *data) const;
  /// A call that runs the primitive.
  std::function<void()> prepare(Handle primitiveDescription, std::vector<Argument> arguments) const;

private:
  const void *descriptionFor(Handle primitiveDescription, int role) const;

  core::OneDnnLibrary library_;
  Handle engine_ = nullptr, stream_ = nullptr;
};

/// The libraries to compare with: those named, else the newest one installed; none where there is none.
std::vector<OneDnnLibrary> openOneDnnLibraries(const std::vector<std::string> &named, int threads);

} // namespace burn::bench
