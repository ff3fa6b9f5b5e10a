// Reverse-mode rules of reductions over moving windows.
#include "dialects/Burn/Derivatives.h"

#include <limits>

using namespace mlir;
using namespace burn::ir;
using namespace burn::ir::vjp;

using Cts = ArrayRef<Value>;
using Needed = const llvm::SmallBitVector &;
using Slots = MutableArrayRef<Value>;

namespace {

// A windowed sum over the dilated cotangent: the steps of the forward window become gaps.
Value sumCotangent(ImplicitLocOpBuilder &b, ReduceWindowOp op, Value ct) {
  DimVector low, high;
  for (auto [i, size] : llvm::enumerate(shapeOf(op.getInput()))) {
    const int64_t extent = (op.getWindow()[i] - 1) * op.getWindowDilation()[i] + 1;
    const int64_t dilated = (shapeOf(ct)[i] - 1) * op.getStrides()[i] + 1;
    low.push_back(extent - 1 - op.getPadLow()[i]);
    high.push_back(extent + (size - 1) * op.getBaseDilation()[i] - dilated - low.back());
  }
  return ReduceWindowOp::create(b, ReduceKind::Sum, ct, op.getWindow(), op.getBaseDilation(), low, high,
                                op.getStrides(), op.getWindowDilation());
}

// `ct` added at the flat indices over `indexDims` of a tensor of shape `shape`; the other dimensions
// are batching dimensions.
Value scatterAtIndices(ImplicitLocOpBuilder &b, Value ct, Value index, Dims shape, Dims indexDims, IndexMode mode) {
  JoinedDims input(shape, indexDims), places(shapeOf(ct), indexDims);
  const int64_t batches = input.joined.size() - 1;
  DimVector batching = range(0, batches);
  auto type = RankedTensorType::get(input.joined, typeOf(ct).getElementType());
  Value sums = ScatterOp::create(b, splat(b, type, 0.0), places.join(b, index), places.join(b, ct),
                                 /*update_window_dims=*/Dims(), /*inserted_window_dims=*/{batches},
                                 /*input_batching_dims=*/batching, /*scatter_indices_batching_dims=*/batching,
                                 /*scatter_dims_to_operand_dims=*/{batches}, /*index_vector_dim=*/batches + 1,
                                 ScatterCombiner::Add, mode);
  return input.split(b, sums);
}

// A window that holds padding alone has index -1, which is left out.
IndexMode indexMode(Dims low, Dims high) {
  auto none = [](int64_t pad) { return pad <= 0; };
  return llvm::all_of(low, none) && llvm::all_of(high, none) ? IndexMode::AssumeValid : IndexMode::Fill;
}

Value extremumCotangent(ImplicitLocOpBuilder &b, ReduceWindowOp op, Value ct) {
  const bool isMax = op.getKind() == ReduceKind::Max;
  const int64_t rank = shapeOf(op.getInput()).size();
  // Gaps between elements become elements, which lose against any other.
  Value input = op.getInput();
  DimVector none(rank, 0), gaps;
  for (int64_t dilation : op.getBaseDilation())
    gaps.push_back(dilation - 1);
  if (gaps != none) {
    const double infinity = std::numeric_limits<double>::infinity();
    input = PadOp::create(b, input, scalar(b, input, isMax ? -infinity : infinity), none, none, gaps);
  }
  DimVector indexDims;
  for (int64_t i = 0; i < rank; ++i)
    if (op.getWindow()[i] > 1 || op.getStrides()[i] > 1 || op.getPadLow()[i] != 0 || op.getPadHigh()[i] != 0)
      indexDims.push_back(i);
  auto arg =
      ArgReduceWindowOp::create(b, isMax ? ExtremumKind::Max : ExtremumKind::Min, input, op.getWindow(),
                                op.getStrides(), op.getPadLow(), op.getPadHigh(), op.getWindowDilation(), indexDims);
  Value result =
      scatterAtIndices(b, ct, arg.getIndex(), shapeOf(input), indexDims, indexMode(op.getPadLow(), op.getPadHigh()));
  return gaps == none ? result : unpad(b, result, shapeOf(op.getInput()), none, none, gaps);
}

// One slice of the padded operand for each place in the window; the cotangent of each is that of the
// result times the product of the other slices.
Value productCotangent(ImplicitLocOpBuilder &b, ReduceWindowOp op, Value ct) {
  Value input = op.getInput();
  const int64_t rank = shapeOf(input).size();
  DimVector gaps;
  for (int64_t dilation : op.getBaseDilation())
    gaps.push_back(dilation - 1);
  Value padded = PadOp::create(b, input, scalar(b, input, 1.0), op.getPadLow(), op.getPadHigh(), gaps);

  SmallVector<DimVector> starts;
  SmallVector<Value> slices;
  int64_t places = 1;
  for (int64_t size : op.getWindow())
    places *= size;
  for (int64_t place = 0; place < places; ++place) {
    DimVector start(rank);
    int64_t rest = place;
    for (int64_t i = rank - 1; i >= 0; --i) {
      start[i] = rest % op.getWindow()[i] * op.getWindowDilation()[i];
      rest /= op.getWindow()[i];
    }
    slices.push_back(SliceOp::create(b, padded, start, shapeOf(ct), op.getStrides()));
    starts.push_back(std::move(start));
  }

  SmallVector<Value> others(places); // first the product of all slices before, times the cotangent
  Value product = ct;
  for (int64_t place = 0; place < places; ++place) {
    others[place] = product;
    product = mul(b, product, slices[place]);
  }
  Value sum, behind;
  for (int64_t place = places - 1; place >= 0; --place) {
    Value own = behind ? mul(b, others[place], behind) : others[place];
    sum = plus(b, sum, unslice(b, own, shapeOf(padded), starts[place], op.getStrides()));
    behind = behind ? mul(b, behind, slices[place]) : slices[place];
  }
  return unpad(b, sum, shapeOf(input), op.getPadLow(), op.getPadHigh(), gaps);
}

} // namespace

LogicalResult ReduceWindowOp::buildVjp(OpBuilder &builder, Cts cts, Needed, Slots slots) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  if (typeOf(getInput()).getNumElements() == 0 || typeOf(cts[0]).getNumElements() == 0)
    return success();
  switch (getKind()) {
  case ReduceKind::Sum:
    slots[0] = sumCotangent(b, *this, cts[0]);
    break;
  case ReduceKind::Prod:
    slots[0] = productCotangent(b, *this, cts[0]);
    break;
  case ReduceKind::Max:
  case ReduceKind::Min:
    slots[0] = extremumCotangent(b, *this, cts[0]);
    break;
  case ReduceKind::And:
  case ReduceKind::Or:
  case ReduceKind::Xor:
    return failure();
  }
  return success();
}

LogicalResult ArgReduceWindowOp::buildVjp(OpBuilder &builder, Cts cts, Needed, Slots slots) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  slots[0] = scatterAtIndices(b, cts[0], getIndex(), shapeOf(getInput()), getIndexDims(),
                              indexMode(getPadLow(), getPadHigh()));
  return success();
}
