#include "runtime/Compiler/CompilerLibrary.h"
#include "runtime/Compiler/Plans.h"
#include "runtime/Core/BuildId.h"

#include "CacheFixture.h"

#include <catch2/catch.hpp>

using namespace burn::runtime;
using namespace burn::runtime::test;
using burn::core::ErrorCode;

namespace {

/// The message of the error that a child process prints with the environment given; empty where there is none.
std::string messageWith(const std::vector<std::pair<std::string, std::string>> &environment,
                        const std::function<burn::core::Status()> &body) {
  TemporaryFolder folder;
  const int code = inChild([&] {
    for (const auto &[name, value] : environment)
      setenv(name.c_str(), value.c_str(), 1);
    const burn::core::Status status = body();
    writeFile(folder / "message", bytesOf(status.message()));
    return status ? 0 : static_cast<int>(status.code());
  });
  const auto bytes = readFile(folder / "message");
  return (code ? std::to_string(code) + ": " : "") +
         std::string(reinterpret_cast<const char *>(bytes.data()), bytes.size());
}

burn::core::Status loadFixture() { return loadCompiler({fixturePath("Compiler")}).status(); }

} // namespace

TEST_CASE("a compiler of another build or interface is refused", "[compiler]") {
  const std::string path = fixturePath("Compiler"), ours = burn::core::compilerBuildId();
  CHECK(messageWith({{"FIXTURE_BUILD_ID", ours}}, loadFixture).empty());
  CHECK(messageWith({}, loadFixture) == "7: the compiler library " + path +
                                            " is of build 00000000000000000000000000000000, this libburn belongs to "
                                            "build " +
                                            ours + "; install both from the same build");
  CHECK(messageWith({{"FIXTURE_ABI", "9"}}, loadFixture) ==
        "7: the compiler library " + path + " does not speak version 1 of the interface");
}

TEST_CASE("what is no compiler library is named", "[compiler]") {
  const auto missing = loadCompiler({"/nowhere/a.so", "/nowhere/b.so"});
  REQUIRE(!missing);
  CHECK(missing.status().code() == ErrorCode::Unavailable);
  CHECK(missing.status().message() == "the compiler library was not found; looked for /nowhere/a.so, /nowhere/b.so");
  const auto other = loadCompiler({fixturePath("AddOne")});
  REQUIRE(!other);
  CHECK(other.status().message() ==
        fixturePath("AddOne") + " is not a compiler library: it has no burn_compiler_get_api");
  TemporaryFolder folder;
  writeFile(folder / "broken.so", bytesOf("not an ELF file"));
  const auto broken = loadCompiler({folder / "broken.so"});
  REQUIRE(!broken);
  CHECK(broken.status().message().find(folder / "broken.so") != std::string::npos);
}

TEST_CASE("BURN_COMPILER_PATH names a file or a folder", "[compiler]") {
  const auto paths = [](const char *value) {
    const char *old = std::getenv("BURN_COMPILER_PATH");
    const std::string kept = old ? old : "";
    setenv("BURN_COMPILER_PATH", value, 1);
    const auto result = compilerPaths();
    old ? setenv("BURN_COMPILER_PATH", kept.c_str(), 1) : unsetenv("BURN_COMPILER_PATH");
    return result;
  };
  CHECK(paths("/x/my-compiler.so") == std::vector<std::string>{"/x/my-compiler.so"});
  CHECK(paths("/usr") == std::vector<std::string>{"/usr/libburn-compiler.so"});
  const auto defaults = paths("");
  REQUIRE(defaults.size() == 2);
  CHECK(defaults[0] == std::string(BURN_BINARY_DIR "/test/unit/libburn-compiler.so"));
}

TEST_CASE("a miss without a compiler says what is missing", "[compiler]") {
  TemporaryFolder folder;
  const auto ask = [] { return planForGraph(bytesOf("abc"), {}).status(); };
  CHECK(messageWith({{"BURN_COMPILER_PATH", "/nowhere/c.so"}, {"BURN_CACHE_DIR", folder.path()}}, ask) ==
        "7: the kernel cache " + folder.path() +
            " has no plan for this program, and the compiler library was not found; looked for /nowhere/c.so");
  CHECK(messageWith({{"BURN_COMPILER_PATH", "/nowhere/c.so"}, {"BURN_CACHE_DIR", folder.path() + "/new"}}, ask) ==
        "7: the kernel cache " + folder.path() +
            "/new does not exist yet, and the compiler library was not found; looked for /nowhere/c.so");
  CHECK(messageWith({{"BURN_COMPILER_PATH", "/nowhere/c.so"}, {"BURN_CACHE", "off"}}, ask) ==
        "7: the kernel cache is off, and the compiler library was not found; looked for /nowhere/c.so");
}

TEST_CASE("an error of the compiler keeps its code, text and locations", "[compiler]") {
  TemporaryFolder folder;
  const auto ask = [] {
    const burn::core::Status status = planForGraph(bytesOf("abc"), {}).status();
    if (status.locations() != std::vector<uint32_t>{7, 3})
      return burn::core::Status::invalid("wrong locations");
    return status;
  };
  CHECK(messageWith({{"BURN_COMPILER_PATH", fixturePath("Compiler")},
                     {"BURN_CACHE_DIR", folder.path()},
                     {"FIXTURE_BUILD_ID", burn::core::compilerBuildId()}},
                    ask) == "6: three bytes");
}

TEST_CASE("a key holds everything that changes code", "[compiler]") {
  const auto program = bytesOf("program");
  const CpuTarget target{"x86-64-v3", "+avx2"};
  const auto key = makePlanKey(SourceKind::Graph, program, {}, target);
  CHECK(key == makePlanKey(SourceKind::Graph, program, {}, target));
  CHECK(key != makePlanKey(SourceKind::Mlir, program, {}, target));
  CHECK(key != makePlanKey(SourceKind::Graph, bytesOf("Program"), {}, target));
  CHECK(key != makePlanKey(SourceKind::Graph, program, {.fusion = false}, target));
  CHECK(key != makePlanKey(SourceKind::Graph, program, {.deterministic = false}, target));
  CHECK(key != makePlanKey(SourceKind::Graph, program, {.fastMath = true}, target));
  CHECK(key != makePlanKey(SourceKind::Graph, program, {}, {"x86-64-v4", "+avx2"}));
  CHECK(key != makePlanKey(SourceKind::Graph, program, {}, {"x86-64-v3", "+avx2,+fma"}));
  // Parts do not run into each other.
  CHECK(makePlanKey(SourceKind::Graph, bytesOf("b"), {}, {"x", "a"}) !=
        makePlanKey(SourceKind::Graph, bytesOf("ab"), {}, {"x", ""}));

  const auto parts = parsePlanKey(key);
  REQUIRE(parts);
  CHECK(parts->buildId == burn::core::compilerBuildId());
  CHECK(parts->target == target);
  CHECK(parts->options == PlanOptions{});
  CHECK(std::equal(parts->program.begin(), parts->program.end(), program.begin(), program.end()));
  for (size_t size = 0; size < 60; ++size)
    CHECK(!parsePlanKey(Bytes(key).first(size)));
}
