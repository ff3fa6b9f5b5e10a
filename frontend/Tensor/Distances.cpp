// Distances and angles between vectors.
#include "frontend/Tensor/Support.h"

namespace burn {

Tensor cdist(const Tensor &a, const Tensor &b, double p, Where where) {
  const LocationScope scope(where);
  if (a.shape().rank() < 2 || b.shape().rank() < 2 || a.size(-1) != b.size(-1))
    raiseInvalid("cdist: expects rows of one size, [..., n, k] and [..., m, k], got shapes " + a.shape().str() +
                 " and " + b.shape().str());
  return vector_norm(a.unsqueeze(-2) - b.unsqueeze(-3), p, -1);
}

Tensor pdist(const Tensor &x, double p, Where where) {
  const LocationScope scope(where);
  if (x.shape().rank() != 2)
    raiseInvalid("pdist: expects rows [n, k], got shape " + x.shape().str());
  if (x.size(0) == 0) // as many norms as pairs, and no row to take
    return vector_norm(x, p, -1);
  const Tensor pairs = triu_indices(x.size(0), x.size(0), 1);
  return vector_norm(x.index_select(0, pairs.select(0, 0)) - x.index_select(0, pairs.select(0, 1)), p, -1);
}

Tensor pairwise_distance(const Tensor &a, const Tensor &b, double p, double eps, bool keepdim, Where where) {
  const LocationScope scope(where);
  const Tensor difference = a - b;
  if (difference.shape().rank() == 0)
    raiseInvalid("pairwise_distance: expects at least one dimension, got rank 0");
  return vector_norm(difference + eps, p, -1, keepdim);
}

Tensor cosine_similarity(const Tensor &a, const Tensor &b, int64_t dim, double eps, Where where) {
  const LocationScope scope(where);
  const auto unit = [&](const Tensor &x) { return x / clamp_min(x.norm(dim, true), eps); };
  const unsigned rank = std::max(a.shape().rank(), b.shape().rank());
  if (a.shape().rank() == b.shape().rank())
    return sum(unit(a) * unit(b), dim);
  // The dimension is that of the broadcast shape.
  checkedDim("cosine_similarity", dim, rank);
  Tensor left = a, right = b;
  while (left.shape().rank() < rank)
    left = left.unsqueeze(0);
  while (right.shape().rank() < rank)
    right = right.unsqueeze(0);
  return cosine_similarity(left, right, dim, eps);
}

Tensor normalize(const Tensor &x, double p, Dims dims, double eps, Where where) {
  const LocationScope scope(where);
  return x / clamp_min(vector_norm(x, p, dims, true), eps);
}

Tensor renorm(const Tensor &x, double p, int64_t dim, double maxnorm, Where where) {
  const LocationScope scope(where);
  const unsigned rank = x.shape().rank();
  if (rank < 2 || !(p > 0) || !(maxnorm >= 0))
    raiseInvalid("renorm: expects at least two dimensions, p > 0 and maxnorm >= 0, got shape " + x.shape().str() +
                 ", " + std::to_string(p) + " and " + std::to_string(maxnorm));
  const unsigned kept = checkedDim("renorm", dim, rank);
  std::vector<int64_t> others;
  for (unsigned i = 0; i < rank; ++i)
    if (i != kept)
      others.push_back(i);
  const Tensor norm = vector_norm(x, p, others, true);
  return x * burn::where(norm > maxnorm, maxnorm / (norm + 1e-7), 1);
}

} // namespace burn
