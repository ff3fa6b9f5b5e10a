// Sorting along an axis. A record is an element as a signed integer of the same order, with its place in the line;
// equal elements keep their order since a merge takes from the left run first. Runs of a fixed length are sorted by one
// task each, then merged in phases in which each task writes a piece of the merged run of the same length; where its
// parts begin in both runs it finds by bisection (Odeh, Green, Mwassi, Shmueli, Birk, "Merge path", 2012). At last the
// elements are fetched from where the records say. Sorting is unique, so nothing depends on how it is cut up.
//
// On a GPU the workgroups sort the runs in memory of theirs by Batcher's bitonic network, which needs no order of equal
// elements since places tell records apart; an invocation merges few records, or fetches one.
#include "passes/Codegen/KernelLoops.h"
#include "passes/Codegen/SingleKernels.h"
#include "passes/Codegen/Workgroup.h"

#include "dialects/Burn/ScalarPayloads.h"
#include "runtime/Core/GpuTarget.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace burn;
using namespace burn::compiler;
using arith::CmpIPredicate;
using ir::CompareDirection;
using ir::ScalarKind;
using ir::ScalarOps;

namespace {

constexpr int64_t kTaskElements = 8192;
constexpr int64_t kRunLength = 2048;
// Of a GPU: records that a workgroup sorts at most, and at least where lines are short; those that an invocation
// merges.
constexpr int64_t kTileLength = 1024, kSmallTile = 128;
constexpr int64_t kMerged = 16;
constexpr unsigned kOuter = 0, kInner = 1, kAxis = 2, kRank = 3; // dims of the iteration space

class SortBuilder {
public:
  /// Sorts the lines of `keys`; the first `taken` of each are written.
  SortBuilder(OpBuilder &atModule, ir::FusedOp fused, Location loc, Value keys, int64_t axis, bool descending,
              int64_t taken, StringRef name, const core::GpuTarget *gpu)
      : atModule(atModule), fused(fused), loc(loc), context(fused.getContext()), b(context), keys(keys),
        descending(descending), taken(taken), name(name), gpu(gpu), kind(kindOf(keys)) {
    shape = cast<RankedTensorType>(keys.getType()).getShape();
    length = shape[axis];
    outer = ShapedType::getNumElements(shape.take_front(axis));
    inner = ShapedType::getNumElements(shape.drop_front(axis + 1));
    total = outer * inner * length;
    packed = kind.width <= 32 && length <= std::numeric_limits<int32_t>::max();
    if (gpu)
      tile();
    auto dim = [&](unsigned d) { return getAffineDimExpr(d, context); };
    llvm::append_range(index, delinearize(dim(kOuter), shape.take_front(axis)));
    index.push_back(length == 1 ? getAffineConstantExpr(0, context) : dim(kAxis));
    llvm::append_range(index, delinearize(dim(kInner), shape.drop_front(axis + 1)));
    stored = (dim(kOuter) * taken + dim(kRank)) * inner + dim(kInner);
  }

  /// A result of the op holds elements of `sourceOf` it, or (null) the places that they came from.
  FailureOr<KernelCode> build(llvm::function_ref<Value(OpResult)> sourceOf) {
    if (total == 0 || taken == 0) {
      func::FuncOp func = createPhase(atModule, fused, name, 0, false);
      b = OpBuilder::atBlockEnd(&func.getBody().front());
      func::ReturnOp::create(b, loc);
      code.phases.push_back({func, 0});
      return code;
    }
    // What a workgroup sorts as a whole it writes itself.
    const bool isOneRun = gpu && length <= runLength;
    code.scratchBytes = isOneRun ? 0 : 2 * total * recordBytes();
    if (gpu)
      buildTiles(isOneRun, sourceOf);
    else
      buildRuns();
    for (int64_t width = runLength; width < length; width *= 2)
      buildMerge(width);
    if (!isOneRun)
      buildResults(sourceOf);
    if (failed)
      return failure();
    return code;
  }

private:
  /// One record, or where records stand: the words of the arrays that they are kept in.
  using Record = SmallVector<Value, 2>;

  static ScalarKind kindOf(Value value) {
    return ScalarKind::get(cast<RankedTensorType>(value.getType()).getElementType());
  }

