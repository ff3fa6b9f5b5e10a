// Kernels of products made of instructions that take several steps at once.
#include "passes/Codegen/ContractionDots.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

namespace burn::compiler {

using mlir::Value;
using mlir::ValueRange;
using mlir::VectorType;
using mlir::arith::CmpIPredicate;

namespace {

/// An instruction on whole vectors.
class DotEmitter {
public:
  DotEmitter(IndexEmitter &b, DotInstruction instruction, const DotRoles &roles, VectorType sums)
      : b(b), instruction(instruction), roles(roles), sums(sums), bits(sums.getNumElements() * 32) {}

  /// sum + products of the groups of `rows` and `lanes`, both vectors of the type of sums.
  Value multiplyAdd(Value rows, Value lanes, Value sum) {
    const int64_t size = sums.getNumElements();
    const auto as = [&](Value value, mlir::Type element, int64_t count) -> Value {
      return mlir::vector::BitCastOp::create(b, VectorType::get(size * count, element), value);
    };
    if (instruction == DotInstruction::Vdpbf16ps) {
      mlir::Type element = b.getBF16Type();
      return call("llvm.x86.avx512bf16.dpbf16ps.512", {sum, as(rows, element, 2), as(lanes, element, 2)});
    }
    if (instruction == DotInstruction::Vpdpbusd) {
      Value first = as(roles.lanesFirst ? lanes : rows, b.getI8Type(), 4);
      Value second = as(roles.lanesFirst ? rows : lanes, b.getI8Type(), 4);
      return call("llvm.x86.avx512.vpdpbusd." + llvm::Twine(bits), {sum, first, second});
    }
    Value first = as(rows, b.getI16Type(), 2), second = as(lanes, b.getI16Type(), 2);
    if (instruction == DotInstruction::Vpdpwssd)
      return call("llvm.x86.avx512.vpdpwssd." + llvm::Twine(bits), {sum, first, second});
    const char *name = bits == 512   ? "llvm.x86.avx512.pmaddw.d.512"
                       : bits == 256 ? "llvm.x86.avx2.pmadd.wd"
                                     : "llvm.x86.sse2.pmadd.wd";
    return mlir::arith::AddIOp::create(b, sum, call(name, {first, second}));
  }

private:
  Value call(const llvm::Twine &name, ValueRange arguments) {
    return mlir::LLVM::CallIntrinsicOp::create(b, sums, b.getStringAttr(name), arguments).getResult(0);
  }

  IndexEmitter &b;
  DotInstruction instruction;
  const DotRoles &roles;
  VectorType sums;
  int64_t bits;
};

/// Tile registers: four squares of sums, two of rows, two of lanes.
class TileEmitter {
public:
  /// Panels of rows and lanes that are ready, else null; `rows` is the rows operand, null where it is among them.
  TileEmitter(IndexEmitter &b, DotInstruction instruction, const DotRoles &roles, Value scratch, Value rowPanels,
              Value lanePanels, Value rows)
      : b(b), rowBytes(roles.rows.width / 8) {
    const auto sign = [](const ir::ScalarKind &kind) { return kind.isUnsigned() ? "u" : "s"; };
    multiply = instruction == DotInstruction::TileBFloat16
                   ? "llvm.x86.tdpbf16ps"
                   : (llvm::Twine("llvm.x86.tdpb") + sign(roles.rows) + sign(roles.lanes) + "d").str();
    const auto baseOf = [&](Value memory) -> Value {
      Value address = mlir::memref::ExtractAlignedPointerAsIndexOp::create(b, memory);
      return mlir::LLVM::IntToPtrOp::create(b, mlir::LLVM::LLVMPointerType::get(b.getContext()), word(address));
    };
    base = baseOf(scratch);
    rowPanelsBase = rowPanels ? baseOf(rowPanels) : base;
    lanePanelsBase = lanePanels ? baseOf(lanePanels) : base;
    rowsBase = rows ? baseOf(rows) : base;
  }

