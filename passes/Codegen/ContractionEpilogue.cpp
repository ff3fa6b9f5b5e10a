#include "passes/Codegen/ContractionStreams.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace burn::compiler {

using mlir::Value;
using mlir::ValueRange;
using mlir::VectorType;

namespace {

llvm::SmallVector<StreamLoop> tensorLoops(IndexEmitter &b, llvm::ArrayRef<ContractionLoop> from,
                                          llvm::ArrayRef<int64_t> strides) {
  llvm::SmallVector<StreamLoop> loops;
  for (const ContractionLoop &loop : from)
    if (loop.size != 1)
      loops.push_back({loop.size, nullptr, {strides[loop.outDim] * loop.outStep}});
  mergeStreams(b, loops);
  return loops;
}

} // namespace

Value loadForOutput(mlir::OpBuilder &builder, mlir::Location loc, const Contraction &contraction,
                    const OutputVector &vector, Value memref, llvm::ArrayRef<int64_t> strides) {
  IndexEmitter b(loc, builder);
  auto lanes = mlir::cast<VectorType>(vector.value.getType()).getShape()[0];
  auto memrefType = mlir::cast<mlir::MemRefType>(memref.getType());
  VectorType type = VectorType::get(lanes, memrefType.getElementType());
  VectorType maskType = VectorType::get(lanes, b.getI1Type());
  Value zero = mlir::arith::ConstantOp::create(b, type, b.getZeroAttr(type));

  Value at = b.index(0);
  for (auto [group, linear] : {std::pair(LoopGroup::Batch, vector.batch), std::pair(LoopGroup::Row, vector.row)}) {
    auto loops = tensorLoops(b, contraction.loops(group), strides);
    if (!loops.empty())
      at = b.add(at, streamsAt(b, loops, {0}, linear)[0]);
  }
  auto loops = tensorLoops(b, contraction.lanes, strides);
  bool splat = llvm::all_of(loops, [](const StreamLoop &loop) { return loop.strides[0] == 0; });
  if (splat) {
    Value scalar = mlir::memref::LoadOp::create(b, memref, ValueRange{at});
    return mlir::vector::BroadcastOp::create(b, type, scalar);
  }
  if (loops.size() == 1 && loops[0].strides[0] == 1) {
    at = b.add(at, vector.lane);
    if (!vector.mask)
      return mlir::vector::LoadOp::create(b, type, memref, at);
    return mlir::vector::MaskedLoadOp::create(b, type, memref, at, vector.mask, zero);
  }

  // Lanes wander through several dimensions: an offset for each. Lanes that do
  // not exist read what the last one reads.
  VectorType offsetsType = VectorType::get(lanes, b.getI64Type());
  auto constant = [&](int64_t value) -> Value {
    return mlir::arith::ConstantOp::create(b, offsetsType,
                                           mlir::DenseElementsAttr::get(offsetsType, llvm::APInt(64, value)));
  };
  llvm::SmallVector<mlir::Attribute> counting;
  for (int64_t i = 0; i < lanes; ++i)
    counting.push_back(b.getI64IntegerAttr(i));
  Value first = mlir::arith::IndexCastOp::create(b, b.getI64Type(), vector.lane);
  Value linear = mlir::arith::AddIOp::create(
      b, mlir::vector::BroadcastOp::create(b, offsetsType, first),
      mlir::arith::ConstantOp::create(b, offsetsType, mlir::DenseElementsAttr::get(offsetsType, counting)));
  linear = mlir::arith::MinSIOp::create(b, linear, constant(contraction.count(LoopGroup::Lane) - 1));
  Value offsets = constant(0);
  for (size_t i = loops.size(); i-- > 0;) {
    Value index = linear;
    if (i > 0) {
      Value size = constant(loops[i].size);
      index = mlir::arith::RemUIOp::create(b, linear, size);
      linear = mlir::arith::DivUIOp::create(b, linear, size);
    }
    if (loops[i].strides[0] != 0)
      offsets =
          mlir::arith::AddIOp::create(b, offsets, mlir::arith::MulIOp::create(b, index, constant(loops[i].strides[0])));
  }
  Value all = mlir::arith::ConstantOp::create(b, maskType, mlir::DenseElementsAttr::get(maskType, true));
  return mlir::vector::GatherOp::create(b, type, memref, ValueRange{at}, offsets, all, zero);
}

void storeOutput(mlir::OpBuilder &builder, mlir::Location loc, const OutputVector &vector, Value value, Value memref) {
  if (vector.mask)
    mlir::vector::MaskedStoreOp::create(builder, loc, memref, vector.offset, vector.mask, value);
  else
    mlir::vector::StoreOp::create(builder, loc, value, memref, vector.offset);
}

void finishOutput(IndexEmitter &b, const ContractionOperands &operands, const ContractionEpilogue &epilogue,
                  const OutputVector &vector) {
  if (epilogue)
    return epilogue(b, b.getLoc(), vector);
  Value value = vector.value;
  if (operands.kinds.sum != operands.kinds.result)
    value = ir::ScalarOps(b, b.getLoc(), operands.kinds.sum).convert(value, operands.kinds.result);
  storeOutput(b, b.getLoc(), vector, value, operands.out);
}

} // namespace burn::compiler
