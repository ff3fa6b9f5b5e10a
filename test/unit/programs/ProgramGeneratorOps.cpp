// The ops of random programs.
#include "test/unit/programs/ProgramGenerator.h"

#include <algorithm>
#include <numeric>

using namespace burn;
using namespace burn::test;
using core::OpCode;
using core::TypeDesc;
using mlir::Value;

namespace {

bool isStored(DType dtype) { return dtype == DType::F16 || dtype == DType::BF16; }
bool isNumber(DType dtype) { return dtype != DType::Bool && !isStored(dtype); }
bool isBits(DType dtype) { return !isFloat(dtype); }

// The most multiplications of a contraction, so that the interpreter is done in time.
constexpr int64_t kMostProducts = 2000000;

} // namespace

Value ProgramGenerator::unary() {
  if (!smooth_ && chance(0.25)) {
    Value x = existing([](const TypeDesc &type) { return isNumber(type.dtype); });
    return add(oneOf({OpCode::Neg, OpCode::Abs, OpCode::Sign, OpCode::Relu}), {x});
  }
  if (!smooth_ && chance(0.08))
    return add(OpCode::Not, {existing([](const TypeDesc &type) { return isBits(type.dtype); })});
  Value x = anyFloat();
  if (!x)
    return nullptr;
  const TypeDesc type = typeOf(x);
  if (smooth_) {
    const OpCode op = oneOf({OpCode::Tanh, OpCode::Erf, OpCode::Logistic, OpCode::Exp, OpCode::Expm1, OpCode::Log,
                             OpCode::Log1p, OpCode::Sqrt, OpCode::Rsqrt, OpCode::Neg});
    if (op == OpCode::Exp || op == OpCode::Expm1) // bounded
      return add(op, {add(OpCode::Tanh, {x})});
    if (op == OpCode::Log || op == OpCode::Log1p || op == OpCode::Sqrt || op == OpCode::Rsqrt) // away from 0
      return add(op, {add(OpCode::Add, {add(OpCode::Mul, {x, x}), splat(type.dtype, type.shape, 1)})});
    return add(op, {x});
  }
  const OpCode op = oneOf({OpCode::Exp, OpCode::Expm1, OpCode::Log, OpCode::Log1p, OpCode::Sqrt, OpCode::Rsqrt,
                           OpCode::Tanh, OpCode::Tanh, OpCode::Erf, OpCode::Logistic, OpCode::Logistic, OpCode::Floor,
                           OpCode::Ceil, OpCode::RoundEven});
  const bool ofPositive = op == OpCode::Log || op == OpCode::Log1p || op == OpCode::Sqrt || op == OpCode::Rsqrt;
  if (ofPositive && chance(0.8))
    x = add(OpCode::Abs, {x});
  return add(op, {x});
}

Value ProgramGenerator::binary() {
  if (!smooth_ && chance(0.1)) {
    Value x = existing([](const TypeDesc &type) { return isBits(type.dtype); });
    return x ? add(oneOf({OpCode::And, OpCode::Or, OpCode::Xor}), {x, valueOf(typeOf(x))}) : nullptr;
  }
  Value x = existing([](const TypeDesc &type) { return isNumber(type.dtype); });
  if (!x)
    return nullptr;
  Value y = valueOf(typeOf(x));
  if (chance(0.5))
    std::swap(x, y);
  OpCode op = oneOf({OpCode::Add, OpCode::Add, OpCode::Sub, OpCode::Mul, OpCode::Mul, OpCode::Div, OpCode::Max,
                     OpCode::Min, OpCode::Pow});
  if (smooth_) {
    op = oneOf({OpCode::Add, OpCode::Sub, OpCode::Mul, OpCode::Div});
    if (op == OpCode::Div) {
      const TypeDesc type = typeOf(y);
      y = add(OpCode::Add, {add(OpCode::Mul, {y, y}), splat(type.dtype, type.shape, 1)});
    }
  }
  if (op == OpCode::Pow && isFloat(typeOf(x).dtype) && chance(0.7))
    x = add(OpCode::Abs, {x});
  return add(op, {x, y});
}

