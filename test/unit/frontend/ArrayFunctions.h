// The functions of the figures in test/data/array_functions.json, by their names there.
#pragma once

#include "test/unit/frontend/GoldenFunctions.h"

namespace golden {

const Table &arrayFunctions();

} // namespace golden
