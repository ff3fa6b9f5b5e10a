// Methods of Tensor that are functions of the same name.
#include "frontend/Tensor/Support.h"

namespace burn {

Tensor Tensor::clamp_min(Scalar low, Where where) const { return burn::clamp_min(*this, low, where); }
Tensor Tensor::clamp_max(Scalar high, Where where) const { return burn::clamp_max(*this, high, where); }
Tensor Tensor::fmax(const Operand &other) const { return burn::fmax(Operand(*this, other.where()), other); }
Tensor Tensor::fmin(const Operand &other) const { return burn::fmin(Operand(*this, other.where()), other); }
Tensor Tensor::bitwise_and(const Operand &other) const {
  return burn::bitwise_and(Operand(*this, other.where()), other);
}
Tensor Tensor::bitwise_or(const Operand &other) const { return burn::bitwise_or(Operand(*this, other.where()), other); }
Tensor Tensor::bitwise_xor(const Operand &other) const {
  return burn::bitwise_xor(Operand(*this, other.where()), other);
}
Tensor Tensor::bitwise_not(Where where) const { return burn::bitwise_not(*this, where); }
Tensor Tensor::addcmul(const Tensor &a, const Tensor &b, Scalar value, Where where) const {
  return burn::addcmul(*this, a, b, value, where);
}
Tensor Tensor::addcdiv(const Tensor &a, const Tensor &b, Scalar value, Where where) const {
  return burn::addcdiv(*this, a, b, value, where);
}
Tensor Tensor::lerp(const Tensor &end, const Operand &weight) const { return burn::lerp(*this, end, weight); }
Tensor Tensor::logaddexp(const Operand &other) const { return burn::logaddexp(Operand(*this, other.where()), other); }
Tensor Tensor::xlogy(const Operand &other) const { return burn::xlogy(Operand(*this, other.where()), other); }
Tensor Tensor::logit(std::optional<double> eps, Where where) const { return burn::logit(*this, eps, where); }
Tensor Tensor::deg2rad(Where where) const { return burn::deg2rad(*this, where); }
Tensor Tensor::rad2deg(Where where) const { return burn::rad2deg(*this, where); }
Tensor Tensor::frac(Where where) const { return burn::frac(*this, where); }
Tensor Tensor::nan_to_num(double nan, std::optional<double> posinf, std::optional<double> neginf, Where where) const {
  return burn::nan_to_num(*this, nan, posinf, neginf, where);
}
Tensor Tensor::isclose(const Operand &other, double rtol, double atol, bool equal_nan) const {
  return burn::isclose(Operand(*this, other.where()), other, rtol, atol, equal_nan);
}
bool Tensor::allclose(const Operand &other, double rtol, double atol, bool equal_nan) const {
  return burn::allclose(Operand(*this, other.where()), other, rtol, atol, equal_nan);
}
bool Tensor::equal(const Tensor &other, Where where) const { return burn::equal(*this, other, where); }
Tensor Tensor::fliplr(Where where) const { return burn::fliplr(*this, where); }
Tensor Tensor::flipud(Where where) const { return burn::flipud(*this, where); }
Tensor Tensor::unflatten(int64_t dim, Dims sizes, Where where) const {
  return burn::unflatten(*this, dim, sizes, where);
}
Tensor Tensor::movedim(Dims from, Dims to, Where where) const { return burn::movedim(*this, from, to, where); }
Tensor Tensor::tile(Dims repeats, Where where) const { return burn::tile(*this, repeats, where); }
Tensor Tensor::repeat_interleave(int64_t repeats, std::optional<int64_t> dim, Where where) const {
  return burn::repeat_interleave(*this, repeats, dim, where);
}
Tensor Tensor::roll(Dims shifts, Dims dims, Where where) const { return burn::roll(*this, shifts, dims, where); }
Tensor Tensor::rot90(int64_t k, Dims dims, Where where) const { return burn::rot90(*this, k, dims, where); }
Tensor Tensor::tril(int64_t diagonal, Where where) const { return burn::tril(*this, diagonal, where); }
Tensor Tensor::triu(int64_t diagonal, Where where) const { return burn::triu(*this, diagonal, where); }
Tensor Tensor::diagonal(int64_t offset, int64_t dim1, int64_t dim2, Where where) const {
  return burn::diagonal(*this, offset, dim1, dim2, where);
}
Tensor Tensor::diag_embed(int64_t offset, int64_t dim1, int64_t dim2, Where where) const {
  return burn::diag_embed(*this, offset, dim1, dim2, where);
}
Tensor Tensor::diag(int64_t diagonal, Where where) const { return burn::diag(*this, diagonal, where); }
std::vector<Tensor> Tensor::split(int64_t size, int64_t dim, Where where) const {
  return burn::split(*this, size, dim, where);
}
std::vector<Tensor> Tensor::split_with_sizes(const std::vector<int64_t> &sizes, int64_t dim, Where where) const {
  return burn::split_with_sizes(*this, sizes, dim, where);
}
std::vector<Tensor> Tensor::chunk(int64_t chunks, int64_t dim, Where where) const {
  return burn::chunk(*this, chunks, dim, where);
}
std::vector<Tensor> Tensor::tensor_split(int64_t sections, int64_t dim, Where where) const {
  return burn::tensor_split(*this, sections, dim, where);
}
std::vector<Tensor> Tensor::unbind(int64_t dim, Where where) const { return burn::unbind(*this, dim, where); }
Tensor Tensor::take(const Tensor &indices, Where where) const { return burn::take(*this, indices, where); }
Tensor Tensor::index_fill(int64_t dim, const Tensor &indices, const Operand &value) const {
  return burn::index_fill(*this, dim, indices, value);
}
Tensor Tensor::index_copy(int64_t dim, const Tensor &indices, const Tensor &source, Where where) const {
  return burn::index_copy(*this, dim, indices, source, where);
}
Tensor Tensor::select_scatter(const Tensor &source, int64_t dim, int64_t i, Where where) const {
  return burn::select_scatter(*this, source, dim, i, where);
}
Tensor Tensor::slice_scatter(const Tensor &source, int64_t dim, Slice::Bound start, Slice::Bound stop,
                             Where where) const {
  return burn::slice_scatter(*this, source, dim, start, stop, where);
}
Tensor Tensor::nansum(Dims dims, bool keepdim, Where where) const { return burn::nansum(*this, dims, keepdim, where); }
Tensor Tensor::nanmean(Dims dims, bool keepdim, Where where) const {
  return burn::nanmean(*this, dims, keepdim, where);
}
Tensor Tensor::count_nonzero(Dims dims, Where where) const { return burn::count_nonzero(*this, dims, where); }
Tensor Tensor::diff(int64_t n, int64_t dim, Where where) const { return burn::diff(*this, n, dim, where); }
Tensor Tensor::dist(const Tensor &other, double p, Where where) const { return burn::dist(*this, other, p, where); }
Tensor Tensor::renorm(double p, int64_t dim, double maxnorm, Where where) const {
  return burn::renorm(*this, p, dim, maxnorm, where);
}
Tensor Tensor::mv(const Tensor &vector, Where where) const { return burn::mv(*this, vector, where); }
Tensor Tensor::inner(const Tensor &other, Where where) const { return burn::inner(*this, other, where); }
Tensor Tensor::outer(const Tensor &other, Where where) const { return burn::outer(*this, other, where); }
Tensor Tensor::addmm(const Tensor &a, const Tensor &b, Scalar beta, Scalar alpha, Where where) const {
  return burn::addmm(*this, a, b, beta, alpha, where);
}
Tensor Tensor::addmv(const Tensor &matrix, const Tensor &vector, Scalar beta, Scalar alpha, Where where) const {
  return burn::addmv(*this, matrix, vector, beta, alpha, where);
}
Tensor Tensor::addr(const Tensor &a, const Tensor &b, Scalar beta, Scalar alpha, Where where) const {
  return burn::addr(*this, a, b, beta, alpha, where);
}
Tensor Tensor::addbmm(const Tensor &a, const Tensor &b, Scalar beta, Scalar alpha, Where where) const {
  return burn::addbmm(*this, a, b, beta, alpha, where);
}
Tensor Tensor::baddbmm(const Tensor &a, const Tensor &b, Scalar beta, Scalar alpha, Where where) const {
  return burn::baddbmm(*this, a, b, beta, alpha, where);
}
Tensor Tensor::kron(const Tensor &other, Where where) const { return burn::kron(*this, other, where); }
Tensor Tensor::cross(const Tensor &other, int64_t dim, Where where) const {
  return burn::cross(*this, other, dim, where);
}
Tensor Tensor::matrix_power(int64_t n, Where where) const { return burn::matrix_power(*this, n, where); }

Tensor Tensor::mT(Where where) const { return transpose(-2, -1, where); }

Tensor Tensor::new_zeros(Dims shape, Where where) const { return new_full(shape, 0, where); }
Tensor Tensor::new_ones(Dims shape, Where where) const { return new_full(shape, 1, where); }
Tensor Tensor::new_full(Dims shape, Scalar value, Where where) const {
  const DeviceScope device(*this);
  return full(shape, value, dtype(), where);
}

} // namespace burn
