// Ops on numbers as they are represented: parts, classes, bits, remainders.
#include "dialects/Burn/Interpreter/ElementwiseEvaluation.h"
#include "dialects/Burn/Interpreter/ScalarMeaning.h"

#include <bit>

using namespace burn;
using namespace burn::ir;
using namespace burn::ir::meaning;
using core::OpCode;

namespace {

struct Trunc {
  static double of(double x) { return std::trunc(x); }
  static Complex of(Complex x) { return std::trunc(x.real()); }
};

struct Copysign {
  static double of(double a, double b) { return std::copysign(a, std::isnan(b) ? 1 : b); }
  static Complex of(Complex a, Complex b) {
    const double result = of(a.real(), b.real());
    return {result, Sign::of(a.real()) * Sign::of(result) * a.imag()};
  }
};

struct Fmax {
  template <Float C> static C of(C a, C b) { return std::isnan(real(a)) ? b : std::isnan(real(b)) ? a : Max::of(a, b); }
};

struct Fmin {
  template <Float C> static C of(C a, C b) { return std::isnan(real(a)) ? b : std::isnan(real(b)) ? a : Min::of(a, b); }
};

struct FloorDiv {
  static int64_t of(int64_t a, int64_t b) {
    const int64_t quotient = Div::of(a, b);
    return b != 0 && b != -1 && a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
  }
  static uint64_t of(uint64_t a, uint64_t b) { return Div::of(a, b); }
};

struct TruncRem {
  static double of(double a, double b) { return std::fmod(a, b); }
  // -1 divides everything, also the least number, whose quotient wraps.
  static int64_t of(int64_t a, int64_t b) { return b == 0 ? a : b == -1 ? 0 : a % b; }
  static uint64_t of(uint64_t a, uint64_t b) { return b == 0 ? a : a % b; }
};

struct FloorRem {
  static double of(double a, double b) {
    const double remainder = std::fmod(a, b);
    if (remainder == 0)
      return std::copysign(remainder, b);
    return std::signbit(remainder) != std::signbit(b) ? remainder + b : remainder;
  }
  static int64_t of(int64_t a, int64_t b) {
    const int64_t remainder = TruncRem::of(a, b);
    return b != 0 && remainder != 0 && (remainder < 0) != (b < 0) ? remainder + b : remainder;
  }
  static uint64_t of(uint64_t a, uint64_t b) { return TruncRem::of(a, b); }
};

// a - b q with the rounded quotient q held constant.
template <typename Op> struct Rem : Op {
  using Op::of;
  static Complex of(Complex a, Complex b) {
    const double result = Op::of(a.real(), b.real());
    const double quotient = std::nearbyint((a.real() - result) / b.real());
    return {result, a.imag() - quotient * b.imag()};
  }
};

Status rem(Evaluation &e, const core::RemAttrs &attrs) {
  return attrs.rounding == core::DivisionRounding::Floor ? binary<Rem<FloorRem>>(e) : binary<Rem<TruncRem>>(e);
}

template <auto holds> Status test(Evaluation &e) {
  const Elements<double> x = load<double>(e.operand(0));
  std::span<bool> result = e.result().data<bool>();
  for (size_t i = 0; i < x.size(); ++i)
    result[i] = holds(x[i]);
  return Status::ok();
}

// Calls `fn(element, width)` for each integer.
template <typename Fn> Status perInteger(Evaluation &e, Fn fn) {
  const HostTensor &x = e.operand(0);
  visitDType(x.type.dtype, [&]<typename T>(T) {
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>)
      for (int64_t i = 0; i < x.numel(); ++i)
        e.result().data<T>()[i] = static_cast<T>(fn(static_cast<std::make_unsigned_t<T>>(x.data<T>()[i])));
  });
  return Status::ok();
}

// Calls `fn(a, b)` for each pair of integers, where a shift by `b` is within the width, and gives `beyond(a)`
// elsewhere.
template <typename Fn, typename Beyond> Status shift(Evaluation &e, Fn fn, Beyond beyond) {
  const HostTensor &x = e.operand(0);
  visitDType(x.type.dtype, [&]<typename T>(T) {
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>)
      for (int64_t i = 0; i < x.numel(); ++i) {
        const T a = x.data<T>()[i], b = e.operand(1).data<T>()[i];
        const bool within = b >= 0 && static_cast<uint64_t>(b) < 8 * sizeof(T);
        e.result().data<T>()[i] = within ? static_cast<T>(fn(a, static_cast<int>(b))) : beyond(a);
      }
  });
  return Status::ok();
}

