#include "tools/burn-fuzz/Generator.h"

#include <algorithm>
#include <numeric>
#include <utility>

using namespace burn;
using namespace burn::fuzz;
using core::OpCode;
using core::TypeDesc;
using mlir::Value;

Generator::Generator(mlir::MLIRContext &context, Random random, bool smooth)
    : random_(random), smooth_(smooth), builder_(context) {
  for (int i = 0; i < 4; ++i)
    sizes_.push_back(oneOf({1, 2, 3, 4, 5, 7, 8, 13, 16, 17, 31, 32, 33, 64, 65, 127, 257, 784}));
  if (!smooth && chance(0.06))
    sizes_.back() = 0;
  mostElements_ = smooth ? 400 : chance(0.05) ? 100000 : chance(0.25) ? 20000 : 2500;
  freshChance_ = chance(0.5) ? 0.05 : 0.2;
}

//===-- Choices -------------------------------------------------------------------------------===//

Shape Generator::shape() {
  Shape shape;
  for (int64_t rank = oneOf({0, 1, 1, 1, 2, 2, 2, 2, 3, 3, 4}); rank > 0; --rank) {
    const int64_t next = size();
    if (shape.numel() * next <= mostElements_)
      shape.push(next);
  }
  // Large enough for reductions that are split.
  if (mostElements_ > 40000 && chance(0.3))
    return chance(0.5) ? Shape{number(33000, 70000)} : Shape{number(1, 5), number(9000, 15000)};
  return shape;
}

DType Generator::dtype() {
  if (smooth_)
    return DType::F64;
  if (chance(0.6))
    return DType::F32;
  return oneOf({DType::F64, DType::F64, DType::F16, DType::F16, DType::BF16, DType::BF16, DType::I32, DType::I32,
                DType::I64, DType::I8, DType::I16, DType::U8, DType::U16, DType::U32, DType::U64, DType::Bool});
}

Dims Generator::someDims(unsigned rank, bool nonEmpty) {
  Dims dims;
  for (unsigned i = 0; i < rank; ++i)
    if (chance(0.5))
      dims.push_back(i);
  if (dims.empty() && nonEmpty && rank > 0)
    dims.push_back(number(0, rank - 1));
  return dims;
}

Dims Generator::permutation(unsigned rank) {
  Dims dims(rank);
  std::iota(dims.begin(), dims.end(), 0);
  std::ranges::shuffle(dims, random_);
  return dims;
}

//===-- Values --------------------------------------------------------------------------------===//

Value Generator::fresh(const TypeDesc &type) {
  const Fill fill = smooth_        ? Fill::Tame
                    : chance(0.06) ? Fill::Spoilt
                    : chance(0.03) ? Fill::Wild
                    : chance(0.06) ? Fill::Ties
                    : chance(0.2)  ? Fill::Zeros
                    : chance(0.2)  ? Fill::Positive
                                   : Fill::Tame;
  Value value;
  if (chance(0.15)) {
    // Numbers that folds look for, among them both zeros.
    if (chance(0.35)) {
      const double number = isUnsignedInt(type.dtype) || type.dtype == DType::Bool ? oneOf({0.0, 1.0, 2.0})
                                                                                   : oneOf({0.0, -0.0, 1.0, -1.0, 2.0});
      values_.push_back(splat(type.dtype, type.shape, smooth_ ? 1.5 : number));
      return values_.back();
    }
    ir::HostTensor tensor = randomTensor(type, fill, random_);
    if (chance(0.7)) { // all elements equal
      const ir::HostTensor one = randomTensor({type.dtype, Shape{}}, fill, random_);
      for (int64_t i = 0; i < tensor.numel(); ++i)
        std::ranges::copy(one.bytes, tensor.bytes.begin() + i * tensor.elementSize());
    }
    value = builder_.constant(tensor);
  } else {
    const char *mark = "";
    if (!smooth_)
      mark = type.shape.rank() == 0 && chance(0.4) ? "burn.scalar"
             : chance(0.3)                         ? "burn.donated"
             : chance(0.4)                         ? "burn.frozen"
                                                   : "";
    value = argument(randomTensor(type, fill, random_), mark);
  }
  values_.push_back(value);
  return value;
}

Value Generator::argument(ir::HostTensor value, llvm::StringRef mark) {
  arguments_.push_back(std::move(value));
  return builder_.argument(arguments_.back().type, mark);
}

Value Generator::splat(DType dtype, const Shape &shape, double value) {
  ir::HostTensor tensor(TypeDesc{dtype, shape});
  visitDType(dtype, [&]<typename T>(T) { std::ranges::fill(tensor.data<T>(), static_cast<T>(value)); });
  return builder_.constant(tensor);
}

