// What compiled programs give.
#pragma once

#include "passes/Pipelines/Compile.h"
#include "tools/burn-fuzz/CompiledProgram.h"

#include <catch2/catch.hpp>

#include <string>

namespace burn::test {

/// The results of a program given as text. A program that does not compile or run fails the test.
inline fuzz::Tensors resultsOf(const std::string &text, const fuzz::Tensors &arguments,
                               const compiler::CompileOptions &options, fuzz::Loops loops = fuzz::Loops::Serial) {
  auto context = compiler::makeContext();
  auto module = compiler::parseProgram(*context, text, "program", "");
  REQUIRE(module);
  auto program = fuzz::CompiledProgram::compile(**module, options);
  if (!program)
    FAIL(program.status().message());
  auto results = (*program)->run(arguments, loops);
  if (!results)
    FAIL(results.status().message());
  return *results;
}

} // namespace burn::test
