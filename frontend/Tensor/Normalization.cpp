#include "frontend/Tensor/Support.h"
#include "runtime/Core/OpRules/Rules.h"

#include <burn/random.h>

#include <cmath>
#include <limits>

namespace burn {

using namespace trace;

namespace {

// The named operand as [features], or an error.
void checkFeatures(const Recorder &recorder, const char *what, const Tensor &value, const Shape &x) {
  if (value.shape() != Shape{x[1]})
    recorder.fail("expects " + std::string(what) + " of shape [" + std::to_string(x[1]) + "] for input " + x.str() +
                  ", got " + value.shape().str());
}

void checkFloats(const Recorder &recorder, const Tensor &x) {
  if (!isFloat(x.dtype()))
    recorder.fail("expects floats, got " + std::string(name(x.dtype())) + x.shape().str());
}

// The operands that are given; a bias without a weight makes no sense to the ops.
struct Affine {
  const Tensor *tensors[3];
  size_t count = 1;

  Affine(const Tensor &x, const Tensor &weight, const Tensor &bias) : tensors{&x, &weight, &bias} {
    count += weight.defined() ? 1 : 0;
    if (bias.defined() && weight.defined())
      ++count;
  }
  std::span<const Tensor *const> span() const { return {tensors, count}; }
};

void checkParameter(const Recorder &recorder, const char *what, const Tensor &parameter, const Shape &shape) {
  if (parameter.defined() && parameter.shape() != shape)
    recorder.fail("expects " + std::string(what) + " of shape " + shape.str() + ", got " + parameter.shape().str());
}

// Records the op with weight and bias in the type of x.
template <typename Attrs> Ref recorded(Recorder &recorder, const Attrs &attrs, const Affine &operands) {
  Ref refs[3];
  for (size_t i = 0; i < operands.count; ++i)
    refs[i] = recorder.convert(recorder.use(*operands.tensors[i]), operands.tensors[0]->dtype());
  return recorder.emit(attrs, std::span<const Ref>(refs, operands.count));
}

// The first dimension of those that x shares with `normalized`.
int64_t normalizedAxis(const Recorder &recorder, const Shape &x, const Shape &normalized) {
  const unsigned rank = x.rank(), count = normalized.rank();
  if (count == 0)
    recorder.fail("expects at least one dimension to normalize over, got []");
  bool fits = count <= rank;
  for (unsigned i = 0; fits && i < count; ++i)
    fits = x[rank - count + i] == normalized[i];
  if (!fits)
    recorder.fail("expects an input whose last dimensions are " + normalized.str() + ", got " + x.str());
  return rank - count;
}

double smallestStep(DType dtype) {
  return dtype == DType::F64 ? std::numeric_limits<double>::epsilon() : std::numeric_limits<float>::epsilon();
}

} // namespace

Tensor local_response_norm(const Tensor &x, int64_t size, double alpha, double beta, double k, Where where) {
  const LocationScope scope(where);
  if (x.shape().rank() < 3 || size < 1)
    raiseInvalid("local_response_norm: expects an input [batch, features, spatial...] and a size >= 1, got " +
                 x.shape().str() + " and " + std::to_string(size));
  // The features as the height of an image, windows over which have the width of one element.
  const int64_t rest = x.numel() == 0 ? 0 : x.numel() / (x.size(0) * x.size(1));
  const Tensor squares = pad((x * x).reshape({x.size(0), 1, x.size(1), rest}), {0, 0, size / 2, (size - 1) / 2});
  const Tensor mean = avg_pool2d(squares, {size, 1}, Pair(1));
  return x / (mean.reshape(x.shape()) * alpha + k).pow(beta);
}

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
  if (const core::Status status = core::rules::checkEpsilon(epsilon, {x.dtype(), {}}); !status)
    recorder.fail(status.message());
  // As the op with the statistics of the batch: f16 and bf16 in f32.
  const DType type = sumType(x.dtype());
  const Ref input = recorder.convert(recorder.use(x), type);
  const ShapeEntry *shape = recorder.shape(input);
  const auto spread = [&](Ref value) {
    const int64_t dims[] = {1};
    return recorder.emitTyped(core::BroadcastAttrs{dims}, {recorder.convert(value, type)}, type, shape);
  };
  // The same steps in the same order as the op with the statistics of the batch.
  const Ref shifted = recorder.emit(OpCode::Sub, {input, spread(recorder.use(mean))});
  const Ref wideVariance = recorder.convert(recorder.use(variance), type);
  const Ref scale = recorder.emit(OpCode::Rsqrt, {withNumber(recorder, OpCode::Add, wideVariance, epsilon)});
  const Ref normal = multiplied(recorder, shifted, spread(scale));
  const Ref weighted = multiplied(recorder, normal, spread(recorder.use(weight)));
  const Ref result = recorder.emit(OpCode::Add, {weighted, spread(recorder.use(bias))});
  return recorder.finish(recorder.convert(result, x.dtype()));
}

