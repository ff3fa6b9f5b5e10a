#include "tools/burn-fuzz/OpEntries.h"

#include <algorithm>

using namespace burn;
using namespace burn::fuzz;
using core::OpCode;
using core::TypeDesc;
using mlir::Value;

namespace {

// Brings an operand to where an op has finite values that depend on it.
using Domain = Value (*)(Generator &, Value x);

Value anywhere(Generator &, Value x) { return x; }
Value bounded(Generator &g, Value x) { return x ? g.add(OpCode::Tanh, {x}) : nullptr; }
Value positive(Generator &g, Value x) { return g.awayFromZero(x, g.isSmooth() ? 1 : 0); }
Value aboveOne(Generator &g, Value x) { return g.awayFromZero(x, g.isSmooth() ? 1.5 : 1); }
// Strictly within (-1, 1).
Value insideOne(Generator &g, Value x) {
  Value y = bounded(g, x);
  if (!y)
    return nullptr;
  const TypeDesc type = typeOf(y);
  return g.add(OpCode::Mul, {y, g.splat(type.dtype, type.shape, 0.75)});
}

// In programs that are compared with differences operands stay inside of the domain, in others they mostly do.
Value into(Domain domain, Generator &g, Value x) {
  if (!x || domain == anywhere || !isFloat(typeOf(x).dtype))
    return x;
  return g.isSmooth() || g.chance(0.7) ? domain(g, x) : x;
}

template <Domain domain> Value unary(Generator &g, OpCode op) { return g.add(op, {into(domain, g, g.takenBy(op, 1))}); }

// The words of an op's attributes.
template <typename Attrs> llvm::SmallVector<int64_t> wordsOf(const Attrs &attrs) {
  llvm::SmallVector<int64_t> words;
  attrs.encode(words);
  return words;
}

// The operand of a unary op with attributes.
template <typename Attrs> Value unaryWith(Generator &g, const Attrs &attrs, Domain domain = anywhere) {
  return g.add(attrs, {into(domain, g, g.takenBy(Attrs::op, 1, wordsOf(attrs)))});
}

Value polygamma(Generator &g, OpCode) { return unaryWith(g, core::PolygammaAttrs{g.number(1, 4)}, positive); }

Value powi(Generator &g, OpCode) {
  const int64_t exponent = g.chance(0.1) ? g.oneOf({-64, -7, 31, 100}) : g.number(-4, 6);
  return unaryWith(g, core::PowiAttrs{exponent}, g.isSmooth() ? positive : anywhere);
}

Value reducePrecision(Generator &g, OpCode) {
  return unaryWith(g, core::ReducePrecisionAttrs{g.oneOf({DType::BF16, DType::F16, DType::F32})});
}

Value rem(Generator &g, OpCode op) {
  const core::RemAttrs attrs{g.oneOf({core::DivisionRounding::Trunc, core::DivisionRounding::Floor})};
  Value x = g.takenBy(op, 2, wordsOf(attrs));
  return x ? g.add(attrs, {x, g.valueOf(typeOf(x))}) : nullptr;
}

Value shift(Generator &g, OpCode op) {
  Value x = g.takenBy(op, 2);
  if (!x)
    return nullptr;
  const TypeDesc type = typeOf(x);
  // Within the width, at its edges and beyond them.
  Value by = g.chance(0.7) ? g.indices(type.dtype, type.shape, isSignedInt(type.dtype) ? -2 : 0,
                                       std::min<int64_t>(bitWidth(type.dtype) + 2, 127))
                           : g.valueOf(type);
  return g.add(op, {x, by});
}

Value bitcast(Generator &g, OpCode op) {
  Value x = g.some(isNumber);
  if (!x)
    return nullptr;
  const TypeDesc from = typeOf(x);
  // Which NaN an op gives is not specified, and the bits would tell.
  if (isFloat(from.dtype))
    x = g.add(OpCode::Select, {g.add(OpCode::IsNan, {x}), g.splat(from.dtype, from.shape, 1), x});
  for (int attempt = 0; attempt < 20; ++attempt)
    if (const TypeDesc to{g.dtype(), from.shape}; bitWidth(to.dtype) == bitWidth(from.dtype) && isNumber(to))
      return g.add(op, {x}, {}, &to);
  return nullptr;
}

Value binary(Generator &g, OpCode op) {
  Value x = g.takenBy(op, 2);
  if (!x)
    return nullptr;
  const TypeDesc type = typeOf(x);
  Value y;
  if (!g.isSmooth() && g.chance(0.15)) {
    // What folds look for, on elements of which many are zeros of either sign.
    const bool isSigned = !isUnsignedInt(type.dtype) && type.dtype != DType::Bool;
    x = g.argument(type, Fill::Zeros);
    y = g.splat(type.dtype, type.shape, isSigned ? g.oneOf({0.0, -0.0, 1.0, -1.0, 2.0}) : g.oneOf({0.0, 1.0, 2.0}));
  } else {
    y = g.valueOf(type);
  }
  if (g.chance(0.5))
    std::swap(x, y);
  return g.add(op, {x, y});
}

// Both operands away from zero, where the program is to be smooth.
Value ofPoint(Generator &g, OpCode op) {
  Value x = g.takenBy(op, 2);
  if (!x)
    return nullptr;
  Value y = g.valueOf(typeOf(x));
  return g.isSmooth() ? g.add(op, {x, g.awayFromZero(y, 0.5)}) : g.add(op, {x, y});
}

Value div(Generator &g, OpCode op) {
  Value x = g.takenBy(op, 2);
  if (!x)
    return nullptr;
  Value y = g.valueOf(typeOf(x));
  return g.add(op, {x, g.isSmooth() ? g.awayFromZero(y, 1) : y});
}

Value pow(Generator &g, OpCode op) {
  Value x = g.takenBy(op, 2);
  if (!x)
    return nullptr;
  Value y = g.valueOf(typeOf(x));
  if (g.isSmooth())
    return g.add(op, {g.awayFromZero(bounded(g, x), 0.5), bounded(g, y)});
  return g.add(op, {into(positive, g, x), y});
}

Value compare(Generator &g, OpCode) {
  Value x = g.any();
  return x ? g.add(core::CompareAttrs{static_cast<core::CompareDirection>(g.number(0, 5))}, {x, g.valueOf(typeOf(x))})
           : nullptr;
}

Value select(Generator &g, OpCode) {
  Value x = g.any();
  if (!x)
    return nullptr;
  const TypeDesc type = typeOf(x);
  Value chosen = g.chance(0.3) ? g.valueOf({DType::Bool, type.shape}) : compare(g, OpCode::Compare);
  if (!chosen || typeOf(chosen).shape != type.shape)
    chosen = g.valueOf({DType::Bool, type.shape});
  return g.add(OpCode::Select, {chosen, x, g.valueOf(type)});
}

// Between bounds that all values stay away from, where the program is to be smooth.
Value clamp(Generator &g, OpCode op) {
  Value x = g.takenBy(op, 3);
  if (!x)
    return nullptr;
  const TypeDesc type = typeOf(x);
  if (g.isSmooth())
    return g.add(op, {bounded(g, x), g.splat(type.dtype, type.shape, -2), g.splat(type.dtype, type.shape, 2)});
  return g.add(op, {x, g.valueOf(type), g.valueOf(type)});
}

Value convert(Generator &g, OpCode op) {
  Value x = g.any();
  if (!x)
    return nullptr;
  const TypeDesc type{g.chance(0.5) ? DType::F32 : g.dtype(), typeOf(x).shape};
  return g.add(op, {x}, {}, &type);
}

} // namespace