  Value constant(int64_t value) { return indexConstant(b, loc, value); }
  Value word(uint64_t value) { return arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(int64_t(value))); }
  Value add(Value x, Value y) { return arith::AddIOp::create(b, loc, x, y); }
  Value sub(Value x, Value y) { return arith::SubIOp::create(b, loc, x, y); }
  Value least(Value x, Value y) { return arith::MinUIOp::create(b, loc, x, y); }
  Value below(Value x, Value y) { return arith::CmpIOp::create(b, loc, CmpIPredicate::ult, x, y); }
  Value select(Value which, Value x, Value y) { return arith::SelectOp::create(b, loc, which, x, y); }
  Value toWord(Value index) { return arith::IndexCastOp::create(b, loc, b.getI64Type(), index); }

  int64_t recordBytes() const { return packed ? 8 : 16; }

  func::FuncOp openPhase(const Twine &suffix) {
    func::FuncOp func = createPhase(atModule, fused, (name + suffix).str(), code.scratchBytes, false);
    arguments.emplace(func, fused, code.scratchBytes > 0, false);
    b = OpBuilder::atBlockEnd(&func.getBody().front());
    arrays.clear();
    for (int64_t i = 0; code.scratchBytes > 0 && i != (packed ? 1 : 2); ++i)
      arrays.push_back(memref::ViewOp::create(b, loc, MemRefType::get({2 * total}, b.getI64Type()), arguments->scratch,
                                              constant(i * 2 * total * 8), ValueRange{}));
    emitter.emplace(b, loc, fused.getBody().front(), arguments->operands,
                    ArrayRef<int64_t>{outer, inner, length, taken});
    return func;
  }

  /// The line as places of the dims outside and inside of the axis.
  SmallVector<std::pair<unsigned, Value>> dimsOf(Value line) {
    Value atOuter = line, atInner = constant(0);
    if (inner != 1) {
      atOuter = arith::DivUIOp::create(b, loc, line, constant(inner));
      atInner = arith::RemUIOp::create(b, loc, line, constant(inner));
    }
    return {{kOuter, atOuter}, {kInner, atInner}};
  }

  /// Opens a phase whose units, numbered (line, piece), `atUnit` emits; pieces of `pieceLength` cover the first
  /// `covered` places of a line. A task has about `taskElements` of them.
  void buildPhase(const Twine &suffix, llvm::function_ref<void(Value line, Value from, Value to)> atUnit,
                  int64_t covered, int64_t pieceLength, int64_t taskElements) {
    func::FuncOp func = openPhase(suffix);
    const int64_t pieces = ceilDivide(covered, pieceLength), units = outer * inner * pieces;
    const int64_t perTask = gpu ? 1 : std::max<int64_t>(1, taskElements / std::min(covered, pieceLength));
    code.phases.push_back({func, ceilDivide(units, perTask)});
    Value first = arith::MulIOp::create(b, loc, arguments->begin, constant(perTask));
    Value last = least(arith::MulIOp::create(b, loc, arguments->end, constant(perTask)), constant(units));
    scf::ForOp loop = openLoop(b, loc, first, last, constant(1));
    Value line = loop.getInductionVar(), from = constant(0), to = constant(covered);
    if (pieces > 1) {
      Value piece = arith::RemUIOp::create(b, loc, line, constant(pieces));
      line = arith::DivUIOp::create(b, loc, line, constant(pieces));
      from = arith::MulIOp::create(b, loc, piece, constant(pieceLength));
      to = least(add(from, constant(pieceLength)), to);
    }
    emitter->openScope(dimsOf(line), loop);
    atUnit(line, from, to);
    emitter->closeScope(loop);
    closeLoop(b, loop);
    func::ReturnOp::create(b, loc);
  }

  /// Where the records of a line begin, in either half of the scratch memory.
  Value beginOf(Value line, Value half) {
    Value begin = arith::MulIOp::create(b, loc, line, constant(length));
    return add(begin, arith::MulIOp::create(b, loc, half, constant(total)));
  }

  Record loadAt(Value place) {
    Record record;
    for (Value array : arrays)
      record.push_back(memref::LoadOp::create(b, loc, array, place));
    return record;
  }
  void storeAt(Value place, const Record &record) {
    for (auto [array, value] : llvm::zip_equal(arrays, record))
      memref::StoreOp::create(b, loc, value, array, place);
  }
  /// Whether the record that stands later goes first.
  Value goesFirst(const Record &later, const Record &earlier) {
    return arith::CmpIOp::create(b, loc, CmpIPredicate::slt, later[0], earlier[0]);
  }

