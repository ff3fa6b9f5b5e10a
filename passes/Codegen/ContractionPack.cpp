#include "passes/Codegen/ContractionStreams.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

namespace burn::compiler {

using mlir::Value;
using mlir::ValueRange;
using mlir::VectorType;
using mlir::arith::CmpIPredicate;

namespace {

/// Rows of a segment shorter than this are cheaper to gather.
constexpr int64_t minSegment = 4;

/// The innermost lane loop moves through memory one element at a time.
bool isContiguousRun(const StreamLoop &loop, llvm::ArrayRef<PanelSource::Axis> axes) {
  int64_t elements = loop.strides[0];
  for (auto [axis, step] : llvm::zip(axes, llvm::ArrayRef(loop.strides).drop_front())) {
    if (step == 0)
      continue;
    if (step != 1 || axis.dilation != 1)
      return false;
    elements += axis.stride;
  }
  return elements == 1;
}

class Packer {
public:
  Packer(IndexEmitter &b, const PanelSource &source, const StepBlock &block, Value first, int64_t count,
         int64_t vectorLanes, int64_t total, const PanelTarget &target)
      : b(b), source(source), first(first), count(count), width(llvm::alignTo(count, vectorLanes)),
        vectorLanes(vectorLanes), total(total), target(target) {
    vectorType = VectorType::get(vectorLanes, computeType(source.memref, source.widening));
    loadType = VectorType::get(vectorLanes, mlir::cast<mlir::MemRefType>(source.memref.getType()).getElementType());
    maskType = VectorType::get(vectorLanes, b.getI1Type());
    zero = mlir::arith::ConstantOp::create(b, vectorType, b.getZeroAttr(vectorType));
    loadZero = mlir::arith::ConstantOp::create(b, loadType, b.getZeroAttr(loadType));
    starts.push_back(source.start);
    for (const PanelSource::Axis &axis : source.axes)
      starts.push_back(axis.start);
    loops = blockLoops(b, source.steps, block, starts);
    lanes = source.lanes;
    mergeStreams(b, lanes);
  }

  void emit() {
    switch (classifyPack(lanes, loops, source.axes, vectorLanes)) {
    case PackKind::Contiguous:
      return emitContiguous();
    case PackKind::Segments:
      return emitSegments();
    case PackKind::Transposed:
      return emitTransposed();
    case PackKind::Gathered:
      return emitGathered(loops, starts);
    }
  }

private:
  Value constantMask(int64_t lanesOn) {
    return mlir::vector::CreateMaskOp::create(b, maskType, ValueRange{b.index(lanesOn)});
  }
  Value load(Value at, Value mask) {
    if (!mask)
      return widen(b, mlir::vector::LoadOp::create(b, loadType, source.memref, at), source.widening);
    return widen(b, mlir::vector::MaskedLoadOp::create(b, loadType, source.memref, at, mask, loadZero),
                 source.widening);
  }
  void store(Value value, Value at, Value mask = nullptr) {
    if (mask)
      mlir::vector::MaskedStoreOp::create(b, target.memref, at, mask, value);
    else
      mlir::vector::StoreOp::create(b, value, target.memref, at);
  }
  Value targetAt(Value step, int64_t lane) { return b.add(b.add(target.base, b.mul(step, target.pitch)), lane); }

  /// Neighbouring lanes are neighbours in memory: plain vector copies.
  void emitContiguous() {
    IndexEmitter::Values begin = starts;
    begin[0] = b.add(starts[0], b.mul(first, lanes.front().strides[0]));
    const int64_t panels = count / target.lanes;
    auto copy = [&](ValueRange streams, Value from, Value to, int64_t lanesOn) {
      for (int64_t lane = 0; lane < lanesOn; lane += vectorLanes) {
        Value mask = lane + vectorLanes > lanesOn ? constantMask(lanesOn - lane) : Value();
        store(load(b.add(b.add(streams[0], from), lane), mask), b.add(b.add(targetAt(streams.back(), 0), to), lane));
      }
    };
    forEachStep(b, loops, begin, {}, [&](ValueRange streams, ValueRange) -> IndexEmitter::Values {
      b.loop(b.index(0), b.index(panels), 1, [&](Value panel) {
        copy(streams, b.mul(panel, target.lanes), b.mul(panel, target.panelElements), target.lanes);
      });
      copy(streams, b.index(panels * target.lanes), b.index(panels * target.panelElements), count % target.lanes);
      return {};
    });
  }

