#include "frontend/Trace/Interpreted.h"

#include "runtime/Compiler/CompilerLibrary.h"

#include <cstring>

namespace burn::trace {

using core::Expected;
using core::Status;

namespace {

class InterpretedProgram : public Program {
public:
  InterpretedProgram(const burn_compiler_api &api, core::Graph graph, burn_interpret_precision precision)
      : api_(api), graph_(std::move(graph)), bytes_(core::serialize(graph_)), precision_(precision) {
    for (const core::GraphArg &arg : graph_.args)
      if (arg.kind == core::ArgKind::Scalar) {
        scalarOffsets.push_back(scalarBytes);
        scalarBytes += 8;
      }
  }

  Status execute(std::span<runtime::BufferRef> arguments, const void *scalars,
                 std::span<runtime::BufferRef> results) const override {
    std::vector<burn_array> arrays;
    size_t nextBuffer = 0, nextScalar = 0;
    for (const core::GraphArg &arg : graph_.args) {
      void *data = nullptr;
      if (arg.kind == core::ArgKind::Buffer)
        data = arguments[nextBuffer++]->data();
      else
        data = const_cast<std::byte *>(static_cast<const std::byte *>(scalars) + scalarOffsets[nextScalar++]);
      arrays.push_back({static_cast<uint8_t>(arg.type.dtype), arg.type.shape.rank(), arg.type.shape.begin(), data,
                        static_cast<uint64_t>(arg.type.byteSize())});
    }
    burn_array_list list = {};
    const Status status = runtime::takeStatus(
        api_, api_.interpret_graph({bytes_.data(), bytes_.size()}, precision_, arrays.data(), arrays.size(), &list));
    if (!status)
      return status;
    Status copied = take(list, results);
    api_.free_arrays(&list);
    if (!copied)
      return copied;
    nextBuffer = 0;
    for (const core::GraphArg &arg : graph_.args)
      if (arg.kind == core::ArgKind::Buffer)
        if (runtime::BufferRef &buffer = arguments[nextBuffer++]; arg.donated)
          buffer.reset();
    return Status::ok();
  }

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

  const burn_compiler_api &api_;
  core::Graph graph_;
  std::vector<std::byte> bytes_;
  burn_interpret_precision precision_;
};

} // namespace

Expected<std::shared_ptr<const Program>> InterpreterBackend::prepare(const core::Graph &graph) {
  Expected<const burn_compiler_api *> api = runtime::compiler();
  if (!api)
    return api.status();
  return std::shared_ptr<const Program>(std::make_shared<InterpretedProgram>(**api, graph, precision_));
}

} // namespace burn::trace
