// Direct convolutions of many taps over few positions: gradients of kernels, whose taps are the places of the
// cotangent.
#include "passes/Codegen/ContractionStreams.h"
#include "passes/Codegen/DirectConvolution.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace burn::compiler {
namespace {

class KernelTask {
public:
  KernelTask(DirectEmitter &e, const DirectTiling &t, Value own)
      : e(e), b(e.b), conv(e.conv), t(t), vertical(conv.axes[0]), horizontal(conv.axes[1]),
        laneCount(conv.lanes().size), panelLanes(t.lanes(e.vectorLanes)),
        panels(llvm::divideCeil(laneCount, panelLanes)) {
    const auto whole = [](int64_t elements) { return int64_t(llvm::alignTo(elements, 16)); };
    box = own;
    sums = t.copiesImage ? b.add(own, whole(t.box.elements())) : own;
    const int64_t rows = t.taskPositions * horizontal.positions * (conv.isDepthwise ? 1 : t.taskBatch);
    places = b.add(sums, whole(rows * panelLanes * t.taskPanels));
    rowPitch = t.copiesImage ? t.box.columns * t.box.channels : vertical.imageStride;
    columnPitch = t.copiesImage ? t.box.channels : horizontal.imageStride;
  }

  void emit(Value task) {
    const int64_t panelBlocks = llvm::divideCeil(panels, t.taskPanels),
                  positionBlocks = llvm::divideCeil(vertical.positions, t.taskPositions),
                  batches = conv.isDepthwise ? 1 : conv.batch.size / t.taskBatch;
    Value panelBlock = b.rem(task, panelBlocks), rest = b.div(task, panelBlocks);
    firstPosition = b.mul(b.rem(rest, positionBlocks), t.taskPositions);
    positions = b.min(b.index(t.taskPositions), b.sub(b.index(vertical.positions), firstPosition));
    rest = b.div(rest, positionBlocks);
    firstOfBatch = b.mul(b.rem(rest, batches), t.taskBatch);
    group = conv.isDepthwise ? b.index(0) : b.div(rest, batches);
    const int64_t blockLanes = t.taskPanels * panelLanes, tail = laneCount % blockLanes;
    firstLane = b.mul(panelBlock, blockLanes);
    if (tail == 0 || panelBlocks == 1)
      return emitLanes(std::min(blockLanes, laneCount));
    b.either(
        b.compare(arith::CmpIPredicate::eq, panelBlock, b.index(panelBlocks - 1)), [&] { emitLanes(tail); },
        [&] { emitLanes(blockLanes); });
  }

private:
  /// Neighbours in the batch at positions side by side are one run of rows, where the image has them so.
  bool mergesRows() const {
    return t.taskBatch == conv.batch.size && horizontal.step == 1 && columnPitch == t.taskBatch;
  }

  void emitLanes(int64_t lanes) {
    const int64_t rows = t.taskPositions * horizontal.positions * (conv.isDepthwise ? 1 : t.taskBatch);
    const int64_t elements = rows * panelLanes * llvm::divideCeil(lanes, panelLanes);
    b.loop(b.index(0), b.index(elements), e.vectorLanes,
           [&](Value at) { vector::StoreOp::create(b, e.zero, e.scratch, b.add(sums, at)); });
    ImageBox copied = t.box;
    if (conv.isDepthwise)
      copied.channels = lanes;
    if (conv.isDepthwise && t.copiesImage) {
      rowPitch = copied.columns * copied.channels;
      columnPitch = copied.channels;
    }
    b.loop(b.index(0), b.index(conv.channels.size), 1, [&](Value channel) {
      b.loop(b.index(0), b.index(vertical.taps), t.blockTaps, [&](Value firstTap) {
        Value taps = b.min(b.index(t.blockTaps), b.sub(b.index(vertical.taps), firstTap));
        emitBlock(copied, channel, firstTap, taps, lanes);
      });
    });
    emitSweep(lanes);
  }

