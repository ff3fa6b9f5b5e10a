// The leaves of element code: loads, generated values, and index arithmetic.
#include "passes/Codegen/ElementEmitter.h"

#include "dialects/Burn/ScalarPayloads.h"
#include "passes/Codegen/IndexMath.h"
#include "passes/Codegen/Kernel.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace burn;
using namespace burn::compiler;
using ir::ScalarKind;
using ir::ScalarOps;

ElementEmitter::Emitted ElementEmitter::emitLoad(Value buffer, RankedTensorType type, ArrayRef<AffineExpr> index,
                                                 ArrayRef<AffineExpr> when) {
  Type element = registerType(type.getElementType());
  Type memory = memoryType(type.getElementType());
  if (type.getNumElements() == 0)
    return {at(0, [&] { return splat(element, b.getZeroAttr(element)); }), 0};
  AffineExpr position = simplify(linearIndex(index, type.getShape(), b.getContext()));
  const uint64_t dims = dimsOf(position) | dimsOf(when);
  auto toRegister = [&](Value loaded) -> Value {
    if (element == memory)
      return loaded;
    Value zero = splat(loaded.getType(), b.getZeroAttr(memory));
    return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, loaded, zero);
  };

  if (!inLanes(dims)) {
    Emitted place = scalarIndex(position);
    Emitted exists = condition(when);
    unsigned depth = std::max(place.depth, exists.depth);
    return {at(depth,
               [&] {
                 Value at = place.value;
                 if (exists.value)
                   at = arith::SelectOp::create(b, exists.value, at, arith::ConstantIndexOp::create(b, 0));
                 return toRegister(memref::LoadOp::create(b, buffer, at));
               }),
            depth};
  }

  VectorType vector = VectorType::get({lanes->count}, memory);
  unsigned depth = depthOf(dims);
  std::optional<int64_t> step = coefficientOf(position, lanes->dim);
  if (step == 1) {
    Emitted place = scalarIndex(position);
    Emitted exists = condition(when);
    if (exists.value && !isa<VectorType>(exists.value.getType())) {
      // All lanes exist or none does. Those that do not read from the start of the buffer: cheaper than a mask.
      if (type.getNumElements() < std::min(lanes->count, sizes[lanes->dim])) // none ever exists
        return {at(0, [&] { return splat(VectorType::get({lanes->count}, element), b.getZeroAttr(element)); }), 0};
      place = {at(depth,
                  [&] {
                    Value start = arith::ConstantIndexOp::create(b, 0);
                    return arith::SelectOp::create(b, exists.value, place.value, start);
                  }),
               depth};
      exists = {};
    }
    return {at(depth,
               [&] {
                 Value mask = lanes->mask;
                 if (exists.value) {
                   Value chosen = isa<VectorType>(exists.value.getType()) ? exists.value : broadcast(exists.value);
                   mask = mask ? Value(arith::AndIOp::create(b, mask, chosen)) : chosen;
                 }
                 if (!mask)
                   return toRegister(vector::LoadOp::create(b, vector, buffer, place.value));
                 Value zero = splat(vector, b.getZeroAttr(memory));
                 return toRegister(vector::MaskedLoadOp::create(b, vector, buffer, place.value, mask, zero));
               }),
            depth};
  }

  // Lanes that do not exist read some place that does, which costs less than masking where the
  // target has no masked gather.
  const bool wide = !fitsInt32(position);
  Emitted places = vectorIndex(position, wide);
  Emitted exists = condition(when);
  return {at(depth,
             [&] {
               Value at = places.value;
               if (!isa<VectorType>(at.getType()))
                 at = broadcast(at);
               if (exists.value) {
                 Value chosen = isa<VectorType>(exists.value.getType()) ? exists.value : broadcast(exists.value);
                 Value zero = splat(at.getType(), b.getZeroAttr(getElementTypeOrSelf(at.getType())));
                 at = arith::SelectOp::create(b, chosen, at, zero);
               }
               Value all = splat(VectorType::get({lanes->count}, b.getI1Type()), b.getBoolAttr(true));
               Value none = splat(vector, b.getZeroAttr(memory));
               Value base = arith::ConstantIndexOp::create(b, 0);
               return toRegister(vector::GatherOp::create(b, vector, buffer, ValueRange{base}, at, all, none));
             }),
          depth};
}

