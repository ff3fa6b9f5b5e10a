#include "tools/burn-fuzz/OpEntries.h"

#include <algorithm>

using namespace burn;
using namespace burn::fuzz;
using core::OpCode;
using core::TypeDesc;
using mlir::Value;

namespace {

Value gelu(Generator &g, OpCode) {
  return g.add(core::GeluAttrs{g.oneOf({core::GeluApproximation::None, core::GeluApproximation::Tanh})},
               {g.takenBy(OpCode::Gelu, 1, {0})});
}

// A value of floats with dims, which the op takes along an axis.
Value along(Generator &g, OpCode op) {
  return g.some([&](const TypeDesc &type) {
    std::vector<TypeDesc> results;
    const int64_t words[] = {0};
    return type.shape.rank() > 0 && core::inferTypes(op, {{type}}, words, results).isOk();
  });
}

template <typename Attrs> Value softmax(Generator &g, OpCode op) {
  Value x = along(g, op);
  return x ? g.add(Attrs{g.number(0, typeOf(x).shape.rank() - 1)}, {x}) : nullptr;
}

Value crossEntropy(Generator &g, OpCode) {
  Value x = g.some([](const TypeDesc &type) { return isWide(type) && type.shape.rank() > 0; });
  if (!x)
    return nullptr;
  const TypeDesc type = typeOf(x);
  const int64_t axis = g.number(0, type.shape.rank() - 1), classes = type.shape[axis];
  if (classes == 0)
    return nullptr;
  Shape examples;
  for (int64_t i = 0; i < type.shape.rank(); ++i)
    if (i != axis)
      examples.push(type.shape[i]);
  std::vector<Value> operands{x, g.indices(g.oneOf({DType::I64, DType::I32}), examples, 0, classes - 1)};
  if (g.chance(0.3))
    operands.push_back(g.argument({type.dtype, Shape{classes}}, Fill::Positive));
  return g.add(core::CrossEntropyAttrs{static_cast<core::LossReduction>(g.number(0, 2)), axis, g.chance(0.5) ? -100 : 0,
                                       g.chance(0.5) ? 0 : 0.1},
               operands);
}

Value batchNorm(Generator &g, OpCode) {
  Value x = g.some([](const TypeDesc &type) { return isWide(type) && type.shape.rank() > 0; });
  if (!x)
    return nullptr;
  const TypeDesc type = typeOf(x);
  const int64_t axis = g.number(0, type.shape.rank() - 1);
  const TypeDesc features{type.dtype, Shape{type.shape[axis]}};
  Value scale = g.valueOf(features);
  return g.add(core::BatchNormAttrs{axis, g.isSmooth() ? 0.1 : 1e-5}, {x, scale, g.valueOf(features)});
}

Value logsumexp(Generator &g, OpCode op) {
  Value x = g.takenBy(op, 1, {0});
  if (!x)
    return nullptr;
  const Dims dims = g.someDims(typeOf(x).shape.rank(), true);
  return g.add(core::LogsumexpAttrs{dims}, {x});
}

// Activations, most with parameters.
template <typename Attrs> Value activate(Generator &g, const Attrs &attrs) {
  llvm::SmallVector<int64_t> words;
  attrs.encode(words);
  return g.add(attrs, {g.takenBy(Attrs::op, 1, words)});
}
Value plain(Generator &g, OpCode op) { return g.add(op, {g.takenBy(op, 1)}); }
Value softplus(Generator &g, OpCode) {
  return activate(g, core::SoftplusAttrs{g.chance(0.5) ? 1.0 : 2.0, g.chance(0.7) || g.isSmooth() ? 20.0 : 0.5});
}
Value elu(Generator &g, OpCode) { return activate(g, core::EluAttrs{g.oneOf({1.0, 0.5, -0.25})}); }
Value celu(Generator &g, OpCode) { return activate(g, core::CeluAttrs{g.oneOf({1.0, 0.5, 2.0})}); }
Value hardSigmoid(Generator &g, OpCode) { return activate(g, core::HardSigmoidAttrs{g.oneOf({0.2, 1.0 / 6}), 0.5}); }
Value leakyRelu(Generator &g, OpCode) { return activate(g, core::LeakyReluAttrs{g.oneOf({0.01, 0.3, -1.0})}); }

bool isNormalised(const TypeDesc &type) { return isFloat(type.dtype) && type.shape.rank() > 0; }

// The dims of a shape from `axis` on.
Shape tailOf(const Shape &shape, int64_t axis) {
  Shape tail;
  for (int64_t i = axis; i < shape.rank(); ++i)
    tail.push(shape[i]);
  return tail;
}

double epsilonOf(Generator &g) { return g.isSmooth() ? 0.1 : 1e-5; }

Value layerNorm(Generator &g, OpCode) {
  Value x = g.some(isNormalised);
  if (!x)
    return nullptr;
  const TypeDesc type = typeOf(x);
  const int64_t axis = g.number(0, type.shape.rank() - 1);
  std::vector<Value> operands{x};
  for (int64_t i = g.number(0, 2); i > 0; --i)
    operands.push_back(g.valueOf({type.dtype, tailOf(type.shape, axis)}));
  return g.add(core::LayerNormAttrs{axis, epsilonOf(g)}, operands);
}

Value rmsNorm(Generator &g, OpCode) {
  Value x = g.some(isNormalised);
  if (!x)
    return nullptr;
  const TypeDesc type = typeOf(x);
  const int64_t axis = g.number(0, type.shape.rank() - 1);
  std::vector<Value> operands{x};
  if (g.chance(0.6))
    operands.push_back(g.valueOf({type.dtype, tailOf(type.shape, axis)}));
  return g.add(core::RmsNormAttrs{axis, epsilonOf(g)}, operands);
}

Value groupNorm(Generator &g, OpCode) {
  Value x = g.some([](const TypeDesc &type) { return isFloat(type.dtype) && type.shape.rank() >= 2; });
  if (!x)
    return nullptr;
  const TypeDesc type = typeOf(x);
  const int64_t features = type.shape[1];
  std::vector<int64_t> divisors{1};
  for (int64_t groups : {2, 3, 4, 5, 8})
    if (features % groups == 0)
      divisors.push_back(groups);
  if (features > 0)
    divisors.push_back(features);
  std::vector<Value> operands{x};
  for (int64_t i = g.number(0, 2); i > 0; --i)
    operands.push_back(g.valueOf({type.dtype, Shape{features}}));
  return g.add(core::GroupNormAttrs{g.oneOf(divisors), epsilonOf(g)}, operands);
}

// Operands of attention. Heads are small: attention is quadratic. Some go through several blocks of queries and keys.
struct AttentionOperands {
  DType dtype;
  std::vector<Value> operands;
  bool masked, biased, causal;
  double scale, softcap;

