#include "passes/Codegen/Extremum.h"
#include "passes/Codegen/KernelLoops.h"
#include "passes/Codegen/SingleKernels.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace burn;
using namespace burn::compiler;
using ir::CompareDirection;
using ir::ScalarOps;

Value ExtremumSearch::replaces(OpBuilder &b, Location loc, Value best, Value candidate) const {
  ScalarOps ops(b, loc, kind);
  Value better = ops.compare(isMax ? CompareDirection::GT : CompareDirection::LT, candidate, best);
  if (!kind.isFloat())
    return better;
  Value isNaN = ops.compare(CompareDirection::NE, candidate, candidate);
  Value wasNumber = ops.compare(CompareDirection::EQ, best, best);
  return arith::OrIOp::create(b, loc, better, arith::AndIOp::create(b, loc, isNaN, wasNumber));
}

Value ExtremumSearch::ties(OpBuilder &b, Location loc, Value best, Value candidate) const {
  ScalarOps ops(b, loc, kind);
  Value equal = ops.compare(CompareDirection::EQ, candidate, best);
  if (!kind.isFloat())
    return equal;
  Value isNaN = ops.compare(CompareDirection::NE, candidate, candidate);
  Value wasNaN = ops.compare(CompareDirection::NE, best, best);
  return arith::OrIOp::create(b, loc, equal, arith::AndIOp::create(b, loc, isNaN, wasNaN));
}

namespace {

constexpr int64_t kTaskElements = 8192;
constexpr unsigned kOuter = 0, kInner = 1, kAxis = 2; // dims of the iteration space

Value select(OpBuilder &b, Location loc, Value c, Value x, Value y) { return arith::SelectOp::create(b, loc, c, x, y); }

Value wide(OpBuilder &b, Location loc, Value index, Type shape) {
  Value number = arith::IndexCastOp::create(b, loc, b.getI64Type(), index);
  if (!isa<VectorType>(shape))
    return number;
  return vector::BroadcastOp::create(b, loc, ir::withShapeOf(shape, b.getI64Type()), number);
}

// Few long rows are searched in blocks, which tasks share.
constexpr int64_t kBlockElements = 16384, kEnoughRows = 8;

/// The rows of a search along the last dim, few and long: the extremum of each block first, then among the blocks of a
/// row. The first one wins either way.
class BlockedSearch {
public:
  BlockedSearch(OpBuilder &atModule, ir::FusedOp fused, ir::ArgReduceOp op, StringRef name, int64_t outer,
                int64_t length)
      : atModule(atModule), fused(fused), op(op), name(name), loc(op.getLoc()), outer(outer), length(length),
        blocks(length / kBlockElements), search(op.getKind(), op.getInput().getType().getElementType()),
        element(memoryType(op.getInput().getType().getElementType())), b(op.getContext()) {
    placesAt = llvm::alignTo(outer * blocks * int64_t(element.getIntOrFloatBitWidth() / 8), 64);
    code.scratchBytes = placesAt + outer * blocks * 8;
  }

  static bool pays(ir::ArgReduceOp op, int64_t outer, int64_t length) {
    Type type = op.getInput().getType().getElementType();
    return outer < kEnoughRows && length >= 2 * kBlockElements && registerType(type) == memoryType(type);
  }

  FailureOr<KernelCode> build() {
    searchBlocks();
    compareBlocks();
    if (failed)
      return failure();
    return code;
  }

private:
  void openPhase(StringRef suffix) {
    func = createPhase(atModule, fused, (name + suffix).str(), code.scratchBytes, false);
    arguments.emplace(func, fused, true, false);
    b = OpBuilder::atBlockEnd(&func.getBody().front());
    const auto part = [&](Type type, int64_t offset) -> Value {
      return memref::ViewOp::create(b, loc, MemRefType::get({outer * blocks}, type), arguments->scratch,
                                    indexConstant(b, loc, offset), ValueRange{});
    };
    bests = part(element, 0);
    places = part(b.getI64Type(), placesAt);
  }

