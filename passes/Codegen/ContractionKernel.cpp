#include "passes/Codegen/ContractionDots.h"
#include "passes/Codegen/ContractionLayout.h"
#include "passes/Codegen/ContractionStreams.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

namespace burn::compiler {

using mlir::Value;
using mlir::ValueRange;
using mlir::VectorType;
using mlir::arith::CmpIPredicate;

namespace {

/// Emits the loops of one contraction: tasks, blocks of contracted steps,
/// panels of lanes, tiles of rows, and within a tile the contracted steps with
/// the tile's elements in registers.
class KernelEmitter {
public:
  KernelEmitter(IndexEmitter &b, const ContractionLayout &layout, const ContractionOperands &operands,
                const ContractionEpilogue &epilogue, const ContractionEpilogue &ahead)
      : b(b), layout(layout), c(layout.contraction), tiling(layout.tiling), operands(operands), epilogue(epilogue),
        ahead(ahead) {
    rowsMemref = c.lhsIsRows ? operands.lhs : operands.rhs;
    lanesMemref = c.lhsIsRows ? operands.rhs : operands.lhs;
    rowsWidening = wideningOf(operands, c.lhsIsRows);
    lanesWidening = wideningOf(operands, !c.lhsIsRows);
    element = operands.kinds.sum.getLowered(b.getContext());
    rowsMemory = tiling.readyRows ? operands.rowPanels : operands.scratch;
    lanesMemory = tiling.readyLanes ? operands.lanePanels : operands.scratch;
    vectorType = VectorType::get(tiling.vectorLanes, element);
    maskType = VectorType::get(tiling.vectorLanes, b.getI1Type());
    zero = mlir::arith::ConstantOp::create(b, vectorType, b.getZeroAttr(vectorType));
  }

  void emit(Value begin, Value end) {
    // The panels in scratch stay good while the next task has the same lanes, or rows.
    const bool keeps = layout.keepsPanels || layout.keepsRows;
    IndexEmitter::Values init;
    if (keeps)
      init.push_back(b.index(-1));
    b.loop(begin, end, 1, init, [&](Value task, ValueRange held) -> IndexEmitter::Values {
      const int64_t inner = layout.keepsRows ? layout.laneTasks : layout.rowTasks,
                    outer = layout.keepsRows ? layout.rowTasks : layout.laneTasks;
      Value innerBlock = b.rem(task, inner), rest = b.div(task, inner), outerBlock = b.rem(rest, outer);
      batch = b.div(rest, outer);
      if (keeps)
        stale = b.compare(CmpIPredicate::ne, rest, held[0]);
      emitTask(b.mul(layout.keepsRows ? outerBlock : innerBlock, tiling.taskRows),
               b.mul(layout.keepsRows ? innerBlock : outerBlock, tiling.taskLanes));
      return keeps ? IndexEmitter::Values{rest} : IndexEmitter::Values{};
    });
  }

  /// Packs rows or lanes that are ready: a panel of all steps a task.
  void emitPanels(bool rows, Value begin, Value end) {
    const int64_t panels = rows ? layout.allRowPanels : layout.allLanePanels;
    const int64_t size = rows ? tiling.tileRows : tiling.tileLanes, total = rows ? layout.rowCount : layout.laneCount;
    StepBlock whole;
    whole.whole = true;
    b.loop(begin, end, 1, {}, [&](Value task, ValueRange) -> IndexEmitter::Values {
      batch = b.div(task, panels);
      Value from = b.mul(b.rem(task, panels), size), to = b.min(b.add(from, size), b.index(total));
      const PanelSource source = panelSource(rows);
      blockStep = b.index(0);
      forEachPiece(from, to, size, total, total, [&](Value first, int64_t count) {
        emitPack(b, source, whole, first, count, rows ? layout.rowPitch : tiling.vectorLanes, total,
                 {rows ? rowsMemory : lanesMemory, rows ? rowPanel(first) : lanePanel(first, first),
                  rows ? layout.rowPitch : tiling.tileLanes, size});
      });
      return {};
    });
  }

private:
  void emitTask(Value firstRow, Value firstLane) {
    row0 = firstRow;
    lane0 = firstLane;
    rowEnd = b.min(b.add(row0, tiling.taskRows), b.index(layout.rowCount));
    laneEnd = b.min(b.add(lane0, tiling.taskLanes), b.index(layout.laneCount));
    if (!tiling.readyRows)
      rowsSource = panelSource(true);
    if (!tiling.readyLanes)
      lanesSource = panelSource(false);
    outStart = streamsAt(b, outLoops(LoopGroup::Batch), {0}, batch)[0];
    if (layout.blocking.blocked) {
      forEachBlock([&](const StepBlock &block) { emitBlock(block); });
    } else {
      StepBlock whole;
      whole.whole = true;
      emitBlock(whole);
    }
    if (layout.sweepsTile)
      emitSweep();
  }

