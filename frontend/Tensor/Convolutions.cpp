#include "frontend/Tensor/Spatial.h"

#include "runtime/Core/OpRules/OpRules.h"

#include <burn/fast_math.h>

namespace burn {

using namespace trace;

bool is_fast_math_enabled() { return fastMathMode(); }

FastMathGuard::FastMathGuard(bool enabled) : before_(fastMathMode()) { fastMathMode() = enabled; }
FastMathGuard::~FastMathGuard() { fastMathMode() = before_; }

namespace {

// An input with its weight and bias, for `stride.count` spatial dimensions.
struct ConvOperands {
  const Tensor &x, &weight, &bias;
};

std::span<const Tensor *const> recorded(const Tensor *const (&operands)[3]) {
  return {operands, operands[2]->defined() ? 3u : 2u};
}

void checkNumbers(const Recorder &recorder, const Spatial &stride, const Spatial &dilation, int64_t groups,
                  const Spatial &padding, const Spatial &outputPadding) {
  const auto atLeast = [&](int64_t value, int64_t least, const char *what) {
    if (value < least)
      recorder.fail("expects " + std::string(what) + " >= " + std::to_string(least) + ", got " + std::to_string(value));
  };
  // What the op takes; beyond, sizes would overflow before it says so.
  const auto atMost = [&](int64_t value, const char *what) {
    if (value > core::kMostSteps)
      recorder.fail("expects " + std::string(what) + " to 2^40, got " + std::to_string(value));
  };
  for (unsigned i = 0; i < stride.count; ++i) {
    for (int64_t value : {stride[i], dilation[i]}) {
      atLeast(value, 1, "strides, dilations and groups");
      atMost(value, "strides and dilations from 1");
    }
    for (int64_t value : {padding[i], outputPadding[i]}) {
      atLeast(value, 0, "padding");
      atMost(value, "padding from 0");
    }
  }
  atLeast(groups, 1, "strides, dilations and groups");
}

Batched checkRanks(const Recorder &recorder, const ConvOperands &operands, unsigned spatial) {
  if (operands.weight.shape().rank() != spatial + 2)
    recorder.fail("expects a weight of " + std::to_string(spatial + 2) + " dimensions, got " +
                  operands.weight.shape().str());
  return Batched(recorder, operands.x.shape(), spatial);
}

// The op; `padHigh` is what is padded, and `inputDilation` how far apart input elements stand.
struct Convolution {
  Spatial stride, padLow, padHigh, inputDilation, kernelDilation;
  int64_t groups;

