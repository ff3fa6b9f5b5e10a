// The functions of the figures in test/data/tensor_functions.json, by their names there.
#pragma once

#include "test/unit/frontend/Golden.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace golden {

/// Inputs and attributes of a case.
struct Call {
  std::map<std::string, burn::Tensor> inputs;
  nlohmann::json attrs;

  const burn::Tensor &operator[](const std::string &name) const {
    // A tensor that is not given is left undefined, as weights are.
    static const burn::Tensor none;
    const auto found = inputs.find(name);
    return found == inputs.end() ? none : found->second;
  }
  int64_t integer(const std::string &name) const { return attrs.at(name).get<int64_t>(); }
  double real(const std::string &name) const { return number(attrs.at(name)); }
  bool flag(const std::string &name) const { return attrs.at(name).get<bool>(); }
  /// A list of numbers, or one number as a list.
  std::vector<int64_t> dims(const std::string &name) const {
    const nlohmann::json &value = attrs.at(name);
    return value.is_array() ? value.get<std::vector<int64_t>>() : std::vector{value.get<int64_t>()};
  }
  /// The same for two spatial dimensions.
  burn::Pair pair(const std::string &name) const {
    const std::vector<int64_t> list = dims(name);
    return list.size() == 1 ? burn::Pair(list[0]) : burn::Pair(list[0], list[1]);
  }
  bool has(const std::string &name) const { return attrs.contains(name) && !attrs[name].is_null(); }
  std::string text(const std::string &name) const { return attrs.at(name).get<std::string>(); }
};

using Results = std::vector<burn::Tensor>;
using Function = std::function<Results(const Call &)>;
using Table = std::map<std::string, Function>;

/// A function with one result.
template <typename Fn> Function one(Fn function) {
  return [function](const Call &call) { return Results{function(call)}; };
}
inline Function unary(burn::Tensor (*function)(const burn::Tensor &, burn::Where)) {
  return one([function](const Call &call) { return function(call["x"], burn::Where::current()); });
}
inline Function binary(burn::Tensor (*function)(const burn::Operand &, const burn::Operand &)) {
  return one([function](const Call &call) { return function(call["a"], call["b"]); });
}

/// All functions of the figures that there are.
const Table &functions();

} // namespace golden
