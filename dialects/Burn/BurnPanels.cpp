// Verification of packed operands of contractions.
#include "dialects/Burn/Burn.h"

using namespace mlir;
using namespace burn;
using namespace burn::ir;

namespace {

bool isRowOfBytes(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  return type.getRank() == 1 && type.getElementType().isSignlessInteger(8);
}

} // namespace

LogicalResult PackPanelsOp::verify() {
  if (!isa_and_present<DotGeneralOp, ConvOp>(getInput().getDefiningOp())) // (C1)
    return emitOpError("expects the result of a burn.dot_general or burn.conv");
  if (getNumber() != 0 && getNumber() != 1) // (C2)
    return emitOpError("expects operand 0 or 1, got ") << getNumber();
  if (!isRowOfBytes(getResult())) // (C3)
    return emitOpError("expects a result that is a tensor of i8 of rank 1, got ") << getResult().getType();
  return success();
}

LogicalResult UnpackPanelsOp::verify() {
  if (!isRowOfBytes(getInput())) // (C1)
    return emitOpError("expects an input that is a tensor of i8 of rank 1, got ") << getInput().getType();
  return success();
}