  Ref record(Recorder &recorder, Ref x, Ref kernel, bool exchanged) const {
    constexpr int64_t natural[] = {0, 1, 2, 3, 4}, featuresFirst[] = {1, 0, 2, 3, 4};
    const size_t spatial = stride.count;
    const std::span<const int64_t> dims(natural, spatial + 2),
        kernelDims(exchanged ? featuresFirst : natural, spatial + 2);
    const auto part = [&](const Spatial &numbers) { return std::span<const int64_t>(numbers.values.data(), spatial); };
    return recorder.emit(core::ConvAttrs{dims, kernelDims, dims, part(stride), part(padLow), part(padHigh),
                                         part(inputDilation), part(kernelDilation), groups, 1, fastMathMode()},
                         {x, kernel});
  }
};

Ref withBias(Recorder &recorder, Ref out, const Tensor &bias) {
  if (!bias.defined())
    return out;
  const ShapeEntry *shape = recorder.shape(out);
  if (bias.shape() != Shape{shape->shape[1]})
    recorder.fail("expects a bias of shape [" + std::to_string(shape->shape[1]) + "], got " + bias.shape().str());
  const int64_t dims[] = {1};
  const Ref value = recorder.convert(recorder.use(bias), recorder.dtype(out));
  const Ref spread = recorder.emitTyped(core::BroadcastAttrs{dims}, {value}, recorder.dtype(out), shape);
  return recorder.emit(OpCode::Add, {out, spread});
}

// Without a padding, that which keeps the size.
Tensor convolve(const char *name, const ConvOperands &operands, Spatial stride, std::optional<Spatial> padding,
                Spatial dilation, int64_t groups, const Where &where) {
  const LocationScope scope(where);
  const Tensor *tensors[] = {&operands.x, &operands.weight, &operands.bias};
  Recorder recorder(name, recorded(tensors));
  const unsigned spatial = stride.count;
  const Batched batched = checkRanks(recorder, operands, spatial);
  Spatial low = padding.value_or(Spatial::everywhere(0, spatial)), high = low;
  checkNumbers(recorder, stride, dilation, groups, low, high);
  const Shape &from = batched.shape(), &kernel = operands.weight.shape();
  if (!padding)
    for (unsigned i = 0; i < spatial; ++i) {
      const int64_t total = std::max<int64_t>(kernel[2 + i] - 1, 0) * dilation[i];
      low.values[i] = total / 2;
      high.values[i] = total - low[i];
    }
  if (from[1] != kernel[1] * groups || kernel[0] % groups)
    recorder.fail("input " + operands.x.shape().str() + " has " + std::to_string(from[1]) + " features, weight " +
                  kernel.str() + " takes " + std::to_string(kernel[1]) + " in each of " + std::to_string(groups) +
                  " groups");
  for (unsigned i = 0; i < spatial; ++i)
    if (from[2 + i] + low[i] + high[i] < (kernel[2 + i] - 1) * dilation[i] + 1)
      recorder.fail("the kernel of weight " + kernel.str() + " is larger than the padded input " +
                    operands.x.shape().str());
  const auto [input, filter] = useNumbers(recorder, operands.x, operands.weight);
  const Convolution conv{stride, low, high, Spatial::everywhere(1, spatial), dilation, groups};
  const Ref out = conv.record(recorder, batched.enter(recorder, input), filter, /*exchanged=*/false);
  return recorder.finish(batched.leave(recorder, withBias(recorder, out, operands.bias)));
}

// Strides become gaps of the input; what the padding of the convolution took is given back.
Tensor transposed(const char *name, const ConvOperands &operands, Spatial stride, Spatial padding,
                  Spatial outputPadding, int64_t groups, Spatial dilation, const Where &where) {
  const LocationScope scope(where);
  const Tensor *tensors[] = {&operands.x, &operands.weight, &operands.bias};
  Recorder recorder(name, recorded(tensors));
  const unsigned spatial = stride.count;
  const Batched batched = checkRanks(recorder, operands, spatial);
  checkNumbers(recorder, stride, dilation, groups, padding, outputPadding);
  const Shape &from = batched.shape(), &kernel = operands.weight.shape();
  if (from[1] != kernel[0] || kernel[0] % groups)
    recorder.fail("input " + operands.x.shape().str() + " has " + std::to_string(from[1]) + " features, weight " +
                  kernel.str() + " takes " + std::to_string(kernel[0]) + " in " + std::to_string(groups) + " groups");
  for (unsigned i = 0; i < spatial; ++i)
    if (outputPadding[i] >= std::max(stride[i], dilation[i]))
      recorder.fail("expects an output padding below stride or dilation, got " + std::to_string(outputPadding[i]));
  const auto [input, filter] = useNumbers(recorder, operands.x, operands.weight);
  // [in, out / g, k...] -> [g, in / g, out / g, k...] -> [in / g, out, k...], each kernel reversed.
  Ref turned = filter;
  if (groups > 1) {
    Shape split{groups, kernel[0] / groups, kernel[1]}, joined{kernel[0] / groups, groups * kernel[1]};
    for (unsigned i = 0; i < spatial; ++i) {
      split.push(kernel[2 + i]);
      joined.push(kernel[2 + i]);
    }
    const int64_t order[] = {1, 0, 2, 3, 4, 5};
    turned = recorder.transpose(recorder.reshape(turned, split), std::span<const int64_t>(order, spatial + 3));
    turned = recorder.reshape(turned, joined);
  }
  const int64_t spatialDims[] = {2, 3, 4};
  turned = recorder.emit(core::ReverseAttrs{std::span<const int64_t>(spatialDims, spatial)}, {turned});
  Convolution conv{Spatial::everywhere(1, spatial), padding, padding, stride, dilation, groups};
  for (unsigned i = 0; i < spatial; ++i) {
    conv.padLow.values[i] = dilation[i] * (kernel[2 + i] - 1) - padding[i];
    conv.padHigh.values[i] = conv.padLow[i] + outputPadding[i];
  }
  const Ref out = conv.record(recorder, batched.enter(recorder, input), turned, /*exchanged=*/true);
  return recorder.finish(batched.leave(recorder, withBias(recorder, out, operands.bias)));
}

} // namespace

Tensor conv1d(const Tensor &x, const Tensor &weight, const Tensor &bias, int64_t stride, int64_t padding,
              int64_t dilation, int64_t groups, Where where) {
  return convolve("conv1d", {x, weight, bias}, stride, padding, dilation, groups, where);
}

Tensor conv2d(const Tensor &x, const Tensor &weight, const Tensor &bias, Pair stride, Pair padding, Pair dilation,
              int64_t groups, Where where) {
  return convolve("conv2d", {x, weight, bias}, stride, padding, dilation, groups, where);
}

Tensor conv3d(const Tensor &x, const Tensor &weight, const Tensor &bias, Triple stride, Triple padding, Triple dilation,
              int64_t groups, Where where) {
  return convolve("conv3d", {x, weight, bias}, stride, padding, dilation, groups, where);
}

Tensor conv1d(const Tensor &x, const Tensor &weight, const Tensor &bias, SamePadding, int64_t dilation, int64_t groups,
              Where where) {
  return convolve("conv1d", {x, weight, bias}, Spatial::everywhere(1, 1), std::nullopt, dilation, groups, where);
}

Tensor conv2d(const Tensor &x, const Tensor &weight, const Tensor &bias, SamePadding, Pair dilation, int64_t groups,
              Where where) {
  return convolve("conv2d", {x, weight, bias}, Spatial::everywhere(1, 2), std::nullopt, dilation, groups, where);
}

Tensor conv3d(const Tensor &x, const Tensor &weight, const Tensor &bias, SamePadding, Triple dilation, int64_t groups,
              Where where) {
  return convolve("conv3d", {x, weight, bias}, Spatial::everywhere(1, 3), std::nullopt, dilation, groups, where);
}

Tensor conv_transpose1d(const Tensor &x, const Tensor &weight, const Tensor &bias, int64_t stride, int64_t padding,
                        int64_t output_padding, int64_t groups, int64_t dilation, Where where) {
  return transposed("conv_transpose1d", {x, weight, bias}, stride, padding, output_padding, groups, dilation, where);
}

Tensor conv_transpose2d(const Tensor &x, const Tensor &weight, const Tensor &bias, Pair stride, Pair padding,
                        Pair output_padding, int64_t groups, Pair dilation, Where where) {
  return transposed("conv_transpose2d", {x, weight, bias}, stride, padding, output_padding, groups, dilation, where);
}

Tensor conv_transpose3d(const Tensor &x, const Tensor &weight, const Tensor &bias, Triple stride, Triple padding,
                        Triple output_padding, int64_t groups, Triple dilation, Where where) {
  return transposed("conv_transpose3d", {x, weight, bias}, stride, padding, output_padding, groups, dilation, where);
}

} // namespace burn