  /// Whether a record goes before another, wherever they stand.
  Value standsBefore(const Record &x, const Record &y) {
    Value isLess = goesFirst(x, y);
    if (packed)
      return isLess;
    Value isEqual = arith::CmpIOp::create(b, loc, CmpIPredicate::eq, x[0], y[0]);
    Value isEarlier = arith::CmpIOp::create(b, loc, CmpIPredicate::slt, x[1], y[1]);
    return arith::OrIOp::create(b, loc, isLess, arith::AndIOp::create(b, loc, isEqual, isEarlier));
  }

  /// A number of `element` as a signed i64 of the same order, within the range of i32 where records are packed.
  Value orderedKey(Value element) {
    Type wide = b.getI64Type();
    Value key;
    if (kind.isFloat()) {
      const ScalarKind real{ScalarKind::Class::Float, std::max(kind.width, 32u)};
      Value x = ScalarOps(b, loc, kind).convert(element, real);
      ScalarOps ops(b, loc, real);
      auto bitsType = b.getIntegerType(real.width);
      auto bits = [&](APInt value) -> Value {
        return arith::ConstantOp::create(b, loc, b.getIntegerAttr(bitsType, value));
      };
      Value raw = arith::BitcastOp::create(b, loc, bitsType, x);
      Value most = bits(APInt::getSignedMaxValue(real.width)), zero = bits(APInt(real.width, 0));
      // Of negative numbers the greater magnitude is the lesser one.
      Value isNegative = arith::CmpIOp::create(b, loc, CmpIPredicate::slt, raw, zero);
      key = select(isNegative, arith::XOrIOp::create(b, loc, raw, most), raw);
      key = select(ops.compare(CompareDirection::EQ, x, ops.constant(0, x)), zero, key);
      key = select(ops.compare(CompareDirection::NE, x, x), most, key);
      if (real.width < 64)
        key = arith::ExtSIOp::create(b, loc, wide, key);
    } else if (kind.isSigned()) {
      key = kind.width == 64 ? element : Value(arith::ExtSIOp::create(b, loc, wide, element));
    } else {
      key = kind.width == 64 ? element : Value(arith::ExtUIOp::create(b, loc, wide, element));
      if (kind.width >= 32)
        key = sub(key, word(uint64_t(1) << (kind.width - 1)));
    }
    return descending ? Value(arith::XOrIOp::create(b, loc, key, word(~uint64_t(0)))) : key;
  }

  Record recordAt(Value place) {
    emitter->openScope({{kAxis, place}});
    Value element = emitter->emit(keys, index);
    emitter->closeScope();
    if (!element) {
      failed = true;
      return Record(packed ? 1 : 2, word(0));
    }
    Value key = orderedKey(element);
    if (!packed)
      return {key, toWord(place)};
    Value high = arith::ShLIOp::create(b, loc, key, word(32));
    return {Value(arith::OrIOp::create(b, loc, high, toWord(place)))};
  }

  Value placeOf(const Record &record) {
    Value place = packed ? Value(arith::AndIOp::create(b, loc, record[0], word(0xffffffff))) : record[1];
    return arith::IndexCastOp::create(b, loc, b.getIndexType(), place);
  }

  /// Merges the runs that end before `middle` and `end` from `left` and `right` on, into [from, to) of the target.
  void merge(Value source, Value target, Value left, Value middle, Value right, Value end, Value from, Value to) {
    Value one = constant(1);
    // What is read beyond a run is not used, but must exist.
    Value lastLeft = sub(middle, one), lastRight = sub(end, one);
    scf::ForOp loop = openLoop(b, loc, from, to, one, {left, right});
    Value i = loop.getRegionIterArg(0), j = loop.getRegionIterArg(1);
    Record a = loadAt(add(source, least(i, lastLeft))), c = loadAt(add(source, least(j, lastRight)));
    Value leftIsDone = arith::CmpIOp::create(b, loc, CmpIPredicate::uge, i, middle);
    Value takesRight =
        arith::AndIOp::create(b, loc, below(j, end), arith::OrIOp::create(b, loc, leftIsDone, goesFirst(c, a)));
    Record next;
    for (auto [x, y] : llvm::zip_equal(a, c))
      next.push_back(select(takesRight, y, x));
    storeAt(add(target, loop.getInductionVar()), next);
    Value step = arith::IndexCastUIOp::create(b, loc, b.getIndexType(), takesRight);
    closeLoop(b, loop, {add(i, sub(one, step)), add(j, step)});
  }

