#include "passes/Graph/SplitConcat.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace burn;

namespace {
// An element is then copied twice and compared with 64 places where 1,000 tensors are joined.
constexpr size_t kMostOperands = 32;
} // namespace

void compiler::splitConcat(ir::ConcatOp concat) {
  SmallVector<Value> parts(concat.getOperands());
  if (parts.size() <= kMostOperands)
    return;
  ImplicitLocOpBuilder b(concat.getLoc(), concat);
  while (parts.size() > kMostOperands) {
    SmallVector<Value> joined;
    for (size_t first = 0; first < parts.size(); first += kMostOperands)
      joined.push_back(
          ir::ConcatOp::create(b, ArrayRef(parts).drop_front(first).take_front(kMostOperands), concat.getAxis()));
    // Without it they would be copied into the kernel that reads them.
    auto barrier = ir::BarrierOp::create(b, joined);
    parts.assign(barrier->result_begin(), barrier->result_end());
  }
  concat.replaceAllUsesWith(Value(ir::ConcatOp::create(b, parts, concat.getAxis())));
  concat.erase();
}
