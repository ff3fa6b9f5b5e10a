#include "passes/Codegen/SlicePlacement.h"

#include "dialects/Burn/ScalarPayloads.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace burn;
using namespace burn::compiler;
using ir::ScalarKind;

int64_t SliceNumbers::operandDimOf(int64_t offsetDim) const {
  unsigned next = 0;
  for (int64_t dim = 0; dim != int64_t(operand.size()); ++dim)
    if (!isCollapsed(dim) && offsetDims[next++] == offsetDim)
      return dim;
  llvm_unreachable("no offset dim");
}

ElementIndex SliceNumbers::startIndex(ArrayRef<AffineExpr> index, unsigned k, MLIRContext *context) const {
  ElementIndex start;
  for (int64_t dim = 0; dim != int64_t(sliced.size()); ++dim) {
    if (isOffset(dim))
      continue;
    if (int64_t(start.size()) == indexVectorDim)
      start.push_back(getAffineConstantExpr(k, context));
    start.push_back(index[dim]);
  }
  if (int64_t(start.size()) == indexVectorDim && start.size() != indices.size())
    start.push_back(getAffineConstantExpr(k, context));
  return start;
}

ElementIndex SliceNumbers::offset(ArrayRef<AffineExpr> index, MLIRContext *context) const {
  // The element's index into the index tensor, with a hole for the index vector.
  ElementIndex batch;
  for (int64_t dim = 0; dim != int64_t(sliced.size()); ++dim) {
    if (isOffset(dim))
      continue;
    if (int64_t(batch.size()) == indexVectorDim)
      batch.push_back(AffineExpr());
    batch.push_back(index[dim]);
  }
  ElementIndex place(operand.size(), getAffineConstantExpr(0, context));
  for (auto [operandDim, indicesDim] : llvm::zip_equal(operandBatchDims, indicesBatchDims))
    place[operandDim] = batch[indicesDim];
  unsigned next = 0;
  for (int64_t dim = 0; dim != int64_t(operand.size()); ++dim)
    if (!isCollapsed(dim))
      place[dim] = index[offsetDims[next++]];
  return place;
}

Value compiler::toIndex64(OpBuilder &b, Location loc, Value element, Type burnElementType) {
  ScalarKind kind = ScalarKind::get(burnElementType);
  if (kind.isUnsigned() && kind.width == 64) {
    // Beyond the greatest index, not below 0.
    TypedAttr most = b.getI64IntegerAttr(std::numeric_limits<int64_t>::max());
    if (auto vector = dyn_cast<VectorType>(element.getType()))
      most = DenseElementsAttr::get(vector, most);
    element = arith::MinUIOp::create(b, loc, element, arith::ConstantOp::create(b, loc, most));
  }
  return ir::ScalarOps(b, loc, kind).convert(element, {ScalarKind::Class::Signed, 64});
}

void compiler::reportBroken(OpBuilder &b, Location loc, Value broken, Value error) {
  auto choice = scf::IfOp::create(b, loc, broken, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(choice.thenBlock()->getTerminator());
  Value one = arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(1));
  memref::StoreOp::create(b, loc, one, error, indexConstant(b, loc, 0));
}
