// burn-tile-matmul: chooses how products and convolutions are tiled.
#include "passes/Codegen/ContractionCost.h"
#include "passes/Codegen/ContractionDots.h"
#include "passes/Codegen/ContractionTuning.h"
#include "passes/Codegen/DirectConvolution.h"
#include "passes/Codegen/RowPlan.h"
#include "passes/Codegen/Tuning.h"
#include "passes/Graph/Prepare.h"

#include "mlir/AsmParser/AsmParser.h"
#include "llvm/Support/raw_ostream.h"

#include <map>

namespace burn::compiler {
#define GEN_PASS_DEF_TILEMATMUL
#include "passes/Codegen/Passes.h.inc"
} // namespace burn::compiler

using namespace burn;
using namespace burn::compiler;

namespace {

int64_t readyBytes(mlir::Operation *op, const Contraction &contraction, const ContractionTiling &tiling) {
  const int64_t elements = (tiling.readyRows ? readyPanelElements(contraction, tiling, true) : 0) +
                           (tiling.readyLanes ? readyPanelElements(contraction, tiling, false) : 0);
  return elements * (contractionKinds(op).sum.width / 8);
}

int64_t sourceBytes(mlir::Operation *op, FixedOperand fixed) {
  return tensorBytes(contractionSource(op, fixed == FixedOperand::Lhs ? 0 : 1).getType());
}

// Kernels below this part of the work are not worth a measurement.
constexpr double kSmallestShare = 0.01;

std::string textOf(mlir::Attribute attribute) {
  std::string text;
  llvm::raw_string_ostream(text) << attribute;
  return text;
}

/// A kernel that may be made in another way than the usual one.
struct Member {
  ir::FusedOp fused;
  /// Which its configuration stands on.
  mlir::Operation *op;
  /// The attribute of a configuration, null where that does not fit.
  std::function<mlir::Attribute(llvm::StringRef configuration)> fit;
};

/// The kernels of one key.
struct Group {
  llvm::StringRef attributeName;
  std::vector<Member> members;
  double cycles = 0;
  /// Configurations of the first member, at most so many.
  std::function<std::vector<std::string>(size_t most)> ways;
};
using Groups = std::map<std::string, Group>;

mlir::Attribute parsed(llvm::StringRef text, mlir::MLIRContext *context) {
  mlir::ScopedDiagnosticHandler silent(context, [](mlir::Diagnostic &) { return mlir::success(); });
  return mlir::parseAttribute(text, context);
}

/// A product or convolution with its usual tiling.
struct TunableContraction {
  mlir::Operation *op;
  Contraction contraction;
  ContractionKinds kinds;
  ContractionTiling usual;
  CpuTargetInfo target;
  /// Whether panels that several tasks need are packed by a kernel in front.
  bool ahead;

  mlir::DictionaryAttr attributeOf(const ContractionTiling &tiling) const {
    return toAttribute(op->getContext(), ahead ? packedAhead(contraction, tiling) : tiling);
  }

  /// A configuration may have been measured on an op of other sizes in the same buckets, so tasks are made to come out
  /// even.
  mlir::Attribute fit(llvm::StringRef configuration) const {
    std::string malformed;
    std::optional<ContractionTiling> tiling = readTiling(parsed(configuration, op->getContext()), malformed);
    llvm::StringRef why;
    if (tiling)
      tiling->readyRows = tiling->readyLanes = false;
    if (!tiling || !isTilingLegal(contraction, *tiling, why) || !isDotComputable(tiling->dot, kinds, target, why) ||
        (tiling->dot != DotInstruction::None && tiling->vectorLanes != dotLanes(target)))
      return nullptr;
    // The others add up in another order.
    if (tiling->dot != usual.dot && !(isExact(tiling->dot) && isExact(usual.dot)))
      return nullptr;
    const auto even = [](int64_t task, int64_t tile, int64_t total) {
      return evenTasks(std::min(task, total), tile, total);
    };
    const LoopGroup rows = tiling->exchange ? LoopGroup::Lane : LoopGroup::Row,
                    lanes = tiling->exchange ? LoopGroup::Row : LoopGroup::Lane;
    tiling->taskRows = even(tiling->taskRows, tiling->tileRows, contraction.count(rows));
    tiling->taskLanes = even(tiling->taskLanes, tiling->tileLanes, contraction.count(lanes));
    return attributeOf(*tiling);
  }

  std::vector<std::string> ways(size_t most) const {
    std::vector<std::string> texts;
    for (const ContractionTiling &tiling : tilingCandidates(contraction, usual, kinds, target, most))
      texts.push_back(textOf(attributeOf(tiling)));
    return texts;
  }
};

void add(Groups &groups, const std::string &key, Group group) {
  auto [place, isNew] = groups.try_emplace(key, group);
  if (isNew)
    return;
  place->second.cycles += group.cycles;
  place->second.members.push_back(group.members.front());
}

struct TileMatmul : burn::compiler::impl::TileMatmulBase<TileMatmul> {
  using TileMatmulBase::TileMatmulBase;
  TileMatmul(const TileMatmulOptions &options, TuningOptions tuning)
      : TileMatmulBase(options), tuning_(std::move(tuning)) {}