Value ProgramGenerator::choice() {
  if (chance(0.3)) {
    Value x = existing([](const TypeDesc &type) { return isNumber(type.dtype); });
    return x ? add(OpCode::Clamp, {x, valueOf(typeOf(x)), valueOf(typeOf(x))}) : nullptr;
  }
  Value x = any();
  const TypeDesc type = typeOf(x);
  if (isStored(type.dtype) || chance(0.4)) {
    Value y = valueOf(type);
    return add(OpCode::Select, {valueOf({DType::Bool, type.shape}), x, y});
  }
  Value compared = add(core::CompareAttrs{static_cast<core::CompareDirection>(number(0, 5))}, {x, valueOf(type)});
  if (!compared || chance(0.3))
    return compared;
  Value onTrue = valueOf({chance(0.8) ? DType::F32 : randomDType(), type.shape});
  return add(OpCode::Select, {compared, onTrue, valueOf(typeOf(onTrue))});
}

Value ProgramGenerator::conversion() {
  Value x = any();
  const TypeDesc type{chance(0.5) ? DType::F32 : randomDType(), typeOf(x).shape};
  return add(OpCode::Convert, {x}, {}, &type);
}

Value ProgramGenerator::view() {
  Value x = any();
  const TypeDesc type = typeOf(x);
  const unsigned rank = type.shape.rank();
  Dims a(rank), b(rank), c(rank);
  switch (number(0, 7)) {
  case 0: { // broadcast, to new dims anywhere
    Shape shape;
    Dims dims;
    unsigned next = 0;
    for (unsigned i = 0; i < 5 && (next < rank || shape.rank() < 4); ++i) {
      if (next < rank && chance(0.6)) {
        dims.push_back(shape.rank());
        const int64_t size = type.shape[next++];
        shape.push(size == 1 && chance(0.5) ? oneOf(sizes_) : size);
      } else if (chance(0.5)) {
        shape.push(oneOf(sizes_));
      }
    }
    while (next < rank) {
      dims.push_back(shape.rank());
      shape.push(type.shape[next++]);
    }
    return fits(shape) ? broadcastTo(x, shape, dims) : nullptr;
  }
  case 1: { // reshape: join neighbours, take others apart
    Shape shape;
    for (unsigned i = 0; i < rank; ++i) {
      int64_t size = type.shape[i];
      if (shape.rank() > 0 && chance(0.4)) {
        shape[shape.rank() - 1] *= size;
        continue;
      }
      for (int64_t factor : {2, 3, 4})
        if (size % factor == 0 && size > factor && chance(0.3)) {
          shape.push(factor);
          size /= factor;
          break;
        }
      shape.push(size);
    }
    if (shape.rank() < 6 && chance(0.2))
      shape.push(1);
    const TypeDesc to{type.dtype, shape};
    return add(OpCode::Reshape, {x}, {}, &to);
  }
  case 2:
    return add(core::TransposeAttrs{permutation(rank)}, {x});
  case 3:
    for (unsigned i = 0; i < rank; ++i) {
      c[i] = chance(0.7) ? 1 : number(1, 3);
      a[i] = number(0, type.shape[i]);
      const int64_t most = (type.shape[i] - a[i] + c[i] - 1) / c[i];
      b[i] = chance(0.3) ? most : number(std::min<int64_t>(1, most), most);
    }
    return add(core::SliceAttrs{a, b, c}, {x});
  case 4: {
    Shape window;
    for (unsigned i = 0; i < rank; ++i) {
      window.push(chance(0.4) ? type.shape[i] : number(0, type.shape[i]));
      a[i] = number(0, type.shape[i] - window[i]);
    }
    return add(core::SliceUpdateAttrs{a}, {x, valueOf({type.dtype, window})});
  }
  case 5:
    for (unsigned i = 0; i < rank; ++i) {
      a[i] = chance(0.5) ? 0 : number(-2, 3);
      b[i] = chance(0.5) ? 0 : number(-2, 3);
      c[i] = chance(0.7) ? 0 : number(1, 2);
    }
    return add(core::PadAttrs{a, b, c}, {x, valueOf({type.dtype, Shape{}})});
  case 6: {
    if (rank == 0)
      return nullptr;
    const int64_t axis = number(0, rank - 1);
    std::vector<Value> operands{x};
    for (int64_t i = number(1, 3); i > 0; --i) {
      Shape shape = type.shape;
      if (chance(0.4))
        shape[axis] = oneOf(sizes_);
      if (fits(shape))
        operands.push_back(valueOf({type.dtype, shape}));
    }
    std::ranges::shuffle(operands, random_);
    return add(core::ConcatAttrs{axis}, operands);
  }
  default:
    return add(core::ReverseAttrs{someDims(rank, true)}, {x});
  }
}

