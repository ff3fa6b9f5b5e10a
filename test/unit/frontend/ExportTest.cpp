#include "test/unit/frontend/TemporaryFolder.h"

#include <burn/burn.h>

using namespace burn;
using Catch::Contains;

TEST_CASE("export: arguments stand in the given order under their names, numbers are constants", "[export]") {
  const TemporaryFolder folder;
  const Tensor w = tensor<float>({1, 2}), unused = tensor<float>({3}), x = tensor<float>({0, 0});
  const Tensor y = (x * 2.5) + w;
  const NamedArgument arguments[] = {{"w", w}, {"unused", unused}, {"x", x}};
  save_ir(folder / "f.mlir", {&y, 1}, arguments);
  const std::string text = readBytes(folder / "f.mlir");
  CHECK_THAT(text, Contains("func.func @main(%arg0: tensor<2xf32> {burn.name = \"w\"}, "
                            "%arg1: tensor<1xf32> {burn.name = \"unused\"}, "
                            "%arg2: tensor<2xf32> {burn.name = \"x\"}) -> tensor<2xf32>"));
  CHECK_THAT(text, Contains("burn.constant dense<2.500000e+00> : tensor<f32>"));
  CHECK_THAT(text, Contains("burn.mul %arg2, "));
  // Exporting computes nothing and leaves the program as it was.
  CHECK_FALSE(y.is_computed());
  CHECK(y.to_vector<float>() == std::vector<float>{1, 2});
}

TEST_CASE("export: what cannot stand in a function is refused", "[export]") {
  const TemporaryFolder folder;
  const Tensor w = tensor<float>({1, 2}), x = tensor<float>({0, 0});
  const Tensor y = x + w;
  const NamedArgument incomplete[] = {{"x", x}};
  CHECK_THAT(errorOf([&] { save_ir(folder / "f.mlir", {&y, 1}, incomplete); }),
             Contains("f32[2] that is not among the arguments"));
  const NamedArgument recorded[] = {{"x", x}, {"w", w}, {"y", y}};
  CHECK_THAT(errorOf([&] { save_ir(folder / "f.mlir", {&y, 1}, recorded); }), Contains("argument 'y' is recorded"));
  flush();
  const NamedArgument complete[] = {{"x", x}, {"w", w}};
  CHECK_THAT(errorOf([&] { save_ir(folder / "f.mlir", {&y, 1}, complete); }), Contains("computed already"));
  CHECK(std::filesystem::is_empty(folder.path()));
}