void fuzz::addElementwiseEntries(std::vector<OpEntry> &entries) {
  const auto unaries = [&](std::initializer_list<OpCode> ops, Value (*add)(Generator &, OpCode), bool isSmooth) {
    for (OpCode op : ops)
      entries.push_back({op, Family::Unary, add, isSmooth});
  };
  unaries({OpCode::Abs, OpCode::Sign, OpCode::Relu, OpCode::Floor, OpCode::Ceil, OpCode::RoundEven, OpCode::Trunc,
           OpCode::Not, OpCode::IsNan, OpCode::IsInf, OpCode::IsFinite, OpCode::Popcnt, OpCode::Clz},
          unary<anywhere>, false);
  unaries({OpCode::Neg, OpCode::Tanh, OpCode::Erf, OpCode::Erfc, OpCode::Logistic, OpCode::Sin, OpCode::Cos,
           OpCode::Atan, OpCode::Asinh},
          unary<anywhere>, true);
  unaries({OpCode::Exp, OpCode::Exp2, OpCode::Expm1, OpCode::Sinh, OpCode::Cosh, OpCode::Tan}, unary<bounded>, true);
  unaries({OpCode::Log, OpCode::Log2, OpCode::Log10, OpCode::Log1p, OpCode::Sqrt, OpCode::Rsqrt, OpCode::Cbrt,
           OpCode::Lgamma, OpCode::Digamma},
          unary<positive>, true);
  unaries({OpCode::Asin, OpCode::Acos, OpCode::Atanh, OpCode::Erfinv}, unary<insideOne>, true);
  unaries({OpCode::Acosh}, unary<aboveOne>, true);
  unaries({OpCode::Polygamma}, polygamma, true);
  unaries({OpCode::Powi}, powi, true);
  unaries({OpCode::ReducePrecision}, reducePrecision, false);

  const auto binaries = [&](std::initializer_list<OpCode> ops, Value (*add)(Generator &, OpCode), bool isSmooth) {
    for (OpCode op : ops)
      entries.push_back({op, Family::Binary, add, isSmooth});
  };
  binaries({OpCode::Add, OpCode::Sub, OpCode::Mul}, binary, true);
  binaries({OpCode::Max, OpCode::Min, OpCode::And, OpCode::Or, OpCode::Xor, OpCode::Fmax, OpCode::Fmin,
            OpCode::Copysign, OpCode::FloorDiv},
           binary, false);
  binaries({OpCode::Atan2, OpCode::Hypot}, ofPoint, true);
  binaries({OpCode::Div}, div, true);
  binaries({OpCode::Pow}, pow, true);
  binaries({OpCode::Rem}, rem, false);
  binaries({OpCode::Shl, OpCode::Shr}, shift, false);
  entries.push_back({OpCode::Compare, Family::Choice, compare});
  entries.push_back({OpCode::Select, Family::Choice, select});
  entries.push_back({OpCode::Clamp, Family::Choice, clamp, true});
  entries.push_back({OpCode::Convert, Family::Conversion, convert});
  entries.push_back({OpCode::Bitcast, Family::Conversion, bitcast});
}
