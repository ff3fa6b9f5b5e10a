// A program that runs at once, op by op, while its compile is still under way.
#pragma once

#include "passes/PerOp/Tensor.h"
#include "runtime/Core/Graph.h"

#include "mlir/IR/BuiltinOps.h"

#include <memory>
#include <span>
#include <vector>

namespace burn::compiler::perop {

/// A serialized graph made ready to run without a compile: differentiated, simplified and decomposed as for one, with
/// elementwise ops that follow one another taken over the same few thousand elements. Results are within the bounds
/// that compiled code has, and the same for any number of threads. Runs from any thread, several at a time.
class Program {
public:
  virtual ~Program() = default;

  /// Unsupported where the program cannot run like this: it calls kernels of the host.
  static core::Expected<std::unique_ptr<Program>> make(std::span<const std::byte> graph);

  /// The same for the one function of a module, which is consumed and must outlive the program.
  static core::Expected<std::unique_ptr<Program>> make(mlir::ModuleOp module);

  /// Runs it on arguments in the order of the graph's, scalar slots included. Location ids of an error are those of the
  /// graph.
  virtual core::Expected<std::vector<Tensor>> run(std::span<const Tensor> arguments, const burn_rt *rt) const = 0;
};

} // namespace burn::compiler::perop
