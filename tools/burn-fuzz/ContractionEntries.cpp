#include "tools/burn-fuzz/OpEntries.h"

#include <algorithm>

using namespace burn;
using namespace burn::fuzz;
using core::OpCode;
using core::TypeDesc;
using mlir::Value;

namespace {

// What stands behind a product: a bias and an activation, or much more, as the step of an optimizer behind a gradient.
void continueProduct(Generator &g, Value product) {
  const TypeDesc type = typeOf(product);
  if (!isFloat(type.dtype) || g.chance(0.4))
    return;
  Value sum = g.add(OpCode::Add, {product, g.valueOf(type)});
  if (g.chance(0.3))
    for (int64_t i = g.number(3, 14); i > 0 && sum; --i)
      sum = g.chance(0.3) ? g.add(g.oneOf({OpCode::Tanh, OpCode::Neg, OpCode::Logistic}), {sum})
                          : g.add(g.oneOf({OpCode::Add, OpCode::Sub, OpCode::Mul}), {sum, g.valueOf(type)});
  if (g.chance(0.5))
    g.add(g.isSmooth() ? OpCode::Tanh : g.oneOf({OpCode::Relu, OpCode::Tanh, OpCode::Logistic}), {sum});
}

Value dot(Generator &g, OpCode) {
  Value lhs = g.some(isNumber);
  if (!lhs)
    return nullptr;
  const TypeDesc type = typeOf(lhs);
  // Each dim of the left is batch, contracted or free; those of the right stand in any order.
  struct RightDim {
    int64_t size, lhsDim;
    bool isBatch;
  };
  std::vector<RightDim> right;
  int64_t products = 1;
  for (unsigned i = 0; i < type.shape.rank(); ++i) {
    products *= type.shape[i];
    const int64_t role = g.number(0, 4);
    if (role < 2)
      right.push_back({type.shape[i], i, role == 0 && g.chance(0.6)});
  }
  for (int64_t i = g.number(0, 2); i > 0; --i) {
    const int64_t size = g.size();
    if (right.size() < 4 && products * size <= kMostProducts) {
      right.push_back({size, -1, false});
      products *= size;
    }
  }
  std::ranges::shuffle(right, g.random());
  Shape shape;
  Dims lhsBatch, rhsBatch, lhsContract, rhsContract;
  for (const RightDim &dim : right) {
    const auto place = static_cast<int64_t>(shape.rank());
    shape.push(dim.size);
    if (dim.lhsDim < 0)
      continue;
    (dim.isBatch ? lhsBatch : lhsContract).push_back(dim.lhsDim);
    (dim.isBatch ? rhsBatch : rhsContract).push_back(place);
  }
  if (!g.fits(shape) || products > kMostProducts)
    return nullptr;
  const bool isByte = type.dtype == DType::I8 || type.dtype == DType::U8;
  const bool isWord = type.dtype == DType::I16 || type.dtype == DType::U16;
  const bool isHalf = type.dtype == DType::F16 || type.dtype == DType::BF16;
  DType other = type.dtype;
  if ((isByte || isWord || isHalf) && g.chance(0.5)) {
    // Narrow elements, added up in 32 bits.
    if (isByte && g.chance(0.3))
      other = type.dtype == DType::I8 ? DType::U8 : DType::I8;
    const auto widened = [&](Value value) {
      const TypeDesc wide{isHalf ? DType::F32 : DType::I32, typeOf(value).shape};
      return g.add(OpCode::Convert, {value}, {}, &wide);
    };
    Value rhs = g.valueOf({other, shape});
    Value left = widened(lhs), right = rhs ? widened(rhs) : nullptr;
    return left && right ? g.add(core::DotGeneralAttrs{lhsBatch, rhsBatch, lhsContract, rhsContract}, {left, right})
                         : nullptr;
  }
  Value rhs = g.valueOf({type.dtype, shape});
  Value product = g.add(core::DotGeneralAttrs{lhsBatch, rhsBatch, lhsContract, rhsContract}, {lhs, rhs});
  if (product)
    continueProduct(g, product);
  return product;
}

Value conv(Generator &g, OpCode) {
  Value lhs =
      g.some([](const TypeDesc &type) { return isNumber(type) && type.shape.rank() >= 2 && type.shape.rank() <= 4; });
  if (!lhs)
    return nullptr;
  const TypeDesc type = typeOf(lhs);
  const unsigned rank = type.shape.rank(), spatial = rank - 2;
  const bool plain = g.chance(0.4), channelsLast = !plain && rank > 2 && g.chance(0.5);
  const auto order = [&] { return plain ? allDims(rank) : g.permutation(rank); };
  Dims lhsDims = order(), rhsDims = order(), outDims = order();
  if (channelsLast) {
    // Images and kernels as kernels that read them in place want them, or those of a gradient of the kernel.
    const bool ofKernel = g.chance(0.3);
    for (unsigned i = 0; i < spatial; ++i) {
      lhsDims[2 + i] = 1 + i;
      outDims[2 + i] = ofKernel ? i : 1 + i;
      rhsDims[2 + i] = ofKernel ? 1 + i : i;
    }
    const int64_t last = rank - 1, before = rank - 2;
    lhsDims[0] = ofKernel ? last : 0, lhsDims[1] = ofKernel ? 0 : last;
    rhsDims[0] = last, rhsDims[1] = ofKernel ? 0 : before;
    outDims[0] = ofKernel ? before : 0, outDims[1] = last;
  }
  const int64_t batch = type.shape[lhsDims[0]], features = type.shape[lhsDims[1]];
  int64_t featureGroups = 1, batchGroups = 1;
  for (int64_t groups : {2, 3, 4}) {
    if (features % groups == 0 && features > 0 && g.chance(0.2) && batchGroups == 1)
      featureGroups = groups;
    else if (batch % groups == 0 && batch > 0 && g.chance(0.1) && featureGroups == 1)
      batchGroups = groups;
  }
  if (channelsLast && featureGroups > 1 && g.chance(0.5))
    featureGroups = features; // depthwise
  if (channelsLast && batchGroups > 1 && g.chance(0.5))
    batchGroups = batch;
  Shape kernel;
  for (unsigned i = 0; i < rank; ++i)
    kernel.push(0);
  kernel[rhsDims[0]] = featureGroups * batchGroups * g.number(1, channelsLast ? 12 : 4);
  kernel[rhsDims[1]] = features / featureGroups;
  Dims strides, low, high, lhsDilation, rhsDilation;
  for (unsigned i = 0; i < spatial; ++i) {
    kernel[rhsDims[2 + i]] = g.number(1, std::clamp<int64_t>(type.shape[lhsDims[2 + i]], 1, 4));
    strides.push_back(g.chance(0.6) ? 1 : g.number(1, 3));
    low.push_back(g.chance(0.5) ? 0 : g.number(-1, 3));
    high.push_back(g.chance(0.5) ? 0 : g.number(-1, 3));
    lhsDilation.push_back(g.chance(0.8) ? 1 : g.number(2, 3));
    rhsDilation.push_back(g.chance(0.8) ? 1 : g.number(2, 3));
  }
  if (!g.fits(kernel) || type.shape.numel() * kernel.numel() / std::max<int64_t>(features, 1) > kMostProducts)
    return nullptr;
  Value rhs = g.valueOf({type.dtype, kernel});
  Value result = g.add(core::ConvAttrs{.lhs_dims = lhsDims,
                                       .rhs_dims = rhsDims,
                                       .out_dims = outDims,
                                       .strides = strides,
                                       .pad_low = low,
                                       .pad_high = high,
                                       .lhs_dilation = lhsDilation,
                                       .rhs_dilation = rhsDilation,
                                       .feature_groups = featureGroups,
                                       .batch_groups = batchGroups},
                       {lhs, rhs});
  if (!result || g.chance(0.5))
    return result;
  Value bias = g.valueOf({type.dtype, Shape{typeOf(result).shape[outDims[1]]}});
  g.add(OpCode::Add, {result, g.broadcastTo(bias, typeOf(result).shape, {outDims[1]})});
  return result;
}

} // namespace

void fuzz::addContractionEntries(std::vector<OpEntry> &entries) {
  entries.push_back({OpCode::DotGeneral, Family::Dot, dot, true});
  entries.push_back({OpCode::Conv, Family::Conv, conv, true});
}
