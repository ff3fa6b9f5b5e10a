// Attention in one pass over the keys (Dao et al., 2022; Milakov and Gimelshein, 2018): the scores of a block of rows
// and a block of keys live in the first-level cache, and nothing of their size is stored.
//
// Of the keys so far, a row has the greatest score m, the sum l of exp(s - m), and the mean o of their values weighted
// by exp(s - m). A block of keys raises m to m', l becomes exp(m - m') l plus the sum of the block's p = exp(s - m'),
// and o becomes (exp(m - m') l / l') o + sum (p / l') v: a mean stays within the range of the values, however many keys
// there are.
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

constexpr double kInfinity = std::numeric_limits<double>::infinity();

class AttentionBuilder {
public:
  AttentionBuilder(IndexEmitter &b, ir::AttentionOp op, const ScoreTerms &terms, Value query, Value key, Value value,
                   const CpuTargetInfo &target)
      : b(b), sizes(op.getQuery(), op.getKey(), op.getValue()),
        tiles(b, sizes, terms, registerType(cast<RankedTensorType>(op.getQuery().getType()).getElementType()), target),
        query(query), key(key), value(value) {}

  int64_t taskCount() const { return sizes.batch * sizes.keyHeads * sizes.rowBlocks(); }

  /// Null results are not stored.
  void emit(Value begin, Value end, Value result, Value lse) {
    packedQuery = tiles.stackBuffer(sizes.depth * kQueryBlock);
    means = tiles.stackBuffer(sizes.width * kQueryBlock);
    weights = tiles.stackBuffer(kKeyBlock * kQueryBlock);
    greatest = tiles.stackBuffer(kQueryBlock);
    sums = tiles.stackBuffer(kQueryBlock);
    shares = tiles.stackBuffer(kQueryBlock);
    b.loop(begin, end, 1, [&](Value task) {
      Value matrix = b.div(task, sizes.rowBlocks());
      Value row0 = b.mul(b.rem(task, sizes.rowBlocks()), kQueryBlock);
      Value rows = b.min(b.index(kQueryBlock), b.sub(b.index(sizes.rows()), row0));
      Value row = b.add(b.mul(matrix, sizes.rows()), row0);
      tiles.startRows(matrix, row0);
      tiles.packRows(query, b.mul(row, sizes.depth), rows, sizes.depth, packedQuery);
      clear();
      Value keyEnd = tiles.keyEnd();
      b.loop(b.index(0), keyEnd, kKeyBlock, [&](Value key0) {
        Value count = b.min(b.index(kKeyBlock), b.sub(keyEnd, key0));
        tiles.startKeys(key0, count);
        Value firstKey = b.add(b.mul(matrix, sizes.keys), key0);
        emitScores(b.mul(firstKey, sizes.depth), count);
        emitWeights(count);
        emitMeans(b.mul(firstKey, sizes.width), count);
      });
      if (result)
        tiles.unpackRows(means, rows, sizes.width, result, b.mul(row, sizes.width));
      if (lse)
        tiles.forLanes([&](Value lane) {
          Value sum = tiles.load(sums, lane);
          Value logarithm = arith::AddFOp::create(b, shift(tiles.load(greatest, lane)), scalarOps().log(sum));
          tiles.store(logarithm, lse, b.add(row, lane), tiles.lanesBefore(lane, rows));
        });
    });
  }

private:
  ir::ScalarOps scalarOps() { return {b, b.getLoc(), ir::ScalarKind::get(tiles.getElement())}; }

