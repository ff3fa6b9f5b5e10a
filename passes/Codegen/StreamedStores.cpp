#include "passes/Codegen/StreamedStores.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace burn;

bool compiler::isStreamed(ir::FusedOp fused, unsigned number, ArrayRef<int64_t> sizes, const CpuTargetInfo &target) {
  auto places = fused->getAttrOfType<ArrayAttr>("burn.place");
  const bool isNew = places && cast<DictionaryAttr>(places[number]).contains("result");
  const bool isAligned = sizes.size() == 1 || sizes.back() % 16 == 0;
  const core::TypeDesc type = *ir::toTypeDesc(fused->getResult(number).getType());
  return isNew && isAligned && target.vectorBytes >= 32 && byteWidth(type.dtype) >= 4 &&
         type.byteSize() >= kStreamedBytes;
}

void compiler::emitStreamFence(OpBuilder &b, Location loc) {
  LLVM::CallIntrinsicOp::create(b, loc, b.getStringAttr("llvm.x86.sse.sfence"), ValueRange());
}
