// What the main functions of tools share.
#pragma once

#include <cstdio>
#include <exception>
#include <iostream>

namespace burn::tools {

/// Runs the body of a tool and gives its exit code, or 1 with a message where it throws. So too where what it printed
/// was not taken: nobody has the results then, whatever the body says.
template <typename Body> int runTool(const char *name, const Body &body) {
  int code = 1;
  try {
    code = body();
  } catch (const std::exception &error) {
    std::fprintf(stderr, "%s: %s\n", name, error.what());
    return 1;
  }
  std::cout.flush();
  const bool isTaken = std::fflush(stdout) == 0 && !std::ferror(stdout) && std::cout.good();
  if (isTaken)
    return code;
  std::fprintf(stderr, "%s: cannot write the results to the standard output\n", name);
  return 1;
}

} // namespace burn::tools
