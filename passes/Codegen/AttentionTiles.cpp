#include "passes/Codegen/AttentionTiles.h"

#include "dialects/Burn/ScalarPayloads.h"
#include "passes/Codegen/KernelLoops.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <limits>
#include <numeric>

using namespace mlir;
using namespace burn;
using namespace burn::compiler;
using arith::CmpIPredicate;

namespace {

// Vectors of a block of queries and of its results stand on the stack of the thread.
constexpr int64_t kGreatestDepth = 512;

ArrayRef<int64_t> shapeOf(Value value) { return cast<RankedTensorType>(value.getType()).getShape(); }

} // namespace

AttentionShape::AttentionShape(Value query, Value key, Value value)
    : batch(shapeOf(query)[0]), heads(shapeOf(query)[1]), keyHeads(shapeOf(key)[1]), queries(shapeOf(query)[2]),
      keys(shapeOf(key)[2]), depth(shapeOf(query)[3]), width(shapeOf(value)[3]) {}

bool compiler::hasAttentionKernel(Operation *op) {
  if (!isa<ir::AttentionOp, ir::AttentionGradOp>(op))
    return false;
  const AttentionShape sizes(op->getOperand(0), op->getOperand(1), op->getOperand(2));
  // Limits of keys are kept in 32 bits.
  constexpr int64_t most = std::numeric_limits<int32_t>::max() / 4;
  return sizes.depth + sizes.width <= kGreatestDepth && sizes.keys < most && sizes.rows() < most;
}

AttentionTiles::AttentionTiles(IndexEmitter &b, const AttentionShape &sizes, const ScoreTerms &terms, Type element,
                               const CpuTargetInfo &target)
    : b(b), sizes(sizes), terms(terms), element(element) {
  // A tile of 4 rows and its operands fit the registers.
  const int64_t vectors = target.vectorRegisters >= 32 ? 4 : 2;
  registerLanes = target.vectorBytes * 8 / element.getIntOrFloatBitWidth();
  lanes = std::min<int64_t>(kQueryBlock, vectors * registerLanes);
  vectorType = VectorType::get({lanes}, element);
  if (terms.causal)
    limits = stackBuffer(kQueryBlock, b.getI32Type());
  if (terms.mask.buffer) {
    const bool isUniform = terms.mask.isUniform(sizes);
    maskPlaces = stackBuffer(isUniform ? 1 : kQueryBlock, b.getI64Type());
    if (!isUniform)
      maskTile = stackBuffer(kKeyBlock * kQueryBlock, b.getI8Type());
  }
  if (terms.bias.buffer) {
    const bool isUniform = terms.bias.isUniform(sizes);
    biasPlaces = stackBuffer(isUniform ? 1 : kQueryBlock, b.getI64Type());
    if (!isUniform)
      biasTile = stackBuffer(kKeyBlock * kQueryBlock);
  }
}

Value AttentionTiles::stackBuffer(int64_t elements, Type type) {
  auto memref = MemRefType::get({std::max<int64_t>(1, elements)}, type ? type : element);
  return memref::AllocaOp::create(b, memref, b.getI64IntegerAttr(64));
}

Value AttentionTiles::splat(double value, int64_t count) {
  auto type = VectorType::get({count ? count : lanes}, element);
  return arith::ConstantOp::create(b, DenseElementsAttr::get(type, Attribute(b.getFloatAttr(element, value))));
}

Value AttentionTiles::broadcast(Value scalar, int64_t count) {
  return vector::BroadcastOp::create(b, VectorType::get({count ? count : lanes}, scalar.getType()), scalar);
}

Value AttentionTiles::load(Value buffer, Value at, Value mask, int64_t count) {
  auto type = VectorType::get({count ? count : lanes}, cast<MemRefType>(buffer.getType()).getElementType());
  if (!mask)
    return vector::LoadOp::create(b, type, buffer, at);
  Value none = arith::ConstantOp::create(b, b.getZeroAttr(type));
  return vector::MaskedLoadOp::create(b, type, buffer, at, mask, none);
}

void AttentionTiles::store(Value vector, Value buffer, Value at, Value mask) {
  if (mask)
    vector::MaskedStoreOp::create(b, buffer, at, mask, vector);
  else
    vector::StoreOp::create(b, vector, buffer, at);
}

Value AttentionTiles::lanesBefore(Value lane, Value end) {
  if (!end)
    return {};
  return vector::CreateMaskOp::create(b, VectorType::get({lanes}, b.getI1Type()), ValueRange{b.sub(end, lane)});
}

void AttentionTiles::forLanes(llvm::function_ref<void(Value)> body) {
  if (lanes == kQueryBlock)
    body(b.index(0));
  else
    b.loop(b.index(0), b.index(kQueryBlock), lanes, body);
}

