// Kernels of burn.fused contraction: a product or convolution, and what follows it on each finished
// vector of the result.
#include "passes/Codegen/ContractionDots.h"
#include "passes/Codegen/ContractionOps.h"
#include "passes/Codegen/ElementEmitter.h"
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

// Operations of an epilogue that are emitted for every vector of a tile; longer ones get a loop.
constexpr int64_t kInlineCost = 8;

int64_t epilogueCost(Block &body) {
  int64_t cost = 0;
  for (Operation &op : body)
    cost += isReadConverted(&op) ? 0 : payloadCost(&op);
  return cost;
}

// Dims of the iteration space of an epilogue.
enum : unsigned { kBatchDim, kRowDim, kLaneDim };

// Tensors of this size do not stay in the second-level cache until the epilogue comes to them.
constexpr int64_t kPrefetchedBytes = 1 << 20;

// Asks for a vector's part of a large tensor. The rows of a tile are far apart, where prefetchers of processors see no
// stream, and what the epilogue spills would wait behind stores that wait for memory.
void prefetchLarge(ElementEmitter &emitter, Value tensor, Value buffer, AffineExpr position, int64_t lanes,
                   bool writes) {
  const core::TypeDesc type = *ir::toTypeDesc(tensor.getType());
  if (type.byteSize() < kPrefetchedBytes)
    return;
  for (int64_t i = 0, line = 64 / byteWidth(type.dtype); i < lanes; i += line)
    emitter.prefetch(buffer, position + i, writes);
}

} // namespace

ElementIndex compiler::outputIndex(const Contraction &contraction, unsigned rank, MLIRContext *context) {
  ElementIndex index(rank, getAffineConstantExpr(0, context));
  const std::pair<LoopGroup, unsigned> groups[] = {
      {LoopGroup::Batch, kBatchDim}, {LoopGroup::Row, kRowDim}, {LoopGroup::Lane, kLaneDim}};
  for (auto [group, dim] : groups) {
    int64_t stride = 1;
    ArrayRef<ContractionLoop> loops = contraction.loops(group);
    for (auto [i, loop] : llvm::enumerate(llvm::reverse(loops))) {
      AffineExpr digit = getAffineDimExpr(dim, context).floorDiv(stride);
      if (i + 1 < loops.size())
        digit = digit % loop.size;
      index[loop.outDim] = index[loop.outDim] + digit * loop.outStep;
      stride *= loop.size;
    }
  }
  return index;
}

