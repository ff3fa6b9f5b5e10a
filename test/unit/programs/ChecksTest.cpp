// Checks that a program makes while it runs.
#include "tools/burn-fuzz/CompiledProgram.h"
#include "tools/burn-fuzz/Values.h"

#include <catch2/catch.hpp>

using namespace burn;
using namespace burn::fuzz;

namespace {

ir::HostTensor indicesOf(std::initializer_list<int64_t> values) {
  return ir::HostTensor::from(std::span<const int64_t>(values.begin(), values.size()),
                              Shape{static_cast<int64_t>(values.size())});
}

// Rows of a table, added to rows of another: two ops that check their indices.
mlir::OwningOpRef<mlir::ModuleOp> makeProgram(mlir::MLIRContext &context) {
  ProgramBuilder builder(context);
  const core::TypeDesc table{DType::F32, Shape{5, 3}}, index{DType::I64, Shape{2}};
  mlir::Value from = builder.argument(table), taken = builder.argument(index);
  mlir::Value into = builder.argument(table), given = builder.argument(index);
  mlir::Operation *rows = builder.op(core::GatherAttrs{.offset_dims = Dims{1},
                                                       .collapsed_slice_dims = Dims{0},
                                                       .operand_batching_dims = {},
                                                       .start_indices_batching_dims = {},
                                                       .start_index_map = Dims{0},
                                                       .index_vector_dim = 1,
                                                       .slice_sizes = Dims{1, 3},
                                                       .mode = core::IndexMode::Check},
                                     {from, taken});
  REQUIRE(rows);
  mlir::Operation *sum = builder.op(core::ScatterAttrs{.update_window_dims = Dims{1},
                                                       .inserted_window_dims = Dims{0},
                                                       .input_batching_dims = {},
                                                       .scatter_indices_batching_dims = {},
                                                       .scatter_dims_to_operand_dims = Dims{0},
                                                       .index_vector_dim = 1,
                                                       .combiner = core::ScatterCombiner::Add,
                                                       .mode = core::IndexMode::Check},
                                    {into, given, rows->getResult(0)});
  REQUIRE(sum);
  return builder.finish(sum->getResult(0));
}

} // namespace

TEST_CASE("An index outside of its dimension ends a program with the check that found it") {
  std::unique_ptr<mlir::MLIRContext> context = compiler::makeContext();
  mlir::OwningOpRef<mlir::ModuleOp> module = makeProgram(*context);
  Random random(1);
  const core::TypeDesc table{DType::F32, Shape{5, 3}};
  for (bool fusion : {true, false}) {
    auto program = CompiledProgram::compile(*module, portableOptions(fusion));
    REQUIRE(program);
    REQUIRE((*program)->plan().checks.size() == 2);
    const auto messageOf = [&](std::initializer_list<int64_t> taken, std::initializer_list<int64_t> given) {
      const Tensors arguments{randomTensor(table, Fill::Tame, random), indicesOf(taken),
                              randomTensor(table, Fill::Tame, random), indicesOf(given)};
      auto results = (*program)->run(arguments, Loops::Threads);
      CHECK(results.isOk() == ir::interpret(functionOf(*module), arguments).isOk());
      return results ? std::string() : results.status().message();
    };
    CHECK(messageOf({0, 4}, {4, 4}) == "");
    for (int64_t outside : {int64_t(-1), int64_t(5), INT64_MIN, INT64_MAX}) {
      CHECK(messageOf({0, outside}, {1, 2}) == (*program)->plan().checks[0].message);
      CHECK(messageOf({0, 1}, {outside, 2}) == (*program)->plan().checks[1].message);
      CHECK(messageOf({outside, 1}, {outside, 2}) == (*program)->plan().checks[0].message);
    }
    CHECK((*program)->plan().checks[0].message != (*program)->plan().checks[1].message);
  }
}
