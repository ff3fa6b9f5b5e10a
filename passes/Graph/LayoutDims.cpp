#include "passes/Graph/LayoutDims.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace burn;
using namespace burn::compiler;

namespace {

/// All tensors of an op walk all of its loops.
OpDims alike(Operation *op, int64_t rank) {
  OpDims dims;
  dims.loops = rank;
  dims.tensors.assign(op->getNumOperands() + op->getNumResults(), counting(rank));
  return dims;
}

bool haveRank(Operation *op, int64_t rank) {
  return llvm::all_of(llvm::concat<Value>(llvm::to_vector(op->getOperands()), llvm::to_vector(op->getResults())),
                      [&](Value value) { return typeOf(value).getRank() == rank; });
}

/// A scatter of single elements along one dim, batched over all others.
std::optional<OpDims> dimsOf(ir::ScatterOp op) {
  const int64_t rank = typeOf(op.getInput()).getRank();
  if (!haveRank(op, rank) || !op.getUpdateWindowDims().empty() || op.getInsertedWindowDims().size() != 1 ||
      int64_t(op.getInputBatchingDims().size()) != rank - 1 || int64_t(op.getIndexVectorDim()) != rank ||
      op.getScatterDimsToOperandDims() != op.getInsertedWindowDims())
    return std::nullopt;
  OpDims dims = alike(op, rank);
  DimOrder indices(rank, op.getInsertedWindowDims()[0]);
  for (auto [input, index] : llvm::zip(op.getInputBatchingDims(), op.getScatterIndicesBatchingDims()))
    indices[index] = input;
  dims.tensors[1] = dims.tensors[2] = indices;
  return dims;
}

DimOrder inOrder(ArrayRef<int64_t> values, ArrayRef<int64_t> order) {
  DimOrder result;
  for (int64_t dim : order)
    result.push_back(values[dim]);
  return result;
}

/// Dims of a tensor by their new places, ascending.
DimOrder moved(ArrayRef<int64_t> dims, ArrayRef<int64_t> order) {
  const DimOrder places = placesOf(order);
  DimOrder result;
  for (int64_t dim : dims)
    result.push_back(places[dim]);
  llvm::sort(result);
  return result;
}

} // namespace

DimOrder compiler::placesOf(ArrayRef<int64_t> order) {
  DimOrder places(order.size());
  for (auto [place, dim] : llvm::enumerate(order))
    places[dim] = place;
  return places;
}

RankedTensorType compiler::reordered(RankedTensorType type, ArrayRef<int64_t> order) {
  return order.empty() ? type : RankedTensorType::get(inOrder(type.getShape(), order), type.getElementType());
}

bool compiler::isOrderedSum(Operation *op) {
  std::optional<ir::ReduceKind> kind;
  if (auto reduce = dyn_cast<ir::ReduceOp>(op))
    kind = reduce.getKind();
  else if (auto window = dyn_cast<ir::ReduceWindowOp>(op))
    kind = window.getKind();
  return kind && (*kind == ir::ReduceKind::Sum || *kind == ir::ReduceKind::Prod) &&
         isa<FloatType>(typeOf(op->getResult(0)).getElementType());
}

std::optional<OpDims> compiler::dimsOf(Operation *op) {
  if (op->getNumRegions() != 0 || op->getNumResults() == 0)
    return std::nullopt;
  const int64_t rank = typeOf(op->getResult(0)).getRank();
  if (isa<ir::ElementwiseOpInterface>(op) ||
      isa<ir::SliceOp, ir::SliceUpdateOp, ir::ConcatOp, ir::ReverseOp, ir::ReduceWindowOp, ir::ArgReduceWindowOp>(op))
    return haveRank(op, rank) ? std::optional(alike(op, rank)) : std::nullopt;
  if (isa<ir::PadOp>(op)) {
    OpDims dims = alike(op, rank);
    dims.tensors[1].clear(); // the value
    return dims;
  }
  if (auto constant = dyn_cast<ir::ConstantOp>(op)) {
    auto dense = dyn_cast<DenseElementsAttr>(constant.getValue());
    return dense && dense.isSplat() ? std::optional(alike(op, rank)) : std::nullopt;
  }
  if (auto broadcast = dyn_cast<ir::BroadcastOp>(op)) {
    OpDims dims = alike(op, rank);
    dims.tensors[0].assign(broadcast.getDims().begin(), broadcast.getDims().end());
    return dims;
  }
  if (auto reduce = dyn_cast<ir::ReduceOp>(op)) {
    OpDims dims = alike(op, typeOf(reduce.getInput()).getRank());
    DimOrder &kept = dims.tensors[1];
    llvm::erase_if(kept, [&](int64_t dim) { return llvm::is_contained(reduce.getDims(), dim); });
    return dims;
  }
  if (auto transpose = dyn_cast<ir::TransposeOp>(op)) {
    OpDims dims = alike(op, rank);
    dims.tensors[1].assign(transpose.getPerm().begin(), transpose.getPerm().end());
    return dims;
  }
  if (auto scatter = dyn_cast<ir::ScatterOp>(op))
    return ::dimsOf(scatter);
  return std::nullopt;
}

TensorOrder compiler::orderOf(ArrayRef<int64_t> dims, ArrayRef<int64_t> order) {
  TensorOrder result;
  for (int64_t loop : order)
    for (auto [dim, walked] : llvm::enumerate(dims))
      if (walked == loop)
        result.push_back(dim);
  return result;
}

