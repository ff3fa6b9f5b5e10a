#include "test/unit/compiler/KernelRun.h"

using namespace burn;
using namespace burn::test;

namespace {

// One op over %a, %b, ... as a cluster.
void checkOp(const std::vector<std::string> &types, const std::string &results, int count, const std::string &op,
             const ClusterCheck &check = {}) {
  std::string arguments, operands, list, block, names;
  for (size_t i = 0; i != types.size(); ++i) {
    const std::string comma = i ? ", " : "", name(1, char('a' + i));
    arguments += comma + "%" + name + "0: " + types[i];
    operands += comma + "%" + name + "0";
    list += comma + types[i];
    block += comma + "%" + name + ": " + types[i];
  }
  for (int i = 0; i != count; ++i)
    names += (i ? ", %s#" : "%s#") + std::to_string(i);
  checkCluster(arguments,
               "%r:" + std::to_string(count) + " = burn.fused single (" + operands + ") : (" + list + ") -> (" +
                   results + ") {\n^bb0(" + block + "):\n%s:" + std::to_string(count) + " = " + op + "\nburn.yield " +
                   names + " : " + results + "\n}",
               check);
}

template <typename T> ir::HostTensor indicesOf(std::vector<T> values, Shape shape) {
  return tensor(std::move(values), shape);
}

ir::HostTensor withTies(Shape shape, int levels) {
  ir::HostTensor x(core::TypeDesc{DType::F32, shape});
  std::mt19937 random(5);
  for (float &element : x.data<float>())
    element = float(int(random() % levels));
  if (x.numel() > 30)
    x.data<float>()[29] = NAN, x.data<float>()[17] = NAN, x.data<float>()[3] = -0.f;
  return x;
}

} // namespace

TEST_CASE("arg_reduce: first extremum, first NaN, along any axis") {
  struct Case {
    Shape shape;
    int axis;
  };
  for (const Case &c : {Case{Shape{64, 10}, 1},
                        {Shape{5, 1}, 1},
                        {Shape{7, 16}, 1},
                        {Shape{3, 1000}, 1},
                        {Shape{33}, 0},
                        {Shape{50, 40}, 0},
                        {Shape{4, 6, 21}, 1},
                        {Shape{1, 9}, 0},
                        {Shape{40003}, 0}, // in blocks
                        {Shape{3, 40000}, 1}}) {
    std::string in = "tensor<", out = "tensor<";
    for (unsigned i = 0; i != c.shape.rank(); ++i) {
      in += std::to_string(c.shape[i]) + "x";
      if (int(i) != c.axis)
        out += std::to_string(c.shape[i]) + "x";
    }
    for (std::string kind : {"max", "min"})
      checkOp({in + "f32>"}, out + "f32>, " + out + "i64>", 2,
              "burn.arg_reduce " + kind + " %a {axis = " + std::to_string(c.axis) + "} : " + in + "f32> to " + out +
                  "f32>, " + out + "i64>",
              {.largest = 100, .operands = {{0, withTies(c.shape, 5)}}});
    checkOp({in + "ui8>"}, out + "ui8>, " + out + "i64>", 2,
            "burn.arg_reduce max %a {axis = " + std::to_string(c.axis) + "} : " + in + "ui8> to " + out + "ui8>, " +
                out + "i64>");
  }
}

TEST_CASE("reduce_window: pooling with padding and dilation") {
  for (std::string kind : {"sum", "max"}) {
    checkOp({"tensor<2x3x12x14xf32>"}, "tensor<2x3x6x7xf32>", 1,
            "burn.reduce_window " + kind +
                " %a {window = array<i64: 1, 1, 2, 2>, strides = array<i64: 1, 1, 2, 2>, pad_low = array<i64: 0, 0, 0, "
                "0>, pad_high = array<i64: 0, 0, 0, 0>, base_dilation = array<i64: 1, 1, 1, 1>, window_dilation = "
                "array<i64: 1, 1, 1, 1>} : tensor<2x3x12x14xf32> to tensor<2x3x6x7xf32>");
    checkOp({"tensor<2x11x13x20xf16>"}, "tensor<2x6x7x20xf16>", 1,
            "burn.reduce_window " + kind +
                " %a {window = array<i64: 1, 3, 3, 1>, strides = array<i64: 1, 2, 2, 1>, pad_low = array<i64: 0, 1, 1, "
                "0>, pad_high = array<i64: 0, 1, 1, 0>, base_dilation = array<i64: 1, 1, 1, 1>, window_dilation = "
                "array<i64: 1, 1, 1, 1>} : tensor<2x11x13x20xf16> to tensor<2x6x7x20xf16>");
    checkOp(
        {"tensor<50xi32>"}, "tensor<79xi32>", 1,
        "burn.reduce_window " + kind +
            " %a {window = array<i64: 20>, strides = array<i64: 1>, pad_low = array<i64: 9>, pad_high = array<i64: "
            "9>, base_dilation = array<i64: 2>, window_dilation = array<i64: 2>} : tensor<50xi32> to tensor<79xi32>");
  }
}

