#include "passes/Codegen/ContractionOps.h"
#include "passes/Codegen/ElementEmitter.h"
#include "passes/Codegen/GpuContraction.h"
#include "passes/Codegen/GpuKernels.h"
#include "passes/Codegen/GpuMatrices.h"
#include "passes/Codegen/KernelLoops.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace burn;
using namespace burn::compiler;

namespace {

class GpuContractionBuilder {
public:
  GpuContractionBuilder(OpBuilder &atModule, ir::FusedOp fused, Operation *root, const Contraction &contraction,
                        StringRef name, const core::GpuTarget &gpu)
      : atModule(atModule), fused(fused), root(root), contraction(contraction), name(name), gpu(gpu),
        body(fused.getBody().front()), type(cast<RankedTensorType>(root->getResult(0).getType())),
        kinds(contractionKinds(root)), kind(kinds.result),
        sizes{contraction.count(LoopGroup::Batch), contraction.count(LoopGroup::Row),
              contraction.count(LoopGroup::Lane)},
        b(root->getLoc(), atModule.getContext()) {}

  FailureOr<KernelCode> build() {
    KernelCode code;
    if (type.getNumElements() == 0) {
      openPhase("");
      func::ReturnOp::create(b);
      code.phases.push_back({func, 0});
      return code;
    }
    matrices = chooseGpuMatrixTiling(contraction, kinds.result, gpu);
    // Sums of integers have the same last bits in any width: invocations form them in the narrow one.
    if (matrices || kinds.result.isFloat())
      kind = kinds.sum;
    if (kind != kinds.result)
      narrow = kinds.result;
    const int64_t bytes = kind.getStorage(b.getContext()).getIntOrFloatBitWidth() / 8;
    tiling = chooseGpuTiling(contraction, std::max<int64_t>(bytes, 4), gpu);
    slices = matrices ? matrices->slices : tiling.slices;
    sliceSteps = matrices ? matrices->sliceSteps : tiling.sliceSteps;
    if (slices > 1)
      scratchBytes = slices * type.getNumElements() * bytes;
    if (matrices)
      buildMatrixSums(code, kinds.result);
    else
      buildSums(code);
    if (slices > 1)
      buildCombination(code);
    code.scratchBytes = scratchBytes;
    if (failed)
      return failure();
    return code;
  }

private:
  void openPhase(StringRef suffix) {
    func = createPhase(atModule, fused, (name + suffix).str(), scratchBytes, false);
    arguments.emplace(func, fused, scratchBytes > 0, false);
    b.setInsertionPointToEnd(&func.getBody().front());
  }

  Value operand(unsigned i) { return arguments->operands[cast<BlockArgument>(root->getOperand(i)).getArgNumber()]; }

  // Whether nothing else reads an operand.
  bool isAlone(unsigned i) { return root->getOperand(i).hasOneUse(); }

  // The task among `pieces` of a slice, and where the slice begins.
  std::pair<Value, Value> enterSlice(int64_t pieces) {
    if (slices == 1)
      return {arguments->begin, b.index(0)};
    slice = b.div(arguments->begin, pieces);
    return {b.rem(arguments->begin, pieces), b.mul(slice, sliceSteps)};
  }

