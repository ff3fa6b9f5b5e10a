#include "passes/Codegen/ContractionEpilogues.h"

#include "passes/Codegen/ContractionDots.h"
#include "passes/Graph/Accesses.h"

using namespace mlir;
using namespace burn;
using namespace burn::compiler;

namespace {

// Operations of an epilogue that are emitted for every vector of a tile; longer ones get a loop.
constexpr int64_t kInlineCost = 8;

int64_t epilogueCost(Block &body) {
  int64_t cost = 0;
  for (Operation &op : body)
    cost += isReadConverted(&op) ? 0 : payloadCost(&op);
  return cost;
}

// Dims of the iteration space of an epilogue; behind them those of row loops that are known apart.
enum : unsigned { kBatchDim, kRowDim, kLaneDim, kFirstOfRows };

SmallVector<int64_t> sizesOf(const Contraction &contraction) {
  SmallVector<int64_t> sizes = {contraction.count(LoopGroup::Batch), contraction.count(LoopGroup::Row),
                                contraction.count(LoopGroup::Lane)};
  for (const ContractionLoop &loop : contraction.rows)
    sizes.push_back(loop.size);
  return sizes;
}

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

ClusterEpilogue::ClusterEpilogue(ir::FusedOp fused, Operation *root, const Contraction &contraction, func::FuncOp func,
                                 Operation *loop, DotInstruction dot, bool separateRows)
    : fused_(fused), root_(root), func_(func), loop_(loop), dot_(dot), kinds_(contractionKinds(root)), builder_(loop),
      emitter_(builder_, root->getLoc(), fused.getBody().front(),
               ValueRange(func.getArguments()).slice(2, fused.getInputs().size()), sizesOf(contraction)) {
  auto type = cast<RankedTensorType>(root->getResult(0).getType());
  out_ = outputIndex(contraction, type.getRank(), fused.getContext());
  if (separateRows)
    for (auto [i, loop] : llvm::enumerate(contraction.rows))
      out_[loop.outDim] = getAffineDimExpr(kFirstOfRows + i, fused.getContext()) * loop.outStep;
  position_ = linearIndex(out_, type.getShape(), fused.getContext());
  row_ = getAffineDimExpr(kRowDim, fused.getContext());
}

bool ClusterEpilogue::isLong(Block &body) { return epilogueCost(body) > kInlineCost; }

void ClusterEpilogue::prefetch(AffineExpr place, int64_t lanes) {
  Block &body = fused_.getBody().front();
  for (auto [input, argument] : llvm::zip(fused_.getInputs(), body.getArguments()))
    if (input.getType() == root_->getResult(0).getType() && !llvm::is_contained(argument.getUsers(), root_))
      prefetchLarge(emitter_, input, kernelOperand(func_, argument), place, lanes, /*writes=*/false);
  for (auto [i, value] : llvm::enumerate(body.getTerminator()->getOperands()))
    prefetchLarge(emitter_, value, kernelBuffer(func_, fused_.getInputs().size() + i), place, lanes, /*writes=*/true);
}

void ClusterEpilogue::open(OpBuilder &at, const OutputVector &vector, int64_t lanes) {
  builder_.restoreInsertionPoint(at.saveInsertionPoint());
  SmallVector<std::pair<unsigned, Value>, 6> dims = {{kBatchDim, vector.batch}, {kLaneDim, vector.lane}};
  if (vector.rows.empty())
    dims.push_back({kRowDim, vector.row});
  for (auto [i, row] : llvm::enumerate(vector.rows))
    dims.push_back({kFirstOfRows + i, row});
  emitter_.openScope(dims, loop_, LaneDim{kLaneDim, lanes, vector.mask});
}

void ClusterEpilogue::announce(OpBuilder &at, const OutputVector &vector, int64_t lanes) {
  open(at, vector, lanes);
  prefetch(position_, lanes);
  emitter_.closeScope();
}

void ClusterEpilogue::finish(OpBuilder &at, const OutputVector &vector, bool prefetches) {
  const int64_t lanes = cast<VectorType>(vector.value.getType()).getNumElements();
  open(at, vector, lanes);
  emitter_.bind(root_->getResult(0), roundSums(builder_, root_->getLoc(), dot_, kinds_, vector.value));
  if (prefetches)
    prefetch(position_.replace(row_, row_ + 1), lanes);
  // Results may take the place of inputs: read everything before anything is stored.
  const auto yielded = fused_.getBody().front().getTerminator()->getOperands();
  SmallVector<Value> elements;
  for (Value value : yielded)
    elements.push_back(emitter_.emitVector(value, out_));
  for (auto [i, element] : llvm::enumerate(elements)) {
    if (element)
      emitter_.store(element, kernelBuffer(func_, fused_.getInputs().size() + i), position_);
    emitted_ &= element != nullptr;
  }
  emitter_.closeScope();
}
