#include "dialects/Burn/KeptValues.h"
#include "passes/Autodiff/Activity.h"
#include "passes/Autodiff/CotangentMap.h"
#include "passes/Autodiff/Passes.h"
#include "passes/Graph/SizeWatch.h"

#include "mlir/IR/IRMapping.h"

namespace burn::compiler {
#define GEN_PASS_DEF_DIFFERENTIATE
#include "passes/Autodiff/Passes.h.inc"
} // namespace burn::compiler

using namespace mlir;
using namespace burn;
using namespace burn::compiler;

namespace {

/// Gives the ops of the reverse pass the location of the forward op that they belong to, under a
/// name that says so: their errors point to the user's line.
struct ReverseLocations : SizeWatch {
  void notifyOperationInserted(Operation *op, OpBuilder::InsertPoint place) override {
    SizeWatch::notifyOperationInserted(op, place);
    op->setLoc(NameLoc::get(StringAttr::get(op->getContext(), "gradient"), op->getLoc()));
  }
};

Value splat(OpBuilder &builder, Location loc, Type type, double number) {
  auto tensor = cast<RankedTensorType>(type);
  auto value = DenseElementsAttr::get(tensor, Attribute(FloatAttr::get(tensor.getElementType(), number)));
  return ir::ConstantOp::create(builder, loc, tensor, value);
}

/// Takes composites that have no rule of their own apart where a gradient may flow through them.
LogicalResult decomposeWithoutRule(ir::GradOp grad) {
  const Activity activity(grad);
  SmallVector<ir::CompositeOpInterface> composites;
  for (Operation &op : llvm::make_range(grad->getBlock()->begin(), grad->getIterator()))
    if (auto composite = dyn_cast<ir::CompositeOpInterface>(op))
      if (!isa<ir::DifferentiableOpInterface>(op) && llvm::any_of(op.getResults(), hasCotangent) &&
          activity.variedOperands(&op).any())
        composites.push_back(composite);
  for (ir::CompositeOpInterface composite : composites) {
    SizeWatch sizes;
    OpBuilder builder(composite->getContext(), &sizes);
    builder.setInsertionPoint(composite);
    SmallVector<Value> values = composite.decompose(builder);
    if (values.size() != composite->getNumResults())
      return composite->emitOpError("has no decomposition");
    if (failed(sizes.check(composite)))
      return failure();
    // A result that is an operand itself keeps a name of its own: a gradient may be asked for either.
    for (Value &value : values)
      if (llvm::is_contained(composite->getOperands(), value))
        value = ir::ConvertOp::create(builder, composite->getLoc(), value.getType(), value);
    composite->replaceAllUsesWith(values);
    composite->erase();
  }
  return success();
}

bool isNarrow(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && isa<Float16Type, BFloat16Type>(tensor.getElementType());
}

Value converted(OpBuilder &builder, Location loc, Value value, Type element) {
  auto type = cast<RankedTensorType>(value.getType()).clone(element);
  return ir::ConvertOp::create(builder, loc, type, value);
}

/// The reverse sweep of one burn.grad.
class Sweep {
public:
  explicit Sweep(ir::GradOp grad) : grad(grad), activity(grad), builder(grad, &locations) {}

  LogicalResult run() {
    Block::iterator begin = grad->getBlock()->begin(), end = grad->getIterator();
    SmallVector<Operation *> forward =
        llvm::map_to_vector(llvm::make_range(begin, end), [](Operation &op) { return &op; });
    seed(forward.size());
    for (unsigned position = forward.size(); position-- > 0;)
      if (failed(propagate(forward[position], position)))
        return failure();
    SmallVector<Value> gradients;
    for (Value value : grad.getWrt()) {
      Value gradient = cotangents.total(builder, value.getLoc(), value);
      gradients.push_back(gradient ? gradient : splat(builder, value.getLoc(), value.getType(), 0.0));
    }
    grad.replaceAllUsesWith(gradients);
    grad.erase();
    return success();
  }

private:
  void seed(unsigned end) {
    for (auto [i, output] : llvm::enumerate(grad.getOutputs())) {
      if (!activity.isVaried(output))
        continue;
      Value cotangent =
          grad.getCotangents().empty() ? splat(builder, grad.getLoc(), output.getType(), 1.0) : grad.getCotangents()[i];
      cotangents.add(output, end, i, cotangent);
    }
  }

