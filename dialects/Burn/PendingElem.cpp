// Roles of ops that are not written yet.
#include "dialects/Burn/Burn.h"

using namespace mlir;
using namespace burn::ir;

Value AcosOp::buildScalarPayload(OpBuilder &, Location, ValueRange) { return nullptr; }
unsigned AcosOp::getPayloadCost() { return 20; }
LogicalResult AcosOp::buildVjp(OpBuilder &, ArrayRef<Value>, const llvm::SmallBitVector &, MutableArrayRef<Value>) { return failure(); }
Value AcoshOp::buildScalarPayload(OpBuilder &, Location, ValueRange) { return nullptr; }
unsigned AcoshOp::getPayloadCost() { return 20; }
LogicalResult AcoshOp::buildVjp(OpBuilder &, ArrayRef<Value>, const llvm::SmallBitVector &, MutableArrayRef<Value>) { return failure(); }
Value AsinOp::buildScalarPayload(OpBuilder &, Location, ValueRange) { return nullptr; }
unsigned AsinOp::getPayloadCost() { return 20; }
LogicalResult AsinOp::buildVjp(OpBuilder &, ArrayRef<Value>, const llvm::SmallBitVector &, MutableArrayRef<Value>) { return failure(); }
Value AsinhOp::buildScalarPayload(OpBuilder &, Location, ValueRange) { return nullptr; }
unsigned AsinhOp::getPayloadCost() { return 20; }
LogicalResult AsinhOp::buildVjp(OpBuilder &, ArrayRef<Value>, const llvm::SmallBitVector &, MutableArrayRef<Value>) { return failure(); }
Value Atan2Op::buildScalarPayload(OpBuilder &, Location, ValueRange) { return nullptr; }
unsigned Atan2Op::getPayloadCost() { return 20; }
LogicalResult Atan2Op::buildVjp(OpBuilder &, ArrayRef<Value>, const llvm::SmallBitVector &, MutableArrayRef<Value>) { return failure(); }
Value AtanOp::buildScalarPayload(OpBuilder &, Location, ValueRange) { return nullptr; }
unsigned AtanOp::getPayloadCost() { return 20; }
LogicalResult AtanOp::buildVjp(OpBuilder &, ArrayRef<Value>, const llvm::SmallBitVector &, MutableArrayRef<Value>) { return failure(); }
Value AtanhOp::buildScalarPayload(OpBuilder &, Location, ValueRange) { return nullptr; }
unsigned AtanhOp::getPayloadCost() { return 20; }
LogicalResult AtanhOp::buildVjp(OpBuilder &, ArrayRef<Value>, const llvm::SmallBitVector &, MutableArrayRef<Value>) { return failure(); }
Value BitcastOp::buildScalarPayload(OpBuilder &, Location, ValueRange) { return nullptr; }
bool BitcastOp::isDifferentiableOperand(unsigned) { return false; }
OpFoldResult BitcastOp::fold(FoldAdaptor) { return nullptr; }
Value CbrtOp::buildScalarPayload(OpBuilder &, Location, ValueRange) { return nullptr; }
unsigned CbrtOp::getPayloadCost() { return 20; }
LogicalResult CbrtOp::buildVjp(OpBuilder &, ArrayRef<Value>, const llvm::SmallBitVector &, MutableArrayRef<Value>) { return failure(); }
Value ClzOp::buildScalarPayload(OpBuilder &, Location, ValueRange) { return nullptr; }
Value CopysignOp::buildScalarPayload(OpBuilder &, Location, ValueRange) { return nullptr; }
LogicalResult CopysignOp::buildVjp(OpBuilder &, ArrayRef<Value>, const llvm::SmallBitVector &, MutableArrayRef<Value>) { return failure(); }
bool CopysignOp::isDifferentiableOperand(unsigned) { return false; }
Value CosOp::buildScalarPayload(OpBuilder &, Location, ValueRange) { return nullptr; }
unsigned CosOp::getPayloadCost() { return 20; }
LogicalResult CosOp::buildVjp(OpBuilder &, ArrayRef<Value>, const llvm::SmallBitVector &, MutableArrayRef<Value>) { return failure(); }
Value CoshOp::buildScalarPayload(OpBuilder &, Location, ValueRange) { return nullptr; }
unsigned CoshOp::getPayloadCost() { return 20; }
LogicalResult CoshOp::buildVjp(OpBuilder &, ArrayRef<Value>, const llvm::SmallBitVector &, MutableArrayRef<Value>) { return failure(); }
Value DigammaOp::buildScalarPayload(OpBuilder &, Location, ValueRange) { return nullptr; }
unsigned DigammaOp::getPayloadCost() { return 20; }
LogicalResult DigammaOp::buildVjp(OpBuilder &, ArrayRef<Value>, const llvm::SmallBitVector &, MutableArrayRef<Value>) { return failure(); }
Value ErfcOp::buildScalarPayload(OpBuilder &, Location, ValueRange) { return nullptr; }
unsigned ErfcOp::getPayloadCost() { return 20; }
LogicalResult ErfcOp::buildVjp(OpBuilder &, ArrayRef<Value>, const llvm::SmallBitVector &, MutableArrayRef<Value>) { return failure(); }
Value ErfinvOp::buildScalarPayload(OpBuilder &, Location, ValueRange) { return nullptr; }
unsigned ErfinvOp::getPayloadCost() { return 20; }
LogicalResult ErfinvOp::buildVjp(OpBuilder &, ArrayRef<Value>, const llvm::SmallBitVector &, MutableArrayRef<Value>) { return failure(); }
Value Exp2Op::buildScalarPayload(OpBuilder &, Location, ValueRange) { return nullptr; }
unsigned Exp2Op::getPayloadCost() { return 20; }
LogicalResult Exp2Op::buildVjp(OpBuilder &, ArrayRef<Value>, const llvm::SmallBitVector &, MutableArrayRef<Value>) { return failure(); }
Value FloorDivOp::buildScalarPayload(OpBuilder &, Location, ValueRange) { return nullptr; }
unsigned FloorDivOp::getPayloadCost() { return 20; }
OpFoldResult FloorDivOp::fold(FoldAdaptor) { return nullptr; }
Value FmaxOp::buildScalarPayload(OpBuilder &, Location, ValueRange) { return nullptr; }
LogicalResult FmaxOp::buildVjp(OpBuilder &, ArrayRef<Value>, const llvm::SmallBitVector &, MutableArrayRef<Value>) { return failure(); }
Value FminOp::buildScalarPayload(OpBuilder &, Location, ValueRange) { return nullptr; }
LogicalResult FminOp::buildVjp(OpBuilder &, ArrayRef<Value>, const llvm::SmallBitVector &, MutableArrayRef<Value>) { return failure(); }
Value HypotOp::buildScalarPayload(OpBuilder &, Location, ValueRange) { return nullptr; }
unsigned HypotOp::getPayloadCost() { return 20; }
LogicalResult HypotOp::buildVjp(OpBuilder &, ArrayRef<Value>, const llvm::SmallBitVector &, MutableArrayRef<Value>) { return failure(); }
Value IsFiniteOp::buildScalarPayload(OpBuilder &, Location, ValueRange) { return nullptr; }
Value IsInfOp::buildScalarPayload(OpBuilder &, Location, ValueRange) { return nullptr; }
Value IsNanOp::buildScalarPayload(OpBuilder &, Location, ValueRange) { return nullptr; }
Value LgammaOp::buildScalarPayload(OpBuilder &, Location, ValueRange) { return nullptr; }
unsigned LgammaOp::getPayloadCost() { return 20; }
LogicalResult LgammaOp::buildVjp(OpBuilder &, ArrayRef<Value>, const llvm::SmallBitVector &, MutableArrayRef<Value>) { return failure(); }
Value Log10Op::buildScalarPayload(OpBuilder &, Location, ValueRange) { return nullptr; }
unsigned Log10Op::getPayloadCost() { return 20; }
LogicalResult Log10Op::buildVjp(OpBuilder &, ArrayRef<Value>, const llvm::SmallBitVector &, MutableArrayRef<Value>) { return failure(); }
Value Log2Op::buildScalarPayload(OpBuilder &, Location, ValueRange) { return nullptr; }
unsigned Log2Op::getPayloadCost() { return 20; }
LogicalResult Log2Op::buildVjp(OpBuilder &, ArrayRef<Value>, const llvm::SmallBitVector &, MutableArrayRef<Value>) { return failure(); }
Value PolygammaOp::buildScalarPayload(OpBuilder &, Location, ValueRange) { return nullptr; }
unsigned PolygammaOp::getPayloadCost() { return 20; }
LogicalResult PolygammaOp::buildVjp(OpBuilder &, ArrayRef<Value>, const llvm::SmallBitVector &, MutableArrayRef<Value>) { return failure(); }
Value PopcntOp::buildScalarPayload(OpBuilder &, Location, ValueRange) { return nullptr; }
Value PowiOp::buildScalarPayload(OpBuilder &, Location, ValueRange) { return nullptr; }
unsigned PowiOp::getPayloadCost() { return 20; }
LogicalResult PowiOp::buildVjp(OpBuilder &, ArrayRef<Value>, const llvm::SmallBitVector &, MutableArrayRef<Value>) { return failure(); }
OpFoldResult PowiOp::fold(FoldAdaptor) { return nullptr; }
Value ReducePrecisionOp::buildScalarPayload(OpBuilder &, Location, ValueRange) { return nullptr; }
LogicalResult ReducePrecisionOp::buildVjp(OpBuilder &, ArrayRef<Value>, const llvm::SmallBitVector &, MutableArrayRef<Value>) { return failure(); }
Value RemOp::buildScalarPayload(OpBuilder &, Location, ValueRange) { return nullptr; }
unsigned RemOp::getPayloadCost() { return 20; }
LogicalResult RemOp::buildVjp(OpBuilder &, ArrayRef<Value>, const llvm::SmallBitVector &, MutableArrayRef<Value>) { return failure(); }
Value ShlOp::buildScalarPayload(OpBuilder &, Location, ValueRange) { return nullptr; }
OpFoldResult ShlOp::fold(FoldAdaptor) { return nullptr; }
Value ShrOp::buildScalarPayload(OpBuilder &, Location, ValueRange) { return nullptr; }
OpFoldResult ShrOp::fold(FoldAdaptor) { return nullptr; }
Value SinOp::buildScalarPayload(OpBuilder &, Location, ValueRange) { return nullptr; }
unsigned SinOp::getPayloadCost() { return 20; }
LogicalResult SinOp::buildVjp(OpBuilder &, ArrayRef<Value>, const llvm::SmallBitVector &, MutableArrayRef<Value>) { return failure(); }
Value SinhOp::buildScalarPayload(OpBuilder &, Location, ValueRange) { return nullptr; }
unsigned SinhOp::getPayloadCost() { return 20; }
LogicalResult SinhOp::buildVjp(OpBuilder &, ArrayRef<Value>, const llvm::SmallBitVector &, MutableArrayRef<Value>) { return failure(); }
Value TanOp::buildScalarPayload(OpBuilder &, Location, ValueRange) { return nullptr; }
unsigned TanOp::getPayloadCost() { return 20; }
LogicalResult TanOp::buildVjp(OpBuilder &, ArrayRef<Value>, const llvm::SmallBitVector &, MutableArrayRef<Value>) { return failure(); }
Value TruncOp::buildScalarPayload(OpBuilder &, Location, ValueRange) { return nullptr; }
bool TruncOp::isDifferentiableOperand(unsigned) { return false; }
