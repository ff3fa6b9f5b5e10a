#include "test/unit/programs/OpCases.h"

using namespace burn;
using namespace burn::test;
using core::OpCode;
using core::ScanKind;

namespace {

struct Line {
  Shape shape;
  int64_t axis;
};

const Line kLines[] = {{Shape{19}, 0}, {Shape{7, 19}, 1}, {Shape{19, 7}, 0}, {Shape{2, 3, 5, 7}, 2}};

const Line kMoreLines[] = {
    {Shape{0}, 0},        {Shape{1}, 0},       {Shape{0, 3}, 0},         {Shape{0, 3}, 1},     {Shape{3, 0}, 1},
    {Shape{3, 0}, 0},     {Shape{3, 1}, 1},    {Shape{64, 1}, 0},        {Shape{5, 130}, 0},   {Shape{2, 7, 100}, 1},
    {Shape{20011}, 0}, // in blocks
    {Shape{3, 20011}, 1}, {Shape{8192, 3}, 0}, {Shape{2, 12288, 17}, 1}, {Shape{401, 100}, 1}, {Shape{100, 401}, 0},
};

void addScan(OpCases &cases) {
  const auto add = [&](ScanKind kind, DType dtype, const Line &line, bool exclusive, bool reverse, Fill fill) {
    cases.add(core::ScanAttrs{kind, line.axis, exclusive, reverse}, {cases.input(dtype, line.shape, fill)});
  };
  for (ScanKind kind : {ScanKind::Sum, ScanKind::Prod, ScanKind::Max, ScanKind::Min}) {
    const auto fillOf = [&](DType dtype) {
      return kind == ScanKind::Prod && isFloat(dtype) ? Fill::Positive : Fill::Spoilt;
    };
    for (DType dtype : {DType::F32, DType::F64, DType::F16, DType::BF16, DType::I8, DType::I16, DType::I32, DType::I64,
                        DType::U8, DType::U16, DType::U32, DType::U64}) {
      const bool last = chance(cases.random, 0.5);
      add(kind, dtype, kLines[last ? 1 : 2], last, chance(cases.random, 0.5), fillOf(dtype));
    }
    for (int flags = 0; flags < 4; ++flags)
      for (const Line &line : {kLines[0], kLines[3]})
        add(kind, DType::F32, line, flags & 1, flags & 2, fillOf(DType::F32));
    add(kind, DType::F32, {Shape{61, 67}, 1}, false, false, Fill::Wild);
  }
  for (const Line &line : kMoreLines)
    for (int flags = 0; flags < 4; ++flags)
      add(flags & 1 ? ScanKind::Sum : ScanKind::Min, DType::F32, line, flags & 2, flags == 1 || flags == 2, Fill::Tame);
  add(ScanKind::Sum, DType::BF16, {Shape{9000}, 0}, true, true, Fill::Tame);
  add(ScanKind::Prod, DType::I32, {Shape{9000}, 0}, false, true, Fill::Positive);
}

void addLinearScan(OpCases &cases) {
  const auto add = [&](DType dtype, const Line &line, bool reverse, Fill fill) {
    cases.add(core::LinearScanAttrs{line.axis, reverse},
              {cases.input(dtype, line.shape, fill), cases.input(dtype, line.shape, fill)});
  };
  for (DType dtype : {DType::F32, DType::F64, DType::F16, DType::BF16, DType::I8, DType::I32, DType::I64, DType::U8,
                      DType::U32, DType::U64})
    for (const Line &line : {kLines[1], kLines[2]})
      add(dtype, line, chance(cases.random, 0.5), Fill::Tame);
  for (const Line &line : kMoreLines)
    add(DType::F32, line, chance(cases.random, 0.5), Fill::Tame);
  add(DType::F32, {Shape{31, 33}, 1}, true, Fill::Spoilt);
  add(DType::F32, {Shape{31, 33}, 0}, false, Fill::Wild);
}

void addMoments(OpCases &cases) {
  const auto add = [&](DType dtype, const Shape &shape, const Dims &dims, int64_t correction, Fill fill) {
    cases.add(core::MomentsAttrs{dims, correction}, {cases.input(dtype, shape, fill)});
  };
  for (DType dtype : {DType::F32, DType::F64, DType::F16, DType::BF16}) {
    add(dtype, Shape{7, 19}, {1}, 1, Fill::Tame);
    add(dtype, Shape{19, 7}, {0}, 0, Fill::Spoilt);
    add(dtype, Shape{2, 3, 5, 7}, {0, 2}, 2, Fill::Tame);
  }
  add(DType::F32, Shape{}, {}, 0, Fill::Tame);
  add(DType::F32, Shape{}, {}, 1, Fill::Tame);
  add(DType::F32, Shape{5}, {}, 0, Fill::Spoilt);
  add(DType::F32, Shape{3, 1}, {1}, 1, Fill::Tame);
  add(DType::F32, Shape{3, 2}, {1}, 5, Fill::Tame);
  add(DType::F32, Shape{0}, {0}, 0, Fill::Tame);
  add(DType::F32, Shape{0, 3}, {0}, 1, Fill::Tame);
  add(DType::F32, Shape{0, 3}, {1}, 0, Fill::Tame);
  add(DType::F32, Shape{3, 20011}, {1}, 1, Fill::Tame);
  add(DType::F32, Shape{401, 100}, {1}, 1, Fill::Wild);
}

} // namespace

void test::addScanCases(CaseTable &table) {
  table[OpCode::Scan] = addScan;
  table[OpCode::LinearScan] = addLinearScan;
  table[OpCode::Moments] = addMoments;
}