  llvm::SmallVector<StreamLoop> outLoops(LoopGroup group) {
    llvm::SmallVector<StreamLoop> loops;
    for (const ContractionLoop &loop : c.loops(group))
      loops.push_back({loop.size, nullptr, {loop.outStride}});
    mergeStreams(b, loops);
    return loops;
  }

  PanelSource panelSource(bool rowsOperand) {
    PanelSource source;
    source.memref = rowsOperand ? rowsMemref : lanesMemref;
    source.widening = rowsOperand ? rowsWidening : lanesWidening;
    source.elements = rowsOperand ? c.rowsElements : c.lanesElements;
    llvm::SmallVector<int64_t> start = {rowsOperand ? c.rowsBase : c.lanesBase};
    if (isConvolved(c, rowsOperand))
      for (const WindowAxis &axis : c.window)
        start.push_back(axis.offset);
    IndexEmitter::Values at = streamsAt(b, operandStreams(c, rowsOperand, LoopGroup::Batch), start, batch);
    source.start = at[0];
    source.lanes = operandStreams(c, rowsOperand, rowsOperand ? LoopGroup::Row : LoopGroup::Lane);
    source.steps = operandStreams(c, rowsOperand, LoopGroup::Contracted);
    if (isConvolved(c, rowsOperand))
      for (auto [axis, value] : llvm::zip(c.window, llvm::ArrayRef(at).drop_front()))
        source.axes.push_back({axis.extent, axis.stride, axis.dilation, value});
    return source;
  }

  void forEachBlock(llvm::function_ref<void(const StepBlock &)> body) {
    StepBlock block;
    std::function<void(unsigned, Value, Value)> descend = [&](unsigned loop, Value isFirst, Value isLast) {
      int64_t size = c.contracted[loop].size;
      int64_t step = loop < layout.blocking.level ? 1 : layout.blocking.steps;
      b.loop(b.index(0), b.index(size), step, [&](Value i) {
        Value first = both(isFirst, b.compare(CmpIPredicate::eq, i, b.index(0)));
        Value last = both(isLast, b.compare(CmpIPredicate::sge, b.add(i, step), b.index(size)));
        if (loop < layout.blocking.level) {
          block.outer.push_back(i);
          descend(loop + 1, first, last);
          block.outer.pop_back();
          return;
        }
        block.first = i;
        block.count = b.min(b.index(step), b.sub(b.index(size), i));
        block.isFirst = first;
        block.isLast = last;
        body(block);
      });
    };
    descend(0, nullptr, nullptr);
  }

  Value both(Value a, Value second) { return a ? b.createOrFold<mlir::arith::AndIOp>(a, second) : second; }

  /// Runs `body(first, count)` over pieces of `size` indices of [lo, hi), and
  /// over the shorter piece at the very end of `total`.
  void forEachPiece(Value lo, Value hi, int64_t size, int64_t total, int64_t longest,
                    llvm::function_ref<void(Value, int64_t)> body) {
    int64_t tail = total % size;
    Value fullEnd = hi;
    if (tail != 0) {
      Value length = b.sub(hi, lo);
      fullEnd = b.add(lo, b.sub(length, b.rem(length, size)));
    }
    if (std::min(longest, total) >= size)
      b.loop(lo, fullEnd, size, [&](Value first) { body(first, size); });
    if (tail != 0)
      b.when(b.compare(CmpIPredicate::slt, fullEnd, hi), [&] { body(fullEnd, tail); });
  }

