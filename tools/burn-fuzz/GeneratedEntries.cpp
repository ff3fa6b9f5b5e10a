// Values that are made from nothing but numbers.
#include "tools/burn-fuzz/OpEntries.h"

using namespace burn;
using namespace burn::fuzz;
using core::OpCode;
using core::TypeDesc;
using mlir::Value;

namespace {

Value iota(Generator &g, OpCode) {
  const TypeDesc type{g.oneOf({DType::F32, DType::I64, DType::I32}), g.shape()};
  if (type.shape.rank() == 0)
    return nullptr;
  return g.add(core::IotaAttrs{g.number(0, type.shape.rank() - 1)}, {}, &type);
}

// The key and the counter of a stream of random numbers.
struct Stream {
  Value key, counter;
};

Stream stream(Generator &g) {
  const uint32_t words[] = {static_cast<uint32_t>(g.random()()), static_cast<uint32_t>(g.random()())};
  const uint64_t call[] = {g.random()()};
  Value key = g.argument(ir::HostTensor::from(std::span<const uint32_t>(words), Shape{2}));
  Value counter =
      g.argument(ir::HostTensor::from(std::span<const uint64_t>(call), Shape{}), g.chance(0.5) ? "burn.scalar" : "");
  return {key, counter};
}

Value rngBits(Generator &g, OpCode) {
  const TypeDesc type{g.oneOf({DType::U32, DType::U64}), g.shape()};
  const Stream s = stream(g);
  return g.add(core::RngBitsAttrs{g.number(0, 9)}, {s.key, s.counter}, &type);
}

Value dropout(Generator &g, OpCode) {
  Value x = g.some(isWide);
  if (!x)
    return nullptr;
  const Stream s = stream(g);
  return g.add(core::DropoutAttrs{g.number(0, 9)}, {x, s.key, s.counter, g.splat(DType::F64, Shape{}, 0.25)});
}

// uniform or normal
template <typename Attrs> Value distribution(Generator &g, OpCode) {
  const TypeDesc type{g.oneOf({DType::F32, DType::F32, DType::F64, DType::F16, DType::BF16}), g.shape()};
  const Stream s = stream(g);
  return g.add(Attrs{g.number(0, 9)}, {s.key, s.counter}, &type);
}

Value bernoulli(Generator &g, OpCode) {
  Value p = g.some([](const TypeDesc &type) { return isFloat(type.dtype); });
  const Stream s = stream(g);
  return g.add(core::BernoulliAttrs{g.number(0, 9)}, {p, s.key, s.counter});
}

Value categorical(Generator &g, OpCode) {
  Value weights = g.some([](const TypeDesc &type) {
    return isFloat(type.dtype) && type.shape.rank() > 0 && type.shape[type.shape.rank() - 1] > 0;
  });
  if (!weights)
    return nullptr;
  if (g.chance(0.8))
    weights = g.add(OpCode::Abs, {weights});
  const Stream s = stream(g);
  return g.add(core::CategoricalAttrs{g.number(0, 9), g.number(0, 5)}, {weights, s.key, s.counter});
}

} // namespace

void fuzz::addGeneratedEntries(std::vector<OpEntry> &entries) {
  entries.push_back({OpCode::Iota, Family::Generated, iota});
  entries.push_back({OpCode::RngBits, Family::Generated, rngBits});
  entries.push_back({OpCode::Dropout, Family::Generated, dropout, true});
  entries.push_back({OpCode::Uniform, Family::Generated, distribution<core::UniformAttrs>});
  entries.push_back({OpCode::Normal, Family::Generated, distribution<core::NormalAttrs>});
  entries.push_back({OpCode::Bernoulli, Family::Generated, bernoulli});
  entries.push_back({OpCode::Categorical, Family::Generated, categorical});
}