  explicit AttentionOperands(Generator &g) {
    dtype = g.isSmooth() ? DType::F64 : g.oneOf({DType::F32, DType::F32, DType::F64, DType::F16, DType::BF16});
    const int64_t batch = g.number(1, 3), keyHeads = g.number(1, 2), heads = keyHeads * g.number(1, 3);
    const bool isLong = g.chance(0.1);
    const int64_t queries = g.number(1, isLong ? 80 : 9), keys = g.number(1, isLong ? 140 : 9),
                  d = g.oneOf({1, 3, 4, 8, 16}), e = g.number(1, 9);
    const Shape scores{g.chance(0.5) ? batch : 1, g.chance(0.5) ? heads : 1, g.chance(0.7) ? queries : 1, keys};
    operands = {g.valueOf({dtype, Shape{batch, heads, queries, d}}),
                g.valueOf({dtype, Shape{batch, keyHeads, keys, d}}),
                g.valueOf({dtype, Shape{batch, keyHeads, keys, e}})};
    masked = g.chance(0.4), biased = g.chance(0.4);
    if (masked)
      operands.push_back(g.argument({DType::Bool, scores}, Fill::Tame));
    if (biased)
      operands.push_back(g.valueOf({dtype, scores}));
    causal = g.chance(0.4);
    scale = g.oneOf({1.0, 0.5, 0.125});
    softcap = g.chance(0.3) ? 2.0 : 0.0;
  }