Value Generator::existing(Wanted fits) {
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

Value Generator::some(Wanted fits) {
  if (Value value = existing(fits))
    return value;
  for (int attempt = 0; attempt < 60; ++attempt)
    if (const TypeDesc type{dtype(), shape()}; fits(type))
      return fresh(type);
  return nullptr;
}

Value Generator::toMove(Wanted fits) {
  if (Value value = std::exchange(moved_, nullptr); value && fits(typeOf(value)))
    return value;
  return some(fits);
}

Value Generator::takenBy(OpCode op, unsigned operands, llvm::ArrayRef<int64_t> words) {
  return some([&](const TypeDesc &type) {
    const std::vector<TypeDesc> types(operands, type);
    std::vector<TypeDesc> results;
    return core::inferTypes(op, types, {words.data(), words.size()}, results).isOk();
  });
}

Value Generator::broadcastTo(Value value, const Shape &shape, const Dims &dims) {
  if (!value)
    return nullptr;
  const TypeDesc type{typeOf(value).dtype, shape};
  return add(core::BroadcastAttrs{dims}, {value}, &type);
}

Value Generator::valueOf(const TypeDesc &type) {
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

//===-- Ops -----------------------------------------------------------------------------------===//

Value Generator::add(OpCode code, llvm::ArrayRef<Value> operands, llvm::ArrayRef<int64_t> words, const TypeDesc *type) {
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

Value Generator::add(OpCode code, llvm::ArrayRef<Value> operands, llvm::ArrayRef<int64_t> words,
                     llvm::ArrayRef<TypeDesc> results, llvm::ArrayRef<ProgramBuilder::Region> regions) {
  for (Value operand : operands)
    if (!operand)
      return nullptr;
  mlir::Operation *op = builder_.op(code, operands, words, results, regions);
  if (!op)
    return nullptr;
  ++ops_;
  values_.insert(values_.end(), op->result_begin(), op->result_end());
  return op->getResult(0);
}

Value Generator::inRegion(OpCode code, llvm::ArrayRef<Value> operands, llvm::ArrayRef<int64_t> words) {
  mlir::Operation *op = builder_.op(code, operands, words);
  return op ? op->getResult(0) : operands[0];
}

Value Generator::awayFromZero(Value x, double offset) {
  if (!x)
    return nullptr;
  const TypeDesc type = typeOf(x);
  Value positive = smooth_ ? add(OpCode::Mul, {x, x}) : add(OpCode::Abs, {x});
  return offset == 0 ? positive : add(OpCode::Add, {positive, splat(type.dtype, type.shape, offset)});
}

Value Generator::totalOf(Value value) {
  if (!value)
    return nullptr;
  Dims all(typeOf(value).shape.rank());
  std::iota(all.begin(), all.end(), 0);
  return add(core::ReduceAttrs{core::ReduceKind::Sum, all}, {value});
}

void Generator::gradient() {
  Value value = existing([](const TypeDesc &type) { return type.dtype == DType::F32 || type.dtype == DType::F64; });
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

void Generator::largeReduction() {
  mostElements_ = 100000;
  // Few results of many elements each, in the three orders of kept and reduced dims that differ in code.
  const int64_t kept = number(1, 6), reduced = number(33000, 50000) / kept + 128;
  struct Domain {
    Shape shape;
    Dims dims;
  };
  const Domain domain = oneOf<Domain>({{{kept * reduced}, {0}},
                                       {{kept, reduced}, {1}},
                                       {{kept, reduced}, {0, 1}},
                                       {{reduced, kept}, {0}},
                                       {{kept, reduced / 8, 8}, {1, 2}}});
  Value x = fresh({dtype(), domain.shape});
  const TypeDesc type = typeOf(x);
  const bool isNumber = type.dtype != DType::Bool;
  // A prologue that is fused, of ops that are cheap to interpret.
  for (int64_t i = number(0, 2); i > 0 && isNumber; --i)
    if (Value next = add(oneOf({OpCode::Add, OpCode::Sub, OpCode::Mul, OpCode::Max}), {x, valueOf(type)}))
      x = next;
  using core::ReduceKind;
  const ReduceKind kind = !isNumber || (isInt(type.dtype) && chance(0.3))
                              ? oneOf({ReduceKind::And, ReduceKind::Or, ReduceKind::Xor})
                          : chance(0.6) ? ReduceKind::Sum
                                        : oneOf({ReduceKind::Max, ReduceKind::Min, ReduceKind::Prod});
  Value total = add(core::ReduceAttrs{kind, domain.dims}, {x});
  if (total && isNumber && chance(0.3)) { // as in a normalisation
    Dims others;
    for (unsigned i = 0; i < type.shape.rank(); ++i)
      if (!llvm::is_contained(domain.dims, i))
        others.push_back(i);
    add(oneOf({OpCode::Sub, OpCode::Mul}), {x, broadcastTo(total, type.shape, others)});
  }
  if (chance(0.2))
    addRandomOp();
}

//===-- Programs ------------------------------------------------------------------------------===//

namespace {

struct Share {
  Family family;
  int weight;
  std::vector<const OpEntry *> all, smooth;
};

const std::vector<Share> &shares() {
  static const std::vector<Share> table = [] {
    std::vector<Share> shares{
        {Family::Unary, 18, {}, {}},     {Family::Binary, 22, {}, {}},  {Family::Choice, 8, {}, {}},
        {Family::Conversion, 5, {}, {}}, {Family::View, 18, {}, {}},    {Family::Reduction, 12, {}, {}},
        {Family::Neural, 8, {}, {}},     {Family::Dot, 5, {}, {}},      {Family::Conv, 3, {}, {}},
        {Family::Window, 3, {}, {}},     {Family::Indexing, 6, {}, {}}, {Family::Generated, 4, {}, {}},
        {Family::Control, 3, {}, {}}};
    for (const OpEntry &entry : opEntries())
      for (Share &share : shares)
        if (share.family == entry.family) {
          share.all.push_back(&entry);
          if (entry.isSmooth)
            share.smooth.push_back(&entry);
        }
    return shares;
  }();
  return table;
}

Random randomOf(uint64_t seed, uint64_t index, uint32_t purpose) {
  std::seed_seq sequence{static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32), static_cast<uint32_t>(index),
                         static_cast<uint32_t>(index >> 32), purpose};
  return Random(sequence);
}

} // namespace

const OpEntry &Generator::entryOf(Family family) {
  for (const Share &share : shares())
    if (share.family == family)
      return *oneOf(smooth_ ? share.smooth : share.all);
  return opEntries().front();
}

void Generator::addRandomOp() {
  int total = 0;
  for (const Share &share : shares())
    total += (smooth_ ? share.smooth : share.all).empty() ? 0 : share.weight;
  int64_t draw = number(0, total - 1);
  for (const Share &share : shares()) {
    const auto &entries = smooth_ ? share.smooth : share.all;
    if (entries.empty() || (draw -= share.weight) >= 0)
      continue;
    addEntry(*oneOf(entries));
    return;
  }
}

// Rewrites are about two movements in a row, often of one kind, which hardly ever meet by chance.
Value Generator::addEntry(const OpEntry &entry) {
  Value value = entry.add(*this, entry.op);
  if (value && entry.family == Family::View && chance(0.35)) {
    const OpEntry &next = chance(0.5) ? entry : entryOf(Family::View);
    moved_ = value;
    next.add(*this, next.op);
    moved_ = nullptr;
  }
  return value;
}

Program Generator::build(const OpEntry &focus) {
  const int64_t wanted = !smooth_ && chance(0.03) ? number(40, 100) : number(3, smooth_ ? 20 : 22);
  for (int64_t i = number(1, 3); i > 0; --i)
    fresh({smooth_ || chance(0.75) ? (smooth_ ? DType::F64 : DType::F32) : dtype(), shape()});
  const int64_t before = number(0, wanted - 1);
  for (int attempt = 0; ops_ < before && attempt < 300; ++attempt)
    addRandomOp();
  for (int attempt = 0; attempt < 25; ++attempt)
    if (addEntry(focus))
      break;
  for (int attempt = 0; ops_ < wanted && attempt < 300; ++attempt)
    addRandomOp();
  if (!smooth_ && chance(0.04))
    largeReduction();

  std::vector<Value> results;
  if (smooth_) {
    // Every value counts, with a weight of its own.
    Value sum = splat(DType::F64, Shape{}, 0);
    for (Value value : std::vector(values_)) {
      if (!value.use_empty() || typeOf(value).dtype != DType::F64)
        continue;
      ir::HostTensor weights = randomTensor(typeOf(value), Fill::Tame, random_);
      Value weighted = add(OpCode::Mul, {value, builder_.constant(weights)});
      Value total = weighted ? totalOf(weighted) : nullptr;
      if (Value next = total ? add(OpCode::Add, {sum, total}) : nullptr)
        sum = next;
    }
    results.push_back(sum);
  } else {
    if (wantsGradient_ && chance(0.3))
      gradient();
    for (Value value : values_)
      if (value.getDefiningOp() && (value.use_empty() || chance(0.1)))
        results.push_back(value);
    if (chance(0.1))
      results.push_back(oneOf(values_));
    if (chance(0.1) && !results.empty())
      results.push_back(oneOf(results));
    std::ranges::shuffle(results, random_);
  }
  return {builder_.finish(results), std::move(arguments_)};
}

Program fuzz::makeProgram(mlir::MLIRContext &context, uint64_t seed, uint64_t index) {
  const llvm::ArrayRef<OpEntry> entries = opEntries();
  return Generator(context, randomOf(seed, index, 0), /*smooth=*/false).build(entries[index % entries.size()]);
}

Program fuzz::makeSmoothProgram(mlir::MLIRContext &context, uint64_t seed, uint64_t index) {
  std::vector<const OpEntry *> smooth;
  for (const OpEntry &entry : opEntries())
    if (entry.isSmooth)
      smooth.push_back(&entry);
  return Generator(context, randomOf(seed, index, 1), /*smooth=*/true).build(*smooth[index % smooth.size()]);
}
