#include "frontend/Control/RegionRecording.h"
#include "frontend/Tensor/Support.h"

#include <burn/custom_op.h>

namespace burn {

using namespace trace;
using core::TypeDesc;

namespace {

/// Records a call of the kernel, with what it computes as a region where that is known.
TensorList callKernel(const std::string &name, const CustomOpDefinition &definition, const TensorList &inputs,
                      const Where &where) {
  const DeviceScope device(inputs);
  std::unique_ptr<RegionRecording> region;
  std::vector<TypeDesc> results;
  if (definition.decomposition) {
    region = record(name, where, [&](RegionRecording &recording) {
      return definition.decomposition(recording.argumentsLike(inputs));
    });
    results = region->resultTypes();
  } else {
    for (const TensorType &type : definition.results(inputs))
      results.push_back({type.dtype, type.shape});
  }
  const LocationScope scope(where);
  for (const TypeDesc &result : results) {
    if (!isValidDType(static_cast<uint64_t>(result.dtype)))
      raiseInvalid(name + ": " + std::to_string(static_cast<uint64_t>(result.dtype)) + " is no dtype of a result");
    if (!result.shape.fits())
      raiseInvalid(name + ": " + result.shape.str() + " is no shape of a result");
  }
  RegionOp op(region ? std::vector{region.get()} : std::vector<RegionRecording *>());
  Recorder recorder(name, pointers({inputs, op.tensors()}));
  std::vector<Ref> operands = used(recorder, inputs);
  append(operands, op.captured(recorder));
  return op.emit(recorder, core::CustomKernelAttrs{name, definition.version}, operands, results);
}

/// The derivative as a region: of inputs, outputs and the gradients of float outputs.
std::unique_ptr<RegionRecording> recordVjp(const std::string &name, const CustomOpDefinition &definition,
                                           const TensorList &inputs, const std::vector<TypeDesc> &outputs,
                                           const Where &where) {
  return record(name, where, [&](RegionRecording &recording) {
    const TensorList given = recording.argumentsLike(inputs);
    TensorList made, cotangents;
    for (const TypeDesc &output : outputs)
      made.push_back(recording.argument(output.dtype, output.shape));
    for (const TypeDesc &output : outputs)
      cotangents.push_back(isFloat(output.dtype) ? recording.argument(output.dtype, output.shape) : Tensor());
    const TensorList gradients = definition.vjp(given, made, cotangents);
    const LocationScope scope(where);
    if (gradients.size() != inputs.size())
      raiseInvalid(name + ": the vjp gives " + std::to_string(gradients.size()) + " gradients for " +
                   std::to_string(inputs.size()) + " inputs");
    TensorList results;
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (!isFloat(inputs[i].dtype()))
        continue;
      const Tensor &gradient = gradients[i];
      if (gradient.defined() && gradient.shape() != inputs[i].shape())
        raiseInvalid(name + ": the vjp gives a gradient of shape " + gradient.shape().str() + " for input " +
                     std::to_string(i) + " of shape " + inputs[i].shape().str());
      results.push_back(gradient.defined() ? gradient.to(inputs[i].dtype()) : zeros_like(given[i]));
    }
    return results;
  });
}

} // namespace

CustomOp::CustomOp(std::string name, CustomOpDefinition definition)
    : name_(std::move(name)), definition_(std::move(definition)) {
  if (name_.empty())
    raiseInvalid("custom_op: expects a name");
  if (!definition_.decomposition && !definition_.kernel)
    raiseInvalid("custom_op: '" + name_ + "' has neither a decomposition nor a kernel");
  if (!definition_.decomposition && !definition_.results)
    raiseInvalid("custom_op: '" + name_ + "' has a kernel, but neither a decomposition nor the types of its results");
  if (definition_.kernel)
    register_host_kernel(name_, definition_.version, definition_.kernel);
}

TensorList CustomOp::forward(const TensorList &inputs, const Where &where) const {
  return definition_.kernel ? callKernel(name_, definition_, inputs, where) : definition_.decomposition(inputs);
}

TensorList CustomOp::call(const TensorList &inputs, Where where) const {
  {
    const LocationScope scope(where);
    checkDefined(name_, inputs);
  }
  if (!definition_.vjp) {
    TensorList results = forward(inputs, where);
    const LocationScope scope(where);
    checkDefined(name_, results);
    return results;
  }
  const DeviceScope device(inputs);
  const auto forwardRegion =
      record(name_, where, [&](RegionRecording &recording) { return forward(recording.argumentsLike(inputs), where); });
  const std::vector<TypeDesc> results = forwardRegion->resultTypes();
  const auto vjp = recordVjp(name_, definition_, inputs, results, where);
  const LocationScope scope(where);
  if (results.empty())
    raiseInvalid(name_ + ": expects at least one result");
  RegionOp op({forwardRegion.get(), vjp.get()});
  Recorder recorder(name_, pointers({inputs, op.tensors()}));
  std::vector<Ref> operands = used(recorder, inputs);
  append(operands, op.captured(recorder));
  const int64_t segments[] = {static_cast<int64_t>(inputs.size()), static_cast<int64_t>(op.capturedCount())};
  return op.emit(recorder, core::CustomVjpAttrs{segments}, operands, results);
}

Tensor CustomOp::operator()(const TensorList &inputs, Where where) const {
  const TensorList results = call(inputs, where);
  if (results.size() != 1) {
    const LocationScope scope(where);
    raiseInvalid(name_ + ": gives " + std::to_string(results.size()) + " results; use call()");
  }
  return results[0];
}

CustomOp custom_op(std::string name, CustomOpDefinition definition, Where where) {
  const LocationScope scope(where);
  return CustomOp(std::move(name), std::move(definition));
}

} // namespace burn
