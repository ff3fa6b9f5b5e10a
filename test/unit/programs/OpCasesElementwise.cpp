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
  addUnary(table,
           {OpCode::Exp, OpCode::Expm1, OpCode::Log, OpCode::Log1p, OpCode::Sqrt, OpCode::Rsqrt, OpCode::Tanh,
            OpCode::Erf, OpCode::Logistic, OpCode::Floor, OpCode::Ceil, OpCode::RoundEven},
           kFloats);
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
}
