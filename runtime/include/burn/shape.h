/// `burn::Shape`: the sizes of a tensor's dimensions, held inline.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <span>
#include <string>

namespace burn {

/// Sizes of up to `maxRank` dimensions, each >= 0. Rank 0 is a scalar; a size of 0 is legal.
class Shape {
public:
  static constexpr unsigned maxRank = 8;

  constexpr Shape() = default;
  constexpr Shape(std::initializer_list<int64_t> dims) : Shape(std::span<const int64_t>(dims.begin(), dims.size())) {}
  constexpr explicit Shape(std::span<const int64_t> dims) {
    assert(dims.size() <= maxRank);
    rank_ = static_cast<uint8_t>(std::min<size_t>(dims.size(), maxRank));
    std::copy_n(dims.begin(), rank_, dims_);
  }

  constexpr unsigned rank() const { return rank_; }
  constexpr int64_t operator[](unsigned i) const { return dims_[i]; }
  constexpr int64_t &operator[](unsigned i) { return dims_[i]; }
  constexpr const int64_t *begin() const { return dims_; }
  constexpr const int64_t *end() const { return dims_ + rank_; }
  constexpr std::span<const int64_t> dims() const { return {dims_, rank_}; }
  constexpr operator std::span<const int64_t>() const { return dims(); }

  /// Appends a dimension; false (and no change) where `maxRank` is reached.
  constexpr bool push(int64_t dim) {
    if (rank_ == maxRank)
      return false;
    dims_[rank_++] = dim;
    return true;
  }

  /// Number of elements. Callers check `fits()` first where sizes come from outside.
  constexpr int64_t numel() const {
    int64_t count = 1;
    for (int64_t dim : dims())
      if (__builtin_mul_overflow(count, dim, &count))
        count = std::numeric_limits<int64_t>::max();
    return count;
  }

  /// Whether every dimension is >= 0 and the number of elements stays below 2^60.
  constexpr bool fits() const {
    __int128 count = 1;
    for (int64_t dim : dims()) {
      if (dim < 0)
        return false;
      count *= dim == 0 ? 1 : dim;
      if (count >= (__int128(1) << 60))
        return false;
    }
    return true;
  }

  friend constexpr bool operator==(const Shape &a, const Shape &b) { return std::ranges::equal(a.dims(), b.dims()); }

  /// `[2, 3]`, and `[]` for a scalar.
  std::string str() const {
    std::string text = "[";
    for (unsigned i = 0; i < rank_; ++i)
      text += (i ? ", " : "") + std::to_string(dims_[i]);
    return text + "]";
  }

private:
  int64_t dims_[maxRank] = {};
  uint8_t rank_ = 0;
};

} // namespace burn
