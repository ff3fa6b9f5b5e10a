#include "runtime/Core/OpRules/Rules.h"

namespace burn::core::rules {
namespace {

const TypeDesc kKey{DType::U32, Shape{2}};
const TypeDesc kCounter{DType::U64, Shape{}};

Status checkKey(const TypeDesc &key, const TypeDesc &counter) { // (C1)
  if (key == kKey && counter == kCounter)
    return Status::ok();
  return Status::invalid("expects a key ui32[2] and a counter ui64[], got " + key.str() + " and " + counter.str());
}

Status drawn(Operands operands, Results &results) {
  if (Status status = checkKey(operands[0], operands[1]); !status)
    return status;
  return checkFloat(results[0]); // (C2)
}

} // namespace

Status RngBits(Operands operands, const RngBitsAttrs &, Results &results) {
  if (Status status = checkKey(operands[0], operands[1]); !status)
    return status;
  if (results[0].dtype != DType::U32 && results[0].dtype != DType::U64) // (C2)
    return Status::invalid("expects ui32 or ui64 elements, got " + results[0].str());
  return Status::ok();
}

Status Dropout(Operands operands, const DropoutAttrs &, Results &results) {
  if (Status status = checkFloat(operands[0]); !status)
    return status;
  if (Status status = checkKey(operands[1], operands[2]); !status)
    return status;
  if (operands[3] != TypeDesc{DType::F64, Shape{}}) // (C2)
    return Status::invalid("expects a rate f64[], got " + operands[3].str());
  results.assign(1, operands[0]);
  return Status::ok();
}

Status Uniform(Operands operands, const UniformAttrs &, Results &results) { return drawn(operands, results); }

Status Normal(Operands operands, const NormalAttrs &, Results &results) { return drawn(operands, results); }

Status Bernoulli(Operands operands, const BernoulliAttrs &, Results &results) {
  if (Status status = checkFloat(operands[0]); !status)
    return status;
  if (Status status = checkKey(operands[1], operands[2]); !status)
    return status;
  results.assign(1, TypeDesc{DType::Bool, operands[0].shape});
  return Status::ok();
}

Status Categorical(Operands operands, const CategoricalAttrs &attrs, Results &results) {
  const TypeDesc &weights = operands[0];
  if (Status status = checkFloat(weights); !status)
    return status;
  if (Status status = checkKey(operands[1], operands[2]); !status)
    return status;
  const unsigned rank = weights.shape.rank();
  if (rank == 0 || weights.shape[rank - 1] == 0) // (C2)
    return Status::invalid("expects weights of at least one class along the last dimension, got " + weights.str());
  if (attrs.samples < 0) // (C3)
    return Status::invalid("expects a number of samples that is not negative, got " + std::to_string(attrs.samples));
  TypeDesc result{DType::I64, {}};
  for (unsigned i = 0; i + 1 < rank; ++i)
    result.shape.push(weights.shape[i]);
  // Each draw is compared with the sums of all classes.
  Shape compared = result.shape;
  const int64_t classes = weights.shape[rank - 1];
  compared.push(attrs.samples < (int64_t(1) << 60) / classes ? attrs.samples * classes : int64_t(1) << 60);
  if (!compared.fits())
    return Status::invalid(std::to_string(attrs.samples) + " samples are too many for " + weights.str());
  result.shape.push(attrs.samples);
  results.assign(1, result);
  return Status::ok();
}

} // namespace burn::core::rules