Value ProgramGenerator::reduction() {
  if (smooth_) {
    Value x = any();
    return add(core::ReduceAttrs{core::ReduceKind::Sum, someDims(typeOf(x).shape.rank(), true)}, {x});
  }
  Value x = existing([](const TypeDesc &type) { return !isStored(type.dtype); });
  if (!x)
    return nullptr;
  const TypeDesc type = typeOf(x);
  const unsigned rank = type.shape.rank();
  if (chance(0.15) && rank > 0)
    return add(core::ArgReduceAttrs{oneOf({core::ExtremumKind::Max, core::ExtremumKind::Min}), number(0, rank - 1)},
               {x});
  core::ReduceKind kind = chance(0.6)   ? core::ReduceKind::Sum
                          : chance(0.6) ? core::ReduceKind::Max
                                        : oneOf({core::ReduceKind::Min, core::ReduceKind::Prod});
  if (type.dtype == DType::Bool || (isInt(type.dtype) && chance(0.3)))
    kind = oneOf({core::ReduceKind::And, core::ReduceKind::Or});
  const Dims dims = someDims(rank, true);
  Value reduced = add(core::ReduceAttrs{kind, dims}, {x});
  if (!reduced || chance(0.4))
    return reduced;
  // Back to where it came from, as in a normalisation.
  Dims kept;
  for (unsigned i = 0; i < rank; ++i)
    if (std::ranges::find(dims, i) == dims.end())
      kept.push_back(i);
  Value back = broadcastTo(reduced, type.shape, kept);
  if (!back || !isNumber(type.dtype))
    return back;
  return add(oneOf({OpCode::Sub, OpCode::Mul, OpCode::Add, OpCode::Div}), {x, back});
}

Value ProgramGenerator::composite() {
  Value x = anyFloat();
  if (!x)
    return nullptr;
  const TypeDesc type = typeOf(x);
  const int64_t rank = type.shape.rank();
  if (rank == 0 || chance(0.25))
    return add(core::GeluAttrs{oneOf({core::GeluApproximation::None, core::GeluApproximation::Tanh})}, {x});
  const int64_t axis = number(0, rank - 1);
  switch (number(0, 3)) {
  case 0:
    return add(core::SoftmaxAttrs{axis}, {x});
  case 1:
    return add(core::LogSoftmaxAttrs{axis}, {x});
  case 2: {
    const int64_t classes = type.shape[axis];
    if (classes == 0)
      return nullptr;
    Shape examples;
    for (int64_t i = 0; i < rank; ++i)
      if (i != axis)
        examples.push(type.shape[i]);
    std::vector<Value> operands{x, indices(oneOf({DType::I64, DType::I32}), examples, 0, classes - 1)};
    if (chance(0.3)) {
      arguments_.push_back(randomTensor({type.dtype, Shape{classes}}, Fill::Positive, random_));
      operands.push_back(builder_.argument({type.dtype, Shape{classes}}));
    }
    return add(core::CrossEntropyAttrs{static_cast<core::LossReduction>(number(0, 2)), axis, chance(0.5) ? -100 : 0,
                                       chance(0.5) ? 0 : 0.1},
               operands);
  }
  default: {
    const TypeDesc features{type.dtype, Shape{type.shape[axis]}};
    Value scale = valueOf(features);
    return add(core::BatchNormAttrs{axis, smooth_ ? 0.1 : 1e-5}, {x, scale, valueOf(features)});
  }
  }
}

Value ProgramGenerator::dot() {
  Value lhs = existing([](const TypeDesc &type) { return isNumber(type.dtype); });
  if (!lhs)
    return nullptr;
  const TypeDesc type = typeOf(lhs);
  const unsigned rank = type.shape.rank();
  // Each dim of the left is batch, contracted or free; those of the right stand in any order.
  struct RightDim {
    int64_t size, lhsDim;
    bool isBatch;
  };
  std::vector<RightDim> right;
  int64_t products = 1;
  for (unsigned i = 0; i < rank; ++i) {
    products *= type.shape[i];
    const int64_t role = number(0, 4);
    if (role < 2)
      right.push_back({type.shape[i], i, role == 0 && chance(0.6)});
  }
  for (int64_t i = number(0, 2); i > 0; --i) {
    const int64_t size = oneOf(sizes_);
    if (right.size() < 4 && products * size <= kMostProducts) {
      right.push_back({size, -1, false});
      products *= size;
    }
  }
  std::ranges::shuffle(right, random_);
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
  if (!fits(shape) || products > kMostProducts)
    return nullptr;
  Value rhs = valueOf({type.dtype, shape});
  Value product = add(core::DotGeneralAttrs{lhsBatch, rhsBatch, lhsContract, rhsContract}, {lhs, rhs});
  if (!product || !isFloat(type.dtype) || chance(0.4))
    return product;
  // As a layer does: a bias and an activation.
  Value sum = add(OpCode::Add, {product, valueOf(typeOf(product))});
  if (chance(0.3)) // or much more, as the step of an optimizer behind a gradient
    for (int64_t i = number(3, 14); i > 0 && sum; --i)
      sum = chance(0.3) ? add(oneOf({OpCode::Tanh, OpCode::Neg, OpCode::Logistic}), {sum})
                        : add(oneOf({OpCode::Add, OpCode::Sub, OpCode::Mul}), {sum, valueOf(typeOf(sum))});
  if (!sum)
    return nullptr;
  return chance(0.5) ? add(smooth_ ? OpCode::Tanh : oneOf({OpCode::Relu, OpCode::Tanh, OpCode::Logistic}), {sum}) : sum;
}

