// burn-tile-matmul: chooses how products and convolutions are tiled.
#include "passes/Codegen/ContractionCost.h"
#include "passes/Codegen/ContractionDots.h"
#include "passes/Codegen/ContractionTuning.h"
#include "passes/Codegen/DirectConvolution.h"
#include "passes/Codegen/ProductSplit.h"
#include "passes/Codegen/RowPlan.h"
#include "passes/Codegen/Tuning.h"
#include "passes/Codegen/VendorProduct.h"
#include "passes/Graph/Import.h"
#include "passes/Graph/Prepare.h"
#include "runtime/Core/OneDnn.h"

#include "mlir/AsmParser/AsmParser.h"
#include "llvm/Support/MathExtras.h"
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

/// Panels of operands that are packed ahead of their kernels take memory.
class PanelBudget {
public:
  explicit PanelBudget(mlir::func::FuncOp func)
      : frozen_(DerivedBudget::ofFrozen(func)), constants_(DerivedBudget::ofConstants(func)) {}

  bool take(mlir::Operation *op, FixedOperand fixed, int64_t bytes) {
    if (fixed == FixedOperand::None)
      return true;
    const unsigned operand = fixed == FixedOperand::Lhs ? 0 : 1;
    const int64_t sourceBytes = tensorBytes(contractionSource(op, operand).getType());
    mlir::Value source = fixedSourceOf(op, operand);
    if (!isFixedForever(source)) // memory of the arena, while the loop runs
      return DerivedBudget::isModest(bytes, sourceBytes);
    return (isData(source) ? constants_ : frozen_).take(bytes, sourceBytes);
  }

private:
  DerivedBudget frozen_, constants_;
};

// Kernels below this part of the work are not worth a measurement.
constexpr double kSmallestShare = 0.01;

// Ways of one kernel whose sums have another order.
constexpr size_t kMostReordered = 3, kMostSplits = 2;

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
  /// The attribute of a configuration, null where that does not fit, with a reason.
  std::function<mlir::Attribute(llvm::StringRef configuration, std::string &why)> fit;
};

/// Whether scratch data, whose integers are any, may stand for what the kernel reads: they are no good indices.
bool isMeasurable(ir::FusedOp fused) {
  return fused && fused.getBody().getOps<ir::GatherOp>().empty() && fused.getBody().getOps<ir::ScatterOp>().empty();
}

/// The kernels of one key.
struct Group {
  llvm::StringRef attributeName;
  /// The operand of the product that never changes, in a kernel that is measured as well.
  std::optional<unsigned> fixedOperand;
  std::vector<Member> members;
  double cycles = 0;
  /// Configurations of the first member, at most so many.
  std::function<std::vector<std::string>(size_t most)> ways;
  /// The same of those whose sums have another order, and how they are checked; null where there are none.
  std::function<std::vector<std::string>(size_t most)> reordered;
  std::function<ProductCheck()> check;
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
  bool manyThreads;
  /// The operand whose panels are ready before the kernel runs.
  FixedOperand fixed;
  /// Whether sums may have another order, and oneDNN may be called, on how many threads.
  bool reorders, vendors;
  int64_t threads;

  ir::FusedOp fused() const { return op->getParentOfType<ir::FusedOp>(); }
  /// The product where it may be made of several kernels, or null.
  ir::DotGeneralOp separable() const {
    return reorders && usual.dot == DotInstruction::None && fixed == FixedOperand::None && isSeparable(fused(), op)
               ? mlir::cast<ir::DotGeneralOp>(op)
               : nullptr;
  }

  mlir::DictionaryAttr attributeOf(const ContractionTiling &tiling) const {
    return toAttribute(op->getContext(), ahead ? packedAhead(contraction, tiling, manyThreads) : tiling);
  }

