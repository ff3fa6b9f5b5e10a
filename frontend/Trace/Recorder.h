// How the functions of the tensor interface record: one Recorder a call.
#pragma once

#include "frontend/Trace/GraphBuilder.h"
#include "frontend/Trace/Places.h"
#include "frontend/Trace/Segment.h"
#include "frontend/Trace/TensorImpl.h"

#include <burn/random.h>
#include <burn/tensor.h>

#include <array>
#include <initializer_list>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace burn::trace {

/// Attribute words under construction, on the stack unless there are very many.
class WordList {
public:
  void push_back(int64_t word) {
    if (size_ < inline_.size()) {
      inline_[size_++] = word;
      return;
    }
    if (heap_.empty())
      heap_.assign(inline_.begin(), inline_.end());
    heap_.push_back(word);
    ++size_;
  }
  std::span<const int64_t> span() const {
    return heap_.empty() ? std::span<const int64_t>(inline_.data(), size_) : std::span<const int64_t>(heap_);
  }

private:
  std::array<int64_t, 96> inline_;
  size_t size_ = 0;
  std::vector<int64_t> heap_;
};

/// Whether ops of the calling thread may require gradients.
bool &gradMode();
/// Whether ops of the calling thread may be computed by fewer operations at a larger error.
bool &fastMathMode();

/// Records ops in the segment of the calling thread, whose lock it holds: no other function of the tensor interface
/// may be called meanwhile. Operands that another thread recorded are computed first.
class Recorder {
public:
  /// `name` stands in front of error messages.
  Recorder(std::string_view name, std::initializer_list<const Tensor *> operands)
      : Recorder(name, std::span<const Tensor *const>(operands.begin(), operands.size())) {}
  Recorder(std::string_view name, std::span<const Tensor *const> operands);
  ~Recorder() { segment_.lock.unlock(); }
  Recorder(const Recorder &) = delete;
  Recorder &operator=(const Recorder &) = delete;

  Trace &trace() { return segment_.trace; }
  Segment &segment() { return segment_; }

  /// The value of a tensor that was named to the constructor, or is computed.
  Ref use(const Tensor &tensor) { return use(implOf(tensor)); }
  Ref use(TensorImpl *impl) { return isRecorded(impl) ? Ref(Ref::Node, impl->node) : segment_.trace.leaf(impl); }

  /// Whether a tensor is recorded here and not yet computed. Asking makes no leaf of it, as `use` does.
  bool isRecorded(const TensorImpl *impl) const { return impl->segment.load(std::memory_order_relaxed) == &segment_; }

  /// A host number of an element type: a slot.
  Ref scalar(DType dtype, const Scalar &value);
  /// The same, repeated to a shape.
  Ref filled(DType dtype, const Scalar &value, const ShapeEntry *shape);

  DType dtype(Ref ref) const { return segment_.trace.dtypeOf(ref); }
  const ShapeEntry *shape(Ref ref) const { return &shapeOf(segment_.trace.shapeIdOf(ref)); }

  /// Records an op without attributes whose result types follow from its operands.
  Ref emit(core::OpCode op, std::initializer_list<Ref> operands) {
    return emit(op, std::span<const Ref>(operands.begin(), operands.size()), 0, nullptr);
  }
  /// Records an op with attributes.
  template <typename Attrs> Ref emit(const Attrs &attrs, std::initializer_list<Ref> operands) {
    return emit(attrs, std::span<const Ref>(operands.begin(), operands.size()));
  }
  template <typename Attrs> Ref emit(const Attrs &attrs, std::span<const Ref> operands) {
    return emit(Attrs::op, operands, attrsId(attrs), nullptr);
  }
  /// Records an op whose result type is given and right: callers have checked shapes against each other.
  template <typename Attrs>
  Ref emitTyped(const Attrs &attrs, std::initializer_list<Ref> operands, DType dtype, const ShapeEntry *shape) {
    const TypeMemo::Result type{dtype, shape};
    return emit(Attrs::op, std::span<const Ref>(operands.begin(), operands.size()), attrsId(attrs), &type);
  }
  Ref emit(core::OpCode op, std::span<const Ref> operands, uint32_t attrs, const TypeMemo::Result *given);
  /// Records the gradient op; `segments` are the numbers of outputs, cotangents and variables. `flag` is the NodeFlag
  /// of its results, one for each variable. Operands are checked already.
  Ref emitGradient(std::span<const Ref> operands, std::span<const int64_t> segments, uint8_t flag);

  /// Records an op with regions, each given as a graph; `places` are those of the ops inside, in order.
  template <typename Attrs>
  Ref emitRegions(const Attrs &attrs, std::span<const Ref> operands, std::span<const core::Graph> regions,
                  std::span<const core::TypeDesc> results, std::vector<uint32_t> places) {
    WordList words;
    attrs.encode(words);
    return emitRegions(Attrs::op, words.span(), operands, regions, results, std::move(places));
  }
  Ref emitRegions(core::OpCode op, std::span<const int64_t> words, std::span<const Ref> operands,
                  std::span<const core::Graph> regions, std::span<const core::TypeDesc> results,
                  std::vector<uint32_t> places);

  // Shorthands of the conversions between operands and IR; they record nothing where there is nothing to do.
  Ref convert(Ref value, DType dtype);
  Ref reshape(Ref value, const Shape &shape);
  Ref broadcast(Ref value, const ShapeEntry *shape);
  Ref transpose(Ref value, std::span<const int64_t> permutation);
  Ref slice(Ref value, std::span<const int64_t> starts, std::span<const int64_t> sizes,
            std::span<const int64_t> strides);

  /// The k-th result of the op that `first` is the first result of.
  static Ref result(Ref first, uint32_t k) { return {Ref::Node, first.index() + k}; }

  /// A handle of a value.
  Tensor tensor(Ref value);

  /// The last thing that a function does: runs what was recorded where BURN_DEBUG asks for that.
  void finish();
  Tensor finish(Ref value) {
    Tensor result = tensor(value);
    finish();
    return result;
  }

  /// Key and call number of a random op.
  Ref randomKey(const Generator &generator);
  Segment::RandomCall randomCall(Generator &generator);

  [[noreturn]] void fail(const std::string &message) const;
  std::string_view name() const { return name_; }

private:
  template <typename Attrs> uint32_t attrsId(const Attrs &attrs) {
    WordList words;
    attrs.encode(words);
    const auto span = words.span();
    return span.empty() ? 0 : internAttrs(span)->id;
  }

  /// The result types, valid until the next call on this thread.
  std::span<const TypeMemo::Result> infer(core::OpCode op, std::span<const Ref> operands, uint32_t attrs) const;
  bool haveOneType(std::span<const Ref> operands) const;

  // The NodeFlag of results that are computed from the operands; those that no gradient may flow through are cut off.
  uint8_t gradFlag(core::OpCode op, std::span<const Ref> &operands);

  // The operands with those that no gradient may flow through cut off.
  std::span<const Ref> stopBlocked(std::span<const Ref> operands);

  std::string_view name_;
  Segment &segment_;
  uint32_t place_;
  std::vector<ImplRef> held_; // all values, where ops run one by one
};

} // namespace burn::trace
