// Programs that were compiled wrongly once.
#include "passes/Pipelines/Compile.h"
#include "tools/burn-fuzz/Oracle.h"

#include <catch2/catch.hpp>

using namespace burn;
using namespace burn::fuzz;

namespace {

// With tame arguments.
void check(const char *text) {
  std::unique_ptr<mlir::MLIRContext> context = compiler::makeContext();
  auto program = readProgram(*context, text, "program");
  REQUIRE(program);
  for (bool onHost : {false, true}) {
    const std::string failure = findFailure(*program, {onHost, /*thorough=*/true, nullptr});
    INFO(failure);
    CHECK(failure.empty());
  }
}

} // namespace

TEST_CASE("Rows that padding makes read nothing beyond the lanes of a row") {
  check(R"(
    func.func @main(%x: tensor<13x13x2xf32>, %v: tensor<f32>) -> (tensor<13x13x2xf32>, tensor<13x2xf32>) {
      %p = burn.pad %x, %v {low = array<i64: 0, 2, 0>, high = array<i64: 0, -2, 0>, interior = array<i64: 0, 0, 0>}
          : tensor<13x13x2xf32>, tensor<f32> to tensor<13x13x2xf32>
      %s = burn.reduce sum %p {dims = array<i64: 1>} : tensor<13x13x2xf32> to tensor<13x2xf32>
      %b = burn.broadcast %s {dims = array<i64: 0, 2>} : tensor<13x2xf32> to tensor<13x13x2xf32>
      %r = burn.add %p, %b : tensor<13x13x2xf32>
      return %r, %s : tensor<13x13x2xf32>, tensor<13x2xf32>
    })");
}

TEST_CASE("Elements that padding makes in two dimensions read nothing beyond the lanes of a row") {
  check(R"(
    func.func @main(%x: tensor<13x4xf32>, %v: tensor<f32>) -> (tensor<13x5xf32>, tensor<5xf32>) {
      %p = burn.pad %x, %v {low = array<i64: 2, 1>, high = array<i64: -2, 0>, interior = array<i64: 0, 0>}
          : tensor<13x4xf32>, tensor<f32> to tensor<13x5xf32>
      %s = burn.reduce sum %p {dims = array<i64: 0>} : tensor<13x5xf32> to tensor<5xf32>
      %b = burn.broadcast %s {dims = array<i64: 1>} : tensor<5xf32> to tensor<13x5xf32>
      %r = burn.add %p, %b : tensor<13x5xf32>
      return %r, %s : tensor<13x5xf32>, tensor<5xf32>
    })");
}

TEST_CASE("Arithmetic on scalars has a kernel where a reshaped buffer is made of it") {
  check(R"(
    func.func @main(%a: tensor<f32>, %b: tensor<f32>) -> (tensor<1xf32>, tensor<f32>) {
      %s = burn.add %a, %b : tensor<f32>
      %v = burn.reshape %s : tensor<f32> to tensor<1xf32>
      %t = burn.reduce sum %v {dims = array<i64: 0>} : tensor<1xf32> to tensor<f32>
      %c = burn.ceil %t : tensor<f32>
      %zero = burn.constant dense<0.0> : tensor<1xf32>
      %d = burn.sub %v, %zero : tensor<1xf32>
      return %d, %c : tensor<1xf32>, tensor<f32>
    })");
}

TEST_CASE("A row of one element more than whole vectors is stored in its own width") {
  check(R"(
    func.func @main(%a: tensor<65xf32>, %b: tensor<17x65xf32>, %c: tensor<33xi32>)
        -> (tensor<17xbf16>, tensor<33xui8>, tensor<33xi1>) {
      %p = burn.dot_general %a, %b {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 0>,
          rhs_contract = array<i64: 1>} : tensor<65xf32>, tensor<17x65xf32> to tensor<17xf32>
      %r = burn.convert %p : tensor<17xf32> to tensor<17xbf16>
      %u = burn.convert %c : tensor<33xi32> to tensor<33xui8>
      %l = burn.compare lt %c, %c : tensor<33xi32>
      return %r, %u, %l : tensor<17xbf16>, tensor<33xui8>, tensor<33xi1>
    })");
}
