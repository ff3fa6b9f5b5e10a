// Shared by the rule files; not for others.
#pragma once

#include "runtime/Core/OpRules/OpRules.h"

#include <string>

namespace burn::core::rules {

using Operands = std::span<const TypeDesc>;
using Results = std::vector<TypeDesc>;
using Dims = std::span<const int64_t>;

// One function per op: constraint codes (C1), (C2) ... are those of the op's description.
#define BURN_RULE(name) Status name(Operands operands, const name##Attrs &attrs, Results &results)
BURN_RULE(Iota);
BURN_RULE(Compare);
BURN_RULE(Select);
BURN_RULE(Convert);
BURN_RULE(Broadcast);
BURN_RULE(Reshape);
BURN_RULE(Transpose);
BURN_RULE(Slice);
BURN_RULE(SliceUpdate);
BURN_RULE(Pad);
BURN_RULE(Concat);
BURN_RULE(Reverse);
BURN_RULE(Gather);
BURN_RULE(Scatter);
BURN_RULE(Reduce);
BURN_RULE(ArgReduce);
BURN_RULE(DotGeneral);
BURN_RULE(Conv);
BURN_RULE(ReduceWindow);
BURN_RULE(ArgReduceWindow);
BURN_RULE(RngBits);
BURN_RULE(Dropout);
BURN_RULE(Softmax);
BURN_RULE(LogSoftmax);
BURN_RULE(CrossEntropy);
BURN_RULE(BatchNorm);
BURN_RULE(Polygamma);
BURN_RULE(Powi);
BURN_RULE(IsNan);
BURN_RULE(IsInf);
BURN_RULE(IsFinite);
BURN_RULE(Rem);
BURN_RULE(Bitcast);
BURN_RULE(ReducePrecision);
BURN_RULE(Sort);
BURN_RULE(Topk);
BURN_RULE(Nonzero);
BURN_RULE(Moments);
BURN_RULE(Scan);
BURN_RULE(LinearScan);
BURN_RULE(Uniform);
BURN_RULE(Normal);
BURN_RULE(Bernoulli);
BURN_RULE(Categorical);
BURN_RULE(Logsumexp);
BURN_RULE(LayerNorm);
BURN_RULE(GroupNorm);
BURN_RULE(RmsNorm);
BURN_RULE(Attention);
BURN_RULE(AttentionGrad);
BURN_RULE(Embedding);
BURN_RULE(Interpolate);
BURN_RULE(Rope);
BURN_RULE(AdamwUpdate);
BURN_RULE(Quantize);
BURN_RULE(Dequantize);
BURN_RULE(Softplus);
BURN_RULE(Elu);
BURN_RULE(Celu);
BURN_RULE(HardSigmoid);
BURN_RULE(LeakyRelu);
BURN_RULE(Grad);
BURN_RULE(If);
BURN_RULE(For);
BURN_RULE(While);
BURN_RULE(Checkpoint);
BURN_RULE(CustomVjp);
BURN_RULE(Barrier);
BURN_RULE(Name);
BURN_RULE(Assert);
BURN_RULE(Print);
BURN_RULE(CustomKernel);
#undef BURN_RULE

/// What elements an op takes.
enum class Class { Any, Number, Float, Bits, Int };

/// One result of the operands' type, which is the same for all and of the class.
Status sameType(Operands operands, Class kind, Results &results);

/// Whether elements are floats.
Status checkFloat(const TypeDesc &type);

/// The result of a reduction of floats over `dims`.
Status reducedFloat(const TypeDesc &input, Dims dims, Results &results);

/// `[1, 2]`
std::string str(Dims dims);

/// Whether entries ascend strictly and lie in [0, rank).
bool ascendingWithin(Dims dims, int64_t rank);

/// Whether `dims` holds each of 0 .. rank-1 once.
bool isPermutation(Dims dims, int64_t rank);

inline bool contains(Dims dims, int64_t value) {
  for (int64_t dim : dims)
    if (dim == value)
      return true;
  return false;
}

/// "expects `what` to have one entry per dimension (rank R), got N"
Status checkLength(std::string_view what, Dims dims, int64_t rank);

/// "expects 0 <= axis < rank"
Status checkAxis(std::string_view what, int64_t axis, int64_t rank);

/// "expects `what` to be finite in f32, got 1e+39", f32 being what ops on `operand` compute in
Status checkFinite(std::string_view what, double value, const TypeDesc &operand);

/// Whether a number is 0 in the type that ops on `operand` compute in.
bool isZero(double value, const TypeDesc &operand);

/// "expects epsilon to be finite in f32 and >= 0, got nan"
Status checkEpsilon(double epsilon, const TypeDesc &operand);

/// Equality of element types of two operands.
Status checkSameElement(const TypeDesc &a, const TypeDesc &b);

/// Size of a windowed dimension: how many places a window of `window` elements, `dilation` apart,
/// takes in steps of `stride` over `size` elements dilated by `base` and padded. 0 where the window
/// does not fit; negative where padding removes more than there is.
int64_t windowedSize(int64_t size, int64_t base, int64_t low, int64_t high, int64_t window, int64_t dilation,
                     int64_t stride);

} // namespace burn::core::rules
