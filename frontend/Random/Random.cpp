#include "frontend/Tensor/Support.h"

#include <burn/random.h>
#include <burn/sorting.h>

namespace burn {

using namespace trace;

namespace {

// The key and the counter of the next call of a stream, and the call's number behind that.
struct Call {
  Ref key, counter;
  int64_t ordinal;

  Call(Recorder &recorder, Generator *generator) {
    Generator &stream = generator ? *generator : default_generator();
    key = recorder.randomKey(stream);
    const Segment::RandomCall call = recorder.randomCall(stream);
    counter = call.counter;
    ordinal = call.ordinal;
  }
};

// Records an op that draws numbers of a type.
template <typename Attrs> Ref drawn(Recorder &recorder, DType type, const ShapeEntry *shape, Generator *generator) {
  const Call call(recorder, generator);
  return recorder.emitTyped(Attrs{call.ordinal}, {call.key, call.counter}, type, shape);
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
  return recorder.finish(drawn<core::UniformAttrs>(recorder, dtype, entry, generator));
}

Tensor randn(Dims shape, DType dtype, Generator *generator, Where where) {
  const LocationScope scope(where);
  const ShapeEntry *entry = floatShape("randn", shape, dtype);
  Recorder recorder("randn", {});
  return recorder.finish(drawn<core::NormalAttrs>(recorder, dtype, entry, generator));
}

Tensor normal(double mean, double std, Dims shape, DType dtype, Generator *generator, Where where) {
  const LocationScope scope(where);
  if (!(std >= 0))
    raiseInvalid("normal: expects a standard deviation of at least 0, got " + std::to_string(std));
  return randn(shape, dtype, generator) * std + mean;
}

Tensor randint(int64_t low, int64_t high, Dims shape, DType dtype, Generator *generator, Where where) {
  const LocationScope scope(where);
  if (low >= high || static_cast<unsigned __int128>(__int128(high) - low) > (uint64_t(1) << 53))
    raiseInvalid("randint: expects low < high, at most 2^53 apart, got " + std::to_string(low) + " and " +
                 std::to_string(high));
  const ShapeEntry *entry = internShape(checkedShape("randint", shape));
  Recorder recorder("randint", {});
  const Ref uniform = drawn<core::UniformAttrs>(recorder, DType::F64, entry, generator);
  const Ref scaled = withNumber(recorder, OpCode::Mul, uniform, high - low);
  const Ref steps = recorder.convert(recorder.emit(OpCode::Floor, {scaled}), DType::I64);
  return recorder.finish(recorder.convert(withNumber(recorder, OpCode::Add, steps, low), dtype));
}

Tensor bernoulli(Dims shape, double p, Generator *generator, Where where) {
  const LocationScope scope(where);
  if (!(p >= 0 && p <= 1))
    raiseInvalid("bernoulli: expects a probability, got " + std::to_string(p));
  const ShapeEntry *entry = internShape(checkedShape("bernoulli", shape));
  Recorder recorder("bernoulli", {});
  const Call call(recorder, generator);
  const Ref probability = recorder.filled(DType::F64, p, entry);
  return recorder.finish(recorder.emit(core::BernoulliAttrs{call.ordinal}, {probability, call.key, call.counter}));
}

Tensor bernoulli(const Tensor &probability, Generator *generator, Where where) {
  const LocationScope scope(where);
  Recorder recorder("bernoulli", {&probability});
  const Ref p = recorder.use(probability);
  const Call call(recorder, generator);
  const Ref drawn = recorder.emit(core::BernoulliAttrs{call.ordinal}, {p, call.key, call.counter});
  return recorder.finish(recorder.convert(drawn, probability.dtype()));
}

Tensor multinomial(const Tensor &weights, int64_t num_samples, bool replacement, Generator *generator, Where where) {
  const LocationScope scope(where);
  const unsigned rank = weights.shape().rank();
  if (!replacement && num_samples > 1) {
    const int64_t classes = rank ? weights.shape()[rank - 1] : 0;
    if (num_samples > classes)
      raiseInvalid("multinomial: cannot draw " + std::to_string(num_samples) + " of " + std::to_string(classes) +
                   " classes without replacement");
    // The classes whose exponential waiting times with these rates end first: Efraimidis and Spirakis, 2006.
    const Tensor times = -log(rand(weights.shape(), weights.dtype(), generator));
    return topk(weights / times, num_samples).indices;
  }
  Recorder recorder("multinomial", {&weights});
  const Ref value = recorder.use(weights);
  const Call call(recorder, generator);
  return recorder.finish(
      recorder.emit(core::CategoricalAttrs{call.ordinal, num_samples}, {value, call.key, call.counter}));
}

Tensor rand_like(const Tensor &x, Generator *generator, Where where) {
  return rand(x.shape(), x.dtype(), generator, where);
}

Tensor randn_like(const Tensor &x, Generator *generator, Where where) {
  return randn(x.shape(), x.dtype(), generator, where);
}

} // namespace burn
