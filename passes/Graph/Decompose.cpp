// burn-decompose: replaces composites by primitive ops.
#include "dialects/Burn/Burn.h"
#include "passes/Codegen/AttentionTiles.h"
#include "passes/Codegen/DirectConvolution.h"
#include "passes/Graph/Passes.h"
#include "passes/Graph/SizeWatch.h"
#include "passes/Graph/SplitConcat.h"
#include "passes/Graph/SplitDilated.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Pass/Pass.h"

namespace burn::compiler {
#define GEN_PASS_DEF_DECOMPOSE
#include "passes/Graph/Passes.h.inc"
} // namespace burn::compiler

using namespace mlir;
using namespace burn;
using namespace burn::compiler;

namespace {

// Elements that several updates meet are added up and multiplied in f32, as by reductions.
void widenScatter(ir::ScatterOp scatter) {
  auto type = cast<RankedTensorType>(scatter.getType());
  const bool combines =
      scatter.getCombiner() == ir::ScatterCombiner::Add || scatter.getCombiner() == ir::ScatterCombiner::Mul;
  if (!combines || !isa<Float16Type, BFloat16Type>(type.getElementType()))
    return;
  OpBuilder b(scatter);
  const Location loc = scatter.getLoc();
  auto widened = [&](Value value) -> Value {
    return ir::ConvertOp::create(b, loc, cast<RankedTensorType>(value.getType()).clone(b.getF32Type()), value);
  };
  IRMapping wide;
  wide.map(scatter.getInput(), widened(scatter.getInput()));
  wide.map(scatter.getUpdates(), widened(scatter.getUpdates()));
  Operation *inF32 = b.clone(*scatter, wide);
  inF32->getResult(0).setType(type.clone(b.getF32Type()));
  scatter.replaceAllUsesWith(Value(ir::ConvertOp::create(b, loc, type, inF32->getResult(0))));
  scatter.erase();
}

bool isNarrow(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && isa<Float16Type, BFloat16Type>(tensor.getElementType());
}

// Puts an op on f16 or bf16 in f32, between conversions: as its derivative has it, so that both share the work.
void computeInF32(Operation *op) {
  OpBuilder b(op);
  const auto converted = [&](Value value, Type element) -> Value {
    auto type = cast<RankedTensorType>(value.getType()).clone(element);
    return ir::ConvertOp::create(b, op->getLoc(), type, value);
  };
  IRMapping wide;
  for (Value operand : op->getOperands())
    if (isNarrow(operand.getType()) && !wide.contains(operand))
      wide.map(operand, converted(operand, b.getF32Type()));
  Operation *inF32 = b.clone(*op, wide);
  SmallVector<Value> results;
  for (auto [result, before] : llvm::zip_equal(inF32->getResults(), op->getResults())) {
    const Type element = cast<RankedTensorType>(before.getType()).getElementType();
    if (isNarrow(before.getType()))
      result.setType(cast<RankedTensorType>(before.getType()).clone(b.getF32Type()));
    results.push_back(isNarrow(before.getType()) ? converted(result, element) : Value(result));
  }
  op->replaceAllUsesWith(results);
  op->erase();
}

struct Decompose : compiler::impl::DecomposeBase<Decompose> {
  using DecomposeBase::DecomposeBase;

  void runOnOperation() override {
    WalkResult walked = getOperation()->walk([&](ir::CompositeOpInterface composite) {
      if (native && hasAttentionKernel(composite)) {
        if (llvm::any_of(composite->getOperandTypes(), isNarrow))
          computeInF32(composite);
        return WalkResult::advance();
      }
      SizeWatch sizes;
      OpBuilder builder(composite->getContext(), &sizes);
      builder.setInsertionPoint(composite);
      SmallVector<Value> results = composite.decompose(builder);
      if (results.size() != composite->getNumResults()) {
        composite->emitOpError("has no decomposition");
        return WalkResult::interrupt();
      }
      if (failed(sizes.check(composite)))
        return WalkResult::interrupt();
      composite->replaceAllUsesWith(results);
      composite->erase();
      return WalkResult::advance();
    });
    if (walked.wasInterrupted())
      return signalPassFailure();
    getOperation()->walk(widenScatter);
    SmallVector<ir::ConvOp> convs;
    if (native && !keepDilated)
      getOperation()->walk([&](ir::ConvOp conv) { convs.push_back(conv); });
    for (ir::ConvOp conv : convs)
      if (!directConvolutionOf(conv)) // whose kernel skips gaps itself
        splitDilated(conv);
    SmallVector<ir::ConcatOp> concats;
    getOperation()->walk([&](ir::ConcatOp concat) { concats.push_back(concat); });
    llvm::for_each(concats, splitConcat);
  }
};

} // namespace
