// The graph on which burn-fuse decides: compute nodes, and the accesses between them through ops
// that only move data.
#pragma once

#include "passes/Graph/Accesses.h"
#include "passes/Graph/TurnedReduction.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace burn::compiler {

/// A shape, and the dims that its reductions remove.
struct Domain {
  llvm::SmallVector<int64_t> shape;
  llvm::SmallVector<int64_t> reduceDims;
  /// The dims in the order in which reductions walk them; empty: as they stand.
  llvm::SmallVector<int64_t> walk;

  /// The shape without the reduced dims.
  llvm::SmallVector<int64_t> keptShape() const;
  bool operator==(const Domain &) const = default;
};

/// What a cluster is made of while it grows.
struct Cluster {
  ir::ClusterKind kind = ir::ClusterKind::Elementwise;
  Domain domain;
  /// Compute ops in program order.
  llvm::SmallVector<mlir::Operation *> nodes;
  /// Whether the reductions are computed in blocks, so that nothing over the whole domain may follow.
  bool split = false;
  /// Ops of other clusters, or of none, that the kernel carries out again.
  llvm::SetVector<mlir::Operation *> recomputed;
  /// Arithmetic on scalars that the kernel looks through, and so repeats.
  llvm::DenseSet<mlir::Operation *> scalars;
  /// What nodes and `scalars` cost an element (ElementwiseOpInterface), each at least 1: a measure of the kernel's
  /// code.
  unsigned cost = 0;
};

/// What a kernel of a cluster consists of.
struct ClusterValues {
  /// The nodes and the transparent ops that they read through.
  llvm::SetVector<mlir::Operation *> inside;
  /// Buffers that it reads, and results that others read.
  llvm::SetVector<mlir::Value> inputs;
  llvm::SmallVector<mlir::Value> outputs;
};

class FusionGraph {
public:
  /// `fuse` false: every op is a node of its own. `convertsOnRead`: kernels of products convert what they read.
  /// `recomputes`: kernels may compute again what others know, such as the places of extrema (windowGradientOf).
  /// `turnsReductions`: kernels of reductions go over transposed tensors as they lie.
  FusionGraph(mlir::Block &block, bool fuse, bool convertsOnRead, bool recomputes, bool turnsReductions);

  llvm::ArrayRef<mlir::Operation *> nodes() const { return nodes_.getArrayRef(); }
  bool isNode(mlir::Operation *op) const { return nodes_.contains(op); }
  /// Ops that stay outside of kernels: reshapes between buffers, and constants.
  bool isBare(mlir::Operation *op) const { return bare_.contains(op); }

  /// What a node reads, through transparent ops.
  llvm::ArrayRef<Access> accesses(mlir::Operation *node) const { return accesses_.find(node)->second; }

  /// What a node runs over: iterationShape, but a turned reduction runs over what is transposed.
  llvm::ArrayRef<int64_t> iterationShape(mlir::Operation *node) const;

  /// A cluster of one node.
  Cluster clusterOf(mlir::Operation *node) const;

  ClusterValues valuesOf(const Cluster &cluster) const;

  /// The values that clusters read from others, and those that must have buffers for other reasons.
  llvm::DenseSet<mlir::Value> storedValues(llvm::ArrayRef<Cluster> clusters) const;

  /// Whether `reader` needs the source only at the place where a kernel over the domain computes it: the same index
  /// over the domain, or the row's own result.
  bool readsInPlace(mlir::Operation *reader, const Access &access, const Domain &domain) const;

  /// The buffers that the cluster's kernel is given, as a GPU counts them: host scalars share one, and partial sums of
  /// long reductions and products take one more.
  unsigned bufferCount(const Cluster &cluster) const;

  /// The cluster of both, where the kinds and the accesses of `consumer` to `producer` allow it.
  std::optional<Cluster> merged(const Cluster &producer, const Cluster &consumer) const;

private:
  void collectNodes(mlir::Block &block);
  void limitTransparent(mlir::Block &block);
  void turnReductions();
  void materialize(mlir::Value value);
  void collect(mlir::Value value, const Cluster &cluster, ClusterValues &values) const;
  bool isReadOutside(mlir::Value value, const llvm::SetVector<mlir::Operation *> &inside) const;
  bool isPartOfProduct(mlir::Operation *op) const;
  bool isPartOfGradients(mlir::Operation *op) const;
  /// The search that the op's kernel makes itself, where the op is the gradient of extrema over windows.
  ir::ArgReduceWindowOp searchOf(mlir::Operation *op) const;

  mlir::Block &block_;
  bool fuse_, convertsOnRead_, recomputes_;
  llvm::DenseMap<mlir::Operation *, TurnedReduction> turned_;
  llvm::SetVector<mlir::Operation *> nodes_, bare_;
  /// Of transparent ops: the arithmetic on scalars behind them, themselves included.
  llvm::DenseMap<mlir::Operation *, llvm::SetVector<mlir::Operation *>> scalars_;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<Access>> accesses_;
};

} // namespace burn::compiler