Value ProgramGenerator::convolution() {
  Value lhs = existing(
      [](const TypeDesc &type) { return isNumber(type.dtype) && type.shape.rank() >= 2 && type.shape.rank() <= 4; });
  if (!lhs)
    return nullptr;
  const TypeDesc type = typeOf(lhs);
  const unsigned rank = type.shape.rank(), spatial = rank - 2;
  Dims order(rank);
  std::iota(order.begin(), order.end(), 0);
  const bool plain = chance(0.5);
  const Dims lhsDims = plain ? order : permutation(rank), rhsDims = plain ? order : permutation(rank),
             outDims = plain ? order : permutation(rank);
  const int64_t batch = type.shape[lhsDims[0]], features = type.shape[lhsDims[1]];
  int64_t featureGroups = 1, batchGroups = 1;
  for (int64_t groups : {2, 3, 4}) {
    if (features % groups == 0 && features > 0 && chance(0.2) && batchGroups == 1)
      featureGroups = groups;
    else if (batch % groups == 0 && batch > 0 && chance(0.1) && featureGroups == 1)
      batchGroups = groups;
  }
  Shape kernel;
  for (unsigned i = 0; i < rank; ++i)
    kernel.push(0);
  kernel[rhsDims[0]] = featureGroups * batchGroups * number(1, 4);
  kernel[rhsDims[1]] = features / featureGroups;
  Dims strides, low, high, lhsDilation, rhsDilation;
  for (unsigned i = 0; i < spatial; ++i) {
    kernel[rhsDims[2 + i]] = number(1, std::clamp<int64_t>(type.shape[lhsDims[2 + i]], 1, 4));
    strides.push_back(chance(0.6) ? 1 : number(1, 3));
    low.push_back(chance(0.5) ? 0 : number(-1, 3));
    high.push_back(chance(0.5) ? 0 : number(-1, 3));
    lhsDilation.push_back(chance(0.8) ? 1 : number(2, 3));
    rhsDilation.push_back(chance(0.8) ? 1 : number(2, 3));
  }
  if (!fits(kernel) || type.shape.numel() * kernel.numel() / std::max<int64_t>(features, 1) > kMostProducts)
    return nullptr;
  Value rhs = valueOf({type.dtype, kernel});
  Value result = add(core::ConvAttrs{.lhs_dims = lhsDims,
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
  if (!result || chance(0.5))
    return result;
  Value bias = valueOf({type.dtype, Shape{typeOf(result).shape[outDims[1]]}});
  return add(OpCode::Add, {result, broadcastTo(bias, typeOf(result).shape, {outDims[1]})});
}

Value ProgramGenerator::window() {
  Value x = existing([](const TypeDesc &type) { return isNumber(type.dtype) && type.shape.rank() > 0; });
  if (!x)
    return nullptr;
  const TypeDesc type = typeOf(x);
  const unsigned rank = type.shape.rank();
  Dims size(rank, 1), strides(rank, 1), low(rank, 0), high(rank, 0), base(rank, 1), dilation(rank, 1), all(rank);
  std::iota(all.begin(), all.end(), 0);
  const bool isArg = !smooth_ && chance(0.4);
  for (unsigned i = 0; i < rank; ++i) {
    if (chance(0.4))
      continue;
    size[i] = number(1, 3);
    strides[i] = number(1, 3);
    low[i] = chance(0.6) ? 0 : number(-1, 2);
    high[i] = chance(0.6) ? 0 : number(-1, 2);
    base[i] = isArg || chance(0.8) ? 1 : 2;
    dilation[i] = chance(0.8) ? 1 : 2;
  }
  if (isArg)
    return add(core::ArgReduceWindowAttrs{oneOf({core::ExtremumKind::Max, core::ExtremumKind::Min}), size, strides, low,
                                          high, dilation, all},
               {x});
  const core::ReduceKind kind =
      smooth_ ? core::ReduceKind::Sum
              : oneOf({core::ReduceKind::Sum, core::ReduceKind::Max, core::ReduceKind::Min, core::ReduceKind::Prod});
  return add(core::ReduceWindowAttrs{kind, size, strides, low, high, base, dilation}, {x});
}

Value ProgramGenerator::indexing() {
  Value x = existing(
      [](const TypeDesc &type) { return type.shape.rank() >= 1 && type.shape.rank() <= 3 && type.shape.numel() > 0; });
  if (!x)
    return nullptr;
  const TypeDesc type = typeOf(x);
  const int64_t rank = type.shape.rank(), axis = number(0, rank - 1), size = type.shape[axis];
  const auto mode = static_cast<core::IndexMode>(number(0, 3));
  const bool mayLeave = mode == core::IndexMode::Clip || mode == core::IndexMode::Fill;
  Shape places;
  if (chance(0.8))
    places.push(oneOf(sizes_));
  Value index = indices(oneOf({DType::I64, DType::I32}), places, mayLeave ? -2 : 0, mayLeave ? size + 1 : size - 1);
  // Slices across all other dims; they stand behind the dims of the indices.
  Dims sizes, offsets;
  Shape result = places;
  for (int64_t i = 0; i < rank; ++i) {
    sizes.push_back(i == axis ? 1 : type.shape[i]);
    if (i == axis)
      continue;
    offsets.push_back(result.rank());
    result.push(type.shape[i]);
  }
  if (!fits(result))
    return nullptr;
  const int64_t vectorDim = places.rank();
  if (chance(0.5))
    return add(core::GatherAttrs{.offset_dims = offsets,
                                 .collapsed_slice_dims = Dims{axis},
                                 .operand_batching_dims = {},
                                 .start_indices_batching_dims = {},
                                 .start_index_map = Dims{axis},
                                 .index_vector_dim = vectorDim,
                                 .slice_sizes = sizes,
                                 .mode = mode},
               {x, index});
  const bool assigns = type.dtype == DType::Bool || isStored(type.dtype);
  const auto combiner = smooth_   ? core::ScatterCombiner::Add
                        : assigns ? core::ScatterCombiner::Assign
                                  : static_cast<core::ScatterCombiner>(number(0, 4));
  return add(core::ScatterAttrs{.update_window_dims = offsets,
                                .inserted_window_dims = Dims{axis},
                                .input_batching_dims = {},
                                .scatter_indices_batching_dims = {},
                                .scatter_dims_to_operand_dims = Dims{axis},
                                .index_vector_dim = vectorDim,
                                .combiner = combiner,
                                .mode = mode},
             {x, index, valueOf({type.dtype, result})});
}

Value ProgramGenerator::generated() {
  if (chance(0.3)) {
    const TypeDesc type{oneOf({DType::F32, DType::I64, DType::I32}), randomShape()};
    if (type.shape.rank() == 0)
      return nullptr;
    return add(core::IotaAttrs{number(0, type.shape.rank() - 1)}, {}, &type);
  }
  if (chance(0.15))
    return add(OpCode::StopGradient, {any()});
  const uint32_t words[] = {static_cast<uint32_t>(random_()), static_cast<uint32_t>(random_())};
  const uint64_t call[] = {random_()};
  arguments_.push_back(ir::HostTensor::from(std::span<const uint32_t>(words), Shape{2}));
  arguments_.push_back(ir::HostTensor::from(std::span<const uint64_t>(call), Shape{}));
  Value key = builder_.argument({DType::U32, Shape{2}});
  Value counter = builder_.argument({DType::U64, Shape{}}, chance(0.5) ? "burn.scalar" : "");
  if (chance(0.4)) {
    const TypeDesc type{oneOf({DType::U32, DType::U64}), randomShape()};
    return add(core::RngBitsAttrs{number(0, 9)}, {key, counter}, &type);
  }
  return add(core::DropoutAttrs{number(0, 9)}, {anyFloat(), key, counter, splat(DType::F64, Shape{}, 0.25)});
}
