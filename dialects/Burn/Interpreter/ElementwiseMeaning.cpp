// Elementwise ops over whole tensors.
#include "dialects/Burn/Interpreter/ElementwiseEvaluation.h"
#include "dialects/Burn/Interpreter/ScalarMeaning.h"

using namespace burn;
using namespace burn::ir;
using namespace burn::ir::meaning;
using core::OpCode;

namespace {

Status clamp(Evaluation &e) {
  visitCompute(e.operand(0), [&]<typename C>(C) {
    Elements<C> x = load<C>(e.operand(0));
    const Elements<C> low = load<C>(e.operand(1)), high = load<C>(e.operand(2));
    for (size_t i = 0; i < x.size(); ++i)
      x[i] = Clamp::of(static_cast<C>(x[i]), static_cast<C>(low[i]), static_cast<C>(high[i]));
    store(e.result(), x);
  });
  return Status::ok();
}

template <typename T> bool holds(core::CompareDirection direction, T a, T b) {
  switch (direction) {
  case core::CompareDirection::EQ:
    return a == b;
  case core::CompareDirection::NE:
    return a != b;
  case core::CompareDirection::LT:
    return a < b;
  case core::CompareDirection::LE:
    return a <= b;
  case core::CompareDirection::GT:
    return a > b;
  case core::CompareDirection::GE:
    return a >= b;
  }
  return false;
}

Status compare(Evaluation &e, const core::CompareAttrs &attrs) {
  visitCompute(e.operand(0), [&]<typename C>(C) {
    using Ordered = std::conditional_t<std::is_same_v<C, Complex>, double, C>;
    const Elements<Ordered> a = load<Ordered>(e.operand(0)), b = load<Ordered>(e.operand(1));
    std::span<bool> result = e.result().data<bool>();
    for (size_t i = 0; i < a.size(); ++i)
      result[i] = holds<Ordered>(attrs.direction, a[i], b[i]);
  });
  return Status::ok();
}

Status select(Evaluation &e) {
  const size_t width = e.result().elementSize();
  std::span<const uint8_t> predicate = e.operand(0).data<uint8_t>();
  for (size_t i = 0; i < predicate.size(); ++i)
    std::memcpy(e.result().bytes.data() + i * width, e.operand(predicate[i] ? 1 : 2).bytes.data() + i * width, width);
  return Status::ok();
}

// An integer as double, with the bits that do not fit kept as one sticky bit, so that rounding the
// result to a narrower float is correct.
template <typename C> double toOdd(C value) {
  const bool negative = value < 0;
  uint64_t magnitude = negative ? 0 - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
  if (const int excess = 11 - std::countl_zero(magnitude | 1); excess > 0) {
    const uint64_t mask = (uint64_t(1) << excess) - 1;
    if (magnitude & mask)
      magnitude = (magnitude & ~mask) | (mask + 1);
  }
  const double result = static_cast<double>(magnitude);
  return negative ? -result : result;
}

// Truncates, saturates; NaN gives 0.
template <typename T> T saturated(double value) {
  if (std::isnan(value))
    return 0;
  const double truncated = std::trunc(value);
  // 2^bits is exact in double, while the greatest integer may not be.
  const double above = std::ldexp(1.0, std::numeric_limits<T>::digits);
  if (truncated >= above)
    return std::numeric_limits<T>::max();
  const double least = static_cast<double>(std::numeric_limits<T>::min());
  return truncated < least ? std::numeric_limits<T>::min() : static_cast<T>(truncated);
}

Status convert(Evaluation &e) {
  HostTensor &result = e.result();
  const DType to = result.type.dtype;
  visitCompute(e.operand(0), [&]<typename C>(C) {
    const Elements<C> x = load<C>(e.operand(0));
    if (to == DType::Bool) {
      for (size_t i = 0; i < x.size(); ++i)
        result.data<bool>()[i] = static_cast<C>(x[i]) != C(0);
    } else if constexpr (Float<C>) {
      if (isFloat(to))
        store(result, x);
      else
        visitDType(to, [&]<typename T>(T) {
          if constexpr (std::is_integral_v<T>)
            for (size_t i = 0; i < x.size(); ++i)
              result.data<T>()[i] = saturated<T>(real(x[i]));
        });
    } else if (isFloat(to) && to != DType::F64) {
      for (size_t i = 0; i < x.size(); ++i)
        storeAt(result, static_cast<int64_t>(i), toOdd(static_cast<C>(x[i])));
    } else {
      store(result, x);
    }
  });
  return Status::ok();
}

Status identity(Evaluation &e) {
  e.result() = e.operand(0);
  return Status::ok();
}

} // namespace

Function meaning::findElementwise(OpCode op) {
  switch (op) {
  case OpCode::Neg:
    return unary<Neg>;
  case OpCode::Abs:
    return unary<Abs>;
  case OpCode::Sign:
    return unary<Sign>;
  case OpCode::Exp:
    return unary<Exp>;
  case OpCode::Expm1:
    return unary<Expm1>;
  case OpCode::Log:
    return unary<Log>;
  case OpCode::Log1p:
    return unary<Log1p>;
  case OpCode::Sqrt:
    return unary<Sqrt>;
  case OpCode::Rsqrt:
    return unary<Rsqrt>;
  case OpCode::Tanh:
    return unary<Tanh>;
  case OpCode::Erf:
    return unary<Erf>;
  case OpCode::Logistic:
    return unary<Logistic>;
  case OpCode::Relu:
    return unary<Relu>;
  case OpCode::Floor:
    return unary<Floor>;
  case OpCode::Ceil:
    return unary<Ceil>;
  case OpCode::RoundEven:
    return unary<RoundEven>;
  case OpCode::Not:
    return unary<Not>;
  case OpCode::Add:
    return binary<Add>;
  case OpCode::Sub:
    return binary<Sub>;
  case OpCode::Mul:
    return binary<Mul>;
  case OpCode::Div:
    return binary<Div>;
  case OpCode::Pow:
    return binary<Pow>;
  case OpCode::Max:
    return binary<Max>;
  case OpCode::Min:
    return binary<Min>;
  case OpCode::And:
    return binary<And>;
  case OpCode::Or:
    return binary<Or>;
  case OpCode::Xor:
    return binary<Xor>;
  case OpCode::Compare:
    return Decoding<compare>::call;
  case OpCode::Select:
    return select;
  case OpCode::Clamp:
    return clamp;
  case OpCode::Convert:
    return convert;
  case OpCode::StopGradient:
  case OpCode::Name:
    return identity;
  default:
    return nullptr;
  }
}