  void buildMatrixSums(KernelCode &code, ir::ScalarKind element) {
    openPhase(slices > 1 ? "_slices" : "");
    const unsigned ofRows = contraction.lhsIsRows ? 0 : 1;
    ContractionOperand rows(b, contraction, ContractionOperand::Rows, operand(ofRows), element, std::nullopt);
    ContractionOperand lanes(b, contraction, ContractionOperand::Lanes, operand(1 - ofRows), element, std::nullopt);
    if (isAlone(ofRows))
      rows.moveAtOnce(func, /*asWords=*/true);
    if (isAlone(1 - ofRows))
      lanes.moveAtOnce(func, /*asWords=*/true);
    const int64_t down = ceilDivide(sizes[1], matrices->groupRows), across = ceilDivide(sizes[2], matrices->groupLanes);
    const auto [task, from] = enterSlice(sizes[0] * down * across);
    code.phases.push_back({func, sizes[0] * down * across * slices, matrices->invocations()});
    const SmallVector<Value> at = delinearize(b, b.getLoc(), task, {sizes[0], down, across});
    GpuMatrixSums sums(b, contraction, *matrices, rows, lanes, element);
    sums.sum(at[0], b.mul(at[1], matrices->groupRows), b.mul(at[2], matrices->groupLanes), from);
    openEmitter();
    sums.forEach([&](scf::ForOp loop, Value row, Value lane, Value sum, Value exists) {
      emitter->openScope({}, loop);
      finish({at[0], row, lane}, sum, exists);
      emitter->closeScope(loop);
    });
    func::ReturnOp::create(b);
  }

  void buildSums(KernelCode &code) {
    openPhase(slices > 1 ? "_slices" : "");
    const int64_t steps = contraction.count(LoopGroup::Contracted);
    const unsigned ofRows = contraction.lhsIsRows ? 0 : 1;
    ContractionOperand rows(b, contraction, ContractionOperand::Rows, operand(ofRows), kind, narrow);
    ContractionOperand lanes(b, contraction, ContractionOperand::Lanes, operand(1 - ofRows), kind, narrow);
    if (tiling.isTiled() && kind.width == 32 && !narrow && tiling.ownRows % 4 == 0 && tiling.steps % 4 == 0) {
      if (isAlone(ofRows))
        rows.moveAtOnce(func, /*asWords=*/false);
      if (isAlone(1 - ofRows))
        lanes.moveAtOnce(func, /*asWords=*/false);
    }
    GpuContractionSums sums(b, contraction, tiling, rows, lanes, kind);
    const int64_t pieces =
        tiling.isTiled() ? sizes[0] * ceilDivide(sizes[1], tiling.groupRows) * ceilDivide(sizes[2], tiling.groupLanes)
                         : type.getNumElements();
    const auto [task, from] = enterSlice(pieces);
    Value to = b.index(steps);
    if (slices > 1)
      to = b.min(b.add(from, sliceSteps), to);
    code.phases.push_back({func, pieces * slices, tiling.isTiled() ? tiling.invocations() : 0});
    if (!tiling.isTiled()) {
      SmallVector<Value> place = delinearize(b, b.getLoc(), task, sizes);
      Value sum = sums.element(place[0], place[1], place[2], from, to);
      openEmitter();
      finish(place, sum, nullptr);
    } else {
      SmallVector<Value> at =
          delinearize(b, b.getLoc(), task,
                      {sizes[0], ceilDivide(sizes[1], tiling.groupRows), ceilDivide(sizes[2], tiling.groupLanes)});
      const auto elements =
          sums.tile(arguments->end, at[0], b.mul(at[1], tiling.groupRows), b.mul(at[2], tiling.groupLanes), from, to);
      openEmitter();
      for (const GpuContractionSums::Element &element : elements)
        finish({at[0], element.row, element.lane}, element.sum, element.exists);
    }
    func::ReturnOp::create(b);
  }

  // Stands behind the loops.
  void openEmitter() { emitter.emplace(b, b.getLoc(), body, arguments->operands, sizes); }

  // What follows on an element, where it exists.
  void finish(ArrayRef<Value> place, Value sum, Value exists) {
    scf::IfOp choice;
    if (exists) {
      choice = scf::IfOp::create(b, exists, /*withElseRegion=*/false);
      b.setInsertionPoint(choice.thenBlock()->getTerminator());
    }
    if (slice) {
      Value at = b.add(b.mul(slice, type.getNumElements()), linear(place));
      memref::StoreOp::create(b, sum, partials(), at);
    } else {
      emitter->openScope({{0, place[0]}, {1, place[1]}, {2, place[2]}}, choice ? choice.getOperation() : nullptr);
      storeResults(sum);
      emitter->closeScope(choice);
    }
    if (choice)
      b.setInsertionPointAfter(choice);
  }

