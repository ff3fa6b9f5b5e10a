#include "frontend/Tensor/Support.h"

#include <burn/random.h>

#include <array>

namespace burn {

using core::LossReduction;
using namespace trace;

namespace {

// The named operand as [features], or an error.
void checkFeatures(const Recorder &recorder, const char *what, const Tensor &value, const Shape &x) {
  if (value.shape() != Shape{x[1]})
    recorder.fail("expects " + std::string(what) + " of shape [" + std::to_string(x[1]) + "] for input " + x.str() +
                  ", got " + value.shape().str());
}

void checkTargets(const Recorder &recorder, const Shape &scores, const Tensor &target) {
  if (scores.rank() == 0)
    recorder.fail("expects scores [classes] or [batch, classes, ...], got rank 0");
  Shape expected;
  const unsigned axis = scores.rank() == 1 ? 0 : 1;
  for (unsigned i = 0; i < scores.rank(); ++i)
    if (i != axis)
      expected.push(scores[i]);
  if (target.shape() != expected)
    recorder.fail("scores of shape " + scores.str() + " take targets of shape " + expected.str() + ", got " +
                  target.shape().str());
  if (!isInt(target.dtype()))
    recorder.fail("expects integer targets, got " + std::string(name(target.dtype())) + target.shape().str());
}

LossReduction lossReduction(Reduction reduction) {
  switch (reduction) {
  case Reduction::None:
    return LossReduction::None;
  case Reduction::Mean:
    return LossReduction::Mean;
  case Reduction::Sum:
    break;
  }
  return LossReduction::Sum;
}

uint32_t allDims(const Recorder &recorder, Ref value) { return (1u << recorder.shape(value)->shape.rank()) - 1; }

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

Tensor cross_entropy(const Tensor &logits, const Tensor &target, const Tensor &weight, Reduction reduction,
                     int64_t ignore_index, double label_smoothing, Where where) {
  const LocationScope scope(where);
  const Tensor *operands[] = {&logits, &target, &weight};
  Recorder recorder("cross_entropy", std::span<const Tensor *const>(operands, weight.defined() ? 3 : 2));
  const Shape &shape = logits.shape();
  checkTargets(recorder, shape, target);
  if (!isFloat(logits.dtype()))
    recorder.fail("expects float logits, got " + std::string(name(logits.dtype())) + shape.str());
  if (!(label_smoothing >= 0 && label_smoothing <= 1))
    recorder.fail("expects a label smoothing in [0, 1], got " + std::to_string(label_smoothing));
  const int64_t axis = shape.rank() == 1 ? 0 : 1;
  Ref labels = recorder.use(target);
  if (target.dtype() != DType::I32)
    labels = recorder.convert(labels, DType::I64);
  const core::CrossEntropyAttrs attrs{lossReduction(reduction), axis, ignore_index, label_smoothing};
  const Ref scores = recorder.use(logits);
  if (!weight.defined())
    return recorder.finish(recorder.emit(attrs, {scores, labels}));
  if (weight.shape() != Shape{shape[static_cast<unsigned>(axis)]})
    recorder.fail("expects a weight per class for logits " + shape.str() + ", got " + weight.shape().str());
  return recorder.finish(
      recorder.emit(attrs, {scores, labels, recorder.convert(recorder.use(weight), logits.dtype())}));
}

Tensor nll_loss(const Tensor &log_probabilities, const Tensor &target, Reduction reduction, int64_t ignore_index,
                Where where) {
  const LocationScope scope(where);
  Recorder recorder("nll_loss", {&log_probabilities, &target});
  const Shape &shape = log_probabilities.shape();
  checkTargets(recorder, shape, target);
  if (!isFloat(log_probabilities.dtype()))
    recorder.fail("expects floats, got " + std::string(name(log_probabilities.dtype())) + shape.str());
  const int64_t axis = shape.rank() == 1 ? 0 : 1;
  const Ref labels = recorder.convert(recorder.use(target), DType::I64);
  const ShapeEntry *batch = recorder.shape(labels);
  const DType type = log_probabilities.dtype();
  const Ref counts =
      compared(recorder, core::CompareDirection::NE, labels, recorder.filled(DType::I64, ignore_index, batch));
  const Ref position = recorder.emit(OpCode::Select, {counts, labels, recorder.filled(DType::I64, 0, batch)});
  // One element of each row of classes.
  int64_t others[Shape::maxRank], places[Shape::maxRank], sizes[Shape::maxRank];
  for (unsigned i = 0, next = 0; i < shape.rank(); ++i) {
    sizes[i] = 1;
    if (i != axis) {
      places[next] = next;
      others[next++] = i;
    }
  }
  const std::span<const int64_t> batching(others, shape.rank() - 1), along(places, shape.rank() - 1);
  const int64_t dims[] = {axis};
  const Ref picked = recorder.emit(core::GatherAttrs{{},
                                                     dims,
                                                     batching,
                                                     along,
                                                     dims,
                                                     batch->shape.rank(),
                                                     std::span<const int64_t>(sizes, shape.rank()),
                                                     core::IndexMode::Check},
                                   {recorder.use(log_probabilities), position});
  const Ref zero = recorder.filled(type, 0, batch);
  const Ref losses = recorder.emit(OpCode::Select, {counts, recorder.emit(OpCode::Neg, {picked}), zero});
  if (reduction == Reduction::None)
    return recorder.finish(losses);
  const Ref total = reduced(recorder, core::ReduceKind::Sum, losses, allDims(recorder, losses), false);
  if (reduction == Reduction::Sum)
    return recorder.finish(total);
  const Ref examples = recorder.convert(counts, type);
  const Ref count = reduced(recorder, core::ReduceKind::Sum, examples, allDims(recorder, examples), false);
  return recorder.finish(recorder.emit(OpCode::Div, {total, count}));
}

Tensor mse_loss(const Tensor &input, const Tensor &target, Reduction reduction, Where where) {
  const LocationScope scope(where);
  Recorder recorder("mse_loss", {&input, &target});
  const BinaryOperands operands = prepareBinary(recorder, recorder.use(input), recorder.use(target));
  const Ref difference = recorder.emit(OpCode::Sub, {operands.a, operands.b});
  const Ref squares = multiplied(recorder, difference, difference);
  if (reduction == Reduction::None)
    return recorder.finish(squares);
  const Ref total = reduced(recorder, core::ReduceKind::Sum, squares, allDims(recorder, squares), false);
  if (reduction == Reduction::Sum)
    return recorder.finish(total);
  return recorder.finish(withNumber(recorder, OpCode::Div, total, operands.shape->numel));
}

} // namespace burn
