// Direct convolutions of few taps over many positions: layers, and gradients of their images.
#include "passes/Codegen/ContractionStreams.h"
#include "passes/Codegen/DirectConvolution.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace burn::compiler {
namespace {

/// Multiply-adds of one row of a depthwise window that are written out, and twice those of a window.
constexpr int64_t kMostUnrolled = 320;

/// Whether the image has gaps.
bool isDilated(const DirectConvolution &conv) { return conv.axes[0].dilation * conv.axes[1].dilation > 1; }

class PositionsTask {
public:
  PositionsTask(DirectEmitter &e, const DirectTiling &t, Value own)
      : e(e), b(e.b), conv(e.conv), t(t), vertical(conv.axes[0]), horizontal(conv.axes[1]),
        laneCount(conv.lanes().size), panelLanes(t.lanes(e.vectorLanes)),
        panels(llvm::divideCeil(laneCount, panelLanes)), verticalParts(conv.parts(0)), horizontalParts(conv.parts(1)) {
    // Boxes of whole images begin at the first pixel.
    low[0] = t.tilesBatch ? 0 : lowest(verticalParts), low[1] = t.tilesBatch ? 0 : lowest(horizontalParts);
    const int64_t boxes = llvm::alignTo(t.box.elements(), 16);
    box = own;
    tile = t.copiesImage ? b.add(own, boxes * t.taskBatch) : own;
    boxElements = boxes;
    rowPitch = t.copiesImage ? t.box.columns * t.box.channels : vertical.imageStride;
    columnPitch = t.copiesImage ? t.box.channels : horizontal.imageStride;
  }

  void emit(Value task) {
    int64_t mostPositions = 0;
    for (const AxisPart &part : verticalParts)
      mostPositions = std::max(mostPositions, part.positions);
    const int64_t blocks = llvm::divideCeil(mostPositions, t.taskPositions), batches = conv.batch.size / t.taskBatch;
    Value block = b.rem(task, blocks), rest = b.div(task, blocks);
    firstImage = b.mul(b.rem(rest, batches), t.taskBatch);
    rest = b.div(rest, batches);
    group = b.rem(rest, conv.groupCount());
    Value firstPanel = b.mul(b.div(rest, conv.groupCount()), t.taskPanels);
    firstPosition = b.mul(block, t.taskPositions);
    if (t.tilesBatch)
      return forEachPanel(firstPanel, [&](Value panel, int64_t lanes) {
        forEachBlock([&] {
          copyImages();
          forEachPart([&](const AxisPart &v, const AxisPart &h, int64_t number) {
            selectPanel(panel, number);
            emitImages(v, h, number, panel, lanes);
          });
        });
      });
    if (t.copiesImage)
      copyImages();
    // All of a depthwise kernel stays in the first-level cache, and images and results pass in long runs.
    if (conv.isDepthwise)
      return forEachPart([&](const AxisPart &v, const AxisPart &h, int64_t number) {
        forEachRow(v, [&](Value i, Value position) {
          e.pieces(h.positions, t.tileRows, [&](Value x, int64_t rows) {
            forEachPanel(firstPanel, [&](Value panel, int64_t lanes) {
              selectPanel(panel, number);
              emitAt(v, h, i, position, x, rows, panel, lanes);
            });
          });
        });
      });
    // A panel of the kernel stays in cache while the images of the task pass.
    forEachPanel(firstPanel, [&](Value panel, int64_t lanes) {
      forEachPart([&](const AxisPart &v, const AxisPart &h, int64_t number) {
        selectPanel(panel, number);
        forEachBlock(
            [&] { forEachRow(v, [&](Value i, Value position) { emitRow(v, h, i, position, panel, lanes); }); });
      });
    });
  }

private:
  static int64_t lowest(llvm::ArrayRef<AxisPart> parts) {
    std::optional<int64_t> low;
    for (const AxisPart &part : parts)
      if (part.taps > 0)
        low = std::min(low.value_or(part.offset), part.offset);
    return low.value_or(0);
  }

