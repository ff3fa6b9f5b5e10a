// What the kernels of attention and of its gradient share: the shape, the pairs that count, tiles of products.
#pragma once

#include "passes/Codegen/IndexEmitter.h"
#include "passes/Codegen/Kernel.h"

namespace burn::compiler {

/// Rows of queries and keys that are worked on together. Both are fixed: the order in which a row's keys are combined
/// depends on neither the target nor the number of threads.
inline constexpr int64_t kQueryBlock = 64, kKeyBlock = 64;
/// Rows of a register tile, and of the one that comes first: the tallest whose sums fit the registers.
inline constexpr int64_t kAttentionTileRows = 4, kAttentionTallRows = 6;

/// The sizes of an attention op. The queries of all heads that share a key head are the rows of one matrix.
struct AttentionShape {
  AttentionShape(mlir::Value query, mlir::Value key, mlir::Value value);

  int64_t batch, heads, keyHeads, queries, keys, depth, width;

  int64_t group() const { return keyHeads ? heads / keyHeads : 0; }
  int64_t rows() const { return group() * queries; }
  int64_t rowBlocks() const { return (rows() + kQueryBlock - 1) / kQueryBlock; }
  int64_t keyBlocks() const { return (keys + kKeyBlock - 1) / kKeyBlock; }
};

/// Whether the CPU has a kernel for an attention op or its gradient: decided by op and shape alone. Others, such as
/// those of very long vectors, are decomposed.
bool hasAttentionKernel(mlir::Operation *op);

/// A mask or bias: an element for each pair of a row and a key, along dimensions of size 1 the same for all.
struct PairOperand {
  mlir::Value buffer; // null where there is none
  llvm::SmallVector<int64_t> shape;

  /// Whether an element is the same for all rows of a key head.
  bool isUniform(const AttentionShape &sizes) const { return shape[2] == 1 && (shape[1] == 1 || sizes.group() == 1); }
};

/// What scores are made of besides queries and keys.
struct ScoreTerms {
  PairOperand mask, bias;
  bool causal;
  double scale, softcap;
};

/// Those of an attention op or its gradient; `bufferOf` gives the buffer of an operand.
template <typename Op> ScoreTerms scoreTermsOf(Op op, llvm::function_ref<mlir::Value(mlir::Value)> bufferOf) {
  const auto pairs = [&](mlir::Value operand) -> PairOperand {
    if (!operand)
      return {};
    return {bufferOf(operand), llvm::to_vector(mlir::cast<mlir::RankedTensorType>(operand.getType()).getShape())};
  };
  return {pairs(op.getMask()), pairs(op.getBias()), op.getCausal(), op.getScale().convertToDouble(),
          op.getSoftcap().convertToDouble()};
}

/// One factor of a product that is read as scalars: element (row, step) lies at start + row * rowStride + step *
/// stepStride.
struct TileScalars {
  mlir::Value buffer, start;
  int64_t rowStride, stepStride;
};

/// The other factor, read as vectors: those of a step lie at start + step * pitch. A mask covers lanes that do not
/// exist.
struct TileVectors {
  mlir::Value buffer, start;
  int64_t pitch;
  mlir::Value mask;
};

/// Emits what kernels of attention are made of. A block of rows stands in lanes: a tile of scores is [keys][rows], so
/// that the softmax of a row runs along memory and never across lanes.
class AttentionTiles {
public:
  AttentionTiles(IndexEmitter &b, const AttentionShape &sizes, const ScoreTerms &terms, mlir::Type element,
                 const CpuTargetInfo &target);

  mlir::Type getElement() const { return element; }
  int64_t getLanes() const { return lanes; }
  mlir::VectorType getVectorType() const { return vectorType; }

  /// Buffers on the stack, valid in the whole function.
  mlir::Value stackBuffer(int64_t elements, mlir::Type type = {});
  /// A vector of one number; `lanes` of it where that is not 0.
  mlir::Value splat(double value, int64_t lanes = 0);
  mlir::Value broadcast(mlir::Value scalar, int64_t lanes = 0);
  mlir::Value load(mlir::Value buffer, mlir::Value at, mlir::Value mask = {}, int64_t lanes = 0);
  void store(mlir::Value vector, mlir::Value buffer, mlir::Value at, mlir::Value mask = {});
  /// The lanes of the vector at `lane` that lie before `end`; null where `end` is null.
  mlir::Value lanesBefore(mlir::Value lane, mlir::Value end);

  /// Runs `body` at the first lane of each vector that covers a block of rows.
  void forLanes(llvm::function_ref<void(mlir::Value)> body);
  /// Runs `body(first, rows)` over [0, count) in tiles, first in taller ones of `tallest` rows, and over single rows at
  /// the end unless `count` is known to be a multiple of a tile's rows.
  void forTiles(mlir::Value count, bool isMultiple, llvm::function_ref<void(mlir::Value, int64_t)> body,
                int64_t tallest = kAttentionTallRows);
  /// Cuts `columns` into vectors: runs `body(first, lanes, mask)` for each; the mask is null where all lanes exist.
  void forColumns(int64_t columns, llvm::function_ref<void(int64_t, int64_t, mlir::Value)> body);
  /// `sums[i]` plus the products of row `first + i` over `steps` steps, each sum one chain of fused multiply-adds.
  /// Vectors are as wide as the sums.
  IndexEmitter::Values products(TileScalars scalars, mlir::Value first, TileVectors vectors, mlir::Value steps,
                                IndexEmitter::Values sums);

  /// Starts a block of rows of a batch and key head: which pairs count depends on both.
  void startRows(mlir::Value batchAndHead, mlir::Value firstRow);
  /// Where the keys end that some row of the block sees, a multiple of a tile's rows or the last.
  mlir::Value keyEnd();
  /// Starts a block of `count` keys.
  void startKeys(mlir::Value firstKey, mlir::Value count);
  /// Which pairs of the block's key `key` and the rows at `lane` count; null where all do.
  mlir::Value counts(mlir::Value key, mlir::Value lane);
  /// The scores of `products` of the block's key `key` with the rows at `lane`: minus infinity where a pair does not
  /// count. `bend`, if given, is set to tanh(s / softcap).
  mlir::Value score(mlir::Value products, mlir::Value key, mlir::Value lane, mlir::Value *bend = nullptr);

  /// Writes rows `[first, first + kQueryBlock)` of a matrix [rows][columns] at `start` as [columns][kQueryBlock]; zeros
  /// stand for rows from `count` on.
  void packRows(mlir::Value matrix, mlir::Value start, mlir::Value count, int64_t columns, mlir::Value packed);
  /// The reverse, for rows below `count`.
  void unpackRows(mlir::Value packed, mlir::Value count, int64_t columns, mlir::Value matrix, mlir::Value start);

private:
  void startPairs(const PairOperand &pairs, mlir::Value places);
  void copyPairs(const PairOperand &pairs, mlir::Value places, mlir::Value tile);
  mlir::Value pair(const PairOperand &pairs, mlir::Value places, mlir::Value tile, mlir::Value key, mlir::Value lane);

  IndexEmitter &b;
  const AttentionShape &sizes;
  const ScoreTerms &terms;
  mlir::Type element;
  int64_t lanes, registerLanes;
  mlir::VectorType vectorType;

  mlir::Value limits;                 // the last key of each row
  mlir::Value maskPlaces, biasPlaces; // where the mask and bias of each row (of all rows: one) begin
  mlir::Value maskTile, biasTile;     // of the block of keys, where rows differ

  // Of the block.
  mlir::Value batch, keyHead, row0, key0, keyCount;
};

} // namespace burn::compiler