  // Extremum and place of the elements [from, to) of a row, of which there are 16 at least.
  std::pair<Value, Value> searchRange(ElementEmitter &emitter, ArrayRef<AffineExpr> index, Value from, Value to) {
    constexpr int64_t lanes = 16;
    Value step = indexConstant(b, loc, lanes);
    Value length = arith::SubIOp::create(b, loc, to, from);
    Value whole = arith::SubIOp::create(b, loc, to, arith::RemUIOp::create(b, loc, length, step));
    AffineExpr axis = getAffineDimExpr(kAxis, b.getContext());
    const auto vectorAt = [&](Value base, Value mask) -> std::pair<Value, Value> {
      emitter.openScope({{kAxis, base}}, nullptr, LaneDim{kAxis, lanes, mask});
      Value candidate = emitter.emitVector(op.getInput(), index);
      Value place = emitter.emitIndexVector(axis);
      emitter.closeScope();
      failed |= !candidate;
      return {candidate, place};
    };
    auto [first, firstPlace] = vectorAt(from, {});
    if (failed)
      return {};
    scf::ForOp loop =
        openLoop(b, loc, arith::AddIOp::create(b, loc, from, step), whole, step, ValueRange{first, firstPlace});
    emitter.openScope({}, loop);
    auto [next, nextPlace] = vectorAt(loop.getInductionVar(), {});
    Value best = loop.getRegionIterArg(0), bestPlace = loop.getRegionIterArg(1);
    Value better = search.replaces(b, loc, best, next);
    Value kept = select(b, loc, better, next, best), keptPlace = select(b, loc, better, nextPlace, bestPlace);
    emitter.closeScope(loop);
    closeLoop(b, loop, {kept, keptPlace});
    best = loop.getResult(0), bestPlace = loop.getResult(1);
    Value mask = vector::CreateMaskOp::create(b, loc, VectorType::get({lanes}, b.getI1Type()),
                                              ValueRange{arith::SubIOp::create(b, loc, to, whole)});
    auto [last, lastPlace] = vectorAt(whole, mask);
    better = arith::AndIOp::create(b, loc, mask, search.replaces(b, loc, best, last));
    best = select(b, loc, better, last, best), bestPlace = select(b, loc, better, lastPlace, bestPlace);
    Value winner = vector::ExtractOp::create(b, loc, best, 0),
          winnerPlace = vector::ExtractOp::create(b, loc, bestPlace, 0);
    for (int64_t lane = 1; lane != lanes; ++lane) {
      Value candidate = vector::ExtractOp::create(b, loc, best, lane);
      Value place = vector::ExtractOp::create(b, loc, bestPlace, lane);
      Value earlier = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, place, winnerPlace);
      Value wins = arith::OrIOp::create(b, loc, search.replaces(b, loc, winner, candidate),
                                        arith::AndIOp::create(b, loc, search.ties(b, loc, winner, candidate), earlier));
      winner = select(b, loc, wins, candidate, winner);
      winnerPlace = select(b, loc, wins, place, winnerPlace);
    }
    return {winner, winnerPlace};
  }

