#include "runtime/Core/OpRules/Rules.h"

#include <string>

namespace burn::core::rules {
namespace {

Status softmaxLike(Operands operands, int64_t axis, Results &results) {
  if (Status status = checkFloat(operands[0]); !status)
    return status;
  if (Status status = checkAxis("axis", axis, operands[0].shape.rank()); !status) // (C1)
    return status;
  results.assign(1, operands[0]);
  return Status::ok();
}

} // namespace

Status Softmax(Operands operands, const SoftmaxAttrs &attrs, Results &results) {
  return softmaxLike(operands, attrs.axis, results);
}

Status LogSoftmax(Operands operands, const LogSoftmaxAttrs &attrs, Results &results) {
  return softmaxLike(operands, attrs.axis, results);
}

Status CrossEntropy(Operands operands, const CrossEntropyAttrs &attrs, Results &results) {
  const TypeDesc &logits = operands[0], &target = operands[1];
  if (Status status = checkFloat(logits); !status)
    return status;
  if (Status status = checkAxis("axis", attrs.axis, logits.shape.rank()); !status) // (C1)
    return status;
  Shape example;
  for (unsigned i = 0; i < logits.shape.rank(); ++i)
    if (i != attrs.axis)
      example.push(logits.shape[i]);
  const bool integer = target.dtype == DType::I32 || target.dtype == DType::I64;
  if (!integer || target.shape != example) // (C2)
    return Status::invalid("expects i32 or i64 targets of shape " + example.str() + " for logits " + logits.str() +
                           ", got " + target.str());
  const TypeDesc weight{logits.dtype, Shape{logits.shape[attrs.axis]}};
  if (operands.size() == 3 && operands[2] != weight) // (C3)
    return Status::invalid("expects class weights " + weight.str() + ", got " + operands[2].str());
  if (!(attrs.label_smoothing >= 0.0 && attrs.label_smoothing <= 1.0))
    return Status::invalid("expects label_smoothing in [0, 1], got " + std::to_string(attrs.label_smoothing));
  const bool whole = attrs.reduction == LossReduction::None;
  results.assign(1, TypeDesc{logits.dtype, whole ? example : Shape{}});
  return Status::ok();
}

Status BatchNorm(Operands operands, const BatchNormAttrs &attrs, Results &results) {
  const TypeDesc &input = operands[0];
  if (Status status = checkFloat(input); !status)
    return status;
  if (Status status = checkAxis("feature_dim", attrs.feature_dim, input.shape.rank()); !status)
    return status; // (C1)
  const TypeDesc feature{input.dtype, Shape{input.shape[attrs.feature_dim]}};
  if (operands[1] != feature || operands[2] != feature) // (C2)
    return Status::invalid("expects scale and bias " + feature.str() + " for input " + input.str() + ", got " +
                           operands[1].str() + " and " + operands[2].str());
  if (Status status = checkEpsilon(attrs.epsilon, operands[0]); !status) // (C3)
    return status;
  results = {input, feature, feature};
  return Status::ok();
}

} // namespace burn::core::rules
