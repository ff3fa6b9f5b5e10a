// The corpora of the fuzz targets, each input once.
#include "passes/Pipelines/Compile.h"
#include "test/fuzz/targets/Targets.h"

#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>

using namespace burn;

namespace {

// A crash is a failure of the whole program, so the last input that was begun is named.
void runCorpus(const std::string &name, fuzz::Target &target) {
  size_t inputs = 0;
  for (const auto &entry : std::filesystem::directory_iterator(BURN_SOURCE_DIR "/test/fuzz/corpus/" + name)) {
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    INFO(entry.path().string());
    CHECK(target(std::as_bytes(std::span(text))) == "");
    ++inputs;
  }
  CHECK(inputs > 0);
}

} // namespace

TEST_CASE("the reader of serialized graphs holds on its corpus") { runCorpus("graph", fuzz::readGraph); }

TEST_CASE("the reader of cache entries holds on its corpus") { runCorpus("cache-entry", fuzz::readCacheEntry); }

TEST_CASE("the reader of IR and the passes hold on their corpus") {
  runCorpus("ir", fuzz::readIr);
  runCorpus("graph", fuzz::readIr);
}
