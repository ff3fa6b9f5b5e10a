#include "runtime/Core/GpuTarget.h"

#include "runtime/Core/GpuPlan.h"

#include <algorithm>
#include <charconv>

namespace burn::core {
namespace {

/// Calls `visit(name, number)` for each number of a target.
template <typename Target, typename Visit> void forEachNumber(Target &target, const Visit &visit) {
  visit("subgroup", target.subgroupSize);
  visit("invocations", target.maxInvocations);
  visit("workgroup-x", target.maxWorkgroup[0]);
  visit("workgroup-y", target.maxWorkgroup[1]);
  visit("workgroup-z", target.maxWorkgroup[2]);
  visit("grid-x", target.maxGrid[0]);
  visit("grid-y", target.maxGrid[1]);
  visit("grid-z", target.maxGrid[2]);
  visit("workgroup-memory", target.workgroupMemoryBytes);
  visit("push-constants", target.pushConstantBytes);
  visit("bindings", target.maxBindings);
  visit("binding-bytes", target.maxBindingBytes);
  visit("addressed-bytes", target.maxAddressedBytes);
  visit("bound-buffers", target.boundBuffers);
  visit("loop-iterations", target.loopIterations);
}

/// Reads "f16:16x8x16".
bool readMatrix(std::string_view text, GpuMatrixShape &shape) {
  if (text.starts_with("f16:"))
    shape.element = GpuMatrixShape::F16;
  else if (text.starts_with("i8:"))
    shape.element = GpuMatrixShape::I8;
  else
    return false;
  const char *at = text.data() + text.find(':'), *const end = text.data() + text.size();
  for (uint32_t *size : {&shape.m, &shape.n, &shape.k}) {
    if (at == end || (*at != 'x' && *at != ':'))
      return false;
    const auto [stop, error] = std::from_chars(at + 1, end, *size);
    if (error != std::errc() || *size == 0)
      return false;
    at = stop;
  }
  return at == end;
}

bool readWord(GpuTarget &target, std::string_view word) {
  for (uint32_t bit = 1; bit <= kGpuAllFeatures; bit <<= 1)
    if (word == gpuFeatureName(static_cast<GpuFeature>(bit))) {
      target.features |= bit;
      return true;
    }
  const size_t equals = word.find('=');
  if (equals == std::string_view::npos)
    return false;
  if (GpuMatrixShape shape; word.substr(0, equals) == "matrix" && readMatrix(word.substr(equals + 1), shape)) {
    target.matrices.push_back(shape);
    return true;
  }
  bool known = false;
  forEachNumber(target, [&](std::string_view name, auto &number) {
    if (word.substr(0, equals) != name)
      return;
    const char *end = word.data() + word.size();
    const auto [stop, error] = std::from_chars(word.data() + equals + 1, end, number);
    known = error == std::errc() && stop == end;
  });
  return known;
}

} // namespace

bool GpuTarget::takesAddresses(uint64_t buffers, uint64_t bytes) const {
  return features & kGpuAddresses && (buffers > std::min(boundBuffers, maxBindings) || bytes > maxBindingBytes);
}

uint64_t GpuTarget::maxBufferBytes() const {
  return features & kGpuAddresses ? std::max(maxBindingBytes, maxAddressedBytes) : maxBindingBytes;
}

uint32_t GpuTarget::fusedBuffers() const {
  if (!(features & kGpuAddresses))
    return maxBindings;
  return std::min(boundBuffers, maxBindings);
}

std::string GpuTarget::str() const {
  std::string text;
  for (uint32_t bit = 1; bit <= kGpuAllFeatures; bit <<= 1)
    if (features & bit)
      text.append(gpuFeatureName(static_cast<GpuFeature>(bit))).append(",");
  forEachNumber(*this, [&](const char *name, auto number) {
    text.append(name).append("=").append(std::to_string(number)).append(",");
  });
  for (const GpuMatrixShape &shape : matrices) {
    text.append(shape.element == GpuMatrixShape::F16 ? "matrix=f16:" : "matrix=i8:");
    text.append(std::to_string(shape.m)).append("x").append(std::to_string(shape.n)).append("x");
    text.append(std::to_string(shape.k)).append(",");
  }
  text.pop_back();
  return text;
}

Expected<GpuTarget> GpuTarget::parse(std::string_view text) {
  GpuTarget target;
  while (!text.empty()) {
    const size_t comma = text.find(',');
    const std::string_view word = text.substr(0, comma);
    text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
    if (!readWord(target, word))
      return Status::invalid("unknown or malformed word '" + std::string(word) + "' in the description of a GPU");
  }
  return target;
}

} // namespace burn::core
