#include "test/unit/programs/ProgramGenerator.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>

using namespace burn;
using namespace burn::test;
using core::OpCode;
using core::TypeDesc;
using mlir::Value;

ProgramGenerator::ProgramGenerator(mlir::MLIRContext &context, uint64_t seed, bool smooth)
    : random_(seed), smooth_(smooth), builder_(context) {
  for (int i = 0; i < 4; ++i)
    sizes_.push_back(oneOf({1, 2, 3, 4, 5, 7, 8, 13, 16, 17, 31, 32, 33, 64, 65, 127, 257, 784}));
  if (!smooth && chance(0.04))
    sizes_.back() = 0;
  mostElements_ = smooth ? 400 : chance(0.05) ? 100000 : chance(0.3) ? 20000 : 2500;
  freshChance_ = chance(0.5) ? 0.05 : 0.2;
}

Shape ProgramGenerator::randomShape() {
  Shape shape;
  for (int64_t rank = oneOf({0, 1, 1, 1, 2, 2, 2, 2, 3, 3, 4}); rank > 0; --rank) {
    const int64_t size = oneOf(sizes_);
    if (shape.numel() * size <= mostElements_)
      shape.push(size);
  }
  return shape;
}

DType ProgramGenerator::randomDType() {
  if (smooth_)
    return DType::F64;
  if (chance(0.72))
    return DType::F32;
  return oneOf({DType::F64, DType::F64, DType::I32, DType::I32, DType::I64, DType::U8, DType::U32, DType::U64,
                DType::Bool, DType::F16, DType::BF16});
}

Dims ProgramGenerator::someDims(unsigned rank, bool nonEmpty) {
  Dims dims;
  for (unsigned i = 0; i < rank; ++i)
    if (chance(0.5))
      dims.push_back(i);
  if (dims.empty() && nonEmpty && rank > 0)
    dims.push_back(number(0, rank - 1));
  return dims;
}

Dims ProgramGenerator::permutation(unsigned rank) {
  Dims dims(rank);
  std::iota(dims.begin(), dims.end(), 0);
  std::shuffle(dims.begin(), dims.end(), random_);
  return dims;
}

Value ProgramGenerator::fresh(const TypeDesc &type) {
  const Fill fill = smooth_        ? Fill::Tame
                    : chance(0.06) ? Fill::Spoilt
                    : chance(0.03) ? Fill::Wild
                    : chance(0.2)  ? Fill::Positive
                                   : Fill::Tame;
  Value value;
  if (chance(0.15)) {
    ir::HostTensor tensor = randomTensor(type, fill, random_);
    if (chance(0.7)) { // all elements equal
      const ir::HostTensor one = randomTensor({type.dtype, Shape{}}, fill, random_);
      for (int64_t i = 0; i < tensor.numel(); ++i)
        std::copy(one.bytes.begin(), one.bytes.end(), tensor.bytes.begin() + i * tensor.elementSize());
    }
    value = builder_.constant(tensor);
  } else {
    const char *mark = "";
    if (!smooth_)
      mark = type.shape.rank() == 0 && chance(0.4) ? "burn.scalar" : chance(0.3) ? "burn.donated" : "";
    value = builder_.argument(type, mark);
    arguments_.push_back(randomTensor(type, fill, random_));
  }
  values_.push_back(value);
  return value;
}

Value ProgramGenerator::indices(DType dtype, const Shape &shape, int64_t low, int64_t high) {
  arguments_.push_back(randomIntegers({dtype, shape}, low, high, random_));
  return builder_.argument({dtype, shape});
}

Value ProgramGenerator::splat(DType dtype, const Shape &shape, double value) {
  ir::HostTensor tensor(TypeDesc{dtype, shape});
  visitDType(dtype, [&]<typename T>(T) { std::ranges::fill(tensor.data<T>(), static_cast<T>(value)); });
  return builder_.constant(tensor);
}

Value ProgramGenerator::existing(const std::function<bool(const TypeDesc &)> &fits) {
  std::vector<Value> found;
  for (Value value : values_)
    if (fits(typeOf(value)))
      found.push_back(value);
  if (found.empty())
    return nullptr;
  // The better of two draws is the later one.
  const auto last = static_cast<int64_t>(found.size()) - 1;
  return found[chance(0.7) ? std::max(number(0, last), number(0, last)) : number(0, last)];
}

Value ProgramGenerator::any() {
  return existing([](const TypeDesc &) { return true; });
}

Value ProgramGenerator::anyFloat() {
  return existing([](const TypeDesc &type) { return type.dtype == DType::F32 || type.dtype == DType::F64; });
}

Value ProgramGenerator::broadcastTo(Value value, const Shape &shape, const Dims &dims) {
  const TypeDesc type{typeOf(value).dtype, shape};
  return add(core::BroadcastAttrs{dims}, {value}, &type);
}

