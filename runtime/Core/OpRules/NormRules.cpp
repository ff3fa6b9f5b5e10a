#include "runtime/Core/OpRules/Rules.h"

#include <cmath>

namespace burn::core::rules {
namespace {

// Statistics of f16 and bf16 are f32.
DType statisticsType(DType type) { return type == DType::F64 ? DType::F64 : DType::F32; }

Shape slice(const Shape &shape, unsigned begin, unsigned end) {
  Shape result;
  for (unsigned i = begin; i < end; ++i)
    result.push(shape[i]);
  return result;
}

// (C2), (C3) of the norms: `affine` are at most `most` tensors of the given shape.
Status checkAffine(const TypeDesc &input, Operands affine, size_t most, const Shape &shape, double epsilon) {
  if (affine.size() > most)
    return Status::invalid("expects at most " + std::to_string(most + 1) + " operands, got " +
                           std::to_string(affine.size() + 1));
  const TypeDesc want{input.dtype, shape};
  for (const TypeDesc &operand : affine)
    if (operand != want)
      return Status::invalid("expects scale and bias of type " + want.str() + ", got " + operand.str());
  return checkEpsilon(epsilon, input);
}

Status lastDims(Operands operands, int64_t axis, double epsilon, size_t most, size_t statistics, Results &results) {
  const TypeDesc &input = operands[0];
  if (Status status = checkFloat(input); !status)
    return status;
  if (Status status = checkAxis("axis", axis, input.shape.rank()); !status) // (C1)
    return status;
  const unsigned rank = input.shape.rank();
  if (Status status = checkAffine(input, operands.subspan(1), most, slice(input.shape, axis, rank), epsilon); !status)
    return status;
  results.assign(1, input);
  results.resize(1 + statistics, TypeDesc{statisticsType(input.dtype), slice(input.shape, 0, axis)});
  return Status::ok();
}

} // namespace

Status Logsumexp(Operands operands, const LogsumexpAttrs &attrs, Results &results) {
  return reducedFloat(operands[0], attrs.dims, results);
}

Status LayerNorm(Operands operands, const LayerNormAttrs &attrs, Results &results) {
  return lastDims(operands, attrs.axis, attrs.epsilon, 2, 2, results);
}

Status RmsNorm(Operands operands, const RmsNormAttrs &attrs, Results &results) {
  return lastDims(operands, attrs.axis, attrs.epsilon, 1, 1, results);
}

Status GroupNorm(Operands operands, const GroupNormAttrs &attrs, Results &results) {
  const TypeDesc &input = operands[0];
  if (Status status = checkFloat(input); !status)
    return status;
  if (input.shape.rank() < 2) // (C1)
    return Status::invalid("expects a batch and a feature dimension, got " + input.str());
  const int64_t features = input.shape[1];
  if (attrs.groups < 1 || features % attrs.groups != 0)
    return Status::invalid("expects groups to divide the " + std::to_string(features) + " features, got " +
                           std::to_string(attrs.groups));
  if (Status status = checkAffine(input, operands.subspan(1), 2, Shape{features}, attrs.epsilon); !status)
    return status;
  results.assign(1, input);
  results.resize(3, TypeDesc{statisticsType(input.dtype), Shape{input.shape[0], attrs.groups}});
  return Status::ok();
}

Status Attention(Operands operands, const AttentionAttrs &attrs, Results &results) {
  const TypeDesc &query = operands[0], &key = operands[1], &value = operands[2];
  for (const TypeDesc *operand : {&query, &key, &value}) // (C1)
    if (operand->shape.rank() != 4 || !isFloat(operand->dtype) || operand->dtype != query.dtype)
      return Status::invalid("expects query, key and value of rank 4 and one float type, got " + operand->str());
  const auto mismatch = [&](const char *what) {
    return Status::invalid(std::string("expects ") + what + ", got " + query.str() + ", " + key.str() + " and " +
                           value.str());
  };
  if (key.shape[0] != query.shape[0] || value.shape[0] != query.shape[0]) // (C2)
    return mismatch("batches that agree");
  if (key.shape[3] != query.shape[3])
    return mismatch("query and key of one size in the last dimension");
  if (key.shape[2] != value.shape[2])
    return mismatch("as many keys as values");
  const int64_t heads = query.shape[1], keyHeads = key.shape[1];
  if (value.shape[1] != keyHeads || (keyHeads == 0 ? heads != 0 : heads % keyHeads != 0))
    return mismatch("heads that are a multiple of the key heads");
  const Shape scores{query.shape[0], heads, query.shape[2], key.shape[2]};
  // One query, key and value each, perhaps a mask and a bias.
  const Dims segments = attrs.operandSegmentSizes;
  bool areWhole = segments.size() == 5;
  for (size_t i = 0; areWhole && i < 5; ++i)
    areWhole = segments[i] == 1 || (i >= 3 && segments[i] == 0);
  if (!areWhole || operands.size() != 3 + static_cast<size_t>(segments[3] + segments[4]))
    return Status::invalid(
        "expects segments of a query, a key, a value, at most one mask and at most one bias for the " +
        std::to_string(operands.size()) + " operands, got " + str(segments));
  size_t next = 3;
  for (size_t slot : {size_t(3), size_t(4)}) {
    if (segments[slot] == 0)
      continue;
    const TypeDesc &given = operands[next++]; // (C3)
    const bool isMask = slot == 3;
    bool fits = given.shape.rank() == 4 && given.dtype == (isMask ? DType::Bool : query.dtype);
    for (unsigned i = 0; fits && i < 4; ++i)
      fits = given.shape[i] == scores[i] || (i < 3 && given.shape[i] == 1);
    if (!fits)
      return Status::invalid(std::string("expects a ") + (isMask ? "boolean mask" : "bias") +
                             " of shape [batch or 1, heads or 1, queries or 1, keys], got " + given.str() +
                             " for scores of shape " + scores.str());
  }
  if (!scores.fits())
    return Status::invalid("scores of shape " + scores.str() + " are too many");
  if (Status status = checkFinite("scale", attrs.scale, operands[0]); !status) // (C4)
    return status;
  if (Status status = checkFinite("softcap", attrs.softcap, operands[0]); !status)
    return status;
  if (attrs.softcap < 0)
    return Status::invalid("expects softcap >= 0, got " + std::to_string(attrs.softcap));
  results = {TypeDesc{query.dtype, Shape{query.shape[0], heads, query.shape[2], value.shape[3]}},
             TypeDesc{statisticsType(query.dtype), Shape{query.shape[0], heads, query.shape[2]}}};
  return Status::ok();
}

Status AttentionGrad(Operands operands, const AttentionGradAttrs &attrs, Results &results) {
  // A query, key and value, perhaps a mask and a bias, then lse, the gradient of the result and delta.
  const Dims segments = attrs.operandSegmentSizes;
  const bool areWhole = segments.size() == 8 && segments[5] == 1 && segments[6] == 1 && segments[7] == 1;
  if (!areWhole || operands.size() < 6)
    return Status::invalid("expects segments of the operands of attention, of one lse, one gradient of its result and "
                           "one delta for the " +
                           std::to_string(operands.size()) + " operands, got " + str(segments));
  const AttentionAttrs forward{attrs.causal, attrs.scale, attrs.softcap, Dims(segments.begin(), segments.begin() + 5)};
  const Operands inputs = operands.first(operands.size() - 3);
  Results outputs;
  if (Status status = Attention(inputs, forward, outputs); !status) // (C1)
    return status;
  const TypeDesc &lse = operands[inputs.size()], &gradient = operands[inputs.size() + 1],
                 &delta = operands[inputs.size() + 2];
  if (lse != outputs[1] || delta != outputs[1]) // (C2)
    return Status::invalid("expects lse and delta of type " + outputs[1].str() + ", got " + lse.str() + " and " +
                           delta.str());
  if (gradient != outputs[0])
    return Status::invalid("expects a gradient of type " + outputs[0].str() + ", got " + gradient.str());
  const Shape &rows = lse.shape;
  results = {operands[0], operands[1], operands[2],
             TypeDesc{lse.dtype, Shape{rows[0], rows[1], rows[2], operands[1].shape[2]}}};
  return Status::ok();
}

Status Embedding(Operands operands, const EmbeddingAttrs &attrs, Results &results) {
  const TypeDesc &table = operands[0], &indices = operands[1];
  if (table.shape.rank() != 2 || !isFloat(table.dtype)) // (C1)
    return Status::invalid("expects a table of floats of rank 2, got " + table.str());
  if (!isInt(indices.dtype))
    return Status::invalid("expects integer indices, got " + indices.str());
  if (attrs.padding_idx < -1 || attrs.padding_idx >= table.shape[0]) // (C2)
    return Status::invalid("expects padding_idx -1 or a row of " + table.str() + ", got " +
                           std::to_string(attrs.padding_idx));
  TypeDesc result{table.dtype, indices.shape};
  if (!result.shape.push(table.shape[1]))
    return Status::invalid("the result has too many dimensions");
  results.assign(1, result);
  return Status::ok();
}

Status Interpolate(Operands operands, const InterpolateAttrs &attrs, Results &results) {
  const TypeDesc &input = operands[0];
  if (Status status = checkFloat(input); !status)
    return status;
  const unsigned rank = input.shape.rank(), count = static_cast<unsigned>(attrs.sizes.size());
  if (attrs.scales.size() != count || count > rank) // (C1)
    return Status::invalid("expects as many scales as sizes, at most " + std::to_string(rank) + ", got " +
                           std::to_string(attrs.scales.size()) + " and " + std::to_string(count));
  TypeDesc result{input.dtype, slice(input.shape, 0, rank - count)};
  for (unsigned i = 0; i < count; ++i) {
    const int64_t source = input.shape[rank - count + i];
    if (attrs.sizes[i] < 0 || (source == 0) != (attrs.sizes[i] == 0)) // (C2)
      return Status::invalid("cannot resample " + std::to_string(source) + " elements to " +
                             std::to_string(attrs.sizes[i]));
    if (!(attrs.scales[i] > 0) || !std::isfinite(attrs.scales[i])) // (C3)
      return Status::invalid("expects scales that are finite and above 0, got " + std::to_string(attrs.scales[i]));
    result.shape.push(attrs.sizes[i]);
  }
  if (Status status = checkFinite("cubic_coeff", attrs.cubic_coeff, operands[0]); !status)
    return status;
  results.assign(1, result);
  return Status::ok();
}

Status Rope(Operands operands, const RopeAttrs &, Results &results) {
  const TypeDesc &input = operands[0], &cos = operands[1], &sin = operands[2];
  if (Status status = checkFloat(input); !status)
    return status;
  if (cos != sin || cos.dtype != input.dtype) // (C2)
    return Status::invalid("expects cosine and sine of one type with the input's elements, got " + cos.str() + " and " +
                           sin.str());
  const unsigned rank = input.shape.rank();
  if (rank < 2 || cos.shape.rank() != 2 || cos.shape[0] != input.shape[rank - 2] ||
      cos.shape[1] > input.shape[rank - 1] / 2) // (C1)
    return Status::invalid("expects cosine and sine of shape [positions, at most half the last dimension] for " +
                           input.str() + ", got " + cos.str());
  results.assign(1, input);
  return Status::ok();
}

Status AdamwUpdate(Operands operands, const AdamwUpdateAttrs &attrs, Results &results) {
  if (Status status = sameType(operands.subspan(0, 4), Class::Float, results); !status) // (C1)
    return status;
  for (const TypeDesc &scalar : operands.subspan(4))
    if (scalar != TypeDesc{DType::F64, Shape{}}) // (C2)
      return Status::invalid("expects scalars f64[], got " + scalar.str());
  for (double beta : {attrs.beta1, attrs.beta2}) // (C3)
    if (!(beta >= 0 && beta < 1))
      return Status::invalid("expects betas in [0, 1), got " + std::to_string(beta));
  if (Status status = checkEpsilon(attrs.epsilon, operands[0]); !status)
    return status;
  results.assign(3, operands[0]);
  return Status::ok();
}

} // namespace burn::core::rules