  /// Some rows of the cotangent of one image, for all sums.
  void emitBlock(const ImageBox &copied, Value channel, Value firstTap, Value taps, int64_t lanes) {
    Value from = b.mul(channel, conv.channels.image);
    from =
        conv.isDepthwise ? b.add(from, firstLane) : b.add(b.add(from, b.mul(group, conv.groups.image)), firstOfBatch);
    Value row = b.add(b.add(b.mul(firstTap, vertical.tapStep), b.mul(firstPosition, vertical.step)), vertical.offset);
    Value imageAt = box;
    if (t.copiesImage) {
      Value rows =
          b.add(b.add(b.mul(b.add(taps, -1), vertical.tapStep), b.mul(b.add(positions, -1), vertical.step)), 1);
      e.copyImage(copied, from, row, rows, horizontal.offset, box);
    } else {
      imageAt = b.add(b.add(from, b.mul(row, rowPitch)), horizontal.offset * columnPitch);
    }
    Value kernelAt = b.add(b.mul(channel, conv.channels.kernel), b.mul(firstTap, vertical.kernelStride));
    kernelAt = b.add(kernelAt, firstLane);
    if (!conv.isDepthwise)
      kernelAt = b.add(kernelAt, b.mul(group, conv.groups.kernel));
    if (t.packsKernel) {
      packPlaces(kernelAt, taps, lanes);
      kernelAt = places;
    }
    if (conv.isDepthwise)
      return emitDepthwise(imageAt, kernelAt, taps, lanes);
    const int64_t run = mergesRows() ? t.taskBatch * horizontal.positions : t.taskBatch;
    const auto atPosition = [&](Value v) {
      Value rowAt = b.add(imageAt, b.mul(v, vertical.step * rowPitch));
      Value rowSums = b.add(sums, b.mul(v, horizontal.positions * t.taskBatch * panelLanes));
      e.counted(mergesRows() ? 1 : horizontal.positions, {}, [&](Value h, ValueRange) -> IndexEmitter::Values {
        Value at = b.add(rowAt, b.mul(h, horizontal.step * columnPitch));
        Value sumsAt = b.add(rowSums, b.mul(h, t.taskBatch * panelLanes));
        e.pieces(run, t.tileRows, [&](Value first, int64_t rows) {
          emitTile(b.add(at, first), rows, kernelAt, b.add(sumsAt, b.mul(first, panelLanes)), taps, lanes);
        });
        return {};
      });
    };
    if (t.tilePositions > 1)
      atPosition(b.index(0));
    else
      b.loop(b.index(0), positions, 1, atPosition);
  }

  /// The lanes of the cotangent's rows, side by side.
  void packPlaces(Value from, Value taps, int64_t lanes) {
    b.loop(b.index(0), taps, 1, [&](Value v) {
      e.counted(horizontal.taps, {}, [&](Value h, ValueRange) -> IndexEmitter::Values {
        Value source = b.add(b.add(from, b.mul(v, vertical.kernelStride)), b.mul(h, horizontal.kernelStride));
        Value target = b.add(places, b.mul(b.add(b.mul(v, horizontal.taps), h), t.taskPanels * panelLanes));
        // Some of each row: no stream that a prefetcher would see.
        for (int64_t lane = 0; lane < lanes; lane += 64 / int64_t(e.kinds.rhs.width / 8))
          memref::PrefetchOp::create(b, e.kernel, ValueRange{b.add(source, t.blockTaps * vertical.kernelStride + lane)},
                                     /*isWrite=*/false, /*localityHint=*/2, /*isDataCache=*/true);
        for (int64_t lane = 0; lane < lanes; lane += e.vectorLanes)
          vector::StoreOp::create(b, e.load(e.kernel, b.add(source, lane), e.kernelWidening, e.maskOf(lanes - lane)),
                                  e.scratch, b.add(target, lane));
        return {};
      });
    });
  }

