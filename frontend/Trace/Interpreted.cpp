#include "frontend/Trace/Interpreted.h"

#include "runtime/Compiler/CompilerLibrary.h"
#include "runtime/Core/FloatEnvironment.h"
#include "runtime/Executable/LoadedPlan.h"

#include <cstring>
#include <mutex>

namespace burn::trace {

using core::Expected;
using core::Status;

namespace {

/// A program that the compiler runs, on arrays of arguments.
class ArrayProgram : public Program {
public:
  ArrayProgram(const burn_compiler_api &api, const core::Graph &graph) : api_(api), args_(graph.args) {
    for (const core::GraphArg &arg : args_)
      if (arg.kind == core::ArgKind::Scalar) {
        scalarOffsets.push_back(scalarBytes);
        scalarBytes += 8;
      }
  }

  Status execute(std::span<runtime::BufferRef> arguments, const void *scalars,
                 std::span<runtime::BufferRef> results) const override {
    std::vector<burn_array> arrays;
    size_t nextBuffer = 0, nextScalar = 0;
    for (const core::GraphArg &arg : args_) {
      void *data = nullptr;
      if (arg.kind == core::ArgKind::Buffer)
        data = arguments[nextBuffer++]->data();
      else
        data = const_cast<std::byte *>(static_cast<const std::byte *>(scalars) + scalarOffsets[nextScalar++]);
      arrays.push_back({static_cast<uint8_t>(arg.type.dtype), arg.type.shape.rank(), arg.type.shape.begin(), data,
                        static_cast<uint64_t>(arg.type.byteSize())});
    }
    burn_array_list list = {};
    if (Status status = evaluate(arrays, list); !status)
      return status;
    Status copied = take(list, results);
    api_.free_arrays(&list);
    if (!copied)
      return copied;
    nextBuffer = 0;
    for (const core::GraphArg &arg : args_)
      if (arg.kind == core::ArgKind::Buffer)
        if (runtime::BufferRef &buffer = arguments[nextBuffer++]; arg.donated)
          buffer.reset();
    return Status::ok();
  }

protected:
  virtual Status evaluate(std::span<const burn_array> arguments, burn_array_list &results) const = 0;

  const burn_compiler_api &api_;

private:
  static Status take(const burn_array_list &list, std::span<runtime::BufferRef> results) {
    if (list.count != results.size())
      return Status::error(core::ErrorCode::Internal, "the interpreter returned " + std::to_string(list.count) +
                                                          " results, expected " + std::to_string(results.size()));
    for (size_t i = 0; i < results.size(); ++i) {
      Expected<runtime::BufferRef> buffer = runtime::Buffer::allocate(list.arrays[i].bytes);
      if (!buffer)
        return buffer.status();
      if (list.arrays[i].bytes)
        std::memcpy((*buffer)->data(), list.arrays[i].data, list.arrays[i].bytes);
      results[i] = std::move(*buffer);
    }
    return Status::ok();
  }

  std::vector<core::GraphArg> args_;
};

class InterpretedProgram : public ArrayProgram {
public:
  InterpretedProgram(const burn_compiler_api &api, const core::Graph &graph, burn_interpret_precision precision)
      : ArrayProgram(api, graph), bytes_(core::serialize(graph)), precision_(precision) {}

protected:
  Status evaluate(std::span<const burn_array> arguments, burn_array_list &results) const override {
    return runtime::takeStatus(api_, api_.interpret_graph({bytes_.data(), bytes_.size()}, precision_, arguments.data(),
                                                          arguments.size(), &results));
  }

private:
  std::vector<std::byte> bytes_;
  burn_interpret_precision precision_;
};

class TieredProgram : public ArrayProgram {
public:
  using Evaluation = std::shared_ptr<burn_evaluation>;

  TieredProgram(const burn_compiler_api &api, const core::Graph &graph, Evaluation evaluation,
                std::shared_ptr<const runtime::PendingPlan> pending)
      : ArrayProgram(api, graph), evaluation_(std::move(evaluation)), pending_(std::move(pending)) {}

  const Program &current() const override {
    if (!pending_->isDone.load(std::memory_order_acquire) || !*pending_->result)
      return *this;
    std::call_once(once_, [&] { native_ = makeNativeProgram(**pending_->result); });
    return *native_;
  }

protected:
  Status evaluate(std::span<const burn_array> arguments, burn_array_list &results) const override {
    if (pending_->isDone.load(std::memory_order_acquire) && !*pending_->result && !pending_->isCancelled)
      return pending_->result->status();
    const core::DefaultFloatEnvironment floats;
    return runtime::takeStatus(api_, runtime::tableOf(api_).evaluate(evaluation_.get(), &runtime::hostFunctions(),
                                                                     arguments.data(), arguments.size(), &results));
  }

private:
  // Kept although there is code: another thread may be about to run it.
  const Evaluation evaluation_;
  mutable std::once_flag once_;
  mutable std::shared_ptr<const Program> native_;
  std::shared_ptr<const runtime::PendingPlan> pending_;
};

} // namespace

Expected<std::shared_ptr<const Program>> InterpreterBackend::prepare(const core::Graph &graph) {
  Expected<const burn_compiler_api *> api = runtime::compiler();
  if (!api)
    return api.status();
  return std::shared_ptr<const Program>(std::make_shared<InterpretedProgram>(**api, graph, precision_));
}

Expected<std::shared_ptr<const Program>> makeTieredProgram(const core::Graph &graph,
                                                           std::shared_ptr<const runtime::PendingPlan> pending) {
  Expected<const burn_compiler_api *> api = runtime::compiler();
  if (!api)
    return api.status();
  const std::vector<std::byte> bytes = core::serialize(graph);
  const burn_compiler_table &table = runtime::tableOf(**api);
  burn_evaluation *made = nullptr;
  if (Status status = runtime::takeStatus(**api, table.prepare_evaluation({bytes.data(), bytes.size()}, &made));
      !status)
    return status;
  return std::shared_ptr<const Program>(std::make_shared<TieredProgram>(
      **api, graph, TieredProgram::Evaluation(made, table.free_evaluation), std::move(pending)));
}

} // namespace burn::trace