  void copyImages() {
    b.loop(b.index(0), b.index(t.taskBatch), 1, [&](Value i) {
      Value from = b.mul(b.add(firstImage, i), conv.batch.image);
      if (!conv.isDepthwise)
        from = b.add(from, b.mul(group, conv.groups.image));
      Value row = b.add(b.mul(firstPosition, verticalParts[0].step), low[0]);
      if (t.tilesBatch)
        from = b.add(from, firstChannel);
      e.copyImage(t.box, from, row, b.index(t.box.rows), low[1], b.add(box, b.mul(i, boxElements)));
    });
  }

  void forEachPanel(Value first, llvm::function_ref<void(Value, int64_t)> body) {
    const int64_t whole = laneCount / panelLanes;
    Value end = b.min(b.add(first, t.taskPanels), b.index(panels));
    if (whole > 0)
      b.loop(first, b.min(end, b.index(whole)), 1, [&](Value panel) { body(panel, panelLanes); });
    if (whole < panels)
      b.when(b.compare(arith::CmpIPredicate::sgt, end, b.index(whole)),
             [&] { body(b.index(whole), laneCount - whole * panelLanes); });
  }

  void forEachPart(llvm::function_ref<void(const AxisPart &, const AxisPart &, int64_t)> body) {
    for (auto [v, verticalPart] : llvm::enumerate(verticalParts))
      for (auto [h, horizontalPart] : llvm::enumerate(horizontalParts))
        if (verticalPart.positions > 0 && horizontalPart.positions > 0)
          body(verticalPart, horizontalPart, v * horizontalParts.size() + h);
  }

  /// Blocks of channels, between which sums wait in scratch memory.
  void forEachBlock(llvm::function_ref<void()> body) {
    const int64_t channels = conv.channels.size;
    if (!isBlocked()) {
      firstChannel = b.index(0), channelCount = b.index(channels);
      return body();
    }
    b.loop(b.index(0), b.index(channels), t.blockChannels, [&](Value channel) {
      firstChannel = channel;
      channelCount = b.min(b.index(t.blockChannels), b.sub(b.index(channels), channel));
      isFirst = b.compare(arith::CmpIPredicate::eq, channel, b.index(0));
      isLast = b.compare(arith::CmpIPredicate::sge, b.add(channel, t.blockChannels), b.index(channels));
      body();
    });
  }
  bool isBlocked() const { return !conv.isDepthwise && t.blockChannels < conv.channels.size; }

  void forEachRow(const AxisPart &v, llvm::function_ref<void(Value, Value)> body) {
    Value count = b.min(b.index(t.taskPositions), b.sub(b.index(v.positions), firstPosition));
    b.loop(b.index(0), b.index(t.taskBatch), 1,
           [&](Value i) { b.loop(b.index(0), count, 1, [&](Value position) { body(i, position); }); });
  }

  void selectPanel(Value panel, int64_t part) {
    panelAt = b.mul(b.add(b.mul(group, panels), panel), directPanelElements(conv, t, panelLanes));
    const int64_t taps = vertical.taps * horizontal.taps;
    const bool isFloat = e.kinds.sum.isFloat();
    nothing = b.add(panelAt, conv.channels.size * taps * panelLanes);
    gaps = isDilated(conv) && isFloat ? b.add(nothing, (taps + part) * panelLanes) : Value();
  }

  /// The taps of a part that meet the image at a position: from the first to behind the last.
  std::pair<Value, Value> tapsAt(const AxisPart &part, Value position, int64_t extent) {
    Value first = b.add(b.mul(position, part.step), part.offset);
    Value low = b.max(b.index(0), b.sub(b.index(0), first));
    Value high = b.min(b.index(part.taps), b.sub(b.index(extent), first));
    return {low, b.max(low, high)};
  }