  void searchBlocks() {
    openPhase("_blocks");
    ElementEmitter emitter(b, loc, fused.getBody().front(), arguments->operands, {outer, 1, length});
    ElementIndex index;
    llvm::append_range(index, delinearize(getAffineDimExpr(kOuter, b.getContext()),
                                          op.getInput().getType().getShape().take_front(op.getAxis())));
    index.push_back(getAffineDimExpr(kAxis, b.getContext()));
    index.append(op.getInput().getType().getRank() - index.size(), getAffineConstantExpr(0, b.getContext()));
    scf::ForOp loop = openLoop(b, loc, arguments->begin, arguments->end, indexConstant(b, loc, 1));
    Value unit = loop.getInductionVar();
    SmallVector<Value> at = compiler::delinearize(b, loc, unit, {outer, blocks});
    emitter.openScope({{kOuter, at[0]}, {kInner, indexConstant(b, loc, 0)}}, loop);
    // The last block takes what is left.
    Value from = arith::MulIOp::create(b, loc, at[1], indexConstant(b, loc, kBlockElements));
    Value isLast = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, at[1], indexConstant(b, loc, blocks - 1));
    Value to = select(b, loc, isLast, indexConstant(b, loc, length),
                      arith::AddIOp::create(b, loc, from, indexConstant(b, loc, kBlockElements)));
    auto [best, place] = searchRange(emitter, index, from, to);
    if (!failed) {
      memref::StoreOp::create(b, loc, best, bests, unit);
      memref::StoreOp::create(b, loc, place, places, unit);
    }
    emitter.closeScope();
    closeLoop(b, loop);
    func::ReturnOp::create(b, loc);
    code.phases.push_back({func, outer * blocks});
  }

  void compareBlocks() {
    openPhase("_rows");
    ElementEmitter emitter(b, loc, fused.getBody().front(), arguments->operands, {outer});
    scf::ForOp rows = openLoop(b, loc, arguments->begin, arguments->end, indexConstant(b, loc, 1));
    emitter.openScope({{kOuter, rows.getInductionVar()}}, rows);
    Value first = arith::MulIOp::create(b, loc, rows.getInductionVar(), indexConstant(b, loc, blocks));
    Value end = arith::AddIOp::create(b, loc, first, indexConstant(b, loc, blocks));
    const auto load = [&](Value from, Value unit) -> Value { return memref::LoadOp::create(b, loc, from, unit); };
    Value one = indexConstant(b, loc, 1);
    scf::ForOp loop = openLoop(b, loc, arith::AddIOp::create(b, loc, first, one), end, one,
                               ValueRange{load(bests, first), load(places, first)});
    Value candidate = load(bests, loop.getInductionVar()), place = load(places, loop.getInductionVar());
    Value better = search.replaces(b, loc, loop.getRegionIterArg(0), candidate);
    Value best = select(b, loc, better, candidate, loop.getRegionIterArg(0));
    Value bestPlace = select(b, loc, better, place, loop.getRegionIterArg(1));
    closeLoop(b, loop, {best, bestPlace});
    storeYielded(emitter, fused, loop.getResults(), arguments->results, getAffineDimExpr(kOuter, b.getContext()));
    emitter.closeScope();
    closeLoop(b, rows);
    func::ReturnOp::create(b, loc);
    code.phases.push_back({func, outer});
  }

  OpBuilder &atModule;
  ir::FusedOp fused;
  ir::ArgReduceOp op;
  StringRef name;
  Location loc;
  const int64_t outer, length, blocks;
  ExtremumSearch search;
  Type element;
  OpBuilder b;
  KernelCode code;
  int64_t placesAt = 0;
  func::FuncOp func;
  std::optional<PhaseArguments> arguments;
  Value bests, places; // of each block, in scratch memory
  bool failed = false;
};

} // namespace

