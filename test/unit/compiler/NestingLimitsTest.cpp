// Text that would overflow the stack of MLIR's parser, or take it for ever, is refused before it is parsed.
#include "passes/Pipelines/NestingLimits.h"
#include "passes/Pipelines/Compile.h"

#include <catch2/catch.hpp>

using namespace burn;
using namespace burn::compiler;

namespace {

std::string repeat(const std::string &text, int times) {
  std::string result;
  for (int i = 0; i < times; ++i)
    result += text;
  return result;
}

// A program with an attribute, behind other text.
std::string withAttribute(const std::string &attribute, const std::string &before = "") {
  return before + "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n  %y = burn.neg %x {test.a = " + attribute +
         "} : tensor<4xf32>\n  return %y : tensor<4xf32>\n}\n";
}

std::string chainOfAliases(int length, const std::string &reference) {
  std::string text = "#a0 = [1]\n";
  for (int i = 1; i < length; ++i) {
    std::string one = reference;
    for (size_t at; (at = one.find('@')) != std::string::npos;)
      one.replace(at, 1, "#a" + std::to_string(i - 1));
    text += "#a" + std::to_string(i) + " = [" + one + "]\n";
  }
  return text;
}

std::string refusal(const std::string &text) {
  auto context = makeContext();
  const auto module = parseProgram(*context, text, "program", "");
  return module ? "" : module.status().message();
}

} // namespace

TEST_CASE("brackets may be nested 256 deep") {
  // The function's own braces and those of the attributes are two.
  CHECK(refusal(withAttribute(repeat("[", 254) + repeat("]", 254))) == "");
  const std::string expected = "program: brackets are nested more than 256 deep";
  CHECK(refusal(withAttribute(repeat("[", 255) + repeat("]", 255))) == expected);
  for (const char *bracket : {"(", "[", "{", "<"})
    CHECK(refusal(repeat(bracket, 50000)) == expected);
}

TEST_CASE("strings, comments, arrows and comparisons hide no brackets and are none") {
  const std::string deep = repeat("[", 50000), expected = "program: brackets are nested more than 256 deep";
  CHECK(refusal(withAttribute(deep, "// \"\n")) == expected);
  CHECK(refusal("// \"\r" + deep) == expected);
  CHECK(refusal(withAttribute("\"\\\"\", " + deep)) == expected);
  CHECK(refusal(withAttribute("[affine_set<(d0) : (" + repeat("d0 >= 0, ", 300) + "d0 >= 0)>, " + deep)) == expected);
  CHECK(refusal(withAttribute("\"" + deep + "\"", "// " + deep + "\n")) == "");
  CHECK(refusal(withAttribute("[" + repeat("(i32) -> i32, ", 300) + "1]")) == "");
  CHECK(refusal(withAttribute("affine_set<(d0) : (" + repeat("d0 <= 0, ", 300) + "d0 >= 0)>")) == "");
}

TEST_CASE("an affine expression may have 1000 operators") {
  for (const std::string &term : {"d0 + ", "d0 - ", "2 * ", "-"}) {
    CHECK(refusal(withAttribute("affine_map<(d0) -> (" + repeat(term, 1000) + "d0)>")) == "");
    CHECK(refusal(withAttribute("affine_map<(d0) -> (" + repeat(term, 100000) + "d0)>")) ==
          "program: an expression has more than 1000 operators");
  }
  for (const std::string &term : {" mod 7", " floordiv 7", " ceildiv 7"})
    CHECK(refusal(withAttribute("affine_map<(d0) -> (d0" + repeat(term, 100000) + ")>")) ==
          "program: an expression has more than 1000 operators");
}

TEST_CASE("aliases count as what they stand for") {
  CHECK(refusal(withAttribute("#a200", chainOfAliases(201, "@"))) == "");
  CHECK(refusal(withAttribute("#a99999", chainOfAliases(100000, "@"))) ==
        "program: brackets are nested more than 256 deep");
  CHECK(refusal(withAttribute("#a15", chainOfAliases(16, "@, @"))) == "");
  CHECK(refusal(withAttribute("#a60", chainOfAliases(61, "@, @"))) ==
        "program: aliases stand for more than 1000000 others");
  // Results of an op are numbered with the sign of an alias.
  CHECK(exceededNesting("%0:2 = \"test.op\"() : () -> (i32, i32)\n" +
                        repeat("\"test.use\"(%0#1) : (i32) -> ()\n", 2000)) == "");
}
