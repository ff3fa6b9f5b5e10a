#include "runtime/Core/OpRules/Rules.h"

#include <cmath>

namespace burn::core::rules {

Status Iota(Operands, const IotaAttrs &attrs, Results &results) {
  if (Status status = checkAxis("dim", attrs.dim, results[0].shape.rank()); !status) // (C1)
    return status;
  if (results[0].dtype == DType::Bool) // (C2)
    return Status::invalid("expects a number type, got " + results[0].str());
  return Status::ok();
}

Status Compare(Operands operands, const CompareAttrs &, Results &results) {
  if (operands[0] != operands[1])
    return Status::invalid("expects operands of one type, got " + operands[0].str() + " and " + operands[1].str());
  results.assign(1, TypeDesc{DType::Bool, operands[0].shape});
  return Status::ok();
}

Status Select(Operands operands, const SelectAttrs &, Results &results) {
  if (operands[0].dtype != DType::Bool)
    return Status::invalid("expects a boolean predicate, got " + operands[0].str());
  if (operands[1] != operands[2])
    return Status::invalid("expects both choices of one type, got " + operands[1].str() + " and " + operands[2].str());
  if (operands[0].shape != operands[1].shape) // (C1)
    return Status::invalid("expects a predicate of shape " + operands[1].shape.str() + ", got " +
                           operands[0].shape.str());
  results.assign(1, operands[1]);
  return Status::ok();
}

Status Convert(Operands operands, const ConvertAttrs &, Results &results) {
  if (operands[0].shape != results[0].shape)
    return Status::invalid("expects equal shapes, got " + operands[0].shape.str() + " and " + results[0].shape.str());
  return Status::ok();
}

Status Polygamma(Operands operands, const PolygammaAttrs &attrs, Results &results) {
  if (attrs.n < 1 || attrs.n > 64) // (C1)
    return Status::invalid("expects n between 1 and 64, got " + std::to_string(attrs.n));
  return sameType(operands, Class::Float, results);
}

Status Powi(Operands operands, const PowiAttrs &, Results &results) {
  return sameType(operands, Class::Number, results);
}

Status Rem(Operands operands, const RemAttrs &, Results &results) { return sameType(operands, Class::Number, results); }

Status Celu(Operands operands, const CeluAttrs &attrs, Results &results) {
  if (Status status = checkFinite("alpha", attrs.alpha, operands[0]); !status) // (C1)
    return status;
  if (isZero(attrs.alpha, operands[0]))
    return Status::invalid("expects an alpha that is not 0 in the type that it is computed in");
  return sameType(operands, Class::Float, results);
}

Status Softplus(Operands operands, const SoftplusAttrs &attrs, Results &results) {
  if (Status status = checkFinite("beta", attrs.beta, operands[0]); !status) // (C1)
    return status;
  if (isZero(attrs.beta, operands[0]))
    return Status::invalid("expects a beta that is not 0 in the type that it is computed in");
  if (std::isnan(attrs.threshold))
    return Status::invalid("expects threshold to be a number, got nan");
  return sameType(operands, Class::Float, results);
}

Status Elu(Operands operands, const EluAttrs &attrs, Results &results) {
  if (Status status = checkFinite("alpha", attrs.alpha, operands[0]); !status) // (C1)
    return status;
  return sameType(operands, Class::Float, results);
}

Status HardSigmoid(Operands operands, const HardSigmoidAttrs &attrs, Results &results) {
  if (Status status = checkFinite("alpha", attrs.alpha, operands[0]); !status) // (C1)
    return status;
  if (Status status = checkFinite("beta", attrs.beta, operands[0]); !status)
    return status;
  return sameType(operands, Class::Float, results);
}

Status LeakyRelu(Operands operands, const LeakyReluAttrs &attrs, Results &results) {
  if (Status status = checkFinite("slope", attrs.slope, operands[0]); !status) // (C1)
    return status;
  return sameType(operands, Class::Float, results);
}

namespace {

Status test(const TypeDesc &input, Results &results) {
  if (!isFloat(input.dtype))
    return Status::invalid("expects floats, got " + input.str());
  results.assign(1, TypeDesc{DType::Bool, input.shape});
  return Status::ok();
}

} // namespace

Status IsNan(Operands operands, const IsNanAttrs &, Results &results) { return test(operands[0], results); }
Status IsInf(Operands operands, const IsInfAttrs &, Results &results) { return test(operands[0], results); }
Status IsFinite(Operands operands, const IsFiniteAttrs &, Results &results) { return test(operands[0], results); }

Status Bitcast(Operands operands, const BitcastAttrs &, Results &results) {
  if (operands[0].dtype == DType::Bool || results[0].dtype == DType::Bool) // (C2)
    return Status::invalid("expects numbers, got " + operands[0].str() + " and " + results[0].str());
  if (bitWidth(operands[0].dtype) != bitWidth(results[0].dtype)) // (C1)
    return Status::invalid("expects types of one width, got " + operands[0].str() + " and " + results[0].str());
  if (operands[0].shape != results[0].shape)
    return Status::invalid("expects a result of shape " + operands[0].shape.str() + ", got " + results[0].shape.str());
  return Status::ok();
}

Status ReducePrecision(Operands operands, const ReducePrecisionAttrs &attrs, Results &results) {
  if (!isFloat(attrs.type) || bitWidth(attrs.type) > bitWidth(operands[0].dtype)) // (C1)
    return Status::invalid("expects a float type that is not wider than " + std::string(name(operands[0].dtype)) +
                           ", got " + std::string(name(attrs.type)));
  return sameType(operands, Class::Float, results);
}

} // namespace burn::core::rules
