// Activations, normalisations, attention and their like.
#include "test/unit/programs/OpCases.h"

using namespace burn;
using namespace burn::test;
using core::OpCode;

namespace {

constexpr DType kComputed[] = {DType::F32, DType::F64, DType::F16, DType::BF16};

template <typename Attrs> auto pointwise(Attrs attrs) {
  return [attrs](OpCases &cases) {
    for (DType dtype : kComputed)
      for (const Shape &shape : {Shape{}, Shape{101}, Shape{2, 3, 5}})
        cases.add(attrs, {cases.input(dtype, shape)});
    cases.add(attrs, {cases.input(DType::F32, Shape{0})});
    cases.add(attrs, {cases.input(DType::F32, Shape{4099})});
    cases.add(attrs, {cases.input(DType::F32, Shape{1031}, Fill::Spoilt)});
    cases.add(attrs, {cases.input(DType::F32, Shape{509}, Fill::Wild)});
  };
}

void addLogsumexp(OpCases &cases) {
  const auto add = [&](DType dtype, const Shape &shape, std::initializer_list<int64_t> dims, Fill fill = Fill::Tame) {
    cases.add(core::LogsumexpAttrs{std::span(dims.begin(), dims.size())}, {cases.input(dtype, shape, fill)});
  };
  for (DType dtype : kComputed) {
    add(dtype, Shape{7, 19}, {1});
    add(dtype, Shape{3, 4, 5}, {0, 2});
  }
  add(DType::F32, Shape{3, 0}, {1});
  add(DType::F32, Shape{0, 3}, {1});
  add(DType::F32, Shape{5}, {});
  add(DType::F32, Shape{}, {});
  add(DType::F32, Shape{40009}, {0});
  add(DType::F32, Shape{61, 9}, {1}, Fill::Spoilt);
}

// Norms over the dimensions from an axis on.
template <typename Attrs> auto lastDims(size_t most) {
  return [most](OpCases &cases) {
    const auto add = [&](DType dtype, const Shape &shape, int64_t axis, size_t affine) {
      Shape parameter;
      for (unsigned i = static_cast<unsigned>(axis); i < shape.rank(); ++i)
        parameter.push(shape[i]);
      std::vector<mlir::Value> operands{cases.input(dtype, shape)};
      for (size_t i = 0; i < affine; ++i)
        operands.push_back(cases.input(dtype, parameter));
      cases.add(Attrs{axis, 1e-5}, operands);
    };
    for (DType dtype : kComputed)
      for (size_t affine = 0; affine <= most; ++affine)
        add(dtype, Shape{5, 17}, 1, affine);
    add(DType::F32, Shape{3, 4, 5}, 1, most);
    add(DType::F32, Shape{3, 4, 5}, 0, most);
    add(DType::F32, Shape{3, 0}, 1, most);
    add(DType::F32, Shape{0, 7}, 1, most);
    add(DType::F32, Shape{1, 1}, 1, most);
    add(DType::F32, Shape{33, 768}, 1, most);
  };
}

void addGroupNorm(OpCases &cases) {
  const auto add = [&](DType dtype, const Shape &shape, int64_t groups, size_t affine) {
    std::vector<mlir::Value> operands{cases.input(dtype, shape)};
    for (size_t i = 0; i < affine; ++i)
      operands.push_back(cases.input(dtype, Shape{shape[1]}));
    cases.add(core::GroupNormAttrs{groups, 1e-5}, operands);
  };
  for (DType dtype : kComputed)
    for (size_t affine : {0, 1, 2})
      add(dtype, Shape{2, 6, 3, 5}, 3, affine);
  add(DType::F32, Shape{2, 6, 3, 5}, 6, 2);
  add(DType::F32, Shape{2, 6}, 1, 2);
  add(DType::F32, Shape{2, 4, 0}, 2, 2);
  add(DType::F32, Shape{0, 4, 3}, 2, 2);
  add(DType::F32, Shape{2, 32, 13, 11}, 8, 2);
}

struct AttentionCase {
  Shape query{1, 2, 3, 5}, key{1, 2, 7, 5}, value{1, 2, 7, 4};
  DType dtype = DType::F32;
  bool causal = false;
  double softcap = 0;
  Shape mask{}, bias{};
};

// Attention, and the gradient of such an op.
void addAttention(OpCases &cases, bool gradient) {
  const auto add = [&](const AttentionCase &c) {
    std::vector<mlir::Value> operands{cases.input(c.dtype, c.query), cases.input(c.dtype, c.key),
                                      cases.input(c.dtype, c.value)};
    std::vector<int64_t> segments{1, 1, 1, 0, 0};
    if (c.mask.rank()) {
      segments[3] = 1;
      operands.push_back(cases.input(DType::Bool, c.mask));
    }
    if (c.bias.rank()) {
      segments[4] = 1;
      operands.push_back(cases.input(c.dtype, c.bias));
    }
    mlir::Operation *forward = cases.add(core::AttentionAttrs{c.causal, 0.4, c.softcap, segments}, operands);
    if (gradient) {
      const core::TypeDesc result = typeOf(forward->getResult(0)), lse = typeOf(forward->getResult(1));
      segments.insert(segments.end(), {1, 1, 1});
      operands.insert(operands.end(),
                      {forward->getResult(1), cases.input(result, Fill::Tame), cases.input(lse, Fill::Tame)});
      cases.add(core::AttentionGradAttrs{c.causal, 0.4, c.softcap, segments}, operands);
    }
  };
  for (DType dtype : kComputed)
    add({.dtype = dtype});
  add({.causal = true});
  add({.query = Shape{2, 6, 9, 5}, .key = Shape{2, 2, 4, 5}, .value = Shape{2, 2, 4, 3}, .causal = true});
  add({.softcap = 1.5, .bias = Shape{1, 1, 3, 7}});
  add({.mask = Shape{1, 2, 1, 7}, .bias = Shape{1, 2, 3, 7}});
  add({.query = Shape{3, 4, 2, 8}, .key = Shape{3, 1, 5, 8}, .value = Shape{3, 1, 5, 8}, .mask = Shape{3, 1, 2, 5}});
  add({.query = Shape{1, 1, 5, 3}, .key = Shape{1, 1, 0, 3}, .value = Shape{1, 1, 0, 2}});
  add({.query = Shape{1, 1, 0, 3}, .key = Shape{1, 1, 4, 3}, .value = Shape{1, 1, 4, 2}});
  add({.query = Shape{1, 2, 2, 0}, .key = Shape{1, 2, 4, 0}, .value = Shape{1, 2, 4, 2}});
  add({.query = Shape{0, 2, 2, 3}, .key = Shape{0, 2, 4, 3}, .value = Shape{0, 2, 4, 2}});
  add({.query = Shape{2, 4, 33, 31}, .key = Shape{2, 2, 65, 31}, .value = Shape{2, 2, 65, 31}, .causal = true});
  // Several blocks of queries and keys, whose last ones are short.
  add({.query = Shape{1, 2, 70, 9}, .key = Shape{1, 2, 131, 9}, .value = Shape{1, 2, 131, 6}, .dtype = DType::F64});
  add({.query = Shape{1, 4, 50, 4},
       .key = Shape{1, 2, 150, 4},
       .value = Shape{1, 2, 150, 5},
       .softcap = 2,
       .mask = Shape{1, 4, 50, 150},
       .bias = Shape{1, 1, 1, 150}});
  // No key for the first queries, and rows of several heads in one block.
  add({.query = Shape{1, 2, 90, 3}, .key = Shape{1, 1, 70, 3}, .value = Shape{1, 1, 70, 4}, .causal = true});
  // Too long for the kernel of the CPU, which is decomposed.
  add({.query = Shape{1, 1, 3, 400}, .key = Shape{1, 1, 5, 400}, .value = Shape{1, 1, 5, 200}});
}

void addEmbedding(OpCases &cases) {
  for (DType dtype : kComputed)
    for (DType index : {DType::I32, DType::I64, DType::U8})
      cases.add(core::EmbeddingAttrs{-1}, {cases.input(dtype, Shape{9, 5}), cases.indices(index, Shape{3, 4}, 0, 8)});
  cases.add(core::EmbeddingAttrs{2}, {cases.input(DType::F32, Shape{9, 5}), cases.indices(DType::I64, Shape{}, 0, 8)});
  cases.add(core::EmbeddingAttrs{-1},
            {cases.input(DType::F32, Shape{9, 5}), cases.indices(DType::I64, Shape{0}, 0, 8)});
  cases.add(core::EmbeddingAttrs{-1},
            {cases.input(DType::F32, Shape{9, 0}), cases.indices(DType::I64, Shape{4}, 0, 8)});
}

void addInterpolate(OpCases &cases) {
  using core::CoordinateMode;
  using core::InterpolateMode;
  const auto add = [&](InterpolateMode mode, CoordinateMode coordinates, core::NearestMode nearest, DType dtype,
                       const Shape &shape, std::vector<int64_t> sizes, std::vector<double> scales) {
    cases.add(core::InterpolateAttrs{mode, coordinates, nearest, sizes, scales, -0.75}, {cases.input(dtype, shape)});
  };
  for (InterpolateMode mode : {InterpolateMode::Nearest, InterpolateMode::Linear, InterpolateMode::Cubic})
    for (CoordinateMode coordinates :
         {CoordinateMode::HalfPixel, CoordinateMode::AlignCorners, CoordinateMode::Asymmetric,
          CoordinateMode::PytorchHalfPixel, CoordinateMode::HalfPixelSymmetric}) {
      const auto nearest = core::NearestMode::RoundPreferFloor;
      add(mode, coordinates, nearest, DType::F32, Shape{2, 4, 5}, {7, 9}, {7. / 4, 9. / 5});
      add(mode, coordinates, nearest, DType::F32, Shape{2, 4, 5}, {1, 3}, {0.3, 0.7});
      add(mode, coordinates, nearest, DType::F64, Shape{3, 6}, {8}, {1.4});
    }
  for (DType dtype : kComputed)
    for (core::NearestMode nearest : {core::NearestMode::RoundPreferCeil, core::NearestMode::Floor,
                                      core::NearestMode::Ceil, core::NearestMode::RoundPreferFloor})
      add(InterpolateMode::Nearest, CoordinateMode::HalfPixel, nearest, dtype, Shape{20}, {6}, {0.3});
  add(InterpolateMode::Linear, CoordinateMode::HalfPixel, {}, DType::F16, Shape{2, 3}, {5}, {5. / 3});
  add(InterpolateMode::Linear, CoordinateMode::HalfPixel, {}, DType::F32, Shape{0, 3}, {5}, {5. / 3});
  add(InterpolateMode::Linear, CoordinateMode::HalfPixel, {}, DType::F32, Shape{2, 0}, {0}, {1.0});
  add(InterpolateMode::Linear, CoordinateMode::HalfPixel, {}, DType::F32, Shape{2, 3}, {}, {});
  add(InterpolateMode::Linear, CoordinateMode::HalfPixel, {}, DType::F32, Shape{2, 3, 4, 5}, {5, 4, 9},
      {5. / 3, 1.0, 9. / 5});
}

void addRope(OpCases &cases) {
  for (bool interleaved : {false, true}) {
    const auto add = [&](DType dtype, const Shape &shape, int64_t pairs) {
      const Shape angles{shape[shape.rank() - 2], pairs};
      cases.add(core::RopeAttrs{interleaved},
                {cases.input(dtype, shape), cases.input(dtype, angles), cases.input(dtype, angles)});
    };
    for (DType dtype : kComputed)
      add(dtype, Shape{2, 3, 8}, 4);
    add(DType::F32, Shape{2, 3, 9}, 3);
    add(DType::F32, Shape{5, 7}, 0);
    add(DType::F32, Shape{5, 7}, 3);
    add(DType::F32, Shape{0, 4}, 2);
    add(DType::F32, Shape{2, 4, 17, 64}, 32);
  }
}

void addAdamw(OpCases &cases) {
  for (DType dtype : kComputed)
    for (const Shape &shape : {Shape{}, Shape{37}, Shape{0}, Shape{31, 43}}) {
      const auto scalar = [&] { return cases.input(DType::F64, Shape{}, Fill::Positive); };
      cases.add(core::AdamwUpdateAttrs{0.9, 0.999, 1e-3},
                {cases.input(dtype, shape), cases.input(dtype, shape), cases.input(dtype, shape),
                 cases.input(dtype, shape, Fill::Positive), scalar(), scalar(), scalar()});
    }
}

constexpr core::QuantStorage kStorages[] = {core::QuantStorage::I8,       core::QuantStorage::U8,
                                            core::QuantStorage::I4,       core::QuantStorage::U4,
                                            core::QuantStorage::F8E4M3FN, core::QuantStorage::F8E5M2};

bool isFloatStorage(core::QuantStorage storage) {
  return storage == core::QuantStorage::F8E4M3FN || storage == core::QuantStorage::F8E5M2;
}

Shape blocksOf(const Shape &shape, std::span<const int64_t> block) {
  Shape blocks;
  for (unsigned i = 0; i < shape.rank(); ++i)
    blocks.push(shape[i] / block[i]);
  return blocks;
}

void addQuantize(OpCases &cases) {
  const auto add = [&](core::QuantStorage storage, DType dtype, const Shape &shape, std::vector<int64_t> block,
                       bool zeroPoint, bool saturate, Fill fill = Fill::Tame) {
    const Shape blocks = blocksOf(shape, block);
    ir::HostTensor scale = randomTensor({dtype, blocks}, Fill::Positive, cases.random);
    std::vector<mlir::Value> operands{cases.input(dtype, shape, fill), cases.input(scale)};
    if (zeroPoint)
      operands.push_back(cases.indices(DType::I32, blocks, -20, 20));
    cases.add(core::QuantizeAttrs{storage, block, saturate}, operands);
  };
  for (core::QuantStorage storage : kStorages) {
    const bool integer = !isFloatStorage(storage);
    for (DType dtype : kComputed)
      add(storage, dtype, Shape{4, 6}, {2, 3}, integer, true);
    add(storage, DType::F32, Shape{5, 7}, {1, 7}, false, integer);
    add(storage, DType::F32, Shape{5, 7}, {5, 1}, false, true);
    add(storage, DType::F32, Shape{3, 0}, {1, 1}, false, true);
    add(storage, DType::F32, Shape{2, 3, 4, 5}, {1, 3, 2, 5}, integer, true);
    add(storage, DType::F32, Shape{1031}, {1}, false, integer, Fill::Wild);
    add(storage, DType::F64, Shape{509}, {509}, false, true, Fill::Wild);
  }
  add(core::QuantStorage::I8, DType::F32, Shape{}, {}, true, true);
}

void addDequantize(OpCases &cases) {
  const auto add = [&](core::QuantStorage storage, DType dtype, const Shape &shape, std::vector<int64_t> block,
                       bool zeroPoint) {
    const Shape blocks = blocksOf(shape, block);
    const bool packed = storage == core::QuantStorage::I4 || storage == core::QuantStorage::U4;
    Shape stored;
    for (unsigned i = 0; i < shape.rank(); ++i)
      stored.push(packed && i + 1 == shape.rank() ? (shape[i] + 1) / 2 : shape[i]);
    const bool isSigned = storage == core::QuantStorage::I8;
    std::vector<mlir::Value> operands{
        cases.indices(isSigned ? DType::I8 : DType::U8, stored, isSigned ? -128 : 0, isSigned ? 127 : 255),
        cases.input(dtype, blocks)};
    if (zeroPoint)
      operands.push_back(cases.indices(DType::I32, blocks, -1000, 1000));
    const core::TypeDesc type{dtype, shape};
    cases.add(core::DequantizeAttrs{storage, block}, operands, &type);
  };
  for (core::QuantStorage storage : kStorages) {
    const bool integer = !isFloatStorage(storage);
    for (DType dtype : kComputed)
      add(storage, dtype, Shape{4, 6}, {2, 3}, integer);
    add(storage, DType::F32, Shape{5, 7}, {1, 7}, false);
    add(storage, DType::F32, Shape{3, 0}, {1, 1}, false);
    add(storage, DType::F32, Shape{2, 3, 4, 5}, {1, 3, 2, 5}, integer);
    add(storage, DType::F64, Shape{1021}, {1021}, false);
  }
}

// The key and the counter of a random op.
std::pair<mlir::Value, mlir::Value> stream(OpCases &cases) {
  const mlir::Value key = cases.indices(DType::U32, Shape{2}, 0, 1000);
  return {key, cases.indices(DType::U64, Shape{}, 0, 1000)};
}

template <typename Attrs> void addDrawn(OpCases &cases) {
  for (DType dtype : kComputed)
    for (const Shape &shape : {Shape{}, Shape{0}, Shape{5, 7}, Shape{1031}}) {
      const auto [key, counter] = stream(cases);
      const core::TypeDesc type{dtype, shape};
      cases.add(Attrs{3}, {key, counter}, &type);
    }
}

void addBernoulli(OpCases &cases) {
  for (DType dtype : kComputed)
    for (const Shape &shape : {Shape{}, Shape{0}, Shape{5, 7}, Shape{1031}}) {
      const auto [key, counter] = stream(cases);
      cases.add(core::BernoulliAttrs{3}, {cases.input(dtype, shape, Fill::Spoilt), key, counter});
    }
}

void addCategorical(OpCases &cases) {
  for (DType dtype : kComputed)
    for (const Shape &shape : {Shape{3}, Shape{4, 7}, Shape{2, 3, 1}, Shape{0, 5}, Shape{1, 301}}) {
      const auto [key, counter] = stream(cases);
      cases.add(core::CategoricalAttrs{3, 11}, {cases.input(dtype, shape, Fill::Positive), key, counter});
    }
}

} // namespace

