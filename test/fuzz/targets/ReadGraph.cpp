#include "runtime/Core/Graph.h"
#include "runtime/Core/OpRules/OpRules.h"
#include "test/fuzz/targets/Targets.h"

#include <algorithm>

using namespace burn;
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

std::string fuzz::readGraph(std::span<const std::byte> bytes) {
  const Expected<Graph> graph = parseGraph(bytes);
  if (!graph)
    return "";
  // The bytes are canonical: what is read has no other form.
  if (!std::ranges::equal(serialize(*graph), bytes))
    return "the graph is written as other bytes than it was read from";
  std::vector<TypeDesc> values;
  for (const GraphArg &arg : graph->args)
    values.push_back(arg.type);
  checkOps(graph->ops, values);
  return "";
}
