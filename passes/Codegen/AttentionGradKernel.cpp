// The gradient of attention without its scores in memory (Dao et al., 2022): those of a block of rows and a block of
// keys are computed again in the first-level cache, p = exp(s - lse) from them, and with the gradient g of the result
//
//   ds = p (g v^T + delta)      dv += p^T g      dk += ds^T q      dq += ds k
//
// A task has the row blocks of one part of a key head, one after the other, each with all keys that it sees; so each
// element of a gradient is one chain over keys or rows in ascending order. Where there are fewer key heads than cores,
// the rows of each are cut into parts, by shape alone; the gradients of keys and values are then summed over the parts,
// in order, by a second phase.
#include "passes/Codegen/AttentionTiles.h"
#include "passes/Codegen/KernelLoops.h"
#include "passes/Codegen/SingleKernels.h"

#include "dialects/Burn/ScalarPayloads.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <limits>

using namespace mlir;
using namespace burn;
using namespace burn::compiler;

namespace {

// As many tasks as keep the cores of a large machine busy.
constexpr int64_t kWantedTasks = 16;
// Elements of a task that sums parts.
constexpr int64_t kSumGrain = 16384;

// The buffers of the op; gradients that nothing reads are null.
struct GradBuffers {
  Value query, key, value, lse, gradient, delta;
  Value ofQuery, ofKey, ofValue, ofScores;
};

class AttentionGradBuilder {
public:
  AttentionGradBuilder(IndexEmitter &b, const AttentionShape &sizes, const ScoreTerms &terms, Type element,
                       const GradBuffers &buffers, const CpuTargetInfo &target)
      : b(b), sizes(sizes), terms(terms), tiles(b, sizes, terms, element, target), buffers(buffers) {}

  /// Parts of the rows of a key head.
  static int64_t parts(const AttentionShape &sizes) {
    const int64_t matrices = std::max<int64_t>(1, sizes.batch * sizes.keyHeads);
    return std::clamp<int64_t>(ceilDivide(kWantedTasks, matrices), 1, std::max<int64_t>(1, sizes.rowBlocks()));
  }

  /// `ofKey` and `ofValue` hold a copy of the gradient for each part.
  void emit(Value begin, Value end) {
    packedQuery = tiles.stackBuffer(sizes.depth * kQueryBlock);
    packedGradient = tiles.stackBuffer(sizes.width * kQueryBlock);
    weights = tiles.stackBuffer(kKeyBlock * kQueryBlock);
    products = tiles.stackBuffer(kKeyBlock * kQueryBlock);
    if (buffers.ofScores)
      scores = tiles.stackBuffer(kKeyBlock * kQueryBlock);
    if (buffers.ofQuery)
      ofRows = tiles.stackBuffer(sizes.depth * kQueryBlock);
    shifts = tiles.stackBuffer(kQueryBlock);
    deltas = tiles.stackBuffer(kQueryBlock);
    const int64_t count = parts(sizes), each = ceilDivide(sizes.rowBlocks(), count);
    b.loop(begin, end, 1, [&](Value task) {
      Value matrix = b.div(task, count), part = b.rem(task, count);
      // Where the gradients of the matrix begin, in rows of keys.
      keysAt = b.add(b.mul(part, sizes.batch * sizes.keyHeads * sizes.keys), b.mul(matrix, sizes.keys));
      clear(buffers.ofKey, sizes.depth);
      clear(buffers.ofValue, sizes.width);
      Value last = b.min(b.mul(b.add(part, 1), each), b.index(sizes.rowBlocks()));
      b.loop(b.mul(part, each), last, 1, [&](Value block) { emitRows(matrix, b.mul(block, kQueryBlock)); });
    });
  }

private:
  ir::ScalarOps scalarOps() { return {b, b.getLoc(), ir::ScalarKind::get(tiles.getElement())}; }

  void clear(Value gradient, int64_t columns) {
    if (!gradient)
      return;
    Value from = b.mul(keysAt, columns);
    const int64_t count = sizes.keys * columns, whole = count - count % tiles.getLanes();
    b.loop(b.index(0), b.index(whole), tiles.getLanes(),
           [&](Value at) { tiles.store(tiles.splat(0), gradient, b.add(from, at)); });
    Value zero = arith::ConstantOp::create(b, b.getZeroAttr(tiles.getElement()));
    b.loop(b.index(whole), b.index(count), 1,
           [&](Value at) { memref::StoreOp::create(b, zero, gradient, b.add(from, at)); });
  }

