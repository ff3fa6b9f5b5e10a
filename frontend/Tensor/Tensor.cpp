#include "frontend/Tensor/Support.h"

#include <burn/autograd.h>

#include <cstring>

namespace burn {

using namespace trace;

namespace {

// `function` is null where a function of the library may have asked.
const TensorImpl &checked(const Tensor &tensor, const char *function = nullptr) {
  if (!tensor.defined())
    raiseInvalid((function ? std::string(function) + ": " : std::string()) + "the tensor is not defined");
  return *implOf(tensor);
}

// The tensor with its values in memory.
const TensorImpl &computed(const Tensor &tensor, const char *function) {
  TensorImpl *impl = implOf(tensor);
  checked(tensor, function);
  materialize(impl);
  return *impl;
}

// Its only element, which `convert` is called with.
template <typename Convert> auto onlyElement(const Tensor &tensor, const Convert &convert) {
  if (checked(tensor, "item").shape->numel != 1)
    raiseInvalid("item: expects one element, got shape " + tensor.shape().str());
  const TensorImpl &impl = computed(tensor, "item");
  return visitDType(impl.dtype, [&](auto element) {
    std::memcpy(&element, contentsOf(impl), sizeof(element));
    if constexpr (std::is_same_v<decltype(element), f16> || std::is_same_v<decltype(element), bf16>)
      return convert(static_cast<float>(element));
    else
      return convert(element);
  });
}

} // namespace

Device Tensor::device() const { return Device::numbered(checked(*this).device); }

DType Tensor::dtype() const { return checked(*this).dtype; }
const Shape &Tensor::shape() const { return checked(*this).shape->shape; }

int64_t Tensor::size(int64_t dim, Where where) const {
  const LocationScope scope(where);
  const Shape &all = checked(*this, "size").shape->shape;
  if (all.rank() == 0)
    raiseInvalid("size: a tensor of rank 0 has no dimensions");
  return all[checkedDim("size", dim, all.rank())];
}

bool Tensor::is_computed() const {
  return !checked(*this).segment.load(std::memory_order_acquire) && !implOf(*this)->failure();
}

Tensor &Tensor::freeze(Where where) {
  const LocationScope scope(where);
  if (checked(*this, "freeze").has(TensorImpl::RequiresGrad))
    raiseInvalid("freeze: the tensor requires gradients, and a training step would write it; call "
                 "requires_grad_(false) or detach() first");
  computed(*this, "freeze");
  TensorImpl *impl = implOf(*this);
  impl->buffer->freeze();
  impl->set(TensorImpl::Frozen);
  return *this;
}

bool Tensor::is_frozen() const { return checked(*this, "is_frozen").has(TensorImpl::Frozen); }

double Tensor::realItem(const Where &where) const {
  const LocationScope scope(where);
  return onlyElement(*this, [](auto element) { return static_cast<double>(element); });
}

int64_t Tensor::integerItem(const Where &where) const {
  const LocationScope scope(where);
  return onlyElement(*this, [](auto element) {
    if constexpr (std::is_floating_point_v<decltype(element)>)
      if (!(element >= -0x1p63 && element < 0x1p63))
        raiseInvalid("item: " + std::to_string(element) + " is no integer of 64 bits");
    return static_cast<int64_t>(element);
  });
}

const std::byte *Tensor::data(Where where) const {
  const LocationScope scope(where);
  return contentsOf(computed(*this, "data"));
}

const std::byte *Tensor::typedData(DType type, const Where &where) const {
  const LocationScope scope(where);
  if (checked(*this, "to_vector").dtype != type)
    raiseInvalid("to_vector: the elements are " + std::string(name(dtype())) + ", not " + std::string(name(type)) +
                 "; convert with to()");
  return data(where);
}

void Tensor::copy_to(void *out, Where where) const {
  const LocationScope scope(where);
  const std::byte *from = data(where);
  if (nbytes())
    std::memcpy(out, from, static_cast<size_t>(nbytes()));
}

Tensor Tensor::to(const Device &device, Where where) const {
  const LocationScope scope(where);
  if (checked(*this, "to").device == device.number())
    return *this;
  if (requires_grad() && is_grad_enabled())
    raiseInvalid("to: no gradient flows from " + device.name() + " to " + this->device().name() +
                 "; detach() the tensor, or move it before requires_grad_()");
  const TensorImpl &impl = computed(*this, "to");
  awaitValue(impl);
  return makeComputed(placed(impl.buffer, device), dtype(), shape());
}

// ---- in place ----

void rebind(Tensor &target, const Tensor &value, const char *name) {
  TensorImpl *old = implOf(target);
  if (old->has(TensorImpl::Frozen))
    raiseInvalid(std::string(name) + ": the tensor is frozen and cannot be changed in place");
  const bool leaf = old->has(TensorImpl::RequiresGrad) && old->has(TensorImpl::UserLeaf);
  if (leaf && is_grad_enabled())
    raiseInvalid(std::string(name) + ": a leaf that requires gradients is changed in place; do so under NoGradGuard");
  if (value.device() != target.device())
    raiseInvalid(std::string(name) + ": the result is on " + value.device().name() + ", the tensor on " +
                 target.device().name());
  if (value.shape() != target.shape())
    raiseInvalid(std::string(name) + ": the result has shape " + value.shape().str() + ", the tensor " +
                 target.shape().str());
  if (isFloat(value.dtype()) && !isFloat(target.dtype()))
    raiseInvalid(std::string(name) + ": the result is " + std::string(burn::name(value.dtype())) +
                 ", the tensor holds " + std::string(burn::name(target.dtype())));
  Tensor next;
  {
    Recorder recorder(name, {&value});
    Ref ref = recorder.convert(recorder.use(value), target.dtype());
    // A tensor of its own, through which no gradient flows into what it was made from.
    if (leaf && (ref.isNode() || recorder.segment().outer))
      ref = recorder.emit(OpCode::StopGradient, {ref});
    next = recorder.tensor(ref);
    if (leaf && ref.isNode())
      recorder.trace().flags[ref.index()] |= NodeRequiresGrad | NodeUserLeaf;
    recorder.finish();
  }
  // A leaf is a tensor of its own; so is what takes over a frozen value, since it may change later.
  if ((leaf || implOf(value)->has(TensorImpl::Frozen)) && implOf(next) == implOf(value))
    next = makeComputed(implOf(value)->buffer, next.dtype(), next.shape());
  if (leaf) {
    std::lock_guard guard(gradientLock());
    TensorImpl *impl = implOf(next);
    impl->set(TensorImpl::RequiresGrad | TensorImpl::UserLeaf);
    if (old->grad) {
      old->grad->references.fetch_add(1, std::memory_order_relaxed);
      impl->grad = old->grad;
    }
    old->set(TensorImpl::Replaced);
  }
  target = std::move(next);
}

Tensor &Tensor::add_(const Operand &other) {
  const LocationScope scope(other.where());
  rebind(*this, add(other), "add_");
  return *this;
}
Tensor &Tensor::sub_(const Operand &other) {
  const LocationScope scope(other.where());
  rebind(*this, sub(other), "sub_");
  return *this;
}
Tensor &Tensor::mul_(const Operand &other) {
  const LocationScope scope(other.where());
  rebind(*this, mul(other), "mul_");
  return *this;
}
Tensor &Tensor::div_(const Operand &other) {
  const LocationScope scope(other.where());
  rebind(*this, div(other), "div_");
  return *this;
}
Tensor &operator+=(Tensor &a, const Operand &b) { return a.add_(b); }
Tensor &operator-=(Tensor &a, const Operand &b) { return a.sub_(b); }
Tensor &operator*=(Tensor &a, const Operand &b) { return a.mul_(b); }
Tensor &operator/=(Tensor &a, const Operand &b) { return a.div_(b); }

Tensor &Tensor::zero_(Where where) { return fill_(Operand(0, where)); }

Tensor &Tensor::fill_(const Operand &value) {
  const LocationScope scope(value.where());
  if (value.isTensor())
    return copy_(value.tensor(), value.where());
  checked(*this, "fill_");
  const DeviceScope device(*this);
  rebind(*this, full(shape(), value.scalar(), dtype(), value.where()), "fill_");
  return *this;
}

Tensor &Tensor::copy_(const Tensor &source, Where where) {
  const LocationScope scope(where);
  checked(*this, "copy_");
  checked(source, "copy_");
  rebind(*this, source.to(device(), where).to(dtype(), where).expand(shape(), where), "copy_");
  return *this;
}

Tensor &Tensor::clamp_(std::optional<Scalar> low, std::optional<Scalar> high, Where where) {
  const LocationScope scope(where);
  rebind(*this, clamp(low, high, where), "clamp_");
  return *this;
}

} // namespace burn
