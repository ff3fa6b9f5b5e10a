#include "passes/Codegen/ElementEmitter.h"

#include "dialects/Burn/ScalarPayloads.h"
#include "passes/Codegen/IndexMath.h"
#include "passes/Codegen/Kernel.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace burn;
using namespace burn::compiler;
using ir::ScalarKind;
using ir::ScalarOps;

namespace {

Type elementTypeOf(Value value) { return cast<RankedTensorType>(value.getType()).getElementType(); }
ArrayRef<int64_t> shapeOf(Value value) { return cast<RankedTensorType>(value.getType()).getShape(); }

} // namespace

AffineExpr compiler::linearIndex(ArrayRef<AffineExpr> index, ArrayRef<int64_t> shape, MLIRContext *context) {
  AffineExpr position = getAffineConstantExpr(0, context);
  for (auto [expr, size] : llvm::zip_equal(index, shape))
    position = position * size + expr;
  return position;
}

ElementEmitter::ElementEmitter(OpBuilder &builder, Location loc, Block &body, ValueRange buffers,
                               ArrayRef<int64_t> sizes)
    : b(loc, builder), outer(builder), body(body), buffers(buffers), dimValues(sizes.size()) {
  // Ranges are taken of non-empty spaces; nothing is emitted for empty ones.
  for (int64_t size : sizes)
    this->sizes.push_back(std::max<int64_t>(size, 1));
  scopes.emplace_back();
  scopes.back().point = builder.saveInsertionPoint();
}

void ElementEmitter::openScope(ArrayRef<std::pair<unsigned, Value>> dims, Operation *parentPoint,
                               std::optional<LaneDim> laneDim) {
  if (parentPoint)
    movePoints(parentPoint->getBlock(), parentPoint->getIterator());
  Scope scope;
  scope.point = outer.saveInsertionPoint();
  scope.dims = scopes.back().dims;
  for (auto [dim, value] : dims) {
    scope.dims |= uint64_t(1) << dim;
    dimValues[dim] = value;
  }
  if (laneDim)
    lanes = laneDim;
  scopes.push_back(std::move(scope));
}

void ElementEmitter::closeScope(Operation *loop) {
  const uint64_t dims = scopes.back().dims;
  scopes.pop_back();
  if (loop)
    movePoints(loop->getBlock(), std::next(loop->getIterator()));
  if (lanes && (dims & ~scopes.back().dims) >> lanes->dim & 1)
    lanes.reset();
}

void ElementEmitter::movePoints(Block *block, Block::iterator place) {
  for (Scope &scope : scopes)
    if (scope.point.getBlock() == block)
      scope.point = OpBuilder::InsertPoint(block, place);
}

Value ElementEmitter::emit(Value value, ArrayRef<AffineExpr> index) {
  OpBuilder::InsertionGuard guard(outer);
  return emitElement(value, index, {}).value;
}

Value ElementEmitter::emitVector(Value value, ArrayRef<AffineExpr> index) {
  Value element = emit(value, index);
  if (!element || isa<VectorType>(element.getType()) || !lanes)
    return element;
  return at(scopes.size() - 1, [&] { return broadcast(element); });
}

void ElementEmitter::bind(Value value, Value element) { scopes.back().bound[value] = element; }

Value ElementEmitter::emitIndex(AffineExpr expr) { return scalarIndex(simplify(expr)).value; }

void ElementEmitter::store(Value element, Value buffer, AffineExpr position, bool streamed) {
  Value place = emitIndex(position);
  b.restoreInsertionPoint(outer.saveInsertionPoint());
  Type memory = cast<MemRefType>(buffer.getType()).getElementType();
  Type type = ir::withShapeOf(element.getType(), memory);
  if (type != element.getType()) // a boolean is a byte in memory
    element = arith::ExtUIOp::create(b, type, element);
  if (!isa<VectorType>(type))
    memref::StoreOp::create(b, element, buffer, place);
  else if (lanes && lanes->mask)
    vector::MaskedStoreOp::create(b, buffer, place, lanes->mask, element);
  else if (streamed)
    vector::StoreOp::create(b, element, buffer, place, /*nontemporal=*/true, llvm::MaybeAlign(64));
  else
    vector::StoreOp::create(b, element, buffer, place);
}

void ElementEmitter::prefetch(Value buffer, AffineExpr position, bool writes) {
  Value place = emitIndex(position);
  b.restoreInsertionPoint(outer.saveInsertionPoint());
  memref::PrefetchOp::create(b, buffer, place, writes, /*localityHint=*/3, /*isDataCache=*/true);
}

Value ElementEmitter::at(unsigned depth, llvm::function_ref<Value()> emit) {
  // Emission nests: an inner call places its code in an outer scope.
  OpBuilder::InsertionGuard guard(b);
  b.restoreInsertionPoint(scopes[depth].point);
  return emit();
}