  /// Lanes come in runs that are contiguous in memory, such as the rows of an
  /// image: for each run, vectors of it over the innermost steps. A vector may
  /// write beyond its run, since the next run comes later and writes there again.
  void emitSegments() {
    if (count < width)
      forEachStep(b, loops, starts, {}, [&](ValueRange streams, ValueRange) -> IndexEmitter::Values {
        for (int64_t lane = 0; lane < width; lane += vectorLanes)
          store(zero, targetAt(streams.back(), lane));
        return {};
      });
    // Few steps for all runs, then the next few: the part of the panel being
    // filled stays in the first-level cache.
    size_t inner = loops.size();
    int64_t innerSteps = 1;
    while (inner > 0 && loops[inner - 1].size >= 0 && innerSteps * loops[inner - 1].size <= 32)
      innerSteps *= loops[--inner].size;
    llvm::ArrayRef<StreamLoop> all = loops;
    forEachStep(b, all.take_front(inner), starts, {}, [&](ValueRange streams, ValueRange) -> IndexEmitter::Values {
      emitRuns(all.drop_front(inner), streams);
      return {};
    });
  }

  void emitRuns(llvm::ArrayRef<StreamLoop> steps, ValueRange from) {
    int64_t run = lanes.back().size;
    llvm::ArrayRef<StreamLoop> outer = llvm::ArrayRef(lanes).drop_back();
    Value firstRun = b.div(first, run);
    Value lastRun = b.div(b.add(first, count + run - 1), run);
    b.loop(firstRun, lastRun, 1, [&](Value at) {
      llvm::SmallVector<int64_t> none(lanes.back().strides.size(), 0);
      IndexEmitter::Values atRun =
          outer.empty() ? IndexEmitter::Values(none.size(), b.index(0)) : streamsAt(b, outer, none, at);
      Value laneOfRun = b.sub(b.mul(at, run), first);
      Value low = b.max(b.index(0), b.sub(b.index(0), laneOfRun));
      Value high = b.min(b.index(run), b.sub(b.index(count), laneOfRun));
      auto piece = [&](Value in) {
        Value lane = b.add(laneOfRun, in);
        Value left = b.min(b.sub(high, in), b.index(vectorLanes));
        IndexEmitter::Values begin(from);
        for (auto [value, start, stride] : llvm::zip(begin, atRun, lanes.back().strides))
          value = b.add(b.add(value, start), stride ? b.mul(in, stride) : b.index(0));
        Value overruns = b.compare(CmpIPredicate::sgt, lane, b.index(width - vectorLanes));
        b.either(
            overruns, [&] { emitSegment(steps, begin, lane, left, true); },
            [&] { emitSegment(steps, begin, lane, left, false); });
      };
      if (run <= vectorLanes)
        piece(low);
      else
        b.loop(low, high, vectorLanes, piece);
    });
  }

  /// One copy of the body for each step: loops over the taps of a window are too short to pay for themselves.
  void unrolled(llvm::ArrayRef<StreamLoop> steps, ValueRange from, llvm::function_ref<void(ValueRange)> body) {
    if (steps.empty())
      return body(from);
    for (int64_t i = 0; i < steps.front().size; ++i) {
      IndexEmitter::Values at(from);
      for (auto [value, stride] : llvm::zip(at, steps.front().strides))
        value = b.add(value, i * stride);
      unrolled(steps.drop_front(), at, body);
    }
  }

  void emitSegment(llvm::ArrayRef<StreamLoop> steps, ValueRange begin, Value lane, Value left, bool maskedStore) {
    Value storeMask;
    Value leftMask = mlir::vector::CreateMaskOp::create(b, maskType, ValueRange{left});
    if (maskedStore)
      storeMask = leftMask;
    Value to = b.add(target.base, lane);
    unrolled(steps, begin, [&](ValueRange streams) {
      Value at = streams[0], mask = leftMask;
      Value high = left, low;
      for (auto [i, axis] : llvm::enumerate(source.axes)) {
        Value coordinate = streams[1 + i];
        if (lanes.back().strides[1 + i] != 0) {
          // Along the run: lanes whose coordinate lies in the axis.
          low = b.sub(b.index(0), coordinate);
          high = b.min(high, b.sub(b.index(axis.extent), coordinate));
          at = b.add(at, b.mul(coordinate, axis.stride));
          continue;
        }
        int64_t dilated = (axis.extent - 1) * axis.dilation + 1;
        Value exists = b.compare(CmpIPredicate::ult, coordinate, b.index(dilated));
        if (axis.dilation != 1) {
          Value whole = b.compare(CmpIPredicate::eq, b.rem(coordinate, axis.dilation), b.index(0));
          exists = b.createOrFold<mlir::arith::AndIOp>(exists, whole);
          coordinate = b.div(coordinate, axis.dilation);
        }
        high = b.select(exists, high, b.index(0));
        at = b.add(at, b.mul(coordinate, axis.stride));
      }
      if (!source.axes.empty()) {
        mask = mlir::vector::CreateMaskOp::create(b, maskType, ValueRange{high});
        if (low) {
          Value before = mlir::vector::CreateMaskOp::create(b, maskType, ValueRange{low});
          Value ones = mlir::arith::ConstantOp::create(b, maskType, mlir::DenseElementsAttr::get(maskType, true));
          mask = mlir::arith::AndIOp::create(b, mask, mlir::arith::XOrIOp::create(b, before, ones));
        }
      }
      store(load(at, mask), b.add(to, b.mul(streams.back(), target.pitch)), storeMask);
    });
  }

