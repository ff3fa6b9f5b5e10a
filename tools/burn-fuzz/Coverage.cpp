#include "tools/burn-fuzz/Coverage.h"

#include "passes/Codegen/RowStrategy.h"
#include "tools/burn-fuzz/Generator.h"

using namespace mlir;
using namespace burn;
using namespace burn::fuzz;

namespace {

constexpr llvm::StringRef kElementwise = "elementwise", kRow = "row", kManyRows = "row of several reductions",
                          kSplit = "split reduction", kDot = "contraction", kConv = "convolution",
                          kEpilogue = "contraction with epilogue", kSingle = "single";

// Ops that the generator makes by an entry, or by itself.
bool isCounted(const core::OpInfo &info) {
  return whyNoEntry(info.code).empty() || info.code == core::OpCode::Constant || info.code == core::OpCode::Grad;
}

} // namespace

llvm::ArrayRef<llvm::StringRef> fuzz::kernelKinds() {
  static constexpr llvm::StringRef kinds[] = {kElementwise, kRow, kManyRows, kSplit, kDot, kConv, kEpilogue, kSingle};
  return kinds;
}

std::set<std::string> fuzz::opsIn(ModuleOp module) {
  std::set<std::string> names;
  module.walk([&](Operation *op) {
    if (const core::OpInfo *info = ir::opInfo(op); info && isCounted(*info))
      names.insert(std::string(info->name));
  });
  return names;
}

std::set<std::string> fuzz::kernelKindsIn(ModuleOp module) {
  std::set<std::string> kinds;
  module.walk([&](ir::FusedOp fused) {
    SmallVector<ir::ReduceOp> reductions(fused.getBody().getOps<ir::ReduceOp>());
    switch (fused.getKind()) {
    case ir::ClusterKind::Elementwise:
      kinds.insert(kElementwise.str());
      break;
    case ir::ClusterKind::Row:
      kinds.insert((reductions.size() > 1 ? kManyRows : kRow).str());
      break;
    case ir::ClusterKind::Contraction: {
      kinds.insert((fused.getBody().getOps<ir::ConvOp>().empty() ? kDot : kConv).str());
      Operation *last = &*std::prev(fused.getBody().front().without_terminator().end());
      if (!isa<ir::DotGeneralOp, ir::ConvOp>(last))
        kinds.insert(kEpilogue.str());
      break;
    }
    case ir::ClusterKind::Single:
      kinds.insert(kSingle.str());
      break;
    }
    for (ir::ReduceOp reduce : reductions)
      if (compiler::isSplitReduction(reduce.getInput().getType().getShape(), reduce.getDims()))
        kinds.insert(kSplit.str());
  });
  return kinds;
}

int64_t Coverage::refused() const {
  int64_t sum = 0;
  for (const auto &[reason, count] : refusals)
    sum += count;
  return sum;
}

void Coverage::count(const std::set<std::string> &opsInside, const std::set<std::string> &kindsInside) {
  ++programs;
  for (const std::string &op : opsInside)
    ++ops[op];
  for (const std::string &kind : kindsInside)
    ++kinds[kind];
}

void Coverage::add(const Coverage &other) {
  programs += other.programs;
  thorough += other.thorough;
  gradients += other.gradients;
  for (const auto &[name, count] : other.ops)
    ops[name] += count;
  for (const auto &[name, count] : other.kinds)
    kinds[name] += count;
  for (const auto &[reason, count] : other.refusals)
    refusals[reason] += count;
  findings.insert(findings.end(), other.findings.begin(), other.findings.end());
}

llvm::json::Value Coverage::toJson() const {
  const auto countsOf = [](const std::map<std::string, int64_t> &counts) {
    llvm::json::Object object;
    for (const auto &[name, count] : counts)
      object[name] = count;
    return object;
  };
  llvm::json::Array list;
  for (const Finding &finding : findings)
    list.push_back(llvm::json::Object{{"index", static_cast<int64_t>(finding.index)},
                                      {"failure", llvm::json::fixUTF8(finding.failure)},
                                      {"program", llvm::json::fixUTF8(finding.program)}});
  return llvm::json::Object{{"programs", programs},          {"thorough", thorough},
                            {"gradients", gradients},        {"ops", countsOf(ops)},
                            {"kinds", countsOf(kinds)},      {"refusals", countsOf(refusals)},
                            {"mismatches", findings.size()}, {"findings", std::move(list)}};
}

Coverage Coverage::fromJson(const llvm::json::Object &json) {
  Coverage coverage;
  coverage.programs = json.getInteger("programs").value_or(0);
  coverage.thorough = json.getInteger("thorough").value_or(0);
  coverage.gradients = json.getInteger("gradients").value_or(0);
  const auto readCounts = [&](llvm::StringRef key, std::map<std::string, int64_t> &counts) {
    if (const llvm::json::Object *object = json.getObject(key))
      for (const auto &[name, count] : *object)
        counts[name.str()] = count.getAsInteger().value_or(0);
  };
  readCounts("ops", coverage.ops);
  readCounts("kinds", coverage.kinds);
  readCounts("refusals", coverage.refusals);
  if (const llvm::json::Array *list = json.getArray("findings"))
    for (const llvm::json::Value &each : *list)
      if (const llvm::json::Object *finding = each.getAsObject())
        coverage.findings.push_back({static_cast<uint64_t>(finding->getInteger("index").value_or(0)),
                                     finding->getString("failure").value_or("").str(),
                                     finding->getString("program").value_or("").str()});
  return coverage;
}

std::vector<std::string> Coverage::missing(int64_t leastOps, int64_t leastKinds) const {
  std::vector<std::string> lines;
  const auto check = [&](const std::map<std::string, int64_t> &counts, const std::string &name, int64_t least,
                         const char *what) {
    const auto found = counts.find(name);
    const int64_t count = found == counts.end() ? 0 : found->second;
    if (count < least)
      lines.push_back(std::string(what) + name + ": " + std::to_string(count) + " of " + std::to_string(least) +
                      " programs");
  };
  for (const core::OpInfo &info : core::allOps())
    if (isCounted(info))
      check(ops, std::string(info.name), leastOps, "burn.");
  for (llvm::StringRef kind : kernelKinds())
    check(kinds, kind.str(), leastKinds, "kernels of kind ");
  return lines;
}
