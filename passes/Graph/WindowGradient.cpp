#include "passes/Graph/WindowGradient.h"

#include "passes/Codegen/WindowRows.h"

using namespace mlir;
using namespace burn;

ir::ArgReduceWindowOp compiler::windowGradientOf(ir::ScatterOp scatter) {
  auto type = cast<RankedTensorType>(scatter.getType());
  auto zeros = scatter.getInput().getDefiningOp<ir::ConstantOp>();
  if (scatter.getCombiner() != ir::ScatterCombiner::Add || !zeros || !zeros.getValue().isSplat() ||
      !isa<FloatType>(type.getElementType()) ||
      !cast<DenseElementsAttr>(zeros.getValue()).getSplatValue<APFloat>().isPosZero())
    return {};
  Value places = scatter.getIndices();
  while (auto reshape = places.getDefiningOp<ir::ReshapeOp>())
    places = reshape.getInput();
  auto search = places.getDefiningOp<ir::ArgReduceWindowOp>();
  if (!search || places != search.getIndex())
    return {};
  // The dims along which places count are neighbours in the operand, and one dim of the scatter; the others are the
  // same on both sides.
  auto input = cast<RankedTensorType>(search.getInput().getType());
  const ArrayRef<int64_t> searched = search.getIndexDims();
  const int64_t count = searched.size(), first = count ? searched.front() : 0;
  if (count == 0 || searched.back() - first != count - 1 || type.getRank() != input.getRank() - count + 1)
    return {};
  SmallVector<int64_t> shape(input.getShape().take_front(first)), batch;
  shape.push_back(ShapedType::getNumElements(input.getShape().slice(first, count)));
  llvm::append_range(shape, input.getShape().drop_front(first + count));
  if (type.getShape() != ArrayRef<int64_t>(shape))
    return {};
  for (int64_t dim = 0; dim != type.getRank(); ++dim)
    if (dim != first)
      batch.push_back(dim);
  const ArrayRef<int64_t> joined(first);
  if (!scatter.getUpdateWindowDims().empty() || scatter.getInsertedWindowDims() != joined ||
      scatter.getScatterDimsToOperandDims() != joined || scatter.getInputBatchingDims() != ArrayRef<int64_t>(batch) ||
      scatter.getScatterIndicesBatchingDims() != ArrayRef<int64_t>(batch) ||
      int64_t(scatter.getIndexVectorDim()) != type.getRank())
    return {};
  for (auto [window, stride] : llvm::zip_equal(search.getWindow(), search.getStrides()))
    if (window > stride)
      return {};
  return WindowRows::fit(input.getShape(), search.getWindow(), search.getStrides(), search.getPadLow(),
                         search.getPadHigh(), {}, search.getWindowDilation(), /*singles=*/true)
             ? search
             : ir::ArgReduceWindowOp();
}