  /// Lanes lie apart and steps are neighbours: square blocks are loaded along
  /// the steps and turned in registers.
  void emitTransposed() {
    int64_t stride = lanes.front().strides[0];
    const StreamLoop inner = loops.back();
    llvm::ArrayRef<StreamLoop> outer = llvm::ArrayRef(loops).drop_back();
    Value steps = inner.size >= 0 ? b.index(inner.size) : inner.count;
    forEachStep(b, outer, starts, {}, [&](ValueRange streams, ValueRange) -> IndexEmitter::Values {
      Value end = steps;
      auto blocks = [&] {
        // The last block moves back to end with the steps; what it copies
        // twice is the same.
        Value last = b.add(end, -vectorLanes);
        b.loop(b.index(0), end, vectorLanes, [&](Value at) {
          Value step = b.min(at, last);
          // A loop: shuffles are slow to compile.
          b.loop(b.index(0), b.index(width), vectorLanes, [&](Value lane) { emitBlock(streams, step, lane, stride); });
        });
      };
      if (inner.size >= vectorLanes) {
        blocks();
        return {};
      }
      Value enough = b.compare(CmpIPredicate::sge, end, b.index(vectorLanes));
      b.either(enough, blocks, [&] { emitGathered({inner}, streams); });
      return {};
    });
  }

  void emitBlock(ValueRange streams, Value step, Value lane, int64_t stride) {
    IndexEmitter::Values rows;
    for (int64_t i = 0; i < vectorLanes; ++i) {
      // Lanes that do not exist repeat the last one.
      Value which = b.add(lane, i);
      if (count < width)
        which = b.min(which, b.index(count - 1));
      Value from = b.add(b.add(streams[0], step), b.mul(b.add(first, which), stride));
      rows.push_back(load(from, nullptr));
    }
    rows = transposeSquare(b, std::move(rows));
    Value at = b.add(streams.back(), step);
    for (int64_t i = 0; i < vectorLanes; ++i)
      store(rows[i], b.add(targetAt(b.add(at, i), 0), lane));
  }

  /// The general case: offsets of the lanes are computed as vectors, elements
  /// that do not exist are read at offset 0 and replaced.
  void emitGathered(llvm::ArrayRef<StreamLoop> over, ValueRange from) {
    int64_t reach = source.elements;
    for (const PanelSource::Axis &axis : source.axes)
      reach = std::max(reach, axis.extent * axis.dilation * 2);
    mlir::Type indexType = reach < (int64_t(1) << 30) ? b.getI32Type() : b.getI64Type();
    VectorType offsetsType = VectorType::get(vectorLanes, indexType);
    auto splat = [&](int64_t value) -> Value {
      return mlir::arith::ConstantOp::create(
          b, offsetsType,
          mlir::DenseElementsAttr::get(offsetsType, mlir::APInt(indexType.getIntOrFloatBitWidth(), value, true)));
    };
    auto spread = [&](Value index) -> Value {
      Value narrow = mlir::arith::IndexCastOp::create(b, indexType, index);
      return mlir::vector::BroadcastOp::create(b, offsetsType, narrow);
    };
    llvm::SmallVector<mlir::Attribute> counting;
    for (int64_t i = 0; i < vectorLanes; ++i)
      counting.push_back(mlir::IntegerAttr::get(indexType, i));
    Value iota = mlir::arith::ConstantOp::create(b, offsetsType, mlir::DenseElementsAttr::get(offsetsType, counting));

    // Each stream's value per lane, for each vector of the panel.
    llvm::SmallVector<IndexEmitter::Values> perLane;
    for (int64_t lane = 0; lane < width; lane += vectorLanes) {
      Value id = mlir::arith::AddIOp::create(b, spread(b.add(first, lane)), iota);
      id = mlir::arith::MinSIOp::create(b, id, splat(total - 1));
      IndexEmitter::Values values(lanes.front().strides.size(), splat(0));
      for (size_t i = lanes.size(); i-- > 0;) {
        Value at = id;
        if (i > 0) {
          at = mlir::arith::RemUIOp::create(b, id, splat(lanes[i].size));
          id = mlir::arith::DivUIOp::create(b, id, splat(lanes[i].size));
        }
        for (auto [value, stride] : llvm::zip(values, lanes[i].strides))
          if (stride != 0)
            value = mlir::arith::AddIOp::create(b, value, mlir::arith::MulIOp::create(b, at, splat(stride)));
      }
      perLane.push_back(std::move(values));
    }
    Value all = mlir::arith::ConstantOp::create(b, maskType, mlir::DenseElementsAttr::get(maskType, true));

    forEachStep(b, over, from, {}, [&](ValueRange streams, ValueRange) -> IndexEmitter::Values {
      for (int64_t lane = 0; lane < width; lane += vectorLanes) {
        const IndexEmitter::Values &values = perLane[lane / vectorLanes];
        Value offsets = mlir::arith::AddIOp::create(b, values[0], spread(streams[0]));
        Value exists;
        for (auto [i, axis] : llvm::enumerate(source.axes)) {
          Value coordinate = mlir::arith::AddIOp::create(b, values[1 + i], spread(streams[1 + i]));
          Value inside = mlir::arith::CmpIOp::create(b, CmpIPredicate::ult, coordinate,
                                                     splat((axis.extent - 1) * axis.dilation + 1));
          if (axis.dilation != 1) {
            Value rest = mlir::arith::RemUIOp::create(b, coordinate, splat(axis.dilation));
            Value whole = mlir::arith::CmpIOp::create(b, CmpIPredicate::eq, rest, splat(0));
            inside = mlir::arith::AndIOp::create(b, inside, whole);
            coordinate = mlir::arith::DivUIOp::create(b, coordinate, splat(axis.dilation));
          }
          exists = exists ? mlir::arith::AndIOp::create(b, exists, inside).getResult() : inside;
          offsets =
              mlir::arith::AddIOp::create(b, offsets, mlir::arith::MulIOp::create(b, coordinate, splat(axis.stride)));
        }
        if (exists)
          offsets = mlir::arith::SelectOp::create(b, exists, offsets, splat(0));
        Value value =
            mlir::vector::GatherOp::create(b, loadType, source.memref, ValueRange{b.index(0)}, offsets, all, loadZero);
        value = widen(b, value, source.widening);
        if (exists)
          value = mlir::arith::SelectOp::create(b, exists, value, zero);
        store(value, targetAt(streams.back(), lane));
      }
      return {};
    });
  }