void AttentionTiles::forTiles(Value count, bool isMultiple, llvm::function_ref<void(Value, int64_t)> body,
                              int64_t tallest) {
  Value from = b.index(0);
  const auto inTilesOf = [&](int64_t rows) {
    // What is left is a multiple of a tile's rows if all is.
    Value whole = b.sub(count, b.rem(count, std::lcm(rows, kAttentionTileRows)));
    b.loop(from, whole, rows, [&](Value first) { body(first, rows); });
    from = whole;
  };
  if (tallest > kAttentionTileRows)
    inTilesOf(tallest);
  if (isMultiple) {
    b.loop(from, count, kAttentionTileRows, [&](Value first) { body(first, kAttentionTileRows); });
    return;
  }
  inTilesOf(kAttentionTileRows);
  b.loop(from, count, 1, [&](Value row) { body(row, 1); });
}

void AttentionTiles::forColumns(int64_t columns, llvm::function_ref<void(int64_t, int64_t, Value)> body) {
  for (int64_t first = 0, width = lanes; first < columns;) {
    while (width > columns - first && width > registerLanes)
      width /= 2;
    body(first, width, leadingMask(b, b.getLoc(), width, std::min(width, columns - first)));
    first += width;
  }
}

IndexEmitter::Values AttentionTiles::products(TileScalars scalars, Value first, TileVectors vectors, Value steps,
                                              IndexEmitter::Values sums) {
  const int64_t wide = cast<VectorType>(sums[0].getType()).getNumElements();
  IndexEmitter::Values rowAt;
  for (size_t i = 0; i < sums.size(); ++i)
    rowAt.push_back(
        b.add(b.add(scalars.start, b.mul(first, scalars.rowStride)), static_cast<int64_t>(i) * scalars.rowStride));
  return b.loop(b.index(0), steps, 1, sums, [&](Value step, ValueRange carried) {
    Value vector = load(vectors.buffer, b.add(vectors.start, b.mul(step, vectors.pitch)), vectors.mask, wide);
    IndexEmitter::Values next;
    for (auto [at, sum] : llvm::zip_equal(rowAt, carried)) {
      Value scalar = memref::LoadOp::create(b, scalars.buffer, ValueRange{b.add(at, b.mul(step, scalars.stepStride))});
      next.push_back(math::FmaOp::create(b, broadcast(scalar, wide), vector, sum));
    }
    return next;
  });
}

void AttentionTiles::startRows(Value batchAndHead, Value firstRow) {
  batch = b.div(batchAndHead, std::max<int64_t>(1, sizes.keyHeads));
  keyHead = b.rem(batchAndHead, std::max<int64_t>(1, sizes.keyHeads));
  row0 = firstRow;
  if (limits)
    b.loop(b.index(0), b.index(kQueryBlock), 1, [&](Value i) {
      Value row = b.min(b.add(row0, i), b.index(sizes.rows() - 1));
      Value last = b.add(b.rem(row, sizes.queries), sizes.keys - sizes.queries);
      memref::StoreOp::create(b, arith::IndexCastOp::create(b, b.getI32Type(), last), limits, i);
    });
  if (terms.mask.buffer)
    startPairs(terms.mask, maskPlaces);
  if (terms.bias.buffer)
    startPairs(terms.bias, biasPlaces);
}

void AttentionTiles::startPairs(const PairOperand &pairs, Value places) {
  SmallVector<int64_t> strides(3);
  int64_t stride = pairs.shape[3];
  for (int64_t dim = 2; dim >= 0; --dim) {
    strides[dim] = pairs.shape[dim] == 1 ? 0 : stride;
    stride *= pairs.shape[dim];
  }
  const int64_t count = pairs.isUniform(sizes) ? 1 : kQueryBlock;
  b.loop(b.index(0), b.index(count), 1, [&](Value i) {
    Value row = b.min(b.add(row0, i), b.index(sizes.rows() - 1));
    Value head = b.add(b.mul(keyHead, sizes.group()), b.div(row, sizes.queries));
    Value place =
        b.add(b.add(b.mul(batch, strides[0]), b.mul(head, strides[1])), b.mul(b.rem(row, sizes.queries), strides[2]));
    memref::StoreOp::create(b, arith::IndexCastOp::create(b, b.getI64Type(), place), places, i);
  });
}

Value AttentionTiles::keyEnd() {
  Value keys = b.index(sizes.keys);
  if (!terms.causal)
    return keys;
  // The last row of the block sees the most, unless a head ends before it.
  Value last = b.min(b.add(row0, kQueryBlock - 1), b.index(sizes.rows() - 1));
  Value query = b.rem(last, sizes.queries);
  if (sizes.group() > 1) {
    Value isOneHead = b.compare(CmpIPredicate::eq, b.div(row0, sizes.queries), b.div(last, sizes.queries));
    query = b.select(isOneHead, query, b.index(sizes.queries - 1));
  }
  Value end = b.max(b.add(query, sizes.keys - sizes.queries + 1), b.index(0));
  end = b.mul(b.div(b.add(end, kAttentionTileRows - 1), kAttentionTileRows), kAttentionTileRows);
  return b.min(end, keys);
}

