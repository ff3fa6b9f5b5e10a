#include "test/unit/programs/OpCases.h"

using namespace burn;
using namespace burn::test;
using core::IndexMode;
using core::OpCode;
using core::ScatterCombiner;

namespace {

const IndexMode kModes[] = {IndexMode::Check, IndexMode::Clip, IndexMode::Fill, IndexMode::AssumeValid};

bool mayLeave(IndexMode mode) { return mode == IndexMode::Clip || mode == IndexMode::Fill; }

// Rows of a table by number.
void addTake(OpCases &cases, DType dtype, DType indexType, IndexMode mode, int64_t rows, int64_t columns,
             const Shape &indices, Fill fill = Fill::Tame) {
  // Outside on both sides; an unsigned index far outside.
  const bool isSigned = isSignedInt(indexType);
  mlir::Value index = fill == Fill::Wild ? cases.input(indexType, indices, fill)
                      : mayLeave(mode)
                          ? cases.indices(indexType, indices, isSigned ? -rows : 0, isSigned ? 2 * rows : 255)
                          : cases.indices(indexType, indices, 0, rows - 1);
  const auto rank = static_cast<int64_t>(indices.rank());
  cases.add(core::GatherAttrs{.offset_dims = Dims{rank},
                              .collapsed_slice_dims = Dims{0},
                              .operand_batching_dims = {},
                              .start_indices_batching_dims = {},
                              .start_index_map = Dims{0},
                              .index_vector_dim = rank,
                              .slice_sizes = Dims{1, columns},
                              .mode = mode},
            {cases.input(dtype, Shape{rows, columns}, Fill::Wild), index});
}

void addGather(OpCases &cases) {
  for (DType dtype : kMoved)
    addTake(cases, dtype, DType::I64, IndexMode::Check, 11, 5, Shape{7});
  for (DType indexType : kIntegers)
    for (IndexMode mode : kModes)
      addTake(cases, DType::F32, indexType, mode, 11, 17, Shape{3, 7});
  for (DType indexType : kIntegers)
    for (IndexMode mode : {IndexMode::Clip, IndexMode::Fill})
      addTake(cases, DType::F32, indexType, mode, 11, 3, Shape{97}, Fill::Wild);
  addTake(cases, DType::F32, DType::I64, IndexMode::Check, 1, 3, Shape{});
  addTake(cases, DType::F32, DType::I64, IndexMode::Clip, 5, 3, Shape{0});
  addTake(cases, DType::F32, DType::I32, IndexMode::Fill, 5, 0, Shape{3});
  addTake(cases, DType::F32, DType::I64, IndexMode::Check, 997, 64, Shape{701});
  for (IndexMode mode : kModes) {
    const bool outside = mayLeave(mode);
    // Windows of two dimensions at vectors of indices, the vector in the first dimension.
    cases.add(core::GatherAttrs{.offset_dims = Dims{0, 2},
                                .collapsed_slice_dims = Dims{1},
                                .operand_batching_dims = {},
                                .start_indices_batching_dims = {},
                                .start_index_map = Dims{2, 0},
                                .index_vector_dim = 0,
                                .slice_sizes = Dims{2, 1, 3},
                                .mode = mode},
              {cases.input(DType::F32, Shape{5, 1, 7}, Fill::Wild),
               cases.indices(DType::I64, Shape{2, 6}, outside ? -3 : 0, outside ? 9 : 3)});
    // Batching dimensions, and a start beyond them.
    cases.add(core::GatherAttrs{.offset_dims = Dims{2},
                                .collapsed_slice_dims = Dims{1},
                                .operand_batching_dims = Dims{0},
                                .start_indices_batching_dims = Dims{0},
                                .start_index_map = Dims{1},
                                .index_vector_dim = 2,
                                .slice_sizes = Dims{1, 1, 4},
                                .mode = mode},
              {cases.input(DType::F32, Shape{3, 5, 4}, Fill::Wild),
               cases.indices(DType::I32, Shape{3, 6}, outside ? -2 : 0, outside ? 7 : 4)});
  }
}

struct ScatterRows {
  DType dtype = DType::F32, indexType = DType::I64;
  ScatterCombiner combiner = ScatterCombiner::Add;
  IndexMode mode = IndexMode::Check;
  int64_t rows = 11, columns = 5;
  Shape indices{7};
  Fill fill = Fill::Tame, indexFill = Fill::Tame;
};

void addRows(OpCases &cases, const ScatterRows &c) {
  const auto rank = static_cast<int64_t>(c.indices.rank());
  const bool outside = mayLeave(c.mode), isSigned = isSignedInt(c.indexType);
  Shape updates = c.indices;
  updates.push(c.columns);
  mlir::Value index = c.indexFill == Fill::Wild
                          ? cases.input(c.indexType, c.indices, c.indexFill)
                          : cases.indices(c.indexType, c.indices, outside && isSigned ? -3 : 0,
                                          outside ? c.rows + 3 : std::max<int64_t>(c.rows - 1, 0));
  cases.add(core::ScatterAttrs{.update_window_dims = Dims{rank},
                               .inserted_window_dims = Dims{0},
                               .input_batching_dims = {},
                               .scatter_indices_batching_dims = {},
                               .scatter_dims_to_operand_dims = Dims{0},
                               .index_vector_dim = rank,
                               .combiner = c.combiner,
                               .mode = c.mode},
            {cases.input(c.dtype, Shape{c.rows, c.columns}, c.fill), index, cases.input(c.dtype, updates, c.fill)});
}

void addScatter(OpCases &cases) {
  for (DType dtype : kMoved)
    addRows(cases, {.dtype = dtype, .combiner = ScatterCombiner::Assign, .fill = Fill::Wild});
  for (DType dtype : kNumbers)
    for (ScatterCombiner combiner :
         {ScatterCombiner::Add, ScatterCombiner::Mul, ScatterCombiner::Max, ScatterCombiner::Min})
      addRows(cases, {.dtype = dtype, .combiner = combiner, .indices = Shape{2, 9}, .fill = Fill::Spoilt});
  // Sums of many terms, accumulated in f32.
  for (DType dtype : {DType::F16, DType::BF16})
    for (ScatterCombiner combiner :
         {ScatterCombiner::Add, ScatterCombiner::Mul, ScatterCombiner::Max, ScatterCombiner::Min})
      addRows(cases, {.dtype = dtype,
                      .combiner = combiner,
                      .mode = IndexMode::Clip,
                      .rows = 3,
                      .indices = Shape{200},
                      .fill = combiner == ScatterCombiner::Mul ? Fill::Positive : Fill::Tame});
  for (DType dtype : {DType::F16, DType::BF16})
    addRows(cases, {.dtype = dtype, .mode = IndexMode::Clip, .rows = 0});
  for (DType indexType : kIntegers)
    for (IndexMode mode : kModes)
      addRows(cases, {.indexType = indexType, .mode = mode, .columns = 17});
  for (DType indexType : kIntegers)
    for (IndexMode mode : {IndexMode::Clip, IndexMode::Fill})
      addRows(cases,
              {.indexType = indexType, .mode = mode, .columns = 3, .indices = Shape{97}, .indexFill = Fill::Wild});
  addRows(cases, {.indices = Shape{}});
  addRows(cases, {.indices = Shape{0}});
  addRows(cases, {.columns = 0});
  addRows(cases, {.rows = 0, .columns = 0, .indices = Shape{0}});
  addRows(cases, {.rows = 997, .columns = 64, .indices = Shape{701}});
  for (IndexMode mode : kModes) {
    const bool outside = mayLeave(mode);
    cases.add(core::ScatterAttrs{.update_window_dims = Dims{0, 2},
                                 .inserted_window_dims = Dims{1},
                                 .input_batching_dims = {},
                                 .scatter_indices_batching_dims = {},
                                 .scatter_dims_to_operand_dims = Dims{2, 0},
                                 .index_vector_dim = 0,
                                 .combiner = ScatterCombiner::Add,
                                 .mode = mode},
              {cases.input(DType::F32, Shape{5, 1, 7}),
               cases.indices(DType::I64, Shape{2, 6}, outside ? -3 : 0, outside ? 9 : 3),
               cases.input(DType::F32, Shape{2, 6, 3})});
    cases.add(core::ScatterAttrs{.update_window_dims = Dims{2},
                                 .inserted_window_dims = Dims{1},
                                 .input_batching_dims = Dims{0},
                                 .scatter_indices_batching_dims = Dims{0},
                                 .scatter_dims_to_operand_dims = Dims{1},
                                 .index_vector_dim = 2,
                                 .combiner = ScatterCombiner::Assign,
                                 .mode = mode},
              {cases.input(DType::F32, Shape{3, 5, 4}),
               cases.indices(DType::I32, Shape{3, 6}, outside ? -2 : 0, outside ? 7 : 4),
               cases.input(DType::F32, Shape{3, 6, 4})});
  }
}

} // namespace

void test::addIndexingCases(CaseTable &table) {
  table[OpCode::Gather] = addGather;
  table[OpCode::Scatter] = addScatter;
}
