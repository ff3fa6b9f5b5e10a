// What runs a recorded program: native code from the plan cache, the reference interpreter, or a test's stand-in.
#pragma once

#include "runtime/Core/Graph.h"
#include "runtime/Memory/Buffer.h"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace burn::trace {

/// A program that is ready to run.
class Program {
public:
  virtual ~Program() = default;

  /// The program to run in its place by now: compiled code, once a program that runs op by op has been compiled.
  virtual const Program &current() const { return *this; }

  /// Runs it: the contract of runtime::LoadedPlan::execute. Location ids of an error are ordinals of the graph's ops.
  virtual core::Status execute(std::span<runtime::BufferRef> arguments, const void *scalars,
                               std::span<runtime::BufferRef> results) const = 0;

  /// Where each scalar argument stands in the block of scalars, in order.
  std::vector<uint32_t> scalarOffsets;
  uint32_t scalarBytes = 0;
  /// What its forward pass keeps for its backward pass.
  uint64_t savedBytes = 0;
  /// The op of each check that a run makes, as an ordinal of the graph's ops.
  std::vector<uint32_t> checkOps;
  /// Whether a run reads values in its course: prints them or decides by them what comes next.
  bool readsValues = false;
};

/// Makes programs from graphs.
class Backend {
public:
  virtual ~Backend() = default;
  virtual core::Expected<std::shared_ptr<const Program>> prepare(const core::Graph &graph) = 0;
  /// The same for another device than the host; Unsupported where this backend has no code for it.
  virtual core::Expected<std::shared_ptr<const Program>> prepareFor(runtime::Device &device, const core::Graph &graph);
};

/// The backend of this process: compiled code, or the interpreter under BURN_DEBUG=interpret.
Backend &backend();

/// Replaces it, for tests; null puts the former one back. Programs made so far stay in use.
void setBackend(Backend *backend);

} // namespace burn::trace
