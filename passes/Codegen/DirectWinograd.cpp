// Convolutions of 3 x 3 windows by Winograd's F(4x4, 3x3): a tile of 4 x 4 results takes 36 products for each channel
// and feature in place of 144.
//
//   Y = A^T [ (G g G^T) * (B^T d B) ] A
//
// d is a tile of 6 x 6 pixels, g the window, * the product of matching elements, which is summed over channels: 36
// products of matrices, tiles by channels times channels by features. The points are 0, 1, -1, 2, -2 and infinity.
#include "passes/Codegen/ContractionStreams.h"
#include "passes/Codegen/DirectConvolution.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace burn::compiler {
namespace {

constexpr int64_t kOut = 4, kWindow = 3, kIn = kOut + kWindow - 1, kPlaces = kIn * kIn;

constexpr double kPixels[kIn][kIn] = {{4, 0, -5, 0, 1, 0},  {0, -4, -4, 1, 1, 0}, {0, 4, -4, -1, 1, 0},
                                      {0, -2, -1, 2, 1, 0}, {0, 2, -1, -2, 1, 0}, {0, 4, 0, -5, 0, 1}};
constexpr double kWeights[kIn][kWindow] = {{1.0 / 4, 0, 0},
                                           {-1.0 / 6, -1.0 / 6, -1.0 / 6},
                                           {-1.0 / 6, 1.0 / 6, -1.0 / 6},
                                           {1.0 / 24, 1.0 / 12, 1.0 / 6},
                                           {1.0 / 24, -1.0 / 12, 1.0 / 6},
                                           {0, 0, 1}};
constexpr double kResults[kOut][kIn] = {
    {1, 1, 1, 1, 1, 0}, {0, 1, -1, 2, -2, 0}, {0, 1, 1, 4, 4, 0}, {0, 1, -1, 8, -8, 1}};

int64_t tilesOf(const ConvolutionAxis &axis) { return llvm::divideCeil(axis.positions, kOut); }
int64_t mostTiles(const DirectConvolution &conv, const DirectTiling &t) {
  return t.taskBatch * t.taskPositions * tilesOf(conv.axes[1]);
}
int64_t wholeChannels(const DirectConvolution &conv, int64_t vectorLanes) {
  return llvm::alignTo(conv.channels.size, vectorLanes);
}
int64_t packedElements(const DirectConvolution &conv, int64_t lanes) {
  return llvm::alignTo(conv.channels.size * kWindow * kWindow * lanes, 16);
}
int64_t transformedElements(const DirectConvolution &conv, int64_t lanes) {
  return llvm::alignTo(conv.channels.size * kPlaces * lanes, 16);
}
int64_t whole(int64_t elements) { return llvm::alignTo(elements, 16); }

/// matrix times a square or oblong block of vectors, along its first index.
template <size_t rows, size_t columns>
DirectEmitter::Values times(DirectEmitter &e, const double (&matrix)[rows][columns], ValueRange column) {
  IndexEmitter &b = e.b;
  DirectEmitter::Values results;
  for (const auto &row : matrix) {
    Value sum;
    for (size_t i = 0; i < columns; ++i) {
      if (row[i] == 0)
        continue;
      Value factor = arith::ConstantOp::create(
          b, e.vectorType,
          DenseElementsAttr::get(e.vectorType, Attribute(b.getFloatAttr(e.vectorType.getElementType(), row[i]))));
      if (!sum)
        sum = row[i] == 1 ? column[i] : arith::MulFOp::create(b, column[i], factor).getResult();
      else if (row[i] == 1)
        sum = arith::AddFOp::create(b, sum, column[i]);
      else if (row[i] == -1)
        sum = arith::SubFOp::create(b, sum, column[i]);
      else
        sum = e.multiplyAdd(column[i], factor, sum);
    }
    results.push_back(sum);
  }
  return results;
}

/// matrix * block * matrix^T; the block and the result are in row-major order.
template <size_t rows, size_t columns>
DirectEmitter::Values around(DirectEmitter &e, const double (&matrix)[rows][columns], ValueRange block) {
  DirectEmitter::Values half(rows * columns), result(rows * rows);
  for (size_t column = 0; column < columns; ++column) {
    DirectEmitter::Values values;
    for (size_t row = 0; row < columns; ++row)
      values.push_back(block[row * columns + column]);
    for (auto [row, value] : llvm::enumerate(times(e, matrix, values)))
      half[row * columns + column] = value;
  }
  for (size_t row = 0; row < rows; ++row)
    for (auto [column, value] : llvm::enumerate(times(e, matrix, ValueRange(half).slice(row * columns, columns))))
      result[row * rows + column] = value;
  return result;
}

class WinogradTask {
public:
  WinogradTask(DirectEmitter &e, const DirectTiling &t, Value own)
      : e(e), b(e.b), conv(e.conv), t(t), vertical(conv.axes[0]), horizontal(conv.axes[1]),
        laneCount(conv.features.size), panelLanes(t.lanes(e.vectorLanes)),
        panels(llvm::divideCeil(laneCount, panelLanes)), channels(wholeChannels(conv, e.vectorLanes)),
        columns(tilesOf(horizontal)), tiles(mostTiles(conv, t)) {
    box = own;
    pixels = b.add(box, whole(t.box.elements()));
    sums = b.add(pixels, whole(kPlaces * tiles * channels));
    results = b.add(sums, whole(kPlaces * tiles * panelLanes));
  }

