#include "passes/Graph/SplitConcat.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace burn;

namespace {
// An element is then copied twice and compared with 64 places where 1,000 tensors are joined.
constexpr uint64_t kMostOperands = 32;
} // namespace

void compiler::splitConcat(ir::ConcatOp concat) {
  SmallVector<Value> parts(concat.getOperands());
  if (parts.size() <= kMostOperands)
    return;
  ImplicitLocOpBuilder b(concat.getLoc(), concat);
  while (parts.size() > kMostOperands) {
    // As even as can be: a group of one would be a copy.
    const size_t groups = llvm::divideCeil(parts.size(), kMostOperands);
    SmallVector<Value> joined;
    ArrayRef<Value> rest = parts;
    for (size_t group = 0; group < groups; ++group) {
      const size_t count = parts.size() / groups + (group < parts.size() % groups);
      joined.push_back(ir::ConcatOp::create(b, rest.take_front(count), concat.getAxis()));
      rest = rest.drop_front(count);
    }
    // Without it they would be copied into the kernel that reads them.
    auto barrier = ir::BarrierOp::create(b, joined);
    parts.assign(barrier->result_begin(), barrier->result_end());
  }
  concat.replaceAllUsesWith(Value(ir::ConcatOp::create(b, parts, concat.getAxis())));
  concat.erase();
}
