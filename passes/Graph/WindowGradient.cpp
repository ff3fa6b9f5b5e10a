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
  // The dims along which places count are the last ones of the operand, and one dim of the scatter; the others are the
  // same on both sides.
  auto input = cast<RankedTensorType>(search.getInput().getType());
  const int64_t last = type.getRank() - 1;
  const ArrayRef<int64_t> searched = search.getIndexDims();
  if (last < 0 || last >= input.getRank() || int64_t(searched.size()) != input.getRank() - last ||
      type.getShape().drop_back() != input.getShape().take_front(last) ||
      type.getShape().back() != ShapedType::getNumElements(input.getShape().drop_front(last)))
    return {};
  SmallVector<int64_t> batch;
  for (int64_t dim = 0; dim != last; ++dim)
    batch.push_back(dim);
  for (auto [i, dim] : llvm::enumerate(searched))
    if (dim != last + int64_t(i))
      return {};
  const ArrayRef<int64_t> joined(last);
  if (!scatter.getUpdateWindowDims().empty() || scatter.getInsertedWindowDims() != joined ||
      scatter.getScatterDimsToOperandDims() != joined || scatter.getInputBatchingDims() != ArrayRef<int64_t>(batch) ||
      scatter.getScatterIndicesBatchingDims() != ArrayRef<int64_t>(batch) ||
      int64_t(scatter.getIndexVectorDim()) != type.getRank())
    return {};
  for (auto [window, stride] : llvm::zip_equal(search.getWindow(), search.getStrides()))
    if (window > stride)
      return {};
  return WindowRows::fit(input.getShape(), search.getWindow(), search.getStrides(), search.getPadLow(),
                         search.getPadHigh(), {}, search.getWindowDilation())
             ? search
             : ir::ArgReduceWindowOp();
}
