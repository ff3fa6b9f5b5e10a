#include "frontend/Io/FileIo.h"
#include "frontend/Trace/GraphBuilder.h"
#include "frontend/Trace/GraphText.h"
#include "frontend/Trace/Recorder.h"

#include <burn/execution.h>

#include <algorithm>
#include <functional>

namespace burn {

namespace {

using core::Graph;
using core::GraphArg;
using trace::BuiltGraph;
using trace::implOf;
using trace::Recorder;

/// The same graph with its buffer arguments in the order of `arguments` and named by them, all of them present, and
/// every scalar a constant.
Graph arrange(const Recorder &recorder, const trace::Trace &trace, const BuiltGraph &built,
              std::span<const NamedArgument> arguments) {
  Graph result;
  std::vector<uint32_t> moved(built.graph.args.size());
  for (const NamedArgument &argument : arguments) {
    const trace::TensorImpl *impl = implOf(argument.tensor);
    GraphArg arg;
    arg.type = impl->type();
    arg.name = argument.name;
    result.args.push_back(std::move(arg));
  }
  size_t nextLeaf = 0, nextSlot = 0;
  for (size_t i = 0; i < built.graph.args.size(); ++i) {
    GraphArg arg = built.graph.args[i];
    if (arg.kind == core::ArgKind::Scalar) {
      arg.constant = trace.slotValues[built.scalarSlots[nextSlot++]];
      moved[i] = static_cast<uint32_t>(result.args.size());
      result.args.push_back(std::move(arg));
      continue;
    }
    const trace::TensorImpl *leaf = trace.leaves[built.bufferLeaves[nextLeaf++]].get();
    const auto found =
        std::ranges::find_if(arguments, [&](const NamedArgument &argument) { return implOf(argument.tensor) == leaf; });
    if (found == arguments.end())
      recorder.fail("the outputs depend on a tensor " + arg.type.str() + " that is not among the arguments");
    moved[i] = static_cast<uint32_t>(found - arguments.begin());
  }
  // Values of ops follow the arguments, whose number has changed.
  const auto before = static_cast<uint32_t>(built.graph.args.size()), now = static_cast<uint32_t>(result.args.size());
  const auto renumber = [&](uint32_t value) { return value < before ? moved[value] : value - before + now; };
  result.ops = built.graph.ops;
  const std::function<void(std::vector<core::GraphOp> &)> renumberOps = [&](std::vector<core::GraphOp> &ops) {
    for (core::GraphOp &op : ops) {
      std::ranges::transform(op.operands, op.operands.begin(), renumber);
      for (core::GraphRegion &region : op.regions) {
        renumberOps(region.ops);
        std::ranges::transform(region.results, region.results.begin(), renumber);
      }
    }
  };
  renumberOps(result.ops);
  for (const uint32_t value : built.graph.results)
    result.results.push_back(renumber(value));
  return result;
}

} // namespace

void save_ir(const std::filesystem::path &path, std::span<const Tensor> outputs,
             std::span<const NamedArgument> arguments, Where where) {
  const LocationScope scope(where);
  Graph graph;
  {
    std::vector<const Tensor *> operands;
    for (const Tensor &output : outputs)
      operands.push_back(&output);
    Recorder recorder("save_ir", operands);
    for (const NamedArgument &argument : arguments)
      if (implOf(argument.tensor)->segment.load(std::memory_order_relaxed))
        recorder.fail("argument '" + argument.name + "' is recorded itself: call flush() before the function");
    std::vector<uint32_t> results;
    for (const Tensor &output : outputs) {
      const trace::Ref value = recorder.use(output);
      if (recorder.segment().outer)
        recorder.fail("control flow is being recorded: only a whole program can be saved");
      if (!value.isNode())
        recorder.fail("an output is computed already; record it anew from the arguments");
      results.push_back(value.index());
    }
    const trace::Trace &trace = recorder.trace();
    const std::vector<uint8_t> donated(trace.leafTypes.size(), 0);
    graph = arrange(recorder, trace, trace::buildGraph(trace, results, donated), arguments);
  }
  const std::string text = trace::printGraph(graph);
  const std::span<const std::byte> bytes = std::as_bytes(std::span(text));
  detail::writeFileAtomically(path, {&bytes, 1});
}

} // namespace burn
