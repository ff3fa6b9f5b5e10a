#include "passes/Codegen/ContractionStreams.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/STLExtras.h"

namespace burn::compiler {

using mlir::Value;
using mlir::ValueRange;

Contraction exchangeRoles(Contraction contraction) {
  std::swap(contraction.rows, contraction.lanes);
  std::swap(contraction.rowsBase, contraction.lanesBase);
  std::swap(contraction.rowsElements, contraction.lanesElements);
  contraction.lhsIsRows = !contraction.lhsIsRows;
  for (auto *loops : {&contraction.batch, &contraction.rows, &contraction.lanes, &contraction.contracted})
    for (ContractionLoop &loop : *loops)
      std::swap(loop.rowStride, loop.laneStride);
  for (WindowAxis &axis : contraction.window)
    for (WindowAxis::Term &term : axis.terms) {
      if (term.group == LoopGroup::Row)
        term.group = LoopGroup::Lane;
      else if (term.group == LoopGroup::Lane)
        term.group = LoopGroup::Row;
    }
  return contraction;
}

namespace {

void mergeGroup(Contraction &contraction, LoopGroup group, llvm::SmallVectorImpl<ContractionLoop> &loops) {
  auto isChecked = [&](unsigned loop) {
    return llvm::any_of(contraction.window, [&](const WindowAxis &axis) {
      return llvm::any_of(axis.terms,
                          [&](const WindowAxis::Term &term) { return term.group == group && term.loop == loop; });
    });
  };
  auto erase = [&](unsigned loop) {
    loops.erase(loops.begin() + loop);
    for (WindowAxis &axis : contraction.window) {
      llvm::erase_if(axis.terms,
                     [&](const WindowAxis::Term &term) { return term.group == group && term.loop == loop; });
      for (WindowAxis::Term &term : axis.terms)
        if (term.group == group && term.loop > loop)
          --term.loop;
    }
  };
  for (unsigned i = 0; i < loops.size();) {
    // A term at size 1 always adds 0.
    if (loops[i].size == 1) {
      erase(i);
      continue;
    }
    ++i;
  }
  for (unsigned i = 0; i + 1 < loops.size();) {
    ContractionLoop &outer = loops[i];
    const ContractionLoop inner = loops[i + 1];
    bool linear = outer.rowStride == inner.rowStride * inner.size &&
                  outer.laneStride == inner.laneStride * inner.size && outer.outStride == inner.outStride * inner.size;
    if (!linear || isChecked(i) || isChecked(i + 1)) {
      ++i;
      continue;
    }
    outer.size *= inner.size;
    outer.rowStride = inner.rowStride;
    outer.laneStride = inner.laneStride;
    outer.outStride = inner.outStride;
    erase(i + 1);
  }
  if (loops.empty())
    loops.push_back({});
}

} // namespace

Contraction mergeLoops(Contraction contraction) {
  if (contraction.count(LoopGroup::Contracted) == 0) {
    contraction.contracted.assign(1, ContractionLoop{0});
    contraction.window.clear();
  }
  mergeGroup(contraction, LoopGroup::Batch, contraction.batch);
  mergeGroup(contraction, LoopGroup::Row, contraction.rows);
  mergeGroup(contraction, LoopGroup::Lane, contraction.lanes);
  mergeGroup(contraction, LoopGroup::Contracted, contraction.contracted);
  return contraction;
}

std::optional<Widening> wideningOf(const ContractionOperands &operands, bool isLhs) {
  const ir::ScalarKind &stored = isLhs ? operands.kinds.lhs : operands.kinds.rhs;
  const ContractionRead &read = isLhs ? operands.readLhs : operands.readRhs;
  if (stored == operands.kinds.sum)
    return std::nullopt;
  return Widening{stored, operands.kinds.sum, read ? &read : nullptr};
}

mlir::Type computeType(Value memref, const std::optional<Widening> &widening) {
  mlir::Type element = mlir::cast<mlir::MemRefType>(memref.getType()).getElementType();
  return widening ? widening->to.getLowered(element.getContext()) : element;
}

Value widen(IndexEmitter &b, Value loaded, const std::optional<Widening> &widening) {
  if (widening && widening->read)
    return (*widening->read)(b, b.getLoc(), loaded);
  return widening ? ir::ScalarOps(b, b.getLoc(), widening->from).convert(loaded, widening->to) : loaded;
}

void prefetchStream(IndexEmitter &b, Value panels, Value at, int64_t count) {
  constexpr int64_t aheadBytes = 2048, lineBytes = 64;
  const int64_t bytes = mlir::cast<mlir::MemRefType>(panels.getType()).getElementTypeBitWidth() / 8;
  for (int64_t i = 0; i < count; i += lineBytes / bytes)
    mlir::memref::PrefetchOp::create(b, panels, ValueRange{b.add(at, aheadBytes / bytes + i)}, /*isWrite=*/false,
                                     /*localityHint=*/3, /*isDataCache=*/true);
}

StepBlocking blockSteps(llvm::ArrayRef<ContractionLoop> contracted, int64_t limit) {
  limit = std::max<int64_t>(limit, 1);
  StepBlocking blocking;
  blocking.level = contracted.size() - 1;
  int64_t inner = 1;
  for (int64_t i = int64_t(contracted.size()) - 1; i >= 0; --i) {
    if (inner > limit)
      break;
    blocking.level = i;
    int64_t most = std::max<int64_t>(1, limit / inner);
    int64_t size = std::max<int64_t>(1, contracted[i].size);
    int64_t blocks = (size + most - 1) / most;
    blocking.steps = (size + blocks - 1) / blocks;
    blocking.capacity = blocking.steps * inner;
    blocking.blocked = i > 0 || blocks > 1;
    inner *= size;
  }
  return blocking;
}

llvm::SmallVector<StreamLoop> operandStreams(const Contraction &contraction, bool rowsOperand, LoopGroup group) {
  llvm::SmallVector<StreamLoop> streams;
  bool convolved = isConvolved(contraction, rowsOperand);
  for (auto [index, loop] : llvm::enumerate(contraction.loops(group))) {
    StreamLoop stream{loop.size, nullptr, {}};
    stream.strides.push_back(rowsOperand ? loop.rowStride : loop.laneStride);
    if (convolved)
      for (const WindowAxis &axis : contraction.window) {
        int64_t step = 0;
        for (const WindowAxis::Term &term : axis.terms)
          if (term.group == group && term.loop == index)
            step += term.step;
        stream.strides.push_back(step);
      }
    streams.push_back(std::move(stream));
  }
  return streams;
}

/// Merges loops i and i + 1 of equal walk; `grow` makes the outer one longer.
static void mergeNeighbours(llvm::SmallVectorImpl<StreamLoop> &loops,
                            llvm::function_ref<void(StreamLoop &, int64_t)> grow) {
  for (size_t i = 0; i + 1 < loops.size();) {
    StreamLoop &outer = loops[i];
    const StreamLoop inner = loops[i + 1];
    bool linear = llvm::all_of(llvm::zip(outer.strides, inner.strides),
                               [&](auto strides) { return std::get<0>(strides) == std::get<1>(strides) * inner.size; });
    if (!linear) {
      ++i;
      continue;
    }
    grow(outer, inner.size);
    outer.strides = inner.strides;
    loops.erase(loops.begin() + i + 1);
  }
}

void mergeStreams(IndexEmitter &b, llvm::SmallVectorImpl<StreamLoop> &loops) {
  mergeNeighbours(loops, [&](StreamLoop &outer, int64_t size) {
    if (outer.size >= 0)
      outer.size *= size;
    else
      outer.count = b.mul(outer.count, size);
  });
}

void mergeStaticStreams(llvm::SmallVectorImpl<StreamLoop> &loops) {
  mergeNeighbours(loops, [](StreamLoop &outer, int64_t size) { outer.size *= size; });
}

IndexEmitter::Values streamsAt(IndexEmitter &b, llvm::ArrayRef<StreamLoop> loops, llvm::ArrayRef<int64_t> start,
                               Value linear) {
  IndexEmitter::Values values;
  for (int64_t value : start)
    values.push_back(b.index(value));
  for (size_t i = loops.size(); i-- > 0;) {
    Value at = i == 0 ? linear : b.rem(linear, loops[i].size);
    for (auto [value, stride] : llvm::zip(values, loops[i].strides))
      if (stride != 0)
        value = b.add(value, b.mul(at, stride));
    if (i > 0)
      linear = b.div(linear, loops[i].size);
  }
  return values;
}

IndexEmitter::Values forEachStep(IndexEmitter &b, llvm::ArrayRef<StreamLoop> loops, ValueRange start, ValueRange init,
                                 llvm::function_ref<IndexEmitter::Values(ValueRange, ValueRange)> body) {
  if (loops.empty())
    return body(start, init);
  const StreamLoop &loop = loops.front();
  Value count = loop.size >= 0 ? b.index(loop.size) : loop.count;
  return b.loop(b.index(0), count, 1, init, [&](Value i, ValueRange carried) -> IndexEmitter::Values {
    IndexEmitter::Values streams(start);
    for (auto [value, stride] : llvm::zip(streams, loop.strides))
      if (stride != 0)
        value = b.add(value, b.mul(i, stride));
    return forEachStep(b, loops.drop_front(), streams, carried, body);
  });
}

llvm::SmallVector<StreamLoop> blockLoops(IndexEmitter &b, llvm::ArrayRef<StreamLoop> steps, const StepBlock &block,
                                         IndexEmitter::Values &starts) {
  size_t level = block.outer.size();
  auto advance = [&](const StreamLoop &loop, Value index) {
    // The step counter, the last stream, starts at 0 in every block.
    for (auto [value, stride] : llvm::zip(starts, loop.strides))
      if (stride != 0)
        value = b.add(value, b.mul(index, stride));
  };
  for (auto [loop, index] : llvm::zip(steps, block.outer))
    advance(loop, index);
  if (!block.whole)
    advance(steps[level], block.first);

  llvm::SmallVector<StreamLoop> loops(steps.drop_front(level));
  if (!block.whole) {
    loops.front().size = -1;
    loops.front().count = block.count;
  }
  int64_t linear = 1;
  for (StreamLoop &loop : llvm::reverse(loops)) {
    loop.strides.push_back(linear);
    linear *= loop.size;
  }
  starts.push_back(b.index(0));
  mergeStreams(b, loops);
  return loops;
}

} // namespace burn::compiler