  /// The number of the block's first step.
  Value firstStep(const StepBlock &block) {
    if (block.whole)
      return b.index(0);
    Value step = b.index(0);
    for (auto [i, loop] : llvm::enumerate(c.contracted)) {
      Value at = i < block.outer.size() ? block.outer[i] : i == block.outer.size() ? block.first : b.index(0);
      step = b.add(b.mul(step, loop.size), at);
    }
    return step;
  }

  void emitBlock(const StepBlock &block) {
    blockStep = firstStep(block);
    const auto packRows = [&] {
      forEachPiece(row0, rowEnd, layout.groupRows, layout.rowCount, tiling.taskRows, [&](Value row, int64_t rows) {
        emitPack(b, rowsSource, block, row, rows, layout.rowPitch, layout.rowCount,
                 {operands.scratch, rowPanel(row), layout.rowPitch, tiling.tileRows, layout.rowPanelElements});
      });
    };
    if (layout.keepsRows)
      b.when(stale, packRows);
    else if (tiling.packRows && !tiling.readyRows)
      packRows();
    forEachPiece(lane0, laneEnd, layout.groupLanes, layout.laneCount, tiling.taskLanes,
                 [&](Value group, int64_t groupLanes) { emitGroup(block, group, groupLanes); });
  }

  /// Panels of lanes that are packed together.
  void emitGroup(const StepBlock &block, Value group, int64_t groupLanes) {
    if (tiling.packLanes && !tiling.readyLanes && !layout.packsInTiles) {
      auto pack = [&] {
        emitPack(
            b, lanesSource, block, group, groupLanes, tiling.vectorLanes, layout.laneCount,
            {operands.scratch, lanePanel(group, group), tiling.tileLanes, tiling.tileLanes, layout.lanePanelElements});
      };
      if (layout.keepsPanels)
        b.when(stale, pack);
      else
        pack();
    }
    Value groupEnd = b.add(group, groupLanes);
    forEachPiece(group, groupEnd, tiling.tileLanes, groupLanes, groupLanes, [&](Value lane, int64_t lanes) {
      int64_t width = llvm::alignTo(lanes, tiling.vectorLanes);
      laneAt = tiling.packLanes ? lanePanel(lane, group) : Value();
      Value firstRow = row0;
      if (layout.packsInTiles) {
        auto pack = [&] { emitTile(block, row0, tiling.tileRows, lane, lanes, width, /*packs=*/true); };
        firstRow = b.add(row0, tiling.tileRows);
        if (layout.keepsPanels) {
          b.when(stale, pack);
          firstRow = b.select(stale, firstRow, row0);
        } else {
          pack();
        }
      }
      forEachPiece(firstRow, rowEnd, tiling.tileRows, layout.rowCount, tiling.taskRows,
                   [&](Value row, int64_t rows) { emitTile(block, row, rows, lane, lanes, width, /*packs=*/false); });
    });
  }

  Value rowPanel(Value row) {
    if (tiling.readyRows)
      return readyPanel(b.div(row, tiling.tileRows), layout.allRowPanels, layout.readyRowElements, layout.rowPitch);
    Value panel = b.div(b.sub(row, row0), tiling.tileRows);
    return b.add(b.mul(panel, layout.rowPanelElements), layout.rowPanels);
  }
  Value lanePanel(Value lane, Value group) {
    if (tiling.readyLanes)
      return readyPanel(b.div(lane, tiling.tileLanes), layout.allLanePanels, layout.readyLaneElements,
                        tiling.tileLanes);
    Value panel = b.div(b.sub(lane, layout.keepsPanels ? lane0 : group), tiling.tileLanes);
    return b.add(b.mul(panel, layout.lanePanelElements), layout.lanePanels);
  }
  /// The block's part of a panel of all steps.
  Value readyPanel(Value panel, int64_t all, int64_t elements, int64_t pitch) {
    return b.add(b.mul(b.add(b.mul(batch, all), panel), elements), b.mul(blockStep, pitch));
  }
  Value tileAt(Value row, Value lane) {
    return b.add(b.add(b.mul(b.sub(row, row0), layout.tilePitch), b.sub(lane, lane0)), layout.tile);
  }

  Value multiplyAdd(Value x, Value y, Value sum) {
    if (mlir::isa<mlir::FloatType>(element))
      return mlir::math::FmaOp::create(b, x, y, sum);
    return mlir::arith::AddIOp::create(b, sum, mlir::arith::MulIOp::create(b, x, y));
  }