  /// Makes every tile register 16 rows of 64 bytes. `at` is scratch memory for 64 bytes.
  void configure(Value scratch, int64_t at) {
    // Palette 1; eight times 64 bytes a row (16 bits each), eight times 16 rows (8 bits each).
    uint32_t words[16] = {1};
    for (int i = 4; i < 8; ++i)
      words[i] = 64 << 16 | 64;
    for (int i = 12; i < 14; ++i)
      words[i] = 0x10101010;
    VectorType type = VectorType::get(16, b.getI32Type());
    Value value =
        mlir::arith::ConstantOp::create(b, type, mlir::DenseIntElementsAttr::get(type, llvm::ArrayRef(words)));
    VectorType stored = VectorType::get(16, mlir::cast<mlir::MemRefType>(scratch.getType()).getElementType());
    mlir::vector::StoreOp::create(b, mlir::vector::BitCastOp::create(b, stored, value), scratch, b.index(at));
    call("llvm.x86.ldtilecfg", {pointer(base, b.index(at))});
  }
  void release() { call("llvm.x86.tilerelease", {}); }

  void zero(int tile) { call("llvm.x86.tilezero", {number(tile)}); }
  /// `at` and `pitch` count elements of scratch memory.
  void load(int tile, Value at, int64_t pitch) {
    call("llvm.x86.tileloadd64", {number(tile), pointer(base, at), bytes(pitch)});
  }
  /// The same of a panel, which may be ready.
  void loadPanel(bool isRows, int tile, Value at, int64_t pitch) {
    call("llvm.x86.tileloadd64", {number(tile), pointer(isRows ? rowPanelsBase : lanePanelsBase, at), bytes(pitch)});
  }
  /// The same of the rows operand, as it is stored.
  void loadRows(int tile, Value at, int64_t pitch) {
    Value place = mlir::LLVM::GEPOp::create(b, base.getType(), b.getI8Type(), rowsBase,
                                            llvm::ArrayRef<mlir::LLVM::GEPArg>{word(b.mul(at, rowBytes))});
    Value step = mlir::LLVM::ConstantOp::create(b, b.getI64Type(), b.getI64IntegerAttr(rowBytes * pitch));
    call("llvm.x86.tileloadd64", {number(tile), place, step});
  }
  void store(int tile, Value at, int64_t pitch) {
    call("llvm.x86.tilestored64", {number(tile), pointer(base, at), bytes(pitch)});
  }
  void multiplyAdd(int sum, int rows, int lanes) { call(multiply, {number(sum), number(rows), number(lanes)}); }

private:
  Value word(Value index) { return mlir::arith::IndexCastOp::create(b, b.getI64Type(), index); }
  Value number(int tile) { return mlir::LLVM::ConstantOp::create(b, b.getI8Type(), b.getI8IntegerAttr(tile)); }
  Value bytes(int64_t pitch) {
    return mlir::LLVM::ConstantOp::create(b, b.getI64Type(), b.getI64IntegerAttr(4 * pitch));
  }
  Value pointer(Value from, Value at) {
    return mlir::LLVM::GEPOp::create(b, from.getType(), b.getI32Type(), from,
                                     llvm::ArrayRef<mlir::LLVM::GEPArg>{word(at)});
  }
  void call(llvm::StringRef name, ValueRange arguments) {
    mlir::LLVM::CallIntrinsicOp::create(b, b.getStringAttr(name), arguments);
  }

