// Convolutions whose channels are neighbours in memory, computed without panels of pixels: kernels read the image where
// it stands, or a copy of the part at hand with zeros around it.
#pragma once

#include "passes/Codegen/Contraction.h"
#include "passes/Codegen/ContractionEpilogues.h"
#include "passes/Codegen/ContractionStreams.h"
#include "passes/Codegen/IndexEmitter.h"
#include "passes/Codegen/Kernel.h"

#include <array>

namespace burn::compiler {

/// One spatial axis of a direct convolution. Its coordinate in the image is
/// offset + position * step + tap * tapStep, divided by dilation where the image has gaps.
struct ConvolutionAxis {
  int64_t extent = 1, imageStride = 0;
  int64_t positions = 1, step = 1, outStride = 0;
  int64_t taps = 1, tapStep = 1, kernelStride = 0;
  int64_t dilation = 1, offset = 0;
  /// The loop of the contraction's rows that walks the positions; -1 where the axis is not one of the op.
  int row = -1;
};

/// A loop that is no axis: its size, and what a step means to each tensor in elements.
struct ConvolutionLoop {
  int64_t size = 1, image = 0, kernel = 0, out = 0;
};

/// The positions of an axis that meet the same taps: all, unless the image has gaps.
struct AxisPart {
  int64_t positions, outFirst, outStep;
  /// Taps firstTap + i * tapStride, i below `taps`.
  int64_t firstTap, tapStride, taps;
  /// Coordinate of the first position at the first tap, and what steps add.
  int64_t offset, step, tapStep;

  int64_t last() const { return offset + (positions - 1) * step + (taps - 1) * tapStep; }
};

/// A burn.conv that a direct kernel computes. Its sums run over channels, then taps in row-major order, as those of
/// every other kernel of the op do.
///
/// There are two kinds. Where few taps move over many positions, a register tile is made of neighbouring positions by
/// output features. Where many taps move over few positions, as in gradients of kernels, whose "taps" are the places of
/// the cotangent, a tile is made of neighbours in the batch, which are channels then, by output features.
struct DirectConvolution {
  /// Vertical and horizontal; an op of one spatial dimension has the latter.
  std::array<ConvolutionAxis, 2> axes;
  ConvolutionLoop groups, batch, channels, features;
  /// Vectors run along groups of one channel and one feature each.
  bool isDepthwise = false;
  /// Many taps over few positions.
  bool isOfKernel = false;
  /// Batch, rows and lanes as an epilogue knows them; of depthwise ones the groups are the lanes.
  Contraction contraction;
  /// The loop of the contraction's rows that walks the batch.
  int batchRow = -1;

  /// What vectors run along.
  const ConvolutionLoop &lanes() const { return isDepthwise ? groups : features; }
  /// Groups that are computed one by one.
  int64_t groupCount() const { return isDepthwise ? 1 : groups.size; }
  llvm::SmallVector<AxisPart> parts(int axis) const;
};

/// The direct convolution that computes the op, or nullopt where another kernel does: for tensors whose channels are
/// not last, products in disguise, and elements of which several are multiplied at once.
std::optional<DirectConvolution> directConvolutionOf(mlir::Operation *op);
/// The same of an op that need not exist, of elements that can be multiplied.
std::optional<DirectConvolution> directConvolutionOf(const ConvGeometry &geometry);
/// Shapes and attributes of an op; they live as long as it does.
ConvGeometry geometryOf(ir::ConvOp conv);

/// A part of the image in scratch memory, zeros around it included: rows of pixels of `channels` elements each.
struct ImageBox {
  int64_t rows, columns, channels;
  int64_t elements() const { return rows * columns * channels; }
  friend bool operator==(const ImageBox &, const ImageBox &) = default;
};

/// What kernels of direct convolutions share while they are emitted.
struct DirectEmitter {
  IndexEmitter &b;
  const DirectConvolution &conv;
  ContractionKinds kinds;
  int64_t vectorLanes;
  mlir::Value image, kernel, scratch;
  /// Where the packed kernel lies: in scratch memory, unless it was packed before.
  mlir::Value panels;
  ClusterEpilogue *epilogue = nullptr;
  /// Whether sums go through scratch memory, so that a long epilogue is emitted once.
  bool sweeps = false;
  std::optional<Widening> imageWidening, kernelWidening;
  mlir::VectorType vectorType;
  mlir::Value zero;

