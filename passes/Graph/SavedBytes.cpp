#include "passes/Graph/SavedBytes.h"

#include "passes/Graph/Accesses.h"

using namespace mlir;
using namespace burn;
using namespace burn::compiler;

namespace {

// As burn-differentiate leaves them; a location of several ops has the parts of all.
bool isOfGradient(Location loc) {
  if (auto name = dyn_cast<NameLoc>(loc))
    return name.getName() == "gradient";
  auto fused = dyn_cast<FusedLoc>(loc);
  return fused && !fused.getLocations().empty() && llvm::all_of(fused.getLocations(), isOfGradient);
}

bool isBackward(ir::FusedOp kernel) {
  // The ops that weigh most decide.
  enum Weight { Movement, Elementwise, Main };
  std::optional<Weight> most;
  bool backward = false;
  for (Operation &op : kernel.getBody().front().without_terminator()) {
    if (isa<ir::ConstantOp>(op))
      continue;
    const Weight weight = isTransparent(&op) ? Movement : isa<ir::ElementwiseOpInterface>(op) ? Elementwise : Main;
    if (weight < most)
      continue;
    backward = isOfGradient(op.getLoc()) && (weight > most || backward);
    most = weight;
  }
  return backward;
}

// Whether a kernel of the backward pass reads the buffer, under any of its names.
bool isReadBackward(Value value) {
  for (OpOperand &use : value.getUses()) {
    Operation *user = use.getOwner();
    if (auto kernel = dyn_cast<ir::FusedOp>(user)) {
      if (isBackward(kernel))
        return true;
      continue;
    }
    for (Value result : user->getResults())
      if (isa<ir::ReshapeOp, ir::BarrierOp, ir::AssertOp, ir::PrintOp>(user) && bufferOf(result) == bufferOf(value) &&
          isReadBackward(result))
        return true;
  }
  return false;
}

} // namespace

int64_t compiler::savedBytes(func::FuncOp func) {
  int64_t bytes = 0;
  func.walk([&](ir::FusedOp kernel) {
    if (isBackward(kernel))
      return;
    for (Value result : kernel.getResults())
      if (isReadBackward(result))
        bytes += static_cast<int64_t>(ir::toTypeDesc(result.getType())->byteSize());
  });
  return bytes;
}