std::optional<ElementEmitter::Emitted> ElementEmitter::find(const Key &key) {
  for (unsigned depth = scopes.size(); depth-- != 0;)
    if (auto found = scopes[depth].memo.find(key); found != scopes[depth].memo.end())
      return Emitted{found->second, depth};
  return std::nullopt;
}

ElementEmitter::Emitted ElementEmitter::remember(const Key &key, Emitted emitted) {
  scopes[emitted.depth].memo[key] = emitted.value;
  return emitted;
}

Value ElementEmitter::splat(Type type, TypedAttr element) {
  if (auto vector = dyn_cast<VectorType>(type))
    return arith::ConstantOp::create(b, DenseElementsAttr::get(vector, element));
  return arith::ConstantOp::create(b, element);
}

Value ElementEmitter::broadcast(Value scalar) {
  return vector::BroadcastOp::create(b, VectorType::get({lanes->count}, scalar.getType()), scalar);
}

AffineExpr ElementEmitter::simplify(AffineExpr expr) const { return simplifyIndex(expr, sizes); }

uint64_t ElementEmitter::dimsOf(AffineExpr expr) const {
  uint64_t dims = 0;
  expr.walk([&](AffineExpr part) {
    if (auto dim = dyn_cast<AffineDimExpr>(part))
      dims |= uint64_t(1) << dim.getPosition();
  });
  return dims;
}

uint64_t ElementEmitter::dimsOf(ArrayRef<AffineExpr> exprs) const {
  uint64_t dims = 0;
  for (AffineExpr expr : exprs)
    dims |= dimsOf(expr);
  return dims;
}

unsigned ElementEmitter::depthOf(uint64_t dims) const {
  for (unsigned depth = 0; depth != scopes.size(); ++depth)
    if ((dims & ~scopes[depth].dims) == 0)
      return depth;
  llvm_unreachable("a dim without a value");
}

ElementEmitter::Emitted ElementEmitter::emitElement(Value value, ArrayRef<AffineExpr> index,
                                                    ArrayRef<AffineExpr> when) {
  for (unsigned depth = scopes.size(); depth-- != 0;)
    if (Value bound = scopes[depth].bound.lookup(value))
      return {bound, depth};
  ElementIndex simple;
  for (AffineExpr expr : index)
    simple.push_back(simplify(expr));
  Key key{value.getAsOpaquePointer(), {}};
  for (AffineExpr expr : simple)
    key.second.push_back(expr.getAsOpaquePointer());
  key.second.push_back(nullptr);
  for (AffineExpr expr : when)
    key.second.push_back(expr.getAsOpaquePointer());
  if (auto found = find(key))
    return *found;
  Emitted emitted = compute(value, simple, when);
  return emitted.value ? remember(key, emitted) : emitted;
}

ElementEmitter::Emitted ElementEmitter::compute(Value value, ArrayRef<AffineExpr> index, ArrayRef<AffineExpr> when) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return emitLoad(buffers[argument.getArgNumber()], cast<RankedTensorType>(value.getType()), index, when);
  Operation *op = value.getDefiningOp();
  if (auto view = dyn_cast<ir::ViewOpInterface>(op))
    return emitView(view, index, when);
  if (auto elementwise = dyn_cast<ir::ElementwiseOpInterface>(op))
    return emitPayload(elementwise, index, when);
  if (auto constant = dyn_cast<ir::ConstantOp>(op))
    return emitConstant(constant, index, when);
  if (auto iota = dyn_cast<ir::IotaOp>(op))
    return emitIota(iota, index);
  if (auto bits = dyn_cast<ir::RngBitsOp>(op))
    return emitRandomBits(bits, index, when);
  if (auto stop = dyn_cast<ir::StopGradientOp>(op))
    return emitElement(stop.getInput(), index, when);
  if (isa<ir::UndefOp>(op)) {
    Type type = registerType(elementTypeOf(value));
    return {at(0, [&] { return splat(type, b.getZeroAttr(type)); }), 0};
  }
  op->emitOpError("has no code for a single element");
  return {};
}

ElementEmitter::Emitted ElementEmitter::emitPayload(ir::ElementwiseOpInterface op, ArrayRef<AffineExpr> index,
                                                    ArrayRef<AffineExpr> when) {
  SmallVector<Emitted> operands;
  const bool ranked = !shapeOf(op->getResult(0)).empty();
  unsigned depth = 0;
  bool anyVector = false;
  for (Value operand : op->getOperands()) {
    bool scalar = ranked && shapeOf(operand).empty();
    operands.push_back(emitElement(operand, scalar ? ArrayRef<AffineExpr>() : index, when));
    if (!operands.back().value)
      return {};
    depth = std::max(depth, operands.back().depth);
    anyVector |= isa<VectorType>(operands.back().value.getType());
  }
  Value result = at(depth, [&] {
    SmallVector<Value> values;
    for (const Emitted &operand : operands)
      values.push_back(anyVector && !isa<VectorType>(operand.value.getType()) ? broadcast(operand.value)
                                                                              : operand.value);
    return op.buildScalarPayload(b, op->getLoc(), values);
  });
  return {result, depth};
}

