#include "frontend/Tensor/Support.h"

#include <burn/random.h>

#include <cmath>

namespace burn {

using namespace trace;

namespace {

Ref randomBits(Recorder &recorder, DType type, const ShapeEntry *shape, Generator *generator) {
  Generator &stream = generator ? *generator : default_generator();
  const Ref key = recorder.randomKey(stream);
  const Segment::RandomCall call = recorder.randomCall(stream);
  return recorder.emitTyped(core::RngBitsAttrs{call.ordinal}, {key, call.counter}, type, shape);
}

// The top `kept` bits as a number of type `to`.
Ref topBits(Recorder &recorder, Ref bits, int kept, DType to) {
  const int width = static_cast<int>(bitWidth(recorder.dtype(bits)));
  return recorder.convert(withNumber(recorder, OpCode::Div, bits, int64_t(1) << (width - kept)), to);
}

// How many bits a uniform number of a type has.
int uniformBits(DType type) {
  switch (type) {
  case DType::F64:
    return 53;
  case DType::F16:
    return 11;
  case DType::BF16:
    return 8;
  default:
    return 24;
  }
}

Ref uniform(Recorder &recorder, DType type, const ShapeEntry *shape, Generator *generator) {
  const Ref bits = randomBits(recorder, type == DType::F64 ? DType::U64 : DType::U32, shape, generator);
  const int kept = uniformBits(type);
  return withNumber(recorder, OpCode::Mul, topBits(recorder, bits, kept, type), std::ldexp(1.0, -kept));
}

Ref polynomial(Recorder &recorder, Ref x, std::initializer_list<double> coefficients) {
  Ref sum = recorder.filled(recorder.dtype(x), *coefficients.begin(), recorder.shape(x));
  for (const double *c = coefficients.begin() + 1; c != coefficients.end(); ++c)
    sum = withNumber(recorder, OpCode::Add, multiplied(recorder, sum, x), *c);
  return sum;
}

// The inverse of erf on (-1, 1) to the accuracy of f32: M. Giles, "Approximating the erfinv function", 2010.
Ref inverseErf(Recorder &recorder, Ref x) {
  const Ref squared = recorder.emit(OpCode::Neg, {multiplied(recorder, x, x)});
  const Ref w = recorder.emit(OpCode::Neg, {recorder.emit(OpCode::Log1p, {squared})});
  const Ref inner = polynomial(recorder, withNumber(recorder, OpCode::Sub, w, 2.5),
                               {2.81022636e-08, 3.43273939e-07, -3.5233877e-06, -4.39150654e-06, 0.00021858087,
                                -0.00125372503, -0.00417768164, 0.246640727, 1.50140941});
  const Ref outer = polynomial(recorder, withNumber(recorder, OpCode::Sub, recorder.emit(OpCode::Sqrt, {w}), 3.0),
                               {-0.000200214257, 0.000100950558, 0.00134934322, -0.00367342844, 0.00573950773,
                                -0.0076224613, 0.00943887047, 1.00167406, 2.83297682});
  const Ref five = recorder.filled(recorder.dtype(w), 5.0, recorder.shape(w));
  const Ref factor =
      recorder.emit(OpCode::Select, {compared(recorder, core::CompareDirection::LT, w, five), inner, outer});
  return multiplied(recorder, factor, x);
}

// One step of Newton's method, which doubles the digits of y = erfinv(x).
Ref refined(Recorder &recorder, Ref y, Ref x) {
  const Ref error = recorder.emit(OpCode::Sub, {recorder.emit(OpCode::Erf, {y}), x});
  const Ref slope =
      withNumber(recorder, OpCode::Mul,
                 recorder.emit(OpCode::Exp, {recorder.emit(OpCode::Neg, {multiplied(recorder, y, y)})}), M_2_SQRTPI);
  return recorder.emit(OpCode::Sub, {y, recorder.emit(OpCode::Div, {error, slope})});
}

const ShapeEntry *floatShape(const char *name, const Dims &dims, DType dtype) {
  if (!isFloat(dtype))
    raiseInvalid(std::string(name) + ": expects a float type, got " + std::string(burn::name(dtype)));
  return internShape(checkedShape(name, dims));
}

} // namespace

Tensor rand(Dims shape, DType dtype, Generator *generator, Where where) {
  const LocationScope scope(where);
  const ShapeEntry *entry = floatShape("rand", shape, dtype);
  Recorder recorder("rand", {});
  return recorder.finish(uniform(recorder, dtype, entry, generator));
}

Tensor randn(Dims shape, DType dtype, Generator *generator, Where where) {
  const LocationScope scope(where);
  const ShapeEntry *entry = floatShape("randn", shape, dtype);
  Recorder recorder("randn", {});
  const bool wide = dtype == DType::F64;
  const DType type = wide ? DType::F64 : DType::F32;
  const int kept = wide ? 53 : 24;
  // (2k + 1 - 2^kept) / 2^kept, inside (-1, 1) and symmetric
  const Ref bits = randomBits(recorder, wide ? DType::U64 : DType::U32, entry, generator);
  const Ref doubled = withNumber(recorder, OpCode::Mul, topBits(recorder, bits, kept, DType::I64), 2);
  const Ref centred = withNumber(recorder, OpCode::Sub, doubled, (int64_t(1) << kept) - 1);
  const Ref x = withNumber(recorder, OpCode::Mul, recorder.convert(centred, type), std::ldexp(1.0, -kept));
  Ref y = inverseErf(recorder, x);
  for (int step = 0; wide && step < 2; ++step)
    y = refined(recorder, y, x);
  return recorder.finish(recorder.convert(withNumber(recorder, OpCode::Mul, y, M_SQRT2), dtype));
}

Tensor randint(int64_t low, int64_t high, Dims shape, DType dtype, Generator *generator, Where where) {
  const LocationScope scope(where);
  if (low >= high || static_cast<unsigned __int128>(__int128(high) - low) > (uint64_t(1) << 53))
    raiseInvalid("randint: expects low < high, at most 2^53 apart, got " + std::to_string(low) + " and " +
                 std::to_string(high));
  const ShapeEntry *entry = internShape(checkedShape("randint", shape));
  Recorder recorder("randint", {});
  const Ref scaled = withNumber(recorder, OpCode::Mul, uniform(recorder, DType::F64, entry, generator), high - low);
  const Ref steps = recorder.convert(recorder.emit(OpCode::Floor, {scaled}), DType::I64);
  return recorder.finish(recorder.convert(withNumber(recorder, OpCode::Add, steps, low), dtype));
}

Tensor bernoulli(Dims shape, double p, Generator *generator, Where where) {
  const LocationScope scope(where);
  if (!(p >= 0 && p <= 1))
    raiseInvalid("bernoulli: expects a probability, got " + std::to_string(p));
  const ShapeEntry *entry = internShape(checkedShape("bernoulli", shape));
  Recorder recorder("bernoulli", {});
  const Ref bits = recorder.convert(randomBits(recorder, DType::U32, entry, generator), DType::U64);
  // In 64 bits, since the bound of p = 1 is 2^32.
  const Ref bound = recorder.filled(DType::U64, static_cast<int64_t>(std::floor(std::ldexp(p, 32))), entry);
  return recorder.finish(compared(recorder, core::CompareDirection::LT, bits, bound));
}

} // namespace burn
