// Loads libburn-compiler, on the first cache miss or never.
#pragma once

#include "runtime/Core/Status.h"

#include <burn/compiler/evaluation.h>

#include <string>
#include <vector>

namespace burn::runtime {

/// Where the compiler is looked for: $BURN_COMPILER_PATH alone where it is set (a file, or a folder that holds one;
/// ignored in a setuid program), else beside the file that this code is in, then in the library folder of the
/// installation.
std::vector<std::string> compilerPaths();

/// Loads the compiler at the first of `paths` that exists. It stays loaded. Unavailable, with all that was tried,
/// where there is none, or one of another build.
core::Expected<const burn_compiler_api *> loadCompiler(const std::vector<std::string> &paths);

/// loadCompiler(compilerPaths()), once where it succeeds: a compiler that appears later is found later.
core::Expected<const burn_compiler_api *> compiler();

/// The table that a loaded compiler's functions are the first of.
inline const burn_compiler_table &tableOf(const burn_compiler_api &api) {
  return reinterpret_cast<const burn_compiler_table &>(api);
}

/// Takes over and frees what a function of the compiler returned.
core::Status takeStatus(const burn_compiler_api &api, burn_status *status);

} // namespace burn::runtime