  /// Lanes read in place.
  Value loadLanes(Value at, Value mask) {
    auto stored = mlir::cast<mlir::MemRefType>(lanesMemref.getType()).getElementType();
    VectorType type = VectorType::get(tiling.vectorLanes, stored);
    if (!mask)
      return widen(b, mlir::vector::LoadOp::create(b, type, lanesMemref, at), lanesWidening);
    Value none = mlir::arith::ConstantOp::create(b, type, b.getZeroAttr(type));
    return widen(b, mlir::vector::MaskedLoadOp::create(b, type, lanesMemref, at, mask, none), lanesWidening);
  }

  Value mask(int64_t lanes) { return mlir::vector::CreateMaskOp::create(b, maskType, ValueRange{b.index(lanes)}); }

  /// Offsets of consecutive rows: a constant distance where the rows are one
  /// loop, else each for itself.
  IndexEmitter::Values rowOffsets(llvm::ArrayRef<StreamLoop> loops, Value row, int64_t rows) {
    IndexEmitter::Values offsets;
    for (int64_t i = 0; i < rows; ++i)
      offsets.push_back(i > 0 && loops.size() == 1 ? b.add(offsets[0], i * loops[0].strides[0])
                                                   : streamsAt(b, loops, {0}, b.add(row, i))[0]);
    return offsets;
  }

  /// The tile of sums at a row and a lane. With `packs` it reads the lanes where they are and leaves them behind as a
  /// panel for the tiles that follow.
  void emitTile(const StepBlock &block, Value row, int64_t rows, Value lane, int64_t lanes, int64_t width, bool packs) {
    int64_t vectors = width / tiling.vectorLanes;
    int64_t tail = lanes % tiling.vectorLanes;
    Value tailMask = tail ? mask(tail) : Value();
    auto maskOf = [&](int64_t v) { return v == vectors - 1 ? tailMask : Value(); };

    // Streams of the contracted loops: rows operand, lanes operand, step.
    llvm::SmallVector<StreamLoop> steps;
    for (const ContractionLoop &loop : c.contracted)
      steps.push_back(
          {loop.size, nullptr, {tiling.packRows ? 0 : loop.rowStride, tiling.packLanes ? 0 : loop.laneStride}});
    IndexEmitter::Values starts = {tiling.packRows ? b.index(0) : rowsSource.start,
                                   tiling.packLanes ? b.index(0) : lanesSource.start};
    // A packed operand follows the step alone and must not keep loops apart.
    for (int64_t stream : {0, 1})
      if (stream == 0 ? tiling.packRows : tiling.packLanes) {
        int64_t linear = 1;
        for (StreamLoop &loop : llvm::reverse(steps)) {
          loop.strides[stream] = linear;
          linear *= loop.size;
        }
      }
    if (packs) {
      for (auto [loop, walked] : llvm::zip(steps, c.contracted))
        loop.strides.push_back(walked.laneStride);
      starts.push_back(b.add(lanesSource.start, lane));
    }
    llvm::SmallVector<StreamLoop> loops = blockLoops(b, steps, block, starts);

    IndexEmitter::Values rowAt;
    if (tiling.packRows) {
      rowAt.push_back(rowPanel(row));
      for (int64_t i = 1; i < rows; ++i)
        rowAt.push_back(b.add(rowAt[0], i));
    } else {
      llvm::SmallVector<StreamLoop> rowLoops = rowsSource.lanes;
      mergeStreams(b, rowLoops);
      rowAt = rowOffsets(rowLoops, row, rows);
    }
    Value lanesAt = tiling.packLanes ? laneAt : streamsAt(b, lanesSource.lanes, {0}, lane)[0];
    announceTile(block, row, rows, lane, vectors, maskOf);

    // The first block of steps begins at zero, the others where the one before ended.
    IndexEmitter::Values sums(rows * vectors, zero);
    if (layout.blocking.blocked) {
      const llvm::SmallVector<mlir::Type> types(sums.size(), vectorType);
      sums = b.either(
          block.isFirst, types, [&] { return sums; },
          [&] {
            IndexEmitter::Values before;
            for (int64_t i = 0; i < rows; ++i)
              for (int64_t v = 0; v < vectors; ++v)
                before.push_back(loadTile(row, i, lane, v));
            return before;
          });
    }
    if (layout.turnsLanes)
      return finishTile(block, row, rows, lane, vectors, maskOf, turnedSums(loops, starts, rowAt[0], lane, lanes));

    sums = forEachStep(b, loops, starts, sums, [&](ValueRange streams, ValueRange carried) -> IndexEmitter::Values {
      Value step = streams.back();
      Value lanesFrom = tiling.packLanes ? b.add(lanesAt, b.mul(step, tiling.tileLanes)) : b.add(lanesAt, streams[1]);
      if (layout.streamsPanels)
        prefetchStream(b, lanesMemory, lanesFrom, width);
      IndexEmitter::Values right;
      for (int64_t v = 0; v < vectors; ++v) {
        Value at = b.add(lanesFrom, v * tiling.vectorLanes);
        if (packs) {
          right.push_back(loadLanes(b.add(streams[2], v * tiling.vectorLanes), maskOf(v)));
          mlir::vector::StoreOp::create(b, right.back(), operands.scratch, at);
        } else if (tiling.packLanes) {
          right.push_back(mlir::vector::LoadOp::create(b, vectorType, lanesMemory, at));
        } else {
          right.push_back(loadLanes(at, maskOf(v)));
        }
      }
      Value rowsFrom = tiling.packRows ? b.mul(step, layout.rowPitch) : streams[0];
      IndexEmitter::Values next(carried);
      for (int64_t i = 0; i < rows; ++i) {
        Value scalar = mlir::memref::LoadOp::create(b, tiling.packRows ? rowsMemory : rowsMemref,
                                                    ValueRange{b.add(rowAt[i], rowsFrom)});
        if (!tiling.packRows)
          scalar = widen(b, scalar, rowsWidening);
        Value left = mlir::vector::BroadcastOp::create(b, vectorType, scalar);
        for (int64_t v = 0; v < vectors; ++v)
          next[i * vectors + v] = multiplyAdd(left, right[v], next[i * vectors + v]);
      }
      return next;
    });

    finishTile(block, row, rows, lane, vectors, maskOf, sums);
  }