  IndexEmitter &b;
  const PanelSource &source;
  Value first;
  int64_t count, width, vectorLanes, total;
  PanelTarget target;
  /// Of elements as they are packed, and as they are stored.
  VectorType vectorType, loadType, maskType;
  Value zero, loadZero;
  /// Offset, coordinates, and the step counter at the block's first step.
  IndexEmitter::Values starts;
  llvm::SmallVector<StreamLoop> loops, lanes;
};

} // namespace

IndexEmitter::Values transposeSquare(IndexEmitter &b, IndexEmitter::Values rows) {
  const auto size = static_cast<int64_t>(rows.size());
  // log2 rounds; in each, rows i and i + half of a group exchange halves at a
  // distance of `half` lanes.
  for (int64_t half = size / 2; half >= 1; half /= 2) {
    IndexEmitter::Values next(rows.size());
    llvm::SmallVector<int64_t> lower, upper;
    for (int64_t k = 0; k < size; ++k) {
      bool second = k & half;
      lower.push_back(second ? size + (k ^ half) : k);
      upper.push_back(second ? size + k : (k | half));
    }
    for (int64_t i = 0; i < size; ++i) {
      if (i & half)
        continue;
      next[i] = mlir::vector::ShuffleOp::create(b, rows[i], rows[i + half], lower);
      next[i + half] = mlir::vector::ShuffleOp::create(b, rows[i], rows[i + half], upper);
    }
    rows = std::move(next);
  }
  return rows;
}

PackKind classifyPack(llvm::ArrayRef<StreamLoop> lanes, llvm::ArrayRef<StreamLoop> steps,
                      llvm::ArrayRef<PanelSource::Axis> axes, int64_t vectorLanes) {
  bool checked = !axes.empty();
  if (lanes.size() == 1 && !checked && lanes.front().strides[0] == 1)
    return PackKind::Contiguous;
  if (isContiguousRun(lanes.back(), axes) && lanes.back().size >= minSegment)
    return PackKind::Segments;
  if (lanes.size() == 1 && !checked && !steps.empty() && steps.back().strides[0] == 1 &&
      (steps.back().size < 0 || steps.back().size >= vectorLanes))
    return PackKind::Transposed;
  return PackKind::Gathered;
}

void emitPack(IndexEmitter &b, const PanelSource &source, const StepBlock &block, Value first, int64_t count,
              int64_t vectorLanes, int64_t total, const PanelTarget &target) {
  Packer(b, source, block, first, count, vectorLanes, total, target).emit();
}

} // namespace burn::compiler