Value ElementEmitter::loadEach(Value buffer, Type burnElementType, Value positions) {
  b.restoreInsertionPoint(outer.saveInsertionPoint());
  Type element = registerType(burnElementType), memory = memoryType(burnElementType);
  VectorType vector = VectorType::get(cast<VectorType>(positions.getType()).getShape(), memory);
  Value all = splat(ir::withShapeOf(vector, b.getI1Type()), b.getBoolAttr(true));
  Value none = splat(vector, b.getZeroAttr(memory));
  Value base = arith::ConstantIndexOp::create(b, 0);
  Value loaded = vector::GatherOp::create(b, vector, buffer, ValueRange{base}, positions, all, none);
  if (element == memory)
    return loaded;
  return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, loaded, none);
}

Value ElementEmitter::loadNow(Value buffer, Type burnElementType, AffineExpr position) {
  Value place = emitIndex(position);
  b.restoreInsertionPoint(outer.saveInsertionPoint());
  Type element = registerType(burnElementType), memory = memoryType(burnElementType);
  Value loaded;
  if (!lanes) {
    loaded = memref::LoadOp::create(b, buffer, place);
  } else {
    VectorType vector = VectorType::get({lanes->count}, memory);
    if (lanes->mask)
      loaded =
          vector::MaskedLoadOp::create(b, vector, buffer, place, lanes->mask, splat(vector, b.getZeroAttr(memory)));
    else
      loaded = vector::LoadOp::create(b, vector, buffer, place);
  }
  if (element == memory)
    return loaded;
  return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, loaded, splat(loaded.getType(), b.getZeroAttr(memory)));
}

Value ElementEmitter::emitIndexVector(AffineExpr expr) {
  if (lanes)
    return vectorIndex(simplify(expr), /*wide=*/true).value;
  Emitted index = scalarIndex(simplify(expr));
  return at(index.depth, [&]() -> Value { return arith::IndexCastOp::create(b, b.getI64Type(), index.value); });
}

ElementEmitter::Emitted ElementEmitter::emitConstant(ir::ConstantOp op, ArrayRef<AffineExpr> index,
                                                     ArrayRef<AffineExpr> when) {
  auto type = cast<RankedTensorType>(op.getType());
  ScalarKind kind = ScalarKind::get(type.getElementType());
  auto toAttribute = [&](Attribute element, Type target) -> TypedAttr {
    if (auto number = dyn_cast<FloatAttr>(element)) {
      if (kind.isBF16)
        return b.getIntegerAttr(target, number.getValue().bitcastToAPInt());
      return FloatAttr::get(target, number.getValue());
    }
    return b.getIntegerAttr(target, cast<IntegerAttr>(element).getValue().zextOrTrunc(target.getIntOrFloatBitWidth()));
  };
  auto value = dyn_cast<DenseElementsAttr>(op.getValue());
  if (!value) {
    op.emitOpError("holds no dense data");
    return {};
  }
  if (value.isSplat() || type.getNumElements() == 0) {
    Type element = kind.getLowered(b.getContext());
    TypedAttr attribute = value.isSplat() && type.getNumElements() != 0
                              ? toAttribute(value.getSplatValue<Attribute>(), element)
                              : b.getZeroAttr(element);
    return {at(0, [&] { return splat(element, attribute); }), 0};
  }
  // The data become a global of the module, one for each op.
  auto module = b.getInsertionBlock()->getParentOp()->getParentOfType<ModuleOp>();
  if (!module)
    module = cast<ModuleOp>(b.getInsertionBlock()->getParentOp());
  MemRefType memory = bufferType(type);
  SmallVector<Attribute> elements;
  for (Attribute element : value.getValues<Attribute>())
    elements.push_back(toAttribute(element, memory.getElementType()));
  auto data = DenseElementsAttr::get(RankedTensorType::get(memory.getShape(), memory.getElementType()), elements);
  Key key{op.getOperation(), {}};
  std::optional<Emitted> global = find(key);
  if (!global) {
    std::string name;
    unsigned number = 0;
    do
      name = "constant_" + std::to_string(number++);
    while (module.lookupSymbol(name));
    OpBuilder atModule = OpBuilder::atBlockBegin(module.getBody());
    memref::GlobalOp::create(atModule, op.getLoc(), name, b.getStringAttr("private"), memory, data,
                             /*constant=*/true, /*alignment=*/b.getI64IntegerAttr(64));
    global = remember(key, {at(0, [&]() -> Value { return memref::GetGlobalOp::create(b, memory, name); }), 0});
  }
  return emitLoad(global->value, type, index, when);
}

