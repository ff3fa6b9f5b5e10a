#include "dialects/Burn/Derivatives.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace burn::ir;
using namespace burn::ir::vjp;

Value vjp::splat(ImplicitLocOpBuilder &b, RankedTensorType type, double number) {
  Type element = type.getElementType();
  Attribute value;
  if (auto real = dyn_cast<FloatType>(element))
    value = FloatAttr::get(real, number);
  else
    value = IntegerAttr::get(element, APInt(element.getIntOrFloatBitWidth(), static_cast<int64_t>(number),
                                            /*isSigned=*/true, /*implicitTrunc=*/true));
  return ConstantOp::create(b, type, DenseElementsAttr::get(type, value));
}

Value vjp::scalar(ImplicitLocOpBuilder &b, Value like, double number) {
  return splat(b, RankedTensorType::get({}, typeOf(like).getElementType()), number);
}

Value vjp::sumOver(ImplicitLocOpBuilder &b, Value x, Dims dims) {
  return dims.empty() ? x : ReduceOp::create(b, ReduceKind::Sum, x, dims).getResult();
}

Value vjp::broadcast(ImplicitLocOpBuilder &b, Value x, Dims shape, Dims dims) {
  if (shapeOf(x) == shape)
    return x;
  return BroadcastOp::create(b, RankedTensorType::get(shape, typeOf(x).getElementType()), x, dims);
}

Value vjp::broadcastAlong(ImplicitLocOpBuilder &b, Value x, Dims shape, Dims dims) {
  return broadcast(b, x, shape, otherDims(shape.size(), dims));
}

Value vjp::reshape(ImplicitLocOpBuilder &b, Value x, Dims shape) {
  if (shapeOf(x) == shape)
    return x;
  return ReshapeOp::create(b, RankedTensorType::get(shape, typeOf(x).getElementType()), x);
}

Value vjp::transpose(ImplicitLocOpBuilder &b, Value x, Dims perm) {
  return llvm::is_sorted(perm) ? x : TransposeOp::create(b, x, perm).getResult();
}

Value vjp::sliceDim(ImplicitLocOpBuilder &b, Value x, int64_t dim, int64_t start, int64_t size) {
  DimVector starts(shapeOf(x).size(), 0), sizes(shapeOf(x)), strides(shapeOf(x).size(), 1);
  starts[dim] = start;
  sizes[dim] = size;
  return SliceOp::create(b, x, starts, sizes, strides);
}

Value vjp::iota(ImplicitLocOpBuilder &b, Dims shape, int64_t dim) {
  return IotaOp::create(b, RankedTensorType::get(shape, b.getI64Type()), b.getI64IntegerAttr(dim));
}

Value vjp::unslice(ImplicitLocOpBuilder &b, Value ct, Dims shape, Dims starts, Dims strides) {
  DimVector low(starts), high, interior;
  for (auto [i, size] : llvm::enumerate(shapeOf(ct))) {
    const int64_t extent = size == 0 ? 0 : (size - 1) * strides[i] + 1;
    high.push_back(shape[i] - starts[i] - extent);
    interior.push_back(strides[i] - 1);
  }
  return PadOp::create(b, ct, scalar(b, ct, 0.0), low, high, interior);
}

Value vjp::unpad(ImplicitLocOpBuilder &b, Value ct, Dims shape, Dims low, Dims high, Dims interior) {
  // Elements that negative padding removed had no part in the result: they come back as zeros.
  DimVector before, after, none(shape.size(), 0), starts, strides;
  for (size_t i = 0; i < shape.size(); ++i) {
    before.push_back(std::max<int64_t>(-low[i], 0));
    after.push_back(std::max<int64_t>(-high[i], 0));
    starts.push_back(std::max<int64_t>(low[i], 0));
    strides.push_back(interior[i] + 1);
  }
  if (before != none || after != none)
    ct = PadOp::create(b, ct, scalar(b, ct, 0.0), before, after, none);
  return SliceOp::create(b, ct, starts, shape, strides);
}

DimVector vjp::otherDims(int64_t rank, Dims dims) {
  DimVector others;
  for (int64_t i = 0; i < rank; ++i)
    if (!llvm::is_contained(dims, i))
      others.push_back(i);
  return others;
}

DimVector vjp::range(int64_t begin, int64_t end) { return llvm::to_vector(llvm::seq(begin, end)); }

DimVector vjp::inversePermutation(Dims perm) {
  DimVector inverse(perm.size());
  for (auto [i, dim] : llvm::enumerate(perm))
    inverse[dim] = i;
  return inverse;
}

JoinedDims::JoinedDims(Dims shape, Dims dims) : perm(otherDims(shape.size(), dims)) {
  int64_t count = 1;
  for (int64_t dim : perm)
    joined.push_back(shape[dim]);
  for (int64_t dim : dims)
    count *= shape[dim];
  joined.push_back(count);
  perm.append(dims.begin(), dims.end());
  for (int64_t dim : perm)
    permuted.push_back(shape[dim]);
}

Value JoinedDims::join(ImplicitLocOpBuilder &b, Value x) const { return reshape(b, transpose(b, x, perm), joined); }

Value JoinedDims::split(ImplicitLocOpBuilder &b, Value x) const {
  return transpose(b, reshape(b, x, permuted), inversePermutation(perm));
}

Value vjp::productOfOthers(ImplicitLocOpBuilder &b, Value x) {
  // Products of all elements before, and of all behind, each by doubling the distance that a
  // partial product covers.
  const int64_t rank = shapeOf(x).size(), size = shapeOf(x).back();
  Value one = scalar(b, x, 1.0);
  auto shifted = [&](Value value, int64_t distance) -> Value {
    DimVector low(rank, 0), high(rank, 0), interior(rank, 0);
    low.back() = distance;
    high.back() = -distance;
    return PadOp::create(b, value, one, low, high, interior);
  };
  auto exclusive = [&](bool fromFront) {
    Value product = shifted(x, fromFront ? 1 : -1);
    for (int64_t distance = 1; distance < size; distance *= 2)
      product = mul(b, product, shifted(product, fromFront ? distance : -distance));
    return product;
  };
  return mul(b, exclusive(true), exclusive(false));
}