Status popcnt(Evaluation &e) {
  return perInteger(e, [](auto x) { return std::popcount(x); });
}

Status clz(Evaluation &e) {
  return perInteger(e, [](auto x) { return std::countl_zero(x); });
}

Status shl(Evaluation &e) {
  return shift(
      e, []<typename T>(T a, int b) { return static_cast<uint64_t>(a) << b; }, []<typename T>(T) { return T(0); });
}

Status shr(Evaluation &e) {
  return shift(
      e, []<typename T>(T a, int b) { return a >> b; }, []<typename T>(T a) { return static_cast<T>(a < 0 ? -1 : 0); });
}

Status bitcast(Evaluation &e) {
  const HostTensor &x = e.operand(0);
  HostTensor &result = e.result();
  const bool fromFloat = isFloat(x.type.dtype), toFloat = isFloat(result.type.dtype);
  if (e.precision == Precision::Own || (!fromFloat && !toFloat)) {
    result.bytes = x.bytes;
    return Status::ok();
  }
  if (fromFloat && toFloat) {
    store(result, load<double>(x));
    return Status::ok();
  }
  // Floats that are held as double have the bits of their own type, of which the width alone is known here.
  const DType integer = (fromFloat ? result : x).type.dtype;
  if (byteWidth(integer) < sizeof(float))
    return Status::error(core::ErrorCode::Unsupported,
                         "which bits a 16-bit float has is unknown where it is held as f64");
  visitDType(integer, [&]<typename T>(T) {
    if constexpr (std::is_integral_v<T> && sizeof(T) >= sizeof(float)) {
      using Real = std::conditional_t<sizeof(T) == sizeof(double), double, float>;
      if (fromFloat) {
        const std::vector<double> values = load<double>(x);
        for (size_t i = 0; i < values.size(); ++i)
          result.data<T>()[i] = std::bit_cast<T>(static_cast<Real>(values[i]));
      } else {
        for (int64_t i = 0; i < x.numel(); ++i)
          storeAt(result, i, static_cast<double>(std::bit_cast<Real>(x.data<T>()[i])));
      }
    }
  });
  return Status::ok();
}

Status reducePrecision(Evaluation &e, const core::ReducePrecisionAttrs &attrs) {
  auto rounded = [&](double value) {
    double result = value;
    visitDType(attrs.type, [&]<typename T>(T) {
      if constexpr (std::is_same_v<T, f16> || std::is_same_v<T, bf16>)
        result = static_cast<float>(T(value));
      else if constexpr (std::is_floating_point_v<T>)
        result = static_cast<double>(static_cast<T>(value));
    });
    return result;
  };
  visitCompute(e.operand(0), [&]<typename C>(C) {
    if constexpr (Float<C>) {
      Elements<C> x = load<C>(e.operand(0));
      for (C &element : x)
        if constexpr (std::is_same_v<C, Complex>)
          element = {rounded(element.real()), element.imag()};
        else
          element = rounded(element);
      store(e.result(), x);
    }
  });
  return Status::ok();
}

} // namespace

Function meaning::findNumber(OpCode op) {
  switch (op) {
  case OpCode::Trunc:
    return unary<Trunc>;
  case OpCode::IsNan:
    return test<[](double x) { return std::isnan(x); }>;
  case OpCode::IsInf:
    return test<[](double x) { return std::isinf(x); }>;
  case OpCode::IsFinite:
    return test<[](double x) { return std::isfinite(x); }>;
  case OpCode::Popcnt:
    return popcnt;
  case OpCode::Clz:
    return clz;
  case OpCode::Rem:
    return Decoding<rem>::call;
  case OpCode::FloorDiv:
    return binary<FloorDiv>;
  case OpCode::Copysign:
    return binary<Copysign>;
  case OpCode::Fmax:
    return binary<Fmax>;
  case OpCode::Fmin:
    return binary<Fmin>;
  case OpCode::Shl:
    return shl;
  case OpCode::Shr:
    return shr;
  case OpCode::Bitcast:
    return bitcast;
  case OpCode::ReducePrecision:
    return Decoding<reducePrecision>::call;
  default:
    return nullptr;
  }
}
