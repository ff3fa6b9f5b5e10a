/// What makes a struct a module: a visitor over its members. From it follow the names of its parameters, their saving
/// and loading, and the switch between training and evaluation.
#pragma once

#include <burn/export.h>
#include <burn/host_array.h>
#include <burn/tensor.h>

#include <concepts>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace burn::nn {

class Visitor;

/// A module is any class with a `members` function that names its parts to a visitor:
///
///     struct Net {
///       nn::Linear fc1{784, 128}, fc2{128, 10};
///       void members(nn::Visitor &v) { v("fc1", fc1), v("fc2", fc2); }
///       Tensor forward(const Tensor &x) { return fc2(relu(fc1(x))); }
///     };
///
/// A part is another module, a parameter (a `Tensor` that is trained) or, through `v.buffer`, a tensor that is state
/// but not trained. Modules are values: a copy shares no state with the original beyond tensors, which never change.
template <typename M>
concept Module = requires(M &module, Visitor &visitor) { module.members(visitor); };

/// What walks over the parts of a module. Full names join the names on the way by '.', as PyTorch does: "fc1.weight".
class BURN_API Visitor {
public:
  virtual ~Visitor();

  /// A parameter. One that is not defined (a layer without a bias) is passed over.
  void operator()(std::string_view name, Tensor &parameter);
  /// State that is not trained, such as running statistics.
  void buffer(std::string_view name, Tensor &buffer);
  /// A part that is a module itself. Its member `bool training`, where it has one, is shown as well.
  template <Module M> void operator()(std::string_view name, M &module) {
    const size_t length = enter(name);
    (*this)(module);
    leave(length);
  }
  template <Module M> void operator()(M &module) {
    if constexpr (requires {
                    { module.training } -> std::same_as<bool &>;
                  })
      onTraining(module.training);
    module.members(*this);
  }

protected:
  virtual void onParameter(const std::string & /*name*/, Tensor & /*parameter*/) {}
  virtual void onBuffer(const std::string & /*name*/, Tensor & /*buffer*/) {}
  virtual void onTraining(bool & /*training*/) {}

private:
  size_t enter(std::string_view name);
  void leave(size_t length);
  std::string path_;
};

/// Values of tensors by name.
using StateDict = std::map<std::string, HostArray>;

/// A tensor of a module by its full name. The pointer is good as long as the module stays where it is.
struct NamedTensor {
  std::string name;
  Tensor *tensor;
};

namespace detail {

class BURN_API Collector final : public Visitor {
public:
  std::vector<NamedTensor> parameters, buffers;

private:
  void onParameter(const std::string &name, Tensor &parameter) override;
  void onBuffer(const std::string &name, Tensor &buffer) override;
};

class BURN_API TrainingSwitch final : public Visitor {
public:
  explicit TrainingSwitch(bool training) : training_(training) {}

private:
  void onTraining(bool &training) override;
  bool training_;
};

class BURN_API TrainingCheck final : public Visitor {
public:
  bool trains = false;

private:
  void onTraining(bool &training) override;
};

BURN_API void freeze(const Collector &tensors, bool trains, Where where);
BURN_API void convert(const Collector &tensors, DType dtype);
BURN_API void move(const Collector &tensors, const Device &device);
BURN_API StateDict stateOf(const Collector &tensors);
/// Throws where `state` does not fit the tensors.
BURN_API void checkState(const Collector &tensors, const StateDict &state, const std::string &source);
BURN_API void loadState(const Collector &tensors, const StateDict &state, const std::string &source);

template <Module M> Collector collect(M &module) {
  Collector collector;
  collector(module);
  return collector;
}

} // namespace detail

/// The parameters of a module in the order of its visitor: what an optimizer takes.
template <Module M> std::vector<NamedTensor> named_parameters(M &module) { return detail::collect(module).parameters; }

/// The buffers of a module in the order of its visitor.
template <Module M> std::vector<NamedTensor> named_buffers(M &module) { return detail::collect(module).buffers; }

/// Switches a module and its parts to training: dropout drops, batch norm uses the batch and updates its statistics.
template <Module M> void train(M &module) { detail::TrainingSwitch(true)(module); }

/// Switches a module and its parts to evaluation.
template <Module M> void eval(M &module) { detail::TrainingSwitch(false)(module); }

/// Freezes all parameters and buffers (Tensor::freeze), for evaluation alone: parameters require no gradients
/// afterwards. An error where the module, or a part of it, is in training mode, in which a step writes both; so is
/// a training step of a frozen module.
template <Module M> void freeze(M &module, Where where = Where::current()) {
  detail::TrainingCheck check;
  check(module);
  detail::freeze(detail::collect(module), check.trains, where);
}

/// Converts all parameters and buffers to a float type. Gradients are dropped; an optimizer is to be made afterwards.
template <Module M> void to(M &module, DType dtype) { detail::convert(detail::collect(module), dtype); }

/// Moves all parameters and buffers to a device. Gradients are dropped; an optimizer is to be made afterwards.
template <Module M> void to(M &module, const Device &device) { detail::move(detail::collect(module), device); }

/// The values of all parameters and buffers by full name.
template <Module M> StateDict state_dict(M &module) { return detail::stateOf(detail::collect(module)); }

/// Sets all parameters and buffers. `state` must hold exactly these names with these shapes and element types, else
/// `burn::Error` lists every difference, begins with `source` (the file that the state is from) and nothing is set.
template <Module M> void load_state_dict(M &module, const StateDict &state, const std::string &source = "state") {
  detail::loadState(detail::collect(module), state, source);
}

} // namespace burn::nn