  DirectEmitter(IndexEmitter &b, const DirectConvolution &conv, const ContractionKinds &kinds, int64_t vectorLanes,
                mlir::Value image, mlir::Value kernel, mlir::Value scratch);

  using Values = IndexEmitter::Values;
  mlir::Value multiplyAdd(mlir::Value x, mlir::Value y, mlir::Value sum);
  /// A loop, or its body alone where it runs once.
  Values counted(int64_t size, mlir::ValueRange init, llvm::function_ref<Values(mlir::Value, mlir::ValueRange)> body);
  /// The body over whole pieces of [0, total), and over the shorter one at the end.
  void pieces(int64_t total, int64_t size, llvm::function_ref<void(mlir::Value, int64_t)> body);
  /// null where all lanes of a vector exist.
  mlir::Value maskOf(int64_t lanes);
  mlir::Value load(mlir::Value memref, mlir::Value at, const std::optional<Widening> &widening,
                   mlir::Value mask = nullptr);
  mlir::Value loadScratch(mlir::Value at);
  /// The same of the packed kernel.
  mlir::Value loadPanel(mlir::Value at);
  /// A scalar of the image, or of a copy of it, in all lanes.
  mlir::Value splat(mlir::Value memref, mlir::Value at);

  /// Copies `rows` rows of the box from image row `row` on; `from` is the element at coordinates 0 of the first channel
  /// of the box, `column` the coordinate of its first column.
  void copyImage(const ImageBox &box, mlir::Value from, mlir::Value row, mlir::Value rows, int64_t column,
                 mlir::Value to);

  /// Asks for the memory that a vector will need, which may lie beyond the result.
  void announce(mlir::Value group, mlir::Value batch, mlir::Value vertical, mlir::Value horizontal, mlir::Value lane);
  /// Hands a vector of `lanes` existing lanes to the epilogue.
  void finish(mlir::Value value, mlir::Value group, mlir::Value batch, mlir::Value vertical, mlir::Value horizontal,
              mlir::Value lane, int64_t lanes);

private:
  OutputVector vectorAt(mlir::Value group, mlir::Value batch, mlir::Value vertical, mlir::Value horizontal,
                        mlir::Value lane);
};

/// How a direct convolution is cut into tasks, and what scratch memory these need.
struct DirectTiling {
  /// Register tile: positions (or neighbours of the batch) by vectors.
  int64_t tileRows = 1, tileVectors = 1;
  /// Positions of the vertical axis, images, and panels of lanes of one task; or, of kernels, neighbours in the batch.
  int64_t taskPositions = 1, taskBatch = 1, taskPanels = 1;
  /// Rows of the cotangent between two visits of a sum, of kernels; else channels.
  int64_t blockTaps = 1, blockChannels = 1;
  /// Register tiles hold one position of several images in place of neighbours: all of them then meet the same taps,
  /// and those in the padding are left out. Blocks of channels divide them, and whole images are copied.
  bool tilesBatch = false;
  /// Positions of the vertical axis in one register tile, of kernels.
  int64_t tilePositions = 1;
  bool copiesImage = false, packsKernel = false;
  ImageBox box{1, 1, 1};

  int64_t lanes(int64_t vectorLanes) const { return tileVectors * vectorLanes; }
  friend bool operator==(const DirectTiling &, const DirectTiling &) = default;
};

/// What the choice of a DirectTiling weighs, as far as it may be chosen otherwise: speed follows from it, and no bit.
struct DirectChoice {
  /// Vectors of a register tile at most; 0: the usual number.
  int64_t vectors = 0;
  /// Tasks that there should be, and the bytes that stay in the second-level cache, of images and of kernels: the usual
  /// ones times a power of two.
  int64_t tasks = 0, image = 0, kernel = 0;

