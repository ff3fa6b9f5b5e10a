#include "test/unit/programs/OpCases.h"

using namespace burn;
using namespace burn::test;
using core::OpCode;

namespace {

template <typename Attrs> void addSoftmax(OpCases &cases) {
  const auto add = [&](DType dtype, const Shape &shape, int64_t axis, Fill fill) {
    cases.add(Attrs{axis}, {cases.input(dtype, shape, fill)});
  };
  for (DType dtype : kFloats) {
    add(dtype, Shape{7, 19}, 1, Fill::Tame);
    add(dtype, Shape{19, 7}, 0, Fill::Tame);
    add(dtype, Shape{41, 5}, 1, Fill::Spoilt);
  }
  add(DType::F32, Shape{1}, 0, Fill::Tame);
  add(DType::F32, Shape{0}, 0, Fill::Tame);
  add(DType::F32, Shape{0, 3}, 1, Fill::Tame);
  add(DType::F32, Shape{3, 0}, 1, Fill::Tame);
  add(DType::F32, Shape{2, 3, 5, 7}, 2, Fill::Tame);
  add(DType::F32, Shape{401, 101}, 1, Fill::Tame);
  add(DType::F32, Shape{40009}, 0, Fill::Tame);
}

void addCrossEntropy(OpCases &cases) {
  struct Loss {
    Shape logits{8, 10};
    int64_t axis = 1;
    core::LossReduction reduction = core::LossReduction::Mean;
    double smoothing = 0;
    bool weighted = false;
    DType dtype = DType::F32, target = DType::I64;
    int64_t ignore = -100;
  };
  const auto add = [&](const Loss &c) {
    Shape examples;
    for (unsigned i = 0; i < c.logits.rank(); ++i)
      if (i != c.axis)
        examples.push(c.logits[i]);
    std::vector<mlir::Value> operands{cases.input(c.dtype, c.logits),
                                      cases.indices(c.target, examples, 0, c.logits[c.axis] - 1)};
    if (c.weighted)
      operands.push_back(cases.input(c.dtype, Shape{c.logits[c.axis]}, Fill::Positive));
    cases.add(core::CrossEntropyAttrs{c.reduction, c.axis, c.ignore, c.smoothing}, operands);
  };
  for (core::LossReduction reduction : {core::LossReduction::None, core::LossReduction::Mean, core::LossReduction::Sum})
    for (double smoothing : {0.0, 0.1})
      for (bool weighted : {false, true}) {
        add({.reduction = reduction, .smoothing = smoothing, .weighted = weighted});
        add({.logits = Shape{3, 5, 2, 7},
             .reduction = reduction,
             .smoothing = smoothing,
             .weighted = weighted,
             .ignore = 2});
      }
  for (DType dtype : kFloats)
    add({.smoothing = 0.1, .weighted = true, .dtype = dtype});
  add({.target = DType::I32});
  add({.logits = Shape{5, 9}, .axis = 0});
  add({.logits = Shape{7}, .axis = 0, .reduction = core::LossReduction::None});
  add({.logits = Shape{0, 9}, .reduction = core::LossReduction::Sum});
  add({.logits = Shape{0, 9}}); // a mean of nothing
  add({.logits = Shape{3, 5, 0}});
  add({.logits = Shape{1, 1}});
  add({.logits = Shape{256, 1009}});
}

void addBatchNorm(OpCases &cases) {
  const auto add = [&](DType dtype, const Shape &shape, int64_t feature, double epsilon, Fill fill) {
    const Shape features{shape[feature]};
    cases.add(core::BatchNormAttrs{feature, epsilon},
              {cases.input(dtype, shape, fill), cases.input(dtype, features), cases.input(dtype, features)});
  };
  for (DType dtype : kFloats)
    add(dtype, Shape{4, 6, 5, 5}, 1, 1e-5, Fill::Tame);
  add(DType::F32, Shape{31, 7}, 1, 1e-3, Fill::Tame);
  add(DType::F32, Shape{5, 7, 9}, 2, 1e-5, Fill::Tame);
  add(DType::F32, Shape{5, 7}, 0, 1e-5, Fill::Positive);
  add(DType::F32, Shape{3, 0, 2}, 1, 1e-5, Fill::Tame);
  add(DType::F32, Shape{0, 3, 2}, 1, 1e-5, Fill::Tame);
  add(DType::F32, Shape{64, 16, 13, 13}, 1, 1e-5, Fill::Tame);
}

void addGelu(OpCases &cases) {
  for (core::GeluApproximation approximation : {core::GeluApproximation::None, core::GeluApproximation::Tanh}) {
    for (DType dtype : kFloats)
      for (const Shape &shape : {Shape{}, Shape{101}, Shape{2, 3, 5, 7}})
        cases.add(core::GeluAttrs{approximation}, {cases.input(dtype, shape)});
    cases.add(core::GeluAttrs{approximation}, {cases.input(DType::F32, Shape{0})});
    cases.add(core::GeluAttrs{approximation}, {cases.input(DType::F32, Shape{40009})});
    cases.add(core::GeluAttrs{approximation}, {cases.input(DType::F32, Shape{1031}, Fill::Spoilt)});
  }
}

} // namespace

void test::addNeuralCases(CaseTable &table) {
  table[OpCode::Softmax] = addSoftmax<core::SoftmaxAttrs>;
  table[OpCode::LogSoftmax] = addSoftmax<core::LogSoftmaxAttrs>;
  table[OpCode::CrossEntropy] = addCrossEntropy;
  table[OpCode::BatchNorm] = addBatchNorm;
  table[OpCode::Gelu] = addGelu;
}
