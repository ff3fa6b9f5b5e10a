// burn-layout: puts the channels of images last where convolutions run faster so.
#include "passes/Codegen/DirectConvolution.h"
#include "passes/Graph/LayoutDims.h"
#include "passes/Graph/Passes.h"
#include "passes/Graph/TurnedReduction.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"
#include "llvm/ADT/MapVector.h"

namespace burn::compiler {
#define GEN_PASS_DEF_LAYOUT
#include "passes/Graph/Passes.h.inc"
} // namespace burn::compiler

using namespace mlir;
using namespace burn;
using namespace burn::compiler;

namespace {

// What a convolution gains with its channels last, in nanoseconds of one thread for each multiply-add, and what turning
// an element costs; from measurements on machines with AVX2 and AVX-512.
constexpr double kGainOfProduct = 0.003, kCostOfElement = 0.7;

/// Orders of the tensors of a convolution with which its kernel needs no gathered pixels.
struct ConvOrders {
  TensorOrder lhs, rhs, out;
  /// Of cotangents as large as images, whose result is a kernel.
  bool isOfKernel = false;
  double gain = 0;
};

/// The list of dims with dims by their places in an order.
DimOrder placed(ArrayRef<int64_t> dims, ArrayRef<int64_t> order) {
  const DimOrder places = placesOf(order);
  DimOrder result;
  for (int64_t dim : dims)
    result.push_back(places[dim]);
  return result;
}

ir::ConvOp withOrders(OpBuilder &b, ir::ConvOp conv, Value lhs, Value rhs, const ConvOrders &orders) {
  auto result = cast<ir::ConvOp>(b.clone(*conv));
  result->setOperands({lhs, rhs});
  result->getResult(0).setType(reordered(typeOf(conv.getResult()), orders.out));
  result.setLhsDims(placed(conv.getLhsDims(), orders.lhs));
  result.setRhsDims(placed(conv.getRhsDims(), orders.rhs));
  result.setOutDims(placed(conv.getOutDims(), orders.out));
  return result;
}

/// nullopt for convolutions that are well as they are, or have no such kernel.
std::optional<ConvOrders> ordersOf(ir::ConvOp conv) {
  if (directConvolutionOf(conv))
    return std::nullopt;
  const ConvGeometry given = geometryOf(conv);
  int64_t taps = 1, positions = 1;
  for (size_t i = 0; i < given.strides.size(); ++i) {
    taps *= given.rhsShape[given.rhsDims[2 + i]];
    positions *= given.outShape[given.outDims[2 + i]];
  }
  const auto spatial = [](ArrayRef<int64_t> dims) {
    DimOrder result(dims.drop_front(2));
    llvm::sort(result);
    return result;
  };
  ConvOrders orders;
  orders.isOfKernel = taps > positions;
  const auto around = [&](int64_t first, ArrayRef<int64_t> dims, int64_t last) {
    TensorOrder order{first};
    order.append(spatial(dims));
    order.push_back(last);
    return order;
  };
  if (orders.isOfKernel) {
    orders.lhs = around(given.lhsDims[1], given.lhsDims, given.lhsDims[0]);
    orders.rhs = around(given.rhsDims[1], given.rhsDims, given.rhsDims[0]);
    orders.out = spatial(given.outDims);
    orders.out.append({given.outDims[0], given.outDims[1]});
  } else {
    orders.lhs = around(given.lhsDims[0], given.lhsDims, given.lhsDims[1]);
    orders.rhs = counting(given.rhsDims.size());
    orders.out = around(given.outDims[0], given.outDims, given.outDims[1]);
  }
  const auto shape = [](Value value, ArrayRef<int64_t> order) {
    return llvm::to_vector(reordered(typeOf(value), order).getShape());
  };
  const auto lhsShape = shape(conv.getLhs(), orders.lhs), rhsShape = shape(conv.getRhs(), orders.rhs),
             outShape = shape(conv.getResult(), orders.out);
  const DimOrder lhsDims = placed(given.lhsDims, orders.lhs), rhsDims = placed(given.rhsDims, orders.rhs),
                 outDims = placed(given.outDims, orders.out);
  ConvGeometry turned = given;
  turned.lhsShape = lhsShape, turned.rhsShape = rhsShape, turned.outShape = outShape;
  turned.lhsDims = lhsDims, turned.rhsDims = rhsDims, turned.outDims = outDims;
  if (!directConvolutionOf(turned))
    return std::nullopt;
  const double products =
      double(ShapedType::getNumElements(given.outShape)) * double(taps) * double(given.rhsShape[given.rhsDims[1]]);
  orders.gain = products * kGainOfProduct;
  return orders;
}

/// Whether a tensor in an order has its elements where it had them before.
bool movesNothing(RankedTensorType type, ArrayRef<int64_t> order) {
  int64_t before = -1;
  for (int64_t dim : order) {
    if (type.getDimSize(dim) == 1)
      continue;
    if (dim < before)
      return false;
    before = dim;
  }
  return true;
}

class BlockLayout {
public:
  explicit BlockLayout(Block &block) : block_(block), builder_(block.getParentOp()->getContext()) {}