  friend bool operator==(const DirectChoice &, const DirectChoice &) = default;
};

/// Elements of scratch memory in front, shared by all tasks, and of each group of tasks.
struct DirectScratch {
  int64_t shared = 0, perGroup = 0;
};

/// Lanes of a vector of sums.
int64_t vectorLanesOf(const ContractionKinds &kinds, const CpuTargetInfo &target);
DirectTiling tileDirect(const DirectConvolution &conv, const ContractionKinds &kinds, const CpuTargetInfo &target,
                        const DirectChoice &choice = {});
int64_t directTasks(const DirectConvolution &conv, const DirectTiling &tiling, int64_t vectorLanes);
/// Elements of a packed panel: its steps, then what each tap adds where it meets nothing, and what the gaps of each
/// part add (0, or NaN).
int64_t directPanelElements(const DirectConvolution &conv, const DirectTiling &tiling, int64_t lanes);
DirectScratch directScratch(const DirectConvolution &conv, const DirectTiling &tiling, int64_t vectorLanes);

/// The panels of a kernel that is packed before the convolution runs, as an attribute of the op: lanes of a panel, and
/// its elements (directPanelElements).
inline constexpr llvm::StringLiteral panelsAttrName = "burn.panels";
struct DirectPanels {
  int64_t lanes = 1, elements = 1;
  /// Elements of the panels of all groups.
  int64_t all(const DirectConvolution &conv) const;
  /// Whether a kernel of the convolution may read such panels.
  bool fit(const DirectConvolution &conv) const;
  friend bool operator==(const DirectPanels &, const DirectPanels &) = default;
};

/// The panels from which the convolution reads its kernel; nullopt where it reads the kernel as it is, or packs parts
/// of it as it goes.
std::optional<DirectPanels> directPanels(const DirectConvolution &conv, const ContractionKinds &kinds,
                                         const CpuTargetInfo &target);

/// The panels that stand on an op; nullopt where none do.
std::optional<DirectPanels> panelsOn(mlir::Operation *op);

/// Picks a register tile of up to `mostRows` by `mostVectors` that its sums fill, and divides rows and vectors evenly.
void chooseDirectTile(DirectTiling &tiling, int64_t rows, int64_t vectors, int64_t registers, int64_t mostVectors,
                      int64_t mostRows);

/// Packs the steps of one panel of the kernel, of those of all groups, to a place in scratch memory.
void emitPackedPanel(DirectEmitter &e, const DirectTiling &tiling, mlir::Value panel, mlir::Value to);
/// The same for emitPositionsTask, with what it wants to know of the steps.
void emitKernelPanels(DirectEmitter &e, const DirectTiling &tiling, mlir::Value panel);
/// A task of either kind; `own` is where its own scratch memory begins.
void emitPositionsTask(DirectEmitter &e, const DirectTiling &tiling, mlir::Value task, mlir::Value own);
void emitKernelTask(DirectEmitter &e, const DirectTiling &tiling, mlir::Value task, mlir::Value own);

/// Name of the attribute of convolutions that are computed from sums over tiles of transformed pixels (Winograd's
/// F(4x4, 3x3)): under fast math, since the sums are others than those of the op.
inline constexpr llvm::StringLiteral winogradAttrName = "burn.winograd";

/// Whether that takes fewer operations: windows of 3 x 3 that move in steps of 1 over enough channels.
bool winogradPays(const DirectConvolution &conv, const ContractionKinds &kinds);

DirectTiling tileWinograd(const DirectConvolution &conv, const ContractionKinds &kinds, const CpuTargetInfo &target);
int64_t winogradTasks(const DirectConvolution &conv, const DirectTiling &tiling);
DirectScratch winogradScratch(const DirectConvolution &conv, const DirectTiling &tiling, int64_t vectorLanes);
/// Transforms a panel that emitKernelPanels has packed.
void emitWinogradPanel(DirectEmitter &e, const DirectTiling &tiling, mlir::Value panel);
void emitWinogradTask(DirectEmitter &e, const DirectTiling &tiling, mlir::Value task, mlir::Value own);

/// Name of the attribute that holds the choice of an op whose tiling is not the usual one.
inline constexpr llvm::StringLiteral directAttrName = "burn.direct";

mlir::DictionaryAttr toAttribute(mlir::MLIRContext *context, const DirectChoice &choice);
/// A choice from its attribute; nullopt for a malformed one.
std::optional<DirectChoice> readDirectChoice(mlir::Attribute attribute);

/// The usual choice and others, each of another tiling, at most `most`; 0 for all.
llvm::SmallVector<DirectChoice> directCandidates(const DirectConvolution &conv, const ContractionKinds &kinds,
                                                 const CpuTargetInfo &target, size_t most);

/// A kernel whose root is a direct convolution.
mlir::FailureOr<KernelCode> buildDirectConvolution(mlir::OpBuilder &atModule, ir::FusedOp fused, mlir::Operation *root,
                                                   const DirectConvolution &conv, llvm::StringRef name,
                                                   const CpuTargetInfo &target);

} // namespace burn::compiler
