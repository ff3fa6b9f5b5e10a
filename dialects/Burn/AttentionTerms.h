// What attention and its derivative have in common; not for others.
#pragma once

#include "dialects/Burn/Composites.h"

namespace burn::ir::composite {

/// What attention and its gradient have in common.
struct AttentionInputs {
  template <typename Op>
  explicit AttentionInputs(Op op)
      : query(op.getQuery()), key(op.getKey()), value(op.getValue()), mask(op.getMask()), bias(op.getBias()),
        causal(op.getCausal()), scale(op.getScale().convertToDouble()), softcap(op.getSoftcap().convertToDouble()) {}

  Value query, key, value, mask, bias; // the last two may be null
  bool causal;
  double scale, softcap;
};

/// The scores of an attention op, [batch, heads, queries, keys], and its operands in the type it computes in. For
/// contractions the queries of all heads that share a key head form one matrix: [batch, key heads, queries', ...].
struct AttentionTerms {
  AttentionTerms(ImplicitLocOpBuilder &b, AttentionOp op) : AttentionTerms(b, AttentionInputs(op)) {}
  AttentionTerms(ImplicitLocOpBuilder &b, AttentionGradOp op) : AttentionTerms(b, AttentionInputs(op)) {}

  /// [batch, heads, queries, n] as [batch, key heads, heads / key heads * queries, n], and back.
  Value group(ImplicitLocOpBuilder &b, Value x) const;
  Value ungroup(ImplicitLocOpBuilder &b, Value x) const;
  /// A value for each query, for each of its keys.
  Value spread(ImplicitLocOpBuilder &b, Value perQuery) const { return broadcastAlong(b, perQuery, shape, {3}); }
  /// The product of two batches of matrices, each contracted along one of dimensions 2 and 3.
  static Value dot(ImplicitLocOpBuilder &b, Value lhs, int64_t lhsDim, Value rhs, int64_t rhsDim);

  /// `values` with 0 in place of minus infinity, which has no difference to itself.
  static Value finite(ImplicitLocOpBuilder &b, Value values);

  DimVector shape; // of the scores
  int64_t keyHeads;
  Value query, key, value; // wide; the query grouped
  Value bend;              // tanh(s / softcap), or null
  Value allowed;           // which pairs count, or null where all do
  Value scores;            // with bias; minus infinity where a pair does not count

private:
  AttentionTerms(ImplicitLocOpBuilder &b, const AttentionInputs &inputs);
};

} // namespace burn::ir::composite
