#include "passes/Graph/TurnedReduction.h"

#include "passes/Codegen/RowStrategy.h"

using namespace mlir;
using namespace burn;
using namespace burn::compiler;

namespace {

// Fewer neighbours leave most of a vector empty.
constexpr int64_t kFewestNeighbours = 8;

} // namespace

SmallVector<int64_t> compiler::walkedShape(ArrayRef<int64_t> shape, ArrayRef<int64_t> walk) {
  SmallVector<int64_t> walked;
  for (int64_t dim : walk)
    walked.push_back(shape[dim]);
  return walked;
}

SmallVector<int64_t> compiler::walkedDims(ArrayRef<int64_t> dims, ArrayRef<int64_t> walk) {
  SmallVector<int64_t> walked;
  for (auto [place, dim] : llvm::enumerate(walk))
    if (llvm::is_contained(dims, dim))
      walked.push_back(place);
  return walked;
}

SmallVector<int64_t> compiler::turnedLaneDims(ArrayRef<int64_t> shape, ArrayRef<int64_t> reduceDims,
                                              ArrayRef<int64_t> walk) {
  const int64_t last = int64_t(shape.size()) - 1;
  if (last < 1 || llvm::is_contained(reduceDims, last) || shape[last] < kFewestNeighbours)
    return {};
  const SmallVector<int64_t> walked = walkedShape(shape, walk), dims = walkedDims(reduceDims, walk);
  const RowStrategy strategy = rowStrategy(std::span<const int64_t>(walked), std::span<const int64_t>(dims));
  if (!strategy.lanesReduced() || strategy.split || strategy.reducedCount() == 0 || strategy.keptCount() == 0)
    return {};
  // Results are in the order of the kept dims.
  int64_t before = -1;
  for (int64_t dim : walk)
    if (!llvm::is_contained(reduceDims, dim)) {
      if (dim < before)
        return {};
      before = dim;
    }
  SmallVector<int64_t> lanes;
  for (int64_t place = strategy.dims.back().first; place != strategy.dims.back().last; ++place)
    if (shape[walk[place]] != 1)
      lanes.push_back(walk[place]);
  for (size_t i = 1; i < lanes.size(); ++i) {
    if (lanes[i] < lanes[i - 1])
      return {};
    for (int64_t between = lanes[i - 1] + 1; between < lanes[i]; ++between)
      if (shape[between] != 1)
        return {};
  }
  return lanes;
}

std::optional<TurnedReduction> compiler::turnedReductionOf(ir::ReduceOp op) {
  auto transpose = op.getInput().getDefiningOp<ir::TransposeOp>();
  if (!transpose || transpose->getBlock() != op->getBlock() ||
      !isa<FloatType>(op.getInput().getType().getElementType()))
    return std::nullopt;
  TurnedReduction turned{transpose.getInput(), {}, llvm::to_vector(transpose.getPerm())};
  for (int64_t dim : op.getDims())
    turned.reduceDims.push_back(turned.walk[dim]);
  llvm::sort(turned.reduceDims);
  if (turnedLaneDims(cast<RankedTensorType>(turned.source.getType()).getShape(), turned.reduceDims, turned.walk)
          .empty())
    return std::nullopt;
  return turned;
}