  /// The sums of one row over lanes whose steps are neighbours in memory: square blocks are turned in registers.
  IndexEmitter::Values turnedSums(llvm::ArrayRef<StreamLoop> loops, ValueRange starts, Value rowAt, Value lane,
                                  int64_t lanes) {
    const int64_t vectorLanes = tiling.vectorLanes;
    const StreamLoop &inner = loops.back();
    const int64_t laneStride = lanesSource.lanes.front().strides[0];
    // Lanes that do not exist repeat the last one.
    IndexEmitter::Values laneAt;
    for (int64_t i = 0, end = llvm::alignTo(lanes, vectorLanes); i < end; ++i)
      laneAt.push_back(b.mul(b.add(lane, std::min(i, lanes - 1)), laneStride));

    // `count` steps from `step` on, at most as many as a vector has lanes.
    auto block = [&](ValueRange streams, Value step, int64_t count, IndexEmitter::Values sums) {
      Value steps = count < vectorLanes ? mask(count) : Value();
      for (int64_t v = 0; v < int64_t(sums.size()); ++v) {
        IndexEmitter::Values turned;
        const auto at = [&](int64_t i) { return b.add(b.add(streams[1], laneAt[v * vectorLanes + i]), step); };
        if (lanes - v * vectorLanes == 1) {
          // One lane is no square. Turned all the same, LLVM 22 reads its second step from the first (AVX-512).
          for (int64_t i = 0; i < count; ++i) {
            Value element = mlir::memref::LoadOp::create(b, lanesMemref, ValueRange{b.add(at(0), i)});
            turned.push_back(mlir::vector::BroadcastOp::create(b, vectorType, widen(b, element, lanesWidening)));
          }
        } else {
          for (int64_t i = 0; i < vectorLanes; ++i)
            turned.push_back(loadLanes(at(i), steps));
          turned = transposeSquare(b, std::move(turned));
        }
        for (int64_t i = 0; i < count; ++i) {
          Value from = b.add(b.add(rowAt, streams[0]), b.mul(b.add(step, i), inner.strides[0]));
          Value scalar = widen(b, mlir::memref::LoadOp::create(b, rowsMemref, from), rowsWidening);
          sums[v] = multiplyAdd(mlir::vector::BroadcastOp::create(b, vectorType, scalar), turned[i], sums[v]);
        }
      }
      return sums;
    };
    IndexEmitter::Values zeros(laneAt.size() / vectorLanes, zero);
    return forEachStep(b, loops.drop_back(), starts, zeros,
                       [&](ValueRange streams, ValueRange carried) -> IndexEmitter::Values {
                         const int64_t whole = inner.size - inner.size % vectorLanes;
                         IndexEmitter::Values sums =
                             b.loop(b.index(0), b.index(whole), vectorLanes, carried, [&](Value step, ValueRange sums) {
                               return block(streams, step, vectorLanes, IndexEmitter::Values(sums));
                             });
                         if (whole == inner.size)
                           return sums;
                         return block(streams, b.index(whole), inner.size - whole, std::move(sums));
                       });
  }

