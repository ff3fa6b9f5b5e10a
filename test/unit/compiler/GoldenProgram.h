// A case of test/data/tensor_functions.json as a function of burn ops.
#pragma once

#include <nlohmann/json.hpp>

#include <optional>
#include <string>

namespace burn::test {

/// The function over the case's inputs in the order of their names, or nothing where the dialect does not express the
/// case without further decisions of a front end.
std::optional<std::string> goldenProgram(const nlohmann::json &c);

} // namespace burn::test
