// burn-decompose: replaces composites by primitive ops.
#include "dialects/Burn/Burn.h"
#include "passes/Graph/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace burn::compiler {
#define GEN_PASS_DEF_DECOMPOSE
#include "passes/Graph/Passes.h.inc"
} // namespace burn::compiler

using namespace mlir;
using namespace burn;
using namespace burn::compiler;

namespace {

struct Decompose : compiler::impl::DecomposeBase<Decompose> {
  using DecomposeBase::DecomposeBase;

  void runOnOperation() override {
    WalkResult walked = getOperation()->walk([](ir::CompositeOpInterface composite) {
      OpBuilder builder(composite);
      SmallVector<Value> results = composite.decompose(builder);
      if (results.size() != composite->getNumResults()) {
        composite->emitOpError("has no decomposition");
        return WalkResult::interrupt();
      }
      composite->replaceAllUsesWith(results);
      composite->erase();
      return WalkResult::advance();
    });
    if (walked.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
