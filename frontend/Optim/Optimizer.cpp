#include <burn/autograd.h>
#include <burn/error.h>
#include <burn/execution.h>
#include <burn/optim.h>

namespace burn::optim {

Optimizer::Optimizer(std::vector<nn::NamedTensor> parameters, double learningRate)
    : parameters_(std::move(parameters)), learningRate_(learningRate) {}

Optimizer::~Optimizer() = default;

std::vector<Tensor> &Optimizer::addState(std::string name, Where where) {
  const LocationScope scope(where);
  auto slot = std::make_unique<Slot>();
  slot->name = std::move(name);
  // Values of their own rather than recorded zeros: the first step then records the same program as all others.
  for (const nn::NamedTensor &parameter : parameters_)
    slot->tensors.push_back(from_host(HostArray(parameter.tensor->dtype(), parameter.tensor->shape())));
  state_.push_back(std::move(slot));
  return state_.back()->tensors;
}

void Optimizer::step(Where where) {
  const LocationScope scope(where);
  const NoGradGuard guard;
  ++steps_;
  for (size_t i = 0; i < parameters_.size(); ++i) {
    Tensor &parameter = *parameters_[i].tensor;
    const Tensor gradient = parameter.grad();
    if (!gradient.defined())
      continue;
    parameter.copy_(update(i, parameter, gradient));
  }
  flush(where);
}

void Optimizer::zero_grad() {
  for (const nn::NamedTensor &parameter : parameters_)
    parameter.tensor->zero_grad();
}

nn::StateDict Optimizer::state_dict() const {
  nn::StateDict state;
  state.emplace("steps", HostArray::of<int64_t>(Shape{}, {steps_}));
  for (const auto &slot : state_)
    for (size_t i = 0; i < parameters_.size(); ++i)
      state.emplace(slot->name + "." + parameters_[i].name, to_host(slot->tensors[i]));
  return state;
}

void Optimizer::load_state_dict(const nn::StateDict &state, const std::string &source, Where where) {
  const LocationScope scope(where);
  const auto fail = [&](const std::string &what) {
    throw Error(ErrorCode::InvalidArgument, source + ": holds the state of another optimizer or model: " + what);
  };
  const auto take = [&](const std::string &name, DType dtype, const Shape &shape) -> const HostArray & {
    const auto found = state.find(name);
    if (found == state.end())
      fail("'" + name + "' is missing");
    const HostArray &array = found->second;
    if (array.dtype() != dtype || array.shape() != shape)
      fail("'" + name + "' is " + std::string(burn::name(array.dtype())) + array.shape().str() + ", expected " +
           std::string(burn::name(dtype)) + shape.str());
    return array;
  };
  const int64_t steps = take("steps", DType::I64, {}).values<int64_t>()[0];
  size_t count = 1;
  std::vector<std::pair<Tensor *, const HostArray *>> assignments;
  for (const auto &slot : state_) {
    for (size_t i = 0; i < parameters_.size(); ++i, ++count) {
      const Tensor &parameter = *parameters_[i].tensor;
      assignments.emplace_back(&slot->tensors[i],
                               &take(slot->name + "." + parameters_[i].name, parameter.dtype(), parameter.shape()));
    }
  }
  if (state.size() != count)
    fail("it holds " + std::to_string(state.size()) + " entries, expected " + std::to_string(count));
  if (steps < 0)
    fail("'steps' is " + std::to_string(steps));
  for (const auto &[tensor, array] : assignments)
    *tensor = from_host(*array);
  steps_ = steps;
}

} // namespace burn::optim