  /// `run` neighbours at tilePositions positions by `lanes` lanes.
  void emitTile(Value imageAt, int64_t run, Value kernelAt, Value sumsAt, Value taps, int64_t lanes) {
    const int64_t vectors = llvm::divideCeil(lanes, e.vectorLanes);
    Value pixels = t.copiesImage ? e.scratch : e.image;
    const int64_t kernelRow = t.packsKernel ? horizontal.taps * panelLanes : vertical.kernelStride,
                  kernelColumn = t.packsKernel ? panelLanes : horizontal.kernelStride;
    // Sums of positions are as far apart as a run of all neighbours is long.
    const int64_t rows = t.tilePositions * run, sumsRow = horizontal.positions * t.taskBatch * panelLanes;
    const auto sumAt = [&](int64_t row, int64_t i) {
      return b.add(sumsAt, row / run * sumsRow + row % run * panelLanes + i * e.vectorLanes);
    };
    IndexEmitter::Values tile;
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t i = 0; i < vectors; ++i)
        tile.push_back(e.loadScratch(sumAt(row, i)));
    const auto step = [&](Value imageFrom, Value kernelFrom, IndexEmitter::Values &next) {
      IndexEmitter::Values right;
      for (int64_t i = 0; i < vectors; ++i) {
        Value at = b.add(kernelFrom, i * e.vectorLanes);
        right.push_back(t.packsKernel ? e.loadScratch(at) : e.load(e.kernel, at, e.kernelWidening));
      }
      for (int64_t row = 0; row < rows; ++row) {
        Value left = e.splat(pixels, b.add(imageFrom, row / run * vertical.step * rowPitch + row % run));
        for (int64_t i = 0; i < vectors; ++i)
          next[row * vectors + i] = e.multiplyAdd(left, right[i], next[row * vectors + i]);
      }
    };
    int64_t unrolled = 4;
    while (unrolled > 1 && (horizontal.taps % unrolled != 0 || rows * vectors * unrolled > 100))
      --unrolled;
    tile = b.loop(b.index(0), taps, 1, tile, [&](Value v, ValueRange outer) -> IndexEmitter::Values {
      Value imageRow = b.add(imageAt, b.mul(v, vertical.tapStep * rowPitch)),
            kernelAtRow = b.add(kernelAt, b.mul(v, kernelRow));
      return b.loop(b.index(0), b.index(horizontal.taps), unrolled, outer, [&](Value h, ValueRange carried) {
        IndexEmitter::Values next(carried);
        Value imageFrom = b.add(imageRow, b.mul(h, horizontal.tapStep * columnPitch)),
              kernelFrom = b.add(kernelAtRow, b.mul(h, kernelColumn));
        for (int64_t i = 0; i < unrolled; ++i)
          step(b.add(imageFrom, i * horizontal.tapStep * columnPitch), b.add(kernelFrom, i * kernelColumn), next);
        return next;
      });
    });
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t i = 0; i < vectors; ++i)
        vector::StoreOp::create(b, tile[row * vectors + i], e.scratch, sumAt(row, i));
  }

  /// Positions of the window, or of a row of it, by lanes.
  void emitDepthwise(Value imageAt, Value kernelAt, Value taps, int64_t lanes) {
    const int64_t window = t.taskPositions * horizontal.positions;
    const bool whole = t.tileRows == window;
    const int64_t panelSums = window * panelLanes;
    const auto panel = [&](Value number, int64_t exist) {
      const int64_t vectors = llvm::divideCeil(exist, e.vectorLanes);
      Value tail = e.maskOf(exist - (vectors - 1) * e.vectorLanes);
      Value pixels = b.add(imageAt, b.mul(number, panelLanes)), ct = b.add(kernelAt, b.mul(number, panelLanes));
      Value panelAt = b.add(sums, b.mul(number, panelSums));
      e.counted(whole ? 1 : t.taskPositions, {}, [&](Value v, ValueRange) -> IndexEmitter::Values {
        Value first = b.add(pixels, b.mul(v, vertical.step * rowPitch));
        Value sumsAt = b.add(panelAt, b.mul(v, horizontal.positions * panelLanes));
        for (int64_t h = 0; h < (whole ? window : horizontal.positions); h += t.tileRows)
          depthwiseTile(first, h, ct, sumsAt, taps, vectors, tail);
        return {};
      });
    };
    e.pieces(lanes, panelLanes, [&](Value lane, int64_t exist) { panel(b.div(lane, panelLanes), exist); });
  }

  void depthwiseTile(Value imageAt, int64_t firstPlace, Value kernelAt, Value sumsAt, Value taps, int64_t vectors,
                     Value tail) {
    const int64_t window = t.taskPositions * horizontal.positions;
    const int64_t end = std::min(firstPlace + t.tileRows, t.tileRows == window ? window : horizontal.positions);
    IndexEmitter::Values tile;
    for (int64_t place = firstPlace; place < end; ++place)
      for (int64_t i = 0; i < vectors; ++i)
        tile.push_back(e.loadScratch(b.add(sumsAt, place * panelLanes + i * e.vectorLanes)));
    tile = b.loop(b.index(0), taps, 1, tile, [&](Value v, ValueRange outer) -> IndexEmitter::Values {
      Value imageRow = b.add(imageAt, b.mul(v, vertical.tapStep * rowPitch)),
            kernelRow = b.add(kernelAt, b.mul(v, horizontal.taps * t.taskPanels * panelLanes));
      return b.loop(b.index(0), b.index(horizontal.taps), 1, outer, [&](Value h, ValueRange carried) {
        IndexEmitter::Values next(carried);
        Value imageFrom = b.add(imageRow, b.mul(h, horizontal.tapStep * columnPitch)),
              kernelFrom = b.add(kernelRow, b.mul(h, t.taskPanels * panelLanes));
        for (int64_t i = 0; i < vectors; ++i) {
          const int64_t lane = i * e.vectorLanes;
          Value mask = i == vectors - 1 ? tail : Value();
          Value cotangent = e.loadScratch(b.add(kernelFrom, lane));
          for (int64_t place = firstPlace; place < end; ++place) {
            Value at = b.add(imageFrom, place / horizontal.positions * vertical.step * rowPitch +
                                            place % horizontal.positions * horizontal.step * columnPitch + lane);
            Value pixel = t.copiesImage ? e.loadScratch(at) : e.load(e.image, at, e.imageWidening, mask);
            Value &sum = next[(place - firstPlace) * vectors + i];
            sum = e.multiplyAdd(pixel, cotangent, sum);
          }
        }
        return next;
      });
    });
    for (int64_t place = firstPlace; place < end; ++place)
      for (int64_t i = 0; i < vectors; ++i)
        vector::StoreOp::create(b, tile[(place - firstPlace) * vectors + i], e.scratch,
                                b.add(sumsAt, place * panelLanes + i * e.vectorLanes));
  }

  void emitSweep(int64_t lanes) {
    const int64_t neighbours = conv.isDepthwise ? 1 : t.taskBatch;
    b.loop(b.index(0), positions, 1, [&](Value v) {
      e.counted(horizontal.positions, {}, [&](Value h, ValueRange) -> IndexEmitter::Values {
        e.counted(neighbours, {}, [&](Value i, ValueRange) -> IndexEmitter::Values {
          Value place = b.add(b.mul(v, horizontal.positions), h);
          Value row = conv.isDepthwise ? place : b.add(b.mul(place, t.taskBatch), i);
          const auto each = [&](Value panel, int64_t panelLaneCount) {
            Value at = b.add(sums, b.mul(row, panelLanes));
            at = b.add(at, b.mul(panel, t.taskPositions * horizontal.positions * neighbours * panelLanes));
            Value first = b.add(firstLane, b.mul(panel, panelLanes));
            e.pieces(panelLaneCount, e.vectorLanes, [&](Value lane, int64_t exist) {
              e.finish(e.loadScratch(b.add(at, lane)), group, b.add(firstOfBatch, i), b.add(firstPosition, v), h,
                       b.add(first, lane), exist);
            });
          };
          e.pieces(lanes, panelLanes, [&](Value lane, int64_t exist) { each(b.div(lane, panelLanes), exist); });
          return {};
        });
        return {};
      });
    });
  }

  DirectEmitter &e;
  IndexEmitter &b;
  const DirectConvolution &conv;
  const DirectTiling &t;
  const ConvolutionAxis &vertical, &horizontal;
  int64_t laneCount, panelLanes, panels, rowPitch, columnPitch;
  /// Places in scratch memory: the copy of the image, the sums, and the cotangent's rows.
  Value box, sums, places;
  Value firstPosition, positions, firstOfBatch, group, firstLane;
};

} // namespace

void emitKernelTask(DirectEmitter &e, const DirectTiling &tiling, Value task, Value own) {
  KernelTask(e, tiling, own).emit(task);
}

} // namespace burn::compiler
