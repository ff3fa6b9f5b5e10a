// Functions of functions over long rows, which kernels compute in stages: the bits of the unfused program.
#include "passes/Pipelines/Compile.h"
#include "tools/burn-fuzz/Oracle.h"

#include <catch2/catch.hpp>

using namespace burn;
using namespace burn::fuzz;

TEST_CASE("stages: chains of functions, whole blocks and what is left of a row") {
  for (const std::string type :
       {"tensor<10000xf32>", "tensor<4097xf32>", "tensor<9999xf64>", "tensor<3x5000xf32>", "tensor<8192xbf16>"}) {
    const std::string program =
        "func.func @main(%x: " + type + ", %y: " + type + ") -> (" + type + ", " + type +
        ") {\n%a = burn.tanh %x : " + type + "\n%m = burn.mul %a, %y : " + type + "\n%b = burn.exp %m : " + type +
        "\n%c = burn.erf %b : " + type + "\n%r = burn.add %c, %a : " + type + "\n%s = burn.sin %y : " + type +
        "\n%q = burn.mul %s, %b : " + type + "\nreturn %r, %q : " + type + ", " + type + "\n}\n";
    std::unique_ptr<mlir::MLIRContext> context = compiler::makeContext();
    INFO(program);
    auto read = readProgram(*context, program, "program");
    REQUIRE(read);
    const std::string failure = findFailure(*read, {/*onHost=*/true, /*thorough=*/true, nullptr});
    INFO(failure);
    CHECK(failure.empty());
  }
}
