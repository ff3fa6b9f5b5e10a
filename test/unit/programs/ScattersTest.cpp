// Scatters whose updates several tasks share, and those that begin by filling their result.
#include "passes/Pipelines/Compile.h"
#include "tools/burn-fuzz/Oracle.h"

#include <catch2/catch.hpp>

using namespace burn;
using namespace burn::fuzz;

TEST_CASE("scatters: many updates of few elements, into a tensor and into a number") {
  struct Case {
    std::string shape, rows, updates, element, combiner, mode, fill;
  };
  for (const Case &c : {Case{"3000x", "20000x", "20000x", "f32", "add", "check", "0.0"},
                        {"300x100x", "5000x", "5000x100x", "f32", "add", "check", ""},
                        {"7x", "9000x", "9000x", "f32", "assign", "check", "1.0"},
                        {"300x20x", "5000x", "5000x20x", "bf16", "max", "fill", "-1.0"},
                        {"300x64x", "5000x", "5000x64x", "f16", "add", "clip", "0.0"},
                        {"300x64x", "5000x", "5000x64x", "f64", "mul", "check", ""}}) {
    const bool isNumber = c.updates.find('x') + 1 == c.updates.size();
    const std::string x = "tensor<" + c.shape + c.element + ">", i = "tensor<" + c.rows + "i64>",
                      u = "tensor<" + c.updates + c.element + ">", size = c.shape.substr(0, c.shape.find('x'));
    const std::string program =
        "func.func @main(%i: " + i + ", %u: " + u + (c.fill.empty() ? ", %x: " + x : "") + ") -> (" + x + ", " + u +
        ") {\n" + (c.fill.empty() ? "" : "%x = burn.constant dense<" + c.fill + "> : " + x + "\n") +
        "%k = burn.constant dense<" + size + "> : " + i + "\n%b = burn.abs %i : " + i +
        "\n%a = burn.rem trunc %b, %k : " + i + "\n%v = burn.mul %u, %u : " + u + "\n%r = burn.scatter " + c.combiner +
        " " + c.mode + " %x, %a, %v {update_window_dims = array<i64" + (isNumber ? "" : ": 1") +
        ">, inserted_window_dims = array<i64: 0>, input_batching_dims = array<i64>, " +
        "scatter_indices_batching_dims = array<i64>, scatter_dims_to_operand_dims = array<i64: 0>, " +
        "index_vector_dim = 1 : i64} : " + x + ", " + i + ", " + u + "\nreturn %r, %v : " + x + ", " + u + "\n}\n";
    std::unique_ptr<mlir::MLIRContext> context = compiler::makeContext();
    INFO(program);
    auto read = readProgram(*context, program, "program");
    REQUIRE(read);
    const std::string failure = findFailure(*read, {/*onHost=*/true, /*thorough=*/false, nullptr});
    INFO(failure);
    CHECK(failure.empty());
  }
}
