// Folds and canonicalizations keep every bit: the functions of their lit tests, run before and after, on inputs full of
// special values.
#include "Interpret.h"

#include "dialects/Burn/Interpreter/Bounds.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

#include <cmath>
#include <fstream>
#include <random>
#include <sstream>

using namespace burn;
using namespace burn::ir;
using namespace burn::test;

namespace {

std::vector<std::string> sections(const std::string &file) {
  std::ifstream stream(std::string(BURN_SOURCE_DIR) + "/" + file);
  REQUIRE(stream);
  std::vector<std::string> result(1);
  for (std::string line; std::getline(stream, line);)
    if (line == "// -----")
      result.emplace_back();
    else
      result.back() += line + "\n";
  return result;
}

HostTensor special(const core::TypeDesc &type, uint64_t seed) {
  std::mt19937_64 random(seed);
  HostTensor result(type);
  const double edges[] = {0.0, -0.0, 1, -1, INFINITY, -INFINITY, NAN, 1e-42, 3e38, 2.5};
  for (int64_t i = 0; i < type.numel(); ++i)
    visitDType(type.dtype, [&]<typename T>(T) {
      if constexpr (std::is_integral_v<T>)
        result.data<T>()[i] = static_cast<T>(random());
      else
        result.data<T>()[i] = static_cast<T>(random() % 2 ? edges[random() % std::size(edges)]
                                                          : static_cast<double>(random() % 1000) / 100 - 5);
    });
  return result;
}

} // namespace

TEST_CASE("rewrites: canonical form keeps every bit") {
  int functions = 0;
  for (const char *file : {"test/dialects/burn/fold.mlir", "test/dialects/burn/canonicalize.mlir"})
    for (const std::string &section : sections(file)) {
      INFO(section);
      Program before(section), after(section);
      mlir::PassManager passes(&after.context);
      passes.addPass(mlir::createCanonicalizerPass());
      REQUIRE(mlir::succeeded(passes.run(*after.module)));
      for (uint64_t seed = 0; seed < 20; ++seed) {
        std::vector<HostTensor> arguments;
        for (mlir::Type type : before.function().getArgumentTypes())
          arguments.push_back(special(*toTypeDesc(type), seed * 10 + arguments.size()));
        const auto want = before.run(arguments), got = after.run(arguments);
        for (size_t i = 0; i < want.size(); ++i) {
          const Comparison comparison = compareExact(want[i], got[i]);
          INFO("result " << i << ": " << comparison.message);
          CHECK(comparison);
        }
      }
      ++functions;
    }
  CHECK(functions >= 15);
}
