#include "passes/Codegen/Extremum.h"
#include "passes/Codegen/SingleKernels.h"
#include "passes/Codegen/WindowRows.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace burn;
using namespace burn::compiler;

FailureOr<KernelCode> compiler::buildWindowGradientKernel(OpBuilder &atModule, ir::FusedOp fused, ir::ScatterOp scatter,
                                                          ir::ArgReduceWindowOp search, StringRef name) {
  const Location loc = scatter.getLoc();
  auto input = cast<RankedTensorType>(search.getInput().getType());
  auto windows = cast<RankedTensorType>(search.getIndex().getType());
  auto updates = cast<RankedTensorType>(scatter.getUpdates().getType());
  const ArrayRef<int64_t> window = search.getWindow(), strides = search.getStrides();
  KernelCode code;
  func::FuncOp func = createPhase(atModule, fused, name, 0, false);
  PhaseArguments arguments(func, fused, false, false);
  OpBuilder b = OpBuilder::atBlockEnd(&func.getBody().front());
  WindowRows rows(input.getShape(), windows.getShape(), window, strides, /*covering=*/true);
  ElementEmitter emitter(b, loc, fused.getBody().front(), arguments.operands, rows.sizes());
  const ExtremumSearch extremum(search.getKind(), input.getElementType());
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(registerType(updates.getElementType())));
  bool failed = false;

  const auto atWindows = [&] {
    // Among the elements of a window, in order: the last one that is better than all before it is the extremum.
    Value best;
    SmallVector<Value> better;
    WindowRows::forPlaces(window.drop_back(), [&](ArrayRef<int64_t> within) {
      SmallVector<Value> elements = rows.deal(search.getInput(), within);
      failed |= elements.empty();
      for (Value element : elements) {
        better.push_back(best ? extremum.replaces(b, loc, best, element) : Value());
        best = best ? Value(arith::SelectOp::create(b, loc, better.back(), element, best)) : element;
      }
    });
    Value update;
    rows.inWindows([&](ArrayRef<AffineExpr> index) {
      // The dims of windows along which places count are one dim of the updates.
      const size_t before = search.getIndexDims().front(), count = search.getIndexDims().size();
      ElementIndex place;
      llvm::append_range(place, index.take_front(before));
      place.push_back(linearIndex(index.slice(before, count), windows.getShape().slice(before, count), b.getContext()));
      llvm::append_range(place, index.drop_front(before + count));
      update = emitter.emitVector(scatter.getUpdates(), place);
    });
    failed |= !update;
    if (failed)
      return;
    Value none = vector::BroadcastOp::create(b, loc, update.getType(), zero);
    update = ir::ScalarOps(b, loc, updates.getElementType()).add(none, update);
    SmallVector<Value> gradients(better.size());
    Value later; // whether a later place is better
    for (size_t i = better.size(); i-- != 0;) {
      Value isEarlier;
      if (later) {
        Value all = arith::ConstantOp::create(
            b, loc, DenseElementsAttr::get(cast<VectorType>(later.getType()), b.getBoolAttr(true)));
        isEarlier = arith::XOrIOp::create(b, loc, later, all);
      }
      Value wins = better[i];
      if (isEarlier)
        wins = wins ? Value(arith::AndIOp::create(b, loc, wins, isEarlier)) : isEarlier;
      gradients[i] = wins ? Value(arith::SelectOp::create(b, loc, wins, update, none)) : update;
      if (better[i])
        later = later ? Value(arith::OrIOp::create(b, loc, later, better[i])) : better[i];
    }
    ArrayRef<Value> rest(gradients);
    WindowRows::forPlaces(strides.drop_back(), [&](ArrayRef<int64_t> within) {
      const bool inWindow = llvm::all_of(llvm::zip(within, window),
                                         [](const auto &pair) { return std::get<0>(pair) < std::get<1>(pair); });
      rows.storeRow(inWindow ? rest.take_front(window.back()) : ArrayRef<Value>(), zero, arguments.results[0], within);
      if (inWindow)
        rest = rest.drop_front(window.back());
    });
  };
  const auto outside = [&] {
    WindowRows::forPlaces(strides.drop_back(),
                          [&](ArrayRef<int64_t> within) { rows.storeRow({}, zero, arguments.results[0], within); });
  };
  const int64_t tasks = rows.forWindows(b, loc, emitter, arguments, atWindows, outside);
  code.phases.push_back({func, tasks});
  func::ReturnOp::create(b, loc);
  if (failed)
    return failure();
  return code;
}
