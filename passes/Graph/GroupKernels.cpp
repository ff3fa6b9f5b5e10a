// burn-group-kernels: marks kernels that run at the same time as the one before.
#include "passes/Graph/Accesses.h"
#include "passes/Graph/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace burn::compiler {
#define GEN_PASS_DEF_GROUPKERNELS
#include "passes/Graph/Passes.h.inc"
} // namespace burn::compiler

using namespace mlir;
using namespace burn;
using namespace burn::compiler;

namespace {

int64_t byteSize(Value value) { return ir::toTypeDesc(value.getType())->byteSize(); }

int64_t bytesMoved(ir::FusedOp fused) {
  int64_t bytes = 0;
  for (Value value : llvm::concat<Value>(SmallVector<Value>(fused.getInputs()), SmallVector<Value>(fused.getResults())))
    bytes += byteSize(value);
  return bytes;
}

// Consecutive kernels of which none waits for another.
class Group {
public:
  bool isEmpty() const { return kernels_.empty(); }

  void add(ir::FusedOp fused) {
    kernels_.insert(fused);
    for (Value operand : fused.getInputs())
      read_.insert(bufferOf(operand));
  }

  bool takes(ir::FusedOp fused) const {
    for (Value operand : fused.getInputs()) {
      Value buffer = bufferOf(operand);
      if (Operation *producer = buffer.getDefiningOp(); producer && kernels_.contains(producer))
        return false;
      // Alone it could write its result over the operand, which the others must not lose meanwhile.
      if (read_.contains(buffer) && isLastRead(fused, buffer) && couldReplace(fused, operand, buffer))
        return false;
    }
    return true;
  }

private:
  // Whether nothing behind the kernel reads the buffer.
  static bool isLastRead(ir::FusedOp fused, Value buffer) {
    SmallVector<Value> sharing{buffer};
    while (!sharing.empty())
      for (Operation *user : sharing.pop_back_val().getUsers()) {
        for (Value result : user->getResults())
          if (bufferOf(result) == buffer)
            sharing.push_back(result);
        Operation *inBlock = fused->getBlock()->findAncestorOpInBlock(*user);
        if (inBlock && fused->isBeforeInBlock(inBlock))
          return false;
      }
    return true;
  }

  static bool couldReplace(ir::FusedOp fused, Value operand, Value buffer) {
    return llvm::any_of(fused.getResults(), [&](Value result) { return byteSize(result) == byteSize(buffer); });
  }

  llvm::SmallPtrSet<Operation *, 8> kernels_;
  llvm::DenseSet<Value> read_;
};

// A kernel that moves more than this keeps all threads busy by itself, and would push what others need out of the
// caches.
constexpr int64_t kMostBytes = 32 << 20;
// Buffers of a group live until its last kernel ends.
constexpr size_t kMostKernels = 16;

void groupKernels(Block &block) {
  Group group;
  size_t size = 0;
  for (Operation &op : block) {
    auto fused = dyn_cast<ir::FusedOp>(op);
    if (!fused) {
      // Reshapes and constants are no code.
      if (!isa<ir::ReshapeOp, ir::ConstantOp>(op))
        group = Group();
      for (Region &region : op.getRegions())
        for (Block &inner : region)
          groupKernels(inner);
      continue;
    }
    const bool large = bytesMoved(fused) > kMostBytes;
    if (!large && !group.isEmpty() && size < kMostKernels && group.takes(fused)) {
      fused->setAttr(kJoinsAttr, UnitAttr::get(fused.getContext()));
      ++size;
    } else {
      group = Group();
      size = 1;
    }
    if (large)
      group = Group();
    else
      group.add(fused);
  }
}

struct GroupKernels : compiler::impl::GroupKernelsBase<GroupKernels> {
  void runOnOperation() override {
    for (Block &block : getOperation().getBody())
      groupKernels(block);
  }
};

} // namespace
