// Panels whose elements are groups of neighbouring steps.
#include "passes/Codegen/ContractionDots.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

namespace burn::compiler {

using mlir::Value;
using mlir::ValueRange;
using mlir::VectorType;

namespace {

class GroupPacker {
public:
  GroupPacker(IndexEmitter &b, const GroupSource &source, Value first, int64_t count, const GroupPanel &panel)
      : b(b), source(source), first(first), count(count), panel(panel), lanes(panel.vectorLanes), group(source.group),
        wholeGroups(source.stepCount / group), someGroups(llvm::divideCeil(source.stepCount, group)) {
    storedElement = mlir::cast<mlir::MemRefType>(source.memref.getType()).getElementType();
    groupsType = VectorType::get(lanes, b.getI32Type());
    panelType = VectorType::get(lanes, mlir::cast<mlir::MemRefType>(panel.memref.getType()).getElementType());
  }

  void emit() {
    const bool lanesRun = source.stepStride != 1;
    if (panel.turned)
      return lanesRun ? emitSquaresOfLanes() : emitSquaresOfSteps();
    return lanesRun ? emitLanes() : emitTurnedSteps();
  }

private:
  /// `count` neighbouring elements, of which `exist` do; the others are zeros.
  Value load(Value at, int64_t size, int64_t exist) {
    VectorType type = VectorType::get(size, storedElement);
    if (exist >= size)
      return mlir::vector::LoadOp::create(b, type, source.memref, at);
    Value mask =
        mlir::vector::CreateMaskOp::create(b, VectorType::get(size, b.getI1Type()), ValueRange{b.index(exist)});
    return mlir::vector::MaskedLoadOp::create(b, type, source.memref, at, mask, zeros(type));
  }
  Value zeros(VectorType type) { return mlir::arith::ConstantOp::create(b, type, b.getZeroAttr(type)); }

  /// As panels hold them.
  Value packed(Value elements) {
    if (source.stored.width == source.packed.width)
      return elements;
    return ir::ScalarOps(b, b.getLoc(), source.stored).convert(elements, source.packed);
  }
  Value finished(Value groups) {
    if (!source.moves)
      return groups;
    auto signs = mlir::DenseElementsAttr::get(groupsType, llvm::APInt(32, 0x80808080u));
    return mlir::arith::XOrIOp::create(b, groups, mlir::arith::ConstantOp::create(b, groupsType, signs));
  }
  void store(Value groups, Value at) {
    mlir::vector::StoreOp::create(b, mlir::vector::BitCastOp::create(b, panelType, groups), panel.memref, at);
  }
  void storeZeros(Value at) { mlir::vector::StoreOp::create(b, zeros(panelType), panel.memref, at); }

  Value at(Value lane, Value step) {
    return b.add(b.add(source.start, b.mul(lane, source.laneStride)), b.mul(step, source.stepStride));
  }
  /// The group of a lane that is known, in its panel.
  Value groupAt(Value number, int64_t lane) {
    const int64_t panels = panel.lanes > 0 ? lane / panel.lanes : 0;
    return groupAt(number, b.index(panels * panel.panelElements + lane - panels * panel.lanes));
  }
  Value groupAt(Value number, Value lane) { return b.add(b.add(panel.base, b.mul(number, panel.pitch)), lane); }
  Value squareAt(Value number, Value lane) {
    return b.add(b.add(panel.base, b.mul(number, kSquare * kSquare)), b.mul(lane, kSquare));
  }

  /// One group of `lanes` neighbouring lanes of which `exist` do, from `steps` vectors along lanes.
  Value groupOfLanes(Value lane, Value step, int64_t exist, int64_t steps) {
    IndexEmitter::Values parts;
    for (int64_t i = 0; i < group; ++i)
      parts.push_back(i < steps ? packed(load(at(b.add(first, lane), b.add(step, i)), lanes, exist))
                                : zeros(VectorType::get(lanes, source.packed.getLowered(b.getContext()))));
    // Steps i and i + half next to each other, then pairs of pairs.
    while (parts.size() > 1) {
      const size_t half = parts.size() / 2;
      for (size_t i = 0; i < half; ++i)
        parts[i] = mlir::vector::InterleaveOp::create(b, parts[i], parts[i + half]);
      parts.resize(half);
    }
    return finished(mlir::vector::BitCastOp::create(b, groupsType, parts[0]));
  }

