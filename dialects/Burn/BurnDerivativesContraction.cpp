// Reverse-mode rules of sums of products.
#include "dialects/Burn/Derivatives.h"

using namespace mlir;
using namespace burn::ir;
using namespace burn::ir::vjp;

using Cts = ArrayRef<Value>;
using Needed = const llvm::SmallBitVector &;
using Slots = MutableArrayRef<Value>;

namespace {

// The place of `dims[i]` among `dims` in ascending order.
DimVector ranks(Dims dims) {
  DimVector result;
  for (int64_t dim : dims)
    result.push_back(llvm::count_if(dims, [&](int64_t other) { return other < dim; }));
  return result;
}

DimVector concatenated(Dims a, Dims b) {
  DimVector result(a);
  result.append(b.begin(), b.end());
  return result;
}

/// One operand of a dot_general: its batch, contracted and free dimensions.
struct DotSide {
  Value value;
  Dims batch, contract;
  DimVector free = otherDims(shapeOf(value).size(), concatenated(batch, contract));
};

// The cotangent of `self`: that of the result contracted with `other` over its free dimensions,
// which begin at `otherFree` in the result; those of `self` begin at `selfFree`. Of the two operand
// orders the one is taken whose result needs no transpose, where there is one.
Value dotCotangent(ImplicitLocOpBuilder &b, Value ct, const DotSide &self, const DotSide &other, int64_t selfFree,
                   int64_t otherFree) {
  const int64_t batches = self.batch.size(), frees = self.free.size(), contracts = self.contract.size();
  DimVector ctBatch = range(0, batches), ctContract = range(otherFree, otherFree + other.free.size());
  // Contracted dimensions stand in ascending order of the other operand.
  DimVector order = ranks(other.contract);
  auto permutation = [&](int64_t freeAt, int64_t contractAt) {
    DimVector perm(shapeOf(self.value).size());
    for (auto [i, dim] : llvm::enumerate(self.batch))
      perm[dim] = i;
    for (auto [i, dim] : llvm::enumerate(self.free))
      perm[dim] = freeAt + i;
    for (auto [i, dim] : llvm::enumerate(self.contract))
      perm[dim] = contractAt + order[i];
    return perm;
  };
  DimVector ctFirst = permutation(batches, batches + frees), otherFirst = permutation(batches + contracts, batches);
  if (llvm::is_sorted(otherFirst) && !llvm::is_sorted(ctFirst))
    return DotGeneralOp::create(b, other.value, ct, other.batch, ctBatch, other.free, ctContract);
  Value result = DotGeneralOp::create(b, ct, other.value, ctBatch, other.batch, ctContract, other.free);
  return transpose(b, result, ctFirst);
}

// The high padding with which a window of `extent` elements takes `places` places in steps of
// `stride` over `size` elements, dilated, behind `low` of padding.
int64_t exactHighPad(int64_t size, int64_t dilation, int64_t low, int64_t extent, int64_t stride, int64_t places) {
  const int64_t dilated = (size - 1) * dilation + 1;
  return extent + (places - 1) * stride - dilated - low;
}

struct ConvShape {
  explicit ConvShape(ConvOp op)
      : x(shapeOf(op.getLhs())), w(shapeOf(op.getRhs())), y(shapeOf(op.getResult())), spatial(op.getStrides().size()) {}
  Dims x, w, y;
  int64_t spatial;
};

// The kernel with its spatial dimensions reversed and, within each of `groups`, input and output
// features exchanged: [groups * in, out, spatial...].
Value reversedKernel(ImplicitLocOpBuilder &b, ConvOp op, int64_t groups) {
  Dims dims = op.getRhsDims();
  DimVector spatial(dims.drop_front(2));
  llvm::sort(spatial);
  Value kernel = spatial.empty() ? op.getRhs() : ReverseOp::create(b, op.getRhs(), spatial).getResult();
  kernel = transpose(b, kernel, dims);
  DimVector shape(shapeOf(kernel));
  const int64_t in = shape[1], out = shape[0] / groups;
  DimVector split{groups, out, in}, perm{0, 2, 1}, joined{groups * in, out};
  for (int64_t i = 2; i < static_cast<int64_t>(shape.size()); ++i) {
    split.push_back(shape[i]);
    perm.push_back(i + 1);
    joined.push_back(shape[i]);
  }
  return reshape(b, transpose(b, reshape(b, kernel, split), perm), joined);
}

// conv(g, reversed kernel): the steps of the forward window become gaps of the cotangent. Groups of
// features stay; for groups of the batch each group gives its own features, which go back to the
// batch dimension.
Value convInputCotangent(ImplicitLocOpBuilder &b, ConvOp op, Value ct) {
  ConvShape shape(op);
  Dims lhsDims = op.getLhsDims(), rhsDims = op.getRhsDims(), outDims = op.getOutDims();
  DimVector low, high;
  for (int64_t i = 0; i < shape.spatial; ++i) {
    const int64_t extent = (shape.w[rhsDims[2 + i]] - 1) * op.getRhsDilation()[i] + 1;
    low.push_back(extent - 1 - op.getPadLow()[i]);
    high.push_back(exactHighPad(shape.y[outDims[2 + i]], op.getStrides()[i], low[i], extent, op.getLhsDilation()[i],
                                shape.x[lhsDims[2 + i]]));
  }
  const int64_t batchGroups = op.getBatchGroups(), groups = std::max<int64_t>(op.getFeatureGroups(), batchGroups);
  Value kernel = op.getRhs();
  DimVector kernelDims(rhsDims);
  if (groups == 1) {
    DimVector spatial(rhsDims.drop_front(2));
    llvm::sort(spatial);
    if (!spatial.empty())
      kernel = ReverseOp::create(b, kernel, spatial);
    std::swap(kernelDims[0], kernelDims[1]);
  } else {
    kernel = reversedKernel(b, op, groups);
    kernelDims = range(0, shape.w.size());
  }
  Value result = ConvOp::create(b, ct, kernel, outDims, kernelDims, lhsDims, op.getLhsDilation(), low, high,
                                op.getStrides(), op.getRhsDilation(), groups, 1, op.getFastMath());
  if (batchGroups == 1)
    return result;
  // [.., batch/groups, .., groups * features, ..] -> [.., batch, .., features, ..]
  const int64_t batchDim = lhsDims[0], featureDim = lhsDims[1], rank = lhsDims.size();
  DimVector split, perm;
  int64_t groupAt = 0;
  SmallVector<int64_t> placeOf(rank);
  for (int64_t i = 0; i < rank; ++i) {
    if (i == featureDim) {
      groupAt = split.size();
      split.push_back(batchGroups);
    }
    placeOf[i] = split.size();
    split.push_back(i == batchDim ? shape.x[i] / batchGroups : shape.x[i]);
  }
  for (int64_t i = 0; i < rank; ++i) {
    if (i == batchDim)
      perm.push_back(groupAt);
    perm.push_back(placeOf[i]);
  }
  return reshape(b, transpose(b, reshape(b, result, split), perm), shape.x);
}

// conv(x, g) with batch and features of x exchanged: the kernel's places become the result's, the
// steps of the forward window gaps in g. Groups change roles.
Value convKernelCotangent(ImplicitLocOpBuilder &b, ConvOp op, Value ct) {
  ConvShape shape(op);
  DimVector lhsDims(op.getLhsDims()), ctDims(op.getOutDims()), kernelDims(op.getRhsDims());
  DimVector high;
  for (int64_t i = 0; i < shape.spatial; ++i) {
    const int64_t extent = (shape.y[ctDims[2 + i]] - 1) * op.getStrides()[i] + 1;
    high.push_back(exactHighPad(shape.x[lhsDims[2 + i]], op.getLhsDilation()[i], op.getPadLow()[i], extent,
                                op.getRhsDilation()[i], shape.w[kernelDims[2 + i]]));
  }
  std::swap(lhsDims[0], lhsDims[1]);
  std::swap(ctDims[0], ctDims[1]);
  std::swap(kernelDims[0], kernelDims[1]);
  return ConvOp::create(b, op.getLhs(), ct, lhsDims, ctDims, kernelDims, op.getRhsDilation(), op.getPadLow(), high,
                        op.getLhsDilation(), op.getStrides(), op.getBatchGroups(), op.getFeatureGroups(),
                        op.getFastMath());
}

} // namespace

LogicalResult DotGeneralOp::buildVjp(OpBuilder &builder, Cts cts, Needed needed, Slots slots) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  DotSide lhs{getLhs(), getLhsBatch(), getLhsContract()}, rhs{getRhs(), getRhsBatch(), getRhsContract()};
  const int64_t lhsFree = lhs.batch.size(), rhsFree = lhsFree + lhs.free.size();
  if (needed[0])
    slots[0] = dotCotangent(b, cts[0], lhs, rhs, lhsFree, rhsFree);
  if (needed[1])
    slots[1] = dotCotangent(b, cts[0], rhs, lhs, rhsFree, lhsFree);
  return success();
}

LogicalResult ConvOp::buildVjp(OpBuilder &builder, Cts cts, Needed needed, Slots slots) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  // An empty operand or result contributes nothing, and leaves no padding that would be exact.
  for (Value value : {getLhs(), getRhs(), getResult()})
    if (typeOf(value).getNumElements() == 0)
      return success();
  if (needed[0])
    slots[0] = convInputCotangent(b, *this, cts[0]);
  if (needed[1])
    slots[1] = convKernelCotangent(b, *this, cts[0]);
  return success();
}
