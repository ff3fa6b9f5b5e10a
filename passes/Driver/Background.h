// Work behind the back of the program.
#pragma once

namespace burn::compiler {

/// burn_compiler_api::run_in_background.
int runInBackground(void (*job)(void *arg, int cancelled), void *arg);

} // namespace burn::compiler