std::optional<TensorOrder> compiler::throughReshape(ArrayRef<int64_t> from, ArrayRef<int64_t> to,
                                                    ArrayRef<int64_t> order) {
  if (llvm::is_contained(from, 0))
    return std::nullopt;
  // Groups of dims of equal sizes on both sides.
  SmallVector<DimOrder> groups;
  DimOrder groupOf(from.size());
  for (size_t i = 0, j = 0; i < from.size() || j < to.size();) {
    DimOrder &group = groups.emplace_back();
    int64_t left = 1, right = 1;
    do {
      if (left <= right && i < from.size()) {
        groupOf[i] = groups.size() - 1;
        left *= from[i++];
      } else if (j < to.size()) {
        group.push_back(j);
        right *= to[j++];
      } else {
        groupOf[i] = groups.size() - 1;
        left *= from[i++];
      }
    } while (left != right);
  }
  // Dims of a group must stay neighbours, in their order.
  TensorOrder result;
  for (size_t i = 0; i < order.size();) {
    const int64_t group = groupOf[order[i]];
    int64_t before = -1;
    for (; i < order.size() && groupOf[order[i]] == group; ++i) {
      if (order[i] < before)
        return std::nullopt;
      before = order[i];
    }
    if (llvm::any_of(order.drop_front(i), [&](int64_t dim) { return groupOf[dim] == group; }))
      return std::nullopt;
    result.append(groups[group]);
  }
  if (result.size() != to.size())
    return std::nullopt; // groups of the result alone
  return result;
}

bool compiler::allowsOrder(Operation *op, ArrayRef<int64_t> order) {
  const DimOrder places = placesOf(order);
  const auto keepsOrder = [&](ArrayRef<int64_t> dims) {
    return llvm::is_sorted(dims, [&](int64_t a, int64_t b) { return places[a] < places[b]; });
  };
  // Positions are counted in row-major order over these dims.
  if (auto window = dyn_cast<ir::ArgReduceWindowOp>(op))
    return keepsOrder(window.getIndexDims());
  if (!isOrderedSum(op))
    return true;
  // A window is added up in row-major order.
  DimOrder summed;
  if (auto window = dyn_cast<ir::ReduceWindowOp>(op)) {
    for (auto [dim, size] : llvm::enumerate(window.getWindow()))
      if (size != 1)
        summed.push_back(dim);
    return keepsOrder(summed);
  }
  return isIdentity(order);
}

Operation *compiler::reorder(OpBuilder &b, Operation *op, const OpDims &dims, ValueRange operands,
                             ArrayRef<int64_t> order) {
  SmallVector<Type> types;
  for (auto [i, result] : llvm::enumerate(op->getResults()))
    types.push_back(reordered(typeOf(result), orderOf(dims.tensors[op->getNumOperands() + i], order)));
  OperationState state(op->getLoc(), op->getName(), operands, types, op->getAttrs());
  const auto set = [&](StringRef name, ArrayRef<int64_t> values) {
    state.attributes.set(name, b.getDenseI64ArrayAttr(values));
  };
  const auto permute = [&](std::initializer_list<StringRef> names) {
    for (StringRef name : names)
      set(name, inOrder(op->getAttrOfType<DenseI64ArrayAttr>(name).asArrayRef(), order));
  };
  if (isa<ir::SliceOp>(op)) {
    permute({"starts", "sizes", "strides"});
  } else if (isa<ir::SliceUpdateOp>(op)) {
    permute({"starts"});
  } else if (isa<ir::PadOp>(op)) {
    permute({"low", "high", "interior"});
  } else if (isa<ir::ReduceWindowOp>(op)) {
    permute({"window", "strides", "pad_low", "pad_high", "base_dilation", "window_dilation"});
  } else if (auto window = dyn_cast<ir::ArgReduceWindowOp>(op)) {
    permute({"window", "strides", "pad_low", "pad_high", "window_dilation"});
    set("index_dims", moved(window.getIndexDims(), order));
  } else if (auto concat = dyn_cast<ir::ConcatOp>(op)) {
    state.attributes.set("axis", b.getI64IntegerAttr(placesOf(order)[concat.getAxis()]));
  } else if (auto reverse = dyn_cast<ir::ReverseOp>(op)) {
    set("dims", moved(reverse.getDims(), order));
  } else if (auto broadcast = dyn_cast<ir::BroadcastOp>(op)) {
    set("dims", moved(broadcast.getDims(), order));
  } else if (auto reduce = dyn_cast<ir::ReduceOp>(op)) {
    set("dims", moved(reduce.getDims(), order));
  } else if (auto constant = dyn_cast<ir::ConstantOp>(op)) {
    auto dense = cast<DenseElementsAttr>(constant.getValue());
    state.attributes.set("value", dense.resizeSplat(cast<ShapedType>(types[0])));
  } else if (auto scatter = dyn_cast<ir::ScatterOp>(op)) {
    const DimOrder inputs = placesOf(order), indices = placesOf(orderOf(dims.tensors[1], order));
    DimOrder batch, indexBatch;
    for (auto [input, index] : llvm::zip(scatter.getInputBatchingDims(), scatter.getScatterIndicesBatchingDims())) {
      batch.push_back(inputs[input]);
      indexBatch.push_back(indices[index]);
    }
    // Pairs, in ascending order.
    llvm::sort(batch), llvm::sort(indexBatch);
    set("input_batching_dims", batch);
    set("scatter_indices_batching_dims", indexBatch);
    for (StringRef name : {"inserted_window_dims", "scatter_dims_to_operand_dims"})
      set(name, {inputs[scatter.getInsertedWindowDims()[0]]});
  }
  return b.create(state);
}