void test::addCompositeCases(CaseTable &table) {
  table[OpCode::Silu] = pointwise(core::SiluAttrs{});
  table[OpCode::Softplus] = [](OpCases &cases) {
    pointwise(core::SoftplusAttrs{1, 20})(cases);
    pointwise(core::SoftplusAttrs{2.5, 3})(cases);
  };
  table[OpCode::Mish] = pointwise(core::MishAttrs{});
  table[OpCode::Elu] = pointwise(core::EluAttrs{1.3});
  table[OpCode::Selu] = pointwise(core::SeluAttrs{});
  table[OpCode::Celu] = pointwise(core::CeluAttrs{0.7});
  table[OpCode::HardSigmoid] = pointwise(core::HardSigmoidAttrs{0.2, 0.5});
  table[OpCode::HardSwish] = pointwise(core::HardSwishAttrs{});
  table[OpCode::LeakyRelu] = pointwise(core::LeakyReluAttrs{0.1});
  table[OpCode::LogSigmoid] = pointwise(core::LogSigmoidAttrs{});
  table[OpCode::Logsumexp] = addLogsumexp;
  table[OpCode::LayerNorm] = lastDims<core::LayerNormAttrs>(2);
  table[OpCode::RmsNorm] = lastDims<core::RmsNormAttrs>(1);
  table[OpCode::GroupNorm] = addGroupNorm;
  table[OpCode::Attention] = [](OpCases &cases) { addAttention(cases, /*gradient=*/false); };
  table[OpCode::AttentionGrad] = [](OpCases &cases) { addAttention(cases, /*gradient=*/true); };
  table[OpCode::Embedding] = addEmbedding;
  table[OpCode::Interpolate] = addInterpolate;
  table[OpCode::Rope] = addRope;
  table[OpCode::AdamwUpdate] = addAdamw;
  table[OpCode::Quantize] = addQuantize;
  table[OpCode::Dequantize] = addDequantize;
  table[OpCode::Uniform] = addDrawn<core::UniformAttrs>;
  table[OpCode::Normal] = addDrawn<core::NormalAttrs>;
  table[OpCode::Bernoulli] = addBernoulli;
  table[OpCode::Categorical] = addCategorical;
}
