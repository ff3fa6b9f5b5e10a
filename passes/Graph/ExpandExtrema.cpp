// burn-expand-extrema: writes extrema over windows and their gradients as elementwise ops where channels are last.
#include "passes/Graph/Accesses.h"
#include "passes/Graph/LayoutDims.h"
#include "passes/Graph/Passes.h"
#include "passes/Graph/WindowGradient.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Pass/Pass.h"

namespace burn::compiler {
#define GEN_PASS_DEF_EXPANDEXTREMA
#include "passes/Graph/Passes.h.inc"
} // namespace burn::compiler

using namespace mlir;
using namespace burn;
using namespace burn::compiler;

namespace {

// Each place of a window is read by an op of its own.
constexpr int64_t kMostPlaces = 9;
// Vectors run along the last dim.
constexpr int64_t kFewestChannels = 16;
// Ops that cost more are not repeated for each place, nor longer chains of others.
constexpr unsigned kMostOpCost = 12, kMostDepth = 8;

/// The extrema of one tensor over windows that lie side by side, the places at which they stand, and what these places
/// are searched for: gradients.
class Expansion {
public:
  Expansion(ir::ArgReduceWindowOp search, ArrayRef<ir::ScatterOp> gradients)
      : search(search), gradients(gradients), input(search.getInput()), shape(typeOf(input).getShape()),
        window(search.getWindow()), result(typeOf(search.getValue()).getShape()), b(search.getLoc(), search) {
    b.setInsertionPointAfterValue(input);
  }

  static bool fits(ir::ArgReduceWindowOp search) {
    const auto type = typeOf(search.getInput());
    const ArrayRef<int64_t> window = search.getWindow();
    const auto isAll = [](ArrayRef<int64_t> values, int64_t wanted) {
      return llvm::all_of(values, [&](int64_t value) { return value == wanted; });
    };
    const int64_t places = ShapedType::getNumElements(window);
    return type.getRank() >= 2 && isa<FloatType>(type.getElementType()) && window.back() == 1 &&
           type.getShape().back() >= kFewestChannels && places > 1 && places <= kMostPlaces &&
           window == search.getStrides() && isAll(search.getPadLow(), 0) && isAll(search.getPadHigh(), 0) &&
           isAll(search.getWindowDilation(), 1) && typeOf(search.getValue()).getNumElements() > 0;
  }

  void run() {
    const int64_t places = ShapedType::getNumElements(window);
    Value best, extremum, place;
    const auto kind = search.getKind() == ir::ExtremumKind::Max ? ir::CompareDirection::GT : ir::CompareDirection::LT;
    for (int64_t number = 0; number < places; ++number) {
      Value element = at(input, number, 0);
      Value here = splat(RankedTensorType::get(result, b.getI8Type()), b.getI8IntegerAttr(int8_t(number)));
      if (number == 0) {
        best = extremum = element, place = here;
        continue;
      }
      extremum = search.getKind() == ir::ExtremumKind::Max ? Value(ir::MaxOp::create(b, extremum, element))
                                                           : Value(ir::MinOp::create(b, extremum, element));
      // The first NaN wins over everything.
      Value better = ir::CompareOp::create(b, kind, element, best);
      Value first = ir::AndOp::create(b, ir::CompareOp::create(b, ir::CompareDirection::NE, element, element),
                                      ir::CompareOp::create(b, ir::CompareDirection::EQ, best, best));
      better = ir::OrOp::create(b, better, first);
      best = ir::SelectOp::create(b, better, element, best);
      place = ir::SelectOp::create(b, better, here, place);
    }
    for (Operation *user : llvm::make_early_inc_range(input.getUsers()))
      if (auto reduce = dyn_cast<ir::ReduceWindowOp>(user); reduce && isSame(reduce))
        replace(reduce, extremum);
    for (ir::ScatterOp scatter : gradients)
      replace(scatter, gradient(scatter, place));
    search.getValue().replaceAllUsesWith(best);
  }

private:
  bool isSame(ir::ReduceWindowOp reduce) {
    const auto wanted = search.getKind() == ir::ExtremumKind::Max ? ir::ReduceKind::Max : ir::ReduceKind::Min;
    return reduce.getKind() == wanted && reduce.getWindow() == window && reduce.getStrides() == search.getStrides() &&
           reduce.getPadLow() == search.getPadLow() && reduce.getPadHigh() == search.getPadHigh() &&
           reduce.getWindowDilation() == search.getWindowDilation() &&
           llvm::all_of(reduce.getBaseDilation(), [](int64_t value) { return value == 1; });
  }

