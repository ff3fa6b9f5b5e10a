#include "runtime/Core/Graph.h"

#include <catch2/catch.hpp>

using namespace burn;
using namespace burn::core;

namespace {

/// main(x named "x", 2.5) = x + x, where 2.5 is held by the program.
Graph example() {
  Graph graph;
  graph.args.push_back({{DType::F32, {2}}, ArgKind::Buffer, true, false, "x"});
  graph.args.push_back({{DType::F32, {}}, ArgKind::Scalar, false, false, "", 0x40200000});
  graph.ops.push_back({OpCode::Add, {0, 0}, {}, {{DType::F32, {2}}}, {}});
  graph.results = {2};
  return graph;
}

} // namespace

TEST_CASE("graph: constants of exported programs survive a round trip", "[core]") {
  const std::vector<std::byte> bytes = serialize(example());
  const Expected<Graph> back = parseGraph(bytes);
  REQUIRE(back.isOk());
  CHECK(back->args[0].name == "x");
  CHECK(back->args[0].donated);
  CHECK_FALSE(back->args[0].constant.has_value());
  CHECK(back->args[1].constant == 0x40200000);
  CHECK(serialize(*back) == bytes);
}

TEST_CASE("graph: bytes that are cut or whose buffer claims to be a constant are refused", "[core]") {
  const std::vector<std::byte> bytes = serialize(example());
  for (size_t length = 0; length < bytes.size(); ++length)
    REQUIRE_FALSE(parseGraph(std::span(bytes).first(length)).isOk());
  Graph wrong = example();
  wrong.args[0].constant = 1;
  CHECK_FALSE(parseGraph(serialize(wrong)).isOk());
}