TEST_CASE("arg_reduce_window: places of pooling") {
  checkOp({"tensor<2x3x12x14xf32>"}, "tensor<2x3x6x7xf32>, tensor<2x3x6x7xi64>", 2,
          "burn.arg_reduce_window max %a {window = array<i64: 1, 1, 2, 2>, strides = array<i64: 1, 1, 2, 2>, pad_low = "
          "array<i64: 0, 0, 0, 0>, pad_high = array<i64: 0, 0, 0, 0>, window_dilation = array<i64: 1, 1, 1, 1>, "
          "index_dims = array<i64: 2, 3>} : tensor<2x3x12x14xf32> to tensor<2x3x6x7xf32>, tensor<2x3x6x7xi64>",
          {.largest = 100, .operands = {{0, withTies(Shape{2, 3, 12, 14}, 4)}}});
  checkOp({"tensor<3x40xf32>"}, "tensor<3x43xf32>, tensor<3x43xi64>", 2,
          "burn.arg_reduce_window min %a {window = array<i64: 1, 20>, strides = array<i64: 1, 1>, pad_low = "
          "array<i64: 0, 20>, pad_high = array<i64: 0, 2>, window_dilation = array<i64: 1, 1>, "
          "index_dims = array<i64: 1>} : tensor<3x40xf32> to tensor<3x43xf32>, tensor<3x43xi64>",
          {.largest = 100, .operands = {{0, withTies(Shape{3, 40}, 4)}}});
}

TEST_CASE("gather: rows, elements, batches, and starts outside") {
  for (std::string mode : {"check", "clip", "fill", "assume_valid"}) {
    const bool wild = mode == "clip" || mode == "fill";
    auto rows =
        wild ? indicesOf<int64_t>({3, -1, 9, 10, 0, 100}, Shape{6}) : indicesOf<int64_t>({3, 1, 9, 2, 0, 7}, Shape{6});
    checkOp({"tensor<10x37xf32>", "tensor<6xi64>"}, "tensor<6x37xf32>", 1,
            "burn.gather " + mode +
                " %a, %b {offset_dims = array<i64: 1>, collapsed_slice_dims = array<i64: 0>, operand_batching_dims = "
                "array<i64>, start_indices_batching_dims = array<i64>, start_index_map = array<i64: 0>, "
                "index_vector_dim = 1 : i64, slice_sizes = array<i64: 1, 37>} : tensor<10x37xf32>, tensor<6xi64> to "
                "tensor<6x37xf32>",
            {.largest = 100, .operands = {{1, rows}}});
    // Elements along the last dim, one per row: what a cross entropy reads.
    auto labels =
        wild ? indicesOf<int32_t>({3, -1, 9, 10, 0}, Shape{5}) : indicesOf<int32_t>({3, 1, 9, 2, 0}, Shape{5});
    checkOp({"tensor<5x10xf32>", "tensor<5xi32>"}, "tensor<5xf32>", 1,
            "burn.gather " + mode +
                " %a, %b {offset_dims = array<i64>, collapsed_slice_dims = array<i64: 1>, operand_batching_dims = "
                "array<i64: 0>, start_indices_batching_dims = array<i64: 0>, start_index_map = array<i64: 1>, "
                "index_vector_dim = 1 : i64, slice_sizes = array<i64: 1, 1>} : tensor<5x10xf32>, tensor<5xi32> to "
                "tensor<5xf32>",
            {.largest = 100, .operands = {{1, labels}}});
    // Windows of two rows, index vectors of two components in the first dim.
    auto pairs = wild ? indicesOf<int64_t>({0, 5, -3, 2, 7, 1}, Shape{2, 3})
                      : indicesOf<int64_t>({0, 5, 3, 2, 4, 1}, Shape{2, 3});
    checkOp(
        {"tensor<8x9x4xf32>", "tensor<2x3xi64>"}, "tensor<2x3x3x4xf32>", 1,
        "burn.gather " + mode +
            " %a, %b {offset_dims = array<i64: 0, 2, 3>, collapsed_slice_dims = array<i64>, operand_batching_dims = "
            "array<i64>, start_indices_batching_dims = array<i64>, start_index_map = array<i64: 1, 0>, "
            "index_vector_dim = 0 : i64, slice_sizes = array<i64: 2, 3, 4>} : tensor<8x9x4xf32>, tensor<2x3xi64> to "
            "tensor<2x3x3x4xf32>",
        {.largest = 100, .operands = {{1, pairs}}});
  }
}