  static void replace(Operation *op, Value value) {
    op->getResult(0).replaceAllUsesWith(value);
    op->erase();
  }

  Value splat(RankedTensorType type, Attribute element) {
    return ir::ConstantOp::create(b, type, DenseElementsAttr::get(type, element));
  }

  /// Whether nothing needs the value in memory but what could compute it.
  static bool isOnlyRead(Value value) {
    return llvm::all_of(value.getUsers(), [](Operation *user) {
      return isa<ir::ElementwiseOpInterface, ir::ReduceWindowOp, ir::ArgReduceWindowOp, ir::TransposeOp, ir::ReduceOp>(
          user);
    });
  }

  /// Whether the op follows on a product or convolution that serves it alone: their kernel stores its result.
  static bool isEpilogue(Operation *op) {
    return llvm::any_of(op->getOperands(), [](Value operand) {
      Operation *source = operand.getDefiningOp();
      return source && isa<ir::ConvOp, ir::DotGeneralOp>(source) && source->hasOneUse();
    });
  }

  /// The elements of a value that stand at place `number` of each window. Cheap arithmetic is applied to such elements
  /// of its operands, so that what it reads need not be stored.
  Value at(Value value, int64_t number, unsigned depth) {
    Value &made = places[{value, number}];
    if (made)
      return made;
    const auto type = typeOf(value);
    const auto sliced = RankedTensorType::get(result, type.getElementType());
    Operation *op = value.getDefiningOp();
    if (auto constant = dyn_cast_or_null<ir::ConstantOp>(op); constant && constant.getValue().isSplat())
      return made = ir::ConstantOp::create(
                 b, sliced, cast<DenseElementsAttr>(constant.getValue()).resizeSplat(cast<ShapedType>(sliced)));
    if (auto broadcast = dyn_cast_or_null<ir::BroadcastOp>(op)) {
      const auto operand = typeOf(broadcast.getInput());
      bool isLike = true; // in all windows
      for (auto [dim, size] : llvm::zip_equal(broadcast.getDims(), operand.getShape()))
        isLike &= size == 1 || (window[dim] == 1 && size == result[dim]);
      if (isLike)
        return made = ir::BroadcastOp::create(b, sliced, broadcast.getInput(), broadcast.getDims());
    }
    if (op && isa<ir::ElementwiseOpInterface>(op) && op->getNumResults() == 1 && payloadCost(op) <= kMostOpCost &&
        depth < kMostDepth && isOnlyRead(value) && !isEpilogue(op) &&
        llvm::all_of(op->getOperands(), [&](Value operand) { return typeOf(operand).getShape() == shape; })) {
      SmallVector<Value> operands;
      for (Value operand : op->getOperands())
        operands.push_back(at(operand, number, depth + 1));
      OperationState state(op->getLoc(), op->getName(), operands, TypeRange(sliced), op->getAttrs());
      return places[{value, number}] = b.create(state)->getResult(0);
    }
    DimOrder starts = delinearized(number);
    return places[{value, number}] =
               ir::SliceOp::create(b, value, starts, DimOrder(result), llvm::to_vector(search.getStrides()));
  }

  DimOrder delinearized(int64_t number) const {
    DimOrder index(window.size());
    for (size_t dim = window.size(); dim-- != 0; number /= window[dim])
      index[dim] = number % window[dim];
    return index;
  }

  /// [.., windows, places, ..] for each dim that windows have places along; a tensor over windows or over places is the
  /// same along the others.
  Value spread(Value value, ArrayRef<int64_t> dims) {
    const Type element = typeOf(value).getElementType();
    DimOrder split, covered;
    for (auto [dim, size] : llvm::enumerate(window)) {
      split.push_back(result[dim]);
      if (size != 1)
        split.push_back(size);
      covered.push_back(result[dim] * size);
    }
    Value wide = ir::BroadcastOp::create(b, RankedTensorType::get(split, element), value, dims);
    wide = ir::ReshapeOp::create(b, RankedTensorType::get(covered, element), wide);
    if (ArrayRef<int64_t>(covered) == shape)
      return wide;
    // Elements behind the last windows.
    DimOrder high;
    for (auto [size, whole] : llvm::zip_equal(covered, shape))
      high.push_back(whole - size);
    const auto scalar = RankedTensorType::get({}, element);
    const Attribute none = isa<FloatType>(element) ? Attribute(b.getZeroAttr(element)) : b.getIntegerAttr(element, -1);
    const DimOrder zeros(high.size(), 0);
    return ir::PadOp::create(b, wide, splat(scalar, none), zeros, high, zeros);
  }

