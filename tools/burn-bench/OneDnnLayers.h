// oneDNN as a peer of convolutions and of row kernels.
#pragma once

#include "tools/burn-bench/OneDnnLibrary.h"

namespace burn::bench {

/// A convolution of images, [batch, features, height, width], with a square window and square images.
struct Convolution {
  int64_t batch, features, size, outFeatures, window, stride = 1, padding = 0, groups = 1;
  enum class Part { Forward, DataGradient, WeightGradient };

  int64_t outSize() const { return (size + 2 * padding - window) / stride + 1; }
  double flops() const {
    return 2.0 *
           static_cast<double>(batch * outFeatures * outSize() * outSize() * (features / groups) * window * window);
  }
};

/// A call of one part of a convolution. `isPlain`: with all tensors as [batch, features, height, width] and
/// [out features, features, height, width], as a program without layouts has them; else in the layouts that oneDNN
/// chooses, whose conversion is not part of the call.
std::function<void()> prepareConvolution(const OneDnnLibrary &library, const Convolution &convolution,
                                         Convolution::Part part, bool isPlain);

/// Calls of a softmax over a dimension and of a layer norm over the last one, with scale and shift.
std::function<void()> prepareSoftmax(const OneDnnLibrary &library, const std::vector<int64_t> &shape, int axis,
                                     bool isLog);
std::function<void()> prepareLayerNorm(const OneDnnLibrary &library, const std::vector<int64_t> &shape, float epsilon);

} // namespace burn::bench