  void buildRuns() {
    buildPhase(
        "_runs",
        [&](Value line, Value from, Value to) {
          Value zero = constant(0), one = constant(1);
          Value begin = beginOf(line, zero);
          scf::ForOp load = openLoop(b, loc, from, to, one);
          emitter->openScope({}, load);
          Value place = load.getInductionVar();
          Record record = recordAt(place);
          storeAt(add(begin, place), record);
          emitter->closeScope(load);
          closeLoop(b, load);
          // Runs of 1, 2, 4 ... are merged from one half of the memory to the other.
          const int64_t levels = llvm::Log2_64_Ceil(std::min(kRunLength, length));
          scf::ForOp level = openLoop(b, loc, zero, constant(levels), one);
          Value width = arith::ShLIOp::create(b, loc, one, level.getInductionVar());
          Value half = arith::AndIOp::create(b, loc, level.getInductionVar(), one);
          Value source = beginOf(line, half), target = beginOf(line, sub(one, half));
          scf::ForOp pair = openLoop(b, loc, from, to, add(width, width));
          Value left = pair.getInductionVar();
          Value middle = least(add(left, width), to), end = least(add(middle, width), to);
          merge(source, target, left, middle, middle, end, left, end);
          closeLoop(b, pair);
          closeLoop(b, level);
          currentHalf = levels & 1;
        },
        length, kRunLength, kRunLength);
  }

  //===-- Runs of workgroups ------------------------------------------------------------------===//

  /// The runs of a workgroup: one of a line, or several short lines.
  void tile() {
    const int64_t fitting = llvm::bit_floor(uint64_t(gpu->workgroupMemoryBytes / recordBytes()));
    runLength = std::clamp<int64_t>(llvm::bit_ceil(uint64_t(length)), 2, std::min(kTileLength, fitting));
    tileRuns = std::max<int64_t>(1, std::min(kSmallTile, fitting) / runLength);
    invocations = std::min<int64_t>({core::kGpuMostInvocations, tileRuns * runLength / 2,
                                     int64_t(llvm::bit_floor(gpu->maxInvocations)),
                                     int64_t(llvm::bit_floor(gpu->maxWorkgroup[0]))});
  }

  /// Runs `body` for each of the workgroup's `count` records, or pairs of them, that are the invocation's.
  void forShare(int64_t count, llvm::function_ref<void(Value number)> body) {
    for (int64_t i = 0; i != count / invocations; ++i)
      body(add(arguments->end, constant(i * invocations)));
  }

  Record loadTile(Value at) {
    Record record;
    for (Value array : tileArrays)
      record.push_back(loadShared(b, loc, array, at, b.getI64Type()));
    return record;
  }
  void storeTile(Value at, const Record &record) {
    for (auto [array, value] : llvm::zip_equal(tileArrays, record))
      storeShared(b, loc, value, array, at);
  }

  /// Runs `body` where a record of the workgroup is among the first `covered` places of its line.
  void whereIsRecord(Value number, int64_t covered, llvm::function_ref<void(Value line, Value place)> body,
                     llvm::function_ref<void()> otherwise = {}) {
    const int64_t pieces = ceilDivide(length, runLength), units = outer * inner * pieces;
    Value place = arith::RemUIOp::create(b, loc, number, constant(runLength));
    Value unit = add(arith::MulIOp::create(b, loc, arguments->begin, constant(tileRuns)),
                     arith::DivUIOp::create(b, loc, number, constant(runLength)));
    Value line = unit;
    if (pieces > 1) {
      line = arith::DivUIOp::create(b, loc, unit, constant(pieces));
      Value piece = arith::RemUIOp::create(b, loc, unit, constant(pieces));
      place = add(place, arith::MulIOp::create(b, loc, piece, constant(runLength)));
    }
    Value exists = arith::AndIOp::create(b, loc, below(unit, constant(units)), below(place, constant(covered)));
    auto choice = scf::IfOp::create(b, loc, exists, /*withElseRegion=*/bool(otherwise));
    b.setInsertionPoint(choice.thenBlock()->getTerminator());
    emitter->openScope(dimsOf(line), choice);
    body(line, place);
    emitter->closeScope(choice);
    if (otherwise) {
      b.setInsertionPoint(choice.elseBlock()->getTerminator());
      otherwise();
    }
    b.setInsertionPointAfter(choice);
  }

