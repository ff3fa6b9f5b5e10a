// Functions of each element that are made of others.
#include "frontend/Tensor/Support.h"

#include <cmath>
#include <limits>
#include <numbers>

namespace burn {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The operand as a tensor, so that functions of it can be called; numbers have rank 0 and the type that they take on
// beside `other`.
Tensor asTensor(const Operand &operand, const Operand &other) {
  if (operand.isTensor())
    return operand.tensor();
  const Scalar &number = operand.scalar();
  const DeviceScope device(other.isTensor() ? other.tensor() : Tensor());
  return full({}, number,
              other.isTensor() ? promote(other.tensor().dtype(), number) : promote(defaultType(number), other.scalar()),
              operand.where());
}

bool isOne(const Scalar &number) { return number.real == 1 && number.kind != Scalar::Kind::Float; }

// Greatest and least finite number of a type.
std::pair<double, double> finiteRange(DType dtype) {
  double greatest = 0;
  visitDType(dtype, [&]<typename T>(T) {
    if constexpr (std::is_floating_point_v<T>)
      greatest = static_cast<double>(std::numeric_limits<T>::max());
  });
  if (dtype == DType::F16)
    greatest = 65504;
  if (dtype == DType::BF16)
    greatest = 0x1.fep127;
  return {greatest, -greatest};
}

// log(base^a + base^b) with the greater of both taken out of the logarithm; by that form the derivatives are the
// shares of both also where they are equal. `scale` is log(base).
Tensor logAddExp(const Operand &left, const Operand &right, double scale) {
  const LocationScope scope(left.where());
  const Tensor x = asTensor(left, right), y = asTensor(right, left);
  const Tensor a = x.to(realType(x.dtype())), b = y.to(realType(y.dtype()));
  const Tensor first = a >= b;
  const Tensor high = where(first, a, b), low = where(first, b, a);
  // Equal infinities: their difference is 0.
  const Tensor same = high.eq(low).logical_and(abs(high).eq(kInfinity));
  const Tensor difference = low - masked_fill(high, same, 0);
  const Tensor distance = masked_fill(difference, same, -kInfinity);
  if (scale == 1)
    return high + log1p(exp(distance));
  return high + log1p(exp(distance * scale)) / scale;
}

// x f(y), where `log` is f and `end` the y at which it is -infinity.
Tensor timesLogarithm(const Operand &left, const Operand &right, Tensor (*log)(const Tensor &, Where), double end) {
  const LocationScope scope(left.where());
  const Tensor x = asTensor(left, right), y = asTensor(right, left);
  // Elsewhere 0 times the logarithm is 0 by itself, and the derivative by x is the logarithm.
  const Tensor zero = x.eq(0).logical_and(y.le(end).logical_or(y.eq(kInfinity)));
  const Tensor one = where(zero, end + 1, y);
  return masked_fill(x * log(one, Where::current()), zero, 0);
}

} // namespace

Tensor clamp(const Tensor &x, const Tensor &low, const Tensor &high, Where where) {
  const LocationScope scope(where);
  return minimum(maximum(x, low), high);
}
Tensor clamp_min(const Tensor &x, Scalar low, Where where) { return clamp(x, low, std::nullopt, where); }
Tensor clamp_max(const Tensor &x, Scalar high, Where where) { return clamp(x, std::nullopt, high, where); }

Tensor addcmul(const Tensor &x, const Tensor &a, const Tensor &b, Scalar value, Where where) {
  const LocationScope scope(where);
  const Tensor product = a * b;
  return x + (isOne(value) ? product : product * value);
}

Tensor addcdiv(const Tensor &x, const Tensor &a, const Tensor &b, Scalar value, Where where) {
  const LocationScope scope(where);
  const Tensor quotient = a / b;
  return x + (isOne(value) ? quotient : quotient * value);
}

Tensor lerp(const Tensor &a, const Tensor &b, const Operand &weight) {
  const LocationScope scope(weight.where());
  const Tensor distance = b - a;
  if (!weight.isTensor())
    return weight.scalar().real < 0.5 ? a + weight.scalar() * distance : b - distance * (1 - weight.scalar().real);
  const Tensor &w = weight.tensor();
  return where(w < 0.5, a + w * distance, b - distance * (1 - w));
}

Tensor logaddexp(const Operand &a, const Operand &b) { return logAddExp(a, b, 1); }
Tensor logaddexp2(const Operand &a, const Operand &b) { return logAddExp(a, b, std::numbers::ln2); }

Tensor xlogy(const Operand &x, const Operand &y) { return timesLogarithm(x, y, log, 0); }
Tensor xlog1py(const Operand &x, const Operand &y) { return timesLogarithm(x, y, log1p, -1); }

Tensor logit(const Tensor &x, std::optional<double> eps, Where where) {
  const LocationScope scope(where);
  const Tensor p = eps ? clamp(x, *eps, 1 - *eps) : x;
  return log(p / (1 - p));
}

Tensor deg2rad(const Tensor &x, Where where) { return mul(Operand(x, where), std::numbers::pi / 180); }
Tensor rad2deg(const Tensor &x, Where where) { return mul(Operand(x, where), 180 / std::numbers::pi); }

Tensor frac(const Tensor &x, Where where) {
  const LocationScope scope(where);
  return x - trunc(x);
}

Tensor heaviside(const Tensor &x, const Operand &value) {
  const LocationScope scope(value.where());
  return where(x.eq(0), value, where(isnan(x), x, (x > 0).to(x.dtype())));
}

Tensor nan_to_num(const Tensor &x, double nan, std::optional<double> posinf, std::optional<double> neginf,
                  Where where) {
  const LocationScope scope(where);
  if (!isFloat(x.dtype()))
    return x;
  const auto [greatest, least] = finiteRange(x.dtype());
  const Tensor bounded =
      masked_fill(masked_fill(x, x.eq(kInfinity), posinf.value_or(greatest)), x.eq(-kInfinity), neginf.value_or(least));
  return masked_fill(bounded, isnan(x), nan);
}

Tensor isposinf(const Tensor &x, Where where) { return eq(Operand(x, where), kInfinity); }
Tensor isneginf(const Tensor &x, Where where) { return eq(Operand(x, where), -kInfinity); }

Tensor isclose(const Operand &a, const Operand &b, double rtol, double atol, bool equal_nan) {
  const LocationScope scope(a.where());
  if (!(rtol >= 0 && atol >= 0))
    raiseInvalid("isclose: expects tolerances of at least 0, got " + std::to_string(rtol) + " and " +
                 std::to_string(atol));
  const Tensor left = asTensor(a, b), right = asTensor(b, a);
  // The distance from an infinity is no more than that from any other infinity: only equality makes those close.
  const Tensor finite = abs(right) < kInfinity;
  const Tensor near = (abs(left - right) <= atol + rtol * abs(right)).logical_and(finite);
  const Tensor close = near.logical_or(left.eq(right));
  return equal_nan ? close.logical_or(isnan(left).logical_and(isnan(right))) : close;
}

bool allclose(const Operand &a, const Operand &b, double rtol, double atol, bool equal_nan) {
  const LocationScope scope(a.where());
  return isclose(a, b, rtol, atol, equal_nan).all().item<bool>();
}

bool equal(const Tensor &a, const Tensor &b, Where where) {
  const LocationScope scope(where);
  if (!a.defined() || !b.defined())
    raiseInvalid("equal: a tensor is not defined");
  return a.shape() == b.shape() && a.eq(b).all().item<bool>();
}

} // namespace burn
