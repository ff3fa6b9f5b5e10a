// Kernels of burn.fused contraction: a product or convolution, and what follows it on each finished
// vector of the result.
#include "passes/Codegen/ContractionDots.h"
#include "passes/Codegen/ContractionEpilogues.h"
#include "passes/Codegen/ContractionReads.h"
#include "passes/Codegen/DirectConvolution.h"
#include "passes/Codegen/Kernel.h"
#include "passes/Graph/Accesses.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace burn;
using namespace burn::compiler;

namespace {

// Tasks run in this many groups at most. Each group has scratch memory of its own, so the grid, and
// with it the size of the arena, depends on the shape alone and not on the number of threads.
constexpr int64_t kMostGroups = 32;

// Bytes of panels as elements of the type of sums.
Value panelsView(OpBuilder &b, Location loc, Value bytes, int64_t elements, const ContractionKinds &kinds) {
  return memref::ViewOp::create(b, loc, MemRefType::get({elements}, kinds.sum.getLowered(b.getContext())), bytes,
                                arith::ConstantIndexOp::create(b, loc, 0), ValueRange());
}

// The kernel of a burn.pack_panels.
FailureOr<KernelCode> buildPackKernel(OpBuilder &atModule, ir::FusedOp fused, StringRef name, Operation *root,
                                      const Contraction &contraction, const ContractionTiling &tiling) {
  auto pack = fused.getBody().front().getTerminator()->getOperand(0).getDefiningOp<ir::PackPanelsOp>();
  const auto number = static_cast<unsigned>(pack.getNumber());
  if (!isReady(contraction, tiling, number))
    return pack.emitOpError("packs operand ") << number << ", which the tiling has not ready";
  const bool rows = isRowsOperand(contraction, tiling, number);
  KernelCode code;
  auto func = createPhase(atModule, fused, name, /*scratchBytes=*/0, /*hasChecks=*/false);
  code.phases.push_back({func, packTaskCount(contraction, tiling, rows)});
  OpBuilder b = OpBuilder::atBlockBegin(&func.getBody().front());
  const Location loc = root->getLoc();
  ContractionOperands operands;
  operands.kinds = contractionKinds(root);
  (number == 0 ? operands.lhs : operands.rhs) = func.getArgument(2);
  (rows ? operands.rowPanels : operands.lanePanels) =
      panelsView(b, loc, func.getArgument(3), readyPanelElements(contraction, tiling, rows), operands.kinds);
  emitPanels(b, loc, contraction, tiling, operands, rows, func.getArgument(0), func.getArgument(1));
  func::ReturnOp::create(b, loc);
  return code;
}

} // namespace