  void run() {
    SmallVector<ir::ConvOp> convs(block_.getOps<ir::ConvOp>());
    for (ir::ConvOp conv : convs)
      if (std::optional<ConvOrders> orders = ordersOf(conv))
        seeds_.insert({conv, *orders});
    for (ir::ConvOp conv : convs)
      if (seeds_.contains(conv) && !isTurned(conv))
        considerPart(conv);
    if (!orders_.empty())
      rewrite();
  }

private:
  using Orders = llvm::MapVector<Value, TensorOrder>;

  bool isTurned(ir::ConvOp conv) const { return turned_.contains(conv); }

  TensorOrder orderIn(const Orders &part, Value value) const {
    if (auto it = part.find(value); it != part.end())
      return it->second;
    if (auto it = orders_.find(value); it != orders_.end())
      return it->second;
    return counting(typeOf(value).getRank());
  }
  bool isChosen(const Orders &part, Value value) const { return part.contains(value) || orders_.contains(value); }

  /// Lays out what is connected to a convolution, where that pays.
  void considerPart(ir::ConvOp seed) {
    Orders part;
    llvm::SetVector<Operation *> convs, touched;
    SmallVector<Value> work;
    const auto choose = [&](Value value, const TensorOrder &order) {
      if (isChosen(part, value))
        return;
      part[value] = order;
      work.push_back(value);
    };
    const auto addConv = [&](ir::ConvOp conv) {
      if (!seeds_.contains(conv) || isTurned(conv) || !convs.insert(conv))
        return;
      const ConvOrders &orders = seeds_[conv];
      choose(conv.getLhs(), orders.lhs);
      if (orders.isOfKernel)
        choose(conv.getRhs(), orders.rhs);
      else
        choose(conv.getResult(), orders.out);
    };
    addConv(seed);
    while (!work.empty()) {
      Value value = work.pop_back_val();
      const TensorOrder order = part[value];
      SmallVector<Operation *> ops(value.user_begin(), value.user_end());
      if (Operation *producer = value.getDefiningOp())
        ops.push_back(producer);
      for (Operation *op : ops) {
        if (op->getBlock() != &block_)
          continue;
        touched.insert(op);
        if (auto conv = dyn_cast<ir::ConvOp>(op)) {
          addConv(conv);
          continue;
        }
        spread(op, value, order, choose);
      }
    }
    for (Operation *op : convs)
      turned_.insert(op);
    Orders before = orders_;
    for (auto &[value, order] : part)
      orders_[value] = order;
    double gain = 0;
    for (Operation *op : convs)
      gain += seeds_[op].gain;
    for (const auto &[value, order] : part)
      if (Operation *producer = value.getDefiningOp())
        touched.insert(producer);
    if (gain >= costOf(touched))
      return;
    for (Operation *op : convs)
      turned_.erase(op), seeds_.erase(op);
    orders_ = std::move(before);
  }

  /// Gives the other tensors of an op the orders that follow from that of one.
  void spread(Operation *op, Value value, const TensorOrder &order,
              llvm::function_ref<void(Value, const TensorOrder &)> choose) {
    if (auto reshape = dyn_cast<ir::ReshapeOp>(op)) {
      const bool down = value == reshape.getInput();
      Value other = down ? reshape.getResult() : Value(reshape.getInput());
      if (auto to = throughReshape(typeOf(value).getShape(), typeOf(other).getShape(), order))
        choose(other, *to);
      return;
    }
    const std::optional<DimOrder> loops = loopsOf(op, value, order);
    if (!loops)
      return;
    const std::optional<OpDims> dims = dimsOf(op);
    for (auto [i, dimsOfTensor] : llvm::enumerate(dims->tensors)) {
      Value tensor = tensorOf(op, i);
      // Of what is broadcast, and of what is left of a reduction, few elements are worth an order of their own.
      if (int64_t(dimsOfTensor.size()) == dims->loops && tensor != value)
        choose(tensor, orderOf(dimsOfTensor, *loops));
    }
  }

  static Value tensorOf(Operation *op, size_t i) {
    return i < op->getNumOperands() ? op->getOperand(i) : Value(op->getResult(i - op->getNumOperands()));
  }

