#include "test/unit/programs/OpCases.h"

using namespace burn;
using namespace burn::test;
using core::ExtremumKind;
using core::OpCode;
using core::ReduceKind;

namespace {

struct Reduced {
  Shape shape;
  Dims dims;
};

const Reduced kReduced[] = {
    {Shape{}, {}},       {Shape{101}, {0}},           {Shape{7, 19}, {1}},
    {Shape{19, 7}, {0}}, {Shape{2, 3, 5, 7}, {0, 2}}, {Shape{2, 3, 5, 7}, {1, 3}},
};

const Reduced kMoreReduced[] = {
    {Shape{5}, {}},
    {Shape{1}, {0}},
    {Shape{0}, {0}},
    {Shape{3, 0}, {1}},
    {Shape{0, 3}, {1}},
    {Shape{0, 3}, {0, 1}},
    {Shape{1, 64}, {1}},
    {Shape{64, 1}, {0}},
    {Shape{3, 65}, {1}},
    {Shape{3, 128}, {1}},
    {Shape{3, 1, 129}, {1, 2}},
    {Shape{5, 4, 3, 2}, {0, 1, 2, 3}},
    {Shape{5, 4, 3, 2}, {3}},
    {Shape{4, 6, 5, 5}, {0, 2, 3}}, // as a batch norm does
    {Shape{40009}, {0}},
    {Shape{3, 20011}, {1}},
    {Shape{20011, 3}, {0}},
    {Shape{64, 16, 24, 24}, {0, 2, 3}},
    {Shape{401, 100}, {1}},
};

void addReduce(OpCases &cases) {
  const auto add = [&](ReduceKind kind, DType dtype, const Reduced &reduced, Fill fill) {
    cases.add(core::ReduceAttrs{kind, reduced.dims}, {cases.input(dtype, reduced.shape, fill)});
  };
  for (ReduceKind kind : {ReduceKind::Sum, ReduceKind::Prod, ReduceKind::Max, ReduceKind::Min}) {
    for (DType dtype : kNumbers)
      for (const Reduced &reduced : kReduced)
        add(kind, dtype, reduced, kind == ReduceKind::Prod && isFloat(dtype) ? Fill::Positive : Fill::Spoilt);
    add(kind, DType::F32, {Shape{61, 67}, {1}}, Fill::Wild);
    add(kind, DType::F32, {Shape{61, 67}, {0}}, Fill::Wild);
  }
  for (ReduceKind kind : {ReduceKind::And, ReduceKind::Or, ReduceKind::Xor})
    for (DType dtype : kBits)
      for (const Reduced &reduced : kReduced)
        add(kind, dtype, reduced, Fill::Wild);
  for (ReduceKind kind : {ReduceKind::Max, ReduceKind::Min})
    add(kind, DType::Bool, {Shape{7, 19}, {1}}, Fill::Wild);
  for (const Reduced &reduced : kMoreReduced) {
    add(ReduceKind::Sum, DType::F32, reduced, Fill::Tame);
    add(ReduceKind::Max, DType::F32, reduced, Fill::Tame);
    add(ReduceKind::Sum, DType::F16, reduced, Fill::Tame);
    add(ReduceKind::Sum, DType::BF16, reduced, Fill::Positive);
    add(ReduceKind::Prod, DType::I8, reduced, Fill::Wild);
    add(ReduceKind::Min, DType::U16, reduced, Fill::Wild);
    add(ReduceKind::Or, DType::Bool, reduced, Fill::Wild);
  }
}

void addArgReduce(OpCases &cases) {
  const auto add = [&](ExtremumKind kind, DType dtype, const Shape &shape, int64_t axis, Fill fill) {
    cases.add(core::ArgReduceAttrs{kind, axis}, {cases.input(dtype, shape, fill)});
  };
  for (ExtremumKind kind : {ExtremumKind::Max, ExtremumKind::Min}) {
    for (DType dtype : kMoved) {
      add(kind, dtype, Shape{7, 19}, 1, Fill::Wild);
      add(kind, dtype, Shape{19, 7}, 0, Fill::Tame); // equal extrema: the first one counts
    }
    add(kind, DType::F32, Shape{1}, 0, Fill::Wild);
    add(kind, DType::F32, Shape{0, 3}, 1, Fill::Wild);
    add(kind, DType::F32, Shape{3, 1, 0}, 1, Fill::Wild);
    add(kind, DType::F32, Shape{2, 3, 5, 7}, 2, Fill::Spoilt);
    add(kind, DType::F32, Shape{20011}, 0, Fill::Tame);
    add(kind, DType::F32, Shape{401, 100}, 1, Fill::Spoilt);
  }
}

struct Window {
  Shape shape;
  Dims window, strides, low, high, base, dilation;
};

const Window kWindows[] = {
    {Shape{31}, {3}, {2}, {0}, {0}, {1}, {1}},
    {Shape{31}, {3}, {1}, {1}, {2}, {1}, {2}},
    {Shape{2, 3, 8, 8}, {1, 1, 2, 2}, {1, 1, 2, 2}, {0, 0, 0, 0}, {0, 0, 0, 0}, {1, 1, 1, 1}, {1, 1, 1, 1}},
    {Shape{2, 3, 9, 7}, {1, 1, 3, 2}, {1, 1, 2, 3}, {0, 0, 1, 2}, {0, 0, 1, 0}, {1, 1, 1, 1}, {1, 1, 1, 2}},
};

const Window kMoreWindows[] = {
    {Shape{3, 0, 5}, {1, 1, 2}, {1, 1, 1}, {0, 0, 0}, {0, 0, 0}, {1, 1, 1}, {1, 1, 1}},
    {Shape{3, 0, 5}, {1, 2, 2}, {1, 1, 1}, {0, 2, 0}, {0, 1, 0}, {1, 1, 1}, {1, 1, 1}}, // padding alone
    {Shape{2, 5, 6, 7}, {1, 2, 3, 2}, {1, 1, 2, 3}, {0, 1, 0, -1}, {0, 0, 2, 1}, {1, 1, 1, 1}, {1, 2, 1, 1}},
    {Shape{2, 3, 4, 3, 4, 3},
     {1, 1, 2, 2, 3, 2},
     {1, 1, 2, 1, 1, 2},
     {0, 0, 1, 0, 1, 0},
     {0, 0, 0, 1, 1, 1},
     {1, 1, 1, 1, 1, 1},
     {1, 1, 1, 2, 1, 1}},
    {Shape{2, 2, 2, 3, 2, 3, 2},
     {1, 1, 2, 2, 1, 2, 2},
     {1, 1, 1, 2, 1, 1, 1},
     {0, 0, 0, 1, 0, 0, 1},
     {0, 0, 0, 0, 0, 0, 0},
     {1, 1, 1, 1, 1, 1, 1},
     {1, 1, 1, 1, 1, 2, 1}}, // five spatial dims
    {Shape{}, {}, {}, {}, {}, {}, {}},
    {Shape{0}, {2}, {1}, {3}, {0}, {1}, {1}},
    {Shape{1}, {1}, {1}, {0}, {0}, {1}, {1}},
    {Shape{3}, {5}, {1}, {0}, {0}, {1}, {1}},   // no window fits
    {Shape{9}, {2}, {1}, {-2}, {-1}, {1}, {1}}, // cropped
    {Shape{3}, {2}, {2}, {4}, {4}, {1}, {1}},   // some windows hold padding alone
    {Shape{16, 8, 26, 26}, {1, 1, 2, 2}, {1, 1, 2, 2}, {0, 0, 0, 0}, {0, 0, 0, 0}, {1, 1, 1, 1}, {1, 1, 1, 1}},
};

void addReduceWindow(OpCases &cases) {
  const auto add = [&](ReduceKind kind, DType dtype, const Window &w, Fill fill) {
    cases.add(core::ReduceWindowAttrs{kind, w.window, w.strides, w.low, w.high, w.base, w.dilation},
              {cases.input(dtype, w.shape, fill)});
  };
  for (ReduceKind kind : {ReduceKind::Sum, ReduceKind::Prod, ReduceKind::Max, ReduceKind::Min})
    for (DType dtype : kNumbers)
      for (const Window &w : std::span(kWindows).subspan(isFloat(dtype) ? 0 : 2))
        add(kind, dtype, w, kind == ReduceKind::Prod && isFloat(dtype) ? Fill::Positive : Fill::Spoilt);
  for (ReduceKind kind : {ReduceKind::And, ReduceKind::Or, ReduceKind::Xor})
    for (DType dtype : kBits)
      add(kind, dtype, kWindows[1], Fill::Wild);
  for (const Window &w : kMoreWindows)
    for (ReduceKind kind : {ReduceKind::Sum, ReduceKind::Max})
      add(kind, DType::F32, w, Fill::Tame);
  // Gaps between elements count as the identity.
  for (const Window &w : {Window{Shape{5, 4}, {2, 3}, {1, 2}, {1, 0}, {0, 1}, {2, 3}, {1, 1}},
                          Window{Shape{3, 5, 4}, {1, 3, 2}, {1, 1, 3}, {0, -2, 1}, {0, 3, -1}, {1, 2, 4}, {1, 2, 3}},
                          Window{Shape{0, 4}, {2, 3}, {1, 2}, {4, 0}, {0, 1}, {2, 3}, {1, 1}}}) {
    for (ReduceKind kind : {ReduceKind::Sum, ReduceKind::Prod, ReduceKind::Max, ReduceKind::Min})
      for (DType dtype : {DType::F32, DType::BF16, DType::I64, DType::U8})
        add(kind, dtype, w, Fill::Tame);
    add(ReduceKind::And, DType::I16, w, Fill::Wild);
  }
  // Many terms, which f16 itself could not add up.
  for (DType dtype : {DType::F16, DType::BF16})
    add(ReduceKind::Sum, dtype, {Shape{4096}, {3000}, {7}, {0}, {0}, {1}, {1}}, Fill::Positive);
}

void addArgReduceWindow(OpCases &cases) {
  const auto add = [&](ExtremumKind kind, DType dtype, const Window &w, const Dims &indexDims, Fill fill) {
    cases.add(core::ArgReduceWindowAttrs{kind, w.window, w.strides, w.low, w.high, w.dilation, indexDims},
              {cases.input(dtype, w.shape, fill)});
  };
  for (ExtremumKind kind : {ExtremumKind::Max, ExtremumKind::Min}) {
    for (DType dtype : kMoved) {
      add(kind, dtype, kWindows[1], {0}, Fill::Wild);
      add(kind, dtype, kWindows[2], {2, 3}, Fill::Tame);
      add(kind, dtype, kWindows[3], {1, 2, 3}, Fill::Spoilt);
    }
    for (const Window &w : kMoreWindows) {
      Dims dims;
      for (unsigned i = 0; i < w.shape.rank(); ++i)
        dims.push_back(i);
      add(kind, DType::F32, w, dims, Fill::Spoilt);
    }
  }
}

} // namespace

void test::addReductionCases(CaseTable &table) {
  table[OpCode::Reduce] = addReduce;
  table[OpCode::ArgReduce] = addArgReduce;
  table[OpCode::ReduceWindow] = addReduceWindow;
  table[OpCode::ArgReduceWindow] = addArgReduceWindow;
}
