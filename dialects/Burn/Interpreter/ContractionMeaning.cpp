// Sums of products: dot_general and conv, both through one matrix product whose sums run in order.
#include "dialects/Burn/Interpreter/Evaluation.h"
#include "dialects/Burn/Interpreter/ScalarMeaning.h"

#include <algorithm>

using namespace burn;
using namespace burn::ir;
using namespace burn::ir::meaning;
using core::OpCode;

namespace {

using Dims = std::span<const int64_t>;

// result[m][n] = sum over k, ascending, of left[m][k] * right[k][n]. The inner loop runs over n, so it
// vectorises without changing the order of any sum; blocks of k keep `right` in cache.
template <typename C> void multiply(const C *left, const C *right, C *result, int64_t m, int64_t k, int64_t n) {
  constexpr int64_t block = 64;
  std::fill_n(result, m * n, C(0));
  for (int64_t begin = 0; begin < k; begin += block) {
    const int64_t end = std::min(begin + block, k);
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = begin; j < end; ++j) {
        const C factor = left[i * k + j];
        const C *row = right + j * n;
        C *sums = result + i * n;
        for (int64_t l = 0; l < n; ++l)
          sums[l] = Add::of(sums[l], Mul::of(factor, row[l]));
      }
  }
}

// The elements at `base` plus the row-major indices of the dimensions `dims`.
struct Gathered {
  Shape shape;
  Index strides{};

  Gathered(const Shape &source, Dims dims) {
    const Index all = stridesOf(source);
    for (int64_t dim : dims) {
      strides[shape.rank()] = all[dim];
      shape.push(source[dim]);
    }
  }
  std::vector<int64_t> offsets() const {
    std::vector<int64_t> result;
    result.reserve(shape.numel());
    forEachOffset(shape, 0, strides, [&](int64_t offset) { result.push_back(offset); });
    return result;
  }
};

std::vector<int64_t> freeDims(const Shape &shape, Dims batch, Dims contract) {
  std::vector<int64_t> dims;
  for (unsigned i = 0; i < shape.rank(); ++i)
    if (!contains(batch, i) && !contains(contract, i))
      dims.push_back(i);
  return dims;
}

template <typename C> void dotGeneral(Evaluation &e, const core::DotGeneralAttrs &attrs) {
  const Shape &lhs = e.operand(0).type.shape, &rhs = e.operand(1).type.shape;
  const Elements<C> a = load<C>(e.operand(0)), b = load<C>(e.operand(1));
  auto offsets = [](const Shape &shape, Dims dims) { return Gathered(shape, dims).offsets(); };
  const auto lhsBatch = offsets(lhs, attrs.lhs_batch), rhsBatch = offsets(rhs, attrs.rhs_batch);
  const auto lhsFree = offsets(lhs, freeDims(lhs, attrs.lhs_batch, attrs.lhs_contract));
  const auto rhsFree = offsets(rhs, freeDims(rhs, attrs.rhs_batch, attrs.rhs_contract));
  const auto lhsTerm = offsets(lhs, attrs.lhs_contract), rhsTerm = offsets(rhs, attrs.rhs_contract);
  const int64_t m = lhsFree.size(), k = lhsTerm.size(), n = rhsFree.size();
  Elements<C> left(m * k), right(k * n), result(lhsBatch.size() * m * n);
  for (size_t batch = 0; batch < lhsBatch.size(); ++batch) {
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < k; ++j)
        left[i * k + j] = a[lhsBatch[batch] + lhsFree[i] + lhsTerm[j]];
    for (int64_t j = 0; j < k; ++j)
      for (int64_t l = 0; l < n; ++l)
        right[j * n + l] = b[rhsBatch[batch] + rhsTerm[j] + rhsFree[l]];
    multiply<C>(left.data(), right.data(), result.data() + batch * m * n, m, k, n);
  }
  store(e.result(), result);
}