Tensor layer_norm(const Tensor &x, Dims normalized_shape, const Tensor &weight, const Tensor &bias, double epsilon,
                  Where where) {
  const LocationScope scope(where);
  if (bias.defined() && !weight.defined())
    return layer_norm(x, normalized_shape, weight, {}, epsilon) + bias;
  const Affine operands(x, weight, bias);
  Recorder recorder("layer_norm", operands.span());
  checkFloats(recorder, x);
  const Shape normalized = checkedShape("layer_norm", normalized_shape);
  const int64_t axis = normalizedAxis(recorder, x.shape(), normalized);
  checkParameter(recorder, "a weight", weight, normalized);
  checkParameter(recorder, "a bias", bias, normalized);
  return recorder.finish(recorded(recorder, core::LayerNormAttrs{axis, epsilon}, operands));
}

Tensor rms_norm(const Tensor &x, Dims normalized_shape, const Tensor &weight, std::optional<double> epsilon,
                Where where) {
  const LocationScope scope(where);
  const Affine operands(x, weight, {});
  Recorder recorder("rms_norm", operands.span());
  checkFloats(recorder, x);
  const Shape normalized = checkedShape("rms_norm", normalized_shape);
  const int64_t axis = normalizedAxis(recorder, x.shape(), normalized);
  checkParameter(recorder, "a weight", weight, normalized);
  const core::RmsNormAttrs attrs{axis, epsilon.value_or(smallestStep(x.dtype()))};
  return recorder.finish(recorded(recorder, attrs, operands));
}

Tensor group_norm(const Tensor &x, int64_t num_groups, const Tensor &weight, const Tensor &bias, double epsilon,
                  Where where) {
  const LocationScope scope(where);
  const Affine operands(x, weight, bias);
  Recorder recorder("group_norm", operands.span());
  checkFloats(recorder, x);
  if (x.shape().rank() < 2)
    recorder.fail("expects an input [batch, features, ...], got " + x.shape().str());
  if (bias.defined() && !weight.defined())
    recorder.fail("expects a weight beside a bias");
  checkParameter(recorder, "a weight", weight, Shape{x.shape()[1]});
  checkParameter(recorder, "a bias", bias, Shape{x.shape()[1]});
  return recorder.finish(recorded(recorder, core::GroupNormAttrs{num_groups, epsilon}, operands));
}

Tensor instance_norm(const Tensor &x, const Tensor &weight, const Tensor &bias, double epsilon, Where where) {
  const LocationScope scope(where);
  if (x.shape().rank() < 2 || x.shape()[1] == 0)
    raiseInvalid("instance_norm: expects an input [batch, features, ...] with features, got " + x.shape().str());
  return group_norm(x, x.shape()[1], weight, bias, epsilon);
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

Tensor feature_dropout(const Tensor &x, double rate, bool training, Generator *generator, Where where) {
  const LocationScope scope(where);
  const DeviceScope device(x);
  if (x.shape().rank() < 2)
    raiseInvalid("feature_dropout: expects an input [batch, features, ...], got " + x.shape().str());
  if (!training || rate == 0)
    return x;
  Shape features;
  for (unsigned i = 0; i < x.shape().rank(); ++i)
    features.push(i < 2 ? x.shape()[i] : 1);
  return x * dropout(ones(features, x.dtype()), rate, true, generator);
}

Tensor alpha_dropout(const Tensor &x, double rate, bool training, Generator *generator, Where where) {
  const LocationScope scope(where);
  if (!(rate >= 0 && rate < 1))
    raiseInvalid("alpha_dropout: expects a rate in [0, 1), got " + std::to_string(rate));
  if (!training || rate == 0)
    return x;
  constexpr double low = -1.0507009873554805 * 1.6732632423543772; // selu(-inf)
  const double scale = 1 / std::sqrt((1 - rate) * (1 + rate * low * low));
  return burn::where(bernoulli(x.shape(), 1 - rate, generator), x, low) * scale - scale * rate * low;
}

} // namespace burn