  void runOnOperation() override {
    llvm::Expected<CpuTargetInfo> target = describeTarget({triple, cpu, features});
    if (!target) {
      getOperation().emitError(llvm::toString(target.takeError()));
      return signalPassFailure();
    }
    DerivedBudget budget(getOperation());
    const bool tunes = tuning_.choose || candidates;
    Groups groups;
    mlir::WalkResult result = getOperation().walk([&](mlir::Operation *op) {
      if (auto fused = mlir::dyn_cast<ir::FusedOp>(op); fused && fused.getKind() == ir::ClusterKind::Row) {
        if (mlir::failed(rowPlanFor(fused)))
          return mlir::WalkResult::interrupt();
        if (tunes && !fused->hasAttr(rowPlanAttrName))
          addRows(fused, groups);
        return mlir::WalkResult::advance();
      }
      std::optional<Contraction> contraction = contractionOf(op);
      if (!contraction)
        return mlir::WalkResult::advance();
      // Direct convolutions have tiles of their own, unless a tiling says otherwise.
      if (const auto direct = op->hasAttr(tilingAttrName) ? std::nullopt : directConvolutionOf(op)) {
        if (fastMath && winogradPays(*direct, contractionKinds(op)))
          op->setDiscardableAttr(winogradAttrName, mlir::UnitAttr::get(&getContext()));
        return mlir::WalkResult::advance();
      }
      const FixedOperand fixed = fixedOperandOf(op);
      const bool stands = op->hasAttr(tilingAttrName);
      mlir::FailureOr<ContractionTiling> tiling = tilingFor(op, *contraction, *target, deterministic, fixed);
      if (mlir::failed(tiling))
        return mlir::WalkResult::interrupt();
      if (!stands && !budget.take(readyBytes(op, *contraction, *tiling), sourceBytes(op, fixed)))
        tiling = tilingFor(op, *contraction, *target, deterministic);
      // Such a kernel of its own stands in front of another one. What runs once needs none.
      const bool ahead = !stands && mlir::isa<burn::ir::FusedOp>(op->getParentOp()) && !contractionKinds(op).computes &&
                         !isPrepare(getOperation());
      const ContractionTiling usual = *tiling;
      if (ahead)
        *tiling = packedAhead(*contraction, *tiling);
      op->setDiscardableAttr(tilingAttrName, toAttribute(&getContext(), *tiling));
      // Panels of what never changes are packed once: what that takes is no matter of this kernel.
      if (tunes && !stands && !usual.readyRows && !usual.readyLanes && op->getParentOfType<ir::FusedOp>())
        addContraction({op, *contraction, contractionKinds(op), usual, *target, ahead}, groups);
      return mlir::WalkResult::advance();
    });
    if (result.wasInterrupted())
      return signalPassFailure();
    tune(groups);
  }

private:
  static void addContraction(const TunableContraction &tunable, Groups &groups) {
    Group group;
    group.attributeName = tilingAttrName;
    group.cycles =
        tilingCycles(tunable.contraction, tunable.usual, tunable.kinds.sum.width / 8, machineOf(tunable.target));
    group.ways = [tunable](size_t most) { return tunable.ways(most); };
    group.members.push_back({tunable.op->getParentOfType<ir::FusedOp>(), tunable.op,
                             [tunable](llvm::StringRef text) { return tunable.fit(text); }});
    add(groups, contractionKey(tunable.op, tunable.contraction, tunable.kinds), std::move(group));
  }

  static void addRows(ir::FusedOp fused, Groups &groups) {
    mlir::MLIRContext *context = fused.getContext();
    Group group;
    group.attributeName = rowPlanAttrName;
    group.cycles = rowCycles(fused);
    group.ways = [context](size_t most) {
      std::vector<std::string> texts;
      for (const RowPlan &plan : rowPlanCandidates(most))
        texts.push_back(textOf(toAttribute(context, plan)));
      return texts;
    };
    group.members.push_back({fused, fused, [context](llvm::StringRef text) -> mlir::Attribute {
                               const std::optional<RowPlan> plan = readRowPlan(parsed(text, context));
                               return plan ? toAttribute(context, *plan) : nullptr;
                             }});
    add(groups, rowKey(fused), std::move(group));
  }

  void tune(const Groups &groups) {
    llvm::SmallVector<const Groups::value_type *> byWork;
    double total = 0;
    for (const auto &group : groups) {
      byWork.push_back(&group);
      total += group.second.cycles;
    }
    llvm::sort(byWork, [](const auto *a, const auto *b) {
      return a->second.cycles != b->second.cycles ? a->second.cycles > b->second.cycles : a->first < b->first;
    });
    for (const Groups::value_type *group : byWork) {
      const auto &[attributeName, members, cycles, ways] = group->second;
      const Member &first = members.front();
      TunableKernel kernel;
      kernel.key = group->first;
      kernel.share = cycles / std::max(total, 1.0);
      const size_t most = tuning_.choose ? tuning_.candidates : size_t(candidates);
      kernel.configurations = ways(most);
      if (candidates)
        report(first.op, kernel);
      // One that is not to be measured may have been measured before.
      if (!tuning_.choose || (most != 1 && kernel.configurations.size() < 2) || kernel.share < kSmallestShare)
        continue;
      kernel.program = [&, name = attributeName](llvm::StringRef configuration) {
        return kernelProgram(first.fused, first.op, name, mlir::parseAttribute(configuration, &getContext()));
      };
      const std::string chosen = tuning_.choose(kernel);
      for (const Member &member : members)
        if (mlir::Attribute attribute = chosen.empty() ? nullptr : member.fit(chosen))
          member.op->setDiscardableAttr(attributeName, attribute);
    }
  }

  static void report(mlir::Operation *op, const TunableKernel &kernel) {
    mlir::InFlightDiagnostic remark = op->emitRemark() << kernel.key;
    for (const std::string &configuration : kernel.configurations)
      remark.attachNote() << configuration;
  }

  TuningOptions tuning_;
};

} // namespace

std::unique_ptr<mlir::Pass> compiler::createTileMatmul(const TileMatmulOptions &options, const TuningOptions &tuning) {
  return std::make_unique<TileMatmul>(options, tuning);
}
