// Fuzzes the reader of serialized graphs and the rules that its ops are checked by.
#include "runtime/Core/Graph.h"
#include "runtime/Core/OpRules/OpRules.h"

#include <cstdlib>

using namespace burn::core;

namespace {

// Checks each op by its rule, as the importer does. `values` holds the types of all values so far.
void checkOps(const std::vector<GraphOp> &ops, std::vector<TypeDesc> &values) {
  for (const GraphOp &op : ops) {
    std::vector<TypeDesc> operands, results = op.results;
    for (uint32_t operand : op.operands)
      operands.push_back(values.at(operand));
    (void)inferTypes(op.code, operands, op.attrs, results).isOk();
    for (const GraphRegion &region : op.regions) {
      values.insert(values.end(), region.args.begin(), region.args.end());
      checkOps(region.ops, values);
    }
    values.insert(values.end(), op.results.begin(), op.results.end());
  }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  const Expected<Graph> graph = parseGraph(bytes);
  if (!graph)
    return 0;
  // The bytes are canonical: what is read has no other form.
  const std::vector<std::byte> again = serialize(*graph);
  if (!std::equal(again.begin(), again.end(), bytes.begin(), bytes.end()))
    std::abort();
  std::vector<TypeDesc> values;
  for (const GraphArg &arg : graph->args)
    values.push_back(arg.type);
  checkOps(graph->ops, values);
  return 0;
}