FailureOr<KernelCode> compiler::buildArgReduceKernel(OpBuilder &atModule, ir::FusedOp fused, ir::ArgReduceOp op,
                                                     StringRef name, const CpuTargetInfo &target) {
  Location loc = op.getLoc();
  MLIRContext *context = op.getContext();
  Block &body = fused.getBody().front();
  auto type = cast<RankedTensorType>(op.getInput().getType());
  const int64_t axis = op.getAxis();
  ArrayRef<int64_t> shape = type.getShape();
  const int64_t outer = ShapedType::getNumElements(shape.take_front(axis));
  const int64_t length = shape[axis];
  const int64_t inner = ShapedType::getNumElements(shape.drop_front(axis + 1));

  if (inner == 1 && BlockedSearch::pays(op, outer, length))
    return BlockedSearch(atModule, fused, op, name, outer, length).build();
  KernelCode code;
  func::FuncOp func = createPhase(atModule, fused, name, 0, false);
  PhaseArguments arguments(func, fused, false, false);
  OpBuilder b = OpBuilder::atBlockEnd(&func.getBody().front());
  ElementEmitter emitter(b, loc, body, arguments.operands, {outer, inner, length});
  auto dim = [&](unsigned d) { return getAffineDimExpr(d, context); };
  ElementIndex index;
  llvm::append_range(index, delinearize(dim(kOuter), shape.take_front(axis)));
  index.push_back(length == 1 ? getAffineConstantExpr(0, context) : dim(kAxis));
  llvm::append_range(index, delinearize(dim(kInner), shape.drop_front(axis + 1)));
  AffineExpr place = dim(kOuter) * inner + dim(kInner);
  ExtremumSearch search(op.getKind(), type.getElementType());
  Value zero = indexConstant(b, loc, 0), one = indexConstant(b, loc, 1);

  if (inner != 1) {
    // One result a lane, all walking along the axis together.
    const int64_t grain = std::max<int64_t>(64, kTaskElements / length);
    const int64_t tasks = forVectors(b, loc, emitter, arguments, {outer, inner}, 16, grain, [&](const LaneDim &lane) {
      emitter.openScope({{kAxis, zero}});
      Value first = emitter.emitVector(op.getInput(), index);
      emitter.closeScope();
      Value none = arith::ConstantOp::create(b, loc, b.getZeroAttr(lane.of(b.getI64Type())));
      scf::ForOp loop = openLoop(b, loc, one, indexConstant(b, loc, length), one, {first, none});
      emitter.openScope({{kAxis, loop.getInductionVar()}}, loop);
      Value candidate = emitter.emitVector(op.getInput(), index);
      Value best = loop.getRegionIterArg(0), bestPlace = loop.getRegionIterArg(1);
      Value better = search.replaces(b, loc, best, candidate);
      Value here = wide(b, loc, loop.getInductionVar(), none.getType());
      Value next = select(b, loc, better, candidate, best);
      Value nextPlace = select(b, loc, better, here, bestPlace);
      emitter.closeScope(loop);
      closeLoop(b, loop, {next, nextPlace});
      storeYielded(emitter, fused, loop.getResults(), arguments.results, place);
    });
    code.phases.push_back({func, tasks});
    func::ReturnOp::create(b, loc);
    return code;
  }

  // Lanes along the axis, each with the first extremum among its own places; the lanes are then
  // compared one after the other, the lower place winning between equals.
  const int64_t lanes = 16;
  const int64_t rowsPerTask = std::max<int64_t>(1, kTaskElements / length);
  code.phases.push_back({func, ceilDivide(outer, rowsPerTask)});
  Value perTask = indexConstant(b, loc, rowsPerTask);
  Value first = arith::MulIOp::create(b, loc, arguments.begin, perTask);
  Value last = arith::MinUIOp::create(b, loc, arith::MulIOp::create(b, loc, arguments.end, perTask),
                                      indexConstant(b, loc, outer));
  scf::ForOp rows = openLoop(b, loc, first, last, one);
  emitter.openScope({{kOuter, rows.getInductionVar()}, {kInner, zero}}, rows);
  const int64_t rest = length % lanes, whole = length - rest;
  auto vectorAt = [&](Value base, Value mask, Value *places) {
    emitter.openScope({{kAxis, base}}, nullptr, LaneDim{kAxis, lanes, mask});
    Value element = emitter.emitVector(op.getInput(), index);
    *places = emitter.emitIndexVector(dim(kAxis));
    emitter.closeScope();
    return element;
  };
  auto step = [&](Value base, Value mask, Value best, Value bestPlace) -> std::pair<Value, Value> {
    Value places;
    Value candidate = vectorAt(base, mask, &places);
    Value better = search.replaces(b, loc, best, candidate);
    if (mask)
      better = arith::AndIOp::create(b, loc, better, mask);
    return {select(b, loc, better, candidate, best), select(b, loc, better, places, bestPlace)};
  };
  // Short rows: lanes beyond the end are masked out of the comparison below.
  Value bestPlace;
  Value best = vectorAt(zero, whole == 0 ? leadingMask(b, loc, lanes, rest) : Value(), &bestPlace);
  if (whole > lanes) {
    scf::ForOp loop = openLoop(b, loc, indexConstant(b, loc, lanes), indexConstant(b, loc, whole),
                               indexConstant(b, loc, lanes), {best, bestPlace});
    emitter.openScope({}, loop);
    auto [next, nextPlace] = step(loop.getInductionVar(), {}, loop.getRegionIterArg(0), loop.getRegionIterArg(1));
    emitter.closeScope(loop);
    closeLoop(b, loop, {next, nextPlace});
    best = loop.getResult(0);
    bestPlace = loop.getResult(1);
  }
  if (rest != 0 && whole != 0)
    std::tie(best, bestPlace) = step(indexConstant(b, loc, whole), leadingMask(b, loc, lanes, rest), best, bestPlace);
  auto lane = [&](Value vector, int64_t i) -> Value { return vector::ExtractOp::create(b, loc, vector, i); };
  Value winner = lane(best, 0), winnerPlace = lane(bestPlace, 0);
  for (int64_t i = 1; i != std::min(lanes, length); ++i) {
    Value candidate = lane(best, i), candidatePlace = lane(bestPlace, i);
    Value earlier = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, candidatePlace, winnerPlace);
    Value wins = arith::OrIOp::create(b, loc, search.replaces(b, loc, winner, candidate),
                                      arith::AndIOp::create(b, loc, search.ties(b, loc, winner, candidate), earlier));
    winner = select(b, loc, wins, candidate, winner);
    winnerPlace = select(b, loc, wins, candidatePlace, winnerPlace);
  }
  storeYielded(emitter, fused, {winner, winnerPlace}, arguments.results, dim(kOuter));
  emitter.closeScope();
  closeLoop(b, rows);
  func::ReturnOp::create(b, loc);
  return code;
}
