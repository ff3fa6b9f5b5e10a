// Ops with regions, and markers. Regions hold exactly specified ops only, so that the results are exact too.
#include "tools/burn-fuzz/OpEntries.h"

using namespace burn;
using namespace burn::fuzz;
using core::OpCode;
using core::TypeDesc;
using mlir::Value;

namespace {

using Values = std::vector<Value>;

bool isComputed(const TypeDesc &type) { return type.dtype != DType::Bool && type.shape.numel() <= 2000; }

// A few ops on values of one type.
Value someOps(Generator &g, llvm::ArrayRef<Value> values) {
  Value x = values[0];
  for (int64_t i = g.number(0, 3); i > 0; --i) {
    Value y = values[g.number(0, static_cast<int64_t>(values.size()) - 1)];
    x = g.chance(0.3) ? g.inRegion(OpCode::Neg, {x})
                      : g.inRegion(g.oneOf({OpCode::Add, OpCode::Sub, OpCode::Max, OpCode::Mul}), {x, y});
  }
  return x;
}

Value scalarOf(Generator &g, int64_t value) {
  const int64_t values[] = {value};
  return g.argument(ir::HostTensor::from(std::span<const int64_t>(values), Shape{}));
}

Value choose(Generator &g, OpCode op) {
  g.leaveOutGradient();
  Value x = g.some(isComputed);
  if (!x)
    return nullptr;
  const TypeDesc type = typeOf(x);
  const auto body = [&g](llvm::ArrayRef<Value> arguments) { return Values{someOps(g, arguments)}; };
  const ProgramBuilder::Region region{{type, type}, body};
  return g.add(op, {g.valueOf({DType::Bool, Shape{}}), x, g.valueOf(type)}, {}, {type}, {region, region});
}

Value loop(Generator &g, OpCode) {
  g.leaveOutGradient();
  Value x = g.some(isComputed);
  if (!x)
    return nullptr;
  const TypeDesc type = typeOf(x), index{DType::I64, Shape{}};
  const int64_t low = g.number(-3, 3), step = g.number(1, 3), high = low + g.number(-1, 9);
  const Dims segments{1, 1, 1, 1, 1};
  const ProgramBuilder::Region body{{index, type, type}, [&g](llvm::ArrayRef<Value> arguments) {
                                      return Values{someOps(g, arguments.drop_front())};
                                    }};
  return g.add(core::ForAttrs{.operandSegmentSizes = segments},
               {scalarOf(g, low), scalarOf(g, high), scalarOf(g, step), x, g.valueOf(type)}, {type}, {body});
}

// Counts up to a limit.
Value whileLoop(Generator &g, OpCode) {
  g.leaveOutGradient();
  Value x = g.some(isComputed);
  if (!x)
    return nullptr;
  const TypeDesc type = typeOf(x), index{DType::I64, Shape{}};
  const Dims segments{2, 2};
  const std::vector<TypeDesc> types{index, type, index, type};
  const ProgramBuilder::Region condition{
      types, [&g](llvm::ArrayRef<Value> a) {
        return Values{g.inRegion(OpCode::Compare, {a[0], a[2]}, {static_cast<int64_t>(core::CompareDirection::LT)})};
      }};
  const ProgramBuilder::Region body{types, [&g](llvm::ArrayRef<Value> a) {
                                      Value one = g.splat(DType::I64, Shape{}, 1);
                                      return Values{g.inRegion(OpCode::Add, {a[0], one}), someOps(g, {a[1], a[3]})};
                                    }};
  return g.add(core::WhileAttrs{.operandSegmentSizes = segments},
               {scalarOf(g, 0), x, scalarOf(g, g.number(-1, 6)), g.valueOf(type)}, {index, type}, {condition, body});
}

Value checkpoint(Generator &g, OpCode) {
  Value x = g.some(isComputed);
  if (!x)
    return nullptr;
  const TypeDesc type = typeOf(x);
  const auto body = [&g](llvm::ArrayRef<Value> arguments) { return Values{someOps(g, arguments)}; };
  return g.add(core::CheckpointAttrs{static_cast<core::CheckpointPolicy>(g.number(0, 2))}, {x, g.valueOf(type)}, {type},
               {{{type, type}, body}});
}

// The square, with its derivative.
Value customVjp(Generator &g, OpCode) {
  Value x = g.some([](const TypeDesc &type) { return isWide(type) && isComputed(type); });
  if (!x)
    return nullptr;
  const TypeDesc type = typeOf(x);
  const Dims segments{1, 0};
  const ProgramBuilder::Region forward{
      {type}, [&g](llvm::ArrayRef<Value> a) { return Values{g.inRegion(OpCode::Mul, {a[0], a[0]})}; }};
  const ProgramBuilder::Region vjp{{type, type, type}, [&g](llvm::ArrayRef<Value> a) {
                                     Value half = g.inRegion(OpCode::Mul, {a[0], a[2]});
                                     return Values{g.inRegion(OpCode::Add, {half, half})};
                                   }};
  return g.add(core::CustomVjpAttrs{.operandSegmentSizes = segments}, {x}, {type}, {forward, vjp});
}

Value barrier(Generator &g, OpCode op) {
  Values values{g.any()};
  if (g.chance(0.5))
    values.push_back(g.any());
  return g.add(op, values);
}

// Of a predicate that holds: a program that fails tells nothing.
Value checked(Generator &g, OpCode) {
  Value value = g.any();
  Value x = g.some([](const TypeDesc &type) { return type.dtype != DType::Bool && !isFloat(type.dtype); });
  Value predicate;
  if (x) {
    std::vector<int64_t> dims;
    for (unsigned i = 0; i < typeOf(x).shape.rank(); ++i)
      dims.push_back(i);
    Value same = g.add(OpCode::Compare, {x, x}, {static_cast<int64_t>(core::CompareDirection::EQ)});
    predicate = g.add(core::ReduceAttrs{core::ReduceKind::And, dims}, {same});
  } else {
    predicate = g.splat(DType::Bool, Shape{}, 1);
  }
  return g.add(core::AssertAttrs{.message = "what is equal to itself"}, {predicate, value});
}

Value printed(Generator &g, OpCode) { return g.add(core::PrintAttrs{.label = "value"}, {g.any()}); }

Value named(Generator &g, OpCode) { return g.add(core::NameAttrs{.name = "hidden"}, {g.any()}); }

} // namespace

void fuzz::addControlEntries(std::vector<OpEntry> &entries) {
  entries.push_back({OpCode::If, Family::Control, choose});
  entries.push_back({OpCode::For, Family::Control, loop});
  entries.push_back({OpCode::While, Family::Control, whileLoop});
  entries.push_back({OpCode::Checkpoint, Family::Control, checkpoint, true});
  entries.push_back({OpCode::CustomVjp, Family::Control, customVjp, true});
  entries.push_back({OpCode::Barrier, Family::Control, barrier, true});
  entries.push_back({OpCode::Assert, Family::Control, checked, true});
  entries.push_back({OpCode::Print, Family::Control, printed, true});
  entries.push_back({OpCode::Name, Family::Control, named, true});
}