  /// All positions of a part, of the task's images at once.
  void emitImages(const AxisPart &v, const AxisPart &h, int64_t number, Value panel, int64_t lanes) {
    Value lane = b.mul(panel, panelLanes);
    int64_t mostColumns = 0;
    for (const AxisPart &part : horizontalParts)
      mostColumns = std::max(mostColumns, part.positions);
    b.loop(b.index(0), b.index(v.positions), 1, [&](Value position) {
      std::tie(vLow, vHigh) = tapsAt(v, position, vertical.extent);
      Value rowAt = b.add(b.add(box, b.mul(position, v.step * rowPitch)), v.offset * rowPitch);
      Value y = b.add(b.mul(position, v.outStep), v.outFirst);
      b.loop(b.index(0), b.index(h.positions), 1, [&](Value x) {
        std::tie(hLow, hHigh) = tapsAt(h, x, horizontal.extent);
        Value at = b.add(b.add(rowAt, b.mul(x, h.step * columnPitch)), h.offset * columnPitch);
        Value waiting = b.add(b.mul(b.add(position, number * t.taskPositions), mostColumns), x);
        waiting = b.add(tile, b.mul(waiting, t.taskBatch * panelLanes));
        e.pieces(t.taskBatch, t.tileRows, [&](Value i, int64_t rows) {
          waitingAt = isBlocked() ? b.add(waiting, b.mul(i, panelLanes)) : tile;
          emitTile(v, h, b.add(at, b.mul(i, boxElements)), rows, lane, lanes, b.add(firstImage, i), y, x);
        });
      });
    });
  }

  /// A row of positions of image `i` of the task.
  void emitRow(const AxisPart &v, const AxisPart &h, Value i, Value position, Value panel, int64_t lanes) {
    e.pieces(h.positions, t.tileRows, [&](Value x, int64_t rows) { emitAt(v, h, i, position, x, rows, panel, lanes); });
  }

  /// `rows` positions of it from x on.
  void emitAt(const AxisPart &v, const AxisPart &h, Value i, Value position, Value x, int64_t rows, Value panel,
              int64_t lanes) {
    Value lane = b.mul(panel, panelLanes), image = b.add(firstImage, i), imageAt;
    int64_t row = v.offset, column = h.offset;
    if (t.copiesImage) {
      imageAt = b.add(box, b.mul(i, boxElements));
      row -= low[0], column -= low[1];
    } else {
      imageAt = b.add(b.mul(image, conv.batch.image), b.mul(firstPosition, v.step * rowPitch));
      if (!conv.isDepthwise)
        imageAt = b.add(imageAt, b.mul(group, conv.groups.image));
    }
    imageAt = b.add(imageAt, row * rowPitch + column * columnPitch);
    if (conv.isDepthwise)
      imageAt = b.add(imageAt, lane);
    imageAt = b.add(imageAt, b.mul(position, v.step * rowPitch));
    Value y = b.add(b.mul(b.add(firstPosition, position), v.outStep), v.outFirst);
    Value waiting = b.add(tile, b.mul(b.add(b.mul(i, t.taskPositions), position), h.positions * panelLanes));
    waitingAt = isBlocked() ? b.add(waiting, b.mul(x, panelLanes)) : tile;
    emitTile(v, h, b.add(imageAt, b.mul(x, h.step * columnPitch)), rows, lane, lanes, image, y, x);
  }

