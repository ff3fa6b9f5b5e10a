#include <burn/module.h>

#include <burn/autograd.h>
#include <burn/error.h>

namespace burn::nn {

Visitor::~Visitor() = default;

void Visitor::operator()(std::string_view name, Tensor &parameter) {
  if (!parameter.defined())
    return;
  const size_t length = enter(name);
  onParameter(path_, parameter);
  leave(length);
}

void Visitor::buffer(std::string_view name, Tensor &buffer) {
  if (!buffer.defined())
    return;
  const size_t length = enter(name);
  onBuffer(path_, buffer);
  leave(length);
}

size_t Visitor::enter(std::string_view name) {
  const size_t length = path_.size();
  if (length)
    path_ += '.';
  path_ += name;
  return length;
}

void Visitor::leave(size_t length) { path_.resize(length); }

namespace detail {

void Collector::onParameter(const std::string &name, Tensor &parameter) { parameters.push_back({name, &parameter}); }
void Collector::onBuffer(const std::string &name, Tensor &buffer) { buffers.push_back({name, &buffer}); }
void TrainingSwitch::onTraining(bool &training) { training = training_; }

void TrainingCheck::onTraining(bool &training) { trains |= training; }

void freeze(const Collector &tensors, bool trains, Where where) {
  const LocationScope scope(where);
  if (trains)
    throw Error(ErrorCode::InvalidArgument,
                "freeze: the module is in training mode, in which a step writes its parameters and running statistics; "
                "call eval first",
                where.file_name(), where.line());
  for (const NamedTensor &item : tensors.parameters)
    item.tensor->requires_grad_(false);
  for (const auto *group : {&tensors.parameters, &tensors.buffers})
    for (const NamedTensor &item : *group)
      item.tensor->freeze();
}

namespace {

template <typename To> void convertAll(const Collector &tensors, const To &to) {
  const NoGradGuard guard;
  for (const auto *group : {&tensors.parameters, &tensors.buffers}) {
    for (const NamedTensor &item : *group) {
      const bool trained = item.tensor->requires_grad();
      *item.tensor = item.tensor->detach().to(to);
      item.tensor->requires_grad_(trained);
    }
  }
}

} // namespace

void convert(const Collector &tensors, DType dtype) {
  if (!isFloat(dtype))
    throw Error(ErrorCode::InvalidArgument,
                "a module is converted to a float type, not to " + std::string(burn::name(dtype)));
  convertAll(tensors, dtype);
}

void move(const Collector &tensors, const Device &device) { convertAll(tensors, device); }

StateDict stateOf(const Collector &tensors) {
  StateDict state;
  for (const auto *group : {&tensors.parameters, &tensors.buffers})
    for (const NamedTensor &item : *group)
      if (!state.emplace(item.name, to_host(*item.tensor)).second)
        throw Error(ErrorCode::InvalidArgument, "module names '" + item.name + "' twice");
  return state;
}

namespace {

std::map<std::string, Tensor *> byName(const Collector &tensors) {
  std::map<std::string, Tensor *> result;
  for (const auto *group : {&tensors.parameters, &tensors.buffers})
    for (const NamedTensor &item : *group)
      result.emplace(item.name, item.tensor);
  return result;
}

} // namespace

void checkState(const Collector &tensors, const StateDict &state, const std::string &source) {
  std::string differences;
  size_t count = 0;
  const auto note = [&](const std::string &text) {
    constexpr size_t shown = 10;
    if (++count <= shown)
      differences += "\n  " + text;
    else if (count == shown + 1)
      differences += "\n  ...";
  };
  const std::map<std::string, Tensor *> wanted = byName(tensors);
  for (const auto &[name, tensor] : wanted) {
    const auto found = state.find(name);
    if (found == state.end())
      note("'" + name + "' is missing");
    else if (found->second.shape() != tensor->shape() || found->second.dtype() != tensor->dtype())
      note("'" + name + "' is " + std::string(burn::name(found->second.dtype())) + found->second.shape().str() +
           ", the model has " + std::string(burn::name(tensor->dtype())) + tensor->shape().str());
  }
  for (const auto &[name, array] : state)
    if (!wanted.contains(name))
      note("'" + name + "' is not in the model");
  if (count)
    throw Error(ErrorCode::InvalidArgument, source + ": holds the state of another model:" + differences);
}

void loadState(const Collector &tensors, const StateDict &state, const std::string &source) {
  // A state of another model must leave this one as it is.
  checkState(tensors, state, source);
  for (const auto &[name, tensor] : byName(tensors)) {
    const bool trained = tensor->requires_grad();
    const DeviceGuard device(tensor->device());
    *tensor = from_host(state.at(name));
    tensor->requires_grad_(trained);
  }
}

} // namespace detail

} // namespace burn::nn