  IndexEmitter &b;
  int64_t rowBytes;
  std::string multiply;
  Value base, rowPanelsBase, lanePanelsBase, rowsBase;
};

/// The loops of one contraction: tasks, blocks of steps, panels of lanes, tiles of rows. All steps of the panels of a
/// task are packed before, and kept while the next task has the same rows or lanes.
class KernelEmitter {
public:
  KernelEmitter(IndexEmitter &b, const DotLayout &layout, const ContractionOperands &operands,
                const ContractionEpilogue &epilogue)
      : b(b), layout(layout), c(layout.contraction), tiling(layout.tiling), operands(operands), epilogue(epilogue),
        roles(dotRoles(tiling.dot, operands.kinds, c.lhsIsRows)) {
    element = operands.kinds.sum.getLowered(b.getContext());
    sumsType = VectorType::get(tiling.vectorLanes, element);
    rowsMemory = tiling.readyRows ? operands.rowPanels : operands.scratch;
    lanesMemory = tiling.readyLanes ? operands.lanePanels : operands.scratch;
    if (!layout.tiles)
      dots.emplace(b, tiling.dot, roles, sumsType);
  }

  void emit(Value begin, Value end) {
    if (layout.tiles) {
      tiles.emplace(b, tiling.dot, roles, operands.scratch, operands.rowPanels, operands.lanePanels,
                    c.lhsIsRows ? operands.lhs : operands.rhs);
      tiles->configure(operands.scratch, layout.config);
    }
    Value none = b.index(-1);
    b.loop(begin, end, 1, {none, none}, [&](Value task, ValueRange held) -> IndexEmitter::Values {
      Value rowBlock = b.rem(task, layout.rowTasks);
      Value lanesId = b.div(task, layout.rowTasks);
      Value laneBlock = b.rem(lanesId, layout.laneTasks);
      batch = b.div(lanesId, layout.laneTasks);
      Value rowsId = b.add(b.mul(batch, layout.rowTasks), rowBlock);
      row0 = b.mul(rowBlock, tiling.taskRows);
      lane0 = b.mul(laneBlock, tiling.taskLanes);
      rowEnd = b.min(b.add(row0, tiling.taskRows), b.index(layout.rowCount));
      laneEnd = b.min(b.add(lane0, tiling.taskLanes), b.index(layout.laneCount));
      if (!tiling.readyLanes)
        b.when(b.compare(CmpIPredicate::ne, lanesId, held[0]), [&] { packLanes(layout.panelsAtOnce); });
      if (tiling.packRows && !tiling.readyRows)
        b.when(b.compare(CmpIPredicate::ne, rowsId, held[1]), [&] { packRows(); });
      outStart = streamsAt(b, outLoops(LoopGroup::Batch), {0}, batch)[0];
      if (layout.tiles)
        emitBlocks();
      else
        emitTiles();
      return {lanesId, rowsId};
    });
    if (tiles)
      tiles->release();
  }

  /// Packs rows or lanes that are ready: a panel a task.
  void emitPanels(bool rows, Value begin, Value end) {
    const int64_t panels = rows ? layout.allRowPanels : layout.allLanePanels;
    const int64_t size = rows ? layout.panelRows : layout.panelLanes, count = rows ? layout.rowCount : layout.laneCount;
    b.loop(begin, end, 1, {}, [&](Value task, ValueRange) -> IndexEmitter::Values {
      batch = b.div(task, panels);
      Value from = b.mul(b.rem(task, panels), size);
      (rows ? row0 : lane0) = from;
      (rows ? rowEnd : laneEnd) = b.min(b.add(from, size), b.index(count));
      if (rows)
        packRows();
      else
        packLanes(1);
      return {};
    });
  }

private:
  llvm::SmallVector<StreamLoop> outLoops(LoopGroup group) {
    llvm::SmallVector<StreamLoop> loops;
    for (const ContractionLoop &loop : c.loops(group))
      loops.push_back({loop.size, nullptr, {loop.outStride}});
    mergeStreams(b, loops);
    return loops;
  }

  /// Runs `body(first, count)` over pieces of `size` indices of [lo, hi), and over the shorter piece at the end of
  /// `total`.
  void forEachPiece(Value lo, Value hi, int64_t size, int64_t total, llvm::function_ref<void(Value, int64_t)> body) {
    const int64_t tail = total % size;
    Value fullEnd = hi;
    if (tail != 0) {
      Value length = b.sub(hi, lo);
      fullEnd = b.add(lo, b.sub(length, b.rem(length, size)));
    }
    if (total >= size)
      b.loop(lo, fullEnd, size, [&](Value first) { body(first, size); });
    if (tail != 0)
      b.when(b.compare(CmpIPredicate::slt, fullEnd, hi), [&] { body(fullEnd, tail); });
  }