  /// Exchanges the records of pairs that do not stand as they should: runs of 2, 4, 8 ... become sorted, every other
  /// one the other way round.
  void sortTile() {
    Value zero = constant(0), one = constant(1);
    scf::ForOp level = openLoop(b, loc, one, constant(llvm::Log2_64(runLength) + 1), one);
    Value run = arith::ShLIOp::create(b, loc, one, level.getInductionVar());
    scf::ForOp step = openLoop(b, loc, zero, level.getInductionVar(), one);
    // Pairs lie 2^shift apart.
    Value shift = sub(sub(level.getInductionVar(), one), step.getInductionVar());
    Value distance = arith::ShLIOp::create(b, loc, one, shift);
    forShare(tileRuns * runLength / 2, [&](Value pair) {
      Value block = arith::ShRUIOp::create(b, loc, pair, shift);
      Value within = arith::AndIOp::create(b, loc, pair, sub(distance, one));
      Value low = add(arith::ShLIOp::create(b, loc, block, add(shift, one)), within), high = add(low, distance);
      Value place = arith::AndIOp::create(b, loc, low, constant(runLength - 1));
      Value ascends = arith::CmpIOp::create(b, loc, CmpIPredicate::eq, arith::AndIOp::create(b, loc, place, run), zero);
      const Record x = loadTile(low), y = loadTile(high);
      Record first, second;
      Value isOrdered = standsBefore(x, y);
      Value keeps = arith::CmpIOp::create(b, loc, CmpIPredicate::eq, isOrdered, ascends);
      for (auto [p, q] : llvm::zip_equal(x, y)) {
        first.push_back(select(keeps, p, q));
        second.push_back(select(keeps, q, p));
      }
      storeTile(low, first);
      storeTile(high, second);
    });
    workgroupBarrier(b, loc);
    closeLoop(b, step);
    closeLoop(b, level);
  }

  void buildTiles(bool isOneRun, llvm::function_ref<Value(OpResult)> sourceOf) {
    func::FuncOp func = openPhase(isOneRun ? "" : "_runs");
    const int64_t units = outer * inner * ceilDivide(length, runLength);
    code.phases.push_back({func, ceilDivide(units, tileRuns), invocations});
    tileArrays.clear();
    for (int64_t i = 0; i != (packed ? 1 : 2); ++i)
      tileArrays.push_back(allocateShared(b, loc, tileRuns * runLength, b.getI64Type()));
    forShare(tileRuns * runLength, [&](Value number) {
      whereIsRecord(
          number, length, [&](Value, Value place) { storeTile(number, recordAt(place)); },
          // Behind all others.
          [&] { storeTile(number, Record(tileArrays.size(), word(std::numeric_limits<int64_t>::max()))); });
    });
    workgroupBarrier(b, loc);
    sortTile();
    forShare(tileRuns * runLength, [&](Value number) {
      whereIsRecord(number, isOneRun ? taken : length, [&](Value line, Value place) {
        const Record record = loadTile(number);
        if (isOneRun)
          storeResults(place, record, sourceOf);
        else
          storeAt(add(beginOf(line, constant(0)), place), record);
      });
    });
    func::ReturnOp::create(b, loc);
  }

  void buildMerge(int64_t width) {
    buildPhase(
        "_merge" + Twine(width),
        [&](Value line, Value from, Value to) {
          Value source = beginOf(line, constant(currentHalf)), target = beginOf(line, constant(1 - currentHalf));
          Value left = sub(from, arith::RemUIOp::create(b, loc, from, constant(2 * width)));
          Value middle = least(add(left, constant(width)), constant(length));
          Value end = least(add(middle, constant(width)), constant(length));
          // Of a merged run no more is needed than what is taken of the whole line.
          to = least(to, add(left, constant(taken)));
          Value done = sub(from, left), rightLength = sub(end, middle);
          // How many of the `done` first records of both runs come from the left one.
          Value low = sub(done, least(done, rightLength)), high = least(done, sub(middle, left));
          Type types[] = {b.getIndexType(), b.getIndexType()};
          auto search = scf::WhileOp::create(b, loc, types, ValueRange{low, high});
          Block *before = b.createBlock(&search.getBefore(), {}, types, {loc, loc});
          b.setInsertionPointToEnd(before);
          scf::ConditionOp::create(b, loc, below(before->getArgument(0), before->getArgument(1)),
                                   before->getArguments());
          Block *after = b.createBlock(&search.getAfter(), {}, types, {loc, loc});
          b.setInsertionPointToEnd(after);
          Value from0 = after->getArgument(0), to0 = after->getArgument(1);
          Value half = arith::ShRUIOp::create(b, loc, add(from0, to0), constant(1));
          Record ofLeft = loadAt(add(source, add(left, half)));
          Record ofRight = loadAt(add(source, add(middle, sub(sub(done, half), constant(1)))));
          Value rightFirst = goesFirst(ofRight, ofLeft);
          scf::YieldOp::create(
              b, loc, ValueRange{select(rightFirst, from0, add(half, constant(1))), select(rightFirst, half, to0)});
          b.setInsertionPointAfter(search);
          Value fromLeft = search.getResult(0);
          merge(source, target, add(left, fromLeft), middle, add(middle, sub(done, fromLeft)), end, from, to);
        },
        length, gpu ? kMerged : kRunLength, kTaskElements);
    currentHalf = 1 - currentHalf;
  }

