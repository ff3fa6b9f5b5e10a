#include "frontend/Control/RegionRecording.h"

#include "frontend/Trace/HostKernels.h"

#include <algorithm>

namespace burn::trace {

std::string str(const std::vector<core::TypeDesc> &types) {
  std::string text;
  for (const core::TypeDesc &type : types)
    text += (text.empty() ? "" : ", ") + type.str();
  return "(" + text + ")";
}

std::vector<core::TypeDesc> typesOf(TensorSpan tensors) {
  std::vector<core::TypeDesc> types;
  for (const Tensor &tensor : tensors)
    types.push_back({tensor.dtype(), tensor.shape()});
  return types;
}

void checkDefined(std::string_view name, TensorSpan tensors) {
  for (const Tensor &tensor : tensors)
    if (!tensor.defined())
      raiseInvalid(std::string(name) + ": a tensor is not defined");
}

std::vector<const Tensor *> pointers(std::initializer_list<TensorSpan> lists) {
  std::vector<const Tensor *> all;
  for (TensorSpan list : lists)
    for (const Tensor &tensor : list)
      all.push_back(&tensor);
  return all;
}

std::vector<Ref> used(Recorder &recorder, TensorSpan tensors) {
  std::vector<Ref> values;
  for (const Tensor &tensor : tensors)
    values.push_back(recorder.use(tensor));
  return values;
}

// A kernel of the host is refused first: what called it may hold a lock that a new segment needs.
static Segment &enteredRegion() {
  refuseInsideHostKernel("control flow");
  return Segment::enterRegion();
}

RegionRecording::RegionRecording(std::string_view name) : segment_(enteredRegion()) {
  // Serialized graphs may nest twice as deep.
  constexpr int deepest = 32;
  int depth = 0;
  for (const Segment *around = segment_.outer; around; around = around->outer)
    ++depth;
  if (depth <= deepest)
    return;
  end();
  Segment::dropRegion(segment_);
  raiseInvalid(std::string(name) + ": control flow is nested more than " + std::to_string(deepest) + " deep");
}

Tensor RegionRecording::argument(DType dtype, const Shape &shape) {
  std::lock_guard guard(segment_.lock);
  Trace &trace = segment_.trace;
  const ShapeEntry *entry = internShape(shape);
  const Ref value = trace.appendRegionArgument(dtype, entry->id, currentPlace());
  arguments_.push_back(value);
  ImplRef &output = trace.outputs[value.index()];
  output = makeImpl(dtype, entry, trace.device);
  output->node = value.index();
  output->segment.store(&segment_, std::memory_order_relaxed);
  return handleOf(output.get());
}

Tensor RegionRecording::argumentLike(const Tensor &tensor) { return argument(tensor.dtype(), tensor.shape()); }

std::vector<Tensor> RegionRecording::argumentsLike(std::span<const Tensor> tensors) {
  std::vector<Tensor> made;
  for (const Tensor &tensor : tensors)
    made.push_back(argumentLike(tensor));
  return made;
}

void RegionRecording::finish(std::string_view name, std::span<const Tensor> results) {
  std::vector<const Tensor *> operands;
  for (const Tensor &result : results)
    operands.push_back(&result);
  {
    Recorder recorder(name, operands);
    for (const Tensor &result : results)
      results_.push_back(recorder.use(result));
  }
  end();
}

std::vector<core::TypeDesc> RegionRecording::resultTypes() const {
  std::vector<core::TypeDesc> types;
  for (Ref result : results_)
    types.push_back(segment_.trace.typeOf(result));
  return types;
}

RegionOp::RegionOp(std::vector<RegionRecording *> regions) : regions_(std::move(regions)) {
  for (size_t i = 0; i < regions_.size(); ++i) {
    const Trace &trace = regions_[i]->trace();
    for (Ref value : capturedBy(trace, regions_[i]->results())) {
      Captured found;
      found.type = trace.typeOf(value);
      if (value.isLeaf()) {
        found.impl = trace.leaves[value.index()].get();
        const auto known =
            std::ranges::find_if(captured_, [&](const Captured &other) { return other.impl == found.impl; });
        if (known != captured_.end()) {
          known->in[i] = value;
          continue;
        }
        tensors_.push_back(handleOf(found.impl));
      } else {
        found.dtype = trace.slotTypes[value.index()];
        found.bits = trace.slotValues[value.index()];
      }
      found.in.assign(regions_.size(), Ref());
      found.in[i] = value;
      captured_.push_back(std::move(found));
    }
  }
}

std::vector<Ref> RegionOp::captured(Recorder &recorder) const {
  std::vector<Ref> values;
  for (const Captured &captured : captured_)
    values.push_back(captured.impl ? recorder.use(captured.impl)
                                   : recorder.trace().slot(captured.dtype, captured.bits));
  return values;
}

std::vector<core::Graph> RegionOp::build(std::vector<uint32_t> &places) const {
  std::vector<core::Graph> graphs;
  for (size_t i = 0; i < regions_.size(); ++i) {
    std::vector<std::pair<Ref, core::TypeDesc>> captured;
    for (const Captured &value : captured_)
      captured.emplace_back(value.in[i], value.type);
    graphs.push_back(
        buildRegion(regions_[i]->trace(), regions_[i]->arguments(), captured, regions_[i]->results(), places));
  }
  return graphs;
}

} // namespace burn::trace