  /// Tells of the vectors that the epilogue will get when the sums of this block are finished.
  void announceTile(const StepBlock &block, Value row, int64_t rows, Value lane, int64_t vectors,
                    llvm::function_ref<Value(int64_t)> maskOf) {
    if (!ahead || layout.sweepsTile)
      return;
    auto announce = [&] {
      forEachVector(row, rows, lane, vectors, [&](int64_t i, int64_t v, OutputVector vector) {
        vector.mask = maskOf(v);
        ahead(b, b.getLoc(), vector);
      });
    };
    if (layout.blocking.blocked)
      b.either(block.isLast, announce, [] {});
    else
      announce();
  }

  /// The vectors of a tile, without values and masks.
  void forEachVector(Value row, int64_t rows, Value lane, int64_t vectors,
                     llvm::function_ref<void(int64_t, int64_t, OutputVector)> body) {
    IndexEmitter::Values outAt = rowOffsets(outLoops(LoopGroup::Row), row, rows);
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t v = 0; v < vectors; ++v) {
        Value at = b.add(lane, v * tiling.vectorLanes);
        body(i, v, {Value(), Value(), b.add(b.add(outStart, outAt[i]), at), batch, b.add(row, i), at});
      }
  }

  /// Hands finished sums to the epilogue, and others to scratch.
  void finishTile(const StepBlock &block, Value row, int64_t rows, Value lane, int64_t vectors,
                  llvm::function_ref<Value(int64_t)> maskOf, ValueRange sums) {
    auto keep = [&] {
      for (int64_t i = 0; i < rows; ++i)
        for (int64_t v = 0; v < vectors; ++v)
          mlir::vector::StoreOp::create(b, sums[i * vectors + v], operands.scratch, tileIndex(row, i, lane, v));
    };
    auto finishAll = [&] {
      forEachVector(row, rows, lane, vectors, [&](int64_t i, int64_t v, OutputVector vector) {
        vector.value = sums[i * vectors + v];
        vector.mask = maskOf(v);
        finish(vector);
      });
    };
    if (layout.sweepsTile)
      keep();
    else if (layout.blocking.blocked)
      b.either(block.isLast, finishAll, keep);
    else
      finishAll();
  }

  Value tileIndex(Value row, int64_t i, Value lane, int64_t v) {
    return b.add(tileAt(row, lane), i * layout.tilePitch + v * tiling.vectorLanes);
  }
  Value loadTile(Value row, int64_t i, Value lane, int64_t v) {
    return mlir::vector::LoadOp::create(b, vectorType, operands.scratch, tileIndex(row, i, lane, v));
  }

