#include "test/unit/programs/OpCases.h"

using namespace burn;
using namespace burn::test;
using core::OpCode;
using core::TypeDesc;
using mlir::Value;

namespace {

// Shapes with one element, none, a prime number of elements, and a rank.
const Shape kShapes[] = {Shape{}, Shape{3, 0, 2}, Shape{101}, Shape{2, 3, 5, 7}};

void addSame(OpCases &cases, OpCode op, unsigned operands, std::span<const DType> types) {
  for (DType dtype : types) {
    std::vector<Value> special;
    // All pairs and more of special values, as far as they are few enough.
    if (operands <= 2)
      for (const ir::HostTensor &tensor : specialTuples(dtype, operands))
        special.push_back(cases.input(tensor));
    else
      for (unsigned i = 0; i < operands; ++i)
        special.push_back(cases.input(dtype, Shape{4099}, Fill::Wild));
    cases.add(op, special);
    const bool isMain = dtype == types.front();
    for (const Shape &shape : isMain ? std::span(kShapes) : std::span(kShapes).subspan(2, 1)) {
      std::vector<Value> values;
      for (unsigned i = 0; i < operands; ++i)
        values.push_back(cases.input(dtype, shape, shape.rank() > 1 ? Fill::Tame : Fill::Wild));
      cases.add(op, values);
    }
  }
  // Enough elements for several threads, and none of them special: these take the plain way through the code.
  std::vector<Value> large;
  for (unsigned i = 0; i < operands; ++i)
    large.push_back(cases.input(types.front(), Shape{40009}, Fill::Positive));
  cases.add(op, large);
}

void addUnary(CaseTable &table, std::initializer_list<OpCode> ops, std::span<const DType> types) {
  for (OpCode op : ops)
    table[op] = [op, types](OpCases &cases) { addSame(cases, op, 1, types); };
}

void addBinary(CaseTable &table, std::initializer_list<OpCode> ops, std::span<const DType> types) {
  for (OpCode op : ops)
    table[op] = [op, types](OpCases &cases) { addSame(cases, op, 2, types); };
}

void addCompare(OpCases &cases) {
  for (DType dtype : kMoved)
    for (core::CompareDirection direction :
         {core::CompareDirection::EQ, core::CompareDirection::NE, core::CompareDirection::LT,
          core::CompareDirection::LE, core::CompareDirection::GT, core::CompareDirection::GE}) {
      std::vector<Value> special;
      for (const ir::HostTensor &tensor : specialTuples(dtype, 2))
        special.push_back(cases.input(tensor));
      cases.add(core::CompareAttrs{direction}, special);
    }
  for (const Shape &shape : kShapes)
    cases.add(core::CompareAttrs{core::CompareDirection::LT},
              {cases.input(DType::F32, shape), cases.input(DType::F32, shape)});
}

void addSelect(OpCases &cases) {
  const auto add = [&](DType dtype, const Shape &shape) {
    cases.add(OpCode::Select, {cases.input(DType::Bool, shape), cases.input(dtype, shape, Fill::Wild),
                               cases.input(dtype, shape, Fill::Wild)});
  };
  for (DType dtype : kMoved)
    add(dtype, Shape{101});
  for (const Shape &shape : kShapes)
    add(DType::F32, shape);
}

// An op with attributes on special values of each type.
template <typename Attrs>
void addWith(OpCases &cases, const Attrs &attrs, unsigned operands, std::span<const DType> types) {
  for (DType dtype : types) {
    std::vector<Value> special;
    for (const ir::HostTensor &tensor : specialTuples(dtype, operands))
      special.push_back(cases.input(tensor));
    cases.add(attrs, special);
  }
}

void addBitcast(OpCases &cases) {
  for (DType from : kNumbers)
    for (DType to : kNumbers)
      if (bitWidth(from) == bitWidth(to)) {
        const TypeDesc type{to, Shape{101}};
        cases.add(OpCode::Bitcast, {cases.input(from, type.shape, Fill::Wild)}, {}, &type);
      }
}

void addConvert(OpCases &cases) {
  for (DType from : kMoved)
    for (DType to : kMoved) {
      const TypeDesc type{to, Shape{1031}};
      cases.add(OpCode::Convert, {cases.input(from, type.shape, Fill::Wild)}, {}, &type);
    }
  for (const Shape &shape : kShapes) {
    const TypeDesc type{DType::I32, shape};
    cases.add(OpCode::Convert, {cases.input(DType::F32, shape)}, {}, &type);
  }
}

} // namespace

