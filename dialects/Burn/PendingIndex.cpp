// Roles of ops that are not written yet.
#include "dialects/Burn/Burn.h"

using namespace mlir;
using namespace burn::ir;

LogicalResult SortOp::buildVjp(OpBuilder &, ArrayRef<Value>, const llvm::SmallBitVector &, MutableArrayRef<Value>) { return failure(); }
LogicalResult TopkOp::buildVjp(OpBuilder &, ArrayRef<Value>, const llvm::SmallBitVector &, MutableArrayRef<Value>) { return failure(); }
LogicalResult MomentsOp::buildVjp(OpBuilder &, ArrayRef<Value>, const llvm::SmallBitVector &, MutableArrayRef<Value>) { return failure(); }
SmallVector<Value> MomentsOp::decompose(OpBuilder &) { return {}; }
LogicalResult ScanOp::buildVjp(OpBuilder &, ArrayRef<Value>, const llvm::SmallBitVector &, MutableArrayRef<Value>) { return failure(); }
LogicalResult LinearScanOp::buildVjp(OpBuilder &, ArrayRef<Value>, const llvm::SmallBitVector &, MutableArrayRef<Value>) { return failure(); }