void AttentionTiles::startKeys(Value firstKey, Value count) {
  key0 = firstKey;
  keyCount = count;
  if (maskTile)
    copyPairs(terms.mask, maskPlaces, maskTile);
  if (biasTile)
    copyPairs(terms.bias, biasPlaces, biasTile);
}

void AttentionTiles::copyPairs(const PairOperand &pairs, Value places, Value tile) {
  b.loop(b.index(0), b.index(kQueryBlock), 1, [&](Value row) {
    Value place = memref::LoadOp::create(b, places, row);
    Value from = b.add(arith::IndexCastOp::create(b, b.getIndexType(), place), key0);
    b.loop(b.index(0), keyCount, 1, [&](Value key) {
      Value each = memref::LoadOp::create(b, pairs.buffer, b.add(from, key));
      memref::StoreOp::create(b, each, tile, b.add(b.mul(key, kQueryBlock), row));
    });
  });
}

Value AttentionTiles::pair(const PairOperand &pairs, Value places, Value tile, Value key, Value lane) {
  if (tile)
    return load(tile, b.add(b.mul(key, kQueryBlock), lane));
  Value place = arith::IndexCastOp::create(b, b.getIndexType(), memref::LoadOp::create(b, places, b.index(0)));
  return broadcast(memref::LoadOp::create(b, pairs.buffer, b.add(b.add(place, key0), key)));
}

Value AttentionTiles::counts(Value key, Value lane) {
  Value counted;
  if (terms.causal) {
    Value at = arith::IndexCastOp::create(b, b.getI32Type(), b.add(key0, key));
    counted = arith::CmpIOp::create(b, CmpIPredicate::sle, broadcast(at), load(limits, lane));
  }
  if (terms.mask.buffer) {
    Value bits = pair(terms.mask, maskPlaces, maskTile, key, lane);
    Value none = arith::ConstantOp::create(b, b.getZeroAttr(bits.getType()));
    Value masked = arith::CmpIOp::create(b, CmpIPredicate::ne, bits, none);
    counted = counted ? arith::AndIOp::create(b, counted, masked).getResult() : masked;
  }
  return counted;
}

Value AttentionTiles::score(Value products, Value key, Value lane, Value *bend) {
  ir::ScalarOps ops(b, b.getLoc(), ir::ScalarKind::get(element));
  Value score = products;
  if (terms.scale != 1)
    score = arith::MulFOp::create(b, score, splat(terms.scale));
  if (terms.softcap > 0) {
    Value tanh = ops.tanh(arith::DivFOp::create(b, score, splat(terms.softcap)));
    score = arith::MulFOp::create(b, tanh, splat(terms.softcap));
    if (bend)
      *bend = tanh;
  }
  if (terms.bias.buffer)
    score = arith::AddFOp::create(b, score, pair(terms.bias, biasPlaces, biasTile, key, lane));
  if (Value counted = counts(key, lane))
    score = arith::SelectOp::create(b, counted, score, splat(-std::numeric_limits<double>::infinity()));
  return score;
}

void AttentionTiles::packRows(Value matrix, Value start, Value count, int64_t columns, Value packed) {
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(element));
  b.loop(b.index(0), count, 1, [&](Value row) {
    Value from = b.add(start, b.mul(row, columns));
    b.loop(b.index(0), b.index(columns), 1, [&](Value column) {
      Value each = memref::LoadOp::create(b, matrix, b.add(from, column));
      memref::StoreOp::create(b, each, packed, b.add(b.mul(column, kQueryBlock), row));
    });
  });
  b.loop(count, b.index(kQueryBlock), 1, [&](Value row) {
    b.loop(b.index(0), b.index(columns), 1,
           [&](Value column) { memref::StoreOp::create(b, zero, packed, b.add(b.mul(column, kQueryBlock), row)); });
  });
}

void AttentionTiles::unpackRows(Value packed, Value count, int64_t columns, Value matrix, Value start) {
  b.loop(b.index(0), count, 1, [&](Value row) {
    Value to = b.add(start, b.mul(row, columns));
    b.loop(b.index(0), b.index(columns), 1, [&](Value column) {
      Value each = memref::LoadOp::create(b, packed, b.add(b.mul(column, kQueryBlock), row));
      memref::StoreOp::create(b, each, matrix, b.add(to, column));
    });
  });
}