  /// The order of an op's loops in which one of its tensors, which walks all of them, is in `order`.
  std::optional<DimOrder> loopsOf(Operation *op, Value value, ArrayRef<int64_t> order) const {
    const std::optional<OpDims> dims = dimsOf(op);
    if (!dims)
      return std::nullopt;
    for (auto [i, walked] : llvm::enumerate(dims->tensors))
      if (tensorOf(op, i) == value && int64_t(walked.size()) == dims->loops) {
        DimOrder loops;
        for (int64_t dim : order)
          loops.push_back(walked[dim]);
        return allowsOrder(op, loops) ? std::optional(loops) : std::nullopt;
      }
    return std::nullopt;
  }

  /// How an op is written anew: the order of its loops, which is that of a chosen tensor; nullopt where it stays.
  std::optional<DimOrder> loopsOf(Operation *op) const {
    // What it computes decides; a reduction follows its operand.
    for (Value value : llvm::concat<Value>(llvm::to_vector(op->getResults()), llvm::to_vector(op->getOperands())))
      if (auto it = orders_.find(value); it != orders_.end())
        if (std::optional<DimOrder> loops = loopsOf(op, value, it->second))
          return loops;
    return std::nullopt;
  }

  /// The orders of the operands that an op takes, and of the results that it gives.
  struct Wanted {
    SmallVector<TensorOrder> operands, results;
    std::optional<DimOrder> loops;
  };
  Wanted wantedBy(Operation *op) const {
    Wanted wanted;
    const auto unchanged = [&](Value value) { return counting(typeOf(value).getRank()); };
    if (turned_.contains(op)) {
      const ConvOrders &orders = seeds_.find(op)->second;
      wanted.operands = {orders.lhs, orders.rhs};
      wanted.results = {orders.out};
      return wanted;
    }
    if (auto reshape = dyn_cast<ir::ReshapeOp>(op))
      if (auto it = orders_.find(reshape.getInput()); it != orders_.end())
        if (auto to = throughReshape(typeOf(reshape.getInput()).getShape(), typeOf(reshape.getResult()).getShape(),
                                     it->second)) {
          wanted.operands = {it->second};
          wanted.results = {*to};
          return wanted;
        }
    wanted.loops = loopsOf(op);
    const std::optional<OpDims> dims = wanted.loops ? dimsOf(op) : std::nullopt;
    for (auto [i, operand] : llvm::enumerate(op->getOperands()))
      wanted.operands.push_back(dims ? orderOf(dims->tensors[i], *wanted.loops) : unchanged(operand));
    for (auto [i, result] : llvm::enumerate(op->getResults()))
      wanted.results.push_back(dims ? orderOf(dims->tensors[op->getNumOperands() + i], *wanted.loops)
                                    : unchanged(result));
    return wanted;
  }

  /// Nanoseconds that transposes between these ops and what they are connected to take.
  double costOf(const llvm::SetVector<Operation *> &touched) const {
    double cost = 0;
    llvm::DenseMap<Value, SmallVector<TensorOrder>> seen;
    const auto add = [&](Value value, const TensorOrder &has, const TensorOrder &wants) {
      if (has == wants || llvm::is_contained(seen[value], wants))
        return;
      seen[value].push_back(wants);
      const DimOrder places = placesOf(has);
      DimOrder moves;
      for (int64_t dim : wants)
        moves.push_back(places[dim]);
      if (!movesNothing(reordered(typeOf(value), has), moves) && !isSplat(value))
        cost += kCostOfElement * double(typeOf(value).getNumElements());
    };
    for (Operation *op : touched) {
      if (isWalkedAcross(op))
        continue;
      const bool plain = !isWritten(op);
      const Wanted wanted = plain ? Wanted() : wantedBy(op);
      for (auto [i, operand] : llvm::enumerate(op->getOperands()))
        if (auto type = dyn_cast<RankedTensorType>(operand.getType()))
          add(operand, produced(operand), plain ? counting(type.getRank()) : wanted.operands[i]);
    }
    return cost;
  }

  /// Whether a reduction goes over its operand as it lies, and combines as if it had been turned (TurnedReduction).
  bool isWalkedAcross(Operation *op) const {
    auto reduce = dyn_cast<ir::ReduceOp>(op);
    if (!reduce || !isOrderedSum(op))
      return false;
    const TensorOrder has = produced(reduce.getInput());
    const DimOrder walk = placesOf(has);
    DimOrder dims;
    for (int64_t dim : reduce.getDims())
      dims.push_back(walk[dim]);
    llvm::sort(dims);
    return !turnedLaneDims(reordered(typeOf(reduce.getInput()), has).getShape(), dims, walk).empty();
  }

