#include "frontend/Trace/GraphText.h"

#include "frontend/Trace/Places.h"
#include "runtime/Compiler/CompilerLibrary.h"

#include <burn/compiler_api.h>

namespace burn::trace {

std::string printGraph(const core::Graph &graph) {
  const auto api = runtime::compiler();
  if (!api)
    raise(api.status().code(), api.status().message());
  const std::vector<std::byte> bytes = core::serialize(graph);
  burn_compile_options options{};
  options.struct_size = sizeof(options);
  options.fusion = options.deterministic = 1;
  burn_blob text = {};
  const core::Status status =
      runtime::takeStatus(**api, (*api)->print_graph({bytes.data(), bytes.size()}, &options, &text));
  if (!status)
    raise(status.code(), status.message());
  std::string result(static_cast<const char *>(text.data), text.size);
  (*api)->free_blob(&text);
  return result;
}

} // namespace burn::trace
