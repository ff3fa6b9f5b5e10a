// Shared by convolution and pooling.
#pragma once

#include "frontend/Tensor/Support.h"

#include <burn/convolution.h>

#include <array>

namespace burn {

/// A number for each of one to three spatial dimensions.
struct Spatial {
  std::array<int64_t, 3> values{};
  unsigned count;

  Spatial(int64_t only) : values{only}, count(1) {}
  Spatial(Pair pair) : values{pair.first, pair.second}, count(2) {}
  Spatial(Triple triple) : values{triple.first, triple.second, triple.third}, count(3) {}

  static Spatial everywhere(int64_t value, unsigned count) {
    Spatial result(Triple{value});
    result.count = count;
    return result;
  }

  int64_t operator[](unsigned i) const { return values[i]; }
  int64_t product() const {
    int64_t product = 1;
    for (unsigned i = 0; i < count; ++i)
      product *= values[i];
    return product;
  }
};

/// The batch dimension that an input without one is given for the op, and loses again.
class Batched {
public:
  /// Fails where `x` is neither [batch, features, spatial...] nor [features, spatial...].
  Batched(const Recorder &recorder, const Shape &x, unsigned spatial) : added_(x.rank() == spatial + 1) {
    if (x.rank() != spatial + 2 && !added_)
      recorder.fail("expects an input [features, spatial...] or [batch, features, spatial...] with " +
                    std::to_string(spatial) + " spatial dimensions, got " + x.str());
    if (added_)
      shape_.push(1);
    for (const int64_t size : x)
      shape_.push(size);
  }

  /// The input's shape with a batch dimension.
  const Shape &shape() const { return shape_; }
  Ref enter(Recorder &recorder, Ref x) const { return recorder.reshape(x, shape_); }
  Ref leave(Recorder &recorder, Ref result) const {
    const Shape &shape = recorder.shape(result)->shape;
    return added_ ? recorder.reshape(result, Shape(std::span<const int64_t>(shape.begin() + 1, shape.rank() - 1)))
                  : result;
  }

private:
  bool added_;
  Shape shape_;
};

} // namespace burn