  Value equals(Value vector, double number) {
    return arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, vector, tiles.splat(number));
  }

  /// What scores are shifted by: 0 where no key counts yet, whose exponentials are 0 then.
  Value shift(Value greatest) {
    return arith::SelectOp::create(b, equals(greatest, -kInfinity), tiles.splat(0), greatest);
  }

  void clear() {
    tiles.forLanes([&](Value lane) {
      tiles.store(tiles.splat(-kInfinity), greatest, lane);
      tiles.store(tiles.splat(0), sums, lane);
      b.loop(b.index(0), b.index(sizes.width), 1,
             [&](Value column) { tiles.store(tiles.splat(0), means, b.add(b.mul(column, kQueryBlock), lane)); });
    });
  }

  void emitScores(Value keysAt, Value count) {
    // Blocks of keys end at multiples of a tile, but for the last key.
    tiles.forTiles(count, sizes.keys % kAttentionTileRows == 0, [&](Value first, int64_t rows) {
      tiles.forLanes([&](Value lane) {
        IndexEmitter::Values products =
            tiles.products({key, keysAt, sizes.depth, 1}, first, {packedQuery, lane, kQueryBlock, {}},
                           b.index(sizes.depth), IndexEmitter::Values(rows, tiles.splat(0)));
        for (auto [i, product] : llvm::enumerate(products)) {
          Value each = b.add(first, i);
          tiles.store(tiles.score(product, each, lane), weights, b.add(b.mul(each, kQueryBlock), lane));
        }
      });
    });
  }

  /// Scores become weights; what the means so far are worth is left in `shares`.
  void emitWeights(Value count) {
    tiles.forLanes([&](Value lane) {
      const auto at = [&](Value key) { return b.add(b.mul(key, kQueryBlock), lane); };
      Value before = tiles.load(greatest, lane);
      // NaN is passed over here; its exponential is NaN.
      Value most = b.loop(b.index(0), count, 1, before, [&](Value key, ValueRange carried) -> IndexEmitter::Values {
        Value score = tiles.load(weights, at(key));
        Value above = arith::CmpFOp::create(b, arith::CmpFPredicate::OGT, score, carried[0]);
        return {arith::SelectOp::create(b, above, score, carried[0])};
      })[0];
      Value shifted = shift(most);
      Value fading = scalarOps().exp(arith::SubFOp::create(b, before, shifted));
      Value old = arith::MulFOp::create(b, tiles.load(sums, lane), fading);
      Value sum = b.loop(b.index(0), count, 1, old, [&](Value key, ValueRange carried) -> IndexEmitter::Values {
        Value weight = scalarOps().exp(arith::SubFOp::create(b, tiles.load(weights, at(key)), shifted));
        tiles.store(weight, weights, at(key));
        return {arith::AddFOp::create(b, carried[0], weight)};
      })[0];
      Value divisor = arith::SelectOp::create(b, equals(sum, 0), tiles.splat(1), sum);
      Value share = arith::DivFOp::create(b, tiles.splat(1), divisor);
      b.loop(b.index(0), count, 1, [&](Value key) {
        tiles.store(arith::MulFOp::create(b, tiles.load(weights, at(key)), share), weights, at(key));
      });
      tiles.store(most, greatest, lane);
      tiles.store(sum, sums, lane);
      tiles.store(arith::MulFOp::create(b, old, share), shares, lane);
    });
  }

  void emitMeans(Value valuesAt, Value count) {
    tiles.forTiles(b.index(sizes.width), sizes.width % kAttentionTileRows == 0, [&](Value first, int64_t rows) {
      tiles.forLanes([&](Value lane) {
        const auto at = [&](size_t i) { return b.add(b.mul(b.add(first, i), kQueryBlock), lane); };
        Value share = tiles.load(shares, lane);
        IndexEmitter::Values totals;
        for (int64_t i = 0; i < rows; ++i)
          totals.push_back(arith::MulFOp::create(b, tiles.load(means, at(i)), share));
        totals =
            tiles.products({value, valuesAt, 1, sizes.width}, first, {weights, lane, kQueryBlock, {}}, count, totals);
        for (auto [i, total] : llvm::enumerate(totals))
          tiles.store(total, means, at(i));
      });
    });
  }

  IndexEmitter &b;
  AttentionShape sizes;
  AttentionTiles tiles;
  Value query, key, value;
  Value packedQuery, means, weights, greatest, sums, shares;
};

} // namespace

FailureOr<KernelCode> compiler::buildAttentionKernel(OpBuilder &atModule, ir::FusedOp fused, ir::AttentionOp op,
                                                     StringRef name, const CpuTargetInfo &target) {
  func::FuncOp func = createPhase(atModule, fused, name, 0, false);
  const PhaseArguments arguments(func, fused, false, false);
  const auto buffer = [&](Value operand) -> Value {
    auto argument = dyn_cast_or_null<BlockArgument>(operand);
    return argument ? arguments.operands[argument.getArgNumber()] : Value();
  };
  for (Value operand : op->getOperands())
    if (!buffer(operand))
      return op.emitOpError("expects operands that are buffers");
  const ScoreTerms terms = scoreTermsOf(op, buffer);
  Value results[2];
  for (auto [yielded, place] :
       llvm::zip_equal(fused.getBody().front().getTerminator()->getOperands(), arguments.results))
    results[cast<OpResult>(yielded).getResultNumber()] = place;

  IndexEmitter b(op.getLoc(), OpBuilder::atBlockEnd(&func.getBody().front()));
  AttentionBuilder builder(b, op, terms, buffer(op.getQuery()), buffer(op.getKey()), buffer(op.getValue()), target);
  KernelCode code;
  code.phases.push_back({func, builder.taskCount()});
  if (builder.taskCount() != 0)
    builder.emit(arguments.begin, arguments.end, results[0], results[1]);
  func::ReturnOp::create(b);
  return code;
}