  /// Hands the sums of a task from scratch to the epilogue.
  void emitSweep() {
    int64_t lanesOn = tiling.vectorLanes;
    if (!tiling.exchange) {
      // Several vectors at once, so that an epilogue need not wait for its own results.
      while (epilogue && lanesOn < 4 * tiling.vectorLanes && 2 * lanesOn <= layout.laneCount &&
             (layout.laneTasks == 1 || tiling.taskLanes % (2 * lanesOn) == 0))
        lanesOn *= 2;
      b.loop(row0, rowEnd, 1, [&](Value row) {
        Value outAt = b.add(outStart, streamsAt(b, outLoops(LoopGroup::Row), {0}, row)[0]);
        forEachPiece(lane0, laneEnd, lanesOn, layout.laneCount, tiling.taskLanes, [&](Value lane, int64_t lanes) {
          int64_t width = llvm::alignTo(lanes, tiling.vectorLanes);
          Value exist;
          if (lanes < width)
            exist = mlir::vector::CreateMaskOp::create(b, VectorType::get(width, b.getI1Type()),
                                                       ValueRange{b.index(lanes)});
          Value value = mlir::vector::LoadOp::create(b, VectorType::get(width, element), operands.scratch,
                                                     tileIndex(row, 0, lane, 0));
          finish({value, exist, b.add(outAt, lane), batch, row, lane});
        });
      });
      return;
    }
    // The output is contiguous along the tile's columns.
    llvm::SmallVector<mlir::Attribute> distances;
    mlir::Type indexType = b.getI32Type();
    for (int64_t i = 0; i < lanesOn; ++i)
      distances.push_back(mlir::IntegerAttr::get(indexType, i * layout.tilePitch));
    VectorType offsetsType = VectorType::get(lanesOn, indexType);
    Value column =
        mlir::arith::ConstantOp::create(b, offsetsType, mlir::DenseElementsAttr::get(offsetsType, distances));
    Value all = mlir::arith::ConstantOp::create(b, maskType, mlir::DenseElementsAttr::get(maskType, true));
    b.loop(lane0, laneEnd, 1, [&](Value lane) {
      Value outAt = b.add(outStart, streamsAt(b, outLoops(LoopGroup::Lane), {0}, lane)[0]);
      b.loop(row0, rowEnd, lanesOn, [&](Value row) {
        Value value = mlir::vector::GatherOp::create(b, vectorType, operands.scratch, ValueRange{tileAt(row, lane)},
                                                     column, all, zero);
        Value exist = mlir::vector::CreateMaskOp::create(b, maskType, ValueRange{b.sub(rowEnd, row)});
        finish({value, exist, b.add(outAt, row), batch, lane, row});
      });
    });
  }

  void finish(const OutputVector &vector) { finishOutput(b, operands, epilogue, vector); }

  IndexEmitter &b;
  const ContractionLayout &layout;
  const Contraction &c;
  const ContractionTiling &tiling;
  const ContractionOperands &operands;
  const ContractionEpilogue &epilogue, &ahead;
  /// Operands, null where they are ready, and where panels lie.
  Value rowsMemref, lanesMemref, rowsMemory, lanesMemory;
  std::optional<Widening> rowsWidening, lanesWidening;
  mlir::Type element;
  VectorType vectorType, maskType;
  Value zero;

  // Of the task being emitted.
  Value batch, stale, row0, rowEnd, lane0, laneEnd, outStart;
  /// Of the block of steps being emitted.
  Value blockStep;
  /// Of the panel of packed lanes being used.
  Value laneAt;
  PanelSource rowsSource, lanesSource;
};

} // namespace

void emitPanels(mlir::OpBuilder &builder, mlir::Location loc, const Contraction &contraction,
                const ContractionTiling &tiling, const ContractionOperands &operands, bool rows, Value begin,
                Value end) {
  if (tiling.dot != DotInstruction::None)
    return emitDotPanels(builder, loc, contraction, tiling, operands, rows, begin, end);
  ContractionLayout layout(contraction, tiling);
  IndexEmitter b(loc, builder);
  KernelEmitter(b, layout, operands, {}, {}).emitPanels(rows, begin, end);
  builder.setInsertionPoint(b.getInsertionBlock(), b.getInsertionPoint());
}

void emitContraction(mlir::OpBuilder &builder, mlir::Location loc, const Contraction &contraction,
                     const ContractionTiling &tiling, const ContractionOperands &operands, Value begin, Value end,
                     const ContractionEpilogue &epilogue, const ContractionEpilogue &ahead) {
  if (tiling.dot != DotInstruction::None)
    return emitDotContraction(builder, loc, contraction, tiling, operands, begin, end, epilogue);
  ContractionLayout layout(contraction, tiling);
  if (layout.taskCount == 0)
    return;
  IndexEmitter b(loc, builder);
  KernelEmitter(b, layout, operands, epilogue, ahead).emit(begin, end);
  builder.setInsertionPoint(b.getInsertionBlock(), b.getInsertionPoint());
}

} // namespace burn::compiler
