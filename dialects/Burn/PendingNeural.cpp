// Roles of ops that are not written yet.
#include "dialects/Burn/Burn.h"

using namespace mlir;
using namespace burn::ir;

LogicalResult SiluOp::buildVjp(OpBuilder &, ArrayRef<Value>, const llvm::SmallBitVector &, MutableArrayRef<Value>) { return failure(); }
SmallVector<Value> SiluOp::decompose(OpBuilder &) { return {}; }
LogicalResult SoftplusOp::buildVjp(OpBuilder &, ArrayRef<Value>, const llvm::SmallBitVector &, MutableArrayRef<Value>) { return failure(); }
SmallVector<Value> SoftplusOp::decompose(OpBuilder &) { return {}; }
LogicalResult MishOp::buildVjp(OpBuilder &, ArrayRef<Value>, const llvm::SmallBitVector &, MutableArrayRef<Value>) { return failure(); }
SmallVector<Value> MishOp::decompose(OpBuilder &) { return {}; }
LogicalResult EluOp::buildVjp(OpBuilder &, ArrayRef<Value>, const llvm::SmallBitVector &, MutableArrayRef<Value>) { return failure(); }
SmallVector<Value> EluOp::decompose(OpBuilder &) { return {}; }
LogicalResult SeluOp::buildVjp(OpBuilder &, ArrayRef<Value>, const llvm::SmallBitVector &, MutableArrayRef<Value>) { return failure(); }
SmallVector<Value> SeluOp::decompose(OpBuilder &) { return {}; }
LogicalResult CeluOp::buildVjp(OpBuilder &, ArrayRef<Value>, const llvm::SmallBitVector &, MutableArrayRef<Value>) { return failure(); }
SmallVector<Value> CeluOp::decompose(OpBuilder &) { return {}; }
LogicalResult HardSigmoidOp::buildVjp(OpBuilder &, ArrayRef<Value>, const llvm::SmallBitVector &, MutableArrayRef<Value>) { return failure(); }
SmallVector<Value> HardSigmoidOp::decompose(OpBuilder &) { return {}; }
LogicalResult HardSwishOp::buildVjp(OpBuilder &, ArrayRef<Value>, const llvm::SmallBitVector &, MutableArrayRef<Value>) { return failure(); }
SmallVector<Value> HardSwishOp::decompose(OpBuilder &) { return {}; }
LogicalResult LeakyReluOp::buildVjp(OpBuilder &, ArrayRef<Value>, const llvm::SmallBitVector &, MutableArrayRef<Value>) { return failure(); }
SmallVector<Value> LeakyReluOp::decompose(OpBuilder &) { return {}; }
LogicalResult LogSigmoidOp::buildVjp(OpBuilder &, ArrayRef<Value>, const llvm::SmallBitVector &, MutableArrayRef<Value>) { return failure(); }
SmallVector<Value> LogSigmoidOp::decompose(OpBuilder &) { return {}; }
LogicalResult LogsumexpOp::buildVjp(OpBuilder &, ArrayRef<Value>, const llvm::SmallBitVector &, MutableArrayRef<Value>) { return failure(); }
SmallVector<Value> LogsumexpOp::decompose(OpBuilder &) { return {}; }
LogicalResult LayerNormOp::buildVjp(OpBuilder &, ArrayRef<Value>, const llvm::SmallBitVector &, MutableArrayRef<Value>) { return failure(); }
SmallVector<Value> LayerNormOp::decompose(OpBuilder &) { return {}; }
LogicalResult GroupNormOp::buildVjp(OpBuilder &, ArrayRef<Value>, const llvm::SmallBitVector &, MutableArrayRef<Value>) { return failure(); }
SmallVector<Value> GroupNormOp::decompose(OpBuilder &) { return {}; }
LogicalResult RmsNormOp::buildVjp(OpBuilder &, ArrayRef<Value>, const llvm::SmallBitVector &, MutableArrayRef<Value>) { return failure(); }
SmallVector<Value> RmsNormOp::decompose(OpBuilder &) { return {}; }
LogicalResult AttentionOp::buildVjp(OpBuilder &, ArrayRef<Value>, const llvm::SmallBitVector &, MutableArrayRef<Value>) { return failure(); }
SmallVector<Value> AttentionOp::decompose(OpBuilder &) { return {}; }
LogicalResult EmbeddingOp::buildVjp(OpBuilder &, ArrayRef<Value>, const llvm::SmallBitVector &, MutableArrayRef<Value>) { return failure(); }
bool EmbeddingOp::isDifferentiableOperand(unsigned) { return false; }
SmallVector<Value> EmbeddingOp::decompose(OpBuilder &) { return {}; }
LogicalResult InterpolateOp::buildVjp(OpBuilder &, ArrayRef<Value>, const llvm::SmallBitVector &, MutableArrayRef<Value>) { return failure(); }
SmallVector<Value> InterpolateOp::decompose(OpBuilder &) { return {}; }
LogicalResult RopeOp::buildVjp(OpBuilder &, ArrayRef<Value>, const llvm::SmallBitVector &, MutableArrayRef<Value>) { return failure(); }
bool RopeOp::isDifferentiableOperand(unsigned) { return false; }
SmallVector<Value> RopeOp::decompose(OpBuilder &) { return {}; }
SmallVector<Value> AdamwUpdateOp::decompose(OpBuilder &) { return {}; }
SmallVector<Value> QuantizeOp::decompose(OpBuilder &) { return {}; }
LogicalResult DequantizeOp::buildVjp(OpBuilder &, ArrayRef<Value>, const llvm::SmallBitVector &, MutableArrayRef<Value>) { return failure(); }
bool DequantizeOp::isDifferentiableOperand(unsigned) { return false; }
SmallVector<Value> DequantizeOp::decompose(OpBuilder &) { return {}; }
bool UniformOp::isDifferentiableOperand(unsigned) { return false; }
SmallVector<Value> UniformOp::decompose(OpBuilder &) { return {}; }
bool NormalOp::isDifferentiableOperand(unsigned) { return false; }
SmallVector<Value> NormalOp::decompose(OpBuilder &) { return {}; }
SmallVector<Value> BernoulliOp::decompose(OpBuilder &) { return {}; }
SmallVector<Value> CategoricalOp::decompose(OpBuilder &) { return {}; }
