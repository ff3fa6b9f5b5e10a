#include "passes/Codegen/DirectConvolution.h"

#include "passes/Codegen/ContractionOps.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace mlir;

namespace burn::compiler {
namespace {

/// Vectors of lanes that a tile has at most; with few registers a number that divides them where one does.
int64_t mostTileVectors(bool wide, int64_t vectors) { return wide ? 4 : vectors % 2 != 0 && vectors % 3 == 0 ? 3 : 2; }

llvm::ArrayRef<int64_t> shapeOf(Value value) { return cast<RankedTensorType>(value.getType()).getShape(); }

/// Residues of a dilated image beyond this many make too much code.
constexpr int64_t kMostParts = 16;
/// Windows above this are those of cotangents, which are as large as images.
constexpr int64_t kMostTaps = 256;

/// Whether the op is a product of matrices: one tap, nothing between pixels or around them.
bool isProduct(const DirectConvolution &conv) {
  return !conv.isDepthwise && llvm::all_of(conv.axes, [](const ConvolutionAxis &axis) {
    return axis.taps == 1 && axis.step == 1 && axis.offset == 0 && axis.dilation == 1 && axis.positions == axis.extent;
  });
}

/// Sizes of a machine that the choice of tiles weighs, in bytes.
struct Machine {
  int64_t registers, boxBytes, panelBytes;
};

Machine machineOf(const CpuTargetInfo &target) {
  return target.vectorRegisters >= 32 ? Machine{32, 384 << 10, 256 << 10} : Machine{16, 160 << 10, 80 << 10};
}

/// The largest divisor of `total` from `least` to `most`; `total` where there is none.
int64_t divisorBetween(int64_t total, int64_t least, int64_t most) {
  for (int64_t size = most; size >= least; --size)
    if (total % size == 0)
      return size;
  return total;
}

/// The share of taps that meet the image.
double shareOfTaps(const DirectConvolution &conv) {
  double share = 1;
  for (int axis : {0, 1}) {
    int64_t meeting = 0, all = 0;
    for (const AxisPart &part : conv.parts(axis))
      for (int64_t position = 0; position < part.positions; ++position)
        for (int64_t tap = 0; tap < part.taps; ++tap) {
          const int64_t at = part.offset + position * part.step + tap * part.tapStep;
          meeting += at >= 0 && at < conv.axes[axis].extent;
          ++all;
        }
    share *= all ? double(meeting) / double(all) : 1;
  }
  return share;
}

/// Lets tiles hold images where much of what they meet is padding, and images are so small that several of them, in
/// blocks of channels, stay in the second-level cache.
void tileBatch(DirectTiling &t, const DirectConvolution &conv, const ContractionKinds &kinds, int64_t vectors,
               int64_t mostVectors, const Machine &machine) {
  constexpr double most = 0.93;
  constexpr int64_t fewestChannels = 16;
  const int64_t bytes = kinds.sum.width / 8;
  if (conv.isDepthwise || conv.axes[0].tapStep != 1 || conv.axes[1].tapStep != 1 || shareOfTaps(conv) > most)
    return;
  const int64_t images = divisorBetween(conv.batch.size, 4, 12);
  if (images < 4 || images > 12)
    return;
  DirectTiling tiled = t;
  chooseDirectTile(tiled, images, vectors, machine.registers, mostVectors, 12);
  const int64_t taps = conv.axes[0].taps * conv.axes[1].taps, vectorBytes = machine.registers >= 32 ? 64 : 32;
  const int64_t channels = std::min(machine.boxBytes / (images * conv.axes[0].extent * conv.axes[1].extent * bytes),
                                    machine.panelBytes / (taps * tiled.tileVectors * vectorBytes));
  if (channels >= conv.channels.size)
    tiled.blockChannels = conv.channels.size;
  else if (channels < fewestChannels)
    return;
  else
    tiled.blockChannels = divisorBetween(conv.channels.size, fewestChannels, channels);
  if (tiled.blockChannels > std::max<int64_t>(channels, 1) && tiled.blockChannels != conv.channels.size)
    return;
  if (channels < conv.channels.size && tiled.blockChannels == conv.channels.size)
    return; // no divisor
  t = tiled;
  t.tilesBatch = true;
  t.taskBatch = images;
}

} // namespace

llvm::SmallVector<AxisPart> DirectConvolution::parts(int which) const {
  const ConvolutionAxis &axis = axes[which];
  if (axis.dilation == 1)
    return {{axis.positions, 0, 1, 0, 1, axis.taps, axis.offset, axis.step, axis.tapStep}};
  // Position q * dilation + residue meets, at tap k, element (q * dilation + residue + k + offset) / dilation.
  llvm::SmallVector<AxisPart> result;
  for (int64_t residue = 0; residue < std::min(axis.dilation, axis.positions); ++residue) {
    const int64_t behind = residue + axis.offset;
    const int64_t first = ((-behind) % axis.dilation + axis.dilation) % axis.dilation;
    const int64_t taps = std::max<int64_t>(0, llvm::divideCeilSigned(axis.taps - first, axis.dilation));
    result.push_back({int64_t(llvm::divideCeil(axis.positions - residue, axis.dilation)), residue, axis.dilation, first,
                      axis.dilation, taps, (behind + first) / axis.dilation, 1, 1});
  }
  return result;
}

ConvGeometry geometryOf(ir::ConvOp conv) {
  return {shapeOf(conv.getLhs()),
          shapeOf(conv.getRhs()),
          shapeOf(conv.getResult()),
          conv.getLhsDims(),
          conv.getRhsDims(),
          conv.getOutDims(),
          conv.getStrides(),
          conv.getPadLow(),
          conv.getLhsDilation(),
          conv.getRhsDilation(),
          static_cast<int64_t>(conv.getFeatureGroups()),
          static_cast<int64_t>(conv.getBatchGroups())};
}

std::optional<DirectConvolution> directConvolutionOf(Operation *op) {
  auto conv = dyn_cast<ir::ConvOp>(op);
  // Elements without arithmetic have no contraction.
  return conv && contractionOf(op) ? directConvolutionOf(geometryOf(conv)) : std::nullopt;
}

std::optional<DirectConvolution> directConvolutionOf(const ConvGeometry &conv) {
  const size_t spatial = conv.strides.size();
  const auto &lhs = conv.lhsShape, &rhs = conv.rhsShape, &out = conv.outShape;
  const auto isEmpty = [](llvm::ArrayRef<int64_t> shape) { return llvm::is_contained(shape, 0); };
  if (spatial < 1 || spatial > 2 || isEmpty(lhs) || isEmpty(rhs) || isEmpty(out))
    return std::nullopt;
  const auto lhsStrides = mlir::computeStrides(lhs), rhsStrides = mlir::computeStrides(rhs),
             outStrides = mlir::computeStrides(out);
  const auto &lhsDims = conv.lhsDims, &rhsDims = conv.rhsDims, &outDims = conv.outDims;
  const bool groupsFeatures = conv.featureGroups > 1;
  const int64_t groups = conv.featureGroups * conv.batchGroups;
  const int64_t inFeatures = rhs[rhsDims[1]], groupFeatures = out[outDims[1]] / groups, batch = out[outDims[0]];

  DirectConvolution d;
  d.batch = {batch, lhsStrides[lhsDims[0]], 0, outStrides[outDims[0]]};
  d.channels = {inFeatures, lhsStrides[lhsDims[1]], rhsStrides[rhsDims[1]], 0};
  d.features = {groupFeatures, 0, rhsStrides[rhsDims[0]], outStrides[outDims[1]]};
  d.groups = {groups, groupsFeatures ? inFeatures * d.channels.image : batch * d.batch.image,
              groupFeatures * d.features.kernel, groupFeatures * d.features.out};
  int64_t taps = 1, positions = 1;
  for (size_t i = 0; i < spatial; ++i) {
    ConvolutionAxis &axis = d.axes[2 - spatial + i];
    axis.extent = lhs[lhsDims[2 + i]];
    axis.imageStride = lhsStrides[lhsDims[2 + i]];
    axis.positions = out[outDims[2 + i]];
    axis.step = conv.strides[i];
    axis.outStride = outStrides[outDims[2 + i]];
    axis.taps = rhs[rhsDims[2 + i]];
    axis.tapStep = conv.rhsDilation[i];
    axis.kernelStride = rhsStrides[rhsDims[2 + i]];
    axis.dilation = axis.extent > 1 ? conv.lhsDilation[i] : 1;
    axis.offset = -conv.padLow[i];
    taps *= axis.taps;
    positions *= axis.positions;
    if (axis.dilation > 1 && (axis.step != 1 || axis.tapStep != 1))
      return std::nullopt;
  }
  const auto isUnit = [](int64_t size, int64_t stride) { return size == 1 || stride == 1; };
  d.isOfKernel = taps > positions;
  // A batch of one is no neighbour of anything, and channels must be neighbours in the image.
  d.isDepthwise = groups > 1 && groupFeatures == 1 && (d.isOfKernel ? batch : inFeatures) == 1;
  if (d.isDepthwise) {
    if (d.groups.image != 1 || d.groups.out != 1 || (d.isOfKernel && d.groups.kernel != 1))
      return std::nullopt;
  } else if (!isUnit(groupFeatures, d.features.out) || (groupFeatures == 1 && d.features.out != 1)) {
    return std::nullopt;
  } else if (d.isOfKernel ? !isUnit(batch, d.batch.image) || !isUnit(groupFeatures, d.features.kernel)
                          : !isUnit(inFeatures, d.channels.image)) {
    return std::nullopt;
  }
  // Few features leave most of a vector empty: pixels are better lanes then, where they are neighbours.
  if (!d.isDepthwise && groupFeatures < 4 && (d.isOfKernel || inFeatures < 8))
    return std::nullopt;
  const int64_t parts = d.axes[0].dilation * d.axes[1].dilation;
  if (d.isOfKernel ? parts > 1 : parts > kMostParts || taps > kMostTaps || isProduct(d))
    return std::nullopt;
  if (!d.isOfKernel && taps == 1 && parts == 1 && d.axes[0].offset == 0 && d.axes[1].offset == 0)
    return std::nullopt; // rows of a product that lie apart

  // The loops of the result in its memory order, as an epilogue walks them.
  const int64_t outFeature = outDims[1];
  const ContractionLoop group = {groups, 0, 0, d.groups.out, int(outFeature), groupFeatures};
  d.contraction.outElements = ShapedType::getNumElements(out);
  if (d.isDepthwise)
    d.contraction.lanes.push_back(group);
  else
    d.contraction.lanes.push_back({groupFeatures, 0, 0, d.features.out, int(outFeature), 1});
  if (groups > 1 && !d.isDepthwise)
    d.contraction.batch.push_back(group);
  for (int64_t dim = 0; dim < int64_t(out.size()); ++dim)
    if (dim != outFeature)
      d.contraction.rows.push_back({out[dim], 0, 0, outStrides[dim], int(dim), 1});
  // What the loops of rows walk.
  for (auto [i, loop] : llvm::enumerate(d.contraction.rows)) {
    if (loop.outDim == outDims[0])
      d.batchRow = i;
    for (size_t axis = 0; axis < spatial; ++axis)
      if (loop.outDim == outDims[2 + axis])
        d.axes[2 - spatial + axis].row = i;
  }
  return d;
}

void chooseDirectTile(DirectTiling &tiling, int64_t rows, int64_t vectors, int64_t registers, int64_t mostVectors,
                      int64_t mostRows) {
  tiling.tileVectors = llvm::divideCeil(vectors, llvm::divideCeil(vectors, mostVectors));
  const int64_t most = std::min(mostRows, (registers - 1 - tiling.tileVectors) / tiling.tileVectors);
  // An even split: 10 rows are twice 5 rather than 6 and 4.
  tiling.tileRows = llvm::divideCeil(rows, llvm::divideCeil(rows, most));
}

DirectTiling tileDirect(const DirectConvolution &conv, const ContractionKinds &kinds, const CpuTargetInfo &target,
                        const DirectChoice &choice) {
  const auto scaled = [](int64_t usual, int64_t power) { return power < 0 ? usual >> -power : usual << power; };
  Machine machine = machineOf(target);
  machine.boxBytes = scaled(machine.boxBytes, choice.image);
  machine.panelBytes = scaled(machine.panelBytes, choice.kernel);
  const int64_t bytes = kinds.sum.width / 8, vectorLanes = std::max<int64_t>(2, target.vectorBytes / bytes);
  const ConvolutionAxis &vertical = conv.axes[0], &horizontal = conv.axes[1];
  const int64_t lanes = conv.lanes().size, vectors = llvm::divideCeil(lanes, vectorLanes);
  const bool wide = machine.registers >= 32;
  const int64_t mostVectors = choice.vectors ? choice.vectors : mostTileVectors(wide, vectors);
  DirectTiling t;

  // The extent of the image that each axis reads, and whether some of it is missing.
  int64_t low[2], high[2], partPositions[2];
  for (int i : {0, 1}) {
    low[i] = 0, high[i] = 0, partPositions[i] = 0;
    for (auto [number, part] : llvm::enumerate(conv.parts(i))) {
      partPositions[i] = std::max(partPositions[i], part.positions);
      if (part.taps == 0)
        continue;
      low[i] = std::min(number == 0 ? part.offset : low[i], part.offset);
      high[i] = std::max(number == 0 ? part.last() : high[i], part.last());
    }
    t.copiesImage |= low[i] < 0 || high[i] >= conv.axes[i].extent;
  }
  t.copiesImage |= kinds.lhs != kinds.sum;
  t.box.columns = high[1] - low[1] + 1;

  if (conv.isOfKernel) {
    // Copied in long runs, as tiles do not read it.
    t.copiesImage |= conv.isDepthwise || conv.batch.size >= 16;
    const int64_t taps = horizontal.taps;
    t.blockTaps = std::clamp<int64_t>(128 / std::max<int64_t>(taps, 1), 1, vertical.taps);
    t.blockTaps = llvm::divideCeil(vertical.taps, llvm::divideCeil(vertical.taps, t.blockTaps));
    if (conv.isDepthwise) {
      // All positions of a row, or of the window, at once.
      const int64_t window = horizontal.positions * vertical.positions;
      t.tileRows = window <= machine.registers - 4 ? window : std::min(horizontal.positions, machine.registers - 4);
      t.tileVectors = std::clamp<int64_t>((machine.registers - 4) / t.tileRows, 1, std::min<int64_t>(vectors, 4));
      // Whole cache lines, and several of them: rows of images and cotangents are read in runs.
      constexpr int64_t taskLanes = 64;
      t.tileVectors = llvm::divideCeil(vectors, llvm::divideCeil(vectors, t.tileVectors));
      t.taskPanels = std::max<int64_t>(1, taskLanes / t.lanes(vectorLanes));
      t.packsKernel = true;
      t.taskBatch = 1;
      t.taskPositions = vertical.positions;
      t.box.channels = std::min(lanes, t.taskPanels * t.lanes(vectorLanes));
    } else {
      t.taskBatch = divisorBetween(conv.batch.size, 16, 64);
      const int64_t wanted = scaled(8, choice.tasks);
      // Fewer neighbours a task where all positions make too few tasks for threads.
      constexpr int64_t fewestNeighbours = 16;
      while (t.taskBatch % 2 == 0 && t.taskBatch / 2 >= fewestNeighbours &&
             conv.groups.size * (conv.batch.size / t.taskBatch) * vertical.positions *
                     int64_t(llvm::divideCeil(vectors, std::min(mostVectors, vectors))) <
                 wanted)
        t.taskBatch /= 2;
      // Neighbours in the batch and positions side by side are one run, where they lie so.
      const bool merges = t.taskBatch == conv.batch.size && horizontal.step == 1 &&
                          (t.copiesImage || horizontal.imageStride == t.taskBatch);
      const int64_t run = t.taskBatch * (merges ? horizontal.positions : 1);
      chooseDirectTile(t, run, vectors, machine.registers, mostVectors, wide ? 16 : 10);
      t.taskPanels = 1;
      // Positions of the vertical axis make tasks of their own where there would be few.
      const int64_t tasks =
          conv.groups.size * (conv.batch.size / t.taskBatch) * llvm::divideCeil(vectors, t.tileVectors);
      const int64_t pieces = std::clamp<int64_t>(llvm::divideCeil(wanted, tasks), 1, vertical.positions);
      t.taskPositions = llvm::divideCeil(vertical.positions, pieces);
      // Short runs leave registers for more.
      if (t.tileRows == run && run * vertical.positions * t.tileVectors + t.tileVectors < machine.registers)
        t.taskPositions = t.tilePositions = vertical.positions;
      t.box.channels = t.taskBatch;
      t.packsKernel = lanes > t.lanes(vectorLanes) || kinds.rhs != kinds.sum || lanes % vectorLanes != 0;
    }
    t.box.rows = (t.blockTaps - 1) * vertical.tapStep + (t.taskPositions - 1) * vertical.step + 1;
    return t;
  }

  if (conv.isDepthwise)
    chooseDirectTile(t, partPositions[1], vectors, machine.registers, 1, wide ? 12 : 8);
  else
    chooseDirectTile(t, partPositions[1], vectors, machine.registers, mostVectors, wide ? 24 : 12);
  tileBatch(t, conv, kinds, vectors, mostVectors, machine);
  const int64_t panels = llvm::divideCeil(vectors, t.tileVectors);
  // In the order in which tiles read it, which prefetchers foresee.
  t.packsKernel = true;
  // A part of the panel stays in the second-level cache while all positions of a task pass.
  const int64_t channelBytes = vertical.taps * horizontal.taps * t.lanes(vectorLanes) * bytes,
                blocked = std::max<int64_t>(1, machine.panelBytes / channelBytes);
  if (!t.tilesBatch)
    t.blockChannels = llvm::divideCeil(conv.channels.size, llvm::divideCeil(conv.channels.size, blocked));
  const int64_t wanted = scaled(16, choice.tasks);
  if (t.tilesBatch) {
    t.copiesImage = true;
    t.box = {vertical.extent, horizontal.extent, t.blockChannels};
    t.taskPositions = partPositions[0];
    t.taskPanels = panels;
    while (conv.groupCount() * (conv.batch.size / t.taskBatch) * int64_t(llvm::divideCeil(panels, t.taskPanels)) <
               wanted &&
           t.taskPanels > 1)
      t.taskPanels = llvm::divideCeil(t.taskPanels, 2);
    return t;
  }
  t.box.channels = conv.isDepthwise ? lanes : conv.channels.size;
  const int64_t rowBytes = t.box.columns * t.box.channels * bytes;
  const auto boxRows = [&](int64_t positions) {
    int64_t rows = 1;
    for (const AxisPart &part : conv.parts(0))
      rows = std::max(rows, part.offset - low[0] + (positions - 1) * part.step + (part.taps - 1) * part.tapStep + 1);
    return rows;
  };
  // As many rows as stay in the second-level cache, more than one image where these are small; a few tasks for threads.
  int64_t positions = partPositions[0];
  while (positions > 1 && boxRows(positions) * rowBytes > machine.boxBytes)
    positions = llvm::divideCeil(positions, 2);
  t.taskPositions = positions;
  t.taskPanels = panels;
  const auto blocks = [&] { return int64_t(llvm::divideCeil(partPositions[0], t.taskPositions)); };
  if (blocks() == 1)
    t.taskBatch = std::clamp<int64_t>(machine.boxBytes / (boxRows(positions) * rowBytes), 1,
                                      std::max<int64_t>(1, conv.batch.size * conv.groupCount() / wanted));
  t.taskBatch = divisorBetween(conv.batch.size, 1, std::min(t.taskBatch, conv.batch.size));
  const auto tasks = [&] {
    return conv.groupCount() * (conv.batch.size / t.taskBatch) * blocks() *
           int64_t(llvm::divideCeil(panels, t.taskPanels));
  };
  while (tasks() < wanted && t.taskPositions > 4)
    t.taskPositions = llvm::divideCeil(t.taskPositions, 2);
  while (tasks() < wanted && t.taskPanels > 1)
    t.taskPanels = llvm::divideCeil(t.taskPanels, 2);
  t.box.rows = boxRows(t.taskPositions);
  return t;
}

int64_t directTasks(const DirectConvolution &conv, const DirectTiling &tiling, int64_t vectorLanes) {
  const int64_t panels = llvm::divideCeil(conv.lanes().size, tiling.lanes(vectorLanes));
  int64_t positions = 0;
  for (const AxisPart &part : conv.parts(0))
    positions = std::max(positions, part.positions);
  return conv.groupCount() * llvm::divideCeil(conv.batch.size, tiling.taskBatch) *
         llvm::divideCeil(positions, tiling.taskPositions) * llvm::divideCeil(panels, tiling.taskPanels);
}

int64_t directPanelElements(const DirectConvolution &conv, const DirectTiling &tiling, int64_t lanes) {
  const int64_t parts = conv.axes[0].dilation * conv.axes[1].dilation, taps = conv.axes[0].taps * conv.axes[1].taps;
  const bool skips = parts > 1 || tiling.tilesBatch;
  return lanes * (conv.channels.size * taps + (skips ? taps + parts : 0));
}

int64_t vectorLanesOf(const ContractionKinds &kinds, const CpuTargetInfo &target) {
  return std::max<int64_t>(2, target.vectorBytes / (kinds.sum.width / 8));
}

int64_t DirectPanels::all(const DirectConvolution &conv) const {
  return conv.groupCount() * llvm::divideCeil(conv.lanes().size, lanes) * elements;
}

bool DirectPanels::fit(const DirectConvolution &conv) const {
  constexpr int64_t mostLanes = 1 << 10;
  if (lanes <= 0 || lanes > mostLanes || conv.isOfKernel)
    return false;
  DirectTiling tiling;
  const int64_t plain = directPanelElements(conv, tiling, lanes);
  tiling.tilesBatch = true;
  return elements == plain || elements == directPanelElements(conv, tiling, lanes);
}

std::optional<DirectPanels> directPanels(const DirectConvolution &conv, const ContractionKinds &kinds,
                                         const CpuTargetInfo &target) {
  const DirectTiling tiling = tileDirect(conv, kinds, target);
  if (!tiling.packsKernel || conv.isOfKernel)
    return std::nullopt;
  const int64_t lanes = tiling.lanes(vectorLanesOf(kinds, target));
  return DirectPanels{lanes, directPanelElements(conv, tiling, lanes)};
}

std::optional<DirectPanels> panelsOn(mlir::Operation *op) {
  auto attribute = op->getAttrOfType<mlir::DenseI64ArrayAttr>(panelsAttrName);
  if (!attribute || attribute.size() != 2)
    return std::nullopt;
  return DirectPanels{attribute[0], attribute[1]};
}

DirectScratch directScratch(const DirectConvolution &conv, const DirectTiling &tiling, int64_t vectorLanes) {
  DirectScratch scratch;
  const auto whole = [](int64_t elements) { return int64_t(llvm::alignTo(elements, 16)); };
  const int64_t lanes = tiling.lanes(vectorLanes), panels = llvm::divideCeil(conv.lanes().size, lanes);
  const ConvolutionAxis &horizontal = conv.axes[1];
  const int64_t images = conv.isOfKernel ? 1 : tiling.taskBatch;
  if (tiling.copiesImage)
    scratch.perGroup += whole(tiling.box.elements()) * images;
  if (conv.isOfKernel) {
    const int64_t rows = tiling.taskPositions * horizontal.positions * (conv.isDepthwise ? 1 : tiling.taskBatch);
    scratch.perGroup += whole(rows * lanes * tiling.taskPanels);
    if (tiling.packsKernel)
      scratch.perGroup += whole(tiling.blockTaps * horizontal.taps * lanes * tiling.taskPanels);
    return scratch;
  }
  if (tiling.packsKernel)
    scratch.shared = conv.groupCount() * panels * directPanelElements(conv, tiling, lanes);
  scratch.shared = whole(scratch.shared);
  // Sums of a tile, for long epilogues, or of all positions of a task, between blocks of channels.
  int64_t positions = 1;
  if (tiling.blockChannels < conv.channels.size) {
    for (const AxisPart &part : conv.parts(1))
      positions = std::max(positions, part.positions * tiling.taskPositions * tiling.taskBatch);
    // All parts wait while the next block of channels is copied.
    if (tiling.tilesBatch)
      positions *= int64_t(conv.parts(0).size() * conv.parts(1).size());
  }
  scratch.perGroup += whole(std::max(tiling.tileRows, positions) * lanes);
  return scratch;
}

} // namespace burn::compiler