void test::addElementwiseCases(CaseTable &table) {
  addUnary(table, {OpCode::Exp,   OpCode::Expm1,  OpCode::Log,      OpCode::Log1p,   OpCode::Sqrt,    OpCode::Rsqrt,
                   OpCode::Tanh,  OpCode::Erf,    OpCode::Logistic, OpCode::Floor,   OpCode::Ceil,    OpCode::RoundEven,
                   OpCode::Cbrt,  OpCode::Sin,    OpCode::Cos,      OpCode::Tan,     OpCode::Asin,    OpCode::Acos,
                   OpCode::Atan,  OpCode::Sinh,   OpCode::Cosh,     OpCode::Asinh,   OpCode::Acosh,   OpCode::Atanh,
                   OpCode::Erfc,  OpCode::Erfinv, OpCode::Lgamma,   OpCode::Digamma, OpCode::Exp2,    OpCode::Log2,
                   OpCode::Log10, OpCode::Trunc,  OpCode::IsNan,    OpCode::IsInf,   OpCode::IsFinite},
           kFloats);
  addUnary(table, {OpCode::Popcnt, OpCode::Clz}, kIntegers);
  addBinary(table, {OpCode::Atan2, OpCode::Hypot, OpCode::Copysign, OpCode::Fmax, OpCode::Fmin}, kFloats);
  addBinary(table, {OpCode::FloorDiv, OpCode::Shl, OpCode::Shr}, kIntegers);
  addUnary(table, {OpCode::Neg, OpCode::Abs, OpCode::Sign, OpCode::Relu}, kNumbers);
  addUnary(table, {OpCode::Not}, kBits);
  addUnary(table, {OpCode::StopGradient}, kMoved);
  addBinary(table, {OpCode::Add, OpCode::Sub, OpCode::Mul, OpCode::Div, OpCode::Pow, OpCode::Max, OpCode::Min},
            kNumbers);
  addBinary(table, {OpCode::And, OpCode::Or, OpCode::Xor}, kBits);
  table[OpCode::Compare] = addCompare;
  table[OpCode::Select] = addSelect;
  table[OpCode::Clamp] = [](OpCases &cases) { addSame(cases, OpCode::Clamp, 3, kNumbers); };
  table[OpCode::Convert] = addConvert;
  table[OpCode::Rem] = [](OpCases &cases) {
    for (core::DivisionRounding rounding : {core::DivisionRounding::Trunc, core::DivisionRounding::Floor})
      addWith(cases, core::RemAttrs{rounding}, 2, kNumbers);
  };
  table[OpCode::Powi] = [](OpCases &cases) {
    for (int64_t exponent : {-3, 0, 1, 2, 7})
      addWith(cases, core::PowiAttrs{exponent}, 1, kNumbers);
  };
  table[OpCode::Polygamma] = [](OpCases &cases) {
    for (int64_t n : {1, 2})
      addWith(cases, core::PolygammaAttrs{n}, 1, kFloats);
  };
  table[OpCode::ReducePrecision] = [](OpCases &cases) {
    for (DType type : {DType::F16, DType::BF16})
      addWith(cases, core::ReducePrecisionAttrs{type}, 1, kFloats);
  };
  table[OpCode::Bitcast] = addBitcast;
}
