#include "passes/Codegen/ContractionReads.h"

#include "passes/Graph/Accesses.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace burn;
using namespace burn::compiler;

ClusterRead::ClusterRead(ir::FusedOp fused, Operation *root, unsigned operand, func::FuncOp func, Operation *loop)
    : value_(root->getOperand(operand)), source_(readSource(root->getOpOperand(operand))), loop_(loop), builder_(loop),
      emitter_(builder_, root->getLoc(), fused.getBody().front(),
               ValueRange(func.getArguments()).slice(2, fused.getInputs().size()), {1}) {}

Value ClusterRead::emit(OpBuilder &at, Value loaded) {
  builder_.restoreInsertionPoint(at.saveInsertionPoint());
  LaneDim lanes;
  if (auto vector = dyn_cast<VectorType>(loaded.getType()))
    lanes.count = vector.getNumElements();
  else
    lanes.scalar = true;
  Value first = arith::ConstantIndexOp::create(builder_, loaded.getLoc(), 0);
  emitter_.openScope({{0, first}}, loop_, lanes);
  emitter_.bind(source_, loaded);
  // All other operands are the same everywhere, so that it does not matter which element is asked for.
  const ElementIndex index(cast<RankedTensorType>(value_.getType()).getRank(),
                           getAffineConstantExpr(0, builder_.getContext()));
  Value element = lanes.scalar ? emitter_.emit(value_, index) : emitter_.emitVector(value_, index);
  emitter_.closeScope();
  return element;
}