  void emit(Value task) {
    const int64_t blocks = llvm::divideCeil(tilesOf(vertical), t.taskPositions);
    firstRow = b.mul(b.rem(task, blocks), t.taskPositions);
    rows = b.min(b.index(t.taskPositions), b.sub(b.index(tilesOf(vertical)), firstRow));
    firstImage = b.mul(b.div(task, blocks), t.taskBatch);
    b.loop(b.index(0), b.index(t.taskBatch), 1, [&](Value i) { transformImage(i); });
    const int64_t wholePanels = laneCount / panelLanes;
    if (wholePanels > 0)
      b.loop(b.index(0), b.index(wholePanels), 1, [&](Value panel) { emitPanel(panel, panelLanes); });
    if (wholePanels < panels)
      emitPanel(b.index(wholePanels), laneCount - wholePanels * panelLanes);
  }

private:
  Value tileOf(Value image, Value row, Value column) {
    return b.add(b.mul(b.add(b.mul(image, t.taskPositions), row), columns), column);
  }
  void forEachTile(llvm::function_ref<void(Value, Value)> body) {
    b.loop(b.index(0), rows, 1,
           [&](Value row) { b.loop(b.index(0), b.index(columns), 1, [&](Value column) { body(row, column); }); });
  }

  void transformImage(Value i) {
    Value from = b.mul(b.add(firstImage, i), conv.batch.image);
    e.copyImage(t.box, from, b.add(b.mul(firstRow, kOut), vertical.offset), b.index(t.box.rows), horizontal.offset,
                box);
    forEachTile([&](Value row, Value column) {
      Value at = b.add(box, b.mul(row, kOut * t.box.columns * t.box.channels));
      at = b.add(at, b.mul(column, kOut * t.box.channels));
      Value to = b.add(pixels, b.mul(tileOf(i, row, column), channels));
      // Lanes beyond the last channel read what follows, and nothing reads what becomes of it.
      b.loop(b.index(0), b.index(conv.channels.size), e.vectorLanes, [&](Value channel) {
        IndexEmitter::Values block;
        for (int64_t place = 0; place < kPlaces; ++place)
          block.push_back(
              e.loadScratch(b.add(b.add(at, channel), (place / kIn * t.box.columns + place % kIn) * t.box.channels)));
        for (auto [place, value] : llvm::enumerate(around(e, kPixels, block)))
          vector::StoreOp::create(b, value, e.scratch, b.add(b.add(to, channel), place * tiles * channels));
      });
    });
  }

  void emitPanel(Value panel, int64_t lanes) {
    const int64_t vectors = llvm::divideCeil(lanes, e.vectorLanes);
    Value kernelAt = b.mul(panel, packedElements(conv, panelLanes) + transformedElements(conv, panelLanes));
    kernelAt = b.add(kernelAt, packedElements(conv, panelLanes));
    b.loop(b.index(0), b.index(kPlaces), 1, [&](Value place) {
      Value left = b.add(pixels, b.mul(place, tiles * channels)),
            right = b.add(kernelAt, b.mul(place, conv.channels.size * panelLanes)),
            to = b.add(sums, b.mul(place, tiles * panelLanes));
      e.pieces(tiles, t.tileRows, [&](Value tile, int64_t count) {
        multiply(b.add(left, b.mul(tile, channels)), right, b.add(to, b.mul(tile, panelLanes)), count, vectors);
      });
    });
    Value lane = b.mul(panel, panelLanes);
    b.loop(b.index(0), b.index(t.taskBatch), 1, [&](Value i) {
      forEachTile([&](Value row, Value column) {
        Value at = b.add(sums, b.mul(tileOf(i, row, column), panelLanes));
        e.pieces(lanes, e.vectorLanes, [&](Value from, int64_t exist) {
          finishTile(b.add(at, from), b.add(firstImage, i), b.add(firstRow, row), column, b.add(lane, from), exist);
        });
      });
    });
  }