TEST_CASE("scatter: rows, elements with repetition, batches, and starts outside") {
  for (std::string mode : {"check", "clip"})
    for (std::string combiner : {"assign", "add", "mul", "max", "min"}) {
      const bool wild = mode == "clip";
      auto rows =
          wild ? indicesOf<int64_t>({3, -1, 3, 10, 0, 3}, Shape{6}) : indicesOf<int64_t>({3, 1, 3, 2, 0, 3}, Shape{6});
      checkOp({"tensor<10x37xf32>", "tensor<6xi64>", "tensor<6x37xf32>"}, "tensor<10x37xf32>", 1,
              "burn.scatter " + combiner + " " + mode +
                  " %a, %b, %c {update_window_dims = array<i64: 1>, inserted_window_dims = array<i64: 0>, "
                  "input_batching_dims = array<i64>, scatter_indices_batching_dims = array<i64>, "
                  "scatter_dims_to_operand_dims = array<i64: 0>, index_vector_dim = 1 : i64} : tensor<10x37xf32>, "
                  "tensor<6xi64>, tensor<6x37xf32>",
              {.largest = 100, .operands = {{1, rows}}});
      auto labels = wild ? indicesOf<int32_t>({3, -1, 9, 10, 0, 9}, Shape{2, 3})
                         : indicesOf<int32_t>({3, 3, 9, 2, 0, 2}, Shape{2, 3});
      checkOp({"tensor<2x10xi32>", "tensor<2x3xi32>", "tensor<2x3xi32>"}, "tensor<2x10xi32>", 1,
              "burn.scatter " + combiner + " " + mode +
                  " %a, %b, %c {update_window_dims = array<i64>, inserted_window_dims = array<i64: 1>, "
                  "input_batching_dims = array<i64: 0>, scatter_indices_batching_dims = array<i64: 0>, "
                  "scatter_dims_to_operand_dims = array<i64: 1>, index_vector_dim = 2 : i64} : tensor<2x10xi32>, "
                  "tensor<2x3xi32>, tensor<2x3xi32>",
              {.largest = 100, .operands = {{1, labels}}});
      // Overlapping windows before the scatter dims.
      auto starts = wild ? indicesOf<int64_t>({0, 1, 5, 6}, Shape{4}) : indicesOf<int64_t>({0, 1, 5, 2}, Shape{4});
      checkOp({"tensor<8xf32>", "tensor<4xi64>", "tensor<3x4xf32>"}, "tensor<8xf32>", 1,
              "burn.scatter " + combiner + " " + mode +
                  " %a, %b, %c {update_window_dims = array<i64: 0>, inserted_window_dims = array<i64>, "
                  "input_batching_dims = array<i64>, scatter_indices_batching_dims = array<i64>, "
                  "scatter_dims_to_operand_dims = array<i64: 0>, index_vector_dim = 1 : i64} : tensor<8xf32>, "
                  "tensor<4xi64>, tensor<3x4xf32>",
              {.largest = 100, .operands = {{1, starts}}});
    }
}

TEST_CASE("a broken index is reported") {
  auto context = makeKernelContext();
  auto module = mlir::parseSourceString<mlir::ModuleOp>(R"(
    func.func @main(%a0: tensor<5x10xf32>, %b0: tensor<5xi32>) {
      %r = burn.fused single (%a0, %b0) : (tensor<5x10xf32>, tensor<5xi32>) -> tensor<5xf32> {
      ^bb0(%a: tensor<5x10xf32>, %b: tensor<5xi32>):
        %s = burn.gather check %a, %b {offset_dims = array<i64>, collapsed_slice_dims = array<i64: 1>,
            operand_batching_dims = array<i64: 0>, start_indices_batching_dims = array<i64: 0>,
            start_index_map = array<i64: 1>, index_vector_dim = 1 : i64, slice_sizes = array<i64: 1, 1>}
            : tensor<5x10xf32>, tensor<5xi32> to tensor<5xf32>
        burn.yield %s : tensor<5xf32>
      }
      return
    })",
                                                        context.get());
  REQUIRE(module);
  auto function = *module->getOps<mlir::func::FuncOp>().begin();
  const ir::HostTensor x = randomTensor((*function.getOps<ir::FusedOp>().begin()).getOperand(0).getType(), 1);
  for (auto [values, failed] :
       {std::pair(std::vector<int32_t>{0, 1, 2, 3, 9}, 0), {{0, 1, 2, 3, 10}, 1}, {{-1, 1, 2, 3, 4}, 1}}) {
    CompiledCluster compiled(*function.getOps<ir::FusedOp>().begin(), kernelTargets()[0]);
    REQUIRE(compiled.ok);
    const ir::HostTensor labels = indicesOf<int32_t>(values, Shape{5});
    int failedCheck = -1;
    compiled.run({&x, &labels}, &failedCheck);
    CHECK(failedCheck == failed);
  }
}