  Value add(Generator &g) const {
    const Dims segments{1, 1, 1, masked, biased};
    return g.add(core::AttentionAttrs{causal, scale, softcap, segments}, operands);
  }
};

Value attention(Generator &g, OpCode) { return AttentionOperands(g).add(g); }

// Mostly of an attention op; now and then lse is anything.
Value attentionGrad(Generator &g, OpCode) {
  AttentionOperands forward(g);
  Value result = forward.add(g);
  if (!result)
    return nullptr;
  Value lse = result.getDefiningOp()->getResult(1);
  if (!g.isSmooth() && g.chance(0.1))
    lse = g.valueOf(typeOf(lse));
  forward.operands.insert(forward.operands.end(), {lse, g.valueOf(typeOf(result)), g.valueOf(typeOf(lse))});
  const Dims segments{1, 1, 1, forward.masked, forward.biased, 1, 1, 1};
  return g.add(core::AttentionGradAttrs{forward.causal, forward.scale, forward.softcap, segments}, forward.operands);
}

Value embedding(Generator &g, OpCode) {
  Value table =
      g.some([](const TypeDesc &type) { return isFloat(type.dtype) && type.shape.rank() == 2 && type.shape[0] > 0; });
  if (!table)
    return nullptr;
  const TypeDesc type = typeOf(table);
  Shape places;
  for (int64_t i = g.number(0, 2); i > 0; --i)
    if (places.numel() * type.shape[1] < 500)
      places.push(g.number(1, 9));
  Value index = g.indices(g.oneOf({DType::I64, DType::I32}), places, 0, type.shape[0] - 1);
  return g.add(core::EmbeddingAttrs{g.chance(0.6) || g.isSmooth() ? -1 : g.number(0, type.shape[0] - 1)},
               {table, index});
}

Value interpolate(Generator &g, OpCode) {
  Value x = g.some([](const TypeDesc &type) {
    return isFloat(type.dtype) && type.shape.rank() >= 1 && type.shape.rank() <= 4 && type.shape.numel() > 0;
  });
  if (!x)
    return nullptr;
  const Shape shape = typeOf(x).shape;
  const int64_t spatial = g.number(1, std::min<int64_t>(2, shape.rank()));
  Dims sizes;
  std::vector<double> scales;
  for (int64_t i = shape.rank() - spatial; i < shape.rank(); ++i) {
    const double scale = g.oneOf({2.0, 1.5, 0.5, 3.0, 1.0, 0.7});
    sizes.push_back(std::max<int64_t>(1, static_cast<int64_t>(static_cast<double>(shape[i]) * scale)));
    scales.push_back(scale);
  }
  return g.add(core::InterpolateAttrs{.mode = static_cast<core::InterpolateMode>(g.number(0, 2)),
                                      .coordinates = static_cast<core::CoordinateMode>(g.number(0, 4)),
                                      .nearest = static_cast<core::NearestMode>(g.number(0, 3)),
                                      .sizes = sizes,
                                      .scales = scales,
                                      .cubic_coeff = g.oneOf({-0.75, -0.5})},
               {x});
}

Value rope(Generator &g, OpCode) {
  Value x = g.some([](const TypeDesc &type) {
    return isFloat(type.dtype) && type.shape.rank() >= 2 && type.shape[type.shape.rank() - 1] >= 2;
  });
  if (!x)
    return nullptr;
  const TypeDesc type = typeOf(x);
  const int64_t positions = type.shape[type.shape.rank() - 2], most = type.shape[type.shape.rank() - 1] / 2;
  const TypeDesc table{type.dtype, Shape{positions, g.chance(0.5) ? most : g.number(1, most)}};
  // Constants to the derivative, so never values that depend on what is differentiated.
  const auto angles = [&] { return g.isSmooth() ? g.constant(table, Fill::Tame) : g.argument(table, Fill::Tame); };
  Value cos = angles();
  return g.add(core::RopeAttrs{g.chance(0.5)}, {x, cos, angles()});
}

Value adamwUpdate(Generator &g, OpCode) {
  Value parameter = g.some([](const TypeDesc &type) { return isFloat(type.dtype); });
  if (!parameter)
    return nullptr;
  const TypeDesc type = typeOf(parameter);
  Value gradient = g.valueOf(type), average = g.valueOf(type);
  const auto scalar = [&](double value) {
    const double values[] = {value};
    return g.argument(ir::HostTensor::from(std::span<const double>(values), Shape{}), "burn.scalar");
  };
  Value step = scalar(1e-3), correction = scalar(1.25), decay = scalar(1e-5);
  return g.add(core::AdamwUpdateAttrs{0.9, 0.999, 1e-8},
               {parameter, gradient, average, g.argument(type, Fill::Positive), step, correction, decay});
}

// How a value is cut into blocks, each with a scale.
struct Blocks {
  TypeDesc type;
  Dims block;
  Shape scales;
  core::QuantStorage storage = core::QuantStorage::I8;
};

bool isOfIntegers(core::QuantStorage storage) { return storage <= core::QuantStorage::U4; }

Blocks blocksOf(Generator &g, const TypeDesc &type) {
  Blocks blocks{type, {}, {}, static_cast<core::QuantStorage>(g.number(0, 5))};
  for (int64_t i = 0; i < type.shape.rank(); ++i) {
    const int64_t size = type.shape[i];
    int64_t block = g.chance(0.5) ? size : 1;
    for (int64_t each : {2, 4, 8})
      if (size % each == 0 && g.chance(0.3))
        block = each;
    block = std::max<int64_t>(1, block);
    blocks.block.push_back(block);
    blocks.scales.push(size / block);
  }
  return blocks;
}

Value quantize(Generator &g, OpCode) {
  Value x = g.some([](const TypeDesc &type) { return isFloat(type.dtype) && type.shape.rank() > 0; });
  if (!x)
    return nullptr;
  const Blocks b = blocksOf(g, typeOf(x));
  std::vector<Value> operands{x, g.argument({b.type.dtype, b.scales}, Fill::Positive)};
  if (isOfIntegers(b.storage) && g.chance(0.4))
    operands.push_back(g.indices(DType::I32, b.scales, -3, 3));
  return g.add(core::QuantizeAttrs{b.storage, b.block, isOfIntegers(b.storage) || g.chance(0.5)}, operands);
}

// Of any bytes that quantize could have given.
Value dequantize(Generator &g, OpCode) {
  const DType dtype =
      g.isSmooth() ? DType::F64 : g.oneOf({DType::F32, DType::F32, DType::F64, DType::F16, DType::BF16});
  Shape shape = g.shape();
  if (shape.rank() == 0)
    shape.push(g.number(1, 9));
  const Blocks b = blocksOf(g, {dtype, shape});
  if (b.storage == core::QuantStorage::I4 || b.storage == core::QuantStorage::U4) {
    int64_t &last = shape[shape.rank() - 1];
    last = (last + 1) / 2;
  }
  const DType stored = b.storage == core::QuantStorage::I8 ? DType::I8 : DType::U8;
  Value scale =
      g.isSmooth() || g.chance(0.5) ? g.valueOf({dtype, b.scales}) : g.argument({dtype, b.scales}, Fill::Positive);
  // Floats may not be infinite where the program is to be smooth.
  const Fill fill = g.isSmooth() && !isOfIntegers(b.storage) ? Fill::Tame : Fill::Wild;
  std::vector<Value> operands{g.argument({stored, shape}, fill), scale};
  if (isOfIntegers(b.storage) && g.chance(0.4))
    operands.push_back(g.indices(DType::I32, b.scales, -3, 3));
  return g.add(core::DequantizeAttrs{b.storage, b.block}, operands, &b.type);
}

} // namespace

