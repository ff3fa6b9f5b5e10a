#include "frontend/Trace/Recorder.h"

#include "frontend/Trace/Debug.h"
#include "frontend/Trace/HostKernels.h"
#include "runtime/Core/OpRules/OpRules.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

namespace burn::trace {

using core::OpCode;
using core::Status;
using core::TypeDesc;

bool &gradMode() {
  [[gnu::tls_model("initial-exec")]] static thread_local bool enabled = true;
  return enabled;
}

bool &fastMathMode() {
  [[gnu::tls_model("initial-exec")]] static thread_local bool enabled = false;
  return enabled;
}

namespace {

// Where an op runs: where its first operand is.
uint8_t deviceOf(std::span<const Tensor *const> operands) {
  const TensorImpl *first = operands.empty() ? nullptr : implOf(*operands[0]);
  return first ? first->device : defaultDevice();
}

// A kernel of the host is refused first: what called it may hold a lock that a new segment needs.
Segment &currentSegment(std::string_view name, std::span<const Tensor *const> operands) {
  refuseInsideHostKernel(name);
  return Segment::current(deviceOf(operands));
}

} // namespace

Recorder::Recorder(std::string_view name, std::span<const Tensor *const> operands)
    : name_(name), segment_(currentSegment(name, operands)), place_(currentPlace()) {
  for (const Tensor *operand : operands) {
    TensorImpl *impl = implOf(*operand);
    if (!impl)
      fail("an operand is not defined");
    if (impl->device != segment_.trace.device)
      fail("operands are on " + Device::numbered(segment_.trace.device).name() + " and on " +
           Device::numbered(impl->device).name() + "; move one with to(device)");
    const Segment *segment = impl->segment.load(std::memory_order_acquire);
    if (segment != &segment_ && (segment || impl->failure()) && !segment_.isWithin(segment))
      materialize(impl);
  }
  segment_.lock.lock();
  // Until then another thread may have run what this one recorded, and failed.
  for (const Tensor *operand : operands) {
    TensorImpl *impl = implOf(*operand);
    if (!impl->segment.load(std::memory_order_acquire) && impl->failure()) {
      segment_.lock.unlock();
      materialize(impl);
    }
  }
  if (segment_.trace.empty())
    segment_.trace.prefetch();
  if (segment_.trace.size() < Trace::kMaxNodes)
    return;
  if (segment_.outer) {
    segment_.lock.unlock();
    fail("control flow is being recorded, which holds " + std::to_string(Trace::kMaxNodes) + " ops at most");
  }
  uint32_t place = 0;
  Status status;
  try {
    status = segment_.flush(place);
  } catch (...) { // out of memory: no destructor runs for a constructor that throws
    segment_.lock.unlock();
    throw;
  }
  if (!status) {
    segment_.lock.unlock();
    raiseAt(place, status.code(), status.message());
  }
}

void Recorder::fail(const std::string &message) const { raiseInvalid(std::string(name_) + ": " + message); }

Ref Recorder::scalar(DType dtype, const Scalar &value) {
  uint64_t bits = 0;
  visitDType(dtype, [&](auto element) {
    using T = decltype(element);
    constexpr bool isShortFloat = std::is_same_v<T, f16> || std::is_same_v<T, bf16>;
    // An integer beyond i64 is known as a real number alone.
    const bool asInteger = value.kind != Scalar::Kind::Float && value.real < 9.2e18;
    if constexpr (isShortFloat)
      element = T(asInteger ? static_cast<double>(value.integer) : value.real);
    else if constexpr (std::is_floating_point_v<T>)
      element = asInteger ? static_cast<T>(value.integer) : static_cast<T>(value.real);
    else if constexpr (std::is_same_v<T, bool>)
      element = value.real != 0;
    else if (value.kind != Scalar::Kind::Float) {
      // Wrapping would compare, clamp or fill with another number than the one that stands there. A ui64 beyond i64
      // has wrapped in `integer` already: its real number says so.
      const bool isWrapped = value.integer < 0 && value.real > 0;
      if (isWrapped ? !std::in_range<T>(static_cast<uint64_t>(value.integer)) : !std::in_range<T>(value.integer))
        fail((isWrapped ? std::to_string(static_cast<uint64_t>(value.integer)) : std::to_string(value.integer)) +
             " does not fit into " + std::string(burn::name(dtype)));
      element = static_cast<T>(value.integer);
    } else {
      const double whole = std::trunc(value.real);
      constexpr double lowest = static_cast<double>(std::numeric_limits<T>::min());
      if (!(whole >= lowest && whole < std::ldexp(1.0, std::numeric_limits<T>::digits)))
        fail("the number " + std::to_string(value.real) + " does not fit into " + std::string(burn::name(dtype)));
      element = static_cast<T>(whole);
    }
    std::memcpy(&bits, &element, sizeof(element));
  });
  return segment_.trace.slot(dtype, bits);
}

Ref Recorder::filled(DType dtype, const Scalar &value, const ShapeEntry *shape) {
  const Ref slot = scalar(dtype, value);
  return emitTyped(core::BroadcastAttrs{}, {slot}, dtype, shape);
}

std::span<const TypeMemo::Result> Recorder::infer(OpCode op, std::span<const Ref> operands, uint32_t attrs) const {
  // Of the thread, so that ops of many operands cost no allocation each step.
  thread_local std::vector<TypeDesc> operandTypes, results;
  thread_local std::vector<TypeMemo::Result> types;
  operandTypes.clear();
  results.clear();
  types.clear();
  for (Ref operand : operands)
    operandTypes.push_back(segment_.trace.typeOf(operand));
  const Status status = core::inferTypes(op, operandTypes, attrsOf(attrs).span(), results);
  if (!status)
    fail(status.message());
  for (const TypeDesc &result : results)
    types.push_back({result.dtype, internShape(result.shape)});
  return types;
}

// Whether all operands are of one type.
bool Recorder::haveOneType(std::span<const Ref> operands) const {
  const Trace &trace = segment_.trace;
  for (Ref operand : operands)
    if (trace.shapeIdOf(operand) != trace.shapeIdOf(operands[0]) ||
        trace.dtypeOf(operand) != trace.dtypeOf(operands[0]))
      return false;
  return !operands.empty();
}

// Budget: 60 ns with types that were seen before.
Ref Recorder::emit(OpCode op, std::span<const Ref> operands, uint32_t attrs, const TypeMemo::Result *given) {
  Trace &trace = segment_.trace;
  std::span<const TypeMemo::Result> types;
  TypeMemo::Result same;
  if (given) {
    types = {given, 1};
  } else if (attrs == 0 && haveOneType(operands) && segment_.types.isElementwise(op, trace.dtypeOf(operands[0]))) {
    same = {trace.dtypeOf(operands[0]), &shapeOf(trace.shapeIdOf(operands[0]))};
    types = {&same, 1};
  } else if (operands.size() <= TypeMemo::kMostOperands) {
    uint64_t words[1 + TypeMemo::kMostOperands] = {uint64_t(op) | uint64_t(operands.size()) << 16 |
                                                   uint64_t(attrs) << 32};
    size_t next = 1;
    uint64_t hash = words[0];
    for (Ref operand : operands)
      hash = mix(hash, words[next++] = uint64_t(trace.shapeIdOf(operand)) << 8 | uint64_t(trace.dtypeOf(operand)));
    TypeMemo::Entry &entry = segment_.types[hash];
    if (entry.count && std::memcmp(entry.words, words, sizeof(words)) == 0) {
      types = {entry.results, entry.count};
    } else {
      types = infer(op, operands, attrs);
      if (types.size() <= std::size(entry.results)) {
        std::memcpy(entry.words, words, sizeof(words));
        entry.count = static_cast<uint8_t>(types.size());
        std::ranges::copy(types, entry.results);
      }
      if (attrs == 0 && types.size() == 1 && haveOneType(operands) &&
          types[0].shape->id == trace.shapeIdOf(operands[0]) && types[0].dtype == trace.dtypeOf(operands[0]))
        segment_.types.learnElementwise(op, types[0].dtype);
    }
  } else {
    types = infer(op, operands, attrs);
  }

  const uint8_t flag = gradFlag(op, operands);
  const auto flagOf = [&](unsigned i) { return isFloat(types[i].dtype) ? flag : uint8_t(0); };
  const Ref first = trace.append(op, operands, attrs, types[0].dtype, types[0].shape->id, place_, flagOf(0));
  for (unsigned i = 1; i < types.size(); ++i)
    trace.appendExtraResult(first, i, types[i].dtype, types[i].shape->id, flagOf(i));
  if (debugOptions().opByOp())
    for (unsigned i = 0; i < types.size(); ++i)
      held_.push_back(ImplRef(implOf(tensor(result(first, i)))));
  return first;
}

uint8_t Recorder::gradFlag(OpCode op, std::span<const Ref> &operands) {
  const Trace &trace = segment_.trace;
  bool grad = false, blocked = false;
  for (Ref operand : operands) {
    grad |= trace.requiresGrad(operand);
    blocked |= operand.isNode() && trace.flags[operand.index()] & NodeBlocked;
  }
  if ((!grad && !blocked) || op == OpCode::StopGradient)
    return 0;
  if (!grad || !gradMode())
    return NodeBlocked;
  if (blocked)
    operands = stopBlocked(operands);
  return NodeRequiresGrad;
}

Ref Recorder::emitRegions(OpCode op, std::span<const int64_t> words, std::span<const Ref> operands,
                          std::span<const core::Graph> regions, std::span<const TypeDesc> results,
                          std::vector<uint32_t> places) {
  Trace &trace = segment_.trace;
  std::vector<TypeDesc> operandTypes, checked(results.begin(), results.end());
  for (Ref operand : operands)
    operandTypes.push_back(trace.typeOf(operand));
  if (const Status status = core::inferTypes(op, operandTypes, words, checked); !status)
    fail(status.message());
  const uint32_t attrs = internAttrs(encodeRegions(words, regions))->id;
  const uint8_t flag = gradFlag(op, operands);
  const auto flagOf = [&](const TypeDesc &type) { return isFloat(type.dtype) ? flag : uint8_t(0); };
  const Ref first = trace.append(op, operands, attrs, results[0].dtype, internShape(results[0].shape)->id, place_,
                                 flagOf(results[0]));
  trace.regionPlaces[first.index()] = std::move(places);
  for (uint32_t i = 1; i < results.size(); ++i)
    trace.appendExtraResult(first, i, results[i].dtype, internShape(results[i].shape)->id, flagOf(results[i]));
  if (debugOptions().opByOp())
    for (uint32_t i = 0; i < results.size(); ++i)
      held_.push_back(ImplRef(implOf(tensor(result(first, i)))));
  return first;
}

Ref Recorder::emitGradient(std::span<const Ref> operands, std::span<const int64_t> segments, uint8_t flag) {
  Trace &trace = segment_.trace;
  core::GradAttrs attrs;
  attrs.operandSegmentSizes = segments;
  if (flag == NodeRequiresGrad)
    operands = stopBlocked(operands);
  const std::span<const Ref> variables = operands.last(static_cast<size_t>(segments[2]));
  const Ref first = trace.append(OpCode::Grad, operands, attrsId(attrs), trace.dtypeOf(variables[0]),
                                 trace.shapeIdOf(variables[0]), place_, flag);
  for (uint32_t i = 1; i < variables.size(); ++i)
    trace.appendExtraResult(first, i, trace.dtypeOf(variables[i]), trace.shapeIdOf(variables[i]), flag);
  if (debugOptions().opByOp())
    for (uint32_t i = 0; i < variables.size(); ++i)
      held_.push_back(ImplRef(implOf(tensor(result(first, i)))));
  return first;
}

std::span<const Ref> Recorder::stopBlocked(std::span<const Ref> operands) {
  Trace &trace = segment_.trace;
  std::vector<Ref> &stopped = segment_.operandScratch;
  stopped.assign(operands.begin(), operands.end());
  for (Ref &operand : stopped)
    if (operand.isNode() && trace.flags[operand.index()] & NodeBlocked)
      operand = trace.append(OpCode::StopGradient, std::span<const Ref>(&operand, 1), 0, trace.dtypeOf(operand),
                             trace.shapeIdOf(operand), place_, 0);
  return stopped;
}

Ref Recorder::convert(Ref value, DType to) {
  if (dtype(value) == to)
    return value;
  return emitTyped(core::ConvertAttrs{}, {value}, to, shape(value));
}

Ref Recorder::reshape(Ref value, const Shape &to) {
  if (shape(value)->shape == to)
    return value;
  return emitTyped(core::ReshapeAttrs{}, {value}, dtype(value), internShape(to));
}

Ref Recorder::broadcast(Ref value, const ShapeEntry *to) {
  const ShapeEntry *from = shape(value);
  if (from == to)
    return value;
  // Types that are given are not inferred; of all views this one alone has more elements than its operand.
  if (!to->shape.fits())
    fail("the result type " + TypeDesc{dtype(value), to->shape}.str() + " is too large");
  int64_t dims[Shape::maxRank];
  const unsigned rank = from->shape.rank(), added = to->shape.rank() - rank;
  for (unsigned i = 0; i < rank; ++i)
    dims[i] = added + i;
  return emitTyped(core::BroadcastAttrs{std::span<const int64_t>(dims, rank)}, {value}, dtype(value), to);
}

Ref Recorder::transpose(Ref value, std::span<const int64_t> permutation) {
  bool identity = true;
  for (size_t i = 0; i < permutation.size(); ++i)
    identity &= permutation[i] == static_cast<int64_t>(i);
  return identity ? value : emit(core::TransposeAttrs{permutation}, {value});
}

Ref Recorder::slice(Ref value, std::span<const int64_t> starts, std::span<const int64_t> sizes,
                    std::span<const int64_t> strides) {
  const Shape &from = shape(value)->shape;
  bool whole = true;
  for (size_t i = 0; i < starts.size(); ++i)
    whole &= starts[i] == 0 && sizes[i] == from[i] && strides[i] == 1;
  return whole ? value : emit(core::SliceAttrs{starts, sizes, strides}, {value});
}

Tensor Recorder::tensor(Ref value) {
  Trace &trace = segment_.trace;
  if (value.isLeaf())
    return handleOf(trace.leaves[value.index()].get());
  if (value.isSlot()) // a number alone, as a tensor of rank 0
    value = emitTyped(core::BroadcastAttrs{}, {value}, dtype(value), shape(value));
  ImplRef &output = trace.outputs[value.index()];
  if (!output) {
    output = makeImpl(dtype(value), shape(value), trace.device);
    output->node = value.index();
    output->segment.store(&segment_, std::memory_order_relaxed);
    if (trace.flags[value.index()] & NodeRequiresGrad)
      output->set(TensorImpl::RequiresGrad);
  }
  return handleOf(output.get());
}

void Recorder::finish() {
  if (!debugOptions().opByOp() || segment_.outer)
    return;
  uint32_t place = 0;
  const Status status = segment_.flush(place);
  held_.clear();
  if (!status)
    raiseAt(place, status.code(), status.message());
}

namespace {

// Keys of the generators that a thread used last, as tensors.
struct KeyCache {
  static constexpr size_t kSize = 8;
  uint64_t seeds[kSize] = {};
  uint8_t devices[kSize] = {};
  Tensor keys[kSize];
  size_t next = 0;
};

} // namespace

Ref Recorder::randomKey(const Generator &generator) {
  thread_local KeyCache cache;
  const uint8_t device = segment_.trace.device;
  for (size_t i = 0; i < KeyCache::kSize; ++i)
    if (cache.keys[i].defined() && cache.seeds[i] == generator.seed() && cache.devices[i] == device)
      return use(cache.keys[i]);
  auto buffer = runtime::Buffer::allocate(8);
  if (!buffer)
    raise(buffer.status().code(), buffer.status().message());
  const auto words = generator.key();
  std::memcpy((*buffer)->data(), words.data(), sizeof(words));
  if (device) {
    buffer = (*buffer)->copyTo(deviceAt(device));
    if (!buffer)
      raise(buffer.status().code(), buffer.status().message());
  }
  ImplRef impl = makeImpl(DType::U32, internShape(Shape{2}), device);
  impl->buffer = std::move(*buffer);
  const size_t place = cache.next++ % KeyCache::kSize;
  cache.seeds[place] = generator.seed();
  cache.devices[place] = device;
  cache.keys[place] = handleOf(impl.get());
  return use(cache.keys[place]);
}

Segment::RandomCall Recorder::randomCall(Generator &generator) {
  return segment_.randomCall(generator.seed(), generator.take());
}

} // namespace burn::trace
