// Losses of scores with integer classes, and of numbers with numbers.
#include "frontend/Tensor/Support.h"

#include <cmath>
#include <numbers>

namespace burn {

using core::LossReduction;
using namespace trace;

namespace {

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
  case Reduction::BatchMean:
    break;
  }
  return LossReduction::Sum;
}

// The mean over the first dimension, of a sum over everything.
Tensor perExample(const Tensor &total, const Tensor &examples) {
  return total / (examples.shape().rank() ? examples.shape()[0] : 1);
}

Tensor reduceLoss(const Tensor &losses, Reduction reduction) {
  switch (reduction) {
  case Reduction::None:
    return losses;
  case Reduction::Mean:
    return mean(losses);
  case Reduction::Sum:
    return sum(losses);
  case Reduction::BatchMean:
    break;
  }
  return perExample(sum(losses.to(sumType(losses.dtype()))), losses).to(losses.dtype());
}

int64_t classAxis(const Shape &scores) { return scores.rank() == 1 ? 0 : 1; }

// The score of each example's class; a class that is none is an error of the run.
Ref pickClass(Recorder &recorder, Ref scores, Ref classes) {
  const Shape &shape = recorder.shape(scores)->shape;
  const int64_t axis = classAxis(shape);
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
  return recorder.emit(core::GatherAttrs{{},
                                         dims,
                                         batching,
                                         along,
                                         dims,
                                         recorder.shape(classes)->shape.rank(),
                                         std::span<const int64_t>(sizes, shape.rank()),
                                         core::IndexMode::Check},
                       {scores, classes});
}

// The weight of each example's class.
Ref pickWeight(Recorder &recorder, Ref weights, Ref classes) {
  const int64_t dims[] = {0}, sizes[] = {1};
  return recorder.emit(
      core::GatherAttrs{{}, dims, {}, {}, dims, recorder.shape(classes)->shape.rank(), sizes, core::IndexMode::Check},
      {weights, classes});
}

void checkClassWeight(const Recorder &recorder, const Shape &scores, const Tensor &weight) {
  if (weight.shape() != Shape{scores[static_cast<unsigned>(classAxis(scores))]})
    recorder.fail("expects a weight per class for scores " + scores.str() + ", got " + weight.shape().str());
}

// cross_entropy of a target that holds probabilities.
Tensor softCrossEntropy(const Tensor &logits, const Tensor &target, const Tensor &weight, Reduction reduction,
                        double labelSmoothing) {
  const Shape &shape = logits.shape();
  if (target.shape() != shape)
    raiseInvalid("cross_entropy: expects probabilities of the logits' shape " + shape.str() + ", got " +
                 target.shape().str());
  if (shape.rank() == 0)
    raiseInvalid("cross_entropy: expects logits [classes] or [batch, classes, ...], got rank 0");
  const int64_t axis = classAxis(shape);
  const int64_t classes = shape[static_cast<unsigned>(axis)];
  Tensor share = target;
  if (labelSmoothing != 0)
    share = target * (1 - labelSmoothing) + labelSmoothing / static_cast<double>(classes);
  Tensor terms = log_softmax(logits, axis) * share;
  if (weight.defined()) {
    if (weight.shape() != Shape{classes})
      raiseInvalid("cross_entropy: expects a weight per class for logits " + shape.str() + ", got " +
                   weight.shape().str());
    Shape beside;
    for (unsigned i = 0; i < shape.rank(); ++i)
      beside.push(i == axis ? classes : 1);
    terms = terms * weight.reshape(beside);
  }
  return reduceLoss(-sum(terms, axis), reduction);
}

} // namespace

Tensor cross_entropy(const Tensor &logits, const Tensor &target, const Tensor &weight, Reduction reduction,
                     int64_t ignore_index, double label_smoothing, Where where) {
  const LocationScope scope(where);
  if (!(label_smoothing >= 0 && label_smoothing <= 1))
    raiseInvalid("cross_entropy: expects a label smoothing in [0, 1], got " + std::to_string(label_smoothing));
  if (isFloat(target.dtype()))
    return softCrossEntropy(logits, target, weight, reduction, label_smoothing);
  if (reduction == Reduction::BatchMean)
    return perExample(cross_entropy(logits, target, weight, Reduction::Sum, ignore_index, label_smoothing), target);
  const Tensor *operands[] = {&logits, &target, &weight};
  Recorder recorder("cross_entropy", std::span<const Tensor *const>(operands, weight.defined() ? 3 : 2));
  const Shape &shape = logits.shape();
  checkTargets(recorder, shape, target);
  if (!isFloat(logits.dtype()))
    recorder.fail("expects float logits, got " + std::string(name(logits.dtype())) + shape.str());
  const int64_t axis = classAxis(shape);
  Ref labels = recorder.use(target);
  if (target.dtype() != DType::I32)
    labels = recorder.convert(labels, DType::I64);
  const core::CrossEntropyAttrs attrs{lossReduction(reduction), axis, ignore_index, label_smoothing};
  const Ref scores = recorder.use(logits);
  if (!weight.defined())
    return recorder.finish(recorder.emit(attrs, {scores, labels}));
  checkClassWeight(recorder, shape, weight);
  return recorder.finish(
      recorder.emit(attrs, {scores, labels, recorder.convert(recorder.use(weight), logits.dtype())}));
}