  void storeResults(Value sum) {
    if (narrow)
      sum = ir::ScalarOps(b, b.getLoc(), kind).convert(sum, *narrow);
    emitter->bind(root->getResult(0), sum);
    const ElementIndex index = outputIndex(contraction, type.getRank(), b.getContext());
    const AffineExpr position = linearIndex(index, type.getShape(), b.getContext());
    // Results may take the place of inputs: read everything before anything is stored.
    SmallVector<Value> elements;
    for (Value value : body.getTerminator()->getOperands())
      elements.push_back(emitter->emit(value, index));
    for (auto [i, element] : llvm::enumerate(elements)) {
      if (element)
        emitter->store(element, arguments->results[i], position);
      failed |= !element;
    }
  }

  Value linear(ArrayRef<Value> place) {
    return b.add(b.mul(b.add(b.mul(place[0], sizes[1]), place[1]), sizes[2]), place[2]);
  }

  // The sums of the slices, [slice][batch, row, lane].
  Value partials() {
    auto memory = MemRefType::get({slices * type.getNumElements()}, kind.getStorage(b.getContext()));
    return memref::ViewOp::create(b, memory, arguments->scratch, b.index(0), ValueRange{});
  }

  void buildCombination(KernelCode &code) {
    openPhase("_combine");
    slice = nullptr;
    code.phases.push_back({func, type.getNumElements()});
    Value buffer = partials(), zero = arith::ConstantOp::create(b, b.getZeroAttr(kind.getLowered(b.getContext())));
    Value sum = b.loop(b.index(0), b.index(slices), 1, zero, [&](Value i, ValueRange total) {
      Value at = b.add(b.mul(i, type.getNumElements()), arguments->begin);
      Value partial = memref::LoadOp::create(b, buffer, at);
      return IndexEmitter::Values{ir::ScalarOps(b, b.getLoc(), kind).add(total[0], partial)};
    })[0];
    openEmitter();
    finish(delinearize(b, b.getLoc(), arguments->begin, sizes), sum, nullptr);
    func::ReturnOp::create(b);
  }

  OpBuilder &atModule;
  ir::FusedOp fused;
  Operation *root;
  const Contraction &contraction;
  StringRef name;
  const core::GpuTarget &gpu;
  Block &body;
  RankedTensorType type;
  const ContractionKinds kinds;
  ir::ScalarKind kind;                  // of the sum
  std::optional<ir::ScalarKind> narrow; // of operands and result, where that is another
  SmallVector<int64_t, 3> sizes;        // batch, rows, lanes
  GpuContractionTiling tiling;
  std::optional<GpuMatrixTiling> matrices; // where the GPU's subgroups multiply them
  int64_t slices = 1, sliceSteps = 0, scratchBytes = 0;
  func::FuncOp func;
  std::optional<PhaseArguments> arguments;
  IndexEmitter b;
  std::optional<ElementEmitter> emitter;
  Value slice; // whose sums are formed; null where they are combined, or all one
  bool failed = false;
};

} // namespace

FailureOr<KernelCode> compiler::buildGpuContractionKernel(OpBuilder &atModule, ir::FusedOp fused, StringRef name,
                                                          const core::GpuTarget &gpu) {
  Operation *root = nullptr;
  for (Operation &op : fused.getBody().front())
    if (isa<ir::DotGeneralOp, ir::ConvOp>(op))
      root = &op;
  std::optional<Contraction> contraction = contractionOf(root);
  if (!contraction)
    return root->emitOpError("is not supported for elements of type ")
           << cast<RankedTensorType>(root->getResult(0).getType()).getElementType() << " on this target";
  return GpuContractionBuilder(atModule, fused, root, *contraction, name, gpu).build();
}
