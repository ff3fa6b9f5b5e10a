// Reductions over whole dimensions, over windows and along an axis.
#include "tools/burn-fuzz/OpEntries.h"

#include <algorithm>

using namespace burn;
using namespace burn::fuzz;
using core::OpCode;
using core::ReduceKind;
using core::TypeDesc;
using mlir::Value;

namespace {

bool isOfBits(DType dtype) { return dtype == DType::Bool || isInt(dtype); }

Value reduce(Generator &g, OpCode) {
  if (g.isSmooth()) {
    Value x = g.any();
    return x ? g.add(core::ReduceAttrs{ReduceKind::Sum, g.someDims(typeOf(x).shape.rank(), true)}, {x}) : nullptr;
  }
  ReduceKind kind = g.chance(0.6)   ? ReduceKind::Sum
                    : g.chance(0.6) ? ReduceKind::Max
                                    : g.oneOf({ReduceKind::Min, ReduceKind::Prod});
  // Most operands come as they are; now and then one of bits, which few values are.
  Value x = g.chance(0.15) ? g.some([](const TypeDesc &type) { return isOfBits(type.dtype); }) : g.any();
  if (!x)
    return nullptr;
  const TypeDesc type = typeOf(x);
  if (type.dtype == DType::Bool || (isInt(type.dtype) && g.chance(0.4)))
    kind = g.oneOf({ReduceKind::And, ReduceKind::Or, ReduceKind::Xor});
  const Dims dims = g.someDims(type.shape.rank(), true);
  Value reduced = g.add(core::ReduceAttrs{kind, dims}, {x});
  if (!reduced || g.chance(0.4))
    return reduced;
  // Back to where it came from, as in a normalisation.
  Dims kept;
  for (unsigned i = 0; i < type.shape.rank(); ++i)
    if (std::ranges::find(dims, i) == dims.end())
      kept.push_back(i);
  Value back = g.broadcastTo(reduced, type.shape, kept);
  if (back && isNumber(type))
    g.add(g.oneOf({OpCode::Sub, OpCode::Mul, OpCode::Add, OpCode::Div}), {x, back});
  return reduced;
}

Value argReduce(Generator &g, OpCode) {
  Value x = g.some([](const TypeDesc &type) { return type.shape.rank() > 0; });
  if (!x)
    return nullptr;
  return g.add(core::ArgReduceAttrs{g.oneOf({core::ExtremumKind::Max, core::ExtremumKind::Min}),
                                    g.number(0, typeOf(x).shape.rank() - 1)},
               {x});
}

Value moments(Generator &g, OpCode op) {
  Value x = g.takenBy(op, 1, {0, 0});
  if (!x)
    return nullptr;
  const Dims dims = g.someDims(typeOf(x).shape.rank(), true);
  return g.add(core::MomentsAttrs{dims, g.number(0, 1)}, {x});
}

Value scan(Generator &g, OpCode) {
  Value x = g.some([](const TypeDesc &type) { return isNumber(type) && type.shape.rank() > 0; });
  if (!x)
    return nullptr;
  const auto kind =
      g.isSmooth() ? g.oneOf({core::ScanKind::Sum, core::ScanKind::Prod}) : static_cast<core::ScanKind>(g.number(0, 3));
  return g.add(core::ScanAttrs{kind, g.number(0, typeOf(x).shape.rank() - 1), g.chance(0.4), g.chance(0.4)}, {x});
}

Value linearScan(Generator &g, OpCode) {
  Value x = g.some([](const TypeDesc &type) { return isNumber(type) && type.shape.rank() > 0; });
  if (!x)
    return nullptr;
  const TypeDesc type = typeOf(x);
  Value factor = g.valueOf(type);
  if (factor && isFloat(type.dtype) && g.chance(0.7)) // does not grow
    factor = g.add(OpCode::Tanh, {factor});
  return g.add(core::LinearScanAttrs{g.number(0, type.shape.rank() - 1), g.chance(0.4)}, {factor, x});
}

struct Window {
  Dims size, strides, low, high, base, dilation;
};

Window windowOver(Generator &g, const Shape &shape, bool mayDilateBase) {
  const unsigned rank = shape.rank();
  Window w{Dims(rank, 1), Dims(rank, 1), Dims(rank, 0), Dims(rank, 0), Dims(rank, 1), Dims(rank, 1)};
  for (unsigned i = 0; i < rank; ++i) {
    if (g.chance(0.4))
      continue;
    w.size[i] = g.number(1, 3);
    w.strides[i] = g.number(1, 3);
    w.low[i] = g.chance(0.6) ? 0 : g.number(-1, 2);
    w.high[i] = g.chance(0.6) ? 0 : g.number(-1, 2);
    w.base[i] = !mayDilateBase || g.chance(0.8) ? 1 : 2;
    w.dilation[i] = g.chance(0.8) ? 1 : 2;
  }
  return w;
}

Value reduceWindow(Generator &g, OpCode) {
  Value x = g.some([](const TypeDesc &type) { return isNumber(type) && type.shape.rank() > 0; });
  if (!x)
    return nullptr;
  const Window w = windowOver(g, typeOf(x).shape, true);
  const ReduceKind kind =
      g.isSmooth() ? ReduceKind::Sum : g.oneOf({ReduceKind::Sum, ReduceKind::Max, ReduceKind::Min, ReduceKind::Prod});
  return g.add(core::ReduceWindowAttrs{kind, w.size, w.strides, w.low, w.high, w.base, w.dilation}, {x});
}

Value argReduceWindow(Generator &g, OpCode) {
  Value x = g.some([](const TypeDesc &type) { return isNumber(type) && type.shape.rank() > 0; });
  if (!x)
    return nullptr;
  const Shape shape = typeOf(x).shape;
  const Window w = windowOver(g, shape, false);
  return g.add(core::ArgReduceWindowAttrs{g.oneOf({core::ExtremumKind::Max, core::ExtremumKind::Min}), w.size,
                                          w.strides, w.low, w.high, w.dilation, allDims(shape.rank())},
               {x});
}

} // namespace

void fuzz::addReductionEntries(std::vector<OpEntry> &entries) {
  entries.push_back({OpCode::Reduce, Family::Reduction, reduce, true});
  entries.push_back({OpCode::ArgReduce, Family::Reduction, argReduce});
  entries.push_back({OpCode::Moments, Family::Reduction, moments, true});
  entries.push_back({OpCode::Scan, Family::Reduction, scan, true});
  entries.push_back({OpCode::LinearScan, Family::Reduction, linearScan, true});
  entries.push_back({OpCode::ReduceWindow, Family::Window, reduceWindow, true});
  entries.push_back({OpCode::ArgReduceWindow, Family::Window, argReduceWindow});
}
