#include "runtime/Core/OpRules/Rules.h"

#include <cmath>
#include <cstdio>

namespace burn::core {
namespace rules {

std::string str(Dims dims) {
  std::string text = "[";
  for (size_t i = 0; i < dims.size(); ++i)
    text += (i ? ", " : "") + std::to_string(dims[i]);
  return text + "]";
}

bool ascendingWithin(Dims dims, int64_t rank) {
  int64_t last = -1;
  for (int64_t dim : dims) {
    if (dim <= last || dim >= rank)
      return false;
    last = dim;
  }
  return true;
}

bool isPermutation(Dims dims, int64_t rank) {
  if (static_cast<int64_t>(dims.size()) != rank)
    return false;
  uint64_t seen = 0;
  for (int64_t dim : dims) {
    if (dim < 0 || dim >= rank || (seen >> dim & 1))
      return false;
    seen |= uint64_t(1) << dim;
  }
  return true;
}

Status checkLength(std::string_view what, Dims dims, int64_t rank) {
  if (static_cast<int64_t>(dims.size()) == rank)
    return Status::ok();
  return Status::invalid("expects " + std::string(what) + " to have " + std::to_string(rank) + " entries, got " +
                         std::to_string(dims.size()));
}

Status checkAxis(std::string_view what, int64_t axis, int64_t rank) {
  if (axis >= 0 && axis < rank)
    return Status::ok();
  return Status::invalid("expects " + std::string(what) + " within rank " + std::to_string(rank) + ", got " +
                         std::to_string(axis));
}

namespace {

// Whether a number is finite in the type that ops on `operand` compute in.
bool isFinite(double value, const TypeDesc &operand) {
  return operand.dtype == DType::F64 ? std::isfinite(value) : std::isfinite(static_cast<float>(value));
}

// With as many digits as it needs, in few characters.
std::string brief(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", value);
  return text;
}

std::string finite(const TypeDesc &operand) { return operand.dtype == DType::F64 ? "finite" : "finite in f32"; }

} // namespace

Status checkFinite(std::string_view what, double value, const TypeDesc &operand) {
  if (isFinite(value, operand))
    return Status::ok();
  return Status::invalid("expects " + std::string(what) + " to be " + finite(operand) + ", got " + brief(value));
}

bool isZero(double value, const TypeDesc &operand) {
  return operand.dtype == DType::F64 ? value == 0 : static_cast<float>(value) == 0;
}

Status checkEpsilon(double epsilon, const TypeDesc &operand) {
  if (epsilon >= 0 && isFinite(epsilon, operand))
    return Status::ok();
  return Status::invalid("expects epsilon to be " + finite(operand) + " and >= 0, got " + brief(epsilon));
}

Status checkSameElement(const TypeDesc &a, const TypeDesc &b) {
  if (a.dtype == b.dtype)
    return Status::ok();
  return Status::invalid("expects equal element types, got " + a.str() + " and " + b.str());
}

Status checkFloat(const TypeDesc &type) {
  if (isFloat(type.dtype))
    return Status::ok();
  return Status::invalid("expects floats, got " + type.str());
}

int64_t windowedSize(int64_t size, int64_t base, int64_t low, int64_t high, int64_t window, int64_t dilation,
                     int64_t stride) {
  const int64_t dilated = size == 0 ? 0 : (size - 1) * base + 1;
  const int64_t padded = dilated + low + high;
  if (padded < 0)
    return padded;
  const int64_t extent = (window - 1) * dilation + 1;
  return padded < extent ? 0 : (padded - extent) / stride + 1;
}

namespace {

bool belongs(DType type, Class kind) {
  switch (kind) {
  case Class::Any:
    return true;
  case Class::Number:
    return type != DType::Bool;
  case Class::Float:
    return isFloat(type);
  case Class::Bits:
    return !isFloat(type);
  case Class::Int:
    return isInt(type);
  }
  return false;
}

} // namespace

Status sameType(Operands operands, Class kind, Results &results) {
  for (const TypeDesc &operand : operands.subspan(1))
    if (operand != operands[0])
      return Status::invalid("expects operands of one type, got " + operands[0].str() + " and " + operand.str());
  if (!belongs(operands[0].dtype, kind)) {
    const char *names[] = {"any type", "numbers", "floats", "booleans or integers", "integers"};
    return Status::invalid("expects " + std::string(names[static_cast<int>(kind)]) + ", got " + operands[0].str());
  }
  results.assign(1, operands[0]);
  return Status::ok();
}

namespace {

template <typename Attrs>
Status apply(Status (*rule)(Operands, const Attrs &, Results &), Operands operands, std::span<const int64_t> words,
             Results &results) {
  Expected<Attrs> attrs = Attrs::decode(words);
  if (!attrs)
    return attrs.status();
  return rule(operands, *attrs, results);
}

// Of an op whose result does not depend on its attributes; they must be well-formed none the less.
template <typename Attrs> Status applyToFloats(Operands operands, std::span<const int64_t> words, Results &results) {
  if (Expected<Attrs> attrs = Attrs::decode(words); !attrs)
    return attrs.status();
  return sameType(operands, Class::Float, results);
}

Status dispatch(OpCode op, Operands operands, std::span<const int64_t> words, Results &results) {
  switch (op) {
  case OpCode::Undef:
  case OpCode::Constant:
    return Status::ok();
  case OpCode::Neg:
  case OpCode::Abs:
  case OpCode::Sign:
  case OpCode::Relu:
  case OpCode::Add:
  case OpCode::Sub:
  case OpCode::Mul:
  case OpCode::Div:
  case OpCode::Pow:
  case OpCode::Max:
  case OpCode::Min:
  case OpCode::Clamp:
    return sameType(operands, Class::Number, results);
  case OpCode::Exp:
  case OpCode::Expm1:
  case OpCode::Log:
  case OpCode::Log1p:
  case OpCode::Sqrt:
  case OpCode::Rsqrt:
  case OpCode::Tanh:
  case OpCode::Erf:
  case OpCode::Logistic:
  case OpCode::Cbrt:
  case OpCode::Exp2:
  case OpCode::Log2:
  case OpCode::Log10:
  case OpCode::Sin:
  case OpCode::Cos:
  case OpCode::Tan:
  case OpCode::Asin:
  case OpCode::Acos:
  case OpCode::Atan:
  case OpCode::Sinh:
  case OpCode::Cosh:
  case OpCode::Asinh:
  case OpCode::Acosh:
  case OpCode::Atanh:
  case OpCode::Erfc:
  case OpCode::Erfinv:
  case OpCode::Lgamma:
  case OpCode::Digamma:
  case OpCode::Atan2:
  case OpCode::Hypot:
  case OpCode::Copysign:
  case OpCode::Fmax:
  case OpCode::Fmin:
  case OpCode::Trunc:
  case OpCode::Silu:
  case OpCode::Mish:
  case OpCode::Selu:
  case OpCode::HardSwish:
  case OpCode::LogSigmoid:
  case OpCode::Floor:
  case OpCode::Ceil:
  case OpCode::RoundEven:
    return sameType(operands, Class::Float, results);
  case OpCode::Gelu:
    return applyToFloats<GeluAttrs>(operands, words, results);
  case OpCode::Not:
  case OpCode::And:
  case OpCode::Or:
  case OpCode::Xor:
    return sameType(operands, Class::Bits, results);
  case OpCode::Popcnt:
  case OpCode::Clz:
  case OpCode::FloorDiv:
  case OpCode::Shl:
  case OpCode::Shr:
    return sameType(operands, Class::Int, results);
  case OpCode::StopGradient:
    return sameType(operands, Class::Any, results);
#define BURN_RULE(name)                                                                                                \
  case OpCode::name:                                                                                                   \
    return apply<name##Attrs>(&rules::name, operands, words, results);
    BURN_RULE(Iota)
    BURN_RULE(Compare)
    BURN_RULE(Select)
    BURN_RULE(Convert)
    BURN_RULE(Broadcast)
    BURN_RULE(Reshape)
    BURN_RULE(Transpose)
    BURN_RULE(Slice)
    BURN_RULE(SliceUpdate)
    BURN_RULE(Pad)
    BURN_RULE(Concat)
    BURN_RULE(Reverse)
    BURN_RULE(Gather)
    BURN_RULE(Scatter)
    BURN_RULE(Reduce)
    BURN_RULE(ArgReduce)
    BURN_RULE(DotGeneral)
    BURN_RULE(Conv)
    BURN_RULE(ReduceWindow)
    BURN_RULE(ArgReduceWindow)
    BURN_RULE(RngBits)
    BURN_RULE(Dropout)
    BURN_RULE(Softmax)
    BURN_RULE(LogSoftmax)
    BURN_RULE(CrossEntropy)
    BURN_RULE(BatchNorm)
    BURN_RULE(Polygamma)
    BURN_RULE(Powi)
    BURN_RULE(IsNan)
    BURN_RULE(IsInf)
    BURN_RULE(IsFinite)
    BURN_RULE(Rem)
    BURN_RULE(Bitcast)
    BURN_RULE(ReducePrecision)
    BURN_RULE(Sort)
    BURN_RULE(Topk)
    BURN_RULE(Nonzero)
    BURN_RULE(Moments)
    BURN_RULE(Scan)
    BURN_RULE(LinearScan)
    BURN_RULE(Uniform)
    BURN_RULE(Normal)
    BURN_RULE(Bernoulli)
    BURN_RULE(Categorical)
    BURN_RULE(Logsumexp)
    BURN_RULE(LayerNorm)
    BURN_RULE(GroupNorm)
    BURN_RULE(RmsNorm)
    BURN_RULE(Attention)
    BURN_RULE(AttentionGrad)
    BURN_RULE(Embedding)
    BURN_RULE(Interpolate)
    BURN_RULE(Rope)
    BURN_RULE(AdamwUpdate)
    BURN_RULE(Quantize)
    BURN_RULE(Dequantize)
    BURN_RULE(Softplus)
    BURN_RULE(Elu)
    BURN_RULE(Celu)
    BURN_RULE(HardSigmoid)
    BURN_RULE(LeakyRelu)
    BURN_RULE(Grad)
    BURN_RULE(If)
    BURN_RULE(For)
    BURN_RULE(While)
    BURN_RULE(Checkpoint)
    BURN_RULE(CustomVjp)
    BURN_RULE(Barrier)
    BURN_RULE(Name)
    BURN_RULE(Assert)
    BURN_RULE(Print)
    BURN_RULE(CustomKernel)
#undef BURN_RULE
  case OpCode::Invalid:
  case OpCode::Fused:
  case OpCode::Yield:
  case OpCode::Call:
    break;
  }
  return Status::error(ErrorCode::Internal, "no shape rule for op code " + std::to_string(static_cast<int>(op)));
}

} // namespace
} // namespace rules

Status inferTypesOfAnySize(OpCode op, std::span<const TypeDesc> operands, std::span<const int64_t> words,
                           std::vector<TypeDesc> &results) {
  const OpInfo *info = findOp(op);
  if (!info)
    return Status::invalid("unknown op code " + std::to_string(static_cast<int>(op)));
  const int count = static_cast<int>(operands.size());
  if (count < info->leastOperands || (info->mostOperands >= 0 && count > info->mostOperands))
    return Status::invalid("expects " + std::to_string(info->leastOperands) +
                           (info->mostOperands < 0 ? " or more" : "") + " operands, got " + std::to_string(count));
  if (info->attributes.empty() && !words.empty())
    return Status::invalid("malformed attributes");
  if (!info->resultsInferred && info->results >= 0 && static_cast<int>(results.size()) != info->results)
    return Status::invalid("expects the types of " + std::to_string(info->results) + " results");
  return rules::dispatch(op, operands, words, results);
}

Status inferTypes(OpCode op, std::span<const TypeDesc> operands, std::span<const int64_t> words,
                  std::vector<TypeDesc> &results) {
  // Rules compute with sizes, so proposed ones must be such that nothing overflows, as those of operands are.
  if (const OpInfo *info = findOp(op); info && !info->resultsInferred)
    for (const TypeDesc &type : results)
      if (!type.shape.fits())
        return Status::invalid("the result type " + type.str() + " is too large");
  if (Status status = inferTypesOfAnySize(op, operands, words, results); !status)
    return status;
  for (const TypeDesc &result : results)
    if (!result.shape.fits())
      return Status::invalid("the result type " + result.str() + " is too large");
  return Status::ok();
}

} // namespace burn::core