bool ElementEmitter::require(Conditions &conditions, AffineExpr expr) const {
  expr = simplify(expr);
  const auto [low, high] = indexRange(expr, sizes);
  if (high < 0)
    return false;
  if (low < 0 && !llvm::is_contained(conditions, expr))
    conditions.push_back(expr);
  return true;
}

Value ElementEmitter::emitWhere(Value value, ArrayRef<AffineExpr> index, ArrayRef<AffineExpr> when, Value otherwise,
                                Value *holds) {
  Conditions own, safe;
  bool possible = true;
  for (AffineExpr expr : when)
    possible &= require(own, expr);
  safe = own;
  for (auto [expr, size] : llvm::zip_equal(index, shapeOf(value)))
    possible &= require(safe, expr) && require(safe, size - 1 - expr);
  OpBuilder::InsertionGuard guard(outer);
  const unsigned inner = scopes.size() - 1;
  auto vectorOf = [&](Value v) { return isa<VectorType>(v.getType()) || !lanes ? v : broadcast(v); };
  if (!possible) {
    return at(inner, [&] {
      if (holds)
        *holds = vectorOf(splat(b.getI1Type(), b.getBoolAttr(false)));
      return vectorOf(otherwise);
    });
  }
  Emitted element = emitElement(value, index, safe);
  if (!element.value)
    return {};
  Emitted chosen = condition(own);
  return at(inner, [&]() -> Value {
    Value all = vectorOf(element.value);
    Value which = chosen.value ? vectorOf(chosen.value) : Value();
    if (holds)
      *holds = which;
    return which ? Value(arith::SelectOp::create(b, which, all, vectorOf(otherwise))) : all;
  });
}

ElementEmitter::Emitted ElementEmitter::emitView(ir::ViewOpInterface op, ArrayRef<AffineExpr> index,
                                                 ArrayRef<AffineExpr> when) {
  struct Candidate {
    ir::IndexedRead read;
    Conditions own;  // when this read provides the element
    Conditions safe; // when its place exists
  };
  SmallVector<Candidate, 2> candidates;
  for (ir::IndexedRead &read : op.getReads(index)) {
    Candidate candidate;
    bool possible = true;
    for (AffineExpr expr : read.nonNegative)
      possible &= require(candidate.own, expr);
    for (AffineExpr expr : read.zero)
      possible &= require(candidate.own, expr) && require(candidate.own, -expr);
    if (!possible)
      continue;
    candidate.safe.assign(when.begin(), when.end());
    for (AffineExpr expr : candidate.own)
      if (!llvm::is_contained(candidate.safe, expr))
        candidate.safe.push_back(expr);
    for (auto [expr, size] : llvm::zip_equal(read.index, shapeOf(op->getOperand(read.operand))))
      possible &= require(candidate.safe, expr) && require(candidate.safe, size - 1 - expr);
    candidate.read = std::move(read);
    if (possible)
      candidates.push_back(std::move(candidate));
    else if (candidate.own.empty())
      candidates.clear();
    if (!candidates.empty() && candidates.back().own.empty())
      break;
  }
  if (candidates.empty()) { // no index of the space has an element here
    Type type = registerType(elementTypeOf(op->getResult(0)));
    return {at(0, [&] { return splat(type, b.getZeroAttr(type)); }), 0};
  }
  Emitted result;
  for (Candidate &candidate : llvm::reverse(candidates)) {
    Emitted element = emitElement(op->getOperand(candidate.read.operand), candidate.read.index, candidate.safe);
    if (!element.value)
      return {};
    if (!result.value) {
      result = element;
      continue;
    }
    Emitted chosen = condition(candidate.own);
    unsigned depth = std::max({result.depth, element.depth, chosen.depth});
    Value joined = at(depth, [&]() -> Value {
      Value values[] = {chosen.value, element.value, result.value};
      bool anyVector = llvm::any_of(values, [](Value v) { return isa<VectorType>(v.getType()); });
      for (Value &value : values)
        if (anyVector && !isa<VectorType>(value.getType()))
          value = broadcast(value);
      return arith::SelectOp::create(b, values[0], values[1], values[2]);
    });
    result = {joined, depth};
  }
  return result;
}