  /// `count` tiles by the panel's lanes, at one place of the 36.
  void multiply(Value left, Value right, Value to, int64_t count, int64_t vectors) {
    const IndexEmitter::Values zeros(count * vectors, e.zero);
    const auto products =
        b.loop(b.index(0), b.index(conv.channels.size), 1, zeros, [&](Value channel, ValueRange carried) {
          IndexEmitter::Values next(carried), weights;
          Value kernelFrom = b.add(right, b.mul(channel, panelLanes)), pixelFrom = b.add(left, channel);
          for (int64_t i = 0; i < vectors; ++i)
            weights.push_back(e.loadScratch(b.add(kernelFrom, i * e.vectorLanes)));
          for (int64_t tile = 0; tile < count; ++tile) {
            Value pixel = e.splat(e.scratch, b.add(pixelFrom, tile * channels));
            for (int64_t i = 0; i < vectors; ++i)
              next[tile * vectors + i] = e.multiplyAdd(pixel, weights[i], next[tile * vectors + i]);
          }
          return next;
        });
    for (int64_t tile = 0; tile < count; ++tile)
      for (int64_t i = 0; i < vectors; ++i)
        vector::StoreOp::create(b, products[tile * vectors + i], e.scratch,
                                b.add(to, tile * panelLanes + i * e.vectorLanes));
  }

  /// The 4 x 4 results of a tile, as far as they exist.
  void finishTile(Value at, Value image, Value tileRow, Value tileColumn, Value lane, int64_t exist) {
    IndexEmitter::Values block;
    for (int64_t place = 0; place < kPlaces; ++place)
      block.push_back(e.loadScratch(b.add(at, place * tiles * panelLanes)));
    for (auto [place, value] : llvm::enumerate(around(e, kResults, block)))
      vector::StoreOp::create(b, value, e.scratch, b.add(results, place * e.vectorLanes));
    Value y = b.mul(tileRow, kOut), x = b.mul(tileColumn, kOut);
    b.loop(b.index(0), b.min(b.index(kOut), b.sub(b.index(vertical.positions), y)), 1, [&](Value i) {
      b.loop(b.index(0), b.min(b.index(kOut), b.sub(b.index(horizontal.positions), x)), 1, [&](Value j) {
        Value value = e.loadScratch(b.add(results, b.mul(b.add(b.mul(i, kOut), j), e.vectorLanes)));
        e.finish(value, b.index(0), image, b.add(y, i), b.add(x, j), lane, exist);
      });
    });
  }

  DirectEmitter &e;
  IndexEmitter &b;
  const DirectConvolution &conv;
  const DirectTiling &t;
  const ConvolutionAxis &vertical, &horizontal;
  int64_t laneCount, panelLanes, panels, channels, columns, tiles;
  /// Places in scratch memory: the copy of an image; transformed pixels, [place][tile][channel]; their products,
  /// [place][tile][lane]; the results of a tile.
  Value box, pixels, sums, results;
  Value firstRow, rows, firstImage;
};

} // namespace

bool winogradPays(const DirectConvolution &conv, const ContractionKinds &kinds) {
  if (conv.isDepthwise || conv.isOfKernel || conv.groups.size != 1 || !kinds.sum.isFloat() || kinds.sum.width != 32)
    return false;
  for (const ConvolutionAxis &axis : conv.axes)
    if (axis.taps != kWindow || axis.step != 1 || axis.tapStep != 1 || axis.dilation != 1)
      return false;
  const double channels = double(conv.channels.size), features = double(conv.features.size),
               tiles = double(tilesOf(conv.axes[0]) * tilesOf(conv.axes[1])),
               positions = double(conv.axes[0].positions * conv.axes[1].positions);
  // Operations of the transforms of a channel and of a feature, with the memory that they go through.
  constexpr double transform = 400;
  return conv.channels.size >= 16 && conv.features.size >= 16 &&
         tiles * (kPlaces * channels * features + transform * (channels + features)) <
             0.7 * positions * kWindow * kWindow * channels * features;
}