  GroupSource sourceOf(bool rows) {
    const bool isLhs = c.lhsIsRows == rows;
    const ContractionLoop &lane = (rows ? c.rows : c.lanes).front(), &step = c.contracted.front();
    GroupSource source;
    source.memref = isLhs ? operands.lhs : operands.rhs;
    source.stored = isLhs ? operands.kinds.lhs : operands.kinds.rhs;
    source.packed = rows ? roles.rows : roles.lanes;
    source.start = streamsAt(b, operandStreams(c, rows, LoopGroup::Batch), {rows ? c.rowsBase : c.lanesBase}, batch)[0];
    source.laneStride = rows ? lane.rowStride : lane.laneStride;
    source.stepStride = rows ? step.rowStride : step.laneStride;
    source.laneCount = lane.size;
    source.stepCount = step.size;
    source.group = roles.group;
    source.moves = rows && roles.movesRows;
    return source;
  }

  void packRows() {
    const GroupSource source = sourceOf(true);
    forEachPiece(row0, rowEnd, layout.panelRows, layout.rowCount, [&](Value row, int64_t rows) {
      emitGroupPanel(b, source, row, rows,
                     {rowsMemory, rowPanel(row), layout.rowPitch, layout.rowPitch, layout.groups, layout.tiles});
    });
  }
  void packLanes(int64_t panelsAtOnce) {
    const GroupSource source = sourceOf(false);
    const int64_t atOnce = panelsAtOnce * layout.panelLanes;
    forEachPiece(lane0, laneEnd, atOnce, layout.laneCount, [&](Value lane, int64_t lanes) {
      emitGroupPanel(b, source, lane, lanes,
                     {lanesMemory, lanePanel(lane), tiling.vectorLanes, layout.panelLanes, layout.groups,
                      /*turned=*/false, layout.panelLanes, layout.lanePanelElements});
    });
    if (roles.movesRows)
      forEachPiece(lane0, laneEnd, layout.panelLanes, layout.laneCount, [&](Value lane, int64_t lanes) {
        emitStart(lanePanel(lane), llvm::divideCeil(lanes, tiling.vectorLanes));
      });
  }

  Value rowPanel(Value row) {
    if (tiling.readyRows)
      return readyPanel(b.div(row, layout.panelRows), layout.allRowPanels, layout.rowPanelElements);
    Value panel = b.div(b.sub(row, row0), layout.panelRows);
    return b.add(b.mul(panel, layout.rowPanelElements), layout.rowPanels);
  }
  Value lanePanel(Value lane) {
    if (tiling.readyLanes)
      return readyPanel(b.div(lane, layout.panelLanes), layout.allLanePanels, layout.lanePanelElements);
    Value panel = b.div(b.sub(lane, lane0), layout.panelLanes);
    return b.add(b.mul(panel, layout.lanePanelElements), layout.lanePanels);
  }
  Value readyPanel(Value panel, int64_t all, int64_t elements) {
    return b.mul(b.add(b.mul(batch, all), panel), elements);
  }
  Value startOf(Value panel) { return b.add(panel, layout.panelLanes * layout.groups); }