  void emitRows(Value matrix, Value row0) {
    rows = b.min(b.index(kQueryBlock), b.sub(b.index(sizes.rows()), row0));
    row = b.add(b.mul(matrix, sizes.rows()), row0);
    tiles.startRows(matrix, row0);
    tiles.packRows(buffers.query, b.mul(row, sizes.depth), rows, sizes.depth, packedQuery);
    tiles.packRows(buffers.gradient, b.mul(row, sizes.width), rows, sizes.width, packedGradient);
    tiles.forLanes([&](Value lane) {
      Value mask = tiles.lanesBefore(lane, rows);
      Value lse = tiles.load(buffers.lse, b.add(row, lane), mask);
      Value isEmpty = arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, lse,
                                            tiles.splat(-std::numeric_limits<double>::infinity()));
      tiles.store(arith::SelectOp::create(b, isEmpty, tiles.splat(0), lse), shifts, lane);
      tiles.store(tiles.load(buffers.delta, b.add(row, lane), mask), deltas, lane);
      if (ofRows)
        b.loop(b.index(0), b.index(sizes.depth), 1,
               [&](Value column) { tiles.store(tiles.splat(0), ofRows, b.add(b.mul(column, kQueryBlock), lane)); });
    });
    Value keyEnd = tiles.keyEnd();
    b.loop(b.index(0), keyEnd, kKeyBlock, [&](Value key0) {
      Value count = b.min(b.index(kKeyBlock), b.sub(keyEnd, key0));
      tiles.startKeys(key0, count);
      Value firstKey = b.add(b.mul(matrix, sizes.keys), key0);
      emitPairs(firstKey, count);
      storeScores(key0, count);
      emitOfKeys(buffers.ofValue, weights, buffers.gradient, key0, count, sizes.width);
      emitOfKeys(buffers.ofKey, products, buffers.query, key0, count, sizes.depth);
      emitOfRows(firstKey, count);
    });
    if (ofRows)
      tiles.unpackRows(ofRows, rows, sizes.depth, buffers.ofQuery, b.mul(row, sizes.depth));
    clearScores(keyEnd);
  }

  /// Weights, and the gradients of scores and of products of queries and keys.
  void emitPairs(Value firstKey, Value count) {
    const bool isMultiple = sizes.keys % kAttentionTileRows == 0;
    tiles.forTiles(count, isMultiple, [&](Value first, int64_t height) {
      tiles.forLanes([&](Value lane) {
        const auto at = [&](size_t i) { return b.add(b.mul(b.add(first, i), kQueryBlock), lane); };
        const IndexEmitter::Values zeros(height, tiles.splat(0));
        IndexEmitter::Values sums = tiles.products({buffers.key, b.mul(firstKey, sizes.depth), sizes.depth, 1}, first,
                                                   {packedQuery, lane, kQueryBlock, {}}, b.index(sizes.depth), zeros);
        for (auto [i, sum] : llvm::enumerate(sums)) {
          Value bend;
          Value score = tiles.score(sum, b.add(first, i), lane, &bend);
          Value weight = scalarOps().exp(arith::SubFOp::create(b, score, tiles.load(shifts, lane)));
          tiles.store(weight, weights, at(i));
          if (bend) // its slope, until the gradient of the score is there
            tiles.store(arith::SubFOp::create(b, tiles.splat(1), arith::MulFOp::create(b, bend, bend)), products,
                        at(i));
        }
        sums = tiles.products({buffers.value, b.mul(firstKey, sizes.width), sizes.width, 1}, first,
                              {packedGradient, lane, kQueryBlock, {}}, b.index(sizes.width), zeros);
        for (auto [i, sum] : llvm::enumerate(sums)) {
          Value ofWeight = arith::AddFOp::create(b, sum, tiles.load(deltas, lane));
          Value gradient = arith::MulFOp::create(b, tiles.load(weights, at(i)), ofWeight);
          if (Value counted = tiles.counts(b.add(first, i), lane))
            gradient = arith::SelectOp::create(b, counted, gradient, tiles.splat(0));
          if (scores)
            tiles.store(gradient, scores, at(i));
          if (terms.softcap > 0)
            gradient = arith::MulFOp::create(b, gradient, tiles.load(products, at(i)));
          if (terms.scale != 1)
            gradient = arith::MulFOp::create(b, gradient, tiles.splat(terms.scale));
          tiles.store(gradient, products, at(i));
        }
      });
    });
  }

