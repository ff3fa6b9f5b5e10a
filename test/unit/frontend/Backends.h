// Stand-ins for compiled code.
#pragma once

#include "frontend/Trace/Interpreted.h"
#include "frontend/Trace/Program.h"

#include <cstring>
#include <memory>
#include <vector>

namespace burn::test {

/// The reference interpreter, which keeps the graphs that it was given.
class SpyBackend : public trace::Backend {
public:
  SpyBackend() { trace::setBackend(this); }
  ~SpyBackend() override { trace::setBackend(nullptr); }

  core::Expected<std::shared_ptr<const trace::Program>> prepare(const core::Graph &graph) override {
    graphs.push_back(graph);
    return interpreter_.prepare(graph);
  }

  std::vector<core::Graph> graphs;

private:
  trace::InterpreterBackend interpreter_;
};

/// Programs that compute nothing: results are memory from the pool, donated arguments are taken. Or fails as told.
class FakeBackend : public trace::Backend {
public:
  FakeBackend() { trace::setBackend(this); }
  ~FakeBackend() override { trace::setBackend(nullptr); }

  core::Expected<std::shared_ptr<const trace::Program>> prepare(const core::Graph &graph) override {
    graphs.push_back(graph);
    if (!prepareError)
      return prepareError;
    return std::shared_ptr<const trace::Program>(std::make_shared<FakeProgram>(graph, *this));
  }

  std::vector<core::Graph> graphs;
  core::Status prepareError, runError;
  /// Whether a failing run makes its results, poisoned, as one does whose check fails.
  bool failsWhileRunning = false;
  std::vector<const void *> lastArguments;

private:
  struct FakeProgram : trace::Program {
    FakeProgram(const core::Graph &graph, FakeBackend &owner) : owner(owner) {
      std::vector<core::TypeDesc> values;
      for (const core::GraphArg &arg : graph.args) {
        values.push_back(arg.type);
        if (arg.kind == core::ArgKind::Buffer) {
          donated.push_back(arg.donated);
        } else {
          scalarOffsets.push_back(scalarBytes);
          scalarBytes += 8;
        }
      }
      for (const core::GraphOp &op : graph.ops)
        values.insert(values.end(), op.results.begin(), op.results.end());
      for (uint32_t result : graph.results)
        sizes.push_back(static_cast<size_t>(values[result].byteSize()));
    }

    core::Status execute(std::span<runtime::BufferRef> arguments, const void *,
                         std::span<runtime::BufferRef> results) const override {
      owner.lastArguments.clear();
      for (const runtime::BufferRef &argument : arguments)
        owner.lastArguments.push_back(argument->data());
      if (!owner.runError && !owner.failsWhileRunning)
        return owner.runError;
      for (size_t i = 0; i < results.size(); ++i) {
        auto buffer = runtime::Buffer::allocate(sizes[i]);
        if (!buffer)
          return buffer.status();
        results[i] = std::move(*buffer);
        if (!owner.runError)
          results[i]->poison(owner.runError);
      }
      for (size_t i = 0; i < arguments.size(); ++i)
        if (donated[i])
          arguments[i].reset();
      return owner.runError;
    }

    FakeBackend &owner;
    std::vector<bool> donated;
    std::vector<size_t> sizes;
  };
};

} // namespace burn::test