template <typename C> void conv(Evaluation &e, const core::ConvAttrs &attrs) {
  const Shape &lhs = e.operand(0).type.shape, &rhs = e.operand(1).type.shape;
  const Shape &out = e.types[0].shape;
  const unsigned spatial = lhs.rank() - 2;
  const Index lhsStrides = stridesOf(lhs), rhsStrides = stridesOf(rhs), outStrides = stridesOf(out);
  const Elements<C> x = load<C>(e.operand(0)), kernel = load<C>(e.operand(1));
  Elements<C> result(out.numel());
  if (lhs.numel() == 0)
    return store(e.result(), result);

  Shape window, places;
  for (unsigned i = 0; i < spatial; ++i) {
    window.push(rhs[attrs.rhs_dims[2 + i]]);
    places.push(out[attrs.out_dims[2 + i]]);
  }
  // For each pair of window and output place, the offset of the input element, -1 for padding.
  const int64_t taps = window.numel(), n = places.numel();
  std::vector<int64_t> sources, tapOffsets, placeOffsets;
  sources.reserve(taps * n);
  forEachIndex(window, [&](const Index &tap) {
    int64_t tapOffset = 0;
    for (unsigned i = 0; i < spatial; ++i)
      tapOffset += tap[i] * rhsStrides[attrs.rhs_dims[2 + i]];
    tapOffsets.push_back(tapOffset);
    forEachIndex(places, [&](const Index &place) {
      int64_t offset = 0;
      for (unsigned i = 0; i < spatial && offset >= 0; ++i) {
        const int64_t dim = attrs.lhs_dims[2 + i];
        const int64_t at = place[i] * attrs.strides[i] + tap[i] * attrs.rhs_dilation[i] - attrs.pad_low[i];
        const bool inside = at >= 0 && at % attrs.lhs_dilation[i] == 0 && at / attrs.lhs_dilation[i] < lhs[dim];
        offset = inside ? offset + at / attrs.lhs_dilation[i] * lhsStrides[dim] : -1;
      }
      sources.push_back(offset);
    });
  });
  forEachIndex(places, [&](const Index &place) {
    int64_t offset = 0;
    for (unsigned i = 0; i < spatial; ++i)
      offset += place[i] * outStrides[attrs.out_dims[2 + i]];
    placeOffsets.push_back(offset);
  });

  const int64_t features = rhs[attrs.rhs_dims[1]], k = features * taps;
  const int64_t groups = std::max(attrs.feature_groups, attrs.batch_groups);
  const int64_t m = out[attrs.out_dims[1]] / groups;
  Elements<C> left(m * k), right(k * n), product(m * n);
  for (int64_t group = 0; group < groups; ++group) {
    for (int64_t o = 0; o < m; ++o)
      for (int64_t f = 0; f < features; ++f)
        for (int64_t t = 0; t < taps; ++t)
          left[o * k + f * taps + t] = kernel[(group * m + o) * rhsStrides[attrs.rhs_dims[0]] +
                                              f * rhsStrides[attrs.rhs_dims[1]] + tapOffsets[t]];
    const int64_t firstFeature = attrs.feature_groups > 1 ? group * features : 0;
    const int64_t batches = out[attrs.out_dims[0]];
    const int64_t firstBatch = attrs.batch_groups > 1 ? group * batches : 0;
    for (int64_t batch = 0; batch < batches; ++batch) {
      const int64_t base = (firstBatch + batch) * lhsStrides[attrs.lhs_dims[0]];
      for (int64_t f = 0; f < features; ++f)
        for (int64_t t = 0; t < taps; ++t)
          for (int64_t p = 0; p < n; ++p) {
            const int64_t source = sources[t * n + p];
            right[(f * taps + t) * n + p] =
                source < 0 ? C(0) : x[base + (firstFeature + f) * lhsStrides[attrs.lhs_dims[1]] + source];
          }
      multiply<C>(left.data(), right.data(), product.data(), m, k, n);
      for (int64_t o = 0; o < m; ++o)
        for (int64_t p = 0; p < n; ++p)
          result[batch * outStrides[attrs.out_dims[0]] + (group * m + o) * outStrides[attrs.out_dims[1]] +
                 placeOffsets[p]] = product[o * n + p];
    }
  }
  store(e.result(), result);
}

// Evaluates in the operands' compute type; the rules of both ops refuse booleans.
template <typename Fn> Status overNumbers(Evaluation &e, Fn fn) {
  visitCompute(e.operand(0), [&]<typename C>(C zero) {
    if constexpr (!std::is_same_v<C, bool>)
      fn(zero);
  });
  return Status::ok();
}

Status dotGeneralOp(Evaluation &e, const core::DotGeneralAttrs &attrs) {
  return overNumbers(e, [&]<typename C>(C) { dotGeneral<C>(e, attrs); });
}

Status convOp(Evaluation &e, const core::ConvAttrs &attrs) {
  return overNumbers(e, [&]<typename C>(C) { conv<C>(e, attrs); });
}

} // namespace

Function meaning::findContraction(OpCode op) {
  switch (op) {
  case OpCode::DotGeneral:
    return Decoding<dotGeneralOp>::call;
  case OpCode::Conv:
    return Decoding<convOp>::call;
  default:
    return nullptr;
  }
}