  /// `rows` positions from x on by `lanes` lanes.
  void emitTile(const AxisPart &v, const AxisPart &h, Value imageAt, int64_t rows, Value lane, int64_t lanes,
                Value image, Value y, Value x) {
    const int64_t vectors = llvm::divideCeil(lanes, e.vectorLanes);
    const int64_t perRow = horizontal.taps * panelLanes, perChannel = vertical.taps * perRow;
    Value pixels = t.copiesImage ? e.scratch : e.image;
    Value kernelAt = b.add(panelAt, v.firstTap * perRow + h.firstTap * panelLanes);
    Value tail = e.maskOf(lanes - (vectors - 1) * e.vectorLanes);
    const auto step = [&](Value imageFrom, Value kernelFrom, IndexEmitter::Values &sums) {
      IndexEmitter::Values right;
      for (int64_t i = 0; i < vectors; ++i)
        right.push_back(e.loadPanel(b.add(kernelFrom, i * e.vectorLanes)));
      for (int64_t row = 0; row < rows; ++row) {
        Value at = b.add(imageFrom, row * (t.tilesBatch ? boxElements : h.step * columnPitch));
        Value left = conv.isDepthwise ? Value() : e.splat(pixels, at);
        for (int64_t i = 0; i < vectors; ++i) {
          Value &sum = sums[row * vectors + i];
          Value pixel = left;
          if (conv.isDepthwise)
            pixel = t.copiesImage ? e.loadScratch(b.add(at, i * e.vectorLanes))
                                  : e.load(e.image, b.add(at, i * e.vectorLanes), e.imageWidening,
                                           i == vectors - 1 ? tail : Value());
          sum = e.multiplyAdd(pixel, right[i], sum);
        }
      }
    };
    // Asks for the memory of the result, of the next row where the sums of this one are too short to wait for it.
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t i = 0; i < vectors; ++i)
        e.announce(group, imageOf(image, row), conv.isDepthwise ? b.add(y, v.outStep) : y, columnOf(h, x, row),
                   b.add(lane, i * e.vectorLanes));
    IndexEmitter::Values sums = startSums(rows, vectors);
    const int64_t work = rows * vectors;
    // Elsewhere pixels that neighbouring taps share would stay in registers, which sums need.
    const bool unrollsRow = conv.isDepthwise && h.taps * work <= kMostUnrolled,
               unrollsWindow = unrollsRow && v.taps * h.taps * work <= kMostUnrolled / 2;
    const auto windowRow = [&](Value imageFrom, Value kernelFrom, ValueRange before) -> IndexEmitter::Values {
      const auto at = [&](Value from, Value tap, int64_t stride) { return b.add(from, b.mul(tap, stride)); };
      if (t.tilesBatch)
        return b.loop(hLow, hHigh, 1, before, [&](Value tap, ValueRange carried) {
          IndexEmitter::Values next(carried);
          step(at(imageFrom, tap, columnPitch), at(kernelFrom, tap, h.tapStride * panelLanes), next);
          return next;
        });
      if (!unrollsRow)
        return e.counted(h.taps, before, [&](Value tap, ValueRange carried) {
          IndexEmitter::Values next(carried);
          step(at(imageFrom, tap, h.tapStep * columnPitch), at(kernelFrom, tap, h.tapStride * panelLanes), next);
          return next;
        });
      IndexEmitter::Values next(before);
      for (int64_t tap = 0; tap < h.taps; ++tap)
        step(b.add(imageFrom, tap * h.tapStep * columnPitch), b.add(kernelFrom, tap * h.tapStride * panelLanes), next);
      return next;
    };
    if (v.taps > 0 && h.taps > 0) {
      const auto channelStep = [&](Value channel, ValueRange carried) -> IndexEmitter::Values {
        // Boxes of images hold the channels of a block.
        Value imageFrom = b.add(imageAt, t.tilesBatch ? b.sub(channel, firstChannel) : channel),
              kernelFrom = b.add(kernelAt, b.mul(channel, perChannel));
        if (unrollsWindow) {
          IndexEmitter::Values next(carried);
          for (int64_t tap = 0; tap < v.taps; ++tap)
            next = windowRow(b.add(imageFrom, tap * v.tapStep * rowPitch),
                             b.add(kernelFrom, tap * v.tapStride * perRow), next);
          return next;
        }
        const auto row = [&](Value tap, ValueRange inner) {
          return windowRow(b.add(imageFrom, b.mul(tap, v.tapStep * rowPitch)),
                           b.add(kernelFrom, b.mul(tap, v.tapStride * perRow)), inner);
        };
        return t.tilesBatch ? b.loop(vLow, vHigh, 1, carried, row) : e.counted(v.taps, carried, row);
      };
      sums = conv.isDepthwise || conv.channels.size == 1
                 ? channelStep(b.index(0), sums)
                 : b.loop(firstChannel, b.add(firstChannel, channelCount), 1, sums, channelStep);
      // Gaps make +0 of all zeros, as in other kernels of dilated images (splitDilated).
      if (e.kinds.sum.isFloat() && t.tilesBatch && !gaps)
        sums = withSignsOfZeros(h, std::move(sums), rows, vectors, image, y, x);
    }
    if (!isBlocked())
      return finishTile(v, h, std::move(sums), rows, vectors, lane, lanes, image, y, x);
    b.either(
        isLast, [&] { finishTile(v, h, sums, rows, vectors, lane, lanes, image, y, x); },
        [&] { keepSums(sums, rows, vectors); });
  }

