#include "runtime/Core/GpuTarget.h"

#include "runtime/Core/GpuPlan.h"

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
  visit("loop-iterations", target.loopIterations);
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

std::string GpuTarget::str() const {
  std::string text;
  for (uint32_t bit = 1; bit <= kGpuAllFeatures; bit <<= 1)
    if (features & bit)
      text.append(gpuFeatureName(static_cast<GpuFeature>(bit))).append(",");
  forEachNumber(*this, [&](const char *name, auto number) {
    text.append(name).append("=").append(std::to_string(number)).append(",");
  });
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