  /// A configuration may have been measured on an op of other sizes in the same buckets, so tasks are made to come out
  /// even.
  mlir::Attribute fit(llvm::StringRef configuration, std::string &reason) const {
    const mlir::Attribute attribute = parsed(configuration, op->getContext());
    if (const std::optional<ProductSplit> split = readSplit(attribute)) {
      ir::DotGeneralOp product = separable();
      if (product && canSplit(product, *split))
        return attribute;
      reason = "the product has no such slices";
      return nullptr;
    }
    if (const std::optional<VendorProduct> vendor = readVendor(attribute)) {
      ir::DotGeneralOp product = separable();
      if (!product || !vendors || !hasVendorProduct(product))
        reason = "oneDNN has no such product";
      else if (core::Status status = core::checkOneDnn(vendor->version); !status)
        reason = status.message();
      else
        return attribute;
      return nullptr;
    }
    std::string malformed;
    reason = "the tiling does not fit";
    std::optional<ContractionTiling> tiling = readTiling(attribute, malformed);
    llvm::StringRef why;
    if (tiling) {
      tiling->readyRows = tiling->readyLanes = false;
      if (!readsFixed(usual, *tiling))
        return nullptr;
    }
    if (!tiling || !isTilingLegal(contraction, *tiling, why) || !isDotComputable(tiling->dot, kinds, target, why) ||
        (tiling->dot != DotInstruction::None && tiling->vectorLanes != dotLanes(target)))
      return nullptr;
    // The others add up in another order.
    if (tiling->dot != usual.dot && !(isExact(tiling->dot) && isExact(usual.dot)))
      return nullptr;
    const auto even = [](int64_t task, int64_t tile, int64_t total) {
      return evenTasks(std::min<int64_t>(task, llvm::alignTo(total, tile)), tile, total);
    };
    const LoopGroup rows = tiling->exchange ? LoopGroup::Lane : LoopGroup::Row,
                    lanes = tiling->exchange ? LoopGroup::Row : LoopGroup::Lane;
    tiling->taskRows = even(tiling->taskRows, tiling->tileRows, contraction.count(rows));
    tiling->taskLanes = even(tiling->taskLanes, tiling->tileLanes, contraction.count(lanes));
    // The memory of panels was granted for the usual ones; others are rounded up to other tiles.
    if (readyBytes(op, contraction, *tiling) > 2 * readyBytes(op, contraction, usual)) {
      reason = "its panels take too much memory";
      return nullptr;
    }
    return attributeOf(*tiling);
  }

  std::vector<std::string> ways(size_t most) const {
    std::vector<std::string> texts;
    for (const ContractionTiling &tiling : tilingCandidates(contraction, usual, kinds, target, most))
      texts.push_back(textOf(attributeOf(tiling)));
    return texts;
  }

  std::vector<std::string> reordered(size_t most) const {
    std::vector<std::string> texts;
    ir::DotGeneralOp product = separable();
    if (!product)
      return texts;
    if (vendors && hasVendorProduct(product))
      if (const auto &library = core::programOneDnn(); library && core::checkOneDnn(library->version()))
        texts.push_back(textOf(toAttribute(op->getContext(), VendorProduct{library->version(), threads})));
    for (const ProductSplit &split :
         splitCandidates(product, usual, target, std::min(kMostSplits, most - texts.size())))
      texts.push_back(textOf(toAttribute(op->getContext(), split)));
    return texts;
  }
};

/// Has a kernel made in the way that a configuration says: by an attribute on `op`, or by kernels in its place. Returns
/// the product among these that has no tiling yet.
mlir::Operation *applyConfiguration(ir::FusedOp fused, mlir::Operation *op, llvm::StringRef attributeName,
                                    mlir::Attribute configuration) {
  if (const std::optional<ProductSplit> split = readSplit(configuration))
    return splitProduct(fused, mlir::cast<ir::DotGeneralOp>(op), *split);
  if (const std::optional<VendorProduct> vendor = readVendor(configuration)) {
    callVendor(fused, mlir::cast<ir::DotGeneralOp>(op), *vendor);
    return nullptr;
  }
  op->setDiscardableAttr(attributeName, configuration);
  return nullptr;
}

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
    target_ = *target;
    PanelBudget budget(getOperation());
    const bool tunes = tuning_.choose || candidates;
    Groups groups;
    mlir::WalkResult result = getOperation().walk([&](mlir::Operation *op) {
      if (auto fused = mlir::dyn_cast<ir::FusedOp>(op); fused && fused.getKind() == ir::ClusterKind::Row) {
        if (mlir::failed(rowPlanFor(fused)))
          return mlir::WalkResult::interrupt();
        if (tunes && !fused->hasAttr(rowPlanAttrName) && isMeasurable(fused))
          addRows(fused, groups);
        return mlir::WalkResult::advance();
      }
      std::optional<Contraction> contraction = contractionOf(op);
      if (!contraction)
        return mlir::WalkResult::advance();
      // Direct convolutions have tiles of their own, unless a tiling says otherwise.
      if (const auto direct = op->hasAttr(tilingAttrName) ? std::nullopt : directConvolutionOf(op)) {
        if ((fastMath || mlir::cast<ir::ConvOp>(op).getFastMath()) && winogradPays(*direct, contractionKinds(op)))
          op->setDiscardableAttr(winogradAttrName, mlir::UnitAttr::get(&getContext()));
        else
          packKernel(op, *direct, *target, budget);
        // Panels that are packed ahead are those of the usual tiling.
        if (tunes && !op->hasAttr(winogradAttrName) && !op->hasAttr(panelsAttrName) && !op->hasAttr(directAttrName) &&
            isMeasurable(op->getParentOfType<ir::FusedOp>()))
          addDirect(op, *direct, *contraction, *target, groups);
        return mlir::WalkResult::advance();
      }
      const FixedOperand fixed = fixedOperandOf(op);
      const bool stands = op->hasAttr(tilingAttrName);
      mlir::FailureOr<ContractionTiling> tiling = tilingFor(op, *contraction, *target, deterministic, fixed);
      if (mlir::failed(tiling))
        return mlir::WalkResult::interrupt();
      if (!stands && !budget.take(op, fixed, readyBytes(op, *contraction, *tiling)))
        tiling = tilingFor(op, *contraction, *target, deterministic);
      // Such a kernel of its own stands in front of another one. What runs once needs none.
      const bool ahead = !stands && mlir::isa<burn::ir::FusedOp>(op->getParentOp()) && !contractionKinds(op).computes &&
                         !isPrepare(getOperation());
      const ContractionTiling usual = *tiling;
      if (ahead)
        *tiling = packedAhead(*contraction, *tiling, manyThreads);
      op->setDiscardableAttr(tilingAttrName, toAttribute(&getContext(), *tiling));
      const FixedOperand ready = usual.readyRows || usual.readyLanes ? fixed : FixedOperand::None;
      if (tunes && !stands && isMeasurable(op->getParentOfType<ir::FusedOp>()))
        addContraction({op, *contraction, contractionKinds(op), usual, *target, ahead, manyThreads, ready,
                        !deterministic, tuning_.vendors, tuning_.threads},
                       groups);
      return mlir::WalkResult::advance();
    });
    if (result.wasInterrupted())
      return signalPassFailure();
    tune(groups);
  }