void fuzz::addNeuralEntries(std::vector<OpEntry> &entries) {
  entries.push_back({OpCode::Gelu, Family::Neural, gelu, true});
  entries.push_back({OpCode::Softmax, Family::Neural, softmax<core::SoftmaxAttrs>, true});
  entries.push_back({OpCode::LogSoftmax, Family::Neural, softmax<core::LogSoftmaxAttrs>, true});
  entries.push_back({OpCode::CrossEntropy, Family::Neural, crossEntropy, true});
  const auto activation = [&](OpCode op, Value (*add)(Generator &, OpCode), bool isSmooth) {
    entries.push_back({op, Family::Neural, add, isSmooth});
  };
  activation(OpCode::Silu, plain, true);
  activation(OpCode::Softplus, softplus, true);
  activation(OpCode::Mish, plain, true);
  activation(OpCode::Elu, elu, false);
  activation(OpCode::Selu, plain, false);
  activation(OpCode::Celu, celu, false);
  activation(OpCode::HardSigmoid, hardSigmoid, false);
  activation(OpCode::HardSwish, plain, false);
  activation(OpCode::LeakyRelu, leakyRelu, false);
  activation(OpCode::LogSigmoid, plain, true);
  entries.push_back({OpCode::Logsumexp, Family::Neural, logsumexp, true});
  entries.push_back({OpCode::LayerNorm, Family::Neural, layerNorm, true});
  entries.push_back({OpCode::GroupNorm, Family::Neural, groupNorm, true});
  entries.push_back({OpCode::RmsNorm, Family::Neural, rmsNorm, true});
  entries.push_back({OpCode::Attention, Family::Neural, attention, true});
  entries.push_back({OpCode::AttentionGrad, Family::Neural, attentionGrad, true});
  entries.push_back({OpCode::Embedding, Family::Indexing, embedding, true});
  entries.push_back({OpCode::Interpolate, Family::Indexing, interpolate, true});
  entries.push_back({OpCode::Rope, Family::Neural, rope, true});
  entries.push_back({OpCode::AdamwUpdate, Family::Neural, adamwUpdate});
  entries.push_back({OpCode::Quantize, Family::Conversion, quantize});
  entries.push_back({OpCode::Dequantize, Family::Conversion, dequantize, true});
  entries.push_back({OpCode::BatchNorm, Family::Neural, batchNorm, true});
}
