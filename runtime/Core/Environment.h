// Environment variables whose values have no meaning.
#pragma once

#include <string_view>

namespace burn::core {

/// Says on stderr that the value of a variable is ignored, for those that have a default and no call to fail:
/// "burn: BURN_NUM_THREADS: expected a number from 1 on, got 'many'; it is ignored".
void reportIgnored(std::string_view variable, std::string_view value, std::string_view expected);

} // namespace burn::core