Value ProgramGenerator::valueOf(const TypeDesc &type) {
  if (!chance(freshChance_)) {
    if (!chance(0.25))
      if (Value value = existing([&](const TypeDesc &other) { return other == type; }))
        return value;
    // Aligned at the end or at the front, as a bias or a row's own result is.
    const bool front = chance(0.5);
    Value value = existing([&](const TypeDesc &other) {
      if (other.dtype != type.dtype || other.shape.rank() >= type.shape.rank())
        return false;
      const unsigned offset = front ? 0 : type.shape.rank() - other.shape.rank();
      for (unsigned i = 0; i < other.shape.rank(); ++i)
        if (other.shape[i] != type.shape[i + offset] && other.shape[i] != 1)
          return false;
      return true;
    });
    if (value) {
      const unsigned rank = typeOf(value).shape.rank();
      Dims dims;
      for (unsigned i = 0; i < rank; ++i)
        dims.push_back(front ? i : type.shape.rank() - rank + i);
      return broadcastTo(value, type.shape, dims);
    }
  }
  return fresh(type);
}

Value ProgramGenerator::add(OpCode code, llvm::ArrayRef<Value> operands, llvm::ArrayRef<int64_t> words,
                            const TypeDesc *type) {
  for (Value operand : operands)
    if (!operand)
      return nullptr;
  mlir::Operation *op = builder_.op(code, operands, words, type);
  if (!op)
    return nullptr;
  for (Value result : op->getResults())
    if (!fits(typeOf(result).shape)) {
      op->erase();
      return nullptr;
    }
  ++ops_;
  values_.insert(values_.end(), op->result_begin(), op->result_end());
  return op->getResult(0);
}

Value ProgramGenerator::totalOf(Value value) {
  Dims all(typeOf(value).shape.rank());
  std::iota(all.begin(), all.end(), 0);
  return add(core::ReduceAttrs{core::ReduceKind::Sum, all}, {value});
}

void ProgramGenerator::gradient() {
  Value value = anyFloat();
  if (!value)
    return;
  const DType dtype = typeOf(value).dtype;
  Value loss = totalOf(value);
  std::vector<Value> wrt;
  for (int64_t i = number(1, 3); i > 0; --i)
    wrt.push_back(existing([&](const TypeDesc &type) { return type.dtype == dtype; }));
  for (auto [variable, slope] : llvm::zip_equal(wrt, builder_.gradient(loss, wrt))) {
    values_.push_back(slope);
    if (chance(0.5)) { // a step of an optimizer
      const Shape &shape = typeOf(variable).shape;
      Value rate = broadcastTo(fresh({dtype, Shape{}}), shape, {});
      add(OpCode::Sub, {variable, add(OpCode::Mul, {rate, slope})});
    }
  }
}

RandomProgram ProgramGenerator::build() {
  const int64_t wanted = !smooth_ && chance(0.03) ? number(40, 100) : number(3, 25);
  for (int64_t i = number(1, 3); i > 0; --i)
    fresh({smooth_ ? DType::F64 : chance(0.8) ? DType::F32 : randomDType(), randomShape()});
  struct Kind {
    int weight;
    Value (ProgramGenerator::*add)();
    bool isSmooth;
  };
  const Kind kinds[] = {
      {18, &ProgramGenerator::unary, true},      {22, &ProgramGenerator::binary, true},
      {8, &ProgramGenerator::choice, false},     {5, &ProgramGenerator::conversion, false},
      {18, &ProgramGenerator::view, true},       {12, &ProgramGenerator::reduction, true},
      {6, &ProgramGenerator::composite, true},   {5, &ProgramGenerator::dot, true},
      {3, &ProgramGenerator::convolution, true}, {3, &ProgramGenerator::window, true},
      {5, &ProgramGenerator::indexing, true},    {4, &ProgramGenerator::generated, false},
  };
  int total = 0;
  for (const Kind &kind : kinds)
    total += smooth_ && !kind.isSmooth ? 0 : kind.weight;
  for (int attempt = 0; ops_ < wanted && attempt < 500; ++attempt) {
    int64_t draw = number(0, total - 1);
    for (const Kind &kind : kinds) {
      if (smooth_ && !kind.isSmooth)
        continue;
      if ((draw -= kind.weight) < 0) {
        (this->*kind.add)();
        break;
      }
    }
  }

  std::vector<Value> results;
  if (smooth_) {
    // Every value counts, with a weight of its own.
    Value sum = splat(DType::F64, Shape{}, 0);
    for (Value value : std::vector(values_)) {
      if (!value.use_empty() || typeOf(value).dtype != DType::F64)
        continue;
      ir::HostTensor weights = randomTensor(typeOf(value), Fill::Tame, random_);
      sum = add(OpCode::Add, {sum, totalOf(add(OpCode::Mul, {value, builder_.constant(weights)}))});
    }
    results.push_back(sum);
  } else {
    if (chance(0.3))
      gradient();
    for (Value value : values_)
      if (value.getDefiningOp() && (value.use_empty() || chance(0.1)))
        results.push_back(value);
    if (chance(0.1))
      results.push_back(any());
    if (chance(0.1) && !results.empty())
      results.push_back(oneOf(results));
    std::ranges::shuffle(results, random_);
  }
  return {builder_.finish(results), std::move(arguments_)};
}

RandomProgram test::makeRandomProgram(mlir::MLIRContext &context, uint64_t seed) {
  return ProgramGenerator(context, seed, /*smooth=*/false).build();
}

RandomProgram test::makeSmoothProgram(mlir::MLIRContext &context, uint64_t seed) {
  return ProgramGenerator(context, seed, /*smooth=*/true).build();
}
