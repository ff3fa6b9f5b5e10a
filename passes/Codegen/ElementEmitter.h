// Code for single elements of the values inside a burn.fused.
#pragma once

#include "dialects/Burn/Burn.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <map>

namespace burn::compiler {

/// An index, one expression per dimension of the indexed value, over the dims of an iteration space.
using ElementIndex = llvm::SmallVector<mlir::AffineExpr, 4>;

/// The row-major position of `index` in a tensor of `shape`.
mlir::AffineExpr linearIndex(llvm::ArrayRef<mlir::AffineExpr> index, llvm::ArrayRef<int64_t> shape,
                             mlir::MLIRContext *context);

/// Vector lanes along one dim: lane j stands at the dim's value plus j.
struct LaneDim {
  unsigned dim = 0;
  int64_t count = 1;
  /// Lanes that exist (vector<count x i1>), or null where all do.
  mlir::Value mask;
  /// No lanes at all: values are scalars, as on a GPU.
  bool scalar = false;

  /// The type of a value over the lanes.
  mlir::Type of(mlir::Type element) const { return scalar ? element : mlir::VectorType::get({count}, element); }
};

/// Emits the value of any SSA value inside a burn.fused at a symbolic index. Elementwise ops become
/// their scalar payloads, views only change the index, and block arguments become loads from flat
/// buffers. What does not depend on the lane dim is computed as a scalar, bits being the same.
///
/// Loops nest as scopes. Each value is placed in the outermost scope that knows the dims it depends
/// on, and is emitted once there.
class ElementEmitter {
public:
  /// `sizes` are the extents of the iteration space. `buffers` stand for the arguments of `body`.
  /// The builder's insertion point is the outermost scope.
  ElementEmitter(mlir::OpBuilder &builder, mlir::Location loc, mlir::Block &body, mlir::ValueRange buffers,
                 llvm::ArrayRef<int64_t> sizes);

  /// Opens a scope at the builder's insertion point, in which `dims` have values. `parentPoint`, if
  /// given, is the op (a loop) before which enclosing scopes may place values from now on.
  void openScope(llvm::ArrayRef<std::pair<unsigned, mlir::Value>> dims, mlir::Operation *parentPoint = nullptr,
                 std::optional<LaneDim> lanes = std::nullopt);
  /// Closes the innermost scope; the enclosing one continues behind `loop`.
  void closeScope(mlir::Operation *loop = nullptr);

  /// The element of `value` at `index`: a vector where it differs between lanes, else a scalar.
  /// Null (with a diagnostic) for an op that has no element code.
  mlir::Value emit(mlir::Value value, llvm::ArrayRef<mlir::AffineExpr> index);
  /// The same as a vector in any case.
  mlir::Value emitVector(mlir::Value value, llvm::ArrayRef<mlir::AffineExpr> index);

  /// The element where every expression of `when` is not negative, else `otherwise` (a scalar). The
  /// index may leave the value's shape where they do not hold. `holds`, if given, is set to whether
  /// they do (null where they always do).
  mlir::Value emitWhere(mlir::Value value, llvm::ArrayRef<mlir::AffineExpr> index,
                        llvm::ArrayRef<mlir::AffineExpr> when, mlir::Value otherwise, mlir::Value *holds = nullptr);

  /// Makes `element` the element of `value` at every index asked for in the current scope and
  /// those inside it, such as the result of a reduction at the current row.
  void bind(mlir::Value value, mlir::Value element);

  /// The value of an index expression (lane 0 where it depends on the lane dim).
  mlir::Value emitIndex(mlir::AffineExpr expr);
  /// Its value in every lane, as i64: a vector, also where it is the same in all; a scalar outside of lanes.
  mlir::Value emitIndexVector(mlir::AffineExpr expr);

  /// What a flat buffer holds at a position now: consecutive elements in lanes, or a scalar outside of
  /// lanes. Never taken from an earlier load, since the buffer may have been written since.
  mlir::Value loadNow(mlir::Value buffer, mlir::Type burnElementType, mlir::AffineExpr position);

  /// The elements of a flat buffer at a vector of i64 positions; all must exist.
  mlir::Value loadEach(mlir::Value buffer, mlir::Type burnElementType, mlir::Value positions);

