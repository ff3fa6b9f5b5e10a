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

// Words of 32 bits and floats of 32 and 64 travel between registers on every GPU that shuffles.
Value shuffle(OpBuilder &b, Location loc, Value value, Value lane, int64_t subgroupSize, gpu::ShuffleMode mode) {
  const Type type = value.getType(), word = b.getI32Type();
  const auto exchange = [&](Value part) -> Value {
    Value width = arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(int32_t(subgroupSize)));
    return gpu::ShuffleOp::create(b, loc, part, lane, width, mode).getShuffleResult();
  };
  if (type.isF32() || type.isF64() || type.isInteger(32))
    return exchange(value);
  if (type.isF16()) {
    Value bits = arith::BitcastOp::create(b, loc, b.getI16Type(), value);
    Value moved = exchange(arith::ExtUIOp::create(b, loc, word, bits));
    return arith::BitcastOp::create(b, loc, type, arith::TruncIOp::create(b, loc, b.getI16Type(), moved));
  }
  if (type.isInteger(64)) {
    Value half = arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(32));
    Value low = exchange(arith::TruncIOp::create(b, loc, word, value));
    Value high = exchange(arith::TruncIOp::create(b, loc, word, arith::ShRUIOp::create(b, loc, value, half)));
    high = arith::ShLIOp::create(b, loc, arith::ExtUIOp::create(b, loc, type, high), half);
    return arith::OrIOp::create(b, loc, high, arith::ExtUIOp::create(b, loc, type, low));
  }
  return arith::TruncIOp::create(b, loc, type, exchange(arith::ExtUIOp::create(b, loc, word, value)));
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

compiler::SubgroupPlace compiler::placeInSubgroup(OpBuilder &b, Location loc, int64_t subgroupSize) {
  Value lane = gpu::LaneIdOp::create(b, loc, /*upperBound=*/IntegerAttr());
  Value number = gpu::SubgroupIdOp::create(b, loc, /*upperBound=*/IntegerAttr());
  Value size = arith::ConstantIndexOp::create(b, loc, subgroupSize);
  return {arith::AddIOp::create(b, loc, arith::MulIOp::create(b, loc, number, size), lane), number, lane};
}

Value compiler::shuffleFlipped(OpBuilder &b, Location loc, Value value, int64_t mask, int64_t subgroupSize) {
  Value flipped = arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(int32_t(mask)));
  return shuffle(b, loc, value, flipped, subgroupSize, gpu::ShuffleMode::XOR);
}

Value compiler::shuffleFrom(OpBuilder &b, Location loc, Value value, Value lane, int64_t subgroupSize) {
  Value word = arith::IndexCastOp::create(b, loc, b.getI32Type(), lane);
  return shuffle(b, loc, value, word, subgroupSize, gpu::ShuffleMode::IDX);
}