  /// What sums of these lanes begin with: a row of zeros, moved as the others are, must end at zero.
  void emitStart(Value panel, int64_t vectors) {
    Value none = mlir::arith::ConstantOp::create(b, sumsType, b.getZeroAttr(sumsType));
    Value moved = mlir::arith::ConstantOp::create(b, sumsType,
                                                  mlir::DenseElementsAttr::get(sumsType, llvm::APInt(32, 0x80808080u)));
    IndexEmitter::Values sums =
        b.loop(b.index(0), b.index(layout.groups), 1, IndexEmitter::Values(vectors, none),
               [&](Value step, ValueRange carried) -> IndexEmitter::Values {
                 IndexEmitter::Values next;
                 for (int64_t v = 0; v < vectors; ++v)
                   next.push_back(dots->multiplyAdd(moved, loadLanes(panel, step, v), carried[v]));
                 return next;
               });
    for (int64_t v = 0; v < vectors; ++v)
      mlir::vector::StoreOp::create(b, mlir::arith::SubIOp::create(b, none, sums[v]), lanesMemory,
                                    b.add(startOf(panel), v * tiling.vectorLanes));
  }

  Value loadLanes(Value panel, Value step, int64_t v) {
    Value at = b.add(b.add(panel, b.mul(step, layout.panelLanes)), v * tiling.vectorLanes);
    return mlir::vector::LoadOp::create(b, sumsType, lanesMemory, at);
  }

  void emitTiles() {
    forEachPiece(lane0, laneEnd, tiling.tileLanes, layout.laneCount, [&](Value lane, int64_t lanes) {
      forEachPiece(row0, rowEnd, tiling.tileRows, layout.rowCount, [&](Value row, int64_t rows) {
        emitVectors(row, rows, lane, llvm::divideCeil(lanes, tiling.vectorLanes));
        finishTile(b.index(layout.tile), row, rows, lane, lanes);
      });
    });
  }

  /// The sums of a tile, in vector registers, and from there to scratch memory.
  void emitVectors(Value row, int64_t rows, Value lane, int64_t vectors) {
    Value rowsAt = rowPanel(row), lanesAt = lanePanel(lane);
    IndexEmitter::Values sums;
    for (int64_t v = 0; v < vectors; ++v)
      sums.push_back(roles.movesRows ? Value(mlir::vector::LoadOp::create(
                                           b, sumsType, lanesMemory, b.add(startOf(lanesAt), v * tiling.vectorLanes)))
                                     : Value(mlir::arith::ConstantOp::create(b, sumsType, b.getZeroAttr(sumsType))));
    IndexEmitter::Values start;
    for (int64_t i = 0; i < rows; ++i)
      start.append(sums);
    sums = b.loop(b.index(0), b.index(layout.groups), 1, start,
                  [&](Value step, ValueRange carried) -> IndexEmitter::Values {
                    IndexEmitter::Values right, next;
                    if (layout.streamsPanels)
                      prefetchStream(b, lanesMemory, b.add(lanesAt, b.mul(step, layout.panelLanes)),
                                     vectors * tiling.vectorLanes);
                    for (int64_t v = 0; v < vectors; ++v)
                      right.push_back(loadLanes(lanesAt, step, v));
                    Value from = b.add(rowsAt, b.mul(step, layout.rowPitch));
                    for (int64_t i = 0; i < rows; ++i) {
                      Value scalar = mlir::memref::LoadOp::create(b, rowsMemory, ValueRange{b.add(from, i)});
                      Value left = mlir::vector::BroadcastOp::create(b, sumsType, scalar);
                      for (int64_t v = 0; v < vectors; ++v)
                        next.push_back(dots->multiplyAdd(left, right[v], carried[i * vectors + v]));
                    }
                    return next;
                  });
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t v = 0; v < vectors; ++v)
        mlir::vector::StoreOp::create(b, sums[i * vectors + v], operands.scratch,
                                      b.index(layout.tile + i * layout.tilePitch + v * tiling.vectorLanes));
  }

  void emitBlocks() {
    if (!layout.isBlocked())
      return emitSquares(b.index(0), b.index(layout.squares), nullptr, nullptr);
    b.loop(b.index(0), b.index(layout.squares), layout.blockSquares, [&](Value first) {
      Value end = b.min(b.add(first, layout.blockSquares), b.index(layout.squares));
      emitSquares(first, end, b.compare(CmpIPredicate::eq, first, b.index(0)),
                  b.compare(CmpIPredicate::eq, end, b.index(layout.squares)));
    });
  }

