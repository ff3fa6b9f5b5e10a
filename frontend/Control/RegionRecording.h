// Recording of a function of tensors as a region: a part of the program that its op runs, or not, or many times.
#pragma once

#include "frontend/Trace/Recorder.h"

#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace burn::trace {

using TensorSpan = std::span<const Tensor>;

// What functions that record regions share.
std::string str(const std::vector<core::TypeDesc> &types);
std::vector<core::TypeDesc> typesOf(TensorSpan tensors);
void checkDefined(std::string_view name, TensorSpan tensors);
/// The tensors of some lists, to name them to a Recorder.
std::vector<const Tensor *> pointers(std::initializer_list<TensorSpan> lists);
std::vector<Ref> used(Recorder &recorder, TensorSpan tensors);
inline void append(std::vector<Ref> &values, const std::vector<Ref> &more) {
  values.insert(values.end(), more.begin(), more.end());
}

/// While it records, ops of the calling thread go into the region. Tensors of the programs around it are captured.
class RegionRecording {
public:
  /// An error of the function `name` where regions are nested very deep.
  explicit RegionRecording(std::string_view name);
  ~RegionRecording() {
    end();
    Segment::dropRegion(segment_);
  }
  RegionRecording(const RegionRecording &) = delete;
  RegionRecording &operator=(const RegionRecording &) = delete;

  /// A further argument of the region.
  Tensor argument(DType dtype, const Shape &shape);
  Tensor argumentLike(const Tensor &tensor);
  std::vector<Tensor> argumentsLike(std::span<const Tensor> tensors);

  /// Takes what the region yields and records outside again.
  void finish(std::string_view name, std::span<const Tensor> results);

  std::vector<core::TypeDesc> resultTypes() const;
  const std::vector<Ref> &results() const { return results_; }
  const std::vector<Ref> &arguments() const { return arguments_; }
  const Trace &trace() const { return segment_.trace; }

private:
  void end() {
    if (!std::exchange(ended_, true))
      Segment::leaveRegion(segment_);
  }

  Segment &segment_;
  std::vector<Ref> arguments_, results_;
  bool ended_ = false;
};

/// Calls a function as a region. Its ops belong to the places where they stand in the user's function, all else to
/// `where`.
template <typename Fn>
std::unique_ptr<RegionRecording> record(std::string_view name, const Where &where, const Fn &fn) {
  std::unique_ptr<RegionRecording> recording;
  {
    const LocationScope scope(where);
    recording = std::make_unique<RegionRecording>(name);
  }
  const std::vector<Tensor> results = fn(*recording);
  const LocationScope scope(where);
  checkDefined(name, results);
  recording->finish(name, results);
  return recording;
}

/// The regions of one op, which share their captured values, and the op itself.
class RegionOp {
public:
  explicit RegionOp(std::vector<RegionRecording *> regions);

  /// Tensors that the regions capture; to be named to the Recorder.
  const std::vector<Tensor> &tensors() const { return tensors_; }

  /// The operands that stand for the captured values in the program around.
  std::vector<Ref> captured(Recorder &recorder) const;
  size_t capturedCount() const { return captured_.size(); }

  /// Records the op; `operands` include the captured ones at their end, unless the op takes none.
  template <typename Attrs>
  std::vector<Tensor> emit(Recorder &recorder, const Attrs &attrs, std::span<const Ref> operands,
                           std::span<const core::TypeDesc> results) {
    std::vector<uint32_t> places;
    const std::vector<core::Graph> graphs = build(places);
    const Ref first = recorder.emitRegions(attrs, operands, graphs, results, std::move(places));
    std::vector<Tensor> tensors;
    for (uint32_t i = 0; i < results.size(); ++i)
      tensors.push_back(recorder.tensor(Recorder::result(first, i)));
    recorder.finish();
    return tensors;
  }

private:
  // A value of the programs around: a tensor, or a number of the host.
  struct Captured {
    TensorImpl *impl = nullptr; // held by `tensors_`
    DType dtype = DType::F32;
    uint64_t bits = 0;
    core::TypeDesc type;
    std::vector<Ref> in; // what it is in each region; Ref() where that does not read it
  };
  std::vector<core::Graph> build(std::vector<uint32_t> &places) const;

  std::vector<RegionRecording *> regions_;
  std::vector<Captured> captured_;
  std::vector<Tensor> tensors_;
};

} // namespace burn::trace