  static bool isTransposed(Value value) {
    while (auto reshape = value.getDefiningOp<ir::ReshapeOp>())
      value = reshape.getInput();
    return value.getDefiningOp<ir::TransposeOp>() != nullptr;
  }

  /// The updates where extrema stand, and zeros elsewhere.
  Value gradient(ir::ScatterOp scatter, Value place) {
    b.setInsertionPoint(scatter);
    DimOrder windows, within, sizes;
    int64_t next = 0;
    for (auto [dim, size] : llvm::enumerate(window)) {
      windows.push_back(next++);
      if (size != 1)
        within.push_back(next++), sizes.push_back(size);
    }
    const int64_t count = ShapedType::getNumElements(window);
    Value numbers = ir::IotaOp::create(b, RankedTensorType::get({count}, b.getI8Type()), 0);
    numbers = ir::ReshapeOp::create(b, RankedTensorType::get(sizes, b.getI8Type()), numbers);
    Value updates = scatter.getUpdates();
    // What is transposed is so once, not by each element of a window.
    if (isTransposed(updates))
      updates = ir::BarrierOp::create(b, updates).getResult(0);
    updates = ir::ReshapeOp::create(b, RankedTensorType::get(result, typeOf(updates).getElementType()), updates);
    const auto type = RankedTensorType::get(shape, typeOf(updates).getElementType());
    Value zero = splat(type, b.getZeroAttr(type.getElementType()));
    Value stands = ir::CompareOp::create(b, ir::CompareDirection::EQ, spread(place, windows), spread(numbers, within));
    Value spreadUpdates = ir::SelectOp::create(b, stands, spread(updates, windows), zero);
    // As the scatter adds to zeros, which has no -0.
    Value sums = ir::AddOp::create(b, spreadUpdates, zero);
    return ir::ReshapeOp::create(b, typeOf(scatter.getResult()), sums);
  }

  ir::ArgReduceWindowOp search;
  ArrayRef<ir::ScatterOp> gradients;
  Value input;
  ArrayRef<int64_t> shape, window, result;
  ImplicitLocOpBuilder b;
  llvm::DenseMap<std::pair<Value, int64_t>, Value> places;
};

struct ExpandExtrema : compiler::impl::ExpandExtremaBase<ExpandExtrema> {
  void runOnOperation() override {
    SmallVector<ir::ArgReduceWindowOp> searches;
    getOperation()->walk([&](ir::ArgReduceWindowOp search) { searches.push_back(search); });
    for (ir::ArgReduceWindowOp search : searches) {
      if (!Expansion::fits(search))
        continue;
      if (std::optional<SmallVector<ir::ScatterOp>> gradients = gradientsOf(search)) {
        Expansion(search, *gradients).run();
        eraseUnused(search);
      }
    }
  }

private:
  /// What the places serve, if that is gradients alone.
  static std::optional<SmallVector<ir::ScatterOp>> gradientsOf(ir::ArgReduceWindowOp search) {
    SmallVector<ir::ScatterOp> gradients;
    SmallVector<Operation *> users(search.getIndex().getUsers());
    while (!users.empty()) {
      Operation *user = users.pop_back_val();
      if (isa<ir::ReshapeOp>(user)) {
        llvm::append_range(users, user->getUsers());
        continue;
      }
      auto scatter = dyn_cast<ir::ScatterOp>(user);
      if (!scatter || windowGradientOf(scatter) != search || llvm::is_contained(gradients, scatter))
        return std::nullopt;
      gradients.push_back(scatter);
    }
    return gradients.empty() ? std::nullopt : std::optional(gradients);
  }

  static void eraseUnused(ir::ArgReduceWindowOp search) {
    SmallVector<Operation *> reshapes(search.getIndex().getUsers());
    for (size_t i = 0; i < reshapes.size(); ++i)
      llvm::append_range(reshapes, reshapes[i]->getUsers());
    for (Operation *reshape : llvm::reverse(reshapes))
      reshape->erase();
    search.erase();
  }
};

} // namespace