DirectTiling tileWinograd(const DirectConvolution &conv, const ContractionKinds &kinds, const CpuTargetInfo &target) {
  const int64_t bytes = kinds.sum.width / 8, vectorLanes = std::max<int64_t>(2, target.vectorBytes / bytes);
  const bool wide = target.vectorRegisters >= 32;
  const int64_t rows = tilesOf(conv.axes[0]), columns = tilesOf(conv.axes[1]);
  // So many tiles use a panel of the kernel before the next comes, and their pixels stay in the second-level cache.
  const int64_t pixelBytes = wide ? 1 << 20 : 384 << 10;
  const int64_t most = std::clamp<int64_t>(pixelBytes / (kPlaces * wholeChannels(conv, vectorLanes) * bytes), 12, 64);
  DirectTiling t;
  t.taskPositions = std::clamp<int64_t>(most / columns, 1, rows);
  t.taskPositions = llvm::divideCeil(rows, llvm::divideCeil(rows, t.taskPositions));
  if (t.taskPositions == rows)
    for (int64_t images = std::min(conv.batch.size, std::max<int64_t>(1, most / (rows * columns))); images > 1;
         --images)
      if (conv.batch.size % images == 0) {
        t.taskBatch = images;
        break;
      }
  chooseDirectTile(t, mostTiles(conv, t), llvm::divideCeil(conv.features.size, vectorLanes), target.vectorRegisters,
                   wide ? 4 : 2, wide ? 16 : 10);
  t.taskPanels = llvm::divideCeil(conv.features.size, t.lanes(vectorLanes));
  t.copiesImage = t.packsKernel = true;
  t.box = {t.taskPositions * kOut + kIn - kOut, columns * kOut + kIn - kOut, conv.channels.size};
  return t;
}

int64_t winogradTasks(const DirectConvolution &conv, const DirectTiling &t) {
  return conv.batch.size / t.taskBatch * llvm::divideCeil(tilesOf(conv.axes[0]), t.taskPositions);
}

DirectScratch winogradScratch(const DirectConvolution &conv, const DirectTiling &t, int64_t vectorLanes) {
  const int64_t lanes = t.lanes(vectorLanes), tiles = mostTiles(conv, t);
  DirectScratch scratch;
  scratch.shared = t.taskPanels * (packedElements(conv, lanes) + transformedElements(conv, lanes));
  scratch.perGroup = whole(t.box.elements()) + whole(kPlaces * tiles * wholeChannels(conv, vectorLanes)) +
                     whole(kPlaces * tiles * lanes) + kOut * kOut * vectorLanes;
  return scratch;
}

void emitWinogradPanel(DirectEmitter &e, const DirectTiling &t, Value panel) {
  IndexEmitter &b = e.b;
  const DirectConvolution &conv = e.conv;
  const int64_t lanes = t.lanes(e.vectorLanes);
  const int64_t elements = packedElements(conv, lanes);
  Value packed = b.mul(panel, elements + transformedElements(conv, lanes));
  emitPackedPanel(e, t, panel, packed);
  Value transformed = b.add(packed, elements);
  b.loop(b.index(0), b.index(conv.channels.size), 1, [&](Value channel) {
    b.loop(b.index(0), b.index(lanes), e.vectorLanes, [&](Value lane) {
      Value from = b.add(b.add(packed, b.mul(channel, kWindow * kWindow * lanes)), lane),
            to = b.add(b.add(transformed, b.mul(channel, lanes)), lane);
      IndexEmitter::Values window;
      for (int64_t tap = 0; tap < kWindow * kWindow; ++tap)
        window.push_back(e.loadScratch(b.add(from, tap * lanes)));
      for (auto [place, value] : llvm::enumerate(around(e, kWeights, window)))
        vector::StoreOp::create(b, value, e.scratch, b.add(to, place * conv.channels.size * lanes));
    });
  });
}

void emitWinogradTask(DirectEmitter &e, const DirectTiling &tiling, Value task, Value own) {
  WinogradTask(e, tiling, own).emit(task);
}

} // namespace burn::compiler
