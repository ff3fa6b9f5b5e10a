#include "passes/Codegen/GpuKernels.h"
#include "passes/Codegen/KernelLoops.h"
#include "passes/Codegen/Reduction.h"

using namespace mlir;
using namespace burn;
using namespace burn::compiler;

CpuTargetInfo compiler::scalarTarget() {
  CpuTargetInfo target;
  target.vectorBytes = 4;
  target.scalar = true;
  return target;
}

namespace {

constexpr unsigned kRow = 0, kStep = 1; // dims of the iteration space

class GpuRowBuilder {
public:
  GpuRowBuilder(OpBuilder &atModule, ir::FusedOp fused, StringRef name)
      : fused(fused), loc(fused.getLoc()), context(fused.getContext()), body(fused.getBody().front()),
        func(createPhase(atModule, fused, name, 0, false)), arguments(func, fused, false, false),
        b(OpBuilder::atBlockEnd(&func.getBody().front())) {}

  FailureOr<KernelCode> build() {
    if (analyse().failed())
      return failure();
    KernelCode code;
    code.phases.push_back({func, keptCount});
    if (keptCount > 0) {
      emitter.emplace(b, loc, body, arguments.operands, ArrayRef<int64_t>{keptCount, reducedCount});
      emitter->openScope({{kRow, arguments.begin}});
      emitRow();
      emitter->closeScope();
    }
    func::ReturnOp::create(b, loc);
    if (failed)
      return failure();
    return code;
  }

private:
  int levelOf(Value value) {
    if (auto found = levels.find(value); found != levels.end())
      return found->second;
    int level = 0;
    if (Operation *op = value.getDefiningOp()) {
      for (Value operand : op->getOperands())
        level = std::max(level, levelOf(operand));
      level += isa<ir::ReduceOp>(op);
    }
    return levels[value] = level;
  }

  LogicalResult analyse() {
    SmallVector<int64_t> reduceDims;
    for (ir::ReduceOp reduce : body.getOps<ir::ReduceOp>()) {
      auto input = cast<RankedTensorType>(reduce.getInput().getType());
      if (reduces.empty()) {
        domain.assign(input.getShape().begin(), input.getShape().end());
        reduceDims.assign(reduce.getDims().begin(), reduce.getDims().end());
      } else if (input.getShape() != ArrayRef<int64_t>(domain) || reduce.getDims() != ArrayRef<int64_t>(reduceDims)) {
        return reduce.emitOpError("expects the domain and dims of the other reductions of its cluster");
      }
      reduces.push_back(reduce);
      lastLevel = std::max(lastLevel, levelOf(reduce.getResult()));
    }
    if (reduces.empty())
      return fused.emitOpError("expects a reduction in a row cluster");
    SmallVector<int64_t> kept, reduced;
    for (auto [i, size] : llvm::enumerate(domain))
      (llvm::is_contained(reduceDims, int64_t(i)) ? reduced : kept).push_back(size);
    keptCount = ShapedType::getNumElements(kept);
    reducedCount = ShapedType::getNumElements(reduced);
    keptIndex = ElementIndex(delinearize(getAffineDimExpr(kRow, context), kept));
    ElementIndex reducedIndex(delinearize(getAffineDimExpr(kStep, context), reduced));
    unsigned nextKept = 0, nextReduced = 0;
    for (size_t i = 0; i != domain.size(); ++i)
      domainIndex.push_back(llvm::is_contained(reduceDims, int64_t(i)) ? reducedIndex[nextReduced++]
                                                                       : keptIndex[nextKept++]);
    for (auto [i, value] : llvm::enumerate(body.getTerminator()->getOperands())) {
      auto shape = cast<RankedTensorType>(value.getType()).getShape();
      const bool isWhole = shape == ArrayRef<int64_t>(domain) && !reduceDims.empty();
      if (!isWhole && shape != ArrayRef<int64_t>(kept))
        return fused.emitOpError("expects results over the domain or its kept dims in a row cluster");
      (isWhole ? whole : ofRow).push_back({value, unsigned(i)});
    }
    return success();
  }

  void emitRow() {
    for (int level = 1; level <= lastLevel; ++level)
      emitReductions(level);
    if (!whole.empty() && reducedCount > 0) {
      scf::ForOp loop = openSteps({});
      store(whole, domainIndex, linearIndex(domainIndex, domain, context));
      closeSteps(loop, {});
    }
    store(ofRow, keptIndex, getAffineDimExpr(kRow, context));
  }

  // All reductions that need `level` - 1 others before, in one pass over the row.
  void emitReductions(int level) {
    SmallVector<ir::ReduceOp> ops;
    SmallVector<Reduction> kinds;
    SmallVector<Value> totals;
    for (ir::ReduceOp reduce : reduces)
      if (levelOf(reduce.getResult()) == level) {
        ops.push_back(reduce);
        kinds.emplace_back(reduce.getKind(), cast<RankedTensorType>(reduce.getInput().getType()).getElementType());
        totals.push_back(kinds.back().identity(b, loc, b.getI32Type()));
      }
    if (reducedCount > 0) {
      scf::ForOp loop = openSteps(totals);
      SmallVector<Value> next;
      for (auto [i, reduce] : llvm::enumerate(ops)) {
        Value total = loop.getRegionIterArg(i), element = emitter->emit(reduce.getInput(), domainIndex);
        failed |= !element;
        next.push_back(element ? kinds[i].combine(b, loc, total, kinds[i].widen(b, loc, element)) : total);
      }
      closeSteps(loop, next);
      totals.assign(loop.getResults().begin(), loop.getResults().end());
    }
    for (auto [i, reduce] : llvm::enumerate(ops))
      emitter->bind(reduce.getResult(), kinds[i].narrow(b, loc, totals[i]));
  }

  scf::ForOp openSteps(ValueRange carried) {
    scf::ForOp loop = openLoop(b, loc, indexConstant(b, loc, 0), indexConstant(b, loc, reducedCount),
                               indexConstant(b, loc, 1), carried);
    emitter->openScope({{kStep, loop.getInductionVar()}}, loop);
    return loop;
  }

  void closeSteps(scf::ForOp loop, ValueRange carried) {
    emitter->closeScope(loop);
    closeLoop(b, loop, carried);
  }

  // A result may lie in the memory of an operand: all elements are computed before the first is stored.
  void store(ArrayRef<std::pair<Value, unsigned>> results, ArrayRef<AffineExpr> index, AffineExpr position) {
    SmallVector<Value> elements;
    for (auto [value, number] : results) {
      elements.push_back(emitter->emit(value, index));
      failed |= !elements.back();
    }
    for (auto [element, result] : llvm::zip_equal(elements, results))
      if (element)
        emitter->store(element, arguments.results[result.second], position);
  }

  ir::FusedOp fused;
  Location loc;
  MLIRContext *context;
  Block &body;
  func::FuncOp func;
  PhaseArguments arguments;
  OpBuilder b;
  std::optional<ElementEmitter> emitter;
  llvm::DenseMap<Value, int> levels;
  SmallVector<ir::ReduceOp> reduces;
  int lastLevel = 0;
  SmallVector<int64_t> domain;
  int64_t keptCount = 1, reducedCount = 1;
  ElementIndex keptIndex, domainIndex;
  SmallVector<std::pair<Value, unsigned>> whole, ofRow; // results over the domain, and one a row
  bool failed = false;
};

} // namespace

FailureOr<KernelCode> compiler::buildGpuRowKernel(OpBuilder &atModule, ir::FusedOp fused, StringRef name) {
  return GpuRowBuilder(atModule, fused, name).build();
}
