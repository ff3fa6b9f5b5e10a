// Which instruction multiplies several steps at once, and how the product is cut for it.
#include "passes/Codegen/ContractionDots.h"

#include "passes/Targets/Cpu/CpuTarget.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

namespace burn::compiler {
namespace {

constexpr llvm::StringLiteral kNames[] = {"", "vpmaddwd", "vpdpwssd", "vpdpbusd", "vdpbf16ps", "amx-int8", "amx-bf16"};

bool isInteger(const ir::ScalarKind &kind, unsigned width) { return kind.isInteger() && kind.width == width; }

/// Whether the signs of stored elements tell in the result: not where it has as few bits as they.
bool signsMatter(const ContractionKinds &kinds) {
  return kinds.result.width > std::max(kinds.lhs.width, kinds.rhs.width);
}

/// The size of tasks of up to `most` of `total`, in whole pieces: equal ones rather than a short last one.
int64_t evenTasks(int64_t most, int64_t piece, int64_t total) {
  int64_t pieces = llvm::divideCeil(total, piece);
  int64_t tasks = llvm::divideCeil(pieces, std::max<int64_t>(1, most / piece));
  return llvm::divideCeil(pieces, tasks) * piece;
}

/// Contraction with one loop of each kind but batches, and operands contiguous along lanes or along steps.
bool isPlain(const Contraction &c, llvm::StringRef &why) {
  if (!c.window.empty() || c.rows.size() != 1 || c.lanes.size() != 1 || c.contracted.size() != 1) {
    why = "an instruction of several steps takes products of matrices alone";
    return false;
  }
  const ContractionLoop &row = c.rows.front(), &lane = c.lanes.front(), &step = c.contracted.front();
  const auto isRun = [](int64_t stride, int64_t size) { return stride == 1 || size == 1; };
  if (!(isRun(row.rowStride, row.size) || step.rowStride == 1) ||
      !(isRun(lane.laneStride, lane.size) || step.laneStride == 1) || !isRun(lane.outStride, lane.size)) {
    why = "an instruction of several steps takes operands that are contiguous";
    return false;
  }
  return true;
}

/// Whether rows are squares of tile registers as they lie in memory.
bool canReadRows(const Contraction &c, DotInstruction instruction) {
  return usesTiles(instruction) && c.contracted.front().rowStride == 1 && c.rows.front().size % kSquare == 0 &&
         c.contracted.front().size % (kSquare * stepsOf(instruction)) == 0;
}

} // namespace

llvm::StringRef nameOf(DotInstruction instruction) { return kNames[static_cast<size_t>(instruction)]; }

std::optional<DotInstruction> dotInstruction(llvm::StringRef name) {
  for (size_t i = 1; i < std::size(kNames); ++i)
    if (name == kNames[i])
      return static_cast<DotInstruction>(i);
  return std::nullopt;
}

bool isExact(DotInstruction instruction) {
  return instruction != DotInstruction::Vdpbf16ps && instruction != DotInstruction::TileBFloat16;
}

int64_t stepsOf(DotInstruction instruction) {
  return instruction == DotInstruction::Vpdpbusd || instruction == DotInstruction::TileInt8 ? 4 : 2;
}

int64_t dotLanes(const CpuTargetInfo &target) { return target.vectorBytes / 4; }

bool isDotComputable(DotInstruction instruction, const ContractionKinds &kinds, const CpuTargetInfo &target,
                     llvm::StringRef &why) {
  if (kinds.computes && instruction != DotInstruction::None) {
    why = "an operand is computed as it is read";
    return false;
  }
  const ir::ScalarKind &lhs = kinds.lhs, &rhs = kinds.rhs;
  const bool bytes = isInteger(lhs, 8) && isInteger(rhs, 8);
  const bool words = !bytes && (isInteger(lhs, 8) || isInteger(lhs, 16)) && (isInteger(rhs, 8) || isInteger(rhs, 16));
  // A word of an unsigned operand would be read as signed.
  const auto isSignedWord = [](const ir::ScalarKind &kind) { return kind.width == 8 || kind.isSigned(); };
  const bool pairs = kinds.sum.isInteger() && kinds.sum.width == 32 && (bytes || words) &&
                     (!signsMatter(kinds) || (isSignedWord(lhs) && isSignedWord(rhs)));
  bool has = true, fits = true;
  switch (instruction) {
  case DotInstruction::None:
    return true;
  case DotInstruction::Pmaddwd:
    has = target.hasPairProducts;
    fits = pairs;
    break;
  case DotInstruction::Vpdpwssd:
    has = target.hasDotProducts;
    fits = pairs;
    break;
  case DotInstruction::Vpdpbusd:
    has = target.hasDotProducts;
    fits = bytes && pairs;
    break;
  case DotInstruction::TileInt8:
    has = target.hasInt8Tiles;
    fits = bytes && pairs;
    break;
  case DotInstruction::Vdpbf16ps:
  case DotInstruction::TileBFloat16:
    has = target.hasBFloat16DotProducts && (instruction == DotInstruction::Vdpbf16ps || target.hasBFloat16Tiles);
    fits = lhs.isFloat() && lhs.isBF16 && rhs.isFloat() && rhs.isBF16 && kinds.sum.width == 32;
    break;
  }
  if (!has)
    why = "the target lacks the instruction";
  else if (!fits)
    why = "the instruction does not take elements of these types";
  return has && fits;
}

DotRoles dotRoles(DotInstruction instruction, const ContractionKinds &kinds, bool lhsIsRows) {
  DotRoles roles;
  roles.rows = lhsIsRows ? kinds.lhs : kinds.rhs;
  roles.lanes = lhsIsRows ? kinds.rhs : kinds.lhs;
  roles.group = stepsOf(instruction);
  switch (instruction) {
  case DotInstruction::None:
  case DotInstruction::Vdpbf16ps:
  case DotInstruction::TileBFloat16:
    break;
  case DotInstruction::Pmaddwd:
  case DotInstruction::Vpdpwssd:
    // Bytes are widened by their own sign, words are read as signed.
    for (ir::ScalarKind *kind : {&roles.rows, &roles.lanes})
      *kind = {ir::ScalarKind::Class::Signed, 16};
    break;
  case DotInstruction::TileInt8:
  case DotInstruction::Vpdpbusd:
    if (!signsMatter(kinds)) {
      roles.rows.elementClass = ir::ScalarKind::Class::Unsigned;
      roles.lanes.elementClass = ir::ScalarKind::Class::Signed;
    }
    roles.lanesFirst = roles.lanes.isUnsigned();
    roles.movesRows = instruction == DotInstruction::Vpdpbusd && roles.rows.isSigned() == roles.lanes.isSigned();
    break;
  }
  return roles;
}

std::optional<ContractionTiling> chooseDotTiling(const Contraction &contraction, const ContractionKinds &kinds,
                                                 const CpuTargetInfo &target, bool deterministic, FixedOperand fixed) {
  constexpr int64_t fewestRows = 4, fewestSteps = 8;
  const Contraction c = mergeLoops(contraction);
  llvm::StringRef why;
  if (contraction.outElements == 0 || !isPlain(c, why))
    return std::nullopt;
  const int64_t batch = c.count(LoopGroup::Batch), rows = c.rows.front().size, lanes = c.lanes.front().size,
                steps = c.contracted.front().size;
  if (rows < fewestRows || steps < fewestSteps)
    return std::nullopt;

  ContractionTiling tiling;
  const auto can = [&](DotInstruction instruction) {
    if ((!isExact(instruction) && deterministic) || !isDotComputable(instruction, kinds, target, why))
      return false;
    tiling.dot = instruction;
    return true;
  };
  if (!(can(DotInstruction::TileInt8) || can(DotInstruction::Vpdpbusd) || can(DotInstruction::Vpdpwssd) ||
        can(DotInstruction::Pmaddwd) || can(DotInstruction::TileBFloat16) || can(DotInstruction::Vdpbf16ps)))
    return std::nullopt;

  const bool tiles = usesTiles(tiling.dot);
  tiling.vectorLanes = dotLanes(target);
  tiling.packRows = !canReadRows(c, tiling.dot);
  tiling.packLanes = true;
  if (tiles) {
    tiling.tileRows = tiling.tileLanes = 2 * kSquare;
  } else {
    // Accumulators, the vectors of a step, a broadcast and a product must fit the registers.
    const int64_t most = target.vectorRegisters >= 32 ? 4 : 2;
    const int64_t vectors = std::min<int64_t>(most, llvm::divideCeil(lanes, tiling.vectorLanes));
    constexpr int64_t wide[] = {16, 12, 8, 6}, narrow[] = {10, 5};
    tiling.tileRows = std::min(rows, target.vectorRegisters >= 32 ? wide[vectors - 1] : narrow[vectors - 1]);
    tiling.tileLanes = vectors * tiling.vectorLanes;
  }

  // Panels of a task that stay in the second-level cache.
  constexpr int64_t lanesBytes = 768 << 10, rowsBytes = 384 << 10, mostRows = 256, packedBytes = 768 << 10,
                    readBytes = 1280 << 10;
  // A step of four, or a square of 16 groups, is 4 bytes a group.
  const DotRoles roles = dotRoles(tiling.dot, kinds, c.lhsIsRows);
  const int64_t laneBytes = 4 * int64_t(llvm::divideCeil(steps, roles.group));
  tiling.taskLanes = evenTasks(lanesBytes / laneBytes, tiling.tileLanes, lanes);
  tiling.taskRows = evenTasks(std::clamp(rowsBytes / laneBytes, tiling.tileRows, mostRows), tiling.tileRows, rows);
  // Blocks of steps whose panels stay in the first-level cache, for kernels that would else wait for the second.
  constexpr int64_t blockBytes = 1 << 10;
  const bool blocks = tiles && laneBytes > blockBytes * 3 / 2;
  tiling.blockSteps = blocks ? blockBytes / 4 * roles.group : steps;

  const double work = double(batch) * rows * lanes * steps;
  const int64_t wanted = int64_t(std::clamp(work / (tiles ? 1 << 21 : 1 << 19), 1.0, 16.0));
  const auto tasks = [&] {
    return batch * int64_t(llvm::divideCeil(rows, tiling.taskRows)) *
           int64_t(llvm::divideCeil(lanes, tiling.taskLanes));
  };
  // Where all rows stay in cache, tasks are columns, each of which packs lanes of its own; runs of lanes are packed by
  // whole cache lines.
  constexpr int64_t fewRowsBytes = 512 << 10;
  const int64_t fewestLanes = std::max<int64_t>(tiling.tileLanes, rows * laneBytes > fewRowsBytes        ? 128
                                                                  : c.contracted.front().laneStride == 1 ? 0
                                                                                                         : 64);
  const bool staysInCache =
      tiling.packRows ? rows * laneBytes <= packedBytes : rows * (blocks ? blockBytes : laneBytes) <= readBytes;
  if (staysInCache && lanes >= (tiling.packRows ? 4 : 2) * fewestLanes) {
    tiling.taskRows = llvm::alignTo(rows, tiling.tileRows);
    while (tasks() < wanted && tiling.taskLanes >= 2 * fewestLanes)
      tiling.taskLanes = evenTasks(tiling.taskLanes / 2, fewestLanes, lanes);
  }
  // Else the lanes of one task are packed for the next as well, so rows are cut first.
  while (tasks() < wanted && tiling.taskRows >= 4 * tiling.tileRows)
    tiling.taskRows = evenTasks(tiling.taskRows / 2, tiling.tileRows, rows);
  while (tasks() < std::min<int64_t>(wanted, 4) && tiling.taskLanes >= 2 * tiling.tileLanes)
    tiling.taskLanes = evenTasks(tiling.taskLanes / 2, tiling.tileLanes, lanes);
  const bool fixedIsRows = (fixed == FixedOperand::Lhs) == c.lhsIsRows;
  tiling.readyRows = fixed != FixedOperand::None && fixedIsRows && tiling.packRows;
  tiling.readyLanes = fixed != FixedOperand::None && !fixedIsRows;
  return tiling;
}

bool isDotTilingLegal(const Contraction &contraction, const ContractionTiling &tiling, llvm::StringRef &why) {
  const Contraction c = mergeLoops(contraction);
  if (!isPlain(c, why))
    return false;
  if (tiling.exchange || !(tiling.packRows || canReadRows(c, tiling.dot)) || !tiling.packLanes ||
      tiling.blockSteps < 1) {
    why = "an instruction of several steps takes packed operands that are not exchanged";
    return false;
  }
  const bool tiles = usesTiles(tiling.dot);
  if (tiles && (tiling.vectorLanes != kSquare || tiling.tileRows != 2 * kSquare || tiling.tileLanes != 2 * kSquare)) {
    why = "tile registers take tiles of 32 by 32";
    return false;
  }
  if ((tiling.taskRows % tiling.tileRows != 0 && tiling.taskRows < c.rows.front().size) ||
      (tiling.taskLanes % tiling.tileLanes != 0 && tiling.taskLanes < c.lanes.front().size)) {
    why = "a task must be whole tiles";
    return false;
  }
  return true;
}

DotLayout::DotLayout(const Contraction &original, const ContractionTiling &wanted)
    : contraction(mergeLoops(original)), tiling(wanted), tiles(usesTiles(wanted.dot)) {
  batchCount = contraction.count(LoopGroup::Batch);
  rowCount = contraction.count(LoopGroup::Row);
  laneCount = contraction.count(LoopGroup::Lane);
  stepCount = contraction.count(LoopGroup::Contracted);
  rowTasks = llvm::divideCeil(rowCount, tiling.taskRows);
  laneTasks = llvm::divideCeil(laneCount, tiling.taskLanes);
  taskCount = batchCount * rowTasks * laneTasks;

  group = stepsOf(tiling.dot);
  groups = llvm::divideCeil(stepCount, group);
  squares = llvm::divideCeil(groups, kSquare);
  if (tiles)
    groups = squares * kSquare;
  const int64_t blocks = llvm::divideCeil(squares, std::max<int64_t>(1, tiling.blockSteps / (group * kSquare)));
  blockSquares = tiles ? llvm::divideCeil(squares, std::max<int64_t>(1, blocks)) : squares;

  constexpr int64_t sweptBytes = 256 << 10;
  sweptRows =
      std::max(tiling.tileRows, int64_t(llvm::alignDown(sweptBytes / (blockSquares * kSquare * 4), tiling.tileRows)));

  panelRows = tiles ? kSquare : tiling.tileRows;
  panelLanes = tiles ? kSquare : tiling.tileLanes;
  rowPitch = llvm::PowerOf2Ceil(panelRows);
  const int64_t taskRows = std::min(tiling.taskRows, rowCount), taskLanes = std::min(tiling.taskLanes, laneCount);
  rowPanelCount = llvm::divideCeil(taskRows, panelRows);
  lanePanelCount = llvm::divideCeil(taskLanes, panelLanes);
  allRowPanels = llvm::divideCeil(rowCount, panelRows);
  allLanePanels = llvm::divideCeil(laneCount, panelLanes);
  const bool lanesRun = contraction.contracted.front().laneStride != 1;
  constexpr int64_t lanesAtOnce = 64;
  panelsAtOnce = lanesRun ? std::clamp<int64_t>(lanesAtOnce / panelLanes, 1, lanePanelCount) : 1;
  // What is packed together divides a task, so that only the last task has a shorter part.
  while (laneTasks > 1 && lanePanelCount % panelsAtOnce != 0)
    --panelsAtOnce;
  rowPanelElements = rowPitch * groups;
  lanePanelElements = panelLanes * (groups + 1);
  streamsPanels = tiling.readyLanes && isStreamed(rowCount, batchCount * allLanePanels * lanePanelElements);
  tilePitch = isBlocked() ? llvm::alignTo(taskLanes, tiling.tileLanes) : tiling.tileLanes;
  const int64_t tileRows = isBlocked() ? llvm::alignTo(taskRows, tiling.tileRows) : tiling.tileRows;

  auto reserve = [this, end = int64_t(0)](int64_t elements) mutable {
    const int64_t at = end;
    end += llvm::alignTo(elements, 16); // whole cache lines
    scratchElements = end;
    return at;
  };
  rowPanels = reserve(tiling.packRows && !tiling.readyRows ? rowPanelElements * rowPanelCount : 0);
  lanePanels = reserve(tiling.readyLanes ? 0 : lanePanelElements * lanePanelCount);
  tile = reserve(tileRows * tilePitch);
  config = reserve(tiles ? 16 : 0);
}

} // namespace burn::compiler