  /// Tiles over the squares of steps [first, end). `isFirst` and `isLast` are null where there is one block.
  void emitSquares(Value first, Value end, Value isFirst, Value isLast) {
    b.loop(row0, rowEnd, layout.sweptRows, [&](Value sweep) {
      Value sweepEnd = b.min(b.add(sweep, layout.sweptRows), rowEnd);
      forEachPiece(lane0, laneEnd, tiling.tileLanes, layout.laneCount, [&](Value lane, int64_t lanes) {
        forEachPiece(sweep, sweepEnd, tiling.tileRows, layout.rowCount, [&](Value row, int64_t rows) {
          Value tile = b.index(layout.tile);
          if (layout.isBlocked())
            tile = b.add(b.add(tile, b.mul(b.sub(row, row0), layout.tilePitch)), b.sub(lane, lane0));
          emitTile(tile, row, llvm::divideCeil(rows, kSquare), lane, llvm::divideCeil(lanes, kSquare), first, end,
                   isFirst);
          const auto finish = [&] { finishTile(tile, row, rows, lane, lanes); };
          if (isLast)
            b.when(isLast, finish);
          else
            finish();
        });
      });
    });
  }

  /// Sums of up to two by two squares, in tile registers, and from there to scratch memory.
  void emitTile(Value tile, Value row, int64_t rowSquares, Value lane, int64_t laneSquares, Value first, Value end,
                Value isFirst) {
    constexpr int firstRows = 4, firstLanes = 6;
    const auto forEachSum = [&](llvm::function_ref<void(int, Value)> body) {
      for (int64_t i = 0; i < rowSquares; ++i)
        for (int64_t j = 0; j < laneSquares; ++j)
          body(int(2 * i + j), b.add(tile, i * kSquare * layout.tilePitch + j * kSquare));
    };
    const auto clear = [&] { forEachSum([&](int sum, Value) { tiles->zero(sum); }); };
    if (isFirst)
      b.either(isFirst, clear, [&] { forEachSum([&](int sum, Value at) { tiles->load(sum, at, layout.tilePitch); }); });
    else
      clear();
    Value lanesAt = lanePanel(lane), rowsAt;
    const int64_t rowPitch = c.rows.front().rowStride;
    if (tiling.packRows)
      rowsAt = rowPanel(row);
    else
      rowsAt = b.add(sourceOf(true).start, b.mul(row, rowPitch));
    b.loop(first, end, 1, [&](Value square) {
      Value step = b.mul(square, kSquare * kSquare);
      for (int64_t j = 0; j < laneSquares; ++j) {
        Value at = b.add(b.add(lanesAt, j * layout.lanePanelElements), step);
        if (layout.streamsPanels)
          prefetchStream(b, lanesMemory, at, kSquare * kSquare);
        tiles->loadPanel(false, int(firstLanes + j), at, kSquare);
      }
      for (int64_t i = 0; i < rowSquares; ++i) {
        if (tiling.packRows)
          tiles->loadPanel(true, int(firstRows + i), b.add(b.add(rowsAt, i * layout.rowPanelElements), step), kSquare);
        else
          tiles->loadRows(int(firstRows + i),
                          b.add(b.add(rowsAt, i * kSquare * rowPitch), b.mul(square, kSquare * roles.group)), rowPitch);
        for (int64_t j = 0; j < laneSquares; ++j)
          tiles->multiplyAdd(int(2 * i + j), int(firstRows + i), int(firstLanes + j));
      }
    });
    forEachSum([&](int sum, Value at) { tiles->store(sum, at, layout.tilePitch); });
  }