Tensor nll_loss(const Tensor &log_probabilities, const Tensor &target, const Tensor &weight, Reduction reduction,
                int64_t ignore_index, Where where) {
  const LocationScope scope(where);
  Tensor losses, weights;
  {
    const Tensor *operands[] = {&log_probabilities, &target, &weight};
    Recorder recorder("nll_loss", std::span<const Tensor *const>(operands, weight.defined() ? 3 : 2));
    const Shape &shape = log_probabilities.shape();
    checkTargets(recorder, shape, target);
    if (!isFloat(log_probabilities.dtype()))
      recorder.fail("expects floats, got " + std::string(name(log_probabilities.dtype())) + shape.str());
    const DType type = sumType(log_probabilities.dtype());
    const Ref labels = recorder.convert(recorder.use(target), DType::I64);
    const ShapeEntry *batch = recorder.shape(labels);
    const Ref counts =
        compared(recorder, core::CompareDirection::NE, labels, recorder.filled(DType::I64, ignore_index, batch));
    const Ref classes = recorder.emit(OpCode::Select, {counts, labels, recorder.filled(DType::I64, 0, batch)});
    const Ref score = recorder.convert(pickClass(recorder, recorder.use(log_probabilities), classes), type);
    const Ref picked = recorder.emit(OpCode::Neg, {score});
    const Ref zero = recorder.filled(type, 0, batch);
    Ref share = recorder.convert(counts, type), value = picked;
    if (weight.defined()) {
      checkClassWeight(recorder, shape, weight);
      const Ref each = pickWeight(recorder, recorder.convert(recorder.use(weight), type), classes);
      share = recorder.emit(OpCode::Select, {counts, each, zero});
      value = multiplied(recorder, picked, each);
    }
    losses = recorder.tensor(recorder.emit(OpCode::Select, {counts, value, zero}));
    weights = recorder.tensor(share);
    recorder.finish();
  }
  const Tensor result = reduction == Reduction::Mean ? sum(losses) / sum(weights) : reduceLoss(losses, reduction);
  return result.to(log_probabilities.dtype());
}

Tensor mse_loss(const Tensor &input, const Tensor &target, Reduction reduction, Where where) {
  const LocationScope scope(where);
  return reduceLoss(square(input - target), reduction);
}

Tensor l1_loss(const Tensor &input, const Tensor &target, Reduction reduction, Where where) {
  const LocationScope scope(where);
  return reduceLoss(abs(input - target), reduction);
}

Tensor smooth_l1_loss(const Tensor &input, const Tensor &target, Reduction reduction, double beta, Where where) {
  const LocationScope scope(where);
  if (!(beta >= 0))
    raiseInvalid("smooth_l1_loss: expects beta >= 0, got " + std::to_string(beta));
  if (beta == 0)
    return l1_loss(input, target, reduction);
  const Tensor distance = abs(input - target);
  return reduceLoss(burn::where(distance < beta, square(distance) / (2 * beta), distance - beta / 2), reduction);
}

Tensor huber_loss(const Tensor &input, const Tensor &target, Reduction reduction, double delta, Where where) {
  const LocationScope scope(where);
  if (!(delta > 0))
    raiseInvalid("huber_loss: expects delta > 0, got " + std::to_string(delta));
  const Tensor distance = abs(input - target);
  return reduceLoss(burn::where(distance < delta, square(distance) / 2, delta * (distance - delta / 2)), reduction);
}

Tensor binary_cross_entropy(const Tensor &input, const Tensor &target, const Tensor &weight, Reduction reduction,
                            Where where) {
  const LocationScope scope(where);
  const auto limitedLog = [](const Tensor &p) {
    const Tensor below = p <= std::exp(-100.0);
    return masked_fill(log(masked_fill(p, below, 1)), below, -100);
  };
  Tensor losses = -(target * limitedLog(input) + (1 - target) * limitedLog(1 - input));
  if (weight.defined())
    losses = losses * weight;
  return reduceLoss(losses, reduction);
}

Tensor binary_cross_entropy_with_logits(const Tensor &logits, const Tensor &target, const Tensor &weight,
                                        Reduction reduction, const Tensor &pos_weight, Where where) {
  const LocationScope scope(where);
  const Tensor softplus = -logsigmoid(logits); // log(1 + exp(-logits))
  Tensor losses =
      (1 - target) * logits + (pos_weight.defined() ? (1 + (pos_weight - 1) * target) * softplus : softplus);
  if (weight.defined())
    losses = losses * weight;
  return reduceLoss(losses, reduction);
}

Tensor kl_div(const Tensor &input, const Tensor &target, Reduction reduction, bool log_target, Where where) {
  const LocationScope scope(where);
  return reduceLoss(log_target ? exp(target) * (target - input) : xlogy(target, target) - target * input, reduction);
}