  /// What a block of channels begins with.
  IndexEmitter::Values startSums(int64_t rows, int64_t vectors) {
    const IndexEmitter::Values zeros(rows * vectors, e.zero);
    if (!isBlocked())
      return zeros;
    const llvm::SmallVector<Type> types(zeros.size(), e.vectorType);
    return b.either(isFirst, types, [&] { return zeros; }, [&] { return waitingSums(rows, vectors); });
  }
  IndexEmitter::Values waitingSums(int64_t rows, int64_t vectors) {
    IndexEmitter::Values sums;
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t i = 0; i < vectors; ++i)
        sums.push_back(e.loadScratch(b.add(waitingAt, row * panelLanes + i * e.vectorLanes)));
    return sums;
  }
  void keepSums(ValueRange sums, int64_t rows, int64_t vectors) {
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t i = 0; i < vectors; ++i)
        vector::StoreOp::create(b, sums[row * vectors + i], e.scratch,
                                b.add(waitingAt, row * panelLanes + i * e.vectorLanes));
  }

  /// A tile's rows are positions of one image, or images at one position.
  Value imageOf(Value image, int64_t row) { return t.tilesBatch ? b.add(image, row) : image; }
  Value columnOf(const AxisPart &h, Value x, int64_t row) {
    return b.add(b.mul(t.tilesBatch ? x : b.add(x, row), h.outStep), h.outFirst);
  }

  /// The sum, or NaN where what is added to it is that and not 0: adding 0 would change the sign of a sum of -0.
  Value orNan(Value sum, Value added) {
    return b.select(arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, added, added), added, sum);
  }

  /// The place on an axis without gaps where a tap at a position meets the image, and whether it meets an element of
  /// it.
  std::pair<Value, Value> meeting(const ConvolutionAxis &axis, Value position, Value tap) {
    Value at = b.add(b.add(b.mul(position, axis.step), b.mul(tap, axis.tapStep)), axis.offset);
    Value exists = b.createOrFold<arith::AndIOp>(b.compare(arith::CmpIPredicate::sge, at, b.index(0)),
                                                 b.compare(arith::CmpIPredicate::slt, at, b.index(axis.extent)));
    return {at, exists};
  }

  /// The sums of a tile where some may have the wrong sign: a product that underflows makes a sum of -0, and the
  /// product of a weight and the 0 that stands where a tap meets no element makes +0 of it again. No other sum depends
  /// on taps that are left out, so the tile is computed again, with all of them, where there is a -0.
  IndexEmitter::Values withSignsOfZeros(const AxisPart &h, IndexEmitter::Values sums, int64_t rows, int64_t vectors,
                                        Value image, Value y, Value x) {
    const unsigned width = e.kinds.sum.width;
    auto bitsType = VectorType::get({e.vectorLanes}, b.getIntegerType(width));
    // The bits of -0 are the least integer.
    Value least;
    for (Value sum : sums) {
      Value bits = arith::BitcastOp::create(b, bitsType, sum);
      least = least ? Value(arith::MinSIOp::create(b, least, bits)) : bits;
    }
    least = vector::ReductionOp::create(b, vector::CombiningKind::MINSI, least);
    Value negativeZero =
        arith::ConstantOp::create(b, b.getIntegerAttr(b.getIntegerType(width), APInt::getSignedMinValue(width)));
    const llvm::SmallVector<Type> types(sums.size(), e.vectorType);
    const auto all = [&]() -> IndexEmitter::Values {
      Value end = b.add(firstChannel, channelCount);
      return b.loop(firstChannel, end, 1, startSums(rows, vectors), [&](Value channel, ValueRange outer) {
        return b.loop(b.index(0), b.index(vertical.taps), 1, outer, [&](Value tapV, ValueRange middle) {
          return b.loop(b.index(0), b.index(horizontal.taps), 1, middle, [&](Value tapH, ValueRange carried) {
            const auto [row, rowExists] = meeting(vertical, y, tapV);
            Value number = b.add(b.mul(b.add(b.mul(channel, vertical.taps), tapV), horizontal.taps), tapH);
            Value kernelAt = b.add(panelAt, b.mul(number, panelLanes));
            Value imageAt = b.add(b.mul(row, vertical.imageStride), b.mul(channel, conv.channels.image));
            imageAt = b.add(imageAt, b.mul(group, conv.groups.image));
            IndexEmitter::Values next(carried);
            for (int64_t each = 0; each < rows; ++each) {
              const auto [column, columnExists] = meeting(horizontal, columnOf(h, x, each), tapH);
              Value at = b.add(imageAt, b.mul(imageOf(image, each), conv.batch.image));
              at = b.add(at, b.mul(column, horizontal.imageStride));
              Value exists = b.createOrFold<arith::AndIOp>(rowExists, columnExists);
              Value pixel = b.either(
                  exists, e.vectorType, [&]() -> IndexEmitter::Values { return {e.splat(e.image, at)}; },
                  [&]() -> IndexEmitter::Values { return {e.zero}; })[0];
              for (int64_t i = 0; i < vectors; ++i) {
                Value &sum = next[each * vectors + i];
                sum = e.multiplyAdd(pixel, e.loadPanel(b.add(kernelAt, i * e.vectorLanes)), sum);
              }
            }
            return next;
          });
        });
      });
    };
    return b.either(b.compare(arith::CmpIPredicate::eq, least, negativeZero), types, all, [&] { return sums; });
  }

  /// What taps in the padding add: 0, or NaN where the kernel is infinite or NaN.
  IndexEmitter::Values withPadding(const AxisPart &v, const AxisPart &h, IndexEmitter::Values sums, int64_t rows,
                                   int64_t vectors) {
    const auto differs = [&](Value a, Value other) { return b.compare(arith::CmpIPredicate::ne, a, other); };
    const auto either = [&](Value a, Value other) { return b.createOrFold<arith::OrIOp>(a, other); };
    const auto both = [&](Value a, Value other) { return b.createOrFold<arith::AndIOp>(a, other); };
    Value skips = either(either(differs(vLow, b.index(0)), differs(vHigh, b.index(v.taps))),
                         either(differs(hLow, b.index(0)), differs(hHigh, b.index(h.taps))));
    const llvm::SmallVector<Type> types(sums.size(), e.vectorType);
    return b.either(
        skips, types,
        [&] {
          const IndexEmitter::Values zeros(vectors, e.zero);
          const auto within = [&](Value tap, Value low, Value high) {
            return both(b.compare(arith::CmpIPredicate::sge, tap, low),
                        b.compare(arith::CmpIPredicate::slt, tap, high));
          };
          const auto added = e.counted(v.taps, zeros, [&](Value tapV, ValueRange outer) {
            return e.counted(h.taps, outer, [&](Value tapH, ValueRange carried) {
              Value meets = both(within(tapV, vLow, vHigh), within(tapH, hLow, hHigh));
              Value number = b.add(b.mul(b.add(b.mul(tapV, v.tapStride), v.firstTap), horizontal.taps),
                                   b.add(b.mul(tapH, h.tapStride), h.firstTap));
              Value at = b.add(nothing, b.mul(number, panelLanes));
              IndexEmitter::Values next(carried);
              for (int64_t i = 0; i < vectors; ++i) {
                Value more = e.loadPanel(b.add(at, i * e.vectorLanes));
                next[i] = b.select(meets, next[i], arith::AddFOp::create(b, next[i], more));
              }
              return next;
            });
          });
          IndexEmitter::Values result;
          for (auto [i, sum] : llvm::enumerate(sums))
            result.push_back(orNan(sum, added[i % vectors]));
          return result;
        },
        [&] { return sums; });
  }

  void finishTile(const AxisPart &v, const AxisPart &h, IndexEmitter::Values sums, int64_t rows, int64_t vectors,
                  Value lane, int64_t lanes, Value image, Value y, Value x) {
    if (gaps)
      for (int64_t i = 0; i < vectors; ++i) {
        Value gap = e.loadPanel(b.add(gaps, i * e.vectorLanes));
        for (int64_t row = 0; row < rows; ++row)
          sums[row * vectors + i] = arith::AddFOp::create(b, sums[row * vectors + i], gap);
      }
    if (t.tilesBatch && e.kinds.sum.isFloat() && v.taps > 0 && h.taps > 0)
      sums = withPadding(v, h, std::move(sums), rows, vectors);
    if (!e.sweeps) {
      for (int64_t row = 0; row < rows; ++row)
        for (int64_t i = 0; i < vectors; ++i)
          e.finish(sums[row * vectors + i], group, imageOf(image, row), y, columnOf(h, x, row),
                   b.add(lane, i * e.vectorLanes), lanes - i * e.vectorLanes);
      return;
    }
    keepSums(sums, rows, vectors);
    b.loop(b.index(0), b.index(rows), 1, [&](Value row) {
      Value at = b.add(waitingAt, b.mul(row, panelLanes));
      e.pieces(lanes, e.vectorLanes, [&](Value from, int64_t exist) {
        Value column = t.tilesBatch ? x : b.add(x, row);
        e.finish(e.loadScratch(b.add(at, from)), group, t.tilesBatch ? b.add(image, row) : image, y,
                 b.add(b.mul(column, h.outStep), h.outFirst), b.add(lane, from), exist);
      });
    });
  }

  DirectEmitter &e;
  IndexEmitter &b;
  const DirectConvolution &conv;
  const DirectTiling &t;
  const ConvolutionAxis &vertical, &horizontal;
  int64_t laneCount, panelLanes, panels, boxElements, rowPitch, columnPitch;
  llvm::SmallVector<AxisPart> verticalParts, horizontalParts;
  int64_t low[2];
  /// Places in scratch memory: copies of images, sums that wait, those of the tile at hand, the panel of the kernel,
  /// and what the gaps of a part add.
  Value box, tile, waitingAt, panelAt, gaps, nothing;
  /// The taps that meet images, where tiles hold these.
  Value vLow, vHigh, hLow, hHigh;
  Value firstImage, firstPosition, group;
  /// The block of channels, and whether others come before or behind it.
  Value firstChannel, channelCount, isFirst, isLast;
};

} // namespace