  /// Stores an element (scalar or vector of lanes) at a position of a flat buffer; vectors go to
  /// consecutive places under the lanes' mask.
  /// `streamed` stores past the caches; the position must then be a multiple of 16 elements, the buffer aligned to 64
  /// bytes, and a fence must follow the last such store.
  void store(mlir::Value element, mlir::Value buffer, mlir::AffineExpr position, bool streamed = false);

  /// Asks for the cache line of a position, which may lie beyond the buffer, to read or to write it.
  void prefetch(mlir::Value buffer, mlir::AffineExpr position, bool writes = false);

  llvm::ArrayRef<int64_t> getSizes() const { return sizes; }

private:
  struct Emitted {
    mlir::Value value;
    unsigned depth = 0;
  };
  using Conditions = llvm::SmallVector<mlir::AffineExpr, 2>;
  using Key = std::pair<const void *, llvm::SmallVector<const void *, 8>>;
  struct Scope {
    mlir::OpBuilder::InsertPoint point;
    uint64_t dims = 0;
    std::map<Key, mlir::Value> memo;
    llvm::DenseMap<mlir::Value, mlir::Value> bound;
  };

  Emitted emitElement(mlir::Value value, llvm::ArrayRef<mlir::AffineExpr> index, llvm::ArrayRef<mlir::AffineExpr> when);
  Emitted compute(mlir::Value value, llvm::ArrayRef<mlir::AffineExpr> index, llvm::ArrayRef<mlir::AffineExpr> when);
  Emitted emitView(ir::ViewOpInterface op, llvm::ArrayRef<mlir::AffineExpr> index,
                   llvm::ArrayRef<mlir::AffineExpr> when);
  Emitted emitPayload(ir::ElementwiseOpInterface op, llvm::ArrayRef<mlir::AffineExpr> index,
                      llvm::ArrayRef<mlir::AffineExpr> when);
  Emitted emitLoad(mlir::Value buffer, mlir::RankedTensorType type, llvm::ArrayRef<mlir::AffineExpr> index,
                   llvm::ArrayRef<mlir::AffineExpr> when);
  Emitted emitConstant(ir::ConstantOp op, llvm::ArrayRef<mlir::AffineExpr> index,
                       llvm::ArrayRef<mlir::AffineExpr> when);
  Emitted emitIota(ir::IotaOp op, llvm::ArrayRef<mlir::AffineExpr> index);
  Emitted emitRandomBits(ir::RngBitsOp op, llvm::ArrayRef<mlir::AffineExpr> index,
                         llvm::ArrayRef<mlir::AffineExpr> when);

  /// Adds the condition that `expr` is not negative, unless that is known; false if it never holds.
  bool require(Conditions &conditions, mlir::AffineExpr expr) const;

  Emitted scalarIndex(mlir::AffineExpr expr);
  /// Lane values as i32 or i64, whichever `wide` says.
  Emitted vectorIndex(mlir::AffineExpr expr, bool wide);
  Emitted condition(llvm::ArrayRef<mlir::AffineExpr> when);
  mlir::Value combineIndex(mlir::AffineExprKind kind, mlir::Value lhs, mlir::Value rhs, bool nonNegative);

  /// Scopes that stand in `block` place values at `place` from now on.
  void movePoints(mlir::Block *block, mlir::Block::iterator place);

  mlir::AffineExpr simplify(mlir::AffineExpr expr) const;
  uint64_t dimsOf(mlir::AffineExpr expr) const;
  uint64_t dimsOf(llvm::ArrayRef<mlir::AffineExpr> exprs) const;
  bool fitsInt32(mlir::AffineExpr expr) const;
  bool inLanes(uint64_t dims) const { return lanes && (dims >> lanes->dim & 1); }
  unsigned depthOf(uint64_t dims) const;
  /// Runs `emit` with the builder placed in a scope.
  mlir::Value at(unsigned depth, llvm::function_ref<mlir::Value()> emit);
  std::optional<Emitted> find(const Key &key);
  Emitted remember(const Key &key, Emitted emitted);
  mlir::Value splat(mlir::Type type, mlir::TypedAttr element);
  mlir::Value broadcast(mlir::Value scalar);

  mlir::ImplicitLocOpBuilder b;
  mlir::OpBuilder &outer;
  mlir::Block &body;
  llvm::SmallVector<mlir::Value> buffers;
  llvm::SmallVector<int64_t> sizes;
  llvm::SmallVector<mlir::Value> dimValues;
  llvm::SmallVector<Scope> scopes;
  std::optional<LaneDim> lanes;
};

} // namespace burn::compiler
