#include "test/unit/programs/OpCases.h"

using namespace burn;
using namespace burn::test;
using core::OpCode;

namespace {

constexpr DType kOrdered[] = {DType::F32, DType::F64, DType::F16, DType::BF16, DType::Bool, DType::I8, DType::I16,
                              DType::I32, DType::I64, DType::U8,  DType::U16,  DType::U32,  DType::U64};

struct Line {
  Shape shape;
  int64_t axis;
};

const Line kMoreLines[] = {
    {Shape{0}, 0},     {Shape{1}, 0},       {Shape{2}, 0},       {Shape{0, 3}, 0},       {Shape{0, 3}, 1},
    {Shape{3, 0}, 0},  {Shape{3, 1}, 1},    {Shape{2, 3, 5}, 0}, {Shape{64, 33}, 0},     {Shape{33, 64}, 1},
    {Shape{2047}, 0},  {Shape{2048}, 0},    {Shape{2049}, 0}, // one run, and two
    {Shape{20011}, 0}, {Shape{3, 4100}, 1}, {Shape{4100, 3}, 0}, {Shape{2, 6145, 2}, 1},
};

void addSort(OpCases &cases) {
  const auto add = [&](DType dtype, const Line &line, bool descending, Fill fill, DType companion = DType::I64) {
    cases.add(core::SortAttrs{line.axis, descending},
              {cases.input(dtype, line.shape, fill), cases.input(companion, line.shape, Fill::Wild)});
  };
  for (DType dtype : kOrdered) {
    add(dtype, {Shape{7, 19}, 1}, false, Fill::Wild);
    add(dtype, {Shape{37, 5}, 0}, true, Fill::Tame); // ties
  }
  for (DType dtype : {DType::F32, DType::F64, DType::U32, DType::I64})
    add(dtype, {Shape{3000}, 0}, dtype == DType::F64, Fill::Wild, dtype);
  for (const Line &line : kMoreLines)
    add(DType::F32, line, chance(cases.random, 0.5), Fill::Spoilt, DType::Bool);
  add(DType::F64, {Shape{9001}, 0}, true, Fill::Spoilt);
  add(DType::I32, {Shape{9001}, 0}, true, Fill::Tame, DType::I32);
  // One operand, and three.
  cases.add(core::SortAttrs{1, false}, {cases.input(DType::F32, Shape{5, 9}, Fill::Wild)});
  cases.add(core::SortAttrs{0, true},
            {cases.input(DType::I8, Shape{21, 3}, Fill::Tame), cases.input(DType::F16, Shape{21, 3}, Fill::Wild),
             cases.input(DType::U64, Shape{21, 3}, Fill::Wild)});
}

void addTopk(OpCases &cases) {
  const auto add = [&](DType dtype, const Line &line, int64_t k, bool largest, Fill fill) {
    cases.add(core::TopkAttrs{line.axis, k, largest}, {cases.input(dtype, line.shape, fill)});
  };
  for (DType dtype : kOrdered) {
    add(dtype, {Shape{7, 19}, 1}, 5, true, Fill::Wild);
    add(dtype, {Shape{37, 5}, 0}, 37, false, Fill::Tame);
  }
  for (const Line &line : kMoreLines)
    for (int64_t k : {0, 3, 2500})
      if (k <= line.shape[line.axis])
        add(DType::F32, line, k, k != 3, Fill::Spoilt);
}

void addNonzero(OpCases &cases) {
  const auto add = [&](DType dtype, const Shape &shape, int64_t most, Fill fill) {
    cases.add(core::NonzeroAttrs{most}, {cases.input(dtype, shape, fill)});
  };
  for (DType dtype : kOrdered) {
    add(dtype, Shape{7, 19}, 7 * 19, Fill::Wild);
    add(dtype, Shape{50}, 10, Fill::Tame); // more than are listed
  }
  for (const Shape &shape : {Shape{}, Shape{0}, Shape{3, 0}, Shape{1}, Shape{2, 3, 4, 5}, Shape{4096}, Shape{4097},
                             Shape{3, 5000}, Shape{20011}})
    for (int64_t most : {int64_t(0), int64_t(3), shape.numel()})
      add(DType::Bool, shape, most, Fill::Wild);
  add(DType::F32, Shape{}, 1, Fill::Positive);
}

} // namespace

void test::addOrderCases(CaseTable &table) {
  table[OpCode::Sort] = addSort;
  table[OpCode::Topk] = addTopk;
  table[OpCode::Nonzero] = addNonzero;
}