  LogicalResult propagate(Operation *op, unsigned position) {
    llvm::SmallBitVector needed = activity.variedOperands(op);
    if (needed.none())
      return success();
    SmallVector<Value> resultCts;
    for (Value result : op->getResults())
      resultCts.push_back(hasCotangent(result) ? cotangents.total(builder, op->getLoc(), result) : Value());
    if (llvm::none_of(resultCts, [](Value ct) { return ct; }))
      return success();
    Operation *differentiated = op;
    if (isa<ir::CompositeOpInterface>(op) && llvm::any_of(op->getResultTypes(), isNarrow))
      differentiated = widen(op, resultCts);
    auto rule = dyn_cast<ir::DifferentiableOpInterface>(differentiated);
    SmallVector<Value> operandCts(op->getNumOperands());
    if (!rule || failed(rule.buildVjp(builder, resultCts, needed, operandCts))) {
      InFlightDiagnostic error = op->emitOpError("has no derivative, but a gradient flows through it");
      error.attachNote(grad.getLoc()) << "the gradient is taken here";
      return error;
    }
    if (failed(locations.check(op)))
      return failure();
    for (unsigned i : needed.set_bits()) {
      Type element = cast<RankedTensorType>(op->getOperand(i).getType()).getElementType();
      if (operandCts[i] && operandCts[i].getType() != op->getOperand(i).getType())
        operandCts[i] = converted(builder, op->getLoc(), operandCts[i], element);
      cotangents.add(op->getOperand(i), position, i, operandCts[i]);
    }
    return success();
  }

  /// The op in f32, with the cotangents of its results. A composite on f16 or bf16 is computed so, and its reverse rule
  /// too: sums over a batch would not fit into f16. The twin's decomposition is the op's own, and merges with it.
  Operation *widen(Operation *op, MutableArrayRef<Value> resultCts) {
    const Type wide = builder.getF32Type();
    IRMapping operands;
    for (Value operand : op->getOperands())
      if (isNarrow(operand.getType()))
        operands.map(operand, converted(builder, op->getLoc(), operand, wide));
    Operation *twin = builder.clone(*op, operands);
    for (auto [result, ct] : llvm::zip(twin->getResults(), resultCts)) {
      if (!isNarrow(result.getType()))
        continue;
      result.setType(cast<RankedTensorType>(result.getType()).clone(wide));
      if (ct)
        ct = converted(builder, op->getLoc(), ct, wide);
    }
    return twin;
  }

  ir::GradOp grad;
  Activity activity;
  CotangentMap cotangents;
  ReverseLocations locations;
  OpBuilder builder;
};

/// Where a checkpoint keeps a value, derivatives read that instead of what would be computed again for them.
void readKept(func::FuncOp function) {
  function.walk([](ir::CustomVjpOp op) {
    if (!op->hasAttr(ir::kKeptAttr))
      return;
    Value computed = op.getInputs()[0];
    Operation *reader = op;
    while (computed) {
      computed.replaceAllUsesExcept(op.getCaptured()[0], reader);
      reader = computed.getDefiningOp<ir::NameOp>();
      computed = reader ? reader->getOperand(0) : Value();
    }
  });
}

struct DifferentiatePass : compiler::impl::DifferentiateBase<DifferentiatePass> {
  void runOnOperation() override {
    if (failed(differentiate(getOperation())))
      signalPassFailure();
  }
};

} // namespace

LogicalResult compiler::differentiate(func::FuncOp function) {
  // One after the other, from the first on: a rule may leave a burn.grad of its own, which comes before those that
  // differentiate what it computes.
  for (;;) {
    ir::GradOp grad;
    function.walk<WalkOrder::PreOrder>([&](ir::GradOp first) {
      grad = first;
      return WalkResult::interrupt();
    });
    if (!grad) {
      readKept(function);
      return success();
    }
    if (!isa<func::FuncOp, ir::RegionOpInterface>(grad->getParentOp()) || !grad->getParentRegion()->hasOneBlock())
      return grad.emitOpError("is differentiated in straight-line code only: expects to stand in the only block of "
                              "a function or region");
    if (failed(decomposeWithoutRule(grad)) || failed(Sweep(grad).run()))
      return failure();
  }
}