void emitPackedPanel(DirectEmitter &e, const DirectTiling &t, Value number, Value to) {
  IndexEmitter &b = e.b;
  const DirectConvolution &conv = e.conv;
  const ConvolutionLoop &lanes = conv.lanes();
  const int64_t panelLanes = t.lanes(e.vectorLanes), panels = llvm::divideCeil(lanes.size, panelLanes),
                tail = lanes.size % panelLanes;
  Value panel = b.rem(number, panels), group = b.div(number, panels);
  PanelSource source;
  source.memref = e.kernel;
  source.widening = e.kernelWidening;
  source.elements = cast<MemRefType>(e.kernel.getType()).getNumElements();
  source.start = conv.isDepthwise ? b.index(0) : b.mul(group, conv.groups.kernel);
  source.lanes.push_back({lanes.size, nullptr, {lanes.kernel}});
  source.steps.push_back({conv.channels.size, nullptr, {conv.channels.kernel}});
  for (const ConvolutionAxis &axis : conv.axes)
    source.steps.push_back({axis.taps, nullptr, {axis.kernelStride}});
  StepBlock whole;
  whole.whole = true;
  const auto pack = [&](int64_t count) {
    emitPack(b, source, whole, b.mul(panel, panelLanes), count, e.vectorLanes, lanes.size,
             {e.panels, to, panelLanes, panelLanes});
  };
  if (tail == 0)
    return pack(panelLanes);
  if (panels == 1)
    return pack(tail);
  b.either(
      b.compare(arith::CmpIPredicate::eq, panel, b.index(panels - 1)), [&] { pack(tail); }, [&] { pack(panelLanes); });
}