  /// `lanes` groups of one lane that `steps` steps are left for.
  Value groupsOfLane(Value lane, Value step, int64_t steps) {
    Value elements = load(at(lane, step), lanes * group, steps);
    return finished(mlir::vector::BitCastOp::create(b, groupsType, packed(elements)));
  }

  /// The body for every group, with the number of steps in it.
  void forEachGroup(llvm::function_ref<void(Value, int64_t)> body) {
    b.loop(b.index(0), b.index(wholeGroups), 1, [&](Value number) { body(number, group); });
    if (someGroups > wholeGroups)
      body(b.index(wholeGroups), source.stepCount % group);
  }
  /// The body for every block of as many groups as a vector has lanes, with the number of steps in it.
  void forEachBlock(llvm::function_ref<void(Value, int64_t)> body) {
    const int64_t size = lanes * group, whole = source.stepCount / size;
    b.loop(b.index(0), b.index(whole), 1, [&](Value number) { body(number, size); });
    if (source.stepCount % size != 0)
      body(b.index(whole), source.stepCount % size);
  }

  void emitLanes() {
    const auto each = [&](Value number, int64_t steps) {
      for (int64_t lane = 0; lane < count; lane += lanes)
        store(groupOfLanes(b.index(lane), b.mul(number, group), count - lane, steps), groupAt(number, lane));
    };
    forEachGroup(each);
    fillGroups(someGroups);
  }

  void fillGroups(int64_t from) {
    if (from < panel.groups)
      b.loop(b.index(from), b.index(panel.groups), 1, [&](Value number) {
        for (int64_t lane = 0; lane < count; lane += lanes)
          storeZeros(groupAt(number, lane));
      });
  }

  void emitTurnedSteps() {
    forEachBlock([&](Value number, int64_t steps) {
      const int64_t stored = std::min<int64_t>(lanes, llvm::divideCeil(steps, group));
      // A loop: shuffles are slow to compile.
      b.loop(b.index(0), b.index(llvm::alignTo(count, lanes)), lanes, [&](Value lane) {
        IndexEmitter::Values rows;
        for (int64_t i = 0; i < lanes; ++i) {
          // Lanes that do not exist repeat the last one.
          Value which = b.add(lane, i);
          if (count % lanes != 0)
            which = b.min(which, b.index(count - 1));
          rows.push_back(groupsOfLane(b.add(first, which), b.mul(number, lanes * group), steps));
        }
        rows = transposeSquare(b, std::move(rows));
        for (int64_t i = 0; i < stored; ++i)
          store(rows[i], groupAt(b.add(b.mul(number, lanes), i), lane));
      });
    });
    fillGroups(someGroups);
  }

  void emitSquaresOfLanes() {
    forEachBlock([&](Value number, int64_t steps) {
      IndexEmitter::Values rows;
      for (int64_t i = 0; i < lanes; ++i) {
        const int64_t left = std::clamp<int64_t>(steps - i * group, 0, group);
        rows.push_back(left == 0
                           ? zeros(groupsType)
                           : groupOfLanes(b.index(0), b.add(b.mul(number, lanes * group), i * group), count, left));
      }
      rows = transposeSquare(b, std::move(rows));
      for (int64_t i = 0; i < lanes; ++i)
        store(rows[i], squareAt(number, b.index(i)));
    });
  }

  void emitSquaresOfSteps() {
    b.loop(b.index(0), b.index(count), 1, [&](Value lane) {
      forEachBlock([&](Value number, int64_t steps) {
        store(groupsOfLane(b.add(first, lane), b.mul(number, lanes * group), steps), squareAt(number, lane));
      });
    });
    // Rows that do not exist must be numbers too where sums are floats, though nothing reads what becomes of them.
    if (count < kSquare)
      b.loop(b.index(0), b.index(panel.groups / kSquare), 1, [&](Value number) {
        b.loop(b.index(count), b.index(kSquare), 1, [&](Value lane) { storeZeros(squareAt(number, lane)); });
      });
  }

  IndexEmitter &b;
  const GroupSource &source;
  Value first;
  int64_t count;
  const GroupPanel &panel;
  int64_t lanes, group, wholeGroups, someGroups;
  mlir::Type storedElement;
  VectorType groupsType, panelType;
};

} // namespace

void emitGroupPanel(IndexEmitter &b, const GroupSource &source, Value first, int64_t count, const GroupPanel &panel) {
  GroupPacker(b, source, first, count, panel).emit();
}

} // namespace burn::compiler
