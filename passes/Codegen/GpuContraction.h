// Parts of the contraction kernel for GPUs.
#pragma once

#include "passes/Codegen/Contraction.h"
#include "passes/Codegen/IndexEmitter.h"
#include "runtime/Core/GpuTarget.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace burn::compiler {

/// Terms of a sum that are one chain. Chains are added up in order, and so are slices: long sums lose less that way.
inline constexpr int64_t kGpuChain = 256;

/// How a contraction meets the invocations of a GPU. The slices change the order of sums, and follow from the
/// contraction and the GPU; the rest does not.
struct GpuContractionTiling {
  /// Rows and lanes of a workgroup, and of an invocation; all 1 where each invocation computes one element alone.
  int64_t groupRows = 1, groupLanes = 1, ownRows = 1, ownLanes = 1;
  /// Contracted steps between two visits of workgroup memory.
  int64_t steps = 1;
  /// Pieces of the contracted steps whose sums are formed apart, and the steps of each, a multiple of kGpuChain.
  int64_t slices = 1, sliceSteps = 0;

  bool isTiled() const { return groupRows > 1; }
  int64_t invocations() const { return groupRows / ownRows * (groupLanes / ownLanes); }
};

/// Workgroups that fill a GPU: about as many as it has places for.
inline constexpr int64_t kGpuManyGroups = 128;

/// Slices of a sum of `steps` steps for `groups` workgroups, of which each visits its memory every `visit` steps, and
/// the steps of a slice: all, or a multiple of kGpuChain.
std::pair<int64_t, int64_t> chooseGpuSlices(int64_t steps, int64_t groups, int64_t visit);

GpuContractionTiling chooseGpuTiling(const Contraction &contraction, int64_t elementBytes, const core::GpuTarget &gpu);

/// Reads elements of one operand.
class ContractionOperand {
public:
  enum Side { Rows, Lanes };
  /// Where loops stand: what they add up to so far.
  struct Place {
    mlir::Value offset;
    llvm::SmallVector<mlir::Value, 3> window; // the coordinate along each checked axis
  };

  /// Elements of kind `narrow` come as `kind`.
  ContractionOperand(IndexEmitter &b, const Contraction &contraction, Side side, mlir::Value buffer,
                     ir::ScalarKind kind, std::optional<ir::ScalarKind> narrow)
      : b(b), contraction(contraction), side(side), buffer(buffer), kind(kind), narrow(narrow) {}

  Place start() const;
  /// The loops of a group at the row-major position `linear` over them.
  Place at(Place place, LoopGroup group, mlir::Value linear) const;
  /// The element at a place; zero where `exists` (null: always) does not hold or a checked axis has none there.
  mlir::Value load(const Place &place, mlir::Value exists = nullptr) const;

  /// Whether neighbouring contracted steps are neighbours in memory.
  bool isContiguousInSteps() const;

  /// Lets `load` bring a vector of 16 bytes, or four words where `asWords`: the elements from the place on along
  /// contracted steps where these are neighbours, else along its rows or lanes. All of them must exist or none, where
  /// one is asked for that begins at a multiple. The buffer, an argument of `func` that nothing else uses, becomes one
  /// of such vectors. Does nothing where elements do not lie like that.
  void moveAtOnce(mlir::func::FuncOp func, bool asWords);
  /// The elements that `load` brings, and their type together.
  int64_t elementsAtOnce() const { return atOnce; }
  mlir::Type unitType() const { return mlir::cast<mlir::MemRefType>(buffer.getType()).getElementType(); }

private:
  bool isWindowed() const { return (side == Rows) == contraction.lhsIsRows; }
  int64_t strideOf(const ContractionLoop &loop) const { return side == Rows ? loop.rowStride : loop.laneStride; }

  IndexEmitter &b;
  const Contraction &contraction;
  Side side;
  mlir::Value buffer;
  ir::ScalarKind kind;
  std::optional<ir::ScalarKind> narrow;
  int64_t atOnce = 1;
};

/// Emits sums of products over contracted steps.
class GpuContractionSums {
public:
  GpuContractionSums(IndexEmitter &b, const Contraction &contraction, const GpuContractionTiling &tiling,
                     const ContractionOperand &rows, const ContractionOperand &lanes, ir::ScalarKind kind)
      : b(b), contraction(contraction), tiling(tiling), rows(rows), lanes(lanes), kind(kind) {}

  /// The sum of one element over the steps [from, to).
  mlir::Value element(mlir::Value batch, mlir::Value row, mlir::Value lane, mlir::Value from, mlir::Value to);

  /// An element of an invocation of a tile; `exists` (null: always) says whether the result has it.
  struct Element {
    mlir::Value row, lane, sum, exists;
  };
  /// The sums of an invocation, whose workgroup computes the tile that begins at `row` and `lane`.
  llvm::SmallVector<Element> tile(mlir::Value invocation, mlir::Value batch, mlir::Value row, mlir::Value lane,
                                  mlir::Value from, mlir::Value to);

private:
  using Values = IndexEmitter::Values;

  mlir::Value zero();
  mlir::Value multiplyAdd(mlir::Value sum, mlir::Value x, mlir::Value y);
  // `count` chains of `step` steps a visit over [from, to), added up. `body` gets the sums and then what is `carried`
  // from visit to visit, and returns the next.
  Values chains(mlir::Value from, mlir::Value to, int64_t step, unsigned count, mlir::ValueRange carried,
                llvm::function_ref<Values(mlir::Value k, mlir::ValueRange before)> body);

  IndexEmitter &b;
  const Contraction &contraction;
  const GpuContractionTiling &tiling;
  const ContractionOperand &rows, &lanes;
  ir::ScalarKind kind;
};

} // namespace burn::compiler