  /// Adds the products of a tile [keys][rows] and the block's rows of a matrix.
  void emitOfKeys(Value gradient, Value tile, Value matrix, Value key0, Value count, int64_t columns) {
    if (!gradient)
      return;
    const bool isMultiple = sizes.keys % kAttentionTileRows == 0;
    Value to = b.mul(b.add(keysAt, key0), columns), from = b.mul(row, columns);
    tiles.forColumns(columns, [&](int64_t column, int64_t lanes, Value mask) {
      tiles.forTiles(
          count, isMultiple,
          [&](Value first, int64_t height) {
            const auto at = [&](size_t i) { return b.add(b.add(to, b.mul(b.add(first, i), columns)), column); };
            IndexEmitter::Values sums;
            for (int64_t i = 0; i < height; ++i)
              sums.push_back(tiles.load(gradient, at(i), mask, lanes));
            sums = tiles.products({tile, b.index(0), kQueryBlock, 1}, first,
                                  {matrix, b.add(from, column), columns, mask}, rows, sums);
            for (auto [i, sum] : llvm::enumerate(sums))
              tiles.store(sum, gradient, at(i), mask);
          },
          kAttentionTallRows * tiles.getLanes() / lanes);
    });
  }

  void emitOfRows(Value firstKey, Value count) {
    if (!ofRows)
      return;
    tiles.forTiles(b.index(sizes.depth), sizes.depth % kAttentionTileRows == 0, [&](Value first, int64_t height) {
      tiles.forLanes([&](Value lane) {
        const auto at = [&](size_t i) { return b.add(b.mul(b.add(first, i), kQueryBlock), lane); };
        IndexEmitter::Values sums;
        for (int64_t i = 0; i < height; ++i)
          sums.push_back(tiles.load(ofRows, at(i)));
        sums = tiles.products({buffers.key, b.mul(firstKey, sizes.depth), 1, sizes.depth}, first,
                              {products, lane, kQueryBlock, {}}, count, sums);
        for (auto [i, sum] : llvm::enumerate(sums))
          tiles.store(sum, ofRows, at(i));
      });
    });
  }

  void storeScores(Value key0, Value count) {
    if (!scores)
      return;
    b.loop(b.index(0), rows, 1, [&](Value i) {
      Value to = b.add(b.mul(b.add(row, i), sizes.keys), key0);
      b.loop(b.index(0), count, 1, [&](Value key) {
        Value each = memref::LoadOp::create(b, scores, b.add(b.mul(key, kQueryBlock), i));
        memref::StoreOp::create(b, each, buffers.ofScores, b.add(to, key));
      });
    });
  }

  /// Keys that no row of the block sees.
  void clearScores(Value keyEnd) {
    if (!scores)
      return;
    Value zero = arith::ConstantOp::create(b, b.getZeroAttr(tiles.getElement()));
    b.loop(b.index(0), rows, 1, [&](Value i) {
      Value to = b.mul(b.add(row, i), sizes.keys);
      b.loop(keyEnd, b.index(sizes.keys), 1,
             [&](Value key) { memref::StoreOp::create(b, zero, buffers.ofScores, b.add(to, key)); });
    });
  }

  IndexEmitter &b;
  const AttentionShape &sizes;
  const ScoreTerms &terms;
  AttentionTiles tiles;
  GradBuffers buffers;
  Value packedQuery, packedGradient; // [columns][rows]
  Value weights, products, scores;   // [keys][rows]
  Value ofRows, shifts, deltas;

  // Of the block.
  Value keysAt, rows, row;
};

// Sums `count` elements of each of `parts` parts into `result`, from element `from` on.
void emitSum(IndexEmitter &b, Value source, Value result, int64_t count, int64_t parts, Value from) {
  constexpr int64_t lanes = 16;
  const auto type = VectorType::get({lanes}, cast<MemRefType>(source.getType()).getElementType());
  Value to = b.min(b.add(from, kSumGrain), b.index(count));
  Value whole = b.sub(to, b.rem(b.sub(to, from), lanes));
  b.loop(from, whole, lanes, [&](Value at) {
    Value sum = vector::LoadOp::create(b, type, source, at);
    for (int64_t part = 1; part < parts; ++part)
      sum = arith::AddFOp::create(b, sum, vector::LoadOp::create(b, type, source, b.add(at, part * count)));
    vector::StoreOp::create(b, sum, result, at);
  });
  b.loop(whole, to, 1, [&](Value at) {
    Value sum = memref::LoadOp::create(b, source, at);
    for (int64_t part = 1; part < parts; ++part)
      sum = arith::AddFOp::create(b, sum, memref::LoadOp::create(b, source, b.add(at, part * count)));
    memref::StoreOp::create(b, sum, result, at);
  });
}

} // namespace