void emitKernelPanels(DirectEmitter &e, const DirectTiling &t, Value number) {
  IndexEmitter &b = e.b;
  const DirectConvolution &conv = e.conv;
  const ConvolutionAxis &vertical = conv.axes[0], &horizontal = conv.axes[1];
  const int64_t panelLanes = t.lanes(e.vectorLanes), vectors = t.tileVectors;
  Value to = b.mul(number, directPanelElements(conv, t, panelLanes));
  emitPackedPanel(e, t, number, to);
  const auto verticalParts = conv.parts(0), horizontalParts = conv.parts(1);
  if ((!isDilated(conv) && !t.tilesBatch) || !e.kinds.sum.isFloat())
    return;
  // What a tap adds where it meets no element: 0, or NaN where it is infinite or NaN.
  const int64_t taps = vertical.taps * horizontal.taps;
  Value nothing = b.add(to, conv.channels.size * taps * panelLanes);
  const IndexEmitter::Values zeros(vectors, e.zero);
  b.loop(b.index(0), b.index(taps), 1, [&](Value tap) {
    const auto sums = e.counted(conv.channels.size, zeros, [&](Value channel, ValueRange carried) {
      Value at = b.add(to, b.mul(b.add(b.mul(channel, taps), tap), panelLanes));
      IndexEmitter::Values next;
      for (int64_t i = 0; i < vectors; ++i)
        next.push_back(e.multiplyAdd(e.loadPanel(b.add(at, i * e.vectorLanes)), e.zero, carried[i]));
      return next;
    });
    for (int64_t i = 0; i < vectors; ++i)
      vector::StoreOp::create(b, sums[i], e.panels, b.add(b.add(nothing, b.mul(tap, panelLanes)), i * e.vectorLanes));
  });
  if (!isDilated(conv))
    return;
  for (auto [v, verticalPart] : llvm::enumerate(verticalParts))
    for (auto [h, horizontalPart] : llvm::enumerate(horizontalParts)) {
      const auto meets = [&](Value tap, const AxisPart &part) {
        return b.compare(arith::CmpIPredicate::eq, b.rem(tap, part.tapStride), b.index(part.firstTap));
      };
      const auto sums = e.counted(taps, zeros, [&](Value tap, ValueRange carried) {
        Value meetsElement = b.createOrFold<arith::AndIOp>(meets(b.div(tap, horizontal.taps), verticalPart),
                                                           meets(b.rem(tap, horizontal.taps), horizontalPart));
        IndexEmitter::Values next;
        for (int64_t i = 0; i < vectors; ++i) {
          Value more = e.loadPanel(b.add(b.add(nothing, b.mul(tap, panelLanes)), i * e.vectorLanes));
          next.push_back(b.select(meetsElement, carried[i], arith::AddFOp::create(b, carried[i], more)));
        }
        return next;
      });
      const int64_t part = taps + v * horizontalParts.size() + h;
      for (int64_t i = 0; i < vectors; ++i)
        vector::StoreOp::create(b, sums[i], e.panels, b.add(nothing, part * panelLanes + i * e.vectorLanes));
    }
}

void emitPositionsTask(DirectEmitter &e, const DirectTiling &tiling, Value task, Value own) {
  PositionsTask(e, tiling, own).emit(task);
}

} // namespace burn::compiler
