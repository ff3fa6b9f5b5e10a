// Random numbers in terms of random bits.
#include "dialects/Burn/Composites.h"

#include <cmath>
#include <numbers>

using namespace mlir;
using namespace burn::ir;
using namespace burn::ir::composite;

using Values = SmallVector<Value>;

namespace {

// How many of its random bits a uniform number of a type has.
int uniformBits(Type element) { return element.isF64() ? 53 : element.isF16() ? 11 : element.isBF16() ? 8 : 24; }

// Bits of the op's stream: 64 for a result of f64.
template <typename Op> Value bitsFor(ImplicitLocOpBuilder &b, Op op, Dims shape, bool wide) {
  auto type = IntegerType::get(b.getContext(), wide ? 64 : 32, IntegerType::Unsigned);
  return RngBitsOp::create(b, RankedTensorType::get(shape, type), op.getKey(), op.getCounter(), op.getOrdinal());
}

// The top `kept` bits, as a number of another type.
Value topBits(ImplicitLocOpBuilder &b, Value bits, int kept, Type to) {
  const int width = typeOf(bits).getElementTypeBitWidth();
  return convert(b, div(b, bits, splat(b, bits, std::ldexp(1.0, width - kept))), to);
}

template <typename Op> Value uniform(ImplicitLocOpBuilder &b, Op op, Dims shape, Type element) {
  const int kept = uniformBits(element);
  Value bits = topBits(b, bitsFor(b, op, shape, element.isF64()), kept, element);
  return vjp::scale(b, bits, std::ldexp(1.0, -kept));
}

} // namespace

bool UniformOp::isDifferentiableOperand(unsigned) { return false; }
bool NormalOp::isDifferentiableOperand(unsigned) { return false; }

Values UniformOp::decompose(OpBuilder &builder) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  return {uniform(b, *this, shapeOf(getResult()), elementOf(getResult()))};
}

// (2k + 1 - 2^kept) 2^-kept lies inside of (-1, 1), symmetric around 0.
Values NormalOp::decompose(OpBuilder &builder) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  const Type element = computeElement(getResult());
  const int kept = element.isF64() ? 53 : 24;
  Value k = topBits(b, bitsFor(b, *this, shapeOf(getResult()), element.isF64()), kept, b.getI64Type());
  Value centred = sub(b, add(b, k, k), splat(b, k, std::ldexp(1.0, kept) - 1));
  Value x = vjp::scale(b, convert(b, centred, element), std::ldexp(1.0, -kept));
  Value normal = vjp::scale(b, ErfinvOp::create(b, x), std::numbers::sqrt2);
  return {convert(b, normal, elementOf(getResult()))};
}

// In f64, which holds every count of 32 bits; a comparison with NaN is false.
Values BernoulliOp::decompose(OpBuilder &builder) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  Value p = convert(b, getProbability(), b.getF64Type());
  Value bound = FloorOp::create(b, vjp::scale(b, p, 0x1p32));
  Value bits = convert(b, bitsFor(b, *this, shapeOf(getResult()), false), b.getF64Type());
  return {compare(b, CompareDirection::LT, bits, bound)};
}

// The class is the number of running sums that u times the total reaches. In f64, where a sum of many weights keeps
// what decides between two classes.
Values CategoricalOp::decompose(OpBuilder &builder) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  Value weights = convert(b, getWeights(), b.getF64Type());
  const int64_t axis = typeOf(weights).getRank() - 1, classes = shapeOf(weights).back();
  Value sums = ScanOp::create(b, ScanKind::Sum, weights, axis, /*exclusive=*/false, /*reverse=*/false);
  DimVector shape(shapeOf(getResult()));
  Value total = reshape(b, sliceDim(b, sums, axis, classes - 1, 1), Dims(shape).drop_back());
  Value u = convert(b, uniform(b, *this, shape, b.getF32Type()), b.getF64Type());
  Value bound = mul(b, u, broadcastAlong(b, total, shape, {axis}));
  shape.push_back(classes);
  DimVector line = range(0, axis);
  line.push_back(axis + 1);
  Value reached =
      compare(b, CompareDirection::LE, broadcast(b, sums, shape, line), broadcastAlong(b, bound, shape, {axis + 1}));
  Value count = reduce(b, ReduceKind::Sum, convert(b, reached, b.getI64Type()), {axis + 1});
  // Weights without a positive total reach every sum.
  return {MinOp::create(b, count, splat(b, count, static_cast<double>(classes - 1)))};
}