FailureOr<KernelCode> compiler::buildAttentionGradKernel(OpBuilder &atModule, ir::FusedOp fused, ir::AttentionGradOp op,
                                                         StringRef name, const CpuTargetInfo &target) {
  for (Value operand : op->getOperands())
    if (!isa_and_nonnull<BlockArgument>(operand))
      return op.emitOpError("expects operands that are buffers");
  const AttentionShape sizes(op.getQuery(), op.getKey(), op.getValue());
  const Type element = registerType(cast<RankedTensorType>(op.getQuery().getType()).getElementType());
  const int64_t parts = AttentionGradBuilder::parts(sizes), matrices = sizes.batch * sizes.keyHeads;
  // Of keys and of values: elements of a gradient.
  const int64_t counts[] = {matrices * sizes.keys * sizes.depth, matrices * sizes.keys * sizes.width};
  const int64_t bytes = element.getIntOrFloatBitWidth() / 8;

  // Which results the cluster yields.
  ValueRange yielded = fused.getBody().front().getTerminator()->getOperands();
  bool isWanted[4] = {};
  for (Value value : yielded)
    isWanted[cast<OpResult>(value).getResultNumber()] = true;
  int64_t partsAt[2] = {};
  KernelCode code;
  if (parts > 1)
    for (int i : {0, 1})
      if (isWanted[1 + i]) {
        partsAt[i] = code.scratchBytes;
        code.scratchBytes += (parts * counts[i] * bytes + 63) / 64 * 64;
      }
  const bool hasScratch = code.scratchBytes > 0;

  const auto openPhase = [&](StringRef suffix) {
    return createPhase(atModule, fused, (name + suffix).str(), code.scratchBytes, false);
  };
  // The results of a phase, and the parts of the gradients of keys and values, which without scratch memory are these.
  struct Places {
    Value results[4], parts[2];
  };
  const auto placesOf = [&](IndexEmitter &b, const PhaseArguments &arguments) {
    Places places;
    for (auto [value, place] : llvm::zip_equal(yielded, arguments.results))
      places.results[cast<OpResult>(value).getResultNumber()] = place;
    for (int i : {0, 1}) {
      places.parts[i] = places.results[1 + i];
      if (hasScratch && places.parts[i])
        places.parts[i] = memref::ViewOp::create(b, MemRefType::get({parts * counts[i]}, element), arguments.scratch,
                                                 b.index(partsAt[i]), ValueRange());
    }
    return places;
  };

  func::FuncOp func = openPhase("");
  const PhaseArguments arguments(func, fused, hasScratch, false);
  IndexEmitter b(op.getLoc(), OpBuilder::atBlockEnd(&func.getBody().front()));
  const auto buffer = [&](Value operand) { return arguments.operands[cast<BlockArgument>(operand).getArgNumber()]; };
  const ScoreTerms terms = scoreTermsOf(op, buffer);
  const Places places = placesOf(b, arguments);
  const GradBuffers buffers{buffer(op.getQuery()),
                            buffer(op.getKey()),
                            buffer(op.getValue()),
                            buffer(op.getLse()),
                            buffer(op.getResultGrad()),
                            buffer(op.getDelta()),
                            places.results[0],
                            places.parts[0],
                            places.parts[1],
                            places.results[3]};
  code.phases.push_back({func, matrices * parts});
  if (matrices != 0)
    AttentionGradBuilder(b, sizes, terms, element, buffers, target).emit(arguments.begin, arguments.end);
  func::ReturnOp::create(b);
  if (!hasScratch)
    return code;

  func::FuncOp sums = openPhase("_sums");
  const PhaseArguments sumArguments(sums, fused, true, false);
  b.setInsertionPointToEnd(&sums.getBody().front());
  const Places sumPlaces = placesOf(b, sumArguments);
  // The tasks of keys come before those of values.
  int64_t tasks[2] = {};
  for (int i : {0, 1})
    if (sumPlaces.parts[i])
      tasks[i] = ceilDivide(counts[i], kSumGrain);
  b.loop(sumArguments.begin, sumArguments.end, 1, [&](Value task) {
    Value isOfKeys = b.compare(arith::CmpIPredicate::ult, task, b.index(tasks[0]));
    const auto sum = [&](int i) {
      Value own = i == 0 ? task : b.sub(task, b.index(tasks[0]));
      if (tasks[i] != 0)
        emitSum(b, sumPlaces.parts[i], sumPlaces.results[1 + i], counts[i], parts, b.mul(own, kSumGrain));
    };
    b.either(isOfKeys, [&] { sum(0); }, [&] { sum(1); });
  });
  func::ReturnOp::create(b);
  code.phases.push_back({sums, tasks[0] + tasks[1]});
  return code;
}