private:
  /// Has a kernel that changes less often than the convolution runs packed before.
  static void packKernel(mlir::Operation *op, const DirectConvolution &direct, const CpuTargetInfo &target,
                         PanelBudget &budget) {
    const ContractionKinds kinds = contractionKinds(op);
    const std::optional<DirectPanels> panels =
        fixedSourceOf(op, 1) ? directPanels(direct, kinds, target) : std::optional<DirectPanels>();
    if (panels && budget.take(op, FixedOperand::Rhs, panels->all(direct) * (kinds.sum.width / 8)))
      op->setAttr(panelsAttrName, mlir::DenseI64ArrayAttr::get(op->getContext(), {panels->lanes, panels->elements}));
  }

  static void addContraction(const TunableContraction &tunable, Groups &groups) {
    Group group;
    group.attributeName = tilingAttrName;
    group.cycles =
        tilingCycles(tunable.contraction, tunable.usual, tunable.kinds.sum.width / 8, machineOf(tunable.target));
    group.ways = [tunable](size_t most) { return tunable.ways(most); };
    group.members.push_back({tunable.op->getParentOfType<ir::FusedOp>(), tunable.op,
                             [tunable](llvm::StringRef text, std::string &why) { return tunable.fit(text, why); }});
    if (ir::DotGeneralOp product = tunable.separable()) {
      group.reordered = [tunable](size_t most) { return tunable.reordered(most); };
      group.check = [tunable, product] {
        return productCheck(tunable.fused(), product, [](ir::FusedOp fused, mlir::Operation *op, llvm::StringRef text) {
          applyConfiguration(fused, op, tilingAttrName, parsed(text, op->getContext()));
        });
      };
    }
    std::string key = contractionKey(tunable.op, tunable.contraction, tunable.kinds);
    if (tunable.fixed != FixedOperand::None) {
      // Panels of what never changes are packed once: what that takes is no matter of this kernel.
      group.fixedOperand = tunable.fixed == FixedOperand::Lhs ? 0 : 1;
      key += tunable.fixed == FixedOperand::Lhs ? " lhs fixed" : " rhs fixed";
    }
    add(groups, key, std::move(group));
  }

  static void addDirect(mlir::Operation *op, const DirectConvolution &conv, const Contraction &contraction,
                        const CpuTargetInfo &target, Groups &groups) {
    mlir::MLIRContext *context = op->getContext();
    const ContractionKinds kinds = contractionKinds(op);
    const int64_t vectorLanes = std::max<int64_t>(2, 8 * target.vectorBytes / kinds.sum.width);
    Group group;
    group.attributeName = directAttrName;
    // Two multiply-adds a cycle.
    group.cycles = static_cast<double>(contraction.outElements) *
                   static_cast<double>(contraction.count(LoopGroup::Contracted)) / static_cast<double>(2 * vectorLanes);
    group.ways = [=](size_t most) {
      std::vector<std::string> texts;
      for (const DirectChoice &choice : directCandidates(conv, kinds, target, most))
        texts.push_back(textOf(toAttribute(context, choice)));
      return texts;
    };
    group.members.push_back(
        {op->getParentOfType<ir::FusedOp>(), op, [context](llvm::StringRef text, std::string &why) -> mlir::Attribute {
           const std::optional<DirectChoice> choice = readDirectChoice(parsed(text, context));
           why = "the choice of a direct convolution does not fit";
           return choice ? toAttribute(context, *choice) : nullptr;
         }});
    add(groups, contractionKey(op, contraction, kinds) + " direct", std::move(group));
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
    group.members.push_back({fused, fused, [context](llvm::StringRef text, std::string &why) -> mlir::Attribute {
                               const std::optional<RowPlan> plan = readRowPlan(parsed(text, context));
                               why = "the plan of rows does not fit";
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
      const llvm::StringRef attributeName = group->second.attributeName;
      const std::vector<Member> &members = group->second.members;
      const Member &first = members.front();
      TunableKernel kernel;
      kernel.key = group->first;
      kernel.share = group->second.cycles / std::max(total, 1.0);
      const size_t most = tuning_.choose ? tuning_.candidates : size_t(candidates);
      if (group->second.reordered && most != 1)
        kernel.reordered = group->second.reordered(most ? std::min(kMostReordered, most - 1) : kMostReordered);
      // All together are no more than asked for.
      kernel.configurations = group->second.ways(most ? most - kernel.reordered.size() : 0);
      if (candidates)
        report(first.op, kernel);
      // One that is not to be measured may have been measured before.
      if (!tuning_.choose || (most != 1 && kernel.configurations.size() + kernel.reordered.size() < 2) ||
          kernel.share < kSmallestShare)
        continue;
      if (!kernel.reordered.empty())
        kernel.check = group->second.check();
      kernel.fits = [&first](llvm::StringRef configuration, std::string &why) {
        return first.fit(configuration, why) != nullptr;
      };
      kernel.program = [&, fixedOperand = group->second.fixedOperand](llvm::StringRef configuration) {
        return kernelProgram(first.fused, first.op, [&](ir::FusedOp copy, mlir::Operation *op) {
          if (fixedOperand)
            freeze(copy, contractionSource(op, *fixedOperand));
          applyConfiguration(copy, op, attributeName, mlir::parseAttribute(configuration, &getContext()));
        });
      };
      const std::string chosen = tuning_.choose(kernel);
      std::string why;
      for (const Member &member : members)
        if (mlir::Attribute attribute = chosen.empty() ? nullptr : member.fit(chosen, why))
          if (mlir::Operation *product = applyConfiguration(member.fused, member.op, attributeName, attribute))
            tileAnew(product);
    }
  }

  /// Marks the argument of a kernel's program that an operand within the kernel is.
  static void freeze(ir::FusedOp fused, mlir::Value operand) {
    mlir::Value input = fused.getInputs()[mlir::cast<mlir::BlockArgument>(operand).getArgNumber()];
    if (auto argument = mlir::dyn_cast<mlir::BlockArgument>(input)) // else data inside of the program
      fused->getParentOfType<mlir::func::FuncOp>().setArgAttr(argument.getArgNumber(), kFrozenAttr,
                                                              mlir::UnitAttr::get(fused.getContext()));
  }

  /// The usual tiling of a product that tuning has made.
  void tileAnew(mlir::Operation *product) {
    const std::optional<Contraction> contraction = contractionOf(product);
    mlir::FailureOr<ContractionTiling> tiling = tilingFor(product, *contraction, target_, deterministic);
    if (mlir::failed(tiling))
      return signalPassFailure();
    product->setDiscardableAttr(tilingAttrName,
                                toAttribute(&getContext(), packedAhead(*contraction, *tiling, manyThreads)));
  }

  static void report(mlir::Operation *op, const TunableKernel &kernel) {
    mlir::InFlightDiagnostic remark = op->emitRemark() << kernel.key;
    for (const auto *configurations : {&kernel.configurations, &kernel.reordered})
      for (const std::string &configuration : *configurations)
        remark.attachNote() << configuration;
  }

  TuningOptions tuning_;
  CpuTargetInfo target_;
};

} // namespace

std::unique_ptr<mlir::Pass> compiler::createTileMatmul(const TileMatmulOptions &options, const TuningOptions &tuning) {
  return std::make_unique<TileMatmul>(options, tuning);
}