  /// The results at a place of the sorted line, whose scope is open.
  void storeResults(Value rank, const Record &record, llvm::function_ref<Value(OpResult)> sourceOf) {
    Value place = placeOf(record);
    emitter->openScope({{kRank, rank}, {kAxis, place}});
    ValueRange yielded = fused.getBody().front().getTerminator()->getOperands();
    for (auto [value, buffer] : llvm::zip_equal(yielded, arguments->results)) {
      Value source = sourceOf(cast<OpResult>(value));
      Value element = source ? emitter->emit(source, index) : toWord(place);
      failed |= !element;
      if (element)
        emitter->store(element, buffer, stored);
    }
    emitter->closeScope();
  }

  void buildResults(llvm::function_ref<Value(OpResult)> sourceOf) {
    buildPhase(
        "",
        [&](Value line, Value from, Value to) {
          Value begin = beginOf(line, constant(currentHalf));
          scf::ForOp loop = openLoop(b, loc, from, to, constant(1));
          emitter->openScope({}, loop);
          storeResults(loop.getInductionVar(), loadAt(add(begin, loop.getInductionVar())), sourceOf);
          emitter->closeScope(loop);
          closeLoop(b, loop);
        },
        taken, gpu ? 1 : kRunLength, kTaskElements);
  }

  OpBuilder &atModule;
  ir::FusedOp fused;
  Location loc;
  MLIRContext *context;
  OpBuilder b;
  Value keys;
  bool descending;
  int64_t taken;
  StringRef name;
  /// Null for a CPU.
  const core::GpuTarget *gpu;
  ScalarKind kind;
  ArrayRef<int64_t> shape;
  int64_t length, outer, inner, total;
  /// Whether a record is one word: the key above its place.
  bool packed, failed = false;
  ElementIndex index;
  AffineExpr stored;
  /// Which half of the scratch memory holds the records between phases.
  int64_t currentHalf = 0;
  SmallVector<Value, 2> arrays;
  /// Records of a run; of a workgroup: its runs, invocations and memory.
  int64_t runLength = kRunLength, tileRuns = 0, invocations = 0;
  SmallVector<Value, 2> tileArrays;
  std::optional<PhaseArguments> arguments;
  std::optional<ElementEmitter> emitter;
  KernelCode code;
};

} // namespace

FailureOr<KernelCode> compiler::buildSortKernel(OpBuilder &atModule, ir::FusedOp fused, ir::SortOp op, StringRef name,
                                                const CpuTargetInfo &target) {
  Value keys = op.getInputs().front();
  const int64_t length = cast<RankedTensorType>(keys.getType()).getDimSize(op.getAxis());
  return SortBuilder(atModule, fused, op.getLoc(), keys, op.getAxis(), op.getDescending(), length, name, target.gpu)
      .build([&](OpResult result) { return op.getInputs()[result.getResultNumber()]; });
}

FailureOr<KernelCode> compiler::buildTopkKernel(OpBuilder &atModule, ir::FusedOp fused, ir::TopkOp op, StringRef name,
                                                const CpuTargetInfo &target) {
  return SortBuilder(atModule, fused, op.getLoc(), op.getInput(), op.getAxis(), op.getLargest(), op.getK(), name,
                     target.gpu)
      .build([&](OpResult result) { return result == op.getValues() ? op.getInput() : Value(); });
}