FailureOr<KernelCode> compiler::buildContractionKernel(OpBuilder &atModule, ir::FusedOp fused, StringRef name,
                                                       const CpuTargetInfo &target) {
  Block &body = fused.getBody().front();
  Operation *root = nullptr;
  for (Operation &op : body)
    if (isa<ir::DotGeneralOp, ir::ConvOp>(op))
      root = &op;
  const bool packs = isa_and_present<ir::PackPanelsOp>(body.getTerminator()->getOperand(0).getDefiningOp());
  if (!root->hasAttr(tilingAttrName))
    if (const std::optional<DirectConvolution> direct = directConvolutionOf(root))
      return buildDirectConvolution(atModule, fused, root, *direct, name, target);
  std::optional<Contraction> contraction = contractionOf(root);
  if (!contraction)
    return root->emitOpError("is not supported for elements of type ")
           << cast<RankedTensorType>(root->getResult(0).getType()).getElementType() << " on this target";
  FailureOr<ContractionTiling> tiling = tilingFor(root, *contraction, target);
  if (failed(tiling))
    return failure();

  if (packs)
    return buildPackKernel(atModule, fused, name, root, *contraction, *tiling);
  for (unsigned i : {0u, 1u})
    if (isReady(*contraction, *tiling, i) && !contractionSource(root, i).getDefiningOp<ir::UnpackPanelsOp>())
      return root->emitOpError("has a tiling with operand ") << i << " ready, but reads no panels of it";

  tiling->sweeps = ClusterEpilogue::isLong(body);

  const int64_t tasks = contractionTaskCount(*contraction, *tiling);
  const int64_t groups = std::min(tasks, kMostGroups);
  const ContractionKinds kinds = contractionKinds(root);
  const int64_t elementBytes = kinds.sum.width / 8;
  const int64_t scratchElements =
      llvm::alignTo(contractionScratchElements(*contraction, *tiling) * elementBytes, 64) / elementBytes;
  KernelCode code;
  code.scratchBytes = scratchElements * elementBytes * groups;
  auto func = createPhase(atModule, fused, name, code.scratchBytes, /*hasChecks=*/false);
  code.phases.push_back({func, groups});

  OpBuilder builder = OpBuilder::atBlockBegin(&func.getBody().front());
  const Location loc = root->getLoc();
  const auto index = [&](int64_t value) -> Value { return arith::ConstantIndexOp::create(builder, loc, value); };

  Value one = index(1), taskCount = index(tasks), groupCount = index(std::max<int64_t>(groups, 1));
  // Groups that come in one call are one range of tasks with the scratch memory of the first: the next group finds it
  // in the cache, and packed panels that it shares. The loop runs once.
  Value firstGroup = func.getArgument(0), endGroup = func.getArgument(1);
  Value span = arith::MaxSIOp::create(builder, loc, arith::SubIOp::create(builder, loc, endGroup, firstGroup), one);
  auto loop = scf::ForOp::create(builder, loc, firstGroup, endGroup, span);
  func::ReturnOp::create(builder, loc);

  ClusterEpilogue cluster(fused, root, *contraction, func, loop, tiling->dot);
  const ContractionEpilogue ahead = [&](OpBuilder &at, Location, const OutputVector &vector) {
    cluster.announce(at, vector, tiling->vectorLanes);
  };
  const ContractionEpilogue epilogue = [&](OpBuilder &at, Location, const OutputVector &vector) {
    cluster.finish(at, vector, tiling->sweeps);
  };

  builder.setInsertionPointToStart(loop.getBody());
  const auto boundary = [&](Value number) -> Value {
    Value scaled = arith::MulIOp::create(builder, loc, number, taskCount);
    return arith::DivUIOp::create(builder, loc, scaled, groupCount);
  };
  Value begin = boundary(firstGroup), end = boundary(endGroup);
  ContractionOperands operands;
  for (unsigned i : {0u, 1u}) {
    Value source = contractionSource(root, i);
    if (!isReady(*contraction, *tiling, i)) {
      (i == 0 ? operands.lhs : operands.rhs) = kernelOperand(func, source);
      continue;
    }
    const bool rows = isRowsOperand(*contraction, *tiling, i);
    (rows ? operands.rowPanels : operands.lanePanels) =
        panelsView(builder, loc, kernelOperand(func, source.getDefiningOp<ir::UnpackPanelsOp>().getInput()),
                   readyPanelElements(*contraction, *tiling, rows), kinds);
  }
  operands.kinds = kinds;
  std::optional<ClusterRead> reads[2];
  for (unsigned operand : {0, 1})
    if (readChain(root->getOpOperand(operand)).size() > 1)
      (operand == 0 ? operands.readLhs : operands.readRhs) =
          [&read = reads[operand].emplace(fused, root, operand, func, loop)](OpBuilder &at, Location, Value loaded) {
            return read.emit(at, loaded);
          };
  if (code.scratchBytes > 0) {
    Value bytes = func.getArguments().back();
    Value offset = arith::MulIOp::create(builder, loc, firstGroup, index(scratchElements * elementBytes));
    operands.scratch = memref::ViewOp::create(
        builder, loc, MemRefType::get({scratchElements}, kinds.sum.getLowered(builder.getContext())), bytes, offset,
        ValueRange());
  }
  emitContraction(builder, loc, *contraction, *tiling, operands, begin, end, epilogue, ahead);
  if (!cluster.isEmitted())
    return failure();
  return code;
}