  /// Hands the sums of a tile from scratch memory to the epilogue, which is emitted once for all rows.
  void finishTile(Value tile, Value row, int64_t rows, Value lane, int64_t lanes) {
    const int64_t width = llvm::alignTo(lanes, tiling.vectorLanes);
    Value exist;
    if (lanes < width)
      exist = mlir::vector::CreateMaskOp::create(b, VectorType::get(width, b.getI1Type()), ValueRange{b.index(lanes)});
    llvm::SmallVector<StreamLoop> loops = outLoops(LoopGroup::Row);
    b.loop(b.index(0), b.index(rows), 1, [&](Value i) {
      Value number = b.add(row, i);
      Value at = b.add(b.add(outStart, streamsAt(b, loops, {0}, number)[0]), lane);
      Value sums = mlir::vector::LoadOp::create(b, VectorType::get(width, element), operands.scratch,
                                                b.add(tile, b.mul(i, layout.tilePitch)));
      finishOutput(b, operands, epilogue, {sums, exist, at, batch, number, lane});
    });
  }

  IndexEmitter &b;
  const DotLayout &layout;
  const Contraction &c;
  const ContractionTiling &tiling;
  const ContractionOperands &operands;
  const ContractionEpilogue &epilogue;
  const DotRoles roles;
  /// Where panels lie.
  Value rowsMemory, lanesMemory;
  mlir::Type element;
  VectorType sumsType;
  std::optional<DotEmitter> dots;
  std::optional<TileEmitter> tiles;

  // Of the task being emitted.
  Value batch, row0, rowEnd, lane0, laneEnd, outStart;
};

} // namespace

Value roundSums(mlir::OpBuilder &builder, mlir::Location loc, DotInstruction instruction, const ContractionKinds &kinds,
                Value sums) {
  if (isExact(instruction) || !kinds.result.isFloat() || kinds.result.width != 16)
    return ir::ScalarOps(builder, loc, kinds.sum).convert(sums, kinds.result);
  // One instruction for a register in place of ten.
  constexpr int64_t lanes = 16;
  auto type = mlir::cast<VectorType>(sums.getType());
  auto rounded = VectorType::get(lanes, builder.getBF16Type()), stored = VectorType::get(lanes, builder.getI16Type());
  auto whole = VectorType::get(type.getShape(), builder.getI16Type());
  Value result = mlir::arith::ConstantOp::create(builder, loc, whole, builder.getZeroAttr(whole));
  for (int64_t lane = 0; lane < type.getNumElements(); lane += lanes) {
    Value part = mlir::vector::ExtractStridedSliceOp::create(builder, loc, sums, lane, lanes, 1);
    Value narrow = mlir::LLVM::CallIntrinsicOp::create(
                       builder, loc, rounded, builder.getStringAttr("llvm.x86.avx512bf16.cvtneps2bf16.512"), part)
                       .getResult(0);
    result = mlir::vector::InsertStridedSliceOp::create(
        builder, loc, mlir::vector::BitCastOp::create(builder, loc, stored, narrow), result, lane, 1);
  }
  return result;
}

void emitDotPanels(mlir::OpBuilder &builder, mlir::Location loc, const Contraction &contraction,
                   const ContractionTiling &tiling, const ContractionOperands &operands, bool rows, Value begin,
                   Value end) {
  DotLayout layout(contraction, tiling);
  IndexEmitter b(loc, builder);
  KernelEmitter(b, layout, operands, {}).emitPanels(rows, begin, end);
  builder.setInsertionPoint(b.getInsertionBlock(), b.getInsertionPoint());
}

void emitDotContraction(mlir::OpBuilder &builder, mlir::Location loc, const Contraction &contraction,
                        const ContractionTiling &tiling, const ContractionOperands &operands, Value begin, Value end,
                        const ContractionEpilogue &epilogue) {
  DotLayout layout(contraction, tiling);
  if (layout.taskCount == 0)
    return;
  IndexEmitter b(loc, builder);
  KernelEmitter(b, layout, operands, epilogue).emit(begin, end);
  builder.setInsertionPoint(b.getInsertionBlock(), b.getInsertionPoint());
}

} // namespace burn::compiler
