// Loops over elements.
#include "passes/PerOp/Kernels.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <type_traits>

namespace burn::compiler::perop {
namespace {

using core::OpCode;

// What an element type is computed in: each operation on f16 and bf16, done in f32 and rounded once on storing, is
// rounded as if it had been done exactly. Integers wrap, so they are computed without sign.
template <typename T> using Compute = std::conditional_t<std::is_same_v<T, f16> || std::is_same_v<T, bf16>, float, T>;
template <typename T> constexpr bool isFloating = std::is_floating_point_v<Compute<T>>;

template <typename T> T wrapped(auto fn, T a, T b) {
  // At least unsigned: narrower operands would be promoted to a type with a sign.
  using U = std::conditional_t<sizeof(T) <= 4, uint32_t, uint64_t>;
  return static_cast<T>(fn(static_cast<U>(a), static_cast<U>(b)));
}

struct Add {
  template <typename C> static C of(C a, C b) {
    if constexpr (!std::is_integral_v<C>)
      return a + b;
    else
      return wrapped([](auto x, auto y) { return x + y; }, a, b);
  }
};
struct Sub {
  template <typename C> static C of(C a, C b) {
    if constexpr (std::is_floating_point_v<C>)
      return a - b;
    else
      return wrapped([](auto x, auto y) { return x - y; }, a, b);
  }
};
struct Mul {
  template <typename C> static C of(C a, C b) {
    if constexpr (std::is_floating_point_v<C>)
      return a * b;
    else
      return wrapped([](auto x, auto y) { return x * y; }, a, b);
  }
};
struct Div {
  template <typename C>
    requires std::is_floating_point_v<C>
  static C of(C a, C b) {
    return a / b;
  }
};
// NaN wins, and zeros have an order.
struct Max {
  template <typename C> static C of(C a, C b) {
    if constexpr (std::is_floating_point_v<C>)
      return a != a ? a : b != b ? b : a == b ? (std::signbit(a) ? b : a) : a > b ? a : b;
    else
      return a < b ? b : a;
  }
};
struct Min {
  template <typename C> static C of(C a, C b) {
    if constexpr (std::is_floating_point_v<C>)
      return a != a ? a : b != b ? b : a == b ? (std::signbit(a) ? a : b) : a < b ? a : b;
    else
      return b < a ? b : a;
  }
};
struct And {
  template <typename C>
    requires std::is_integral_v<C>
  static C of(C a, C b) {
    return a & b;
  }
};
struct Or {
  template <typename C>
    requires std::is_integral_v<C>
  static C of(C a, C b) {
    return a | b;
  }
};
struct Xor {
  template <typename C>
    requires std::is_integral_v<C>
  static C of(C a, C b) {
    return a ^ b;
  }
};
struct Neg {
  template <typename C> static C of(C x) {
    if constexpr (std::is_floating_point_v<C>)
      return -x;
    else
      return wrapped([](auto zero, auto y) { return zero - y; }, C(0), x);
  }
};
struct Abs {
  template <typename C>
    requires std::is_floating_point_v<C>
  static C of(C x) {
    return std::fabs(x);
  }
};
struct Sqrt {
  template <typename C>
    requires std::is_floating_point_v<C>
  static C of(C x) {
    return std::sqrt(x);
  }
};
struct Rsqrt { // in double, so that the result is rounded once
  template <typename C>
    requires std::is_floating_point_v<C>
  static C of(C x) {
    return static_cast<C>(1.0 / std::sqrt(static_cast<double>(x)));
  }
};
struct Relu {
  template <typename C> static C of(C x) { return Max::of(x, C(0)); }
};
struct Not {
  template <typename C>
    requires std::is_integral_v<C>
  static C of(C x) {
    if constexpr (std::is_same_v<C, bool>)
      return !x;
    else
      return static_cast<C>(~x);
  }
};
struct Same {
  template <typename C> static C of(C x) { return x; }
};

template <typename Op, typename T>
void unary(const void *const *operands, void *result, int64_t count, std::span<const int64_t>) {
  const T *x = static_cast<const T *>(operands[0]);
  T *out = static_cast<T *>(result);
  for (int64_t i = 0; i < count; ++i)
    out[i] = static_cast<T>(Op::of(static_cast<Compute<T>>(x[i])));
}

template <typename Op, typename T>
void binary(const void *const *operands, void *result, int64_t count, std::span<const int64_t>) {
  const T *a = static_cast<const T *>(operands[0]), *b = static_cast<const T *>(operands[1]);
  T *out = static_cast<T *>(result);
  for (int64_t i = 0; i < count; ++i)
    out[i] = static_cast<T>(Op::of(static_cast<Compute<T>>(a[i]), static_cast<Compute<T>>(b[i])));
}

template <typename Op> ElementKernel findUnary(DType dtype) {
  return visitDType(dtype, []<typename T>(T) -> ElementKernel {
    if constexpr (requires(Compute<T> x) { Op::of(x); })
      return &unary<Op, T>;
    else
      return nullptr;
  });
}

template <typename Op> ElementKernel findBinary(DType dtype) {
  return visitDType(dtype, []<typename T>(T) -> ElementKernel {
    if constexpr (requires(Compute<T> x) { Op::of(x, x); })
      return &binary<Op, T>;
    else
      return nullptr;
  });
}

template <typename T, typename Holds> void compareWith(const T *a, const T *b, bool *out, int64_t count, Holds holds) {
  for (int64_t i = 0; i < count; ++i)
    out[i] = holds(static_cast<Compute<T>>(a[i]), static_cast<Compute<T>>(b[i]));
}

template <typename T>
void compare(const void *const *operands, void *result, int64_t count, std::span<const int64_t> words) {
  const T *a = static_cast<const T *>(operands[0]), *b = static_cast<const T *>(operands[1]);
  bool *out = static_cast<bool *>(result);
  switch (static_cast<core::CompareDirection>(words[0])) {
  case core::CompareDirection::EQ:
    return compareWith(a, b, out, count, [](auto x, auto y) { return x == y; });
  case core::CompareDirection::NE:
    return compareWith(a, b, out, count, [](auto x, auto y) { return x != y; });
  case core::CompareDirection::LT:
    return compareWith(a, b, out, count, [](auto x, auto y) { return x < y; });
  case core::CompareDirection::LE:
    return compareWith(a, b, out, count, [](auto x, auto y) { return x <= y; });
  case core::CompareDirection::GT:
    return compareWith(a, b, out, count, [](auto x, auto y) { return x > y; });
  case core::CompareDirection::GE:
    return compareWith(a, b, out, count, [](auto x, auto y) { return x >= y; });
  }
}

template <typename Word>
void select(const void *const *operands, void *result, int64_t count, std::span<const int64_t>) {
  const auto *chosen = static_cast<const uint8_t *>(operands[0]);
  const Word *a = static_cast<const Word *>(operands[1]), *b = static_cast<const Word *>(operands[2]);
  Word *out = static_cast<Word *>(result);
  for (int64_t i = 0; i < count; ++i)
    out[i] = chosen[i] ? a[i] : b[i];
}

template <typename From, typename To>
void convert(const void *const *operands, void *result, int64_t count, std::span<const int64_t>) {
  const From *x = static_cast<const From *>(operands[0]);
  To *out = static_cast<To *>(result);
  for (int64_t i = 0; i < count; ++i) {
    const auto value = static_cast<Compute<From>>(x[i]);
    if constexpr (std::is_same_v<To, bool>)
      out[i] = value != Compute<From>(0);
    else
      out[i] = static_cast<To>(value);
  }
}

// Conversions that C++ does as the op is defined. From f64 and integers to f16 and bf16 a cast may round twice; from
// floats to integers it does not saturate.
template <typename From, typename To> constexpr bool convertsByCast() {
  if constexpr (std::is_same_v<To, bool> || !isFloating<From>)
    return std::is_same_v<To, bool> || !isFloating<To> || std::is_floating_point_v<To> || std::is_same_v<From, bool>;
  else
    return isFloating<To> && (std::is_floating_point_v<To> || !std::is_same_v<From, double>);
}

ElementKernel findConvert(DType from, DType to) {
  return visitDType(from, [&]<typename From>(From) {
    return visitDType(to, []<typename To>(To) -> ElementKernel {
      if constexpr (convertsByCast<From, To>())
        return &convert<From, To>;
      else
        return nullptr;
    });
  });
}

ElementKernel findSelect(DType dtype) {
  switch (byteWidth(dtype)) {
  case 1:
    return &select<uint8_t>;
  case 2:
    return &select<uint16_t>;
  case 4:
    return &select<uint32_t>;
  default:
    return &select<uint64_t>;
  }
}

} // namespace

ElementKernel findElementKernel(OpCode op, std::span<const core::TypeDesc> operands, const core::TypeDesc &result) {
  for (const core::TypeDesc &operand : operands)
    if (operand.shape != result.shape)
      return nullptr;
  const DType dtype = result.dtype;
  switch (op) {
  case OpCode::Add:
    return findBinary<Add>(dtype);
  case OpCode::Sub:
    return findBinary<Sub>(dtype);
  case OpCode::Mul:
    return findBinary<Mul>(dtype);
  case OpCode::Div:
    return findBinary<Div>(dtype);
  case OpCode::Max:
    return findBinary<Max>(dtype);
  case OpCode::Min:
    return findBinary<Min>(dtype);
  case OpCode::And:
    return findBinary<And>(dtype);
  case OpCode::Or:
    return findBinary<Or>(dtype);
  case OpCode::Xor:
    return findBinary<Xor>(dtype);
  case OpCode::Neg:
    return dtype == DType::Bool ? nullptr : findUnary<Neg>(dtype);
  case OpCode::Abs:
    return findUnary<Abs>(dtype);
  case OpCode::Sqrt:
    return findUnary<Sqrt>(dtype);
  case OpCode::Rsqrt:
    return findUnary<Rsqrt>(dtype);
  case OpCode::Relu:
    return dtype == DType::Bool ? nullptr : findUnary<Relu>(dtype);
  case OpCode::Not:
    return findUnary<Not>(dtype);
  case OpCode::StopGradient:
  case OpCode::Name:
    return findUnary<Same>(dtype);
  case OpCode::Compare:
    return visitDType(operands[0].dtype, []<typename T>(T) -> ElementKernel { return &compare<T>; });
  case OpCode::Select:
    return findSelect(dtype);
  case OpCode::Convert:
    return findConvert(operands[0].dtype, dtype);
  default:
    return nullptr;
  }
}

} // namespace burn::compiler::perop
