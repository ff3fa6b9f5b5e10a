#include "passes/Codegen/Workgroup.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace burn;

namespace {

// 8 and 16 bits in workgroup memory are a feature of their own.
Type sharedType(Type registerType) {
  if (registerType.isInteger() && registerType.getIntOrFloatBitWidth() < 32)
    return IntegerType::get(registerType.getContext(), 32);
  return registerType;
}

} // namespace

Value compiler::allocateShared(OpBuilder &b, Location loc, int64_t count, Type registerType) {
  auto space = gpu::AddressSpaceAttr::get(b.getContext(), gpu::AddressSpace::Workgroup);
  return memref::AllocOp::create(b, loc, MemRefType::get({count}, sharedType(registerType), AffineMap(), space));
}

Value compiler::loadShared(OpBuilder &b, Location loc, Value memory, Value index, Type registerType) {
  Value value = memref::LoadOp::create(b, loc, memory, index);
  return value.getType() == registerType ? value : Value(arith::TruncIOp::create(b, loc, registerType, value));
}

void compiler::storeShared(OpBuilder &b, Location loc, Value value, Value memory, Value index) {
  const Type type = sharedType(value.getType());
  if (value.getType() != type)
    value = arith::ExtUIOp::create(b, loc, type, value);
  memref::StoreOp::create(b, loc, value, memory, index);
}

int64_t compiler::sharedBytes(int64_t count, Type registerType) {
  return count * int64_t(sharedType(registerType).getIntOrFloatBitWidth()) / 8;
}

void compiler::workgroupBarrier(OpBuilder &b, Location loc) { gpu::BarrierOp::create(b, loc); }
