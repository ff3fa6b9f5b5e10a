#include "frontend/Tensor/Support.h"

#include <burn/random.h>

namespace burn {

using namespace trace;

namespace {

// The named operand as [features], or an error.
void checkFeatures(const Recorder &recorder, const char *what, const Tensor &value, const Shape &x) {
  if (value.shape() != Shape{x[1]})
    recorder.fail("expects " + std::string(what) + " of shape [" + std::to_string(x[1]) + "] for input " + x.str() +
                  ", got " + value.shape().str());
}

} // namespace

BatchNormResult batch_norm(const Tensor &x, const Tensor &weight, const Tensor &bias, double epsilon, Where where) {
  const LocationScope scope(where);
  Recorder recorder("batch_norm", {&x, &weight, &bias});
  if (x.shape().rank() < 2)
    recorder.fail("expects an input [batch, features, ...], got " + x.shape().str());
  checkFeatures(recorder, "a weight", weight, x.shape());
  checkFeatures(recorder, "a bias", bias, x.shape());
  const Ref first =
      recorder.emit(core::BatchNormAttrs{1, epsilon}, {recorder.use(x), recorder.use(weight), recorder.use(bias)});
  BatchNormResult result{recorder.tensor(first), recorder.tensor(Recorder::result(first, 1)),
                         recorder.tensor(Recorder::result(first, 2))};
  recorder.finish();
  return result;
}

Tensor batch_norm_with(const Tensor &x, const Tensor &mean, const Tensor &variance, const Tensor &weight,
                       const Tensor &bias, double epsilon, Where where) {
  const LocationScope scope(where);
  const Tensor *operands[] = {&x, &mean, &variance, &weight, &bias};
  Recorder recorder("batch_norm_with", operands);
  if (x.shape().rank() < 2)
    recorder.fail("expects an input [batch, features, ...], got " + x.shape().str());
  checkFeatures(recorder, "a mean", mean, x.shape());
  checkFeatures(recorder, "a variance", variance, x.shape());
  checkFeatures(recorder, "a weight", weight, x.shape());
  checkFeatures(recorder, "a bias", bias, x.shape());
  const Ref input = recorder.use(x);
  const ShapeEntry *shape = recorder.shape(input);
  const auto spread = [&](Ref value) {
    const int64_t dims[] = {1};
    return recorder.emitTyped(core::BroadcastAttrs{dims}, {recorder.convert(value, recorder.dtype(input))},
                              recorder.dtype(input), shape);
  };
  // The same steps in the same order as the op with the statistics of the batch.
  const Ref shifted = recorder.emit(OpCode::Sub, {input, spread(recorder.use(mean))});
  const Ref scale = recorder.emit(OpCode::Rsqrt, {withNumber(recorder, OpCode::Add, recorder.use(variance), epsilon)});
  const Ref normal = multiplied(recorder, shifted, spread(scale));
  const Ref weighted = multiplied(recorder, normal, spread(recorder.use(weight)));
  return recorder.finish(recorder.emit(OpCode::Add, {weighted, spread(recorder.use(bias))}));
}

Tensor dropout(const Tensor &x, double rate, bool training, Generator *generator, Where where) {
  const LocationScope scope(where);
  Recorder recorder("dropout", {&x});
  if (!(rate >= 0 && rate <= 1))
    recorder.fail("expects a rate in [0, 1], got " + std::to_string(rate));
  if (!isFloat(x.dtype()))
    recorder.fail("expects floats, got " + std::string(name(x.dtype())) + x.shape().str());
  const Ref value = recorder.use(x);
  if (!training || rate == 0)
    return recorder.finish(value);
  Generator &stream = generator ? *generator : default_generator();
  const Ref key = recorder.randomKey(stream);
  const Segment::RandomCall call = recorder.randomCall(stream);
  const Ref rateSlot = recorder.scalar(DType::F64, rate);
  return recorder.finish(recorder.emit(core::DropoutAttrs{call.ordinal}, {value, key, call.counter, rateSlot}));
}

} // namespace burn
