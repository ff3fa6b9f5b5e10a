#include "tools/burn-bench/OneDnnLayers.h"

#include "tools/burn-bench/Bench.h"

#include <numeric>

namespace burn::bench {

namespace {

using Library = OneDnnLibrary;
using Handle = OneDnnLibrary::Handle;
using Description = OneDnnLibrary::Description;

constexpr int kDirect = 1, kSoftmax = 0x30000, kLogSoftmax = 0x30001;

// Buffers live as long as the process, like all that a peer is prepared with.
float *bufferOf(const std::vector<int64_t> &shape, uint32_t seed) {
  return makeBuffer(std::accumulate(shape.begin(), shape.end(), int64_t(1), std::multiplies<>()), seed).release();
}

} // namespace

std::function<void()> prepareConvolution(const Library &library, const Convolution &c, Convolution::Part part,
                                         bool isPlain) {
  using Part = Convolution::Part;
  const std::vector<int64_t> source = {c.batch, c.features, c.size, c.size},
                             out = {c.batch, c.outFeatures, c.outSize(), c.outSize()};
  std::vector<int64_t> weights = {c.outFeatures / c.groups, c.features / c.groups, c.window, c.window};
  if (c.groups > 1)
    weights.insert(weights.begin(), c.groups);
  const int64_t strides[] = {c.stride, c.stride}, dilations[] = {0, 0}, padding[] = {c.padding, c.padding};

  Description storage[3], operation;
  const auto describe = [&](int i, const std::vector<int64_t> &dims) {
    return isPlain ? library.describe(storage[i], dims) : library.describeAny(storage[i], dims);
  };
  const void *sourceMemory = describe(0, source), *weightMemory = describe(1, weights), *outMemory = describe(2, out);

  const auto primitive = [&](Part which, Handle forward) -> Handle {
    Handle result = nullptr;
    if (library.isVersion2()) {
      if (which == Part::Forward)
        library.call<void *, int, int, const void *, const void *, const void *, const void *, const int64_t *,
                     const int64_t *, const int64_t *, const int64_t *>(
            "dnnl_dilated_convolution_forward_desc_init", operation.bytes.data(), Library::kTraining, kDirect,
            sourceMemory, weightMemory, nullptr, outMemory, strides, dilations, padding, padding);
      else if (which == Part::DataGradient)
        library.call<void *, int, const void *, const void *, const void *, const int64_t *, const int64_t *,
                     const int64_t *, const int64_t *>("dnnl_dilated_convolution_backward_data_desc_init",
                                                       operation.bytes.data(), kDirect, sourceMemory, weightMemory,
                                                       outMemory, strides, dilations, padding, padding);
      else
        library.call<void *, int, const void *, const void *, const void *, const void *, const int64_t *,
                     const int64_t *, const int64_t *, const int64_t *>(
            "dnnl_dilated_convolution_backward_weights_desc_init", operation.bytes.data(), kDirect, sourceMemory,
            weightMemory, nullptr, outMemory, strides, dilations, padding, padding);
      return library.primitiveOf(operation.bytes.data(), nullptr, forward);
    }
    if (which == Part::Forward)
      library.call<Handle *, Handle, int, int, const void *, const void *, const void *, const void *, const int64_t *,
                   const int64_t *, const int64_t *, const int64_t *, Handle>(
          "dnnl_convolution_forward_primitive_desc_create", &result, library.engine(), Library::kTraining, kDirect,
          sourceMemory, weightMemory, nullptr, outMemory, strides, dilations, padding, padding, nullptr);
    else if (which == Part::DataGradient)
      library.call<Handle *, Handle, int, const void *, const void *, const void *, const int64_t *, const int64_t *,
                   const int64_t *, const int64_t *, Handle, Handle>(
          "dnnl_convolution_backward_data_primitive_desc_create", &result, library.engine(), kDirect, sourceMemory,
          weightMemory, outMemory, strides, dilations, padding, padding, forward, nullptr);
    else
      library.call<Handle *, Handle, int, const void *, const void *, const void *, const void *, const int64_t *,
                   const int64_t *, const int64_t *, const int64_t *, Handle, Handle>(
          "dnnl_convolution_backward_weights_primitive_desc_create", &result, library.engine(), kDirect, sourceMemory,
          weightMemory, nullptr, outMemory, strides, dilations, padding, padding, forward, nullptr);
    return result;
  };
  const Handle forward = primitive(Part::Forward, nullptr);
  const Handle chosen = part == Part::Forward ? forward : primitive(part, forward);
  const auto [first, second, third] =
      part == Part::Forward ? std::array{Library::kSource, Library::kWeights, Library::kDestination}
      : part == Part::DataGradient
          ? std::array{Library::kDestinationGradient, Library::kWeights, Library::kSourceGradient}
          : std::array{Library::kSource, Library::kDestinationGradient, Library::kWeightsGradient};
  std::vector<Library::Argument> arguments;
  for (int role : {first, second, third})
    arguments.push_back({role, library.memoryFor(chosen, role)});
  return library.prepare(chosen, std::move(arguments));
}

std::function<void()> prepareSoftmax(const Library &library, const std::vector<int64_t> &shape, int axis, bool isLog) {
  Description storage, operation;
  const void *memory = library.describe(storage, shape);
  const int algorithm = isLog ? kLogSoftmax : kSoftmax;
  Handle description = nullptr;
  if (library.isVersion2()) {
    library.call<void *, int, int, const void *, const void *, int>("dnnl_softmax_v2_forward_desc_init",
                                                                    operation.bytes.data(), Library::kInference,
                                                                    algorithm, memory, memory, axis);
    description = library.primitiveOf(operation.bytes.data());
  } else {
    library.call<Handle *, Handle, int, int, const void *, const void *, int, Handle>(
        "dnnl_softmax_forward_primitive_desc_create", &description, library.engine(), Library::kInference, algorithm,
        memory, memory, axis, nullptr);
  }
  return library.prepare(description, {{Library::kSource, library.memory(memory, bufferOf(shape, 1))},
                                       {Library::kDestination, library.memory(memory, bufferOf(shape, 2))}});
}

std::function<void()> prepareLayerNorm(const Library &library, const std::vector<int64_t> &shape, float epsilon) {
  Description storage[3], operation;
  const std::vector<int64_t> rows(shape.begin(), shape.end() - 1), features = {shape.back()};
  const void *memory = library.describe(storage[0], shape), *statistics = library.describe(storage[1], rows),
             *affine = library.describe(storage[2], features);
  // Scale and shift: two flags, with other numbers in each version.
  const unsigned flags = library.isVersion2() ? 0x18 : 0x6;
  Handle description = nullptr;
  if (library.isVersion2()) {
    library.call<void *, int, const void *, const void *, float, unsigned>("dnnl_layer_normalization_forward_desc_init",
                                                                           operation.bytes.data(), Library::kInference,
                                                                           memory, statistics, epsilon, flags);
    description = library.primitiveOf(operation.bytes.data());
  } else {
    library.call<Handle *, Handle, int, const void *, const void *, const void *, float, unsigned, Handle>(
        "dnnl_layer_normalization_forward_primitive_desc_create", &description, library.engine(), Library::kInference,
        memory, memory, statistics, epsilon, flags, nullptr);
  }
  return library.prepare(description, {{Library::kSource, library.memory(memory, bufferOf(shape, 1))},
                                       {Library::kDestination, library.memory(memory, bufferOf(shape, 2))},
                                       {Library::kScale, library.memory(affine, bufferOf(features, 3))},
                                       {Library::kShift, library.memory(affine, bufferOf(features, 4))}});
}

} // namespace burn::bench