  static bool isSplat(Value value) {
    auto constant = value.getDefiningOp<ir::ConstantOp>();
    auto dense = constant ? dyn_cast<DenseElementsAttr>(constant.getValue()) : DenseElementsAttr();
    return dense && dense.isSplat();
  }

  /// Whether the pass may write the op anew.
  bool isWritten(Operation *op) const {
    return op->getBlock() == &block_ && (turned_.contains(op) || isa<ir::ReshapeOp>(op) || dimsOf(op).has_value());
  }

  /// The order in which a value comes into being.
  TensorOrder produced(Value value) const {
    Operation *op = value.getDefiningOp();
    if (!op || !isWritten(op))
      return counting(typeOf(value).getRank());
    return wantedBy(op).results[cast<OpResult>(value).getResultNumber()];
  }

  //===-- Writing -----------------------------------------------------------------------------===//

  struct Stored {
    Value value;
    TensorOrder order;
  };

  /// The value in an order, turned where it comes into being if need be.
  Value in(Value value, const TensorOrder &order) {
    auto it = stored_.find(value);
    const Stored has = it == stored_.end() ? Stored{value, counting(typeOf(value).getRank())} : it->second;
    if (has.order == order)
      return has.value;
    for (const Stored &made : made_[value])
      if (made.order == order)
        return made.value;
    OpBuilder b(builder_.getContext());
    b.setInsertionPointAfterValue(has.value);
    const Location loc = value.getLoc();
    const auto type = reordered(typeOf(value), order);
    const DimOrder places = placesOf(has.order);
    DimOrder perm;
    for (int64_t dim : order)
      perm.push_back(places[dim]);
    Value result;
    if (isSplat(value))
      result = ir::ConstantOp::create(
          b, loc, type, cast<DenseElementsAttr>(value.getDefiningOp<ir::ConstantOp>().getValue()).resizeSplat(type));
    else if (movesNothing(typeOf(has.value), perm))
      result = ir::ReshapeOp::create(b, loc, type, has.value);
    else
      result = ir::TransposeOp::create(b, loc, has.value, perm);
    made_[value].push_back({result, order});
    return result;
  }

  void rewrite() {
    SmallVector<Operation *> replaced;
    for (Operation &each : llvm::make_early_inc_range(block_)) {
      Operation *op = &each;
      const bool written = isWritten(op);
      const Wanted wanted = written ? wantedBy(op) : Wanted();
      const bool changes =
          written && (llvm::any_of(wanted.operands, [](const TensorOrder &order) { return !isIdentity(order); }) ||
                      llvm::any_of(wanted.results, [](const TensorOrder &order) { return !isIdentity(order); }));
      SmallVector<Value> operands;
      for (auto [i, operand] : llvm::enumerate(op->getOperands()))
        operands.push_back(isa<RankedTensorType>(operand.getType())
                               ? in(operand, changes ? wanted.operands[i] : counting(typeOf(operand).getRank()))
                               : operand);
      if (!changes) {
        for (auto [i, operand] : llvm::enumerate(operands))
          if (op->getOperand(i) != operand)
            op->setOperand(i, operand);
        continue;
      }
      builder_.setInsertionPoint(op);
      SmallVector<Value> results;
      if (turned_.contains(op)) {
        results.push_back(withOrders(builder_, cast<ir::ConvOp>(op), operands[0], operands[1], seeds_[op]).getResult());
      } else if (isa<ir::ReshapeOp>(op)) {
        results.push_back(ir::ReshapeOp::create(builder_, op->getLoc(),
                                                reordered(typeOf(op->getResult(0)), wanted.results[0]), operands[0]));
      } else if (isa<ir::TransposeOp>(op)) {
        results.push_back(operands[0]); // what it moves is in the order of its result already
      } else {
        llvm::append_range(results, reorder(builder_, op, *dimsOf(op), operands, *wanted.loops)->getResults());
      }
      for (auto [i, result] : llvm::enumerate(op->getResults()))
        stored_[result] = {results[i], wanted.results[i]};
      replaced.push_back(op);
    }
    for (Operation *op : llvm::reverse(replaced))
      op->erase();
  }

  Block &block_;
  OpBuilder builder_;
  llvm::DenseMap<Operation *, ConvOrders> seeds_;
  llvm::DenseSet<Operation *> turned_;
  /// Orders of the values that are laid out.
  Orders orders_;
  llvm::DenseMap<Value, Stored> stored_;
  llvm::DenseMap<Value, SmallVector<Stored>> made_;
};

struct Layout : compiler::impl::LayoutBase<Layout> {
  void runOnOperation() override {
    getOperation()->walk([](Block *block) { BlockLayout(*block).run(); });
  }
};

} // namespace