FailureOr<KernelCode> compiler::buildContractionKernel(OpBuilder &atModule, ir::FusedOp fused, StringRef name,
                                                       const CpuTargetInfo &target) {
  Block &body = fused.getBody().front();
  Operation *root = nullptr;
  for (Operation &op : body)
    if (isa<ir::DotGeneralOp, ir::ConvOp>(op))
      root = &op;
  std::optional<Contraction> contraction = contractionOf(root);
  if (!contraction)
    return root->emitOpError("is not supported for elements of type ")
           << cast<RankedTensorType>(root->getResult(0).getType()).getElementType() << " on this target";
  FailureOr<ContractionTiling> tiling = tilingFor(root, *contraction, target);
  if (failed(tiling))
    return failure();

  tiling->sweeps = epilogueCost(body) > kInlineCost;

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
  const unsigned first = 2, inputs = fused.getInputs().size();
  const auto buffer = [&](unsigned i) -> Value { return func.getArgument(first + i); };
  const auto operandBuffer = [&](Value operand) { return buffer(cast<BlockArgument>(operand).getArgNumber()); };
  const ValueRange buffers = ValueRange(func.getArguments()).slice(first, inputs);

  Value one = index(1), taskCount = index(tasks), groupCount = index(std::max<int64_t>(groups, 1));
  // Groups that come in one call are one range of tasks with the scratch memory of the first: the next group finds it
  // in the cache, and packed panels that it shares. The loop runs once.
  Value firstGroup = func.getArgument(0), endGroup = func.getArgument(1);
  Value span = arith::MaxSIOp::create(builder, loc, arith::SubIOp::create(builder, loc, endGroup, firstGroup), one);
  auto loop = scf::ForOp::create(builder, loc, firstGroup, endGroup, span);
  func::ReturnOp::create(builder, loc);

  // Values that no vector changes are computed once, in front of the loop.
  OpBuilder emitterBuilder(loop);
  const int64_t sizes[] = {contraction->count(LoopGroup::Batch), contraction->count(LoopGroup::Row),
                           contraction->count(LoopGroup::Lane)};
  ElementEmitter emitter(emitterBuilder, loc, body, buffers, sizes);
  auto resultType = cast<RankedTensorType>(root->getResult(0).getType());
  const ElementIndex out = outputIndex(*contraction, resultType.getRank(), fused.getContext());
  const AffineExpr position = linearIndex(out, resultType.getShape(), fused.getContext());
  const auto yielded = body.getTerminator()->getOperands();
  bool emitted = true;
  const AffineExpr row = getAffineDimExpr(kRowDim, fused.getContext());
  const auto prefetchAt = [&](AffineExpr place, int64_t lanes) {
    for (auto [input, argument] : llvm::zip(fused.getInputs(), body.getArguments()))
      if (input.getType() == resultType && !llvm::is_contained(argument.getUsers(), root))
        prefetchLarge(emitter, input, operandBuffer(argument), place, lanes, /*writes=*/false);
    for (auto [i, value] : llvm::enumerate(yielded))
      prefetchLarge(emitter, value, buffer(inputs + i), place, lanes, /*writes=*/true);
  };
  const auto openScope = [&](OpBuilder &at, const OutputVector &vector, int64_t lanes) {
    emitterBuilder.restoreInsertionPoint(at.saveInsertionPoint());
    emitter.openScope({{kBatchDim, vector.batch}, {kRowDim, vector.row}, {kLaneDim, vector.lane}}, loop,
                      LaneDim{kLaneDim, lanes, vector.mask});
  };
  const ContractionEpilogue ahead = [&](OpBuilder &at, Location, const OutputVector &vector) {
    openScope(at, vector, tiling->vectorLanes);
    prefetchAt(position, tiling->vectorLanes);
    emitter.closeScope();
  };
  const ContractionEpilogue epilogue = [&](OpBuilder &at, Location, const OutputVector &vector) {
    const int64_t lanes = cast<VectorType>(vector.value.getType()).getNumElements();
    openScope(at, vector, lanes);
    emitter.bind(root->getResult(0), roundSums(emitterBuilder, loc, tiling->dot, kinds, vector.value));
    if (tiling->sweeps)
      prefetchAt(position.replace(row, row + 1), lanes);
    // Results may take the place of inputs: read everything before anything is stored.
    SmallVector<Value> elements;
    for (Value value : yielded)
      elements.push_back(emitter.emitVector(value, out));
    for (auto [i, element] : llvm::enumerate(elements)) {
      if (element)
        emitter.store(element, buffer(inputs + i), position);
      emitted &= element != nullptr;
    }
    emitter.closeScope();
  };

  builder.setInsertionPointToStart(loop.getBody());
  const auto boundary = [&](Value number) -> Value {
    Value scaled = arith::MulIOp::create(builder, loc, number, taskCount);
    return arith::DivUIOp::create(builder, loc, scaled, groupCount);
  };
  Value begin = boundary(firstGroup), end = boundary(endGroup);
  ContractionOperands operands;
  operands.lhs = operandBuffer(contractionSource(root, 0));
  operands.rhs = operandBuffer(contractionSource(root, 1));
  operands.kinds = kinds;
  if (code.scratchBytes > 0) {
    Value bytes = func.getArguments().back();
    Value offset = arith::MulIOp::create(builder, loc, firstGroup, index(scratchElements * elementBytes));
    operands.scratch = memref::ViewOp::create(
        builder, loc, MemRefType::get({scratchElements}, kinds.sum.getLowered(builder.getContext())), bytes, offset,
        ValueRange());
  }
  emitContraction(builder, loc, *contraction, *tiling, operands, begin, end, epilogue, ahead);
  if (!emitted)
    return failure();
  return code;
}
