#include "passes/Codegen/Kernel.h"

#include "dialects/Burn/ScalarPayloads.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace burn;
using namespace burn::compiler;

Type compiler::registerType(Type elementType) {
  return ir::ScalarKind::get(elementType).getLowered(elementType.getContext());
}

Type compiler::memoryType(Type elementType) {
  return ir::ScalarKind::get(elementType).getStorage(elementType.getContext());
}

MemRefType compiler::bufferType(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return MemRefType::get({tensor.getNumElements()}, memoryType(tensor.getElementType()));
}

func::FuncOp compiler::createPhase(OpBuilder &atModule, ir::FusedOp fused, StringRef name, int64_t scratchBytes,
                                   bool hasChecks) {
  Builder b(atModule.getContext());
  SmallVector<Type> inputs{b.getIndexType(), b.getIndexType()};
  for (Type type : fused.getOperandTypes())
    inputs.push_back(bufferType(type));
  for (Type type : fused.getResultTypes())
    inputs.push_back(bufferType(type));
  if (scratchBytes > 0)
    inputs.push_back(MemRefType::get({scratchBytes}, b.getI8Type()));
  if (hasChecks)
    inputs.push_back(MemRefType::get({1}, b.getI32Type()));
  auto func = func::FuncOp::create(atModule, fused.getLoc(), name, b.getFunctionType(inputs, {}));
  func.setPrivate();
  func.addEntryBlock();
  return func;
}