ElementEmitter::Emitted ElementEmitter::emitIota(ir::IotaOp op, ArrayRef<AffineExpr> index) {
  ScalarKind to = ScalarKind::get(cast<RankedTensorType>(op.getType()).getElementType());
  AffineExpr expr = index[op.getDim()];
  const bool vector = inLanes(dimsOf(expr));
  const bool wide = !fitsInt32(expr);
  Emitted number = vector ? vectorIndex(expr, wide) : scalarIndex(expr);
  Value converted = at(number.depth, [&] {
    Value integer = number.value;
    if (!vector)
      integer = arith::IndexCastOp::create(b, wide ? b.getI64Type() : b.getI32Type(), integer);
    ScalarKind from{ScalarKind::Class::Signed, wide ? 64u : 32u};
    return ScalarOps(b, op.getLoc(), from).convert(integer, to);
  });
  return {converted, number.depth};
}

ElementEmitter::Emitted ElementEmitter::emitRandomBits(ir::RngBitsOp op, ArrayRef<AffineExpr> index,
                                                       ArrayRef<AffineExpr> when) {
  auto type = cast<RankedTensorType>(op.getType());
  MLIRContext *context = b.getContext();
  Emitted parts[] = {emitElement(op.getKey(), getAffineConstantExpr(0, context), {}),
                     emitElement(op.getKey(), getAffineConstantExpr(1, context), {}),
                     emitElement(op.getCounter(), {}, {})};
  AffineExpr position = simplify(linearIndex(index, type.getShape(), context));
  const bool vector = inLanes(dimsOf(position));
  Emitted number = vector ? vectorIndex(position, /*wide=*/true) : scalarIndex(position);
  unsigned depth = number.depth;
  for (const Emitted &part : parts) {
    if (!part.value)
      return {};
    depth = std::max(depth, part.depth);
  }
  Value bits = at(depth, [&] {
    Value i = vector ? number.value : arith::IndexCastOp::create(b, b.getI64Type(), number.value);
    Value ordinal = splat(b.getI64Type(), b.getI64IntegerAttr(op.getOrdinal()));
    Value call = arith::AddIOp::create(b, parts[2].value, ordinal);
    auto shaped = [&](Value scalar) { return vector ? broadcast(scalar) : scalar; };
    auto build = type.getElementTypeBitWidth() == 64 ? ir::buildPhiloxDoubleWord : ir::buildPhiloxWord;
    return build(b, shaped(parts[0].value), shaped(parts[1].value), shaped(call), i);
  });
  return {bits, depth};
}

bool ElementEmitter::fitsInt32(AffineExpr expr) const {
  bool fits = true;
  expr.walk([&](AffineExpr part) {
    const auto [low, high] = indexRange(part, sizes);
    fits &= low >= INT32_MIN && high <= INT32_MAX;
  });
  return fits;
}

// floordiv and mod are the machine's division where the numerator is not negative.
Value ElementEmitter::combineIndex(AffineExprKind kind, Value lhs, Value rhs, bool nonNegative) {
  switch (kind) {
  case AffineExprKind::Add:
    return arith::AddIOp::create(b, lhs, rhs);
  case AffineExprKind::Mul:
    return arith::MulIOp::create(b, lhs, rhs);
  case AffineExprKind::FloorDiv:
    if (nonNegative)
      return arith::DivUIOp::create(b, lhs, rhs);
    return arith::FloorDivSIOp::create(b, lhs, rhs);
  case AffineExprKind::CeilDiv:
    return arith::CeilDivSIOp::create(b, lhs, rhs);
  case AffineExprKind::Mod: {
    if (nonNegative)
      return arith::RemUIOp::create(b, lhs, rhs);
    Value quotient = arith::FloorDivSIOp::create(b, lhs, rhs);
    return arith::SubIOp::create(b, lhs, arith::MulIOp::create(b, quotient, rhs));
  }
  default:
    llvm_unreachable("no such index expression");
  }
}