Tensor poisson_nll_loss(const Tensor &input, const Tensor &target, bool log_input, bool full, double eps,
                        Reduction reduction, Where where) {
  const LocationScope scope(where);
  Tensor losses = log_input ? exp(input) - target * input : input - target * log(input + eps);
  if (full) {
    const Tensor counts = target > 1;
    const Tensor n = burn::where(counts, target, 1);
    losses = losses + burn::where(counts, n * log(n) - n + log(2 * std::numbers::pi * n) / 2, 0);
  }
  return reduceLoss(losses, reduction);
}

Tensor gaussian_nll_loss(const Tensor &input, const Tensor &target, const Tensor &variance, bool full, double eps,
                         Reduction reduction, Where where) {
  const LocationScope scope(where);
  if (!(eps > 0))
    raiseInvalid("gaussian_nll_loss: expects eps > 0, got " + std::to_string(eps));
  // The limit counts in the value alone.
  const Tensor limited = clamp_min(variance, eps).detach() + (variance - variance.detach());
  Tensor losses = (log(limited) + square(input - target) / limited) / 2;
  if (full)
    losses = losses + std::log(2 * std::numbers::pi) / 2;
  return reduceLoss(losses, reduction);
}

Tensor hinge_embedding_loss(const Tensor &input, const Tensor &target, double margin, Reduction reduction,
                            Where where) {
  const LocationScope scope(where);
  const Tensor similar = burn::where(target.ne(-1), input, 0);
  return reduceLoss(similar + burn::where(target.ne(1), relu(margin - input), 0), reduction);
}

Tensor margin_ranking_loss(const Tensor &first, const Tensor &second, const Tensor &target, double margin,
                           Reduction reduction, Where where) {
  const LocationScope scope(where);
  return reduceLoss(relu(margin - target * (first - second)), reduction);
}

Tensor soft_margin_loss(const Tensor &input, const Tensor &target, Reduction reduction, Where where) {
  const LocationScope scope(where);
  return reduceLoss(-logsigmoid(target * input), reduction);
}

Tensor multi_margin_loss(const Tensor &scores, const Tensor &target, int64_t p, double margin, const Tensor &weight,
                         Reduction reduction, Where where) {
  const LocationScope scope(where);
  if (p != 1 && p != 2)
    raiseInvalid("multi_margin_loss: expects p = 1 or 2, got " + std::to_string(p));
  Tensor picked, weights;
  {
    const Tensor *operands[] = {&scores, &target, &weight};
    Recorder recorder("multi_margin_loss", std::span<const Tensor *const>(operands, weight.defined() ? 3 : 2));
    checkTargets(recorder, scores.shape(), target);
    if (scores.shape().rank() > 2)
      recorder.fail("expects scores [classes] or [batch, classes], got " + scores.shape().str());
    const Ref classes = recorder.convert(recorder.use(target), DType::I64);
    picked = recorder.tensor(pickClass(recorder, recorder.use(scores), classes));
    if (weight.defined()) {
      checkClassWeight(recorder, scores.shape(), weight);
      weights = recorder.tensor(pickWeight(recorder, recorder.use(weight), classes));
    }
    recorder.finish();
  }
  const int64_t classes = scores.shape()[scores.shape().rank() - 1];
  Tensor terms = relu(margin - picked.unsqueeze(-1) + scores);
  if (p == 2)
    terms = square(terms);
  if (weights.defined())
    terms = terms * weights.unsqueeze(-1);
  const DeviceScope device(target);
  const Tensor own = target.to(DType::I64).unsqueeze(-1).eq(arange(classes));
  return reduceLoss(sum(masked_fill(terms, own, 0), -1) / classes, reduction);
}

Tensor multilabel_soft_margin_loss(const Tensor &logits, const Tensor &target, const Tensor &weight,
                                   Reduction reduction, Where where) {
  const LocationScope scope(where);
  return reduceLoss(mean(binary_cross_entropy_with_logits(logits, target, weight, Reduction::None), -1), reduction);
}

Tensor cosine_embedding_loss(const Tensor &first, const Tensor &second, const Tensor &target, double margin,
                             Reduction reduction, Where where) {
  const LocationScope scope(where);
  constexpr double tiny = 1e-12; // under the roots of squared norms
  const Tensor norms = (sum(square(first), -1) + tiny) * (sum(square(second), -1) + tiny);
  const Tensor cosine = sum(first * second, -1) / sqrt(norms);
  return reduceLoss(burn::where(target.eq(1), 1 - cosine, 0) + burn::where(target.eq(-1), relu(cosine - margin), 0),
                    reduction);
}

Tensor triplet_margin_loss(const Tensor &anchor, const Tensor &positive, const Tensor &negative, double margin,
                           double p, double eps, bool swap, Reduction reduction, Where where) {
  const LocationScope scope(where);
  const Tensor near = pairwise_distance(anchor, positive, p, eps);
  Tensor far = pairwise_distance(anchor, negative, p, eps);
  if (swap)
    far = minimum(far, pairwise_distance(positive, negative, p, eps));
  return reduceLoss(relu(near - far + margin), reduction);
}

} // namespace burn
