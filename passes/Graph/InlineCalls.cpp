// burn-inline-calls: replaces calls by the bodies of their callees.
#include "passes/Graph/Passes.h"

#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/SetVector.h"

namespace burn::compiler {
#define GEN_PASS_DEF_INLINECALLS
#include "passes/Graph/Passes.h.inc"
} // namespace burn::compiler

using namespace mlir;
using namespace burn;
using namespace burn::compiler;

namespace {

struct InlineCalls : compiler::impl::InlineCallsBase<InlineCalls> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (failed(inlineInto(function, symbols)))
        return signalPassFailure();
    done_.clear();
    for (auto function : llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>()))
      if (function.isPrivate() && called_.contains(function))
        symbols.erase(function);
    called_.clear();
  }

private:
  // Callees first, so that what is copied holds no call any more.
  LogicalResult inlineInto(func::FuncOp function, SymbolTable &symbols) {
    if (done_.contains(function))
      return success();
    callers_.insert(function);
    SmallVector<ir::CallOp> calls;
    function.walk([&](ir::CallOp call) { calls.push_back(call); });
    for (ir::CallOp call : calls) {
      auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
      if (!callee || !callee.getBody().hasOneBlock())
        return call.emitOpError("expects a callee of one block");
      if (callers_.contains(callee)) {
        InFlightDiagnostic error = call.emitOpError("is recursive: programs cannot call themselves");
        error.attachNote(callee.getLoc()) << "see the function that is called again";
        return error;
      }
      if (failed(inlineInto(callee, symbols)))
        return failure();
      OpBuilder builder(call);
      call->replaceAllUsesWith(ir::inlineRegion(builder, callee.getBody(), call.getInputs()));
      call.erase();
      called_.insert(callee);
    }
    callers_.remove(function);
    done_.insert(function);
    return success();
  }

  llvm::SetVector<Operation *> callers_;
  llvm::DenseSet<Operation *> done_, called_;
};

} // namespace