ElementEmitter::Emitted ElementEmitter::scalarIndex(AffineExpr expr) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return {dimValues[dim.getPosition()], depthOf(dimsOf(expr))};
  Key key{nullptr, {expr.getAsOpaquePointer()}};
  if (auto found = find(key))
    return *found;
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return remember(key, {at(0, [&]() -> Value { return arith::ConstantIndexOp::create(b, constant.getValue()); }), 0});
  auto binary = cast<AffineBinaryOpExpr>(expr);
  Emitted lhs = scalarIndex(binary.getLHS());
  Emitted rhs = scalarIndex(binary.getRHS());
  unsigned depth = std::max(lhs.depth, rhs.depth);
  const bool nonNegative = indexRange(binary.getLHS(), sizes).first >= 0;
  Value value = at(depth, [&] { return combineIndex(expr.getKind(), lhs.value, rhs.value, nonNegative); });
  return remember(key, {value, depth});
}

ElementEmitter::Emitted ElementEmitter::vectorIndex(AffineExpr expr, bool wide) {
  Key key{&sizes, {expr.getAsOpaquePointer(), wide ? &sizes : nullptr}};
  if (auto found = find(key))
    return *found;
  Type element = wide ? b.getI64Type() : b.getI32Type();
  VectorType type = VectorType::get({lanes->count}, element);
  unsigned depth = depthOf(dimsOf(expr) | uint64_t(1) << lanes->dim);
  auto spread = [&](Value index) -> Value { return broadcast(arith::IndexCastOp::create(b, element, index)); };
  Value value;
  if (!inLanes(dimsOf(expr))) {
    Emitted scalar = scalarIndex(expr);
    value = at(depth, [&] { return spread(scalar.value); });
  } else if (isa<AffineDimExpr>(expr)) {
    value = at(depth, [&]() -> Value {
      SmallVector<Attribute> steps;
      for (int64_t lane = 0; lane != lanes->count; ++lane)
        steps.push_back(b.getIntegerAttr(element, lane));
      Value counting = arith::ConstantOp::create(b, DenseElementsAttr::get(type, steps));
      Value all = arith::AddIOp::create(b, spread(dimValues[lanes->dim]), counting);
      if (!lanes->mask)
        return all;
      Value last = splat(type, b.getIntegerAttr(element, sizes[lanes->dim] - 1));
      return arith::MinSIOp::create(b, all, last);
    });
  } else {
    auto binary = cast<AffineBinaryOpExpr>(expr);
    Value lhs = vectorIndex(binary.getLHS(), wide).value;
    Value rhs = vectorIndex(binary.getRHS(), wide).value;
    const bool nonNegative = indexRange(binary.getLHS(), sizes).first >= 0;
    value = at(depth, [&] { return combineIndex(expr.getKind(), lhs, rhs, nonNegative); });
  }
  return remember(key, {value, depth});
}

ElementEmitter::Emitted ElementEmitter::condition(ArrayRef<AffineExpr> when) {
  Emitted all;
  for (AffineExpr expr : when) {
    const bool vector = inLanes(dimsOf(expr));
    Emitted number = vector ? vectorIndex(expr, !fitsInt32(expr)) : scalarIndex(expr);
    Value holds = at(number.depth, [&]() -> Value {
      Value zero = splat(number.value.getType(), b.getZeroAttr(getElementTypeOrSelf(number.value.getType())));
      return arith::CmpIOp::create(b, arith::CmpIPredicate::sge, number.value, zero);
    });
    if (!all.value) {
      all = {holds, number.depth};
      continue;
    }
    unsigned depth = std::max(all.depth, number.depth);
    Value joined = at(depth, [&]() -> Value {
      Value left = all.value, right = holds;
      if (isa<VectorType>(left.getType()) != isa<VectorType>(right.getType())) {
        left = isa<VectorType>(left.getType()) ? left : broadcast(left);
        right = isa<VectorType>(right.getType()) ? right : broadcast(right);
      }
      return arith::AndIOp::create(b, left, right);
    });
    all = {joined, depth};
  }
  return all;
}
