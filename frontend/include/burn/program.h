/// `burn::Program`: a function of burn IR from a file, compiled and run without tracing.
#pragma once

#include <burn/device.h>
#include <burn/export.h>
#include <burn/host_array.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace burn {

/// A function of an MLIR module in the burn dialect, as text or bytecode. Functions throw `burn::Error`.
class BURN_API Program {
public:
  /// One argument or result.
  struct Value {
    std::string name; // empty where the program names none
    DType dtype = DType::F32;
    Shape shape;
  };

  /// How `run` evaluates.
  enum class Mode {
    /// Compiled for this machine, through the kernel cache.
    Compiled,
    /// By the reference interpreter, each op in its own type.
    Reference,
    /// By the reference interpreter in f64, results rounded to their types.
    ReferenceF64,
  };

  /// Reads `path`. `entry` names the function; empty: `main`, or the only one. Compiles at once under
  /// `Mode::Compiled`; the interpreter is part of libburn-compiler too.
  static Program load(const std::filesystem::path &path, const std::string &entry = "", Mode mode = Mode::Compiled);
  /// The same, compiled to run on `device`.
  static Program load(const std::filesystem::path &path, const std::string &entry, const Device &device);

  /// Arguments and results. Empty under the reference modes, which learn them when they run.
  const std::vector<Value> &arguments() const;
  const std::vector<Value> &results() const;

  /// Evaluates the function. The arguments must match its types and number.
  std::vector<HostArray> run(std::span<const HostArray> arguments) const;

  /// Calls the compiled code as it is, for programs that own their memory: `buffers` are the arguments that are no
  /// host scalars, then the results, then the derived buffers, dense, row-major and aligned to 64 bytes; `scalars`
  /// holds the others one after the other, each aligned to its size; `arena` has `arena_bytes()` bytes, aligned to 64.
  /// Results that are arguments as they stand are not written. `serial` keeps it on the calling thread. Returns 0, or 1
  /// + the number of the check of the program that failed. Not under the reference modes, and not on other devices than
  /// the CPU.
  int32_t call(void *const *buffers, const void *scalars, void *arena, bool serial = false) const;
  size_t arena_bytes() const;

  /// Fills the derived buffers of a program with arguments marked `burn.frozen` from these, which must keep their
  /// values as long as `call` is given these derived buffers. `buffers` are those of `call`, of which results and other
  /// arguments may be null; `arena` has `prepare_arena_bytes()` bytes. Nothing is done where nothing is derived.
  void prepare(void *const *buffers, void *arena, bool serial = false) const;
  /// Bytes that `prepare` needs between its kernels, aligned to 64; 0 where nothing is derived.
  size_t prepare_arena_bytes() const;
  /// Bytes of each derived buffer.
  std::vector<size_t> derived_bytes() const;

private:
  struct Impl;
  explicit Program(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<const Impl> impl_;
};

} // namespace burn
